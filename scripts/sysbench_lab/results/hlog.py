# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads an HdrHistogram log: the latencies of each interval of a run, for the heat map.

sysbench writes report.hlog with --report-file=report.hlog.  A line is one interval of one series:

    Tag=response,0.000,1.000,4.513,HISTFAAAAB...

The last field is base64 of a compressed histogram V2: a cookie and a length, then deflated: a
cookie, the length of the counts, the normalizing offset, significant digits, lowest and highest
value, a conversion ratio, and the counts as ZigZag LEB128, where -n stands for n empty buckets.
Values are nanoseconds.
"""

import base64
import binascii
import math
import struct
import zlib
from typing import Iterator, NamedTuple, Sequence

from .. import LabError

COOKIE_COMPRESSED = 0x1C849304  # 4 bits above the lowest byte: the word size, which V2 does not use
COOKIE = 0x1C849303
VERSION_BITS = ~0xF0
HEAD = struct.Struct(">iiiiqqd")
FILE = "report.hlog"  # of a run
ROWS = 16  # a decade, of a heat map


class Interval(NamedTuple):
    begin_s: float  # since measuring began
    length_s: float
    counts: dict[int, int]  # lowest ns of a bucket -> samples


def read(path: str, series: str = "response") -> list[Interval]:
    """The intervals of a series; without a rate, "response" is the log's "latency"."""
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if line.startswith("Tag=")]
    tags = {series, "latency"} if series == "response" else {series}
    found = []
    for number, line in enumerate(lines, 1):
        tag, *rest = line[4:].split(",")
        if tag not in tags:
            continue
        try:
            begin, length, _, text = rest
            counts = dict(decode(base64.b64decode(text, validate=True)))
            found.append(Interval(float(begin), float(length), counts))
        except (ValueError, binascii.Error, zlib.error, struct.error, IndexError) as e:
            raise LabError("%s: histogram %d is damaged: %s" % (path, number, e)) from e
    return found


def decode(packed: bytes) -> Iterator[tuple[int, int]]:
    """(lowest value of a bucket, samples), of those that are not empty."""
    cookie, length = struct.unpack_from(">ii", packed)
    if cookie & VERSION_BITS != COOKIE_COMPRESSED & VERSION_BITS:
        raise ValueError("it is no compressed histogram V2")
    plain = zlib.decompress(packed[8 : 8 + length])
    cookie, size, _, digits, lowest, _, _ = HEAD.unpack_from(plain)
    if cookie & VERSION_BITS != COOKIE & VERSION_BITS:
        raise ValueError("it is no histogram V2")
    half_bits = max(1, (2 * 10**digits - 1).bit_length()) - 1
    unit_bits = max(0, lowest.bit_length() - 1)
    index = 0
    for count in numbers(plain[HEAD.size : HEAD.size + size]):
        if count < 0:
            index -= count
            continue
        if count:
            # The lowest value that a bucket holds.
            half = 1 << half_bits
            octave, place = (index >> half_bits) - 1, (index & (half - 1)) + half
            if octave < 0:
                octave, place = 0, place - half
            yield (place << (octave + unit_bits)), count
        index += 1


def numbers(data: bytes) -> Iterator[int]:
    """ZigZag LEB128: seven bits a byte, lowest first; a ninth byte has eight."""
    at = 0
    while at < len(data):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)


# ---- a heat map ----------------------------------------------------------------------


class Map(NamedTuple):
    """Samples by interval and row; a row is the tenth power of row / ROWS in ms."""

    edges_s: list[float]
    counts: dict[tuple[int, int], int]
    runs: int  # that were added


def merged(logs: Sequence[Sequence[Interval]]) -> Map:
    longest = max(logs, key=len, default=[])
    counts: dict[tuple[int, int], int] = {}
    for log in logs:
        for column, interval in enumerate(log):
            for ns, n in interval.counts.items():
                place = column, math.floor(ROWS * math.log10(max(ns, 1) / 1e6))
                counts[place] = counts.get(place, 0) + n
    edges = [i.begin_s for i in longest] + [i.begin_s + i.length_s for i in longest[-1:]]
    return Map(edges, counts, len(logs))
