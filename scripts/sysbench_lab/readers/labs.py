# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders of sysbench-lab and single json reports of sysbench as sources of a comparison."""

from __future__ import annotations

from typing import Any

from .. import LabError, book, figures
from . import Source, SourceCell

SCHEMA = "sysbench-tx/report/1"


def read(path: str, name: str) -> Source:
    results = book.Results(path)
    cells = [
        SourceCell(
            {k: v for k, v in cell.levels.items() if varies(results, k)},
            [row for row in results.rows if row["cell"] == cell.number],
        )
        for cell in results.plan.cells
    ]
    notes = []
    if results.state != "done":
        done, planned = len(results.rows), len(results.plan.runs)
        notes.append("%s is not finished: %d of %d runs" % (name, done, planned))
    return Source(name, "lab", cells, results.environment, notes, seed=results.exp.measure.seed)


def varies(results: book.Results, factor: str) -> bool:
    """A factor with one level tells nothing apart."""
    return any(f.name == factor and len(f.levels) > 1 for f in results.exp.factors)


def of_report(path: str, name: str, tree: Any) -> Source:
    found = tree.get("schema") if isinstance(tree, dict) else None
    if found != SCHEMA:
        raise LabError("%s is no json report of sysbench: its schema is not %s" % (path, SCHEMA))
    row = figures.row_of(tree)
    notes = []
    if row["status"] != "done":
        end = (tree.get("end") or {}).get("status") or "unfinished"
        notes.append("%s is the report of a run that did not complete: %s" % (name, end))
        row["status"] = "done"  # what it has is what there is
    labels = {"load.threads": str(row["clients"])} if row["clients"] is not None else {}
    environment = tree.get("environment") or {}
    return Source(name, "json report", [SourceCell(labels, [row])], {"": environment}, notes)
