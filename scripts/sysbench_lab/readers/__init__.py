# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of any program as rows: what compare puts side by side.

    read("results/")       a directory of sysbench-lab, or of pgbench's per-transaction logs
    read("run.json")       a json report of sysbench
    read("run.txt")        a text report: ours, sysbench's of any generation, pgbench's output
    read("pgbench_log.7")  pgbench's per-transaction or aggregated log

The content decides, not the name.  Each gives a Source: cells with their runs as rows (figures.py
says what the figures are), the environment where it is known, and notes on what its figures are
worth.  A figure that a program does not report is absent; none is made up from another: a 99th
percentile is never compared with a 95th.

This file and own_text.py need the standard library of Python 3.8 only: the benchmarks read reports
with them.
"""

from __future__ import annotations

import dataclasses
import os
import re
from typing import Any, Dict, Mapping, Sequence

from .. import LabError, failing, reading, text_of
from ..plan.model import by

Row = Dict[str, Any]

LINES = "sysbench-tx/report-line/"
# What ts, awk, docker, kubectl, a journal and CI put in front of each line of what they log.
STAMP = re.compile(
    r"^\[?(?:(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d|\d{10})(?:[.,]\d+)?"
    r"(?:Z| ?[+-]\d\d:?\d\d| UTC)?\]?"
    r"(?: std(?:out|err) [FP]| [\w.-]+ [\w./-]+\[\d+\]:)?(?:[ \t]|$)",
    re.M,
)


@dataclasses.dataclass
class SourceCell:
    """Runs of the same settings.  `labels`: the levels that tell it from the source's others."""

    labels: Mapping[str, str]
    rows: Sequence[Row]


@dataclasses.dataclass
class Source:
    """What was read from one path."""

    name: str
    kind: str  # for people: "sysbench 0.5, text"
    cells: Sequence[SourceCell]
    environments: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    load: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)  # values by setting
    notes: Sequence[str] = ()
    seed: int = 1
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)  # why n/a, by section
    cut: str = ""  # why no condition may pass: a run that did not complete


def cells_of(rows: Sequence[Row]) -> list[SourceCell]:
    """Rows of a text report: those of as many threads at the same rate are repeats."""

    def labels(row: Row) -> tuple[tuple[str, str], ...]:
        clients, rate = row["clients"], row.get("target_tps")
        found = {} if clients is None else {"load.threads": "%d" % clients}
        found.update({"load.tx-rate": "%g" % rate} if rate else {})
        return tuple(found.items())

    return [SourceCell(dict(key), found) for key, found in by(rows, labels).items()]


def read(path: str) -> Source:
    """What is at a path; one sentence of complaint if it is nothing that is known, or damaged."""
    from . import labs, pgbench, sysbench_text

    name = os.path.basename(os.path.normpath(path)) or path
    with reading(path):
        if os.path.isdir(path):
            return read_directory(path, name)
        if pgbench.is_log(path):
            found = pgbench.read_log(name, [path, *siblings(path)])
            if part := pgbench.THREAD.fullmatch(name):
                found.notes = [*found.notes, "%s: %s" % (name, pgbench.PART % part[1])]
            return found
        text = text_of(path)
        if text.lstrip().startswith("{"):
            if LINES in text[:100]:
                raise LabError("%s is a jsonl report: compare reads json reports" % path)
            return labs.of_report(path, name, text)
        for said in (text, STAMP.sub("", text)):
            if output := pgbench.read(name, said) or sysbench_text.read(name, said):
                return output
        known = "results directory, json report, text report of sysbench or output of pgbench"
        raise LabError("%s is no %s" % (path, known))


def runs(paths: Sequence[str]) -> list[str]:
    """Paths without the logs of pgbench's other threads, which read() finds beside the first:
    pgbench_log.* names them all."""
    from . import pgbench

    logs = [p for p in paths if os.path.isfile(p) and pgbench.is_log(p)]
    others = {os.path.normpath(s) for p in logs for s in siblings(p)}
    return [p for p in paths if p not in logs or os.path.normpath(p) not in others]


def siblings(path: str) -> list[str]:
    """The logs of pgbench's other threads: pgbench_log.7.1 beside pgbench_log.7."""
    directory, file = os.path.split(path)
    names = [n for n in os.listdir(directory or ".") if re.fullmatch(re.escape(file) + r"\.\d+", n)]
    return [os.path.join(directory, n) for n in sorted(names)]


def read_directory(path: str, name: str) -> Source:
    from . import labs, pgbench

    with failing("cannot read " + path):
        names = sorted(os.listdir(path))
    if "lab.json" in names:
        return labs.read(path, name)
    logs = [os.path.join(path, n) for n in names if pgbench.NAME.match(n)]
    if logs := [p for p in logs if pgbench.is_log(p)]:
        return pgbench.read_log(name, logs)
    raise LabError("%s has no lab.json and no log of pgbench in it" % path)
