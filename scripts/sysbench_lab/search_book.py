# SPDX-License-Identifier: GPL-2.0-or-later
"""The book of a search: its plan grows by a cell and a run for each rate that is tried.

The results folder is one like any other, with the rate as one more factor, so that tables,
pictures and compare read it.  search.json beside it has what only a search knows:

    {"objective": "p99<20ms", "short_s": 8, "long_s": 30,
     "flat_out": {"0": 2410.5},                                 by number of the experiment's cell
     "asked": [{"of": 0, "rate": 1810, "long": false, "run": 1}],
     "found": [{"of": 0, "levels": {...}, "rate": 1770, "sentence": "..."}]}

A search asks the same rates when it gets the same answers.  One that is resumed begins again, and
takes the answers that are in the book from there (recall).
"""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Mapping

from . import LabError
from .model import Cell, Experiment, Factor, Level, Plan, PlannedRun, Row

NAME = "search.json"
RATE = "tx-rate"  # the factor
SETTING = "load.tx-rate"


def is_search(folder: str) -> bool:
    """Do the results in a folder belong to a search?"""
    return os.path.exists(os.path.join(folder, NAME))


def sentences(folder: str) -> list[str]:
    """The answers of a search; none if the results are not of one, or it has none yet."""
    try:
        return [str(found["sentence"]) for found in read(folder).get("found", [])]
    except (KeyError, TypeError, AttributeError) as e:
        raise LabError("%s is damaged: %s" % (os.path.join(folder, NAME), e)) from e


def read(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, NAME)
    try:
        with open(path, encoding="utf-8") as f:
            return dict(json.load(f))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as e:
        raise LabError("%s is damaged: %s" % (path, e)) from e


def without_rate(exp: Experiment) -> Experiment:
    """The experiment that was asked for, also when its search is resumed."""
    factors = tuple(f for f in exp.factors if f.name != RATE)
    return dataclasses.replace(exp, factors=factors, x="")


class SearchBook:
    """The book and search.json of one search."""

    def __init__(self, book: Any, exp: Experiment, times: Mapping[str, float]) -> None:
        self.book = book
        self.exp = exp  # without the rate
        self.tree: dict[str, Any] = {
            "objective": exp.measure.objective,
            **times,
            "flat_out": {},
            "asked": [],
            "found": [],
            **read(book.folder),
        }
        self.cells: list[Cell] = []
        self.runs: list[PlannedRun] = []
        if self.tree["asked"]:
            self.cells = list(book.plan.cells)
            self.runs = list(book.plan.runs)
        self.turned: set[int] = set()  # runs that were recalled

    def save(self) -> None:
        from .book import write_json

        write_json(os.path.join(self.book.folder, NAME), self.tree)

    def recall(self, of: int, rate: float, long: bool) -> Row | None:
        """The row of a run that a search which is resumed has made already."""
        rows = {row["run"]: row for row in self.book.rows()}
        for asked in self.tree["asked"]:
            number = asked["run"]
            if number in self.turned or number not in rows:
                continue
            if (asked["of"], asked["rate"], asked["long"]) == (of, rate, long):
                self.turned.add(number)
                return dict(rows[number])
        return None

    def plan_run(self, of: Cell, rate: float, long: bool) -> tuple[PlannedRun, Cell]:
        """One more run; also the one that was interrupted."""
        cell = self.cell_of(of, rate)
        wanted = {"of": of.number, "rate": rate, "long": long}
        asked = {a["run"] for a in self.tree["asked"] if wanted.items() <= a.items()}
        open_runs = [r for r in self.book.missing() if r.number in asked and r in self.runs]
        if open_runs:
            return open_runs[0], cell
        turn = 1 + sum(1 for r in self.runs if r.cell == cell.number)
        run = PlannedRun(len(self.runs) + 1, turn, cell.number)
        self.runs.append(run)
        self.tree["asked"].append({"of": of.number, "rate": rate, "long": long, "run": run.number})
        self.grow()
        self.save()
        return run, cell

    def cell_of(self, of: Cell, rate: float) -> Cell:
        levels = {**of.levels, RATE: level_name(rate)}
        for cell in self.cells:
            if dict(cell.levels) == levels:
                return cell
        self.cells.append(Cell(len(self.cells), levels, {**of.settings, SETTING: rate}))
        return self.cells[-1]

    def grow(self) -> None:
        rates = sorted({float(c.levels[RATE]) for c in self.cells})
        levels = tuple(Level(level_name(r), {SETTING: r}) for r in rates)
        exp = dataclasses.replace(
            self.exp, factors=(*self.exp.factors, Factor(RATE, levels, True)), x=RATE
        )
        self.book.replan(exp, Plan(tuple(self.cells), tuple(self.runs), 0.0))


def level_name(rate: float) -> str:
    return "%.10g" % rate
