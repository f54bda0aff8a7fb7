# SPDX-License-Identifier: GPL-2.0-or-later
"""`make check` for scripts/check, in two halves that run at the same time: the unit tests (src),
with their servers, and the cram files (the directory above).  Tests that were inconclusive run
again, alone."""

from __future__ import annotations

import os
import time
from typing import IO, Sequence

from sysbench_lab.servers.instance import Instance

from . import LabError
from .build import SOURCE, jobs, say
from .check_results import Results, forget, results_in, tests_in, text_of
from .interrupt import status_of

# fast rather than durable
SERVERS = {
    "mariadb": [
        "--max-connections=600",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=2",
    ],
    "postgresql": ["--max_connections=600", "--fsync=off"],
}


class Servers:
    """The private servers of the unit tests: none, or MariaDB and where possible PostgreSQL."""

    def __init__(self) -> None:
        self.running: list[Instance] = []

    def start(self) -> None:
        for engine, options in SERVERS.items():
            try:
                server = Instance.create_temporary(engine=engine, options=options)
            except LabError as e:
                if engine == "mariadb":
                    raise
                say("%-10s %s; its tests are skipped" % (engine, e))
                continue
            self.running.append(server)
            server.start()
            say("%-10s %s, pid %s" % (engine, server.version, server.pid))

    def stop(self) -> None:
        for server in self.running:
            server.stop(20)
            server.remove()

    def environment(self) -> dict[str, str]:
        """What tells the tests how to reach them."""
        if not self.running:
            return {"SB_NO_SERVER": "1"}
        env = {"SB_NEED_SERVER": "1"}
        for s in self.running:
            prefix = "SB_TEST_%s_" % {"mariadb": "MYSQL", "postgresql": "PGSQL"}[s.engine]
            host = {"mariadb": "127.0.0.1", "postgresql": os.path.dirname(s.socket)}[s.engine]
            env.update(
                {
                    prefix + k: v
                    for k, v in (
                        ("SOCKET", s.socket),
                        ("HOST", host),
                        ("PORT", str(s.port)),
                        ("USER", s.user),
                        ("DB", s.databases[0]),
                        ("PID", str(s.pid)),
                    )
                }
            )
        return env


class MakeCheck:
    """make in one build directory; what it prints goes to check.log (unit tests) and cram.log."""

    def __init__(
        self,
        directory: str,
        servers: Servers,
        prefix: list[str],
        quiet: str = "",
        quickly: Sequence[str] = (),
    ) -> None:
        """`quiet` is locked while anything but the cram files runs (tests/cram); `quickly`
        are words for make when it builds the unit tests."""
        self.directory, self.prefix, self.quickly = directory, prefix, quickly
        self.env = dict(
            os.environ,
            SB_TIMES=os.path.join(directory, "test.times"),
            SB_DBSERVER=os.path.join(SOURCE, "scripts", "dbserver"),
        )
        self.env.setdefault("TSAN_OPTIONS", "halt_on_error=1")
        self.env.update(servers.environment())
        if quiet:
            self.env["SB_QUIET_LOCK"] = quiet
        forget(directory)

    def make(self, log: IO[str], directory: str, *words: str, nice: int = 0) -> bool:
        """make with these words; True when it succeeds."""
        argv = ["nice", "-n", str(nice), *self.prefix, "make", "-k", *words]
        phase = "cram" if directory == "." else "make tests" if "TESTS=" in words else "unit tests"
        directory = os.path.join(self.directory, directory)
        return status_of(argv, phase, cwd=directory, env=self.env, stdout=log, stderr=log) == 0

    def unit_tests(self) -> Results:
        """All of them; make itself failing is a failure, too.

        The programs are built at the lowest priority: cram files run meanwhile, and some of them
        bound times.
        """
        log_path = os.path.join(self.directory, "check.log")
        with open(log_path, "w") as log:
            began = time.monotonic()
            self.make(log, "src", jobs(), "check", "TESTS=", *self.quickly, nice=19)
            say("%-10s %6.1f s" % ("make tests", time.monotonic() - began))
            began = time.monotonic()
            good = self.make(log, "src", jobs(), "check")
            outside = not good and not self.make(log, "src", jobs(), "check", "TESTS=")
        total = self.results("src")
        say("%-10s %6.1f s, %s" % ("unit tests", time.monotonic() - began, total))
        if outside or (not good and total.failed == 0):
            show(log_path, "make check failed outside of a test")
            total.failed += 1
        return total

    def results(self, directory: str) -> Results:
        """Those of the tests of that directory; shows what failed."""
        for test in tests_in(os.path.join(self.directory, directory)):
            if test.result() == "FAIL":
                show(test.log, "%s failed" % os.path.relpath(test.stem, self.directory))
        return results_in(os.path.join(self.directory, directory), self.env["SB_TIMES"])

    def run_again(self, total: Results) -> None:
        """What was inconclusive, one after the other; the new results replace the old ones."""
        with open(os.path.join(self.directory, "check.log"), "a") as log:
            for test in tests_in(self.directory):
                if test.result() != "INCONCLUSIVE" or os.environ.get("SB_TRIES") == "1":
                    continue
                say(
                    "%s was inconclusive and runs again: %s" % (test.name, "; ".join(test.doubts()))
                )
                place = "tests/t/" if test.is_cram else ""
                where = "." if test.is_cram else "src"
                self.make(log, where, "check-am", "TESTS=" + place + test.name)
                if test.result() == "FAIL":
                    show(test.log, "%s failed" % test.name)
                total.inconclusive.remove(test.name)
                total.add(test.counted())

    def cram(self) -> Results:
        """Four files at a time for each CPU: a file waits most of its time."""
        began = time.monotonic()
        output = os.path.join(self.directory, "cram.log")
        with open(output, "w") as log:
            good = self.make(log, ".", "-j%d" % (4 * int(jobs()[2:])), "check-am")
        results = self.results("tests")
        say("%-10s %6.1f s, %s" % ("cram", time.monotonic() - began, results))
        if not good and results.failed == 0:
            show(output, "make check failed outside of a test")
            results.failed += 1
        return results


def show(path: str, title: str) -> None:
    text = text_of(path) if os.path.exists(path) else "there is no %s" % path
    say("---- %s\n%s" % (title, text.rstrip()))
