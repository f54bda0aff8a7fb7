# SPDX-License-Identifier: GPL-2.0-or-later
"""pooled.py: how often it is wrong, what it finds, and what the answer makes of it."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from typing import Any

import pytest

from .. import testing
from ..plan import plan, rounds
from ..plan.model import Cell, Experiment, Row
from ..testdata import simulated
from ..testdata.runner_cases import factor
from . import answer, pooled, stats

# Of 300 experiments 5 % are 15; more than 26 are more than chance gives (0.3 %).
TIMES, MOST = 300, 26


@pytest.mark.parametrize(
    "source, least",
    [
        (simulated.Source(3, 3, 0.02), 0.95),
        (simulated.Source(3, 6, 0.05, drift=0.8), 0.95),
        (simulated.Source(5, 6, 0.11), 0.3),
        (simulated.Source(5, 6, 0.05, steal=True), 0.85),
        (simulated.Source(5, 6, 0.05, start=True), 0.55),
        (simulated.Source(5, 1, 0.02), 0.7),
        (simulated.Source(5, 6, 0.02, drift=0.8, order="abba"), 0.9),
    ],
)
def test_few_are_wrong_and_most_find_5_per_cent(source: simulated.Source, least: float) -> None:
    stated, held = simulated.shares(source, 1.0, TIMES)
    assert stated * TIMES <= MOST and (1 - held) * TIMES <= MOST
    assert simulated.shares(source, 1.05, TIMES)[0] >= least


@pytest.mark.parametrize(
    "places, noise, found, ended",
    [(3, 0.02, 1.0, 4), (3, 0.05, 0.95, 8), (1, 0.05, 0.75, 26), (3, 0.11, 0.5, 26)],
)
def test_who_looks_several_times_is_as_seldom_wrong(
    places: int, noise: float, found: float, ended: float
) -> None:
    """Of a difference of 5 % as many are found, and half of the experiments end as early."""
    source = simulated.Source(rounds.LOOKS[-1], places, noise)
    none, some = (simulated.looking(source, factor, TIMES) for factor in (1.0, 1.05))
    assert none.stated * TIMES <= MOST and (1 - none.held) * TIMES <= MOST
    assert some.stated >= found and some.rounds <= ended


def test_a_flat_curve_has_no_knee() -> None:
    assert simulated.flat_knees(3, 6, TIMES) * TIMES <= MOST


def test_what_has_no_estimate() -> None:
    blocks = [pooled.Block(0, i, 100.0 + i, 110.0) for i in range(3)]
    assert pooled.estimate(blocks) and not pooled.estimate(blocks[:2])
    assert not pooled.estimate([*blocks, pooled.Block(0, 3, 0.0, 1.0)])


@pytest.mark.parametrize("last, apart", [(1.10, False), (1.14, False), (1.5, True)])
def test_places_that_differ(last: float, apart: bool) -> None:
    """By more than chance, and by more than 5 % from their mean."""
    found = pooled.estimate(
        [
            pooled.Block(place, i, 100.0, 100 * ratio * (1 + 0.01 * (-1) ** i))
            for place, ratio in enumerate([1.10, 1.10, last])
            for i in range(4)
        ]
    )
    assert found and found.apart == apart


def test_others_are_taken_into_account() -> None:
    """2 % more beside neighbours that take up to 30 % of the CPUs: only the regression shows it.  A
    side that makes others take more is not relieved of it."""
    shares = [25.0, -20, 30, -10, -30, 20, -25, 10]
    blocks = [
        pooled.Block(0, i, 100.0, 100 * math.exp(share / 100 + 0.02 + 0.001 * (-1) ** i), share)
        for i, share in enumerate(shares)
    ]
    found = pooled.estimate(blocks)
    assert found and found.adjusted and found.mean == pytest.approx(0.02, abs=1e-3)
    assert pooled.judged({"": found})[""].clear
    plain = pooled.estimate([b._replace(more=None) for b in blocks])
    assert plain and not pooled.judged({"": plain})[""].clear
    caused = pooled.estimate([b._replace(more=share + 40) for b, share in zip(blocks, shares)])
    assert caused and not caused.adjusted
    # Places of which one had the neighbours beside the base, one beside the other, are alike.
    uneven = pooled.estimate(
        [
            b._replace(place=p, more=(b.more or 0) + 8 * p, other=b.other * math.exp(0.08 * p))
            for p, b in itertools.product((-1, 1), blocks)
        ]
    )
    assert uneven and uneven.adjusted and not uneven.apart


# ---- in the answer ---------------------------------------------------------------


def rows_of(exp: Experiment, value: Any, **more: Any) -> list[Row]:
    """Rows of all runs of an experiment; value(cell) is the CPU of a transaction."""
    made, found = plan.make(exp), []
    for run in made.runs:
        cost = value(made.cells[run.cell])
        row = {"run": run.number, "round": run.round, "cell": run.cell, "status": "done"}
        row.update(sustained="yes", target_tps=1200, tps=1200.0, why="", disturbed="")
        row.update(server_cpu_us_per_tx=cost, response_p95_ms=cost / 100, **more)
        found.append(row)
    return found


def told(exp: Experiment, rows: list[Row]) -> list[str]:
    return answer.sentences(exp, stats.summarise(exp, plan.make(exp), rows))


POOL, OTPC = testing.ARMS[1], testing.ARMS[0]


Scenes = dict[str, list[str]]


def noisy() -> Scenes:
    """Eighteen runs that differ by 11 %, all of them beside a neighbour: an answer with its width,
    or what cannot be known there."""
    exp, dice = testing.make_experiment(2, (1, 16, 128), 3, 1), random.Random(5)
    steal = "the hypervisor gave 9.0 % of the CPU time to others"

    def cost(cell: Cell) -> float:
        return (150.0 if cell.levels["arm"] == POOL else 300.0) * math.exp(dice.gauss(0, 0.11))

    def same(noise: float) -> list[Row]:
        return rows_of(exp, lambda _: 300 * math.exp(dice.gauss(0, noise)))

    found = told(exp, rows_of(exp, cost, disturbed=steal, steal_pct=9.0))
    return {"noisy": found, "6 %": told(exp, same(0.06)), "30 %": told(exp, same(0.3))}


def crossing() -> Scenes:
    """There is no average; the place has a range, which holds the truth.  The p95 is 5 % lower
    everywhere."""
    exp, dice = testing.make_experiment(2, (1, 16, 256), 5, 1), random.Random(2)
    change = {"1": 1.3, "16": 1.1, "256": 0.8}

    def cost(cell: Cell) -> float:
        factor = change[cell.levels["load.threads"]] if cell.levels["arm"] == POOL else 1.0
        return 300 * factor * math.exp(dice.gauss(0, 0.02))

    rows = rows_of(exp, cost)
    for row in rows:
        row["response_p95_ms"] = 3.0 * (0.95 if row["cell"] > 2 else 1.0)
    found = told(exp, rows)
    low, high = (int(n) for n in found[0].partition("(")[2].partition(")")[0].split(" to "))
    assert low <= 16 * 16 ** (math.log(1.1) / math.log(1.1 / 0.8)) <= high
    return {"crossing": found}


def two_factors() -> Scenes:
    """The first is what the experiment asks; each is compared within the levels of the other."""
    one = testing.make_experiment(2, (2, 16), 5, 1)
    hosts = factor("client.load_hosts", "client.load_hosts", 1, 2)
    exp = dataclasses.replace(one, factors=(one.factors[0], hosts, one.factors[1]))
    effect: dict[str, float] = {OTPC: 1.0, POOL: 0.8, "1": 1.0, "2": 1.1, "both": 1.0}
    dice = random.Random(1)

    def cost(cell: Cell) -> float:
        arm, host, *_ = cell.levels.values()
        both = effect["both"] if (arm, host) == (POOL, "2") else 1
        return 300 * both * effect[arm] * effect[host] * math.exp(dice.gauss(0, 0.005))

    found = {"two factors": told(exp, rows_of(exp, cost))}
    effect["both"] = 0.9
    rows = rows_of(exp, cost)
    found["more than both"] = told(exp, rows)
    for row in rows:  # what others take costs as much
        others = dice.choice((0.0, 40.0))
        row["server_cpu_us_per_tx"] *= math.exp(others / 100)
        row["others_cpu_pct"] = others
    found["beside others"] = told(exp, rows)
    last = plan.make(exp).cells[-1]
    for name, more in (("missed", {"sustained": "no"}), ("failed", {"status": "failed"})):
        for row in (row for row in rows if row["cell"] == last.number):
            row.update(more, why="it crashed")
        found[name] = told(exp, rows)
    return found


def disturbed() -> Scenes:
    """They count for what a transaction costs, and if all are."""
    exp = testing.make_experiment(2, (16,), 5, 1)
    rows = rows_of(exp, lambda cell: 150.0 if cell.levels["arm"] == POOL else 300.0)
    for row in (row for row in rows if row["round"] == 2):
        row.update(disturbed="others", response_p95_ms=9.0)
    every = [{**row, "disturbed": "others"} for row in rows]
    found = {"every one": told(exp, every)}
    for excluded in ("latency", "all", "none"):
        other = exp.with_measure(exclude_disturbed=excluded)
        first, _ = stats.summarise(other, plan.make(other), rows)
        sizes = [first.figures[n].n for n in (answer.COST, answer.P95)]
        said = "%d count, %s; of costs and p95: %s" % (first.counted, first.flag, sizes)
        found["not for " + excluded] = [said, *told(other, rows)]
    found["no one"] = told(exp.with_measure(exclude_disturbed="all"), every)
    return found


def test_answers() -> None:
    known = {**noisy(), **crossing(), **two_factors(), **disturbed()}
    found = testing.retold("pooled", lambda name: "\n".join(known[name]))
    assert found == testing.cases("pooled") and len(found) == len(known)


def test_rounds_are_the_units_where_runs_of_a_place_are_far_apart() -> None:
    blocks = [
        pooled.Block(place, turn, 100.0, 100.0 * (1 + 0.02 * turn), None, near)
        for near, place, turn in itertools.product((False,), range(6), range(1, 4))
    ]
    far = pooled.estimate(blocks)
    near = pooled.estimate([b._replace(near=True) for b in blocks])
    assert far and near and (far.free, near.free) == (2, 12) and far.error > 2 * near.error


def test_places_that_lack_rounds_show_no_certainty() -> None:
    """A place with one round has no residual, which is no sign that it has no noise."""
    dice, wrong = random.Random(1), 0
    alone = [pooled.Block(i, i, 100.0, 110.0 + i, None, False) for i in range(4)]
    assert pooled.estimate(alone) is None
    for _ in range(TIMES):
        found = pooled.estimate(
            [
                pooled.Block(place, turn, 100.0, 100 * math.exp(dice.gauss(0, 0.05)), None, False)
                for place, turn in ((0, 1), (0, 2), (0, 3), (1, 1), (2, 2))
            ]
        )
        assert found
        wrong += found.chance <= pooled.LEVEL
    assert wrong <= MOST
