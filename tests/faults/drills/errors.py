# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements that the server refuses."""

from __future__ import annotations

import time

from .server import POSTGRESQL
from .table import FIRST, PACED, RATE, Drill, drill


@drill("permission-lost", engines=[POSTGRESQL], ways=PACED)
def permission_lost(d: Drill) -> None:
    """A right is taken away and the error is ignored: braked, counted, named."""
    load = d.begun("oltp_write_only", "--pgsql-ignore-errors=42501,25P02,40P01,40001,23505")
    d.server.sql("ALTER TABLE sbtest1 OWNER TO CURRENT_USER; REVOKE ALL ON sbtest1 FROM sbtest")
    time.sleep(3)
    d.server.sql("ALTER TABLE sbtest1 OWNER TO sbtest; GRANT ALL ON sbtest1 TO sbtest")
    load.wait_rate(RATE)
    load.interrupted(says="42501", most={"errors": 3000})


@drill("errors-while-clients-begin", ways=FIRST)
def errors_while_clients_begin(d: Drill) -> None:
    """An ignored error in thread_init: the error's own text, never 'not a string'."""
    wrong = 'con:query("SELECT no_such_column FROM sbtest1")'
    script = d.script('con:query("SELECT 1")', wrong)
    load = d.run(script, d.ignore("1054", "42703"), "--time=2")
    load.ended((0, 1), bound=12, files=False, says="no_such_column")
    load.never_says("not a string")
