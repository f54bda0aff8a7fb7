# SPDX-License-Identifier: GPL-2.0-or-later
"""One case of a harness: what it expected and did not see, how it ended, where its files are.

An expectation is exact, or a bound of time.  A bound of time that does not hold while the machine
stood still says nothing about the program: the case is then inconclusive (docs/testing.md)."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Callable, NamedTuple, Sequence

from sysbench_lab import LabError, owned

from .pulse import Pulse

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"


class Book:
    """The findings of one case; `stalled` tells whether the machine stood still meanwhile."""

    def __init__(self, stalled: Callable[[], object]) -> None:
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


class Outcome(NamedTuple):
    name: str
    result: str
    seconds: float
    figures: Sequence[str]
    findings: Sequence[str]
    directory: str

    def tell(self) -> None:
        figures = ": " + "; ".join(self.figures) if self.figures else ""
        print("%-12s %5.1f s  %s%s" % (self.result, self.seconds, self.name, figures))
        for finding in self.findings:
            print("    " + finding)
        if self.directory:
            print("    files in " + self.directory)
        sys.stdout.flush()


def tried(
    name: str, keep: str, pulse: Pulse, function: Callable[[Book, str], Sequence[str] | None]
) -> Outcome:
    """Runs a case, which returns figures, in a directory of its own; that of one that did not pass
    is kept."""
    directory = os.path.join(keep, name.replace("/", ".").replace(" ", "-"))
    owned.fresh(directory)
    os.chmod(directory, 0o755)
    began = time.monotonic()
    book = Book(lambda: pulse.stalls(began))
    figures: Sequence[str] = ()
    try:
        figures = function(book, directory) or ()
    except (LabError, OSError, ValueError, LookupError, TypeError, AssertionError) as e:
        book.true(False, "%s: %s" % (type(e).__name__, e))
    seconds, result = time.monotonic() - began, book.result()
    if result == PASSED:
        owned.remove(directory)
        directory = ""
    elif result == INCONCLUSIVE:
        ms = pulse.stalls(began)
        words = "the machine stood still or was overloaded %d times, up to %d ms"
        book.doubts.append(words % (len(ms), max(ms, default=0)))
    findings = book.notes + book.wrong + book.doubts
    return Outcome(name, result, seconds, figures, findings, directory)
