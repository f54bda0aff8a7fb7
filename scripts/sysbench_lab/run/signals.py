# SPDX-License-Identifier: GPL-2.0-or-later
"""What SIGINT, SIGTERM and SIGHUP do while the laboratory measures.

    with interrupting():          each of them is a Ctrl-C: KeyboardInterrupt
    with finishing() as came:     a run is made to its end: the first Ctrl-C waits in `came`
    with shielded() as came:      all of them wait there; servers are stopped to the end
    with deferred():              they wait until the block has ended: a process that was started
                                  is known

Whatever a signal does is said at once, on stderr.  A block inside another wins until it ends.  Only
the main thread of a process can have handlers; in others the blocks do nothing.
"""

import contextlib
import os
import signal
import threading
from typing import Any, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def handled(handler: Any) -> Iterator[None]:
    """SIGNALS do this meanwhile.  One that comes while they are put back ends none of that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with contextlib.ExitStack() as stack:
        for sig in SIGNALS:
            stack.callback(signal.signal, sig, signal.getsignal(sig))
        for sig in SIGNALS:
            signal.signal(sig, handler)
        yield


def say(text: str) -> None:
    """Past the buffers and locks of whatever the signal has interrupted; below the ^C and a bar."""
    with contextlib.suppress(OSError):
        os.write(2, ("\n" * os.isatty(2) + text + "\n").encode())


def interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def stop_now(number: int, frame: object) -> None:
    say("stopping now")
    raise KeyboardInterrupt


def interrupting() -> contextlib.AbstractContextManager[None]:
    return handled(stop_now)


def finishing() -> contextlib.AbstractContextManager[list[int]]:
    return noting("stopping after this run (again: now)", False)


def shielded() -> contextlib.AbstractContextManager[list[int]]:
    """Not SIG_IGN, which the commands that we start would inherit."""
    return noting("stopping", True)


@contextlib.contextmanager
def noting(text: str, every: bool) -> Iterator[list[int]]:
    """Every signal waits, or only the first if that is a Ctrl-C."""
    came: list[int] = []

    def handler(number: int, frame: object) -> None:
        if not every and (came or number != signal.SIGINT):
            stop_now(number, frame)
        came.append(number)
        if len(came) == 1:
            say(text)

    with handled(handler):
        yield came


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
