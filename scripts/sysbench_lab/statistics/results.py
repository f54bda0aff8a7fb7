# SPDX-License-Identifier: GPL-2.0-or-later
"""A directory of results with all that follows from it: what tables, pictures, the page and compare
are made of."""

import contextlib
import os
from typing import Any

from .. import LabError
from ..plan import found_rate
from ..plan.model import Cell, CellSummary, Row
from ..results import hlog
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

    def counting(self, s: CellSummary) -> list[Row]:
        """The runs of a cell that its medians are made of."""
        return stats.counting([r for r in self.rows if r["cell"] == s.cell.number])[0]

    def reports(self, s: CellSummary) -> list[dict[str, Any]]:
        """The reports that they left."""
        return [report for row in self.counting(s) if (report := self.report(row))]

    def heat(self, s: CellSummary) -> hlog.Map:
        """Their logs, added up; a run without one, or with a damaged one, is left out."""
        logs = []
        for row in self.counting(s):
            with contextlib.suppress(OSError, LabError):
                logs.append(hlog.read(os.path.join(self.folder, self.run_path(row), hlog.FILE)))
        return hlog.merged(logs)

    def cell_of(self, row: Row) -> Cell:
        return self.plan.cells[int(row["cell"])]

    def sheets(self) -> list[Table]:
        """The tables that stand below that of the cells."""
        parts = (breakdown.sheet_of(self.exp, one) for one in self.breakdowns)
        return [*changes.sheets_of(self.changes), *parts]
