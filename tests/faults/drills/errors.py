# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements that the server refuses."""

from __future__ import annotations

import json
import signal
import time

from .server import MARIADB, POSTGRESQL
from .table import FIRST, PACED, WAYS, Drill, drill

BULK = """
function thread_init()
    con = sysbench.sql.driver():connect()
end
function event()
    con:bulk_insert_init("INSERT INTO no_such_table(id, pad) VALUES")
    for i = 1, 20000 do
        con:bulk_insert_next(string.format("(%d, '%s')", i, string.rep("x", 100)))
    end
    con:bulk_insert_done()
end
"""


@drill("read-only-server", engines=[MARIADB], ways=PACED, quick=True)
def read_only_server(d: Drill) -> None:
    """The server turns read-only and the error is ignored: braked, counted, named."""
    load = d.run("oltp_write_only", "--mysql-ignore-errors=1290,1213,1020,1205")
    load.started() and load.wait_done(20)
    d.server.sql("SET GLOBAL read_only = 1")
    time.sleep(0.5)
    before = d.server.statements()
    time.sleep(3)
    d.book.most("statements in 3 s", d.server.statements() - before, 4000)
    d.server.sql("SET GLOBAL read_only = 0")
    load.wait_rate(d_rate(d))
    load.signal(signal.SIGINT)
    document = load.ended(130)
    load.says("1290")
    if document:
        d.book.true("1290" in json.dumps(document["summary"]), "the summary does not name 1290")


def d_rate(d: Drill) -> float:
    return 40 if d.paced else 1


@drill("permission-lost", engines=[POSTGRESQL], ways=PACED)
def permission_lost(d: Drill) -> None:
    """A right is taken away and the error is ignored: braked, counted, named."""
    load = d.run("oltp_write_only", "--pgsql-ignore-errors=42501,25P02,40P01,40001,23505")
    load.started() and load.wait_done(20)
    d.server.sql("ALTER TABLE sbtest1 OWNER TO CURRENT_USER; REVOKE ALL ON sbtest1 FROM sbtest")
    time.sleep(3)
    d.server.sql("ALTER TABLE sbtest1 OWNER TO sbtest; GRANT ALL ON sbtest1 TO sbtest")
    load.wait_rate(d_rate(d))
    load.signal(signal.SIGINT)
    document = load.ended(130)
    load.says("42501")
    if document:
        d.book.most("errors", document["summary"]["errors"], 3000)


@drill("deadlocks", ways=WAYS, quick=True)
def deadlocks(d: Drill) -> None:
    """Deadlocks are retried: each transaction ends once, and the run well."""
    script = d.write(
        "deadlock.lua",
        """
ffi.cdef("int usleep(unsigned)")
function thread_init()
    con = sysbench.sql.driver():connect()
end
function event()
    local a, b = 1 + sysbench.tid % 2, 2 - sysbench.tid % 2
    con:query("BEGIN")
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. a)
    ffi.C.usleep(20000)
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. b)
    con:query("COMMIT")
end
""",
    )
    args = ["--pgsql-ignore-errors=40P01,40001"] if not d.mysql else []
    load = d.run(script, "--events=20", *args, threads=4, rate=10)
    document = load.ended(0)
    if document and document["summary"]:
        d.book.same("transactions", document["summary"]["transactions"], 20)


@drill("lock-wait", engines=[MARIADB], ways=FIRST)
def lock_wait(d: Drill) -> None:
    """A lock that is never released: the wait's error is retried until the time is over."""
    d.server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    script = d.write(
        "lock.lua",
        """
function thread_init()
    con = sysbench.sql.driver():connect()
    if sysbench.tid == 0 then
        con:query("BEGIN")
        con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1")
    end
end
function event()
    if sysbench.tid == 0 then con:query("SELECT 1")
    else con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1") end
end
""",
    )
    load = d.run(script, "--time=3", threads=2)
    load.ended(0, bound=12)


@drill("statement-cancelled", ways=FIRST)
def statement_cancelled(d: Drill) -> None:
    """The server cancels long statements: counted, the run goes on."""
    d.server.sql(
        "SET GLOBAL max_statement_time = 0.05"
        if d.mysql
        else "ALTER ROLE sbtest SET statement_timeout = 50"
    )
    sleep = "SELECT SLEEP(5)" if d.mysql else "SELECT pg_sleep(5)"
    script = d.write(
        "long.lua",
        """
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("%s") end
"""
        % sleep,
    )
    load = d.run(script, d.ignore("1969", "57014"), "--time=2", rate=5)
    document = load.ended(0, bound=12)
    if document and document["summary"]:
        d.book.least("errors", document["summary"]["errors"], 2)
    load.says("1969|57014")


@drill("statement-without-an-answer", ways=PACED)
def statement_without_an_answer(d: Drill) -> None:
    """--query-timeout: a statement that takes too long loses its connection, the run goes on."""
    sleep = "SELECT SLEEP(20)" if d.mysql else "SELECT pg_sleep(20)"
    script = d.write(
        "long.lua",
        """
function thread_init() con = sysbench.sql.driver():connect() end
function event()
    con:query(sysbench.tid == 0 and "%s" or "SELECT 1")
end
"""
        % sleep,
    )
    args = ["--query-timeout=1", "--on-error=cancelled:fail"]
    load = d.run(script, *args, "--time=4", rate=8)
    document = load.ended(0, bound=14)
    if document and document["summary"]:
        d.book.least("failed", document["summary"]["rate"]["failed"], 1)
        d.book.least("done", document["summary"]["rate"]["done"], 10)


@drill("errors-while-clients-begin", ways=FIRST)
def errors_while_clients_begin(d: Drill) -> None:
    """An ignored error in thread_init: the error's own text, never 'not a string'."""
    script = d.write(
        "begin.lua",
        """
function thread_init()
    con = sysbench.sql.driver():connect()
    con:query("SELECT no_such_column FROM sbtest1")
end
function event() con:query("SELECT 1") end
""",
    )
    load = d.run(script, d.ignore("1054", "42703"), "--time=2")
    load.ended((0, 1), bound=12, files=False)
    load.says("no_such_column")
    load.never_says("not a string")


@drill("huge-statement", ways=FIRST, quick=True)
def huge_statement(d: Drill) -> None:
    """A bulk insert of two megabytes fails: the message stays short."""
    load = d.run(d.write("bulk.lua", BULK), threads=2)
    load.ended(1, bound=15, messages=8)
    d.book.most("bytes printed", len(load.out) + len(load.err), 20000)


@drill("binary-error-text", engines=[MARIADB], ways=FIRST)
def binary_error_text(d: Drill) -> None:
    """An error whose text is no UTF-8: every file stays readable."""
    script = d.write(
        "binary.lua",
        """
function thread_init() con = sysbench.sql.driver():connect() end
function event()
    con:query("SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 4999, MESSAGE_TEXT = 'a\\255\\1\\200\\tb'")
end
""",
    )
    load = d.run(script, "--mysql-ignore-errors=4999", "--time=2", rate=5)
    load.ended((0, 1), bound=12)


@drill("two-prepares", ways=FIRST)
def two_prepares(d: Drill) -> None:
    """prepare where the table exists already: one sentence, exit status 1."""
    words = [w for w in d.command("oltp_point_select")[1:] if "tx-rate" not in w]
    load = d.plain(*words, "prepare")
    load.ended(1, bound=20, messages=5, files=False)
    load.says("already exists")
