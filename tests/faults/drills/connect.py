# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that cannot be made.  One cause is said once, with the number of clients."""

from __future__ import annotations

from .table import PACED, Drill, drill

MANY = 64


@drill("too-many-connections", ways=PACED, quick=True)
def too_many_connections(d: Drill) -> None:
    """More clients than the server lets in: said once, with what to do."""
    mysql, pgsql = "SET GLOBAL max_connections = 10", "ALTER ROLE sbtest CONNECTION LIMIT 10"
    d.server.sql(mysql if d.mysql else pgsql)
    d.run("oltp_point_select", threads=MANY).refused("1040|53300|too many connections")


@drill("wrong-password", ways=PACED, quick=True)
def wrong_password(d: Drill) -> None:
    """64 clients with a password or role that is refused: said once."""
    load = d.run("oltp_point_select", "--%s-user=nobody_here" % d.kind, threads=MANY)
    load.refused("nobody_here")


@drill("missing-table", ways=PACED, quick=True)
def missing_table(d: Drill) -> None:
    """64 clients and no table: said once."""
    d.run("oltp_point_select", "--tables=3", threads=MANY).refused("1146|42P01", lines=80)
