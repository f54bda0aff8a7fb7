# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency by percentile, on the axis of HdrHistogram: each nine has the same width.

A panel a level of the numeric factor, a line an arm.  The histograms of the runs that count are
added bucket by bucket, and percentiles are those of the sum; nothing is averaged.  A line of a
cell that did not hold the rate is dashed.
"""

import math
from typing import Any, Sequence

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator

from ..plan import labels
from ..plan.model import CellSummary
from ..results import series
from ..statistics.results import Results
from . import style
from .style import Drawing, Of

NAMED = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)

Curve = list[tuple[float, float]]


def draw(results: Results) -> list[Drawing]:
    def curve(s: CellSummary) -> Curve:
        merged = series.merged(results.reports(s))
        return series.curve(merged) if merged else []

    found = list(style.by_level(results, curve))
    return [picture(results, found)] if found else []


def nines(share: float, least: float) -> float:
    """Where a share stands on the axis: 0.9 at 1, 0.99 at 2; the last sample at the edge."""
    return -math.log10(max(1 - share, least))


def picture(results: Results, found: Sequence[tuple[str, str, list[Of[Curve]]]]) -> Drawing:
    title = "Response time by percentile"
    height = 2.9 if len(found) == 1 else 1.75
    figure, axes = style.panels(title, len(found), height)
    arms = labels.arm_names(results.summaries)
    for ax, (words, _, lines) in zip(axes, found):
        style.head(ax, "Response time%s, ms" % words)
        style.plain_y(ax, [ms for _, _, curve in lines for _, ms in curve], True)
        for arm, s, curve in lines:
            least = (1 - curve[-2][0]) / 2 if len(curve) > 1 else 0.5
            xs = [0.0] + [nines(share, least) for share, _ in curve]
            ys = [curve[0][1]] + [ms for _, ms in curve]
            look = {"color": style.colour(arm), "linestyle": "-" if s.held else "--"}
            ax.plot(xs, ys, drawstyle="steps-post", linewidth=1.6, gid="curve-%d" % arm, **look)
    every = [(s, curve) for _, _, lines in found for _, s, curve in lines]
    ends = [1 - curve[-2][0] for _, curve in every if len(curve) > 1]
    percent_axis(axes[-1], min(ends, default=0.5))
    entries = [(Line2D([], [], color=style.colour(i)), arm) for i, arm in enumerate(arms) if arm]
    if not all(s.held for s, _ in every):
        dashed = Line2D([], [], color=style.GREY, linestyle="--")
        entries.append((dashed, "dashed: the rate was not held"))
    style.key(figure, entries)
    return Drawing("percentiles", title, alt(every), figure)


def percent_axis(ax: Any, least: float) -> None:
    """0 %, 50 %, 90 %, 99 % ... as far as there are samples."""

    named = [p for p in NAMED if p < 1 - least / 2]
    ax.xaxis.set_major_locator(FixedLocator([nines(p, 1e-12) for p in named]))
    ax.xaxis.set_major_formatter(FixedFormatter(["%g" % round(p * 100, 6) for p in named]))
    ax.set_xlabel("percentile")


def alt(every: Sequence[tuple[CellSummary, Curve]]) -> str:
    parts = ["Response time by percentile."]
    for s, curve in every:
        texts = [
            "p%g %s ms" % (p * 100, labels.short(next(ms for share, ms in curve if share >= p)))
            for p in (0.5, 0.95, 0.99, 1)
        ]
        parts.append("%s: %s." % (labels.cell_text(s.cell), ", ".join(texts)))
    return " ".join(parts).replace("p100", "maximum")
