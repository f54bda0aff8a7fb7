# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/test_run.sh and tests/cram with made cram files: what they print and return."""

from __future__ import annotations

import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any

from sysbench_lab.servers import programs

from .build import SOURCE

sys.path.insert(0, os.path.join(SOURCE, "tests"))
from lib import pulse  # noqa: E402
from lib.cram_servers import each_kind  # noqa: E402

CRAM = programs.find("cram", "cram3")
RUN = os.path.join(SOURCE, "tests", "test_run.sh")
GOOD, BAD = "Good\n  $ echo x\n  x\n", "Bad\n  $ echo x\n  y\n"
STALL = "echo $(echo $SB_BEGAN | awk '{ printf \"%.3f\", $1 + 0.001 }') 250 >>$SB_PULSE"
COMMON = '. "$SB_SOURCE/tests/include/common.sh"'
STALLED = "Stalled\n  $ " + COMMON + "; " + STALL.replace("%", "%%") + "; %s\n"
DOUBTFUL = STALLED % "timed 1 2 3; in_range 1 2 2"
# lines that come when connecting takes over a second, and only they may come
SLOW = "Slow\n  $ echo connected 34/100; echo connected 79/100%s 2 refused '(1040)'; echo x\n  %s\n"
KILLED = "Kills what runs it\n  $ kill -9 $(ps -o ppid= -p $PPID)\n"
# a pulse of its own: that of the machine may have stalled
LATE = "Late\n  $ %s; SB_PULSE=$PWD/pulse; echo ${SB_BEGAN%%.*} 250 >$SB_PULSE; timed 1 2 3\n"
# two that wait for each other, and are together for a while
MEET = "Meet\n  $ touch HERE/%s; until [ -e HERE/%s ]; do sleep 0.02; done; sleep 0.5; rm HERE/%s\n"
COUNTS = "# %d passed, %d failed, %d skipped"
NONE, KINDS = "not ok - a # no result", (("mysql", "MariaDB"), ("pgsql", "PostgreSQL"))
DOUBT = ' # INCONCLUSIVE: expected 1 to 2, got "3"'
# files, and the last line that is said of each
FILES = (
    ("alike", "Alike\n  $ %s; echo a >a; echo a | timed_diff a -\n" % COMMON, "ok - alike"),
    ("bad", BAD, "    +  x"),
    ("both", STALLED % "timed 1 2 3; echo x", "    +  x"),
    ("doubtful", DOUBTFUL, "ok - doubtful" + DOUBT),
    ("exact", STALLED % "in_range 1 2 3", '    +  expected 1 to 2, got "3"'),
    ("exit", "Skip\n  $ exit 80\n", "ok - exit # SKIP no reason given"),
    ("good", GOOD, "ok - good"),
    # whatever the caller has set
    ("ignored", "Ignored\n  $ awk '/^SigIgn/ { print substr($2, 14) }' /proc/self/status\n  000\n",
     "ok - ignored"),
    ("late", LATE % COMMON, '    +  expected 1 to 2, got "3"'),
    # a failure is final, even if it would pass the next time, and the machine stood still
    ("later", "Later\n  $ %s; mkdir HERE/later && echo new\n" % STALL, "    +  new"),
    ("mask", "Mask\n  $ umask\n  0022\n", "ok - mask"),
    ("meet1", MEET % tuple("aba"), "ok - meet1"),
    ("meet2", MEET % tuple("bab"), "ok - meet2"),
    ("meet3", "Runs alone.\n  $ ls HERE | grep -c '^[ab]$'\n  0\n  [1]\n", "ok - meet3"),
    ("none", STALLED % "timed 1 2 ''", '    +  expected 1 to 2, got ""'),
    # stalls in the first run only
    ("once", STALLED % "n=3; mkdir HERE/once 2>/dev/null || n=2; timed 1 2 $n", "ok - once"),
    ("skip", "Skip\n  $ %s; skip 'no x'\n" % COMMON, "ok - skip # SKIP no x"),
    ("slow", SLOW % (",", "x"), "ok - slow"),
    ("slow2", SLOW % (",", "y"), "    +  x"),
    ("slow3", SLOW % (", and", "x"), "       x"),
    ("text", STALLED % "echo a >a; echo b | timed_diff a -",
     "ok - text # INCONCLUSIVE: differs: 1c1 < a --- > b "),
)  # fmt: skip
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
        self, texts: dict[str, str], want: int, *options: str, before: Any = None, **more: str
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

    def test_results(self) -> None:
        """Several at a time, by a caller that ignores signals and has a mask of its own."""

        def unusual() -> None:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(number, signal.SIG_IGN)
            os.umask(0o077)

        texts = {name: text for name, text, _ in FILES}
        out = self.run_files(texts, 1, "-v", "-j", "4", before=unusual)
        for name, _, last in FILES:
            at = max(i for i, line in enumerate(out) if re.match(r"(not )?ok - %s\b" % name, line))
            while out[at + 1].startswith("    "):
                at += 1
            self.assertEqual(out[at], last, out)
        self.assertEqual(sum(line == "ok - doubtful" + DOUBT for line in out), 2)
        took = [float(line.split()[1]) for line in out if re.match("#.* s .*[.]t$", line)]
        self.assertEqual((took, len(took)), (sorted(took, reverse=True), 15))
        self.assertEqual(out[-1], COUNTS % (9, 8, 2))
        self.assertEqual(out[-2], "# 2 inconclusive doubtful text")

    def test_status(self) -> None:
        """Of files that all end alike, each with all that is printed."""
        skips = ["ok - a_%s # SKIP no private %s" % k for k in KINDS]
        for name, text, want, lines, doubts, counts in (
            ("a", GOOD, 0, ["ok - a"], "0 inconclusive", (1, 0, 0)),
            ("a_each", GOOD, 77, skips, "0 inconclusive", (0, 0, 2)),
            # what says nothing has failed, too
            ("a", KILLED, 1, [NONE], "0 inconclusive", (0, 1, 0)),
            # no second run
            ("a", DOUBTFUL, 75, ["ok - a" + DOUBT], "1 inconclusive a", (0, 0, 0)),
        ):
            out = self.run_files({name: text}, want, "-j1", SB_TRIES="1")
            self.assertEqual(out, [*lines, "# " + doubts, COUNTS % counts])
            os.unlink(os.path.join(self.dir, "t", name + ".t"))

    def test_hang_is_final(self) -> None:
        hangs = "Hangs\n  $ %s; echo x >>HERE/ran; sleep 1000 & echo $! >HERE/pid; wait\n" % STALL
        line = "    # no end within its time (SB_TEST_LIMIT)"
        self.assertIn(line, self.run_files({"a": hangs}, 1, SB_TEST_LIMIT="4"))
        with open(os.path.join(self.dir, "ran")) as f:
            self.assertEqual(f.read(), "x\n")
        with open(os.path.join(self.dir, "pid")) as f:
            self.assertTrue(ends(int(f.read())), "what it started still runs")

    def test_update(self) -> None:
        self.run_files({"a": BAD, "b": GOOD}, 1, "-u")
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
