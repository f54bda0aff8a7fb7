# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of lock.py: who is refused, and what a killed laboratory leaves."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

from sysbench_lab import LabError, owned
from sysbench_lab.run import lock, signals
from sysbench_lab.run.lock import Leftovers
from sysbench_lab.servers import process

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


# ---- Leftovers: what is found again, at whatever moment the laboratory was killed -----


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


# ---- signals ---------------------------------------------------------------------


def test_deferred_comes_after_the_block() -> None:
    reached = []
    with signals.interrupting(), pytest.raises(KeyboardInterrupt), signals.deferred():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        reached.append(True)
    assert reached


def test_deferred_also_when_the_block_failed() -> None:
    with signals.interrupting(), pytest.raises(KeyboardInterrupt), signals.deferred():
        signal.raise_signal(signal.SIGTERM)
        raise ValueError


def test_blocks_inside_blocks() -> None:
    before = [signal.getsignal(s) for s in signals.SIGNALS]
    with signals.interrupting():
        with signals.shielded() as came:
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(KeyboardInterrupt), signals.interrupting():
                signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGHUP)
            assert len(came) == 2
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
    assert [signal.getsignal(s) for s in signals.SIGNALS] == before


def test_other_threads_have_no_handlers() -> None:
    seen = []

    def work() -> None:
        with signals.interrupting(), signals.deferred():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


IGNORED = """
import os, signal, sys
sys.path.insert(0, %r)
from sysbench_lab.run import client, signals
from sysbench_lab.target.target import shell
number = signal.Signals[sys.argv[1]]
with signals.interrupting(), signals.finishing() as a, signals.shielded() as b, signals.deferred():
    os.kill(os.getpid(), number)
assert not a and not b
with signals.interrupting():
    os.kill(os.getpid(), number)
assert signal.getsignal(number) == signal.SIG_IGN
argv = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"]
text = lambda: open(sys.argv[2]).read()
ended = client.run(argv, client.Surroundings({}), sys.argv[2], None, lambda: "1" in text())
assert ended.seconds < 15, "sysbench was not ended by SIGINT"
assert shell("kill -TERM $$", {}).status == -signal.SIGTERM
"""


@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT", "SIGTERM"])
def test_what_our_parent_ignores_stays_ignored(tmp_path: pathlib.Path, name: str) -> None:
    """Under nohup; and what we start ends all the same when we end it."""
    text = IGNORED % str(pathlib.Path(__file__).resolve().parents[2])
    argv = ["sh", "-c", "trap '' $0; exec \"$@\"", name[3:], sys.executable, "-c", text]
    subprocess.run([*argv, name, str(tmp_path / "out")], check=True)
