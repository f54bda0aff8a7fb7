# SPDX-License-Identifier: GPL-2.0-or-later
"""answer.py: sentences for made cells, word for word; none says more than its figures."""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any, Sequence

import pytest

from .. import testing
from ..plan import contrasts, labels
from ..plan.model import CellSummary, Experiment, Measure, Row
from ..testdata.runner_cases import factor
from . import answer, stats

OTPC, POOL = "one-thread-per-connection", "pool-of-threads"


def summaries(
    exp: Experiment, cells: Sequence[Sequence[float] | None], rate: bool = True, **more: Any
) -> list[CellSummary]:
    """A cell for each list: CPU per transaction of its runs; p95 is a hundredth of it."""
    rows: list[Row] = []
    for number, values in enumerate(cells):
        for value in values or ():
            held = value < 1000
            rows.append(
                {
                    "cell": number, "status": "done", "server_cpu_us_per_tx": value,
                    "why": "", "response_p95_ms": value / 100, "tps": 1200.0 if held else 900.0,
                    **({"target_tps": 1200, "sustained": "yes" if held else "no"} if rate else {}),
                    **more,
                }
            )  # fmt: skip
    return stats.summarise(exp, testing.make_plan(exp), rows)


def first(exp: Experiment, cells: Sequence[Sequence[float] | None], **more: Any) -> str:
    return answer.sentences(exp, summaries(exp, cells, **more))[0]


ONE = testing.make_experiment(2, (16,), 3, 1)
AXIS = testing.make_experiment(2, (1, 512, 2048), 3, 1)
SCRIPTS = factor("load.script", "load.script", "read", "write")


@pytest.mark.parametrize(
    "base, other, sentence",
    [
        (
            [200, 201, 202],
            [160, 164, 168],
            "server CPU/tx 201 -> 164 us, -18 % (-24 to -13); p95 2.01 -> 1.64 ms,"
            " -18 % (-22 to -14); the same throughput",
        ),
        (
            [200, 201, 202, 200, 202],
            [204, 205, 206, 204, 206],
            "server CPU/tx 201 -> 205 us, +2.0 % (+2.0 to +2.0); p95 2.01 -> 2.05 ms,"
            " +2.0 % (+2.0 to +2.0); the same throughput",
        ),
        (  # the mean over the rounds is another change than that of the medians
            [100, 100, 100, 100, 200],
            [75, 75, 75, 75, 190],
            "server CPU/tx 100 -> 75.0 us (medians), -21 % (-33 to -7); p95 1.00 -> 0.75 ms"
            " (medians), -21 % (-31 to -10); the same throughput",
        ),
        (
            [200, 210, 220],
            [205, 211, 215],
            "no clear difference in server CPU/tx (-8.0 to +9.2 %; could have seen 11 %; 5 more"
            " rounds would show 5 %) or p95 (-8.0 to +9.2 %; could have seen 11 %; 5 more rounds"
            " would show 5 %); the same throughput",
        ),
        (
            [1100, 1100, 1100],
            [160, 164, 168],
            "only pool-of-threads held 1,200 tx/s at 16 connections"
            " (one-thread-per-connection: 900 tx/s)",
        ),
        ([1100] * 3, [1100] * 3, "neither held 1,200 tx/s at 16 connections"),
    ],
)
def test_two_arms_at_one_point(base: list[float], other: list[float], sentence: str) -> None:
    assert first(ONE, [base, other]) == "%s against %s: %s" % (POOL, OTPC, sentence)


def test_a_machine_on_which_little_is_seen() -> None:
    """Great per cents are written as numbers are, and a disturbed machine gets the advice."""
    runs = [[100, 900, 300], [2000, 150, 600]]
    found = answer.sentences(ONE, summaries(ONE, runs, False, disturbed=BUSY % 90))
    assert "throughput (-56 to +89 %; could have seen 130 %), server" in found[0]
    assert found[0].endswith(",508 %; could not have seen 1,000 %)")
    wide = " at this length: runs of one setting differ by up to 1,233 %; use a calmer machine, or"
    assert found[2].endswith(wide + " raise measure.time")
    assert found[-2] == "every cell: all disturbed (%s)" % (BUSY % 90)


def test_a_side_that_failed_at_a_place_is_named() -> None:
    """What is said of the place that is left does not hold everywhere."""
    exp = testing.make_experiment(2, (16, 512), 3, 1)
    made = summaries(exp, [[200, 201, 202], [210, 211, 212], [160, 164, 168], [1]])
    made[3] = dataclasses.replace(made[3], runs=3, counted=0, figures={}, flag="all failed")
    found = answer.sentences(exp, made)[0]
    assert "server CPU/tx 201 -> 164 us, -18 % (-24 to -13) at 16 connections; p95" in found
    same = "; the same throughput at 16 connections; "
    assert found.endswith(same + POOL + " failed at 512 connections")


FEW = "too few runs that count: each setting needs 3, and %s"


@pytest.mark.parametrize(
    "base, other, why",
    [
        ([200, 202], [160, 164, 168], FEW % "one has only 2"),
        ([1100] * 3, [1100], FEW % "one has only 1"),
        ([1100], [160, 164], FEW % "both have only 1 or 2"),
        ([1100] * 3, [160, 1100, 1100], "the repeats do not agree on whether the rate was held"),
        ([1100, 160, 1100], [160] * 3, "the repeats do not agree on whether the rate was held"),
        ([160] * 3, [1100, 160, 160], "the repeats do not agree on whether the rate was held"),
    ],
)
def test_what_supports_no_claim(base: list[float], other: list[float], why: str) -> None:
    assert first(ONE, [base, other]) == "No conclusion: " + why


BUSY = "other processes used %d %% of the CPUs"


def test_disturbed_runs_support_no_claim() -> None:
    """As it was measured on a machine that was busy with other things: five of its findings."""
    cells = [[499, 503, 511], [702, 698, 704], [1100] * 3, [543, 540, 551], [572, 570, 580]]
    cells += [[600] * 3]
    made = summaries(AXIS, cells)
    busy = [BUSY % 90, BUSY % 95, BUSY % 93]
    more: dict[str, Any] = {"disturbed": tuple(busy), "flag": "all disturbed"}
    all_of_it = [dataclasses.replace(s, **more) for s in made]
    found = answer.sentences(AXIS, all_of_it)
    assert found[0] == ("No conclusion: in all 18 runs other processes used 90 to 95 % of the CPUs")
    assert len(found) == 3 and "%" not in found[1] + found[2]
    hints = [dataclasses.replace(s, hints=("late",) * 2) for s in all_of_it]
    assert answer.sentences(AXIS, hints)[-2] == "12 of 18 runs: late"
    found = answer.sentences(AXIS, all_of_it[:4])
    assert found[0].startswith("No conclusion: in all 12 runs ")
    half = [*made[:1], *all_of_it[1:2], *made[2:4], *all_of_it[4:]]
    found = answer.sentences(AXIS, half)
    assert found[0].startswith("%s against %s: server CPU/tx 503 -> 543 us, +8" % (POOL, OTPC))
    assert "512" not in found[0] and "2,048" not in found[0]
    assert found[2] == (
        "At 512 connections, pool-of-threads against one-thread-per-connection: no conclusion:"
        " in all 6 runs other processes used 90 to 95 % of the CPUs"
    )
    reason = "in all 3 runs of pool-of-threads other processes used 90 to 95 % of the CPUs"
    assert found[3].endswith("no conclusion: " + reason)
    steal = dataclasses.replace(all_of_it[0], disturbed=(*busy[1:], "steal 7 %"))
    found = answer.sentences(AXIS, [steal, *all_of_it[1:]])
    reason = "in 17 of 18 runs other processes used 90 to 95 % of the CPUs"
    reason += ", and in 1 of 18 runs steal 7 %"
    assert found[0] == "No conclusion: " + reason
    found = answer.sentences(AXIS, [steal, *all_of_it[1:3], *made[3:]])
    assert found[0] == "No conclusion: " + reason.replace("18 runs", "9 runs of " + OTPC).replace(
        "17", "8"
    )
    alone = answer.sentences(testing.make_experiment(1, (1, 512), 3, 1), all_of_it[:2])
    assert alone[0] == "No conclusion: in all 6 runs other processes used 90 to 95 % of the CPUs"


def test_a_verdict_that_is_not_known_is_none() -> None:
    made = summaries(ONE, [[200] * 3, [160] * 3], sustained="")
    assert [s.flag for s in made] == ["all without a verdict on the rate"] * 2
    assert answer.sentences(ONE, made)[0] == (
        "No conclusion: it is not known whether the rate was held"
    )
    exp = testing.make_experiment(1, (16,), 3, 1)
    assert first(exp, [[200] * 3], sustained="") == (
        "one-thread-per-connection: 1,200 tx/s held in 0 of 3 runs (1,200 tx/s)"
    )


def test_an_axis_is_told_by_the_first_and_the_last_difference() -> None:
    cells = [[200] * 5, [250] * 5, [1100] * 5, [220] * 5, [200] * 5, [210] * 5]
    assert first(AXIS, cells) == (
        "From about 7 connections on, pool-of-threads needs less server CPU per transaction"
        " and has a lower p95 than one-thread-per-connection;"
        " server CPU/tx 200 -> 220 us, +10 % (+10 to +10) at 1 connection"
        " and 250 -> 200 us, -20 % (-20 to -20) at 512;"
        " p95 2.00 -> 2.20 ms, +10 % (+10 to +10) at 1 connection"
        " and 2.50 -> 2.00 ms, -20 % (-20 to -20) at 512;"
        " the same throughput up to 512 connections;"
        " only pool-of-threads held 1,200 tx/s at 2,048 connections"
        " (one-thread-per-connection: 900 tx/s)"
    )


CROSS = testing.make_experiment(2, (1, 16, 128, 512), 5, 1)
QUIET = [100, 101, 102, 103, 104]


@pytest.mark.parametrize(
    "changes, words",
    [
        # log-linear: 16 * (512 / 16) ** 0.5: halfway on the logarithmic axis
        ((1.5, 1.25, 1.0, 0.8), "From about 91 connections on, pool-of-threads needs less server"),
        ((0.8, 0.8, 1.25, 1.25), "From about 45 connections on, pool-of-threads needs more server"),
        ((1.25, 1.0, 1.0, 1.0), ""),
        ((1.25, 0.8, 1.25, 0.8), ""),  # it turns three times
        ((0.8, 0.8, 0.8, 0.8), ""),
        ((1.25, 1.0, 1.0, 0.999), ""),  # the turn is not clear
    ],
)
def test_where_an_arm_crosses_the_baseline(changes: tuple[float, ...], words: str) -> None:
    cells = [QUIET] * 4 + [[v * c for v in QUIET] for c in changes]
    found = first(CROSS, cells, response_p95_ms=None)
    assert found.startswith(words or "%s against %s, over 1 to 512 connections: " % (POOL, OTPC))
    assert ("From" in found) == bool(words)


def test_a_hole_in_the_axis_is_not_up_to() -> None:
    cells = [[200] * 5, [1100] * 5, [200] * 5, [220] * 5, [200] * 5, [210] * 5]
    assert "the same throughput where both held the rate" in first(AXIS, cells)
    some = [[200] * 3, [200, 200, 1100], *[[200] * 3] * 4]  # one repeat of three did not hold it
    assert "the same throughput where both held the rate" in first(AXIS, some)


def test_a_disturbed_point_in_the_middle_hides_no_throughput() -> None:
    made = summaries(AXIS, [[200] * 5] * 6)
    made[1] = dataclasses.replace(made[1], disturbed=(BUSY % 90,) * 5, flag="all disturbed")
    assert answer.sentences(AXIS, made)[0].endswith(
        "no clear difference in server CPU/tx (0.0 to 0.0 %) or p95 (0.0 to 0.0 %); the same"
        " throughput"
    )


COSTS = "server CPU/tx 200 -> 160 us, -20 % (-20 to -20); "
TIMES = "p95 2.00 -> 1.60 ms, -20 % (-20 to -20); "


@pytest.mark.parametrize(
    "more, sentence",
    [
        ({}, COSTS + TIMES + "the same throughput"),
        (
            {"rate": False, "tps": 500.0},
            COSTS + TIMES + "no clear difference in throughput (0.0 to 0.0 %)",
        ),
        ({"server_cpu_us_per_tx": None}, TIMES + "the same throughput"),
    ],
)
def test_what_is_not_known_is_left_out(more: dict[str, Any], sentence: str) -> None:
    found = first(ONE, [[200] * 5, [160] * 5], **more)
    assert found == "%s against %s: %s" % (POOL, OTPC, sentence)


def test_the_baseline_is_named() -> None:
    exp = dataclasses.replace(ONE, measure=Measure(baseline=POOL))
    assert first(exp, [[200] * 5, [160] * 5]).startswith(
        "%s against %s: server CPU/tx 160 -> 200 us" % (OTPC, POOL)
    )


def test_points_faults_and_certainty_follow() -> None:
    cells = [[200, 200, 200], None, [1100] * 3, [220, 230, 225], [200], [210] * 3]
    assert answer.sentences(AXIS, summaries(AXIS, cells, why="busy"))[1:] == [
        "At 1 connection, pool-of-threads against one-thread-per-connection: server CPU/tx"
        " 200 -> 225 us, +12 % (+10 to +15);"
        " p95 2.00 -> 2.25 ms, +12 % (+10 to +15)",
        "At 2,048 connections, pool-of-threads against one-thread-per-connection: only"
        " pool-of-threads held 1,200 tx/s"
        " (one-thread-per-connection: 900 tx/s)",
        "one-thread-per-connection at 512 connections: not run",
        "one-thread-per-connection at 2,048 connections: none of 3 sustained: busy",
        "10 of 13 runs: busy",
        "Medians of 1 to 3 runs. Changes are means over the rounds with 95 to 97.5 % intervals,"
        " reported at"
        " a 5 % family-wise error rate over all 2 comparisons (t-test). At a single place brackets"
        " are 90 % bootstrap intervals; differences are reported at a 10 % family-wise error rate"
        " over all 2 comparisons (permutation test)",
    ]


def test_percentiles_of_few_transactions_are_marked() -> None:
    few = "* of fewer samples than this percentile needs: the slowest of them"
    values = [[200, 201, 202], [160, 164, 168]]
    found = answer.sentences(ONE, summaries(ONE, values, done=19))
    assert "; p95 2.01* -> 1.64* ms, -18 % (-22 to -14)" in found[0] and few in found
    found = answer.sentences(ONE, summaries(ONE, values, done=20))
    assert "; p95 2.01 -> 1.64 ms, -18 % (-22 to -14)" in found[0] and few not in found
    one = testing.make_experiment(1, (16,), 3, 1)
    assert ", p95 2.01* ms" in first(one, values[:1], done=19)


def test_sessions_of_others_are_told() -> None:
    values = [[200, 201, 202], [160, 164, 168]]
    found = answer.sentences(ONE, summaries(ONE, values, other_sessions=1.0))
    assert any(text.endswith(": all beside active sessions of others") for text in found)


def test_remarks_of_runs_that_held_the_rate() -> None:
    late = "the load generator woke up late, by up to 9.7 ms (16 of 16); give it more CPU time"
    found = answer.sentences(ONE, summaries(ONE, [[200] * 3, [160, 1100, 170]], why=late))
    assert found[1:-1] == [
        "pool-of-threads at 16 connections: 2 of 3 sustained",
        "All 5 runs: " + late,
    ]
    busy = "both clients were busy (limit about %d/s); raise --threads"
    cells = [summaries(ONE, [[200], [160]], why=why) for why in (busy % 20, busy % 30, late)]
    found = answer.remarks([cells[0][0], cells[1][1], cells[2][0]])
    assert found == [
        "2 of 3 runs: both clients were busy (limit about 20 to 30/s); raise --threads",
        OTPC + ": 1 of 2 runs: " + late,
    ]


def test_a_backlog_is_told_by_its_most() -> None:
    said = "after a backlog of up to %s transactions %s; p95 includes it: "
    busy = "both clients were busy (limit about 20/s); raise --threads"
    backlogs = ("3", "between second 0.0 and 4.0"), ("1,027", "at second 2.1")
    why = [said % backlog + busy for backlog in backlogs]
    why.append("after a backlog of up to 9 transactions at second 0.1")
    cells = [summaries(ONE, [[200], [160]], why=w)[0] for w in why]
    assert answer.remarks(cells[:2]) == [
        "All 2 runs caught up after a backlog (at most 1,027 transactions): " + busy
    ]
    alone = "The only run caught up after a backlog (at most 9 transactions)"
    assert answer.remarks(cells[2:]) == [alone]


@pytest.mark.parametrize("levels, name", [(("on", "off"), "jit"), (("1", "2"), "pool_size")])
def test_a_level_that_says_nothing_alone_has_the_name_of_its_factor(
    levels: tuple[str, str], name: str
) -> None:
    arms = factor("server.option." + name, "server.option." + name, *levels)
    exp = dataclasses.replace(AXIS, factors=(arms, AXIS.factors[1]), measure=Measure(seed=1))
    base, other = ("%s %s" % (name, v) for v in levels)
    cells = [[200] * 5, [250] * 5, [1100] * 5, [220] * 5, [200] * 5, [210] * 5]
    found = answer.sentences(exp, summaries(exp, cells))
    assert found[0].startswith("From about 7 connections on, %s needs less" % other)
    assert " a lower p95 than %s; " % base in found[0]
    assert "only %s held 1,200 tx/s at 2,048 connections (%s: 900 tx/s)" % (other, base) in found[0]
    assert found[1].startswith("At 1 connection, %s against %s: " % (other, levels[0]))
    alike = answer.sentences(exp, summaries(exp, [[200] * 5] * 6))
    head = "%s against %s, over 1 to 2,048 connections: no clear difference in server CPU/tx ("
    assert alike[0].startswith(head % (other, levels[0]))


def test_an_interval_without_no_change_that_is_not_stated_says_why() -> None:
    """(-8 to -2 %) beside "no clear difference" would contradict it."""
    found = stats.effect([100, 101, 102], [94, 96, 99], answer.COST, 1)
    said = "no clear difference (-7.8 to -1.0 %, but may be chance)"
    assert answer.told(found, clear=False) == said
    found = stats.effect([100, 101, 102], [99, 101, 103], answer.COST, 1)
    assert answer.told(found) == "no clear difference (-2.9 to +3.0 %)"


@pytest.mark.parametrize(
    "cells, last",
    [
        ([[1], None], "At most one run of each cell, so a difference may be chance"),
        ([[1], [1]], "One run of each cell, so a difference may be chance"),
        ([[1, 1], [1]], "Medians of 1 to 2 runs, so a difference may be chance"),
        (
            [[1] * 4, [1] * 5],
            "Medians of 4 to 5 runs. Changes are means over the rounds with 97.5 % intervals,"
            " reported at a 5 % family-wise error rate over all 2 comparisons (t-test)",
        ),
    ],
)
def test_certainty(cells: list[list[float]], last: str) -> None:
    assert answer.sentences(ONE, summaries(ONE, cells))[-1] == last


def noise(law: str, dice: random.Random) -> float:
    """Of 2 %; of "outliers", a run in ten takes up to 2.5 times as long."""
    if law == "lognormal":
        return 1 + 0.02 * math.exp(dice.gauss(0, 0.6))
    slow = dice.random() < 0.1 and law == "outliers"
    return math.exp(dice.gauss(0, 0.02)) * (1 + 1.5 * dice.random() * slow)


def simulated(law: str, times: int, changes: Sequence[float]) -> list[int]:
    """How many differences are stated in each of as many experiments: two arms, the other one
    changed by a factor at each point, five repeats, three figures."""
    exp = testing.make_experiment(2, [2**i for i in range(len(changes))], 5, 1)
    cells = testing.make_plan(exp).cells
    dice, counts = random.Random(law), []
    for _ in range(times):
        made = []
        for number, change in enumerate([*[1.0] * len(changes), *changes]):
            runs = [[change * noise(law, dice) for _ in range(5)] for _ in range(3)]
            names = answer.COST, answer.P95, answer.TPS
            figures = {n: stats.spread(v, 1) for n, v in zip(names, runs)}
            made.append(CellSummary(cells[number], OTPC, 5, 5, 0, 0, "", figures))
        known = answer.comparisons(exp, contrasts.contrasts(exp, made), {})
        counts.append(sum(one.clear for one in known.values()))
        assert len(known) == 3 * len(changes)
    return counts


@pytest.mark.parametrize("law", ["normal", "lognormal", "outliers"])
def test_equal_arms_differ_in_few_of_the_experiments(law: str) -> None:
    """Of experiments with 20 cells, 5 % may state something at a point.  Single intervals would
    find something in most of them."""
    found = simulated(law, testing.EXPERIMENTS, [1.0] * 10)
    assert sum(n > 0 for n in found) < testing.LUCK


@pytest.mark.parametrize("changes, least", [([1.1] * 10, 29), ([*[1.0] * 4, 1.2, *[1.0] * 5], 2.7)])
def test_real_differences_are_found(changes: list[float], least: float) -> None:
    """10 % everywhere, 20 % in one of ten points; of 30 and of 3 that are there."""
    for law in ("normal", "lognormal"):
        assert sum(simulated(law, 20, changes)) / 20 >= least


def who_held(runs: Sequence[Sequence[bool]], repeats: int) -> str:
    """The first sentence about two arms whose runs held the rate like this, cell by cell."""
    exp = testing.make_experiment(2, [2**i for i in range(len(runs) // 2)], repeats, 1)
    rows: list[Row] = [
        {"cell": number, "status": "done", "why": "", "tps": 1200.0 if held else 900.0,
         "target_tps": 1200, "sustained": "yes" if held else "no"}
        for number, cell in enumerate(runs)
        for held in cell
    ]  # fmt: skip
    return answer.sentences(exp, stats.summarise(exp, testing.make_plan(exp), rows))[0]


def test_who_held_the_rate_is_no_chance() -> None:
    """Runs that hold it by chance: of 200 experiments of three repeats, 10 % are 20, and 30 are
    more than luck (1 %).  All points that agree are said."""
    dice = random.Random(1)
    found = 0
    for _ in range(200):
        found += "only" in who_held([[dice.random() < 0.5 for _ in range(3)] for _ in range(20)], 3)
    assert found <= 30
    yes, no, some = [True] * 3, [False] * 3, [True, False, True]
    assert who_held([yes, no, no, yes, yes, yes], 3).endswith(
        "the same throughput at 1 connection; only pool-of-threads held 1,200 tx/s at 2 connections"
        " (one-thread-per-connection: 900 tx/s);"
        " only pool-of-threads held 1,200 tx/s at 4 connections"
        " (one-thread-per-connection: 900 tx/s)"
    )
    assert "only" not in who_held([yes, [False, False, True], no, yes, some, yes], 3)
    assert who_held([no, yes, yes, no], 3) == "No conclusion: who held the rate may be chance"


def test_one_arm_along_an_axis() -> None:
    exp = testing.make_experiment(1, (1, 16, 512), 3, 1)
    assert first(exp, [[200] * 3, [220] * 3, [1100] * 3]) == (
        "one-thread-per-connection: 1,200 tx/s, p95 2.00 ms, server CPU/tx 200 us"
        " at 1 connection; 1,200 tx/s, p95 2.20 ms, server CPU/tx 220 us at 16 connections;"
        " 1,200 tx/s not held at 512 connections (900 tx/s)"
    )
    found = answer.sentences(exp, summaries(exp, [[200] * 3, [220] * 3, [200, 1100, 1100]]))
    assert found[0].endswith("; 1,200 tx/s held in 1 of 3 runs at 512 connections (900 tx/s)")
    assert found[-1] == "Medians of 2 to 3 runs"  # nothing is in brackets


def test_scripts_are_not_compared_with_each_other() -> None:
    """Two scripts and two schedulers: each scheduler with its own script."""
    exp = dataclasses.replace(ONE, factors=(ONE.factors[0], SCRIPTS), x="")
    found = answer.sentences(exp, summaries(exp, [[200] * 5, [400] * 5, [160] * 5, [300] * 5]))
    assert found[0] == (
        "pool-of-threads against one-thread-per-connection, over read and write: server CPU/tx -23"
        " % (-23 to -23); p95 -23 % (-23 to -23); the same throughput"
    )
    assert [f.partition(", -")[0] for f in found[1:3]] == [
        "With read, %s against %s: server CPU/tx 200 -> 160 us" % (POOL, OTPC),
        "With write, %s against %s: server CPU/tx 400 -> 300 us" % (POOL, OTPC),
    ]
    assert len(found) == 4
    mixed = [[200] * 5, [400] * 5, [160] * 5, [500] * 5]  # there is no average of these
    assert answer.sentences(exp, summaries(exp, mixed))[0] == (
        "pool-of-threads against one-thread-per-connection, over read and write:"
        " server CPU/tx 200 -> 160 us, -20 % (-20 to -20) with read"
        " and 400 -> 500 us, +25 % (+25 to +25) with write;"
        " p95 2.00 -> 1.60 ms, -20 % (-20 to -20) with read"
        " and 4.00 -> 5.00 ms, +25 % (+25 to +25) with write; the same throughput"
    )


def test_rates_are_not_compared_with_each_other() -> None:
    rates = factor("load.tx-rate", "load.tx-rate", 100, 200)
    exp = dataclasses.replace(ONE, factors=(ONE.factors[0], rates), x="")
    found = answer.sentences(exp, summaries(exp, [[200] * 3, [180] * 3, [160] * 3, [180] * 3]))
    assert found[0].startswith(
        "pool-of-threads against one-thread-per-connection, over 100 tx/s asked for and 200 tx/s"
        " asked for: server CPU/tx -11 % (-11 to -11) on average,"
        " though places differ;"
    )
    where = "With %d tx/s asked for, pool-of-threads against one-thread-per-connection: "
    assert found[1].startswith(where % 100 + "server CPU/tx 200 -> 160 us, -20 %")
    assert found[2].startswith(where % 200 + "no clear difference in server CPU/tx (0.0 to 0.0 %) ")


def test_scripts_alone_are_described() -> None:
    exp = dataclasses.replace(ONE, factors=(SCRIPTS, AXIS.factors[1]))
    found = answer.sentences(exp, summaries(exp, [[200], [201], [202], [400], [401], [402]]))
    assert found[0] == "read and write do different work and are not compared"
    assert found[1].startswith("read: 1,200 tx/s, p95 2.00 ms, server CPU/tx 200 us at 1 conn")
    assert found[2].startswith("write: 1,200 tx/s, p95 4.00 ms")


def test_nothing_measured() -> None:
    assert answer.sentences(ONE, summaries(ONE, [None, None])) == ["Nothing has been measured."]
    failed = summaries(ONE, [[1, 1], [1]], status="failed")
    assert answer.sentences(ONE, failed) == ["Each of the 3 runs failed."]


def test_an_axis_of_another_option() -> None:
    name = "server.option.innodb_buffer_pool_size"
    sizes = dataclasses.replace(factor(name, name, "1G", "4G"), numeric=True)
    exp = dataclasses.replace(ONE, factors=(ONE.factors[0], sizes), x=name)
    found = first(exp, [[200] * 5, [200] * 5, [160] * 5, [160] * 5])
    assert ", over innodb_buffer_pool_size 1G to 4G: server CPU/tx -20 % (-20 to -20)" in found


def test_no_arm_takes_the_place_of_a_baseline_that_failed() -> None:
    exp = testing.make_experiment(3, (16,), 3, 1)
    found = answer.sentences(exp, summaries(exp, [None, [200] * 3, [150] * 3]))
    assert found[0] == "No conclusion: nothing was measured of " + OTPC
    assert not any("%" in text for text in found[:3])
    assert found[1].startswith("pool-of-threads: 1,200 tx/s")
    assert found[2].startswith("pool, 4 groups: 1,200 tx/s")


@pytest.mark.parametrize("rates", [(1200, 1000), (None, 1000)])
def test_arms_of_other_rates_have_not_the_same_throughput(rates: tuple[Any, Any]) -> None:
    rows: list[Row] = []
    for cell, rate in enumerate(rates):
        figures = {"target_tps": rate, "tps": float(rate or 3000), "server_cpu_us_per_tx": 200.0}
        kind = "yes" if rate else ""
        rows += [{"cell": cell, "status": "done", "sustained": kind, "why": "", **figures}] * 5
    found = answer.sentences(ONE, stats.summarise(ONE, testing.make_plan(ONE), rows))
    assert "the same throughput" not in found[0]
    less = "1,200 -> 1,000 tx/s, -17" if rates[0] else "3,000 -> 1,000 tx/s, -67"
    assert found[0].startswith("%s against %s: throughput %s %%" % (POOL, OTPC, less))


@pytest.mark.parametrize(
    "base, other, in_table, in_sentence",
    [
        ([200, 201, 202], [160, 164, 168], "-18 % (-21 to -16)", "-18 % (-21 to -16)"),
        ([100.0] * 3, [100.01] * 3, "0.0 % (0.0 to 0.0)", "no clear difference (0.0 to 0.0 %)"),
        ([1, 0, 1], [1, 1, 1], "n/a", "no clear difference (0 to n/a %)"),
        ([0, 0, 0], [1, 1, 1], "from 0", "from 0"),
        ([4], [5], "+25 %", "too few runs to compare"),
    ],
)
def test_a_change(base: list[float], other: list[float], in_table: str, in_sentence: str) -> None:
    effect = stats.effect(base, other, answer.COST, 1)
    assert answer.per_cent(effect) == in_table
    assert answer.told(effect) == in_sentence
    values = "%s -> %s us" % tuple(map(labels.grouped, (effect.base, effect.other)))
    said = values if in_table == "from 0" else "%s, %s" % (values, in_sentence)
    assert answer.change(effect, "us") == said


def test_from_nothing_there_is_no_per_cent() -> None:
    text = first(ONE, [[0.0] * 3, [150.0] * 3])
    assert "server CPU/tx 0 -> 150 us;" in text and "n/a" not in text
