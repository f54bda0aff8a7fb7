# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a command runs: a fresh directory, a clean environment, an empty database.

Both programs run in the same place, one after the other, so that whatever it is that a
path, a name or a port does to the output, it does it to both.  A program is called
`sysbench` and found through PATH, as its users call it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
from subprocess import PIPE
from typing import Sequence

from lib import child
from sysbench_lab import owned

from . import PairError, Step, Steps, mask
from .cases import Case
from .servers import Server

LIMIT = 60  # seconds for one step
PASSED_ON = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")


class Place:
    """One directory and one database on each server; used by one thread at a time."""

    def __init__(self, directory: str, database: str, servers: dict[str, Server], lua: str) -> None:
        self.directory, self.database, self.servers, self.lua = directory, database, servers, lua
        self.work = os.path.join(directory, "work")
        self.preload: dict[str, str] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.interrupted = False
        os.makedirs(os.path.join(directory, "home"))

    def program(self, name: str, path: str, preload: str = "") -> None:
        """Makes PATH find `path` as sysbench when the run is for `name`."""
        self.preload[name] = preload
        bin_directory = os.path.join(self.directory, name)
        os.makedirs(bin_directory)
        os.symlink(path, os.path.join(bin_directory, "sysbench"))

    def environment(self, name: str) -> dict[str, str]:
        env = {k: os.environ[k] for k in PASSED_ON if k in os.environ}
        env.update(
            PATH=":".join(
                [os.path.join(self.directory, name), "/usr/local/bin", "/usr/bin", "/bin"]
            ),
            HOME=os.path.join(self.directory, "home"),
            TZ="UTC",
            LC_ALL="C",
        )
        if self.preload[name]:
            env["LD_PRELOAD"] = self.preload[name]
        for server in self.servers.values():
            env.update(server.values(self.database))
        return env

    def reset(self, case: Case) -> None:
        """An empty directory with our workloads in it, empty databases."""
        owned.remove(self.work, "../../" + owned.MARK)
        os.mkdir(self.work)
        os.symlink(self.lua, os.path.join(self.work, "lua"))
        for engine in case.needs:
            self.servers[engine].clear(self.database)

    def arguments(self, step: str, env: dict[str, str]) -> list[str]:
        """The command of a step: a shell's, or the words after `sysbench`."""
        if step.startswith("!"):
            return ["/bin/sh", "-c", step[1:].strip()]
        text = re.sub(r"\$([A-Z]+)", lambda m: env.get(m.group(1), m.group(0)), step)
        return ["sysbench"] + shlex.split(text)

    def run(self, case: Case, name: str) -> Steps:
        """All steps of a case by one program."""
        self.reset(case)
        env = self.environment(name)
        return [self.run_step(case, step, env) for step in case.steps]

    def run_step(self, case: Case, step: str, env: dict[str, str]) -> Step:
        servers = [self.servers[e] for e in case.needs]
        since = [s.log_position() for s in servers]
        status, out, err = self.execute(self.arguments(step, env), env)
        streams = {
            "exit": [status],
            "stdout": self.normalise(case, step, out),
            "stderr": self.normalise(case, step, err),
        }
        if "sql" in case.tags:
            streams["sql"] = [
                line for s, p in zip(servers, since) for line in s.seen(self.database, p)
            ]
        if "tables" in case.tags:
            streams["tables"] = [line for s in servers for line in s.tables(self.database)]
        return streams

    def execute(self, argv: Sequence[str], env: dict[str, str]) -> tuple[str, bytes, bytes]:
        """(status, stdout, stderr); a signal as `signal 11`, running too long as `too long`."""
        if self.interrupted:
            raise PairError("interrupted")
        self.process = p = child.begin(argv, PIPE, PIPE, env=env, cwd=self.work)
        try:
            out, err = p.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = p.communicate()
            return "too long", out, err
        if p.returncode < 0:
            return "signal %d" % -p.returncode, out, err
        return "%d" % p.returncode, out, err

    def kill(self) -> None:
        """Ends the command that runs now, with all that it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def interrupt(self) -> None:
        """From another thread: no further step, and an end to this one."""
        self.interrupted = True
        if self.process is not None and self.process.returncode is None:
            self.kill()

    def normalise(self, case: Case, step: str, data: bytes) -> list[str]:
        text = data.decode("utf-8", "backslashreplace")
        names = [(self.work, "$WORK"), (self.directory, "$PLACE")]
        for engine in case.needs:
            names = self.servers[engine].names(self.database) + names
        m = re.search(r"--(?:time|max-time)=(\d+)", step)
        return mask.normalise(text, case.tags, int(m.group(1)) if m else 0, names)
