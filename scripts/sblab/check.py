#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds with warnings as errors and runs every test.

The build folder is build-check/ in the source tree (with --asan build-check-asan/,
with --tsan build-check-tsan/).  An existing build is continued.  Unit tests that need
a server use a private MariaDB (SB_TEST_MYSQL_SOCKET, SB_TEST_MYSQL_USER,
SB_TEST_MYSQL_DB) and, if PostgreSQL's programs are installed, a private PostgreSQL
(SB_TEST_PGSQL_HOST, which is a folder, SB_TEST_PGSQL_PORT, _USER, _DB).  The cram
tests start their own servers.

A unit test that does not end within SB_UNIT_TIMEOUT seconds (default 300) fails.

A unit test or cram file that fails is retried once, alone, because a stalled machine
can make it fail.  If the retry passes, the test counts as passed, the output of the
first try is shown, and the closing lines name the test.  A unit test that crashed or
timed out is not retried.  SB_TRIES=1 in the environment turns retries off, and so do
--asan and --tsan.

The last line is 'N passed, N failed', followed by ', N skipped' if tests were skipped.
Exit status: 0 if all tests passed; 1 if one failed, nothing ran, or the build failed.
"""

import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from sblab import LabError  # noqa: E402
from sblab.build import SOURCE, build, jobs, say  # noqa: E402
from sblab.instance import Instance  # noqa: E402

RESULTS = ("PASS", "FAIL", "SKIP")


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

    def __init__(self):
        self.running = []

    def start(self):
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
            say("%-10s %s, pid %d" % (engine, server.version, server.pid))

    def stop(self):
        for server in self.running:
            server.stop(20)
            server.remove()

    def environment(self):
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


def unit_results(folder):
    """Counts of the unit test programs from automake's result files, and the names that failed."""
    counts, bad = dict.fromkeys(RESULTS, 0), []
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.trs"), recursive=True)):
        if os.path.basename(path) == "test_run.sh.trs":
            continue
        for kind in results_in(path):
            counts[kind] += 1
            if kind == "FAIL":
                bad.append(path[:-4])
    return counts, bad


def results_in(path):
    """Those of one test, by automake's file of them."""
    try:
        with open(path) as f:
            results = re.findall(r"^:test-result:\s*(\w+)", f.read(), re.M)
    except OSError:
        results = []
    return [
        {"XFAIL": "PASS", "XPASS": "FAIL", "ERROR": "FAIL"}.get(r, r) for r in results or ["ERROR"]
    ]


def cram_results(path):
    """Counts that tests/test_run.sh left, and the files that needed a second try; None when it did not get that far."""
    try:
        with open(path) as f:
            words = f.read().split()
        return dict(zip(RESULTS, map(int, words[:3]))), words[3:]
    except (OSError, ValueError):
        return None


def show(path, title):
    try:
        with open(path, errors="replace") as f:
            text = f.read()
    except OSError as e:
        text = "%s\n" % e
    say("---- %s\n%s" % (title, text.rstrip()))


def fixed_addresses():
    """Older ThreadSanitizers refuse programs whose addresses are randomised by more than 28 bits."""
    try:
        with open("/proc/sys/vm/mmap_rnd_bits") as f:
            many = int(f.read()) > 28
    except (OSError, ValueError):
        return []
    setarch = shutil.which("setarch")
    return [setarch, "-R"] if many and setarch else []


def forget_results(folder):
    for path in glob.glob(os.path.join(folder, "**", "*.trs"), recursive=True):
        os.unlink(path)


def tries():
    """How often a test may run until it passes: 2, or what SB_TRIES says."""
    try:
        return max(1, int(os.environ.get("SB_TRIES", "2")))
    except ValueError:
        return 2


def crashed(path):
    """What a second try does not excuse: a crash, a sanitizer's report, no end (tests/unit_run.sh)."""
    try:
        with open(path, errors="replace") as f:
            text = f.read()
    except OSError:
        return False
    return bool(
        re.search(
            r"Sanitizer|runtime error:|Segmentation fault|Aborted|Assertion|exit status: 1(2[89]|[3-9]\d)"
            r"|: no end within .* \(SB_UNIT_TIMEOUT\)",
            text,
        )
    )


def try_again(folder, bad, prefix, env, log):
    """Runs the unit tests that failed again, one after the other; returns the names of those that pass now."""
    passed = []
    for path in bad:
        name = os.path.basename(path)
        show(path + ".log", "%s failed" % os.path.relpath(path, folder))
        if crashed(path + ".log"):
            continue
        for _ in range(1, tries()):
            # its result, not make's, which fails for other reasons, too
            subprocess.call(
                prefix + ["make", "-k", "check", "TESTS=" + name],
                cwd=os.path.dirname(path),
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            if set(results_in(path + ".trs")) == {
                "PASS"
            }:  # one that skips itself now has passed nothing
                say("ok %s # passed at the second try; the first is shown above" % name)
                passed.append(name)
                break
        else:
            if tries() > 1:
                show(path + ".log", "%s failed again" % os.path.relpath(path, folder))
    return passed


def outside_of_tests(folder, prefix, env, log):
    """Does `make check` fail with no test to run?  Then what failed was not, or not only, a test."""
    return (
        subprocess.call(
            prefix + ["make", "-k", jobs(), "check", "TESTS="],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        != 0
    )


def make_check(folder, servers, prefix):
    """Runs the tests; returns counts and the names of those that needed a second try.  make itself
    failing is a failure too."""
    counts_path = os.path.join(folder, "cram.counts")
    forget_results(folder)
    if os.path.exists(counts_path):
        os.unlink(counts_path)
    env = dict(
        os.environ, SB_COUNTS=counts_path, SB_DBSERVER=os.path.join(SOURCE, "scripts", "dbserver")
    )
    env.setdefault("TSAN_OPTIONS", "halt_on_error=1")
    env.update(servers.environment())
    log = os.path.join(folder, "check.log")
    began = time.monotonic()
    with open(log, "w") as f:
        code = subprocess.call(
            prefix + ["make", "-k", jobs(), "check"],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=f,
            stderr=f,
        )
    say("%-10s %6.1f s" % ("make check", time.monotonic() - began))
    counts, bad = unit_results(folder)
    failed = bool(bad)
    with open(log, "a") as f:
        again = try_again(folder, bad, prefix, env, f)
        outside = code != 0 and outside_of_tests(folder, prefix, env, f)
    counts["PASS"] += len(again)
    counts["FAIL"] -= len(again)
    cram = cram_results(counts_path)
    cram_log = os.path.join(folder, "tests", "test_run.sh.log")
    say(
        "%-10s %d passed, %d failed, %d skipped"
        % (("unit tests",) + tuple(counts[k] for k in RESULTS))
    )
    if cram is None:
        show(cram_log, "tests/test_run.sh did not finish")
        cram = {"PASS": 0, "FAIL": 1, "SKIP": 0}
    else:
        cram, cram_again = cram
        again += cram_again
        show(cram_log, "cram tests")
    total = {k: counts[k] + cram[k] for k in RESULTS}
    if outside or (code != 0 and not failed and cram["FAIL"] == 0):
        show(log, "make check failed outside of a test")
        total["FAIL"] += 1
    return total, again


def script_tests(quick):
    """The tests of the scripts themselves, all again when one fails; returns counts and who needed a second try."""
    for left in reversed(range(tries())):
        counts = try_scripts(quick)
        if counts["FAIL"] == 0 or left == 0:
            break
        say("the tests of the scripts once more")
    return counts, ["scripts"] if counts["FAIL"] == 0 and left < tries() - 1 else []


def try_scripts(quick):
    env = dict(os.environ, SB_NO_SERVER="1") if quick else None
    out = subprocess.run(
        [
            sys.executable,
            "-B",
            "-m",
            "unittest",
            "discover",
            "-s",
            os.path.join(SOURCE, "scripts", "sblab"),
            "-t",
            os.path.join(SOURCE, "scripts"),
            "-p",
            "*_test.py",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        env=env,
    )
    ran = re.search(r"^Ran (\d+) test", out.stdout, re.M)
    failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", out.stdout)))
    skipped = sum(map(int, re.findall(r"skipped=(\d+)", out.stdout)))
    if out.returncode != 0 or not ran:
        say("---- scripts\n" + out.stdout.rstrip())
        failed = max(failed, 1)
    passed = max(0, int(ran.group(1)) - failed - skipped) if ran else 0
    say("%-10s %d passed, %d failed, %d skipped" % ("scripts", passed, failed, skipped))
    return {"PASS": passed, "FAIL": failed, "SKIP": skipped}


def try_install(folder):
    """Installs into an empty folder and runs the program from there; raises when that fails."""
    target = os.path.join(folder, "installed")
    shutil.rmtree(target, ignore_errors=True)
    out = subprocess.run(
        ["make", "install", "DESTDIR=" + target],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
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
        universal_newlines=True,
    )
    if out.returncode != 0 or not out.stdout.startswith("sysbench "):
        raise LabError("the installed program does not run: " + out.stdout.strip()[:500])


def extra(name, function, *args):
    """One more test that is not make's: 1 passed or 1 failed."""
    try:
        function(*args)
    except LabError as e:
        say("not ok %s: %s" % (name, e))
        return {"PASS": 0, "FAIL": 1, "SKIP": 0}
    say("ok %s" % name)
    return {"PASS": 1, "FAIL": 0, "SKIP": 0}


def parse():
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
    p.add_argument("--dir", metavar="PATH", help="build folder (default: see above)")
    return p.parse_args()


def run(args):
    sanitizer = "asan" if args.asan else "tsan" if args.tsan else None
    if sanitizer:
        os.environ["SB_TRIES"] = "1"  # what it finds once is found
    folder = os.path.abspath(
        args.dir or os.path.join(SOURCE, "build-check" + ("-" + sanitizer if sanitizer else ""))
    )
    options = ["--enable-werror"] + (["--enable-" + sanitizer] if sanitizer else [])
    build(folder, options)
    servers = Servers()
    try:
        if not args.quick:
            servers.start()
        counts, again = make_check(folder, servers, fixed_addresses() if args.tsan else [])
        parts = [counts]
    finally:
        servers.stop()
    ran = parts[0]["PASS"] + parts[0]["FAIL"] > 0
    counts, scripts_again = script_tests(args.quick)
    parts.append(counts)
    again += scripts_again
    parts.append(extra("make install", try_install, folder))
    if args.dist:
        parts.append(extra("make distcheck", build, folder, options, ["distcheck"]))
    total = {k: sum(part[k] for part in parts) for k in RESULTS}
    if not ran:
        say("no test ran")
        total["FAIL"] += 1
    if again:
        say("%d needed a second try: %s" % (len(again), " ".join(again)))
    return total


def main():
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))
    args = parse()
    began = time.monotonic()
    try:
        total = run(args)
    except LabError as e:
        say("check: %s" % e)
        total = {"PASS": 0, "FAIL": 1, "SKIP": 0}
    except KeyboardInterrupt:
        return 130
    say("%-10s %6.1f s" % ("altogether", time.monotonic() - began))
    line = "%d passed, %d failed" % (total["PASS"], total["FAIL"])
    say(line + (", %d skipped" % total["SKIP"] if total["SKIP"] else ""))
    return 1 if total["FAIL"] or not total["PASS"] else 0


if __name__ == "__main__":
    sys.exit(main())
