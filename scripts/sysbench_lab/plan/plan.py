# SPDX-License-Identifier: GPL-2.0-or-later
"""From an experiment to its cells, the order of its runs, and the time that they will take.

    cells   every combination of levels, the last factor changing fastest
    rounds  measure.repeats times all cells.  blocks: the places in random order, those with the
            same tables together, and at each the variants side by side, in random order, so that
            what the machine does in these minutes meets all of them alike; shuffle: all cells in
            random order; abba: every second round backwards; written: each round as in the file
    starts  a start of the server has an effect of its own.  Where variants differ in its settings,
            each run has one; otherwise the cells of a round share one, and its effect cancels
    time    measured time, warm-up and pauses exactly, restarts and preparation by a guess

table() shows it; nothing here runs anything.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from typing import Callable, Sequence

from . import contrasts, data, found_rate, labels, rounds
from .model import BUILT_IN, Cell, Experiment, Plan, PlannedRun, Settings, Value, by

# Seconds, guessed on the long side.
START_S = 2.0  # of a server, with its shutdown
RUN_S = 1.5  # around a run: connections, statements, reports
ROWS_PER_S = 60000.0  # of prepare


def make(exp: Experiment) -> Plan:
    """Cells and runs of an experiment."""
    all_cells = cells(exp)
    blocks = list(by(all_cells, lambda cell: contrasts.place(exp, cell)).values())
    tables = {id(block): repr([data.key(c.settings, data.before(c.settings)) for c in block])
              for block in blocks}  # fmt: skip
    runs: list[PlannedRun] = []
    for number in range(exp.measure.repeats):
        order, dice = list(all_cells), random.Random("%d/%d" % (exp.measure.seed, number))
        if exp.measure.order == "abba" and number % 2:
            order.reverse()
        elif exp.measure.order == "shuffle":
            dice.shuffle(order)
        elif exp.measure.order == "blocks":
            shuffled = dice.sample(blocks, len(blocks))
            alike = by(shuffled, lambda block: tables[id(block)]).values()
            order = [c for same in alike for block in same for c in dice.sample(block, len(block))]
        for cell in order:
            runs.append(PlannedRun(len(runs) + 1, number + 1, cell.number))
    made = Plan(all_cells, tuple(runs), 0)
    return dataclasses.replace(made, estimate_s=estimate(exp, made))


def resized(exp: Experiment, before: Plan) -> Plan:
    """The plan of an experiment whose number of rounds has changed: those before stay."""
    runs = (*before.runs, *make(exp).runs[len(before.runs) :])
    runs = runs[: exp.measure.repeats * len(before.cells)]
    made = dataclasses.replace(before, runs=runs)
    return dataclasses.replace(made, estimate_s=estimate(exp, made))


def cells(exp: Experiment) -> tuple[Cell, ...]:
    """All combinations; an experiment without factors has one cell."""
    made = []
    for number, levels in enumerate(itertools.product(*(f.levels for f in exp.factors))):
        settings: dict[str, Value] = dict(exp.stays)
        for level in levels:
            settings.update(level.changes)
        names = {f.name: level.name for f, level in zip(exp.factors, levels)}
        made.append(Cell(number, names, settings))
    return tuple(made)


# ---- what the runs cost ----------------------------------------------------------


def server_part(settings: Settings) -> dict[str, Value]:
    """What makes a server another one when it changes."""
    return {k: x for k, x in settings.items() if k.startswith("server.")}


def restart_of(exp: Experiment, cells: Sequence[Cell]) -> str:
    """What measure.restart = auto stands for.  A server of the user's starts again only where a
    start is what gives it the settings."""
    ours = exp.stays.get("server.kind", "private") == "private"
    if exp.measure.restart != "auto" or not ours and "server.set" in exp.stays:
        return exp.measure.restart.replace("auto", "change")
    for first, *others in by(cells, lambda cell: contrasts.place(exp, cell)).values():
        if any(other_server(exp, first.settings, cell.settings) for cell in others):
            return "run"
    return "round" if ours else "change"


def fresh(how: str, before: PlannedRun, run: PlannedRun) -> bool:
    """Does the server start between these two runs, whatever their settings are?"""
    another = {"run": run != before, "round": run.round != before.round}
    return another.get(how, how == "cell" and run.cell != before.cell)


def starting(exp: Experiment, plan: Plan) -> list[PlannedRun]:
    """The runs before which a server starts; none if it is not ours to start."""
    found, how = [], restart_of(exp, plan.cells)
    for before, run in zip((None, *plan.runs), plan.runs):
        settings = plan.cells[run.cell].settings
        private = settings.get("server.kind", "private") == "private"
        if before is None:
            again = private
        elif exp.measure.restart == "never" or not (private or "server.start" in settings):
            again = False
        else:
            last = plan.cells[before.cell].settings
            again = other_server(exp, last, settings) or fresh(how, before, run)
        if again:
            found.append(run)
    return found


def shared_starts(exp: Experiment, plan: Plan) -> str:
    """Whether settings have starts of their own, but not one for each run; else ""."""
    starts, start = {run.number for run in starting(exp, plan)}, 0
    own: dict[int, dict[int, None]] = {}
    for run in plan.runs:
        start += run.number in starts
        own.setdefault(run.cell, {})[start] = None
    least, runs = min(map(len, own.values()), default=0), exp.measure.repeats
    if least >= runs or len({tuple(found) for found in own.values()}) < 2:
        return ""
    text = "The repeats share server starts: %d runs of each setting had %s"
    return text % (runs, counted(least, "start"))


def other_server(exp: Experiment, before: Settings, after: Settings) -> bool:
    """Do these need a server that is started in another way, or with another data directory?"""
    if server_part(before) != server_part(after):
        return True
    keys = {data.key(s, data.before(s)) for s in (before, after)}
    return len(keys) > 1 and after.get("load.prepare", True) is True and keeps_tables(exp, after)


def keeps_tables(exp: Experiment, settings: Settings) -> bool:
    """Can the tables of each variant stay?  On private servers, by a data directory for each; not
    if a hook puts something into the first one."""
    private = settings.get("server.kind", "private") == "private"
    private = private and settings.get("load.script") not in BUILT_IN
    hooks = any(hook.moment == "before" for hook in exp.hooks)
    return private and exp.measure.restart != "never" and not hooks


def preparing(
    exp: Experiment, plan: Plan, known: Callable[[Settings], data.Reads] = data.before
) -> list[PlannedRun]:
    """The runs before which tables are made, at most: before an option of the user's that changes,
    unless it is known that prepare does not look at it."""
    found = []
    made: list[list[str]] = []
    for run in plan.runs:
        settings = plan.cells[run.cell].settings
        if not settings.get("load.prepare", True) or settings["load.script"] in BUILT_IN[:-1]:
            continue
        server = [str(settings.get(k, "")) for k in ("server.engine", "server.program")]
        now = [*server, data.key(settings, known(settings))]
        if now not in (made if keeps_tables(exp, settings) else made[-1:]):
            found.append(run)
        made.append(now)
    return found


def rows_of(settings: Settings) -> float:
    """Rows that prepare inserts; sysbench's defaults where the experiment says nothing."""
    try:
        size = str(settings.get("load.table-size", 10000)).lower()
        factor = {"k": 1e3, "m": 1e6, "g": 1e9}.get(size[-1:], 1)
        return float(size.rstrip("kmg")) * factor * float(str(settings.get("load.tables", 1)))
    except ValueError:
        return 10000.0


def estimate(exp: Experiment, plan: Plan) -> float:
    """Seconds that the runs will take."""
    m, cells = exp.measure, plan.cells
    around_s = m.warmup_s + m.pause_s + RUN_S
    runs_s = sum(found_rate.run_s(cells[run.cell].settings, m.time_s) for run in plan.runs)
    rows = sum(rows_of(cells[run.cell].settings) for run in preparing(exp, plan))
    first_s = m.idle_s + found_rate.estimate_s(exp) + len(starting(exp, plan)) * START_S
    return first_s + runs_s + len(plan.runs) * around_s + rows / ROWS_PER_S


# ---- for people --------------------------------------------------------------------


def counted(n: int, word: str) -> str:
    return "1 %s" % word if n == 1 else "%d %ss" % (n, word)


def spans(texts: Sequence[str]) -> str:
    """4 to 26 runs"""
    return " to ".join([*(text.split()[0] for text in texts[:-1]), texts[-1]])


def table(exp: Experiment, plan: Plan) -> str:
    """Cells with the order of their runs, then the totals."""
    m, plans = exp.measure, [plan]
    if m.until and m.repeats > rounds.LOOKS[0]:  # it ends after its first look, or a later one
        plans.insert(0, resized(exp.with_measure(repeats=rounds.LOOKS[0]), plan))
    first = plans[0]
    heads = ["cell"] + [f.name for f in exp.factors] + ["runs, in order"]
    rows = [heads]
    for cell in plan.cells:
        numbers = [str(run.number) for run in first.runs if run.cell == cell.number]
        numbers += ["..."] * (len(first.runs) < len(plan.runs))
        rows.append([str(cell.number)] + list(cell.levels.values()) + [" ".join(numbers)])
    # Words to the left, the columns that hold only numbers to the right.
    left = [i for i in range(len(heads)) if not all(r[i].isdigit() for r in rows[1:])]
    table = "\n".join(labels.aligned(rows, left))
    rate = found_rate.outline(exp, plan.cells)
    found_s = labels.duration(found_rate.estimate_s(exp))
    lines = ["first, the rate is found: %s, about %s" % (rate, found_s)] if rate else []
    order = m.order + (", seed %d" % m.seed if m.order in ("blocks", "shuffle") else "")
    runs = [counted(len(p.runs), "run") for p in plans]
    turns = [counted(len(p.runs) // len(p.cells), "repeat") for p in plans]
    sizes = counted(len(plan.cells), "cell"), spans(turns), spans(runs)
    lines.append("%s x %s = %s, order: %s" % (*sizes, order))
    each = found_rate.search_text(exp) or ": " + labels.duration(m.time_s)
    warmup = "up to " * m.warmup_steady + labels.duration(m.warmup_s)
    pause = ", then a pause of %s" % labels.duration(m.pause_s) if m.pause_s else ""
    lines.append("each run%s after %s of warm-up%s" % (each, warmup, pause))
    begun = spans([counted(len(starting(exp, p)), "server start") for p in plans])
    most, least = (len(preparing(exp, plan, f)) for f in (data.before, lambda s: frozenset()))
    unsure = "at most " * (
        most > least and any(data.before(c.settings) is None for c in plan.cells)
    )
    lines.append("%s%s, %s" % (unsure, begun, counted(most, "preparation")))
    took = [labels.duration(p.estimate_s) for p in plans]
    lines.append("estimated duration: %s" % " to ".join(took))
    if m.until:
        of, within = rounds.wanted(m)
        of = " in " * bool(of) + of.replace("cpu", "server CPU/tx")
        lines.append("it ends when all differences%s are known to %g %%" % (of, 100 * within))
    if m.budget_s:
        budget = labels.duration(m.budget_s)
        lines.append("no round begins that would not end within %s" % budget)
    titles = filter(None, (exp.title, exp.question))
    return "\n".join([*titles, "", table, "", *lines])
