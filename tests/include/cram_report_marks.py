# SPDX-License-Identifier: GPL-2.0-or-later
"""report_marks.t: a mark stands before the interval in which it came."""

import json

last, marks = -1e9, []
for line in map(json.loads, open("a.jsonl")):
    if line["kind"] == "mark":
        marks.append(line["elapsed_s"])
    elif line["kind"] in ("interval", "summary"):
        if line["kind"] == "interval" and any(not last < m <= line["elapsed_s"] for m in marks):
            print("marks", marks, "between", last, "and", line["elapsed_s"])
        last, marks = line["elapsed_s"], []
