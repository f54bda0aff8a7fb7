# SPDX-License-Identifier: GPL-2.0-or-later
"""run_locale.t: bytes of files that must not depend on the locale."""

import csv
import json
import re
import sys

stem = sys.argv[1]
whole = json.load(open(stem + ".json"))
print("json", whole["end"]["status"], whole["summary"]["elapsed_s"] >= 1)
print("jsonl", all(json.loads(line) for line in open(stem + ".jsonl")))
rows = list(csv.reader(open(stem + ".csv")))
print("csv", len({len(row) for row in rows}), float(rows[1][rows[0].index("elapsed_s")]) > 0)
text = open(stem + ".out").read() + open(stem + ".txt").read()
print("text", re.findall(r"[0-9],[0-9]", text), len(re.findall(r"[0-9]\.[0-9]", text)) > 20)
values = [line.split()[-1] for line in open(stem + ".prom") if not line.startswith("#")]
print("prom", all(float(v) == float(v) or v == "NaN" for v in values), len(values) > 20)
