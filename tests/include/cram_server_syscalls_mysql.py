# SPDX-License-Identifier: GPL-2.0-or-later
"""server_syscalls_mysql.t: system calls by name: intervals, events."""

import json

document = json.load(open("a.json"))
summary = document["summary"]
d = summary["server_syscalls"]
if d is None:
    print(bool(summary["missing"]["server_syscalls"]))
    raise SystemExit
top = d["most_frequent"]
wrong = [top] if len(top) != 3 else []
parts = sum(i["server_syscalls"]["count"] for i in document["intervals"])
if document["intervals"] and not 0.5 * d["count"] <= parts <= d["count"]:
    wrong.append(("intervals", parts, d["count"]))
events = (summary["server_events"] or {}).get("syscalls")
if events is not None and abs(events - d["count"]) > 0.02 * d["count"] + 100:
    wrong.append(("events", events, d["count"]))
usual = "sendto recvfrom poll ppoll futex read write sendmsg recvmsg"
if not {c["name"] for c in top} & set(usual.split()):
    wrong.append([c["name"] for c in top])
print(wrong or True)
