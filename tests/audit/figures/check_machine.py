# SPDX-License-Identifier: GPL-2.0-or-later
"""What follows from what among the figures of the machine (--host-stats) and of the server's system
calls (--server-syscalls), in every report."""

from __future__ import annotations

import math
from typing import Any, Dict

from .book import Book, reports

Figures = Dict[str, Any]

PER_TRANSACTION = (
    ("interrupts_per_transaction", "interrupts_per_s"),
    ("context_switches_per_transaction", "context_switches_per_s"),
    ("energy_cpu_j_per_transaction", "power_cpu_w"),
    ("energy_memory_j_per_transaction", "power_memory_w"),
    ("energy_battery_j_per_transaction", "power_battery_w"),
)


def check_host(book: Book, where: str, host: Figures, transactions: int) -> None:
    for name, rate in PER_TRANSACTION:
        known = host[rate] is not None and transactions
        want = host[rate] * host["interval_s"] / transactions if known else None
        book.near("json", where + name, host[name], want)
    shares = [host["cpu_%s_pct" % n] for n in ("user", "system", "idle", "iowait", "stolen")]
    if None not in shares:
        book.near("json", where + "cpu_*_pct", sum(shares), 100, slack=0.01)


def check_syscalls(book: Book, where: str, calls: Figures, transactions: int) -> None:
    listed = calls["most_frequent"]
    counts = [c["count"] for c in listed]
    book.same("json", where + "order", counts, sorted(counts, reverse=True))
    whole = len(listed) == calls["kinds"]
    for name in ("count", "ended", "errors", "sum_s"):
        parts = math.fsum(c[name] for c in listed)
        if whole:
            book.near("json", where + name, calls[name], parts)
        else:
            book.within("json", where + name, parts, 0, calls[name] * (1 + 1e-9))
    for c in [calls, *listed]:
        each = c["count"] / transactions if transactions else None
        mean = c["sum_s"] / c["ended"] if c["ended"] else None
        book.near("json", where + "count_per_transaction", c["count_per_transaction"], each)
        book.near("json", where + "mean_s", c["mean_s"], mean)
        book.within("json", where + "errors of ended", c["errors"], 0, c["ended"])


def check_machine(book: Book, document: Figures) -> None:
    """`transactions` of the load generator are those between the two readings."""
    for where, r in reports(document):
        transactions = r["client"]["transactions"] if r["client"] else 0
        if r["host"] and r["host"]["interval_s"] is not None:
            check_host(book, where + "host.", r["host"], transactions)
        if r["server_syscalls"]:
            check_syscalls(book, where + "syscalls.", r["server_syscalls"], transactions)
