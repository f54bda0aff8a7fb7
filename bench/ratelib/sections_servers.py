# SPDX-License-Identifier: GPL-2.0-or-later
"""The sections that are measured against several servers (--server), and the bare C loop."""

from __future__ import annotations

from typing import Any

from .lab import ROWS, TABLES, Lab, Spec
from .specs import LOADS, RATE, Options, at_rate, sysbench, turned
from .types import Argv, Case

WHERE: tuple[bool | str, ...] = ("apart", False)  # server and client on a CPU each; anywhere
CARRIED = (
    ("stock", "threads"),
    ("sysbench-tx", "threads"),
    ("sysbench-tx", "1 worker"),
    ("sysbench-tx", "2 workers"),
)


def workers_option(program: str, carried: str) -> list[str]:
    if program == "stock":
        return []
    return ["--workers=%s" % (0 if carried == "threads" else carried.split()[0])]


def mux(o: Options) -> list[Spec]:
    """How clients are carried; client and server on a CPU of their own, then both on both."""
    out = []
    for n in range(o.repeats):
        for db, server in turned(o.servers, n):
            for load in LOADS:
                for c in o.mux_connections:
                    for where in WHERE:
                        for p, carried in turned(CARRIED, n):
                            if carried == "2 workers" and where == "apart":
                                continue  # one CPU has no room for two
                            case = {
                                "server": server,
                                "load": load,
                                "connections": c,
                                "carried": carried,
                                "cpus": where or "both",
                            }
                            out.append(
                                Spec(
                                    "mux",
                                    case,
                                    p,
                                    sysbench(p, load, c, o.mux_s, *workers_option(p, carried)),
                                    o.mux_s,
                                    None,
                                    db,
                                    pinned=where,
                                    repeat=n + 1,
                                )
                            )
    return out


def many(o: Options) -> list[Spec]:
    """As many connections as a server of this size takes."""
    more = ["--thread-init-timeout=100"]
    return [
        at_rate(
            "many",
            {"server": server, "connections": o.many, "carried": carried},
            p,
            o.many,
            o.many_s,
            more=(more if p != "stock" else []) + workers_option(p, carried),
            db=db,
        )
        for db, server in o.servers
        for p, carried in CARRIED
    ]


TELEMETRY = {
    "off": ["--server=off"],
    "server": ["--server=auto"],
    "everything": ["--server=auto", "--server-events=default", "--host-stats", "--server-status"],
}


def telemetry(o: Options) -> list[Spec]:
    """Overhead of watching the server: threads and one worker, at a rate and at full speed."""
    out = []
    for n in range(o.watched_repeats):
        for db, server in turned(o.servers, n):
            for rate in (RATE, None):
                for carried in ("threads", "1 worker"):
                    for what in turned(TELEMETRY, n):
                        more = TELEMETRY[what] + workers_option("sysbench-tx", carried)
                        more += ["--tx-rate=%d" % rate] if rate else []
                        case = {
                            "server": server,
                            "rate": rate,
                            "carried": carried,
                            "telemetry": what,
                        }
                        out.append(
                            Spec(
                                "telemetry",
                                case,
                                "sysbench-tx",
                                sysbench("sysbench-tx", "point select", o.watched, o.lag_s, *more),
                                o.lag_s,
                                rate,
                                db,
                                repeat=n + 1,
                            )
                        )
    return out


BARE = ("floor", "one thread")
BARE_KINDS = {"point select": 1, "read only": 5}  # see bench/floor.c


def bare_loop(
    db: str,
    connections: int,
    seconds: float,
    rate: float | None = None,
    tables: int = 1,
    load: str = "point select",
) -> Argv:
    def argv(lab: Lab) -> list[str]:
        inst = lab.server(db)
        return [
            lab.floor or "floor",
            inst.socket,
            inst.user,
            inst.databases[0],
            str(ROWS),
            str(connections),
            str(seconds),
        ] + (
            [str(rate)]
            if rate
            else ["0", str(tables), str(BARE_KINDS[load])]
            if (tables, load) != (1, "point select")
            else []
        )

    return argv


def floor(o: Options) -> list[Spec]:
    """What the client library alone costs; client and server on a CPU of their own."""
    out = []
    for n in range(o.repeats):
        for db, server in turned(o.servers, n):
            for c in o.floor_connections:
                case: Case = {"server": server, "connections": c}
                where: dict[str, Any] = {"pinned": "apart", "repeat": n + 1}
                out += turned(
                    [
                        Spec(
                            "floor",
                            case,
                            "floor",
                            bare_loop(db, c, o.mux_s),
                            o.mux_s,
                            None,
                            db,
                            **where,
                        ),
                        Spec(
                            "floor",
                            case,
                            "sysbench-tx",
                            sysbench("sysbench-tx", "point select", c, o.mux_s, "--workers=1"),
                            o.mux_s,
                            None,
                            db,
                            **where,
                        ),
                    ],
                    n,
                )
    return out


def memory_loop(o: Options) -> list[Spec]:
    """The memory of a connection and its statements, beside the bare loop with the same ones."""
    db, server = o.servers[-1]
    return [
        Spec(
            "memory_loop",
            {"server": server, "load": load, "tables": tables, "connections": c},
            p,
            bare_loop(db, c, o.flat_s, tables=tables, load=load)
            if p == "floor"
            else sysbench(
                p,
                load,
                c,
                o.flat_s,
                "--tables=%d" % tables,
                "--workers=1",
                "--workers=lua-state=worker",
                "--thread-init-timeout=300",
            ),
            o.flat_s,
            None,
            db,
            repeat=n + 1,
        )
        for n in range(o.repeats)
        for load in LOADS
        for tables in (1, TABLES)
        for c in o.held_connections
        for p in turned(("floor", "sysbench-tx"), n)
    ]


def paced(o: Options) -> list[Spec]:
    """A rate that leaves most clients idle; client and server on a CPU each."""
    return [
        paced_run(
            p, {"server": server, "connections": c, "carried": carried}, db, o.paced_s, repeat=n + 1
        )
        for n in range(o.repeats)
        for db, server in turned(o.servers, n)
        for c in o.paced_connections
        for p, carried in turned(CARRIED[:3] + (BARE,), n)
    ]


def paced_run(program: str, case: Case, db: str, seconds: float, **spec: Any) -> Spec:
    c, spec = case["connections"], dict(spec, pinned="apart")
    if program == "floor":
        return Spec(
            "paced", case, program, bare_loop(db, c, seconds, RATE), seconds, RATE, db, **spec
        )
    return at_rate(
        "paced",
        case,
        program,
        c,
        seconds,
        more=workers_option(program, case["carried"]),
        db=db,
        **spec,
    )


def both(o: Options) -> list[Spec]:
    """As fast as it goes, client and server on all CPUs."""
    c = o.both_connections
    return [
        Spec(
            "both",
            {"server": server, "connections": c, "carried": carried},
            p,
            sysbench(p, "point select", c, o.mux_s, *workers_option(p, carried)),
            o.mux_s,
            None,
            db,
            repeat=n + 1,
        )
        for n in range(o.repeats)
        for db, server in turned(o.servers, n)
        for p, carried in turned(CARRIED, n)
    ]
