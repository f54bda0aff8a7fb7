# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of a results folder that are drawn from its rows; they can be written again at will.

summary.json                 sentences, cells with the spread of each figure, what marks changed,
                             differences
table.csv                    the same cells in long form: one line a cell and figure
environment-difference.txt   in what the servers of the arms differ
ranks.csv                    of runs over several load hosts: a line a rank and run
"""

import dataclasses
import math
import os
from typing import Any

from ..plan.model import CellSummary, Spread
from ..results import figures, results_dir
from . import breakdown, changes, environment, rank_rows
from .results import Results

SPREAD = ("n", "median", "min", "max", "low", "high")


def write(results: Results) -> None:
    """Write the files into the folder of the results."""
    path = results.folder
    results_dir.write_json(os.path.join(path, "summary.json"), tree(results))
    names = [factor.name for factor in results.exp.factors]
    head = ["cell", *names, "runs", "counted", "flag", "figure", "unit", *SPREAD]
    lines = [results_dir.csv_line(head)]
    for s in results.summaries:
        left = [s.cell.number, *(s.cell.levels[n] for n in names), s.runs, s.counted, s.flag]
        for name, spread in s.figures.items():
            right = [name, figures.column(name).unit, *(getattr(spread, k) for k in SPREAD)]
            lines.append(results_dir.csv_line(map(results_dir.text_of, left + right)))
    results_dir.write_file(os.path.join(path, "table.csv"), "".join(lines))
    text = environment.as_text(results.differences)
    results_dir.write_file(os.path.join(path, "environment-difference.txt"), text)
    ranks = rank_rows.csv(results)
    if ranks:
        results_dir.write_file(os.path.join(path, "ranks.csv"), ranks)


def tree(results: Results) -> dict[str, Any]:
    return {
        "format": results.tree["format"],
        "name": results.exp.name,
        "title": results.exp.title,
        "state": results.state,
        "found_rate": results.exp.found or None,
        "sentences": results.sentences,
        "cells": [cell_tree(s) for s in results.summaries],
        "changes": changes.tree(results.changes, spread_tree),
        "breakdowns": breakdown.tree(results.breakdowns, spread_tree),
        "environment_differences": {d.key: d.values for d in results.differences},
    }


def cell_tree(s: CellSummary) -> dict[str, Any]:
    names = ("runs", "counted", "sustained", "unsustained", "held", "flag", "why")
    return {
        "cell": s.cell.number,
        "arm": s.arm,
        "levels": dict(s.cell.levels),
        **{name: getattr(s, name) for name in names},
        "figures": {name: spread_tree(v) for name, v in s.figures.items()},
    }


def spread_tree(spread: Spread) -> dict[str, Any]:
    """JSON has no infinity."""
    found = dataclasses.asdict(spread)
    return {
        k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in found.items()
    }
