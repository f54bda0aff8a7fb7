# SPDX-License-Identifier: GPL-2.0-or-later
"""Before each round: what is known so far, and whether another round begins.

None does if measure.until is reached at one of the looks (plan/rounds.py), or if it would not end
within measure.budget by the longest round of this sitting.  The first one, in which tables are made
and servers are set up, counts for the second one only, and not for more than was planned.  Then the
plan ends with the rounds that were made; those that resume adds are the ones that were planned.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Sequence

from ..plan import labels, rounds
from ..plan.model import Experiment, Plan, PlannedRun, Row
from ..statistics import answer, stats

UNKNOWN = 1  # half of an interval that is no use
FIGURES = {"cpu": answer.COST, "throughput": answer.TPS, "p95": answer.P95}


class Rounds:
    def __init__(self, book: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self.book, self._clock = book, clock
        self._began = clock()
        self._mark: float | None = None  # where the present round began, if that was seen
        self._took: list[float] = []  # seconds of each whole round

    def before(self, run: PlannedRun) -> tuple[str, bool]:
        """What there is to say before a run, and whether that is the end."""
        exp, rows = self.book.experiment, self.book.rows()
        m, made, now = exp.measure, run.round - 1, self._clock()
        if any(row["round"] >= run.round for row in rows):
            return "", False  # within a round
        if self._mark is not None:
            self._took.append(now - self._mark)
        self._mark = now
        text, enough = so_far(exp, self.book.plan, rows)
        if text:
            most = "at most " * bool(m.until)
            text = "after %d of %s%d rounds: %s" % (made, most, m.repeats, text)
        if m.until and enough and made in rounds.looks(m, made + 1):
            return "%s; that is enough (measure.until)" % text, True
        left = m.budget_s - (now - self._began)
        planned_s = self.book.plan.estimate_s / m.repeats
        each = max(self._took[1:] or [min([*self._took, planned_s])])
        if m.budget_s and self._took and each > left:
            both = labels.duration(max(left, 0)), labels.duration(each)
            end = "%s of measure.budget are left, and a round takes %s" % both
            return "; ".join([text or "after %d of %d rounds" % (made, m.repeats), end]), True
        return text, False


def so_far(exp: Experiment, plan: Plan, rows: Sequence[Row]) -> tuple[str, bool]:
    """The comparison of which least is known, and whether all are known well enough."""
    compared = answer.measured_of(exp, stats.summarise(exp, plan, rows))
    overall = answer.over_all(exp, compared)
    name, within = rounds.wanted(exp.measure) if exp.measure.until else ("", 0.0)
    there = [n for n in answer.NAMES if any(figure == n for _, _, figure in overall)]
    figure = FIGURES.get(name) or (answer.COST if answer.COST in there else "".join(there[:1]))
    names = {(c.factor, c.other): c.name for c in compared}
    found = {names[key[:2]]: one for key, one in overall.items() if key[2] == figure}
    if not found:
        return "", False
    least = max(found, key=lambda name: found[name].width)
    change = answer.per_cent(found[least].effect(figure))
    change = change if found[least].width < UNKNOWN else "not known yet"
    text = "%s: %s %s" % (least, answer.NAMES[figure], change)
    text += ", the least known of %d comparisons" % len(found) if len(found) > 1 else ""
    missing = any(c.name not in found and any(answer.fair(p, 1) for p in c.pairs) for c in compared)
    return text, not missing and all(one.known(within) for one in found.values())
