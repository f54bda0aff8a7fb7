# SPDX-License-Identifier: GPL-2.0-or-later
"""Results in a terminal: the table of an experiment; progress and plot are in files of their own.

    table(exp, summaries)    a table an arm

It has the columns of the studies that this program follows:

                |  tps |  mariadbd |           |           |  avg-resp |  95%-resp
    connections |      |      %usr |      %sys |      %cpu |        ms |        ms
    ------------+------+-----------+-----------+-----------+-----------+----------
              1 | 1200 |      14.2 |      6.10 |      20.3 |      0.46 |      0.97
                |      | 14.0-14.5 | 5.90-6.21 | 20.1-20.5 | 0.46-0.52 | 0.95-1.33

A value is the median of the runs that count; below it is their range, as runs are rarely spread
alike to both sides.  A cell with a flag has a "!" before it and a line below the table.  The table
fits 80 columns: when it would not, the space after the bars goes first, then the ranges.
"""

from typing import NamedTuple, Sequence

from ..plan import found_rate, labels
from ..plan.model import Cells, CellSummary, Experiment, Spread
from ..statistics.answer import wrong
from .plot import main_figure, plot
from .progress import PlainProgress, Progress

__all__ = ["PlainProgress", "Progress", "main_figure", "plot", "table"]

WIDTH = 80


class Column(NamedTuple):
    figure: str  # a name of figures.COLUMNS
    above: str  # first line of the head; "SERVER" becomes the name of its process
    below: str


COLUMNS = (
    Column("tps", "tps", ""),
    Column("server_usr_pct", "SERVER", "%usr"),
    Column("server_sys_pct", "", "%sys"),
    Column("server_cpu_pct", "", "%cpu"),
    Column("response_mean_ms", "avg-resp", "ms"),
    Column("response_p95_ms", "95%-resp", "ms"),
)
OF_SEARCHES = (
    Column(found_rate.HELD, "highest", "tps"),
    Column(found_rate.MISSED, "not held", "tps"),
)


def table(exp: Experiment, summaries: Cells) -> str:
    """The results as text that ends in a line feed; "" without any cell that was run."""
    shown = [s for s in labels.in_order(exp, summaries) if s.runs]
    arms = labels.arm_names(shown) if exp.x else [""] * bool(shown)
    parts = []
    for arm in arms:
        rows = [s for s in shown if s.arm == arm or not exp.x]
        # the widest form that fits: all, without space after the bars, without the ranges
        for bar, with_ranges in ((" | ", True), (" |", True), (" | ", False), (" |", False)):
            lines = text_lines(exp, rows, bar, with_ranges)
            if max(map(len, lines)) <= WIDTH:
                break
        lines = [labels.arm_title(arm, exp), "", *lines, *notes(exp, rows)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


# ---- cells of the table --------------------------------------------------------


def columns_of(rows: Cells) -> tuple[Column, ...]:
    """Of searches their answers: all other figures are of the many rates that they tried."""
    return OF_SEARCHES if all(map(found_rate.searched, rows)) else COLUMNS


def name_of(exp: Experiment, summary: CellSummary) -> str:
    """A cell of a table: among those of an arm, its level is enough."""
    if not exp.x:
        return labels.cell_text(summary.cell)
    return labels.level_text(exp.x, summary.cell.levels[exp.x])


def range_text(spread: Spread | None) -> str:
    """5.30-284; "" where all runs are shown alike."""
    if spread is None:
        return ""
    low, high = labels.short(spread.min), labels.short(spread.max)
    return "%s-%s" % (low, high) if low != high else ""


def lines_of(
    exp: Experiment, summary: CellSummary, columns: Sequence[Column], with_ranges: bool
) -> list[list[str]]:
    """The medians of a cell, and below them the ranges if there are any."""
    found = [summary.figures.get(c.figure) for c in columns]
    medians = ["n/a" if s is None else labels.short(s.median) for s in found]
    ranges = [range_text(s) for s in found] if with_ranges else []
    # the level; without an axis only the flag, as the cell's name stands above the line
    first = (("! " if summary.flag else "") + summary.cell.levels.get(exp.x, "")).strip()
    return [[first, *medians]] + ([["", *ranges]] if any(ranges) else [])


def notes(exp: Experiment, rows: Cells) -> list[str]:
    """What must be known to read the table: what the ranges are, and each flag."""
    flags = ["! %s: %s" % (name_of(exp, s), wrong(s)) for s in rows if s.flag]
    counts = sorted({s.counted for s in rows if s.counted})
    if not counts:
        return flags
    if counts[-1] < 2:
        return [*flags, "one run a cell: no spread is known"]
    runs = "%d" % counts[-1] if len(counts) == 1 else "%d to %d" % (counts[0], counts[-1])
    flags.append("median of %s runs; below it, their range" % runs)
    if columns_of(rows) is COLUMNS and not all(map(adds_up, rows)):
        flags.append("each column has its own median: %usr and %sys need not add up to %cpu")
    return flags


def adds_up(summary: CellSummary) -> bool:
    """Whether a reader who adds %usr and %sys gets %cpu, within 2 % of it."""
    names = ("server_usr_pct", "server_sys_pct", "server_cpu_pct")
    if not all(n in summary.figures for n in names):
        return True
    usr, sys, cpu = (summary.figures[n].median for n in names)
    return abs(usr + sys - cpu) <= 0.02 * cpu


# ---- as text -------------------------------------------------------------------


def text_lines(exp: Experiment, rows: Cells, bar: str, with_ranges: bool) -> list[str]:
    server = labels.server_name(s.cell.settings for s in rows)
    first = ("", labels.heading(exp.x) if exp.x else "")
    shown = columns_of(rows)
    head = [first] + [(server if c.above == "SERVER" else c.above, c.below) for c in shown]
    above, below = [h[0] for h in head], [h[1] for h in head]
    cells = [lines_of(exp, s, columns_of(rows), with_ranges) for s in rows]
    body = [above, below, *(line for cell in cells for line in cell)]
    widths = [max(len(line[i]) for line in body) for i in range(len(head))]
    ruler = bar.replace(" ", "-").replace("|", "+").join("-" * w for w in widths)

    def joined(line: Sequence[str]) -> str:
        return bar.join(t.rjust(w) for t, w in zip(line, widths)).rstrip()

    lines = [joined(above), joined(below), ruler]
    for s, cell in zip(rows, cells):
        lines += [] if exp.x else [name_of(exp, s)]  # long: on a line of its own
        lines += map(joined, cell)
    return lines
