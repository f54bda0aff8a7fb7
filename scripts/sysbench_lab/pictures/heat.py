# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency over time as a heat map: time to the right, latency up, darker means more transactions.

A picture a level of the numeric factor, in it a panel an arm.  The source is report.hlog of each
run, an HdrHistogram log with every sample of every interval; without it there is no heat map.  The
intervals of the runs that count are added by their number.  Rows are a sixteenth of a decade high,
and the colour is logarithmic, so that one slow transaction among a thousand is still seen.
"""

from typing import Any, Sequence

import numpy
from matplotlib.colors import LogNorm

from ..plan import labels
from ..plan.model import CellSummary
from ..results.hlog import ROWS, Map
from ..statistics.results import Results
from . import style
from .style import Drawing, Of

MOST = 3  # levels that are drawn


def draw(results: Results) -> list[Drawing]:
    found = style.by_level(results, lambda s: m if (m := results.heat(s)).counts else None, MOST)
    return [picture(*level) for level in found]


def picture(words: str, file: str, maps: Sequence[Of[Map]]) -> Drawing:
    title = "Response time over time" + words
    figure, axes = style.panels(title, len(maps), 2.0)
    rows = [row for _, _, m in maps for _, row in m.counts]
    top = max(n for _, _, m in maps for n in m.counts.values())
    for ax, (_, s, m) in zip(axes, maps):
        style.head(ax, head_of(s, m))
        mesh = panel(ax, m, min(rows), max(rows) + 1, top)
    style.seconds(axes[-1], max(m.edges_s[-1] for _, _, m in maps))
    bar = figure.colorbar(mesh, ax=axes, aspect=30, pad=0.02)
    bar.set_label("transactions")
    bar.ax.yaxis.set_major_formatter(lambda v, _: "%g" % v)
    bar.ax.yaxis.set_minor_formatter("")
    return Drawing("heat-map" + file, title, alt(title, maps), figure)


def head_of(s: CellSummary, m: Map) -> str:
    """The arm and the unit, and what a reader must know of the runs."""
    part = "%d of %d runs" % (m.runs, s.counted) if m.runs < s.counted else ""
    return ", ".join(filter(None, (s.arm, "ms", part, "" if s.held else "the rate was not held")))


def panel(ax: Any, m: Map, low: int, high: int, top: int) -> Any:

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


def alt(title: str, maps: Sequence[Of[Map]]) -> str:
    parts = []
    for _, s, m in maps:
        rows = [row for _, row in m.counts]
        low, high = (labels.short(10 ** (row / ROWS)) for row in (min(rows), max(rows) + 1))
        total = sum(m.counts.values())
        parts.append("%s: %d transactions, %s to %s ms." % (s.arm or "all", total, low, high))
    return "%s as a heat map. %s" % (title, " ".join(parts))
