# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a version worse than another?  A verdict, and an exit status for continuous integration.

    verdict("response_p95_ms", base values, other values)  ->  Verdict(...)
    check(exp, plan, rows)                                 ->  one for each figure, x and arm
    status(verdicts)                                       ->  0 same or better, 3 worse, 4 unclear

The change of a figure is its ratio of medians, other to base, turned so that above 1 is worse, with
the 95 % bootstrap interval of stats.effect.  `margin` (5 %) is the change that nobody minds:

    worse          the whole interval is beyond the margin
    same           the whole interval is within the margin, or on the good side of it
    better         ... and the whole interval is beyond the margin on the good side
    inconclusive   anything else: more repeats would tell; also fewer than three runs a side

Only runs count that are done and undisturbed.  A base that held its rate and a version that did not
is worse whatever the figures say.  Many figures are tested at once, each at 95 %, so a margin that
is too small will be crossed by chance: prefer few figures and many repeats.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from .model import Cell, Experiment, Plan, Row, arm_of

SAME, WORSE, INCONCLUSIVE = 0, 3, 4  # exit status
FIGURES = ("tps", "response_p95_ms", "server_cpu_us_per_tx")
MARGIN = 0.05


class Verdict(NamedTuple):
    """`change` and its interval: 0.1 is 10 % worse, -0.1 is 10 % better; None if unknown."""

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
        text = "%s: %s %s" % (self.where, self.figure, self.word) if self.where else ""
        text = text or "%s %s" % (self.figure, self.word)
        if self.change is None or self.low is None or self.high is None:
            return "%s (%s)" % (text, self.why)
        numbers = (100 * self.change, 100 * self.low, 100 * self.high)
        return "%s (%+.1f %%, %+.1f to %+.1f; above 0 is worse)" % ((text,) + numbers)


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
    ends = (found.ratio, found.low, found.high)
    if figures.better(figure) == "more":
        ends = (inverse(found.ratio), inverse(found.high), inverse(found.low))
    change, low, high = (e - 1 for e in ends)
    return Verdict(word(low, high, margin), figure, where, change, low, high)


def inverse(ratio: float) -> float:
    return 1 / ratio if ratio else float("inf")


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
    """Each arm against the baseline, at each x, in each figure that both sides have."""
    arms = list(dict.fromkeys(arm_of(exp, c) for c in plan.cells))
    baseline = exp.measure.baseline or arms[0]
    verdicts = []
    for cell in plan.cells:
        base = base_of(exp, plan, cell, baseline)
        if base is not None and arm_of(exp, cell) != baseline:
            verdicts += of_cells(exp, base, cell, rows, figures, margin)
    return verdicts


def base_of(exp: Experiment, plan: Plan, cell: Cell, baseline: str) -> Cell | None:
    """The cell of the baseline at the same x."""
    for base in plan.cells:
        if arm_of(exp, base) == baseline and base.levels.get(exp.x) == cell.levels.get(exp.x):
            return base
    return None


def of_cells(
    exp: Experiment,
    base: Cell,
    other: Cell,
    rows: Sequence[Row],
    figures: Sequence[str],
    margin: float,
) -> list[Verdict]:
    where = ", ".join("%s=%s" % pair for pair in other.levels.items())
    sides = counting(rows, base), counting(rows, other)
    held = [sum(r["sustained"] != "no" for r in side) * 2 > len(side) for side in sides]
    if held[0] and not held[1] and sides[1]:
        why = "the baseline held the rate, this did not"
        return [Verdict("worse", "sustained", where, None, None, None, why)]
    verdicts = []
    for figure in figures:
        values = [[r[figure] for r in side if r.get(figure) is not None] for side in sides]
        if any(values):
            verdicts.append(verdict(figure, values[0], values[1], margin, exp.measure.seed, where))
    return verdicts


def counting(rows: Sequence[Row], cell: Cell) -> list[Row]:
    mine = [r for r in rows if r["cell"] == cell.number]
    return [r for r in mine if r["status"] == "done" and not r["disturbed"]]


def status(verdicts: Sequence[Verdict]) -> int:
    """The exit status: one that is worse decides, then one that is unclear."""
    found = {v.status for v in verdicts}
    if not verdicts:
        return INCONCLUSIVE
    return WORSE if WORSE in found else INCONCLUSIVE if INCONCLUSIVE in found else SAME
