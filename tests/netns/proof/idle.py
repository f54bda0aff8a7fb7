# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs a rank to belong to others and to have been started by MPI, while it is idle.

    idle/LAUNCHER

The CPU time of each rank in a window of the run, less that of the same clients and the same rate in
a run of one host.  The kernel counts it to the nanosecond.
"""

from __future__ import annotations

import time
from typing import Sequence

from .ranks import LAUNCHERS, Run
from .server import process_cpu_s
from .world import Case, Stage

WINDOW = 20  # s
RATE = 1  # per second and rank
CLIENTS = 4  # of each rank
BOUND_PCT = 1.0
WORDS = ["cpu", "--cpu-max-prime=10"]


def used(run: Run, pids: dict[str, list[int]]) -> dict[str, float]:
    """CPU of these processes in the window, in % of one core."""
    before = {who: sum(map(process_cpu_s, found)) for who, found in pids.items()}
    began = time.monotonic()
    time.sleep(WINDOW)
    took = time.monotonic() - began
    return {
        who: 100 * (sum(map(process_cpu_s, found)) - before[who]) / took
        for who, found in pids.items()
    }


def arguments(ranks: int) -> list[str]:
    return [
        *WORDS,
        "--threads=%d" % (CLIENTS * ranks),
        "--tx-rate=%d" % (RATE * ranks),
        "--time=%d" % (WINDOW + 5),
    ]


def alone(s: Stage) -> float:
    """One host, without a cluster."""
    run = s.begin(arguments(1), 1)
    run.started()
    run.reported(1)
    cpu = used(run, {"it": [run.launched.pid]})["it"]
    s.book.same("exit statuses, alone", run.wait(WINDOW), [0])
    return cpu


def checked(s: Stage) -> Sequence[str]:
    base = alone(s)
    run = s.begin(arguments(s.case.ranks))
    run.started()
    run.reported(1)
    ranks = {rank: run.pid_of(rank) for rank in range(run.ranks)}
    pids = {"rank %d" % rank: [pid] for rank, pid in ranks.items()}
    others = [pid for pid, _ in run.processes_of() if pid not in ranks.values()]
    if others:
        pids["guards, launcher and its daemons"] = others
    cpu = used(run, pids)
    statuses = run.wait(WINDOW)
    s.book.same("exit statuses", statuses, [0] * len(statuses))
    for who, percent in cpu.items():
        less = base if who.startswith("rank") else 0
        s.book.timed(
            percent - less < BOUND_PCT,
            "%s: %.3f %% of a core more than alone, not under %g %%"
            % (who, percent - less, BOUND_PCT),
        )
    return [
        "CPU in %d s, %% of a core: alone %.3f" % (WINDOW, base),
        *("%s %.3f" % item for item in cpu.items()),
    ]


def cases() -> list[Case]:
    return [Case("idle/" + launcher, checked, 2, launcher) for launcher in LAUNCHERS]
