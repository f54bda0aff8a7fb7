# SPDX-License-Identifier: GPL-2.0-or-later
"""A directory of results with all that follows from it: what tables, pictures, the page and compare
are made of."""

from __future__ import annotations

from ..plan import found_rate
from ..results.results_dir import ResultsDir
from ..results.sheets import Table
from . import answer, breakdown, changes, environment, knee, stats


class Results(ResultsDir):
    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.rows = [{**row, "why": stats.advised(self.exp, row)} for row in self.rows]
        arms = environment.with_settings(self.exp, self.plan, self.environment)
        self.differences = environment.differences(arms)
        self.summaries = stats.summarise(self.exp, self.plan, self.rows)
        self.changes = changes.of_results(self, self.summaries)
        self.breakdowns = breakdown.of_results(self, self.summaries)
        # The knees stand before the last sentence, which says how certain all of it is.
        found = changes.sentences(self.changes), breakdown.sentences(self.exp, self.breakdowns)
        self.sentences = answer.sentences(self.exp, self.summaries, *found)
        self.sentences[-1:-1] = knee.knee_sentences(self.exp, self.summaries)
        self.sentences[-1:-1] = filter(None, [found_rate.sentence(self.exp)])

    def sheets(self) -> list[Table]:
        """The tables that stand below that of the cells."""
        parts = breakdown.sheets_of(self.exp, self.breakdowns)
        return [*changes.sheets_of(self.changes), *parts]
