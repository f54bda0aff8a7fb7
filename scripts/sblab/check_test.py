# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check with made build directories, and tests/unit_run.sh: what counts as what."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from . import LabError, check, check_faults, check_lab, check_make, check_results, interrupt
from .build import SOURCE
from .check_results import Results

# `results` holds a word for each run of a_test; no test is to blame for `broken`
MAKEFILE = """
TESTS = a_test.log
SAID ?= the log of a_test
check check-am: $(BROKEN) $(TESTS)
	@[ -z "$(TESTS)" ] || ! grep -qs FAIL *.trs
a_test a_test.log:
	@read -r first rest <results; echo "$$rest" >results; echo "a_test 1500" >>"$$SB_TIMES"; \\
	case $$first in DOUBT) r=SKIP; echo "INCONCLUSIVE: a_test: stalled" >a_test.log;; \\
	*) r=$$first; echo "$(SAID)" >a_test.log;; esac; echo ":test-result: $$r" >a_test.trs
broken:
	@false
.PHONY: check check-am a_test a_test.log broken
"""
CRAM_MAKEFILE = """
check-am:
	@mkdir -p tests/t; echo ":test-result: PASS" >tests/t/b.trs
	@echo "b.t 2500" >>"$$SB_TIMES"; $(CRAM_STATUS)
"""


class MakeCheckHalves(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory(prefix="sb-check-")
        self.addCleanup(made.cleanup)
        self.dir = made.name
        for directory in ("tests", "src"):
            os.mkdir(os.path.join(self.dir, directory))

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def run_check(
        self, results: str, before: str = "", tries: str | None = None
    ) -> tuple[Results, str]:
        """Unit tests and cram files of those Makefiles; their results and what was printed."""
        self.write("Makefile", before + CRAM_MAKEFILE)
        self.write("src/Makefile", before + MAKEFILE)
        self.write("src/results", results + " NONE_LEFT\n")
        saved = dict(os.environ)
        self.addCleanup(os.environ.update, saved)
        self.addCleanup(os.environ.clear)  # cleanups run backwards
        for name in ("SB_TRIES", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            os.environ.pop(name, None)
        if tries:
            os.environ["SB_TRIES"] = tries
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            make = check_make.MakeCheck(self.dir, check_make.Servers(), [])
            total = make.unit_tests()
            total.add(make.cram())
            make.run_again(total)
        return total, out.getvalue()

    def assert_counts(
        self, total: Results, passed: int, failed: int, skipped: int, doubts: list[str], out: str
    ) -> None:
        self.assertEqual(
            (total.passed, total.failed, len(total.skipped), total.inconclusive),
            (passed, failed, skipped, doubts),
            out,
        )

    def left(self) -> str:
        """The results of runs that did not happen."""
        with open(os.path.join(self.dir, "src", "results")) as f:
            return f.read().strip()

    def test_all_pass(self) -> None:
        total, out = self.run_check("PASS")
        self.assert_counts(total, 2, 0, 0, [], out)
        self.assertEqual(total.seconds, {"a_test": 1.5, "b.t": 2.5})

    def test_failure_is_final(self) -> None:
        """Whatever the reason: a hang, a crash, a sanitizer's report, a bound of time."""
        for log in (
            "the log of a_test",
            "a_test: no end within 300 s (SB_UNIT_TIMEOUT)",
            "FAIL a_test (exit status: 139)",
            "==1==ERROR: AddressSanitizer: heap-use-after-free",
            "INCONCLUSIVE: a_test: stalled",
        ):
            total, out = self.run_check("FAIL PASS", "SAID = %s\n" % log)
            self.assert_counts(total, 1, 1, 0, [], out)
            self.assertIn("a_test failed\n" + log, out)
            self.assertNotIn("outside of a test", out)
            self.assertEqual(self.left(), "PASS NONE_LEFT")

    def test_skips_itself(self) -> None:
        total, out = self.run_check("SKIP PASS")
        self.assert_counts(total, 1, 0, 1, [], out)
        self.assertEqual(total.skipped, ["a_test: the log of a_test"])
        self.assertEqual(self.left(), "PASS NONE_LEFT")

    def test_inconclusive_then(self) -> None:
        """The second run decides."""
        for second, passed, failed, skipped, doubts in (
            ("PASS", 2, 0, 0, 0),
            ("FAIL", 1, 1, 0, 0),
            ("SKIP", 1, 0, 1, 0),
            ("DOUBT", 1, 0, 0, 1),
        ):
            total, out = self.run_check("DOUBT " + second)
            self.assert_counts(total, passed, failed, skipped, ["a_test"] * doubts, out)
            self.assertIn("a_test was inconclusive and runs again: a_test: stalled", out)
            self.assertEqual(self.left(), "NONE_LEFT")

    def test_no_second_run(self) -> None:
        total, out = self.run_check("DOUBT PASS", tries="1")
        self.assert_counts(total, 1, 0, 0, ["a_test"], out)
        self.assertEqual(self.left(), "PASS NONE_LEFT")

    def test_outside(self) -> None:
        for results in ("PASS", "FAIL"):  # a test that failed does not hide the rest
            total, out = self.run_check(results, "BROKEN = broken\n")
            self.assertEqual(total.failed, 2 if results == "FAIL" else 1, out)
            self.assertIn("make check failed outside of a test", out)

    def test_outside_of_cram(self) -> None:
        total, out = self.run_check("PASS", "CRAM_STATUS = exit 1\n")
        self.assertEqual((total.passed, total.failed), (2, 1), out)
        self.assertIn("make check failed outside of a test", out)


class LabTests(unittest.TestCase):
    """What pytest printed, counted."""

    def counts(self, status: int, text: str) -> tuple[int, int, int]:
        with contextlib.redirect_stdout(io.StringIO()):
            r = check_lab.counted(status, text)
        return r.passed, r.failed, len(r.skipped)

    def test_counts(self) -> None:
        why = "SKIPPED [1] a_test.py:7: no x: y\nSKIPPED [3] pictures/b_test.py:9: no b\n"
        last = "2 failed, 31 passed, 4 skipped, 1 warning, 1 error in 2.50s\n"
        self.assertEqual(self.counts(1, "F..\n" + why + last), (31, 3, 4))
        self.assertEqual(self.counts(0, "..\n2 passed in 0.10s\n"), (2, 0, 0))

    def test_no_end_is_a_failure(self) -> None:
        self.assertEqual(self.counts(4, "ERROR: cannot read 5 files\n"), (0, 1, 0))
        self.assertEqual(self.counts(-9, ""), (0, 1, 0))

    def test_without_pytest(self) -> None:
        nothing = unittest.mock.patch.object(check_lab, "python", return_value="")
        with nothing, contextlib.redirect_stdout(io.StringIO()):
            r = check_lab.lab_tests("/nonexistent", True, ["."])
        self.assertEqual((r.passed, r.failed), (0, 0))
        self.assertIn("pytest, or tomli before 3.11 is missing", r.skipped[0])


class FaultDrills(unittest.TestCase):
    """What tests/faults/run printed, counted."""

    def counts(self, status: int, text: str) -> tuple[int, int, list[str]]:
        with contextlib.redirect_stdout(io.StringIO()):
            r = check_faults.counted(status, text)
        return r.passed, r.failed, r.inconclusive

    def test_counts(self) -> None:
        text = "passed         1.0 s  sigint/threads-paced\n2.0 s\n"
        last = "1 drills: 1 passed, 0 failed, 0 inconclusive\n"
        self.assertEqual(self.counts(0, text + last), (1, 0, []))

    def test_inconclusive_twice(self) -> None:
        line = "inconclusive   4.1 s  pause/mariadb/threads-paced\n    files in /tmp/x\n"
        last = "8.3 s\n1 drills: 0 passed, 0 failed, 1 inconclusive\n"
        self.assertEqual(
            self.counts(0, line + line + last), (0, 0, ["faults/pause/mariadb/threads-paced"])
        )

    def test_passed_the_second_time(self) -> None:
        lines = "inconclusive   4.1 s  pause/x\npassed         4.1 s  pause/x\n"
        last = "8.3 s\n1 drills: 1 passed, 0 failed, 0 inconclusive\n"
        self.assertEqual(self.counts(0, lines + last), (1, 0, []))

    def test_no_end_is_a_failure(self) -> None:
        self.assertEqual(self.counts(-9, "passed 1.0 s  x\n"), (0, 1, []))


class ScriptTests(unittest.TestCase):
    def test_skipped(self) -> None:
        text = (
            "test_a (sblab.a_test.A) ... ok\n"
            "test_b (sblab.b_test.B)\nWhat it does. ... skipped 'no b: none'\n"
            'test_c (sblab.c_test.C.test_c) ... skipped "no cram\'s"\n'
        )
        self.assertEqual(
            check.skipped_in(text),
            ["test_b (sblab.b_test.B): no b: none", "test_c (sblab.c_test.C.test_c): no cram's"],
        )

    def test_stop(self) -> None:
        """An interrupted check does not leave them behind."""
        code = (
            "import signal, sys, time; sys.path.insert(0, %r); from sblab import interrupt, check\n"
            "interrupt.be_interruptible(); phases = check.Beside()\n"
            "phases.start('x', interrupt.output_of, ['sh', '-c', 'echo $$ >%s; exec sleep 100'])\n"
            "while not open(%r).read().strip(): time.sleep(0.01)\n"
            "phases.stop()"
        )
        with tempfile.NamedTemporaryFile("r") as pid:
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    code % (os.path.join(SOURCE, "scripts"), pid.name, pid.name),
                ],
                # as for `scripts/check &` in a script
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
                timeout=50,
            )
            self.assertEqual(done.returncode, 0)
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read()), 0)

    def test_failing_phase(self) -> None:
        """It does not end the others."""

        def fails() -> Results:
            raise LabError("no disk")

        out = io.StringIO()
        phases = check.Beside()
        with contextlib.redirect_stdout(out):
            phases.start("a", fails)
            phases.start("b", Results, 2)
            total = phases.results()
        self.assertEqual((total.passed, total.failed), (2, 1))
        self.assertEqual(out.getvalue(), "not ok a: no disk\n")


class Interrupt(unittest.TestCase):
    def test_deaf(self) -> None:
        """What does not listen is killed."""
        deaf = subprocess.Popen(
            ["sh", "-c", "trap '' INT; echo; while :; do sleep 1; done"],
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert deaf.stdout
        deaf.stdout.readline()
        interrupt.interrupt(deaf, 0.2)
        self.assertEqual(deaf.returncode, -signal.SIGKILL)


class ReadResults(unittest.TestCase):
    def test_cram(self) -> None:
        said = {
            "x": ("SKIP", "ok - x # SKIP no y"),
            "rate_stall": ("SKIP", 'ok - rate_stall # INCONCLUSIVE: expected 1, got "3"'),
            "bad": ("FAIL", "not ok - bad"),
        }
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "t"))
            for name, (result, line) in said.items():
                for suffix, text in (("trs", ":test-result: %s\n" % result), ("log", line + "\n")):
                    with open(os.path.join(directory, "t", "%s.%s" % (name, suffix)), "w") as f:
                        f.write(text)
            with open(os.path.join(directory, "times"), "w") as f:
                f.write("rate_stall.t 10200\na_test 700\n")
            self.assertEqual(
                check_results.results_in(directory, f.name),
                Results(0, 1, ["x.t: no y"], ["rate_stall.t"], {"rate_stall.t": 10.2}),
            )


class ClosingLines(unittest.TestCase):
    """The last line is read by programs."""

    def test_form(self) -> None:
        self.assertEqual(check.closing_lines(Results(7)), "0 inconclusive\n7 passed, 0 failed")
        self.assertEqual(
            check.closing_lines(Results(7, 1, ["x.t: no x", "y: no y"], ["a_test", "b.t"])),
            "skipped: x.t: no x\nskipped: y: no y\n"
            "2 inconclusive: a_test b.t\n7 passed, 1 failed, 2 skipped",
        )


@unittest.skipUnless(shutil.which("timeout"), "there is no timeout(1)")
class UnitRun(unittest.TestCase):
    def run_test(self, *command: str, **more: str) -> tuple[int, str]:
        done = subprocess.run(
            [os.path.join(SOURCE, "tests", "unit_run.sh")] + list(command),
            env=dict(os.environ, **more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout

    def test_ends(self) -> None:
        self.assertEqual(self.run_test("sh", "-c", "echo said; exit 3"), (3, "said\n"))
        self.assertEqual(self.run_test("true"), (0, ""))

    def test_hangs(self) -> None:
        code, out = self.run_test("/bin/sleep", "1000", SB_UNIT_TIMEOUT="0.2")
        self.assertEqual((code, out), (1, "sleep: no end within 0.2 s (SB_UNIT_TIMEOUT)\n"))

    def test_deaf(self) -> None:
        for limit in ("0.2", "2", "20"):
            code, out = self.run_test(
                "/bin/sh",
                "-c",
                "trap '' TERM; echo deaf; while :; do sleep 0.1; done",
                SB_UNIT_TIMEOUT=limit,
                SB_UNIT_GRACE="0.2",
            )
            if out.startswith("deaf\n"):  # else the signal came before that
                break
        said = "sh: killed: no end within %s s (SB_UNIT_TIMEOUT) and deaf to SIGTERM, or no memory"
        self.assertEqual((code, out.splitlines()[-1]), (1, said % limit))

    def test_inconclusive(self) -> None:
        code, out = self.run_test("sh", "-c", "echo 'INCONCLUSIVE: x: stalled'; exit 75")
        self.assertEqual(
            (code, out), (77, "INCONCLUSIVE: x: stalled\nINCONCLUSIVE: sh: exit status 75\n")
        )

    def test_time(self) -> None:
        with tempfile.NamedTemporaryFile("r") as times:
            self.run_test("sleep", "0.3", SB_TIMES=times.name)
            name, ms = times.read().split()
            self.assertEqual(name, "sleep")
            self.assertGreaterEqual(int(ms), 300)

    def test_make_check_uses_it(self) -> None:
        with open(os.path.join(SOURCE, "src", "Makefile.am")) as f:
            self.assertIn("LOG_COMPILER = $(top_srcdir)/tests/unit_run.sh", f.read())

    def test_the_tarball_has_all_sources(self) -> None:
        """A header that no list names is built from a clone all the same."""
        src = os.path.join(SOURCE, "src")
        with open(os.path.join(src, "Makefile.am")) as f:
            named = set(f.read().split())
        for directory, _, files in os.walk(src):
            at = os.path.relpath(directory, src)
            for name in files:
                if name.endswith((".c", ".h")):
                    self.assertIn(os.path.normpath(os.path.join(at, name)), named)


if __name__ == "__main__":
    unittest.main()
