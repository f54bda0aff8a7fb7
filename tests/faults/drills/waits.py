# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations in which it is known what transactions wait for in the server, and what the report
names: the class and the words of the longest wait, who blocks, the standstill.

A row makes a situation (situations.py); where arithmetic says how long a transaction waits in the
mean, it is in the row.  Each runs twice, once beside busy loops on all CPUs: there the CPU may come
first, and the wait must be the longest of all others, and as long as it has to be.  Not to name it
fails, unless the machine is busy; to name what is none, in figures or verdict, is wrong."""

from __future__ import annotations

import functools
import os
import re
from typing import Any, Iterator, NamedTuple, Sequence

from lib import harness

from .load import Load, unwrapped
from .server import ALL, MARIADB, MYSQL, OPTIONS, POSTGRESQL
from .situations import *
from .situations import Make
from .table import Drill, drill
from .verdicts import SHARE

LOOPS = 2
FOREIGN, OURS = "foreign", "ours"
NEAR = 0.75  # of what arithmetic says, for the error of samples
WAITS = ("row_lock", "lock", "io", "log", "latch", "client", "other")
PARTS = (*WAITS, "cpu", "rest")
# what the verdict says of each class
SENTENCES = {
    "row_lock": r"for row locks",
    "lock": r"for locks other",
    "io": r"for (data |temporary )?files",
    "log": r"for the log|for a standby|for a replica|into the log's buffer",
    "latch": r"for latches|for other threads of",
    "client": r"for the client or",
    "other": r"for sleeps in|waited [\d.]+ s in other",
}
HOST = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


class Situation(NamedTuple):
    name: str
    wait: str  # the class
    words: str  # the first name in it
    make: Make
    least: float = 0  # ms that a transaction waits so in the mean, at least
    blocker: str = ""  # FOREIGN or OURS, where it is known
    who: str = ""  # the blocker
    stall: str = ""  # of a standstill, in the incidents
    also: Sequence[str] = ()  # classes that are true as well, if smaller
    on: Sequence[str] = ALL
    quick: bool = False
    statement: str = ""  # that the server's time is said to be in
    says: str = ""  # the verdict, of whom locks are behind
    quiet: bool = False  # nobody asks for samples


ROWS: list[Situation] = []


def row(*what: Any, **more: Any) -> None:
    ROWS.append(Situation(*what, **more))


mysql_row = functools.partial(row, on=[MARIADB, MYSQL])
mariadb_row = functools.partial(row, on=[MARIADB])
mysql9_row = functools.partial(row, on=[MYSQL])
pgsql_row = functools.partial(row, on=[POSTGRESQL])

# ---- what more it takes than verdicts.py


@makes
def drawn(d: Drill, statements: Sequence[str], *args: str, **how: Any) -> Load:
    """%d is a number to 1000 that no other client of 8 draws, %t the client's own."""
    number = "1 + 125 * sysbench.tid + math.random(0, 124)"
    line = "con:query((([[%s]]):gsub('%%%%d', %s):gsub('%%%%t', sysbench.tid)))"
    return run(d, SQL % " ".join(line % (s, number) for s in statements), *args, **how)


@makes
def reconnecting(d: Drill, *args: str, **how: Any) -> Load:
    text = 'con:query("SELECT %s") con:reconnect()' % slept(d, "0.1")
    return run(d, SQL % text, *args, **how)


def by(mysql: Sequence[str], pgsql: Sequence[str], *args: str, **how: Any) -> Make:
    """`drawn`, in the server's own words."""
    return lambda d, *more: drawn(mysql if d.mysql else pgsql, *args, **how)(d, *more)


@around
def slow(d: Drill, rules: str, mysql: str = "", pgsql: str = "") -> Iterator[None]:
    """Calls of the server on some files are slow (slow_calls.c); with further options."""
    program = harness.compiled(os.path.join(HOST, "slow_calls.c"), d.directory)
    names = {
        MARIADB: ("(deleted)", "/ib_logfile", "/drill.", ".ibd", ".frm"),
        POSTGRESQL: ("pgsql_tmp", "/pg_wal/", "/pg_wal/", "/base/", "/base/"),
        MYSQL: ("(deleted)", "/#ib_redo", "/drill.", ".ibd", ".ibd"),
    }  # COMMIT: the binary log
    for word, name in zip(("TEMPORARY", "LOG", "COMMIT", "DATA", "TABLE"), names[d.engine]):
        rules = rules.replace(word, name)
    mysql += " --innodb-use-native-aio=0 --innodb-flush-method=fsync"
    pgsql += " --wal_sync_method=fdatasync --checkpoint_timeout=1h"
    instance = d.server.instance
    instance.prefix = [program, d.write("rules", "")]
    try:
        instance.restart(OPTIONS[d.engine] + (mysql if d.mysql else pgsql).split())
        d.write("rules", rules + "\n")
        yield
    finally:
        instance.prefix = []
        if not instance.is_running():
            instance.options = list(OPTIONS[d.engine])


ROWS_OF_BIG = {
    "mysql": "CREATE TABLE big (PRIMARY KEY (id)) ENGINE=InnoDB AS SELECT b.id * 1000 + a.id - 1000"
    " AS id, 0 AS k, repeat('x', 200) AS pad FROM sbtest1 a, sbtest1 b"
    " WHERE a.id <= 1000 AND b.id <= %d / 1000",
    "pgsql": "CREATE TABLE big AS SELECT i AS id, 0 AS k, repeat('x', 200) AS pad"
    " FROM generate_series(1, %d) i; CREATE UNIQUE INDEX ON big (id);"
    " ALTER TABLE big OWNER TO sbtest",
}


@around
def big(d: Drill, rows: int = 50000) -> Iterator[None]:
    """There is a table of 200 bytes a row."""
    d.server.sql("DROP TABLE IF EXISTS big; " + ROWS_OF_BIG[d.kind] % rows)
    try:
        yield
    finally:
        d.server.sql("DROP TABLE big")


@around
def parts(d: Drill) -> Iterator[None]:
    """There is a table in many files."""
    part = "CREATE TABLE parts%d PARTITION OF parts FOR VALUES WITH (MODULUS 64, REMAINDER %d)"
    d.server.sql("CREATE TABLE parts (id INT, k INT) PARTITION BY HASH (id)")
    d.server.sql("; ".join(part % (i, i) for i in range(64)))
    d.server.sql("INSERT INTO parts SELECT i, 0 FROM generate_series(1, 1000) i")
    d.server.sql("GRANT ALL ON parts TO sbtest")
    try:
        yield
    finally:
        d.server.sql("DROP TABLE parts")


@acts
def others(d: Drill, run: Load, *statements: str, pgsql: Sequence[str] = ()) -> None:
    """Statements of other sessions, one after the other."""
    for statement in statements if d.mysql else pgsql or statements:
        d.server.sql(statement.replace("PAUSE", PAUSE[d.kind] % 2))


def altered(d: Drill, run: Load) -> None:
    """ALTER TABLE waits behind a reader, for 2 s."""
    reader = "BEGIN; SELECT COUNT(*) FROM sbtest1; %s; COMMIT" % (PAUSE[d.kind] % 2)
    reader = ("" if d.mysql else "SET application_name = 'reader'; ") + reader
    with session(d, reader):
        d.server.sql("ALTER TABLE sbtest1 ALTER COLUMN c SET DEFAULT 'x'")


def fewer_connections(d: Drill, run: Load) -> None:
    """From now on; heal() undoes it."""
    mysql, pgsql = "SET GLOBAL max_connections = 10", "ALTER ROLE sbtest CONNECTION LIMIT 9"
    d.server.sql(mysql if d.mysql else pgsql)


def locked_often(d: Drill, run: Load) -> None:
    """A table, for less than the pause between two quiet samples, five times."""
    for _ in range(5):
        mysql = "LOCK TABLES sbtest1 WRITE; DO SLEEP(0.35)"
        pgsql = "BEGIN; LOCK TABLE sbtest1; SELECT pg_sleep(0.35); COMMIT"
        d.server.sql(mysql if d.mysql else pgsql)
        time.sleep(0.7)


def left_idle(d: Drill, run: Load) -> None:
    """Another session has a row, and does nothing for 2 s."""
    words = d.server.client()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as client:
        assert client.stdin
        client.stdin.write(b"BEGIN; UPDATE sbtest1 SET k = 1 WHERE id = 1;\n")
        client.stdin.flush()
        time.sleep(2)


no_standby = others(
    pgsql=[
        "ALTER SYSTEM SET synchronous_standby_names = 'a'",
        "SELECT pg_reload_conf()",
        "PAUSE",
        "ALTER SYSTEM RESET synchronous_standby_names",
        "SELECT pg_reload_conf()",
    ]
)
UPDATE = ["UPDATE sbtest1 SET k = k + 1 WHERE id = %d"]
SPREAD = [
    "UPDATE big SET pad = LPAD(RAND(), 200, 1) WHERE id BETWEEN 6000 * %t + 1 AND 6000 * %t + 500"
]
NEW_ROW = "INSERT INTO sbtest1 (id) VALUES (1000000)"
PSQL = r"pid \d+, psql, active.*"
CLIENT = r"(pid \d+, psql|id \d+, root), (active|idle in trans).*"  # between two statements
LOCK = r"table metadata lock|relation lock"
STILL = r"sessions? in (%s)" % LOCK
SYNC = dict(mysql="--innodb-flush-log-at-trx-commit=1", pgsql="--fsync=on")
SMALL_LOG = "--loose-innodb-log-file-size=4M --loose-innodb-redo-log-capacity=8M"
PLUGIN = "--plugin-load=auth_socket=auth_socket.so;"  # MySQL's, and one more
SEMI_SYNC: dict[str, list[str]] = {
    "master": [],
    "source": [PLUGIN + "rpl_semi_sync_source=semisync_source.so"],
}
TINY = dict(mysql="--innodb-buffer-pool-size=6M", pgsql="--shared_buffers=1MB")

# fmt: off

# ---- locks

row("hot-row", "row_lock", "row lock", hot_row(rate=400, threads=16), least=120, blocker=OURS,
    also=["other", "lock"], quick=True,
    says=r"behind own transactions that waited for sleeps in their statements \((Pg|User s)")
row("hot-row-slow-log", "row_lock", "row lock", slow(update(rate=100, threads=16),
    "sync COMMIT 20000", "--log-bin=drill --sync-binlog=1",
    "--fsync=on"), least=150, blocker=OURS, also=["log"], quick=True,
    says=r"behind own transactions that waited for the log \(")
pgsql_row("hot-row-no-standby", "row_lock", "row lock", during(
    update(rate=100, threads=16, seconds=5), no_standby), least=15, blocker=OURS, also=["log"],
    says=r"behind own transactions that waited for a standby \(SyncRep\)")
row("row-of-another", "row_lock", "row lock", during(update(rate=100, seconds=5), hold_row(2)),
    least=32, blocker=FOREIGN, who=CLIENT, stall="sessions? in row lock .behind p?id", quick=True)
row("row-left-idle", "row_lock", "row lock", during(update(rate=100, seconds=5), left_idle),
    least=30, blocker=FOREIGN, who=".*, idle in transaction.*", stall="sessions? in row lock")
row("row-prepared", "row_lock", "row lock",
    slow(during(update(rate=100, seconds=5), others(
        "XA START 'a'; UPDATE sbtest1 SET k = 1 WHERE id = 1; XA END 'a'; XA PREPARE 'a'",
        "PAUSE", "XA ROLLBACK 'a'", pgsql=["BEGIN; UPDATE sbtest1 SET k = 1 WHERE id = 1;"
        " PREPARE TRANSACTION 'a'", "PAUSE", "ROLLBACK PREPARED 'a'"])), "",
        pgsql="--max_prepared_transactions=9"),
    blocker=FOREIGN, who="a prepared transaction", stall="sessions? in row lock")
row("key-of-another", "row_lock", "row lock",
    during(drawn(["BEGIN", NEW_ROW, "ROLLBACK"], rate=100, seconds=5),
           others("BEGIN; " + NEW_ROW + "; PAUSE; ROLLBACK")),
    least=30, blocker=FOREIGN, who=CLIENT, stall="sessions? in row lock")
row("table-locked", "lock", LOCK, during(point(rate=100, seconds=4), lock_table),
    least=22, who=CLIENT, stall=STILL)
row("table-locked-often", "lock", LOCK, during(point(rate=200, seconds=9), locked_often),
    stall=r"^(?!.*(not known|no statement)).*" + STILL, quiet=True)
row("tables-locked-by-ours", "lock", LOCK,
    by(["LOCK TABLES sbtest1 WRITE", "DO SLEEP(0.01)", "UNLOCK TABLES"],
       ["BEGIN; LOCK TABLE sbtest1", "SELECT pg_sleep(0.01)", "COMMIT"], rate=200),
    least=70, blocker=OURS, also=["other"], says="behind own transactions|find out who")
row("altered-behind-a-reader", "lock", LOCK, during(point(rate=100, seconds=4), altered),
    least=22, who="(pid .*, reader|id .*, root), active.*", stall=STILL)
row("user-lock", "lock", "user lock|advisory lock", serial(rate=100, threads=16), least=300,
    also=["other"], says="behind own transactions|find out who")
row("user-lock-of-another", "lock", "user lock|advisory lock",
    during(by(["SELECT GET_LOCK('a', 60), RELEASE_LOCK('a')"],
              ["SELECT pg_advisory_lock(1), pg_advisory_unlock(1)"], rate=100, seconds=5),
           others("SELECT GET_LOCK('a', 9); PAUSE",
                  pgsql=["SELECT pg_advisory_lock(1); PAUSE"])),
    least=30, who=CLIENT, stall="sessions? in (user|advisory) lock")
mysql_row("tables-flushed", "lock", ".* lock",
    during(load("oltp_write_only", rate=50, seconds=4), flush_tables), least=45,
    stall="sessions? in .* lock")
mysql9_row("backup", "lock", "backup lock", during(
    drawn(["ALTER TABLE sbtest1 COMMENT 'x'"], rate=20, seconds=5),
    others("LOCK INSTANCE FOR BACKUP; PAUSE")), least=30, blocker=FOREIGN, who=CLIENT,
    stall="sessions? in backup lock")
mariadb_row("backup", "lock", "backup lock", during(drawn(UPDATE, rate=100, seconds=5), others(
    "BACKUP STAGE START; BACKUP STAGE BLOCK_COMMIT; PAUSE")), least=30,
    stall="sessions? in backup lock")
mysql_row("auto-increment", "lock", ".*", with_options(
    query("INSERT INTO sbtest1 (k) VALUES (SLEEP(0.01)), (SLEEP(0.01)), (SLEEP(0.01))", rate=100),
    "--innodb-autoinc-lock-mode=0"), least=60, blocker=OURS, also=["other"])
pgsql_row("vacuum-full", "lock", "relation lock", vacuumed, who=PSQL)
pgsql_row("behind-vacuum", "lock", "relation lock", big(during(drawn(
    ["BEGIN; LOCK TABLE big IN SHARE MODE; COMMIT"], rate=100, seconds=5),
    others(pgsql=["ALTER ROLE postgres SET vacuum_cost_delay = 100", "VACUUM big",
     "ALTER ROLE postgres RESET vacuum_cost_delay"]))),
    least=15, who=PSQL + "|pid .*, autovacuum worker, active.*", stall="sessions? in relation lock")
pgsql_row("notify", "lock", "object lock", slow(
    drawn(["BEGIN", *UPDATE, "NOTIFY a", "COMMIT"], rate=100), "sync LOG 20000", **SYNC),
    least=100, blocker=OURS, also=["log"])

# ---- the log

row("log-slow", "log", "(handler )?commit|WALSync|WALWrite",
    slow(drawn(UPDATE, rate=50), "sync LOG 20000", **SYNC), least=20, quick=True)
mysql_row("binary-log-slow", "log", "(handler )?commit", slow(drawn(UPDATE, rate=50),
    "sync /drill. 20000", "--log-bin=drill --sync-binlog=1"), least=20)
pgsql_row("no-standby", "log", "SyncRep", during(drawn(UPDATE, rate=100, seconds=5), no_standby),
    least=30, stall="sessions? in SyncRep")
for source, add in (("master", mariadb_row), ("source", mysql9_row)):
    add("no-replica", "log", ".*semi-sync.*", with_options(during(
        drawn(UPDATE, rate=100, seconds=5), others("SET GLOBAL rpl_semi_sync_%s_timeout = 2000,"
        " rpl_semi_sync_%s_enabled = 1" % (source, source), "PAUSE",
        "SET GLOBAL rpl_semi_sync_%s_enabled = 0" % source)), "--log-bin=drill",
        *SEMI_SYNC[source]), least=30, stall="in .*semi-sync")
pgsql_row("log-buffer", "log", "WAL.*", big(slow(drawn(
    ["UPDATE big SET pad = repeat('y', 200) WHERE id BETWEEN 6000 * %t AND 6000 * %t + 99"],
    rate=50), "write LOG 5000", pgsql="--wal_buffers=32kB --synchronous_commit=off")), least=10)

# ---- files

row("reads-slow", "io", "file read|DataFileRead",
    big(slow(drawn(["SELECT pad FROM big WHERE id = 50 * %d"], rate=100), "read DATA 5000",
    **TINY)), least=2, quick=True)
pgsql_row("writes-slow", "io", "DataFile(Read|Write)", big(slow(
    drawn(["UPDATE big SET k = k + 1 WHERE id = 50 * %d"], rate=50), "write DATA 5000",
    pgsql="--shared_buffers=128kB --bgwriter_lru_maxpages=0")), least=3)
row("sync-slow", "io", "file sync|DataFileImmediateSync", slow(
    by(["DROP TABLE IF EXISTS c%t", "CREATE TABLE c%t (a INT)"],
       ["BEGIN; CREATE TABLE IF NOT EXISTS c%t (a INT)",
        "TRUNCATE c%t; INSERT INTO c%t VALUES (1); COMMIT"], rate=8, threads=1, seconds=6),
    "sync TABLE 60000",
    pgsql="--wal_level=minimal --max_wal_senders=0 --fsync=on --wal_skip_threshold=0"),
    least=60, also=["log", "lock"])
row("sorts-on-disk", "io", "temporary file (read|write)|BufFile(Read|Write)", big(slow(
    drawn(["SELECT k FROM big ORDER BY pad, id LIMIT 1 OFFSET 9000"], rate=4),
    "write TEMPORARY 2000", "--sort-buffer-size=32K", "--work_mem=64kB"), 10000), least=60)

# ---- latches

pgsql_row("hot-page", "latch", "BufferContent", slow(drawn(
    ["INSERT INTO sbtest1 (k) SELECT 1 FROM generate_series(1, 100)"], rate=50),
    "write LOG 5000", pgsql="--wal_buffers=32kB --synchronous_commit=off"), also=["log"])
pgsql_row("behind-a-cursor", "latch", "BufferPin", during(
    query("VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) sbtest1", rate=1, threads=1, seconds=5),
    others(pgsql=["UPDATE sbtest1 SET k = k + 1",
        "BEGIN; DECLARE c CURSOR FOR SELECT * FROM sbtest1; FETCH 1 FROM c; PAUSE"])))
mysql_row("log-full", "latch", "latch in .*", big(slow(
    drawn(SPREAD, rate=50), "write DATA 20000", SMALL_LOG)), also=["log"])
mysql_row("free-pages", "latch", "latch in .*", big(slow(
    drawn(SPREAD, rate=50), "write DATA 5000", **TINY)))

# ---- the same with MySQL's events of waits

EVENTS = "--performance-schema-consumer-events-waits-current=ON --performance-schema-instrument="
EVENTS += "wait/%=ON "
mysql9_row("hot-row-events", "row_lock", "row lock",
    slow(hot_row(rate=400, threads=16), "", EVENTS), least=120, blocker=OURS,
    also=["other", "lock"])
mysql9_row("table-locked-events", "lock", LOCK, slow(during(point(rate=100, seconds=4), lock_table),
    "", EVENTS), least=22, who=CLIENT, stall=STILL)
mysql9_row("log-slow-events", "log", "innodb_log_file|handler commit", slow(drawn(UPDATE, rate=50),
    "sync LOG 20000", EVENTS + SYNC["mysql"]), least=20)
mysql9_row("binary-log-slow-events", "log", ".*", slow(drawn(UPDATE, rate=50),
    "sync /drill. 20000", EVENTS + "--log-bin=drill --sync-binlog=1"), least=20)
mysql9_row("reads-slow-events", "io", "innodb/innodb_data_file", big(slow(
    drawn(["SELECT pad FROM big WHERE id = 50 * %d"], rate=100), "read DATA 5000",
    EVENTS + TINY["mysql"])), least=2)
mysql9_row("sleeps-events", "other", "User sleep",
    slow(sleep(0.05, rate=100), "", EVENTS), least=50)
mysql9_row("burns-events", "cpu", "cpu", slow(burn(10000, rate=100), "", EVENTS))

# ---- CPUs, the network, the client

row("missing-index", "cpu", "cpu", sql_first(big(slow(
    query("SELECT id FROM big WHERE pad = 'y'", "--server-status=on", rate=50), "",
    "--performance-schema=ON", "--shared_preload_libraries=pg_stat_statements")),
    "GRANT SELECT ON performance_schema.* TO sbtest@localhost",
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"), statement="SELECT .*big.* WHERE .*pad")
row("server-quota", "cpu", "cpu", server_quota(burn(10000, rate=200, threads=2)))
row("neighbour-inside", "cpu", "cpu", beside(burn(5000, rate=200),
    "SET /*M!100100 max_statement_time = 5 */ /*!80000 max_execution_time = 5000 */;"
    " SELECT BENCHMARK(1000000000, SHA2(RAND(), 224))",
    "SET statement_timeout = 5000; SELECT count(*) FROM generate_series(1, 1000000000)",
    sessions=2))
row("neighbour-outside", "cpu", "cpu", crowded(burn(3000, rate=300), 6, LAST_CPU))
row("big-answers", "client", "Writing to net|ClientWrite|.*client.*",
    relayed(query("SELECT REPEAT('x', 15000000)", rate=4, threads=2), 0.05), least=50)
row("sleeps", "other", "User sleep|PgSleep", sleep(0.05, rate=100), least=50, quick=True)
pgsql_row("own-checkpoint", "other", "Checkpoint(Done|Start)", sql_first(slow(
    drawn([*UPDATE, "CHECKPOINT"], rate=10), "sync DATA 20000", **SYNC),
    "", "GRANT pg_checkpoint TO sbtest"), least=20, also=["log"])
pgsql_row("checkpoint", "io", "DataFileSync", slow(parts(during(
    drawn(["UPDATE parts SET k = k + 1 WHERE id = %d"] * 5, rate=20, seconds=5),
    others(pgsql=["CHECKPOINT"] * 3))), "sync DATA 50000",
    pgsql="--shared_buffers=128kB --bgwriter_lru_maxpages=0 --fsync=on"), least=10, also=["log"])
pgsql_row("parallel", "other", "ExecuteGather|MessageQueueReceive|BgWorker.*", big(with_options(
    query("SELECT COUNT(*) FROM big WHERE pad <> 'y'", rate=20, threads=2),
    "--parallel_setup_cost=0", "--min_parallel_table_scan_size=0", "--parallel_tuple_cost=0",
    "--parallel_leader_participation=off")), also=["cpu"])
row("long-transaction", "cpu", "cpu", beside(drawn(
    ["UPDATE sbtest1 SET k = k + 1 WHERE id BETWEEN 125 * %t + 1 AND 125 * %t + 100",
     "SELECT COUNT(k) FROM sbtest1 WHERE k > 0"], rate=100, seconds=6),
    "START TRANSACTION WITH CONSISTENT SNAPSHOT; DO SLEEP(8)",
    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM sbtest1 LIMIT 1; SELECT pg_sleep(8)"))
row("connect-limit", "rest", "", during(
    reconnecting(IGNORE, rate=150, threads=32, seconds=5), fewer_connections),
    says="too many connections")
row("far-away", "rest", "", relayed(query("SELECT 1", rate=100), 0.02), least=40)
row("network-stalled", "", "", relayed(query("SELECT 1", rate=100), 0, stall(1.5)),
    stall="standstill")
row("server-killed", "", "", during(
    drawn(UPDATE, "--on-error=connection:reconnect,shutdown:reconnect", rate=100, seconds=5),
    restart), stall=r"standstill: (no connection|server shutting down or starting), see Outages")
row("script-slow", "rest", "", load(CALLS + SQL % "con:query('SELECT 1') block(20000)", rate=100),
    least=20)
row("own-quota", "rest", "", quota(load(
    SQL % "con:query('SELECT 1') for i = 1, 300000 do x = math.sin(i) end", rate=50)))
mysql9_row("thread-pool", "rest", "", with_options(sleep(0.02, rate=200, seconds=8),
    PLUGIN + "thread_pool=thread_pool.so", "--thread-pool-size=1",
    "--thread-pool-max-transactions-limit=2", "--thread-pool-stall-limit=600"),
    least=30, also=["other"])
mariadb_row("thread-pool", "rest", "", with_options(sleep(0.02, rate=200),
    "--thread-handling=pool-of-threads", "--thread-pool-size=1", "--thread-pool-max-threads=2"),
    least=60, also=["other"])
row("server-stopped", "", "", during(point(rate=100, seconds=5), freeze(1.5)),
    stall="the server was stopped")
row("stopped", "", "", during(point(rate=100, seconds=5), stop(1.5)), stall="sysbench stopped")

# fmt: on

# ---- and what is said of them


def check(d: Drill, row: Situation, loops: int) -> None:
    with burners(loops):
        foreign = Foreign(d)
        watch = [] if row.quiet else ["--server-waits=on"]
        run = may_see(row.make)(d, *watch, "--host-stats")
        run.wait(120)
    others = foreign.share() if not loops else 1
    document = run.document()
    status = document and document["summary"] and document["summary"]["server_status"]
    if not d.book.true(
        status and (row.stall or not run.process.returncode),
        "no figures: " + (run.err or run.out)[-300:],
    ):
        return
    us = {c: status.get(c + "_us_per_transaction") for c in (*PARTS, "on_cpu", "cpu_wait")}
    us["cpu"] = (us["on_cpu"] or 0) + (us["cpu_wait"] or 0)
    busy = bool(loops or others > SHARE)
    if us["on_cpu"] is None and us["rest"] is None:
        why = re.search(r"what it went to in the server \((.*)\)", unwrapped(run.out))
        not_named(d, busy or not row.wait, "n/a, " + (why.group(1) if why else "no reason"))
        return stood(d, row, stalls(document))
    names = document["summary"]["server_waits"]["names"]
    most = max(WAITS, key=lambda c: us[c])
    first = next((n["name"] for n in names if n["class"] == row.wait), "")
    verdict = re.search(r"^ +sustained: +(.*)$", unwrapped(run.out), re.M)
    said = verdict.group(1) if verdict else ""
    shown = ["%s %.2f" % (c, us[c] / 1000) for c in PARTS if us[c] >= 10]
    d.book.notes += ["%s ms; %s; %d samples" % (", ".join(shown), first, status["wait_samples"])]
    d.book.notes += [said]
    if row.wait:
        judge(d, row, us, first, most, busy)
    block = re.search(r"^Time of a transaction:\n(.*?)\n\n", run.out, re.M | re.S)
    if row.wait in us and most == row.wait:
        d.book.true(block and first in block.group(1), "not in the block: " + first)
    if row.says and (row.wait == "rest" or "locks" in said) and not re.search(row.says, said):
        not_named(d, busy, "the verdict stops short of " + row.says)
    for c, words in SENTENCES.items():
        found = c not in (row.wait, *row.also) and re.search(words, said)
        d.book.true(not found, "wrong: the verdict names %s" % c)
    waited, behind = status["lock_waited_s"], status["lock_waited_for_others_s"]
    if row.blocker == OURS:
        d.book.true(not behind, "wrong: %s s behind others, %s" % (behind, status["lock_blocker"]))
    elif row.blocker:
        d.book.true(behind >= NEAR * waited, "blocker: %s s of %s" % (behind, waited))
    if row.who and status["lock_blocker"]:
        d.book.true(re.match(row.who, status["lock_blocker"]), "wrong: " + status["lock_blocker"])
    stood(d, row, stalls(document))
    place = os.stat(d.server.instance.path("data")).st_dev
    disk = "/sys/dev/block/%d:%d" % (os.major(place), os.minor(place))
    seen = document["summary"]["host"].get("data_disk")
    if seen and os.path.exists(disk):
        d.book.same("the data's disk", seen, os.path.basename(os.path.realpath(disk)))
    if row.statement:
        told = (document["summary"].get("server_statements") or {}).get("conclusion") or ""
        d.book.notes += [told]
        d.book.true(re.search(row.statement, told), "no statement is named")


def stalls(document: Any) -> list[str]:
    return [i["text"] for i in document["summary"].get("incidents") or ()]


def stood(d: Drill, row: Situation, told: list[str]) -> None:
    d.book.notes += told
    if row.stall:
        d.book.true(re.search(row.stall, " ".join(told)), "no standstill is " + row.stall)


def not_named(d: Drill, busy: bool, how: str) -> None:
    (d.book.notes if busy else d.book.wrong).append("not named: " + how)


def judge(
    d: Drill, row: Situation, us: dict[str, float], first: str, most: str, busy: bool
) -> None:
    """The class of the longest wait, its name, its time."""
    longest = max(PARTS, key=lambda c: us[c])
    if busy and row.wait in WAITS or longest == "cpu" and row.wait == "rest":
        longest = most if us[most] >= 10 else row.wait
    if longest != row.wait:
        if longest in WAITS:
            d.book.true(False, "wrong: %s is the longest" % longest)
        else:
            not_named(d, busy, "most is " + longest)
    elif row.wait in WAITS and first:
        d.book.true(re.fullmatch(row.words, first), "wrong name: " + first)
    elif row.wait in WAITS:
        not_named(d, busy, "none waited so")
    least = 1000 * NEAR * row.least
    if us[row.wait] < least:
        not_named(d, busy, "it is too short, %g us" % us[row.wait])


# ---- and whether it is what the server says in all

# statements and processes that tell the server's own total, s; the samples' sum, of a name
LOCK_TIME = (
    "SELECT VARIABLE_VALUE / 1000 FROM information_schema.GLOBAL_STATUS"
    " WHERE VARIABLE_NAME = 'Innodb_row_lock_time'"
)
SUMS: dict[str, tuple[str, Make]] = {
    "mariadb/row lock": (LOCK_TIME, hot_row(rate=400, threads=16, seconds=10)),
    "postgresql/WALSync": (
        "SELECT wal_sync_time / 1000 FROM pg_stat_wal",
        drawn(UPDATE, rate=400, seconds=10),
    ),
    "mariadb/cpu": ("", burn(8000, rate=100, seconds=10)),
    "postgresql/cpu": ("", burn(8000, rate=100, seconds=10)),
}


def total(d: Drill, sql: str) -> float:
    if sql:
        return float(d.server.sql(sql))
    processes = [d.server.instance.running_pid(), *d.server.processes()]
    return sum(cpu_of(pid) for pid in processes) / os.sysconf("SC_CLK_TCK")


@drill("waits-sums", [MARIADB], ["row lock", "cpu"])
@drill("waits-sums", [POSTGRESQL], ["WALSync", "cpu"])
def waits_sums(d: Drill) -> None:
    """What samples add up to is the server's own total, within 5 %; so is the service time.

    Of n samples of a number of sessions with the deviation s and the mean m the sum is off by
    s / (m sqrt(n)): where all clients but one or two wait, 1 % of 10 s.  CPU is not sampled.
    PostgreSQL's WALSync lasts until the session has a CPU again, ours until it is ready for one."""
    sql, make = SUMS["%s/%s" % (d.engine, d.way)]

    def counted(d: Drill, *more: str) -> Load:
        before = total(d, sql)
        run = make(d, *more)
        run.wait()
        d.book.notes.append("the server's: %.3f s" % (total(d, sql) - before))
        return run

    options = dict(SYNC, pgsql="--fsync=on --track_wal_io_timing=on")
    made: Any = slow(counted, "sync LOG 20000", **options) if d.way == "WALSync" else counted
    run = may_see(made)(d, "--server-waits=on", "--server=auto")
    seconds = float(d.book.notes[-1].split()[-2])
    summary = run.document()["summary"]
    names = {n["name"]: n["s"] for n in summary["server_waits"]["names"]}
    on_cpu, ready = (
        summary["server_status"][name + "_us_per_transaction"] * summary["transactions"] / 1e6
        for name in ("on_cpu", "cpu_wait")
    )
    seen = on_cpu if d.way == "cpu" else names[d.way]
    least = seconds - ready if d.way == "WALSync" else seconds
    d.book.notes.append("the samples': %.3f s; sessions waited %.3f s for a CPU" % (seen, ready))
    d.book.true(0.95 * least <= seen <= 1.05 * seconds, "more than 5 % apart")


def ways(engine: str) -> list[str]:
    names = [r.name for r in ROWS if engine in r.on]
    return names + [name + "/busy" for name in names]


def quick(engine: str) -> list[str]:
    """Each on one server only."""
    return [r.name for r in ROWS if r.quick and r.on[0] == engine]


@drill("waits", [MARIADB], ways(MARIADB), quick(MARIADB))
@drill("waits", [POSTGRESQL], ways(POSTGRESQL), quick(POSTGRESQL))
@drill("waits", [MYSQL], ways(MYSQL))
def waits(d: Drill) -> None:
    """The report names what transactions wait for in the server, who blocks, a standstill."""
    name, _, busy = d.way.partition("/")
    check(d, next(r for r in ROWS if r.name == name and d.engine in r.on), LOOPS if busy else 0)
