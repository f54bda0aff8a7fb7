# SPDX-License-Identifier: GPL-2.0-or-later
"""A private server that drills break and put right again.

One server of each kind serves all drills, so whatever a drill changes is undone by heal(): a
stopped process goes on, a dead one is started, settings go back to what they were."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
import time
from typing import Any

from lib import harness
from sblab import LabError
from sysbench_lab.servers import process
from sysbench_lab.servers.instance import Instance

MARIADB, POSTGRESQL, MYSQL = "mariadb", "postgresql", "mysql"
BOTH = (MARIADB, POSTGRESQL)
ALL = (*BOTH, MYSQL)
ROWS = 1000
MOST_CONNECTIONS = 2100  # of MariaDB, until heal() says 600
OPTIONS = {
    MARIADB: [
        "--max-connections=%d" % MOST_CONNECTIONS,
        "--innodb-buffer-pool-size=32M",
        "--innodb-flush-log-at-trx-commit=2",
    ],
    POSTGRESQL: ["--max_connections=600", "--fsync=off", "--deadlock_timeout=100ms"],
}
OPTIONS[MYSQL] = OPTIONS[MARIADB]
ACCOUNTS = "sbtest@localhost, sbtest@127.0.0.1"
SEES = {
    MARIADB: "GRANT PROCESS ON *.* TO " + ACCOUNTS,
    POSTGRESQL: "GRANT pg_read_all_stats TO sbtest",
}
SEES[MYSQL] = SEES[MARIADB] + "; GRANT SELECT ON performance_schema.* TO " + ACCOUNTS
HEALTHY = {
    MARIADB: "SET GLOBAL read_only = 0, max_connections = 600;"
    " REVOKE PROCESS ON *.* FROM " + ACCOUNTS,
    POSTGRESQL: "ALTER ROLE sbtest CONNECTION LIMIT -1;"
    " GRANT ALL ON ALL TABLES IN SCHEMA public TO sbtest; REVOKE pg_read_all_stats FROM sbtest",
}
HEALTHY[MYSQL] = (
    HEALTHY[MARIADB] + "; REVOKE IF EXISTS SELECT ON performance_schema.* FROM " + ACCOUNTS
)


def confine(pid: int, cpus: set[int], nice: int = 0) -> None:
    """A process with all of its threads, as the kernel does when a CPU is unplugged."""
    with contextlib.suppress(FileNotFoundError):  # it has ended
        for task in os.listdir("/proc/%d/task" % pid):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(task), cpus)
                os.setpriority(os.PRIO_PROCESS, int(task), nice)


def matrix_instance(matrix: str, options: list[str]) -> Instance:
    """MySQL, in the suite of Debian that has one (tests/matrix)."""
    sys.path.append(os.path.join(harness.SOURCE, "tests", "matrix"))
    from versions.single import Mysql9

    service = Mysql9(matrix)
    service.stop()  # a run that was killed left it
    place = service.root(service.suite, service.packages)
    program = place.root + "/usr/sbin/mysqld-from-outside"
    argv = place.argv(True, ["/usr/sbin/mysqld"])
    with open(program, "w") as f:
        f.write('#!/bin/sh\nexec %s "$@"\n' % shlex.join(argv))
    os.chmod(program, 0o755)
    what: dict[str, Any] = {"program": program, "options": options, "os_user_name": "nobody"}
    return Instance.create(service.folder + "/server", engine=MYSQL, **what)


class Server:
    """One private server with a table of ours in it."""

    def __init__(self, engine: str, sysbench: str, matrix: str = "") -> None:
        self.engine = engine
        options = OPTIONS[engine]
        self.instance = harness.started(
            matrix_instance(matrix, options)
            if engine == MYSQL
            else Instance.create_temporary(engine=engine, options=options),
            [sysbench, "oltp_read_write", "--table-size=%d" % ROWS],
        )
        self.heal()

    def arguments(self) -> list[str]:
        """The options with which sysbench reaches it."""
        return self.instance.module.arguments(self.instance)

    def tcp(self) -> list[str]:
        """The same over the loopback interface."""
        return self.instance.module.arguments(self.instance, tcp=True)

    def client(self) -> list[str]:
        """The server's own client, as its administrator."""
        return harness.client(self.instance)

    def sql(self, statement: str) -> str:
        return harness.sql(self.instance, statement)

    def kill(self) -> None:
        """As the kernel does when memory is short."""
        pid, ident = self.instance.running_pid(), self.instance.ident
        children = self.processes()
        os.kill(pid, signal.SIGKILL)
        process.wait_gone(pid, ident, 30)
        with contextlib.suppress(ChildProcessError):  # PostgreSQL takes a zombie for alive
            os.waitpid(pid, 0)
        for child in children:  # PostgreSQL's processes notice that their parent has gone
            for _ in range(500):
                if process.identity(child) is None:
                    break
                time.sleep(0.02)

    def processes(self) -> list[int]:
        """The children of the server, PostgreSQL's connections among them."""
        path = "/proc/%d/task/%d/children" % ((self.instance.running_pid(),) * 2)
        with open(path) as f:
            return [int(word) for word in f.read().split()]

    def crash(self, pause: float = 0) -> None:
        """Killed, and started again."""
        self.kill()
        time.sleep(pause)
        self.start()

    def stall(self, seconds: float) -> None:
        self.freeze()
        time.sleep(seconds)
        self.thaw()

    def freeze(self) -> None:
        os.kill(self.instance.running_pid(), signal.SIGSTOP)
        for pid in self.processes():  # from here on it starts none
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in [self.instance.running_pid()] + self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def confine(self, cpus: set[int], nice: int) -> None:
        """To these CPUs, with this priority."""
        for pid in [self.instance.running_pid()] + self.processes():
            confine(pid, cpus, nice)

    def start(self) -> None:
        self.instance.start()

    def restart(self) -> None:
        self.instance.restart()

    def connections(self) -> list[int]:
        """Ids of the load's connections."""
        out = self.sql(
            "SELECT id FROM information_schema.processlist WHERE user = 'sbtest'"
            if self.engine != POSTGRESQL
            else "SELECT pid FROM pg_stat_activity WHERE usename = 'sbtest'"
        )
        return [int(line) for line in out.split()]

    def end_connection(self, number: int) -> None:
        with contextlib.suppress(LabError):  # it may have gone meanwhile
            self.sql(
                "KILL %d" % number
                if self.engine != POSTGRESQL
                else "SELECT pg_terminate_backend(%d)" % number
            )

    def heal(self) -> None:
        if self.instance.is_running():
            self.thaw()
        else:
            self.start()
        if self.instance.options != OPTIONS[self.engine]:
            self.instance.restart(OPTIONS[self.engine])
        self.confine(os.sched_getaffinity(0), 0)
        self.sql(HEALTHY[self.engine])

    def end(self) -> None:
        if self.instance.is_running():
            self.thaw()
        harness.ended(self.instance)


class Servers:
    """One of each kind that is asked for."""

    def __init__(self, sysbench: str, matrix: str = "") -> None:
        self.sysbench, self.matrix = sysbench, matrix
        self.known: dict[str, Server] = {}

    def __call__(self, engine: str) -> Server:
        if engine not in self.known:
            self.known[engine] = Server(engine, self.sysbench, self.matrix)
        return self.known[engine]

    def end(self) -> None:
        for server in self.known.values():
            server.end()
