#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the figures in the documentation against stock sysbench and pgbench.

  bench/rate.py --only=lag,stall

Starts a private MariaDB (for the sections about many connections a second one, with
a pool of threads: --server) and, for pgbench, a private PostgreSQL.  Runs the
sections below one after the other on this machine, alternating the programs of
each case.  Writes every output, every figure and a Markdown report into a results
directory.  Needs Linux, Python 3.9, a built sysbench and MariaDB's server program.
Comparisons also need Debian's sysbench, and PostgreSQL with pgbench.

  steady    1,200/s with 1, 16, 256, 2,048 connections: achieved/target
  noop      an empty event at 0.1 to 100,000/s with 1, 4, 16 threads
  highest   the highest rate of an empty event
  lag       start lag at 1,200/s with 256 clients, with and without --tx-spin=60
  fair      transactions per connection at 2,048 connections
  stall     client or server stopped with SIGSTOP
  cpu       client CPU per transaction at 1,200/s, client and server on one CPU
  flat      1 to 512 threads without a rate
  events    an empty event without a rate, 1 and 2 threads
  scripts   client CPU of oltp_point_select and oltp_read_only, 1 to 512 threads
  memory    memory per client, 512 and 2,048 threads; 10,000 connections beside a bare C loop
  mux       --workers against a thread per client: client CPU per transaction, throughput
  many      10,000 connections: connecting, rate, spread
  telemetry 2,000 connections with telemetry off and on: CPU, throughput, overhead of the readings
  floor     --workers=1 against a bare C loop over the client library: client CPU per transaction
  paced     client CPU per transaction at 1,200/s over 16, 256, 2,048 connections
  both      512 connections at full speed, client and server on all CPUs: throughput and CPU

Use an idle machine: other load distorts the figures, and each table shows how much
there was.  A full run takes two and a half hours.  --quick takes a quarter of an
hour and checks the script, not the program.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from typing import Any

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from ratelib import directory, tables  # noqa: E402
from ratelib import lab as laboratory  # noqa: E402
from ratelib.runner import LabError  # noqa: E402
from ratelib.sections import SECTIONS  # noqa: E402
from ratelib.specs import HANDLING, Options  # noqa: E402


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="bench/rate.py",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--quick", action="store_true", help="make shorter runs of fewer cases")
    p.add_argument(
        "--only",
        metavar="SECTION[,SECTION...]",
        type=lambda s: s.split(","),
        default=list(SECTIONS),
        help="run only these sections",
    )
    p.add_argument(
        "--server",
        metavar="KIND[,KIND]",
        type=lambda s: s.split(","),
        default=list(HANDLING),
        help="server for mux, many, telemetry, floor, paced and both: a MariaDB with a "
        "thread per connection (threads), with a pool of threads (pool), or one after the "
        "other (threads,pool: default)",
    )
    p.add_argument(
        "--repeats", type=int, metavar="N", help="run each case N times (default 2, lag 5)"
    )
    p.add_argument(
        "--results",
        metavar="PATH",
        help="results directory (default results/rate-DATE); in an existing directory the "
        "sections that run replace their earlier records",
    )
    p.add_argument(
        "--sysbench",
        metavar="PATH",
        default=os.path.join(SOURCE, "build", "src", "sysbench"),
        help="our program (default build/src/sysbench)",
    )
    p.add_argument(
        "--stock",
        metavar="PATH",
        default=laboratory.STOCK,
        help="stock sysbench (default %(default)s)",
    )
    p.add_argument(
        "--tables",
        action="store_true",
        help="measure nothing; only regenerate the tables of --results",
    )
    args = p.parse_args()
    unknown = [s for s in args.only if s not in SECTIONS]
    if unknown:
        p.error("unknown section '%s' (known: %s)" % (unknown[0], ", ".join(SECTIONS)))
    unknown = [s for s in args.server if s not in HANDLING]
    if unknown:
        p.error("unknown server '%s' (known: %s)" % (unknown[0], ", ".join(HANDLING)))
    if args.repeats is not None and args.repeats < 1:
        p.error("--repeats takes a positive number")
    if args.tables and not args.results:
        p.error("--tables needs --results=PATH")
    args.results = os.path.abspath(
        args.results or os.path.join(SOURCE, "results", time.strftime("rate-%Y%m%d-%H%M%S"))
    )
    args.sysbench = os.path.abspath(args.sysbench)
    return args


def measure(args: argparse.Namespace) -> None:
    if not os.access(args.sysbench, os.X_OK):
        raise LabError("there is no %s; build first or give --sysbench=PATH" % args.sysbench)
    options = Options(args.quick, args.repeats, list(dict.fromkeys(args.server)))
    lab = laboratory.Lab(args)
    lab.open()
    items: list[Any] = [item for name in args.only for item in SECTIONS[name](options)]
    lab.forget(items)
    lab.planned = sum(getattr(item, "runs", 1) for item in items)
    laboratory.say(
        "%d runs, about %.0f minutes; results in %s"
        % (
            lab.planned,
            sum(getattr(i, "runs", 1) * (i.seconds + 2) for i in items) / 60,
            args.results,
        )
    )
    try:
        for item in items:
            if hasattr(item, "execute"):
                item.execute(lab)
            else:
                lab.execute(item)
    finally:
        # nothing may interrupt this: a server left behind would use memory forever
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_IGN)
        lab.close()


def run(args: argparse.Namespace) -> None:
    try:
        if not args.tables:
            measure(args)
    finally:
        if directory.load(args.results):
            text = tables.report(directory.load(args.results), directory.load_machine(args.results))
            with open(os.path.join(args.results, "report.md"), "w") as f:
                f.write(text)
            laboratory.say("\n" + text)
        else:
            directory.remove_empty(args.results)


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))
    try:
        run(parse())
    except LabError as e:
        sys.stderr.write("rate.py: %s\n" % e)
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("rate.py: interrupted\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
