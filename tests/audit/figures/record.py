# SPDX-License-Identifier: GPL-2.0-or-later
"""The raw log of a run, and which of its transactions a report may have counted.

A report reads the counts of the clients one after the other and then the clock; transactions end
meanwhile. What is certain without any assumption about how fast that goes:

  - the reading begins after the tick that it belongs to (`due`). What ended before that is
    counted, but for one transaction of a client: the last one, when the client has not begun
    another one by then, as it may have read the clock and not yet bumped its counter;
  - what ended after the instant of the report (`at`) is not counted;
  - of each client it is the first n transactions that are counted, whatever n is;
  - the report says itself how many it has counted in all.

So there are a least and a most number of transactions for each client, and every figure of a
report has a range that is derived from these. In most reports the two are the same, and the
range is one value. At the end of the run nothing moves any more: the figures of the summary are
exact.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional

import report

from . import grids


class Transaction(NamedTuple):
    """One record; times in ns since the raw log began."""

    client: int
    begun: int
    lag: int
    service: int
    outcome: str

    @property
    def planned(self) -> int:
        return self.begun - self.lag

    @property
    def end(self) -> int:
        return self.begun + self.service

    @property
    def response(self) -> int:
        return self.lag + self.service


Lists = Dict[int, List[Transaction]]
Counts = Dict[int, int]


class Cut(NamedTuple):
    """How many transactions of each client, at least and at most, a reading has counted."""

    least: Counts
    most: Counts

    def narrowed(self, counted: int) -> "Cut":
        """The same, knowing how many it has counted in all: of each client that many more than
        certain at most."""
        rest = max(counted - sum(self.least.values()), 0)
        return Cut(self.least, {c: min(n, self.least[c] + rest) for c, n in self.most.items()})

    def bounds(self) -> "tuple[int, int]":
        return sum(self.least.values()), sum(self.most.values())


class Record:
    """What a raw log says of the time that was measured."""

    def __init__(self, path: str) -> None:
        self.header, rows, self.end = report.read_raw(path)
        self.rows = [Transaction(*row) for row in rows]
        self.began: int = self.end["from"] if self.end else 0
        self.measured = [t for t in self.rows if t.planned >= self.began]
        self.all = self._lists(self.measured)
        self.of = {
            o: self._lists(t for t in self.measured if t.outcome == o) for o in report.OUTCOMES
        }
        self.done = [t for t in self.measured if t.outcome == "done"]
        self.planned = sorted(t.planned for t in self.measured)
        # for each client: the instants alone, and how many of an outcome there are among its
        # first n
        self._begun = {c: [t.begun for t in ts] for c, ts in self.all.items()}
        self._ends = {c: [t.end for t in ts] for c, ts in self.all.items()}
        self._among = {
            o: {
                c: [0] + list(accumulate(int(t.outcome == o) for t in ts))
                for c, ts in self.all.items()
            }
            for o in report.OUTCOMES
        }

    def _lists(self, transactions: Iterable[Transaction]) -> Lists:
        lists: Lists = {c: [] for c in range(self.header["clients"])}
        for t in transactions:
            lists[t.client].append(t)
        return lists

    def certain(self, due: int, outcome: str) -> Counts:
        """How many of that outcome a report has counted for each client whose reading began
        after `due`."""
        counts = {}
        for client, ends in self._ends.items():
            n, begun = bisect_right(ends, due), self._begun[client]
            if n and not (n < len(begun) and begun[n] <= due):
                n -= 1
            counts[client] = self._among[outcome][client][n]
        return counts

    def cut(self, due: int, at: Optional[int], outcome: str) -> Cut:
        """What a reading has counted that began after `due` and ended before `at` (None: nobody
        knows when)."""
        return Cut(
            self.certain(due, outcome),
            {
                c: among[-1] if at is None else among[bisect_right(self._ends[c], at)]
                for c, among in self._among[outcome].items()
            },
        )

    def nothing(self) -> Cut:
        return Cut(dict.fromkeys(self.all, 0), dict.fromkeys(self.all, 0))

    def everything(self, outcome: str) -> Cut:
        counts = {c: len(ts) for c, ts in self.of[outcome].items()}
        return Cut(counts, counts)

    def begun(self, due: int, at: int) -> "tuple[int, int]":
        """At least and at most how many it has counted as begun."""
        least = most = 0
        for client, begun in self._begun.items():
            n = bisect_right(begun, due)
            # the last one may have read the clock and not counted itself, unless it has ended
            least += n - (1 if n and self._ends[client][n - 1] > due else 0)
            most += bisect_right(begun, at)
        return least, most


class Between:
    """The transactions between two cuts: those that are surely among them, and those that may
    be."""

    def __init__(self, lists: Lists, before: Cut, after: Cut) -> None:
        self.sure: List[Transaction] = []
        self.open: List[Transaction] = []
        for c, ts in lists.items():
            first, last = before.most[c], max(before.most[c], after.least[c])
            self.sure += ts[first:last]
            self.open += ts[before.least[c] : first] + ts[last : after.most[c]]

    def range(self, value: Callable[[Transaction], int], n: int) -> "Range":
        return Range([value(t) for t in self.sure], [value(t) for t in self.open], n)


class Range:
    """Percentiles and the like of n values: all of `sure`, the others from `loose`."""

    def __init__(self, sure: List[int], loose: List[int], n: int) -> None:
        self.sure, self.loose, self.n = sorted(sure), sorted(loose), n
        self.maybe = sorted(sure + loose) if loose else self.sure

    def place(self, k: int) -> Optional[List[int]]:
        """Least and greatest of what the k-th smallest may be."""
        if not len(self.sure) <= self.n <= len(self.maybe):
            return None
        low = self.maybe[k - 1]
        high = self.maybe[len(self.maybe) - (self.n - k) - 1]
        if k <= len(self.sure):
            high = min(high, self.sure[k - 1])
        return [low, high]

    def percentile(self, p: float) -> Optional[List[int]]:
        return self.place(grids.rank(self.n, p))

    def mean(self, value: Callable[[int], float]) -> Optional[List[float]]:
        """Bounds of the mean of value(x)."""
        more, rest = self.n - len(self.sure), self.loose
        if not 0 <= more <= len(rest):
            return None
        base = sum(value(v) for v in self.sure)
        low = base + sum(value(v) for v in rest[:more])
        high = base + sum(value(v) for v in rest[len(rest) - more :])
        return [low / self.n, high / self.n]
