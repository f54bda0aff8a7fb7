# SPDX-License-Identifier: GPL-2.0-or-later
"""The rates that searches tried (--tx-find), step by step: a picture a level of the axis.

A panel is an arm.  A filled point is a rate that held, a hollow one a rate that did not, a small
one a brief step that only says where to look; a thin line is a run.  The dashed line is its answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from ..plan import found_rate, labels
from ..plan.found_rate import Found, Step
from ..plan.model import CellSummary
from ..statistics.results import Results
from . import percentiles, style
from .style import Drawing


class Panel(NamedTuple):
    arm: int
    name: str
    runs: list[Found]


def draw(results: Results) -> list[Drawing]:
    found = []
    for level, cells in percentiles.chosen(results.exp.x, results.summaries).items():
        panels = [panel_of(results, s) for s in cells]
        panels = [p for p in panels if p.runs]
        if panels:
            found.append(picture(results.exp.x, level, panels))
    return found


def panel_of(results: Results, summary: CellSummary) -> Panel:
    arms = labels.arm_names(results.summaries)
    searches = [
        found_rate.find_of_run(report) for report in percentiles.reports_of(results, summary)
    ]
    return Panel(arms.index(summary.arm), summary.arm, [s for s in searches if s and s.steps])


def picture(x: str, level: str, panels: Sequence[Panel]) -> Drawing:
    title = "Search for the highest rate" + (", " + labels.level_text(x, level) if level else "")
    figure, axes = style.panels(title, len(panels), 2.4 if len(panels) == 1 else 1.8)
    for ax, panel in zip(axes, panels):
        style.head(ax, (panel.name + ", " if panel.name else "") + "rate of a step, tx/s")
        for run in panel.runs:
            steps(ax, run, panel.arm)
        rates = [s.rate for run in panel.runs for s in run.steps]
        style.plain_y(ax, rates, max(rates) > 8 * min(rates))
    last = max(len(run.steps) for panel in panels for run in panel.runs)
    whole_steps(axes[-1], last)
    style.key(figure, key(panels))
    return Drawing("search" + ("-" + level if level else ""), title, alt(title, panels), figure)


def steps(ax: Any, run: Found, arm: int) -> None:
    shade = style.colour(arm)
    places = [s.number for s in run.steps]
    ax.plot(places, [s.rate for s in run.steps], color=shade, linewidth=0.7, alpha=0.6, gid="run")
    for s in run.steps:
        ax.plot([s.number], [s.rate], linestyle="", gid="step", **mark(s, shade))
    if run.held is not None:
        ax.axhline(run.held, color=shade, linewidth=1, linestyle="--", gid="answer")


def mark(step: Step, shade: str) -> dict[str, Any]:
    face = shade if step.holds else "white"
    size = 3.5 if step.brief else 7
    kind = "x" if step.holds is None else "o"
    return {"marker": kind, "markersize": size, "color": shade, "markerfacecolor": face}


def whole_steps(ax: Any, last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(0.5, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
    ax.set_xlabel("step")


def key(panels: Sequence[Panel]) -> list[tuple[Any, str]]:
    from matplotlib.lines import Line2D

    found = [s for panel in panels for run in panel.runs for s in run.steps]
    entries = [
        (Line2D([], [], linestyle="", **mark(kind, style.GREY)), words)
        for kind, words in (
            (Step(0, 0, False, True, "", ""), "the rate held"),
            (Step(0, 0, False, False, "", ""), "it did not"),
            (Step(0, 0, True, True, "", ""), "brief steps"),
            (Step(0, 0, True, None, "", ""), "not judged"),
        )
        if any((s.holds, s.brief) == (kind.holds, kind.brief) for s in found)
    ]
    if any(run.held is not None for panel in panels for run in panel.runs):
        dashed = Line2D([], [], color=style.GREY, linestyle="--")
        entries.append((dashed, "highest rate that held"))
    return entries


def alt(title: str, panels: Sequence[Panel]) -> str:
    parts = [title + ": the rates of all steps."]
    for panel in panels:
        for run in panel.runs:
            name = panel.name + ": " if panel.name else ""
            held = "no rate held" if run.held is None else labels.short(run.held) + " tx/s held"
            parts.append("%s%s %s, after %d steps." % (name, held, run.objective, len(run.steps)))
    return " ".join(parts)
