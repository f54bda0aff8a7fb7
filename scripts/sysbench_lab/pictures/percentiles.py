# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency by percentile, on the axis of HdrHistogram: each nine has the same width.

A panel a level of the numeric factor, a line an arm.  The histograms of the runs that count are
added bucket by bucket, and percentiles are those of the sum; nothing is averaged.  A line of a
cell that did not hold the rate is dashed.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

from ..plan import labels
from ..plan.model import CellSummary
from ..results import series
from ..statistics import stats
from ..statistics.results import Results
from . import style
from .style import Drawing

MOST = 4  # levels that are drawn
NAMED = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)

Curve = list[tuple[float, float]]


def draw(results: Results) -> list[Drawing]:
    found: dict[str, list[tuple[CellSummary, Curve]]] = {}
    for level, cells in chosen(results.exp.x, results.summaries).items():
        curves = [(s, curve_of(results, s)) for s in cells]
        if any(curve for _, curve in curves):
            found[level] = [(s, curve) for s, curve in curves if curve]
    return [picture(results, found)] if found else []


def chosen(
    x: str, summaries: Sequence[CellSummary], most: int = MOST
) -> dict[str, list[CellSummary]]:
    """Cells by level: the first, the last and some between; all in one without a numeric factor."""
    by_level: dict[str, list[CellSummary]] = {}
    for s in summaries:
        if s.counted:
            by_level.setdefault(s.cell.levels.get(x, ""), []).append(s)
    names = sorted(by_level, key=lambda n: labels.number_of(n) or 0)
    if len(names) > most:
        places = {round(i * (len(names) - 1) / (most - 1)) for i in range(most)}
        names = [n for i, n in enumerate(names) if i in places]
    return {n: by_level[n] for n in names}


def reports_of(results: Results, summary: CellSummary) -> list[dict[str, Any]]:
    """The reports of the runs that count."""
    rows = [r for r in results.rows if r["cell"] == summary.cell.number]
    found = (results.report(row) for row in stats.counting(rows)[0])
    return [report for report in found if report]


def curve_of(results: Results, summary: CellSummary) -> Curve:
    merged = series.merged(reports_of(results, summary))
    return series.curve(merged) if merged else []


def nines(share: float, least: float) -> float:
    """Where a share stands on the axis: 0.9 at 1, 0.99 at 2; the last sample at the edge."""
    return -math.log10(max(1 - share, least))


def picture(results: Results, found: dict[str, list[tuple[CellSummary, Curve]]]) -> Drawing:
    title = "Response time by percentile"
    height = 2.9 if len(found) == 1 else 1.75
    figure, axes = style.panels(title, len(found), height)
    arms = labels.arm_names(results.summaries)
    for ax, (level, lines) in zip(axes, found.items()):
        where = ", " + labels.level_text(results.exp.x, level) if level else ""
        style.head(ax, "Response time%s, ms" % where)
        values = [ms for _, curve in lines for _, ms in curve]
        style.plain_y(ax, values, True)
        for s, curve in lines:
            line(ax, curve, arms.index(s.arm), s.held)
    ends = [1 - curve[-2][0] for lines in found.values() for _, curve in lines if len(curve) > 1]
    percent_axis(axes[-1], min(ends, default=0.5))
    dashed = any(not s.held for lines in found.values() for s, _ in lines)
    style.key(figure, key(arms, dashed))
    return Drawing("percentiles", title, alt(found), figure)


def line(ax: Any, curve: Curve, number: int, held: bool) -> None:
    least = (1 - curve[-2][0]) / 2 if len(curve) > 1 else 0.5
    xs = [0.0] + [nines(share, least) for share, _ in curve]
    ys = [curve[0][1]] + [ms for _, ms in curve]
    look = {"color": style.colour(number), "linestyle": "-" if held else "--"}
    ax.plot(xs, ys, drawstyle="steps-post", linewidth=1.6, gid="curve-%d" % number, **look)


def percent_axis(ax: Any, least: float) -> None:
    """0 %, 50 %, 90 %, 99 % ... as far as there are samples."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    named = [p for p in NAMED if p < 1 - least / 2]
    ax.xaxis.set_major_locator(FixedLocator([nines(p, 1e-12) for p in named]))
    ax.xaxis.set_major_formatter(FixedFormatter(["%g" % round(p * 100, 6) for p in named]))
    ax.set_xlabel("percentile")


def key(arms: Sequence[str], dashed: bool) -> list[tuple[Any, str]]:
    from matplotlib.lines import Line2D

    entries = [(Line2D([], [], color=style.colour(i)), arm) for i, arm in enumerate(arms) if arm]
    if dashed:
        line = Line2D([], [], color=style.GREY, linestyle="--")
        entries.append((line, "dashed: the rate was not held"))
    return entries


def alt(found: dict[str, list[tuple[CellSummary, Curve]]]) -> str:
    parts = []
    for lines in found.values():
        for s, curve in lines:
            texts = [
                "p%g %s ms" % (p * 100, labels.short(next(ms for share, ms in curve if share >= p)))
                for p in (0.5, 0.95, 0.99, 1)
            ]
            parts.append("%s: %s." % (labels.cell_text(s.cell), ", ".join(texts)))
    return "Response time by percentile. " + " ".join(parts).replace("p100", "maximum")
