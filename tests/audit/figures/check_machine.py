# SPDX-License-Identifier: GPL-2.0-or-later
"""What follows from what among the figures of the machine (--host-stats) and of the server's system
calls (--server-syscalls), and of what its time went to (--server-waits), in every report."""

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


APART_S = 0.02
CLASSES = ("cpu", "row_lock", "lock", "io", "log", "latch", "client", "other")
PARTS = ("on_cpu", "cpu_wait", *CLASSES[1:], "rest")


def check_cpu(book: Book, where: str, server: Figures | None, status: Figures) -> None:
    """Of what /proc has for the server, what sessions' threads, this program's and others had."""
    if not server or server["cpu_s_per_transaction"] is None:
        return
    whole, of = server["cpu_s_per_transaction"], status["on_cpu_of"]
    own, others = server["own_cpu_s_per_transaction"], server["other_cpu_s_per_transaction"]
    on_cpu = status["on_cpu_us_per_transaction"]
    if of == "all threads of the server":
        most = whole * (1 + 1e-9)
        book.within("json", where + "on_cpu_us_per_transaction", on_cpu / 1e6, 0, most)
    # the readings are not of one instant; at least so much unless there was not time for more
    if of == "threads of this run's sessions" and others and status["rest_us_per_transaction"]:
        parts, apart = on_cpu / 1e6 + others + (own or 0), APART_S / server["transactions"]
        low, high = whole * 0.9 - apart, whole * 1.1 + apart
        book.within("json", where + "CPU time of sessions, own and others", parts, low, high)


def check_waits(book: Book, where: str, r: Figures) -> None:
    """The names of a class are all of it; the parts of a transaction's time are all, too."""
    status, names = r["server_status"], (r.get("server_waits") or {}).get("names")
    if not status or status["sessions_cpu_s"] is None:
        return
    time = {c: status["sessions_%s_s" % c] for c in CLASSES}
    if names is not None and "others" not in [n["name"] for n in names]:
        for c in CLASSES:
            told = math.fsum(float(n["s"]) for n in names if n["class"] == c)
            book.near("json", where + "sessions_%s_s" % c, time[c], told, slack=1e-7)
    locks = time["row_lock"] + time["lock"]
    book.near("json", where + "lock_waited_s", status["lock_waited_s"], locks, slack=1e-7)
    behind = status["lock_waited_for_others_s"]
    if behind is not None:  # the server tells who holds them
        book.within("json", where + "lock_waited_for_others_s", behind, 0, locks + 1e-7)
    check_cpu(book, where, r["server"], status)
    parts = [status[p + "_us_per_transaction"] for p in PARTS]
    mean = r["rate"]["service_mean_s"] if r["rate"] else (r["threads"] or {}).get("latency_mean_s")
    if r["kind"] == "summary" and r["rate"] and r["interval_s"] < r["elapsed_s"]:
        mean = None  # it is of the whole run, and the parts are since the last checkpoint
    if parts[-1] is not None and mean is not None:
        service = math.fsum(p or 0 for p in parts) - status["undone_us_per_transaction"]
        book.near("json", where + "service time of parts", service, 1e6 * mean, rel=1e-6)


def check_sums(book: Book, document: Figures) -> None:
    """Of intervals, unless a part of the run is in none of them."""
    every = [r["server_status"] for r in document["intervals"]]
    whole = document["summary"]["server_status"]
    if document["checkpoints"] or not whole or not every or None in every:
        return
    # that of the CPU is made to fit into the time of transactions, if enough samples are there
    for name in ["sessions_%s_s" % c for c in CLASSES[1:]] + ["wait_samples", "lock_waited_s"]:
        values = [s[name] for s in every]
        if whole[name] is not None and None not in values:
            book.within("json", "summary." + name, whole[name], math.fsum(values) - 1e-6, math.inf)


def check_machine(book: Book, document: Figures) -> None:
    """`transactions` of the load generator are those between the two readings."""
    for where, r in reports(document):
        check_waits(book, where + "server_status.", r)
        transactions = r["client"]["transactions"] if r["client"] else 0
        if r["host"] and r["host"]["interval_s"] is not None:
            check_host(book, where + "host.", r["host"], transactions)
        if r["server_syscalls"]:
            check_syscalls(book, where + "syscalls.", r["server_syscalls"], transactions)
    check_sums(book, document)
