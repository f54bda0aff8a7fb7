# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates that sysbench's own search finds (--tx-find): that of each cell, as `sysbench-lab find` has
it; or one that is a share of what the server can do, found first, for all cells:

    load.tx-rate = "50 % of the server's CPU"   the highest rate at which it uses less of all CPUs
    load.tx-rate = "70 % of p99<20ms"           70 % of the highest rate that holds this objective

One run of sysbench with --tx-find looks for it, before all others, in one cell: the middle one of
the baseline, from one load host.  Then the experiment has the number, in lab.json too, so that
resume does not search again; Experiment.found says what was asked for, and where it was found.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
from typing import Any, NamedTuple, Sequence

from .. import LabError
from . import contrasts, hosts, labels, values
from .model import BUILT_IN, Cell, CellSummary, Experiment, Row, Settings, Tree, Value

SETTING = "load.tx-rate"
DIRECTORY = "rate"  # of the search, in that of the results
SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*of\s+(.+?)\s*")
CPU = "the server's CPU"
LEAST_STEP_S, MOST_STEP_S = 0.5, 10
OF_RUN = 5  # a step is this part of measure.time
CONFIRM = 4  # steps of `find`
LEAST_FIND_S = 2
SUSTAINED = "errors<=100%"  # an objective that every rate holds that is sustained
RATES = (SETTING, "load.rate")
STEPS = 16  # whole ones that a search takes, with what is around them
MOST = 4  # times as many at most
PRECISION_PCT = 10  # between the rates that held and that did not, half of it
STRICT_PCT = 10  # where only the CPU matters, so much may be late: a hiccup is not the answer


class Wanted(NamedTuple):
    text: str
    objective: str
    share: float  # of the rate that holds it


def wanted(rate: Value | None) -> Wanted | None:
    """What is to be found; None for a rate that is known."""
    if not (isinstance(rate, str) and (found := SHARE.fullmatch(rate))):
        return None
    pct, of = float(found[1]), found[2]
    text, bound = "%g %% of %s" % (pct, of), "server cpu<%g%%" % pct
    with contextlib.suppress(LabError):
        if 0 < pct <= 100 and (of == CPU or values.parse_objective(of)):
            return Wanted(text, bound, 1) if of == CPU else Wanted(text, of, pct / 100)
    text = "%s takes a number, or up to 100 %% of %s or of bounds such as p99<20ms, not '%s'"
    raise LabError(text % (SETTING, CPU, rate))


def of(exp: Experiment) -> Wanted | None:
    return wanted(exp.stays.get(SETTING))


def check(exp: Experiment, cells: Sequence[Cell]) -> None:
    """LabError for what cannot be found, as far as the experiment shows it."""
    for factor in exp.factors:
        varied = [level.changes[SETTING] for level in factor.levels if SETTING in level.changes]
        if varied and any(map(wanted, [exp.stays.get(SETTING), *varied])):
            both = SETTING, factor.name
            raise LabError("%s is found once, for all cells, but %s varies it" % both)
    if (want := of(exp)) is None:
        return
    for key in (FIND_SETTING, hosts.LAUNCHER):
        if any(key in cell.settings for cell in cells):
            raise LabError("%s = '%s' and %s cannot be combined" % (SETTING, want.text, key))
    settings, bounds = search_cell(exp, cells).settings, values.parse_objective(want.objective)
    alone = settings["load.script"] in BUILT_IN and "the test has no server"
    off = settings.get("load.server") in ("off", False) and "load.server is off"
    if (alone or off) and any(b.figure == "server_cpu_pct" for b in bounds):
        needs = "%s = '%s' needs the server's CPU, which is n/a: %s"
        raise LabError(needs % (SETTING, want.text, alone or off))


# ---- of each cell ----------------------------------------------------------------


def searching(exp: Experiment) -> Experiment:
    """One search a cell.  A step is a quarter of measure.time, and a rate has to hold for as long
    as that altogether to be the answer."""
    step = max(LEAST_FIND_S, math.ceil(exp.measure.time_s / CONFIRM))
    for factor in exp.factors:
        if not factor.changed.isdisjoint(RATES):
            raise LabError("%s varies the rate, but a search finds it" % factor.name)
    if any(hook.moment == "mid-run" for hook in exp.hooks):
        raise LabError("hooks.mid-run: a search has no middle")
    settings = {k: x for k, x in exp.stays.items() if k not in (*RATES, FIND_SETTING)}
    bounds = exp.measure.objective or find_parts(exp.stays)[0] or SUSTAINED
    settings.update(find_settings(bounds, step, confirm=CONFIRM))
    exp = exp.with_measure(time_s=MOST * STEPS * step, repeats=1)
    return dataclasses.replace(exp, stays=settings)


def search_text(exp: Experiment) -> str:
    """What each run of searching() does, for people; "" of other experiments."""
    bounds, step = find_parts(exp.stays)
    if not step or exp.measure.time_s != MOST * STEPS * step:
        return ""
    wanted = "is sustained" if bounds == SUSTAINED else "holds " + bounds
    return " looks for the highest rate that %s, in about %d steps of %g s" % (wanted, STEPS, step)


def run_s(settings: Settings, time_s: float) -> float:
    """How long a run takes: a search has its answer long before its limit of time."""
    step = find_parts(settings)[1]
    return min(time_s, STEPS * step) if step else time_s


# ---- before all others -----------------------------------------------------------


def step_s(exp: Experiment) -> float:
    return min(MOST_STEP_S, max(LEAST_STEP_S, exp.measure.time_s / OF_RUN))


def estimate_s(exp: Experiment) -> float:
    return exp.measure.warmup_s + STEPS * step_s(exp) if of(exp) else 0


def search_cell(exp: Experiment, cells: Sequence[Cell]) -> Cell:
    """The middle one of the baseline, searching."""
    base = contrasts.baseline(exp, cells)
    line = [cell for cell in cells if base.items() <= cell.levels.items()]
    cell, want = line[(len(line) - 1) // 2], of(exp)
    assert want is not None
    settings = {k: v for k, v in cell.settings.items() if k != SETTING}
    settings.update(find_settings(want.objective, step_s(exp), precision=PRECISION_PCT))
    if want.text.endswith(CPU):
        settings.setdefault("load.tx-strict", STRICT_PCT)
    if hosts.LIST in settings:
        settings[hosts.NUMBER] = 1
    return dataclasses.replace(cell, settings=settings)


def place(exp: Experiment, cell: Cell) -> str:
    """16 connections of pool-of-threads"""
    level = labels.level_text(exp.x, cell.levels[exp.x]) if exp.x else ""
    return " of ".join(filter(None, (level, labels.levels_text(cell, exp.x))))


def outline(exp: Experiment, cells: Sequence[Cell]) -> str:
    """What comes first, for people; "" if nothing does."""
    want = of(exp)
    return phrase(want.text, place(exp, search_cell(exp, cells))) if want else ""


def phrase(asked: str, where: str) -> str:
    return asked + (" at " + where if where else "")


def given(cell: Cell, name: str, value: Value) -> Cell:
    return dataclasses.replace(cell, settings={**cell.settings, name: value})


def with_rate(cells: Sequence[Cell], rate: float) -> tuple[Cell, ...]:
    return tuple(given(cell, SETTING, rate) for cell in cells)


def rehearsed(exp: Experiment, cells: Sequence[Cell]) -> Sequence[Cell]:
    """What sysbench will be asked: the search, and the cells with a number; each for its time."""
    made = [(cell, exp.measure.time_s) for cell in (with_rate(cells, 1) if of(exp) else cells)]
    if of(exp):
        made.insert(0, (search_cell(exp, cells), limit_s(exp)))
    return [given(cell, "load.time", math.ceil(time_s)) for cell, time_s in made]


def limit_s(exp: Experiment) -> float:
    """After which a search that has no answer ends."""
    return MOST * STEPS * step_s(exp)


def found(want: Wanted, where: str, row: Row, report: Tree) -> dict[str, Any]:
    """What the search found; LabError if no rate held, or if the server's CPU was not its limit."""
    answer = find_of_run(report) if row["status"] == "done" else None
    held, reason = (answer["held_per_s"], answer["why"] or "") if answer else (None, "")
    if answer is None or not held:
        why = row["why"]
    elif answer["result"] != "found":
        why = ENDS[answer["result"]]
    elif want.text.endswith(CPU) and not reason.startswith("server CPU "):
        missed = labels.grouped(answer["not_held_per_s"] or 0)
        why = "%s/s is too much for another reason: %s" % (missed, reason)
        why += " (limit: %s)" % (answer["limit"] or "")
    else:
        # Three digits: 1234.5 -> 1230.
        rate = want.share * held
        rate = 0.0 if rate <= 0 else round(rate, 2 - math.floor(math.log10(rate)))
        known = {"held_per_s": held, "disturbed": row["disturbed"]}
        return {"per_s": rate, "asked": want.text, "at": where, **known}
    raise LabError("no rate was found for %s: %s" % (want.text, why))


def sentence(exp: Experiment) -> str:
    """What was found; "" if nothing had to be."""
    if not (f := exp.found):
        return ""
    rate, held = labels.grouped(f["per_s"]), labels.grouped(f["held_per_s"])
    asked = f["asked"] + ("" if f["asked"].endswith(CPU) else " (up to %s/s)" % held)
    disturbed = " (disturbed: %s)" % f["disturbed"] if f["disturbed"] else ""
    return "rate: %s/s, found first: %s%s" % (rate, phrase(asked, f["at"]), disturbed)


# ---- the answer of a search ------------------------------------------------------


FIND_SETTING = "load.tx-find"
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
    "unjudged": "lower rates changed nothing while others used the machine",
}


def find_settings(objective: str, step_s: float, **more: Value) -> dict[str, Value]:
    """Of an experiment that searches; `more` is confirm and precision."""
    parts = [objective, "step=%g" % step_s, *("%s=%s" % part for part in more.items())]
    return {FIND_SETTING: ",".join(parts)}


def find_parts(settings: Settings) -> tuple[str, float]:
    """The objective of a search, "" without one, and how long a step is, 0 if that is not said."""
    text = str(settings.get(FIND_SETTING) or "")
    step = re.search(r",\s*step=(\d+(?:\.\d+)?)s?\s*(?:,|$)", text)
    bounds = re.sub(r",\s*(?:step|steps|confirm|precision)=[^,]*", "", text)
    return bounds, float(step[1]) if step else 0.0


def find_of_run(report: Tree) -> Tree | None:
    """As docs/schema has it; None if it was no search."""
    found: Tree | None = (report.get("summary") or {}).get("find")
    return found


def bound(found: Tree) -> str:
    value, unit = found["value"], found["unit"]
    if value is None:
        return "%s n/a" % found["name"]
    if unit == "s":
        return "%s %s ms" % (found["name"], labels.short(value * 1e3))
    return "%s %s%s" % (found["name"], labels.short(value), " %" if unit == "%" else "/s")


# ---- of a cell -----------------------------------------------------------------


def searched(summary: CellSummary) -> bool:
    """Whether its runs looked for the highest rate: then their own throughput says nothing."""
    return HELD in summary.figures or bool(summary.cell.settings.get(FIND_SETTING))
