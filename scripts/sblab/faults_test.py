# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/reliability.md and the drills of tests/faults name each other: no promise without a drill
that exists, no drill whose promise is nowhere."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
import unittest

from .build import SOURCE


def read(*path: str) -> str:
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as f:
        return f.read()


def drills() -> set[str]:
    """As `tests/faults/run --list` names them."""
    argv = [sys.executable, "-B", os.path.join(SOURCE, "tests", "faults", "run"), "--list"]
    out = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[0] for line in out.splitlines()}


def promised() -> set[str]:
    """Names in the last column of the tables of faults."""
    faults = read("docs", "reliability.md").partition("\n## Threats")[0]
    rows = re.findall(r"^\|.*\| ([^|]*) \|$", faults, re.M)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def drills_of(names: set[str]) -> set[str]:
    return {n for n in names if not re.search(r"[./_]", n)}


class Faults(unittest.TestCase):
    def test_drills_are_promised(self) -> None:
        self.assertEqual(drills() - promised(), set())

    def test_promises_are_drilled(self) -> None:
        self.assertEqual(drills_of(promised()) - drills(), set())

    def test_other_tests_exist(self) -> None:
        for name in promised() - drills_of(promised()):
            places = ("tests/t/" + name, name, "src/" + name, "src/*/" + name + ".c")
            self.assertTrue(any(glob.glob(os.path.join(SOURCE, p)) for p in places), name)


if __name__ == "__main__":
    unittest.main()
