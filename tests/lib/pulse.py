# SPDX-License-Identifier: GPL-2.0-or-later
"""Notices when the machine stands still: a paused virtual machine, a CPU that others hold.

A separate process has one thread per CPU.  Each sleeps for 20 ms at a time on its CPU, and appends
a line to the log when it wakes 100 ms late or more.  One more thread watches for overload: more
than two runnable tasks per CPU for 500 ms or longer.  An overloaded machine wakes everybody in time
but does only part of the work.  A lasting overload gets a line every 500 ms:

    END LATE        end of the stall on the monotonic clock in s, how late or how long in ms

src/base/test_timed.h does the same in unit tests.

`timed` in tests/include/common.sh reads that log, and `stalls()`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from typing import Sequence

BEAT = 0.02
STALL = 0.1
OVERLOAD = 0.5
PER_CPU = 2
MOST_CPUS = 16


class Pulse:
    """The process that takes the pulse, from start() to stop() or while `owner` lives; then it
    calls `python3 PROGRAM...`, which cleans up."""

    def __init__(self, log: str, owner: int = 0, program: Sequence[str] = ()) -> None:
        self.log = log
        self.argv = [sys.executable, "-B", os.path.realpath(__file__), log]
        self.argv += [str(owner or os.getpid()), *program]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self.log, "w"):
            pass
        null = subprocess.DEVNULL
        self.process = subprocess.Popen(
            self.argv, stdin=null, stdout=null, stderr=null, start_new_session=True
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stalls(self, since: float) -> list[int]:
        """How long the machine stood still or was overloaded after that instant, each time, ms."""
        time.sleep(0.6)  # the pulse may be waiting for a CPU, or for the overload to last
        with open(self.log) as f:
            return [int(ms) for at, ms in map(str.split, f) if float(at) >= since]


def lives(pid: int) -> bool:
    """Zombies do not."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def note(log: str, ended: float, seconds: float) -> None:
    with open(log, "a") as f:
        f.write("%.3f %d\n" % (ended, seconds * 1000))


def runnable() -> int:
    """Tasks that run or wait for a CPU, without the one that reads this; 0 if unknown."""
    try:
        with open("/proc/loadavg") as f:
            return int(f.read().split()[3].split("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return 0


def watch_overload(log: str, owner: int) -> None:
    most = PER_CPU * (os.cpu_count() or 1)  # the count is that of the whole machine
    begun = time.monotonic()
    while lives(owner):
        time.sleep(BEAT)
        now = time.monotonic()
        if runnable() <= most:
            begun = now
        elif now - begun >= OVERLOAD:
            note(log, now, now - begun)
            begun = now


def beat(log: str, cpu: int | None, owner: int) -> None:
    if cpu is not None:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {cpu})  # of this thread
    while lives(owner):
        begun = time.monotonic()
        time.sleep(BEAT)
        ended = time.monotonic()
        if ended - begun - BEAT >= STALL:
            note(log, ended, ended - begun - BEAT)


def main() -> None:
    cpus: list[int | None] = [None]
    if hasattr(os, "sched_getaffinity"):
        cpus = list(sorted(os.sched_getaffinity(0))[:MOST_CPUS])
    log, owner = sys.argv[1], int(sys.argv[2])
    threads = [threading.Thread(target=beat, args=(log, cpu, owner)) for cpu in cpus]
    threads.append(threading.Thread(target=watch_overload, args=(log, owner)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sys.argv[3:]:
        os.execv(sys.executable, [sys.executable, "-B", *sys.argv[3:]])


if __name__ == "__main__":
    main()
