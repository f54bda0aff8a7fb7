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

import itertools
import math
import textwrap
from typing import NamedTuple, Sequence

from .. import LabError
from ..plan import found_rate, labels
from ..plan.model import Cells, CellSummary, Experiment
from ..results import figures
from ..statistics import stats
from ..statistics.answer import flagged

WIDTH = 80


class Column(NamedTuple):
    """A figure and its heads.  Without one it is not in that table; "SERVER" becomes the name of
    the server's process."""

    figure: str
    head: str  # on the page
    over: str = ""  # there the line above; equal ones are one
    above: str = ""  # in the terminal, both lines
    below: str = ""
    of_runs: str = ""  # in the page's table of runs


COLUMNS = (
    Column("tps", "Throughput", "", "tps", "", "tps"),
    Column("server_usr_pct", "user", "SERVER CPU", "SERVER", "%usr", "%usr"),
    Column("server_sys_pct", "system", "SERVER CPU", "", "%sys", "%sys"),
    Column("server_cpu_pct", "all", "SERVER CPU", "", "%cpu", "%cpu"),
    Column("server_cpu_us_per_tx", "per tx", "SERVER CPU"),
    Column("response_mean_ms", "mean", "Response time", "avg-resp", "ms", "avg ms"),
    Column("response_p95_ms", "p95", "Response time", "95%-resp", "ms", "p95 ms"),
    Column("response_p99_ms", "p99", "Response time"),
)
# Of searches their answers: all other figures are of the many rates that they tried.
OF_SEARCHES = (
    Column(found_rate.HELD, "held", "Highest rate", "highest", "tps", "highest rate"),
    Column(found_rate.MISSED, "not held", "Highest rate", "not held", "tps", "not held"),
)
Columns = Sequence[Column]


def table(exp: Experiment, summaries: Cells) -> str:
    """The results as text that ends in a line feed; "" without any cell that was run."""
    shown = [s for s in labels.in_order(exp, summaries) if s.runs]
    arms = labels.arm_names(shown) if exp.x else [""] * bool(shown)
    parts = []
    for arm in arms:
        rows = [s for s in shown if s.arm == arm or not exp.x]
        every = OF_SEARCHES if all(map(found_rate.searched, rows)) else COLUMNS
        columns = [c for c in every if c.above or c.below]
        # the widest form that fits: all, without space after the bars, without the ranges
        for bar, with_ranges in ((" | ", True), (" |", True), (" | ", False), (" |", False)):
            lines = text_lines(exp, rows, columns, bar, with_ranges)
            if max(map(len, lines)) <= WIDTH:
                break
        lines = [labels.arm_title(arm, exp), "", *lines, *notes(exp, rows, columns, with_ranges)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


# ---- cells of the table --------------------------------------------------------


def name_of(exp: Experiment, summary: CellSummary) -> str:
    """A cell of a table: among those of an arm, its level is enough."""
    if not exp.x:
        return labels.cell_text(summary.cell)
    return labels.level_text(exp.x, summary.cell.levels[exp.x])


def lines_of(
    exp: Experiment, summary: CellSummary, columns: Columns, with_ranges: bool
) -> list[list[str]]:
    """The medians of a cell, and below them the ranges if there are any."""
    found = [summary.figures.get(c.figure) for c in columns]
    marks = [figures.mark(c.figure, summary.figures) for c in columns]
    medians = ["n/a" if s is None else labels.short(s.median) + m for s, m in zip(found, marks)]
    ends = [(labels.short(s.min), labels.short(s.max)) if s else ("", "") for s in found]
    # 5.30-284; "" where all runs are shown alike
    ranges = ["-".join(both) if both[0] != both[1] else "" for both in ends if with_ranges]
    # the level; without an axis only the flag, as the cell's name stands above the line
    first = (("! " if summary.flag else "") + summary.cell.levels.get(exp.x, "")).strip()
    return [[first, *medians]] + ([["", *ranges]] if any(ranges) else [])


def notes(exp: Experiment, rows: Cells, columns: Columns, with_ranges: bool) -> list[str]:
    """What must be known to read the table: what the ranges are, and each flag."""
    flags = ["! " + text for text in flagged(rows, lambda s: name_of(exp, s), ", ")]
    names = [c.figure for c in columns]
    flags += [figures.FEW] * any(figures.mark(n, s.figures) for s in rows for n in names)
    # of disturbed runs, fewer figures count
    counts = sorted({s.figures[n].n for s in rows for n in names if n in s.figures})
    if not counts:
        return flags
    if counts[-1] < 2:
        return [*flags, "single run per row: spread unknown"]
    runs = "%d" % counts[-1] if len(counts) == 1 else "%d to %d" % (counts[0], counts[-1])
    where = "below it, their range" if with_ranges else "no room for their range: see table.csv"
    flags.append("median of %s runs; %s" % (runs, where))
    if figures.CPU[0] in names and not all(map(adds_up, rows)):
        flags.append("each column has its own median: %usr and %sys need not add up to %cpu")
    return flags


def adds_up(summary: CellSummary) -> bool:
    """Whether a reader who adds %usr and %sys gets %cpu, within 2 % of it."""
    found = [summary.figures[n].median for n in figures.CPU if n in summary.figures]
    return len(found) < 3 or abs(found[0] + found[1] - found[2]) <= 0.02 * found[2]


# ---- as text -------------------------------------------------------------------


def text_lines(
    exp: Experiment, rows: Cells, columns: Columns, bar: str, with_ranges: bool
) -> list[str]:
    server = labels.server_name(s.cell.settings for s in rows)
    head = [("", labels.heading(exp.x) if exp.x else "")]
    head += [(c.above.replace("SERVER", server), c.below) for c in columns]
    cells = [lines_of(exp, s, columns, with_ranges) for s in rows]
    body = [*zip(*head), *itertools.chain(*cells)]
    widths = [max(map(len, words)) for words in zip(*body)]
    ruler = bar.replace(" ", "-").replace("|", "+").join("-" * w for w in widths)

    def joined(line: Sequence[str]) -> str:
        return bar.join(t.rjust(w) for t, w in zip(line, widths)).rstrip()

    lines = [*map(joined, body[:2]), ruler]
    for s, cell in zip(rows, cells):
        lines += [] if exp.x else [name_of(exp, s)]  # long: on a line of its own
        lines += map(joined, cell)
    return lines


# ---- A curve in a terminal, for those who are on the server by ssh

#     Server CPU/tx, µs
#      412 ┤
#          │                                 ⣀⣀⠤⠔⠒⠉○
#      250 ┤                  ⣀⣀⠤⠤⠒⠒⠉⠉●
#          │●⠤⠤⠤●⠒⠒⠒⠒⠒⠉⠉
#        0 ┤
#          └┬───┬─────────────────────┬─────────────┬
#           1   16                   128           512
#                        Connections
#     ● one-thread-per-connection  ▲ pool-of-threads  hollow: the rate was not held
#
# plot() places the points of each arm on a grid of characters and joins them with lines of braille
# dots, of which a character has 2 by 4.  The horizontal axis is logarithmic when the levels span a
# decade, the vertical one when the figure spans more than thirtyfold; otherwise it begins at 0.
# Without two levels of a numeric factor, plot()
# draws a bar a cell.  No package is needed and no colour is used.


PLOT_WIDTH = 78
HEIGHT = 16
FILLED = "●▲■◆▼★"
HOLLOW = "○△□◇▽☆"
MAIN = ("server_cpu_us_per_tx", "response_p95_ms", "tps")
# Bits of the braille character U+2800, by row and column of its dots.
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
EIGHTHS = " ▏▎▍▌▋▊▉"


class Point(NamedTuple):
    x: float
    y: float
    held: bool
    joined: bool = True  # three runs or more


class Axis(NamedTuple):
    """A range of values, and where a value lies in it: 0 to 1."""

    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def dot_of(share: float, size: int, dots: int) -> int:
    """The dot of a share of 0 to 1, where size characters have so many dots each."""
    return round(share * (dots * size - 1))


class Grid:
    """Characters, with braille dots for lines and marks on top."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.dots = [[0] * width for _ in range(height)]
        self.marks: dict[tuple[int, int], str] = {}

    def dot(self, x: float, y: float) -> None:
        """At 0 to 1 from the left and from below."""
        column, row = dot_of(x, self.width, 2), dot_of(1 - y, self.height, 4)
        self.dots[row // 4][column // 2] |= DOTS[row % 4][column % 2]

    def line(self, a: tuple[float, float], b: tuple[float, float]) -> None:
        across, up = abs(b[0] - a[0]) * 2 * self.width, abs(b[1] - a[1]) * 4 * self.height
        steps = max(math.ceil(across), math.ceil(up), 1)
        for i in range(steps + 1):
            share = i / steps
            self.dot(a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)

    def mark(self, x: float, y: float, mark: str) -> None:
        """On top of lines; where there is a mark already, that one stays."""
        place = dot_of(1 - y, self.height, 4) // 4, dot_of(x, self.width, 2) // 2
        self.marks.setdefault(place, mark)

    def lines(self) -> list[str]:
        rows = [[chr(0x2800 + bits) if bits else " " for bits in row] for row in self.dots]
        for (row, column), mark in self.marks.items():
            rows[row][column] = mark
        return list(map("".join, rows))


def main_figure(exp: Experiment, summaries: Cells) -> str:
    """What the experiment is about: the highest rate of a search, the cost at a constant rate,
    else the throughput."""
    found = {name for s in summaries for name in s.figures}
    settings = (exp.stays, *(s.cell.settings for s in summaries))
    rated = "target_tps" in found or any("load.tx-rate" in given for given in settings)
    wanted = (found_rate.HELD, *(MAIN if rated else ("tps",)))
    return next((name for name in wanted if name in found), "tps")


def plot(
    exp: Experiment,
    summaries: Cells,
    figure: str = "",
    width: int = PLOT_WIDTH,
    height: int = HEIGHT,
) -> str:
    """The curve as text that ends in a line feed."""
    figure = figure or main_figure(exp, summaries)
    try:
        title = figures.headed(figure)
    except KeyError:
        text = "there is no figure %r: give the name of a column of runs.csv, such as tps"
        raise LabError(text % figure) from None
    with_it = [s for s in summaries if figure in s.figures]
    if not any(s.runs for s in summaries):
        raise LabError("nothing has been measured: there is nothing to plot")
    if not with_it:
        raise LabError("no run has the figure %s" % figure)
    arms = {arm: points_of(exp, with_it, arm, figure) for arm in labels.arm_names(with_it)}
    curved = labels.has_axis(exp, with_it)
    lines = curves(exp, arms, width, height) if curved else bars(with_it, figure, width)
    return "\n".join(line.rstrip() for line in [title, *lines]) + "\n"


# ---- curves --------------------------------------------------------------------


def points_of(exp: Experiment, summaries: Cells, arm: str, figure: str) -> list[Point]:
    found = ((labels.x_of(exp, s.cell), s.figures[figure], s) for s in summaries if s.arm == arm)
    return sorted(
        Point(x, f.median, s.held, f.n >= stats.LEAST) for x, f, s in found if x is not None
    )


def axis_of(values: Sequence[float], span: float, from_zero: bool) -> Axis:
    """Logarithmic from a span on; else from 0 if wanted."""
    low, high = min(values), max(values)
    if low > 0 and high / low >= span:
        return Axis(low, high, True)
    if from_zero:
        low = min(low, 0.0)
    if high <= low:
        return Axis(low, low + 1, False)
    step = round_step((high - low) / 4)
    return Axis(low, math.ceil(high / step - 1e-9) * step if from_zero else high, False)


def curves(exp: Experiment, arms: dict[str, list[Point]], width: int, height: int) -> list[str]:
    points = [p for line in arms.values() for p in line]
    across = axis_of([p.x for p in points], 8, False)
    up = axis_of([p.y for p in points], 30, True)
    ticks = ticks_of(up, height)
    margin = max(len(text) for text in ticks.values())
    grid = Grid(width - margin - 4, height)
    draw(grid, arms, across, up)
    side = [
        "%*s %s" % (margin, ticks.get(row, ""), ("┤" if row in ticks else "│") + line)
        for row, line in enumerate(grid.lines())
    ]
    below = ruler(sorted({p.x for p in points}), across, grid.width)
    indent = " " * (margin + 1)
    name = labels.capital(labels.heading(exp.x)).center(grid.width)
    return [*side, *(indent + line for line in below), indent + " " + name, *legend(exp, arms)]


def draw(grid: Grid, arms: dict[str, list[Point]], across: Axis, up: Axis) -> None:
    for number, line in enumerate(arms.values()):
        places = [(across.at(p.x), up.at(p.y)) for p in line]
        for a, b, *ends in zip(places, places[1:], line, line[1:]):
            if all(p.joined for p in ends):
                grid.line(a, b)
        for p, place in zip(line, places):
            marks = FILLED if p.held else HOLLOW
            grid.mark(*place, marks[number % len(marks)])


def ticks_of(axis: Axis, height: int) -> dict[int, str]:
    """Row -> its round value; rows have room between them."""
    found: dict[int, str] = {}
    for value in round_values(axis, max(2, height // 4)):
        row = dot_of(1 - axis.at(value), height, 4) // 4
        if not found or min(abs(row - other) for other in found) > 1:
            found[row] = "%g" % value
    return found


def round_values(axis: Axis, count: int) -> list[float]:
    """Up to some more than count values: 1, 2, 5, 10, ... or, on a linear axis, 0, 20, 40, ..."""
    if axis.log:
        first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
        steps = (1,) if last - first >= count else (1, 2, 5)
        values = [10.0**p * s for p in range(first, last + 1) for s in steps]
        return [v for v in values if axis.low <= v <= axis.high]
    step = round_step((axis.high - axis.low) / count)
    first = math.ceil(axis.low / step)
    return [step * i for i in range(first, int(axis.high / step + 1e-9) + 1)]


def round_step(least: float) -> float:
    """The first of 1, 2, 5, 10, ... that is not less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * s for s in (1, 2, 5, 10) if power * s >= least * (1 - 1e-9))


def ruler(xs: Sequence[float], axis: Axis, width: int) -> list[str]:
    """The axis with a tick a level, and as many of their names as have room."""
    line, names, free = ["─"] * width, [" "] * (width + 8), 0
    for x in xs:
        place = dot_of(axis.at(x), width, 2) // 2
        line[place] = "┬"
        text = "%g" % x
        start = min(max(0, place - len(text) // 2), width + 3 - len(text))
        if start >= free:
            names[start : start + len(text)] = text
            free = start + len(text) + 1
    return ["└" + "".join(line), " " + "".join(names)]


def legend(exp: Experiment, arms: dict[str, list[Point]]) -> list[str]:
    marks = itertools.cycle(FILLED)
    texts = ["%s %s" % (mark, labels.arm_title(arm, exp)) for arm, mark in zip(arms, marks)]
    if any(not p.held for line in arms.values() for p in line):
        texts.append("hollow: the rate was not held")
    if any(not p.joined for line in arms.values() for p in line):
        texts.append("not joined: fewer than %d runs" % stats.LEAST)
    whole = "  ".join(text.replace(" ", "\0") for text in texts)  # which are not broken
    lines = textwrap.wrap(whole, PLOT_WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


# ---- bars ----------------------------------------------------------------------


def bars(summaries: Cells, figure: str, width: int) -> list[str]:
    """A bar a cell, from 0."""
    names = [labels.cell_text(s.cell) for s in summaries]
    values = [s.figures[figure].median for s in summaries]
    texts = [labels.short(v) for v in values]
    name_width = min(max(map(len, names)), width - 30)
    room = width - name_width - max(map(len, texts)) - 2
    top = max(values) or 1
    lines = [
        "%-*s %s %s" % (name_width, name[:name_width], bar(max(v, 0) / top * room), text)
        for name, v, text in zip(names, values, texts)
    ]
    flagged = [line + " !" * (not s.held) for line, s in zip(lines, summaries)]
    return flagged + ["! the rate was not held"] * (flagged != lines)


def bar(length: float) -> str:
    whole = int(length)
    return "█" * whole + EIGHTHS[int((length - whole) * 8)].strip()
