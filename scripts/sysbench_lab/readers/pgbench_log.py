# SPDX-License-Identifier: GPL-2.0-or-later
"""pgbench's logs (--log), a line a transaction or, with --aggregate-interval, a line an interval.

    client transaction time script epoch_s epoch_us [lag] [retries]     times in microseconds

`time` ends at the stamp and, with a rate, begins at the planned start: our response time, of which
`lag` is the part before the actual start.  It is "skipped" for a transaction that was dropped, and
"failed" (or the kind of failure) for one that failed.  Percentiles are exact.

    epoch_s transactions sum sum_of_squares min max [more]

Each thread has its own file, pgbench_log.PID and pgbench_log.PID.THREAD: all of a PID are one run,
and the runs of a folder are repeats.
"""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from . import Row, Source, SourceCell

NAME = re.compile(r"(.+?)\.(\d+)(?:\.\d+)?$")
EPOCH = 1_000_000_000
MOST_RETRIES = 100  # a seventh field that never exceeds it may be the retries, and is left alone
SUM = "its percentiles are unknown: the log has sums of intervals only"


def read(name: str, texts: Sequence[str]) -> Source | None:
    """The logs of one run's threads; None if they are none."""
    return read_logs(name, {"%s.0.%d" % (name, i): text for i, text in enumerate(texts)})


def read_logs(name: str, texts: Mapping[str, str]) -> Source | None:
    """The texts by file name; None if none is a log."""
    runs: dict[str, list[list[str]]] = {}
    for file, text in sorted(texts.items()):
        lines = [line.split() for line in text.splitlines() if line.strip()]
        if lines and (is_log(lines[0]) or is_sums(lines[0])):
            found = NAME.match(file)
            runs.setdefault("%s.%s" % found.groups() if found else file, []).extend(lines)
    if not runs:
        return None
    sums = any(is_sums(lines[0]) for lines in runs.values())
    rows = [row_of_sums(lines) if is_sums(lines[0]) else row_of(lines) for lines in runs.values()]
    notes = ["%s: %s" % (name, SUM)] if sums else []
    return Source(name, "pgbench log", [SourceCell({}, rows)], notes=notes)


def is_log(fields: Sequence[str]) -> bool:
    """The time of the fields of a line is where a transaction's line has it."""
    plain = len(fields) in (6, 7, 8) and all(re.fullmatch(r"\d+", f) for f in fields[:2])
    return plain and fields[4].isdigit() and int(fields[4]) >= EPOCH


def is_sums(fields: Sequence[str]) -> bool:
    plain = len(fields) >= 6 and all(re.fullmatch(r"\d+", f) for f in fields)
    return plain and int(fields[0]) >= EPOCH


def row_of(lines: Sequence[Sequence[str]]) -> Row:
    """A run from the lines of all its threads."""
    response, lag, spans = [], [], []
    counts = {"failed": 0, "dropped": 0}
    for fields in lines:
        if not is_log(fields):
            continue  # the last line of a run that was killed
        if not fields[2].isdigit():
            counts["dropped" if fields[2] == "skipped" else "failed"] += 1
            continue
        time_us, end_us = int(fields[2]), int(fields[4]) * 1_000_000 + int(fields[5])
        response.append(time_us)
        spans.append((end_us - time_us, end_us))
        lag += [int(f) for f in fields[6:7]]
    row: Row = {"status": "done", "sustained": "", "done": len(response), **counts}
    row["clients"] = len({fields[0] for fields in lines})
    if spans:
        row["seconds"] = (max(e for _, e in spans) - min(s for s, _ in spans)) / 1e6
        row["tps"] = len(spans) / row["seconds"] if row["seconds"] else None
    row.update(series("response", response))
    if len(lag) == len(response) and (len(lines[0]) == 8 or max(lag, default=0) > MOST_RETRIES):
        row.update(series("lag", lag))
        row.update(series("service", [r - w for r, w in zip(response, lag)]))
    return row


def series(prefix: str, times_us: Sequence[int]) -> Row:
    """Exact: the p-th percentile is the least value that p per cent do not exceed."""
    if not times_us:
        return {}
    order = sorted(times_us)
    found = {"p%d" % p: order[-(-p * len(order) // 100) - 1] / 1e3 for p in (50, 95, 99)}
    found.update(max=order[-1] / 1e3, mean=sum(order) / len(order) / 1e3)
    return {"%s_%s_ms" % (prefix, k): v for k, v in found.items()}


def row_of_sums(lines: Sequence[Sequence[str]]) -> Row:
    """Sums over intervals; the first and the last may have been short ones."""
    rows = [[int(f) for f in fields[:6]] for fields in lines if is_sums(fields)]
    done = sum(r[1] for r in rows)
    starts = sorted({r[0] for r in rows})
    steps = [b - a for a, b in zip(starts, starts[1:])]
    row: Row = {"status": "done", "sustained": "", "clients": None, "done": done}
    if steps:
        row["seconds"] = starts[-1] - starts[0] + min(steps)
        row["tps"] = done / row["seconds"]
    if done:
        row["response_mean_ms"] = sum(r[2] for r in rows) / done / 1e3
        row["response_max_ms"] = max(r[5] for r in rows) / 1e3
    return row
