# SPDX-License-Identifier: GPL-2.0-or-later
"""A rank that is killed, cut off or stopped, and a run that is interrupted: the accounts hold, and
the report says whose share is missing.

    killed/LAUNCHER  cut/cluster  stopped/LAUNCHER  interrupted/LAUNCHER
"""

from __future__ import annotations

import math
import os
import re
import signal
import time
from typing import Any, Sequence

from . import truth
from .net import LOAD2
from .ranks import CLUSTER, LAUNCHERS, MPICH, OPENMPI, Run, share
from .world import Case, Stage

RATE = 600
CLIENTS = 128
SECONDS = 8
SILENCE = 3  # s, the least that --cluster=silence takes
STOPPED = 5  # s
LOST = 1  # the rank that the faults meet; it runs on load2
UNTOLD_S = 2.5  # a member tells what it did each second; the pipe, the tick and a delay above it


def begun(s: Stage, seconds: int, *more: str) -> tuple[Run, int]:
    """A load that has been reported twice, and what the server had executed before it."""
    s.server.alone()
    before = s.server.executed()
    run = s.load(seconds, RATE, CLIENTS, *more)
    run.started()
    run.reported(2)
    return run, before


def lost(s: Stage, run: Run, document: Any, before: int, seconds: int) -> list[str]:
    """What holds of any run that lost a rank."""
    summary = document["summary"]
    rate, rank = summary["rate"], summary["ranks"][LOST]
    balance = truth.accounts(s.book, document)
    truth.ranks(s.book, run, document, CLIENTS)
    s.book.same("offered", rate["total_offered"], RATE * seconds)
    s.book.true(rank["lost_after_s"], "the rank that was lost is not said to be")
    s.book.true(rank["why_lost"], "no reason why the rank was lost")
    s.book.same("lost of the others", summary["ranks"][0]["lost"], 0)
    s.book.same("lost after the schedule's end", rate["total_lost"], rank["lost"])
    s.book.true(rank["lost"] > 0, "nothing counts as lost")
    said = re.sub(r"\n +", " ", run.out) + run.err
    for text in (
        r"WARNING: rank 1 \(load2\) is lost after [0-9.]+ s \(.+\): its share",
        r"FATAL: rank 1 \(load2\) was lost after [0-9.]+ s: %d transactions" % rank["lost"],
        r"sustained: +no: .*rank 1 \(load2\) was lost",
    ):
        s.book.true(re.search(text, said), "nothing says /%s/" % text)
    s.book.same("sustained", document["verdict"]["sustained"], False)
    mine = sum(rank[name] for name in ("done", "failed", "dropped", "lost"))
    s.book.same("its share", mine, share(RATE * seconds, LOST, run.ranks))
    ended = s.server.executed() - before
    executed = truth.executed(s.book, document, ended)
    s.book.timed(
        ended - rate["total_done"] <= UNTOLD_S * RATE / run.ranks,
        "%d transactions were executed that do not count as done" % (ended - rate["total_done"]),
    )
    return [
        "rank %d lost after %.1f s (%s)" % (LOST, rank["lost_after_s"] or 0, rank["why_lost"]),
        "%d of its %d counted as lost" % (rank["lost"], mine),
        balance,
        executed,
    ]


def killed(s: Stage) -> Sequence[str]:
    run, before = begun(s, SECONDS)
    os.kill(run.pid_of(LOST), signal.SIGKILL)
    statuses = run.wait(SECONDS)
    s.book.same("exit status", statuses[0], 1)
    return lost(s, run, run.document(), before, SECONDS)


def cut(s: Stage) -> Sequence[str]:
    run, before = begun(s, SECONDS, "--cluster=silence=%d" % SILENCE)
    s.net.cut(LOAD2)
    began = time.monotonic()
    member = run.processes[LOST]
    while member.poll() is None and time.monotonic() < began + SECONDS + 60:
        time.sleep(0.05)
    took = time.monotonic() - began
    statuses = run.wait(SECONDS)
    s.book.same("exit statuses", statuses, [1, 1])
    s.book.timed(took <= SILENCE + 5, "the member ended %.1f s after the cut" % took)
    figures = lost(s, run, run.document(), before, SECONDS)
    return [*figures, "the member ended %.1f s after the cut" % took]


def stopped(s: Stage) -> Sequence[str]:
    """Shorter than --cluster=silence: late, and nothing is lost."""
    seconds = SECONDS + STOPPED
    run, before = begun(s, seconds)
    pid = run.pid_of(LOST)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STOPPED)
    os.kill(pid, signal.SIGCONT)
    statuses = run.wait(seconds)
    s.book.same("exit statuses", statuses, [0] * len(statuses))
    document = run.document()
    balance = truth.accounts(s.book, document)
    truth.ranks(s.book, run, document, CLIENTS)
    rate, rank = document["summary"]["rate"], document["summary"]["ranks"][LOST]
    s.book.same("offered", rate["total_offered"], RATE * seconds)
    s.book.same("lost", rate["total_lost"], 0)
    s.book.same("lost_after_s", rank["lost_after_s"], None)
    without = len(re.findall(r"without rank 1\b", run.out))
    s.book.least("intervals without its reading", without, STOPPED - 2)
    s.book.least("its longest lag, s", rank["lag"]["max_s"], STOPPED - 0.1)
    return [
        "stopped for %d s, %d intervals without its reading" % (STOPPED, without),
        "its longest lag %.3f s" % rank["lag"]["max_s"],
        balance,
        "histograms: " + truth.histograms(s.book, document, run.raws()),
        truth.executed(s.book, document, s.server.executed() - before),
    ]


def interrupted(s: Stage) -> Sequence[str]:
    run, before = begun(s, 60)
    began = time.monotonic()
    run.launched.send_signal(signal.SIGINT)
    statuses = run.wait(0)
    took = time.monotonic() - began
    if run.launcher == CLUSTER:
        s.book.same("exit status of rank 0", statuses[0], 130)
    elif run.launcher == OPENMPI:  # MPICH's has that of rank 0, or 0, by chance
        s.book.true(statuses[0], "exit status 0 after SIGINT")
    document = run.document()
    balance = truth.accounts(s.book, document)
    # each rank stops its schedule when it is told, none before the signal or after the end
    apart = math.ceil(took * RATE / run.ranks)
    truth.ranks(s.book, run, document, CLIENTS, apart)
    rate = document["summary"]["rate"]
    if run.launcher != OPENMPI:  # which kills what has not ended in time
        s.book.same("lost", rate["total_lost"], 0)
    s.book.timed(took <= 10, "it ended %.1f s after SIGINT" % took)
    return [
        "ended %.1f s after SIGINT, exit status %s" % (took, statuses[0]),
        balance,
        truth.executed(s.book, document, s.server.executed() - before),
    ]


def cases() -> list[Case]:
    found = [Case("killed/" + launcher, killed, 2, launcher) for launcher in LAUNCHERS]
    found.append(Case("cut/" + CLUSTER, cut, 2))
    found += [Case("stopped/" + launcher, stopped, 2, launcher) for launcher in (CLUSTER, MPICH)]
    return found + [
        Case("interrupted/" + launcher, interrupted, 2, launcher) for launcher in LAUNCHERS
    ]
