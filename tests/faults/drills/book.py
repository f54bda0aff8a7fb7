# SPDX-License-Identifier: GPL-2.0-or-later
"""What a drill expected and did not see.

An expectation is exact, or a bound of time.  A bound of time that does not hold while the machine
stood still says nothing about the program: the drill is then inconclusive (docs/testing.md)."""

from __future__ import annotations

import json
from typing import Any, Callable

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"


class Book:
    """The findings of one drill; `stalled` tells whether the machine stood still meanwhile."""

    def __init__(self, stalled: Callable[[], bool]) -> None:
        self.stalled = stalled
        self.wrong: list[str] = []
        self.doubts: list[str] = []
        self.notes: list[str] = []

    def true(self, held: Any, what: str) -> bool:
        if not held:
            self.wrong.append(what)
        return bool(held)

    def same(self, what: str, seen: Any, wanted: Any) -> bool:
        return self.true(seen == wanted, "%s: %s, not %s" % (what, short(seen), short(wanted)))

    def one_of(self, what: str, seen: Any, wanted: tuple[Any, ...]) -> bool:
        return self.true(seen in wanted, "%s: %s, none of %s" % (what, short(seen), wanted))

    def most(self, what: str, seen: float, bound: float) -> bool:
        return self.true(seen <= bound, "%s: %g, more than %g" % (what, seen, bound))

    def least(self, what: str, seen: float, bound: float) -> bool:
        return self.true(seen >= bound, "%s: %g, less than %g" % (what, seen, bound))

    def timed(self, held: Any, what: str) -> bool:
        """An expectation that a machine which stands still can spoil."""
        if not held:
            (self.doubts if self.stalled() else self.wrong).append(what)
        return bool(held)

    def within(self, what: str, seconds: float, bound: float) -> bool:
        return self.timed(
            seconds <= bound, "%s took %.2f s, more than %g s" % (what, seconds, bound)
        )

    def result(self) -> str:
        return FAILED if self.wrong else INCONCLUSIVE if self.doubts else PASSED


def short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= 300 else text[:300] + "..."
