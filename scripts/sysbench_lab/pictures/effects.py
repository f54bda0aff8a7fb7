# SPDX-License-Identifier: GPL-2.0-or-later
"""By how many per cent each workload changes from the baseline to an arm: a panel a figure.

    Throughput, change in %
      |  ▂▃▄▅   ▅▅▄▄
      +--------------------
        select  read-only       one bar a level of the axis, in its order

Below each other, the panels show which counter explains a gain: transactions per cycle, misses,
instructions per cycle.  A thin line is the interval of the change.
"""

import math
import textwrap
from typing import Any, Sequence

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..plan import labels
from ..plan.model import Effect, Experiment
from ..results import figures
from ..statistics import answer, stats
from ..statistics.answer import Pair
from . import style
from .style import Drawing, Entries

FIGURES = (
    "tps", "tx_per_mcycle", "ipc", "instructions_per_tx", "icache_misses_per_kinstr",
    "itlb_misses_per_kinstr", "branch_miss_pct", "server_cpu_us_per_tx", "response_p95_ms",
    "power_w", "power_above_idle_w",
)  # fmt: skip
LEAST_PCT = 1.0  # to both sides of nothing: less fills no panel
ROOM = 0.8  # of the distance between workloads, for their bars


def draw(exp: Experiment, summaries: Any) -> list[Drawing]:
    """A picture an arm; none unless both the workload and something else varies."""
    work = labels.work_factor(exp)
    if not work:
        return []
    by_arm: dict[str, list[Pair]] = {}
    for pair in answer.all_pairs(exp, summaries):
        if all(s.counted for s in pair):
            by_arm.setdefault(", ".join(answer.variant(exp, pair[1])), []).append(pair)
    return [
        picture(exp, work, arm, pairs, "change" + ("-%d" % n if len(by_arm) > 1 else ""))
        for n, (arm, pairs) in enumerate(by_arm.items(), 1)
    ]


def picture(exp: Experiment, work: str, arm: str, pairs: Sequence[Pair], file: str) -> Drawing:
    base = ", ".join(answer.variant(exp, pairs[0][0]))
    names = [n for n in FIGURES if any(n in a.figures and n in b.figures for a, b in pairs)]
    works = list(dict.fromkeys(s.cell.levels[work] for _, s in pairs))
    places = list(dict.fromkeys(s.cell.levels.get(exp.x, "") for _, s in pairs))
    title = "%s: change from %s" % (arm, base)
    figure, axes = style.panels(title, len(names), 1.35)
    texts = [title + "."]
    for ax, name in zip(axes, names):
        style.head(ax, figures.column(name).title + ", change in %")
        said = [panel_bar(ax, exp, name, p, works.index(p[1].cell.levels[work]), places)
                for p in pairs]  # fmt: skip
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(range(len(works)))
        names_of = ["\n".join(textwrap.wrap(w.replace("_", " "), 12)) for w in works]
        ax.set_xticklabels(names_of, fontsize=8)
        ax.grid(False, axis="x")
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, -LEAST_PCT), max(high, LEAST_PCT))
        texts.append("%s: %s." % (figures.column(name).title, ", ".join(filter(None, said))))

    entries: Entries = [
        (
            Patch(facecolor=shade(i, len(places)), edgecolor=style.colour(0)),
            labels.level_text(exp.x, level),
        )
        for i, level in enumerate(places)
        if level
    ]
    least = min(s.counted for pair in pairs for s in pair)
    if least >= stats.LEAST:
        upright = Line2D([], [], color="black", marker="|", markersize=11, linestyle="")
        entries.append((upright, "%g %% interval" % (100 * stats.confidence(least))))
    if any(not s.held for pair in pairs for s in pair):
        entries.append((Patch(facecolor="white", edgecolor=style.GREY), "rate not held"))
    style.key(figure, entries)
    return Drawing(file, title, " ".join(texts), figure)


def panel_bar(
    ax: Any, exp: Experiment, name: str, pair: Pair, work: int, places: Sequence[str]
) -> str:
    """A bar, and what it says in words; "" where one of both lacks the figure."""
    found = effect_of(exp, name, pair)
    if found is None:
        return ""
    width = ROOM / len(places)
    number = places.index(pair[1].cell.levels.get(exp.x, ""))
    x = work - ROOM / 2 + width * (number + 0.5)
    face = shade(number, len(places)) if all(s.held for s in pair) else "white"
    ax.bar([x], [per_cent(found.ratio)], width * 0.92, color=face, edgecolor=style.colour(0),
           linewidth=0.6, gid="change-%d-%d" % (work, number))  # fmt: skip
    if found.low is not None and found.high is not None and math.isfinite(found.high):
        ends = [per_cent(found.low), per_cent(found.high)]
        ax.plot([x, x], ends, color="black", linewidth=0.9)
    return "%s %s" % (labels.cell_text(pair[1].cell), answer.per_cent(found))


def effect_of(exp: Experiment, name: str, pair: Pair) -> Effect | None:
    base, other = (s.figures.get(name) for s in pair)
    if base is None or other is None:
        return None
    found = stats.effect(base.values, other.values, name, exp.measure.seed)
    return found if math.isfinite(found.ratio) else None


def per_cent(ratio: float) -> float:
    return 100 * (ratio - 1)


def shade(number: int, count: int) -> str:
    """The later a level on the axis, the stronger."""
    return style.pale(0, (number + 1) / count)
