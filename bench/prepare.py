#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures how long prepare takes, beside stock sysbench, on private servers.

  bench/prepare.py                          # MariaDB and PostgreSQL, 5 pairs of each case
  bench/prepare.py --stock=PATH --pairs=3   # another stock sysbench
  bench/prepare.py --scale=0.1              # a tenth of the rows: checks the script itself

A case is made by both programs, one after the other, and the order turns with every pair.  Each
run begins with no tables.  CPU is that of the program and its threads, from the kernel, user and
system together.  After every run the number of rows and a checksum of every table are read.  Ours
must be the same after each run.  Stock's differ now and then: its threads take their random
streams in the order in which they happen to start.  So the table says in how many pairs they are
equal.  Stock's prepare does not heed --rand-seed, so ours gets none either.

It prints a table in Markdown: medians, and the medians of the pairs' ratios.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = os.path.dirname(os.path.realpath(__file__))
DBSERVER = os.path.join(HERE, "..", "scripts", "dbserver")
SYSBENCH = os.path.join(HERE, "..", "build", "src", "sysbench")

TUNED = {
    "mariadb": ["--innodb-buffer-pool-size=1G", "--innodb-flush-log-at-trx-commit=2"],
    "postgresql": ["--shared_buffers=512MB", "--max_wal_size=4GB"],
}


class Case(NamedTuple):
    engine: str
    tables: int
    rows: int
    threads: int


CASES = [
    Case("mariadb", 4, 250000, 4),
    Case("mariadb", 1, 1000000, 4),
    Case("postgresql", 4, 250000, 4),
    Case("postgresql", 1, 1000000, 4),
]


class Run(NamedTuple):
    seconds: float
    cpu: float
    tables: list[str]


class Server:
    """A private one, as described by scripts/dbserver."""

    def __init__(self, engine: str, directory: str) -> None:
        self.directory = os.path.join(directory, engine)
        os.chmod(directory, 0o711)
        text = subprocess.run(
            [DBSERVER, "start", "--engine=" + engine, "--dir=" + self.directory, "--"]
            + TUNED[engine],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        pairs = [line.split("=", 1) for line in text.splitlines() if "=" in line]
        self.about = {name: "".join(shlex.split(value)) for name, value in pairs}
        self.engine = engine
        self.args = shlex.split(self.about["args"])

    def sql(self, text: str) -> str:
        a = self.about
        if self.engine == "mariadb":
            command = ["mariadb", "--no-defaults", "-S" + a["socket"], "-u" + a["admin"]]
            command += ["--batch", "--skip-column-names", a["db"], "-e", text]
        else:
            command = ["psql", "-X", "-h", os.path.dirname(a["socket"]), "-p", a["port"]]
            command += ["-U", a["user"], "-d", a["db"], "-At", "-c", text]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def table(self, number: int) -> str:
        """Rows and checksum."""
        name = "sbtest%d" % number
        if self.engine == "mariadb":
            parts = [self.sql("SELECT COUNT(*) FROM " + name), self.sql("CHECKSUM TABLE " + name)]
            return " ".join(" ".join(parts).split())
        digest = "md5(string_agg(concat_ws(',', id, k, c, pad), ' ' ORDER BY id))"
        return self.sql("SELECT COUNT(*), %s FROM %s" % (digest, name)).strip()

    def stop(self) -> None:
        subprocess.run([DBSERVER, "stop", "--dir=" + self.directory, "--remove"], check=True)


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(program: str, server: Server, case: Case, word: str) -> list[str]:
    sizes = ["--tables=%d" % case.tables, "--table-size=%d" % case.rows]
    return (
        [program, "oltp_read_write"]
        + server.args
        + sizes
        + ["--threads=%d" % case.threads, "--verbosity=1", word]
    )


def prepare(program: str, server: Server, case: Case) -> Run:
    subprocess.run(command(program, server, case, "cleanup"), check=True, stdout=subprocess.DEVNULL)
    cpu, began = children_cpu(), time.monotonic()
    subprocess.run(command(program, server, case, "prepare"), check=True, stdout=subprocess.DEVNULL)
    took, cpu = time.monotonic() - began, children_cpu() - cpu
    return Run(took, cpu, [server.table(t + 1) for t in range(case.tables)])


def middle(values: list[float]) -> float:
    return statistics.median(values)


def equal(stock: list[Run], ours: list[Run]) -> str:
    if any(r.tables != ours[0].tables for r in ours):
        return "OURS DIFFER"
    return "%d of %d" % (sum(s.tables == ours[0].tables for s in stock), len(stock))


def row(case: Case, stock: list[Run], ours: list[Run]) -> str:
    rows = case.tables * case.rows
    pairs = list(zip(ours, stock))
    return "| %s | %d x %s | %d | %.1f | %.1f | %.2f | %.2f | %.2f | %.2f | %s |" % (
        case.engine,
        case.tables,
        format(case.rows, ","),
        case.threads,
        middle([r.seconds for r in stock]),
        middle([r.seconds for r in ours]),
        middle([o.seconds / s.seconds for o, s in pairs]),
        middle([r.cpu / rows * 1e6 for r in stock]),
        middle([r.cpu / rows * 1e6 for r in ours]),
        middle([o.cpu / s.cpu for o, s in pairs]),
        equal(stock, ours),
    )


def measure(args: argparse.Namespace, server: Server, case: Case) -> str:
    runs: dict[str, list[Run]] = {args.stock: [], args.sysbench: []}
    for i in range(args.pairs):
        for program in (args.stock, args.sysbench)[:: 1 if i % 2 == 0 else -1]:
            runs[program].append(prepare(program, server, case))
            r = runs[program][-1]
            print("# %s %s: %.2f s, %.2f s CPU" % (case, program, r.seconds, r.cpu), flush=True)
    return row(case, runs[args.stock], runs[args.sysbench])


HEAD = (
    "| server | tables | threads | stock, s | sysbench-tx, s | ratio"
    " | stock, µs CPU per row | sysbench-tx | ratio | equal checksums |\n" + "|---" * 10 + "|"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sysbench", default=SYSBENCH, metavar="PATH")
    parser.add_argument("--stock", default="/usr/bin/sysbench", metavar="PATH")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1, metavar="FACTOR")
    parser.add_argument("--engine", choices=sorted(TUNED), action="append")
    args = parser.parse_args()
    lines = [HEAD]
    for engine in args.engine or sorted(TUNED):
        with tempfile.TemporaryDirectory() as directory:
            server = Server(engine, directory)
            try:
                for case in CASES:
                    if case.engine == engine:
                        scaled = case._replace(rows=int(case.rows * args.scale))
                        lines.append(measure(args, server, scaled))
            finally:
                server.stop()
    print("\n".join(lines))
    return 1 if any("DIFFER" in line for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
