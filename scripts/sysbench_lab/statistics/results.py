# SPDX-License-Identifier: GPL-2.0-or-later
"""A directory of results with all that follows from it: what tables, pictures, the page and compare
are made of."""

import contextlib
import dataclasses
import math
import os
from typing import Any

from .. import LabError
from ..plan import found_rate, plan
from ..plan.model import Cell, CellSummary, Experiment, Row, Spread
from ..results import figures, results_dir, series
from ..results.results_dir import ResultsDir
from ..results.sheets import Table
from . import answer, breakdown, budget, changes, environment, rank_rows, stats


class Results(ResultsDir):
    def __init__(self, directory: str) -> None:
        super().__init__(directory)
        rows = [{**row, "why": stats.advised(self.exp, row)} for row in self.rows]
        self.rows = figures.unwatched(rows)
        arms = environment.with_settings(self.exp, self.plan, self.environment)
        self.differences = environment.differences(arms)
        self.summaries = stats.summarise(self.exp, self.plan, self.rows)
        self.changes = changes.of_results(self, self.summaries)
        self.breakdowns = breakdown.of_results(self, self.summaries)
        self.budgets = budget.of_results(self, self.summaries)
        # The knees stand before the last sentence, which says how certain all of it is.
        waits = breakdown.sentences(self.exp, self.breakdowns)
        found = changes.sentences(self.changes), waits + budget.sentences(self.exp, self.budgets)
        self.sentences = answer.sentences(self.exp, self.summaries, *found)
        self.sentences[-1:-1] = answer.knee_sentences(self.exp, self.summaries)
        self.sentences[-1:-1] = filter(None, [found_rate.sentence(self.exp)])
        self.sentences[-1:-1] = self.resumed()
        self.sentences[-1:-1] = filter(None, [plan.shared_starts(self.exp, self.plan)])

    def resumed(self) -> list[str]:
        """Where it went on with another setup, a sentence each."""
        found, runs = [], len(self.plan.runs)
        for one in self.tree.get("resumed") or ():
            pairs = ("%s %s, then %s" % (name, *pair) for name, pair in one["differs"].items())
            text = "After %d of %d runs something else was measured (resume --anyway): %s"
            found.append(text % (one["after_runs"], runs, "; ".join(pairs)))
        return found

    def counting(self, s: CellSummary) -> list[Row]:
        """The runs of a cell that its medians are made of; costs are of disturbed ones, too."""
        rows = [r for r in self.rows if r["cell"] == s.cell.number]
        return stats.counting(rows, self.exp.measure.exclude_disturbed)[0]

    def reports(self, s: CellSummary) -> list[dict[str, Any]]:
        """The reports that they left."""
        return [report for row in self.counting(s) if (report := self.report(row))]

    def stages(self, s: CellSummary) -> list[stats.Stage]:
        """Their stages, if the rate changes."""
        return stats.merged_stages(self.reports(s), self.exp.measure.seed)

    def heat(self, s: CellSummary) -> series.Map:
        """Their logs, added up; a run without one, or with a damaged one, is left out."""
        logs = []
        for row in self.counting(s):
            path = os.path.join(self.directory, self.run_path(row), series.FILE)
            with contextlib.suppress(OSError, LabError):
                logs.append(series.read(path))
        return series.merged_logs(logs)

    def cell_of(self, row: Row) -> Cell:
        return self.plan.cells[int(row["cell"])]

    def sheets(self) -> list[Table]:
        """The tables that stand below that of the cells."""
        parts = (breakdown.sheet_of(self.exp, one) for one in self.breakdowns)
        time = [budget.sheet_of(self.budgets)] if self.budgets else []
        return [*changes.sheets_of(self.changes), *time, *parts]


# ---- The files of a results directory that are drawn from its rows; they can be written again at
# will

# summary.json                 sentences, cells with the spread of each figure, what marks changed,
#                              differences
# table.csv                    the same cells in long form: one line a cell and figure
# environment-difference.txt   in what the servers of the arms differ
# ranks.csv                    of runs over several load hosts: a line a rank and run


SPREAD = ("n", "median", "min", "max", "low", "high")


def write(results: Results) -> None:
    """Write the files into the directory of the results."""
    path = results.directory
    results_dir.write_json(os.path.join(path, "summary.json"), tree(results))
    names = [factor.name for factor in results.exp.factors]
    head = ["cell", *names, "runs", "counted", "flag", "figure", "unit", *SPREAD]
    lines = [results_dir.csv_line(head)]
    for s in results.summaries:
        left = [s.cell.number, *(s.cell.levels[n] for n in names), s.runs, s.counted, s.flag]
        for name, spread in s.figures.items():
            right = [name, figures.column(name).unit, *(getattr(spread, k) for k in SPREAD)]
            lines.append(results_dir.csv_line(left + right))
    results_dir.write_file(os.path.join(path, "table.csv"), "".join(lines))
    text = environment.as_text(results.differences)
    results_dir.write_file(os.path.join(path, "environment-difference.txt"), text)
    if ranks := rank_rows.csv(results):
        results_dir.write_file(os.path.join(path, "ranks.csv"), ranks)


def tree(results: Results) -> dict[str, Any]:
    return {
        "format": results.tree["format"],
        "name": results.exp.name,
        "title": results.exp.title,
        "state": results.state,
        "found_rate": results.exp.found or None,
        "sentences": results.sentences,
        "cells": [cell_tree(results.exp, s) for s in results.summaries],
        "contrasts": contrast_trees(results),
        "changes": changes.tree(results.changes, spread_tree),
        "breakdowns": breakdown.tree(results.breakdowns, spread_tree),
        "environment_differences": {d.key: d.values for d in results.differences},
    }


def cell_tree(exp: Experiment, s: CellSummary) -> dict[str, Any]:
    names = ("runs", "counted", "sustained", "unsustained", "held", "flag", "why")
    return {
        "cell": s.cell.number,
        "arm": s.arm,
        "levels": dict(s.cell.levels),
        **{name: getattr(s, name) for name in names},
        "figures": {name: spread_tree(v) for name, v in s.figures.items()},
    }


def contrast_trees(results: Results) -> list[dict[str, Any]]:
    """What the first sentences are made of."""
    compared = answer.measured_of(results.exp, results.summaries)
    names = {(c.factor, c.other): c for c in compared}
    found = []
    for (factor, level, figure), one in answer.over_all(results.exp, compared).items():
        e, change = one.estimate, one.effect(figure)
        found.append({
            "name": names[factor, level].name, "factor": factor, "level": level,
            "base": names[factor, level].base, "figure": figure,
            "ratio": change.ratio, "low": change.low, "high": change.high, "stated": one.clear,
            "chance": e.chance, "judged_at": one.level, "could_have_seen": one.seen(),
            "rounds": e.rounds, "places": e.places, "adjusted": e.adjusted,
        })  # fmt: skip
    return found


def spread_tree(spread: Spread) -> dict[str, Any]:
    """JSON has no infinity."""
    found = dataclasses.asdict(spread).items()
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in found}
