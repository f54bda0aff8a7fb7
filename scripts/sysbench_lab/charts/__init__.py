# SPDX-License-Identifier: GPL-2.0-or-later
"""What is in each chart, as plain data: pictures/ draws it with matplotlib, page/ with Chart.js.

    places.py      figures of the cells over the axis, or of arms side by side; changes; CPU; what a
                   transaction consists of; load hosts
    happened.py    what happened in runs: timelines, sessions, outages, stages of a rate, searches;
                   latency by percentile
    front.py       a run over time, as a small SVG of its own
    this file      what they share

A chart has panels below each other.  A panel is a spec as page/chart.js explains it, in words that
JSON has, and these:

    figure    what it shows, for those who choose a panel;  head: the same as a heading, with unit
    meaning   a sentence on it
    gaps      x, x2: where nothing is known, hatched;  begins: numbers of points without a figure
              of their own: where that of the next one begins
    numbered  its marks have numbers;  listed, of the chart, has their texts
    bands     x, x2, text, held: every other one is shaded, and has its name above
    series    xs and ys in place of points, where there are many;  steps: a value holds from the end
              of the interval before;  thin;  apart: of a run that does not count
    points    ring: around it

A colour is the number of an arm, or one of LOOKS.  DASHED more is the same one, dashed; PLANNED is
that of what was asked for.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Callable, Iterable, Iterator, Sequence, TypeVar

from ..plan import labels
from ..plan.model import CellSummary, Row, Spread, by
from ..results import figures
from ..statistics import answer, stats
from ..statistics.results import Results

DASHED, PLANNED = 8, 15
# What time went to has the same looks in all charts: a colour, and whether it is pale or hatched.
# Neighbours differ for any colour vision.
LOOKS = {
    "lag_mean": (4, 1), "on_cpu": (2, 0), "cpu": (2, 0), "cpu_wait": (2, 1), "row_lock": (1, 0),
    "lock": (1, 1), "io": (5, 0), "log": (0, 0), "latch": (7, 0), "net_wait": (3, 1),
    "client": (3, 1), "other_wait": (6, 0), "other": (6, 0), "rest": (PLANNED, 1),
}  # fmt: skip
WIDE = 8  # times from the least to the most, from which on an axis is logarithmic

Spec = dict[str, Any]
T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Chart:
    """`kind`: where on the page it is; `name`: of its file; `level`: of the axis, if it has one."""

    kind: str
    name: str
    title: str
    panels: Sequence[Spec]
    level: str = ""
    listed: Sequence[str] = ()
    notes: Sequence[tuple[str, str]] = ()  # what the legend says besides, and its mark
    alt: str = ""  # in words; "": all of its points
    below: Sequence[str] = ()  # sentences for the page
    hollow: str = "the rate was not held"


def rounded(value: float, digits: int = 5) -> float:
    return float("%.*g" % (digits, value))


def is_wide(values: Iterable[float], times: float = WIDE) -> bool:
    known = [v for v in values if v is not None]
    return bool(known) and min(known) > 0 and max(known) / min(known) >= times


def y_axis(name: str, values: Iterable[float], log: bool = False) -> Spec:
    """From zero; latencies far apart have a logarithmic one."""
    about = figures.column(name)
    scale = scale_of(values, log or name.endswith("_ms"))
    return {"title": about.title, "unit": unit_of(name), "decimals": about.decimals, **scale}


def scale_of(values: Iterable[float], log: bool = True) -> Spec:
    return {"scale": "log"} if log and is_wide(values) else {"scale": "linear", "zero": True}


def unit_of(name: str) -> str:
    return figures.column(name).unit.replace("us", "µs")


def of_figure(name: str) -> Spec:
    return {
        "figure": name,
        "head": figures.headed(name),
        "meaning": labels.capital(figures.column(name).meaning) + ".",
    }


def point(x: Any, spread: Spread, hollow: bool, few: str = "", note: str = "") -> Spec:
    """Without an interval it is alone: no line leads to it."""
    found: Spec = {"x": x, "y": spread.median}
    if spread.n > 1:
        found.update(min=spread.min, max=spread.max)
    if spread.n >= stats.LEAST:
        found.update(low=spread.low, high=spread.high)
    note = ("Of" + figures.FEW[4:] + ". " + note).strip() if few else note
    more = {"alone": spread.n < stats.LEAST, "hollow": hollow, "few": bool(few), "note": note}
    return {**found, **{k: v for k, v in more.items() if v}}


def points_of(series: Spec) -> list[Spec]:
    if "xs" in series:
        return [{"x": x, "y": y} for x, y in zip(series["xs"], series["ys"])]
    return list(series["points"])


class Frame:
    """The cells of an experiment in the order of its levels, and how they are called."""

    def __init__(self, results: Results) -> None:
        self.results, self.exp = results, results.exp
        self.cells = [s for s in labels.in_order(results.exp, results.summaries) if s.runs]
        self.arms = labels.arm_names(results.summaries)
        self.counted = {int(r["run"]) for s in self.cells for r in results.counting(s)}
        self.has_axis = labels.has_axis(self.exp, (s for s in self.cells if s.counted))
        self.crossings = answer.crossings(self.exp, results.summaries)
        # other workloads have other figures: where they vary, each has a panel
        self.work = labels.work_factor(self.exp) if self.has_axis else ""
        works = [s.cell.levels[self.work] for s in self.cells if self.work]
        self.works = list(dict.fromkeys(works)) or [""]
        self.lines = list(dict.fromkeys(map(self.line, self.cells)))

    @staticmethod
    def spent(figure: str, name: str) -> Spec:
        """A series of what time went to, as yet without points."""
        colour, shade = LOOKS[re.sub("^sessions_|_us_per_tx$|_ms$", "", figure)]
        return {"name": name, "stack": "all", "colour": colour, "shade": shade}

    def line(self, s: CellSummary) -> str:
        """What an arm is called; in all panels alike."""
        arm = labels.levels_text(s.cell, self.exp.x, self.work) if self.work else s.arm
        return labels.arm_title(arm, self.exp)

    def colour(self, s: CellSummary) -> int:
        return self.lines.index(self.line(s)) if self.work else self.arms.index(s.arm)

    def name(self, s: CellSummary) -> str:
        return labels.arm_title(s.arm, self.exp)

    def apart(self, row: Row) -> str:
        """What is said of a run that does not count."""
        return "" if row["run"] in self.counted else ", does not count"

    def levels(self) -> dict[str, list[CellSummary]]:
        """The cells of each level of the axis; all in one without it."""
        cells = sorted(self.cells, key=lambda s: labels.x_of(self.exp, s.cell) or 0)
        return by(cells, lambda s: s.cell.levels.get(self.exp.x, ""))

    def by_level(
        self, of: Callable[[CellSummary], T | None]
    ) -> Iterator[tuple[str, str, str, list[tuple[CellSummary, T]]]]:
        """Of each level with something to draw: the level, how titles and names of files end."""
        for level, cells in self.levels().items():
            if known := [(s, found) for s in cells if (found := of(s))]:
                end = ", " + labels.level_text(self.exp.x, level) if level else ""
                yield level, end, "-" * bool(end) + labels.slug(end), known

    def place(self, s: CellSummary) -> Any:
        """Where a cell is on the horizontal axis; without one, its arm."""
        return labels.x_of(self.exp, s.cell) if self.has_axis else self.name(s)


def about(row: Row) -> str:
    """What is wrong with a run, as sentences."""
    found = []
    if row.get("status") != "done":
        found.append("Failed: %s." % (row.get("why") or "no reason is known"))
    elif row.get("sustained") == "no":
        found.append("Rate not held: %s." % (row.get("why") or "no reason is known"))
    if row.get("disturbed"):
        found.append("Disturbed: %s." % row["disturbed"])
    if what := stats.beside(row):
        found.append(labels.capital(what) + ".")
    return " ".join(found)
