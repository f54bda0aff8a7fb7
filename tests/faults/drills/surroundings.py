# SPDX-License-Identifier: GPL-2.0-or-later
"""What is around a run changes under it: the name server's answer, the wall clock, the CPUs.

surroundings.c is preloaded into sysbench and takes the answer and the clock from files, so that
the machine itself stays as it is."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import Any

from lib import harness

from .load import Load
from .outage import ALL
from .server import MARIADB, confine
from .table import PACED, Drill, drill

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NAME = "db.of.a.drill"
HOUR = 3600


class Relay:
    """Listens at an address and passes everything on to a server, as a proxy or a new host does."""

    def __init__(self, address: str, port: int, target: int, delay: float = 0) -> None:
        self.target, self.delay, self.accepted = target, delay, 0
        self.open: list[socket.socket] = []
        self.listening = socket.socket()
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listening.bind((address, port))
        self.listening.listen(64)
        self.port: int = self.listening.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                self.accepted += 1
                self.open += [client, server]
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def copy(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                time.sleep(self.delay)
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """The host is gone: nobody listens, and its connections are closed."""
        for one in [self.listening, *self.open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def replace(path: str, text: str) -> None:
    with open(path + ".new", "w") as f:
        f.write(text)
    os.rename(path + ".new", path)


def run_in(d: Drill, test: str, *args: str, **how: Any) -> Load:
    """A run with the library and its two files."""
    library = harness.compiled(os.path.join(HERE, "surroundings.c"), d.directory, suffix=".so")
    environment = {
        "LD_PRELOAD": library,
        "SURROUNDINGS_HOSTS": d.path("hosts"),
        "SURROUNDINGS_CLOCK": d.path("clock"),
    }
    return d.begun(test, *args, prepare=lambda: os.environ.update(environment), **how)


@drill("name-moves", ways=PACED)
def name_moves(d: Drill) -> None:
    """The host is gone, the name server fails and then names another: all clients go there."""
    port = d.server.instance.port
    first = Relay("127.0.0.2", 0, port)
    second = Relay("127.0.0.3", first.port, port)
    try:
        replace(d.path("hosts"), "%s 127.0.0.2\n" % NAME)
        load = run_in(
            d, "oltp_point_select", d.ignore(ALL), "--events=240", *d.at(NAME, first.port)
        )
        d.book.same("connections to the second host", second.accepted, 0)
        replace(d.path("hosts"), "%s -\n" % NAME)
        first.end()
        before = len(load.stream())
        load.wait_for("an interval in the outage", lambda: len(load.stream()) > before + 1)
        replace(d.path("hosts"), "%s 127.0.0.3\n" % NAME)
        load.ended(0, messages=12, done=240, reconnects=4)
        d.book.least("connections to the second host", second.accepted, 4)
    finally:
        first.end()
        second.end()


@drill("clock-steps", engines=[MARIADB], ways=PACED)
def clock_steps(d: Drill) -> None:
    """The wall clock is set an hour forward, then two back: schedule and figures do not notice."""
    replace(d.path("clock"), "0")
    load = run_in(d, "oltp_point_select", "--events=160")
    replace(d.path("clock"), str(HOUR))
    load.wait_done(80)
    replace(d.path("clock"), str(-HOUR))
    load.ended(0, done=160, most={"elapsed_s": HOUR / 2})
    elapsed = [r["elapsed_s"] for r in load.stream()]
    d.book.same("order of the intervals", elapsed, sorted(elapsed))


@drill("cpus-taken-away", engines=[MARIADB], ways=PACED)
def cpus_taken_away(d: Drill) -> None:
    """All threads are confined to one CPU and freed again: everything is done."""
    load = d.begun("oltp_point_select", "--events=200")
    cpus = os.sched_getaffinity(load.process.pid)
    confine(load.process.pid, {min(cpus)})
    load.wait_done(100)
    confine(load.process.pid, cpus)
    load.ended(0, done=200)
