# SPDX-License-Identifier: GPL-2.0-or-later
"""A load host through a real ssh: a private sshd, its own keys, an end without a trace.

Two daemons play two machines.  Members are those of fake_sysbench.py.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
from typing import Any, Iterator

import pytest

from sysbench_lab.plan import hosts
from sysbench_lab.run import lock, ranks, rehearsal
from sysbench_lab.run.ranks_test import gone, lab
from sysbench_lab.servers import process, programs
from sysbench_lab.testdata.runner_cases import experiment, fake, new_book, until

PIECES = pathlib.Path(__file__).resolve().parents[3] / "tests" / "include" / "sshd.sh"
START = '. "$0" && start_sshd && echo "$sshd_pid $ssh_command"'


@pytest.fixture
def ssh(tmp_path: pathlib.Path) -> Iterator[str]:
    """The command that leads there."""
    directory = tmp_path / "ssh"
    directory.mkdir()
    env = dict(os.environ, PATH=programs.path())
    argv = ["sh", "-c", START, str(PIECES)]
    done = subprocess.run(
        argv, cwd=directory, env=env, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip((directory / "sshd.why").read_text()[-200:].strip())
    pid, _, command = done.stdout.strip().partition(" ")
    try:
        yield command
    finally:
        os.kill(int(pid), signal.SIGTERM)


def test_the_meeting(tmp_path: pathlib.Path, ssh: str) -> None:
    ranks.known_facts.clear()
    settings: dict[str, Any] = {**fake(tmp_path), "load.threads": 2}
    settings["client.hosts"] = ("local", ssh)
    book = new_book(tmp_path / "results", experiment(settings))
    found = rehearsal.check_hosts(book.plan.cells, str(tmp_path))
    assert [(h["name"], h["version"]) for h in found["hosts"]] == [
        ("local", "sysbench-fake 1.0"),
        ("there", "sysbench-fake 1.0"),
    ]
    there = ranks.facts(hosts.of(settings)[1], settings)
    assert there["sees_us_at"] == "127.0.0.1"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_orphan_over_there(tmp_path: pathlib.Path, ssh: str, how: signal.Signals) -> None:
    """The laboratory is interrupted, or killed: the process behind ssh ends, as does its shell.
    (For an ssh that dies see hosts_real_test.py.)"""
    p, members = lab(tmp_path, ssh)
    with open("/proc/%d/stat" % members[0].pid) as f:
        shell = int(f.read().rpartition(")")[2].split()[1])
    p.send_signal(how)
    p.wait()
    until(lambda: gone(members[0]) and process.identity(shell) is None)
    if how == signal.SIGKILL:
        lock.clean(str(tmp_path), print)
