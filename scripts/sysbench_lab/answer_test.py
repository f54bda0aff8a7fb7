# SPDX-License-Identifier: GPL-2.0-or-later
"""answer.py: sentences for made cells, word for word; none says more than its figures."""

from __future__ import annotations

import dataclasses
from typing import Any, Sequence

import pytest

from . import answer, stats, testing
from .model import CellSummary, Experiment, Factor, Level, Measure, Row

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


@pytest.mark.parametrize(
    "base, other, sentence",
    [
        (
            [200, 201, 202],
            [160, 164, 168],
            "server CPU/tx -18 % (-21 to -16), p95 -0.37 ms (-21 to -16 %); the same throughput",
        ),
        (
            [200, 201, 202],
            [204, 205, 206],
            "server CPU/tx +2.0 % (+1.0 to +3.0), p95 +0.040 ms (+1.0 to +3.0 %);"
            " the same throughput",
        ),
        (
            [200, 210, 220],
            [205, 211, 215],
            "server CPU/tx not clearly different (-6.8 to +7.5 %),"
            " p95 not clearly different (-6.8 to +7.5 %); the same throughput",
        ),
        (
            [200, 202],
            [160, 164, 168],
            "server CPU/tx -18 % (no interval), p95 -0.37 ms (no interval); the same throughput",
        ),
        (
            [1100, 1100, 1100],
            [160, 164, 168],
            "only pool-of-threads held 1,200 tx/s at 16 connections"
            " (one-thread-per-connection: 900 tx/s)",
        ),
        ([1100, 1100, 1100], [1100], "neither held 1,200 tx/s at 16 connections"),
    ],
)
def test_two_arms_at_one_point(base: list[float], other: list[float], sentence: str) -> None:
    assert first(ONE, [base, other]) == "%s: %s" % (POOL, sentence)


def test_an_axis_is_told_by_its_ends() -> None:
    cells = [[200] * 3, [250] * 3, [1100] * 3, [220] * 3, [200] * 3, [210] * 3]
    assert first(AXIS, cells) == (
        "pool-of-threads: server CPU/tx +10 % (+10 to +10) at 1 connection,"
        " -20 % (-20 to -20) at 512,"
        " p95 +0.20 ms (+10 to +10 %) at 1 connection, -0.50 ms (-20 to -20 %) at 512;"
        " the same throughput up to 512 connections;"
        " only pool-of-threads held 1,200 tx/s at 2,048 connections"
        " (one-thread-per-connection: 900 tx/s)"
    )


def test_a_hole_in_the_axis_is_not_up_to() -> None:
    cells = [[200] * 3, [1100] * 3, [200] * 3, [220] * 3, [200] * 3, [210] * 3]
    assert "the same throughput where both held the rate" in first(AXIS, cells)


def test_without_a_rate_throughput_comes_first() -> None:
    found = first(ONE, [[200] * 3, [160] * 3], rate=False, tps=500.0)
    assert found == (
        "pool-of-threads: throughput not clearly different (0.0 to 0.0 %),"
        " server CPU/tx -20 % (-20 to -20), p95 -0.40 ms (-20 to -20 %)"
    )


def test_figures_that_one_lacks_are_left_out() -> None:
    found = first(ONE, [[200] * 3, [160] * 3], server_cpu_us_per_tx=None)
    assert found == "pool-of-threads: p95 -0.40 ms (-20 to -20 %); the same throughput"


def test_the_baseline_is_named() -> None:
    exp = dataclasses.replace(ONE, measure=Measure(baseline=POOL))
    assert first(exp, [[200] * 3, [160] * 3]).startswith(OTPC + ": server CPU/tx +25 %")


def test_points_faults_and_certainty_follow() -> None:
    cells = [[200, 200, 200], None, [1100] * 3, [220, 230, 225], [200], [210] * 3]
    assert answer.sentences(AXIS, summaries(AXIS, cells))[1:] == [
        "At 1 connection, pool-of-threads: server CPU/tx +12 % (+10 to +15),"
        " p95 +0.25 ms (+10 to +15 %)",
        "At 2,048 connections, pool-of-threads: only pool-of-threads held 1,200 tx/s"
        " (one-thread-per-connection: 900 tx/s)",
        "Not run: one-thread-per-connection at 512 connections",
        "None of 3 sustained: one-thread-per-connection at 2,048 connections",
        "Medians of 1 to 3 runs; in brackets, 95 % bootstrap intervals,"
        " which take 3 runs of both cells",
    ]


def test_remarks_of_runs_that_held_the_rate() -> None:
    late = "the load generator woke up late, by up to 9.7 ms (16 of 16); give it more CPU time"
    found = answer.sentences(ONE, summaries(ONE, [[200] * 3, [160, 1100, 170]], why=late))
    assert found[1:-1] == [
        "2 of 3 sustained: pool-of-threads at 16 connections",
        "In 5 of 5 runs, the load generator woke up late: the response times include its delay",
    ]
    busy = "both clients were busy (limit about 20/s); raise --threads"
    found = answer.sentences(ONE, summaries(ONE, [[200], [160]], why=busy))
    assert found[1].startswith("In 2 of 2 runs, all clients were busy for a while")


@pytest.mark.parametrize(
    "cells, last",
    [
        ([[1], [1]], "One run a cell: no interval, so a difference may be chance"),
        (
            [[1, 1], [1]],
            "Medians of 1 to 2 runs: too few for an interval, so a difference may be chance",
        ),
        ([[1] * 4, [1] * 4], "Medians of 4 runs; in brackets, 95 % bootstrap intervals"),
    ],
)
def test_certainty(cells: list[list[float]], last: str) -> None:
    assert answer.sentences(ONE, summaries(ONE, cells))[-1] == last


def test_one_arm_along_an_axis() -> None:
    exp = testing.make_experiment(1, (1, 16, 512), 3, 1)
    assert first(exp, [[200] * 3, [220] * 3, [1100] * 3]) == (
        "one-thread-per-connection: 1,200 tx/s, p95 2.00 ms, server CPU/tx 200 us"
        " at 1 connection; 1,200 tx/s, p95 2.20 ms, server CPU/tx 220 us at 16 connections;"
        " 1,200 tx/s not held at 512 connections (900 tx/s)"
    )


def test_scripts_are_not_compared_with_each_other() -> None:
    """Two scripts and two schedulers: each scheduler with its own script."""
    scripts = tuple(Level(s, {"load.script": s}) for s in ("read", "write"))
    exp = dataclasses.replace(
        ONE, factors=(ONE.factors[0], Factor("load.script", scripts, False)), x=""
    )
    found = answer.sentences(exp, summaries(exp, [[200] * 3, [400] * 3, [160] * 3, [300] * 3]))
    assert [f.split(",  p95")[0][:60] for f in found[:2]] == [
        "pool-of-threads, read: server CPU/tx -20 % (-20 to -20), p95",
        "pool-of-threads, write: server CPU/tx -25 % (-25 to -25), p9",
    ]
    assert len(found) == 3


def test_rates_are_not_compared_with_each_other() -> None:
    rates = tuple(Level(str(n), {"load.tx-rate": n}) for n in (100, 200))
    exp = dataclasses.replace(
        ONE, factors=(ONE.factors[0], Factor("load.tx-rate", rates, True)), x=""
    )
    found = answer.sentences(exp, summaries(exp, [[200] * 3, [180] * 3, [160] * 3, [180] * 3]))
    assert found[0].startswith("pool-of-threads, 100: server CPU/tx -20 %")
    assert found[1].startswith("pool-of-threads, 200: server CPU/tx not clearly different")


def test_scripts_alone_are_described() -> None:
    scripts = tuple(Level(s, {"load.script": s}) for s in ("read", "write"))
    exp = dataclasses.replace(
        ONE, factors=(Factor("load.script", scripts, False), AXIS.factors[1]), x="load.threads"
    )
    found = answer.sentences(exp, summaries(exp, [[200], [201], [202], [400], [401], [402]]))
    assert found[0].startswith("read: 1,200 tx/s, p95 2.00 ms, server CPU/tx 200 us at 1 conn")
    assert found[1].startswith("write: 1,200 tx/s, p95 4.00 ms")


def test_nothing_measured() -> None:
    assert answer.sentences(ONE, summaries(ONE, [None, None])) == ["Nothing has been measured."]
    failed = summaries(ONE, [[1, 1], [1]], status="failed")
    assert answer.sentences(ONE, failed) == ["Each of the 3 runs failed."]


def test_an_axis_of_another_option() -> None:
    sizes = tuple(Level(s, {"server.option.innodb_buffer_pool_size": s}) for s in ("1G", "4G"))
    name = "server.option.innodb_buffer_pool_size"
    exp = dataclasses.replace(ONE, factors=(ONE.factors[0], Factor(name, sizes, True)), x=name)
    found = first(exp, [[200] * 3, [200] * 3, [160] * 3, [160] * 3])
    assert "at innodb_buffer_pool_size 1G, -20 % (-20 to -20) at 4G" in found


def test_no_arm_takes_the_place_of_a_baseline_that_failed() -> None:
    exp = testing.make_experiment(3, (16,), 3, 1)
    found = answer.sentences(exp, summaries(exp, [None, [200] * 3, [150] * 3]))
    assert not any("%" in text for text in found[:2])
    assert found[0].startswith("pool-of-threads: 1,200 tx/s")
    assert found[1].startswith("pool, 4 groups: 1,200 tx/s")


@pytest.mark.parametrize("rates", [(1200, 1000), (None, 1000)])
def test_arms_of_other_rates_have_not_the_same_throughput(rates: tuple[Any, Any]) -> None:
    rows: list[Row] = []
    for cell, rate in enumerate(rates):
        figures = {"target_tps": rate, "tps": float(rate or 3000), "server_cpu_us_per_tx": 200.0}
        kind = "yes" if rate else ""
        rows += [{"cell": cell, "status": "done", "sustained": kind, "why": "", **figures}] * 3
    found = answer.sentences(ONE, stats.summarise(ONE, testing.make_plan(ONE), rows))
    assert "the same throughput" not in found[0]
    less = "-17" if rates[0] else "-67"
    assert found[0].startswith("pool-of-threads: throughput %s %%" % less)


def test_from_nothing_there_is_no_per_cent() -> None:
    made = summaries(ONE, [[0.0] * 3, [150.0] * 3])
    text = answer.sentences(ONE, made)[0]
    assert "server CPU/tx from 0 to 150 us" in text and "n/a" not in text
