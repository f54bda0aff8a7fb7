# SPDX-License-Identifier: GPL-2.0-or-later
"""What load hosts did: from reports to ranks.csv, the table, the page and the picture."""

from __future__ import annotations

import csv
import json
import os
import pathlib
from typing import Any

import pytest

from sysbench_lab import testing
from sysbench_lab.charts import Frame, places
from sysbench_lab.pictures import render, style
from sysbench_lab.results import results_dir
from sysbench_lab.statistics import rank_rows
from sysbench_lab.statistics.results import Results, write


def told(rank: int, scale: float = 1.0, **more: Any) -> dict[str, Any]:
    """A rank as sysbench reports it."""
    clock = {"same": False, "offset_s": 1.25e-5, "uncertainty_s": 4e-6, "drift_ppm": 1.5}
    return {
        **dict.fromkeys(("failed", "dropped", "lost"), 0),
        **dict.fromkeys(("lost_after_s", "why_lost", "differs")),
        "rank": rank,
        "host": "bench",
        "threads": 8,
        "done": 6000,
        "late": 12,
        "transactions_per_s": 600.1 * scale,
        "response": {"samples": 6000, "p50_s": 0.001, "p95_s": 0.002, "p99_s": 0.0031 * scale},
        "lag": {"samples": 6000, "p99_s": 0.0001},
        "cpu_pct": 34.5,
        "cpus": 2,
        "clock": clock if rank else None,
        "figures_missing": False,
        **more,
    }


def shared(directory: str, which: str = "*", apart: int = 0) -> None:
    """Two of each of these runs; in one of them the second differs."""
    for report in pathlib.Path(directory).glob("runs/%s/report.json" % which):
        tree = json.loads(report.read_text())
        differs = {"differs": "response p99 9.3 ms, median 3.1 ms"}
        more = differs if report.parent.name.startswith("%03d-" % apart) else {}
        tree["summary"]["ranks"] = [told(0), told(1, 1.1, **more)]
        report.write_text(json.dumps(tree))


def with_ranks(directory: str) -> Results:
    """Two connections counts; at 16 two hosts share the load, and the second differs in run 3."""
    shared(directory, "*-16", 3)
    hosts = [{"name": n, "via": v} for n, v in (("local", "local"), ("load2", "ssh load2"))]
    results_dir.write_json(os.path.join(directory, "hosts.json"), {"hosts": hosts})
    return Results(directory)


@pytest.fixture
def results(tmp_path: pathlib.Path) -> Results:
    directory = str(tmp_path / "results")
    return with_ranks(testing.make_results(directory, arms=1, xs=(1, 16), seed=3))


def test_text(results: Results) -> None:
    cells = rank_rows.cells(results)
    assert [c.summary.cell.number for c in cells] == [1]
    lines = rank_rows.text(results).splitlines()
    assert lines[0] == "load hosts, medians of the runs that count"
    assert lines[2] == "one-thread-per-connection, 16 connections"
    head = "rank host connections late tx/s 99%-resp ms 99%-lag ms CPU % clock us"
    assert lines[3].split() == head.split()
    assert lines[4].split() == ["0", "local", "8", "12", "600.1", "3.100", "0.100", "34.5"]
    assert lines[5].split()[:3] == ["!", "1", "load2"] and lines[5].endswith("  12.5 (within 4.0)")
    why = "rank 1 (load2) in run 3 differs: response p99 9.3 ms, median 3.1 ms"
    assert lines[6:] == ["  ! " + why]
    assert [cells[0].apart(r) for r in cells[0].ranks] == [False, True]


def test_a_rank_that_was_lost() -> None:
    lost = told(1, lost_after_s=12.34, why_lost="the connection was closed", lost=3604)
    row = rank_rows.row_of(lost, ["local", "load2"])
    assert row["differs"] == "was lost after 12.3 s: the connection was closed"
    assert (row["lost"], row["host"]) == (3604, "load2")


def test_csv(results: Results) -> None:
    write(results)
    with open(os.path.join(results.directory, "ranks.csv"), newline="") as f:
        rows = list(csv.DictReader(f))
    assert [(r["run"], r["rank"]) for r in rows] == [
        (str(run), rank) for run in (2, 3, 6) for rank in "01"
    ]
    assert rows[1]["host"] == "load2"
    assert rows[0]["clock_offset_us"] == "" and float(rows[1]["clock_offset_us"]) == 12.5
    assert float(rows[1]["clock_uncertainty_us"]) == 4


def test_results_of_one_host_have_nothing_of_it(tmp_path: pathlib.Path) -> None:
    directory = testing.make_results(str(tmp_path / "results"), arms=1, xs=(1,), repeats=1)
    found = Results(directory)
    write(found)
    assert rank_rows.text(found) == rank_rows.csv(found) == ""
    assert "ranks.csv" not in os.listdir(directory)


@pytest.mark.parametrize("many", [1, 2])
def test_picture_names_the_arms(tmp_path: pathlib.Path, many: int) -> None:
    """Below the connections, if there are several: else two cells have the same name."""
    pytest.importorskip("matplotlib")
    directory = testing.make_results(str(tmp_path / "results"), arms=many, xs=(1, 16), repeats=1)
    shared(directory)
    with style.look():
        (drawing,) = map(render.draw, places.ranks(Frame(Results(directory))))
    names = [t.get_text() for t in drawing.figure.axes[-1].get_xticklabels()]
    arms = ["\n" + arm for arm in testing.ARMS[:many]] if many > 1 else [""]
    assert names == [x for arm in arms for x in ("1" + arm, "16")]
