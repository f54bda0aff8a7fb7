# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of objective.py."""

from __future__ import annotations

from typing import Any

import pytest

from sysbench_lab import LabError, figures, objective

HELD: dict[str, Any] = {
    "sustained": "yes",
    "response_p99_ms": 20.0,
    "service_p95_ms": 3.0,
    "server_cpu_pct": 50.0,
}
COUNTS = {"offered": 1000, "failed": 4, "dropped": 5, "errors": 1, "done": 990}


@pytest.mark.parametrize(
    "text, row, why",
    [
        ("", {}, ""),
        ("", {"sustained": "no"}, "the rate was not sustained"),
        (
            "",
            {
                "sustained": "no",
                "why": "all 16 clients were busy (limit about 884/s); raise --threads",
            },
            "the rate was not sustained: all 16 clients were busy (limit about 884/s)",
        ),
        ("p99<=19.5ms", HELD, "p99 is 20 ms, not at most 19.5 ms"),
        ("p99<20ms", HELD, "p99 is 20 ms, not below 20 ms"),
        ("p99<=20ms", HELD, ""),
        ("p99 < 0.0201 s", HELD, ""),
        ("p99<20001us, service p95<3.5ms", HELD, ""),
        ("p99<21ms and service-p95<2ms", HELD, "service p95 is 3 ms, not below 2 ms"),
        ("p95<5ms", HELD, "p95 is n/a"),
        ("p99.9<5ms", {**HELD, "response_p99_9_ms": 4.0}, ""),
        ("server cpu<=50%", HELD, ""),
        ("server cpu<50%", HELD, "server cpu is 50 %, not below 50 %"),
        ("errors<=1%", {**HELD, **COUNTS}, ""),
        ("errors<1%", {**HELD, **COUNTS}, "errors are 1 %, not below 1 %"),
        ("errors<1%", HELD, "errors are n/a"),
        ("p99<50ms", {**HELD, "sustained": "no"}, "the rate was not sustained"),
        ("p99.90<5ms", {**HELD, "response_p99_9_ms": 4.0}, ""),
        (
            "p99<50ms",
            {**HELD, "target_tps": 100, "sustained": ""},
            "whether the rate was sustained is unknown",
        ),
    ],
)
def test_objective(text: str, row: dict[str, Any], why: str) -> None:
    assert objective.unmet(objective.parse(text), row) == why


@pytest.mark.parametrize("text", ["p99", "p99<20", "p99>20ms", "tps>5", "p99<20ms or p95<5ms"])
def test_bad_objective(text: str) -> None:
    with pytest.raises(LabError, match="takes bounds such as"):
        objective.parse(text)


def test_the_words_of_tx_find() -> None:
    """docs/find.md: what the program reads, the laboratory reads as well."""
    bounds = objective.parse("avg<2ms,lag<1ms,lag p50<1ms,cpu<80%,client cpu<50%")
    assert [b.figure for b in bounds] == [
        "response_mean_ms",
        "lag_p99_ms",
        "lag_p50_ms",
        "server_cpu_pct",
        "client_cpu_pct",
    ]


def test_percentiles_that_have_to_be_asked_for() -> None:
    bounds = objective.parse("p99<20ms and p99.9<40ms and lag p75<1ms and max<1s")
    assert objective.percentiles(bounds) == ["75", "99.9"]


@pytest.mark.parametrize(
    ("figure", "value", "text"),
    [
        ("response_p99_ms", 18.25, "p99 18.25 ms"),
        ("lag_p99_9_ms", 1, "lag p99.9 1 ms"),
        ("service_mean_ms", 0.5, "service mean 0.5 ms"),
        ("errors_pct", 0.1, "errors 0.1 %"),
        ("server_cpu_pct", 51, "server cpu 51 %"),
    ],
)
def test_shown(figure: str, value: float, text: str) -> None:
    assert objective.shown(figure, value) == text


def test_percentiles_have_one_name() -> None:
    assert [b.figure for b in objective.parse("p99.90<5ms, lag p99.99999<1s, max<1s")] == [
        "response_p99_9_ms", "lag_p99_99999_ms", "response_max_ms",
    ]  # fmt: skip
    assert objective.percentiles(objective.parse("p99.90<5ms")) == ["99.9"]
    wanted = [n for n in figures.percentile_columns(["99.99999"]) if n.startswith("response")]
    assert wanted == ["response_p99_99999_ms"]
