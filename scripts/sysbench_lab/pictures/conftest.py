# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of pictures share: synthetic results with logs, and our look of matplotlib."""

from __future__ import annotations

import os
from typing import Any

import pytest

from .. import testing
from ..results import series
from ..results.hlog_test import line_of, packed
from ..statistics.results import Results

pytest.importorskip("matplotlib")
from . import style  # noqa: E402

XS = (1, 16, 128)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two arms; the first does not hold the rate at 128; run 2 is disturbed; run 1 has a mark."""
    directory = tmp_path_factory.mktemp("lab") / "results"
    testing.make_results(str(directory), arms=2, xs=XS, repeats=3, seed=7)
    found = Results(str(directory))
    add_logs(found)
    return found


def add_logs(results: Results) -> None:
    """A log for every run but those of 16 connections: 5 samples of about 1 ms, one of 70 ms."""
    one, two = packed([-500, 5]), packed([-500, 5, *one_at(70_000_000)])
    for row in results.rows:
        if row["load.threads"] == "16":
            continue
        path = os.path.join(results.directory, results.run_path(row), series.FILE)
        with open(path, "w", encoding="utf-8") as f:
            f.write(line_of("response", "0.000", one) + "\n" + line_of("response", "1.000", two))


def one_at(ns: int) -> list[int]:
    """One sample: how many empty buckets come before it does not matter here."""
    return [-(ns.bit_length() * 700), 1]


@pytest.fixture(autouse=True)
def look() -> Any:
    with style.look():
        yield


def by_name(drawings: list[style.Drawing]) -> dict[str, style.Drawing]:
    return {d.name: d for d in drawings}


def lines(ax: Any, gid: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def summary_of(results: Results, arm: str, x: int) -> Any:
    return next(
        s for s in results.summaries if s.arm == arm and s.cell.levels["load.threads"] == str(x)
    )


def span_of(patch: Any) -> tuple[float, float]:
    """Where a vertical band of a picture begins and ends; a polygon before matplotlib 3.9."""
    box = patch.get_patch_transform().transform_path(patch.get_path()).get_extents()
    return box.x0, box.x1
