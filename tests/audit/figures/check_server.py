# SPDX-License-Identifier: GPL-2.0-or-later
"""What the server itself wrote down beside what the report says of it: statements in its log,
CPU time in /proc."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from typing import Any, Dict, Iterable

from .book import Book, reports

TICK = 1.0 / os.sysconf("SC_CLK_TCK")
Figures = Dict[str, Any]


def kind(text: str) -> str:
    """A statement without its literals, as docs/reports.md says; only what the scripts of the
    audit send."""
    text = re.sub(r"(?<!\w)(\$?\d+|\?)(?!\w)", "?", " ".join(text.split())).rstrip(";")
    return re.sub(r"\(\?(, ?\?)+\)", "(...)", text)


SENT = {
    # of a general log: [TIME] THREAD COMMAND TAB TEXT, without the time of the line before
    "mariadb": r"\t\s*\d+ (?:Query|Execute)\t(.*)",
    # of a log with log_statement=all
    "postgresql": r"LOG:  (?:statement|execute [^:]*): (.*)",
}


def statements(engine: str, lines: Iterable[str]) -> Counter[str]:
    found = (re.search(SENT[engine], line) for line in lines)
    return Counter(kind(m.group(1)) for m in found if m)


def check_statements(book: Book, document: Figures, logged: Counter[str]) -> None:
    """Each kind as often as the server was asked; without a warm-up only, whose statements no
    report counts."""
    summary = document["summary"]
    told: Counter[str] = Counter()
    for s in summary["statements"] or []:
        if s["class"] in ("prepared", "query", "transaction"):
            told[kind(s["text"])] += s["count"]
    listed = set(told) | {t for t in logged if "audit_rows" in t}
    for text in sorted(listed) if summary["statements"] else ():
        book.same("json", "statements, count of " + text, told[text], logged[text])
    last = document["checkpoints"][-1]["total"] if document["checkpoints"] else None
    failed = summary["total"]["errors"]
    for name, pattern in (("reads", "SELECT"), ("writes", "UPDATE")):
        sent = [t for t in logged if t.startswith(pattern) and "audit_rows" in t]
        what = "summary.total.%s, as the server counted" % name
        book.same("json", what, summary["total"][name], sum(logged[t] for t in sent))
    clash = sum(n for text, n in logged.items() if text.startswith("INSERT INTO audit_rows"))
    book.same("json", "summary.total.errors, as the server counted", failed, clash)
    if last:
        since = summary["total"]["reads"] - last["reads"]
        book.same("json", "summary.reads since the checkpoint", summary["reads"], since)


def tree(pid: int) -> list[int]:
    """A process and its children."""
    every = [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*/stat")]
    return [pid] + [one for one in every if (fields(one) or [0, 0])[1] == pid]


def fields(pid: int) -> list[int]:
    """The numbers behind a process's name, its state as 0; [] if it has ended."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return [0, *map(int, f.read().rpartition(")")[2].split()[1:])]
    except OSError:
        return []


def cpu_s(pid: int) -> float:
    """User and system time of a server, with that of children that have ended and were waited
    for."""
    ticks = 0
    for one in tree(pid):
        ticks += sum(fields(one)[11 : 15 if one == pid else 13])
    return ticks * TICK


def check_cpu(book: Book, document: Figures, before: float, after: float, processes: int) -> None:
    """The server cannot have used more during the run than between two readings around it.
    Each reading cuts off less
    than a tick of user and of system time of each process, hence the bound."""
    reports = document["checkpoints"] + [document["summary"]]
    parts = [r["server"]["cpu_s"] for r in reports if r["server"]]
    if not parts or None in parts:
        return
    most = after - before + 2 * TICK * processes
    book.within("json", "server.cpu_s of the run", sum(parts), 0, most)
    for name in ("server", "client"):
        check_process(book, name, document)


def check_process(book: Book, name: str, document: Figures) -> None:
    """What follows from what, in every report; ns are whole, so sums are exact to one."""
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    for where, r in reports(document):
        p, where = r[name], where + name + "."
        if not p or p["cpu_s"] is None:
            continue
        used, n = p["cpu_user_s"] + p["cpu_system_s"], p["transactions"]
        book.near("json", where + "cpu_s = user + system", p["cpu_s"], used, slack=2e-9)
        for mode in ("cpu_user", "cpu_system"):
            share = 100 * p[mode + "_s"] / p["interval_s"] / cpus
            book.near("json", where + mode + "_pct", p[mode + "_pct"], share, rel=1e-9)
        per = p["cpu_s"] / n if n else None
        book.near("json", where + "cpu_s_per_transaction", p["cpu_s_per_transaction"], per)
        done = document["summary"]["total"]["transactions"]
        book.within("json", where + "transactions", n, 0, done)
        book.within("json", where + "cpu_s", p["cpu_s"], 0, p["interval_s"] * cpus + 2 * TICK)
