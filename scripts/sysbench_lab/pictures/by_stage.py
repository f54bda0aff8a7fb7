# SPDX-License-Identifier: GPL-2.0-or-later
"""A rate that changes, stage by stage: a picture a level of the numeric factor.

Panels show what was achieved beside what was planned, the response time and the server's CPU.  A
point is the median of the runs that count, its bar reaches from the least to the greatest of them,
and it is hollow when the stage was not sustained.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from ..plan import labels
from ..statistics import stats
from ..statistics.results import Results
from ..statistics.stats import Stage
from . import percentiles, style
from .style import Drawing

FIGURES = ("tps", "response_p95_ms", "response_p99_ms", "lag_p99_ms", "server_cpu_pct")
NAMED = 8  # stages; more have their numbers alone
LETTERS = 60  # of all names together, with gaps


class Line(NamedTuple):
    arm: int
    name: str
    stages: list[Stage]


def draw(results: Results) -> list[Drawing]:
    found = []
    for level, cells in percentiles.chosen(results.exp.x, results.summaries).items():
        arms = labels.arm_names(results.summaries)
        seed = results.exp.measure.seed
        lines = [
            Line(
                arms.index(s.arm),
                s.arm,
                stats.merged_stages(percentiles.reports_of(results, s), seed),
            )
            for s in cells
        ]
        lines = [line for line in lines if line.stages]
        if lines:
            found.append(picture(results.exp.x, level, lines))
    return found


def picture(x: str, level: str, lines: Sequence[Line]) -> Drawing:
    title = "Stages of the rate" + (", " + labels.level_text(x, level) if level else "")
    names = [n for n in FIGURES if any(n in s.figures for line in lines for s in line.stages)]
    figure, axes = style.panels(title, len(names), 1.6)
    for ax, name in zip(axes, names):
        style.head(ax, style.label_of(name))
        panel(ax, name, lines)
        style.plain_y(ax, values_of(name, lines), name.endswith("_ms"))
    name_stages(axes[-1], lines)
    hollow = any(not s.sustained for line in lines for s in line.stages)
    many = any(s.runs > 1 for line in lines for s in line.stages)
    keys = style.arm_key([line.name for line in lines], False, many)
    style.key(figure, keys + key(hollow))
    file = "stages" + ("-" + level if level else "")
    return Drawing(file, title, alt(title, lines), figure)


def panel(ax: Any, name: str, lines: Sequence[Line]) -> None:
    for place, line in enumerate(lines):
        known = [s for s in line.stages if name in s.figures]
        aside = (place - (len(lines) - 1) / 2) * 0.12
        xs = [s.number + aside for s in known]
        look = {**style.line_style(line.arm), "markersize": 6, "linewidth": 1.2}
        ax.plot(xs, [s.figures[name].median for s in known], gid="stages-%d" % line.arm, **look)
        for x, s in zip(xs, known):
            ends = s.figures[name].min, s.figures[name].max
            ax.plot([x, x], ends, color=style.colour(line.arm), linewidth=1)
            if not s.sustained:
                hollow = {**look, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
                ax.plot([x], [s.figures[name].median], gid="hollow", **hollow)
    if name == "tps":
        planned(ax, [s for line in lines for s in line.stages])


def planned(ax: Any, found: Sequence[Stage]) -> None:
    """Once where all arms have the same plan."""
    known = [s for s in found if "target_tps" in s.figures]
    for number, rate in dict.fromkeys((s.number, s.figures["target_tps"].median) for s in known):
        ends = [number - 0.35, number + 0.35]
        ax.plot(ends, [rate, rate], color="black", linestyle=":", gid="planned")


def values_of(name: str, lines: Sequence[Line]) -> list[float]:
    found = [s.figures for line in lines for s in line.stages]
    values = [f[name].max for f in found if name in f]
    values += [f[name].min for f in found if name in f]
    return values + [f["target_tps"].max for f in found if name == "tps" and "target_tps" in f]


def name_stages(ax: Any, lines: Sequence[Line]) -> None:
    """Each tick a stage: its text where all arms have the same and there is room, or its number."""
    longest = max((line.stages for line in lines), key=len)
    same = len({tuple(s.text for s in line.stages) for line in lines}) == 1
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
    import textwrap

    return "\n".join(textwrap.wrap(text, 60, break_on_hyphens=False, max_lines=4, placeholder=" …"))


def key(hollow: bool) -> list[tuple[Any, str]]:
    from matplotlib.lines import Line2D

    entries = [(Line2D([], [], color="black", linestyle=":"), "planned, mean of the stage")]
    if hollow:
        mark = Line2D([], [], color=style.GREY, marker="o", linestyle="", markerfacecolor="white")
        entries.append((mark, "hollow: the stage was not sustained"))
    return entries


def alt(title: str, lines: Sequence[Line]) -> str:
    parts = []
    for line in lines:
        texts = [
            "%s: %s tx/s" % (stats.stage_name(s), labels.short(s.figures["tps"].median))
            + ("" if s.sustained else " (not sustained)")
            for s in line.stages
            if "tps" in s.figures
        ]
        parts.append("%s%s." % (line.name + ": " if line.name else "", "; ".join(texts)))
    return "%s: what was achieved. %s" % (title, " ".join(parts))
