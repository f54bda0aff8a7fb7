# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements that the server refuses."""

from __future__ import annotations

import json
import time

from .server import MARIADB, POSTGRESQL
from .table import FIRST, PACED, RATE, WAYS, Drill, drill

BULK = """
    con:bulk_insert_init("INSERT INTO no_such_table(id, pad) VALUES")
    for i = 1, 20000 do
        con:bulk_insert_next(string.format("(%d, '%s')", i, string.rep("x", 100)))
    end
    con:bulk_insert_done()
"""


@drill("read-only-server", engines=[MARIADB], ways=PACED, quick=True)
def read_only_server(d: Drill) -> None:
    """The server turns read-only and the error is ignored: braked, counted, named."""
    load = d.begun("oltp_write_only", "--mysql-ignore-errors=1290,1213,1020,1205")
    d.server.sql("SET GLOBAL read_only = 1")
    time.sleep(0.5)
    before = d.server.statements()
    time.sleep(3)
    d.book.most("statements in 3 s", d.server.statements() - before, 4000)
    d.server.sql("SET GLOBAL read_only = 0")
    load.wait_rate(RATE)
    document = load.interrupted(says="1290")
    if document:
        d.book.true("1290" in json.dumps(document["summary"]), "the summary does not name 1290")


@drill("permission-lost", engines=[POSTGRESQL], ways=PACED)
def permission_lost(d: Drill) -> None:
    """A right is taken away and the error is ignored: braked, counted, named."""
    load = d.begun("oltp_write_only", "--pgsql-ignore-errors=42501,25P02,40P01,40001,23505")
    d.server.sql("ALTER TABLE sbtest1 OWNER TO CURRENT_USER; REVOKE ALL ON sbtest1 FROM sbtest")
    time.sleep(3)
    d.server.sql("ALTER TABLE sbtest1 OWNER TO sbtest; GRANT ALL ON sbtest1 TO sbtest")
    load.wait_rate(RATE)
    load.interrupted(says="42501", most={"errors": 3000})


@drill("deadlocks", ways=WAYS, quick=True)
def deadlocks(d: Drill) -> None:
    """Deadlocks are retried: each transaction ends once, and the run well."""
    script = d.script(
        """
    local a, b = 1 + sysbench.tid % 2, 2 - sysbench.tid % 2
    con:query("BEGIN")
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. a)
    ffi.C.usleep(20000)
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. b)
    con:query("COMMIT")
""",
        "ffi.cdef('int usleep(unsigned)')",
    )
    args = ["--pgsql-ignore-errors=40P01,40001"] if not d.mysql else []
    load = d.run(script, "--events=20", *args, threads=4, rate=10)
    load.ended(0, transactions=20)


@drill("lock-wait", engines=[MARIADB], ways=FIRST)
def lock_wait(d: Drill) -> None:
    """A lock that is never released: the wait's error is retried until the time is over."""
    d.server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    update = 'con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1")'
    first = "if sysbench.tid == 0 then %s else %s end"
    event = first % ('con:query("SELECT 1")', update)
    script = d.script(event, first % ('con:query("BEGIN") ' + update, ""))
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
    script = d.script('con:query("SELECT %s(5)")' % ("SLEEP" if d.mysql else "pg_sleep"))
    load = d.run(script, d.ignore("1969", "57014"), "--time=2", rate=5)
    load.ended(0, bound=12, says="1969|57014", least={"errors": 2})


@drill("statement-without-an-answer", ways=PACED)
def statement_without_an_answer(d: Drill) -> None:
    """--query-timeout: a statement that takes too long loses its connection, the run goes on."""
    sleep = "SLEEP" if d.mysql else "pg_sleep"
    script = d.script('con:query(sysbench.tid == 0 and "SELECT %s(20)" or "SELECT 1")' % sleep)
    args = ["--query-timeout=1", "--on-error=cancelled:fail"]
    load = d.run(script, *args, "--time=4", rate=8)
    load.ended(0, bound=14, least={"failed": 1, "done": 10})


@drill("errors-while-clients-begin", ways=FIRST)
def errors_while_clients_begin(d: Drill) -> None:
    """An ignored error in thread_init: the error's own text, never 'not a string'."""
    wrong = 'con:query("SELECT no_such_column FROM sbtest1")'
    script = d.script('con:query("SELECT 1")', wrong)
    load = d.run(script, d.ignore("1054", "42703"), "--time=2")
    load.ended((0, 1), bound=12, files=False, says="no_such_column")
    load.never_says("not a string")


@drill("huge-statement", ways=FIRST, quick=True)
def huge_statement(d: Drill) -> None:
    """A bulk insert of two megabytes fails: the message stays short."""
    load = d.run(d.script(BULK), threads=2)
    load.ended(1, bound=15, messages=8)
    d.book.most("bytes printed", len(load.out) + len(load.err), 20000)


@drill("binary-error-text", engines=[MARIADB], ways=FIRST)
def binary_error_text(d: Drill) -> None:
    """An error whose text is no UTF-8: every file stays readable."""
    said = r"MYSQL_ERRNO = 4999, MESSAGE_TEXT = 'a\255\1\200\tb'"
    script = d.script("con:query(\"SIGNAL SQLSTATE '45000' SET %s\")" % said)
    load = d.run(script, "--mysql-ignore-errors=4999", "--time=2", rate=5)
    load.ended((0, 1), bound=12)


@drill("two-prepares", ways=FIRST)
def two_prepares(d: Drill) -> None:
    """prepare where the table exists already: one sentence, exit status 1."""
    words = [w for w in d.command("oltp_point_select")[1:] if "tx-rate" not in w]
    load = d.plain(*words, "prepare")
    load.refused("already exists", bound=20)
