# SPDX-License-Identifier: GPL-2.0-or-later
"""The highest rate of each cell that holds an objective.

    run_all          each cell of an experiment: sysbench-lab find
    find_max_rate    one cell

A cell is measured without a rate first; that throughput is where the search begins
(bisect_rate.py).  Short runs narrow the bracket, runs of measure.time confirm the answer.  A run
passes when it sustained its rate and holds measure.objective (objective.py); without an objective,
when it sustained its rate.  A run that was disturbed is made again like any other.  A run that
fails ends the search: nothing can be said about that rate.
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any, Callable, Sequence

from . import LabError, bisect_rate, labels, objective, plan, runner, search_book, signals
from .model import Cell, Experiment, Plan, PlannedRun, Row, Settings
from .objective import Bound
from .search_book import SearchBook
from .target import Target

SHORT = 0.25  # of measure.time
LEAST_S = 2
USUAL = 13, 9, 20  # short runs of a cell: on average, and from to in nine of ten searches
CONFIRMING = 2, 1, 4  # long ones, likewise
RATES = (search_book.SETTING, "load.rate")

# rate -> row; None for the rate: without one
MeasureRow = Callable[[float | None, bool], Row]


@dataclasses.dataclass(frozen=True)
class Found:
    """The answer for a cell; `rows` are the long runs of the rate, which confirmed it."""

    rate: float | None
    flat_out: float
    rows: Sequence[Row]
    runs: int
    short: int = 0  # short runs of the rate
    missed: int = 0  # and those of them that did not pass
    disturbed: int = 0  # of all runs, those that did not pass and were disturbed


def short_s(exp: Experiment) -> float:
    return max(LEAST_S, math.ceil(exp.measure.time_s * SHORT))


def find_max_rate(
    exp: Experiment,
    cell_settings: Settings,
    target: Target,
    bounds: str,
    folder: str = "",
    measure: MeasureRow | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Found:
    """The highest rate of a server that is there and has its data.

    `measure` makes the runs; without it they are runner.run_once() in folders of `folder`.
    """
    wanted = objective.parse(bounds)
    made = measure or plain_measure(exp, cell_settings, target, folder, wanted)
    flat_out = checked(made(None, False))["tps"]
    if not flat_out:
        raise LabError("nothing was done without a rate; there is no rate to begin with")
    note("%.0f tps without a rate" % flat_out)
    made_runs: list[tuple[float, bool, str, Row]] = []

    def passes(rate: float, long: bool) -> bool:
        row = checked(made(rate, long))
        why = objective.unmet(wanted, row)
        made_runs.append((rate, long, why, row))
        note("%.10g tps%s: %s" % (rate, ", confirming" * long, why or "holds"))
        return not why

    rate = bisect_rate.Search(passes).find(flat_out)
    at_rate = [(long, why, row) for asked, long, why, row in made_runs if asked == rate]
    return Found(
        rate,
        flat_out,
        [row for long, _, row in at_rate if long],
        len(made_runs),
        short=sum(not long for long, _, _ in at_rate),
        missed=sum(bool(why) for long, why, _ in at_rate if not long),
        disturbed=sum(bool(why and row.get("disturbed")) for _, _, why, row in made_runs),
    )


def checked(row: Row) -> Row:
    if row["status"] == "failed":
        raise LabError("a run of the search failed: %s" % row["why"])
    return row


def plain_measure(
    exp: Experiment, settings: Settings, target: Target, folder: str, bounds: Sequence[Bound]
) -> MeasureRow:
    """Runs that belong to no book."""
    base = dict(with_percentiles(without_rate(settings), bounds))
    numbers = iter(range(1, 1 << 30))

    def measure(rate: float | None, long: bool) -> Row:
        name = "flat-out" if rate is None else search_book.level_name(rate)
        where = os.path.join(folder, "%03d-%s" % (next(numbers), name))
        changed: Settings = flat_out(base) if rate is None else {**base, search_book.SETTING: rate}
        time_s = exp.measure.time_s if long else short_s(exp)
        return runner.run_once(exp, changed, target, where, (), time_s)

    return measure


def without_rate(settings: Settings) -> Settings:
    return {k: v for k, v in settings.items() if k not in RATES}


def flat_out(settings: Settings) -> Settings:
    """Without a rate and what needs one: tx-arrival, tx-overload ..."""
    return {k: v for k, v in without_rate(settings).items() if not k.startswith("load.tx-")}


def with_percentiles(settings: Settings, bounds: Sequence[Bound]) -> Settings:
    """Ask sysbench for the percentiles that the objective names."""
    ranks = objective.percentiles(bounds)
    if not ranks:
        return settings
    given = str(settings.get("load.percentile", "95")).split(",")
    return {**settings, "load.percentile": ",".join(dict.fromkeys([*given, *ranks]))}


# ---- what it will do ------------------------------------------------------------------


def with_a_rate(cell: Cell) -> Cell:
    """As the runs of a search have it; which one does not matter for what sysbench refuses."""
    return dataclasses.replace(
        cell, settings={**without_rate(cell.settings), search_book.SETTING: 1}
    )


def outline(exp: Experiment, made: Plan) -> str:
    """For people, before it begins; LabError for what cannot be searched."""
    check_searchable(exp)
    m = exp.measure
    wanted = "holds " + m.objective if m.objective else "is sustained"
    short, long, warm = map(plan.duration, (short_s(exp), m.time_s, m.warmup_s))
    lines = [exp.title, *filter(None, [exp.question]), ""]
    lines += ["the highest rate of %s that %s" % (plan.counted(len(made.cells), "cell"), wanted)]
    lines += ["  " + labels.cell_text(cell) for cell in made.cells if cell.levels]
    lines += [
        "each cell: %s without a rate, about %d runs (%d to %d) of %s, then %d (%d to %d) of %s;"
        " %s of warm-up each" % (short, *USUAL, short, *CONFIRMING, long, warm),
        "time to come: about %s" % plan.duration(estimate_s(exp, made)),
    ]
    return "\n".join(lines)


def estimate_s(exp: Experiment, made: Plan) -> float:
    """Server starts and preparation as of one round of the plan; the usual number of runs."""
    m = exp.measure
    around_s = m.warmup_s + m.pause_s + plan.RUN_S
    stays = without_rate(exp.stays)
    once = dataclasses.replace(exp, stays=stays, measure=dataclasses.replace(m, repeats=1))
    rest_s = plan.make(once).estimate_s - len(made.cells) * (m.time_s + around_s)
    of_cell = (1 + USUAL[0]) * (short_s(exp) + around_s) + CONFIRMING[0] * (m.time_s + around_s)
    return rest_s + len(made.cells) * of_cell


# ---- all cells of an experiment ------------------------------------------------------


def run_all(exp: Experiment, made: Plan, book: Any, progress: Any) -> None:
    """Search each cell; rows and answers go into the book.  Also goes on with a search."""
    if search_book.is_search(book.folder):
        exp = search_book.without_rate(exp)
    check_searchable(exp)
    exp = dataclasses.replace(exp, x="")  # the rate becomes the axis: all else names the arm
    bounds = objective.parse(exp.measure.objective)
    cells = [settle(cell, bounds) for cell in plan.make(exp).cells]
    times = {"short_s": short_s(exp), "long_s": exp.measure.time_s}
    found = SearchBook(book, exp, times)
    with runner.session(exp, book, progress) as session:
        found.save()
        for cell in cells:
            if any(f["of"] == cell.number for f in found.tree["found"]):
                continue
            OneCell(session, found, cell).search()


def check_searchable(exp: Experiment) -> None:
    for factor in exp.factors:
        if any(name in level.changes for level in factor.levels for name in RATES):
            raise LabError("%s varies the rate, but a search finds it" % factor.name)
    for hook in exp.hooks:
        if hook.moment == "mid-run" and hook.at_s >= short_s(exp):
            raise LabError(
                "hooks.mid-run: at is %g s, but a search also makes runs of %g s (a quarter of "
                "measure.time)" % (hook.at_s, short_s(exp))
            )


def settle(cell: Cell, bounds: Sequence[Bound]) -> Cell:
    """Without a rate of its own."""
    return dataclasses.replace(cell, settings=with_percentiles(without_rate(cell.settings), bounds))


class OneCell:
    """The search of one cell of the experiment."""

    def __init__(self, session: runner.Session, found: SearchBook, cell: Cell) -> None:
        self.session = session
        self.found = found
        self.cell = cell
        self.name = labels.cell_text(cell) if cell.levels else ""

    def search(self) -> None:
        exp = self.session.exp
        answer = find_max_rate(
            exp,
            self.cell.settings,
            self.session.target,
            exp.measure.objective,
            measure=self.measure,
            note=self.note,
        )
        text = sentence(self.name, exp.measure.objective, answer, short_s(exp), exp.measure.time_s)
        self.found.tree["found"].append(
            {
                "of": self.cell.number,
                "levels": dict(self.cell.levels),
                "rate": answer.rate,
                "flat_out_tps": answer.flat_out,
                "sentence": text,
            }
        )
        self.found.save()
        self.session.progress.note(text)

    def note(self, text: str) -> None:
        self.session.progress.note((self.name + ": " if self.name else "") + text)

    def measure(self, rate: float | None, long: bool) -> Row:
        if rate is None:
            return self.flat_out()
        known = self.found.recall(self.cell.number, rate, long)
        if known is not None:
            return known
        book = self.session.book
        run, cell = self.found.plan_run(self.cell, rate, long)
        time_s = self.found.tree["long_s" if long else "short_s"]
        with signals.finishing() as came:
            folder = self.session.fresh_folder(run)
            row = self.session.measure(run, cell, folder, (), time_s, came=came)
            checked(row)
            book.add(run, row)
        if came:
            raise KeyboardInterrupt
        self.session.worked = True
        self.found.turned.add(run.number)
        return row

    def flat_out(self) -> Row:
        """Not a row of the book: it has no rate.  Its files are in flat-out/."""
        kept = self.found.tree["flat_out"]
        key = str(self.cell.number)
        if key not in kept:
            folder = os.path.join(self.session.book.folder, "flat-out", key)
            os.makedirs(folder, exist_ok=True)
            run = PlannedRun(0, 1, self.cell.number)
            cell = dataclasses.replace(self.cell, settings=flat_out(self.cell.settings))
            time_s = self.found.tree["short_s"]
            with signals.finishing() as came:
                row = checked(self.session.measure(run, cell, folder, (), time_s, came=came))
                kept[key] = row["tps"]
                self.found.save()
            if came:
                raise KeyboardInterrupt
        return {"status": "done", "tps": kept[key]}


def sentence(name: str, bounds: str, found: Found, brief_s: float, long_s: float) -> str:
    """The answer for people."""
    prefix = name + ": " if name else ""
    what = "sustained" + (" with " + bounds if bounds else "")
    if found.rate is None:
        text = "{}no rate down to {:,.0f} tx/s is {} (without a rate: {:,.0f} tx/s)".format(
            prefix, found.flat_out * bisect_rate.LEAST, what, found.flat_out
        )
        return text + doubts(found)
    figures = figures_of(objective.parse(bounds), found.rows)
    confirmed = "%s of %g s%s" % (plan.counted(len(found.rows), "run"), long_s, figures)
    if found.short:
        held = "%d of %s" % (found.short - found.missed, plan.counted(found.short, "run"))
        confirmed += ", held by %s of %g s" % (held, brief_s)
    text = "{}{:,.10g} tx/s is the highest rate {}; confirmed by {}; without a rate: {:,.0f} tx/s"
    return text.format(prefix, found.rate, what, confirmed, found.flat_out) + doubts(found)


def doubts(found: Found) -> str:
    """What speaks for a higher rate."""
    if not found.disturbed:
        return ""
    return "; %s of the search failed to hold a rate while other programs disturbed %s" % (
        plan.counted(found.disturbed, "run"),
        "it" if found.disturbed == 1 else "them",
    )


def figures_of(bounds: Sequence[Bound], rows: Sequence[Row]) -> str:
    """The figures of the objective, each from the run that came nearest to its bound."""
    texts = []
    for b in bounds:
        values = [v for row in rows if (v := objective.value_of(b.figure, row)) is not None]
        texts += [objective.shown(b.figure, max(values))] if values else []
    return " (%s)" % ", ".join(texts) if texts else ""
