# SPDX-License-Identifier: GPL-2.0-or-later
"""What was compared in one run, and what did not agree."""

import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple


class Disagreement(NamedTuple):
    """One figure of one format that is not what the record says."""

    format: str
    figure: str
    seen: Any
    expected: str

    def __str__(self) -> str:
        return "%s: %s: seen %r, expected %s" % (self.format, self.figure, self.seen, self.expected)


def reports(document: Dict[str, Any]) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """All of a run, with their places."""
    for kind in ("intervals", "checkpoints"):
        for i, report in enumerate(document[kind]):
            yield "%s[%d]." % (kind, i), report
    yield "summary[0].", document["summary"]


class Book:
    """Counts the figures of a run and collects the disagreements."""

    def __init__(self) -> None:
        self.figures = 0
        self.disagreements: List[Disagreement] = []

    def _judge(self, good: bool, fmt: str, figure: str, seen: Any, expected: str) -> bool:
        self.figures += 1
        if not good:
            self.disagreements.append(Disagreement(fmt, figure, seen, expected))
        return good

    def same(self, fmt: str, figure: str, seen: Any, expected: Any) -> bool:
        """An exact figure."""
        return self._judge(seen == expected, fmt, figure, seen, repr(expected))

    def near(
        self,
        fmt: str,
        figure: str,
        seen: Optional[float],
        expected: Optional[float],
        rel: float = 1e-12,
        slack: float = 1e-12,
    ) -> bool:
        """A figure that was computed in floating point: the same up to the order of its
        operations."""
        good = seen is expected is None or (
            seen is not None
            and expected is not None
            and math.isclose(seen, expected, rel_tol=rel, abs_tol=slack)
        )
        return self._judge(good, fmt, figure, seen, repr(expected))

    def within(self, fmt: str, figure: str, seen: Optional[float], low: float, high: float) -> bool:
        """A figure that the record leaves a range for, both ends included."""
        good = seen is not None and low <= seen <= high
        return self._judge(good, fmt, figure, seen, "%r to %r" % (low, high))

    def printed(self, fmt: str, figure: str, text: str, value: Optional[float]) -> bool:
        """A number in a text: the value to the digits that are printed; n/a for None."""
        if value is None:
            return self._judge(text == "n/a", fmt, figure, text, "n/a")
        digits = len(text.partition(".")[2])
        try:
            off = abs(float(text) - value)
        except ValueError:
            off = math.inf
        # half a unit of the last digit, and as much again as floating point may turn a tie
        good = off <= 0.5 * 10**-digits + 1e-9 * max(1.0, abs(value))
        return self._judge(good, fmt, figure, text, "%.*f" % (digits, value))
