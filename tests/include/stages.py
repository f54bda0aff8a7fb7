#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The stages of a rate in the files of one run, against each other and against the summary.

usage: stages.py FILE.json FILE.jsonl FILE.csv FILE.om   prints the stages
"""

from __future__ import annotations

import csv
import json
import re
import sys
from typing import Any

COUNTS = ("offered", "done", "failed", "dropped", "late")


problems: list[str] = []


def problem(text: str) -> None:
    problems.append(text)
    print(text)


def metric(text: str, name: str, stage: str) -> str:
    found = re.search(r'^sysbench_stage_%s\{.*stage="%s".*\} (.*)$' % (name, stage), text, re.M)
    return found.group(1) if found else ""


def check_row(row: dict[str, str], stage: dict[str, Any]) -> None:
    figures = stage["figures"]
    for name in COUNTS:
        if int(row["rate_" + name]) != figures["rate"][name]:
            problem("csv: %s of stage %s is %s" % (name, row["stage"], row["rate_" + name]))
    if row["stage_text"] != stage["text"] or int(row["transactions"]) != figures["transactions"]:
        problem("csv: stage %s" % row["stage"])


def check_metrics(text: str, stage: dict[str, Any]) -> None:
    for name in COUNTS:
        got = metric(text, name, str(stage["number"]))
        if not got or float(got) != stage["figures"]["rate"][name]:
            problem("metrics: %s of stage %s is %s" % (name, stage["number"], got))


def main() -> None:
    paths = sys.argv[1:]
    with open(paths[0], encoding="utf-8") as f:
        document = json.load(f)
    with open(paths[1], encoding="utf-8") as f:
        lines = [json.loads(x) for x in f]
    with open(paths[2], encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    with open(paths[3], encoding="utf-8") as f:
        text = f.read()
    stages = document["stages"]
    of_stream = [x for x in lines if x.pop("kind") == "stage"]
    if of_stream != stages or len(rows) != len(stages):
        problem("jsonl has %d stages, csv %d" % (len(of_stream), len(rows)))
    for row, stage in zip(rows, stages):
        check_row(row, stage)
        check_metrics(text, stage)
        print(stage["text"], stage["figures"]["rate"]["offered"], stage["sustained"])
    for name in COUNTS:
        total = document["summary"]["rate"]["total_" + name]
        if sum(x["figures"]["rate"][name] for x in stages) != total:
            problem("the stages' %s are not the run's %d" % (name, total))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
