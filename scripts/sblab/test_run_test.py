# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/test_run.sh with made cram files: what it counts, prints and returns, and the second try."""

import os
import shutil
import subprocess
import tempfile
import unittest

from .build import SOURCE

CRAM = next((c for c in ("cram", "cram3") if shutil.which(c)), None)


@unittest.skipUnless(CRAM, "cram is not in PATH")
class TestRun(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="sb-test-run-")
        self.addCleanup(shutil.rmtree, self.dir)

    def run_files(self, tries=None, **files):
        """Runs files of these names and texts; sets out, counts and code."""
        os.makedirs(os.path.join(self.dir, "t"), exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(self.dir, "t", name + ".t"), "w") as f:
                f.write(text.replace("HERE", self.dir))
        counts = os.path.join(self.dir, "counts")
        env = dict(os.environ, SYSBENCH="/bin/true", SB_COUNTS=counts, SB_NO_SERVER="1", CRAM=CRAM)
        env.pop("SB_TRIES", None)
        if tries:
            env["SB_TRIES"] = tries
        done = subprocess.run(
            [os.path.join(SOURCE, "tests", "test_run.sh"), os.path.join(self.dir, "t")],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            universal_newlines=True,
            timeout=300,
        )
        self.out, self.code = done.stdout.splitlines(), done.returncode
        with open(counts) as f:
            self.counts = f.read().split()

    good = "Good\n  $ echo x\n  x\n"
    bad = "Bad\n  $ echo x\n  y\n"
    once = "Fails the first time\n  $ if [ -d HERE/mark ]; then echo seen; else mkdir HERE/mark; fi\n  seen\n"

    def test_all_pass(self):
        self.run_files(a=self.good)
        self.assertEqual(self.out, ["1..1", "ok 1 - a", "# 1 passed, 0 failed, 0 skipped"])
        self.assertEqual((self.code, self.counts), (0, ["1", "0", "0"]))

    def test_second_try(self):
        self.run_files(a=self.once)
        self.assertEqual(self.code, 0)
        self.assertEqual(self.out[1], "ok 1 - a # passed at the second try; the first:")
        self.assertIn("    -  seen", self.out)
        self.assertEqual(
            self.out[-2:], ["# 1 needed a second try: a", "# 1 passed, 0 failed, 0 skipped"]
        )
        self.assertEqual(self.counts, ["1", "0", "0", "a"])

    def test_fails_twice(self):
        self.run_files(a=self.bad, b=self.good)
        self.assertEqual(self.code, 1)
        self.assertEqual(
            self.out[1:3], ["not ok 1 - a", "# also at the second try, which printed:"]
        )
        self.assertEqual(self.out[-1], "# 1 passed, 1 failed, 0 skipped")
        self.assertEqual(self.counts, ["1", "1", "0"])

    def test_turned_off(self):
        self.run_files(a=self.once, tries="1")
        self.assertEqual(self.code, 1)
        self.assertEqual(self.out[1], "not ok 1 - a")
        self.assertEqual(self.out[-1], "# 0 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
