# SPDX-License-Identifier: GPL-2.0-or-later
"""What pgbench prints: its final report, or the lines of --progress if it was cut short.

With a rate (-R), pgbench measures the latency from the planned start, as we measure the response
time; its schedule lag is our lag.  It prints no percentiles: those need its per-transaction log
(see read_log).  "tps" is without the time to connect.
"""

from __future__ import annotations

import array
import functools
import os
import re
from typing import Callable, Iterator, Sequence

from .. import number, opened, shown
from . import Row, Source, SourceCell, cells_of
from .own_text import one

REPORT = re.compile(r"^number of transactions actually processed:", re.M)
PROGRESS = re.compile(r"^progress: [\d.]+ s, [\d.]+ tps, lat ", re.M)
N = r"(\d+(?:\.\d+)?)"
PROGRESS_ONLY = "it has no final report: its figures are of the lines of --progress"


def read(name: str, text: str) -> Source | None:
    """One output, or several one after the other; None if it is none."""
    parts = [p for p in re.split(r"^(?=pgbench \()", text, flags=re.M) if p.strip()]
    rows = [row_of(p) for p in parts if REPORT.search(p)]
    notes = []
    if not rows and PROGRESS.search(text):
        rows.append(of_progress(text))
        notes.append("%s: %s" % (name, PROGRESS_ONLY))
    if not rows:
        return None
    version = re.search(r"^pgbench \((\S+)", text, re.M)
    kind = "pgbench %s, text" % version.group(1) if version else "pgbench, text"
    return Source(name, kind, cells_of(rows), notes=notes)


def row_of(text: str) -> Row:
    """The final report."""
    mean, lag = one(r"^latency average = %s ms" % N, text), one(r"schedule lag: avg %s" % N, text)
    row: Row = {
        "status": "done",
        "sustained": "",
        "clients": one(r"^number of clients: (\d+)", text),
        "done": one(r"^number of transactions actually processed: (\d+)", text),
        "failed": one(r"^number of failed transactions: (\d+)", text),
        "dropped": one(r"^number of transactions skipped: (\d+)", text),
        "tps": one(r"^tps = %s \((?:without|excluding)" % N, text) or one(r"^tps = %s" % N, text),
        "seconds": one(r"^duration: (\d+) s", text),
        "response_mean_ms": mean,
        "lag_mean_ms": lag,
        "lag_max_ms": one(r"schedule lag: avg [\d.]+ \(max %s\) ms" % N, text),
    }
    if mean is not None and lag is not None:
        row["service_mean_ms"] = mean - lag
    return {k: v for k, v in row.items() if v is not None or k == "clients"}


def of_progress(text: str) -> Row:
    """Means over the lines: transactions by time, latency by transactions."""
    before = transactions = waited = late = 0.0
    line = r"^progress: %s s, %s tps, lat (\S+) ms(?:.*, lag %s ms)?" % (N, N, N)
    for at, tps, latency, lag in re.findall(line, text, re.M):
        done = number(tps) * (number(at) - before)
        transactions, before = transactions + done, number(at)
        waited += done * number(latency) if done else 0
        late += done * number(lag or "0") if done else 0
    row: Row = {"status": "done", "sustained": "", "clients": None, "seconds": before}
    row["tps"] = transactions / before if before else None
    row["response_mean_ms"] = waited / transactions if transactions else None
    if late:
        row["lag_mean_ms"] = late / transactions
    return row


# ---- pgbench's logs (--log), a line a transaction or, with --aggr


NAME = re.compile(r"(.+?)\.(\d+)(?:\.\d+)?$")
THREAD = re.compile(r"(.+\.\d+)\.\d+")  # of the second thread and on: pgbench_log.7.1
EPOCH = 1_000_000_000
MOST_RETRIES = 100  # a seventh field that never exceeds it may be the retries, and is left alone
SUM = "its percentiles are unknown: the log has sums of intervals only"
INNER = "; its throughput is that of the inner ones: the first and the last are incomplete"
ENDS = "; its first and last are incomplete: its throughput is a lower bound"
PART = "by its name the log of one thread, a part of the run; name %s for all of it"


def is_log(path: str) -> bool:
    """Whether the first line of a file is that of a log, of either kind."""
    fields = first_line([path]) if os.path.isfile(path) else []
    return is_transaction(fields) or is_sum(fields)


def read_log(name: str, paths: Sequence[str]) -> Source:
    """Logs of one or more runs, as is_log() found them."""
    runs: dict[str, list[str]] = {}
    for path in paths:
        found = NAME.match(os.path.basename(path)) if len(paths) > 1 else None
        runs.setdefault("%s.%s" % found.groups() if found else path, []).append(path)
    rows, notes = [], []
    for files in runs.values():
        if is_sum(first := first_line(files)):
            sums, inner = row_of_sums(files)
            rows.append(sums)
            notes = ["%s: %s%s" % (name, SUM, INNER if inner else ENDS)]
        else:
            # A run from the lines of all its threads.
            response, lag = array.array("q"), array.array("q")
            clients, counts = set(), {"failed": 0, "dropped": 0}
            begin, last, width = 0, 0, len(first)
            for fields in lines_of(files, functools.partial(is_transaction, width=width)):
                clients.add(fields[0])
                if not is_count(fields[2]):
                    counts["dropped" if fields[2] == "skipped" else "failed"] += 1
                    continue
                time_us, end_us = int(fields[2]), int(fields[4]) * 1_000_000 + int(fields[5])
                begin = min(begin or end_us, end_us - time_us)
                last = max(last, end_us)
                response.append(time_us)
                lag.extend(int(f) for f in fields[6:7])
            row: Row = {"status": "done", "sustained": "", "done": len(response), **counts}
            row["clients"] = len(clients)
            if last > begin:
                row["seconds"] = (last - begin) / 1e6
                row["tps"] = len(response) / row["seconds"]
            row.update(series("response", response))
            if width == 8 or max(lag, default=0) > MOST_RETRIES:
                row.update(series("lag", lag))
                row.update(series("service", [r - w for r, w in zip(response, lag)]))
            rows.append(row)
    return Source(name, "pgbench log", [SourceCell({}, rows)], notes=notes)


def lines_of(paths: Sequence[str], known: Callable[[list[str]], bool]) -> Iterator[list[str]]:
    """The fields of each whole line: a run that was killed may end in a fragment.  Another line
    would be missing in every figure."""
    for path in paths:
        with opened(path) as f:
            for at, line in enumerate(f, 1):
                if line.endswith("\n"):
                    if not known(fields := line.split()):
                        raise ValueError("line %d is not as those before: %s" % (at, shown(line)))
                    yield fields


def first_line(paths: Sequence[str]) -> list[str]:
    return next(lines_of(paths, lambda fields: True), [])


def is_count(text: str) -> bool:
    """A number of 64 bits."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def is_transaction(fields: Sequence[str], width: int = 0) -> bool:
    """The stamp is the fifth of six to eight fields; for the time may stand why there is none."""
    if width and len(fields) != width:
        return False
    numbers = [*fields[:2], *fields[3:]]
    if len(fields) not in (6, 7, 8) or not all(map(is_count, numbers)):
        return False
    return int(fields[4]) >= EPOCH and (is_count(fields[2]) or not fields[2][0].isdigit())


def is_sum(fields: Sequence[str]) -> bool:
    return len(fields) >= 6 and all(map(is_count, fields)) and int(fields[0]) >= EPOCH


def series(prefix: str, times_us: Sequence[int]) -> Row:
    """Exact: the p-th percentile is the least value that p per cent do not exceed."""
    if not times_us:
        return {}
    order = sorted(times_us)
    found = {"p%d" % p: order[-(-p * len(order) // 100) - 1] / 1e3 for p in (50, 95, 99)}
    found.update(max=order[-1] / 1e3, mean=sum(order) / len(order) / 1e3)
    return {"%s_%s_ms" % (prefix, k): v for k, v in found.items()}


def row_of_sums(paths: Sequence[str]) -> tuple[Row, bool]:
    """Sums over intervals.  The first began before the run, and of the last not every thread may
    have a line (what came after it is in none): where there are others, they are the throughput."""
    rows = [[int(f) for f in fields] for fields in lines_of(paths, is_sum)]
    all_done = sum(r[1] for r in rows)
    starts = sorted({r[0] for r in rows})
    steps = [b - a for a, b in zip(starts, starts[1:])]
    inner = len(starts) > 2
    ends = (starts[0], starts[-1]) if inner else ()
    done = sum(r[1] for r in rows if r[0] not in ends)
    row: Row = {"status": "done", "sustained": "", "clients": None, "done": done}
    if steps:
        row["seconds"] = starts[-1] - starts[1] if inner else starts[-1] - starts[0] + min(steps)
        row["tps"] = done / row["seconds"]
    if all_done:
        row["response_mean_ms"] = sum(r[2] for r in rows) / all_done / 1e3
        row["response_max_ms"] = max(r[5] for r in rows) / 1e3
        if late := sum(r[6] for r in rows if len(r) > 9):
            row["lag_mean_ms"] = late / all_done / 1e3
            row["lag_max_ms"] = max(r[9] for r in rows if len(r) > 9) / 1e3
    return row, inner
