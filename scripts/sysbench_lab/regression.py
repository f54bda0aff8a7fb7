# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a version worse than another?  A verdict, and an exit status for continuous integration.

    verdict("response_p95_ms", base values, other values)  ->  Verdict(...)
    check(exp, plan, rows)                                 ->  one for each figure, x and arm
    status(verdicts)                                       ->  0 same or better, 3 worse, 4 unclear

The change of a figure is its ratio of medians, other to base, less 1, with the 95 % bootstrap
interval of stats.effect; which side of it is worse, figures.better() knows.  `margin` (5 %) is the
change that nobody minds:

    worse          the whole interval is beyond the margin on the bad side
    same           the whole interval is within the margin, or on the good side of it
    better         ... and the whole interval is beyond the margin on the good side
    inconclusive   anything else: more repeats would tell; also fewer than three runs a side, or no
                   run that counts

What is compared is what answer.py compares: arms that do the same work, at the same point of the
axis.  Only runs count that are done and undisturbed, and of these, as everywhere, either those that
held the rate or those that did not.  A base that held its rate and a version that did not is worse
whatever the figures say, the other way round it is better.  Many figures are tested at once, each
at 95 %, so a margin that is too small will be crossed by chance: prefer few figures and many
repeats.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from . import LabError
from .model import Cell, Experiment, Plan, Row

SAME, WORSE, INCONCLUSIVE = 0, 3, 4  # exit status
FIGURES = ("tps", "response_p95_ms", "server_cpu_us_per_tx")
MARGIN = 0.05


class Verdict(NamedTuple):
    """`change` and its interval: 0.1 is 10 % more than the base has; None if unknown."""

    word: str  # worse, same, better, inconclusive
    figure: str
    where: str  # cell and arm
    change: float | None
    low: float | None
    high: float | None
    why: str = ""

    @property
    def status(self) -> int:
        return {"worse": WORSE, "inconclusive": INCONCLUSIVE}.get(self.word, SAME)

    def sentence(self) -> str:
        text = " ".join(filter(None, (self.figure, self.word)))
        text = "%s: %s" % (self.where, text) if self.where else text
        if self.change is None or self.low is None or self.high is None:
            return "%s (%s)" % (text, self.why)
        if not math.isfinite(self.change):
            return "%s (from 0)" % text
        ends = ("%+.1f" % (100 * v) for v in (self.change, self.low, self.high))
        return "%s (%s %%, %s to %s)" % (text, *ends)


def verdict(
    figure: str,
    base: Sequence[float],
    other: Sequence[float],
    margin: float = MARGIN,
    seed: int = 1,
    where: str = "",
) -> Verdict:
    """The verdict on one figure, from its values in the runs of both sides."""
    from . import figures, stats

    if not base or not other:
        return Verdict("inconclusive", figure, where, None, None, None, "no runs that count")
    found = stats.effect(base, other, figure, seed)
    if found.low is None or found.high is None:
        why = "%d and %d runs; three of each at least" % (len(base), len(other))
        return Verdict("inconclusive", figure, where, None, None, None, why)
    change, low, high = (end - 1 for end in (found.ratio, found.low, found.high))
    more_is_better = figures.better(figure) == "more"
    said = word(-high, -low, margin) if more_is_better else word(low, high, margin)
    return Verdict(said, figure, where, change, low, high)


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
    figures: Sequence[str] = FIGURES,
    margin: float = MARGIN,
) -> list[Verdict]:
    """Each arm against the baseline, at each point, in each figure that a side has."""
    verdicts = []
    for base, other in pairs(exp, plan, rows):
        verdicts += of_cells(exp, base, other, rows, figures, margin)
    return verdicts


def pairs(exp: Experiment, plan: Plan, rows: Sequence[Row] = ()) -> list[tuple[Cell, Cell]]:
    """The cells that are compared, that of the baseline first."""
    from . import answer, stats

    summaries = stats.summarise(exp, plan, rows)
    return [(base.cell, other.cell) for base, other in answer.all_pairs(exp, summaries)]


def judged(names: Sequence[str]) -> None:
    """Refuse figures of which nobody can say what is worse."""
    from . import figures

    for name in names:
        if not figures.better(name):
            raise LabError("--figures: more of %s is neither better nor worse" % name)


def of_cells(
    exp: Experiment,
    base: Cell,
    other: Cell,
    rows: Sequence[Row],
    figures: Sequence[str],
    margin: float,
) -> list[Verdict]:
    from . import stats

    where = ", ".join("%s=%s" % pair for pair in other.levels.items())
    sides = counting(rows, base), counting(rows, other)
    if not all(sides):
        why = "no run counts" + (" on one side" if any(sides) else "")
        return [Verdict("inconclusive", "", where, None, None, None, why)]
    held = [stats.summary_of(base, "", side, 0).held for side in sides]
    if held[0] and not held[1]:
        why = "the baseline held the rate, this did not"
        return [Verdict("worse", "sustained", where, None, None, None, why)]
    if held[1] and not held[0]:
        why = "this held the rate, the baseline did not"
        return [Verdict("better", "sustained", where, None, None, None, why)]
    verdicts = []
    for figure in figures:
        values = [[r[figure] for r in side if stats.number(r.get(figure))] for side in sides]
        if any(values):
            verdicts.append(verdict(figure, values[0], values[1], margin, exp.measure.seed, where))
    return verdicts


def counting(rows: Sequence[Row], cell: Cell) -> list[Row]:
    """The undisturbed ones of stats.counting()."""
    from . import stats

    calm = [r for r in rows if r["cell"] == cell.number and not r["disturbed"]]
    return stats.counting(calm)[0]


def status(verdicts: Sequence[Verdict]) -> int:
    """The exit status: one that is worse decides, then one that is unclear."""
    found = {v.status for v in verdicts}
    if not verdicts:
        return INCONCLUSIVE
    return WORSE if WORSE in found else INCONCLUSIVE if INCONCLUSIVE in found else SAME
