# SPDX-License-Identifier: GPL-2.0-or-later
"""The load hosts side by side: throughput, response time and CPU of each rank, cell by cell.

Ranks that share a load evenly are one mark upon the other; one that stands apart is slow, far away
or short of CPU.  A ring is around those that sysbench says differ.
"""

from typing import Any, Sequence

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator

from ..plan import hosts, labels
from ..statistics import rank_rows
from ..statistics.rank_rows import OfCell
from ..statistics.results import Results
from . import style
from .style import Drawing, Entries

SHOWN = ("tps", "response_p99_ms", "cpu_pct")
TITLES = {
    "tps": "Throughput, tx/s",
    "response_p99_ms": "Response time, 99th percentile, ms",
    "cpu_pct": "sysbench CPU, % of one CPU",
}
MOST = 12  # cells that have room
WIDTH = 0.6  # of a cell's place, for its ranks
LONGEST = 14  # of a name below the axis, in characters
LINE = 90  # characters of such names that have room
BELOW = 20  # points below the axis: the second line


def draw(results: Results) -> list[Drawing]:
    cells = rank_rows.cells(results)[:MOST]
    names = [n for n in SHOWN if any(r.figures[n] is not None for c in cells for r in c.ranks)]
    if not names:
        return []
    title = "Load hosts"
    figure, axes = style.panels(title, len(names), 1.7)
    for ax, name in zip(axes, names):
        style.head(ax, TITLES[name])
        for place, cell in enumerate(cells):
            # Beside each other, the leader at the left.
            for i, rank in enumerate(cell.ranks):
                value = rank.figures[name]
                if value is None:
                    continue
                x = place + WIDTH * ((i + 0.5) / len(cell.ranks) - 0.5)
                look = {**style.line_style(rank.rank), "linestyle": "", "markersize": 6}
                ax.plot([x], [value], gid="rank-%d" % rank.rank, **look)
                if cell.apart(rank):
                    ring = {"marker": "o", "markersize": 12, "markerfacecolor": "none"}
                    ax.plot([x], [value], linestyle="", color=style.GREY, gid="apart", **ring)
        known = [r.figures[name] for c in cells for r in c.ranks]
        style.plain_y(ax, [v for v in known if v is not None], False)
    places(axes[-1], results, cells)
    for ax in axes:
        for edge in [begin for begin, _, _ in groups(results, cells)][1:]:
            ax.axvline(edge - 0.5, color=style.GREY, linewidth=0.8, linestyle=":")
    style.key(figure, key(cells))
    return [Drawing("load-hosts", title, alt(cells, names), figure)]


def places(ax: Any, results: Results, cells: Sequence[OfCell]) -> None:

    x = results.exp.x
    texts = [c.summary.cell.levels.get(x) or str(n + 1) for n, c in enumerate(cells)]
    ax.xaxis.set_major_locator(FixedLocator(list(range(len(cells)))))
    ax.xaxis.set_major_formatter(FixedFormatter([t[:LONGEST] for t in texts]))
    ax.set_xlim(-0.5, len(cells) - 0.5)
    named = groups(results, cells)
    if len(named) > 1:
        for begin, end, text in named:
            middle, room = (begin + end) / 2, int(LINE * (end - begin + 1) / len(cells))
            ax.annotate(
                cut(text, room),
                (middle, 0),
                xycoords=("data", "axes fraction"),
                xytext=(0, -BELOW),
                textcoords="offset points",
                ha="center",
                va="top",
                gid="group",
            )
    heading = labels.heading(x) if x else "cell, in the order of the table"
    ax.set_xlabel(heading, labelpad=18 if len(named) > 1 else None)


def groups(results: Results, cells: Sequence[OfCell]) -> list[tuple[int, int, str]]:
    """First and last place of neighbours that differ in x alone, and what they have in common.  The
    number of load hosts is in each cell's name only if it varies among those that have several."""
    x = results.exp.x
    numbers = {c.summary.cell.levels.get(hosts.NUMBER) for c in cells}
    left_out = {x, hosts.NUMBER} if len(numbers) == 1 else {x}
    found: list[tuple[int, int, str]] = []
    for place, cell in enumerate(cells):
        levels = cell.summary.cell.levels.items()
        text = ", ".join(labels.level_text(k, v) for k, v in levels if k not in left_out)
        if x and found and found[-1][2] == text:
            found[-1] = (found[-1][0], place, text)
        else:
            found.append((place, place, text))
    return found if x else []


def cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 1)] + "…"


def key(cells: Sequence[OfCell]) -> Entries:

    ranks = {r.rank: r.host for c in cells for r in c.ranks}
    return [
        (
            Line2D([], [], **{**style.line_style(n), "linestyle": "", "markersize": 6}),
            rank_rows.who(n, host),
        )
        for n, host in sorted(ranks.items())
    ]


def alt(cells: Sequence[OfCell], names: Sequence[str]) -> str:
    parts = []
    for cell in cells:
        for rank in cell.ranks:
            told = ["%s %s" % (TITLES[n].lower(), rank_rows.shown(n, rank)) for n in names]
            where = labels.cell_text(cell.summary.cell)
            parts.append(
                "%s, %s: %s." % (where, rank_rows.who(rank.rank, rank.host), "; ".join(told))
            )
    return " ".join(["Figures of each load host.", *parts])
