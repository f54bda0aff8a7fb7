# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report of a run as numbers."""

from __future__ import annotations

from typing import Any

import pytest

from . import own_text

MORE = """Throughput:
    time elapsed:      4.0123s
    total number of events:  9

Rate:
    target:     50.00 per sec.
    ms             p10     p50     p95     p99   p99.9  maximum    mean
    response     2.000   5.000  20.000  30.000  40.000  100.000   7.500
    service        n/a   4.000     n/a  28.000     n/a  100.000   7.000

"""
STRIPES = """Rate:
    ms             p10     p50     p95     p99
    response     2.000   5.000  20.000  30.000
    ms           p99.9  maximum    mean
    response    40.000  100.000   7.500

Server: mariadbd
    CPU, % of one CPU:                   usr 23.75 sys 4.15 total 27.90

"""
NONE = """SQL statistics:
    transactions:    10     (2.50 per sec.)

Server: mariadbd
    CPU:      n/a (no permission)

"""
WRAPPED = """    sustained:                           no, but the load generator woke up late, by
                                         up to 9 ms; give it more CPU time
"""
RESPONSE: dict[str, Any] = {
    "response_p99": 30, "response_p99.9": 40, "response_max": 100, "response_mean": 7.5
}  # fmt: skip


@pytest.mark.parametrize(
    "text, want",
    [
        (
            MORE,
            {"seconds": 4.0123, "events": 9, "response_p50": 5, "response_p95": 20, **RESPONSE,
             "service_p95": None, "service_mean": 7, "lag_p50": None},
        ),
        (STRIPES, {"response_p10": 2, **RESPONSE, "server_cpu_pct_one": 27.9}),
        (NONE, {"tps": 2.5, "target": None, "response_p99": None, "server_cpu_pct": None,
                "server_threads": None, "sustained": None}),
        (
            WRAPPED,
            {"sustained": "no",
             "why": "but the load generator woke up late, by up to 9 ms; give it more CPU time"},
        ),
    ],
)  # fmt: skip
def test_parse(text: str, want: dict[str, Any]) -> None:
    found = own_text.parse(text)
    assert {k: found[k] for k in want} == want
