# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the warm-up: the rule, and the reader of a file that grows."""

from __future__ import annotations

import json
import pathlib
from typing import Sequence

import pytest

from sysbench_lab.run import runner


@pytest.mark.parametrize(
    "values, near, want",
    [
        ([100] * 9, 0.03, False),  # not ten yet
        ([100] * 10, 0.03, True),
        ([10, 20, 30, *[100] * 10], 0.03, True),  # only the last ten count
        ([100] * 5 + [104] * 5, 0.03, False),
        ([100] * 5 + [102] * 5, 0.03, True),
        ([100, 120] * 5, 0.10, True),  # noise without a trend
        ([100 - 5 * i for i in range(10)], 0.10, False),
        ([0] * 10, 0.03, True),
    ],
)
def test_steady(values: Sequence[float], near: float, want: bool) -> None:
    assert runner.steady(values, near) is want


def line(tps: float, mean_s: float | None, rate: bool) -> str:
    tree = {"kind": "interval", "transactions_per_s": tps, "latency": {"mean_s": mean_s}}
    return json.dumps({**tree, "rate": {"target_per_s": 5} if rate else None}) + "\n"


def test_without_a_rate_the_throughput_tells(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    follower = runner.follow(str(path))
    assert not next(follower)  # there is no file yet
    latencies = [0.1 * i for i in range(10)]
    path.write_text('{"kind":"run"}\n' + "".join(line(100, s, False) for s in latencies))
    assert next(follower)


def test_with_a_rate_the_latency_tells(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    follower = runner.follow(str(path))
    path.write_text("".join(line(100, 2 / (1 + i), True) for i in range(10)))
    assert not next(follower)
    with open(path, "a") as f:
        f.write("".join(line(100, 0.1, True) for _ in range(9)))
        f.write(line(100, 0.1, True)[:20])  # half a line, as a reader may find it
        f.flush()
        assert not next(follower)
        f.write(line(100, 0.1, True)[20:])
    assert next(follower)


def test_an_interval_without_transactions_has_no_latency(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    path.write_text("".join(line(0, None, True) for _ in range(20)))
    assert not next(runner.follow(str(path)))
