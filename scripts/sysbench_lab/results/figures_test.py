# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py: every figure of a row goes back to one of the report; n/a stays n/a."""

from __future__ import annotations

import os
import random
import re
from typing import Any

import pytest

from .. import testing
from ..statistics.stats import spread
from . import figures


def report(**summary: Any) -> dict[str, Any]:
    exp = testing.make_experiment(1, (16,), 1, 1)
    plan = testing.make_plan(exp)
    found = testing.make_report(exp, plan.cells[0], plan.runs[0], random.Random(1))
    found["summary"].update(summary)
    return found


def test_figures_of_a_report_with_a_rate() -> None:
    given = report()
    row = figures.row_of(given)
    summary = given["summary"]
    expected = {
        "status": "done",
        "sustained": "yes",
        "why": "",
        "started_unix_s": given["run"]["wall_time_unix_s"],
        "tps": summary["transactions_per_s"],
        "target_tps": 1200,
        "offered": 12000,
        "done": 12000,
        "clients": 16,
        "response_p95_ms": summary["rate"]["response_p95_s"] * 1e3,
        "service_p99_ms": summary["rate"]["service_p99_s"] * 1e3,
        "lag_max_ms": summary["rate"]["lag_max_s"] * 1e3,
        "server_usr_pct": summary["server"]["cpu_user_pct"],
        "server_cpu_us_per_tx": summary["server"]["cpu_s_per_transaction"] * 1e6,
        "client_switches_per_tx": 2.1,
        "server_rss_mib": 122,
        "server_threads": 30,
        "ipc": summary["server_events"]["ipc"],
        "instructions_per_tx": 300_000,
        "icache_misses_per_kinstr": 20,
        "itlb_misses_per_kinstr": 0.4,
        "host_usr_pct": None,
        "cpu_mhz": None,
    }
    for name, value in expected.items():
        assert row[name] == pytest.approx(value), name
    assert row["server_cpu_pct"] == row["server_usr_pct"] + row["server_sys_pct"]
    assert row["tx_per_mcycle"] * row["cycles_per_tx"] == pytest.approx(1e6)


def test_every_figure_is_in_the_table_and_the_table_is_read() -> None:
    row = figures.row_of(report())
    figures_of_row = {k for k in row if k not in ("started_unix_s", "status", "sustained", "why")}
    assert figures_of_row == set(figures.COLUMNS) - set(figures.FROM_RUNNER)


def test_without_a_rate_the_latency_is_the_response_time() -> None:
    given = report(rate=None)
    given["verdict"] = None
    row = figures.row_of(given)
    latency = given["summary"]["latency"]
    assert row["response_p95_ms"] == latency["p95_s"] * 1e3  # not text_p95_s
    assert row["response_mean_ms"] == latency["mean_s"] * 1e3
    assert row["service_p95_ms"] is None and row["target_tps"] is None
    assert row["sustained"] == ""


@pytest.mark.parametrize("second, cost", [(60.0, 500.0), (None, None)])
def test_what_a_transaction_costs_several_load_hosts(second: Any, cost: Any) -> None:
    """The client of the report is the leader alone: 12,000 tx in 10 s at 60 % + 0 % of a CPU."""
    row = figures.row_of(report(ranks=[{"cpu_pct": 0.0}, {"cpu_pct": second}]))
    assert row["client_cpu_us_per_tx"] == (None if cost is None else pytest.approx(cost))
    assert row["client_switches_per_tx"] is None


def test_other_percentiles() -> None:
    given = report()
    given["summary"]["rate"]["response_p99_9_s"] = 0.25
    assert figures.row_of(given)["response_p99_9_ms"] == 250
    assert figures.column("response_p99_9_ms").title == "Response time, 99.9th percentile"
    assert figures.percentile_columns(["95", "99.9"]) == [
        "response_p99_9_ms", "service_p99_9_ms", "lag_p99_9_ms",
    ]  # fmt: skip


def test_what_is_missing_is_none_never_zero() -> None:
    row = figures.row_of(report(server=None, client=None, server_events=None, host=None))
    for name in row:
        if name.startswith(("server_", "client_", "host_")) or name in ("ipc", "cycles_per_tx"):
            assert row[name] is None, name


def test_events_in_user_mode_come_before_all() -> None:
    events = {"cycles_per_transaction": 500.0, "cycles:u_per_transaction": 200.0}
    assert figures.row_of(report(server_events=events))["cycles_per_tx"] == 200
    assert figures.row_of(report(server_events={"cycles_per_transaction": 500.0}))[
        "cycles_per_tx"
    ] == pytest.approx(500)


@pytest.mark.parametrize(
    "end, summary, status",
    [
        ({"status": "completed"}, True, "done"),
        ({"status": "interrupted"}, True, "failed"),
        ({"status": "failed", "error": "no server"}, False, "failed"),
        (None, False, "failed"),
    ],
)
def test_status(end: dict[str, Any] | None, summary: bool, status: str) -> None:
    given = report()
    given["end"] = end
    if not summary:
        given["summary"] = None
    given["verdict"] = None
    row = figures.row_of(given)
    assert row["status"] == status
    assert row["why"] == ((end or {}).get("error") or "")


def test_a_rate_that_was_not_held_says_why() -> None:
    given = report()
    given["verdict"] = {"sustained": False, "why": "11 of 12 done", "accounts_balance": True}
    row = figures.row_of(given)
    assert (row["sustained"], row["why"]) == ("no", "11 of 12 done")


def test_order() -> None:
    names = ["ipc", "response_max_ms", "lag_p99_9_ms", "response_p10_ms", "response_p99_9_ms",
             "lag_p99_ms", "response_p50_ms", "response_p99_ms", "tps", "lag_max_ms"]  # fmt: skip
    assert figures.ordered(names) == [
        "tps", "response_p10_ms", "response_p50_ms", "response_p99_ms", "response_p99_9_ms",
        "response_max_ms", "lag_p99_ms", "lag_p99_9_ms", "lag_max_ms", "ipc",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name, way",
    [
        ("tps", "more"), ("ipc", "more"), ("response_p99_ms", "less"), ("lag_max_ms", "less"),
        ("response_p99_9_ms", "less"), ("server_cpu_us_per_tx", "less"), ("errors", "less"),
        ("client_sys_pct", "less"), ("branch_miss_pct", "less"), ("offered", ""), ("clients", ""),
        ("server_threads", ""), ("host_idle_pct", ""),
    ],
)  # fmt: skip
def test_which_way_is_better(name: str, way: str) -> None:
    assert figures.better(name) == way


def test_names_end_in_their_unit() -> None:
    ends = {"ms": "_ms", "%": "_pct", "s": "s", "MiB": "_mib", "us": "us_per_tx", "MHz": "_mhz",
            "W": "_w", "1/kinstr": "_per_kinstr"}  # fmt: skip
    for name, column in figures.COLUMNS.items():
        assert name.endswith(ends.get(column.unit, "")), name
        assert column.title and column.meaning and not column.meaning.endswith(".")


def test_unknown_figure() -> None:
    with pytest.raises(KeyError):
        figures.column("speed")


def test_shown() -> None:
    assert figures.shown("tps", 1199.74) == "1199.7"
    assert figures.shown("ipc", None) == "n/a"


@pytest.mark.parametrize(
    "name, done, mark",
    [
        ("response_p50_ms", 1, "*"), ("response_p50_ms", 2, ""), ("response_p95_ms", 19, "*"),
        ("response_p95_ms", 20, ""), ("lag_p99_ms", 99, "*"), ("lag_p99_ms", 100, ""),
        ("service_p99_9_ms", 999, "*"), ("service_p99_9_ms", 1000, ""), ("response_p100_ms", 1, ""),
        ("response_max_ms", 1, ""), ("tps", 1, ""), ("response_p99_ms", None, ""),
        ("response_p99_ms", 0, ""),
    ],
)  # fmt: skip
def test_a_percentile_of_few_is_marked(name: str, done: Any, mark: str) -> None:
    """As sysbench's report does: src/report/text_table_test.c has the same numbers."""
    assert figures.mark(name, {"done": done}) == mark


def test_the_run_with_the_fewest_marks_the_percentile_of_a_cell() -> None:
    assert figures.mark("response_p95_ms", {"done": spread([300, 19, 300], 1)}) == "*"
    assert figures.mark("response_p95_ms", {}) == ""


def test_every_column_is_documented() -> None:
    """docs/lab-results.md has each figure once, with its unit and, in a row of its own, meaning."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/lab-results.md")
    with open(path, encoding="utf-8") as f:
        rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \| (.*) \|$", f.read(), re.M)
    named = [(re.findall(r"`(\w+)`", names), unit, meaning) for names, unit, meaning in rows]
    assert sorted(n for names, _, _ in named for n in names) == sorted(figures.COLUMNS)
    for names, unit, meaning in named:
        assert {figures.COLUMNS[n].unit for n in names} == {unit.strip()}, names
        if len(names) == 1:
            assert meaning == figures.COLUMNS[names[0]].meaning
