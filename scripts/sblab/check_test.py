# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check with made build directories, and tests/unit_run.sh: what counts as what."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

from . import LabError, check
from .build import SOURCE
from .check import Results

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
	@mkdir -p tests/t; echo ":test-result: PASS" >tests/t/b.trs; echo "b.t 2500" >>"$$SB_TIMES"; \\
	$(CRAM_STATUS)
"""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SB_TRIES", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SB_TIMES"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "runs, before, counts, left, said",
    [
        ("PASS", "", (2, 0, 0, 0), "", "unit tests 1 passed"),
        # a failure is final, whatever the reason
        ("FAIL PASS", "", (1, 1, 0, 0), "PASS", "a_test failed\nthe log of a_test"),
        ("FAIL PASS", "SAID = INCONCLUSIVE: a_test: x\n", (1, 1, 0, 0), "PASS", "a_test failed"),
        ("SKIP PASS", "SAID = a_test: skipped: no x\n", (1, 0, 1, 0), "PASS", ""),
        # the second run decides
        (
            "DOUBT PASS",
            "",
            (2, 0, 0, 0),
            "",
            "a_test was inconclusive and runs again: a_test: stall",
        ),
        ("DOUBT FAIL", "", (1, 1, 0, 0), "", "a_test failed"),
        ("DOUBT SKIP", "", (1, 0, 1, 0), "", "runs again"),
        ("DOUBT DOUBT", "", (1, 0, 0, 1), "", "runs again"),
        ("DOUBT PASS", "SB_TRIES = 1\n", (1, 0, 0, 1), "PASS", "1 inconclusive"),
        # a test that failed does not hide the rest
        ("PASS", "BROKEN = broken\n", (2, 1, 0, 0), "", "make check failed outside of a test"),
        ("FAIL", "BROKEN = broken\n", (1, 2, 0, 0), "", "make check failed outside of a test"),
        ("PASS", "CRAM_STATUS = exit 1\n", (2, 1, 0, 0), "", "make check failed outside of a test"),
    ],
)
def test_make_check(
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    runs: str,
    before: str,
    counts: tuple[int, ...],
    left: str,
    said: str,
) -> None:
    if before.startswith("SB_TRIES"):
        monkeypatch.setenv("SB_TRIES", "1")
    (tmp_path / "src").mkdir()
    (tmp_path / "Makefile").write_text(before + CRAM_MAKEFILE)
    (tmp_path / "src" / "Makefile").write_text(before + MAKEFILE)
    (tmp_path / "src" / "results").write_text(runs + " NONE_LEFT\n")
    make = check.MakeCheck(str(tmp_path), check.Servers().environment(), [], "")
    total = make.unit_tests()
    total.add(make.cram())
    make.run_again(total)
    out = capsys.readouterr().out
    found = total.passed, total.failed, len(total.skipped), len(total.inconclusive)
    assert found == counts, out
    assert said in out and total.seconds == {"a_test": 1.5, "b.t": 2.5}
    assert (tmp_path / "src" / "results").read_text().split() == [*left.split(), "NONE_LEFT"]
    assert all(s.startswith("a_test: ") for s in total.skipped)


WHY = "SKIPPED [1] a_test.py:7: no x: y\nSKIPPED [3] pictures/b_test.py:9: no b\n"
LAST = "2 failed, 31 passed, 4 skipped, 1 warning, 1 error in 2.50s\n"
DOUBT = "inconclusive   4.1 s  pause/x\n"
PASSED = "passed         4.1 s  pause/x\n"
DRILLS = "8.3 s\n1 drills: %d passed, 0 failed, %d inconclusive\n"


@pytest.mark.parametrize(
    "status, text, counts, doubts",
    [
        (1, "F..\n" + WHY + LAST, (31, 3, 4), []),
        (0, "..\n2 passed in 0.10s\n", (2, 0, 0), []),
        (4, "ERROR: cannot read 5 files\n", (0, 1, 0), []),
        (-9, "", (0, 1, 0), []),
        (0, PASSED + DRILLS % (1, 0), (1, 0, 0), []),
        (0, DOUBT + DOUBT + DRILLS % (0, 1), (0, 0, 0), ["x/pause/x"]),
        (0, DOUBT + PASSED + DRILLS % (1, 0), (1, 0, 0), []),
    ],
)
def test_counted(status: int, text: str, counts: tuple[int, ...], doubts: list[str]) -> None:
    r = check.counted("x", status, text)
    assert (r.passed, r.failed, len(r.skipped)) == counts
    assert r.inconclusive == doubts


def test_closing_lines() -> None:
    """The last line is read by programs."""
    assert check.closing_lines(Results(7)) == "0 inconclusive\n7 passed, 0 failed"
    found = Results(7, 1, ["x.t: no x", "y: no y"], ["a_test", "b.t"])
    assert check.closing_lines(found) == (
        "skipped: x.t: no x\nskipped: y: no y\n"
        "2 inconclusive: a_test b.t\n7 passed, 1 failed, 2 skipped"
    )


def test_a_phase_that_fails_ends_no_other() -> None:
    def fails() -> Results:
        raise LabError("no disk")

    assert check.guarded("a", fails) == Results(failed=1)


@pytest.mark.parametrize("how", ["exec sleep 100", "trap '' INT; while :; do sleep 1; done"])
def test_an_interrupted_check_leaves_nothing_behind(how: str, tmp_path: pathlib.Path) -> None:
    """Neither what would ignore it as started by `scripts/check &`, nor what does not listen."""
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        children, pid = check.Children(), tmp_path / "pid"
        argv = ["sh", "-c", "echo $$ >%s; %s" % (pid, how)]
        thread = threading.Thread(target=children.run, args=(argv, "x"))
        thread.start()
        while not pid.exists() or not pid.read_text().strip():
            time.sleep(0.01)
        children.end_all(0.3 if "trap" in how else 60)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, old)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# ---- tests/unit_run.sh ---------------------------------------------------------------

DEAF = "trap '' TERM; echo deaf; while :; do sleep 0.1; done"
KILLED = "sh: killed: no end within 2 s (SB_UNIT_TIMEOUT) and deaf to SIGTERM, or no memory\n"


@pytest.mark.parametrize(
    "command, limit, status, said",
    [
        (["sh", "-c", "echo said; exit 3"], "", 3, "said\n"),
        (["sleep", "1000"], "0.2", 1, "sleep: no end within 0.2 s (SB_UNIT_TIMEOUT)\n"),
        (["sh", "-c", DEAF], "2", 1, "deaf\n" + KILLED),
        (
            ["sh", "-c", "echo 'INCONCLUSIVE: x: y'; exit 75"],
            "",
            77,
            "INCONCLUSIVE: x: y\nINCONCLUSIVE: sh: exit status 75\n",
        ),
    ],
)
def test_unit_run(
    tmp_path: pathlib.Path, command: list[str], limit: str, status: int, said: str
) -> None:
    env = dict(os.environ, SB_TIMES=str(tmp_path / "times"), SB_UNIT_GRACE="0.2")
    argv = [os.path.join(SOURCE, "tests", "unit_run.sh"), *command]
    env["SB_UNIT_TIMEOUT"] = limit or "100"
    done = subprocess.run(argv, env=env, stdout=-1, stderr=-2, text=True, timeout=100)
    out = done.stdout.replace("Killed\n", "")  # by some shells
    assert (done.returncode, out) == (status, said)
    name, ms = (tmp_path / "times").read_text().split()
    assert name == command[0] and int(ms) >= 1000 * float(limit or 0)


def test_the_tarball_has_all_sources() -> None:
    """A header that no list names is built from a clone all the same."""
    src = pathlib.Path(SOURCE, "src")
    makefile = (src / "Makefile.am").read_text()
    assert "LOG_COMPILER = $(top_srcdir)/tests/unit_run.sh" in makefile
    files = {str(p.relative_to(src)) for p in src.rglob("*.[ch]")}
    assert files <= set(makefile.split())
