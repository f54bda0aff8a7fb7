# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures against the numeric factor: a panel a figure, a line an arm, a point a cell.

PICTURES is the table of them.  Where the workload varies, a figure has a picture, and in it each
workload a panel with a scale of its own.  A point is the median of the runs that count, its bar
reaches from the least to the greatest of them, and it is hollow when the rate was not held.  CPU is
drawn as bars with %usr below and %sys, pale, on top of it; they add up to the median of their sum.
"""

import dataclasses
import math
import textwrap
from typing import Any, Mapping, NamedTuple, Sequence

from ..plan import found_rate, labels
from ..plan.model import Cells, CellSummary, Experiment, by
from ..results import figures
from ..statistics import answer, stats
from ..statistics.answer import Pair
from . import style
from .style import Drawing, Entries


class Kind(NamedTuple):
    name: str  # of the file
    title: str
    figures: tuple[str, ...]


# fmt: off
PICTURES = (
    Kind("highest-rate", "Highest rate", (found_rate.HELD, found_rate.MISSED)),
    Kind("throughput", "Throughput", ("tps",)),
    Kind("response-time", "Response time",
        ("response_p50_ms", "response_p95_ms", "response_p99_ms")),
    Kind("service-and-lag", "Service time and lag", ("service_p95_ms", "lag_p95_ms")),
    Kind("cost", "Server cost of a transaction",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx")),
    Kind("counters", "IPC and miss rates of the server",
        ("ipc", "tx_per_mcycle", "icache_misses_per_kinstr", "itlb_misses_per_kinstr",
         "branch_miss_pct")),
    Kind("memory", "Memory and threads of the server", ("server_rss_mib", "server_threads")),
    Kind("host", "The server's host", ("host_runnable", "host_switches_per_s", "host_iowait_pct")),
    Kind("power", "Power and clock frequency", ("power_w", "power_above_idle_w", "cpu_mhz")),
    Kind("generator", "The load generator", ("client_cpu_pct", "lag_p99_ms")),
)
# fmt: on

Works = Mapping[str, Cells]
Panel = tuple[str, str, Cells]  # its head, its figure, the cells that have it


def draw(exp: Experiment, summaries: Cells) -> list[Drawing]:
    """All pictures whose figures were measured; none without two levels of a numeric factor."""
    points = [s for s in summaries if s.counted and labels.x_of(exp, s.cell) is not None]
    if not labels.has_axis(exp, points):
        return []
    # the cells of each workload, whose arms are called without it; all under "" if it does not vary
    work = labels.work_factor(exp)
    works: dict[str, list[CellSummary]] = {}
    for s in points:
        rest = ", ".join(v for k, v in s.cell.levels.items() if k not in (exp.x, work))
        works.setdefault(s.cell.levels.get(work, ""), []).append(dataclasses.replace(s, arm=rest))
    found: list[Drawing | None] = []
    for kind in PICTURES:
        if len(works) > 1:
            found += [work_by_work(exp, works, kind, name) for name in kind.figures]
        else:
            names = [n for n in kind.figures if any(n in s.figures for s in points)]
            panels = [(style.label_of(n), n, [s for s in points if n in s.figures]) for n in names]
            title, words = title_of(exp, kind.title), alt(exp, points, names)
            found += [drawn(exp, kind.name, title, words, panels, points)] if panels else []
        if kind.name == "response-time":
            found.append(stacked_cpu(exp, works))
    if all(map(found_rate.searched, points)):  # other figures are of all the rates that were tried
        found = found[: 1 if len(works) < 2 else len(PICTURES[0].figures)]
    return [drawing for drawing in found if drawing]


def work_by_work(exp: Experiment, works: Works, kind: Kind, name: str) -> Drawing | None:
    known = having(works, [name])
    about = figures.column(name)
    title = title_of(exp, about.title) + (", " + about.unit if about.unit else "")
    file = kind.name + ("-" + name.replace("_", "-") if len(kind.figures) > 1 else "")
    panels = [(work, name, points) for work, points in known.items()]
    every = [s for points in known.values() for s in points]
    words = alt_of_works(exp, known, [name])
    return drawn(exp, file, title, words, panels, every) if panels else None


def having(works: Works, names: Sequence[str]) -> Works:
    """The cells that have these figures, and the workloads with such cells."""
    found = {w: [s for s in p if all(n in s.figures for n in names)] for w, p in works.items()}
    return {work: points for work, points in found.items() if points}


def drawn(
    exp: Experiment, file: str, title: str, words: str, panels: Sequence[Panel], every: Cells
) -> Drawing:
    """Panels above one axis."""
    figure, axes = style.panels(title, [head for head, _, _ in panels], 1.75, alone=2.9)
    for ax, (_, name, points) in zip(axes, panels):
        panel(ax, exp, points, name)
        style.plain_y(ax, [e for s in points for e in ends_of(s, name)], name.endswith("_ms"))
    style.plain_x(axes[-1], levels(exp, every), labels.heading(exp.x))
    hollow = any(not s.held for s in every)
    spread = any(has_range(s, name) for _, name, points in panels for s in points)
    style.key(figure, style.arm_key(labels.arm_names(every), hollow, spread))
    return Drawing(file, title, words, figure)


def alt_of_works(exp: Experiment, works: Works, names: Sequence[str]) -> str:
    said = [(work and work + ":", alt(exp, points, names)) for work, points in works.items()]
    return " ".join(text for both in said for text in both if text)


def title_of(exp: Experiment, title: str) -> str:
    return "%s against %s" % (title, labels.heading(exp.x))


def levels(exp: Experiment, points: Cells) -> list[float]:
    return sorted({x for s in points if (x := labels.x_of(exp, s.cell)) is not None})


def line_of(exp: Experiment, points: Cells, arm: str) -> list[CellSummary]:
    mine = [s for s in points if s.arm == arm]
    return sorted(mine, key=lambda s: labels.x_of(exp, s.cell) or 0)


def ends_of(summary: CellSummary, name: str) -> tuple[float, float]:
    return summary.figures[name].min, summary.figures[name].max


def has_range(summary: CellSummary, name: str) -> bool:
    return summary.figures[name].max > summary.figures[name].min


def panel(ax: Any, exp: Experiment, points: Cells, name: str) -> None:
    arms = labels.arm_names(points)
    for number, arm in enumerate(arms):
        mine = [s for s in line_of(exp, points, arm) if name in s.figures]
        xs = [labels.x_of(exp, s.cell) for s in mine]
        ys = [s.figures[name].median for s in mine]
        ax.plot(xs, ys, gid="line-%d" % number, **style.line_style(number))
        for x, y, s in zip(xs, ys, mine):
            if has_range(s, name):
                (bar,) = ax.plot([x, x], ends_of(s, name), color=style.colour(number), linewidth=1)
                style.aside(bar, number, len(arms))
            if not s.held:
                hollow = {**style.line_style(number), "markerfacecolor": "white", "zorder": 5}
                ax.plot([x], [y], gid="hollow-%d" % number, markeredgewidth=1.6, **hollow)


def alt(exp: Experiment, points: Cells, names: Sequence[str]) -> str:
    """All medians in words."""
    parts = []
    for name in names:
        parts.append("%s against %s." % (figures.column(name).title, labels.heading(exp.x)))
        for arm in labels.arm_names(points):
            mine = [s for s in line_of(exp, points, arm) if name in s.figures]
            pairs = [(s.cell.levels[exp.x], s.figures[name].median, s.held) for s in mine]
            lead = arm + ": " if arm else ""
            # "7.26 at 1, 949 (rate not held) at 2048"
            texts = [
                "%s%s at %s" % (labels.short(value), "" if held else " (rate not held)", level)
                for level, value, held in pairs
            ]
            parts.append("%s%s %s." % (lead, ", ".join(texts), figures.column(name).unit))
    return " ".join(" ".join(parts).split()).replace(" .", ".")


# ---- CPU, stacked --------------------------------------------------------------


def stacked_cpu(exp: Experiment, works: Works) -> Drawing | None:
    """Bars of %usr and %sys; the arms of a level stand side by side."""
    drawn = having(works, figures.CPU)
    every = [s for points in drawn.values() for s in points]
    if not drawn:
        return None
    title = title_of(exp, "Server CPU")
    arms = labels.arm_names(every)
    unit = "%s, %% of all CPUs" % labels.server_name(s.cell.settings for s in every)
    heads = [": ".join(filter(None, (work, unit))) for work in drawn]
    figure, axes = style.panels(title, heads, 1.75, alone=2.9)
    for ax, points in zip(axes, drawn.values()):
        xs = levels(exp, points)
        style.plain_x(ax, xs, labels.heading(exp.x) if ax is axes[-1] else "")
        for number, arm in enumerate(arms):
            for s in line_of(exp, points, arm):
                at = place(xs, labels.x_of(exp, s.cell) or 0, number, len(arms))
                bar(ax, s, number, *at)
        style.plain_y(ax, [s.figures["server_cpu_pct"].max for s in points], False)
    entries = style.patches(style.colour, arms)
    faces = (style.GREY, "#B5B5B5") if entries else (style.colour(0), style.pale(0))
    for text, face in zip(("%usr", "%sys, pale"), faces):
        entries.append(style.patch_key(text, facecolor=face, edgecolor=face))
    entries += [style.white_key()] * any(not s.held for s in every)
    if any(has_range(s, "server_cpu_pct") for s in every):
        entries.append(style.range_key("black"))
    style.key(figure, entries)
    return Drawing("server-cpu", title, alt_of_works(exp, drawn, figures.CPU), figure)


def place(xs: Sequence[float], x: float, number: int, count: int) -> tuple[float, float]:
    """Left edge and width of a bar: all bars of a level fill two thirds of the narrowest gap."""
    if style.is_log(xs):
        gap = min(b / a for a, b in zip(xs, xs[1:]))
        whole = min(gap, 4.0) ** (2 / 3)
        edges = [x * whole ** (i / count - 0.5) for i in (number, number + 1)]
    else:
        whole = min((b - a for a, b in zip(xs, xs[1:])), default=1.0) * 2 / 3
        edges = [x + whole * (i / count - 0.5) for i in (number, number + 1)]
    return edges[0], (edges[1] - edges[0]) * 0.92


def bar(ax: Any, s: CellSummary, number: int, left: float, width: float) -> None:
    usr, sys = figures.cpu_parts(s.figures)
    faces = (style.colour(number), style.pale(number)) if s.held else ("white", "white")
    common = {"align": "edge", "edgecolor": style.colour(number), "linewidth": 1.2}
    ax.bar([left], [usr], width, color=faces[0], gid="usr-%d" % number, **common)
    ax.bar([left], [sys], width, bottom=[usr], color=faces[1], gid="sys-%d" % number, **common)
    total = s.figures["server_cpu_pct"]
    if total.max > total.min:
        middle = (left * (left + width)) ** 0.5 if ax.get_xscale() == "log" else left + width / 2
        ax.plot([middle, middle], [total.min, total.max], color="black", linewidth=1)


# ---- By how many per cent each workload changes from the baseline to an arm: a panel a figure

#     Throughput, change in %
#       |  ▂▃▄▅   ▅▅▄▄
#       +--------------------
#         select  read-only       one bar a level of the axis, in its order
#
# Below each other, the panels show which counter explains a gain: transactions per cycle, misses,
# instructions per cycle.  A thin line is the interval of the change.


FIGURES = (
    "tps", "tx_per_mcycle", "ipc", "instructions_per_tx", "icache_misses_per_kinstr",
    "itlb_misses_per_kinstr", "branch_miss_pct", "server_cpu_us_per_tx", "response_p95_ms",
    "power_w", "power_above_idle_w",
)  # fmt: skip
LEAST_PCT = 1.0  # to both sides of nothing: less fills no panel
ROOM = 0.8  # of the distance between workloads, for their bars


def draw_effects(exp: Experiment, summaries: Any) -> list[Drawing]:
    """A picture an arm; none unless both the workload and something else varies."""
    work = labels.work_factor(exp)
    if not work:
        return []
    counted = [p for p in answer.all_pairs(exp, summaries) if all(s.counted for s in p)]
    by_arm = by(counted, lambda pair: ", ".join(answer.variant(exp, pair[1])))
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
    heads = [figures.column(n).title + ", change in %" for n in names]
    figure, axes = style.panels(title, heads, 1.35)
    texts = [title + "."]
    for ax, name in zip(axes, names):
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

    entries: Entries = []
    for i, level in enumerate(filter(None, places)):
        look = {"facecolor": shade(i, len(places)), "edgecolor": style.colour(0)}
        entries.append(style.patch_key(labels.level_text(exp.x, level), **look))
    least = min(s.counted for pair in pairs for s in pair)
    if least >= stats.LEAST:
        sure = 100 * stats.confidence(least)
        entries.append(style.range_key("black", "%g %% interval" % sure))
    if any(not s.held for pair in pairs for s in pair):
        entries.append(style.white_key("rate not held"))
    style.key(figure, entries)
    return Drawing(file, title, " ".join(texts), figure)


def panel_bar(
    ax: Any, exp: Experiment, name: str, pair: Pair, work: int, places: Sequence[str]
) -> str:
    """A bar, and what it says in words; "" where one of both lacks the figure."""
    base, other = (s.figures.get(name) for s in pair)
    if base is None or other is None:
        return ""
    found = stats.effect(base.values, other.values, name, exp.measure.seed)
    if not math.isfinite(found.ratio):
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


def per_cent(ratio: float) -> float:
    return 100 * (ratio - 1)


def shade(number: int, count: int) -> str:
    """The later a level on the axis, the stronger."""
    return style.pale(0, (number + 1) / count)
