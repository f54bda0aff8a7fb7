# SPDX-License-Identifier: GPL-2.0-or-later
"""The long run of tests/faults/soak: what is read each minute, and what it comes to."""

from __future__ import annotations

import argparse
import os
import re
import time
from typing import Any, Iterator

from lib.book import Book
from sblab import LabError

from .load import Load
from .server import MARIADB, Server

SETTLED = 0.15  # of the run; before that caches fill
MOST_GROWTH = 4096  # KiB an hour of resident memory that are no leak: 20 KiB a reconnect are more


class Endurance:
    """One run with its server restarted every so often; `rows` has the figures of each minute."""

    def __init__(
        self, args: argparse.Namespace, server: Server, book: Book, directory: str, program: str
    ) -> None:
        self.args, self.server, self.book = args, server, book
        self.rows: list[dict[str, float]] = []
        self.restarts = 0
        self.document: Any = None
        stem = os.path.join(directory, "run")
        kind = "mysql" if server.engine == MARIADB else "pgsql"
        files = ",".join("%s.%s" % (stem, suffix) for suffix in ("json", "jsonl", "csv"))
        words = [program, "oltp_point_select", "--table-size=1000", *server.arguments()]
        words += ["--threads=%d" % args.threads, "--tx-rate=%g" % args.rate]
        words += ["--workers=%d" % args.workers] if args.workers else []
        words += ["--time=%d" % round(args.minutes * 60), "--report-interval=10"]
        words += ["--%s-ignore-errors=all" % kind, "--server=auto", "--report-file=" + files]
        self.load = Load(book, [*words, "run"], stem)

    def run(self) -> None:
        if not self.load.started():
            return
        print(
            "%6s %9s %11s %7s %9s %9s" % ("minute", "rss", "descriptors", "threads", "done", "rate")
        )
        began = last = time.monotonic()
        next_restart = began + self.args.every * 60
        while self.load.process.poll() is None:
            time.sleep(0.2)
            now = time.monotonic()
            if now - last >= 60:
                self.note((now - began) / 60)
                last += 60
            left = began + self.args.minutes * 60 - now
            if now >= next_restart and left > 60:  # the last minute shows that it recovered
                self.restart()
                next_restart += self.args.every * 60
        self.document = self.load.ended(0, messages=40 + 20 * self.restarts, lines=100000)

    def restart(self) -> None:
        self.restarts += 1
        if self.restarts % 2:
            self.server.restart()
        else:
            self.server.kill()
            self.server.start()
        print(
            "       restart %d, %s" % (self.restarts, "polite" if self.restarts % 2 else "kill -9")
        )

    def note(self, minute: float) -> None:
        pid, stream = self.load.process.pid, self.load.stream()
        try:
            with open("/proc/%d/status" % pid) as f:
                status = f.read()
            descriptors = len(os.listdir("/proc/%d/fd" % pid))
        except OSError:
            return
        if not value(status, "VmRSS"):
            return  # it has ended, and nobody has waited for it yet
        last = [r["transactions_per_s"] for r in stream[-6:]]
        row = {
            "minute": minute,
            "rss_kib": value(status, "VmRSS"),
            "descriptors": descriptors,
            "threads": value(status, "Threads"),
            "done": stream[-1]["total"]["transactions"] if stream else 0,
            "rate_per_s": sum(last) / max(len(last), 1),
        }
        self.rows.append(row)
        print("%6.1f %5.0f KiB %11d %7d %9d %9.2f" % tuple(row.values()), flush=True)

    def settled(self) -> list[dict[str, float]]:
        return [r for r in self.rows if r["minute"] >= SETTLED * self.args.minutes]


def value(status: str, name: str) -> int:
    found = re.search(r"^%s:\s+(\d+)" % name, status, re.M)
    return int(found.group(1)) if found else 0


def slope(rows: list[dict[str, float]], name: str) -> float:
    """Least squares, an hour."""
    if len(rows) < 2:
        return 0
    mean_x = sum(r["minute"] for r in rows) / len(rows)
    mean_y = sum(r[name] for r in rows) / len(rows)
    across = sum((r["minute"] - mean_x) ** 2 for r in rows)
    return 60 * sum((r["minute"] - mean_x) * (r[name] - mean_y) for r in rows) / across


def summary(e: Endurance) -> Iterator[str]:
    """The closing lines; findings go into the book."""
    rows = e.settled()
    if not rows or not e.document or not e.document["summary"]:
        e.book.true(False, "the run left no figures")
        return
    growth, more = slope(rows, "rss_kib"), slope(rows, "descriptors")
    yield "%d restarts, %.0f minutes, %d samples" % (e.restarts, e.args.minutes, len(e.rows))
    yield "resident memory: %+.0f KiB/h (%d to %d KiB)" % (
        *(growth, rows[0]["rss_kib"], rows[-1]["rss_kib"]),
    )
    yield "descriptors: %+.2f/h (%d to %d)" % (
        *(more, min(r["descriptors"] for r in rows), max(r["descriptors"] for r in rows)),
    )
    rate, total = e.document["summary"]["rate"], e.document["summary"]
    names = ("offered", "done", "failed", "dropped", "unfinished")
    yield "accounts: " + ", ".join("%s %d" % (n, rate[n]) for n in names)
    wanted = round(e.args.rate * total["elapsed_s"])
    yield "rate drift: %+d of %d planned starts; %d reconnects, %d errors" % (
        *(rate["offered"] - wanted, wanted, total["reconnects"], total["errors"]),
    )
    if e.args.minutes >= 30:
        e.book.most("growth of memory, KiB/h", growth, MOST_GROWTH)
    e.book.most("descriptors, last - first", rows[-1]["descriptors"] - rows[0]["descriptors"], 2)
    e.book.most("drift of the rate", abs(rate["offered"] - wanted), 1)


__all__ = ["Endurance", "LabError", "summary"]
