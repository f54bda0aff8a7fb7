# SPDX-License-Identifier: GPL-2.0-or-later
"""What is around a run changes under it: the name server's answer, the wall clock, the CPUs.

surroundings.c is preloaded into sysbench and takes the answer and the clock from files, so that
the machine itself stays as it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

from lib import harness

from .load import Load
from .outage import ALL
from .server import MARIADB, confine
from .table import PACED, Drill, drill

RELAY = os.path.join(harness.SOURCE, "tests", "include", "relay.py")
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NAME = "db.of.a.drill"
HOUR = 3600


class Relay:
    """tests/include/relay.py at an address, from its first moment on."""

    def __init__(self, d: Drill, address: str, *options: str) -> None:
        told = d.path("port-of-" + address)
        words = [sys.executable, RELAY, address, str(d.server.instance.port), told, *options]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while not os.path.exists(told) and self.process.poll() is None:
            time.sleep(0.02)
        with open(told) as f:
            self.port = int(f.read())

    def stall(self, seconds: float) -> None:
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """The host is gone: nobody listens, and its connections are closed."""
        self.process.kill()
        self.process.wait()


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
    first = Relay(d, "127.0.0.2")
    second = Relay(d, "127.0.0.3", "--port=%d" % first.port)
    try:
        replace(d.path("hosts"), "%s 127.0.0.2\n" % NAME)
        load = run_in(
            d, "oltp_point_select", d.ignore(ALL), "--events=240", *d.at(NAME, first.port)
        )
        replace(d.path("hosts"), "%s -\n" % NAME)
        first.end()
        before = len(load.stream())
        load.wait_for("an interval in the outage", lambda: len(load.stream()) > before + 1)
        replace(d.path("hosts"), "%s 127.0.0.3\n" % NAME)
        load.ended(0, messages=12, done=240, reconnects=4)
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
