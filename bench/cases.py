# SPDX-License-Identifier: GPL-2.0-or-later
"""What bench/run measures: a row for each section.

A section makes every run of `cases` x `programs`, one program right after the other, so that a
drift of the machine hits all of them; their order turns with every repeat.  A case is what the
runs have in common:

    server    one of SERVERS; none: an empty event
    load      a script, oltp_NAME, or a file of FILES
    clients, rate, tables, rows, events (of the server)
    stopped   "client" or "server": SIGSTOP `at` seconds after the start line, `lasts` so long

A program is a name in the table and a command: stock, ours, pgbench or sleeper, the load if it is
not that of the case, and options.
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, NamedTuple

Case = Dict[str, Any]

MARIADB = [
    "--performance-schema=OFF",
    "--innodb-buffer-pool-size=1G",
    "--innodb-flush-log-at-trx-commit=2",
    "--table-open-cache=4000",
    "--max-prepared-stmt-count=1048576",
]
# by name: engine and options, to which the number of connections is added
SERVERS = {
    "mariadb": ("mariadb", MARIADB),
    "pool": ("mariadb", [*MARIADB, "--thread-handling=pool-of-threads"]),
    "postgresql": (
        "postgresql",
        ["--autovacuum=off", "--shared_buffers=512MB", "--max_wal_size=4GB"],
    ),
}
FILES = {
    "empty event": "function event() end\n",
    # 32 clients that wait for 200 ms in the server have their limit near 160/s whatever else the
    # machine does: a wake-up that comes 5 ms late moves it by 2.5 %
    "sleep": """
function thread_init()
   driver = sysbench.sql.driver()
   connection = driver:connect()
end
function event()
   connection:query(driver:name() == "pgsql" and "SELECT pg_sleep(0.2)" or "SELECT SLEEP(0.2)")
end
function thread_done()
   connection:disconnect()
end
""",
}
# of a column: its heading, decimals, and by what the figure is multiplied
FIGURES: dict[str, tuple[str, int, float]] = {
    "achieved_pct": ("achieved, % of target", 3, 1),
    "cpu_pct": ("client CPU, % of one", 1, 1),
    "cpu_us_row": ("client CPU, us/row", 2, 1),
    "cpu_us_tx": ("client CPU, us/tx", 2, 1),
    "done": ("done", 0, 1),
    "error": ("standard error", 3, 1),
    "exit": ("exit", 0, 1),
    "held": ("held, tps", 1, 1),
    "kib": ("KiB per client", 0, 1),
    "lag_max": ("lag max, us", 0, 1000),
    "lag_p50": ("lag p50, us", 0, 1000),
    "lag_p99": ("lag p99, us", 0, 1000),
    "least": ("least", 0, 1),
    "max_ms": ("maximum, ms", 1, 1),
    "most": ("most", 0, 1),
    "per_sec": ("tps", 0, 1),
    "ratio": ("throughput", 3, 1),
    "ready_s": ("ready, s", 2, 1),
    "reporter_pct": ("reporting thread, % of one core", 2, 1),
    "rss_mib": ("RSS, MiB", 0, 1),
    "sustained": ("sustained", 1, 1),
    "unfinished": ("unfinished", 0, 1),
    "wall_s": ("s", 2, 1),
}


class Section(NamedTuple):
    """`figures`: the columns; with a `/`, also the median of the ratios to the first program."""

    text: str  # what the table shows, one line
    cases: list[Case]
    programs: dict[str, str]
    figures: tuple[str, ...]
    seconds: int = 10
    repeats: int = 2
    apart: bool = False  # client and server have a CPU each
    how: str = "run"  # a method of bench/run's Bench


def product(**values: Any) -> list[Case]:
    """Every combination; what is no list is the same in all."""
    lists = [v if isinstance(v, list) else [v] for v in values.values()]
    return [dict(zip(values, combined)) for combined in itertools.product(*lists)]


ALL = list(SERVERS)
RATE = 1200
THREE = {"ours": "ours", "stock": "stock", "pgbench": "pgbench"}
SECTIONS = {
    "pairs": Section(
        "client CPU and throughput without a rate, beside stock",
        product(
            server=ALL, load="point_select", clients=[1, 16, 64, 512, 2048], tables=4, rows=10000
        )
        + product(
            server=ALL,
            load=["read_only", "read_write"],
            clients=[16, 64, 512],
            tables=4,
            rows=10000,
        ),
        {
            "stock": "stock",
            "ours": "ours",
            "a thread per client": "ours --workers=0",
            "one worker": "ours --workers=1",
        },
        ("cpu_us_tx/", "per_sec/"),
        seconds=1,
        repeats=10,
    ),
    "steady": Section(
        "1,200 transactions a second over any number of connections",
        product(server="mariadb", load="point_select", rate=RATE, clients=[1, 16, 256, 2048]),
        THREE,
        ("achieved_pct", "lag_p50", "lag_p99", "cpu_us_tx/"),
        seconds=30,
    ),
    "fair": Section(
        "transactions of the connections with the fewest and the most, at 1,200/s",
        product(server="mariadb", load="point_select", rate=RATE, clients=2048),
        {"ours": "ours", "stock": "stock --debug", "pgbench": "pgbench -l"},
        ("done", "least", "most"),
        seconds=30,
        repeats=1,
    ),
    "noop": Section(
        "an empty event at every rate: the load generator alone",
        product(load="empty event", clients=4, rate=[0.1, 1, 10, 100, 1000, 10000, 50000, 100000]),
        {"ours": "ours", "stock": "stock"},
        ("achieved_pct", "lag_p50", "lag_p99", "cpu_pct", "cpu_us_tx"),
    ),
    "highest": Section(
        "the highest rate of an empty event of which 99 % are done: doubled, then halved gaps",
        product(load="empty event", clients=[1, 4, 16]),
        {"ours": "ours", "stock": "stock"},
        ("held", "achieved_pct"),
        seconds=3,
        repeats=1,
        how="highest",
    ),
    "lag": Section(
        "start lag with 256 clients at 1,200/s; `bare sleep` is clock_nanosleep() alone",
        product(server="mariadb", load="point_select", rate=RATE, clients=256),
        {
            "bare sleep": "sleeper",
            "empty event": "ours empty_event",
            "point select": "ours",
            "--tx-spin=60": "ours --tx-spin=60",
            "pgbench": "pgbench",
        },
        ("lag_p50", "lag_p99", "lag_max"),
        repeats=5,
    ),
    "stall": Section(
        "1,000/s; client or server stopped with SIGSTOP",
        product(load="empty event", clients=4, rate=1000, stopped="client", at=4, lasts=2)
        + product(
            server="mariadb",
            load="point_select",
            clients=16,
            rate=1000,
            stopped=["client", "server"],
            at=4,
            lasts=2,
        )
        + product(
            server="mariadb",
            load="point_select",
            clients=16,
            rate=1000,
            stopped="server",
            at=9,
            lasts=[3, None],
        ),
        {
            **THREE,
            "ours, forced": "ours --forced-shutdown=1",
            "forced": "stock --forced-shutdown=1",
        },
        ("max_ms", "lag_max", "done", "unfinished", "exit"),
        repeats=1,
    ),
    "memory": Section(
        "memory per client, and the time until all are connected",
        product(server="mariadb", load="point_select", clients=[512, 2048], tables=[1, 4])
        + product(server="mariadb", load=["read_only", "read_write"], clients=2048)
        + product(load="empty event", clients=512),
        {"stock": "stock", "one worker": "ours --workers=1", "threads": "ours --workers=0"},
        ("kib/", "ready_s/", "rss_mib"),
        seconds=3,
        apart=True,
        how="memory",
    ),
    "telemetry": Section(
        "2,000 connections with telemetry off and on, a report every second",
        product(server=["mariadb", "pool"], load="point_select", clients=2000, rate=[RATE, None]),
        {
            "%s, %s" % (what, carried): "ours --report-interval=1 %s %s" % (workers, options)
            for carried, workers in (("worker", "--workers=1"), ("threads", "--workers=0"))
            for what, options in (
                ("off", "--server=off"),
                ("server", "--server=auto"),
                ("all", "--server=auto --server-events=default --host-stats --server-status"),
            )
        },
        ("per_sec/", "cpu_us_tx/", "reporter_pct"),
        repeats=5,
    ),
    "toggle": Section(
        "telemetry switched on and off in blocks of 3 s of one run, with / without",
        product(
            server=["mariadb", "pool"],
            load="point_select",
            clients=2000,
            events=["default", "default,syscalls"],
        ),
        {"ours": "ours --workers=1 --server=off --report-interval=1"},
        ("ratio", "error"),
        seconds=120,
        repeats=1,
        how="toggle",
    ),
    "find": Section(
        "--tx-find: is its answer sustained, and is one 3 % below, one 5 % above?",
        product(server=["mariadb", "postgresql"], load="sleep", clients=32, find="p95<500ms")
        + product(server=["mariadb", "postgresql"], load="read_only", clients=8, find="p95<20ms"),
        {"search": "ours --tx-find=step=6", "0.97": "ours", "1.00": "ours", "1.05": "ours"},
        ("held", "sustained", "per_sec"),
        seconds=60,
        repeats=5,
        how="find",
    ),
    "prepare": Section(
        "how long prepare takes, from no tables",
        product(
            server=["mariadb", "postgresql"], load="read_write", clients=4, tables=4, rows=250000
        )
        + product(
            server=["mariadb", "postgresql"], load="read_write", clients=4, tables=1, rows=1000000
        ),
        {"stock": "stock", "ours": "ours"},
        ("wall_s/", "cpu_us_row/"),
        repeats=3,
        how="prepare",
    ),
}
