# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that cannot be made.  One cause is said once, with the number of clients."""

from __future__ import annotations

import signal

from .table import PACED, RATE, Drill, drill

MANY = 64


def limit_connections(d: Drill, most: int) -> None:
    d.server.sql(
        "SET GLOBAL max_connections = %d" % most
        if d.mysql
        else "ALTER ROLE sbtest CONNECTION LIMIT %d" % most
    )


@drill("too-many-connections", ways=PACED, quick=True)
def too_many_connections(d: Drill) -> None:
    """More clients than the server lets in: said once, with what to do."""
    limit_connections(d, 10)
    d.run("oltp_point_select", threads=MANY).refused("1040|53300|too many connections")


@drill("go-on-with-fewer", ways=PACED)
def go_on_with_fewer(d: Drill) -> None:
    """--min-clients: the run goes on with those that did connect, and gets the others later."""
    limit_connections(d, 20)
    load = d.begun("oltp_point_select", "--min-clients=5", threads=MANY, done=RATE)
    limit_connections(d, 500)
    load.wait_for("all clients connected", lambda: len(d.server.connections()) >= MANY)
    load.signal(signal.SIGINT)
    load.ended(130, messages=8)


@drill("wrong-password", ways=PACED, quick=True)
def wrong_password(d: Drill) -> None:
    """64 clients with a password or role that is refused: said once."""
    load = d.run("oltp_point_select", "--%s-user=nobody_here" % d.kind, threads=MANY)
    load.refused("nobody_here")


@drill("missing-table", ways=PACED, quick=True)
def missing_table(d: Drill) -> None:
    """64 clients and no table: said once."""
    d.run("oltp_point_select", "--tables=3", threads=MANY).refused("1146|42P01", lines=80)
