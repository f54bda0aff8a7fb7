# SPDX-License-Identifier: GPL-2.0-or-later
"""How long and how often each section measures, and the command lines of the contestants."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence, TypeVar

from .lab import ROWS, Lab, Spec
from .types import Argv, Case

T = TypeVar("T")

RATE = 1200
CONNECTIONS = (1, 16, 256, 2048)
NOOP_RATES = (0.1, 1, 10, 100, 1000, 10000, 50000, 100000)
NOOP_THREADS = (1, 4, 16)
FLAT_THREADS = tuple(2**n for n in range(10))
EVENT_THREADS = (1, 2)
SCRIPT_THREADS = (1, 16, 64, 512)
MEMORY_THREADS = (1, 512, 2048)
FLOOR_CONNECTIONS = (64, 512)
BOTH = ("sysbench-tx", "stock")
# --server: the server's name in lab.SERVERS, and in the tables
HANDLING = {
    "threads": ("mariadb", "thread per connection"),
    "pool": ("mariadb-pool", "pool of threads"),
}


class Options:
    """How long and how often."""

    def __init__(
        self,
        quick: bool = False,
        repeats: int | None = None,
        servers: Sequence[str] = tuple(HANDLING),
    ) -> None:
        self.quick = quick
        self.servers = [HANDLING[s] for s in servers]
        self.repeats = repeats or (1 if quick else 2)
        self.lag_repeats = repeats or (2 if quick else 5)
        self.steady_s = 4 if quick else 30
        self.noop_s = 3 if quick else 10
        self.lag_s = 3 if quick else 10
        self.fair_s = 8 if quick else 30
        self.stall_s = 6 if quick else 10
        self.flat_s = 3 if quick else 5
        self.search_s = 2 if quick else 3
        self.connections = CONNECTIONS if not quick else (1, 256)
        self.most = 2048 if not quick else 256
        self.mux_s = 3 if quick else 6
        self.mux_connections = (64, 512, 2048) if not quick else (64,)
        self.floor_connections = FLOOR_CONNECTIONS if not quick else (64,)
        self.paced_s = 4 if quick else 20
        self.paced_connections = CONNECTIONS[1:] if not quick else (16, 256)
        self.both_connections = 512 if not quick else 64
        self.many = 10000 if not quick else 2000
        self.watched_repeats = repeats or (1 if quick else 5)
        self.watched = 2000 if not quick else 256
        self.many_s = 10 if quick else 60
        self.noop_threads = NOOP_THREADS if not quick else (4,)
        self.flat_threads = FLAT_THREADS if not quick else (1, 64)
        self.script_threads = SCRIPT_THREADS if not quick else (1, 64)
        self.held_connections = (1, 10000) if not quick else (1, 256)
        self.memory_threads = MEMORY_THREADS if not quick else (1, 256)


LOADS = ("point select", "read only")


def test_args(lab: Lab, load: str) -> list[str]:
    if load == "no-op":
        return [lab.path("noop.lua")]
    return ["oltp_" + load.replace(" ", "_")] + lab.db_args() + ["--table-size=%d" % ROWS]


def sysbench(program: str, load: str, threads: int, seconds: float, *more: str) -> Argv:
    """Command line of either sysbench."""

    def argv(lab: Lab) -> list[str]:
        binary = lab.sysbench if program == "sysbench-tx" else lab.stock
        assert binary
        return (
            [binary]
            + test_args(lab, load)
            + ["--threads=%d" % threads, "--time=%d" % seconds, "--report-interval=1"]
            + (["--report-style=full"] if program == "sysbench-tx" else [])
            + list(more)
            + ["run"]
        )

    return argv


def rate_option(program: str, rate: float) -> str:
    return "--tx-rate=%.12g" % rate if program == "sysbench-tx" else "--rate=%d" % rate


def pgbench(connections: int, seconds: float, rate: float, *more: str) -> Argv:
    def argv(lab: Lab) -> list[str]:
        connect = lab.pgbench_connect(connections)
        time = seconds + (math.ceil(connect * 1.2) if connect > 0.2 else 0)
        return (
            [
                lab.pgbench or "pgbench",
                "-S",
                "-M",
                "prepared",
                "-n",
                "-R",
                "%d" % rate,
                "-c",
                str(connections),
                "-j",
                str(min(2, connections)),
                "-T",
                str(time),
                "-P",
                "1",
            ]
            + list(more)
            + lab.pg_args()
        )

    return argv


def at_rate(
    section: str,
    case: Case,
    program: str,
    connections: int,
    seconds: float,
    rate: float = RATE,
    load: str = "point select",
    more: Sequence[str] = (),
    db: str | None = "mariadb",
    **spec: Any,
) -> Spec:
    """One run at a rate, for any of the three."""
    if program == "pgbench":
        return Spec(
            section,
            case,
            program,
            pgbench(connections, seconds, rate, *more),
            seconds,
            rate,
            "postgresql",
            **spec,
        )
    return Spec(
        section,
        case,
        program,
        sysbench(program, load, connections, seconds, rate_option(program, rate), *more),
        seconds,
        rate,
        None if load == "no-op" else db,
        **spec,
    )


def turned(items: Iterable[T], number: int) -> list[T]:
    return list(items) if number % 2 == 0 else list(items)[::-1]
