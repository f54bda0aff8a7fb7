# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the objectives of values.py."""

from __future__ import annotations

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import values
from sysbench_lab.results import figures


@pytest.mark.parametrize(
    "text", ["p99", "p99<20", "p99>20ms", "tps>5", "p99<20ms or p95<5ms", "cpu<5/s"]
)
def test_bad_objective(text: str) -> None:
    with pytest.raises(LabError, match="takes bounds such as"):
        values.parse_objective(text)


def test_the_words_of_tx_find() -> None:
    """docs/find.md: what the program reads, the laboratory reads as well."""
    bounds = values.parse_objective(
        "avg<2ms,lag<1ms,lag p50 < 1 ms and cpu<=80%,client-cpu<50%, errors<5/s and errors<1%"
    )
    assert bounds == [
        ("response_mean_ms", True, 2),
        ("lag_p99_ms", True, 1),
        ("lag_p50_ms", True, 1),
        ("server_cpu_pct", False, 80),
        ("client_cpu_pct", True, 50),
        ("errors_per_s", True, 5),
        ("errors_pct", True, 1),
    ]
    assert values.parse_objective("") == []
    assert values.parse_objective("p99 < 0.02 s") == values.parse_objective("p99<20000us")


def test_percentiles_have_one_name() -> None:
    assert [b.figure for b in values.parse_objective("p99.90<5ms, lag p99.99999<1s, max<1s")] == [
        "response_p99_9_ms", "lag_p99_99999_ms", "response_max_ms",
    ]  # fmt: skip
    wanted = [n for n in figures.percentile_columns(["99.99999"]) if n.startswith("response")]
    assert wanted == ["response_p99_99999_ms"]
