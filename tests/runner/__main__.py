# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cram tests: what a user of the built binary sees.

usage: tests/test_run.sh [-u] [-v] [-j N] [FILE.t | DIRECTORY]...      (default: tests/t)

Each file runs in a fresh directory, with `sysbench` in PATH, an empty HOME, TZ=UTC and the C
locale. A copy is run, so that the source tree may be read-only; beside the copy lie include/ and
data/ as they do in the tree.  Files run several at a time; a file with a line that begins with
`Runs alone` runs when all others have ended, and when nobody else holds a lock of the file that
SB_QUIET_LOCK names (scripts/check does while other tests run).  One with a line that begins with
`Own server` gets a private server for itself.

Files named *_each.t run twice, as *_mysql.t and as *_pgsql.t: $DB is mysql or pgsql, and $SB_ARGS
are the options to reach its server.

Files named *_mysql.t meet a private MariaDB (or what DBSERVER_ENGINE names) that lives as long as
this program and holds an empty database for each of them: $SB_MYSQL_ARGS are the options to reach
it; *_pgsql.t and $SB_PGSQL_ARGS likewise with PostgreSQL.  Without a server program, or with
SB_NO_SERVER set, they are skipped; with SB_NEED_SERVER set, a MariaDB that does not start is a
failure.  SB_MYSQL_SERVER and SB_PGSQL_SERVER name files that describe servers which run already;
tests/matrix/run sets them.  With SB_NO_OWN_SERVER set, files that start servers of their own skip
themselves.  With SB_LONG set, files try all of what they otherwise try a part of (short_or_long in
tests/include/common.sh); tests/nightly sets it.

Output is TAP; a failed test is followed by its diff.  A failure is final, and so is a file that
does not end within SB_TEST_LIMIT seconds (default 300).  A file whose output is as expected, but
whose bound of time did not hold while the machine stood still or was overloaded (`timed` in
tests/include/common.sh), is inconclusive: it runs a second time, alone, when all others have ended,
and if it is inconclusive again it counts neither as passed nor as failed.  SB_TRIES=1 turns the
second run off.

Exit status: 1 when a file failed; otherwise 0 when one passed, 75 when all that ran were
inconclusive, 77 when all were skipped.  SB_COUNTS names a file that gets the line "PASSED FAILED
SKIPPED", then the lines "inconclusive NAME", "skipped NAME.t: REASON" and "took NAME SECONDS".
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fcntl
import glob
import os
import signal
import sys
from typing import Iterable

from sysbench_lab.servers import programs

from . import Bail
from .cramfile import CramFiles, Outcome, Result, name_of, runs_alone
from .servers import each_kind, kind_of, source_of, wants_own
from .world import World

# those that take longest start first, so that nothing waits for one of them at the end
LONGEST = (
    "prepare_mysql",
    "workers_mysql",
    "report_content",
    "report_style",
    "workers_lost_mysql",
    "sidebyside_golden_mysql",
    "workers_pgsql",
    "sidebyside_golden_pgsql",
    "server_profile_report",
    "report_raw_log",
    "workers",
    "cli_values",
    "report_commands",
    "configure",
    "report_faults",
    "rate_counts",
    "report_marks",
    "tls_mysql",
    "tls_pgsql",
    "sql_server_down_mysql",
    "sql_server_down_pgsql",
)
TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SLOWEST = 15
PER_CPU = 4  # a file waits most of its time


def say(text: str) -> None:
    print(text, flush=True)


def cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


def parse(argv: list[str]) -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="tests/test_run.sh",
        description=__doc__,
        allow_abbrev=False,
        usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "-u",
        dest="update",
        action="store_true",
        help="write what the commands print now into the test files (look at the diff!)",
    )
    p.add_argument("-v", "--verbose", action="store_true", help="list the slowest files at the end")
    p.add_argument(
        "-j", dest="jobs", type=int, metavar="N", help="files at a time (default: four per CPU)"
    )
    p.add_argument("files", nargs="*", metavar="FILE.t | DIRECTORY", help="default: tests/t")
    args = p.parse_args(argv)
    if args.jobs is not None and args.jobs < 1:
        p.error("-j takes a number from 1, not %d" % args.jobs)
    return args


def list_files(what: Iterable[str]) -> list[str]:
    """Files in the order of their names within each argument."""
    files: list[str] = []
    for name in what:
        if not os.path.exists(source_of(name)):
            raise Bail("no such test: %s" % name)
        if os.path.isdir(name):
            files += sorted(glob.glob(os.path.join(glob.escape(name), "**", "*.t"), recursive=True))
        elif name.endswith(".t"):
            files.append(name)
    if not files:
        raise Bail("no test files")
    return [os.path.abspath(one) for file in files for one in each_kind(file)]


def start_order(path: str) -> tuple[int, bool]:
    """The longest first, then files that need no server, since servers start meanwhile."""
    name = name_of(path)
    return LONGEST.index(name) if name in LONGEST else len(LONGEST), kind_of(path) is not None


def await_quiet() -> None:
    """Until no other test of scripts/check runs."""
    path = os.environ.get("SB_QUIET_LOCK")
    if path:
        with open(path) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


class Run:
    """All files once, the inconclusive ones again; counts and prints the outcomes."""

    def __init__(self, crams: CramFiles, jobs: int, again: bool) -> None:
        self.crams, self.jobs, self.again = crams, jobs, again
        self.final: list[Outcome] = []
        self.doubtful: list[Outcome] = []

    def go(self, files: list[str]) -> None:
        servers = self.crams.world.servers
        alone = [
            f for f in files if runs_alone(f) or (wants_own(f) and not servers.own_possible(f))
        ]
        together = [f for f in files if f not in alone]
        together.sort(key=start_order)
        say("1..%d" % len(files))
        self.run_together(together)
        await_quiet()
        for file in alone:
            self.first(self.crams.run(file))
        for outcome in self.doubtful:
            self.report(
                self.crams.run(outcome.path, 2), "at the second run; the first was inconclusive"
            )

    def run_together(self, files: list[str]) -> None:
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            futures = [pool.submit(self.crams.run, file) for file in files]
            for future in concurrent.futures.as_completed(futures):
                self.first(future.result())
        except BaseException:
            for future in futures:
                future.cancel()
            self.crams.running.end_all()
            raise
        finally:
            pool.shutdown()

    def first(self, outcome: Outcome) -> None:
        """A file has run for the first time: reported now, or run again at the end."""
        if (
            outcome.result is Result.INCONCLUSIVE
            and self.again
            and self.crams.world.servers.second_database(kind_of(outcome.path))
        ):
            self.doubtful.append(outcome)
        else:
            self.report(outcome)

    def report(self, outcome: Outcome, more: str = "") -> None:
        self.final.append(outcome)
        directive = {Result.SKIP: "SKIP ", Result.INCONCLUSIVE: "SKIP inconclusive: "}
        remark = directive.get(outcome.result, "") + outcome.remark
        remark = " ".join(filter(None, [remark, more]))
        say(
            "%s %d - %s%s"
            % (
                "not ok" if outcome.result is Result.FAIL else "ok",
                len(self.final),
                outcome.name,
                remark and " # " + remark,
            )
        )
        for line in outcome.output.splitlines():
            say("    " + line)

    def count(self, result: Result) -> int:
        return sum(o.result is result for o in self.final)

    def names(self, result: Result) -> list[str]:
        return [o.name for o in self.final if o.result is result]

    def slowest(self) -> list[Outcome]:
        return sorted(self.final, key=lambda o: -o.seconds)[:SLOWEST]

    def write_counts(self, path: str) -> None:
        with open(path, "w") as f:
            f.write("%d %d %d\n" % tuple(map(self.count, (Result.PASS, Result.FAIL, Result.SKIP))))
            f.writelines("inconclusive %s\n" % name for name in self.names(Result.INCONCLUSIVE))
            f.writelines(
                "skipped %s.t: %s\n" % (o.name, o.remark)
                for o in self.final
                if o.result is Result.SKIP
            )
            f.writelines("took %s %.1f\n" % (o.name, o.seconds) for o in self.final)

    def close(self, verbose: bool) -> int:
        """Prints the totals; returns the exit status."""
        if verbose:
            for outcome in self.slowest():
                say("# %6.1f s %s" % (outcome.seconds, outcome.name))
        doubts = self.names(Result.INCONCLUSIVE)
        say("# %d inconclusive%s" % (len(doubts), ": " + " ".join(doubts) if doubts else ""))
        passed, failed, skipped = map(self.count, (Result.PASS, Result.FAIL, Result.SKIP))
        say("# %d passed, %d failed, %d skipped" % (passed, failed, skipped))
        return 1 if failed else 0 if passed else 75 if doubts else 77


def run(args: argparse.Namespace) -> int:
    files = list_files(args.files or [os.path.join(TESTS, "t")])
    cram = programs.find(os.environ.get("CRAM") or "cram", "cram", "cram3")
    if cram is None:
        say("1..0 # SKIP cram is not installed (third_party/install-deps --test)")
        return 77
    source = os.environ.get("SB_SRCDIR") or os.path.dirname(TESTS)
    world = World(TESTS, os.path.abspath(source), cram, files)
    try:
        again = os.environ.get("SB_TRIES") != "1" and not args.update
        runs = Run(CramFiles(world, args.update), args.jobs or PER_CPU * cpus(), again)
        runs.go(files)
    finally:
        world.close()
    if os.environ.get("SB_COUNTS"):
        runs.write_counts(os.environ["SB_COUNTS"])
    return runs.close(args.verbose)


def end(number: int, _: object) -> None:
    sys.exit(128 + number)


def be_usual() -> None:
    """Commands inherit what the caller has set: a shell starts what it runs in the background with
    SIGINT and SIGQUIT ignored, and a mask may make files that only their owner may read."""
    os.umask(0o022)
    for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)  # which commands do not inherit


def main() -> int:
    be_usual()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    try:
        return run(parse(sys.argv[1:]))
    except Bail as e:
        say("Bail out! %s" % e)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
