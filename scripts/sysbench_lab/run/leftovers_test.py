# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of lock.Leftovers: what is found again, at whatever moment the laboratory was killed."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from sysbench_lab import LabError, owned
from sysbench_lab.run import lock
from sysbench_lab.run.lock import Leftovers
from sysbench_lab.servers import process


def test_the_file_is_there_while_it_says_something(tmp_path: pathlib.Path) -> None:
    left = Leftovers(str(tmp_path))
    left.add_server("/s/server")
    left.set_client(os.getpid())
    left.keep(prepared={"commands": ["oltp", ["tables"]]})
    read = Leftovers(str(tmp_path))
    assert read.servers == ["/s/server"]
    assert read.client == (os.getpid(), process.identity(os.getpid()))
    assert read.prepared == {"commands": ["oltp", ["tables"]]}
    left.set_client(None)
    left.drop_server("/s/server")
    left.keep(prepared={})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"servers": 1}', '{"servers": [], "client": 5}'])
def test_a_damaged_file_is_named(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / lock.RUNNING).write_text(text)
    with pytest.raises(LabError, match="running.json is damaged"):
        Leftovers(str(tmp_path))


def test_a_fifo_in_its_place_is_not_waited_for(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / lock.RUNNING)
    with pytest.raises(LabError, match="cannot read .*running.json: it is no file"):
        Leftovers(str(tmp_path))


def test_a_process_id_that_belongs_to_another_is_left_alone(tmp_path: pathlib.Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    try:
        left = Leftovers(str(tmp_path))
        left.client = (child.pid, "12345")  # it began at another time
        left.write()
        notes: list[str] = []
        lock.clean(str(tmp_path), notes.append)
        assert (child.poll(), notes) == (None, [])
        assert os.listdir(tmp_path) == []
    finally:
        child.kill()
        child.wait()


def test_a_server_that_was_just_being_made(tmp_path: pathlib.Path) -> None:
    """No state file yet, or one without a process id, and a program that works in its directory."""
    directory = pathlib.Path(owned.temporary("sysbench-db-", str(tmp_path))) / "server"
    (directory / "data").mkdir(parents=True)
    text = "import time; print(1, flush=True); time.sleep(60)"
    argv = [sys.executable, "-c", text, "--datadir=%s/data" % directory]
    child = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    left = Leftovers(str(tmp_path))
    left.add_server(str(directory))
    notes: list[str] = []
    lock.clean(str(tmp_path), notes.append)
    assert child.wait(20) != 0
    assert notes == [
        "stopped a process of a private server that was left behind, pid %d" % child.pid
    ]
    assert os.listdir(tmp_path) == []


def test_a_directory_that_is_gone_after_a_reboot(tmp_path: pathlib.Path) -> None:
    Leftovers(str(tmp_path)).add_server("/nonexistent/sysbench-db-1/server")
    lock.clean(str(tmp_path), print)
    assert os.listdir(tmp_path) == []
