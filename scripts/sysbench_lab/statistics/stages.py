# SPDX-License-Identifier: GPL-2.0-or-later
"""The stages of a rate that changes, over the repeats of a cell.

    merged(reports, seed)    the stages of a cell, of its runs that count, with medians

A stage has the figures of a run, read where it began and ended, so they have the names of runs.csv;
`tps` is what was achieved in it, `target_tps` the mean of what was planned.  Runs are put together
stage by stage, by number; one that ended early lacks the later ones.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Mapping, Sequence

from ..plan.model import Row, Spread
from ..results import figures
from . import stats

Report = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Stage:
    """A stage of a cell.  `judged` runs offered something in it; `held` of them sustained it."""

    number: int
    text: str  # as in --tx-rate: 500-2000:5m
    begin_s: float  # as planned
    runs: int
    held: int
    judged: int
    why: str  # of the first run that did not sustain it
    figures: Mapping[str, Spread]

    @property
    def sustained(self) -> bool:
        """As of a cell: most runs sustained it, or nothing was due."""
        return not self.judged or 2 * self.held > self.judged


def merged(reports: Iterable[Report], seed: int) -> list[Stage]:
    """By number; empty if the rate does not change."""
    by_number: dict[int, list[Report]] = {}
    for report in reports:
        for stage in report.get("stages") or []:
            by_number.setdefault(int(stage["number"]), []).append(stage)
    return [one(number, found, seed) for number, found in sorted(by_number.items())]


def one(number: int, found: Sequence[Report], seed: int) -> Stage:
    rows: list[Row] = [figures.of_section(s["figures"]) for s in found]
    judged = [s for s in found if s["sustained"] is not None]
    return Stage(
        number,
        str(found[0]["text"]),
        float(found[0]["planned_begin_s"]),
        len(found),
        sum(bool(s["sustained"]) for s in judged),
        len(judged),
        next((str(s["why"]) for s in judged if not s["sustained"] and s["why"]), ""),
        stats.spreads(rows, seed),
    )


def name(stage: Stage) -> str:
    """On an axis: "2: 500-2000:5m"."""
    return "%d: %s" % (stage.number, stage.text)
