# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/test_run.sh and tests/cram with made cram files: what they print and return."""

from __future__ import annotations

import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any, Callable

from sysbench_lab.servers import programs

from .build import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "tests"))
from lib import pulse  # noqa: E402
from lib.cram_servers import each_kind  # noqa: E402

CRAM = programs.find("cram", "cram3")
RUN = os.path.join(SOURCE, "tests", "test_run.sh")
GOOD = "Good\n  $ echo x\n  x\n"
STALL = "echo $(echo $SB_BEGAN | awk '{ printf \"%.3f\", $1 + 0.001 }') 250 >>$SB_PULSE"
COMMON = '. "$SB_SOURCE/tests/include/common.sh"'
DOUBTFUL = "Doubtful\n  $ %s; %s; timed 1 2 3; in_range 1 2 2\n" % (COMMON, STALL)
# stalls in the first run only
ONCE = "Once\n  $ %s; n=3; if mkdir HERE/mark 2>/dev/null; then %s; else n=2; fi; timed 1 2 $n\n"
ONCE %= (COMMON, STALL)
NONE = "# 0 inconclusive"
ENVIRONMENT = {**os.environ, "SYSBENCH": "/bin/true", "SB_NO_SERVER": "1", "CRAM": str(CRAM)}
ENVIRONMENT.pop("SB_TRIES", None)


class Listed(unittest.TestCase):
    def test_every_file(self) -> None:
        """What is not in tests/t.am is not run by `make check`."""
        with open(os.path.join(SOURCE, "tests", "t.am")) as f:
            every, each = (part.split() for part in f.read().split("EACH =")[:2])
        files = glob.glob(os.path.join(SOURCE, "tests", "t", "*.t"))
        there = [os.path.relpath(one, SOURCE) for f in files for one in each_kind(f)]
        self.assertEqual(sorted(w for w in every if w.startswith("tests/t/")), sorted(there))
        twice = [os.path.relpath(f, SOURCE)[:-7] for f in files if f.endswith("_each.t")]
        self.assertEqual([w for w in each if w.startswith("tests/t/")], sorted(twice))


@unittest.skipUnless(CRAM, "cram is not installed")
class TestRun(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory(prefix="sb-test-run-")
        self.addCleanup(made.cleanup)
        self.dir = made.name

    def run_files(
        self,
        texts: dict[str, str],
        want: int,
        *options: str,
        before: Callable[[], None] | None = None,
        **more: str,
    ) -> list[str]:
        """Runs files of these names and texts, which returns `want`; what it prints."""
        os.makedirs(os.path.join(self.dir, "t"), exist_ok=True)
        for name, text in texts.items():
            with open(os.path.join(self.dir, "t", name + ".t"), "w") as f:
                f.write(text.replace("HERE", self.dir))
        argv, null = [RUN, *options, os.path.join(self.dir, "t")], subprocess.DEVNULL
        env, pipe = {**ENVIRONMENT, **more}, subprocess.PIPE
        done = subprocess.run(argv, env=env, stdin=null, stdout=pipe, text=True, preexec_fn=before)
        self.assertEqual(done.returncode, want, done.stdout)
        return done.stdout.splitlines()

    def expect(self, text: str, want: int, *lines: str, **more: Any) -> None:
        """Of one file a.t: its last lines."""
        out = self.run_files({"a": text}, want, **more)
        self.assertEqual(out[-len(lines) :], list(lines))

    def test_results(self) -> None:
        """Of one file each: the status, and the last lines."""
        skip = "Skip\n  $ %s; skip 'no x'\n" % COMMON
        # a failure is final, even if it would pass the next time, and the machine stood still
        later = "Later\n  $ %s; mkdir HERE/mark && echo new\n" % STALL
        # a pulse of its own: that of the machine may have stalled
        pulse = (
            "SB_PULSE=$PWD/pulse; echo $(echo $SB_BEGAN | awk '{ print $1 - 1 }') 250 >$SB_PULSE"
        )
        late = "Late\n  $ %s; %s; timed 1 2 3\n" % (COMMON, pulse)
        # lines that come when connecting takes over a second, and only they may come
        lines = "echo connected 34/100; echo connected 79/100, 2 refused '(1040)'; echo x"
        slow = "Slow\n  $ %s\n  x\n" % lines
        rows: list[tuple[str, int, list[str], str]] = [
            (GOOD, 0, ["ok - a"], "1 passed, 0 failed, 0 skipped"),
            ("Skip\n  $ exit 80\n", 77, ["ok - a # SKIP no reason given"], "0 passed, 0 failed, 1"),
            (skip, 77, ["ok - a # SKIP no x"], "0 passed, 0 failed, 1 skipped"),
            ("Bad\n  $ echo x\n  y\n", 1, ["    -  y", "    +  x"], "0 passed, 1 failed, 0"),
            (later, 1, ["    +  new"], "0 passed, 1 failed, 0 skipped"),
            (late, 1, ['    +  expected 1 to 2, got "3"'], "0 passed, 1 failed, 0 skipped"),
            (slow, 0, ["ok - a"], "1 passed, 0 failed, 0 skipped"),
            (slow.replace("  x\n", "  y\n"), 1, ["    +  x"], "0 passed, 1 failed, 0 skipped"),
            (slow.replace("79/100,", "79/100, and"), 1, ["     "], "0 passed, 1 failed, 0 skipped"),
        ]
        for text, want, last, counts in rows:
            out = self.run_files({"a": text}, want)
            if last != ["     "]:
                self.assertEqual(out[-2 - len(last) : -2], last)
            self.assertEqual(out[-2], NONE)
            self.assertTrue(out[-1].startswith("# " + counts), out)

    def test_killed(self) -> None:
        """What says nothing has failed, too, even beside one that passes."""
        killed = "Kills what runs it\n  $ kill -9 $(ps -o ppid= -p $PPID)\n"
        out = self.run_files({"a": killed, "b": GOOD}, 1)
        self.assertIn("not ok - a # no result", out)

    def test_once_for_each_server(self) -> None:
        out = self.run_files({"a_each": GOOD, "b": GOOD}, 0)
        names = ("a_mysql # SKIP no private MariaDB", "a_pgsql # SKIP no private PostgreSQL", "b")
        self.assertEqual(sorted(out[:3]), ["ok - " + name for name in names])

    def test_inconclusive(self) -> None:
        self.expect(ONCE, 0, "ok - a", NONE, "# 1 passed, 0 failed, 0 skipped")
        twice = ("# 1 inconclusive a", "# 0 passed, 0 failed, 0 skipped")
        line = 'ok - a # INCONCLUSIVE: expected 1 to 2, got "3"'
        self.expect(DOUBTFUL, 75, line, line, *twice)
        os.rmdir(os.path.join(self.dir, "mark"))
        self.expect(ONCE, 75, line, *twice, SB_TRIES="1")

    def test_stall_excuses_bounds_of_time_only(self) -> None:
        exact = "Exact\n  $ %s; %s; in_range 1 2 3\n" % (COMMON, STALL)
        both = "Both\n  $ %s; %s; timed 1 2 3; echo x\n" % (COMMON, STALL)
        none = "No figure\n  $ %s; %s; timed 1 2 ''\n" % (COMMON, STALL)
        out = self.run_files({"a": exact, "b": both, "c": none}, 1)
        self.assertEqual(out[-1], "# 0 passed, 3 failed, 0 skipped")

    def test_text_that_a_stall_changes(self) -> None:
        stalled = "Stalled\n  $ %s; %s; echo a >a; echo b | timed_diff a -\n" % (COMMON, STALL)
        alike = "Alike\n  $ %s; echo a >a; echo a | timed_diff a -\n" % COMMON
        out = self.run_files({"a": stalled, "b": alike}, 0)
        self.assertEqual(out[-2:], ["# 1 inconclusive a", "# 1 passed, 0 failed, 0 skipped"])

    def test_usual_surroundings(self) -> None:
        """Whatever the caller has set: here as in a script's background, with a mask of its own."""
        signals = "awk '/^SigIgn/ { print substr($2, 14) }' /proc/self/status"

        def unusual() -> None:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(number, signal.SIG_IGN)
            os.umask(0o077)

        texts = {"a": "Ignored\n  $ %s\n  000\n" % signals, "b": "Mask\n  $ umask\n  0022\n"}
        self.run_files(texts, 0, before=unusual)

    def test_hang_is_final(self) -> None:
        hangs = "Hangs\n  $ %s; echo x >>HERE/ran; sleep 1000 & echo $! >HERE/pid; wait\n" % STALL
        line = "    # no end within its time (SB_TEST_LIMIT)"
        self.expect(hangs, 1, line, NONE, "# 0 passed, 1 failed, 0 skipped", SB_TEST_LIMIT="4")
        with open(os.path.join(self.dir, "ran")) as f:
            self.assertEqual(f.read(), "x\n")
        with open(os.path.join(self.dir, "pid")) as f:
            self.assertTrue(ends(int(f.read())), "what it started still runs")

    def test_several_at_once(self) -> None:
        """Two files that wait for each other end; one that runs alone meets nobody."""
        meet = "Meet\n  $ touch HERE/%s; until [ -e HERE/%s ]; do sleep 0.02; done; "
        meet += "touch HERE/met.%s; until [ -e HERE/met.%s ]; do sleep 0.02; done; rm HERE/%s\n"
        alone = "Runs alone: it counts the others.\n  $ ls HERE | grep -c '^[ab]$'\n  0\n  [1]\n"
        texts = {"a": meet % tuple("ababa"), "b": meet % tuple("babab"), "z": alone}
        self.run_files(texts, 0, "-j", "2", SB_TEST_LIMIT="60")

    def test_slowest(self) -> None:
        """A file that only echoes is usually faster than one that sleeps."""
        out = self.run_files({"a": "Slow\n  $ sleep 0.5\n", "b": GOOD}, 0, "-v")
        took = {line.split()[3]: float(line.split()[1]) for line in out[2:4]}
        self.assertGreaterEqual(took["a.t"], 0.5)
        self.assertEqual(list(took.values()), sorted(took.values(), reverse=True))

    def test_update(self) -> None:
        self.run_files({"a": "Bad\n  $ echo x\n  y\n", "b": GOOD}, 1, "-u")
        with open(os.path.join(self.dir, "t", "a.t")) as f:
            self.assertEqual(f.read(), "Bad\n  $ echo x\n  x\n")

    def test_no_such_file(self) -> None:
        path = os.path.join(self.dir, "no.t")
        done = subprocess.run([RUN, path], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such test: " + path, done.stdout)

    def test_interrupted(self) -> None:
        """Neither a file that runs beside others, nor one that runs alone, leaves anything."""
        for text in ("Waits\n", "Runs alone, and waits\n"):
            name, pid = os.path.join(self.dir, "a.t"), os.path.join(self.dir, "pid")
            with open(name, "w") as f:
                f.write(text + "  $ echo $$ >%s; sleep 1000\n" % pid)
            env = {**ENVIRONMENT, "TMPDIR": self.dir}
            null = subprocess.DEVNULL
            run = subprocess.Popen([RUN, name], env=env, stdin=null, stdout=null)
            while not os.path.exists(pid) or not os.path.getsize(pid):
                time.sleep(0.02)
            run.terminate()
            self.assertEqual(run.wait(60), 143)
            with open(pid) as f:
                self.assertTrue(ends(int(f.read())))
            deadline = time.monotonic() + 20
            while len(os.listdir(self.dir)) > 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(sorted(os.listdir(self.dir)), ["a.t", "pid"])
            os.unlink(pid)


class PulseTest(unittest.TestCase):
    def test_stall(self) -> None:
        """A pulse that is stopped for a while is what a stalled machine looks like."""
        with tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, "stalls")
            taken = pulse.Pulse(log)
            taken.start()
            process = taken.process
            assert process
            time.sleep(0.5)
            stopped = time.monotonic()
            while not os.path.exists(log) or not os.path.getsize(log):  # it may not have begun yet
                process.send_signal(signal.SIGSTOP)
                time.sleep(0.3)
                process.send_signal(signal.SIGCONT)
                time.sleep(0.3)
            taken.stop()
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
                "import os, sys, threading; sys.path.insert(0, %r); from lib import pulse;"
                "pulse.runnable = lambda: %d;"
                "threading.Timer(2, os._exit, [0]).start(); pulse.watch_overload(%r, os.getpid())"
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


def ends(pid: int) -> bool:
    """True once it has ended: it was killed, which takes a moment."""
    deadline = time.monotonic() + 20
    while pulse.lives(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not pulse.lives(pid)


if __name__ == "__main__":
    unittest.main()
