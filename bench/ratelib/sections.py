# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured: each section is a list of things to execute, in the order of running.

The contestants of one case run one right after the other, in turned order at every repeat, so that
a drift of the machine hits all of them.  Stock's --rate and pgbench -R draw exponential gaps:
their number of transactions is random (standard deviation sqrt(rate * time)), ours is not.
"""

import math

from .lab import ROWS, Spec
from .parse import holds

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

    def __init__(self, quick=False, repeats=None, servers=tuple(HANDLING)):
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
        self.memory_threads = MEMORY_THREADS if not quick else (1, 256)


LOADS = ("point select", "read only")


def test_args(lab, load):
    if load == "no-op":
        return [lab.path("noop.lua")]
    return ["oltp_" + load.replace(" ", "_")] + lab.db_args() + ["--table-size=%d" % ROWS]


def sysbench(program, load, threads, seconds, *more):
    """Command line of either sysbench."""

    def argv(lab):
        binary = lab.sysbench if program == "sysbench-tx" else lab.stock
        return (
            [binary]
            + test_args(lab, load)
            + ["--threads=%d" % threads, "--time=%d" % seconds, "--report-interval=1"]
            + list(more)
            + ["run"]
        )

    return argv


def rate_option(program, rate):
    return "--tx-rate=%.12g" % rate if program == "sysbench-tx" else "--rate=%d" % rate


def pgbench(connections, seconds, rate, *more):
    def argv(lab):
        connect = lab.pgbench_connect(connections)
        time = seconds + (math.ceil(connect * 1.2) if connect > 0.2 else 0)
        return (
            [
                lab.pgbench,
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
    section,
    case,
    program,
    connections,
    seconds,
    rate=RATE,
    load="point select",
    more=(),
    db="mariadb",
    **spec,
):
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


def turned(items, number):
    return list(items) if number % 2 == 0 else list(items)[::-1]


def steady(o):
    return [
        at_rate("steady", {"connections": c}, p, c, o.steady_s, repeat=n + 1)
        for n in range(o.repeats)
        for c in o.connections
        for p in turned(("sysbench-tx", "stock", "pgbench"), n)
    ]


def noop(o):
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

    def __init__(self, program, threads, seconds):
        self.program, self.threads, self.seconds = program, threads, seconds

    def replaces(self):
        return {("highest", None)}

    def __str__(self):
        return "highest: threads=%d, %s" % (self.threads, self.program)

    def holds(self, lab, rate):
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

    def execute(self, lab):
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


def highest(o):
    return [Search(p, t, o.search_s) for t in o.noop_threads for p in BOTH]


def lag(o):
    """256 clients; beside them what the kernel does for a single sleeper."""
    out, c = [], 256
    for n in range(o.lag_repeats):
        runs = [
            Spec(
                "lag",
                {"load": "bare sleep", "spin_us": 0},
                "sleeper",
                lambda lab: [lab.sleeper, str(RATE), str(o.lag_s)],
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


def fair(o):
    case = {"connections": o.most}
    return [
        at_rate("fair", case, "sysbench-tx", o.most, o.fair_s),
        at_rate("fair", case, "stock", o.most, o.fair_s, more=["--debug"]),
        at_rate("fair", case, "pgbench", o.most, o.fair_s, more=["-l"]),
    ]


def stall(o):
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
    for how, seconds, more in (
        ("resumed after the deadline", 3.0, []),
        ("stopped to the end", None, ["--forced-shutdown=1"]),
    ):
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


def cpu(o):
    """Client and server on one CPU: without wake-ups across CPUs the CPU time is reproducible."""
    return [
        at_rate("cpu", {"connections": c}, p, c, o.lag_s, pinned=True, repeat=n + 1)
        for n in range(o.repeats)
        for c in o.connections[1:]
        for p in turned(BOTH, n)
    ]


def flat(o):
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


def events(o):
    """An empty event, as fast as it goes."""
    return [
        Spec("events", {"threads": t}, p, sysbench(p, "no-op", t, o.flat_s), o.flat_s, repeat=n + 1)
        for n in range(o.repeats)
        for t in EVENT_THREADS
        for p in turned(BOTH, n)
    ]


def scripts(o):
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


def memory(o):
    """The resident set at its largest, with few and many clients."""
    return [
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


CARRIED = (
    ("stock", "threads"),
    ("sysbench-tx", "threads"),
    ("sysbench-tx", "1 worker"),
    ("sysbench-tx", "2 workers"),
)


def workers_option(program, carried):
    if program == "stock":
        return []
    return ["--workers=%s" % (0 if carried == "threads" else carried.split()[0])]


def mux(o):
    """How clients are carried; client and server on a CPU of their own, then both on both."""
    out = []
    for n in range(o.repeats):
        for db, server in turned(o.servers, n):
            for load in LOADS:
                for c in o.mux_connections:
                    for where in ("apart", False):
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


def many(o):
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


def telemetry(o):
    """Overhead of watching the server, with as many connections as threads; at a rate and at full speed."""
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


def bare_loop(db, connections, seconds, rate=None):
    def argv(lab):
        inst = lab.server(db)
        return [
            lab.floor,
            inst.socket,
            inst.user,
            inst.databases[0],
            str(ROWS),
            str(connections),
            str(seconds),
        ] + ([str(rate)] if rate else [])

    return argv


def floor(o):
    """What the client library alone costs; client and server on a CPU of their own."""
    out = []
    for n in range(o.repeats):
        for db, server in turned(o.servers, n):
            for c in o.floor_connections:
                case, where = (
                    {"server": server, "connections": c},
                    {"pinned": "apart", "repeat": n + 1},
                )
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


def paced(o):
    """A rate that leaves everybody idle most of the time; a CPU for the client, one for the server."""
    return [
        paced_run(
            p, {"server": server, "connections": c, "carried": carried}, db, o.paced_s, repeat=n + 1
        )
        for n in range(o.repeats)
        for db, server in turned(o.servers, n)
        for c in o.paced_connections
        for p, carried in turned(CARRIED[:3] + (BARE,), n)
    ]


def paced_run(program, case, db, seconds, **spec):
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


def both(o):
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


SECTIONS = {
    f.__name__: f
    for f in (
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
}
