# SPDX-License-Identifier: GPL-2.0-or-later
"""Arms side by side: a picture a main figure, in it a row a cell, with all that is known of it.

    16 connections
      one-thread...   |----[==|==]-------|   8.66
      pool-of-threads     |-[=|]-|           8.57

The line reaches from the least to the greatest of the runs that count, the box is the interval of
the median, the stroke in it the median, which also stands at the right as a number.  With too few
runs for an interval the median is a circle.  What is hollow did not hold the rate.  Without an axis
this is the main picture.
"""

import textwrap
from typing import Any, Sequence

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from ..plan import found_rate, labels
from ..plan.model import Cells, CellSummary, Experiment, Spread
from ..results import figures
from ..statistics import stats
from . import style
from .style import Drawing, Entries

FIGURES = ("held_tps", "tps", "server_cpu_us_per_tx", "response_p95_ms")
MORE = (  # without an axis there are no curves for these
    "server_usr_pct", "server_sys_pct", "server_switches_per_tx", "ipc",
    "icache_misses_per_kinstr", "branch_miss_pct", "server_rss_mib",
)  # fmt: skip
ROW, ROW_NAMED = 0.24, 0.3  # inches; rows with the name of their cell are higher


def draw(exp: Experiment, summaries: Cells) -> list[Drawing]:
    """With an axis a picture a main figure, as they are long; else all figures in one."""
    rows = [s for s in summaries if s.counted]
    if len(labels.arm_names(rows)) < 2:
        return []
    axis = labels.has_axis(exp, rows)
    if all(map(found_rate.searched, rows)):  # other figures are of all the rates that were tried
        found = [found_rate.HELD] if any(found_rate.HELD in s.figures for s in rows) else []
        return [side_by_side(exp, rows, found, "arms-held-tps")] if found else []
    names = [n for n in FIGURES if any(n in s.figures for s in rows)]
    if axis:
        return [side_by_side(exp, rows, [n], "arms-" + n.replace("_", "-")) for n in names]
    names += [n for n in MORE if any(n in s.figures for s in rows)]
    return [side_by_side(exp, rows, names, "arms")]


def side_by_side(exp: Experiment, rows: Cells, names: Sequence[str], file: str) -> Drawing:
    one = figures.column(names[0]).title + ", side by side" if len(names) == 1 else ""
    title = one or "Side by side"
    row = ROW if labels.has_axis(exp, rows) else ROW_NAMED
    figure, axes = style.panels(title, len(names), row * len(rows) + 0.5, share_x=False)
    arms = labels.arm_names(rows)
    for ax, name in zip(axes, names):
        shown = ordered(exp, [s for s in rows if name in s.figures])
        for row, s in enumerate(shown):
            box(ax, row, s.figures[name], arms.index(s.arm), s.held)
        style.head(ax, style.label_of(name))
        # Levels at the left, medians at the right, a thin line between levels.
        level = [s.cell.levels.get(exp.x) or s.arm for s in shown]
        first = [i == 0 or level[i] != level[i - 1] for i in range(len(shown))]
        ax.set_yticks(range(len(shown)))
        ax.set_yticklabels([wrapped(v) if new else "" for v, new in zip(level, first)])
        if exp.x:
            ax.set_ylabel(labels.heading(exp.x))
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.grid(False, axis="y")
        ax.tick_params(axis="y", length=0)
        for i in range(1, len(shown)):
            if first[i] and exp.x:
                ax.axhline(i - 0.5, color="#D9D9D9", linewidth=0.6)
        low = min(s.figures[name].min for s in shown)
        high = max(s.figures[name].max for s in shown)
        scale(ax, low, high)
        for i, s in enumerate(shown):
            text = labels.short(s.figures[name].median)
            ax.annotate(
                text, (1.01, i), xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
                annotation_clip=False,
            )  # fmt: skip
    style.key(figure, arm_boxes(arms if exp.x else (), rows))
    return Drawing(file, title, " ".join(alt(exp, ordered(exp, rows), n) for n in names), figure)


def ordered(exp: Experiment, rows: Cells) -> list[CellSummary]:
    """By level, then by arm as in the file."""
    arms = labels.arm_names(rows)
    return sorted(rows, key=lambda s: (labels.x_of(exp, s.cell) or 0, arms.index(s.arm)))


def box(ax: Any, row: int, spread: Spread, number: int, held: bool) -> None:
    shade = style.colour(number)
    face = style.pale(number) if held else "white"
    if spread.n > 1:
        ax.plot([spread.min, spread.max], [row, row], color=shade, linewidth=1.2, zorder=2)
    if spread.n >= stats.LEAST:
        width = spread.high - spread.low
        ax.barh(
            [row], [width], 0.6, left=[spread.low], color=face, edgecolor=shade, zorder=3,
            gid="box-%d" % row,
        )  # fmt: skip
    stroke = spread.n >= stats.LEAST
    ax.plot(
        [spread.median], [row], color=shade, zorder=4, gid="median-%d" % row, linestyle="",
        marker="|" if stroke else "o", markersize=11 if stroke else 7, markeredgewidth=2.0,
        markerfacecolor=shade if held else "white",
    )  # fmt: skip


def scale(ax: Any, low: float, high: float) -> None:
    """Logarithmic over thirtyfold; else near the values, where the spread is seen, or from 0."""

    if low > 0 and high / low > 30:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator())
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: "%g" % v))
        style.note_log(ax)
        return
    ax.xaxis.set_major_locator(MaxNLocator(5))
    if low > high / 2:
        margin = max((high - low) * 0.08, high * 0.01)
        ax.set_xlim(low - margin, high + margin)
    else:
        ax.set_xlim(min(low, 0), high * 1.05 or 1)


def wrapped(name: str) -> str:
    """A name in two lines at most."""
    return "\n".join(textwrap.wrap(name, 20, max_lines=2, placeholder="…"))


def arm_boxes(arms: Sequence[str], rows: Cells) -> Entries:
    """Rows that have their names need no entry."""
    entries = style.patches(style.pale, arms)
    if max((s.counted for s in rows), default=0) > 1:
        least = min((s.counted for s in rows if s.counted >= stats.LEAST), default=0)
        box = ", box: its %g %% interval" % (100 * stats.confidence(least, 1)) if least else ""
        entries.append(style.blank_key("mark: median%s, line: the runs that count" % box))
    return entries + [style.white_key()] * any(not s.held for s in rows)


def alt(exp: Experiment, rows: Cells, name: str) -> str:
    about = figures.column(name)
    texts = []
    for s in rows:
        if name not in s.figures:
            continue
        f = s.figures[name]
        held = "" if s.held else ", rate not held"
        values = " median %s, %s to %s" % tuple(map(labels.short, (f.median, f.min, f.max)))
        texts.append("%s:%s of %d runs%s" % (labels.cell_text(s.cell), values, f.n, held))
    return "%s%s. %s." % (about.title, " in " + about.unit if about.unit else "", "; ".join(texts))
