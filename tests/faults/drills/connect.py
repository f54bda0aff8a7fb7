# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections that cannot be made.  One cause is said once, with the number of clients."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from typing import Iterator

from .server import MARIADB
from .table import FIRST, PACED, RATE, Drill, drill

MANY = 64


@contextlib.contextmanager
def bound(backlog: int | None = 64) -> Iterator[socket.socket]:
    """A port of ours, at which nobody listens without a backlog."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        if backlog:
            s.listen(backlog)
        yield s


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


@drill("unknown-host", ways=PACED)
def unknown_host(d: Drill) -> None:
    """64 clients and a name that does not resolve: said once."""
    where = [w for w in d.at("no.such.host.invalid", 0) if "-port=" not in w]
    d.run("oltp_point_select", *where, threads=MANY).refused("no.such.host.invalid", bound=60)


@drill("nobody-listens", ways=PACED)
def nobody_listens(d: Drill) -> None:
    """64 clients and a port at which nobody listens: said once."""
    with bound(None) as s:
        load = d.run("oltp_point_select", *d.at(*s.getsockname()), threads=MANY)
        load.refused("2003|2002|refused")


@drill("missing-table", ways=PACED, quick=True)
def missing_table(d: Drill) -> None:
    """64 clients and no table: said once."""
    d.run("oltp_point_select", "--tables=3", threads=MANY).refused("1146|42P01", lines=80)


@drill("statement-limit", engines=[MARIADB], ways=PACED)
def statement_limit(d: Drill) -> None:
    """The server's limit of prepared statements: said once for 64 clients."""
    d.server.sql("SET GLOBAL max_prepared_stmt_count = 20")
    load = d.run("oltp_read_write", "--time=3", threads=MANY)
    says = "1461|max_prepared_stmt_count"
    load.ended(0, bound=20, messages=5, lines=100, files=False, says=says)


@drill("no-tls", ways=FIRST)
def no_tls(d: Drill) -> None:
    """TLS is wanted and the server has none: the reason, once."""
    args = ["--mysql-ssl=required"] if d.mysql else ["--pgsql-sslmode=verify-full"]
    words = d.command("oltp_point_select", *args, threads=8, time=2)
    words = [w for w in words[1:] if w not in d.server.arguments()] + d.server.tcp()
    d.plain(*words, "run").refused("(?i)ssl|tls|certificate")


@drill("silent-peer", ways=FIRST)
def silent_peer(d: Drill) -> None:
    """A port that accepts and never answers: SIGTERM ends the wait."""
    with bound() as s:
        load = d.run("oltp_point_select", *d.at(*s.getsockname()))
        s.settimeout(30)
        s.accept()
        load.signal(signal.SIGTERM)
        load.ended((1, 143), bound=6, files=False)


@drill("silent-peer-with-a-limit", ways=FIRST)
def silent_peer_with_a_limit(d: Drill) -> None:
    """--connect-timeout: the wait for a port that never answers ends by itself."""
    with bound() as s:
        load = d.run("oltp_point_select", "--connect-timeout=2", *d.at(*s.getsockname()))
        load.refused(bound=10, messages=16, lines=150)


@drill("garbage-peer", ways=PACED)
def garbage_peer(d: Drill) -> None:
    """A port that answers with garbage and hangs up: one sentence, and no crash."""
    with bound() as s:
        threading.Thread(target=answer_garbage, args=(s,), daemon=True).start()
        d.run("oltp_point_select", *d.at(*s.getsockname()), threads=8).refused()


def answer_garbage(listening: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            with contextlib.suppress(ConnectionError), listening.accept()[0] as peer:
                peer.sendall(b"\x05\x00\x00\x00\xffE\x00\x01garbage\x00\xfe" * 20)
