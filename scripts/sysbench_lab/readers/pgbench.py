# SPDX-License-Identifier: GPL-2.0-or-later
"""What pgbench prints: its final report, or the lines of --progress if it was cut short.

With a rate (-R), pgbench measures the latency from the planned start, as we measure the response
time; its schedule lag is our lag.  It prints no percentiles: those need its per-transaction log
(pgbench_log.py).  "tps" is without the time to connect.
"""

from __future__ import annotations

import re

from . import Row, Source, SourceCell
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
    cells: dict[str, SourceCell] = {}
    for row in rows:
        clients = "" if row["clients"] is None else "%d" % row["clients"]
        labels = {"load.threads": clients} if clients else {}
        cell = cells.setdefault(clients, SourceCell(labels, []))
        cell.rows = [*cell.rows, row]
    return Source(name, kind, list(cells.values()), notes=notes)


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
    before = transactions = waited = 0.0
    for at, tps, latency in re.findall(
        r"^progress: %s s, %s tps, lat (\S+) ms" % (N, N), text, re.M
    ):
        done = float(tps) * (float(at) - before)
        transactions, before = transactions + done, float(at)
        waited += done * float(latency) if done else 0
    row: Row = {"status": "done", "sustained": "", "clients": None, "seconds": before}
    row["tps"] = transactions / before if before else None
    row["response_mean_ms"] = waited / transactions if transactions else None
    return row
