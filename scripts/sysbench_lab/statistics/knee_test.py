# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the knee."""

from __future__ import annotations

import dataclasses

import pytest

from sysbench_lab.plan.model import Cell, CellSummary, Experiment, Measure, Spread
from sysbench_lab.statistics import answer, stats

CONNECTIONS = [1, 4, 16, 64, 256, 1024]


@pytest.mark.parametrize(
    "ys, want",
    [
        ([100, 390, 1500, 1600, 1620, 1630], 2),
        ([100, 1500, 1510, 1520, 1530, 1540], 1),
        ([1, 2, 3, 4, 5, 6], None),  # a line: of the logarithm
        ([7, 7, 7, 7, 7, 7], None),
        ([100, 390, 1500, 1600, 900, 300], 3),  # it collapses after the knee
    ],
)
def test_knee(ys: list[float], want: int | None) -> None:
    rows = [[y * f for f in (1.0, 1.01, 0.99)] for y in ys]
    assert answer.knee(CONNECTIONS, rows) in (want, 2 if want == 3 else want)
    assert answer.knee(CONNECTIONS[:2], rows[:2]) is None


EXP = Experiment("t", "t", "", {}, (), Measure(), (), "load.threads")


def summaries(arm: str, rows: list[list[float]], rate: float = 0) -> list[CellSummary]:
    found = []
    for x, values in zip(CONNECTIONS, rows):
        cell = Cell(0, {"arm": arm, "load.threads": str(x)}, {"load.tx-rate": rate})
        figures = {"tps": stats.spread(values, 1)}
        found.append(CellSummary(cell, arm, 3, 3, 0, 0, "", figures))
    return found


@pytest.mark.parametrize(
    "ys, words",
    [
        # as measured on a machine of two CPUs: 128 connections do 18 % of what 8 do
        ([900, 3826, 3500, 2100, 1200, 696],
         "is highest at 4 connections, 3,826 tx/s, and falls to 696 tx/s (18 %) at 1,024"),
        ([100, 390, 1500, 1600, 1620, 1000],
         "flattens at 16 connections (1,500 tx/s, 93 % of the most) and falls to 1,000 tx/s (62 %)"
         " at 1,024"),
        ([100, 1500, 1510, 1520, 1530, 1500],
         "flattens at 4 connections (1,500 tx/s, 98 % of the most)"),
        ([3000, 2000, 1500, 1000, 900, 800],
         "is highest at 1 connection, 3,000 tx/s, and falls to 800 tx/s (27 %) at 1,024"),
        ([1, 2, 3, 4, 5, 6], ""),
        # the last level is within the noise: runs of 1,400 to 1,600
        ([100, 200, 400, 800, 1600, 1500],
         "flattens at 256 connections (1,600 tx/s, 100 % of the most)"),
    ],
)  # fmt: skip
def test_a_throughput_that_flattens_or_falls(ys: list[float], words: str) -> None:
    noise = [100 * (y == 1500) for y in ys]
    cells = summaries("", [[y, y + n, y - n] for y, n in zip(ys, noise)])
    found = ["the throughput " + words] if words else []
    assert answer.knee_sentences(EXP, cells) == found
    disturbed = [dataclasses.replace(s, disturbed=("others",) * 3) for s in cells]
    assert answer.knee_sentences(EXP, disturbed) == []
    few = [dataclasses.replace(s, counted=2) for s in cells]
    assert answer.knee_sentences(EXP, few) == []


FALL = (
    "the throughput is highest at 16 connections, 3,826 tx/s, and falls to 696 tx/s (18 %%) at %s"
)


@pytest.mark.parametrize(
    "best, last, found",
    [
        ([3826, 3820, 3830, 3840, 3810], [696, 690, 700, 695, 3600], [FALL % "1,024"]),
        ([3826, 3826, 3830, 3840, 700], [696, 690, 700, 695, 710], [FALL % "1,024"]),
        ([3826, 3820, 3830, 3840, 600], [696, 690, 700, 3890, 3900], []),
        ([3826, 3820, 3830], [696, 690, 3900], []),
    ],
)
def test_a_run_that_was_unlike_the_others(
    best: list[float], last: list[float], found: list[str]
) -> None:
    """What falls by its medians is no curve that flattens."""
    rows = [[900.0] * 3, [2000.0] * 3, best, [3500.0] * 3, [2100.0] * 3, last]
    assert answer.knee_sentences(EXP, summaries("", rows)) == found


def test_knee_sentences() -> None:
    rising = [[y] * 3 for y in (100.0, 390, 1500, 1600, 1620, 1600)]
    made = summaries("pool", rising)[::-1] + summaries("line", [[y] * 3 for y in range(1, 7)])
    want = ["pool: the throughput flattens at 16 connections (1,500 tx/s, 93 % of the most)"]
    assert answer.knee_sentences(EXP, made) == want
    assert answer.knee_sentences(EXP, summaries("pool", rising, 200)) == []
    assert answer.knee_sentences(EXP, []) == []
    target = Spread(3, 200, 200, 200, 200, 200)  # the option by its other name
    rated = [
        dataclasses.replace(s, figures={**s.figures, "target_tps": target})
        for s in summaries("pool", rising)
    ]
    assert answer.knee_sentences(EXP, rated) == []
