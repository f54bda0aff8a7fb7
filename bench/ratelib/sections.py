# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured: each section is a list of things to execute, in the order of running.

The contestants of one case run one right after the other, in turned order at every repeat, so that
a drift of the machine hits all of them.  Stock's --rate and pgbench -R draw exponential gaps:
their number of transactions is random (standard deviation sqrt(rate * time)), ours is not.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from .lab import Lab, Spec
from .parse import holds
from .sections_servers import both, floor, many, memory_loop, mux, paced, telemetry
from .specs import BOTH, EVENT_THREADS, LOADS, NOOP_RATES, RATE, Options, at_rate, sysbench, turned
from .types import Key


def steady(o: Options) -> list[Spec]:
    return [
        at_rate("steady", {"connections": c}, p, c, o.steady_s, repeat=n + 1)
        for n in range(o.repeats)
        for c in o.connections
        for p in turned(("sysbench-tx", "stock", "pgbench"), n)
    ]


def noop(o: Options) -> list[Spec]:
    out = []
    for n in range(o.repeats):
        for rate in NOOP_RATES:
            seconds = max(o.noop_s, math.ceil((1 if o.quick else 3) / rate))
            for threads in o.noop_threads:
                # stock refuses fractions
                for p in turned(BOTH if rate >= 1 else BOTH[:1], n):
                    out.append(
                        at_rate(
                            "noop",
                            {"rate": rate, "threads": threads},
                            p,
                            threads,
                            seconds,
                            rate,
                            "no-op",
                            repeat=n + 1,
                        )
                    )
    return out


class Search:
    """The highest rate that holds(): doubling, then halving the gap."""

    runs = 9

    def __init__(self, program: str, threads: int, seconds: float) -> None:
        self.program, self.threads, self.seconds = program, threads, seconds

    def replaces(self) -> set[Key]:
        return {("highest", None)}

    def __str__(self) -> str:
        return "highest: threads=%d, %s" % (self.threads, self.program)

    def holds(self, lab: Lab, rate: float) -> bool:
        record = lab.execute(
            at_rate(
                "highest",
                {"threads": self.threads, "rate": rate},
                self.program,
                self.threads,
                self.seconds,
                rate,
                "no-op",
            )
        )
        return record is not None and holds(record["figures"])

    def execute(self, lab: Lab) -> None:
        low, high = 0, 100000
        while self.holds(lab, high):
            low, high = high, high * 2
        while low == 0 and high > 1000:
            high //= 2
            if self.holds(lab, high):
                low, high = high, high * 2
        for _ in range(3 if low else 0):
            middle = int(round(math.sqrt(low * high), -3))
            low, high = (middle, high) if self.holds(lab, middle) else (low, middle)


def highest(o: Options) -> list[Search]:
    return [Search(p, t, o.search_s) for t in o.noop_threads for p in BOTH]


def lag(o: Options) -> list[Spec]:
    """256 clients; beside them what the kernel does for a single sleeper."""
    out, c = [], 256
    for n in range(o.lag_repeats):
        runs = [
            Spec(
                "lag",
                {"load": "bare sleep", "spin_us": 0},
                "sleeper",
                lambda lab: [lab.sleeper or "sleeper", str(RATE), str(o.lag_s)],
                o.lag_s,
                RATE,
                repeat=n + 1,
            )
        ]
        for load in ("no-op", "point select"):
            for spin in (0, 60):
                runs.append(
                    at_rate(
                        "lag",
                        {"load": load, "spin_us": spin},
                        "sysbench-tx",
                        c,
                        o.lag_s,
                        RATE,
                        load,
                        ["--tx-spin=%d" % spin] if spin else [],
                        repeat=n + 1,
                    )
                )
        runs.append(
            at_rate(
                "lag", {"load": "point select", "spin_us": 0}, "pgbench", c, o.lag_s, repeat=n + 1
            )
        )
        out += turned(runs, n)
    return out


def fair(o: Options) -> list[Spec]:
    case = {"connections": o.most}
    return [
        at_rate("fair", case, "sysbench-tx", o.most, o.fair_s),
        at_rate("fair", case, "stock", o.most, o.fair_s, more=["--debug"]),
        at_rate("fair", case, "pgbench", o.most, o.fair_s, more=["-l"]),
    ]


def stall(o: Options) -> list[Spec]:
    """A stopped client, then a stopped server; 1,000 transactions/s each."""
    out, t, rate = [], o.stall_s, 1000
    for load, threads in (("no-op", 4), ("point select", 16)):
        for p in BOTH + (("pgbench",) if load == "point select" else ()):
            out.append(
                at_rate(
                    "stall",
                    {"who": "client", "load": load},
                    p,
                    threads,
                    t,
                    rate,
                    load,
                    stall=("client", t / 2 - 1, 2.0),
                )
            )
    endings: list[tuple[str, float | None, list[str]]] = [
        ("resumed after the deadline", 3.0, []),
        ("stopped to the end", None, ["--forced-shutdown=1"]),
    ]
    for how, seconds, more in endings:
        for p in BOTH:
            out.append(
                at_rate(
                    "stall",
                    {"who": "server", "load": "point select", "how": how},
                    p,
                    16,
                    t,
                    rate,
                    "point select",
                    more,
                    stall=("server", t - 1, seconds),
                )
            )
    return out


def cpu(o: Options) -> list[Spec]:
    """Client and server on one CPU: without wake-ups across CPUs the CPU time is reproducible."""
    return [
        at_rate("cpu", {"connections": c}, p, c, o.lag_s, pinned=True, repeat=n + 1)
        for n in range(o.repeats)
        for c in o.connections[1:]
        for p in turned(BOTH, n)
    ]


def flat(o: Options) -> list[Spec]:
    """No rate: as fast as it goes."""
    return [
        Spec(
            "flat",
            {"threads": t, "pinned": pinned},
            p,
            sysbench(p, "point select", t, o.flat_s),
            o.flat_s,
            None,
            "mariadb",
            pinned=pinned,
            repeat=n + 1,
        )
        for n in range(o.repeats)
        for t in o.flat_threads
        for pinned in (False, True)
        for p in turned(BOTH, n)
    ]


def events(o: Options) -> list[Spec]:
    """An empty event, as fast as it goes."""
    return [
        Spec("events", {"threads": t}, p, sysbench(p, "no-op", t, o.flat_s), o.flat_s, repeat=n + 1)
        for n in range(o.repeats)
        for t in EVENT_THREADS
        for p in turned(BOTH, n)
    ]


def scripts(o: Options) -> list[Spec]:
    """Bundled scripts flat out, client and server on one CPU."""
    return [
        Spec(
            "scripts",
            {"load": load, "threads": t},
            p,
            sysbench(p, load, t, o.flat_s),
            o.flat_s,
            None,
            "mariadb",
            pinned=True,
            repeat=n + 1,
        )
        for n in range(o.repeats)
        for load in LOADS
        for t in o.script_threads
        for p in turned(BOTH, n)
    ]


def memory(o: Options) -> list[Spec]:
    """The resident set at its largest, with few and many clients; and beside the bare loop."""
    threads = [
        Spec(
            "memory",
            {"load": load, "threads": t},
            p,
            sysbench(p, load, t, o.flat_s),
            o.flat_s,
            None,
            None if load == "no-op" else "mariadb",
            repeat=n + 1,
        )
        for n in range(o.repeats)
        for load in ("no-op",) + LOADS
        for t in o.memory_threads
        for p in turned(BOTH, n)
    ]
    return threads + memory_loop(o)


SECTION_LIST: tuple[Callable[[Options], Sequence[Any]], ...] = (
    steady,
    noop,
    highest,
    lag,
    fair,
    stall,
    cpu,
    flat,
    events,
    scripts,
    memory,
    mux,
    many,
    floor,
    paced,
    both,
    telemetry,
)
SECTIONS = {f.__name__: f for f in SECTION_LIST}
