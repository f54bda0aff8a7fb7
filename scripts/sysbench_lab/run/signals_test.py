# SPDX-License-Identifier: GPL-2.0-or-later
"""What a signal does in each kind of block, and that handlers are put back."""

from __future__ import annotations

import signal
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
