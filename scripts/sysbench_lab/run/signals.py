# SPDX-License-Identifier: GPL-2.0-or-later
"""What SIGINT, SIGTERM and SIGHUP do while the laboratory measures.

    with interrupting():          each of them is a Ctrl-C: KeyboardInterrupt
    with finishing() as came:     a run is made to its end: the first Ctrl-C waits in `came`
    with shielded() as came:      all of them wait there; servers are stopped to the end
    with leaving(what) as came:   the first one waits there, and what() we wait for is said
    with deferred():              they wait until the block has ended: a process that was started
                                  is known

One that our parent process ignores (nohup, trap '', a script's background command) is ignored by
all of them.  Whatever a signal does is said at once, on stderr.  A block inside another wins until
it ends.  Only the main thread of a process can have handlers; in others the blocks do nothing.
"""

import contextlib
import os
import signal
import threading
from typing import Any, Callable, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def handled(handler: Any) -> Iterator[None]:
    """SIGNALS do this meanwhile.  One that comes while they are put back ends none of that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with contextlib.ExitStack() as stack:
        for sig in SIGNALS:
            if signal.getsignal(sig) != signal.SIG_IGN:
                stack.callback(signal.signal, sig, signal.getsignal(sig))
        for sig in SIGNALS:
            if signal.getsignal(sig) != signal.SIG_IGN:
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
    text = "stopping after this run (again: now)"
    return noting(lambda: text, lambda number, came: not came and number == signal.SIGINT)


def shielded() -> contextlib.AbstractContextManager[list[int]]:
    """Not SIG_IGN, which the commands that we start would inherit."""
    return noting(lambda: "stopping", lambda number, came: True)


def leaving(what: Callable[[], str]) -> contextlib.AbstractContextManager[list[int]]:
    """A command of the user's may take as long as it likes, but not for nothing."""
    text = "stopping; waiting for %s (again: leave it)"
    return noting(lambda: text % what() if what() else "stopping", lambda number, came: not came)


@contextlib.contextmanager
def noting(text: Callable[[], str], waits: Callable[[int, list[int]], bool]) -> Iterator[list[int]]:
    """A signal waits or is a Ctrl-C now, by its number and those that came before."""
    came: list[int] = []

    def handler(number: int, frame: object) -> None:
        if not waits(number, came):
            stop_now(number, frame)
        came.append(number)
        if len(came) == 1:
            say(text())

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
