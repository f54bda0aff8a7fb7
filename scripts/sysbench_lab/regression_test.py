# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of regression.py."""

from __future__ import annotations

from typing import Any, Sequence

import pytest

from sysbench_lab import plan, regression
from sysbench_lab.model import Factor, Level
from sysbench_lab.testdata.runner_cases import experiment, factor

BASE = [100.0, 101, 99, 100, 100.5, 99.5]


def times(factor: float) -> list[float]:
    return [v * factor for v in BASE]


@pytest.mark.parametrize(
    "figure, other, want",
    [
        ("response_p95_ms", times(1.00), "same"),
        ("response_p95_ms", times(1.20), "worse"),
        ("response_p95_ms", times(0.80), "better"),
        ("response_p95_ms", times(0.97), "same"),
        ("response_p95_ms", [90.0, 125, 95, 120, 100, 118], "inconclusive"),
        ("tps", times(1.20), "better"),
        ("tps", times(0.80), "worse"),
        ("tps", times(0.99), "same"),
        ("tps", [50.0], "inconclusive"),
        ("tps", [], "inconclusive"),
        ("ipc", times(0.5), "worse"),
    ],
)
def test_verdict(figure: str, other: Sequence[float], want: str) -> None:
    found = regression.verdict(figure, BASE, other)
    assert found.word == want
    if found.low is not None and found.high is not None and found.change is not None:
        assert found.low <= found.change <= found.high


def test_sentences() -> None:
    found = regression.verdict("tps", BASE, times(0.5), where="arm=new")
    assert found.sentence().startswith("arm=new: tps worse (+100.0 %, +")
    found = regression.verdict("tps", BASE, [50.0])
    assert found.sentence() == "tps inconclusive (6 and 1 runs; three of each at least)"


VERSIONS = Factor("arm", (Level("old", {"a": 1}), Level("new", {"a": 2})), False)
EXPERIMENT = experiment({}, VERSIONS, factor("threads", "load.threads", 1, 16), repeats=4)
PLAN = plan.make(EXPERIMENT)


def rows(**changes: Any) -> list[dict[str, Any]]:
    """Equal rows of all runs; `changes` are those of the new version with 16 threads."""
    found = []
    for run in PLAN.runs:
        row = {"run": run.number, "cell": run.cell, "status": "done", "disturbed": ""}
        row.update(sustained="yes", tps=100 + run.round / 10, response_p95_ms=5.0)
        if dict(PLAN.cells[run.cell].levels) == {"arm": "new", "threads": "16"}:
            row.update({k: v(run) if callable(v) else v for k, v in changes.items()})
        found.append(row)
    return found


@pytest.mark.parametrize(
    "changes, words, status",
    [
        ({}, {"same"}, 0),
        ({"response_p95_ms": 9.0}, {"same", "worse"}, 3),
        ({"response_p95_ms": 2.0}, {"same", "better"}, 0),
        ({"sustained": "no"}, {"same", "worse"}, 3),
        (
            {"response_p95_ms": lambda run: 9.0 if run.round % 2 else 5.0},
            {"same", "inconclusive"},
            4,
        ),
        ({"disturbed": "others"}, {"same", "inconclusive"}, 4),
        ({"status": "failed"}, {"same", "inconclusive"}, 4),
    ],
)
def test_check(changes: dict[str, Any], words: set[str], status: int) -> None:
    verdicts = regression.check(EXPERIMENT, PLAN, rows(**changes))
    assert {v.word for v in verdicts} == words
    assert regression.status(verdicts) == status
    assert all(v.where.startswith("arm=new, threads=") for v in verdicts)


def test_nothing_to_compare_is_no_success() -> None:
    assert regression.status([]) == 4
    assert regression.status(regression.check(EXPERIMENT, PLAN, [])) == 4
