# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run consists of, its stages and database hosts: what they add up to, and their tables."""

from __future__ import annotations

import csv
import re
from typing import Any

from report_common import SECTIONS, Document, flat, load, problem, same

REASONS = ("missing", "at_least", "marks")
COUNTS = ("offered", "done", "failed", "dropped", "late")
HOST = "%s: clients %d, transactions %d, failed %d, lost %d, reconnects %d"


def value_of(cell: str) -> Any:
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def stage_row(stage: Document) -> Document:
    """As the table of stages should have it."""
    about = {"stage_" + k: v for k, v in stage.items() if not k.startswith("planned_")}
    figures, sustained = about.pop("stage_figures"), about["stage_sustained"]
    about["stage"] = about.pop("stage_number")
    about["stage_text"] = value_of(about["stage_text"])
    about["stage_sustained"] = None if sustained is None else "yes" if sustained else "no"
    return {**flat(figures), **about, "kind": "stage"}


def host_row(report: Document, host: Document) -> Document:
    latency = {"latency_" + k: v for k, v in host["latency"].items()}
    rest = {k: v for k, v in host.items() if k != "latency"}
    return {"kind": report["kind"], "elapsed_s": report["elapsed_s"], **rest, **latency}


def agree_parts(path: str, document: Document) -> bool:
    """Whether it is one of these tables, which must have the figures of the json."""
    if path.endswith(".stages.csv"):
        wanted = list(map(stage_row, document["stages"]))
    elif path.endswith(".hosts.csv"):
        every = [*document["intervals"], document["summary"]]
        wanted = [host_row(r, host) for r in every for host in r["hosts"]]
    else:
        return False
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    same(path, "number of rows", len(rows), len(wanted))
    for row, want in zip(rows, wanted):
        cells = {k: value_of(v) for k, v in row.items() if k not in REASONS}
        for name in cells.keys() | want.keys():
            same(path, name, cells.get(name, "no column"), want.get(name))
    return True


def balance(*paths: str) -> None:
    """What was offered has ended in one of the ways that there are, or not at all; an error was
    first met before it was last."""
    for path in paths:
        document = load(path)
        for report in [*document["intervals"], document["summary"]]:
            rate, ends = report["rate"], ("done", "failed", "dropped", "lost")
            if rate:
                ended = sum(rate["total_" + name] or 0 for name in ends) + rate["unfinished"]
                same(path, "total_offered", rate["total_offered"], ended)
        for e in document["summary"]["errors_by_code"] or []:
            same(path, "order of times", 0 <= e["first_s"] <= e["last_s"], True)


def reasons(reference: str) -> None:
    """What is not known has a reason."""
    document = load(reference)
    environment = document["environment"] or {"missing": {}}
    for name in [k for k, v in environment.items() if v is None]:
        same(reference, name + ", a reason", name in environment["missing"], True)
    for report in [*document["intervals"], document["summary"]]:
        for section in SECTIONS:
            figures = report[section]
            absent = [section] if figures is None else [k for k, v in figures.items() if v is None]
            for name in absent:
                keys = (section, name, "%s.%s" % (section, name))
                if not any(key in report["missing"] for key in keys):
                    problem("%s: no reason for %s of %s", reference, name, section)


def stages(reference: str) -> None:
    """Prints them; together they are the run."""
    document = load(reference)
    for stage in document["stages"]:
        print(stage["text"], stage["figures"]["rate"]["offered"], stage["sustained"])
    for name in COUNTS:
        total = sum(stage["figures"]["rate"][name] for stage in document["stages"])
        same(reference, name, total, document["summary"]["rate"]["total_" + name])


def hosts(reference: str) -> None:
    """Prints them, of a path as a name only the directory db1, h1 or the like; together they are
    the run, and each transaction is in the histogram of its host."""
    document = load(reference)
    for h in document["summary"]["hosts"]:
        directory = re.search(r"/((?:db|h)[0-9])(?:/|$)", h["host"])
        counts = (h[k] for k in ("clients", "transactions", "failed", "lost", "reconnects"))
        print(HOST % (directory[1] if directory else h["host"], *counts))
    for r in [*document["intervals"], document["summary"]]:
        more = ("errors", "reconnects") if r["kind"] == "summary" else ()
        for name in ("transactions", *more):
            same(reference, name, sum(h[name] for h in r["hosts"]), r[name])
    summary = document["summary"]
    if summary["rate"]:
        failed = sum(h["failed"] for h in summary["hosts"])
        same(reference, "failed", failed, summary["rate"]["failed"])
    for h in summary["hosts"]:
        same(reference, "samples", h["latency"]["samples"], h["transactions"])
