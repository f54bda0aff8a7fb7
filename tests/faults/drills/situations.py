# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes situations in which a rate is not held, or just held, for a reason that is known."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Callable, Iterator, Sequence

from sblab import LabError

from .load import Load, control_group, put
from .server import MARIADB, MYSQL, OPTIONS, POSTGRESQL, SEES, confine
from .surroundings import Relay
from .table import Drill

Make = Callable[..., Load]  # of a drill, and more words of the command line
Act = Callable[[Drill, Load], None]

SQL = """
function thread_init() con = sysbench.sql.driver():connect() end
function event() %s end
"""
EACH = """
function event()
  local con = sysbench.sql.driver():connect()
  con:query("%s")
  con:disconnect()
end
"""
# usleep() is a wait that lets a worker go on; select() blocks it
CALLS = """
ffi.cdef("int usleep(unsigned); int select(int, void *, void *, void *, void *);")
local function block(us) ffi.C.select(0, nil, nil, nil, ffi.new("long[2]", 0, us)) end
local n = 0
"""
SCRIPT = CALLS + "function event() n = n + 1 %s end"
IGNORE = "ignore all errors"  # the option of the driver
BURN = "function event() for i = 1, %d do x = math.sin(i) end end"
BURNT = {
    MARIADB: "SELECT BENCHMARK(%d, MD5(1))",
    MYSQL: "SELECT BENCHMARK(%d, SHA2(RAND(), 224))",
    POSTGRESQL: "SELECT count(*) FROM generate_series(1, %d)",
}
LAST_CPU = [max(os.sched_getaffinity(0))]


# ---- what a transaction does


def makes(function: Callable[..., Load]) -> Callable[..., Make]:
    """`function(d, ...)` becomes `function(...)`: a situation that is made when the drill comes."""

    @functools.wraps(function)
    def told(*args: Any, **how: Any) -> Make:
        return lambda d, *more: function(d, *args, *more, **how)

    return told


def acts(function: Callable[..., None]) -> Callable[..., Act]:
    """The same of what happens meanwhile: `function(d, run, ...)`."""

    @functools.wraps(function)
    def told(*args: Any, **how: Any) -> Act:
        return lambda d, run: function(d, run, *args, **how)

    return told


def around(function: Callable[..., Iterator[Any]]) -> Callable[..., Make]:
    """`function(d, ...)`, which yields once, becomes `function(make, ...)`: the situation, with the
    words of the command line that it yields, until it ends."""

    @functools.wraps(function)
    def told(make: Make, *args: Any, **how: Any) -> Make:
        def made(d: Drill, *more: str) -> Load:
            with contextlib.contextmanager(function)(d, *args, **how) as words:
                run = make(d, *(words or ()), *more)
                run.wait()
            return run

        return made

    return told


def run(
    d: Drill, script: str, *args: str, rate: object, threads: int = 8, seconds: float = 4
) -> Load:
    test = d.write("event.lua", script) if "function" in script else script
    words = [test, "--tx-rate=%s" % rate, "--percentile=95"]
    words += [d.ignore("all") if word == IGNORE else word for word in args]
    return d.run(*words, threads=threads, time=seconds)


def send(d: Drill, statements: Sequence[str], *args: str, **how: Any) -> Load:
    text = " ".join('con:query("%s")' % s for s in statements)
    return run(d, SQL % text, *args, **how)


load = makes(run)
point = functools.partial(load, "oltp_point_select")


def query(statement: str, *args: str, **how: Any) -> Make:
    return makes(send)([statement], *args, **how)


def slept(d: Drill, pause: str) -> str:
    """An expression that takes so many seconds."""
    return ("SLEEP(%s)" if d.mysql else "pg_sleep(%s)") % pause


@makes
def sleep(d: Drill, pause: float, *args: str, **how: Any) -> Load:
    return send(d, ["SELECT " + slept(d, "%g" % pause)], *args, **how)


@makes
def sleep_some(d: Drill, share: float, pause: float, *args: str, **how: Any) -> Load:
    """That share of the transactions takes `pause`, all others 2 ms."""
    text = "con:query('SELECT ' .. string.format(%r, math.random() < %g and %g or 0.002))"
    return run(d, SQL % (text % (slept(d, "%g"), share, pause)), *args, **how)


@makes
def sleep_as_told(d: Drill, *args: str, **how: Any) -> Load:
    """10 ms, until act `slower` says otherwise."""
    d.server.sql("UPDATE sbtest1 SET k = 10 WHERE id = 1")
    return send(d, ["SELECT %s FROM sbtest1 WHERE id = 1" % slept(d, "k / 1000.0")], *args, **how)


@makes
def uneven(d: Drill, first: float, others: float, *args: str, **how: Any) -> Load:
    """Transactions of the first client take `first` seconds."""
    text = "con:query('SELECT ' .. string.format(%r, sysbench.tid == 0 and %g or %g))"
    return run(d, SQL % (text % (slept(d, "%g"), first, others)), *args, **how)


@makes
def burn(d: Drill, amount: int, *args: str, **how: Any) -> Load:
    """CPU time of the server: some 100 us for 1000."""
    return send(d, [BURNT[d.engine] % (amount if d.mysql else 4 * amount)], *args, **how)


@makes
def burn_both(d: Drill, *args: str, **how: Any) -> Load:
    """Some 3 ms of CPU time of the server, and as much of the load generator."""
    statement = BURNT[d.engine] % (4000 if d.mysql else 24000)
    text = "for i = 1, 200000 do x = math.sin(i) end con:query('%s')" % statement
    return run(d, SQL % text, *args, **how)


@makes
def hot_row(d: Drill, *args: str, **how: Any) -> Load:
    """All update one row, and hold it for 8 ms."""
    update = "UPDATE sbtest1 SET k = k + 1 WHERE id = 1"
    return send(d, ["BEGIN", update, "SELECT " + slept(d, "0.008"), "COMMIT"], *args, **how)


@makes
def update(d: Drill, *args: str, **how: Any) -> Load:
    return send(d, ["UPDATE sbtest1 SET k = k + 1 WHERE id = 1"], *args, **how)


@makes
def serial(d: Drill, *args: str, **how: Any) -> Load:
    """One at a time is served, in 20 ms."""
    mysql = "SELECT GET_LOCK('a', 60), SLEEP(0.02), RELEASE_LOCK('a')"
    pgsql = "SELECT pg_advisory_lock(1), pg_sleep(0.02), pg_advisory_unlock(1)"
    return send(d, [mysql if d.mysql else pgsql], *args, **how)


@makes
def slow_commit(d: Drill, *args: str, **how: Any) -> Load:
    """The last statement before the end takes 120 ms, whoever else commits."""
    pause = "SELECT " + slept(d, "0.12")
    text = "SELECT k FROM sbtest1 WHERE id = 2"
    return send(d, ["BEGIN", text, pause, "COMMIT"], *args, **how)


@makes
def deadlocks(d: Drill, *args: str, **how: Any) -> Load:
    """Two rows in either order, with a pause between."""
    text = "local a = math.random(2) con:query('BEGIN') %s con:query('%s') %s con:query('COMMIT')"
    one = 'con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. %s)'
    words = (one % "a", "SELECT " + slept(d, "0.01"), one % "3 - a")
    return run(d, SQL % (text % words), *args, **how)


@makes
def failing(d: Drill, share: float, *args: str, **how: Any) -> Load:
    """That share of the transactions inserts a row that is there."""
    text = (
        "if math.random() < %g then con:query('INSERT INTO sbtest1 (id) VALUES (1)') "
        "else con:query('SELECT 1') end"
    )
    return run(d, SQL % (text % share), "--on-error=duplicate:fail", *args, **how)


@makes
def script(d: Drill, text: str, *args: str, **how: Any) -> Load:
    """A transaction that sends nothing; n is its number on this client, or on this worker."""
    return run(d, SCRIPT % text, *args, **how)


@makes
def connecting(d: Drill, *args: str, **how: Any) -> Load:
    """A connection for each transaction, which takes 0.1 s."""
    return run(d, EACH % ("SELECT " + slept(d, "0.1")), *args, **how)


# ---- what happens meanwhile


def during(make: Make, act: Act, after: float = 1.3) -> Make:
    """It happens so many seconds after the start, and not while a report is written."""

    def made(d: Drill, *more: str) -> Load:
        run = make(d, *more)
        if run.started():
            time.sleep(after)
            act(d, run)
        return run

    return made


@acts
def freeze(d: Drill, run: Load, seconds: float) -> None:
    d.server.stall(seconds)


@acts
def stop(d: Drill, run: Load, seconds: float) -> None:
    run.stall(seconds)


@acts
def loops(d: Drill, run: Load, count: int, seconds: float) -> None:
    """Busy loops of others."""
    with burners(count):
        time.sleep(seconds)


HOLD = "BEGIN; UPDATE sbtest1 SET k = 1 WHERE id = 1; %s; COMMIT"
PAUSE = {"mysql": "DO SLEEP(%g)", "pgsql": "SELECT pg_sleep(%g)"}


@acts
def hold_row(d: Drill, run: Load, seconds: float) -> None:
    """The first row, by another session."""
    d.server.sql(HOLD % PAUSE[d.kind] % seconds)


@acts
def one_after_the_other(d: Drill, run: Load, *parts: Act, pause: float = 1) -> None:
    for act in parts:
        act(d, run)
        time.sleep(pause)


def stop_in_stage(d: Drill, run: Load) -> None:
    """That stage says so, and no other."""
    stop(1.4)(d, run)
    run.wait()
    said = ["did not run" in (s["why"] or "") for s in run.document()["stages"]]
    d.book.same("stages in which it was stopped", said, [False, True, False])


def twice(act: Act, between: float) -> Act:
    return one_after_the_other(act, act, pause=between)


def restart(d: Drill, run: Load) -> None:
    d.server.crash(0.5)


def kill_connections(d: Drill, run: Load) -> None:
    """All, again and again."""
    each = "KILL %d" if d.mysql else "SELECT pg_terminate_backend(%d)"
    while run.process.poll() is None:
        with contextlib.suppress(LabError):  # one has gone meanwhile
            d.server.sql("; ".join(each % n for n in d.server.connections()) or "SELECT 1")


def read_only(d: Drill, run: Load) -> None:
    d.server.sql("SET GLOBAL read_only = 1")


def lock_table(d: Drill, run: Load) -> None:
    """For 1.5 s."""
    mysql = "LOCK TABLES sbtest1 WRITE; DO SLEEP(1.5)"
    d.server.sql(mysql if d.mysql else "BEGIN; LOCK TABLE sbtest1; SELECT pg_sleep(1.5); COMMIT")


def flush_tables(d: Drill, run: Load) -> None:
    """With a read lock, for 1.5 s."""
    d.server.sql("FLUSH TABLES WITH READ LOCK; DO SLEEP(1.5)")


@acts
def slower(d: Drill, run: Load, pause: int, seconds: float = 0) -> None:
    """Of `sleep_as_told`, ms; for a while."""
    change = "UPDATE sbtest1 SET k = %d WHERE id = 1"
    d.server.sql(change % pause)
    if seconds:
        time.sleep(seconds)
        d.server.sql(change % 10)


def interrupt(d: Drill, run: Load) -> None:
    run.signal(signal.SIGINT)


def nothing(d: Drill, run: Load) -> None:
    pass


@contextlib.contextmanager
def session(d: Drill, statements: str) -> Iterator[None]:
    """Another client of the server, which has begun; its statements must end by themselves."""
    words = d.server.client() + ["-e" if d.mysql else "-c", statements]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        time.sleep(0.5)
        yield


@around
def beside(d: Drill, mysql: str, pgsql: str = "", sessions: int = 1) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for _ in range(sessions):
            stack.enter_context(session(d, mysql if d.mysql else pgsql))
        yield


def row_held(make: Make, seconds: float) -> Make:
    """The first row is locked by somebody else from before the run, for so long."""
    return beside(make, *(HOLD % PAUSE[kind] % seconds for kind in ("mysql", "pgsql")))


def vacuumed(d: Drill, *more: str) -> Load:
    """VACUUM FULL of a table that is selected from."""
    d.server.sql(
        "DROP TABLE IF EXISTS big; CREATE TABLE big AS SELECT i AS id, repeat('x', 100) AS pad"
        " FROM generate_series(1, 1000000) i; CREATE UNIQUE INDEX ON big (id);"
        " GRANT ALL ON big TO sbtest"
    )

    def act(d: Drill, run: Load) -> None:
        d.server.sql("VACUUM FULL big")

    try:
        run = during(query("SELECT pad FROM big WHERE id = 7", rate=200), act)(d, *more)
        run.wait()
    finally:
        d.server.sql("DROP TABLE big")
    return run


# ---- around it


@contextlib.contextmanager
def burners(count: int, cpus: Sequence[int] = ()) -> Iterator[None]:
    """Processes that compute, on these CPUs."""
    started = []
    try:
        for _ in range(count):
            words = [sys.executable, "-c", "while True: pass"]
            started.append(subprocess.Popen(words))
            os.sched_setaffinity(started[-1].pid, cpus or os.sched_getaffinity(0))
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


@around
def crowded(d: Drill, count: int, cpus: Sequence[int] = (), nice: int = 0) -> Iterator[None]:
    """The server on these CPUs, or with a low priority, and others that compute there."""
    where = cpus or list(os.sched_getaffinity(0))
    d.server.confine(set(where), nice)
    with burners(count, where):
        yield


def own_core(make: Make) -> Make:
    """The load generator on one CPU, which others use, too."""

    def made(d: Drill) -> Load:
        with burners(6, LAST_CPU):
            run = make(d)
            confine(run.process.pid, set(LAST_CPU))
            run.started()
            confine(run.process.pid, set(LAST_CPU))
            run.wait()
        return run

    return made


def cpu_quota() -> contextlib.AbstractContextManager[str]:
    """The file that gives processes a tenth of a CPU."""
    return control_group("cpu", ("cpu.max", "10000 100000"), ("cpu.cfs_quota_us", "10000"))


@around
def quota(d: Drill) -> Iterator[None]:
    """Of the load generator, from its first moment on."""
    with cpu_quota() as group:
        d.prepare = functools.partial(put, group, "0")
        yield


@around
def server_quota(d: Drill) -> Iterator[None]:
    with cpu_quota() as group:
        for pid in [d.server.instance.running_pid(), *d.server.processes()]:
            with contextlib.suppress(ProcessLookupError):
                put(group, str(pid))
        yield


@around
def with_options(d: Drill, *options: str) -> Iterator[None]:
    """The server is restarted with them; heal() takes them away."""
    d.server.instance.restart(OPTIONS[d.engine] + list(options))
    yield


@around
def with_tls(d: Drill) -> Iterator[list[str]]:
    """The run connects by TCP, since a socket is not encrypted."""
    directory = d.server.instance.path("data")
    key, cert = (os.path.join(directory, "drill." + name) for name in ("key", "cert"))
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost", "-keyout", key, "-out", cert]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    owner = os.stat(directory)
    for path in (key, cert):
        os.chown(path, owner.st_uid, owner.st_gid)
        os.chmod(path, 0o600)
    form = "--ssl-%s=" if d.mysql else "--ssl_%s_file="
    options = [form % "cert" + cert, form % "key" + key] + ["--ssl=on"] * (not d.mysql)
    d.server.instance.restart(OPTIONS[d.engine] + options)
    place = [w for w in d.server.tcp() if re.search("-(host|port|socket)=", w)]
    yield [*place, "--mysql-ssl=required" if d.mysql else "--pgsql-sslmode=require"]


@around
def sql_first(d: Drill, mysql: str, pgsql: str = "") -> Iterator[None]:
    """After a statement that heal() undoes."""
    d.server.sql(mysql if d.mysql else pgsql)
    yield


@around
def may_see(d: Drill) -> Iterator[None]:
    """The user of the run may see what other sessions do."""
    d.server.sql(SEES[d.engine])
    yield


def relayed(make: Make, delay: float = 0, act: Callable[[Relay], None] | None = None) -> Make:
    """Over a network that takes `delay` each way, on which something may happen."""

    def made(d: Drill, *more: str) -> Load:
        relay = Relay(d, "127.0.0.1", "--delay=%g" % (1000 * delay))
        # the program would not find the server's processes behind it
        run = make(d, "--server=off", *d.at("127.0.0.1", relay.port), *more)
        if act and run.started():
            time.sleep(1)
            act(relay)
        run.wait()
        relay.end()
        return run

    return made


def stall(seconds: float) -> Callable[[Relay], None]:
    return lambda relay: relay.stall(seconds)


def ranks(make: Make, act: Act) -> Make:
    """Two ranks; something happens to the second one."""

    def made(d: Drill) -> Load:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        os.environ["SYSBENCH_CLUSTER_SECRET"] = "drill"
        common = ["--cluster=127.0.0.1:%d" % port, "--cluster-size=2"]
        leader = make(d, "--cluster-rank=0", *common)
        member = make(d, "--cluster-rank=1", *common)
        if leader.started():
            time.sleep(1)
            act(d, member)
        member.wait()
        return leader

    return made


# ---- and how much of the machine somebody else has


class Foreign:
    """CPU time that neither this process, nor its children, nor the servers used."""

    def __init__(self, d: Drill) -> None:
        self.d = d
        self.before = self.now()

    def now(self) -> tuple[float, float, dict[int, float]]:
        tick = os.sysconf("SC_CLK_TCK")
        with open("/proc/stat") as f:
            words = [int(w) / tick for w in f.readline().split()[1:9]]
        ours = {0: 0.0}
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            used = resource.getrusage(who)
            ours[0] += used.ru_utime + used.ru_stime
        if self.d.engine in OPTIONS and self.d.server.instance.is_running():
            one = self.d.server
            for pid in [one.instance.running_pid(), *one.processes()]:
                ours[pid] = cpu_of(pid) / tick
        return sum(words), words[3] + words[4], ours

    def share(self) -> float:
        """Of all CPU time since it was made."""
        (every, idle, before), (all_now, idle_now, now) = self.before, self.now()
        every, idle = all_now - every, idle_now - idle
        ours = sum(t - before.get(pid, 0) for pid, t in now.items())
        return max(every - idle - ours, 0) / every if every > 0 else 0


def cpu_of(pid: int) -> int:
    """Ticks of a process and of its children that have ended; 0: there is none."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return sum(int(w) for w in f.read().rpartition(")")[2].split()[11:15])
    except OSError:
        return 0
