# SPDX-License-Identifier: GPL-2.0-or-later
"""The rates that searches tried (--tx-find), step by step: a picture a level of the axis.

A panel is an arm.  A filled point is a rate that held, a hollow one a rate that did not, a small
one a brief step that only says where to look; a thin line is a run.  The dashed line is its answer.
"""

from typing import Any, Sequence

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ..plan import found_rate, labels
from ..plan.found_rate import Found
from ..plan.model import CellSummary
from ..statistics.results import Results
from . import style
from .style import Drawing, Of


def draw(results: Results) -> list[Drawing]:
    def searches(s: CellSummary) -> list[Found]:
        found = map(found_rate.find_of_run, results.reports(s))
        return [f for f in found if f and f.steps]

    return [picture(*level) for level in style.by_level(results, searches)]


def picture(words: str, file: str, panels: Sequence[Of[list[Found]]]) -> Drawing:
    title = "Search for the highest rate" + words
    figure, axes = style.panels(title, len(panels), 2.4 if len(panels) == 1 else 1.8)
    for ax, (arm, s, runs) in zip(axes, panels):
        style.head(ax, (s.arm + ", " if s.arm else "") + "rate of a step, tx/s")
        for run in runs:
            steps(ax, run, arm)
        rates = [step.rate for run in runs for step in run.steps]
        style.plain_y(ax, rates, max(rates) > 8 * min(rates))
    every = [run for _, _, runs in panels for run in runs]
    whole_steps(axes[-1], max(len(run.steps) for run in every))
    found = {(s.holds, s.brief) for run in every for s in run.steps}
    kinds = {
        (True, False): "the rate held", (False, False): "it did not",
        (True, True): "brief steps", (None, True): "not judged",
    }  # fmt: skip
    entries = [
        (Line2D([], [], linestyle="", **mark(*kind, style.GREY)), text)
        for kind, text in kinds.items()
        if kind in found
    ]
    if any(run.held is not None for run in every):
        dashed = Line2D([], [], color=style.GREY, linestyle="--")
        entries.append((dashed, "highest rate that held"))
    style.key(figure, entries)
    return Drawing("search" + file, title, alt(title, panels), figure)


def steps(ax: Any, run: Found, arm: int) -> None:
    shade = style.colour(arm)
    places = [s.number for s in run.steps]
    ax.plot(places, [s.rate for s in run.steps], color=shade, linewidth=0.7, alpha=0.6, gid="run")
    for s in run.steps:
        ax.plot([s.number], [s.rate], linestyle="", gid="step", **mark(s.holds, s.brief, shade))
    if run.held is not None:
        ax.axhline(run.held, color=shade, linewidth=1, linestyle="--", gid="answer")


def mark(holds: bool | None, brief: bool, shade: str) -> dict[str, Any]:
    face = shade if holds else "white"
    kind = "x" if holds is None else "o"
    size = 3.5 if brief else 7
    return {"marker": kind, "markersize": size, "color": shade, "markerfacecolor": face}


def whole_steps(ax: Any, last: int) -> None:

    ax.set_xlim(0.5, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
    ax.set_xlabel("step")


def alt(title: str, panels: Sequence[Of[list[Found]]]) -> str:
    parts = [title + ": the rates of all steps."]
    for _, s, runs in panels:
        for run in runs:
            name = s.arm + ": " if s.arm else ""
            held = "no rate held" if run.held is None else labels.short(run.held) + " tx/s held"
            parts.append("%s%s %s, after %d steps." % (name, held, run.objective, len(run.steps)))
    return " ".join(parts)
