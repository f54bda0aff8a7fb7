# SPDX-License-Identifier: GPL-2.0-or-later
"""The HdrHistogram log against histograms packed here, and against what sysbench itself writes."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import struct
import subprocess
import zlib

import pytest

from .. import LabError
from . import series

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
