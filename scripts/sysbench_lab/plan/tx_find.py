# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run with --tx-find found: the answer of sysbench's own search, for sentences and pictures.

found = tx_find.of_run(report)     None for a run without a search
found.steps                        each rate that it tried, and whether it held
settings(objective, step_s)    what asks for it
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from . import labels
from .model import CellSummary, Value

SETTING = "load.tx-find"
HELD = "held_tps"
MISSED = "not_held_tps"

# Why a search ended without having found an answer that it could confirm.
ENDS = {
    "none": "no rate held",
    "steps": "the limit of steps came first",
    "stopped": "it was stopped: time limit, signal or error",
    "stuck": "a backlog did not end",
    "unmeasured": "a CPU of the objective could not be read",
    "running": "the run was cut off",
}


def settings(objective: str, step_s: float, **more: Value) -> dict[str, Value]:
    """Of an experiment that searches; `more` is confirm and precision."""
    found: dict[str, Value] = {SETTING: objective, SETTING + "-step": step_s}
    return {**found, **{"%s-%s" % (SETTING, name): x for name, x in more.items()}}


class Step(NamedTuple):
    number: int
    rate: float
    brief: bool  # only a hint where to look
    holds: bool | None  # None: nothing is known, since a CPU could not be read
    why: str
    bounds: str  # "p99 18.3 ms, lag p99 0.201 ms"


class Found(NamedTuple):
    objective: str
    result: str
    held: float | None
    confirmed: int
    missed: float | None
    why: str
    limit: str
    steps: list[Step]


def of_run(report: Mapping[str, Any]) -> Found | None:
    found = (report.get("summary") or {}).get("find")
    if not found:
        return None
    return Found(
        found["objective"],
        found["result"],
        found["held_per_s"],
        found["confirmed"],
        found["not_held_per_s"],
        found["why"] or "",
        found["limit"] or "",
        [step(s) for s in found["steps"]],
    )


def step(found: Mapping[str, Any]) -> Step:
    bounds = ", ".join(bound(b) for b in found["figures"])
    return Step(
        found["step"],
        found["rate_per_s"],
        found["brief"],
        found["holds"],
        found["why"] or "",
        bounds,
    )


def bound(found: Mapping[str, Any]) -> str:
    value, unit = found["value"], found["unit"]
    if value is None:
        return "%s n/a" % found["name"]
    if unit == "s":
        return "%s %s ms" % (found["name"], labels.short(value * 1e3))
    return "%s %s%s" % (found["name"], labels.short(value), " %" if unit == "%" else "/s")


# ---- of a cell -----------------------------------------------------------------


def searched(summary: CellSummary) -> bool:
    """Whether its runs looked for the highest rate: then their own throughput says nothing."""
    return HELD in summary.figures or bool(summary.cell.settings.get(SETTING))
