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
        self.cpu: dict[str, float] = {}  # seconds, by the name of a phase

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

    def wait(self, process: subprocess.Popen[Any], phase: str) -> int:
        """Its exit status; what it and its children used of the CPU is the phase's."""
        try:
            _, status, used = os.wait4(process.pid, 0)
        except ChildProcessError:  # who interrupted it was first
            return process.wait()
        killed = os.WIFSIGNALED(status)
        process.returncode = -os.WTERMSIG(status) if killed else os.WEXITSTATUS(status)
        with self.lock:
            self.cpu[phase] = self.cpu.get(phase, 0) + used.ru_utime + used.ru_stime
        return process.returncode

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


def output_of(argv: list[str], phase: str = "", **more: Any) -> tuple[int, str]:
    """Runs tests: exit status and output.  Threads may call it at the same time."""
    process = RUNNING.start(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    assert process.stdout
    try:
        with process.stdout:
            text = process.stdout.read()
        return RUNNING.wait(process, phase), text
    finally:
        RUNNING.ended(process)


def status_of(argv: list[str], phase: str = "", **more: Any) -> int:
    """Likewise with output where the caller wants it."""
    process = RUNNING.start(argv, **more)
    try:
        return RUNNING.wait(process, phase)
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
