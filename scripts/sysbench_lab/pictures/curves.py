# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures against the numeric factor: a panel a figure, a line an arm, a point a cell.

PICTURES is the table of them.  Where the workload varies, a figure has a picture, and in it each
workload a panel with a scale of its own.  A point is the median of the runs that count, its bar
reaches from the least to the greatest of them, and it is hollow when the rate was not held; the
line to it is dashed.  Points of fewer than three runs are not joined: they may be anywhere.  A
dotted line is where an arm crosses the baseline, if the answer says so.  CPU is drawn as bars with
%usr below and %sys, pale, on top of it; they add up to the median of their sum.
"""

from __future__ import annotations

import dataclasses
import math
import textwrap
from typing import Any, Mapping, NamedTuple, Sequence

from ..plan import contrasts, found_rate, labels
from ..plan.contrasts import Pair
from ..plan.model import Cells, CellSummary, Experiment, by
from ..results import figures
from ..statistics import answer, stats
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
    Kind("cost", "Server cost of a transaction",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx")),
    Kind("counters", "IPC and miss rates of the server",
        ("ipc", "tx_per_mcycle", "icache_misses_per_kinstr", "itlb_misses_per_kinstr",
         "branch_miss_pct")),
    Kind("memory", "Memory and threads of the server", ("server_rss_mib", "server_threads")),
    Kind("power", "Power and clock frequency", ("power_w", "power_above_idle_w", "cpu_mhz")),
)
# fmt: on

Works = Mapping[str, Cells]
Panel = tuple[str, str, Cells]  # its head, its figure, the cells that have it
Crossings = Mapping[str, Sequence[tuple[str, float]]]  # by figure, see answer.crossings()


def draw(exp: Experiment, summaries: Cells) -> list[Drawing]:
    """All pictures whose figures were measured; none without two levels of a numeric factor."""
    points = [s for s in summaries if s.counted and labels.x_of(exp, s.cell) is not None]
    if not labels.has_axis(exp, points):
        return []
    # the cells of each workload, whose arms are called without it; all under "" if it does not vary
    work = labels.work_factor(exp)
    works: dict[str, list[CellSummary]] = {}
    for s in points:
        rest = labels.levels_text(s.cell, exp.x, work)
        works.setdefault(s.cell.levels.get(work, ""), []).append(dataclasses.replace(s, arm=rest))
    crossings = answer.crossings(exp, summaries)
    found: list[Drawing | None] = []
    for kind in PICTURES:
        if len(works) > 1:
            found += [work_by_work(exp, works, kind, name, crossings) for name in kind.figures]
        else:
            names = [n for n in kind.figures if any(n in s.figures for s in points)]
            panels = [(figures.headed(n), n, [s for s in points if n in s.figures]) for n in names]
            title, words = title_of(exp, kind.title), alt(exp, points, names)
            found += [drawn(exp, kind.name, title, words, panels, crossings)] if panels else []
        if kind.name == "response-time":
            found.append(stacked_cpu(exp, works))
    if all(map(found_rate.searched, points)):  # other figures are of all the rates that were tried
        found = found[: 1 if len(works) < 2 else len(PICTURES[0].figures)]
    return [drawing for drawing in found if drawing]


def work_by_work(
    exp: Experiment, works: Works, kind: Kind, name: str, crossings: Crossings
) -> Drawing | None:
    known = having(works, [name])
    about = figures.column(name)
    unit = figures.headed(name).removeprefix(about.title)
    file = style.slug(about.title) if len(kind.figures) > 1 else kind.name
    panels = [(work, name, points) for work, points in known.items()]
    words = alt_of_works(exp, known, [name])
    title = title_of(exp, about.title) + unit
    return drawn(exp, file, title, words, panels, crossings) if panels else None


def having(works: Works, names: Sequence[str]) -> Works:
    """The cells that have these figures, and the workloads with such cells."""
    found = {w: [s for s in p if all(n in s.figures for n in names)] for w, p in works.items()}
    return {work: points for work, points in found.items() if points}


def drawn(
    exp: Experiment, file: str, title: str, words: str, panels: Sequence[Panel],
    crossings: Crossings,
) -> Drawing:  # fmt: skip
    """Panels above one axis."""
    figure, axes = style.panels(title, [head for head, _, _ in panels], 1.75, alone=2.9)
    entries = fill(axes, exp, panels, crossings)
    style.plain_x(axes[-1], levels(exp, panels), labels.heading(exp.x))
    style.key(figure, entries)
    return Drawing(file, title, words, figure)


def fill(
    axes: Sequence[Any], exp: Experiment, panels: Sequence[Panel], crossings: Crossings
) -> Entries:
    """The lines of all panels; returns what the legend says of them."""
    for ax, (head, name, points) in zip(axes, panels):
        panel(ax, exp, points, name)
        log = name.endswith("_ms") or (name == "tps" and head != figures.headed(name))
        style.plain_y(ax, [e for s in points for e in ends_of(s, name)], log)
        cross(ax, exp, points, crossings.get(name, ()))
    every = [s for _, _, points in panels for s in points]
    shown = [s.figures[name] for _, name, points in panels for s in points]
    hollow, spread = any(not s.held for s in every), any(f.max > f.min for f in shown)
    entries = style.arm_key(labels.arm_names(every), hollow, spread)
    if any(f.n < stats.LEAST for f in shown):
        entries.append(style.blank_key("not joined: fewer than %d runs" % stats.LEAST))
    if any(figures.mark(name, s.figures) for _, name, points in panels for s in points):
        entries.append(style.blank_key(figures.FEW))
    if any(line.get_gid() == "crossing" for ax in axes for line in ax.get_lines()):
        base = contrasts.baseline(exp, (s.cell for s in every)).items()
        text = "crosses " + ", ".join(labels.level_text(*level) for level in base)
        entries.append(style.line_key(text, color=style.GREY, linestyle=":"))
    return entries


def alt_of_works(exp: Experiment, works: Works, names: Sequence[str]) -> str:
    said = [(work and work + ":", alt(exp, points, names)) for work, points in works.items()]
    return " ".join(text for both in said for text in both if text)


def title_of(exp: Experiment, title: str) -> str:
    return "%s against %s" % (title, labels.heading(exp.x))


def levels(exp: Experiment, panels: Sequence[Panel]) -> list[float]:
    every = (s for _, _, points in panels for s in points)
    return sorted({x for s in every if (x := labels.x_of(exp, s.cell)) is not None})


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
        look = style.line_style(number)
        ax.plot(xs, ys, gid="line-%d" % number, **{**look, "linestyle": ""})
        for i, ends in enumerate(zip(mine, mine[1:])):
            if all(s.figures[name].n >= stats.LEAST for s in ends):
                kind = look["linestyle"] if all(s.held for s in ends) else style.DASHED
                join = {**look, "marker": "", "linestyle": kind, "gid": "join-%d" % number}
                ax.plot(xs[i : i + 2], ys[i : i + 2], **join)
        for x, y, s in zip(xs, ys, mine):
            if has_range(s, name):
                (bar,) = ax.plot([x, x], ends_of(s, name), color=style.colour(number), linewidth=1)
                style.aside(bar, number, len(arms))
            if figures.mark(name, s.figures):
                ax.annotate(
                    figures.FEW_MARK, (x, y), xytext=(4, 1), textcoords="offset points",
                    fontsize=11, color=style.colour(number),
                )  # fmt: skip
            if not s.held:
                hollow = {**look, "linestyle": "", "markerfacecolor": "white", "zorder": 5}
                ax.plot([x], [y], gid="hollow-%d" % number, markeredgewidth=1.6, **hollow)


def cross(ax: Any, exp: Experiment, points: Cells, found: Sequence[tuple[str, float]]) -> None:
    """Where an arm crosses the baseline."""
    arms = labels.arm_names(points)
    for name, s in {labels.levels_text(s.cell, exp.x): s for s in points}.items():
        for _, x in (one for one in found if one[0] == name):
            colour = style.colour(arms.index(s.arm))
            ax.axvline(x, color=colour, linewidth=1.2, linestyle=":", gid="crossing")
            ax.annotate(
                "about {:,g}".format(x), (x, 0.97), xycoords=("data", "axes fraction"), va="top",
                xytext=(3, 0), textcoords="offset points", fontsize=8, color=colour,
            )  # fmt: skip


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
        xs = levels(exp, [("", "", points)])
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


# ---- By how many per cent arms differ from the baseline, a panel a figure

#     Server CPU/tx, change in %
#       |  ▂▃▄▅   ▅▅▄▄
#       +--------------------
#            16    128           one bar an arm
#
# Where the workload varies, there is a picture an arm, in it a place a workload and a bar a level.
# Below each other, the panels show which counter explains a gain: transactions per cycle, misses,
# instructions per cycle.  A thin line is the interval of the change; where there is none, there is
# no bar either: one run more might turn it round.


FIGURES = (
    found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_p95_ms", "tx_per_mcycle", "ipc",
    "instructions_per_tx", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct",
    "power_w", "power_above_idle_w",
)  # fmt: skip
LEAST_PCT = 1.0  # to both sides of nothing: less fills no panel
MAIN = 4  # of them are drawn of arms along the axis
ROOM = 0.8  # of the distance between places, for their bars

Bars = Sequence[tuple[str, str]]  # their names, and their colours


def draw_effects(exp: Experiment, summaries: Any) -> list[Drawing]:
    """None without a baseline, without an axis or workloads, and without any interval."""
    work = labels.work_factor(exp)
    pairs = [p for p in contrasts.pairs(exp, summaries) if all(s.counted for s in p)]
    sure = any(all(map(answer.supports, p)) for p in pairs)
    if not sure or not (work or labels.has_axis(exp, summaries)):
        return []
    if not work:
        pairs = sorted(pairs, key=lambda p: labels.x_of(exp, p[1].cell) or 0)
        arms = labels.arm_names(summaries)
        found = by(pairs, lambda pair: bar_of(exp, exp.x, pair))
        # an arm has the colour that it has in other pictures
        shades = [arms.index(name) if name in arms else i for i, name in enumerate(found)]
        bars = list(zip(found, map(style.colour, shades)))
        title = "Change: " + "; ".join(contrasts.compared(exp, summaries))
        return [picture(exp, exp.x, title, pairs, bars, "change")]
    axes = [exp.x, *(f.name for f in exp.factors if contrasts.other_work(f))]
    found = by(pairs, lambda pair: labels.pair_text(pair[0].cell, pair[1].cell, *axes))
    drawn = []
    for name, mine in found.items():
        names = list(dict.fromkeys(bar_of(exp, work, pair) for pair in mine))
        bars = [(n, style.pale(0, (i + 1) / len(names))) for i, n in enumerate(names)]
        file = "change" + ("-" + style.slug(name) if len(found) > 1 else "")
        drawn.append(picture(exp, work, "Change: " + name, mine, bars, file))
    return drawn


def bar_of(exp: Experiment, groups: str, pair: Pair) -> str:
    """Which bar a pair is at its place: what is compared; among workloads its level."""
    if groups == exp.x:
        return contrasts.pair_text(exp, pair, exp.x)
    return labels.levels_text(pair[1].cell, groups, *(f.name for f in contrasts.variants(exp)))


def picture(
    exp: Experiment, groups: str, title: str, pairs: Sequence[Pair], bars: Bars, file: str
) -> Drawing:
    held = [all(s.held for s in pair) for pair in pairs]
    if any(found_rate.searched(s) for pair in pairs for s in pair):
        wanted: Sequence[str] = FIGURES[:1]  # all others are of all the rates that it tried
    else:
        wanted = FIGURES[2:] if all(held) and answer.same_rate(pairs) else FIGURES[1:]
        wanted = wanted if groups != exp.x else [n for n in wanted if n in FIGURES[:MAIN]]
    names = [n for n in wanted if any(n in a.figures and n in b.figures for a, b in pairs)]
    places = list(dict.fromkeys(s.cell.levels[groups] for _, s in pairs))
    heads = [figures.column(n).title + ", change in %" for n in names]
    figure, axes = style.panels(title, heads, 1.35)
    texts = [title + "."]
    for ax, name in zip(axes, names):
        said = [bar_at(ax, exp, name, p, places.index(p[1].cell.levels[groups]),
                       bar_of(exp, groups, p), bars) for p in pairs]  # fmt: skip
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(range(len(places)))
        wrapped = ["\n".join(textwrap.wrap(w.replace("_", " "), 12)) for w in places]
        ax.set_xticklabels(wrapped, fontsize=9 if groups == exp.x else 8)
        ax.grid(False, axis="x")
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, -LEAST_PCT), max(high, LEAST_PCT))
        texts.append("%s: %s." % (figures.column(name).title, ", ".join(filter(None, said))))
    if groups == exp.x:
        axes[-1].set_xlabel(labels.capital(labels.heading(exp.x)))
    entries = [style.patch_key(name, facecolor=face) for name, face in bars if name]
    known = [[s.figures[n].n for s in p] for p in pairs for n in names if n in p[0].figures
             and n in p[1].figures]  # fmt: skip
    sizes = [min(both) for both in known if min(both) >= stats.LEAST]
    sure = 100 * stats.confidence(min(sizes))
    entries.append(style.range_key("black", "%g %% interval" % sure))
    if len(sizes) < len(pairs) * len(names):
        entries.append(style.blank_key("no bar: no interval"))
    style.key(figure, entries + [style.white_key()] * (not all(held)))
    return Drawing(file, title, " ".join(texts), figure)


def bar_at(ax: Any, exp: Experiment, name: str, pair: Pair, at: int, bar: str, bars: Bars) -> str:
    """A bar, and what it says in words; "" without an interval."""
    base, other = (s.figures.get(name) for s in pair)
    if base is None or other is None or not all(map(answer.supports, pair)):
        return ""
    found = stats.effect(base.values, other.values, name, exp.measure.seed)
    ends = [r for r in (found.ratio, found.low, found.high) if r is not None and math.isfinite(r)]
    if len(ends) < 3:
        return ""
    change, low, high = (100 * (ratio - 1) for ratio in ends)
    number, width = [n for n, _ in bars].index(bar), ROOM / len(bars)
    x, shade = at - ROOM / 2 + width * (number + 0.5), bars[number][1]
    held = all(s.held for s in pair)
    ax.bar([x], [change], width * 0.92, color=shade if held else "white", linewidth=0.8,
           edgecolor=shade if bar == bar_of(exp, exp.x, pair) else style.colour(0),
           gid="change-%d-%d" % (at, number))  # fmt: skip
    ax.plot([x, x], [low, high], color="black", linewidth=0.9)
    return "%s %s" % (contrasts.pair_text(exp, pair), answer.per_cent(found))
