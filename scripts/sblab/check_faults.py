# SPDX-License-Identifier: GPL-2.0-or-later
"""The short drills of tests/faults for scripts/check: real runs that meet real faults.

They break and restart servers and measure times, so they run when nothing else does."""

from __future__ import annotations

import os
import re
import sys

from .build import SOURCE, say
from .check_results import Results
from .interrupt import output_of


def fault_drills(program: str, source: str = SOURCE) -> Results:
    """Runs them with the sysbench that was built, and counts."""
    argv = [sys.executable, "-B", os.path.join(source, "tests", "faults", "run")]
    return counted(*output_of([*argv, "--short", "--sysbench=" + program], "faults"))


def counted(status: int, text: str) -> Results:
    """The last line of tests/faults/run as Results; drills that did not pass are shown."""
    found = re.search(r"drills: (\d+) passed, (\d+) failed, (\d+) inconclusive\s*\Z", text)
    passed, failed, _ = map(int, found.groups()) if found else (0, 1, 0)
    if status != 0:
        say("---- faults\n" + text.rstrip())
        failed = max(failed, 1)
    doubts = [name for name, result in last_results(text).items() if result == "inconclusive"]
    found = re.search(r"^([\d.]+) s$", text, re.M)
    seconds = {"faults": float(found.group(1)) if found else 0}
    say(
        "%-10s %6.1f s, %d passed, %d failed, %d inconclusive"
        % ("faults", seconds["faults"], passed, failed, len(doubts))
    )
    return Results(passed, failed, [], ["faults/" + name for name in doubts], seconds)


def last_results(text: str) -> dict[str, str]:
    """The result of each drill; the second run of an inconclusive one comes later, and counts."""
    return {name: result for result, name in re.findall(r"^(\w+) +[\d.]+ s  (\S+)$", text, re.M)}
