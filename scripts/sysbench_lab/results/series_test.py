# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines, outages and merged histograms, from reports made here; HdrHistogram logs against
histograms packed here, and against what sysbench itself writes."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import struct
import subprocess
import zlib
from typing import Any

import pytest

from .. import LabError, testing
from ..statistics.stats import spread
from . import figures, series
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


def test_calls() -> None:
    def outages(*done: int) -> list[Span]:
        return series.outages([float(i + 1) for i in range(len(done))], [1.0] * len(done), done)

    def offered(second: tuple[int, int]) -> list[Span]:
        """Of three seconds, in the second of which so many of so many were done."""
        ends = [offering(1, 100, 100), offering(2, *second), offering(3, 100, 100)]
        line = series.lines_of({"intervals": ends})
        return line.outages if line else []

    def decoded(*given: Any) -> list[tuple[int, int]]:
        """Single values up to 2,048 of three digits, then steps of 2, and of 4; of two digits up to
        256, where a unit of 1,000 is rounded down to 512."""
        return list(series.decode(packed(*given)))

    names = {"outages": outages, "offered": offered, "offering": offering, "decoded": decoded}
    says = testing.called(figures, series, spread=spread, **names)
    assert testing.retold("calls_results", says) == testing.cases("calls_results")


# ---- HdrHistogram logs -----------------------------------------------------------


TREE = os.path.abspath(__file__).rsplit(os.sep, 4)[0]
SYSBENCH = os.environ.get("SB_SYSBENCH") or os.path.join(TREE, "build", "src", "sysbench")


def leb128(value: int) -> bytes:
    """ZigZag, then seven bits a byte; the ninth has eight."""
    rest, out = (value << 1) ^ (value >> 63), bytearray()
    rest &= (1 << 64) - 1
    while rest > 0x7F and len(out) < 8:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def packed(counts: list[int], digits: int = 3, lowest: int = 1) -> bytes:
    body = b"".join(map(leb128, counts))
    plain = struct.pack(">iiiiqqd", 0x1C849313, len(body), 0, digits, lowest, 10**9, 1.0) + body
    deflated = zlib.compress(plain)
    return struct.pack(">ii", 0x1C849314, len(deflated)) + deflated


def log_of(tmp_path: pathlib.Path, *lines: str) -> str:
    path = tmp_path / "x.hlog"
    path.write_text("#[Histogram log format version 1.3]\n" + "\n".join(lines) + "\n")
    return str(path)


def line_of(tag: str, begin: str, data: bytes) -> str:
    return "Tag=%s,%s,1.000,4.5,%s" % (tag, begin, base64.b64encode(data).decode())


def test_series_are_told_apart(tmp_path: pathlib.Path) -> None:
    one, two = packed([-10, 1]), packed([-20, 2])
    path = log_of(
        tmp_path,
        line_of("response", "0.000", one),
        line_of("lag", "0.000", two),
        line_of("response", "1.000", two),
    )
    assert series.read(path) == [series.Interval(0, 1, {10: 1}), series.Interval(1, 1, {20: 2})]


def test_latency_is_the_response_time_without_a_rate(tmp_path: pathlib.Path) -> None:
    path = log_of(tmp_path, line_of("latency", "0.000", packed([4])))
    assert series.read(path) == [series.Interval(0, 1, {0: 4})]


@pytest.mark.parametrize(
    "line",
    [
        "Tag=response,0.000,1.000,4.5,!!!",
        "Tag=response,0.000,1.000",
        "Tag=response,x,1.000,4.5," + base64.b64encode(packed([1])).decode(),
        "Tag=response,0,1,4.5," + base64.b64encode(packed([1])[:-9]).decode(),
        "Tag=response,0,1,4.5," + base64.b64encode(b"\0" * 40).decode(),
        "Tag=response,0,1,4.5,",
    ],
)
def test_damage_is_said(tmp_path: pathlib.Path, line: str) -> None:
    path = log_of(tmp_path, line_of("lag", "0", packed([1])), line)
    with pytest.raises(LabError, match="x.hlog: histogram 2 is damaged: "):
        series.read(path)


@pytest.mark.skipif(not os.path.exists(SYSBENCH), reason="sysbench is not built")
@pytest.mark.parametrize("rate", [[], ["--tx-rate=400"]])
def test_log_and_json_of_sysbench_agree(tmp_path: pathlib.Path, rate: list[str]) -> None:
    files = [str(tmp_path / name) for name in ("r.json", "r.hlog")]
    common = ["--threads=2", "--time=0", "--events=600", "--cpu-max-prime=200"]
    subprocess.run(
        [SYSBENCH, "cpu", *common, *rate, "--report-interval=1", "--report-file=" + ",".join(files)]
        + ["run"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    total: dict[int, int] = {}
    for interval in series.read(files[1]):
        for low, n in interval.counts.items():
            total[low] = total.get(low, 0) + n
    with open(files[0], encoding="utf-8") as f:
        buckets = series.merged([json.load(f)])
    assert total == {low: n for (low, _), n in buckets.items()}
    assert sum(total.values()) == 600
