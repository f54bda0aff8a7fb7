# SPDX-License-Identifier: GPL-2.0-or-later
"""What SIGINT, SIGTERM and SIGHUP do while the laboratory measures.

    with interrupting():   each of them is a Ctrl-C: KeyboardInterrupt
    with shielded():       none of them does anything; servers are stopped to the end
    with deferred():       they wait until the block has ended: a process that was started is known

A block inside another wins until it ends.  Only the main thread of a process can have handlers; in
others the blocks do nothing.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def handled(handler: Any) -> Iterator[None]:
    """SIGNALS do this meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(sig, signal.signal(sig, handler)) for sig in SIGNALS]
    try:
        yield
    finally:
        for sig, old in before:
            signal.signal(sig, old)


def interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def ignore(number: int, frame: object) -> None:
    """Not SIG_IGN, which the commands that we start would inherit."""


def interrupting() -> contextlib.AbstractContextManager[None]:
    return handled(interrupt)


def shielded() -> contextlib.AbstractContextManager[None]:
    return handled(ignore)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Keep the block short: what came meanwhile is done at its end, also when it failed."""
    came: list[int] = []
    try:
        with handled(lambda number, frame: came.append(number)):
            yield
    finally:
        for number in came[:1]:
            signal.raise_signal(number)
