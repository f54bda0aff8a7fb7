# SPDX-License-Identifier: GPL-2.0-or-later
"""A place that the table of servers has a row for: a server, or several with what is between."""

from __future__ import annotations

import glob
import os
import re
import socket
import subprocess
import time
from typing import Callable, Sequence

from lib import child
from sblab import LabError
from sysbench_lab import owned
from versions import SOURCE
from versions.place import Place, end_namespace
from versions.servers import Server


class Missing(LabError):
    """What a place needs is not on this system; its row is n/a, for this reason."""


class Service:
    """Derived classes say what there is, and start() it with server() and spawn(); what these
    start is ended by stop() in the opposite order, also after a start that failed."""

    name = ""  # the row's key, for --only
    title = ""  # what the row says; start() may put what the programs say of themselves
    kind = "mysql"  # or pgsql
    process = ""  # what the block `Server:` of a report has to name, a regular expression
    on_error, load_s = "failover", 14  # --on-error and --time of the load while its fault happens
    lacks: dict[str, str] = {}  # column or counter: why it cannot be here
    expects: Sequence[str] = ()  # SQLSTATEs of errors that its clients meet and go on after
    counted: Sequence[str] = ()  # options of runs whose queries are counted, on account of these
    suite: str | None = None  # of Debian, whose root has the programs; None: this system
    packages: Sequence[str] = ()  # what they are in, there
    known: dict[str, type[Service]] = {}  # all that have a name

    def __init_subclass__(cls) -> None:
        if cls.name:
            cls.known[cls.name] = cls

    def __init__(self, directory: str) -> None:
        self.directory = os.path.abspath(directory)
        self.folder = os.path.join(self.directory, "run", self.name)
        self.log = self.name + ".log"  # below the directory
        self.ends: list[Callable[[], None]] = []
        self.options: list[str] = []  # of sysbench, to reach it
        self.direct: list[str] = []  # to reach a server behind a proxy; else the same

    def start(self) -> None:
        raise NotImplementedError

    def fault(self) -> str | None:
        """Does the fault of this place in the middle of a run and says what it did; None: none."""
        return None

    def stop(self) -> None:
        while self.ends:
            self.ends.pop()()
        for state in glob.glob(self.folder + "/*/dbserver.json"):  # a run that was killed left it
            tool = os.path.join(SOURCE, "scripts/dbserver")
            subprocess.call([tool, "stop", "--dir=" + os.path.dirname(state)])
        owned.remove(self.folder, "../" + owned.MARK, anyway=True)

    def root(self, suite: str | None, packages: Sequence[str] = ()) -> Place:
        """Where such programs run, with these packages in it."""
        place = Place(self.directory, suite or "unstable")
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o755)
        if suite:
            place.install(["python3", *packages])
        return place

    def server(
        self,
        engine: str,
        options: Sequence[str] = (),
        suite: str | None = None,
        packages: Sequence[str] = (),
        part: str = "server",
    ) -> Server:
        """A server by scripts/dbserver, with account and database sbtest, in folder/part."""
        place = self.root(suite, packages)
        server = Server(
            place, "%s/%s" % (self.name, part), engine, suite is not None, self.log, options
        )
        self.ends.append(server.stop)
        server.start()
        return server

    def spawn(
        self,
        part: str,
        argv: Sequence[str],
        suite: str | None = None,
        user: str = "",
        port: int = 0,
    ) -> Callable[[], None]:
        """A program that stays in the foreground, by what ends it; it answers on the port now.
        What it prints is in the log."""
        place = self.root(suite)
        note = os.path.join(self.folder, part + ".namespace")
        if user:
            argv = ["setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", *argv]
        with open(place.path(self.log), "a") as log:
            process = child.begin(place.argv(suite is not None, argv, note), log, cwd="/")

        def end() -> None:
            end_namespace(note)
            process.wait()

        self.ends.append(end)
        deadline = time.monotonic() + 60
        while port and not answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LabError("%s does not start, see %s" % (part, place.path(self.log)))
            time.sleep(0.1)
        return end

    def version(self, argv: Sequence[str], suite: str | None = None) -> str:
        """The first number with dots that a program prints about itself."""
        m = re.search(r"\d+(\.\d+)+", self.root(suite).output(suite is not None, argv))
        return m.group(0) if m else "?"


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False
