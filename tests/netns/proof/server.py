# SPDX-License-Identifier: GPL-2.0-or-later
"""The database host: a private MariaDB in its namespace, and what it says of itself.

What it counts is a witness that no sysbench has touched: statements executed, connections by the
address that they came from, the CPU time of its process.
"""

from __future__ import annotations

import time

from lib import harness
from sblab import LabError
from sysbench_lab.servers.instance import Instance

from .net import ADDRESS, DB, Network

ROWS = 1000
TEST = "oltp_point_select"  # one statement a transaction: light enough for two CPUs
SPARE = 64


class Server:
    def __init__(self, net: Network, sysbench: str, connections: int) -> None:
        self.instance = Instance.create_temporary(engine="mariadb")
        # of its namespace alone, so it is as private as one on the loopback interface
        self.instance.options = [
            "--bind-address=" + ADDRESS[DB],
            "--max-connections=%d" % (connections + SPARE),
            "--back-log=%d" % (connections + SPARE),
            "--thread-cache-size=%d" % connections,
            "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=2",
        ]
        self.instance.prefix = ["ip", "netns", "exec", net.name(DB)]
        prepare = [sysbench, TEST, "--table-size=%d" % ROWS]
        harness.started(self.instance, prepare, net.enter(DB))
        self.sql("CREATE USER 'sbtest'@'%'; GRANT ALL ON sbtest.* TO 'sbtest'@'%'")

    def arguments(self) -> list[str]:
        """The options with which a rank reaches it."""
        words = self.instance.module.arguments(self.instance, tcp=True)
        return [*words, "--mysql-host=" + ADDRESS[DB], "--table-size=%d" % ROWS]

    def sql(self, statement: str) -> str:
        """Through its socket, which all namespaces see, as its administrator."""
        return harness.sql(self.instance, statement)

    def executed(self) -> int:
        """Prepared statements executed since the start: one for each transaction of TEST."""
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'").split()[1])

    def clients(self) -> dict[str, int]:
        """Connections of the load by the address that they come from."""
        rows = self.sql(
            "SELECT SUBSTRING_INDEX(host, ':', 1), COUNT(*) FROM information_schema.processlist"
            " WHERE user = 'sbtest' GROUP BY 1"
        )
        return {row.split()[0]: int(row.split()[1]) for row in rows.splitlines()}

    def alone(self) -> None:
        """Waits until it has let go of the connections of the last run."""
        deadline = time.monotonic() + 60
        while self.clients():
            if time.monotonic() > deadline:
                raise LabError("the server keeps connections of a run that has ended")
            time.sleep(0.1)

    def cpu_s(self) -> float:
        return process_cpu_s(self.instance.running_pid())

    def end(self) -> None:
        harness.ended(self.instance)


def process_cpu_s(pid: int) -> float:
    """CPU time of another process, to the nanosecond, threads that have ended included."""
    return time.clock_gettime(~pid << 3 | 2)
