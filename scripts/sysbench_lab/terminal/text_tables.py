# SPDX-License-Identifier: GPL-2.0-or-later
"""Results in a terminal: the table of an experiment; progress and plot are in files of their own.

    table(exp, summaries)              a table an arm, for people
    table(exp, summaries, "markdown")  the same as markdown
    table(exp, summaries, "csv")       one table, a line a cell, for spreadsheets

The text table has the columns of the studies that this program follows:

                |  tps |  mariadbd |           |           |  avg-resp |  95%-resp
    connections |      |      %usr |      %sys |      %cpu |        ms |        ms
    ------------+------+-----------+-----------+-----------+-----------+----------
              1 | 1200 |      14.2 |      6.10 |      20.3 |      0.46 |      0.97
                |      | 14.0-14.5 | 5.90-6.21 | 20.1-20.5 | 0.46-0.52 | 0.95-1.33

A value is the median of the runs that count; below it is their range, as runs are rarely spread
alike to both sides.  A cell with a flag has a "!" before it and a line below the table.  The table
fits 80 columns: when it would not, the space after the bars goes first, then the ranges.
"""

from __future__ import annotations

import csv
import io
from typing import Iterable, NamedTuple, Sequence

from .. import LabError
from ..plan import found_rate, labels
from ..plan.model import CellSummary, Experiment, Spread
from ..results import figures
from ..statistics.answer import wrong
from .plot import main_figure, plot
from .progress import PlainProgress, Progress

__all__ = ["PlainProgress", "Progress", "main_figure", "plot", "table"]

WIDTH = 80
STYLES = ("seed", "markdown", "csv")


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


def table(exp: Experiment, summaries: Sequence[CellSummary], style: str = "seed") -> str:
    """The results as text that ends in a line feed; "" without any cell that was run."""
    if style not in STYLES:
        raise LabError("table style %r: give one of %s" % (style, ", ".join(STYLES)))
    if style == "csv":
        return csv_table(exp, [s for s in summaries if s.runs])
    shown = [s for s in labels.in_order(exp, summaries) if s.runs]
    if shown and not exp.x:
        return one_table(exp, exp.title or exp.name, shown, style)
    return "\n".join(
        one_table(exp, labels.arm_title(arm, exp), [s for s in shown if s.arm == arm], style)
        for arm in labels.arm_names(shown)
    )


def one_table(exp: Experiment, name: str, rows: Sequence[CellSummary], style: str) -> str:
    foot = notes(exp, rows, "in brackets" if style == "markdown" else "below it,")
    if style == "markdown":
        parts = ["### " + escaped(name), "", *markdown(exp, rows), "", *("- " + n for n in foot)]
    else:
        parts = [name, "", *fitted(exp, rows), *foot]
    return "\n".join(parts).rstrip("\n") + "\n"


# ---- cells of the table --------------------------------------------------------


def heads(exp: Experiment, rows: Sequence[CellSummary]) -> list[tuple[str, str]]:
    server = labels.server_name(s.cell.settings for s in rows)
    first = ("", labels.heading(exp.x) if exp.x else "")
    shown = columns_of(rows)
    return [first] + [(server if c.above == "SERVER" else c.above, c.below) for c in shown]


def columns_of(rows: Sequence[CellSummary]) -> tuple[Column, ...]:
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


def notes(exp: Experiment, rows: Sequence[CellSummary], where: str) -> list[str]:
    """What must be known to read the table: what the ranges are, and each flag."""
    flags = ["! %s: %s" % (name_of(exp, s), wrong(s)) for s in rows if s.flag]
    counts = sorted({s.counted for s in rows if s.counted})
    if not counts:
        return flags
    if counts[-1] < 2:
        return [*flags, "one run a cell: no spread is known"]
    runs = "%d" % counts[-1] if len(counts) == 1 else "%d to %d" % (counts[0], counts[-1])
    flags.append("median of %s runs; %s their range" % (runs, where))
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


def fitted(exp: Experiment, rows: Sequence[CellSummary]) -> list[str]:
    """The widest form that fits: all, without space after the bars, without the ranges."""
    lines: list[str] = []
    for bar, with_ranges in ((" | ", True), (" |", True), (" | ", False), (" |", False)):
        lines = text_lines(exp, rows, bar, with_ranges)
        if max(map(len, lines)) <= WIDTH:
            break
    return lines


def text_lines(
    exp: Experiment, rows: Sequence[CellSummary], bar: str, with_ranges: bool
) -> list[str]:
    head = heads(exp, rows)
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


# ---- for other programs --------------------------------------------------------


def escaped(text: str) -> str:
    """Text that markdown takes as it is."""
    return "".join("\\" + c if c in "\\`*_[]<>|#" else c for c in text)


def markdown(exp: Experiment, rows: Sequence[CellSummary]) -> list[str]:
    head, server = [], ""
    for above, below in heads(exp, rows):
        server = above if below == "%usr" else server
        head.append(" ".join(filter(None, (server if below.startswith("%") else above, below))))
    body = []
    for s in rows:
        medians, ranges = (lines_of(exp, s, columns_of(rows), True) + [[""] * len(head)])[:2]
        body.append([m + (" (%s)" % r if r else "") for m, r in zip(medians, ranges)])
    for s, line in zip(rows, body) if not exp.x else ():
        line[0] = ("! " if s.flag else "") + name_of(exp, s)
    return [
        markdown_line(map(escaped, head)),
        markdown_line("---:" for _ in head),
        *(markdown_line(map(escaped, line)) for line in body),
    ]


def markdown_line(fields: Iterable[str]) -> str:
    return "| %s |" % " | ".join(fields)


def csv_table(exp: Experiment, rows: Sequence[CellSummary]) -> str:
    """A line a cell: median, min and max of every figure that any cell has."""
    names = figures.ordered({n for s in rows for n in s.figures})
    factors = [factor.name for factor in exp.factors]
    parts = [n + end for n in names for end in ("", "_min", "_max")]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [*factors, "runs", "counted", "sustained_runs", "unsustained_runs", "flag", *parts]
    )
    for s in rows:
        counts = [s.runs, s.counted, s.sustained, s.unsustained, s.flag]
        values: list[str] = []
        for name in names:  # every digit that a figure has; empty fields where it is n/a
            v = s.figures.get(name)
            values += [repr(x) for x in (v.median, v.min, v.max)] if v else ["", "", ""]
        writer.writerow([*(s.cell.levels.get(f, "") for f in factors), *counts, *values])
    return out.getvalue()
