# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of one build directory came to, read from the files that they leave behind.

*.trs, *.log    of automake, one pair per unit test program (in src) and cram file (in tests)
test.times      of tests/unit_run.sh and tests/cram (SB_TIMES)
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field


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
class Test:
    """A unit test program or a cram file: `stem`.trs and `stem`.log are in the build directory."""

    stem: str

    @property
    def name(self) -> str:
        return os.path.basename(self.stem) + (".t" if self.is_cram else "")

    @property
    def is_cram(self) -> bool:
        return os.path.basename(os.path.dirname(self.stem)) == "t"

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
        return (
            re.sub(r"^ok - \w+ # SKIP |^[\w ]+: (skipped: )?", "", said[-1])
            if said
            else "no reason given"
        )

    def doubts(self) -> list[str]:
        """What it printed when a stalled machine spoiled it (tests/unit_run.sh, tests/cram)."""
        return re.findall(r"^(?:ok - \w+ # )?INCONCLUSIVE: (.*)", text_of(self.log), re.M)


def text_of(path: str) -> str:
    """A file's text; empty when it cannot be read."""
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def tests_in(directory: str) -> list[Test]:
    stems = glob.glob(os.path.join(directory, "**", "*.trs"), recursive=True)
    return [Test(stem[:-4]) for stem in sorted(stems)]


def results_in(directory: str, times: str) -> Results:
    """Of the tests of that directory, whose times are in a file."""
    tests = tests_in(directory)
    names = {test.name for test in tests}
    found = re.findall(r"^(\S+) (\d+)$", text_of(times), re.M)
    results = Results(seconds={name: int(ms) / 1000 for name, ms in found if name in names})
    for test in tests:
        results.add(test.counted())
    return results


def forget(directory: str) -> None:
    """Removes what earlier runs left."""
    paths = glob.glob(os.path.join(directory, "**", "*.trs"), recursive=True)
    for path in paths + [os.path.join(directory, "test.times")]:
        if os.path.exists(path):
            os.unlink(path)
