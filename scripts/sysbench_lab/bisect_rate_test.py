# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of bisect_rate.py with servers that are functions of the rate."""

from __future__ import annotations

import random
from typing import Callable

import pytest

from sysbench_lab import search
from sysbench_lab.bisect_rate import Search, Votes, rounded


class Server:
    """Passes up to `limit`; `noise` is the share of the limit by which a short run may err."""

    def __init__(self, limit: float, noise: float = 0, seed: int = 1) -> None:
        self.limit = limit
        self.noise = noise
        self.random = random.Random(seed)
        self.asked: list[tuple[float, bool]] = []

    def __call__(self, rate: float, long: bool) -> bool:
        self.asked.append((rate, long))
        error = self.random.uniform(-self.noise, self.noise) * (0.2 if long else 1)
        return rate <= self.limit * (1 + error)


@pytest.mark.parametrize("limit", [37, 512, 990, 1_000, 5_555, 123_456])
@pytest.mark.parametrize("ceiling", [1.0, 1.3, 3.0, 20.0])
def test_within_two_per_cent(limit: float, ceiling: float) -> None:
    server = Server(limit)
    found = Search(server).find(limit * ceiling)
    assert found is not None
    assert 0.97 * limit <= found <= limit
    assert server.asked.count((found, True)) == 1
    assert len(server.asked) < 25


@pytest.mark.parametrize("seed", range(20))
def test_noise_at_the_edge(seed: int) -> None:
    server = Server(1000, 0.05, seed)
    found = Search(server).find(1300)
    assert found is not None
    assert 930 <= found <= 1020
    assert (found, True) in server.asked
    assert len(server.asked) < 60


def test_a_ceiling_that_was_too_low_is_passed() -> None:
    found = Search(Server(1000)).find(600)
    assert found is not None
    assert 950 <= found <= 1000


def test_nothing_passes() -> None:
    server = Server(0)
    assert Search(server).find(1000) is None
    assert len(server.asked) < 12


@pytest.mark.parametrize("lasting", [985, 900, 400, 50])
def test_what_short_runs_hold_and_long_ones_do_not(lasting: float) -> None:
    """A buffer that fills, a disk that gets tired: only long runs tell."""
    asked: list[bool] = []

    def tires(rate: float, long: bool) -> bool:
        asked.append(long)
        return rate <= (lasting if long else 1000)

    found = Search(tires).find(1200)
    assert found is not None
    assert 0.95 * lasting <= found <= lasting
    assert asked.count(True) <= 14  # one a rate that fails


def test_a_rate_that_a_long_run_missed_is_not_confirmed() -> None:
    """Two of three is a majority, and yet nobody can rely on such a rate."""
    long: dict[float, list[bool]] = {}

    def now_and_then(rate: float, is_long: bool) -> bool:
        holds = rate <= 1000 and not (is_long and rate > 950 and not long.get(rate))
        if is_long:
            long.setdefault(rate, []).append(holds)
        return holds

    found = Search(now_and_then).find(1200)
    assert found is not None and found <= 950
    assert long[found] == [True]


@pytest.mark.parametrize("answers, passes", [("yy", True), ("yn", False), ("n", False)])
def test_where_short_runs_disagreed_two_long_ones_confirm(answers: str, passes: bool) -> None:
    search = Search(script(answers))
    search.short.seen[100] = [True, False, True]
    assert search.passes_long(100) is passes
    assert len(search.long.seen[100]) == len(answers)


def test_where_short_runs_agreed_one_long_one_confirms() -> None:
    search = Search(script("y"))
    search.short.seen[100] = [True, True]
    assert search.passes_long(100)


def script(answers: str) -> Callable[[float, bool], bool]:
    left = list(answers)
    return lambda rate, long: left.pop(0) == "y"


@pytest.mark.parametrize(
    "answers, first, second",
    [("yy", True, True), ("yny", True, True), ("ynn", True, False), ("nn", False, False)],
)
def test_votes(answers: str, first: bool, second: bool) -> None:
    votes = Votes(script(answers), False)
    assert votes.ask(100) is first
    assert votes.ask(100, 2) is second
    assert votes.ask(100, 2) is second  # nothing is asked again


@pytest.mark.parametrize("rate, want", [(1234.5, 1230), (0.98765, 0.988), (7, 7), (0, 0), (-1, 0)])
def test_rounded(rate: float, want: float) -> None:
    assert rounded(rate) == want


def test_as_many_runs_as_the_plan_says() -> None:
    """Servers whose limit is a 20th of the throughput without a rate or more."""
    dice, counts = random.Random(1), []
    for seed in range(1000):
        server = Server(1000 * 0.05 ** dice.random(), 0.1, seed)
        Search(server).find(1000)
        long = sum(long for _, long in server.asked)
        counts.append((len(server.asked) - long, long))
    for made, (usual, least, most) in zip(zip(*counts), (search.USUAL, search.CONFIRMING)):
        assert abs(sum(made) / 1000 - usual) < 1
        assert sum(least <= n <= most for n in made) > 850
