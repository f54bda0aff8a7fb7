# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations whose cause is known, and what the line `sustained:` says of each.

A row makes a situation (situations.py) and has the sentence that is true of it: the verdict and
the cause, whatever is said after that.  Each runs twice, once beside busy loops on all CPUs.  What
arithmetic decides is the cause in both.  Where a busy machine is a cause, too, the row says what
may be said then; the same counts if others of this machine were busy without being asked to."""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence

from .load import unwrapped
from .outage import ALL
from .server import BOTH, MARIADB, POSTGRESQL
from .situations import (
    BURN,
    CALLS,
    EACH,
    LAST_CPU,
    SQL,
    Foreign,
    Make,
    beside,
    burn,
    burn_both,
    burners,
    crowded,
    deadlocks,
    during,
    failing,
    flush_tables,
    freeze,
    hold_row,
    hot_row,
    interrupt,
    kill_connections,
    load,
    lock_table,
    loops,
    may_see,
    nothing,
    one_after_the_other,
    own_core,
    point,
    query,
    quota,
    ranks,
    read_only,
    relayed,
    restart,
    row_held,
    script,
    serial,
    server_quota,
    sleep,
    sleep_as_told,
    sleep_some,
    slow_commit,
    slower,
    sql_first,
    stall,
    stop,
    stop_in_stage,
    tls,
    twice,
    uneven,
    update,
    vacuumed,
    with_options,
    with_tls,
)
from .table import NOTHING, Drill, drill

BUSY_LOOPS = 4
SHARE = 0.15  # of all CPUs: more than that makes the machine a cause

# causes, as regular expressions of how the sentence about them begins
CLIENTS = r"(\d+ clients|one client)( with [\d.]+ ms of think time)? do(es)? ([\d.,]+)/s at most"
THINKING = CLIENTS.replace(")?", ")", 1)
SCRIPT = r"the script blocks its worker"
OWN_CPU = r"(a transaction costs the load generator|the load generator used \d+%)"
SERVER_CPU = r"(a transaction costs the server|the server used \d+%)"
BOTH_CPU = r"a transaction costs [\d.]+ ms of CPU time in the server and"
SERVER_WAIT = r"the server waited for a CPU"
OWN_WAIT = r"threads of the load generator waited [\d.]+ s for a CPU"
WOKE = r"the load generator woke up late"
STOPPED = r"the load generator did not run for at least"
QUOTA = r"a CPU quota stopped the load generator"
WHEN = r" (from second [\d.]+ on|between second [\d.]+ and [\d.]+)"
LOCKS = r"transactions waited [\d.]+ s for row locks(%s)?, \d+%% of their time; spread" % WHEN
NO_ROWS = r"transactions waited [\d.]+ s for locks other than row locks"
BLOCKED = (
    r"transactions waited [\d.]+ s for locks(%s)?, \d+%% of their time, most of it behind another"
    r" session \((id|pid) \d+, [^,]+, active for \d+ s\); end it" % WHEN
)
STOOD = r"no transaction ended for"
SLOW = r"transactions took longer in the server or on the network"
SLOW_SCRIPT = r"transactions took longer( in the script|:)"
CROWDED = r"(transactions waited for each other in the server|\d+ transactions piled up)"
OUTAGE = r"no transaction succeeded"
TWO_OUTAGES = r"no transaction succeeded in 2 outages, .* in all"
FAILED = r"\d+ of \d+ transactions failed"
BURSTS = r".* busy for a while, when starts came faster"
ENDLESS = r"no transaction ended; raise --time or check"
BUSY = "(%s)" % "|".join((SERVER_WAIT, OWN_WAIT, WOKE))

HELD = r"yes$"
SHORT = r"not known: .*raise --"


def no(*causes: str) -> str:
    return r"no(, since stage \d+ \(.*?\))?: (%s)" % "|".join(causes)


def late(*causes: str) -> str:
    return r"yes, (but |after a backlog of .*?: )(%s)" % "|".join(causes)


def hurt(*causes: str) -> str:
    """Held or not: that depends on how much time was left."""
    return "(%s|%s)" % (no(*causes), late(*causes))


class Situation(NamedTuple):
    name: str
    says: str
    make: Make
    busy: str = ""  # as well, if the machine is busy
    most: float = 0  # transactions per second: what `at most` must say
    engines: Sequence[str] = (MARIADB,)
    quick: bool = False


HELD_BUSY = hurt(BUSY)


# ---- clients and think time

CLIENTS_ROWS = [
    Situation("few-clients", no(CLIENTS), lambda d: sleep(d, 0.05, rate=250), "", 160, BOTH, True),
    Situation(
        "few-clients-just", no(CLIENTS), lambda d: sleep(d, 0.05, rate=180, seconds=5), "", 160
    ),
    Situation(
        "few-clients-of-workers",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--workers=2", rate=250),
        "",
        160,
        BOTH,
    ),
    Situation(
        "few-clients-of-64",
        no(CLIENTS),
        lambda d: sleep(d, 0.4, "--workers=1", rate=300, threads=64),
        "",
        160,
        (POSTGRESQL,),
    ),
    Situation(
        "one-client", no(CLIENTS), lambda d: sleep(d, 0.02, rate=80, threads=1), "", 50, BOTH
    ),
    Situation("two-clients", no(CLIENTS), lambda d: sleep(d, 0.02, rate=300, threads=2), "", 100),
    Situation(
        "few-clients-poisson",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--tx-arrival=poisson", rate=250),
        "",
        160,
        (POSTGRESQL,),
    ),
    Situation(
        "few-clients-aligned",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--tx-arrival=aligned", rate=250),
        "",
        160,
    ),
    Situation(
        "few-clients-events",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--events=100", rate=1000, threads=4),
        "",
        80,
        BOTH,
    ),
    Situation(
        "few-clients-events-of-workers",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--events=200", "--workers=1", rate=400, threads=8),
        "",
        160,
    ),
    Situation(
        "dropped-by-age",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--tx-max-lag=20", rate=250),
        "",
        160,
        BOTH,
    ),
    Situation(
        "dropped-by-count",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--tx-burst=5", rate=250),
        "",
        160,
        BOTH,
    ),
    Situation(
        "dropped-of-workers",
        no(CLIENTS),
        lambda d: sleep(d, 0.05, "--tx-burst=5", "--workers=2", rate=250),
        "",
        160,
    ),
    Situation(
        "think-time",
        no(THINKING),
        lambda d: sleep(d, 0.01, "--think-time=100", rate=250),
        "",
        72.7,
        BOTH,
        True,
    ),
    Situation(
        "think-time-of-workers",
        no(THINKING),
        lambda d: point(d, "--think-time=200", "--workers=2", rate=100),
        "",
        40,
    ),
    Situation(
        "think-time-poisson",
        no(THINKING),
        lambda d: point(d, "--think-time=200", "--tx-arrival=poisson", rate=100),
        "",
        40,
        (POSTGRESQL,),
    ),
    Situation(
        "stage-too-fast",
        r"no, since stage 2 \(400:2s\): " + CLIENTS,
        lambda d: sleep(d, 0.04, rate="50:1s,400:2s,50:1s", seconds=4),
        "",
        200,
        BOTH,
    ),
    Situation(
        "first-stage-too-fast",
        r"no, since stage 1 \(400:2s\): " + CLIENTS,
        lambda d: sleep(d, 0.04, rate="400:2s,50:3s", seconds=5),
        "",
        200,
    ),
    Situation(
        "ramp-too-fast",
        no(CLIENTS),
        lambda d: sleep(d, 0.04, rate="100-600:4s", seconds=4),
        "",
        200,
        (POSTGRESQL,),
    ),
    Situation(
        "far-away",
        no(CLIENTS),
        relayed(lambda d, *a: query(d, "SELECT 1", *a, rate=400, threads=16), 0.04),
        "",
        195,
        BOTH,
    ),
    Situation(
        "far-away-of-workers",
        no(CLIENTS),
        relayed(lambda d, *a: query(d, "SELECT 1", "--workers=1", *a, rate=400, threads=16), 0.04),
        "",
        195,
    ),
    Situation("slow-commit", no(CLIENTS), lambda d: slow_commit(d, rate=100), "", 66, BOTH),
    Situation(
        "few-clients-and-a-stop",
        no(CLIENTS),
        during(lambda d: sleep(d, 0.05, rate=250), stop(0.3)),
        "",
        160,
    ),
    Situation(
        "few-clients-and-a-standstill",
        no(CLIENTS),
        during(lambda d: sleep(d, 0.05, rate=250, seconds=5), freeze(0.4)),
        "",
        160,
        (POSTGRESQL,),
    ),
    Situation(
        "few-clients-beside-another-user",
        no(CLIENTS),
        beside(
            lambda d: sleep(d, 0.05, rate=250),
            "SET STATEMENT max_statement_time=5 FOR SELECT BENCHMARK(1000000000, MD5(1))",
            sessions=2,
        ),
        "",
        160,
    ),
    Situation(
        "hot-tenant", no(CLIENTS), lambda d: uneven(d, 2.5, 0.3, rate=40, seconds=3), "", 24, BOTH
    ),
    Situation(
        "stopped-after-the-end",
        no(CLIENTS),
        during(lambda d: uneven(d, 2.5, 0.3, rate=40, seconds=3), stop(1), 3.3),
        "",
        24,
        BOTH,
    ),
    Situation(
        "poisson-at-the-limit",
        hurt(BURSTS, CLIENTS) + "|" + HELD,
        lambda d: sleep(d, 0.009, "--tx-arrival=poisson", rate=80, threads=1, seconds=5),
        HELD_BUSY,
        0,
        BOTH,
    ),
    Situation(
        "find-clients",
        r"no idle client: .*" + CLIENTS,
        lambda d: sleep(d, 0.03, "--tx-find=p99<10s", "--tx-find=step=1", rate=100, seconds=60),
        "waiting for a CPU: ",
    ),
]

# ---- CPUs

CPU_ROWS = [
    Situation("server-cpu", no(SERVER_CPU), lambda d: burn(d, 50000, rate=1000), "", 0, BOTH, True),
    Situation(
        "server-cpu-of-workers",
        no(SERVER_CPU),
        lambda d: burn(d, 30000, "--workers=2", rate=1500, threads=32),
    ),
    Situation(
        "both-on-the-machine",
        no(BOTH_CPU),
        lambda d: burn_both(d, rate=900, threads=16),
        "",
        0,
        BOTH,
    ),
    Situation(
        "far-too-much",
        no(OWN_CPU, SERVER_CPU, BOTH_CPU),
        lambda d: point(d, rate=100000, threads=64),
        "",
        0,
        BOTH,
    ),
    Situation(
        "server-on-a-busy-core",
        HELD_BUSY,
        crowded(lambda d: burn(d, 1000, rate=700), 6, LAST_CPU),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "server-on-a-busy-core-64",
        HELD_BUSY,
        crowded(lambda d: burn(d, 1000, rate=700, threads=64), 6, LAST_CPU),
        "",
        0,
        BOTH,
    ),
    Situation(
        "server-of-low-priority",
        hurt(SERVER_WAIT, OWN_WAIT),
        crowded(lambda d: burn(d, 1000, rate=700), 4, nice=19),
    ),
    Situation(
        "server-quota",
        hurt(SERVER_CPU, SERVER_WAIT),
        server_quota(lambda d: burn(d, 10000, rate=200)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "pool-on-a-busy-machine",
        HELD_BUSY,
        with_options(
            crowded(
                lambda d: load(d, "oltp_read_only", rate=300, threads=512, seconds=5), 6, LAST_CPU
            ),
            "--thread-handling=pool-of-threads",
        ),
        hurt(BUSY),
    ),
    Situation(
        "find-server-cpu",
        r".*(server CPU|waiting for a CPU)",
        lambda d: burn(d, 20000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60),
        "",
        0,
        BOTH,
    ),
    Situation(
        "burn", no(OWN_CPU), lambda d: load(d, BURN % 1000000, rate=1000), "", 0, NOTHING, True
    ),
    Situation(
        "burn-on-a-thread",
        no(OWN_CPU),
        lambda d: load(d, BURN % 1000000, rate=300, threads=1),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "burn-on-a-worker",
        no(OWN_CPU),
        lambda d: load(d, BURN % 1000000, "--workers=1", rate=1000),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "burn-on-two-workers",
        no(OWN_CPU),
        lambda d: load(d, BURN % 1000000, "--workers=2", rate=1000, threads=64),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "generator-on-a-busy-core",
        hurt(OWN_WAIT, WOKE),
        own_core(lambda d: load(d, BURN % 20000, rate=2000)),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "generator-on-a-busy-core-of-workers",
        hurt(OWN_WAIT, WOKE),
        own_core(lambda d: load(d, BURN % 20000, "--workers=1", rate=2000)),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "quota", no(QUOTA), quota(lambda d: load(d, BURN % 1000000, rate=1000)), "", 0, NOTHING
    ),
    Situation(
        "find-own-cpu",
        r".*(client CPU|waiting for a CPU)",
        lambda d: load(
            d, BURN % 300000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60
        ),
        "",
        0,
        NOTHING,
    ),
]

# ---- the load generator is stopped, or its script stops its workers


def paused(
    seconds: float, rate: int, *args: str, engines: Sequence[str] = BOTH, quick: bool = False
) -> Situation:
    """A pause that is short may be one of many on a busy machine."""
    name = "paused-%g-at-%d%s" % (seconds, rate, "-of-workers" if args else "")
    says = hurt(STOPPED, WOKE) if seconds < 0.3 else hurt(STOPPED)
    make = during(lambda d: point(d, *args, rate=rate), stop(seconds))
    return Situation(name, says, make, hurt(BUSY) if seconds < 0.5 else "", 0, engines, quick)


WORKERS = "--workers=2"
STATUS = "--server-status=on"
PAUSED_ROWS = [
    paused(0.2, 200),
    paused(0.2, 400, WORKERS),
    paused(0.4, 200, WORKERS),
    paused(0.4, 400),
    paused(0.9, 200, quick=True),
    paused(0.9, 200, WORKERS),
    paused(0.9, 400),
    paused(2, 200),
    paused(2, 400, WORKERS),
    Situation(
        "paused-with-busy-clients",
        hurt(STOPPED),
        during(lambda d: sleep(d, 0.03, rate=160), stop(0.9)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "paused-with-busy-clients-of-workers",
        hurt(STOPPED),
        during(lambda d: sleep(d, 0.03, WORKERS, rate=160), stop(0.4)),
        hurt(BUSY),
        0,
        BOTH,
    ),
    Situation(
        "paused-twice", hurt(STOPPED), during(lambda d: point(d, rate=200), twice(stop(0.6), 0.5))
    ),
    Situation(
        "paused-at-the-end",
        hurt(STOPPED),
        during(lambda d: point(d, rate=200), stop(1.2), 3.2),
        "",
        0,
        BOTH,
    ),
    Situation(
        "stage-paused",
        late(STOPPED),
        during(lambda d: point(d, rate="50:1s,300:4s,50:1s", seconds=6), stop_in_stage, 1.5),
        "",
        0,
        BOTH,
    ),
    Situation(
        "a-rank-paused",
        hurt(STOPPED),
        ranks(lambda d, *a: script(d, "ffi.C.usleep(5000)", *a, rate=200, seconds=5), stop(1.5)),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-popen",
        no(SCRIPT),
        lambda d: script(d, "io.popen('sleep 0.1'):read('*a')", WORKERS, rate=40, threads=16),
        "",
        0,
        NOTHING,
        True,
    ),
    Situation(
        "script-popen-200",
        no(SCRIPT),
        lambda d: script(d, "io.popen('sleep 0.1'):read('*a')", WORKERS, rate=40, threads=200),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-execute-32",
        no(SCRIPT),
        lambda d: script(d, "os.execute('sleep 0.03')", "--workers=1", rate=60, threads=32),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-execute-128",
        no(SCRIPT),
        lambda d: script(d, "os.execute('sleep 0.03')", "--workers=1", rate=60, threads=128),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-select",
        no(SCRIPT),
        lambda d: script(d, "block(50000)", WORKERS, rate=100, threads=16),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-select-200",
        no(SCRIPT),
        lambda d: script(d, "block(5000)", "--workers=1", rate=400, threads=200),
        "",
        0,
        NOTHING,
    ),
    Situation(
        "script-select-and-query",
        no(SCRIPT),
        lambda d: load(
            d,
            CALLS + SQL % "con:query('SELECT 1') block(20000)",
            "--workers=1",
            rate=100,
            threads=16,
        ),
        "",
        0,
        BOTH,
    ),
    Situation(
        "script-blocks-now-and-then",
        hurt(SCRIPT),
        lambda d: script(
            d,
            "block(sysbench.tid == 3 and n % 3 == 0 and 400000 or 100)",
            "--workers=1",
            rate=100,
            threads=16,
        ),
        hurt(BUSY),
        0,
        NOTHING,
    ),
    Situation(
        "script-sleeps-on-threads",
        no(CLIENTS + r".*in the script"),
        lambda d: load(d, CALLS + SQL % "con:query('SELECT 1') ffi.C.usleep(50000)", rate=300),
        "",
        160,
        BOTH,
    ),
    Situation(
        "script-executes-on-threads",
        no(CLIENTS),
        lambda d: script(d, "os.execute('sleep 0.1')", rate=120),
        "",
        78,
        NOTHING,
    ),
    Situation(
        "script-slow-and-caught-up",
        late(SLOW_SCRIPT),
        lambda d: script(d, "ffi.C.usleep(n <= 10 and 100000 or 3000)", rate=200, seconds=5),
        "",
        0,
        NOTHING,
    ),
]

# ---- in a part of the run only: the sentence says when

PART_ROWS = [
    Situation(
        "loops-for-a-while",
        hurt(BUSY),
        during(lambda d: burn(d, 1000, rate=400, seconds=10), loops(24, 3), 3),
        "",
        0,
        BOTH,
    ),
    Situation(
        "server-stopped-near-the-end",
        no(STOOD + r" [\d.]+ s \(from second [4-6]"),
        during(lambda d: point(d, rate=200, seconds=8), freeze(4), 5),
        "",
        0,
        BOTH,
    ),
    Situation(
        "stopped-near-the-end",
        no(STOPPED + r" [\d.]+ s( from second [4-6]\.\d on| between second [4-6][^,]*), see"),
        during(lambda d: sleep(d, 0.03, rate=200, seconds=8), stop(2.8), 5),
        "",
        0,
        BOTH,
    ),
    Situation(
        "row-held-near-the-end",
        no(BLOCKED.replace(")?, ", "), ", 1)),
        may_see(during(lambda d: update(d, STATUS, rate=100, seconds=8), hold_row(4), 5)),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "row-held-and-then-stopped",
        hurt("(%s|%s)" % (STOPPED, BLOCKED)) + r".*; \d+% of the \w+ is (locks|a stopped load gen)",
        may_see(
            during(
                lambda d: update(d, STATUS, rate=100, seconds=12),
                one_after_the_other(hold_row(2), stop(2)),
                3,
            )
        ),
        hurt(STOPPED, BLOCKED),
        0,
        BOTH,
    ),
]

# ---- it is in the server

SERVER_ROWS = [
    Situation(
        "server-stopped-a-while",
        late(STOOD),
        during(lambda d: point(d, rate=200, seconds=5), freeze(1.5)),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "server-stopped-briefly",
        late(STOOD, SLOW),
        during(lambda d: point(d, rate=400), freeze(0.4)),
        hurt(BUSY),
        0,
        BOTH,
    ),
    Situation(
        "server-stopped-for-most",
        no(STOOD),
        during(lambda d: point(d, rate=200, seconds=4), freeze(3.5)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "server-stopped-of-workers",
        hurt(STOOD),
        during(lambda d: point(d, WORKERS, rate=200, threads=64), freeze(1)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "table-locked",
        hurt(STOOD),
        during(lambda d: point(d, rate=200, seconds=5), lock_table),
        "",
        0,
        BOTH,
    ),
    Situation(
        "table-locked-of-workers",
        hurt(STOOD),
        during(lambda d: point(d, WORKERS, rate=200, seconds=5), lock_table),
        "",
        0,
        BOTH,
    ),
    Situation(
        "tables-flushed",
        hurt(STOOD),
        during(lambda d: load(d, "oltp_write_only", rate=50, seconds=5), flush_tables),
    ),
    Situation("vacuumed", hurt(STOOD, SLOW), vacuumed, "", 0, (POSTGRESQL,)),
    Situation(
        "network-stalled",
        hurt(STOOD),
        relayed(lambda d, *a: query(d, "SELECT 1", *a, rate=200, seconds=5), 0, stall(1.5)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "slower-from-the-middle-on",
        no(SLOW + r": .* (from|between) second [0-2]"),
        during(lambda d: sleep_as_told(d, rate=200, seconds=5), slower(100), 2),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "slower-for-a-while",
        hurt(SLOW + r": .* between second"),
        during(lambda d: sleep_as_told(d, rate=200, seconds=6), slower(150, 1.5)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "slower-of-workers",
        no(SLOW + r": .* (from|between) second [0-2]"),
        during(lambda d: sleep_as_told(d, WORKERS, rate=200, seconds=5), slower(100), 2),
    ),
    Situation(
        "some-are-slow",
        HELD,
        lambda d: sleep_some(d, 0.01, 0.5, rate=200, threads=16),
        HELD_BUSY,
        0,
        BOTH,
    ),
    Situation(
        "some-are-slow-and-few-clients",
        hurt(SLOW, STOOD),
        lambda d: sleep_some(d, 0.02, 0.6, rate=100, threads=2, seconds=5),
        hurt(BUSY),
        0,
        BOTH,
    ),
    Situation(
        "hot-row-16",
        no(CROWDED, LOCKS),
        lambda d: hot_row(d, rate=400, threads=16),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "hot-row-128", no(CROWDED, LOCKS), lambda d: hot_row(d, rate=400, threads=128), "", 0, BOTH
    ),
    Situation(
        "hot-row-of-workers",
        no(CROWDED, LOCKS),
        lambda d: hot_row(d, WORKERS, rate=400, threads=32),
        "",
        0,
        BOTH,
    ),
    Situation(
        "hot-row-status", no(LOCKS), lambda d: hot_row(d, STATUS, rate=400, threads=64), "", 0, BOTH
    ),
    Situation(
        "hot-row-status-8",
        no(LOCKS),
        lambda d: hot_row(d, STATUS, rate=300, threads=8),
        "",
        0,
        BOTH,
    ),
    Situation("serial", no(CROWDED), lambda d: serial(d, rate=100, threads=300), "", 0, BOTH),
    Situation("serial-16", no(CROWDED), lambda d: serial(d, rate=100, threads=16), "", 0, BOTH),
    Situation(
        "serial-of-workers",
        no(CROWDED),
        lambda d: serial(d, WORKERS, rate=100, threads=64),
        "",
        0,
        BOTH,
    ),
    Situation(
        "row-held-by-another",
        no(BLOCKED),
        may_see(row_held(lambda d: update(d, STATUS, rate=100, seconds=3), 5)),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "row-held-by-another-unseen",
        no(LOCKS + r".* unless another session holds them \(not known: .* the PROCESS privilege"),
        row_held(lambda d: update(d, STATUS, rate=100, seconds=3), 5),
    ),
    Situation(
        "row-held-by-another-of-workers",
        no(BLOCKED),
        may_see(row_held(lambda d: update(d, STATUS, WORKERS, rate=100, seconds=3), 5)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "row-held-for-a-while",
        hurt(BLOCKED),
        may_see(row_held(lambda d: update(d, STATUS, rate=100, seconds=5), 3)),
        "",
        0,
        BOTH,
    ),
    Situation(
        "table-locked-by-another",
        hurt(BLOCKED),
        may_see(during(lambda d: point(d, STATUS, rate=200, seconds=5), lock_table)),
        "",
        0,
        (POSTGRESQL,),
    ),
    Situation(
        "table-locked-status",
        hurt(NO_ROWS),
        may_see(during(lambda d: point(d, STATUS, rate=200, seconds=5), lock_table)),
    ),
]

# ---- errors

ERROR_ROWS = [
    Situation(
        "server-restarted",
        hurt(OUTAGE),
        during(lambda d: point(d, d.ignore(ALL), rate=200), restart),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "server-restarted-of-workers",
        hurt(OUTAGE),
        during(lambda d: point(d, d.ignore(ALL), WORKERS, rate=200), restart),
        "",
        0,
        BOTH,
    ),
    Situation(
        "server-restarted-twice",
        hurt(TWO_OUTAGES),
        during(lambda d: point(d, d.ignore(ALL), rate=200, seconds=6), twice(restart, 1.5)),
        hurt(OUTAGE),  # the first may last until the second
        0,
        BOTH,
    ),
    Situation(
        "connections-killed",
        hurt("no connection", OUTAGE, "server shutting", FAILED),
        during(lambda d: sleep(d, 0.2, d.ignore(ALL), rate=20), kill_connections),
        SHORT,  # 4 of 80 are usually in flight
        0,
        BOTH,
    ),
    Situation(
        "connections-killed-tls",
        hurt("no connection", OUTAGE, "server shutting", FAILED),
        with_tls(
            during(
                lambda d: sleep(d, 0.2, d.ignore(ALL), *tls(d), rate=60, threads=64),
                kill_connections,
            )
        ),
        SHORT,
        0,
        BOTH,
    ),
    Situation(
        "read-only",
        no(OUTAGE + r" for .* \(read-only server: 1290 \(HY000\) [\d,]+ times\)", FAILED),
        during(lambda d: load(d, "oltp_write_only", d.ignore(ALL), rate=100), read_only),
    ),
    Situation(
        "duplicates",
        no(FAILED + r" \(duplicate keys: "),
        lambda d: failing(d, 1, rate=100),
        "",
        0,
        BOTH,
    ),
    Situation(
        "duplicates-one-in-ten",
        no(FAILED + r" \(duplicate keys: "),
        lambda d: failing(d, 0.1, rate=200, seconds=3),
        "",
        0,
        BOTH,
        True,
    ),
    Situation(
        "deadlocks",
        no(r"deadlocks: .*; fix this first", LOCKS, CROWDED),
        lambda d: deadlocks(d, rate=300),
        "",
        0,
        BOTH,
    ),
    Situation(
        "deadlocks-of-workers",
        no(r"deadlocks: .*; fix this first", LOCKS, CROWDED),
        lambda d: deadlocks(d, WORKERS, rate=300),
        "",
        0,
        BOTH,
    ),
    Situation(
        "too-few-connections",
        r"no: (an error ended the run after [\d.]+ s of 4 s; )?.*too many connections: .*fix this",
        sql_first(
            lambda d: load(
                d,
                EACH % ("SELECT " + ("SLEEP(0.1)" if d.mysql else "pg_sleep(0.1)")),
                d.ignore(ALL),
                rate=100,
                threads=16,
            ),
            "SET GLOBAL max_connections = 10",
            "ALTER ROLE sbtest CONNECTION LIMIT 4",
        ),
        "",
        0,
        BOTH,
    ),
]

# ---- nothing is wrong, or too little is known

HELD_ROWS = [
    Situation("held", HELD, lambda d: point(d, rate=100), HELD_BUSY, 0, BOTH, True),
    Situation("held-of-workers", HELD, lambda d: point(d, WORKERS, rate=100), HELD_BUSY, 0, BOTH),
    Situation(
        "held-poisson",
        HELD,
        lambda d: sleep(d, 0.01, "--tx-arrival=poisson", rate=100, threads=16),
        HELD_BUSY,
    ),
    Situation(
        "held-thinking",
        HELD,
        lambda d: point(d, "--think-time=50", rate=100, threads=32),
        HELD_BUSY,
        0,
        (POSTGRESQL,),
    ),
    Situation(
        "held-events", HELD, lambda d: point(d, "--events=200", rate=100, seconds=60), HELD_BUSY
    ),
    Situation(
        "held-stages",
        HELD,
        lambda d: point(d, rate="50:1s,200:1s,50-150:2s"),
        HELD_BUSY,
        0,
        (POSTGRESQL,),
    ),
    Situation(
        "held-far-away",
        HELD,
        relayed(lambda d, *a: query(d, "SELECT 1", *a, rate=80, threads=32), 0.04),
        HELD_BUSY,
    ),
    Situation("clients-enough", HELD, lambda d: sleep(d, 0.05, rate=100), HELD_BUSY, 0, BOTH),
    Situation("clients-just-enough", HELD, lambda d: sleep(d, 0.05, rate=145), HELD_BUSY, 0, BOTH),
    Situation(
        "held-aligned",
        HELD,
        lambda d: point(d, "--tx-arrival=aligned", rate=100),
        HELD_BUSY,
        0,
        BOTH,
    ),
    Situation(
        "hot-tenant-held",
        HELD,
        lambda d: uneven(d, 2.5, 0.005, rate=100, seconds=3),
        HELD_BUSY,
        0,
        BOTH,
    ),
    Situation(
        "deadlocks-few",
        HELD + "|" + hurt(r"deadlocks: ", LOCKS, CROWDED, SLOW),
        lambda d: deadlocks(d, rate=20, threads=16),
        HELD_BUSY,
    ),
    Situation(
        "too-short", SHORT, lambda d: sleep(d, 0.4, rate=50, threads=60, seconds=1), "", 0, BOTH
    ),
    Situation(
        "too-short-events", SHORT, lambda d: sleep(d, 0.4, "--events=30", rate=50, threads=60)
    ),
    Situation(
        "interrupted",
        r"yes until it was interrupted \(.*\)$",
        during(lambda d: point(d, rate=100, seconds=600), interrupt, 2),
        r"yes until it was interrupted \(.*\), (but |after a backlog of .*?: )" + BUSY,
        0,
        BOTH,
    ),
    Situation(
        "noop",
        HELD,
        lambda d: load(d, "function event() end", rate=1000, threads=4),
        HELD_BUSY,
        0,
        NOTHING,
    ),
    Situation(
        "tail",
        HELD,
        lambda d: script(
            d, "ffi.C.usleep(n == 10 * sysbench.tid + 10 and 250000 or 1000)", rate=200
        ),
        HELD_BUSY,
        0,
        NOTHING,
    ),
    Situation(
        "one-client-nearly-at-its-limit",
        HELD + "|" + late(BURSTS),
        lambda d: script(d, "ffi.C.usleep(9000)", rate=100, threads=1),
        HELD_BUSY + "|" + hurt(SLOW_SCRIPT, CLIENTS),
        0,
        NOTHING,
    ),
    Situation(
        "a-long-one-at-the-end",
        HELD,
        lambda d: script(
            d,
            "ffi.C.usleep(sysbench.tid == 0 and n == 380 and 600000 or 1000)",
            rate=200,
            threads=2,
        ),
        HELD_BUSY,
        0,
        NOTHING,
    ),
    Situation(
        "two-ranks",
        no(CLIENTS),
        ranks(lambda d, *a: script(d, "ffi.C.usleep(50000)", *a, rate=500), nothing),
        "",
        160,
        NOTHING,
    ),
    Situation(
        "two-ranks-held",
        HELD,
        ranks(lambda d, *a: script(d, "ffi.C.usleep(5000)", *a, rate=100), nothing),
        HELD_BUSY,
        0,
        NOTHING,
    ),
]

ROWS = CLIENTS_ROWS + CPU_ROWS + PAUSED_ROWS + PART_ROWS + SERVER_ROWS + ERROR_ROWS + HELD_ROWS


# ---- and what is said of them


def check(d: Drill, row: Situation, loops: int) -> None:
    with burners(loops):
        foreign = Foreign(d)
        run = row.make(d)
        run.wait(120)
    others = foreign.share() if not loops else 1
    found = re.search(r"^ +(?:sustained|limit): +(.*)$", unwrapped(run.out), re.M)
    if not d.book.true(found, "no verdict: %s" % (run.err or run.out)[-300:]) or not found:
        return
    said = found.group(1).strip()
    is_busy = loops or others > SHARE
    quiet = "" if loops else "  [not quiet: others used %.0f%%]" % (100 * others)
    d.book.notes.append(said + (quiet if is_busy else ""))
    wanted = "|".join(p for p in (row.says, row.busy if is_busy else "") if p)
    d.book.true(re.match(wanted, said), "not /%s/" % wanted)
    limit = re.search(CLIENTS, said) if row.most else None
    if limit:
        most = float(limit.group(4).replace(",", ""))
        d.book.true(0.6 <= most / row.most <= 1.35, "at most %g/s, not %g" % (most, row.most))


def ways(engine: str) -> list[str]:
    names = [row.name for row in ROWS if engine in row.engines]
    return names + [name + "/busy" for name in names]


def quick(engine: str) -> list[str]:
    """Each on one server only."""
    return [row.name for row in ROWS if row.quick and row.engines[0] == engine]


@drill("verdict", [MARIADB], ways(MARIADB), quick(MARIADB))
@drill("verdict", [POSTGRESQL], ways(POSTGRESQL), quick(POSTGRESQL))
@drill("verdict", NOTHING, ways(NOTHING[0]), quick(NOTHING[0]))
def verdict(d: Drill) -> None:
    """The sentence names the cause of a situation that is known."""
    name, _, busy = d.way.partition("/")
    check(d, next(r for r in ROWS if r.name == name), BUSY_LOOPS if busy else 0)
