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
import concurrent.futures
import fcntl
import functools
import glob
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, say  # noqa: E402
from sblab.check_faults import fault_drills  # noqa: E402
from sblab.check_lab import lab_parts, lab_tests  # noqa: E402
from sblab.check_make import MakeCheck, Servers  # noqa: E402
from sblab.check_results import Results  # noqa: E402
from sblab.interrupt import RUNNING, be_interruptible, output_of  # noqa: E402
from sysbench_lab import owned  # noqa: E402

SLOWEST = 10


def fixed_addresses() -> list[str]:
    """Older ThreadSanitizers refuse programs with addresses randomised by more than 28 bits."""
    try:
        with open("/proc/sys/vm/mmap_rnd_bits") as f:
            many = int(f.read()) > 28
    except (OSError, ValueError):
        return []
    setarch = shutil.which("setarch")
    return [setarch, "-R"] if many and setarch else []


def quickly(sanitizer: str | None) -> list[str]:
    """Unit tests without optimisation build in half of the time; what they test is optimised."""
    return [] if sanitizer or "CFLAGS" in os.environ else ["CFLAGS=-O0 -g"]


def skipped_in(text: str) -> list[str]:
    """Of what unittest -v prints; the first line of a description is between name and result."""
    found = re.findall(r"^(\w+ \(.*\))(?:\n.*)? \.\.\. skipped ['\"](.*)['\"]$", text, re.M)
    return ["%s: %s" % test for test in found]


def script_tests(quick: bool, pattern: str = "*_test.py") -> Results:
    """The tests of the scripts themselves."""
    argv = [sys.executable, "-B", "-m", "unittest", "discover", "-v", "-p", pattern]
    argv += ["-s", os.path.join(SOURCE, "scripts", "sblab"), "-t", os.path.join(SOURCE, "scripts")]
    env = dict(os.environ, SB_NO_SERVER="1") if quick else None
    status, text = output_of(argv, "scripts", env=env)
    ran = re.search(r"^Ran (\d+) tests? in ([\d.]+)s", text, re.M)
    failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", text)))
    skipped = skipped_in(text)
    if status != 0 or not ran:
        say("---- scripts\n" + text.rstrip())
        failed = max(failed, 1)
    passed = max(0, int(ran.group(1)) - failed - len(skipped)) if ran else 0
    seconds = {"scripts": float(ran.group(2))} if ran else {}
    say(
        "%-10s %6.1f s, %d passed, %d failed, %d skipped"
        % ("scripts", seconds.get("scripts", 0), passed, failed, len(skipped))
    )
    return Results(passed, failed, skipped, seconds=seconds)


class Beside:
    """Phases that run at the same time, each on a thread of its own."""

    def __init__(self) -> None:
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.futures: list[concurrent.futures.Future[Results]] = []

    def start(self, name: str, function: Callable[..., Results], *args: Any) -> None:
        self.futures.append(self.pool.submit(self.guarded, name, function, *args))

    def guarded(self, name: str, function: Callable[..., Results], *args: Any) -> Results:
        try:
            return function(*args)
        except LabError as e:
            say("not ok %s: %s" % (name, e))
            return Results(failed=1)

    def results(self) -> Results:
        """When all have ended; more may start then."""
        total = Results()
        for future in self.futures:
            total.add(future.result())
        self.futures = []
        return total

    def stop(self) -> None:
        RUNNING.end_all()
        self.pool.shutdown()


def try_install(directory: str) -> None:
    with tempfile.TemporaryDirectory(prefix="sb-installed-") as target:
        install_into(directory, target)


def install_into(directory: str, target: str) -> None:
    """Installs into an empty directory and runs the program from there; raises when that fails."""
    out = subprocess.run(
        ["make", "install", "DESTDIR=" + target],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if out.returncode != 0:
        raise LabError("make install failed:\n" + out.stdout[-4000:])
    programs = glob.glob(os.path.join(target, "**", "bin", "sysbench"), recursive=True)
    if len(programs) != 1:
        raise LabError("make install installed no bin/sysbench")
    out = subprocess.run(
        [programs[0], "--version"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if out.returncode != 0 or not out.stdout.startswith("sysbench "):
        raise LabError("the installed program does not run: " + out.stdout.strip()[:500])
    try_lab(programs[0] + "-lab", os.path.join(directory, "src", "sysbench"))


def try_lab(launcher: str, program: str) -> None:
    """The laboratory runs from where it was installed, if this Python reads TOML.

    It takes the program of the build, which finds its scripts; the one below DESTDIR does not.
    """
    if not any(map(importlib.util.find_spec, ("tomllib", "tomli"))):
        return
    out = subprocess.run(
        [sys.executable, launcher, "plan", "constant-rate"],
        cwd="/",
        env=dict(os.environ, SB_SYSBENCH=program),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if out.returncode != 0 or "50 runs" not in out.stdout:
        raise LabError("the installed laboratory does not run: " + out.stdout.strip()[:500])


def extra(name: str, function: Callable[[], None]) -> Results:
    """One more test that is not make's: 1 passed or 1 failed."""
    try:
        function()
    except LabError as e:
        say("not ok %s: %s" % (name, e))
        return Results(failed=1)
    say("ok %s" % name)
    return Results(passed=1)


def lint() -> None:
    """The form of the source; in continuous integration no check may be left out."""
    argv = [os.path.join(SOURCE, "scripts", "lint")]
    if os.environ.get("CI"):
        argv.append("--require-all")
    status, text = output_of(argv, "lint")
    if status != 0:
        raise LabError("scripts/lint:\n" + text.rstrip())


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="scripts/check",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kind = p.add_mutually_exclusive_group()
    kind.add_argument(
        "--asan",
        action="store_true",
        help="build with AddressSanitizer and UndefinedBehaviorSanitizer",
    )
    kind.add_argument("--tsan", action="store_true", help="build with ThreadSanitizer")
    p.add_argument("--quick", action="store_true", help="run only tests that need no server")
    p.add_argument(
        "--dist",
        action="store_true",
        help="also run make distcheck: build and test from a release tarball",
    )
    p.add_argument("--dir", metavar="PATH", help="build directory (default: see above)")
    return p.parse_args()


def run(args: argparse.Namespace) -> Results:
    """Most tests wait most of the time, so most phases run side by side.  Those cram files that say
    so, the drills and what was inconclusive run alone at the end."""
    sanitizer = "asan" if args.asan else "tsan" if args.tsan else None
    whole = not (args.quick or sanitizer)
    directory = os.path.abspath(
        args.dir or os.path.join(SOURCE, "build-check" + ("-" + sanitizer if sanitizer else ""))
    )
    program = os.path.join(directory, "src", "sysbench")
    options = ["--enable-werror"] + (["--enable-" + sanitizer] if sanitizer else [])
    servers, early, beside, cram = Servers(), Beside(), Beside(), Beside()
    templates = os.environ["DBSERVER_TEMPLATES"] = owned.temporary("sb-templates-")
    try:
        if whole:
            early.start("lint", extra, "lint", lint)
        build(directory, options)
        if not args.quick:
            servers.start()
        with tempfile.NamedTemporaryFile(prefix="sb-quiet-") as quiet:
            fcntl.flock(quiet, fcntl.LOCK_SH)
            make = MakeCheck(
                directory,
                servers,
                fixed_addresses() if args.tsan else [],
                quiet.name,
                quickly(sanitizer),
            )
            cram.start("cram", make.cram)
            beside.start("unit tests", make.unit_tests)
            beside.start("scripts", script_tests, args.quick)
            for part in lab_parts():
                beside.start("lab", lab_tests, program, args.quick, part)
            total = beside.results()
            total.add(early.results())
            fcntl.flock(quiet, fcntl.LOCK_UN)
            total.add(cram.results())
        if total.passed + total.failed == 0:
            say("no test ran")
            total.failed += 1
        make.run_again(total)
        if whole:
            total.add(fault_drills(program))
    finally:
        for phases in (early, beside, cram):
            phases.stop()
        servers.stop()
        owned.remove(templates, anyway=True)
    total.add(extra("make install", functools.partial(try_install, directory)))
    if args.dist:
        total.add(
            extra("make distcheck", functools.partial(build, directory, options, ["distcheck"]))
        )
    if os.environ.get("CI") in ("1", "true") and os.environ.get("SB_TRIES") != "1":
        total.failed += len(total.inconclusive)
    return total


def show_slowest(seconds: dict[str, float]) -> None:
    """Files of tests, and phases that are one program."""
    say("the slowest:")
    for name, s in sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]:
        say("%6.1f s %s" % (s, name))


def show_cpu(cpu: dict[str, float]) -> None:
    """Servers that outlive the command that starts them are not in it, nor is the build."""
    say("seconds of CPU, without servers:")
    for name, s in sorted(cpu.items(), key=lambda item: -item[1]):
        say("%6.0f s %s" % (s, name))


def closing_lines(total: Results) -> str:
    """Programs read the last of them."""
    names = ": " + " ".join(total.inconclusive) if total.inconclusive else ""
    lines = "".join("skipped: %s\n" % s for s in total.skipped)
    return lines + "%d inconclusive%s\n%d passed, %d failed%s" % (
        len(total.inconclusive),
        names,
        total.passed,
        total.failed,
        ", %d skipped" % len(total.skipped) if total.skipped else "",
    )


def end(number: int, _: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, end)
    be_interruptible()
    args = parse()
    began = time.monotonic()
    try:
        total = run(args)
    except LabError as e:
        say("check: %s" % e)
        total = Results(failed=1)
    except KeyboardInterrupt:
        return 130
    show_slowest(total.seconds)
    show_cpu(RUNNING.cpu)
    say("%-10s %6.1f s" % ("altogether", time.monotonic() - began))
    say(closing_lines(total))
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
