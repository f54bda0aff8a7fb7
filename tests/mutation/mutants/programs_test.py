# SPDX-License-Identifier: GPL-2.0-or-later
"""What counts as noticed: a test that fails twice, or hangs while the unchanged one does not."""

from __future__ import annotations

import tempfile
import unittest

from mutants.build import Tree
from mutants.judge import Judge
from mutants.programs import HUNG, INCONCLUSIVE, Program, Programs

UNCHANGED = 4.0  # seconds that the unchanged test takes beside a mutant that does not end


class Scripted(Program):
    """Has these exit statuses, one after the other, and takes down the limits."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(Tree("/nowhere", "/nowhere", {}), "x_test")
        self.statuses = list(statuses)
        self.limits: list[float] = []
        self.seconds = 1.0

    def linked(self, mutant: str | None) -> str:
        return ""

    def run(self, limit: float) -> int:
        self.limits.append(limit)
        return self.statuses.pop(0)

    def measure(self) -> bool:
        self.seconds = UNCHANGED
        return True


class Fails(unittest.TestCase):
    def test_verdicts(self) -> None:
        for statuses, verdict in (
            ((0,), None),
            ((INCONCLUSIVE,), None),
            ((77,), None),
            ((1, 1), "killed by x_test"),
            ((1, -11), "killed by x_test"),
            ((1, 0), None),
            ((1, INCONCLUSIVE), None),
            ((HUNG, HUNG), "hung in x_test"),
            ((HUNG, 0), None),
            ((HUNG, 1), "killed by x_test"),
        ):
            p = Scripted(*statuses)
            self.assertEqual(p.fails("x.o"), verdict, statuses)
            self.assertEqual(p.statuses, [], statuses)

    def test_limits(self) -> None:
        p = Scripted(HUNG, HUNG)
        p.fails("x.o")
        self.assertEqual(p.limits, [4 * 1.0 + 5, 5 * UNCHANGED + 5])


class Order(unittest.TestCase):
    def test_own_then_noticing_then_quick(self) -> None:
        tests = [Scripted() for _ in range(5)]
        names = ("slow_test", "other_test", "quick_test", "noticed_test", "x_test")
        for p, name, seconds in zip(tests, names, (9.0, 0.1, 0.1, 5.0, 7.0)):
            p.name, p.seconds = name, seconds
            p.parts = ["y.o" if p.name == "other_test" else "x.o"]
        with tempfile.TemporaryDirectory() as directory:
            tree = Tree("/nowhere", directory, {})
            judge = Judge(tree, Programs.__new__(Programs))
            judge.noticed["a/x.c", "noticed_test"] = 1
            order = [t.name for t in judge.order("a/x.c", list(tests))]
        self.assertEqual(order, ["x_test", "noticed_test", "quick_test", "slow_test"])


if __name__ == "__main__":
    unittest.main()
