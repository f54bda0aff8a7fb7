# SPDX-License-Identifier: GPL-2.0-or-later
"""What the runs' json reports hold over time and by percentile: the data of pictures and page.

    lines_of(report)   throughput, latencies, errors and CPU of each interval; marks, phases, stages
                       and outages
    merged(reports)    one histogram: the samples of all runs added up, bucket by bucket

Percentiles of several runs are never averaged: their histograms are added, and percentiles taken
of the sum.  An outage is one that the run itself reports, or intervals with less than a fifth of
the median throughput of their run, and of what was offered: a pause that was asked for is none.
Nothing here needs a package; a figure that is n/a is None.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import math
import statistics
import struct
import zlib
from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from .. import WRONG, failing, number, opened
from ..plan import labels
from ..plan.model import Tree
from .figures import OF_SESSIONS, OVER_TIME, get, of_section

Histogram = dict[tuple[int, int], int]  # lowest and highest ns of a bucket -> samples

OUTAGE_SHARE = 0.2
FEW = 5  # transactions that were offered; an interval with fewer says nothing about an outage


class Mark(NamedTuple):
    at_s: float
    text: str


class Span(NamedTuple):
    begin_s: float
    end_s: float


class Stage(NamedTuple):
    """A stage of a rate that changes, or a step of a search for the highest one."""

    begin_s: float
    end_s: float
    text: str
    held: bool | None  # None: nothing was due, or a step could not be judged


@dataclasses.dataclass(frozen=True)
class Timeline:
    """A run by its intervals; every list has one value an interval, at its end."""

    seconds: list[float]
    lengths: list[float]
    figures: Mapping[str, list[float | None]]
    marks: list[Mark]
    phases: list[Span]
    outages: list[Span]
    away: list[Span] = dataclasses.field(default_factory=list)  # those that the run reports
    stages: list[Stage] = dataclasses.field(default_factory=list)
    stalls: list[Mark] = dataclasses.field(default_factory=list)  # and jumps, where they begin


# Figures of an interval, those of the summary and of OVER_TIME.
FIGURES = (
    "tps", "response_p50_ms", "response_p95_ms", "response_p99_ms", "lag_p99_ms", "oldest_ms",
    "unfinished", "connections_away", "server_usr_pct", "server_sys_pct", "client_usr_pct",
    "client_sys_pct", "server_cpu_pct", "client_cpu_pct", "offered_tps", "failed_per_s",
    "dropped_per_s", "late_per_s", "reconnects_per_s", "server_cpu_us_per_tx", *OF_SESSIONS,
)  # fmt: skip


def lines_of(report: Tree) -> Timeline | None:
    """The timeline of a run; None if it has no intervals (--report-interval)."""
    intervals = [i for i in report.get("intervals") or []
                 if i["elapsed_s"] is not None and i["interval_s"] is not None]  # fmt: skip
    if not intervals:
        return None
    seconds = [float(i["elapsed_s"]) for i in intervals]
    lengths = [float(i["interval_s"]) for i in intervals]
    rows = [{**of_section(i), **{n: c.read(i) for n, c in OVER_TIME.items()}} for i in intervals]
    figures: dict[str, list[float | None]] = {n: [row[n] for row in rows] for n in FIGURES}
    for name in FIGURES:
        if name in OVER_TIME and OVER_TIME[name].unit.endswith("/s"):
            figures[name] = list(map(per_second, figures[name], lengths))
    # time of all sessions, of the time that samples cover: a name says how long that was
    for i, row in enumerate(rows):
        first = (get(intervals[i], "server_waits", "names") or [{}])[0]
        covered = first["s"] / first["sessions"] if first.get("sessions") else lengths[i]
        for name in OF_SESSIONS:
            figures[name][i] = per_second(row[name], covered)
    # statements and connection attempts that failed; None in reports that do not say
    codes = [i.get("errors_by_code") for i in intervals]
    errors = [None if found is None else sum(e["count"] for e in found) for found in codes]
    figures["errors_per_s"] = list(map(per_second, errors, lengths))
    # The steps of --tx-find, each as long as its rate was judged.
    found = get(report, "summary", "find", "steps") or []
    timed = [(s["begin_s"], s["seconds"], s) for s in found]
    steps = [Stage(b, b + n, labels.short(s["rate_per_s"]), s["holds"]) for b, n, s in timed]
    # The rate that was asked for; a search asks for another one in each of its steps, and what it
    # offered is all that is known of an interval.
    figures["target_tps"] = figures["offered_tps"] if steps else [r["target_tps"] for r in rows]
    planned, names = report.get("stages") or [], ("begin_s", "end_s", "text", "sustained")
    steps = steps or [Stage(*(s[name] for name in names)) for s in planned]
    marks = [Mark(m["elapsed_s"], m["text"]) for m in report.get("marks") or []]
    phases = [Span(p["begin_s"], p["end_s"]) for p in report.get("phases") or []]
    away = [span_of(o, seconds[-1]) for o in get(report, "summary", "outages", "list") or []]
    done = [int(i["transactions"] or 0) for i in intervals]
    stalled = outages(seconds, lengths, done, figures["offered_tps"])
    every = sorted(away + [s for s in stalled if not any(overlap(s, a) for a in away)])
    found = get(report, "summary", "incidents") or []
    stalls = [stall_of(i) for i in found if i["kind"] in ("stall", "jump")]
    return Timeline(seconds, lengths, figures, marks, phases, every, away, steps, stalls)


def stall_of(incident: Tree) -> Mark:
    """A standstill or a jump, which is told when it is over; or how many more there were."""
    whole, one, text = incident["text"].partition(" s: ")
    return Mark(incident["elapsed_s"] - bool(one) * incident["duration_s"], text or whole)


def span_of(outage: Tree, last: float) -> Span:
    """One that was not over lasts until the end of the run."""
    begin, over = float(outage["first_error_s"]), outage["over_after_s"]
    return Span(begin, max(last, begin) if over is None else begin + float(over))


def per_second(count: float | None, length: float) -> float | None:
    return None if count is None or not length else count / length


def overlap(a: Span, b: Span) -> bool:
    return a.begin_s < b.end_s and b.begin_s < a.end_s


def outages(
    seconds: Sequence[float],
    lengths: Sequence[float],
    done: Sequence[int],
    offered: Sequence[float | None] = (),
) -> list[Span]:
    """Neighbouring intervals that did almost nothing, joined; nor almost all that was offered."""
    rates = [n / length if length else 0.0 for n, length in zip(done, lengths)]
    usual = statistics.median(rates)
    found: list[Span] = []
    for end, length, rate, asked in zip(seconds, lengths, rates, offered or [None] * len(rates)):
        limit = usual if asked is None else min(usual, asked)
        if rate < OUTAGE_SHARE * limit and (asked is None or asked * length >= FEW):
            begin = end - length
            if found and begin - found[-1].end_s < length / 2:
                begin = found.pop().begin_s
            found.append(Span(begin, end))
    return found


# ---- histograms ----------------------------------------------------------------


def merged(reports: Iterable[Tree]) -> Histogram:
    """The samples of all runs; without a rate the latency is the response time."""
    total: Histogram = collections.Counter()
    for report in reports:
        found = report.get("histograms") or {}
        one = found.get("response") or found.get("latency") or {}
        for low, high, count in one.get("buckets") or []:
            total[low, high] += count
    return total


# ---- outages -------------------------------------------------------------------


LEAST_S = 3.0  # that a picture shows before and after
SHARE = 0.5  # of the outage, likewise
OUTAGE_COUNTS = ("offered", "done", "failed", "dropped", "late")

# A moment, its words, and those for a run that ended before it.
MOMENTS = (
    ("success_after_s", "success again", "no transaction succeeded"),
    ("connected_after_s", "lost connections are back", "not all connections came back"),
    ("in_time_after_s", "transactions begin in time", "the backlog was not drained"),
)


class Outage(NamedTuple):
    span: Span
    moments: list[Mark]  # in the order of time
    meanwhile: str  # the accounts
    missing: str  # what did not come
    window: Span


def outages_of(report: Tree, line: Timeline) -> list[Outage]:
    """Those that the summary lists, in the order of time."""
    found = get(report, "summary", "outages", "list") or []
    return [outage_of(o, line.seconds[-1]) for o in found]


def outage_of(found: Tree, last: float) -> Outage:
    begin, end = span = span_of(found, last)
    room = max(LEAST_S, (end - begin) * SHARE)
    window = Span(max(0.0, begin - room), min(max(last, end), end + room))
    # First error, then what is known to have come, with how long it took.  Without a rate nothing
    # is late, and without a lost connection none comes back.
    marks, lacks, lost = [Mark(begin, "first error")], [], found["connections_lost"]
    never = {"in_time_after_s": found["offered"] is None, "connected_after_s": not lost}
    for name, words, lack in MOMENTS:
        if (after := found[name]) is not None:
            text = "%s, %s s after the first error" % (words, labels.short(float(after)))
            marks.append(Mark(begin + float(after), text))
        elif not never.get(name):
            lacks.append(lack)
    # the accounts until it was over; a count that is n/a is left out
    counts = ["{:,} {}".format(found[n], n) for n in OUTAGE_COUNTS if found[n] is not None]
    pairs = (found["errors"], "error"), (lost, "connection")
    failed = ["{:,} {}{}".format(n, word, "s" * (n != 1)) for n, word in pairs]
    meanwhile = "%s; %s, %s lost" % (", ".join(counts), *failed)
    why = "At the end of the run it was not over: %s." % (" and ".join(lacks) or "errors went on")
    missing = why if found["over_after_s"] is None else ""
    return Outage(span, sorted(marks, key=lambda m: m.at_s), meanwhile, missing, window)


# ---- Reads an HdrHistogram log: the latencies of each interval of a run, for the heat map

# sysbench writes report.hlog with --report-file=report.hlog.  A line is one interval of one series:
#
#     Tag=response,0.000,1.000,4.513,HISTFAAAAB...
#
# The last field is base64 of a compressed histogram V2: a cookie and a length, then deflated: a
# cookie, the length of the counts, the normalizing offset, significant digits, lowest and highest
# value, a conversion ratio, and the counts as ZigZag LEB128, where -n stands for n empty buckets.
# Values are nanoseconds.


COOKIE_COMPRESSED = 0x1C849304  # 4 bits above the lowest byte: the word size, which V2 does not use
COOKIE = 0x1C849303
VERSION_BITS = ~0xF0
HEAD = struct.Struct(">iiiiqqd")
FILE = "report.hlog"  # of a run
MOST = 1 << 26  # bytes of a histogram: the counts of five digits take 20 million
ROWS = 16  # a decade, of a heat map


class Interval(NamedTuple):
    begin_s: float  # since measuring began
    length_s: float
    counts: dict[int, int]  # lowest ns of a bucket -> samples


def read(path: str) -> list[Interval]:
    """The intervals of a log; without a rate the latency is the response time."""
    with opened(path, "strict") as f:
        lines = [line.rstrip("\n") for line in f if line.startswith("Tag=")]
    found = []
    for at, line in enumerate(lines, 1):
        tag, *rest = line[4:].split(",")
        if tag not in ("response", "latency"):
            continue
        with failing("%s: histogram %d is damaged" % (path, at), *WRONG, zlib.error, struct.error):
            begin, length, _, text = rest
            counts = dict(decode(base64.b64decode(text, validate=True)))
            found.append(Interval(number(begin), number(length), counts))
    return found


def decode(packed: bytes) -> Iterator[tuple[int, int]]:
    """(lowest value of a bucket, samples), of those that are not empty."""
    cookie, length = struct.unpack_from(">ii", packed)
    if cookie & VERSION_BITS != COOKIE_COMPRESSED & VERSION_BITS:
        raise ValueError("it is no compressed histogram V2")
    inflate = zlib.decompressobj()
    plain = inflate.decompress(packed[8 : 8 + length], MOST)
    if not inflate.eof:
        raise ValueError("it is cut off, or larger than any")
    cookie, size, _, digits, lowest, _, _ = HEAD.unpack_from(plain)
    if cookie & VERSION_BITS != COOKIE & VERSION_BITS:
        raise ValueError("it is no histogram V2")
    if not 0 <= digits <= 5:
        raise ValueError("it has %d significant digits" % digits)
    half_bits = max(1, (2 * 10**digits - 1).bit_length()) - 1
    unit_bits = max(0, lowest.bit_length() - 1)
    index = 0
    for count in numbers(plain[HEAD.size : HEAD.size + size]):
        if count < 0:
            index -= count  # of n empty buckets
            continue
        if count:
            octave = max(0, (index >> half_bits) - 1)
            if octave + unit_bits > 64:
                raise ValueError("a bucket is beyond 64 bits")
            yield (index - (octave << half_bits)) << (octave + unit_bits), count
        index += 1


def numbers(data: bytes) -> Iterator[int]:
    """ZigZag LEB128: seven bits a byte, lowest first; a ninth byte has eight."""
    value = shift = 0
    for byte in data:
        last = shift == 56 or byte < 0x80
        value |= (byte if last else byte & 0x7F) << shift
        shift += 7
        if last:
            yield (value >> 1) ^ -(value & 1)
            value = shift = 0
    if shift:
        raise ValueError("it is cut off, or larger than any")


# ---- a heat map ----------------------------------------------------------------------


class Map(NamedTuple):
    """Samples by interval and row; a row is the tenth power of row / ROWS in ms."""

    edges_s: list[float]
    counts: dict[tuple[int, int], int]
    runs: int  # that were added


def merged_logs(logs: Sequence[Sequence[Interval]]) -> Map:
    longest = max(logs, key=len, default=[])
    counts: dict[tuple[int, int], int] = collections.Counter()
    for log in logs:
        for column, interval in enumerate(log):
            for ns, n in interval.counts.items():
                counts[column, math.floor(ROWS * math.log10(max(ns, 1) / 1e6))] += n
    edges = [i.begin_s for i in longest] + [i.begin_s + i.length_s for i in longest[-1:]]
    return Map(edges, counts, len(logs))
