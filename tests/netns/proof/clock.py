# SPDX-License-Identifier: GPL-2.0-or-later
"""The planned starts at ranks whose clocks differ, beside a clock that all of them share.

    clock/DELAY

The wall clock is the same in all namespaces.  A script notes it in each transaction.  The raw log
says when, by the leader's clock as its rank knew it, the same transaction began.  The difference of
the two is constant on rank 0; on another rank it moves by as much as that rank was wrong about the
leader's clock.  A transaction that is noted late only makes the difference larger, so the smallest
of a second is taken.
"""

from __future__ import annotations

import os
from typing import Sequence

from report_raw import read_raw

from . import truth
from .net import DIRECT, HERE, LOAD2, LOADS, each_way, lopsided
from .ranks import Run, host_of
from .world import Case, Stage

SECONDS = 12
RATE = 400
NOTED_S = 3e-5  # from the beginning of a transaction to the reading of the clock, on a free CPU


def differences(run: Run, rank: int, stem: str) -> dict[int, float]:
    """By the second of the run: the smallest of wall clock less leader's clock, in ns."""
    header, records, _ = read_raw(run.raw(rank))
    least: dict[int, float] = {}
    for client in range(rank, header["clients"] * run.ranks, run.ranks):
        with open("%s.%d" % (stem, client)) as f:
            noted = [int(line) for line in f]
        begun = [header["mono_ns"] + r[1] for r in records if r[0] == client]
        if len(begun) != len(noted):
            raise ValueError("%d transactions noted, %d in the raw log" % (len(noted), len(begun)))
        for wall, leader in zip(noted, begun):
            second = leader // 10**9
            least[second] = min(least.get(second, 1e30), wall - leader)
    return least


def checked(s: Stage) -> Sequence[str]:
    stem = os.path.join(s.directory, "noted")
    os.environ["SB_NOTED"] = stem
    run = s.begin(
        [
            os.path.join(HERE, "note.lua"),
            "--threads=8",
            "--tx-rate=%d" % RATE,
            "--time=%d" % SECONDS,
        ]
    )
    statuses = run.wait(SECONDS)
    s.book.same("exit statuses", statuses, [0] * len(statuses))
    document = run.document()
    balance = truth.accounts(s.book, document)
    delay = s.case.delay
    trip = delay.one_way_s(LOADS[0], LOAD2) + delay.one_way_s(LOAD2, LOADS[0])
    figures = [truth.clocks(s.book, run, document, trip)]
    leaders = min(differences(run, 0, stem).values())
    for rank in range(1, run.ranks):
        if host_of(rank, run.ranks) == LOADS[0]:
            continue
        found = differences(run, rank, stem)
        reports = [*document["intervals"], document["summary"]]
        stated = max(report["ranks"][rank]["clock"]["uncertainty_s"] for report in reports)
        errors = [(found[second] - leaders) / 1e9 for second in sorted(found)]
        worst = max(errors, key=abs)
        # early is exact: nothing makes a noted time earlier.  Late may be the machine's fault.
        s.book.least("rank %d: planned starts, s" % rank, min(errors), -stated - NOTED_S)
        s.book.timed(
            max(errors) <= stated + NOTED_S,
            "rank %d: planned starts %.1f us late, +- %.1f us stated"
            % (rank, max(errors) * 1e6, stated * 1e6),
        )
        figures.append(
            "planned starts of rank %d moved by %+.1f us at most in %d seconds, +- %.1f us stated"
            % (rank, worst * 1e6, len(errors), stated * 1e6)
        )
    return [*figures, balance]


def cases() -> list[Case]:
    delays = (DIRECT, each_way(1), each_way(5), lopsided(6, 0), lopsided(0, 6))
    return [Case("clock/" + delay.name, checked, 2, delay=delay) for delay in delays]
