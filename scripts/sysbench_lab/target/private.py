# SPDX-License-Identifier: GPL-2.0-or-later
"""A private server under test: started with a cell's settings, again when they change.

A server keeps its data over a restart.  Another engine or program has a server and data of its
own; only one of them runs at a time.  Each lies in a temporary folder ($TMPDIR), which is told to
the runner (begun) before anything is in it, and removed by stop().

We add only what a number of connections needs to be served at all: max_connections, and MariaDB's
and MySQL's limit of prepared statements.  They are those of the largest cell in every cell, so they
are the same in all, and the experiment's own values go before.

After each start /proc/PID/maps must show the library of server.preload, and the CPUs of the process
must be those of server.cpus: a preload is ignored silently when it cannot be loaded.
"""

import contextlib
import os
import shlex
import shutil
import time
from typing import Sequence, Tuple

from .. import LabError
from ..plan.keys import part
from ..plan.model import Cell, Settings
from ..plan.plan import server_part
from ..servers import process
from ..servers.instance import ENGINES, Instance, temporary_folder
from . import target
from .target import Target, changed, option_text, options_of

SPARE = 50  # connections besides those of the load: telemetry, the user's own look
STATEMENTS = 1048576  # the most that the server takes
DEFAULT_CONNECTIONS = 100  # PostgreSQL's; MariaDB's and MySQL's is 151
STOP_S = 120  # a large buffer pool takes its time


Key = Tuple[str, str]  # engine and program: servers that differ in it cannot share their data


def key_of(settings: Settings) -> Key:
    engine, program = settings.get("server.engine", "mariadb"), settings.get("server.program", "")
    return str(engine), str(program)


class PrivateTarget(Target):
    """One private server a Key, of which one runs."""

    def __init__(self, restart: str, connections: int) -> None:
        super().__init__("private")
        self.restart = restart  # of model.RESTARTS
        self.connections = connections
        self.servers: dict[Key, Instance] = {}
        self.settings: Settings = {}  # that it was started with
        self.current: Instance | None = None

    # ---- the state that a cell asks for ------------------------------------------

    def ensure(self, settings: Settings) -> bool:
        differing = changed(server_part(self.settings), server_part(settings))
        if self.current is not None and self.current.is_running() and not differing:
            return False
        if self.current is not None and differing and self.restart == "never":
            raise LabError("%s varies, but measure.restart is never" % differing[0])
        self.start(settings)
        return True

    def can_restart(self) -> bool:
        return True

    def start(self, settings: Settings) -> None:
        self.halt()
        # The server of an engine and program; made when it is asked for the first time.
        key = key_of(settings)
        if key not in self.servers:
            folder = os.path.join(temporary_folder(), "server")
            self.begun(folder)
            try:
                self.servers[key] = Instance.create(folder, key[0], key[1] or None)
            except BaseException:
                self.discard(folder)
                raise
        server = self.servers[key]
        self.current, self.settings = server, settings
        with server.locked():
            server.options = self.options(server, settings)
            server.module.check_options(server.options)
            server.environment = environment(settings)
            server.cpus = str(settings.get("server.cpus", ""))
            server.prefix = shlex.split(str(settings.get("server.prefix", "")))
            self.launch(server)
            try:
                # LabError if the process is not what the settings ask for.
                pid = server.running_pid()
                for library in target.libraries(settings):
                    target.check_loaded(pid, library, server.log)
                if server.cpus and os.sched_getaffinity(pid) != process.cpu_set(server.cpus):
                    raise LabError(
                        "server.cpus: the server runs on CPUs %s, not on %s"
                        % (sorted(os.sched_getaffinity(pid)), server.cpus)
                    )
            except BaseException:
                server.stop(STOP_S)
                raise

    def launch(self, server: Instance) -> None:
        began, status = time.monotonic(), 1
        try:
            server.start()
            status = 0
        finally:
            self.log(command_line(server), status, time.monotonic() - began)

    def halt(self) -> None:
        """Stop the server that runs; it keeps its data."""
        if self.current is not None:
            with self.current.locked():
                self.current.stop(STOP_S)

    def check(self, cells: Sequence[Cell]) -> None:
        """Python's tempfile takes /tmp instead of a TMPDIR that is not there: the wrong disk."""
        given = os.environ.get("TMPDIR", "")
        if given and not (os.path.isdir(given) and os.access(given, os.W_OK | os.X_OK)):
            raise LabError("TMPDIR: %s is no folder in which files can be made" % given)
        for engine, program in dict.fromkeys(key_of(cell.settings) for cell in cells):
            try:
                ENGINES[engine].program(program or None)
            except LabError as e:
                what = "server.program" if program else "server.engine = " + engine
                raise LabError("%s: %s" % (what, e)) from None

    def options(self, server: Instance, settings: Settings) -> list[str]:
        """Ours first: the last one counts."""
        ours = []
        if self.connections + SPARE > DEFAULT_CONNECTIONS:
            ours.append("--max_connections=%d" % (self.connections + SPARE))
        if server.engine != "postgresql":
            ours.append("--max_prepared_stmt_count=%d" % STATEMENTS)
        return ours + options_of(settings)

    def stop(self) -> None:
        """Each of the servers goes, also when another one makes trouble (a disk that is full)."""
        try:
            self.halt()
        finally:
            self.current = None
            for key in list(self.servers):
                self.forget(self.servers.pop(key))

    def forget(self, server: Instance) -> None:
        """A process that nothing could end keeps its files, and its name in running.json."""
        if not server.is_running():
            with contextlib.suppress(LabError):
                server.remove()
            self.discard(server.folder)

    def release(self) -> Instance | None:
        """Let go of the server that runs: stop() leaves it alone, and no laboratory ends it."""
        server, self.current = self.current, None
        if server is not None:
            self.servers = {key: s for key, s in self.servers.items() if s is not server}
            self.ended(server.folder)
        return server

    def discard(self, folder: str) -> None:
        """The folder and the temporary one around it, whatever is in them."""
        shutil.rmtree(os.path.dirname(folder), ignore_errors=True)
        self.ended(folder)

    # ---- what others need to know --------------------------------------------------

    def arguments(self) -> list[str]:
        if self.current is None:
            raise LabError("the private server does not run")
        found: list[str] = self.current.module.arguments(self.current)
        if self.settings.get("server.via") == "tcp":
            return by_tcp(found, self.current.port)
        return found

    def pid(self) -> int | None:
        return self.current.pid if self.current is not None else None

    def data(self) -> str:
        return self.current.folder if self.current is not None else ""

    def describe(self) -> dict[str, str]:
        if self.current is None:
            return {"kind": self.kind}
        found = dict(self.current.describe())
        found.update(kind=self.kind, program=self.current.program)
        return {k: v for k, v in found.items() if v and k not in ("password", "args")}


def environment(settings: Settings) -> dict[str, str]:
    """What is added to the environment of the server."""
    found = {k: option_text(v) for k, v in part(settings, "server.env.").items()}
    if settings.get("server.preload"):
        found["LD_PRELOAD"] = str(settings["server.preload"])
    return found


def by_tcp(arguments: Sequence[str], port: int) -> list[str]:
    """The same server through the loopback interface."""
    found = []
    for argument in arguments:
        name = argument.partition("=")[0]
        if name == "--mysql-socket":
            found += ["--mysql-host=127.0.0.1", "--mysql-port=%d" % port]
        else:
            found.append("--pgsql-host=127.0.0.1" if name == "--pgsql-host" else argument)
    return found


def command_line(server: Instance) -> str:
    """For commands.log: as one could type it."""
    words = ["%s=%s" % pair for pair in sorted(server.environment.items())]
    if server.cpus:
        words += ["taskset", "-c", server.cpus]
    return shlex.join(words + server.prefix + server.module.command(server))


# ---- did it take effect? ---------------------------------------------------------
