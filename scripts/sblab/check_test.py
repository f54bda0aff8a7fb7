# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check with made build folders, and tests/unit_run.sh: what counts as failed, under which name."""

import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import unittest

from . import check
from .build import SOURCE

# a_test fails as long as there is no file `again`; `broken` is what no test is to blame for
MAKEFILE = """
TESTS = a_test.log
SECOND ?= PASS
SAID ?= the log of a_test
check: $(BROKEN) $(TESTS)
	@echo '1 0 0' >"$$SB_COUNTS"; [ -z "$(TESTS)" ] || ! grep -qs FAIL *.trs
a_test a_test.log:
	@if [ -e again ]; then r=$(SECOND); else r=FAIL; touch again; fi; [ -z "$(ALWAYS)" ] || r=$(ALWAYS); \\
	echo "$(SAID)" >a_test.log; echo ":test-result: $$r" >a_test.trs
broken:
	@false
.PHONY: check a_test a_test.log broken
"""


class MakeCheck(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="sb-check-")
        self.addCleanup(shutil.rmtree, self.dir)
        os.mkdir(os.path.join(self.dir, "tests"))
        with open(os.path.join(self.dir, "tests", "test_run.sh.log"), "w") as f:
            f.write("# 1 passed\n")

    def run_check(self, before="", tries=None):
        """make_check() over that Makefile; returns its counts, who needed a second try, what was printed."""
        with open(os.path.join(self.dir, "Makefile"), "w") as f:
            f.write(before + MAKEFILE)
        saved = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(saved)))
        for name in ("SB_TRIES", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            os.environ.pop(name, None)
        if tries:
            os.environ["SB_TRIES"] = tries
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            total, again = check.make_check(self.dir, check.Servers(), [])
        return total, again, out.getvalue()

    def test_all_pass(self):
        total, again, out = self.run_check("ALWAYS = PASS\n")
        self.assertEqual((total, again), ({"PASS": 2, "FAIL": 0, "SKIP": 0}, []), out)

    def test_second_try(self):
        total, again, out = self.run_check()
        self.assertEqual((total, again), ({"PASS": 2, "FAIL": 0, "SKIP": 0}, ["a_test"]), out)
        self.assertIn("a_test failed\nthe log of a_test", out)

    def test_skips_itself_at_the_second_try(self):
        total, again, out = self.run_check("SECOND = SKIP\n")
        self.assertEqual((total, again), ({"PASS": 1, "FAIL": 1, "SKIP": 0}, []), out)

    def test_no_second_try(self):
        """What would pass then, but no stalled machine explains the first try."""
        for log in (
            "a_test: no end within 300 s (SB_UNIT_TIMEOUT)",
            "a_test: killed: no end within 300 s (SB_UNIT_TIMEOUT) and deaf to SIGTERM, or no memory",
            "FAIL a_test (exit status: 139)",
            "==1==ERROR: AddressSanitizer: heap-use-after-free",
        ):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.dir, "again"))
            total, again, out = self.run_check("SAID = %s\n" % log)
            self.assertEqual((total, again), ({"PASS": 1, "FAIL": 1, "SKIP": 0}, []), out)
            self.assertIn("a_test failed\n" + log, out)
            self.assertNotIn("failed again", out)

    def test_fails_twice(self):
        total, again, out = self.run_check("ALWAYS = FAIL\n")
        self.assertEqual((total, again), ({"PASS": 1, "FAIL": 1, "SKIP": 0}, []), out)
        self.assertNotIn("outside of a test", out)

    def test_outside(self):
        total, again, out = self.run_check("ALWAYS = PASS\nBROKEN = broken\n")
        self.assertEqual(total["FAIL"], 2, out)  # and the cram tests did not get that far
        self.assertIn("make check failed outside of a test", out)

    def test_outside_behind_a_second_try(self):
        """What passes at the second try does not excuse the rest."""
        total, again, out = self.run_check("BROKEN = broken\n")
        self.assertEqual(again, ["a_test"], out)
        self.assertEqual(total["FAIL"], 2, out)
        self.assertIn("make check failed outside of a test", out)


@unittest.skipUnless(shutil.which("timeout"), "there is no timeout(1)")
class UnitRun(unittest.TestCase):
    def run_test(self, *command, **more):
        done = subprocess.run(
            [os.path.join(SOURCE, "tests", "unit_run.sh")] + list(command),
            env=dict(os.environ, **more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            timeout=300,
        )
        return done.returncode, done.stdout

    def test_ends(self):
        self.assertEqual(self.run_test("sh", "-c", "echo said; exit 3"), (3, "said\n"))
        self.assertEqual(self.run_test("true"), (0, ""))

    def test_hangs(self):
        code, out = self.run_test("/bin/sleep", "1000", SB_UNIT_TIMEOUT="0.2")
        self.assertEqual((code, out), (1, "sleep: no end within 0.2 s (SB_UNIT_TIMEOUT)\n"))

    def test_deaf(self):
        code, out = self.run_test(
            "/bin/sh",
            "-c",
            "trap '' TERM; while :; do sleep 0.1; done",
            SB_UNIT_TIMEOUT="0.2",
            SB_UNIT_GRACE="0.2",
        )
        self.assertEqual(
            (code, out.splitlines()[-1]),
            (
                1,
                "sh: killed: no end within 0.2 s (SB_UNIT_TIMEOUT) and deaf to "
                "SIGTERM, or no memory",
            ),
        )

    def test_make_check_uses_it(self):
        with open(os.path.join(SOURCE, "src", "Makefile.am")) as f:
            self.assertIn("LOG_COMPILER = $(top_srcdir)/tests/unit_run.sh", f.read())


if __name__ == "__main__":
    unittest.main()
