# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency over time as a heat map: time to the right, latency up, darker: more transactions.

A picture a level of the axis, in it a panel an arm.  The source is report.hlog of each run, an
HdrHistogram log with every sample of every interval; without it there is no heat map.  The
intervals of the runs that count are added by their number.  Rows are a sixteenth of a decade high,
and the colour is logarithmic, so that one slow transaction among a thousand is still seen.
"""

from __future__ import annotations

from typing import Sequence

import numpy
from matplotlib.colors import LogNorm

from ..charts import Frame, is_wide
from ..plan import labels
from ..plan.model import CellSummary
from ..results.series import ROWS, Map
from . import style
from .style import Drawing


def draw(frame: Frame, chosen: Sequence[str]) -> list[Drawing]:
    def heat(s: CellSummary) -> Map | None:
        wanted = s.counted and s.cell.levels.get(frame.exp.x, "") in chosen
        many = frame.results.heat(s) if wanted else None
        return many if many and many.counts else None

    return [picture(words, file, maps) for _, words, file, maps in frame.by_level(heat)]


def picture(words: str, file: str, maps: Sequence[tuple[CellSummary, Map]]) -> Drawing:
    title = "Response time over time" + words
    figure, axes = style.panels(title, [head_of(s, m) for s, m in maps], 2.0)
    rows = [row for _, m in maps for _, row in m.counts]
    low, high = min(rows), max(rows) + 1
    edges = [10 ** (row / ROWS) for row in range(low, high + 1)]
    norm = LogNorm(1, max(2, *(n for _, m in maps for n in m.counts.values())))
    said = [title + " as a heat map."]
    for ax, (s, m) in zip(axes, maps):
        grid = numpy.full((high - low, len(m.edges_s) - 1), numpy.nan)
        for (column, row), n in m.counts.items():
            grid[row - low, column] = n
        look = {"norm": norm, "cmap": "cividis_r", "rasterized": True}
        mesh = ax.pcolormesh(m.edges_s, edges, grid, **look)
        ax.grid(False)
        style.plain_y(ax, edges, is_wide(edges))
        mine = [row for _, row in m.counts]
        least, most = (labels.short(10 ** (row / ROWS)) for row in (min(mine), max(mine) + 1))
        what = s.arm or "all", sum(m.counts.values()), least, most
        said.append("%s: %d transactions, %s to %s ms." % what)
    style.seconds(axes[-1], 0, max(m.edges_s[-1] for _, m in maps))
    bar = figure.colorbar(mesh, ax=axes, aspect=30, pad=0.02)
    bar.set_label("transactions")
    bar.ax.yaxis.set_major_formatter(lambda v, _: "%g" % v)
    bar.ax.yaxis.set_minor_formatter("")
    return Drawing("heat-map" + file, title, " ".join(said), figure)


def head_of(s: CellSummary, m: Map) -> str:
    """The arm and the unit, and what a reader must know of the runs."""
    part = "%d of %d runs" % (m.runs, s.counted) if m.runs < s.counted else ""
    return ", ".join(filter(None, (s.arm, "ms", part, "" if s.held else "the rate was not held")))
