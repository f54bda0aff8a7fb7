# SPDX-License-Identifier: GPL-2.0-or-later
"""Progress: lines, place in the plan, time left; and rich's bar on a terminal that is a string."""

from __future__ import annotations

import io

import pytest

from ..plan.model import Cell, Plan, PlannedRun, Row, Value
from .progress import Pace, PlainProgress, Progress, step

SETTINGS: dict[str, Value] = {"server.engine": "mysql"}
CELL = Cell(0, {"arm": "pool", "load.threads": "16"}, SETTINGS)
OTHER = Cell(1, {"arm": "pool", "load.threads": "1"}, SETTINGS)
RUNS = tuple(PlannedRun(n, 1 + (n - 1) // 2, (n - 1) % 2) for n in range(1, 13))
PLAN = Plan((CELL, OTHER), RUNS, 1200)
ROW: Row = {
    "status": "done",
    "tps": 1199.96,
    "response_p95_ms": 0.971,
    "server_cpu_pct": 20.34,
    "sustained": "yes",
    "disturbed": "",
}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_steps_of_drawing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [(1, 3, "Throughput"), (2, 3, "Change"), (3, 3, "the page"), (0, 0, "")]
    for one in steps:
        step(*one)
    step(1, 1, "the page")
    assert capsys.readouterr().err == "drawing 2 pictures and the page\ndrawing the page\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "24")
    for one in steps:
        step(*one)
    assert capsys.readouterr().err.split("\r\033[K") == [
        "", "drawing 1 of 3: Through", "drawing 2 of 3: Change", "drawing 3 of 3: the pag", ""
    ]  # fmt: skip


def test_lines_and_time_left() -> None:
    out, clock = io.StringIO(), Clock()
    progress = PlainProgress(out, clock)
    progress.start(PLAN)
    for run, row in ((RUNS[0], ROW), (RUNS[1], {**ROW, "sustained": "no"})):
        progress.begin(run, PLAN.cells[run.cell])
        clock.now += 60
        progress.end(run, row)
    progress.note("the server was restarted")
    progress.stop()
    assert out.getvalue() == (
        "[ 1/12] pool, 16 connections: 1200 tps, p95 0.97 ms, mysqld %cpu 20.3; 11 min left\n"
        "[ 2/12] pool, 1 connection: 1200 tps, p95 0.97 ms, mysqld %cpu 20.3,"
        " the rate was not held; 10 min left\n"
        "the server was restarted\n"
    )


def test_time_left_counts_down_during_a_run() -> None:
    clock = Clock()
    pace = Pace(PLAN, clock)
    pace.begin(RUNS[0])
    assert pace.left() == 1200  # the plan's estimate
    clock.now += 30
    assert pace.left() == 1170
    clock.now += 300
    assert pace.left() == 1100  # the other eleven runs are still to come
    pace.end(RUNS[0])
    assert pace.left() == 11 * 330  # what the run really took
    assert str(pace) == "1 h left"


def test_a_resumed_plan_goes_on_where_it_was() -> None:
    out, clock = io.StringIO(), Clock()
    progress = PlainProgress(out, clock)
    progress.start(PLAN)
    progress.begin(RUNS[9], CELL)
    clock.now += 10
    progress.end(RUNS[9], {"status": "failed", "why": "cannot connect"})
    assert out.getvalue() == "[10/12] pool, 16 connections: failed: cannot connect; 20 s left\n"


def test_the_last_run_leaves_nothing() -> None:
    out = io.StringIO()
    progress = PlainProgress(out, Clock())
    progress.start(PLAN)
    progress.begin(RUNS[11], OTHER)
    progress.end(RUNS[11], {"tps": 5.0})
    assert out.getvalue() == "[12/12] pool, 1 connection: 5.00 tps\n"


def test_bar() -> None:
    console_of = pytest.importorskip("rich.console").Console
    out, clock = io.StringIO(), Clock()
    console = console_of(file=out, force_terminal=True, width=80, color_system=None)
    progress = Progress(console, clock)
    progress.start(PLAN)
    progress.begin(RUNS[0], CELL)
    clock.now += 30
    progress.end(RUNS[0], {**ROW, "disturbed": "[bold]others[/bold] took 23 %"})
    progress.begin(RUNS[1], OTHER)
    progress.stop()
    progress.stop()  # a second time does no harm
    text = out.getvalue()
    assert "[ 1/12] pool, 16 connections: 1200 tps" in text
    assert "[bold]others[/bold] took 23 %" in text
    assert "20 min left" in text
    last = text[text.rindex("1/12") :]
    assert "5 min 30 s left" in last and "pool, 1 connection" in last
