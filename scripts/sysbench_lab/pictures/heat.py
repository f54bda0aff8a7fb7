# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency over time as a heat map: time to the right, latency up, darker means more transactions.

A picture a level of the numeric factor, in it a panel an arm.  The source is report.hlog of each
run, an HdrHistogram log with every sample of every interval; without it there is no heat map.  The
intervals of the runs that count are added by their number.  Rows are a sixteenth of a decade high,
and the colour is logarithmic, so that one slow transaction among a thousand is still seen.
"""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any, NamedTuple, Sequence

from .. import LabError
from ..plan import labels
from ..plan.model import CellSummary
from ..results import hlog
from ..statistics import stats
from ..statistics.results import Results
from . import percentiles, style
from .style import Drawing

MOST = 3  # levels that are drawn
ROWS = 16  # a decade
FILE = "report.hlog"


class Map(NamedTuple):
    """Samples by interval and row; a row is the tenth power of row / ROWS in ms."""

    edges_s: list[float]
    counts: dict[tuple[int, int], int]
    runs: int  # that were added


def draw(results: Results) -> list[Drawing]:
    found = []
    for level, cells in percentiles.chosen(results.exp.x, results.summaries, MOST).items():
        maps = [(s, merged(logs_of(results, s))) for s in cells]
        kept = [(s, m) for s, m in maps if m.counts]
        if kept:
            found.append(picture(results, level, kept))
    return found


def logs_of(results: Results, summary: CellSummary) -> list[list[hlog.Interval]]:
    """The logs of the runs that count; a run without one, or with a damaged one, is left out."""
    rows = [r for r in results.rows if r["cell"] == summary.cell.number]
    logs = []
    for row in stats.counting(rows)[0]:
        with contextlib.suppress(OSError, LabError):
            logs.append(hlog.read(os.path.join(results.folder, results.run_path(row), FILE)))
    return logs


def merged(logs: Sequence[Sequence[hlog.Interval]]) -> Map:
    longest = max(logs, key=len, default=[])
    counts: dict[tuple[int, int], int] = {}
    for log in logs:
        for column, interval in enumerate(log):
            for ns, n in interval.counts.items():
                place = column, row_of(ns)
                counts[place] = counts.get(place, 0) + n
    edges = [i.begin_s for i in longest] + [i.begin_s + i.length_s for i in longest[-1:]]
    return Map(edges, counts, len(logs))


def row_of(ns: int) -> int:
    return math.floor(ROWS * math.log10(max(ns, 1) / 1e6))


def picture(results: Results, level: str, maps: Sequence[tuple[CellSummary, Map]]) -> Drawing:
    where = labels.level_text(results.exp.x, level) if level else ""
    title = "Response time over time" + (", " + where if where else "")
    figure, axes = style.panels(title, len(maps), 2.0)
    rows = [row for _, m in maps for _, row in m.counts]
    top = max(n for _, m in maps for n in m.counts.values())
    mesh = None
    for ax, (s, m) in zip(axes, maps):
        style.head(ax, head_of(s, m))
        mesh = panel(ax, m, min(rows), max(rows) + 1, top)
    style.seconds(axes[-1], max(m.edges_s[-1] for _, m in maps))
    bar = figure.colorbar(mesh, ax=axes, aspect=30, pad=0.02)
    bar.set_label("transactions")
    bar.ax.yaxis.set_major_formatter(lambda v, _: "%g" % v)
    bar.ax.yaxis.set_minor_formatter("")
    file = "heat-map" + ("-" + level if level else "")
    return Drawing(file, title, alt(title, maps), figure)


def head_of(s: CellSummary, m: Map) -> str:
    """The arm and the unit, and what a reader must know of the runs."""
    part = "%d of %d runs" % (m.runs, s.counted) if m.runs < s.counted else ""
    return ", ".join(filter(None, (s.arm, "ms", part, "" if s.held else "the rate was not held")))


def panel(ax: Any, m: Map, low: int, high: int, top: int) -> Any:
    import numpy
    from matplotlib.colors import LogNorm

    grid = numpy.full((high - low, len(m.edges_s) - 1), numpy.nan)
    for (column, row), n in m.counts.items():
        grid[row - low, column] = n
    edges = [10 ** (row / ROWS) for row in range(low, high + 1)]
    mesh = ax.pcolormesh(
        m.edges_s, edges, grid, norm=LogNorm(1, max(top, 2)), cmap="cividis_r", rasterized=True
    )
    ax.grid(False)
    style.plain_y(ax, edges, True)
    return mesh


def alt(title: str, maps: Sequence[tuple[CellSummary, Map]]) -> str:
    parts = []
    for s, m in maps:
        rows = [row for _, row in m.counts]
        low, high = (labels.short(10 ** (row / ROWS)) for row in (min(rows), max(rows) + 1))
        total = sum(m.counts.values())
        parts.append("%s: %d transactions, %s to %s ms." % (s.arm or "all", total, low, high))
    return "%s as a heat map. %s" % (title, " ".join(parts))
