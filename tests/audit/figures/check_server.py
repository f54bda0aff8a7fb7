# SPDX-License-Identifier: GPL-2.0-or-later
"""What the server itself wrote down beside what the report says of it: statements in its log,
CPU time in /proc."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from typing import Any, Dict, Iterable

from .book import Book

TICK = 1.0 / os.sysconf("SC_CLK_TCK")
Figures = Dict[str, Any]


def kind(text: str) -> str:
    """A statement without its literals, as docs/reports.md says; only what the scripts of the
    audit send."""
    text = re.sub(r"(?<!\w)(\$?\d+|\?)(?!\w)", "?", " ".join(text.split())).rstrip(";")
    return re.sub(r"\(\?(, ?\?)+\)", "(...)", text)


def statements_mariadb(lines: Iterable[str]) -> Counter[str]:
    """Of a general log: [TIME] THREAD COMMAND TAB TEXT, where the time is left out when it is
    the line's before."""
    counts: Counter[str] = Counter()
    for line in lines:
        m = re.search(r"\t\s*\d+ (Query|Execute)\t(.*)", line)
        if m:
            counts[kind(m.group(2))] += 1
    return counts


def statements_postgresql(lines: Iterable[str]) -> Counter[str]:
    """Of a log with log_statement=all."""
    counts: Counter[str] = Counter()
    for line in lines:
        m = re.search(r"LOG:  (?:statement|execute [^:]*): (.*)", line)
        if m:
            counts[kind(m.group(1))] += 1
    return counts


def check_statements(book: Book, document: Figures, logged: Counter[str]) -> None:
    """Each kind as often as the server was asked; without a warm-up only, whose statements no
    report counts."""
    summary = document["summary"]
    told: Counter[str] = Counter()
    for s in summary["statements"] or []:
        if s["class"] in ("prepared", "query", "transaction"):
            told[kind(s["text"])] += s["count"]
    for text in (
        sorted(set(told) | {t for t in logged if "audit_rows" in t})
        if summary["statements"]
        else ()
    ):
        book.same("json", "statements, count of " + text, told[text], logged[text])
    last = document["checkpoints"][-1]["total"] if document["checkpoints"] else None
    failed = summary["total"]["errors"]
    for name, pattern in (("reads", "SELECT"), ("writes", "UPDATE")):
        want = sum(
            n for text, n in logged.items() if text.startswith(pattern) and "audit_rows" in text
        )
        book.same(
            "json", "summary.total.%s, as the server counted" % name, summary["total"][name], want
        )
    clash = sum(n for text, n in logged.items() if text.startswith("INSERT INTO audit_rows"))
    book.same("json", "summary.total.errors, as the server counted", failed, clash)
    if last:
        book.same(
            "json",
            "summary.reads since the checkpoint",
            summary["reads"],
            summary["total"]["reads"] - last["reads"],
        )


def tree(pid: int) -> list[int]:
    """A process and its children."""
    pids = [pid]
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            pids.append(int(path.split("/")[2]))
    return pids


def cpu_s(pid: int) -> float:
    """User and system time of a server, with that of children that have ended and were waited
    for."""
    ticks = 0
    for one in tree(pid):
        try:
            with open("/proc/%d/stat" % one) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:13])) + (sum(map(int, fields[13:15])) if one == pid else 0)
    return ticks * TICK


def check_cpu(book: Book, document: Figures, before: float, after: float, processes: int) -> None:
    """The server cannot have used more during the run than between two readings around it.
    Each reading cuts off less
    than a tick of user and of system time of each process, hence the bound."""
    reports = document["checkpoints"] + [document["summary"]]
    parts = [r["server"]["cpu_s"] for r in reports if r["server"]]
    if not parts or None in parts:
        return
    book.within(
        "json", "server.cpu_s of the run", sum(parts), 0, after - before + 2 * TICK * processes
    )
    for name in ("server", "client"):
        check_process(book, name, document)


def check_process(book: Book, name: str, document: Figures) -> None:
    """What follows from what, in every report; ns are whole, so sums are exact to one."""
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    for kind_of, reports in (
        ("intervals", document["intervals"]),
        ("checkpoints", document["checkpoints"]),
        ("summary", [document["summary"]]),
    ):
        for i, r in enumerate(reports):
            p, where = r[name], "%s[%d].%s." % (kind_of, i, name)
            if not p or p["cpu_s"] is None:
                continue
            book.near(
                "json",
                where + "cpu_s = user + system",
                p["cpu_s"],
                p["cpu_user_s"] + p["cpu_system_s"],
                slack=2e-9,
            )
            for mode in ("user", "system"):
                book.near(
                    "json",
                    where + "cpu_%s_pct" % mode,
                    p["cpu_%s_pct" % mode],
                    100 * p["cpu_%s_s" % mode] / p["interval_s"] / cpus,
                    rel=1e-9,
                )
            n = p["transactions"]
            book.near(
                "json",
                where + "cpu_s_per_transaction",
                p["cpu_s_per_transaction"],
                p["cpu_s"] / n if n else None,
            )
            done = document["summary"]["total"]["transactions"]
            book.within("json", where + "transactions", n, 0, done)
            book.within("json", where + "cpu_s", p["cpu_s"], 0, p["interval_s"] * cpus + 2 * TICK)
