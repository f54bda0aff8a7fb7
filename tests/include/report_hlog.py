# SPDX-License-Identifier: GPL-2.0-or-later
"""The HdrHistogram log beside the json: its own decoder, after the description of the format."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter
from typing import Any

from report_common import load, printed, same

HOUR = 3_600_000_000_000  # ns, the highest value


def zigzag(value: Any) -> int:
    return (value >> 1) ^ -(value & 1)


def leb128(data: bytes | bytearray, at: int, longest: int) -> tuple[int, int]:
    value = shift = 0
    for i in range(longest):
        byte = data[at]
        at += 1
        if i == 8 and longest == 9:
            return value | byte << shift, at
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    raise ValueError("number too long")


def decode(text: str) -> dict[int, int]:
    """{index: count} of the V2 compressed form."""
    data = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">II", data[:8])
    assert cookie == 0x1C849314 and length == len(data) - 8, "compressed header"
    data = zlib.decompress(data[8:])
    cookie, length, offset, digits, low, high, ratio = struct.unpack(">IIIIqqd", data[:40])
    assert (cookie, offset, digits, low, high, ratio) == (
        0x1C849313,
        0,
        3,
        1,
        3600000000000,
        1.0,
    ), "header"
    assert length == len(data) - 40, "payload length"
    counts, at, index = {}, 40, 0
    while at < len(data):
        value, at = leb128(data, at, 9)
        value = zigzag(value)
        if value < 0:
            index -= value
        else:
            counts[index] = value
            index += 1
    return counts


def lowest(index: int) -> int:
    """The lowest value of a bucket: 2048 of width 1, then 1024 per power of 2."""
    if index < 2048:
        return index
    return (1024 + index % 1024) << (index // 1024 - 1)


def hlog(path: str, reference: str) -> None:
    """Each line is the histogram that its interval's figures were taken from; all are the run."""
    document = load(reference)
    reports = document["intervals"] + [document["summary"]]
    ends = [0.0] + [r["elapsed_s"] for r in reports]
    total: dict[str, Counter[int]] = {}
    at: Counter[str] = Counter()
    with open(path) as f:
        lines = f.read().splitlines()
    same(path, "version", lines[1], "#[Histogram log format version 1.3]")
    marks = ["#[mark at %.3f: %s]" % (m["elapsed_s"], m["text"]) for m in document["marks"]]
    same(path, "marks", [x for x in lines if x.startswith("#[mark")], marks)
    for line in lines:
        if not line.startswith("Tag="):
            continue
        tag, start, length, highest, text = line[4:].split(",")
        i = at[tag]
        at[tag] += 1
        where, counts = "%s: %s, line %d" % (path, tag, i + 1), decode(text)
        total.setdefault(tag, Counter()).update(counts)
        top = max(counts, default=None)
        last = 0 if top is None else min(lowest(top + 1) - 1, HOUR)
        printed(where, "Interval_Max", highest, last / 1e6)
        printed(where, "StartTimestamp", start, ends[i])
        if i < len(document["intervals"]):
            printed(where, "Interval_Length", length, max(ends[i + 1] - ends[i], 0.0))
            figures, name = reports[i]["latency"], ""
            if reports[i]["rate"]:
                figures, name = reports[i]["rate"], tag + "_"
            same(where, "samples", sum(counts.values()), figures[name + "samples"])
            longest = figures[name + "max_s"]
            same(where, "longest", last or None, longest and round(longest * 1e9))
    if total or document["summary"]["transactions"]:  # else there need not be a line
        same(path, "tags", sorted(total), sorted(document["histograms"]))
    for tag, counts in total.items():
        want = {low: n for low, _, n in document["histograms"][tag]["buckets"]}
        same(path, tag, {lowest(i): n for i, n in counts.items()}, want)
