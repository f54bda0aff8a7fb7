# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements that the server refuses."""

from __future__ import annotations

import json
import time

from .server import MARIADB, POSTGRESQL
from .table import FIRST, PACED, RATE, WAYS, Drill, drill


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


@drill("errors-while-clients-begin", ways=FIRST)
def errors_while_clients_begin(d: Drill) -> None:
    """An ignored error in thread_init: the error's own text, never 'not a string'."""
    wrong = 'con:query("SELECT no_such_column FROM sbtest1")'
    script = d.script('con:query("SELECT 1")', wrong)
    load = d.run(script, d.ignore("1054", "42703"), "--time=2")
    load.ended((0, 1), bound=12, files=False, says="no_such_column")
    load.never_says("not a string")
