#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One transaction rate, a growing number of connections, two thread schedulers.

Builds the program, starts a private MariaDB, loads tables and measures the
server's maximum throughput.  Then runs about half of that rate with each number
of connections under one-thread-per-connection and pool-of-threads.  The rate is
constant, so the work is the same in every run: differences in the server's CPU
and in the latency are the overhead of the connections.

The server keeps its data when the scheduler changes.  The schedulers alternate in
the order A B B A ..., so that a slow drift of the machine affects both.
The results folder contains the output of every run, all figures (runs.tsv), the
table (table.txt, table.csv) and a description of the machine and the software.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import platform
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from typing import Iterator, Sequence  # noqa: E402

from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, say  # noqa: E402
from sblab.figures import align, cpu_model, cpu_times, mean, others, round_down, shown  # noqa: E402
from sysbench_lab.readers import own_text as report  # noqa: E402
from sysbench_lab.readers.own_text import Figures  # noqa: E402
from sysbench_lab.servers.instance import Instance  # noqa: E402

SCHEDULERS = ("one-thread-per-connection", "pool-of-threads")
CALIBRATION_CONNECTIONS = 16
FOREIGN_LIMIT = 15  # % of all CPUs that others may take before a run is called disturbed
# title, figure of report.parse(), decimals
COLUMNS = (
    ("tps", "achieved", 1),
    ("mysqld %usr", "server_usr_pct", 2),
    ("mysqld %sys", "server_sys_pct", 2),
    ("mysqld %cpu", "server_cpu_pct", 2),
    ("avg-resp", "response_mean", 2),
    ("95%-resp", "response_p95", 2),
    ("99%-resp", "response_p99", 2),
    ("lag p99", "lag_p99", 2),
)


class Quickstart:
    """One sitting: its options, its server, its results."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.results = os.path.abspath(
            args.results
            or os.path.join(SOURCE, "results", time.strftime("quickstart-%Y%m%d-%H%M%S"))
        )
        self.build_folder = os.path.abspath(args.build)
        self.binary = os.path.join(self.build_folder, "src", "sysbench")
        self.started: Instance | None = None
        self.rate = args.rate
        self.runs: list[Figures] = []  # figures of each run, in the order of running
        self.count = 0

    # ---- steps --------------------------------------------------------------

    def server_options(self, scheduler: str) -> list[str]:
        most = max(self.args.connections + [CALIBRATION_CONNECTIONS])
        # a row of a table takes some 220 bytes, index included twice that is generous
        rows_mb = self.args.tables * self.args.table_size * 440 >> 20
        return [
            "--thread-handling=" + scheduler,
            "--innodb-buffer-pool-size=%dM" % max(256, rows_mb + 128),
            "--innodb-buffer-pool-dump-pct=100",
            "--innodb-flush-log-at-trx-commit=2",
            "--performance-schema=OFF",
            "--max-connections=%d" % max(600, most + 88),
            "--max-prepared-stmt-count=1048576",
            "--table-open-cache=%d" % max(2000, most * self.args.tables + 400),
        ]

    def sysbench(self, name: str, arguments: Sequence[str]) -> Figures:
        """Runs the program, keeps its output; LabError with its own words when it fails."""
        argv = (
            [
                self.binary,
                self.args.workload,
                "--tables=%d" % self.args.tables,
                "--table-size=%d" % self.args.table_size,
            ]
            + self.server.module.arguments(self.server)
            + arguments
        )
        self.count += 1
        path = os.path.join(self.results, "%02d-%s.txt" % (self.count, name))
        with open(path, "w") as f:
            f.write("$ %s\n" % " ".join(map(shlex.quote, argv)))
            f.flush()
            begin = f.tell()
            code = subprocess.call(
                argv, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT
            )
        with open(path, errors="replace") as f:
            f.seek(begin)
            text = f.read()
        if code != 0:
            last = [line for line in text.splitlines() if line.strip()][-3:]
            raise LabError(
                "sysbench ended with status %d: %s (all of it: %s)"
                % (code, " / ".join(last) or "no output", path)
            )
        return report.parse(text)

    @property
    def server(self) -> Instance:
        """The private server, once start() has made it."""
        assert self.started is not None
        return self.started

    def start(self) -> None:
        self.started = Instance.create_temporary(options=self.server_options(SCHEDULERS[0]))
        began = time.monotonic()
        self.server.start()
        say(
            "server     %6.1f s   %s, pid %d, %s"
            % (
                time.monotonic() - began,
                self.server.version,
                self.server.running_pid(),
                self.server.folder,
            )
        )
        began = time.monotonic()
        self.sysbench("prepare", ["--threads=%d" % min(self.args.tables, 4), "prepare"])
        say(
            "prepare    %6.1f s   %d tables of %d rows"
            % (time.monotonic() - began, self.args.tables, self.args.table_size)
        )

    def closed_loop(self, name: str, seconds: float) -> float:
        """As fast as it goes: transactions per second with a few connections."""
        figures = self.sysbench(
            name, ["--threads=%d" % CALIBRATION_CONNECTIONS, "--time=%d" % seconds, "run"]
        )
        if not figures["tps"]:
            raise LabError("the report of %s shows no transactions per second" % name)
        return figures["tps"]

    def choose_rate(self) -> None:
        """Half of what the server can do, as far as nothing else was asked for.

        A single connection may not be able to carry that: it waits for one answer after the other.
        Its cells then say that the rate was not sustained, and why.
        """
        self.closed_loop("warm-up", 2)
        most = self.closed_loop("calibrate", 4)
        say(
            "calibrate             %.0f transactions/s at most with %d connections"
            % (most, CALIBRATION_CONNECTIONS)
        )
        if not self.rate:
            self.rate = round_down(most / 2)
        say(
            "rate                  %g transactions/s from here on, %.0f %% of the most"
            % (self.rate, 100 * self.rate / most)
        )

    def change_scheduler(self, scheduler: str) -> None:
        if self.server_options(scheduler) == self.server.options:
            return
        began = time.monotonic()
        self.server.restart(self.server_options(scheduler))
        self.closed_loop("warm-up", 2)
        say("restart    %6.1f s   with %s, warmed up" % (time.monotonic() - began, scheduler))

    def measure(self, scheduler: str, connections: int, number: int) -> None:
        name = "%s-%04d" % (scheduler, connections)
        before = cpu_times()
        figures = self.sysbench(
            name,
            [
                "--threads=%d" % connections,
                "--workers=0",
                "--time=%d" % self.args.time,
                "--tx-rate=%g" % self.rate,
                "--server=%d" % self.server.running_pid(),
                "run",
            ],
        )
        figures.update(
            scheduler=scheduler,
            connections=connections,
            round=number + 1,
            others_cpu_pct=others(before, cpu_times(), figures),
        )
        self.runs.append(figures)
        say(
            "run %2d/%-2d             %-25s %5d connections  %8s tps  %6s %%cpu  %8s ms p99%s"
            % (
                len(self.runs),
                self.total_runs(),
                scheduler,
                connections,
                shown(figures["achieved"], 1),
                shown(figures["server_cpu_pct"], 2),
                shown(figures["response_p99"], 2),
                "  NOT SUSTAINED" if figures["sustained"] == "no" else "",
            )
        )

    def total_runs(self) -> int:
        return len(SCHEDULERS) * len(self.args.connections) * self.args.rounds

    def measure_all(self) -> None:
        for number in range(self.args.rounds):
            turn = -1 if number % 2 else 1
            for scheduler in SCHEDULERS[::turn]:
                self.change_scheduler(scheduler)
                for connections in self.args.connections[::turn]:
                    self.measure(scheduler, connections, number)

    def clean_up(self) -> None:
        """Nothing may interrupt this: a server left behind would eat memory for ever."""
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_IGN)
        if self.started is None:
            return
        if self.args.keep and self.server.is_running() and sys.exc_info()[0] is None:
            say(
                "\nThe server keeps running; it goes with:\n"
                "  scripts/dbserver stop --dir=%s --remove" % self.server.folder
            )
            return
        self.server.stop(10)
        self.server.remove()

    # ---- results --------------------------------------------------------------

    def cells(self) -> Iterator[list[str]]:
        """One row per scheduler and number of connections: the mean over the rounds.

        A run that did not hold the rate makes its cell say so; it is never averaged away.
        """
        for scheduler in SCHEDULERS:
            for connections in self.args.connections:
                runs = [
                    r
                    for r in self.runs
                    if (r["scheduler"], r["connections"]) == (scheduler, connections)
                ]
                if not runs:
                    continue
                verdicts = [r["sustained"] or "n/a" for r in runs]
                verdict = (
                    verdicts[0]
                    if len(set(verdicts)) == 1
                    else "%d of %d" % (verdicts.count("yes"), len(verdicts))
                )
                yield (
                    [scheduler, str(connections)]
                    + [shown(mean([r[key] for r in runs]), places) for _, key, places in COLUMNS]
                    + [verdict]
                )

    def table(self) -> list[list[str]]:
        head = ["scheduler", "connections"] + [c[0] for c in COLUMNS] + ["sustained"]
        return [head] + list(self.cells())

    def write(self) -> str:
        """All files of the results folder but the runs' own outputs; returns the table as text."""
        table = self.table()
        text = align(table)
        with open(os.path.join(self.results, "table.txt"), "w") as f:
            f.write(text + "\n")
        with open(os.path.join(self.results, "table.csv"), "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows(table)
        keys = ["scheduler", "connections", "round"]
        keys += [k for k in self.runs[0] if k not in keys] if self.runs else []
        with open(os.path.join(self.results, "runs.tsv"), "w", newline="") as f:
            rows = csv.writer(f, delimiter="\t", lineterminator="\n")
            rows.writerow(keys)
            rows.writerows([["n/a" if r[k] is None else r[k] for k in keys] for r in self.runs])
        with open(os.path.join(self.results, "environment.txt"), "w") as f:
            f.write("".join("%s: %s\n" % pair for pair in self.environment()))
        return text

    def environment(self) -> Iterator[tuple[str, str]]:
        yield "date", time.strftime("%Y-%m-%d %H:%M:%S %z")
        yield "kernel", " ".join(platform.uname()[i] for i in (0, 2, 4))
        yield "cpu", "%s x %s" % (cpu_model(), os.cpu_count())
        yield (
            "sysbench",
            subprocess.run(
                [self.binary, "--version"], stdout=subprocess.PIPE, text=True
            ).stdout.strip(),
        )
        yield "server", self.server.version or "unknown"
        for scheduler in SCHEDULERS:
            yield "options, " + scheduler, " ".join(self.server_options(scheduler))
        yield (
            "workload",
            "%s, %d tables of %d rows"
            % (self.args.workload, self.args.tables, self.args.table_size),
        )
        yield "rate", "%g per sec." % self.rate
        yield "rounds", "%d of %d s for each run" % (self.args.rounds, self.args.time)

    def show(self) -> None:
        """What has been measured, complete or not."""
        text = self.write()
        a = self.args
        say(
            "\n%s, %g transactions/s offered; %s of %d s%s; mysqld in %% of %s CPUs, "
            "times in ms\n\n%s"
            % (
                a.workload,
                self.rate,
                "%d rounds" % a.rounds if a.rounds > 1 else "1 round",
                a.time,
                ", means" if a.rounds > 1 else "",
                os.cpu_count(),
                text,
            )
        )
        for n, (scheduler, connections, why) in enumerate(self.reasons()):
            say("%s%s, %d: %s" % ("" if n else "\nnot sustained:\n", scheduler, connections, why))
        disturbed = [
            r["others_cpu_pct"] for r in self.runs if (r["others_cpu_pct"] or 0) > FOREIGN_LIMIT
        ]
        if disturbed:
            say(
                "\nOther processes used up to %.0f %% of the CPUs in %d of %d runs. "
                "Repeat the measurement"
                " on an idle\nmachine before you rely on these figures."
                % (max(disturbed), len(disturbed), len(self.runs))
            )
        say("\nResults: %s" % self.results)

    def reasons(self) -> Iterator[tuple[str, int, str]]:
        """Why a cell did not hold the rate, once per cell."""
        seen = set()
        for r in self.runs:
            cell = (r["scheduler"], r["connections"])
            if r["sustained"] == "no" and r["why"] and cell not in seen:
                seen.add(cell)
                yield cell + (r["why"],)

    def advice(self) -> None:
        binary = os.path.relpath(self.binary)
        host = "--mysql-host=HOST --mysql-user=USER --mysql-password=... --mysql-db=sbtest"
        say(
            """
Next, on your own server:
  %(b)s oltp_read_only %(h)s --tables=4 --table-size=50000 --threads=4 prepare
  %(b)s oltp_read_only %(h)s --tables=4 --table-size=50000 --threads=128 \\
      --tx-rate=500 --time=60 --report-interval=1 run
When sysbench runs on the server's host, the report also shows the server's CPU \
(--server=auto or --server=PID).
To start a private server for experiments: \
scripts/dbserver start -- --thread-handling=pool-of-threads"""
            % {"b": binary, "h": host}
        )

    def run(self) -> None:
        os.makedirs(self.results, exist_ok=True)
        build(self.build_folder, [])
        try:
            self.start()
            self.choose_rate()
            self.measure_all()
        finally:
            try:
                if self.runs:
                    self.show()
            finally:
                self.clean_up()
        self.advice()


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("'%s' is not a positive number" % text)
    return value


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="scripts/quickstart",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "--connections",
        metavar="N[,N...]",
        default=[1, 16, 128, 512],
        type=lambda s: [positive(n) for n in s.split(",")],
        help="numbers of connections (default 1,16,128,512)",
    )
    p.add_argument(
        "--rate",
        type=float,
        default=0,
        metavar="TPS",
        help="transactions per second (default: about half of the server's maximum)",
    )
    p.add_argument(
        "--time",
        type=positive,
        default=5,
        metavar="S",
        help="length of each run in seconds (default %(default)s)",
    )
    p.add_argument(
        "--rounds",
        type=positive,
        default=2,
        metavar="N",
        help="number of times each case is measured (default %(default)s)",
    )
    p.add_argument(
        "--workload",
        default="oltp_read_only",
        help="one of the oltp_* scripts (default %(default)s)",
    )
    p.add_argument("--tables", type=positive, default=4, metavar="N", help="default %(default)s")
    p.add_argument(
        "--table-size", type=positive, default=50000, metavar="ROWS", help="default %(default)s"
    )
    p.add_argument(
        "--build",
        default=os.path.join(SOURCE, "build"),
        metavar="PATH",
        help="build folder (default build/)",
    )
    p.add_argument(
        "--results", metavar="PATH", help="folder for the results (default results/quickstart-DATE)"
    )
    p.add_argument("--keep", action="store_true", help="leave the server running at the end")
    args = p.parse_args()
    if not 0 <= args.rate < math.inf:
        p.error("--rate takes a positive number")
    return args


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))
    began = time.monotonic()
    try:
        Quickstart(parse()).run()
    except LabError as e:
        sys.stderr.write("quickstart: %s\n" % e)
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("quickstart: interrupted\n")
        return 130
    say("\n%.0f s" % (time.monotonic() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
