# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run's report says, beside what is known from elsewhere.

Its accounts and the columns of its ranks must add up exactly; its histograms must be those of all
raw logs, bucket by bucket; what it calls done the database server must have executed.
"""

from __future__ import annotations

from typing import Any

from ranks_sums import RANK, recomputed, sums
from report_raw import read_raw

from lib.book import Book

from .net import SECONDS_AHEAD
from .ranks import Run, host_of, share

ACCOUNTS = ("done", "failed", "dropped", "unfinished", "lost")
# A stated uncertainty is half a round trip, and what a drift that is not known yet may have made of
# it since the last ping: more with a longer round trip.  Neighbours may make all pings late.
CLOCK_SLACK, CLOCK_SLACK_S = 1.5, 1e-3


def total(rate: dict[str, Any], name: str) -> int:
    return int(rate[name if name == "unfinished" else "total_" + name])


def accounts(book: Book, document: Any) -> str:
    """Exact, at the end of each interval and of the run."""
    for what, run, parts in sums(document):
        book.same(what, parts, run)
    for name in RANK:
        key = "total_" + name
        steps = sum(interval["rate"][name] for interval in document["intervals"])
        book.most("%s of all intervals" % name, steps, document["summary"]["rate"][key])
    book.same("accounts_balance", document["verdict"]["accounts_balance"], True)
    rate = document["summary"]["rate"]
    return "offered %d = " % total(rate, "offered") + " + ".join(
        "%s %d" % (name, total(rate, name)) for name in ACCOUNTS
    )


def ranks(book: Book, run: Run, document: Any, clients: int, apart: int = 0) -> None:
    """Where each rank ran, its clients, its part of the schedule, of which it may have `apart`
    starts more or fewer."""
    rate = document["summary"]["rate"]
    shown = document["summary"]["ranks"]
    book.same("ranks in the report", [r["rank"] for r in shown], list(range(run.ranks)))
    for r in shown:
        who = "rank %d" % r["rank"]
        book.same(who + ": host", r["host"], host_of(r["rank"], run.ranks))
        book.same(who + ": clients", r["threads"], share(clients, r["rank"], run.ranks))
        part = share(rate["total_offered"], r["rank"], run.ranks)
        ended = sum(r[name] for name in RANK)
        book.most(who + ": accounts", ended, part + apart)
        book.least(who + ": accounts", ended, part - rate["unfinished"] - apart)
    book.same("lines 'Load hosts'", run.out.count("\nLoad hosts:"), 1)


def histograms(book: Book, document: Any, paths: list[str]) -> str:
    """Bit for bit; what they hold."""
    want = recomputed(paths)
    for name, counts in want.items():
        got = {(low, high): n for low, high, n in document["histograms"][name]["buckets"]}
        wrong = sorted(set(counts.items()) ^ set(got.items()))
        book.true(
            not wrong,
            "histogram of %s: %d buckets are not those of the raw logs, first %s"
            % (name, len(wrong), wrong[:2]),
        )
    book.same("done", document["summary"]["rate"]["total_done"], sum(want["response"].values()))
    buckets = sum(len(counts) for counts in want.values())
    count = sum(want["response"].values())
    return "%d buckets of %d in %d raw logs %s" % (
        buckets, count, len(paths), "equal" if not book.wrong else "compared",
    )  # fmt: skip


def executed(book: Book, document: Any, count: int) -> str:
    """`count`: transactions that the server executed.  One it was asked for may count as lost."""
    rate = document["summary"]["rate"]
    book.least("executed by the server, of those done", count, rate["total_done"])
    most = rate["total_offered"] - rate["total_dropped"]
    book.most("executed by the server, of those offered", count, most)
    return "server executed %d" % count


def finished_per_s(paths: list[str], seconds: float) -> float:
    """Transactions that ended within so many seconds of the first planned start."""
    ends, starts = [], []
    for path in paths:
        header, records, _ = read_raw(path)
        for _, begun, lag, service, outcome in records:
            starts.append(header["mono_ns"] + begun - lag)
            if outcome == "done":
                ends.append(header["mono_ns"] + begun + service)
    until = min(starts) + seconds * 1e9
    return sum(end <= until for end in ends) / seconds


def clocks(book: Book, run: Run, document: Any, round_trip_s: float) -> str:
    """The stated offsets contain the true ones, which are known because there is one machine."""
    words = []
    for r in document["summary"]["ranks"][1:]:
        if r["lost_after_s"] is not None:
            continue
        who, host = "rank %d" % r["rank"], host_of(r["rank"], run.ranks)
        ahead = SECONDS_AHEAD[host] - SECONDS_AHEAD[host_of(0, run.ranks)]
        book.same(who + ": has the leader's clock", r["clock"]["same"], not ahead)
        error = abs(r["clock"]["offset_s"] + ahead)
        stated = r["clock"]["uncertainty_s"]
        book.true(
            error <= stated,
            "%s: its clock is stated %.1f us wrong, and +- %.1f us"
            % (who, error * 1e6, stated * 1e6),
        )
        if ahead:
            bound = CLOCK_SLACK * round_trip_s / 2 + CLOCK_SLACK_S
            book.timed(
                stated <= bound,
                "%s: +- %.1f us, more than %.1f us, for such a round trip"
                % (who, stated * 1e6, bound * 1e6),
            )
            words.append("rank %d %.1f +- %.1f us" % (r["rank"], error * 1e6, stated * 1e6))
    return "clocks wrong by " + ", ".join(words)
