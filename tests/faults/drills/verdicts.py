# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations whose cause is known, and what the line `sustained:` says of each.

A row makes a situation (situations.py) and has the sentence that is true of it: the verdict and
the cause, whatever is said after that.  Each runs twice, once beside busy loops on all CPUs.  What
arithmetic decides is the cause in both.  Where a busy machine is a cause, too, the row says what
may be said then; a rate that is held may then be hurt by it.  The same counts if others of this
machine were busy without being asked to."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple, Sequence

from .load import unwrapped
from .server import BOTH, MARIADB, POSTGRESQL
from .situations import *
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
    r"transactions waited [\d.]+ s for locks(%s)?, \d+%% of their time, (?:most of it )?behind"
    r" another session \((id|pid) \d+, [^,]+, active for \d+ s\); end it" % WHEN
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
    return r"yes, (but |after .*? of up to .*?: )(%s)" % "|".join(causes)


def hurt(*causes: str) -> str:
    """Held or not: that depends on how much time was left."""
    return "(%s|%s)" % (no(*causes), late(*causes))


class AtMost(str):
    """A sentence about clients, with the transactions per second that it must give."""

    most = 0.0


def at_most(rate: float, says: str = "") -> str:
    sentence = AtMost(says or no(CLIENTS))
    sentence.most = rate
    return sentence


class Situation(NamedTuple):
    name: str
    says: str
    make: Make
    busy: str  # as well, if the machine is busy
    engines: Sequence[str]
    quick: bool


ROWS: list[Situation] = []
WORKERS = "--workers=2"
STATUS = "--server-status=on"
HURT_BUSY = hurt(BUSY)


def row(
    name: str, says: str, make: Make, busy: str = "", on: Sequence[str] = BOTH, quick: bool = False
) -> None:
    busy = busy or (HURT_BUSY if HELD in says else "")
    ROWS.append(Situation(name, says, make, busy, on, quick))


mysql_row = functools.partial(row, on=[MARIADB])
pgsql_row = functools.partial(row, on=[POSTGRESQL])
plain_row = functools.partial(row, on=NOTHING)


# ---- clients and think time

row("few-clients", at_most(160), sleep(0.05, rate=250), quick=True)
mysql_row("few-clients-just", at_most(160), sleep(0.05, rate=180, seconds=5))
row("few-clients-of-workers", at_most(160), sleep(0.05, "--workers=2", rate=250))
row("one-client", at_most(50), sleep(0.02, rate=80, threads=1))
pgsql_row("few-clients-poisson", at_most(160), sleep(0.05, "--tx-arrival=poisson", rate=250))
mysql_row("few-clients-aligned", at_most(160), sleep(0.05, "--tx-arrival=aligned", rate=250))
row("few-clients-events", at_most(80), sleep(0.05, "--events=100", rate=1000, threads=4))
row("dropped-by-age", at_most(160), sleep(0.05, "--tx-max-lag=20", rate=250))
row("dropped-by-count", at_most(160), sleep(0.05, "--tx-burst=5", rate=250))
row(
    "think-time", at_most(72.7, no(THINKING)), sleep(0.01, "--think-time=100", rate=250), quick=True
)
row(
    "stage-too-fast",
    at_most(200, r"no, since stage 2 \(400:2s\): " + CLIENTS),
    sleep(0.04, rate="50:1s,400:2s,50:1s", seconds=4),
)
mysql_row(
    "first-stage-too-fast",
    at_most(200, r"no, since stage 1 \(400:2s\): " + CLIENTS),
    sleep(0.04, rate="400:2s,50:3s", seconds=5),
)
pgsql_row("ramp-too-fast", at_most(200), sleep(0.04, rate="100-600:4s", seconds=4))
row("far-away", at_most(195), relayed(query("SELECT 1", rate=400, threads=16), 0.04))
row("slow-commit", at_most(66), slow_commit(rate=100))
mysql_row("few-clients-and-a-stop", at_most(160), during(sleep(0.05, rate=250), stop(0.3)))
pgsql_row(
    "few-clients-and-a-standstill",
    at_most(160),
    during(sleep(0.05, rate=250, seconds=5), freeze(0.4)),
)
mysql_row(
    "few-clients-beside-another-user",
    at_most(160),
    beside(
        sleep(0.05, rate=250),
        "SET STATEMENT max_statement_time=5 FOR SELECT BENCHMARK(1000000000, MD5(1))",
        sessions=2,
    ),
)
row("hot-tenant", at_most(24), uneven(2.5, 0.3, rate=40, seconds=3))
row(
    "stopped-after-the-end", at_most(24), during(uneven(2.5, 0.3, rate=40, seconds=3), stop(1), 3.3)
)
row(
    "poisson-at-the-limit",
    hurt(BURSTS, CLIENTS) + "|" + HELD,
    sleep(0.009, "--tx-arrival=poisson", rate=80, threads=1, seconds=5),
)
mysql_row(
    "find-clients",
    r"no idle client: .*" + CLIENTS,
    sleep(0.03, "--tx-find=p99<10s", "--tx-find=step=1", rate=100, seconds=60),
    "waiting for a CPU: ",
)

# ---- CPUs
row("server-cpu", no(SERVER_CPU), burn(50000, rate=1000), quick=True)
mysql_row(
    "server-cpu-of-workers", no(SERVER_CPU), burn(30000, "--workers=2", rate=1500, threads=32)
)
row("both-on-the-machine", no(BOTH_CPU), burn_both(rate=900, threads=16))
row("far-too-much", no(OWN_CPU, SERVER_CPU, BOTH_CPU), point(rate=100000, threads=64))
row("server-on-a-busy-core", HURT_BUSY, crowded(burn(1000, rate=700), 6, LAST_CPU), quick=True)
mysql_row(
    "server-of-low-priority", hurt(SERVER_WAIT, OWN_WAIT), crowded(burn(1000, rate=700), 4, nice=19)
)
row("server-quota", hurt(SERVER_CPU, SERVER_WAIT), server_quota(burn(10000, rate=200)))
mysql_row(
    "pool-on-a-busy-machine",
    HURT_BUSY,
    with_options(
        crowded(load("oltp_read_only", rate=300, threads=512, seconds=5), 6, LAST_CPU),
        "--thread-handling=pool-of-threads",
    ),
    HURT_BUSY,
)
row(
    "find-server-cpu",
    r".*(server CPU|waiting for a CPU)",
    burn(20000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60),
)
plain_row("burn", no(OWN_CPU), load(BURN % 1000000, rate=1000), quick=True)
plain_row("burn-on-a-worker", no(OWN_CPU), load(BURN % 1000000, "--workers=1", rate=1000))
plain_row("generator-on-a-busy-core", hurt(OWN_WAIT, WOKE), own_core(load(BURN % 20000, rate=2000)))
plain_row("quota", no(QUOTA), quota(load(BURN % 1000000, rate=1000)))
plain_row(
    "find-own-cpu",
    r".*(client CPU|waiting for a CPU)",
    load(BURN % 300000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60),
)

# ---- the load generator is stopped, or its script stops its workers
row("paused-0.2-at-200", hurt(STOPPED, WOKE), during(point(rate=200), stop(0.2)), HURT_BUSY)
row(
    "paused-0.4-at-200-of-workers",
    hurt(STOPPED),
    during(point(WORKERS, rate=200), stop(0.4)),
    HURT_BUSY,
)
row("paused-0.9-at-200", hurt(STOPPED), during(point(rate=200), stop(0.9)), quick=True)
row("paused-2-at-400-of-workers", hurt(STOPPED), during(point(WORKERS, rate=400), stop(2)))
row("paused-with-busy-clients", hurt(STOPPED), during(sleep(0.03, rate=160), stop(0.9)))
mysql_row("paused-twice", hurt(STOPPED), during(point(rate=200), twice(stop(0.6), 0.5)))
row("paused-at-the-end", hurt(STOPPED), during(point(rate=200), stop(1.2), 3.2))
row(
    "stage-paused",
    late(STOPPED),
    during(point(rate="50:1s,300:4s,50:1s", seconds=6), stop_in_stage, 1.5),
)
plain_row(
    "a-rank-paused",
    hurt(STOPPED),
    ranks(script("ffi.C.usleep(5000)", rate=200, seconds=5), stop(2.2)),
)
plain_row(
    "script-popen",
    no(SCRIPT),
    script("io.popen('sleep 0.1'):read('*a')", WORKERS, rate=40, threads=16),
    quick=True,
)
plain_row(
    "script-execute-32",
    no(SCRIPT),
    script("os.execute('sleep 0.03')", "--workers=1", rate=60, threads=32),
)
plain_row("script-select", no(SCRIPT), script("block(50000)", WORKERS, rate=100, threads=16))
row(
    "script-select-and-query",
    no(SCRIPT),
    load(CALLS + SQL % "con:query('SELECT 1') block(20000)", "--workers=1", rate=100, threads=16),
)
plain_row(
    "script-blocks-now-and-then",
    hurt(SCRIPT),
    script(
        "block(sysbench.tid == 3 and n % 3 == 0 and 400000 or 100)",
        "--workers=1",
        rate=100,
        threads=16,
    ),
    HURT_BUSY,
)
row(
    "script-sleeps-on-threads",
    at_most(160, no(CLIENTS + r".*in the script")),
    load(CALLS + SQL % "con:query('SELECT 1') ffi.C.usleep(50000)", rate=300),
)
plain_row("script-executes-on-threads", at_most(78), script("os.execute('sleep 0.1')", rate=120))
plain_row(
    "script-slow-and-caught-up",
    late(SLOW_SCRIPT),
    script("ffi.C.usleep(n <= 10 and 100000 or 3000)", rate=200, seconds=5),
)

# ---- in a part of the run only: the sentence says when
row("loops-for-a-while", HURT_BUSY, during(burn(1000, rate=400, seconds=10), loops(24, 3), 3))
row(
    "server-stopped-near-the-end",
    no(STOOD + r" [\d.]+ s \(from second [4-6]"),
    during(point(rate=200, seconds=8), freeze(4), 5),
)
row(
    "stopped-near-the-end",
    no(STOPPED + r" [\d.]+ s( from second [4-6]\.\d on| between second [4-6][^,]*), see"),
    during(sleep(0.03, rate=200, seconds=8), stop(2.8), 5),
)
row(
    "row-held-near-the-end",
    no(BLOCKED.replace(")?, ", "), ", 1)),
    may_see(during(update(STATUS, rate=100, seconds=8), hold_row(4), 5)),
    quick=True,
)
row(
    "row-held-and-then-stopped",
    hurt("(%s|%s)" % (STOPPED, BLOCKED)) + r".*; \d+% of the \w+ is (locks|a stopped load gen)",
    may_see(
        during(update(STATUS, rate=100, seconds=12), one_after_the_other(hold_row(2), stop(2)), 3)
    ),
    hurt(STOPPED, BLOCKED),
)

# ---- it is in the server
row(
    "server-stopped-a-while",
    late(STOOD),
    during(point(rate=200, seconds=5), freeze(1.5)),
    quick=True,
)
row("server-stopped-briefly", late(STOOD, SLOW), during(point(rate=400), freeze(0.4)), HURT_BUSY)
row("server-stopped-for-most", no(STOOD), during(point(rate=200, seconds=4), freeze(3.5)))
row("table-locked", hurt(STOOD), during(point(rate=200, seconds=5), lock_table))
mysql_row(
    "tables-flushed", hurt(STOOD), during(load("oltp_write_only", rate=50, seconds=5), flush_tables)
)
pgsql_row("vacuumed", hurt(STOOD, SLOW), vacuumed)
row("network-stalled", hurt(STOOD), relayed(query("SELECT 1", rate=200, seconds=5), 0, stall(1.5)))
row(
    "slower-from-the-middle-on",
    no(SLOW + r": .* (from|between) second [0-2]"),
    during(sleep_as_told(rate=200, seconds=5), slower(100), 2),
    quick=True,
)
row(
    "slower-for-a-while",
    hurt(SLOW + r": .* between second"),
    during(sleep_as_told(rate=200, seconds=6), slower(150, 1.5)),
)
row("some-are-slow", HELD, sleep_some(0.01, 0.5, rate=200, threads=16))
row(
    "some-are-slow-and-few-clients",
    hurt(SLOW, STOOD),
    sleep_some(0.02, 0.6, rate=100, threads=2, seconds=5),
    HURT_BUSY,
)
row("hot-row-16", no(CROWDED, LOCKS), hot_row(rate=400, threads=16), quick=True)
row("hot-row-of-workers", no(CROWDED, LOCKS), hot_row(WORKERS, rate=400, threads=32))
row("hot-row-status", no(LOCKS), hot_row(STATUS, rate=400, threads=64))
row("serial", no(CROWDED), serial(rate=100, threads=300))
row(
    "row-held-by-another",
    no(BLOCKED),
    may_see(row_held(update(STATUS, rate=100, seconds=3), 5)),
    quick=True,
)
mysql_row(
    "row-held-by-another-unseen",
    no(LOCKS + r".* unless another session holds them \(not known: .* the PROCESS privilege"),
    row_held(update(STATUS, rate=100, seconds=3), 5),
)
row(
    "row-held-for-a-while", hurt(BLOCKED), may_see(row_held(update(STATUS, rate=100, seconds=5), 3))
)
SOME = ("oltp_update_non_index", STATUS, "--table-size=10", "--rand-type=uniform")
row(
    "row-held-of-some",
    hurt(BLOCKED),
    may_see(row_held(load(*SOME, rate=100, threads=64, seconds=5), 3)),
)
pgsql_row(
    "table-locked-by-another",
    hurt(BLOCKED),
    may_see(during(point(STATUS, rate=200, seconds=5), lock_table)),
)
mysql_row(
    "table-locked-status",
    hurt(NO_ROWS),
    may_see(during(point(STATUS, rate=200, seconds=5), lock_table)),
)

# ---- errors
row("server-restarted", hurt(OUTAGE), during(point(IGNORE, rate=200), restart), quick=True)
row(
    "server-restarted-twice",
    hurt(TWO_OUTAGES),
    during(point(IGNORE, rate=200, seconds=6), twice(restart, 1.5)),
    hurt(OUTAGE),
)
row(
    "connections-killed",
    hurt("no connection", OUTAGE, "server shutting", FAILED),
    during(sleep(0.2, IGNORE, rate=20), kill_connections),
    SHORT,
)
row(
    "connections-killed-tls",
    hurt("no connection", OUTAGE, "server shutting", FAILED),
    with_tls(during(sleep(0.2, IGNORE, rate=60, threads=64), kill_connections)),
    SHORT,
)
mysql_row(
    "read-only",
    no(OUTAGE + r" for .* \(read-only server: 1290 \(HY000\) [\d,]+ times\)", FAILED),
    during(load("oltp_write_only", IGNORE, rate=100), read_only),
)
row(
    "duplicates-one-in-ten",
    no(FAILED + r" \(duplicate keys: "),
    failing(0.1, rate=200, seconds=3),
    quick=True,
)
row("deadlocks", no(r"deadlocks: .*; fix this first", LOCKS, CROWDED), deadlocks(rate=300))
row(
    "too-few-connections",
    r"no: (an error ended the run after [\d.]+ s of 4 s; )?.*too many connections for max_",
    sql_first(
        connecting(IGNORE, rate=100, threads=16),
        "SET GLOBAL max_connections = 10",
        "ALTER ROLE sbtest CONNECTION LIMIT 4",
    ),
)

# ---- nothing is wrong, or too little is known
row("held", HELD, point(rate=100), quick=True)
row("held-of-workers", HELD, point(WORKERS, rate=100))
mysql_row("held-poisson", HELD, sleep(0.01, "--tx-arrival=poisson", rate=100, threads=16))
pgsql_row("held-thinking", HELD, point("--think-time=50", rate=100, threads=32))
mysql_row("held-events", HELD, point("--events=200", rate=100, seconds=60))
pgsql_row("held-stages", HELD, point(rate="50:1s,200:1s,50-150:2s"))
mysql_row("held-far-away", HELD, relayed(query("SELECT 1", rate=80, threads=32), 0.04))
row("clients-enough", HELD, sleep(0.05, rate=100))
row("clients-just-enough", HELD, sleep(0.05, rate=145))
row("held-aligned", HELD, point("--tx-arrival=aligned", rate=100))
row("hot-tenant-held", HELD, uneven(2.5, 0.005, rate=100, seconds=3))
mysql_row(
    "deadlocks-few",
    HELD + "|" + hurt(r"deadlocks: ", LOCKS, CROWDED, SLOW),
    deadlocks(rate=20, threads=16),
)
row("too-short", SHORT, sleep(0.4, rate=50, threads=60, seconds=1))
mysql_row("too-short-events", SHORT, sleep(0.4, "--events=30", rate=50, threads=60))
row(
    "interrupted",
    r"yes until it was interrupted \(.*\)$",
    during(point(rate=100, seconds=600), interrupt, 2),
    r"yes until it was interrupted \(.*\), (but |after .*? of up to .*?: )" + BUSY,
)
plain_row("noop", HELD, load("function event() end", rate=1000, threads=4))
plain_row(
    "tail", HELD, script("ffi.C.usleep(n == 10 * sysbench.tid + 10 and 250000 or 1000)", rate=200)
)
plain_row(
    "one-client-nearly-at-its-limit",
    HELD + "|" + late(BURSTS),
    script("ffi.C.usleep(9000)", rate=100, threads=1),
    HURT_BUSY + "|" + hurt(SLOW_SCRIPT, CLIENTS),
)
plain_row(
    "a-long-one-at-the-end",
    HELD,
    script("ffi.C.usleep(sysbench.tid == 0 and n == 380 and 600000 or 1000)", rate=200, threads=2),
)
plain_row("two-ranks", at_most(160), ranks(script("ffi.C.usleep(50000)", rate=500), nothing))
plain_row("two-ranks-held", HELD, ranks(script("ffi.C.usleep(5000)", rate=100), nothing))


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
    rate = getattr(row.says, "most", 0)
    limit = re.search(CLIENTS, said) if rate else None
    if limit:
        most = float(limit.group(4).replace(",", ""))
        d.book.true(0.6 <= most / rate <= 1.35, "at most %g/s, not %g" % (most, rate))


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
