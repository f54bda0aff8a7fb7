# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/test_run.sh with made cram files: what it counts, prints and returns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Callable

from sysbench_lab.servers import programs

from .build import SOURCE

CRAM = programs.find("cram", "cram3")


@unittest.skipUnless(CRAM, "cram is not installed")
class TestRun(unittest.TestCase):
    good = "Good\n  $ echo x\n  x\n"
    bad = "Bad\n  $ echo x\n  y\n"
    skip = "Skip\n  $ exit 80\n"
    stall = "echo $(echo $SB_BEGAN | awk '{ printf \"%.3f\", $1 + 0.001 }') 250 >>$SB_PULSE"
    source = '. "$SB_SOURCE/tests/include/common.sh"'
    doubtful = "Doubtful\n  $ %s; %s; timed 1 2 3; in_range 1 2 2\n" % (source, stall)
    # stalls in the first run only
    once = (
        "Once\n  $ %s; n=3; if mkdir HERE/mark 2>/dev/null; then %s; else n=2; fi; timed 1 2 $n\n"
        % (source, stall)
    )

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory(prefix="sb-test-run-")
        self.addCleanup(made.cleanup)
        self.dir = made.name
        self.code = 0
        self.out: list[str] = []
        self.counts: list[str] = []

    def run_files(
        self,
        texts: dict[str, str],
        *options: str,
        before: Callable[[], None] | None = None,
        **more: str,
    ) -> None:
        """Runs files of these names and texts; sets out, code, and counts without `took`."""
        os.makedirs(os.path.join(self.dir, "t"), exist_ok=True)
        for name, text in texts.items():
            with open(os.path.join(self.dir, "t", name + ".t"), "w") as f:
                f.write(text.replace("HERE", self.dir))
        counts = os.path.join(self.dir, "counts")
        env = dict(
            os.environ, SYSBENCH="/bin/true", SB_COUNTS=counts, SB_NO_SERVER="1", CRAM=str(CRAM)
        )
        env.pop("SB_TRIES", None)
        env.update(more)
        done = subprocess.run(
            [os.path.join(SOURCE, "tests", "test_run.sh"), *options, os.path.join(self.dir, "t")],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=300,
            preexec_fn=before,
        )
        self.out, self.code = done.stdout.splitlines(), done.returncode
        with open(counts) as f:
            self.counts = [line for line in f.read().splitlines() if not line.startswith("took ")]

    def test_all_pass(self) -> None:
        self.run_files({"a": self.good})
        self.assertEqual(
            self.out, ["1..1", "ok 1 - a", "# 0 inconclusive", "# 1 passed, 0 failed, 0 skipped"]
        )
        self.assertEqual((self.code, self.counts), (0, ["1 0 0"]))

    def test_once_for_each_server(self) -> None:
        self.run_files({"a_each": self.good, "b": self.good})
        self.assertEqual(self.code, 0)
        skipped = ["a_mysql.t: no private MariaDB", "a_pgsql.t: no private PostgreSQL"]
        skipped = ["skipped " + name for name in skipped]
        self.assertEqual([self.counts[0], *sorted(self.counts[1:])], ["1 0 2", *skipped])

    def test_all_skipped(self) -> None:
        self.run_files({"a": self.skip})
        self.assertEqual(self.out[1], "ok 1 - a # SKIP no reason given")
        self.assertEqual((self.code, self.counts), (77, ["0 0 1", "skipped a.t: no reason given"]))
        self.run_files({"a": "Skip\n  $ %s; skip 'no x'\n" % self.source})
        self.assertEqual((self.code, self.counts), (77, ["0 0 1", "skipped a.t: no x"]))

    def test_progress_of_connecting(self) -> None:
        """Its lines come when connecting takes over a second, and only they may come."""
        lines = "echo connected 34/100; echo connected 79/100, 2 refused '(1040)'; echo x"
        slow = "Slow\n  $ %s\n  x\n" % lines
        self.run_files({"a": slow})
        self.assertEqual((self.code, self.counts), (0, ["1 0 0"]))
        self.run_files({"a": slow.replace("  x\n", "  y\n")})
        self.assertEqual((self.code, self.counts), (1, ["0 1 0"]))
        self.run_files({"a": slow.replace("79/100,", "79/100, and")})
        self.assertEqual((self.code, self.counts), (1, ["0 1 0"]))

    def test_failure_is_final(self) -> None:
        """Even if it would pass the next time, and even if the machine stood still."""
        later = "Later\n  $ %s; mkdir HERE/mark && echo new\n" % self.stall
        self.run_files({"a": later, "b": self.good})
        self.assertEqual(self.code, 1)
        self.assertIn("not ok", " ".join(self.out))
        self.assertIn("    +  new", self.out)
        self.assertEqual(self.out[-1], "# 1 passed, 1 failed, 0 skipped")
        self.assertEqual(self.counts, ["1 1 0"])

    def test_inconclusive_then_passes(self) -> None:
        self.run_files({"a": self.once})
        self.assertEqual(self.out[1], "ok 1 - a # at the second run; the first was inconclusive")
        self.assertEqual((self.code, self.counts), (0, ["1 0 0"]))

    def test_inconclusive_twice(self) -> None:
        self.run_files({"a": self.doubtful, "b": self.good})
        self.assertIn(
            'ok 2 - a # SKIP inconclusive: expected 1 to 2, got "3" '
            "at the second run; the first was inconclusive",
            self.out,
        )
        self.assertEqual(self.out[-2:], ["# 1 inconclusive: a", "# 1 passed, 0 failed, 0 skipped"])
        self.assertEqual((self.code, self.counts), (0, ["1 0 0", "inconclusive a"]))

    def test_only_inconclusive(self) -> None:
        self.run_files({"a": self.doubtful})
        self.assertEqual((self.code, self.counts), (75, ["0 0 0", "inconclusive a"]))

    def test_no_second_run(self) -> None:
        self.run_files({"a": self.once}, SB_TRIES="1")
        self.assertEqual((self.code, self.counts), (75, ["0 0 0", "inconclusive a"]))

    def test_stall_excuses_bounds_of_time_only(self) -> None:
        exact = "Exact\n  $ %s; %s; in_range 1 2 3\n" % (self.source, self.stall)
        both = "Both\n  $ %s; %s; timed 1 2 3; echo x\n" % (self.source, self.stall)
        none = "No figure\n  $ %s; %s; timed 1 2 ''\n" % (self.source, self.stall)
        self.run_files({"a": exact, "b": both, "c": none})
        self.assertEqual((self.code, self.counts), (1, ["0 3 0"]), self.out)

    def test_text_that_a_stall_changes(self) -> None:
        differs = "echo a >a; echo b | timed_diff a -"
        stalled = "Stalled\n  $ %s; %s; %s\n" % (self.source, self.stall, differs)
        alike = "Alike\n  $ %s; echo a >a; echo a | timed_diff a -\n" % self.source
        self.run_files({"a": stalled, "b": alike})
        self.assertEqual(self.counts, ["1 0 0", "inconclusive a"], self.out)

    def test_usual_surroundings(self) -> None:
        """Whatever the caller has set: here as in a script's background, with a mask of its own."""
        signals = "awk '/^SigIgn/ { print substr($2, 14) }' /proc/self/status"
        ignored = "Ignored\n  $ %s\n  000\n" % signals
        mask = "Mask\n  $ umask\n  0022\n"

        def unusual() -> None:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(number, signal.SIG_IGN)
            os.umask(0o077)

        self.run_files({"a": ignored, "b": mask}, before=unusual)
        self.assertEqual(self.counts, ["2 0 0"], self.out)

    def test_bound_of_time_without_a_stall(self) -> None:
        # a pulse of its own: that of the machine may have stalled
        before = (
            "SB_PULSE=$PWD/pulse; "
            "echo $(echo $SB_BEGAN | awk '{ printf \"%.3f\", $1 - 1 }') 250 >$SB_PULSE"
        )
        self.run_files({"a": "Late\n  $ %s; %s; timed 1 2 3\n" % (self.source, before)})
        self.assertIn('    +  expected 1 to 2, got "3"', self.out)

    def test_hang_is_final(self) -> None:
        hangs = (
            "Hangs\n  $ %s; echo x >>HERE/ran; sleep 1000 & echo $! >HERE/pid; wait\n" % self.stall
        )
        self.run_files({"a": hangs}, SB_TEST_LIMIT="4")
        self.assertEqual((self.code, self.counts), (1, ["0 1 0"]))
        self.assertIn("    # no end within 4 s", self.out)
        with open(os.path.join(self.dir, "ran")) as f:
            self.assertEqual(f.read(), "x\n")
        with open(os.path.join(self.dir, "pid")) as f:
            self.assertTrue(ends(int(f.read())), "what it started still runs")

    def test_several_at_once(self) -> None:
        """Two files that wait for each other end; those that run alone meet nobody."""
        meet = "Meet\n  $ touch HERE/%s; until [ -e HERE/%s ]; do sleep 0.02; done; "
        meet += "touch HERE/met.%s; until [ -e HERE/met.%s ]; do sleep 0.02; done; rm HERE/%s\n"
        alone = "Runs alone: it counts the others.\n  $ ls HERE | grep -c '^[ab]$'\n  0\n  [1]\n"
        texts = {"a": meet % tuple("ababa"), "b": meet % tuple("babab"), "alone": alone}
        self.run_files(texts, "-j", "2", SB_TEST_LIMIT="60")
        self.assertEqual((self.code, self.counts), (0, ["3 0 0"]), self.out)
        self.assertEqual(self.out[3], "ok 3 - alone")

    def test_slowest(self) -> None:
        """A file that only echoes is usually faster than one that sleeps."""
        self.run_files({"a": "Slow\n  $ sleep 0.5\n", "b": self.good}, "--verbose")
        for line in self.out[3:5]:
            self.assertRegex(line, r"^# +\d+\.\d s [ab]$")
        took = {line.split()[3]: float(line.split()[1]) for line in self.out[3:5]}
        self.assertGreaterEqual(took["a"], 0.5)
        self.assertEqual(list(took.values()), sorted(took.values(), reverse=True))

    def test_update(self) -> None:
        self.run_files({"a": self.bad, "b": self.good}, "-u")
        with open(os.path.join(self.dir, "t", "a.t")) as f:
            self.assertEqual(f.read(), "Bad\n  $ echo x\n  x\n")

    def test_no_such_file(self) -> None:
        done = subprocess.run(
            [os.path.join(SOURCE, "tests", "test_run.sh"), self.dir + "/no.t"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(
            (done.returncode, done.stdout), (1, "Bail out! no such test: %s/no.t\n" % self.dir)
        )


@unittest.skipUnless(CRAM, "cram is not installed")
class Interrupted(unittest.TestCase):
    def test_leaves_nothing_behind(self) -> None:
        """Neither a file that runs beside others, nor one that runs alone."""
        for text in ("Waits\n", "Runs alone, and waits\n"):
            self.interrupt(text)

    def interrupt(self, text: str) -> None:
        made = tempfile.TemporaryDirectory(prefix="sb-test-run-")
        self.addCleanup(made.cleanup)
        directory = made.name
        with open(os.path.join(directory, "a.t"), "w") as f:
            f.write(text + "  $ echo $$ >%s/pid; sleep 1000\n" % directory)
        env = dict(
            os.environ, SYSBENCH="/bin/true", SB_NO_SERVER="1", CRAM=str(CRAM), TMPDIR=directory
        )
        run = subprocess.Popen(
            [os.path.join(SOURCE, "tests", "test_run.sh"), directory + "/a.t"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        while not os.path.exists(directory + "/pid") or not os.path.getsize(directory + "/pid"):
            time.sleep(0.02)
        run.terminate()
        self.assertEqual(run.wait(60), 143)
        with open(directory + "/pid") as f:
            self.assertTrue(ends(int(f.read())))
        self.assertEqual(sorted(os.listdir(directory)), ["a.t", "pid"])


class PulseTest(unittest.TestCase):
    def test_stall(self) -> None:
        """A pulse that is stopped for a while is what a stalled machine looks like."""
        with tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, "stalls")
            pulse = subprocess.Popen(
                [sys.executable, "-B", os.path.join(SOURCE, "tests", "runner", "pulse.py"), log]
            )
            time.sleep(0.5)
            stopped = time.monotonic()
            while not os.path.exists(log) or not os.path.getsize(log):  # it may not have begun yet
                pulse.send_signal(signal.SIGSTOP)
                time.sleep(0.3)
                pulse.send_signal(signal.SIGCONT)
                time.sleep(0.3)
            pulse.kill()
            pulse.wait()
            with open(log) as f:
                ended, late = map(float, f.readline().split())
        self.assertGreaterEqual(late, 100)
        self.assertTrue(stopped - 1 < ended < time.monotonic())

    def lines(self, tasks: int) -> list[int]:
        """What the pulse notes in 2 s of a machine with so many runnable tasks: milliseconds."""
        with tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, "stalls")
            open(log, "w").close()
            code = (
                "import os, sys, threading; sys.path.insert(0, %r); from runner import pulse;"
                "pulse.runnable = lambda: %d;"
                "threading.Timer(2, os._exit, [0]).start(); pulse.watch_overload(%r, os.getppid())"
            ) % (os.path.join(SOURCE, "tests"), tasks, log)
            subprocess.run([sys.executable, "-B", "-c", code], check=True)
            with open(log) as f:
                return [int(line.split()[1]) for line in f]

    def test_overload(self) -> None:
        """More than two runnable tasks per CPU are an overload if they last."""
        room = 2 * (os.cpu_count() or 1)
        self.assertEqual(self.lines(room), [])
        crowd = self.lines(room + 1)
        self.assertTrue(1 <= len(crowd) <= 3, crowd)
        self.assertGreaterEqual(min(crowd), 500)


def lives(pid: int) -> bool:
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def ends(pid: int) -> bool:
    """True once it has ended: it was killed, which takes a moment."""
    deadline = time.monotonic() + 20
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not lives(pid)


if __name__ == "__main__":
    unittest.main()
