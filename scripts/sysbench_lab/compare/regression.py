# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a version worse than another?  A verdict, and an exit status for continuous integration.

    verdict("response_p95_ms", base values, other values)  ->  Verdict(...)
    check(exp, plan, rows)                                 ->  one for each figure and arm, and more
    told(verdicts)                                         ->  as gate.py delivers them

The change of a figure is its ratio of medians, other to base, less 1, with the bootstrap
interval of stats.effect; which side of it is worse, figures.better() knows.  `margin` (5 %) is the
change that nobody minds:

    worse          the whole interval is beyond the margin on the bad side, and clearly so among all
                   figures and cells that are looked at (stats.chances)
    same           the whole interval is within the margin
    not worse      no part of it is beyond the margin on the bad side
    better         as worse, on the good side
    inconclusive   anything else: more repeats would tell; also fewer than three runs a side, or no
                   run that counts

With a control, an arm that is the baseline once more, worse and better are what is beyond the
margin by more than the control differs from the baseline.

An arm that is compared at several places is judged over all of them by its mean change
(statistics/pooled.py), with intervals that hold 95 % all together; beside that verdict, only places
that are worse or better have one.  Places that differ are not the same on average: each is judged
by itself.

What is compared is what answer.py compares, and those runs count, as everywhere either those that
held the rate or those that did not.  A base of which all runs held the rate and a version of which
none did is worse whatever the figures say, the other way round it is better; where the runs of one
side do not agree, nobody knows.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from .. import LabError
from ..plan import contrasts, labels
from ..plan.contrasts import Pair
from ..plan.model import CellSummary, Effect, Experiment, Plan, Row
from ..results import figures, sheets
from ..statistics import answer, pooled, stats

WORDS = {"worse": sheets.FAILS, "inconclusive": sheets.INCONCLUSIVE}
FIGURES = ("tps", "response_p95_ms", "server_cpu_us_per_tx")
MARGIN = 0.05
Values = Sequence[float]  # of a figure in the runs of a cell


class Verdict(NamedTuple):
    """`change`: None if unknown, then `why` says why."""

    word: str  # worse, same, not worse, better, inconclusive
    figure: str
    where: str  # cell and arm
    change: Effect | None
    why: str = ""
    values: tuple[Values, Values] = ((), ())  # of the base and of the other
    marks: Sequence[str] | None = ("", "")  # see figures.mark(); None over several places
    margin: float = MARGIN
    control: float = 0.0  # by what the control differs from the base

    def sentence(self) -> str:
        plain = self.figure in ("", "sustained")
        what = self.figure if plain else figures.column(self.figure).title
        said = " ".join(filter(None, (what, self.word)))
        text = ": ".join(filter(None, (self.where, said)))
        if self.change is None:
            return "%s (%s)" % (text, self.why)
        unit = figures.column(self.figure).unit
        if self.marks is None:
            return "%s: %s" % (text, answer.per_cent(self.change))
        said = answer.change(self.change, unit, answer.per_cent(self.change), self.marks)
        if self.control and self.word == "inconclusive":
            differs = "has no such figure"
            if math.isfinite(self.control):
                differs = "differs by %.0f %%" % (100 * self.control)
            said += "; the control " + differs
        return "%s: %s%s" % (text, said, "; " + figures.FEW if any(self.marks) else "")


def verdict(
    figure: str, base: Values, other: Values, margin: float = MARGIN, seed: int = 1, more: float = 0
) -> Verdict:
    """The verdict on one figure, from its values in the runs of both sides; `more`: by what the
    control differs from the base."""
    if not base or not other:
        return Verdict("inconclusive", figure, "", None, "no runs that count")
    found = stats.effect(base, other, figure, seed)
    if found.low is None or found.high is None:
        why = "%d and %d runs; each needs 3" % (len(base), len(other))
        return Verdict("inconclusive", figure, "", None, why)
    said, values = word(found, figure, margin, margin + more), (base, other)
    return Verdict(said, figure, "", found, "", values, margin=margin, control=more)


def word(found: Effect, figure: str, margin: float, limit: float) -> str:
    assert found.low is not None and found.high is not None
    low, high = found.low - 1, found.high - 1
    if figures.better(figure) == "more":
        low, high = -high, -low
    if low > limit:
        return "worse"
    if high < -limit:
        return "better"
    if high > margin:
        return "inconclusive"
    return "same" if low >= -margin else "not worse"


# ---- two arms of an experiment -----------------------------------------------------


def check(
    exp: Experiment,
    plan: Plan,
    rows: Sequence[Row],
    names: Sequence[str] = FIGURES,
    margin: float = MARGIN,
    control: str = "",
) -> list[Verdict]:
    """Each arm against the baseline, in each figure that a side has: over all places, then at each
    place that this says nothing of, or that is worse or better."""
    every, itself = sides(exp, plan, rows, control)
    at_places = []
    for pair in every:
        again = itself.get(pair[0].cell.number)
        at_places += of_cells(exp, pair, every, names, margin, again)
    found = among_all(among_all(at_places, "worse", exp), "better", exp)
    if control:
        return found
    whole, told = over_all(exp, every, names, margin)
    seen = [v for v in found if (v.where, v.figure) not in told or v.word in ("worse", "better")]
    return whole + seen


def over_all(
    exp: Experiment, every: Sequence[Pair], names: Sequence[str], margin: float
) -> tuple[list[Verdict], set[tuple[str, str]]]:
    """The verdicts on arms that are compared at several places, and on which of these they are."""
    fair = [p for p in every if all(answer.supports(s, 1) for s in p)]
    fair = [p for p in fair if p[0].held == p[1].held and all(map(answer.rate_known, p))]
    found: list[tuple[contrasts.Contrast, str, pooled.Estimate]] = []
    for c in contrasts.of_pairs(fair):
        for figure in names if len(c.pairs) > 1 else ():
            one = pooled.estimate(answer.blocks_of(exp, c.pairs, figure))
            found += [(c, figure, one)] if one else []
    verdicts, told = [], set()
    for c, figure, one in found:
        change = pooled.Pooled(one, answer.level_of(exp) / len(found), False).effect(figure)
        where = "%s, over %s" % (c.name, answer.span_of(exp, c, c.pairs))
        said = word(change, figure, margin, margin)
        if said != "same" or not one.apart:
            verdicts.append(Verdict(said, figure, where, change, marks=None, margin=margin))
            told |= {(labels.pair_text(a.cell, b.cell), figure) for a, b in c.pairs}
    return verdicts, told


def sides(
    exp: Experiment, plan: Plan, rows: Sequence[Row], control: str = ""
) -> tuple[list[Pair], dict[int, CellSummary]]:
    """The pairs; and apart from them the control's cells, by the base's number: empty where there
    is none.  With a control, disturbed runs count, as in compare."""
    rows = [{**r, "disturbed": ""} for r in rows] if control else rows
    every = contrasts.pairs(exp, stats.summarise(exp, plan, rows))
    if not control:
        return every, {}
    names = [f.name for f in contrasts.variants(exp)]
    cells = (s.cell for pair in every for s in pair)
    again = {c.number for c in cells if control in labels.names_of(exp, c, names)}
    found = {base.cell.number: other for base, other in every if other.cell.number in again}
    if not found:
        arms = dict.fromkeys(labels.levels_text(other.cell, exp.x) for _, other in every)
        text = "--control=%s: there is no such arm beside the baseline; there are %s"
        raise LabError(text % (control, ", ".join(arms)))
    rest = [pair for pair in every if not again & {s.cell.number for s in pair}]
    none = {base.cell.number: stats.summary_of(base.cell, "", [], 0) for base, _ in rest}
    return rest, {**none, **found}


def among_all(said: list[Verdict], word: str, exp: Experiment) -> list[Verdict]:
    """The verdicts, without those of this word that may be chance: so many were looked at."""
    cells: dict[str, dict[str, stats.Sides]] = {v.where: {} for v in said}
    for v in (v for v in said if all(v.values) and math.isfinite(v.control)):
        more = (figures.better(v.figure) == "more") == (word == "better")
        by = v.margin + v.control
        limit = max(0.0, 1 + by if more else 1 - by)  # the least change that would be the word
        cells[v.where][v.figure] = [limit * base for base in v.values[0]], v.values[1]
    chances = dict(zip(cells, stats.chances([*cells.values()], exp.measure.seed)))

    def clear(v: Verdict) -> bool:
        if v.word != word or not all(v.values):
            return True
        n = min(map(len, v.values))
        return stats.is_rare(chances[v.where][v.figure], n, answer.most_of(exp))

    return [v if clear(v) else v._replace(word="inconclusive") for v in said]


def of_cells(
    exp: Experiment,
    sides: Pair,
    every: Sequence[Pair],
    names: Sequence[str],
    margin: float,
    control: CellSummary | None,
) -> list[Verdict]:
    where = labels.pair_text(sides[0].cell, sides[1].cell)
    counted = [s.counted for s in sides]
    if not all(counted):
        why = "no run counts" + (" on one side" if any(counted) else "")
        return [Verdict("inconclusive", "", where, None, why)]
    if any(s.disturbed for s in sides):
        return [Verdict("inconclusive", "", where, None, answer.obstacle(sides))]
    if sides[0].held != sides[1].held or not all(map(answer.rate_known, sides)):
        word, why = "better", "this held the rate, the baseline did not"
        if sides[0].held:
            word, why = "worse", "the baseline held the rate, this did not"
        if not answer.told_by_rate(sides, every):
            word, why = "inconclusive", "whether both sides held the rate is not certain"
        return [Verdict(word, "sustained", where, None, why)]
    verdicts = []
    for figure in names:
        values = [s.figures[figure].values if figure in s.figures else () for s in sides]
        if any(values):
            marks = [figures.mark(figure, s.figures) for s in sides]
            more = 0.0
            if control and values[0]:
                again = control.figures.get(figure)
                base = sides[0].figures[figure].median
                more = abs(stats.ratio(base, again.median) - 1) if again else math.inf
            found = verdict(figure, values[0], values[1], margin, exp.measure.seed, more)
            verdicts.append(found._replace(where=where, marks=marks))
    return verdicts


def told(verdicts: Sequence[Verdict], names: Sequence[str]) -> list[sheets.Verdict]:
    """For the exit status; that nothing was found out is no success."""
    if not verdicts:
        said = "inconclusive: no run has any of " + ", ".join(names)
        return [sheets.Verdict("figures", sheets.INCONCLUSIVE, said)]
    found = [(": ".join(filter(None, (v.where, v.figure))), v) for v in verdicts]
    return [sheets.Verdict(n, WORDS.get(v.word, sheets.PASSES), v.sentence()) for n, v in found]
