# SPDX-License-Identifier: GPL-2.0-or-later
"""A rate that changes, stage by stage: a picture a level of the numeric factor.

Panels show what was achieved beside what was planned, the response time and the server's CPU.  A
point is the median of the runs that count, its bar reaches from the least to the greatest of them,
and it is hollow when the stage was not sustained.
"""

import textwrap
from typing import Any, Sequence

from matplotlib.lines import Line2D

from ..plan import labels
from ..plan.model import CellSummary
from ..statistics import stats
from ..statistics.results import Results
from ..statistics.stats import Stage
from . import style
from .style import Drawing, Of

FIGURES = ("tps", "response_p95_ms", "response_p99_ms", "lag_p99_ms", "server_cpu_pct")
NAMED = 8  # stages; more have their numbers alone
LETTERS = 60  # of all names together, with gaps


Lines = Sequence[Of[list[Stage]]]


def draw(results: Results) -> list[Drawing]:
    def stages(s: CellSummary) -> list[Stage]:
        return stats.merged_stages(results.reports(s), results.exp.measure.seed)

    return [picture(*level) for level in style.by_level(results, stages)]


def picture(words: str, file: str, lines: Lines) -> Drawing:
    title = "Stages of the rate" + words
    every = [s for _, _, stages in lines for s in stages]
    names = [n for n in FIGURES if any(n in s.figures for s in every)]
    figure, axes = style.panels(title, len(names), 1.6)
    for ax, name in zip(axes, names):
        style.head(ax, style.label_of(name))
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
        if name == "tps":
            planned(ax, [s for _, _, stages in lines for s in stages])
        style.plain_y(ax, values_of(name, every), name.endswith("_ms"))
    name_stages(axes[-1], lines)
    keys = style.arm_key([s.arm for _, s, _ in lines], False, any(s.runs > 1 for s in every))
    keys.append((Line2D([], [], color="black", linestyle=":"), "planned, mean of the stage"))
    if not all(s.sustained for s in every):
        keys.append(style.hollow_key("hollow: the stage was not sustained"))
    style.key(figure, keys)
    return Drawing("stages" + file, title, alt(title, lines), figure)


def planned(ax: Any, found: Sequence[Stage]) -> None:
    """Once where all arms have the same plan."""
    known = [s for s in found if "target_tps" in s.figures]
    for number, rate in dict.fromkeys((s.number, s.figures["target_tps"].median) for s in known):
        ends = [number - 0.35, number + 0.35]
        ax.plot(ends, [rate, rate], color="black", linestyle=":", gid="planned")


def values_of(name: str, stages: Sequence[Stage]) -> list[float]:
    known = [s.figures[name] for s in stages if name in s.figures]
    planned = [s.figures["target_tps"] for s in stages if "target_tps" in s.figures]
    values = [s.max for s in known] + [s.min for s in known]
    return values + [s.max for s in planned if name == "tps"]


def name_stages(ax: Any, lines: Lines) -> None:
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


def alt(title: str, lines: Lines) -> str:
    parts = []
    for _, cell, stages in lines:
        texts = [
            "%s: %s tx/s" % (stats.stage_name(s), labels.short(s.figures["tps"].median))
            + ("" if s.sustained else " (not sustained)")
            for s in stages
            if "tps" in s.figures
        ]
        parts.append("%s%s." % (cell.arm + ": " if cell.arm else "", "; ".join(texts)))
    return "%s: what was achieved. %s" % (title, " ".join(parts))
