#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds with warnings as errors and runs every test.

The build directory is build-check/ in the source tree (with --asan build-check-asan/,
with --tsan build-check-tsan/).  An existing build is continued.  Unit tests that need
a server use a private MariaDB (SB_TEST_MYSQL_SOCKET, SB_TEST_MYSQL_USER,
SB_TEST_MYSQL_DB) and, if PostgreSQL's programs are installed, a private PostgreSQL
(SB_TEST_PGSQL_HOST, which is a directory, SB_TEST_PGSQL_PORT, _USER, _DB).  The cram
tests start their own servers.

A failure is final: no test that failed runs again.  A unit test that does not end
within SB_UNIT_TIMEOUT seconds (default 300), or a cram file that does not end within
SB_TEST_LIMIT seconds, has failed.

A test is inconclusive if nothing failed but a bound of time did not hold while the
machine stood still.  It runs once more, alone, when all others have ended.  If it is
inconclusive again, it counts neither as passed nor as failed; with CI=1 or CI=true in the
environment it has failed.  SB_TRIES=1 in the environment turns the second run off, and with
it that failure.

The last line is 'N passed, N failed', followed by ', N skipped' if tests were skipped.
The line before it is 'N inconclusive', followed by their names.  Before that, each test
that was skipped has a line 'skipped: NAME: REASON'.
Exit status: 0 if no test failed, even if some were inconclusive; 1 if one failed,
nothing passed, or the build failed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests")]
from lib.cram_servers import OPTIONS  # noqa: E402
from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, contents, jobs, parser, say  # noqa: E402
from sysbench_lab import owned  # noqa: E402
from sysbench_lab.python import choose  # noqa: E402
from sysbench_lab.servers.instance import Instance  # noqa: E402

SLOWEST = 10
PATIENCE_S = 60
# Parts of pytest that take about as long: those that start many programs and servers, those that
# wait for runs, all others.
SERVERS = ["sysbench_lab/target", "sysbench_lab/servers", "sysbench_lab/run/hosts_real_test.py"]
PARTS = [
    SERVERS,
    ["sysbench_lab/run", "--ignore=" + SERVERS[-1]],
    ["sysbench_lab", "sblab", *("--ignore=" + name for name in (*SERVERS[:2], "sysbench_lab/run"))],
]


@dataclass
class Results:
    """Counts, and the names behind them.  Inconclusive tests neither passed nor failed.  Of skipped
    ones it has "NAME: REASON"."""

    passed: int = 0
    failed: int = 0
    skipped: list[str] = field(default_factory=list)
    inconclusive: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, other: Results) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.inconclusive += other.inconclusive
        self.seconds.update(other.seconds)

    def __str__(self) -> str:
        doubts = len(self.inconclusive)
        numbers = self.passed, self.failed, len(self.skipped), doubts
        return "%d passed, %d failed, %d skipped, %d inconclusive" % numbers


# ---- what runs ----------------------------------------------------------------------


class Children:
    """What runs now, so that an interrupted check leaves none of it behind.

    Tests get SIGINT then, as from a terminal, so that they stop their servers; what does not end is
    killed.  A shell without job control starts background commands with SIGINT ignored, and ignored
    it stays in all that they start.  So what is started here gets the default back: a handler,
    unlike "ignored", is not inherited.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.processes: set[subprocess.Popen[str]] = set()
        self.ending = False
        self.cpu: dict[str, float] = {}  # seconds, by the name of a phase
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, lambda *_: None)

    def run(self, argv: list[str], phase: str, **more: Any) -> tuple[int, str]:
        """Exit status, and output unless the caller says where it goes.  Threads may call it at the
        same time; what it and its children use of the CPU is the phase's."""
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **more}
        with self.lock:
            if self.ending:
                raise LabError("interrupted")
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, start_new_session=True, text=True, **more
            )
            self.processes.add(process)
        try:
            text = process.stdout.read() if process.stdout else ""
        finally:
            _, status, used = os.wait4(process.pid, 0)
            exited = os.WIFEXITED(status)  # Python 3.8 has no waitstatus_to_exitcode()
            process.returncode = os.WEXITSTATUS(status) if exited else -os.WTERMSIG(status)
            with self.lock:
                self.processes.discard(process)
                self.cpu[phase] = self.cpu.get(phase, 0) + used.ru_utime + used.ru_stime
        return process.returncode, text

    def end_all(self, patience: float = PATIENCE_S) -> None:
        """Nothing starts after this."""
        with self.lock:
            self.ending = True
        for number in (signal.SIGINT, signal.SIGKILL):
            for process in list(self.processes):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
            deadline = time.monotonic() + patience
            while self.processes and time.monotonic() < deadline:
                time.sleep(0.05)


CHILDREN = Children()


def guarded(name: str, function: Callable[..., Results], *args: Any) -> Results:
    """Of a phase, which ends no other if it fails."""
    try:
        return function(*args)
    except LabError as e:
        say("not ok %s: %s" % (name, e))
        return Results(failed=1)


# ---- make check ---------------------------------------------------------------------


class Servers:
    """The private servers of the unit tests: none, or MariaDB and where possible PostgreSQL."""

    def __init__(self) -> None:
        self.running: list[Instance] = []

    def start(self) -> None:
        for kind, engine in (("mysql", "mariadb"), ("pgsql", "postgresql")):
            try:
                server = Instance.create_temporary(engine=engine, options=OPTIONS[kind])
            except LabError as e:
                if kind == "mysql":
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
        env = {"SB_NEED_SERVER": "1"} if self.running else {"SB_NO_SERVER": "1"}
        for s in self.running:
            values, prefix = dict(s.describe()), "SB_TEST_MYSQL_"
            if s.engine == "postgresql":
                values["host"], prefix = os.path.dirname(s.socket), "SB_TEST_PGSQL_"
            env.update({prefix + name.upper(): value for name, value in values.items()})
        return env


@dataclass
class Test:
    """A unit test program or a cram file: `stem`.trs and `stem`.log are in the build directory."""

    stem: str

    @property
    def is_cram(self) -> bool:
        return os.path.basename(os.path.dirname(self.stem)) == "t"

    @property
    def name(self) -> str:
        return os.path.basename(self.stem) + (".t" if self.is_cram else "")

    @property
    def said(self) -> str:
        return text_of(self.stem + ".log")

    def doubts(self) -> list[str]:
        """What it printed when a stalled machine spoiled it (tests/unit_run.sh, tests/cram)."""
        return re.findall(r"^(?:ok - \w+ # )?INCONCLUSIVE: (.*)", self.said, re.M)

    def result(self, show: bool = False) -> Results:
        """Perhaps with what a failed one has printed."""
        words = re.findall(r"^:test-result:\s*(\w+)", text_of(self.stem + ".trs"), re.M)
        if not words or {"FAIL", "XPASS", "ERROR"} & set(words):
            if show:
                say("---- %s failed\n%s" % (self.name, self.said.rstrip()))
            return Results(failed=1)
        if "SKIP" not in words:
            return Results(1)
        if self.doubts():
            return Results(inconclusive=[self.name])
        # what it printed before Automake's last line
        lines = [s for s in self.said.splitlines() if s and not s.startswith("SKIP ")]
        why = re.sub(r"^ok - \w+ # SKIP |^[\w ]+: (skipped: )?", "", "".join(lines[-1:]))
        return Results(skipped=["%s: %s" % (self.name, why or "no reason given")])


def text_of(path: str) -> str:
    """A file's text; empty when it cannot be read."""
    with contextlib.suppress(OSError):
        return contents(path)
    return ""


class MakeCheck:
    """`make check` in one build directory, in two halves that run at the same time: the unit tests
    (src), with their servers, and the cram files.  What make prints goes to check.log and cram.log.
    """

    def __init__(self, directory: str, env: dict[str, str], words: list[str], quiet: str) -> None:
        """`quiet` is locked while anything but the cram files runs (tests/cram); `words` are for
        make when it builds the unit tests."""
        self.directory, self.words = directory, words
        times = os.path.join(directory, "test.times")
        self.env = {"TSAN_OPTIONS": "halt_on_error=1", **os.environ, **env, "SB_TIMES": times}
        self.env["SB_DBSERVER"] = os.path.join(SOURCE, "scripts", "dbserver")
        self.env["SB_QUIET_LOCK"] = quiet
        logs = [os.path.join(directory, name) for name in ("check.log", "cram.log")]
        for path in (*(t.stem + ".trs" for t in self.tests("")), times, *logs):
            if os.path.exists(path):
                os.unlink(path)

    def tests(self, half: str) -> list[Test]:
        found = glob.glob(os.path.join(self.directory, half, "**", "*.trs"), recursive=True)
        return [Test(path[:-4]) for path in sorted(found)]

    def make(self, phase: str, where: str, *words: str, nice: int = 0) -> bool:
        """make with these words, at a lower priority; True when it succeeds."""
        cwd = os.path.join(self.directory, where)
        name = "cram.log" if phase == "cram" else "check.log"
        with open(os.path.join(self.directory, name), "a") as log:
            argv = ["nice", "-n", str(nice), *fixed_addresses(self.directory), "make", "-k", *words]
            began = time.monotonic()
            status, _ = CHILDREN.run(argv, phase, cwd=cwd, env=self.env, stdout=log)
        say("%-10s %6.1f s" % (phase, time.monotonic() - began))
        return status == 0

    def half(self, phase: str, half: str, good: bool, outside: bool = False) -> Results:
        """The results of the tests in a directory; shows what failed.  make failing is a failure,
        too: without a test that failed, or `outside` of the tests."""
        tests, total = self.tests(half), Results()
        for test in tests:
            total.add(test.result(show=True))
        names = {test.name for test in tests}
        took = re.findall(r"^(\S+) (\d+)$", text_of(self.env["SB_TIMES"]), re.M)
        total.seconds = {name: int(ms) / 1000 for name, ms in took if name in names}
        say("%-10s %s" % (phase, total))
        if outside or (not good and not total.failed):
            log = os.path.join(self.directory, "cram.log" if phase == "cram" else "check.log")
            say("---- make check failed outside of a test\n" + text_of(log)[-20000:].rstrip())
            total.failed += 1
        return total

    def unit_tests(self) -> Results:
        """The programs are built at the lowest priority: cram files run meanwhile, and some of them
        bound times."""
        self.make("make tests", "src", jobs(), "check", "TESTS=", *self.words, nice=19)
        good = self.make("unit tests", "src", jobs(), "check")
        outside = not good and not self.make("make tests", "src", jobs(), "check", "TESTS=")
        return self.half("unit tests", "src", good, outside)

    def cram(self) -> Results:
        """Four files at a time for each CPU: a file waits most of its time."""
        good = self.make("cram", ".", "-j%d" % (4 * int(jobs()[2:])), "check-am")
        return self.half("cram", "tests", good)

    def run_again(self, total: Results) -> None:
        """What was inconclusive, one after the other; the new results replace the old ones."""
        for test in self.tests("") if os.environ.get("SB_TRIES") != "1" else ():
            if test.result().inconclusive:
                doubts = "; ".join(test.doubts())
                say("%s was inconclusive and runs again: %s" % (test.name, doubts))
                place = ("tests/t/", ".") if test.is_cram else ("", "src")
                self.make("again", place[1], "check-am", "TESTS=" + place[0] + test.name)
                total.inconclusive.remove(test.name)
                total.add(test.result(show=True))


def fixed_addresses(directory: str) -> list[str]:
    """Older ThreadSanitizers refuse programs with addresses randomised by more than 28 bits."""
    bits = text_of("/proc/sys/vm/mmap_rnd_bits").strip()
    tsan = "--enable-tsan" in text_of(os.path.join(directory, "configured-with"))
    setarch = shutil.which("setarch") if tsan and bits.isdigit() and int(bits) > 28 else None
    return [setarch, "-R"] if setarch else []


# ---- other programs that are tests ---------------------------------------------------


def counted(name: str, status: int, text: str) -> Results:
    """The last line of pytest or of tests/faults/run as Results; the whole output is shown when
    something failed."""
    last = text.rstrip().rpartition("\n")[2]
    counts = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", last)}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    if status != 0:
        say("---- %s\n%s" % (name, text.rstrip()))
        failed = max(failed, 1)
    total = Results(counts.get("passed", 0), failed)
    for n, where, why in re.findall(r"^SKIPPED \[(\d+)\] (\S+): (.*)$", text, re.M):
        total.skipped += ["%s/%s: %s" % (name, where, why)] * int(n)
    # of drills: the second run of an inconclusive one comes later, and counts
    drills = {drill: word for word, drill in re.findall(r"^(\w+) +[\d.]+ s  (\S+)$", text, re.M)}
    total.inconclusive = [name + "/" + d for d, word in drills.items() if word == "inconclusive"]
    took = re.findall(r" in ([\d.]+)s|^([\d.]+) s$", text, re.M)
    total.seconds = {name: float("".join(took[-1])) if took else 0}
    for s, test in re.findall(r"^([\d.]+)s call +\S*?(\w+_test.py::\S+)", text, re.M):
        total.seconds[test] = float(s)
    say("%-10s %6.1f s, %s" % (name, total.seconds[name], total))
    return total


def lab(program: str, quick: bool, part: list[str]) -> Results:
    """A part of the tests of scripts/ with the sysbench that was built: most of their time they
    wait for runs of a second."""
    found = choose(["pytest"])
    if not found or {"pytest", "tomli"} & set(found.lacks):
        why = (
            "Python 3.9, pytest, or tomli before 3.11 is missing (third_party/install-deps --test)"
        )
        return Results(skipped=["lab: " + why])
    scripts = os.path.join(SOURCE, "scripts")
    env = dict(os.environ, SB_SYSBENCH=program, PYTHONPATH=scripts)
    if quick:
        env["SB_NO_SERVER"] = "1"
    argv = [found.path, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--tb=short"]
    argv += ["--durations=10", *part]
    name = "lab " + part[0].rpartition("/")[2]
    return counted(name, *CHILDREN.run(argv, "lab", cwd=scripts, env=env))


def faults(program: str) -> Results:
    """The short drills: they break and restart servers and measure times, so they run when nothing
    else does."""
    argv = [sys.executable, "-B", os.path.join(SOURCE, "tests", "faults", "run")]
    return counted("faults", *CHILDREN.run([*argv, "--short", "--sysbench=" + program], "faults"))


def lint() -> Results:
    """The form of the source; in continuous integration no check may be left out."""
    argv = [os.path.join(SOURCE, "scripts", "lint")]
    status, text = CHILDREN.run(argv + ["--require-all"] * bool(os.environ.get("CI")), "lint")
    if status != 0:
        raise LabError("scripts/lint:\n" + text.rstrip())
    say("ok lint")
    return Results(passed=1)


def distcheck(directory: str, options: list[str]) -> Results:
    build(directory, options, ["distcheck"])
    say("ok make distcheck")
    return Results(passed=1)


# ---- all of it -----------------------------------------------------------------------


def run(args: argparse.Namespace) -> Results:
    """Most tests wait most of the time, so most phases run side by side.  Those cram files that say
    so, the drills and what was inconclusive run alone at the end."""
    sanitizer = "asan" if args.asan else "tsan" if args.tsan else ""
    whole = not (args.quick or sanitizer)
    name = "build-check" + ("-" + sanitizer if sanitizer else "")
    directory = os.path.abspath(args.dir or os.path.join(SOURCE, name))
    program = os.path.join(directory, "src", "sysbench")
    options = ["--enable-werror"] + (["--enable-" + sanitizer] if sanitizer else [])
    # unit tests without optimisation build in half of the time; what they test is optimised
    words = [] if sanitizer or "CFLAGS" in os.environ else ["CFLAGS=-O0 -g"]
    servers, pool = Servers(), ThreadPoolExecutor(16)

    def start(name: str, function: Callable[..., Results], *args: Any) -> Future[Results]:
        return pool.submit(guarded, name, function, *args)

    beside = [start("lint", lint)] if whole else []
    templates = os.environ["DBSERVER_TEMPLATES"] = owned.temporary("sb-templates-")
    try:
        # what hundreds of programs import would be compiled by each of them
        modules = [os.path.join(SOURCE, name) for name in ("scripts", "tests/include", "tests/lib")]
        CHILDREN.run([sys.executable, "-m", "compileall", "-q", *modules], "bytecode")
        build(directory, options)
        if not args.quick:
            servers.start()
        with tempfile.NamedTemporaryFile(prefix="sb-quiet-") as quiet:
            fcntl.flock(quiet, fcntl.LOCK_SH)
            make = MakeCheck(directory, servers.environment(), words, quiet.name)
            cram = start("cram", make.cram)
            beside.append(start("unit tests", make.unit_tests))
            beside += [start("lab", lab, program, args.quick, part) for part in PARTS]
            total = Results()
            for phase in beside:
                total.add(phase.result())
            fcntl.flock(quiet, fcntl.LOCK_UN)
            total.add(cram.result())
        if total.passed + total.failed == 0:
            say("no test ran")
            total.failed += 1
        make.run_again(total)
        if whole:
            total.add(faults(program))
    finally:
        CHILDREN.end_all()
        servers.stop()
        owned.remove(templates, anyway=True)
    if args.dist:
        total.add(guarded("make distcheck", distcheck, directory, options))
    if os.environ.get("CI") in ("1", "true") and os.environ.get("SB_TRIES") != "1":
        total.failed += len(total.inconclusive)
    return total


def closing_lines(total: Results) -> str:
    """Programs read the last of them."""
    names = ": " + " ".join(total.inconclusive) if total.inconclusive else ""
    skipped = ", %d skipped" % len(total.skipped) if total.skipped else ""
    lines = ["skipped: " + s for s in total.skipped]
    lines.append("%d inconclusive%s" % (len(total.inconclusive), names))
    return "\n".join([*lines, "%d passed, %d failed%s" % (total.passed, total.failed, skipped)])


def parse() -> argparse.Namespace:
    p = parser("scripts/check", __doc__ or "")
    kind = p.add_mutually_exclusive_group()
    asan = "build with AddressSanitizer and UndefinedBehaviorSanitizer"
    kind.add_argument("--asan", action="store_true", help=asan)
    kind.add_argument("--tsan", action="store_true", help="build with ThreadSanitizer")
    p.add_argument("--quick", action="store_true", help="run only tests that need no server")
    dist = "also run make distcheck: build and test from a release tarball"
    p.add_argument("--dist", action="store_true", help=dist)
    p.add_argument("--dir", metavar="PATH", help="build directory (default: see above)")
    return p.parse_args()


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda number, _: sys.exit(128 + number))
    args, began = parse(), time.monotonic()
    try:
        total = run(args)
    except LabError as e:
        say("check: %s" % e)
        total = Results(failed=1)
    except KeyboardInterrupt:
        return 130
    say("the slowest:")
    for name, s in sorted(total.seconds.items(), key=lambda item: -item[1])[:SLOWEST]:
        say("%6.1f s %s" % (s, name))
    say("seconds of CPU, without servers:")  # nor the build
    for name, s in sorted(CHILDREN.cpu.items(), key=lambda item: -item[1]):
        say("%6.0f s %s" % (s, name))
    say("%-10s %6.1f s" % ("altogether", time.monotonic() - began))
    say(closing_lines(total))
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
