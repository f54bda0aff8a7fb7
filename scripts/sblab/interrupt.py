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
from typing import Any

PATIENCE_S = 60


def interruptible() -> None:
    """Runs between fork and exec."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def output_of(argv: list[str], **more: Any) -> tuple[int, str]:
    """Runs tests in a session of their own: exit status and output."""
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=interruptible,
        **more,
    )
    try:
        text = process.communicate()[0]
    except BaseException:  # interrupted, they stop the servers that they started
        interrupt(process)
        raise
    return process.returncode, text


def interrupt(process: subprocess.Popen[Any], patience: float = PATIENCE_S) -> None:
    """Ends a process that leads its session, and waits for it; nothing if it has ended."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
