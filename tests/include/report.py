# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks result files independently of the program that wrote them.

Used by the tests of --report-file and --raw-log.  Each command prints one line for each thing
that is wrong, and nothing else.  Nothing here uses code of the program: the formats are read
as docs/results.md describes them.

usage: report.py validate SCHEMA-DIRECTORY FILE...    json and jsonl against their schemas; exit
                                                   status 80 without a validator
       report.py schemas SCHEMA-DIRECTORY             they are schemas
       report.py agree FILE.json FILE...           csv, jsonl and metrics files agree with the json
       report.py hlog FILE.hlog FILE.json          its histograms decode and add up to the run's
       report.py raw FILE.raw FILE.json            what the audit recomputes from the transactions
       report.py sums FILE.json [FILE.raw]         intervals add up to the summary, except for what
                                                   ended after the last one, by the log
       report.py balance FILE.json...              accounts of transactions balance
       report.py reasons FILE.json                 what is null has a reason
       report.py machine FILE.json                 what the audit finds about the machine's figures
       report.py stages FILE.json                  stages are the run; prints them
       report.py hosts FILE.json                   so are database hosts
       report.py phases FILE.json                  phases are sums of the intervals between marks
       report.py get FILE.json PATH...             prints values: summary.rate.done
       report.py COMMAND FILE... + COMMAND FILE... several commands

Python may run without its site packages (-S), which only the schemas need.
"""

from __future__ import annotations

import csv
import importlib
import json
import math
import os
import re
import site
import sys
from typing import Any, Callable

from metric_names import metric_kind  # noqa: F401  # tests/audit uses this module, too
from report_common import (
    Document,
    flat,
    load,
    load_lines,
    near,
    problem,
    problems,
    same,
    take_count,  # noqa: F401
)
from report_hlog import decode, hlog, leb128, zigzag  # noqa: F401
from report_metrics import agree_metrics, expected, read_metrics  # noqa: F401
from report_parts import agree_parts, balance, hosts, reasons, stages, value_of
from report_raw import OUTCOMES, machine, raw, read_raw  # noqa: F401

# --- schemas ---


class NoValidator(Exception):
    pass


def import_jsonschema() -> Any:
    """The package, without what it uses for formats, which nobody checks here and which takes most
    of the time; where it is not in the usual place, by way of site.main(), which takes longer."""
    for name in ("fqdn", "idna", "isoduration", "jsonpointer", "rfc3339_validator", "webcolors"):
        sys.modules[name] = None  # type: ignore[assignment]
    sys.path += site.getsitepackages()
    try:
        return importlib.import_module("jsonschema")
    except ImportError:
        site.main()
    try:
        return importlib.import_module("jsonschema")
    except ImportError:
        raise NoValidator from None


def schemas(directory: str) -> None:
    """The schemas are schemas: a second for each, so validate() does without."""
    jsonschema = import_jsonschema()
    for name in ("report-line-1.json", "report-1.json"):
        jsonschema.Draft202012Validator.check_schema(load(os.path.join(directory, name)))


def validate(directory: str, *paths: str) -> None:
    jsonschema = import_jsonschema()
    for path in paths:
        stream = path.endswith(".jsonl")
        schema = load(directory + ("/report-line-1.json" if stream else "/report-1.json"))
        validator = jsonschema.Draft202012Validator(schema)
        for document in load_lines(path) if stream else [load(path)]:
            for error in validator.iter_errors(document):
                problem(
                    "%s: %s: %s", path, "/".join(map(str, error.absolute_path)), error.message[:300]
                )


# --- formats beside each other ---


def csv_kind(path: str) -> str:
    """Which reports are in a file of this name."""
    for kind in ("summary", "checkpoint"):
        if re.search(r"\.%ss?\.csv$" % kind, path):
            return kind
    return "interval"


def agree_csv(path: str, document: Document) -> None:
    kind = csv_kind(path)
    reports = {
        "interval": document["intervals"],
        "checkpoint": document["checkpoints"],
        "summary": [document["summary"]],
    }[kind]
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    same(path, "number of rows", len(rows), len(reports))
    labels = {"label_" + k: v for k, v in document["run"]["labels"].items()}
    shown = "; ".join(row["marks"] for row in rows if row["marks"])
    marks = ["%.3f %s" % (m["elapsed_s"], m["text"]) for m in document["marks"]]
    known = range(len(marks), len(marks) + 1) if kind == "summary" else range(len(marks) + 1)
    if shown not in ["; ".join(marks[:n]) for n in known]:
        problem("%s: marks is %r, in json %r", path, shown, marks)
    for row, report in zip(rows, reports):
        want = flat(report)
        same(path, "kind", row.pop("kind"), want.pop("kind"))
        same(path, "labels", {k: row.pop(k) for k in list(row) if k.startswith("label_")}, labels)
        row.pop("marks")
        if bool(row.pop("missing")) != bool(report["missing"]) or bool(row.pop("at_least")) != bool(
            report["at_least"]
        ):
            problem("%s: reasons are not given alike", path)
        for name, text in row.items():
            same(path, name, value_of(text), want.get(name))
        for name in set(want) - set(row):
            problem("%s has no column %s", path, name)


def agree_lines(path: str, document: Document) -> None:
    lines = load_lines(path)
    same(path, "first line", lines[0]["kind"], "run")
    same(path, "labels", lines[0]["run"]["labels"], document["run"]["labels"])
    for line in lines[1:]:
        same(path, "labels of a line", line.pop("labels", {}), document["run"]["labels"])
    same(path, "options", lines[0]["run"]["options"], document["run"]["options"])
    for kind, want in (
        ("interval", document["intervals"]),
        ("checkpoint", document["checkpoints"]),
        ("summary", [document["summary"]]),
    ):
        same(path, kind, [x for x in lines if x["kind"] == kind], want)
    for kind, want in (
        ("mark", document["marks"]),
        ("phase", document["phases"]),
        ("stage", document.get("stages", [])),
    ):
        of_kind = [{k: v for k, v in x.items() if k != "kind"} for x in lines if x["kind"] == kind]
        same(path, kind + "s", of_kind, want)
    for name in ("environment", "histograms", "profile"):
        want = [document[name]] if document[name] else []
        same(path, name, [x[name] for x in lines if x["kind"] == name], want)
    same(path, "verdict", lines[-1]["verdict"], document["verdict"])
    same(path, "status", lines[-1]["end"]["status"], document["end"]["status"])


def agree(reference: str, *paths: str) -> None:
    document = load(reference)
    for path in paths:
        if agree_parts(path, document):
            continue
        if path.endswith(".csv"):
            agree_csv(path, document)
        elif path.endswith(".jsonl"):
            agree_lines(path, document)
        elif path.endswith((".prom", ".om")):
            agree_metrics(path, document)


def phases(reference: str) -> None:
    """A phase is the sum of intervals in a row; marks came just before it, in none of them."""
    document = load(reference)
    times = [0] + [r["elapsed_s"] for r in document["intervals"]]
    for p in document["phases"]:
        inside = [r for r in document["intervals"] if p["begin_s"] < r["elapsed_s"] <= p["end_s"]]
        if p["begin_s"] not in times or p["end_s"] not in times:
            problem(
                "%s: a phase from %r to %r, and no interval ends there",
                reference,
                p["begin_s"],
                p["end_s"],
            )
        # one at the very end of an interval begins a phase after the next one
        very_end = min(0.02, (p["end_s"] - max(s for s in times if s < p["end_s"])) / 100)
        # that of a signal carries the instant of the signal, which may be noticed an interval later
        if [
            m
            for m in document["marks"]
            if p["begin_s"] < m["elapsed_s"] <= p["end_s"] - very_end and m["source"] != "signal"
        ]:
            problem("%s: a mark in the phase from %r to %r", reference, p["begin_s"], p["end_s"])
        same(reference, "kind", p["figures"]["kind"], "phase")
        length = p["end_s"] - p["begin_s"]
        near(reference, "interval_s of a phase", p["figures"]["interval_s"], length)
        counted: dict[str, tuple[str, ...]] = {}
        counted[""] = ("transactions", "reads", "writes", "other", "errors")
        counted["latency"] = ("samples",)
        counted["rate"] = ("offered", "done", "failed", "dropped", "late")
        for part in counted if p["figures"]["rate"] else list(counted)[:2]:
            seen, *each = [r[part] if part else r for r in [p["figures"], *inside]]
            for name in counted[part]:
                same(reference, "%s of a phase" % name, seen[name], sum(r[name] for r in each))
        before = [m for m in document["marks"] if 0 < m["elapsed_s"] <= p["begin_s"]]
        same(reference, "marks of a phase", p["marks"], before[len(before) - len(p["marks"]) :])
        if bool(p["marks"]) != (p["begin_s"] > 0):
            problem("%s: the phase from %r has %d marks", reference, p["begin_s"], len(p["marks"]))


def running_totals(intervals: list[Document], summary: Document) -> None:
    """The intervals up to any one add up to its `total`, which the summary's is not below."""
    for name in ("transactions", "reads", "writes", "other", "errors"):
        total = 0
        for i in intervals:
            total += i[name]
            if i["total"][name] != total:
                problem("%s until %r s: %d, not %d", name, i["elapsed_s"], total, i["total"][name])
        if summary["total"][name] < total:
            problem("%s: intervals have %d, the run %d", name, total, summary["total"][name])


def per_second(i: Document) -> None:
    counts = {"transactions": i["transactions"], "queries": i["reads"] + i["writes"] + i["other"]}
    for name, count in counts.items():
        rate = count / i["interval_s"]
        if not math.isclose(i[name + "_per_s"], rate, rel_tol=1e-9, abs_tol=1e-9):
            problem("%s_per_s does not follow", name)


def last_tick(document: Document) -> float:
    """The last instant for which a completed run reports an interval, however late it does."""
    options, elapsed = document["run"]["options"]["effective"], document["summary"]["elapsed_s"]
    until = min(options["time"] or elapsed, elapsed)
    step = float(options["report-interval"])
    return math.floor(until / step) * step


def after_last(intervals: list[Document], summary: Document, path: str) -> None:
    """By the log of single transactions, the run's further ones ended after the last interval.

    A report reads the counts first, then the clock; those that end in between follow later.
    """
    _, records, end = read_raw(path)
    assert end is not None
    ends = [(r[1] + r[3] - end["from"]) / 1e9 for r in records if r[4] == "done"]
    before, last = ([0.0] + [i["elapsed_s"] for i in intervals])[-2:]
    rest = summary["total"]["transactions"] - sum(i["transactions"] for i in intervals)
    least, most = (sum(e > at for e in ends) for at in (last, before))
    if not least <= rest <= most:
        problem("%d transactions are in no interval, %d to %d by %s", rest, least, most, path)


def sums(reference: str, raw_log: str | None = None) -> None:
    """The intervals add up to the run, but for the transactions that ended after the last one."""
    document = load(reference)
    intervals, summary = document["intervals"], document["summary"]
    running_totals(intervals, summary)
    for i, before in zip(intervals, [0, *(i["elapsed_s"] for i in intervals)]):
        near(reference, "interval_s", i["interval_s"], i["elapsed_s"] - before)
        per_second(i)
    if document["end"]["status"] == "completed":
        reached = intervals[-1]["elapsed_s"] if intervals else 0
        if reached < last_tick(document) - 1e-9:
            problem("the last interval ends at %r s, not %r s", reached, last_tick(document))
    if raw_log:
        after_last(intervals, summary, raw_log)


def get(reference: str, *paths: str) -> None:
    document = load(reference)
    for path in paths:
        value = document
        for name in path.split("."):
            value = value[int(name)] if isinstance(value, list) else value[name]
        print(json.dumps(value))


CALLS: list[list[Callable[..., None]]] = [
    [schemas, validate, agree, hlog, raw, machine],
    [sums, balance, reasons, phases, stages, hosts, get],
]
COMMANDS = {f.__name__: f for calls in CALLS for f in calls}


def main(words: list[str]) -> int:
    status = 0
    while words:
        end = words.index("+") if "+" in words else len(words)
        command, *arguments = words[:end]
        words = words[end + 1 :]
        try:
            COMMANDS[command](*arguments)
        except NoValidator:
            status = 80
    for line in problems[:20]:
        print(line)
    return 1 if problems else status


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
