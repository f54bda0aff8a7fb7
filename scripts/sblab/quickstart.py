#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One transaction rate, a growing number of connections, two thread schedulers.

Builds the program, starts a private MariaDB, loads tables and measures the
server's maximum throughput.  Then runs about half of that rate with each number
of connections under one-thread-per-connection and pool-of-threads.  The rate is
constant, so the work is the same in every run: differences in the server's CPU
and in the latency are the overhead of the connections.

The experiment is the example constant-rate of sysbench-lab, cut down to a few
minutes.  Its results are in a folder that sysbench-lab reads: the answer, the
table, pictures, a page, and the reports of every run.
"""

# What flows: options -> a command line of sysbench-lab -> experiment and results folder -> build ->
# in one sitting, so that server and tables serve both: the rate, then the runs -> the laboratory's
# table, pictures and page.  Only the rate and the build are from here.

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import os
import shlex
import shutil
import signal
import sys
import time
from typing import Any, Sequence

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, say  # noqa: E402
from sysbench_lab import commands, experiment, main, runner, search, signals  # noqa: E402
from sysbench_lab.book import Book, write_file  # noqa: E402
from sysbench_lab.model import PlannedRun, Row  # noqa: E402
from sysbench_lab.plan import BUILT_IN  # noqa: E402
from sysbench_lab.private_target import PrivateTarget  # noqa: E402
from sysbench_lab.target import Target  # noqa: E402

EXAMPLE = "constant-rate"
CALIBRATION_CONNECTIONS = 16
CALIBRATION_S = 4
WARMUP_S = 2
INTERRUPTED = 130
LAB = os.path.join(SOURCE, "scripts", "sysbench-lab")


# ---- the experiment ----------------------------------------------------------------


def settings(args: argparse.Namespace) -> dict[str, str]:
    """What the experiment changes in the example besides the short flags."""
    # a row of a table takes some 220 bytes, index included; twice that is generous
    rows_mb = args.tables * args.table_size * 440 >> 20
    return {
        "client.program": os.path.join(args.build, "src", "sysbench"),
        "load.workers": "0",
        # the whole takes as long as it says
        "measure.repeat_disturbed": "0",
        "server.option.innodb_buffer_pool_size": "%dM" % max(256, rows_mb + 128),
        "server.option.innodb_buffer_pool_dump_pct": "100",
        "server.option.innodb_flush_log_at_trx_commit": "2",
        "server.option.table_open_cache": str(max(2000, max(args.connections) * args.tables + 400)),
    }


def lab_arguments(args: argparse.Namespace, rate: float) -> list[str]:
    """The command line of sysbench-lab that measures the same; without a rate, the example's."""
    short = {
        "name": "quickstart",
        "script": args.workload,
        "threads": ",".join(map(str, args.connections)),
        "tx-rate": "%.10g" % rate if rate else None,
        "tables": args.tables,
        "table-size": args.table_size,
        "engine": "mariadb",
        "time": args.time,
        "warmup": WARMUP_S,
        "repeats": args.rounds,
    }
    flags = ["--%s=%s" % pair for pair in short.items() if pair[1] is not None]
    return ["run", EXAMPLE, *flags, *("--set=%s=%s" % pair for pair in settings(args).items())]


def asked(args: argparse.Namespace, rate: float) -> tuple[Any, Any, str]:
    """Experiment, plan and source text, as sysbench-lab makes them."""
    return commands.asked(main.parser().parse_args(lab_arguments(args, rate)))


# ---- measuring -----------------------------------------------------------------------


def calibrate(session: Any, made: Any) -> float:
    """About half of what the server can do; a single connection may not be able to carry that.

    Its cells then say that the rate was not sustained.
    """
    cell = made.cells[0]
    flat_out = dict(search.flat_out(cell.settings))
    flat_out["load.threads"] = CALIBRATION_CONNECTIONS
    folder = os.path.join(session.book.folder, "calibration")
    row = session.measure(
        PlannedRun(0, 1, cell.number),
        dataclasses.replace(cell, settings=flat_out),
        folder,
        (),
        CALIBRATION_S,
    )
    if row["status"] == "failed" or not row["tps"]:
        raise LabError("no rate to begin with: %s" % (row["why"] or "nothing was done without one"))
    rate = round_down(row["tps"] / 2)
    if rate < 1:
        raise LabError("%.2f transactions/s at most; give a rate with --rate" % row["tps"])
    session.progress.note(
        "%.0f transactions/s at most with %d connections; the rate is %.10g, %.0f %% of it"
        % (row["tps"], CALIBRATION_CONNECTIONS, rate, 100 * rate / row["tps"])
    )
    return rate


def round_down(rate: float) -> float:
    """Two significant digits, so that the rate is one to remember."""
    unit = 10 ** max(0, math.floor(math.log10(rate)) - 1)
    return math.floor(rate / unit) * unit


def run_all(args: argparse.Namespace, exp: Any, made: Any, book: Any, progress: Any) -> None:
    """The rate, unless one was asked for, and all runs; for commands.go."""
    with runner.session(exp, book, progress) as session:
        if not args.rate:
            args.rate = calibrate(session, made)
            exp, made, text = asked(args, args.rate)
            book.replan(exp, made)
            write_file(os.path.join(book.folder, "experiment.toml"), text)
            session.exp = exp
        progress.start(made)
        session.run_missing(made)
        if args.keep:
            keep(session.target)


def keep(target: Target) -> None:
    server = target.release() if isinstance(target, PrivateTarget) else None
    if server is not None:
        say(
            "The server keeps running; it goes with:\n"
            "  scripts/dbserver stop --dir=%s --remove" % shlex.quote(server.folder)
        )


def measure(args: argparse.Namespace) -> int:
    """Exit status."""
    exp, made, text = asked(args, args.rate)
    book = Book.create(args.results, exp, made, text)  # before a build that takes minutes
    try:
        build(args.build, [])
    except BaseException:
        shutil.rmtree(args.results)
        raise
    say("results: %s\n" % args.results)
    status = commands.go(book, functools.partial(run_all, args), False)
    warn(book.rows())
    return status


def warn(rows: Sequence[Row]) -> None:
    """The first thing that a reader of a disturbed table should do."""
    reasons = [row["disturbed"] for row in rows if row["disturbed"]]
    if reasons:
        say(
            "\n%d of %d runs were disturbed (the first: %s).\n"
            "Repeat the measurement on an idle machine before you rely on these figures."
            % (len(reasons), len(rows), reasons[0])
        )


def advice(args: argparse.Namespace) -> None:
    say(
        """
Next:
  %(lab)s examples     # other experiments
  %(lab)s run %(example)s --tx-rate=%(rate).10g     # longer, with a conclusion
On your own server:
  server="--mysql-host=HOST --mysql-user=USER --mysql-password=... --mysql-db=sbtest"
  %(sysbench)s oltp_read_only $server --tables=4 --table-size=50000 --threads=4 prepare
  %(sysbench)s oltp_read_only $server --tables=4 --table-size=50000 --threads=128 \\
      --tx-rate=500 --time=60 --report-interval=1 run"""
        % {
            "lab": os.path.relpath(LAB),
            "sysbench": os.path.relpath(settings(args)["client.program"]),
            "example": EXAMPLE,
            "rate": args.rate,
        }
    )


# ---- the command line ------------------------------------------------------------------


def positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("'%s' is not a positive whole number" % text)
    return int(text)


def numbers(text: str) -> list[int]:
    return [positive(n) for n in text.split(",")]


def rate_of(text: str) -> float:
    if not experiment.is_numeral(text) or not 0 < float(text) < math.inf:
        raise argparse.ArgumentTypeError("'%s' is not a positive number" % text)
    return float(text)


def script(text: str) -> str:
    if text in BUILT_IN or "," in text:
        raise argparse.ArgumentTypeError("'%s' is not one of the oltp_* scripts" % text)
    return text


def parse(argv: list[str]) -> argparse.Namespace:
    p = main.Parser(
        prog="scripts/quickstart",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "--connections",
        metavar="N[,N...]",
        default=[1, 16, 128, 512],
        type=numbers,
        help="numbers of connections (default 1,16,128,512)",
    )
    p.add_argument(
        "--rate",
        type=rate_of,
        default=0,
        metavar="TPS",
        help="transactions per second (default: about half of the server's maximum)",
    )
    p.add_argument(
        "--workload",
        type=script,
        metavar="TEST",
        default="oltp_read_only",
        help="one of the oltp_* scripts (default %(default)s)",
    )
    for flag, default, metavar, text in (
        ("--time", 5, "S", "length of each run in seconds"),
        ("--rounds", 2, "N", "number of times each case is measured"),
        ("--tables", 4, "N", "number of tables"),
        ("--table-size", 50000, "ROWS", "rows of each table"),
    ):
        text += " (default %(default)s)"
        p.add_argument(flag, type=positive, default=default, metavar=metavar, help=text)
    p.add_argument("--build", default="", metavar="PATH", help="build folder (default build/)")
    p.add_argument("--results", metavar="PATH", help="default: results/quickstart-DATE")
    p.add_argument("--keep", action="store_true", help="leave the server running at the end")
    args = p.parse_args(argv)
    args.build = os.path.abspath(args.build or os.path.join(SOURCE, "build"))
    dated = os.path.join(SOURCE, "results", time.strftime("quickstart-%Y%m%d-%H%M%S"))
    args.results = os.path.abspath(args.results or dated)
    return args


def quickstart(argv: list[str]) -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sig) != signal.SIG_IGN:  # nohup
            signal.signal(sig, signals.interrupt)
    began = time.monotonic()
    try:
        args = parse(argv)
        status = measure(args)
        if status == 0:
            advice(args)
            say("\n%.0f s" % (time.monotonic() - began))
        elif status == INTERRUPTED:
            sys.stderr.write("quickstart: interrupted\n")
        return status
    except LabError as e:
        sys.stderr.write("quickstart: %s\n" % e)
        return e.status
    except KeyboardInterrupt:
        sys.stderr.write("quickstart: interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(quickstart(sys.argv[1:]))
