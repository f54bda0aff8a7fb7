# SPDX-License-Identifier: GPL-2.0-or-later
"""What a transaction consists of, arm beside arm: its waits and system calls by name.

The bars are the rows of the tables of breakdown.py, the thin lines the runs that count.  A part
that is not known of an arm has no bar.
"""

from matplotlib.patches import Patch

from ..plan import labels
from ..statistics import breakdown
from ..statistics.results import Results
from . import style
from .style import Drawing, Entries

ROOM = 0.8  # of a part's place, for its bars
ROW = 0.13  # inches, of a bar
WIDE = 2.0  # times the longest bar: thin lines that are longer leave the picture


def draw(results: Results) -> list[Drawing]:
    """A picture a table."""
    drawn = []
    for kind in breakdown.KINDS:
        mine = [one for one in results.breakdowns if one.kind is kind]
        for n, one in enumerate(mine, 1):
            number = "-%d" % n if len(mine) > 1 else ""
            drawn.append(picture(results, one, kind.name.replace(" ", "-") + number))
    return drawn


def picture(results: Results, one: breakdown.Breakdown, name: str) -> Drawing:
    title, arms = breakdown.title_of(results.exp, one), labels.arm_names(results.summaries)
    parts, width = one.parts[1 : breakdown.MOST + 1], ROOM / len(one.cells)
    height = 0.5 + max(ROW * len(one.cells), 0.24) / ROOM * len(parts)
    figure, (ax,) = style.panels(title, 1, height)
    style.head(ax, "%s per transaction" % one.kind.unit.replace("us", "µs"))
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
    style.key(figure, key(one, arms))
    return Drawing(name, title, alt(one), figure)


def key(one: breakdown.Breakdown, arms: list[str]) -> Entries:

    entries = [(Patch(color=style.colour(arms.index(s.arm))), s.arm) for s in one.cells if s.arm]
    spread = any(s and s.min < s.max for part in one.parts for s in part.spreads)
    return entries + [style.range_key("black")] * spread


def alt(one: breakdown.Breakdown) -> str:
    told = [
        "%s: %s" % (p.name, ", ".join(map(breakdown.shown, p.spreads)))
        for p in one.parts[: breakdown.MOST + 1]
    ]
    who = " and ".join(labels.cell_text(s.cell) for s in one.cells)
    return "%s per transaction of %s. %s." % (one.kind.unit.capitalize(), who, "; ".join(told))
