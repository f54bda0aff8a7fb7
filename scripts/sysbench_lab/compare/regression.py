# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a version worse than another?  A verdict, and an exit status for continuous integration.

    verdict("response_p95_ms", base values, other values)  ->  Verdict(...)
    check(exp, plan, rows)                                 ->  one for each figure, x and arm
    status(verdicts)                                       ->  0 same or better, 3 worse, 4 unclear

The change of a figure is its ratio of medians, other to base, less 1, with the bootstrap
interval of stats.effect; which side of it is worse, figures.better() knows.  `margin` (5 %) is the
change that nobody minds:

    worse          the whole interval is beyond the margin on the bad side, and clearly so among all
                   figures and cells that are looked at (stats.chances)
    same           the whole interval is within the margin, or on the good side of it
    better         as worse, on the good side
    inconclusive   anything else: more repeats would tell; also fewer than three runs a side, or no
                   run that counts

What is compared is what answer.py compares: arms that do the same work, at the same point of the
axis.  Only runs count that are done and undisturbed, and of these, as everywhere, either those that
held the rate or those that did not.  A base of which all runs held the rate and a version of which
none did is worse whatever the figures say, the other way round it is better; where the runs of one
side do not agree, nobody knows.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from .. import LabError
from ..plan import contrasts, labels
from ..plan.model import Cell, CellSummary, Effect, Experiment, Plan, Row
from ..results import figures
from ..statistics import answer, stats

SAME, WORSE, INCONCLUSIVE = 0, 3, 4  # exit status
FIGURES = ("tps", "response_p95_ms", "server_cpu_us_per_tx")
MARGIN = 0.05


class Verdict(NamedTuple):
    """`change`: None if unknown, then `why` says why."""

    word: str  # worse, same, better, inconclusive
    figure: str
    where: str  # cell and arm
    change: Effect | None
    why: str = ""
    values: tuple[Sequence[float], Sequence[float]] = ((), ())  # of the base and of the other
    marks: Sequence[str] = ("", "")  # of them, see figures.mark()

    def sentence(self) -> str:
        plain = self.figure in ("", "sustained")
        what = self.figure if plain else figures.column(self.figure).title
        text = " ".join(filter(None, (what, self.word)))
        text = "%s: %s" % (self.where, text) if self.where else text
        if self.change is None:
            return "%s (%s)" % (text, self.why)
        unit = figures.column(self.figure).unit
        said = answer.change(self.change, unit, answer.per_cent, self.marks)
        return "%s: %s%s" % (text, said, "; " + figures.FEW if any(self.marks) else "")


def verdict(
    figure: str,
    base: Sequence[float],
    other: Sequence[float],
    margin: float = MARGIN,
    seed: int = 1,
    where: str = "",
) -> Verdict:
    """The verdict on one figure, from its values in the runs of both sides."""
    if not base or not other:
        return Verdict("inconclusive", figure, where, None, "no runs that count")
    found = stats.effect(base, other, figure, seed)
    if found.low is None or found.high is None:
        why = "%d and %d runs; each needs 3" % (len(base), len(other))
        return Verdict("inconclusive", figure, where, None, why)
    low, high = found.low - 1, found.high - 1
    more_is_better = figures.better(figure) == "more"
    said = word(-high, -low, margin) if more_is_better else word(low, high, margin)
    return Verdict(said, figure, where, found, "", (base, other))


def word(low: float, high: float, margin: float) -> str:
    """From an interval in which above 0 is worse."""
    if low > margin:
        return "worse"
    if high < -margin:
        return "better"
    return "same" if high <= margin else "inconclusive"


# ---- two arms of an experiment -----------------------------------------------------


def check(
    exp: Experiment,
    plan: Plan,
    rows: Sequence[Row],
    names: Sequence[str] = FIGURES,
    margin: float = MARGIN,
) -> list[Verdict]:
    """Each arm against the baseline, at each point, in each figure that a side has."""

    def undisturbed(cell: Cell) -> CellSummary:
        calm = [r for r in rows if r["cell"] == cell.number and not r["disturbed"]]
        return stats.summary_of(cell, "", calm, 0)

    verdicts = []
    every = [(undisturbed(a), undisturbed(b)) for a, b in pairs(exp, plan, rows)]
    for sides in every:
        verdicts += of_cells(exp, sides, every, names, margin)
    return among_all(among_all(verdicts, "worse", margin, exp), "better", margin, exp)


def among_all(said: list[Verdict], word: str, margin: float, exp: Experiment) -> list[Verdict]:
    """The verdicts, without those of this word that may be chance: so many were looked at."""
    cells: dict[str, dict[str, stats.Sides]] = {v.where: {} for v in said}
    for v in (v for v in said if all(v.values)):
        more = (figures.better(v.figure) == "more") == (word == "better")
        limit = 1 + margin if more else 1 - margin  # the least change that would be the word
        cells[v.where][v.figure] = [limit * base for base in v.values[0]], v.values[1]
    chances = dict(zip(cells, stats.chances([*cells.values()], exp.measure.seed)))

    def clear(v: Verdict) -> bool:
        if v.word != word or not all(v.values):
            return True
        return stats.is_rare(chances[v.where][v.figure], min(map(len, v.values)))

    return [v if clear(v) else v._replace(word="inconclusive") for v in said]


def pairs(exp: Experiment, plan: Plan, rows: Sequence[Row] = ()) -> list[tuple[Cell, Cell]]:
    """The cells that are compared, that of the baseline first."""
    summaries = stats.summarise(exp, plan, rows)
    return [(base.cell, other.cell) for base, other in contrasts.pairs(exp, summaries)]


def judged(names: Sequence[str]) -> None:
    """Refuse figures of which nobody can say what is worse."""
    for name in names:
        if not figures.better(name):
            raise LabError("--figures: more of %s is neither better nor worse" % name)


def of_cells(
    exp: Experiment,
    sides: tuple[CellSummary, CellSummary],
    every: Sequence[tuple[CellSummary, CellSummary]],
    names: Sequence[str],
    margin: float,
) -> list[Verdict]:
    where = labels.pair_text(sides[0].cell, sides[1].cell)
    counted = [s.counted for s in sides]
    if not all(counted):
        why = "no run counts" + (" on one side" if any(counted) else "")
        return [Verdict("inconclusive", "", where, None, why)]
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
            found = verdict(figure, values[0], values[1], margin, exp.measure.seed, where)
            verdicts.append(found._replace(marks=marks))
    return verdicts


def status(verdicts: Sequence[Verdict]) -> int:
    """The exit status: one that is worse decides, then one that is unclear."""
    found = {v.word for v in verdicts} or {"inconclusive"}
    return WORSE if "worse" in found else INCONCLUSIVE if "inconclusive" in found else SAME
