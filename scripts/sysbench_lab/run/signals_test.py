# SPDX-License-Identifier: GPL-2.0-or-later
"""What a signal does in each kind of block, and that handlers are put back."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
import threading

import pytest

from sysbench_lab.run import signals


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
