# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's figures and the system calls in the text report, beside those of the json file."""

from __future__ import annotations

import re
from typing import Any, Dict, Tuple

from .book import Book

Figures = Dict[str, Any]
Column = Tuple[str, str, float]  # in the text, in json, what json's value is divided by

LEVELS: list[Column] = [("r", "threads_runnable", 1), ("b", "threads_blocked", 1)]
MEMORY: list[Column] = [
    ("swpd", "swap_used_bytes", 1024),
    ("free", "memory_free_bytes", 1024),
    ("buff", "memory_buffers_bytes", 1024),
    ("cache", "memory_cache_bytes", 1024),
]
PAGING: list[Column] = [
    ("si", "swapped_in_bytes_per_s", 1024),
    ("so", "swapped_out_bytes_per_s", 1024),
    ("bi", "blocks_in_bytes_per_s", 1024),
    ("bo", "blocks_out_bytes_per_s", 1024),
]
RATES: list[Column] = [("in", "interrupts_per_s", 1), ("cs", "context_switches_per_s", 1)]
CPU: list[Column] = [
    ("us", "cpu_user_pct", 1),
    ("sy", "cpu_system_pct", 1),
    ("id", "cpu_idle_pct", 1),
    ("wa", "cpu_iowait_pct", 1),
    ("st", "cpu_stolen_pct", 1),
]
DISKS: list[Column] = [("rd", "disk_read_bytes_per_s", 1), ("wr", "disk_written_bytes_per_s", 1)]
NET: list[Column] = [
    ("rx", "network_received_bytes_per_s", 1),
    ("tx", "network_sent_bytes_per_s", 1),
]
PRESSURE: list[Column] = [
    ("cpu", "stalled_cpu_pct", 1),
    ("io", "stalled_io_pct", 1),
    ("mem", "stalled_memory_pct", 1),
]
CLOCK: list[Column] = [("mhz", "cpu_frequency_hz", 1e6)]
QUOTA: list[Column] = [("throttled", "server_throttled_pct", 1)]
POWER: list[Column] = [
    ("pkg", "power_cpu_w", 1),
    ("dram", "power_memory_w", 1),
    ("bat", "power_battery_w", 1),
]

# the lines of the block, in their order
BLOCK: dict[str, list[Column]] = {
    "threads at the end": LEVELS,
    "threads, mean": [(c, n + "_mean", s) for c, n, s in LEVELS],
    "memory at the end, KiB": MEMORY,
    "memory, KiB, mean": [(c, n.replace("_bytes", "_mean_bytes"), s) for c, n, s in MEMORY],
    "paging, KiB per sec.": PAGING,
    "per sec.": RATES,
    "per transaction": [(c, n.replace("_per_s", "_per_transaction"), s) for c, n, s in RATES],
    "CPU, %": CPU,
    "disks, bytes per sec.": DISKS,
    "network, bytes per sec.": NET,
    "pressure, % of the time": PRESSURE,
    "CPU frequency at the end": CLOCK,
    "server's quota, % throttled": QUOTA,
    "power, W": POWER,
    "energy per transaction, J": [
        (c, n.replace("power_", "energy_").replace("_w", "_j_per_transaction"), s)
        for c, n, s in POWER
    ],
}
LINE = [
    ("host", LEVELS + MEMORY + PAGING + RATES + CPU),
    ("disk", DISKS),
    ("net", NET),
    ("psi", PRESSURE),
    ("", CLOCK + QUOTA),
    ("W", POWER),
]


def scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value / scale


def check_columns(
    book: Book, where: str, words: list[str], columns: list[Column], host: Figures
) -> None:
    book.same("txt", where + "columns", words[::2], [c for c, _, _ in columns])
    for text, (_, name, scale) in zip(words[1::2], columns):
        book.printed("txt", where + name, text, scaled(host[name], scale))


def check_line(book: Book, where: str, line: str, host: Figures) -> None:
    parts = line[line.index(" | host ") + 3 :].split(" | ")
    for part, (title, columns) in zip(parts, LINE):
        words = part.split()
        if title:
            book.same("txt", where + "title", words.pop(0), title)
        check_columns(book, where, words, columns, host)


def check_block(book: Book, where: str, lines: list[str], host: Figures) -> None:
    seen = dict(re.findall(r"^    ([^:]+): +(.*)$", "\n".join(lines), re.M))
    book.same("txt", where + "lines", list(seen), list(BLOCK))
    for label, columns in BLOCK.items():
        text = seen.get(label, "")
        if text.startswith("n/a ("):
            book.same("txt", where + label, [host[n] for _, n, _ in columns if host[n]], [])
        else:
            check_columns(book, where + label + ": ", text.split(), columns, host)


def check_call(book: Book, where: str, words: list[str], call: Figures) -> None:
    mean = call["mean_s"]
    for name, text, value in zip(
        ("count", "per tx", "errors", "mean us", "total s"),
        words,
        (
            call["count"],
            call["count_per_transaction"],
            call["errors"],
            None if mean is None else mean * 1e6,
            call["sum_s"],
        ),
    ):
        book.printed("txt", where + name, text, value)


def others(calls: Figures, transactions: int) -> Figures:
    """What is not listed."""
    rest = {
        n: calls[n] - sum(c[n] for c in calls["most_frequent"])
        for n in ("count", "ended", "errors", "sum_s")
    }
    rest["count_per_transaction"] = rest["count"] / transactions if transactions else None
    rest["mean_s"] = rest["sum_s"] / rest["ended"] if rest["ended"] else None
    return rest


def check_calls(
    book: Book, where: str, lines: list[str], calls: Figures, transactions: int
) -> None:
    head = [int(n) for n in re.findall(r"\d+", lines[0])]
    book.same("txt", where + "head", head, [calls["count"], calls["kinds"]])
    want = [c["name"] for c in calls["most_frequent"]]
    rest = calls["kinds"] - len(want)
    if rest:
        want.append("(1 other)" if rest == 1 else "(all others)")
    rows = [x.split(None, 5) for x in lines[2:]]
    book.same("txt", where + "names", [r[5] for r in rows], want)
    for row, call in zip(rows, [*calls["most_frequent"], others(calls, transactions)]):
        check_call(book, where + row[5] + ": ", row, call)


def blocks(lines: list[str], begin: str) -> list[list[str]]:
    found = []
    for i, line in enumerate(lines):
        if line.startswith(begin):
            found.append(lines[i : lines.index("", i)])
    return found


def check_machine_text(book: Book, document: Figures, path: str) -> None:
    with open(path) as f:
        lines = [x for x in f.read().split("\n") if not x.startswith("Warm-up ")]
    shown = [x for x in lines if " | host r " in x]
    if document["summary"]["host"]:
        book.same("txt", "lines with host", len(shown), len(document["intervals"]))
    for i, (line, figures) in enumerate(zip(shown, document["intervals"])):
        check_line(book, "interval %d: host " % (i + 1), line, figures["host"])
    reports = document["checkpoints"] + [document["summary"]]
    for n, (block, r) in enumerate(zip(blocks(lines, "Host: "), reports)):
        check_block(book, "report %d: host " % (n + 1), block[1:], r["host"])
    for n, (block, r) in enumerate(zip(blocks(lines, "System calls of the server: "), reports)):
        transactions = r["client"]["transactions"] if r["client"] else 0
        if r["server_syscalls"]:
            where = "report %d: system calls, " % (n + 1)
            check_calls(book, where, block, r["server_syscalls"], transactions)


__all__ = ["check_machine_text"]
