# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of lock.py: who is refused, and what a killed laboratory leaves."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from sysbench_lab import LabError
from sysbench_lab.run import lock

PACKAGES = str(pathlib.Path(__file__).resolve().parents[2])
HOLDER = "import sys, time; from sysbench_lab.run import lock\nwith lock.held(sys.argv[1]):\n"
HOLDER += "    print('held', flush=True); time.sleep(60)"


def holder(directory: str) -> subprocess.Popen[bytes]:
    p = subprocess.Popen(
        [sys.executable, "-c", HOLDER, directory],
        stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=PACKAGES),
    )
    assert p.stdout is not None
    assert p.stdout.readline() == b"held\n"
    return p


def test_another_is_refused_and_named(tmp_path: pathlib.Path) -> None:
    p = holder(str(tmp_path))
    try:
        with pytest.raises(LabError) as caught, lock.held("/elsewhere"):
            pass
        assert "pid %d, results in %s" % (p.pid, tmp_path) in str(caught.value)
    finally:
        p.kill()
        p.wait()


def test_one_that_was_killed_is_not_in_the_way_and_leaves_its_directory(
    tmp_path: pathlib.Path,
) -> None:
    p = holder(str(tmp_path))
    p.kill()
    p.wait()
    with lock.held("/elsewhere") as left:
        assert left == str(tmp_path)
    with lock.held("/elsewhere") as left:
        assert left == ""


def test_one_that_ended_leaves_nothing(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KeyboardInterrupt), lock.held(str(tmp_path)):
        raise KeyboardInterrupt
    with lock.held("/elsewhere") as left:
        assert left == ""


def test_anybody_may_take_it(tmp_path: pathlib.Path) -> None:
    with lock.held(str(tmp_path)):
        assert os.stat(lock.path()).st_mode & 0o777 == 0o666


def test_a_directory_of_somebody_else_is_not_believed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(lock.path(), "w") as f:
        f.write("1\n%s\n" % tmp_path)
    assert lock.directory_in("1\n%s\n" % tmp_path) == str(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert lock.directory_in("1\n%s\n" % tmp_path) == ""


def test_a_link_is_not_followed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "precious").write_text("data")
    os.symlink(tmp_path / "precious", lock.path())
    with pytest.raises(LabError), lock.held(str(tmp_path)):
        pass
    assert (tmp_path / "precious").read_text() == "data"


@pytest.mark.parametrize("text", ["", "x\n/tmp\n", "12\n", "12\n/a\nb\n", "\x1b[31m\n/tmp\n"])
def test_nonsense_in_the_file_is_not_shown(text: str) -> None:
    assert lock.busy(text).startswith("another sysbench-lab is already running; the two would")
