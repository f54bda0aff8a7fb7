# SPDX-License-Identifier: GPL-2.0-or-later
"""Arms side by side, where no axis has curves: a panel a figure, in it a row a cell.

      one-thread...   |----[==|==]-------|   8.66
      pool-of-threads     |-[=|]-|           8.57

The line reaches from the least to the greatest of the runs that count, the box is the interval of
the median, the stroke in it the median, which also stands at the right as a number.  With too few
runs for an interval the median is a circle.  What is hollow did not hold the rate.
"""

import textwrap
from typing import Any, Sequence

from matplotlib import ticker

from ..plan import found_rate, hosts, labels
from ..plan.model import Cells, Experiment, Spread, by
from ..results import figures
from ..statistics import breakdown, rank_rows, stats
from ..statistics.rank_rows import OfCell
from ..statistics.results import Results
from . import style
from .style import Drawing

FIGURES = (
    found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_p95_ms", "server_usr_pct",
    "server_sys_pct", "server_switches_per_tx", "ipc", "icache_misses_per_kinstr",
    "branch_miss_pct", "server_rss_mib",
)  # fmt: skip
ROW = 0.3  # inches


def draw(exp: Experiment, summaries: Cells) -> list[Drawing]:
    rows = [s for s in summaries if s.counted]
    arms = labels.arm_names(rows)
    if len(arms) < 2 or labels.has_axis(exp, rows):
        return []
    searched = all(map(found_rate.searched, rows))  # other figures are of all rates that were tried
    wanted = FIGURES[:1] if searched else FIGURES
    names = [n for n in wanted if any(n in s.figures for s in rows)]
    title, heads = "Side by side", [figures.headed(n) for n in names]
    figure, axes = style.panels(title, heads, ROW * len(rows) + 0.5, share_x=False)
    for ax, name in zip(axes, names):
        shown = [s for s in rows if name in s.figures]
        for row, s in enumerate(shown):
            box(ax, row, s.figures[name], arms.index(s.arm), s.held)
            ax.annotate(
                labels.short(s.figures[name].median) + figures.mark(name, s.figures), (1.01, row),
                va="center", fontsize=8.5,
                xycoords=("axes fraction", "data"), annotation_clip=False,
            )  # fmt: skip
        ax.set_yticks(range(len(shown)))
        wrapped = [textwrap.wrap(s.arm, 20, max_lines=2, placeholder="…") for s in shown]
        ax.set_yticklabels(["\n".join(lines) for lines in wrapped])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.grid(False, axis="y")
        ax.tick_params(axis="y", length=0)
        spreads = [s.figures[name] for s in shown]
        scale(ax, min(s.min for s in spreads), max(s.max for s in spreads))
    entries: style.Entries = []
    if max(s.counted for s in rows) > 1:
        least = min((s.counted for s in rows if s.counted >= stats.LEAST), default=0)
        sure = ", box: its %g %% interval" % (100 * stats.confidence(least, 1)) if least else ""
        entries.append(style.blank_key("mark: median%s, line: range of the runs that count" % sure))
    few = any(figures.mark(n, s.figures) for n in names for s in rows if n in s.figures)
    entries += [style.blank_key(figures.FEW)] * few
    style.key(figure, entries + [style.white_key()] * any(not s.held for s in rows))
    return [Drawing("arms", title, " ".join(alt(rows, n) for n in names), figure)]


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
        ax.xaxis.set_major_locator(ticker.LogLocator())
        ax.xaxis.set_minor_locator(ticker.NullLocator())
        ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: "%g" % v))
        style.note_log(ax)
        return
    ax.xaxis.set_major_locator(ticker.MaxNLocator(5))
    if low > high / 2:
        margin = max((high - low) * 0.08, high * 0.01)
        ax.set_xlim(low - margin, high + margin)
    else:
        ax.set_xlim(min(low, 0), high * 1.05 or 1)


def alt(rows: Cells, name: str) -> str:
    about = figures.column(name)
    texts = []
    for s, f in ((s, s.figures[name]) for s in rows if name in s.figures):
        held = "" if s.held else ", rate not held"
        values = " median %s, %s to %s" % tuple(map(labels.short, (f.median, f.min, f.max)))
        texts.append("%s:%s of %d runs%s" % (labels.cell_text(s.cell), values, f.n, held))
    return "%s%s. %s." % (about.title, " in " + about.unit if about.unit else "", "; ".join(texts))


# ---- What a transaction consists of, arm beside arm: its waits and system calls by name

# The bars are the rows of the tables of breakdown.py, the thin lines the runs that count.  A part
# that is not known of an arm has no bar.


ROOM = 0.8  # of a part's place, for its bars
PART_ROW = 0.13  # inches, of a bar
WIDE = 2.0  # times the longest bar: thin lines that are longer leave the picture


def draw_parts(results: Results) -> list[Drawing]:
    """A picture a table."""
    drawn = []
    for kind, mine in by(results.breakdowns, lambda one: one.kind).items():
        for one in mine:
            where = breakdown.title_of(results.exp, one).partition(" transaction")[2]
            name = style.slug(kind.name + where * (len(mine) > 1))
            drawn.append(parts_picture(results, one, name))
    return drawn


def parts_picture(results: Results, one: breakdown.Breakdown, name: str) -> Drawing:
    title, arms = breakdown.title_of(results.exp, one), labels.arm_names(results.summaries)
    parts, width = one.parts[1 : breakdown.MOST + 1], ROOM / len(one.cells)
    height = 0.5 + max(PART_ROW * len(one.cells), 0.24) / ROOM * len(parts)
    head = "%s per transaction" % one.kind.unit.replace("us", "µs")
    figure, (ax,) = style.panels(title, [head], height)
    for row, part in enumerate(parts):
        for i, (s, spread) in enumerate(zip(one.cells, part.spreads)):
            if spread:
                y, colour = row - ROOM / 2 + width * (i + 0.5), style.colour(arms.index(s.arm))
                gid = "part-%d-%d" % (row, i)
                ax.barh([y], [spread.median], width * 0.9, color=colour, gid=gid)
                ax.plot([spread.min, spread.max], [y, y], color="black", linewidth=0.9)
    ax.set_yticks(range(len(parts)))
    ax.set_yticklabels([p.name.replace(" under ", "\nunder ") for p in parts], fontsize=8)
    ax.set_ylim(len(parts) - 0.5, -0.5)
    longest = [max(e) for p in parts if (e := [s.median for s in p.spreads if s])]
    ax.set_xlim(0, min(ax.get_xlim()[1], WIDE * max(longest, default=1)))
    ax.grid(False, axis="y")
    named = [s.arm for s in one.cells if s.arm]
    entries = [style.patch_key(arm, color=style.colour(arms.index(arm))) for arm in named]
    ranged = any(s and s.min < s.max for part in one.parts for s in part.spreads)
    style.key(figure, entries + [style.range_key("black")] * ranged)
    told = [(p.name, ", ".join(map(breakdown.shown, p.spreads))) for p in (one.parts[0], *parts)]
    who = " and ".join(labels.cell_text(s.cell) for s in one.cells)
    words = one.kind.unit.capitalize(), who, "; ".join("%s: %s" % both for both in told)
    return Drawing(name, title, "%s per transaction of %s. %s." % words, figure)


# ---- The load hosts side by side: throughput, response time and CPU of each rank, cell by cell

# Ranks that share a load evenly are one mark upon the other; one that stands apart is slow, far
# away or short of CPU.  A ring is around those that sysbench says differ.


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


def draw_ranks(results: Results) -> list[Drawing]:
    cells = rank_rows.cells(results)[:MOST]
    names = [n for n in TITLES if any(r.figures[n] is not None for c in cells for r in c.ranks)]
    if not names:
        return []
    title = "Load hosts"
    figure, axes = style.panels(title, [TITLES[n] for n in names], 1.7)
    for ax, name in zip(axes, names):
        for place, cell in enumerate(cells):
            # Beside each other, the leader at the left.
            for i, rank in enumerate(cell.ranks):
                if (value := rank.figures[name]) is None:
                    continue
                x = place + WIDTH * ((i + 0.5) / len(cell.ranks) - 0.5)
                ax.plot([x], [value], gid="rank-%d" % rank.rank, **look(rank.rank))
                if cell.apart(rank):
                    ring = {"marker": "o", "markersize": 12, "markerfacecolor": "none"}
                    ax.plot([x], [value], linestyle="", color=style.GREY, gid="apart", **ring)
        known = [r.figures[name] for c in cells for r in c.ranks]
        style.plain_y(ax, [v for v in known if v is not None], False)
    places(axes[-1], results, cells)
    for ax in axes:
        for edge in [begin for begin, _, _ in groups(results, cells)][1:]:
            ax.axvline(edge - 0.5, color=style.GREY, linewidth=0.8, linestyle=":")
    ranks = sorted({r.rank: r.host for c in cells for r in c.ranks}.items())
    style.key(figure, [style.line_key(rank_rows.who(n, h), **look(n)) for n, h in ranks])
    parts = ["Figures of each load host."]
    for cell, rank in ((c, r) for c in cells for r in c.ranks):
        told = ["%s %s" % (TITLES[n].lower(), rank_rows.shown(n, rank)) for n in names]
        where = labels.cell_text(cell.summary.cell), rank_rows.who(rank.rank, rank.host)
        parts.append("%s, %s: %s." % (*where, "; ".join(told)))
    return [Drawing("load-hosts", title, " ".join(parts), figure)]


def places(ax: Any, results: Results, cells: Sequence[OfCell]) -> None:

    x = results.exp.x
    texts = [c.summary.cell.levels.get(x) or str(n + 1) for n, c in enumerate(cells)]
    ax.xaxis.set_major_locator(ticker.FixedLocator(list(range(len(cells)))))
    ax.xaxis.set_major_formatter(ticker.FixedFormatter([t[:LONGEST] for t in texts]))
    ax.set_xlim(-0.5, len(cells) - 0.5)
    named = groups(results, cells)
    if len(named) > 1:
        for begin, end, text in named:
            middle, room = (begin + end) / 2, int(LINE * (end - begin + 1) / len(cells))
            ax.annotate(
                cut(text, room), (middle, 0), xycoords=("data", "axes fraction"),
                xytext=(0, -BELOW), textcoords="offset points", ha="center", va="top", gid="group",
            )  # fmt: skip
    heading = labels.capital(labels.heading(x)) if x else "Cell, in the order of the table"
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


def look(rank: int) -> dict[str, Any]:
    return {**style.line_style(rank), "linestyle": "", "markersize": 6}
