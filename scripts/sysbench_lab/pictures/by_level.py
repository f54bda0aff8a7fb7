# SPDX-License-Identifier: GPL-2.0-or-later
"""What each level of the numeric factor has a picture, or a panel, of: stages of a rate, searches,
percentiles of the response time, and the response time over time as a heat map."""

from __future__ import annotations

import math
import textwrap
from typing import Any, Sequence

import numpy
from matplotlib.colors import LogNorm
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from ..plan import found_rate, labels
from ..plan.found_rate import Found
from ..plan.model import CellSummary
from ..results import figures, series
from ..results.series import ROWS, Map
from ..statistics import stats
from ..statistics.results import Results
from ..statistics.stats import Stage
from . import style
from .style import Drawing, Of

# ---- A rate that changes, stage by stage: a picture a level of the numeric factor

# Panels show what was achieved beside what was planned, the response time and the server's CPU.  A
# point is the median of the runs that count, its bar reaches from the least to the greatest of
# them, and it is hollow when the stage was not sustained.


STAGE_FIGURES = ("tps", "response_p95_ms", "response_p99_ms", "lag_p99_ms", "server_cpu_pct")
NAMED = 8  # stages; more have their numbers alone
LETTERS = 60  # of all names together, with gaps


StageLines = Sequence[Of[list[Stage]]]


def draw_stages(results: Results) -> list[Drawing]:
    return [stages_picture(*level) for level in style.by_level(results, results.stages)]


def stages_picture(words: str, file: str, lines: StageLines) -> Drawing:
    title = "Stages of the rate" + words
    every = [s for _, _, stages in lines for s in stages]
    names = [n for n in STAGE_FIGURES if any(n in s.figures for s in every)]
    figure, axes = style.panels(title, [figures.headed(n) for n in names], 1.6)
    for ax, name in zip(axes, names):
        for place, (arm, _, stages) in enumerate(lines):
            known = [s for s in stages if name in s.figures]
            aside = (place - (len(lines) - 1) / 2) * 0.12
            xs = [s.number + aside for s in known]
            look = {**style.line_style(arm), "markersize": 6, "linewidth": 1.2}
            ax.plot(xs, [s.figures[name].median for s in known], gid="stages-%d" % arm, **look)
            for x, s in zip(xs, known):
                ends = s.figures[name].min, s.figures[name].max
                ax.plot([x, x], ends, color=style.colour(arm), linewidth=1)
                if not s.sustained:
                    hollow = {**look, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
                    ax.plot([x], [s.figures[name].median], gid="hollow", **hollow)
        values = [v for s in every if (f := s.figures.get(name)) for v in (f.max, f.min)]
        planned = [s for s in every if "target_tps" in s.figures and name == "tps"]
        values += [s.figures["target_tps"].max for s in planned]
        # once where all arms have the same plan
        rates = dict.fromkeys((s.number, s.figures["target_tps"].median) for s in planned)
        for number, rate in rates:
            around = [number - 0.35, number + 0.35]
            ax.plot(around, [rate, rate], color="black", linestyle=":", gid="planned")
        style.plain_y(ax, values, name.endswith("_ms"))
    name_stages(axes[-1], lines)
    keys = style.arm_key([s.arm for _, s, _ in lines], False, any(s.runs > 1 for s in every))
    keys.append(style.line_key("planned, mean of the stage", color="black", linestyle=":"))
    if not all(s.sustained for s in every):
        keys.append(style.hollow_key("hollow: the stage was not sustained"))
    style.key(figure, keys)
    said = [title + ": what was achieved."]
    for _, cell, stages in lines:
        texts = [
            "%s: %s tx/s" % (stats.stage_name(s), labels.short(s.figures["tps"].median))
            + " (not sustained)" * (not s.sustained)
            for s in stages
            if "tps" in s.figures
        ]
        said.append("%s%s." % (cell.arm + ": " if cell.arm else "", "; ".join(texts)))
    return Drawing("stages" + file, title, " ".join(said), figure)


def name_stages(ax: Any, lines: StageLines) -> None:
    """Each tick a stage: its text where all arms have the same and there is room, or its number."""
    longest = max((stages for _, _, stages in lines), key=len)
    same = len({tuple(s.text for s in stages) for _, _, stages in lines}) == 1
    fits = (max(len(s.text) for s in longest) + 2) * len(longest) <= LETTERS
    named = same and fits and len(longest) <= NAMED
    ax.set_xticks([s.number for s in longest])
    ax.set_xticklabels([s.text if named else "%d" % s.number for s in longest])
    if len(longest) > 20:
        ax.locator_params(axis="x", nbins=20)
    ax.set_xlim(longest[0].number - 0.6, longest[-1].number + 0.6)
    texts = ["%d\u00a0=\u00a0%s" % (s.number, s.text) for s in longest]  # each stays whole
    ax.set_xlabel("stage" if named or not same else wrapped("stage: " + ", ".join(texts)))


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 60, break_on_hyphens=False, max_lines=4, placeholder=" …"))


# ---- The rates that searches tried (--tx-find), step by step: a picture a level of the axis

# A panel is an arm.  A filled point is a rate that held, a hollow one a rate that did not, a small
# one a brief step that only says where to look; a thin line is a run.  The dashed line is its
# answer.


KINDS = {  # of steps: whether it held, whether it was brief
    (True, False): "the rate held", (False, False): "it did not",
    (True, True): "brief steps", (None, True): "not judged",
}  # fmt: skip


def draw_searches(results: Results) -> list[Drawing]:
    def searches(s: CellSummary) -> list[Found]:
        found = map(found_rate.find_of_run, results.reports(s))
        return [f for f in found if f and f.steps]

    return [searches_picture(*level) for level in style.by_level(results, searches)]


def searches_picture(words: str, file: str, panels: Sequence[Of[list[Found]]]) -> Drawing:
    title = "Search for the highest rate" + words
    heads = [", ".join(filter(None, (s.arm, "rate of a step, tx/s"))) for _, s, _ in panels]
    figure, axes = style.panels(title, heads, 1.8, alone=2.4)
    for ax, (arm, _, runs) in zip(axes, panels):
        shade = style.colour(arm)
        for run in runs:
            places, rates = [s.number for s in run.steps], [s.rate for s in run.steps]
            ax.plot(places, rates, color=shade, linewidth=0.7, alpha=0.6, gid="run")
            for step in run.steps:
                look = mark(step.holds, step.brief, shade)
                ax.plot([step.number], [step.rate], linestyle="", gid="step", **look)
            if run.held is not None:
                ax.axhline(run.held, color=shade, linewidth=1, linestyle="--", gid="answer")
        rates = [step.rate for run in runs for step in run.steps]
        style.plain_y(ax, rates, max(rates) > 8 * min(rates))
    every = [run for _, _, runs in panels for run in runs]
    axes[-1].set_xlim(0.5, max(len(run.steps) for run in every) + 0.5)
    axes[-1].xaxis.set_major_locator(MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
    axes[-1].set_xlabel("step")
    found = {(s.holds, s.brief) for run in every for s in run.steps}
    known = [(kind, text) for kind, text in KINDS.items() if kind in found]
    entries = [style.line_key(t, linestyle="", **mark(*k, style.GREY)) for k, t in known]
    if any(run.held is not None for run in every):
        look = {"color": style.GREY, "linestyle": "--"}
        entries.append(style.line_key("highest rate that held", **look))
    style.key(figure, entries)
    parts = [title + ": the rates of all steps."]
    for _, s, runs in panels:
        for run in runs:
            name = s.arm + ": " if s.arm else ""
            held = "no rate held" if run.held is None else labels.short(run.held) + " tx/s held"
            parts.append("%s%s %s, after %d steps." % (name, held, run.objective, len(run.steps)))
    return Drawing("search" + file, title, " ".join(parts), figure)


def mark(holds: bool | None, brief: bool, shade: str) -> dict[str, Any]:
    face = shade if holds else "white"
    kind = "x" if holds is None else "o"
    size = 3.5 if brief else 7
    return {"marker": kind, "markersize": size, "color": shade, "markerfacecolor": face}


# ---- Latency over time as a heat map: time to the right, latency up, darker: more transactions

# A picture a level of the numeric factor, in it a panel an arm.  The source is report.hlog of each
# run, an HdrHistogram log with every sample of every interval; without it there is no heat map.
# The intervals of the runs that count are added by their number.  Rows are a sixteenth of a decade
# high, and the colour is logarithmic, so that one slow transaction among a thousand is still seen.


MOST_HEAT = 3  # levels that are drawn


def draw_heat(results: Results) -> list[Drawing]:
    def heat(s: CellSummary) -> Map | None:
        return many if (many := results.heat(s)).counts else None

    return [heat_picture(*level) for level in style.by_level(results, heat, MOST_HEAT)]


def heat_picture(words: str, file: str, maps: Sequence[Of[Map]]) -> Drawing:
    title = "Response time over time" + words
    figure, axes = style.panels(title, [head_of(s, m) for _, s, m in maps], 2.0)
    rows = [row for _, _, m in maps for _, row in m.counts]
    low, high = min(rows), max(rows) + 1
    edges = [10 ** (row / ROWS) for row in range(low, high + 1)]
    norm = LogNorm(1, max(2, *(n for _, _, m in maps for n in m.counts.values())))
    said = [title + " as a heat map."]
    for ax, (_, s, m) in zip(axes, maps):
        grid = numpy.full((high - low, len(m.edges_s) - 1), numpy.nan)
        for (column, row), n in m.counts.items():
            grid[row - low, column] = n
        look = {"norm": norm, "cmap": "cividis_r", "rasterized": True}
        mesh = ax.pcolormesh(m.edges_s, edges, grid, **look)
        ax.grid(False)
        style.plain_y(ax, edges, True)
        mine = [row for _, row in m.counts]
        least, most = (labels.short(10 ** (row / ROWS)) for row in (min(mine), max(mine) + 1))
        what = s.arm or "all", sum(m.counts.values()), least, most
        said.append("%s: %d transactions, %s to %s ms." % what)
    style.seconds(axes[-1], max(m.edges_s[-1] for _, _, m in maps))
    bar = figure.colorbar(mesh, ax=axes, aspect=30, pad=0.02)
    bar.set_label("transactions")
    bar.ax.yaxis.set_major_formatter(lambda v, _: "%g" % v)
    bar.ax.yaxis.set_minor_formatter("")
    return Drawing("heat-map" + file, title, " ".join(said), figure)


def head_of(s: CellSummary, m: Map) -> str:
    """The arm and the unit, and what a reader must know of the runs."""
    part = "%d of %d runs" % (m.runs, s.counted) if m.runs < s.counted else ""
    return ", ".join(filter(None, (s.arm, "ms", part, "" if s.held else "the rate was not held")))


# ---- Latency by percentile, on the axis of HdrHistogram: each nine has the same width

# A panel a level of the numeric factor, a line an arm.  The histograms of the runs that count are
# added bucket by bucket, and percentiles are those of the sum; nothing is averaged.  A line of a
# cell that did not hold the rate is dashed.


RANKS = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)

Curve = list[tuple[float, float]]


def draw_percentiles(results: Results) -> list[Drawing]:
    def curve(s: CellSummary) -> Curve:
        merged = series.merged(results.reports(s))
        return series.curve(merged) if merged else []

    found = list(style.by_level(results, curve))
    return [percentiles_picture(results, found)] if found else []


def nines(share: float, least: float) -> float:
    """Where a share stands on the axis: 0.9 at 1, 0.99 at 2; the last sample at the edge."""
    return -math.log10(max(1 - share, least))


def percentiles_picture(
    results: Results, found: Sequence[tuple[str, str, list[Of[Curve]]]]
) -> Drawing:
    title = "Response time by percentile"
    heads = ["Response time%s, ms" % words for words, _, _ in found]
    figure, axes = style.panels(title, heads, 1.75, alone=2.9)
    arms = labels.arm_names(results.summaries)
    for ax, (_, _, lines) in zip(axes, found):
        style.plain_y(ax, [ms for _, _, curve in lines for _, ms in curve], True)
        for arm, s, curve in lines:
            least = (1 - curve[-2][0]) / 2 if len(curve) > 1 else 0.5
            xs = [0.0] + [nines(share, least) for share, _ in curve]
            ys = [curve[0][1]] + [ms for _, ms in curve]
            look = {"color": style.colour(arm), "linestyle": "-" if s.held else "--"}
            ax.plot(xs, ys, drawstyle="steps-post", linewidth=1.6, gid="curve-%d" % arm, **look)
    every = [(s, curve) for _, _, lines in found for _, s, curve in lines]
    ends = [1 - curve[-2][0] for _, curve in every if len(curve) > 1]
    # 0 %, 50 %, 90 %, 99 % ... as far as there are samples.
    named = [p for p in RANKS if p < 1 - min(ends, default=0.5) / 2]
    axes[-1].xaxis.set_major_locator(FixedLocator([nines(p, 1e-12) for p in named]))
    axes[-1].xaxis.set_major_formatter(FixedFormatter(["%g" % round(p * 100, 6) for p in named]))
    axes[-1].set_xlabel("percentile")
    entries = [style.line_key(a, color=style.colour(i)) for i, a in enumerate(arms) if a]
    if not all(s.held for s, _ in every):
        dashed = {"color": style.GREY, "linestyle": "--"}
        entries.append(style.line_key("dashed: the rate was not held", **dashed))
    style.key(figure, entries)
    parts = [title + "."]
    for s, curve in every:
        texts = [
            "p%g %s ms" % (p * 100, labels.short(next(ms for share, ms in curve if share >= p)))
            for p in (0.5, 0.95, 0.99, 1)
        ]
        parts.append("%s: %s." % (labels.cell_text(s.cell), ", ".join(texts)))
    words = " ".join(parts).replace("p100", "maximum")
    return Drawing("percentiles", title, words, figure)
