# SPDX-License-Identifier: GPL-2.0-or-later
"""The HdrHistogram log beside the json: its own decoder, after the description of the format."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from report_common import load, problem, same


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
    document = load(reference)
    total: dict[str, dict[int, int]] = {}
    until: dict[str, float] = {}
    with open(path) as f:
        lines = f.read().splitlines()
    same(path, "version", lines[1], "#[Histogram log format version 1.3]")
    same(
        path,
        "marks",
        [x for x in lines if x.startswith("#[mark")],
        ["#[mark at %.3f: %s]" % (m["elapsed_s"], m["text"]) for m in document["marks"]],
    )
    for line in lines:
        if not line.startswith("Tag="):
            continue
        tag, start, length, highest, text = line[4:].split(",")
        counts = decode(text)
        if abs(float(start) - until.get(tag, 0)) > 0.0015:
            problem(
                "%s: a line of %s begins at %s, the one before ended at %s",
                path,
                tag,
                start,
                until[tag],
            )
        until[tag] = float(start) + float(length)
        top = max(counts, default=None)
        if top is not None and not lowest(top) <= float(highest) * 1e6 < lowest(top + 1):
            problem("%s: Interval_Max %s is not in the highest bucket", path, highest)
        for index, n in counts.items():
            total.setdefault(tag, {})[index] = total.get(tag, {}).get(index, 0) + n
    same(path, "tags", sorted(total), sorted(document["histograms"]))
    for tag, counts in total.items():
        want = {low: n for low, _, n in document["histograms"][tag]["buckets"]}
        same(path, tag, {lowest(i): n for i, n in counts.items()}, want)
