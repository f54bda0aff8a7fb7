# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the highest rate that passes, by asking as few runs as it can.

    Search(measure, ...).find(ceiling)  ->  the rate, or None if none passes

measure(rate, long) makes one run and says whether it passed.  The search knows nothing of servers,
so a test can script one.

    bracket   from `ceiling`, the throughput without a rate, downwards until a rate passes
    bisect    short runs halve the bracket until its ends are TOLERANCE apart
    vote      a short run near the edge is decided by chance: both ends run again, and where two
              runs of a rate disagree, a third decides
    confirm   a long run at the lower end, two where short runs of the rate disagreed, and each of
              them has to pass; when one fails, lower rates in growing steps, then bisection by long
              runs alone
    look up   when the runs at the upper end disagreed, long runs there may move the answer up

Each rate is rounded to three digits, so that a rate that comes up again is the same rate.
"""

from __future__ import annotations

import math
from typing import Callable

TOLERANCE = 0.02  # between the ends of the bracket
LONG_TOLERANCE = 0.05  # where long runs have to search
STEP_DOWN = 0.03  # from a rate that was not confirmed; doubled each time
STEP_UP = 1.25  # from a ceiling that passed: the throughput without a rate was disturbed
LEAST = 1 / 256  # of the ceiling: where nothing passes, stop here
MOST_ROUNDS = 8  # of bisecting, each after a second look turned an end round

Measure = Callable[[float, bool], bool]


def rounded(rate: float) -> float:
    """Three digits: 1234.5 -> 1230."""
    return 0.0 if rate <= 0 else round(rate, 2 - math.floor(math.log10(rate)))


class Votes:
    """Runs of each rate, short or long, and what their majority says."""

    def __init__(self, measure: Measure, long: bool) -> None:
        self.measure = measure
        self.long = long
        self.seen: dict[float, list[bool]] = {}

    def ask(self, rate: float, least: int = 1) -> bool:
        """The majority of at least `least` runs, of three if these disagree."""
        seen = self.seen.setdefault(rate, [])
        while len(seen) < least or (len(set(seen)) > 1 and len(seen) < 3):
            seen.append(self.measure(rate, self.long))
        return 2 * sum(seen) > len(seen)

    def unanimous(self, rate: float, least: int) -> bool:
        """Do at least `least` runs pass, and none fail?  The first that fails is the last."""
        seen = self.seen.setdefault(rate, [])
        while all(seen) and len(seen) < least:
            seen.append(self.measure(rate, self.long))
        return all(seen)

    def split(self, rate: float) -> bool:
        """Did runs of this rate disagree?"""
        return len(set(self.seen.get(rate, []))) > 1

    def passed(self) -> list[float]:
        return sorted(r for r in self.seen if self.ask(r, 0))

    def failed(self) -> list[float]:
        return sorted(r for r in self.seen if not self.ask(r, 0))


class Search:
    """One search; `low` and `high` are the ends of the bracket."""

    def __init__(self, measure: Measure, tolerance: float = TOLERANCE) -> None:
        self.short = Votes(measure, False)
        self.long = Votes(measure, True)
        self.tolerance = tolerance
        self.low, self.high = 0.0, 0.0
        self.least = 0.0

    def find(self, ceiling: float) -> float | None:
        """The highest rate that passes, confirmed; None if none does."""
        self.high = rounded(ceiling * (1 + self.tolerance))
        self.least = ceiling * LEAST
        if not self.bracket():
            return None
        self.narrow()
        return self.confirmed()

    def bracket(self) -> bool:
        """Some rate that passes below one that does not."""
        rate = rounded(self.high * 0.75)
        while rate > self.least:
            if self.short.ask(rate):
                self.low = rate
                return True
            self.high, rate = rate, rounded(rate / 2)
        return False

    def middle(self) -> float:
        """A rate between the ends, 0 if they are close enough."""
        if self.high <= self.low * (1 + self.tolerance):
            return 0.0
        rate = rounded((self.low + self.high) / 2)
        return rate if self.low < rate < self.high else 0.0

    def narrow(self) -> None:
        """Bisect; when a second look turns an end of the bracket round, bisect again."""
        for _ in range(MOST_ROUNDS):
            rate = self.middle()
            while rate:
                if self.short.ask(rate):
                    self.low = rate
                else:
                    self.high = rate
                rate = self.middle()
            if self.firm():
                return

    def firm(self) -> bool:
        """Do both ends stand when they are measured twice?"""
        if self.low and not self.short.ask(self.low, 2):
            self.high = self.low
            self.low = max([r for r in self.short.passed() if r < self.high], default=0.0)
            if not self.low:
                self.bracket_below()
            return False
        if self.short.ask(self.high, 2):  # also of a ceiling that nobody has tried yet
            self.low = self.high
            above = [r for r in self.short.failed() if r > self.low]
            self.high = min(above, default=rounded(self.low * STEP_UP))
            return False
        return True

    def bracket_below(self) -> None:
        rate = rounded(self.high * 0.9)
        while rate > self.least and not self.short.ask(rate):
            self.high, rate = rate, rounded(rate * 0.8)
        self.low = rate if rate > self.least else 0.0

    def confirmed(self) -> float | None:
        """The highest rate at or below the lower end that a long run confirms."""
        rate, step, failed = self.low, STEP_DOWN, 0.0
        while rate > self.least:
            if self.passes_long(rate):
                return self.narrow_long(rate, failed) if failed else self.look_up(rate)
            failed, rate, step = rate, rounded(rate * (1 - step)), min(0.5, 2 * step)
        return None

    def narrow_long(self, low: float, high: float) -> float:
        """Long runs disagree with short ones: the edge by long ones alone."""
        while high > low * (1 + LONG_TOLERANCE):
            rate = rounded((low + high) / 2)
            if self.passes_long(rate):
                low = rate
            else:
                high = rate
        return low

    def passes_long(self, rate: float) -> bool:
        """Every long run has to pass: one, or two where short runs say no or disagree."""
        doubtful = False in self.short.seen.get(rate, [])
        return self.long.unanimous(rate, 2 if doubtful else 1)

    def look_up(self, rate: float) -> float:
        """Where short runs disagreed about the upper end, a long one may know better."""
        above = self.high
        if rate == self.low and self.short.split(above) and self.passes_long(above):
            return above
        return rate
