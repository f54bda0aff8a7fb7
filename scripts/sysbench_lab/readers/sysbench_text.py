# SPDX-License-Identifier: GPL-2.0-or-later
"""Text reports of sysbench, of every generation, and of this program.

Four generations differ in their words:

    0.4   "Test execution summary:" or "per-request statistics:"; values end in ms
    0.5   "General statistics:" with "response time:"; values end in ms
    1.0   "General statistics:" and "Latency (ms):"
    1.1   "Throughput:" with "time elapsed:", and "Latency (ms):"

Ours prints 1.0's or 1.1's and, with options of its own, blocks that follow: own_text.py reads
those.  A file may hold the output of several runs, one after the other: each begins with its line
"Number of threads:".  Runs with as many threads at the same rate are repeats of one cell.

Stock's percentile comes from a histogram with steps; the note says how wide they are.
"""

from __future__ import annotations

import re

from . import Row, Source, cells_of, own_text

REPORT = re.compile(r"^[ \t]*(?:total number of events|events per second|read:\s+IOPS=).*", re.M)
START = re.compile(r"^(?=Number of threads:)", re.M)
N = r"(\d+(?:\.\d+)?)"
RATED = r"^[ \t]+%s:\s+\d+\s+\(" + N + r" per sec\.\)"
RANK = r"(\d{1,3}(?:\.\d{1,9})?)"
INTERRUPTED = r"^Interrupted \((.*)\)$"
COUNTED = r"^[ \t]+%s:\s+(\d+)\b"

# Titles of the block with the latencies, and the generation that has it.
GENERATIONS = (
    (r"^[ \t]+per-request statistics:|^Test execution summary:", "0.4"),
    (r"^[ \t]+response time:[ \t]*$", "0.5"),
    (r"^[ \t]+(?:events/s \(eps\)|time elapsed):|^[ \t]+read:\s+IOPS=", "1.1"),
    (r"^Latency \(ms\):", "1.0"),
)
OLD, NEW = "0.03 %", "1.8 %: up to 0.9 % off"
STEP = {"0.4": OLD, "0.5": OLD, "1.0": NEW, "1.1": NEW}


def read(name: str, text: str) -> Source | None:
    """One output, or several one after the other; None if it is none."""
    # The parts of the text that have a final report; what stands before a run's first line, its
    # banner, belongs to it.
    first, *more = START.split(text)
    banner = "".join(re.findall(r"^sysbench [01]\..*\n", text, re.M)[:1])
    parts = [first + "".join(more[:1]), *(banner + p for p in more[1:])]
    runs = [p for p in parts if REPORT.search(p) and generation(p)]
    if not runs:
        return None
    rows, said = zip(*map(row_of, runs))
    kinds = dict.fromkeys(map(kind_of, runs))
    notes = dict.fromkeys("%s: %s" % (name, note) for notes in said for note in notes)
    return Source(name, " and ".join(kinds), cells_of(rows), notes=list(notes))


def generation(text: str) -> str:
    """0.4, 0.5, 1.0 or 1.1; "" if it is no report of sysbench."""
    if said := re.search(r"^sysbench (0\.4|0\.5|1\.\d)\b", text, re.M):
        return said[1] if said[1] in STEP else "1.1"
    return next((g for pattern, g in GENERATIONS if re.search(pattern, text, re.M)), "")


def kind_of(text: str) -> str:
    said = re.search(r"^sysbench (\d\S*?):?\s(.*)", text, re.M)
    if said and (ours := re.search(r"sysbench-tx (\S+?),", said[2])):
        return "sysbench-tx %s, text" % ours[1]
    if re.search(r"^(Rate|Server|Load generator):", text, re.M):
        return "sysbench-tx, text"
    return "sysbench %s, text" % (said.group(1) if said else generation(text))


def row_of(text: str) -> tuple[Row, list[str]]:
    """A run as a row, and what is to be known about its figures."""
    notes = ["the run was interrupted: " + m for m in re.findall(INTERRUPTED, text, re.M)]
    checkpoint = text.rfind("Checkpoint report:")
    last = text[checkpoint + 1 :]
    if checkpoint >= 0:  # the checkpoint's own report comes first
        notes.append("the final report covers the time since the last checkpoint only")
        reports = list(re.finditer(r"^(?:SQL|OLTP test) statistics:|^Throughput:", last, re.M))
        last = last[reports[-1].start() :] if reports else last
    own = own_text.parse(last)
    errors = own_text.one(COUNTED % "ignored errors", last)
    row: Row = {
        "status": "done",
        "sustained": "",
        "clients": own_text.one(r"^Number of threads: (\d+)", text),
        "target_tps": own_text.one(r"^Target transaction rate: (\d+)/sec", text),
        "done": own["events"],
        "seconds": own["seconds"],
        "errors": own_text.one(COUNTED % "deadlocks", last) if errors is None else errors,
        "reconnects": own_text.one(COUNTED % "reconnects", last),
    }
    notes += throughput(row, last)
    if own["target"] is not None or own["server_cpu_pct"] is not None:
        row.update(ours(own))
    row.update(latencies(last, row, own["response_p50"] is not None))
    if own["response_p50"] is None and any(re.match(r"response_p\d", k) for k in row):
        notes.append("its percentile is of a histogram with steps of " + STEP[generation(text)])
    return row, notes


def throughput(row: Row, last: str) -> list[str]:
    """tps and qps.  0.5 counts COMMITs as transactions, so a test without them reports 0."""
    tps = own_text.one(RATED % "transactions", last)
    events, seconds = row["done"], row["seconds"]
    notes = []
    if tps == 0 and events:
        tps = None
        notes.append("it counts COMMITs as transactions and has none: tps is of its events")
    for title in (r"events/s \(eps\)", "events per second"):
        if tps is None:
            tps = own_text.one(r"^[ \t]+%s:\s+%s" % (title, N), last)
    if tps is None and events is not None and seconds:
        tps = events / seconds
    qps = own_text.one(RATED % "queries", last)
    total = own_text.one(COUNTED % "total", last)
    if qps is None and total is not None and seconds:
        qps = total / seconds
    row.update(tps=tps, qps=qps)
    return notes


def latencies(last: str, row: Row, have_own: bool) -> Row:
    """Mean, maximum and percentiles, unless the more exact block of the rate has them.

    Without an event the minimum is nonsense and the rest 0: all n/a.
    """
    if have_own or row["done"] == 0:
        return {}
    found = {
        "response_mean_ms": own_text.one(r"^[ \t]+avg:\s+%s(?:ms)?$" % N, last),
        "response_max_ms": own_text.one(r"^[ \t]+max:\s+%s(?:ms)?$" % N, last),
    }
    old, new = r"approx\.\s+%s percentile" % RANK, "%sth percentile" % RANK
    percentile = r"^[ \t]+(?:%s|%s):\s+%s(?:ms)?$" % (old, new, N)
    for old, new, value in re.findall(percentile, last, re.M):
        name, ms = "response_p%s_ms" % (old or new).replace(".", "_"), own_text.number(value)
        if ms is not None and ms < 1e7:  # 0.4 prints this for a handful of events
            found[name] = ms
    return {k: v for k, v in found.items() if v is not None}


def ours(own: own_text.Figures) -> Row:
    """The blocks that only this program prints."""
    row: Row = {"target_tps": own["target"], "sustained": own["sustained"] or "", "why": own["why"]}
    if own["target"] is not None and own["achieved"] is not None:
        row["tps"] = own["achieved"]  # of the same time as the verdict
    row.update({k: own[k] for k in ("offered", "failed", "dropped", "unfinished", "late")})
    for k, v in own.items():
        if re.match(r"(response|service|lag)_", k):
            row["%s_ms" % k.replace(".", "_")] = v
        elif re.match(r"(server|client)_", k):
            row[re.sub("_tx$", "_per_tx", k)] = v
    return {k: v for k, v in row.items() if v is not None}
