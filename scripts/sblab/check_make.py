# SPDX-License-Identifier: GPL-2.0-or-later
"""`make check` for scripts/check: the servers of the unit tests, the run, and a second run, alone,
of the unit tests that were inconclusive.  (tests/test_run.sh does the same with its own files.)"""

from __future__ import annotations

import os
import subprocess
import time
from typing import IO

from sysbench_lab.servers.instance import Instance

from . import LabError
from .build import SOURCE, jobs, say
from .check_results import CRAM, Results, cram_results, forget, text_of, unit_results, unit_tests

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
    """make in one build folder; everything that it prints goes to check.log."""

    def __init__(self, folder: str, servers: Servers, prefix: list[str]) -> None:
        self.folder, self.prefix = folder, prefix
        self.env = dict(
            os.environ,
            SB_COUNTS=os.path.join(folder, "cram.counts"),
            SB_TIMES=os.path.join(folder, "unit.times"),
            SB_DBSERVER=os.path.join(SOURCE, "scripts", "dbserver"),
        )
        self.env.setdefault("TSAN_OPTIONS", "halt_on_error=1")
        self.env.update(servers.environment())

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "check.log")

    def make(self, log: IO[str], *words: str, folder: str | None = None) -> bool:
        """make check with these words; True when it succeeds."""
        return (
            subprocess.call(
                self.prefix + ["make", "-k"] + list(words),
                cwd=folder or self.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            == 0
        )

    def run(self) -> Results:
        """All tests; make itself failing is a failure, too."""
        forget(self.folder)
        began = time.monotonic()
        with open(self.log, "w") as log:
            good = self.make(log, jobs(), "check")
            say("%-10s %6.1f s" % ("make check", time.monotonic() - began))
            if os.environ.get("SB_TRIES") != "1":
                self.run_inconclusive_again(log)
            outside = not good and not self.make(log, jobs(), "check", "TESTS=")
        self.show_failures()
        total = unit_results(self.folder)
        say("%-10s %s" % ("unit tests", total))
        failed = total.failed
        cram = self.cram()
        total.add(cram)
        if outside or (not good and failed + cram.failed == 0):
            show(self.log, "make check failed outside of a test")
            total.failed += 1
        return total

    def run_inconclusive_again(self, log: IO[str]) -> None:
        """One after the other; their new results replace the old ones."""
        for test in unit_tests(self.folder):
            if test.result() == "INCONCLUSIVE":
                say(
                    "%s was inconclusive and runs again: %s" % (test.name, "; ".join(test.doubts()))
                )
                self.make(log, "check", "TESTS=" + test.name, folder=os.path.dirname(test.stem))

    def show_failures(self) -> None:
        for test in unit_tests(self.folder):
            if test.result() == "FAIL":
                show(test.log, "%s failed" % os.path.relpath(test.stem, self.folder))

    def cram(self) -> Results:
        log = os.path.join(self.folder, "tests", CRAM + ".log")
        results = cram_results(self.folder)
        if results is None:
            show(log, "tests/%s did not finish" % CRAM)
            return Results(failed=1)
        show(log, "cram tests")
        return results


def show(path: str, title: str) -> None:
    text = text_of(path) if os.path.exists(path) else "there is no %s" % path
    say("---- %s\n%s" % (title, text.rstrip()))


def make_check(folder: str, servers: Servers, prefix: list[str]) -> Results:
    return MakeCheck(folder, servers, prefix).run()
