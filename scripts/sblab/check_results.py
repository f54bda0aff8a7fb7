# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of one build directory came to, read from the files that they leave behind.

*.trs, *.log    of automake, one pair per unit test program
cram.counts     of tests/test_run.sh (SB_COUNTS)
unit.times      of tests/unit_run.sh (SB_TIMES)
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field

CRAM = "test_run.sh"  # the cram files are one test of automake's


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
        return "%d passed, %d failed, %d skipped, %d inconclusive" % (
            self.passed,
            self.failed,
            len(self.skipped),
            len(self.inconclusive),
        )


@dataclass
class UnitTest:
    """One unit test program of the build directory: `stem`.trs and `stem`.log are its files."""

    stem: str

    @property
    def name(self) -> str:
        return os.path.basename(self.stem)

    @property
    def log(self) -> str:
        return self.stem + ".log"

    def result(self) -> str:
        """PASS, FAIL, SKIP or INCONCLUSIVE."""
        found = re.findall(r"^:test-result:\s*(\w+)", text_of(self.stem + ".trs"), re.M)
        words = {
            {"XFAIL": "PASS", "XPASS": "FAIL", "ERROR": "FAIL"}.get(w, w)
            for w in found or ["ERROR"]
        }
        if "FAIL" in words:
            return "FAIL"
        if "SKIP" not in words:
            return "PASS"
        return "INCONCLUSIVE" if self.doubts() else "SKIP"

    def counted(self) -> Results:
        """The same as counts."""
        result = self.result()
        return Results(
            int(result == "PASS"),
            int(result == "FAIL"),
            ["%s: %s" % (self.name, self.why())] if result == "SKIP" else [],
            [self.name] if result == "INCONCLUSIVE" else [],
        )

    def why(self) -> str:
        """What a test that skips itself printed before Automake's last line."""
        said = [s for s in text_of(self.log).splitlines() if s and not s.startswith("SKIP ")]
        return re.sub(r"^[\w ]+: (skipped: )?", "", said[-1]) if said else "no reason given"

    def doubts(self) -> list[str]:
        """What it printed when a stalled machine spoiled it (tests/unit_run.sh)."""
        return re.findall(r"^INCONCLUSIVE: (.*)", text_of(self.log), re.M)


def text_of(path: str) -> str:
    """A file's text; empty when it cannot be read."""
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def unit_tests(directory: str) -> list[UnitTest]:
    stems = [
        path[:-4] for path in glob.glob(os.path.join(directory, "**", "*.trs"), recursive=True)
    ]
    return [UnitTest(stem) for stem in sorted(stems) if os.path.basename(stem) != CRAM]


def unit_results(directory: str) -> Results:
    """Those of the unit test programs."""
    results = Results(seconds=unit_seconds(directory))
    for test in unit_tests(directory):
        results.add(test.counted())
    return results


def unit_seconds(directory: str) -> dict[str, float]:
    found = re.findall(r"^(\S+) (\d+)$", text_of(os.path.join(directory, "unit.times")), re.M)
    return {name: int(ms) / 1000 for name, ms in found}


def cram_results(directory: str) -> Results | None:
    """What tests/test_run.sh left; None when it did not get that far."""
    text = text_of(os.path.join(directory, "cram.counts"))
    counts = re.match(r"(\d+) (\d+) (\d+)\n", text)
    if counts is None:
        return None
    passed, failed, _ = map(int, counts.groups())
    skipped = re.findall(r"^skipped (.*)$", text, re.M)
    doubts = re.findall(r"^inconclusive (\S+)$", text, re.M)
    took = {name + ".t": float(s) for name, s in re.findall(r"^took (\S+) ([0-9.]+)$", text, re.M)}
    return Results(passed, failed, skipped, [name + ".t" for name in doubts], took)


def forget(directory: str) -> None:
    """Removes what earlier runs left."""
    paths = glob.glob(os.path.join(directory, "**", "*.trs"), recursive=True)
    for path in paths + [os.path.join(directory, name) for name in ("cram.counts", "unit.times")]:
        if os.path.exists(path):
            os.unlink(path)
