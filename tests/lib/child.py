# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that harnesses start: nothing to read, and a session of their own, so that whatever they
start can be ended with them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import IO, Any, Sequence

Bytes = subprocess.Popen[bytes]


def begin(
    words: Sequence[str], out: IO[Any] | int, err: IO[Any] | int | None = None, **how: Any
) -> Bytes:
    """Its messages go where its output goes, unless it is said where."""
    how = {"stdin": subprocess.DEVNULL, "start_new_session": True, **how}
    return subprocess.Popen(words, stdout=out, stderr=err or out, **how)


def end(child: Bytes, grace: float) -> None:
    """The command and what it has started, politely first: they may have servers to stop."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(child.pid, number)
            child.wait(grace)
            return


def output(*words: str, **how: Any) -> str:
    """What it prints, without its messages, whatever its exit status."""
    null = subprocess.DEVNULL
    done = subprocess.run(words, stdin=null, stdout=subprocess.PIPE, stderr=null, text=True, **how)
    return done.stdout
