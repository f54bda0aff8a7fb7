# SPDX-License-Identifier: GPL-2.0-or-later
"""Ending the tests that scripts/check has started, when it is interrupted itself.

They get SIGINT, as from a terminal, so that they stop their servers.  A shell without job control
starts background commands with SIGINT ignored, and ignored it stays in all that they start:
`scripts/check &` in a script would wait for its tests forever.  So what is started here gets the
default back, and what does not end is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import Any

from . import LabError

PATIENCE_S = 60


class Running:
    """What runs now, so that an interrupted check leaves none of it behind."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.processes: set[subprocess.Popen[Any]] = set()
        self.ending = False

    def start(self, argv: list[str], **more: Any) -> subprocess.Popen[Any]:
        """In a session of its own, without input."""
        with self.lock:
            if self.ending:
                raise LabError("interrupted")
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, start_new_session=True, **more
            )
            self.processes.add(process)
            return process

    def ended(self, process: subprocess.Popen[Any]) -> None:
        with self.lock:
            self.processes.discard(process)

    def end_all(self) -> None:
        """Interrupted, they stop the servers that they started.  Nothing starts after this."""
        with self.lock:
            self.ending = True
            left = list(self.processes)
        for process in left:
            interrupt(process)


RUNNING = Running()


def be_interruptible() -> None:
    """For what is started from now on; a handler, unlike "ignored", is not inherited."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def output_of(argv: list[str], **more: Any) -> tuple[int, str]:
    """Runs tests: exit status and output.  Threads may call it at the same time."""
    process = RUNNING.start(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    try:
        text = process.communicate()[0]
    finally:
        RUNNING.ended(process)
    return process.returncode, text


def status_of(argv: list[str], **more: Any) -> int:
    """Likewise with output where the caller wants it."""
    process = RUNNING.start(argv, **more)
    try:
        return process.wait()
    finally:
        RUNNING.ended(process)


def interrupt(process: subprocess.Popen[Any], patience: float = PATIENCE_S) -> None:
    """Ends a process that leads its session, and waits for it; nothing if it has ended."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
