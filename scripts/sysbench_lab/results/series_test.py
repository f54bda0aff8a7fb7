# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines, outages and merged histograms, from reports made here."""

from __future__ import annotations

from typing import Any

import pytest

from . import series
from .series import Mark, Span


def interval(end: float, done: int, rate: bool = True) -> dict[str, Any]:
    latency = {"p50_s": 0.001, "p95_s": 0.002, "p99_s": 0.003}
    return {
        "elapsed_s": end,
        "interval_s": 1.0,
        "transactions": done,
        "transactions_per_s": float(done),
        "latency": latency,
        "rate": {"target_per_s": 100, **{"response_" + k: v * 10 for k, v in latency.items()}}
        if rate
        else None,
        "server": {"cpu_user_pct": 5.0, "cpu_system_pct": 2.5},
        "client": None,
    }


def report(**members: Any) -> dict[str, Any]:
    return {"intervals": [interval(1, 100), interval(2, 98)], **members}


def test_timeline() -> None:
    mark = {"elapsed_s": 1.5, "text": "changed", "source": "command"}
    line = series.lines_of(report(marks=[mark], phases=[{"begin_s": 0, "end_s": 1}]))
    assert line is not None
    assert line.seconds == [1, 2] and line.lengths == [1, 1]
    assert line.figures["tps"] == [100, 98]
    assert line.figures["response_p95_ms"] == [20, 20]
    assert line.figures["server_cpu_pct"] == [7.5, 7.5]
    assert line.figures["client_cpu_pct"] == [None, None]
    assert line.figures["lag_p99_ms"] == [None, None]
    assert line.marks == [Mark(1.5, "changed")] and line.phases == [Span(0, 1)]


def test_without_a_rate_the_latency_is_the_response_time() -> None:
    line = series.lines_of({"intervals": [interval(1, 100, rate=False)]})
    assert line is not None
    assert line.figures["response_p99_ms"] == [3]
    assert line.figures["lag_p99_ms"] == [None]


def test_no_intervals_no_timeline() -> None:
    assert series.lines_of({"intervals": []}) is None
    assert series.lines_of({}) is None


@pytest.mark.parametrize(
    ("done", "spans"),
    [
        ([100, 100, 100], []),
        ([100, 20, 100], []),  # a fifth is no outage
        ([100, 19, 100], [Span(1, 2)]),
        ([100, 0, 0, 100, 100, 100], [Span(1, 3)]),
        ([0, 100, 100, 0, 100], [Span(0, 1), Span(3, 4)]),
        ([0, 0, 0], []),  # nothing to compare with
        ([100, 0], [Span(1, 2)]),
    ],
)
def test_outages(done: list[int], spans: list[Span]) -> None:
    seconds = [float(i + 1) for i in range(len(done))]
    assert series.outages(seconds, [1.0] * len(done), done) == spans


def test_reported_outages_and_errors() -> None:
    by_code = [{"count": 3}, {"count": 4}]
    rate = {"target_per_s": 100, "offered": 50, "oldest_s": 0.25}
    ends = (1.0, 2.0, 3.0, 4.0, 4.5)
    stalled = [interval(end, 0 if end == 4 else 100, True) for end in ends]
    stalled[1].update(transactions=0, errors_by_code=by_code, rate=rate, interval_s=0.5)
    listed = [
        {"first_error_s": 1.2, "over_after_s": 0.9},
        {"first_error_s": 4.2, "over_after_s": None},
    ]
    outages = {"intervals": stalled, "summary": {"outages": {"list": listed}}}
    line = series.lines_of(outages)
    assert line is not None
    assert line.figures["offered_tps"] == [None, 100, None, None, None]
    assert line.figures["errors_per_s"] == [None, 14, None, None, None]
    assert line.figures["oldest_ms"] == [None, 250, None, None, None]
    assert line.away == [Span(1.2, 2.1), Span(4.2, 4.5)]
    assert line.outages == [Span(1.2, 2.1), Span(3, 4), Span(4.2, 4.5)]  # a stall besides
    without = series.lines_of({"intervals": stalled, "summary": {"outages": None}})
    assert without is not None and without.away == []
    assert without.outages == [Span(1.5, 2), Span(3, 4)]


def offering(end: float, done: int, offered: int) -> dict[str, Any]:
    found = interval(end, done)
    found["rate"].update(target_per_s=offered, offered=offered)
    return found


@pytest.mark.parametrize(
    ("second", "spans"),
    [
        ((0, 0), []),  # a pause that was asked for
        ((0, 4), []),  # and the first starts after it
        ((0, 5), [Span(1, 2)]),
        ((15, 20), []),  # a stage with a lower rate
        ((3, 20), [Span(1, 2)]),
        ((0, 100), [Span(1, 2)]),
    ],
)
def test_what_was_not_offered_is_no_outage(second: tuple[int, int], spans: list[Span]) -> None:
    line = series.lines_of(
        {"intervals": [offering(1, 100, 100), offering(2, *second), offering(3, 100, 100)]}
    )
    assert line is not None and line.outages == spans


def test_a_rate_that_changes_is_no_rate_of_the_run() -> None:
    line = series.lines_of({"intervals": [offering(1, 100, 100), offering(2, 50, 50)]})
    assert line is not None
    assert line.figures["target_tps"] == [100, 50]


def test_histograms_are_added_and_never_averaged() -> None:
    fast = {"histograms": {"response": {"buckets": [[1_000_000, 1_999_999, 99]]}}}
    slow = {
        "histograms": {
            "response": {"buckets": [[1_000_000, 1_999_999, 1], [8_000_000, 8_999_999, 100]]}
        }
    }
    merged = series.merged([fast, slow, {}, {"histograms": None}])
    assert merged == {(1_000_000, 1_999_999): 100, (8_000_000, 8_999_999): 100}


def test_series_of_a_histogram() -> None:
    one = {"histograms": {"latency": {"buckets": [[1, 2, 3]]}}}
    assert series.merged([one]) == {(1, 2): 3}
