# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations whose culprit is known, and what the line `sustained:` says of each.

A row makes a situation and has the sentences that are true of it. A machine that others use can be
the true cause of what is late, too: such a sentence proves nothing, if its CPUs were busy then."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Callable, NamedTuple, Sequence

from .load import Load, unwrapped
from .outage import ALL
from .server import MARIADB, POSTGRESQL, confine
from .surroundings import Relay
from .table import NOTHING, Drill, drill

SQL = """
function thread_init() con = sysbench.sql.driver():connect() end
function event() %s end
"""
SLEEP = 'ffi.cdef("int usleep(unsigned)") local n = 0 function event() %s end'
NOOP = "function event() end"
BURN = "function event() for i = 1, %d do x = math.sin(i) end end"
HELD = r"yes($|.*(%s))"
TAIL = "n = n + 1 ffi.C.usleep(n == 10 * sysbench.tid + 10 and 250000 or 1000)"
LAST = "n = n + 1 ffi.C.usleep(sysbench.tid == 0 and n == 490 and 600000 or 1000)"
SLOW = "n = n + 1 ffi.C.usleep(n <= 40 and 100000 or 5000)"
BUSY = r"no: all %d clients were busy \(limit about [\d,.]+/s\); raise --threads or find out why"
SILENT = r"no transaction ended for %s s .* find out what they waited for"
PILED = r"no: \d+ transactions piled up in the server and had not ended with the schedule"
STOPPED = r"(yes.*|no: )the load generator did not run for at least [1-9]\."
SERVER_CPU = r"no: (the server (used \d+% of its|waited for a CPU)|no CPU of this machine).*"
SERVER_WAITED = (
    r"(no: |yes.*)the server (waited for a CPU .*(: free|let it use)|used \d+% of its 1)"
)
OWN_CPU = r"no: (the load generator used \d+% of|threads of the load generator waited)"
# what a machine that others use may be blamed for at any time
MACHINE = r"waited .*for a CPU|no CPU of this machine was idle|woke up late|starts were late by up"


class Situation(NamedTuple):
    name: str
    says: str
    make: Callable[[Drill], Load]


# ---- how they are made


def load(
    d: Drill, script: str, *args: str, rate: object, threads: int = 8, seconds: float = 4
) -> Load:
    test = d.write("event.lua", script) if "function" in script else script
    words = [test, "--tx-rate=%s" % rate, "--percentile=95", *args]
    return d.run(*words, threads=threads, time=seconds)


def query(d: Drill, statement: str, *args: str, **how: Any) -> Load:
    return load(d, SQL % ('con:query("%s")' % statement), *args, **how)


def sleep(d: Drill, pause: float, *args: str, **how: Any) -> Load:
    statement = "SELECT SLEEP(%g)" if d.mysql else "SELECT pg_sleep(%g)"
    return query(d, statement % pause, *args, **how)


def burn(d: Drill, amount: int, *args: str, **how: Any) -> Load:
    """CPU time of the server: some 100 us for 1000."""
    mysql, pgsql = "SELECT BENCHMARK(%d, MD5(1))", "SELECT count(*) FROM generate_series(1, %d)"
    statement = mysql % amount if d.mysql else pgsql % (4 * amount)
    return query(d, statement, *args, **how)


def hot_row(d: Drill, *args: str, **how: Any) -> Load:
    """All update one row, and hold it for 8 ms."""
    pause = "SELECT SLEEP(0.008)" if d.mysql else "SELECT pg_sleep(0.008)"
    words = ("BEGIN", "UPDATE sbtest1 SET k = k + 1 WHERE id = 1", pause, "COMMIT")
    return load(d, SQL % " ".join('con:query("%s")' % w for w in words), *args, **how)


def serial(d: Drill, **how: Any) -> Load:
    """One at a time is served, in 20 ms."""
    if d.mysql:
        return query(d, "SELECT GET_LOCK('a', 60), SLEEP(0.02), RELEASE_LOCK('a')", **how)
    return query(d, "SELECT pg_advisory_lock(1), pg_sleep(0.02), pg_advisory_unlock(1)", **how)


def deadlocks(d: Drill, *args: str, **how: Any) -> Load:
    """Two rows in either order, with a pause between."""
    update = 'con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. %s)'
    pause = "SELECT SLEEP(0.01)" if d.mysql else "SELECT pg_sleep(0.01)"
    text = "local a = math.random(2) con:query('BEGIN') %s con:query('%s') %s con:query('COMMIT')"
    return load(d, SQL % (text % (update % "a", pause, update % "3 - a")), *args, **how)


@contextlib.contextmanager
def burners(count: int, cpus: Sequence[int]) -> Any:
    """Processes that compute, on these CPUs."""
    started = []
    try:
        for _ in range(count):
            words = [sys.executable, "-c", "while True: pass"]
            started.append(subprocess.Popen(words))
            os.sched_setaffinity(started[-1].pid, cpus)
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


LAST_CPU = [max(os.sched_getaffinity(0))]


def crowded(
    make: Callable[[Drill], Load], count: int, cpus: Sequence[int] = (), nice: int = 0
) -> Callable[[Drill], Load]:
    """The server on these CPUs, or with a low priority, and others that compute there."""

    def made(d: Drill) -> Load:
        where = cpus or list(os.sched_getaffinity(0))
        d.server.confine(set(where), nice)
        with burners(count, where):
            run = make(d)
            run.process.wait()
        return run

    return made


def own_core(make: Callable[[Drill], Load]) -> Callable[[Drill], Load]:
    """The load generator on one CPU, which others use, too."""

    def made(d: Drill) -> Load:
        with burners(6, LAST_CPU):
            run = make(d)
            confine(run.process.pid, set(LAST_CPU))
            run.started()
            confine(run.process.pid, set(LAST_CPU))
            run.process.wait()
        return run

    return made


def quota(
    make: Callable[[Drill], Load], who: Callable[[Drill, Load], int]
) -> Callable[[Drill], Load]:
    """A tenth of a CPU for a process."""

    def made(d: Drill) -> Load:
        new = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
        root = "/sys/fs/cgroup" if new else "/sys/fs/cgroup/cpu"
        group = "%s/sb-verdict-%d" % (root, os.getpid())
        os.mkdir(group)
        try:
            put(
                group + ("/cpu.max" if new else "/cpu.cfs_quota_us"),
                "10000 100000"[: 12 if new else 5],
            )
            run = make(d)
            put(group + "/cgroup.procs", str(who(d, run)))
            run.process.wait()
        finally:
            with open(group + "/cgroup.procs") as f:
                for pid in f.read().split():
                    put(root + "/cgroup.procs", pid)
            os.rmdir(group)
        return run

    return made


def put(path: str, text: str) -> None:
    with open(path, "w") as f:
        f.write(text)


def during(
    make: Callable[[Drill], Load], act: Callable[[Drill, Load], None], done: int = 20
) -> Callable[[Drill], Load]:
    """Something happens once so many transactions are done."""

    def made(d: Drill) -> Load:
        run = make(d)
        if run.started() and run.wait_done(done):
            act(d, run)
        return run

    return made


def freeze(seconds: float) -> Callable[[Drill, Load], None]:
    def act(d: Drill, run: Load) -> None:
        d.server.freeze()
        time.sleep(seconds)
        d.server.thaw()

    return act


def stop(seconds: float) -> Callable[[Drill, Load], None]:
    def act(d: Drill, run: Load) -> None:
        run.signal(signal.SIGSTOP)
        time.sleep(seconds)
        run.signal(signal.SIGCONT)

    return act


def stop_in_stage(d: Drill, run: Load) -> None:
    """That stage says so, and no other."""
    stop(1.4)(d, run)
    run.wait()
    said = ["did not run" in (s["why"] or "") for s in run.document()["stages"]]
    d.book.same("stages in which it was stopped", said, [False, True, False])


def restart(d: Drill, run: Load) -> None:
    d.server.kill()
    time.sleep(1)
    d.server.start()


def kill_connections(d: Drill, run: Load) -> None:
    """All, again and again."""
    each = "KILL %d" if d.mysql else "SELECT pg_terminate_backend(%d)"
    while run.process.poll() is None:
        d.server.sql("; ".join(each % number for number in d.server.connections()) or "SELECT 1")


def read_only(d: Drill, run: Load) -> None:
    d.server.sql("SET GLOBAL read_only = 1")


def lock_table(d: Drill, run: Load) -> None:
    d.server.sql(
        "LOCK TABLES sbtest1 WRITE; DO SLEEP(2)"
        if d.mysql
        else "BEGIN; LOCK TABLE sbtest1; SELECT pg_sleep(2); COMMIT"
    )


def interrupt(d: Drill, run: Load) -> None:
    run.signal(signal.SIGINT)


def far(d: Drill) -> Load:
    """40 ms there and back each."""
    relay = Relay("127.0.0.1", 0, d.server.instance.port, 0.04)
    kind = "mysql" if d.mysql else "pgsql"
    words = ["--%s-host=127.0.0.1" % kind, "--%s-port=%d" % (kind, relay.port)]
    words += ["--mysql-socket="] if d.mysql else []
    run = query(d, "SELECT 1", *words, rate=400, threads=16)
    run.process.wait()
    relay.end()
    return run


def ranks(make: Callable[..., Load], act: Callable[[Drill, Load], None]) -> Callable[[Drill], Load]:
    """Two ranks; something happens to the second one."""

    def made(d: Drill) -> Load:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        os.environ["SYSBENCH_CLUSTER_SECRET"] = "drill"
        common = ["--cluster=127.0.0.1:%d" % port, "--cluster-size=2"]
        leader = make(d, "--cluster-rank=0", *common)
        member = make(d, "--cluster-rank=1", *common)
        if leader.started() and leader.wait_done(20):
            act(d, member)
        member.wait()
        return leader

    return made


def nothing(d: Drill, run: Load) -> None:
    pass


# ---- what they are


def point(d: Drill, *args: str, **how: Any) -> Load:
    return load(d, "oltp_point_select", *args, **how)


COMMON = [  # of both servers
    Situation("held", HELD % MACHINE, lambda d: point(d, rate=100)),
    Situation("few-clients", BUSY % 8, lambda d: sleep(d, 0.05, rate=250)),
    Situation(
        "one-client",
        r"no: the only client was busy \(limit about [34]\d/s\); raise --threads or find out",
        lambda d: sleep(d, 0.02, rate=80, threads=1),
    ),
    Situation("clients-enough", HELD % MACHINE, lambda d: sleep(d, 0.05, rate=100)),
    Situation("dropped-by-age", BUSY % 8, lambda d: sleep(d, 0.05, "--tx-max-lag=20", rate=250)),
    Situation("dropped-by-count", BUSY % 8, lambda d: sleep(d, 0.05, "--tx-burst=5", rate=250)),
    Situation(
        "think-time",
        r"no: all 8 clients were busy or thinking \(limit about .*; raise --threads or lower",
        lambda d: sleep(d, 0.01, "--think-time=100", rate=250),
    ),
    Situation("server-cpu", SERVER_CPU, lambda d: burn(d, 50000, rate=1000)),
    Situation(
        "far-too-much",
        r"no: (the (server|load generator) used|the server waited|no CPU|threads of the)",
        lambda d: point(d, rate=100000, threads=64),
    ),
    Situation(
        "server-on-a-busy-core",
        SERVER_WAITED,
        crowded(lambda d: burn(d, 5000, rate=700), 6, LAST_CPU),
    ),
    Situation(
        "server-on-a-busy-core-64",
        SERVER_WAITED,
        crowded(lambda d: burn(d, 5000, rate=700, threads=64), 6, LAST_CPU),
    ),
    Situation(
        "server-stopped-a-while",
        r"yes, after a backlog of up to \d+ .*: " + SILENT % r"1\.\d",
        during(lambda d: point(d, rate=200, seconds=6), freeze(1.5), 40),
    ),
    Situation(
        "server-stopped-for-most",
        "no: " + SILENT % r"[34]\.\d",
        during(lambda d: point(d, rate=200, seconds=6), freeze(5.5), 40),
    ),
    Situation(
        "server-restarted",
        r"(no: |yes, after a backlog.*: )no transaction succeeded for [1-9]",
        during(lambda d: point(d, d.ignore(ALL), rate=200, seconds=5), restart, 40),
    ),
    Situation(
        "connections-killed",
        r"(no: |yes.*: |yes, but )no (connection|transaction succeeded)|server shutting down",
        during(lambda d: sleep(d, 0.2, d.ignore(ALL), rate=20), kill_connections),
    ),
    Situation(
        "table-locked",
        r"(yes, after a backlog.*: |no: )" + SILENT % r"[12]\.\d",
        during(lambda d: point(d, rate=200, seconds=6), lock_table, 40),
    ),
    Situation(
        "generator-stopped", STOPPED, during(lambda d: point(d, rate=200, seconds=5), stop(2), 40)
    ),
    Situation(
        "hot-row-16",
        r"no: (all 16 clients were busy .*find out why|transactions waited .* for row locks)",
        lambda d: hot_row(d, rate=400, threads=16),
    ),
    Situation(
        "hot-row-128",
        r"no: (all 128 clients were busy .*find out why|transactions waited .* for row locks)",
        lambda d: hot_row(d, rate=400, threads=128),
    ),
    Situation("serial-server", PILED, lambda d: serial(d, rate=100, threads=300)),
    Situation(
        "deadlocks",
        r"no: (deadlocks: .*; fix this first|all 8 clients were busy .*find out why|transactions "
        "waited)",
        lambda d: deadlocks(d, rate=300),
    ),
    Situation(
        "far-away", r"no: all 16 clients were busy .*find out why a transaction takes [89]\d", far
    ),
    Situation(
        "too-short",
        r"not known: .*raise --time",
        lambda d: sleep(d, 0.4, rate=50, threads=60, seconds=1),
    ),
    Situation(
        "stage-too-fast",
        r"no, since stage 2 \(400:2s\): all 8 clients were busy .*raise --threads or find out",
        lambda d: sleep(d, 0.04, rate="50:2s,400:2s,50:2s", seconds=6),
    ),
    Situation(
        "stage-stopped",
        r"yes, after a backlog .*: the load generator did not run for at least 1",
        during(lambda d: point(d, rate="50:1s,300:4s,50:1s", seconds=6), stop_in_stage, 60),
    ),
    Situation(
        "interrupted",
        r"yes until it was interrupted \(.*\)($|, but .*(%s))" % MACHINE,
        during(lambda d: point(d, rate=100, seconds=600), interrupt, 200),
    ),
    Situation(
        "poisson-at-the-limit",
        r"yes(, after a backlog.*: |, but )the only client was busy for a while|no: the only c",
        lambda d: sleep(d, 0.009, "--tx-arrival=poisson", rate=80, threads=1, seconds=6),
    ),
    Situation("aligned", HELD % MACHINE, lambda d: point(d, "--tx-arrival=aligned", rate=100)),
    Situation(
        "find-clients",
        r"no idle client: all 8 clients were busy .*raise --threads",
        lambda d: sleep(d, 0.03, "--tx-find=p99<10s", "--tx-find=step=1", rate=100, seconds=60),
    ),
    Situation(
        "find-server-cpu",
        r"(server CPU|waiting for a CPU)",
        lambda d: burn(d, 20000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60),
    ),
]
MARIADB_ONLY = [
    Situation(
        "server-quota",
        SERVER_WAITED,
        quota(lambda d: burn(d, 5000, rate=200), lambda d, run: d.server.instance.running_pid()),
    ),
    Situation(
        "server-of-low-priority",
        SERVER_WAITED,
        crowded(lambda d: burn(d, 5000, rate=700), 4, nice=19),
    ),
    Situation(
        "hot-row-status",
        r"no: transactions waited [\d.]+ s for row locks",
        lambda d: hot_row(d, "--server-status=on", rate=400, threads=64),
    ),
    Situation(
        "read-only",
        r"no: .*read-only server: 1290 \(HY000\) [\d,]+ times",
        during(lambda d: load(d, "oltp_write_only", d.ignore(ALL), rate=100), read_only),
    ),
    Situation(
        "duplicates",
        r"no: \d+ of \d+ transactions failed \(duplicate keys: 1062.*fix this first",
        lambda d: query(
            d, "INSERT INTO sbtest1 (id) VALUES (1)", "--on-error=duplicate:fail", rate=100
        ),
    ),
]
NO_SERVER = [
    Situation("noop", HELD % MACHINE, lambda d: load(d, NOOP, rate=1000, threads=4)),
    Situation("burn", OWN_CPU, lambda d: load(d, BURN % 1000000, rate=1000)),
    Situation(
        "burn-on-a-worker", OWN_CPU, lambda d: load(d, BURN % 1000000, "--workers=1", rate=1000)
    ),
    Situation(
        "generator-on-a-busy-core",
        r"(no: |yes.*)(threads of the load generator waited|the load generator woke|starts were)",
        own_core(lambda d: load(d, BURN % 50000, rate=2000)),
    ),
    Situation(
        "quota",
        r"no: a CPU quota stopped the load generator",
        quota(lambda d: load(d, BURN % 1000000, rate=1000), lambda d, run: run.process.pid),
    ),
    Situation(
        "tail",
        r"yes($|.*(%s|busy))" % MACHINE,
        lambda d: load(d, SLEEP % TAIL, rate=200, threads=8, seconds=5),
    ),
    Situation(
        "slow-and-caught-up",
        r"yes, after a backlog of .*p95 includes it: all 8 clients were busy .*find out why",
        lambda d: load(d, SLEEP % SLOW, rate=200, seconds=12),
    ),
    Situation(
        "one-client-at-its-limit",
        r"yes(, but the only client was busy for a while|, after a backlog.*the only client|$)",
        lambda d: load(d, SLEEP % "ffi.C.usleep(9000)", rate=100, threads=1),
    ),
    Situation(
        "a-long-one-at-the-end",
        HELD % MACHINE,
        lambda d: load(d, SLEEP % LAST, rate=200, threads=2, seconds=5),
    ),
    Situation(
        "two-ranks",
        BUSY % 8,
        ranks(lambda d, *a: load(d, SLEEP % "ffi.C.usleep(50000)", *a, rate=500), nothing),
    ),
    Situation(
        "two-ranks-held",
        HELD % MACHINE,
        ranks(lambda d, *a: load(d, SLEEP % "ffi.C.usleep(5000)", *a, rate=100), nothing),
    ),
    Situation(
        "a-rank-stopped",
        STOPPED,
        ranks(
            lambda d, *a: load(d, SLEEP % "ffi.C.usleep(5000)", *a, rate=200, seconds=5), stop(2)
        ),
    ),
    Situation(
        "find-own-cpu",
        r"client CPU|waiting for a CPU",
        lambda d: load(
            d, BURN % 300000, "--tx-find=p99<1s", "--tx-find=step=1", rate=20, seconds=60
        ),
    ),
]


# ---- and what is said of them


def cpu_times() -> tuple[int, int]:
    """Of all CPUs: idle, and all, in ticks."""
    with open("/proc/stat") as f:
        ticks = [int(word) for word in f.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def check(d: Drill, row: Situation) -> None:
    idle, ticks = cpu_times()
    run = row.make(d)
    run.wait(120)
    found = re.search(r"^ +(?:sustained|limit): +(.*)$", unwrapped(run.out), re.M)
    idle, ticks = cpu_times()[0] - idle, cpu_times()[1] - ticks
    if not d.book.true(found, "no verdict: %s" % (run.err or run.out)[-300:]) or not found:
        return
    said = found.group(1).strip()
    d.book.notes.append("%s  [%d%% of the CPUs were idle]" % (said, 100 * idle / ticks))
    if not re.match(row.says, said):
        true = re.search(MACHINE, said) and (idle * 4 < ticks or d.book.stalled())
        (d.book.doubts if true else d.book.wrong).append("not /%s/" % row.says)


def named(rows: Sequence[Situation]) -> tuple[str, ...]:
    return tuple(row.name for row in rows)


@drill("verdict", engines=[MARIADB], ways=named(COMMON + MARIADB_ONLY))
@drill("verdict", engines=[POSTGRESQL], ways=named(COMMON))
@drill("verdict", engines=NOTHING, ways=named(NO_SERVER))
def verdict(d: Drill) -> None:
    """The sentence names the culprit of a situation that is known."""
    check(d, next(r for r in COMMON + MARIADB_ONLY + NO_SERVER if r.name == d.way))
