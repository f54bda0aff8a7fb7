# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests of the laboratory for scripts/check: pytest in scripts/sysbench_lab.

Most of their time they wait for runs of a second, so they are three processes, beside each other
and beside the cram files.  Without pytest they are skipped.
"""

from __future__ import annotations

import os
import re

from sysbench_lab.python import choose

from .build import SOURCE, say
from .check_results import Results
from .interrupt import output_of

DIRECTORY = "scripts"
# Tests that take about as long: those that start many programs and servers, those that wait for
# runs, all others.
SERVERS = ("sysbench_lab/target", "sysbench_lab/run/hosts_real_test.py")
RUNS = "sysbench_lab/run"
INSTALL = "third_party/install-deps --test"


def python() -> str:
    """The laboratory's, with pytest; "" if there is none."""
    found = choose(["pytest"])
    return found.path if found and not {"pytest", "tomli"} & set(found.lacks) else ""


def lab_parts() -> list[list[str]]:
    """What pytest gets for each part."""
    left = ["--ignore=" + name for name in (*SERVERS, RUNS)]
    return [list(SERVERS), [RUNS, left[1]], ["sysbench_lab", *left]]


def lab_tests(program: str, quick: bool, part: list[str], source: str = SOURCE) -> Results:
    """Runs a part with the sysbench that was built, and counts."""
    interpreter = python()
    if not interpreter:
        why = "lab: Python 3.9, pytest, or tomli before 3.11 is missing (%s)" % INSTALL
        return Results(skipped=[why])
    env = dict(os.environ, SB_SYSBENCH=program)
    if quick:
        env["SB_NO_SERVER"] = "1"
    argv = [interpreter, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--tb=short"]
    argv.append("--durations=10")
    argv += part
    env["PYTHONPATH"] = os.path.join(source, "scripts")
    status, text = output_of(argv, "lab", cwd=os.path.join(source, DIRECTORY), env=env)
    return counted(status, text, part[0].rpartition("/")[2])


def counted(status: int, text: str, name: str = "lab") -> Results:
    """The last line of pytest as Results; its whole output is shown when something failed."""
    last = text.rstrip().rpartition("\n")[2]
    counts = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", last)}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    if status != 0:
        say("---- lab\n" + text.rstrip())
        failed = max(failed, 1)
    passed = counts.get("passed", 0)
    skipped = []
    for n, where, why in re.findall(r"^SKIPPED \[(\d+)\] (\S+): (.*)$", text, re.M):
        skipped += ["lab/%s: %s" % (where, why)] * int(n)
    found = re.search(r" in ([\d.]+)s", last)
    took = float(found.group(1)) if found else 0
    say(
        "%-10s %6.1f s, %d passed, %d failed, %d skipped (%s)"
        % ("lab", took, passed, failed, len(skipped), name)
    )
    seconds = {"lab " + name: took}
    for s, test in re.findall(r"^([\d.]+)s call +\S*?(\w+_test.py::\S+)", text, re.M):
        seconds[test] = float(s)
    return Results(passed, failed, skipped, seconds=seconds)
