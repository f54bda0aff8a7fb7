# SPDX-License-Identifier: GPL-2.0-or-later
"""report_commands.t: the commands of a report, and how late they began."""

import json
import sys

d = json.load(open("a.json"))
late = [0]
lines = (
    [line for line in map(json.loads, open("a.jsonl")) if line.pop("kind") == "command"]
    if "jsonl" in sys.argv
    else d["commands"]
)
for c in lines:
    began, took = c.pop("begin_s"), c.pop("duration_s")
    if began is not None:
        late.append(began - c["at_s"])
    print(
        c.pop("at_s"),
        *[
            v
            for k, v in c.items()
            if k in ("command", "state", "exit_status", "signal", "error") and v is not None
        ],
        *[k for k, v in c.items() if v is True],
        repr(c["output"]),
        c["output_bytes"],
    )
if min(late) < 0:
    print("began too early")
print(max(late), file=open("late", "w"))
