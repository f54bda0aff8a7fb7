# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of a program, watched from outside and in the same way for every program.

Every line of its output is stamped with the time of its arrival and with the CPU time that the
process had used by then (the kernel's CPU-time clock of the pid: nanoseconds, threads that ended
included).  The CPU between two interval lines is what the steady state costs: starting, connecting
and disconnecting lie outside.

Beside it stands what the machine did to the run: CPU that neither the program nor its server used
(`others`) and CPU that the host took away (`steal`), both in % of the whole machine, and the load
average before it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import Callable, Iterable, Sequence

from sblab import LabError
from sysbench_lab.servers import process

TICK = os.sysconf("SC_CLK_TCK")
STARTED = ("Threads started!", "progress:")


def cpu_of(pid: int) -> float | None:
    """CPU seconds that a process has used, or None when the kernel does not tell (any more)."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED of that process
    except OSError:
        return None


def peak_rss_mib(pid: int) -> float | None:
    """The largest resident set so far, or None.  (getrusage() would count this interpreter's own,
    of which the program's process begins as a copy.)"""
    with contextlib.suppress(OSError), open("/proc/%d/status" % pid) as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return None


def family_cpu(pid: int) -> float:
    """CPU seconds of a process, its living children and those it has buried; 0 when it is gone."""
    pids, total = [pid], 0.0
    with contextlib.suppress(OSError), open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        pids += map(int, f.read().split())
    for p in pids:
        with contextlib.suppress(OSError):
            with open("/proc/%d/stat" % p, "rb") as f:
                fields = f.read().rpartition(b")")[2].split()
            total += sum(map(int, fields[11:15] if p == pid else fields[11:13])) / TICK
    return total


def machine() -> tuple[float, float, float]:
    """(busy, stolen, all) CPU seconds of the machine since it started."""
    with open("/proc/stat") as f:
        v = [int(n) / TICK for n in f.readline().split()[1:9]]
    return v[0] + v[1] + v[2] + v[5] + v[6], v[7], sum(v)


class Noise:
    """What else happened on the machine while something ran.  `servers`: pids that belong to us."""

    def __init__(self, servers: Iterable[int]) -> None:
        self.servers = servers
        with open("/proc/loadavg") as f:
            self.load = float(f.read().split()[0])
        self.before = machine()
        self.ours = self.our_cpu()

    def our_cpu(self) -> float:
        t = os.times()
        return t.user + t.system + sum(family_cpu(pid) for pid in self.servers)

    def end(self, child_cpu: float) -> dict[str, float]:
        """The figures, given the CPU seconds of the program that ran."""
        busy, stolen, whole = (b - a for a, b in zip(self.before, machine()))
        others = busy - child_cpu - (self.our_cpu() - self.ours)
        return {
            "load_before": self.load,
            "others_pct": max(0.0, 100 * others / whole),
            "steal_pct": 100 * stolen / whole,
        }


class Stall:
    """Stops a process `at` seconds after the start for `seconds` (None: until the program has
    ended) and measures how long it really was."""

    def __init__(self, at: float, seconds: float | None, pid: int | None = None) -> None:
        self.at, self.seconds, self.pid = at, seconds, pid
        self.stopped: float | None = None  # monotonic time of SIGSTOP
        self.lasted: float | None = None
        self.over = threading.Event()
        self.thread: threading.Thread | None = None

    def begin(self, child: int) -> None:
        self.pid = self.pid or child
        self.thread = threading.Thread(target=self.act, daemon=True)
        self.thread.start()

    def act(self) -> None:
        if self.over.wait(self.at) or self.pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)
            self.stopped = time.monotonic()
            self.over.wait(self.seconds)
            self.resume()

    def resume(self) -> None:
        if self.pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)
        if self.lasted is None and self.stopped is not None:
            self.lasted = time.monotonic() - self.stopped

    def end(self) -> None:
        """After the program: nothing stays stopped."""
        self.over.set()
        if self.thread is not None:
            self.thread.join()
            self.resume()


class Line:
    """One line of output: when it came, the CPU seconds used by then, those of the thread that
    prints interval lines (None: it has no name), its text."""

    __slots__ = ("at", "cpu", "reporter", "text")

    def __init__(self, at: float, cpu: float | None, reporter: float | None, text: str) -> None:
        self.at, self.cpu, self.reporter, self.text = at, cpu, reporter, text


class Reporter:
    """CPU seconds of the thread that makes the reports, once it is there."""

    def __init__(self, pid: int) -> None:
        self.directory = "/proc/%d/task" % pid
        self.path: str | None = None

    def find(self) -> None:
        with contextlib.suppress(OSError):
            for tid in sorted(map(int, os.listdir(self.directory)))[:8]:  # it is among the first
                with open("%s/%d/comm" % (self.directory, tid)) as f:
                    if f.read() == "sb-report\n":
                        self.path = "%s/%d/schedstat" % (self.directory, tid)

    def cpu(self, text: str) -> float | None:
        if self.path is None and text.startswith("Threads started!"):
            self.find()
        if self.path is None:
            return None
        with contextlib.suppress(OSError), open(self.path) as f:
            return int(f.read().split()[0]) / 1e9
        return None


class Run:
    """What came out of one run."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv, self.code = argv, -1
        self.lines: list[Line] = []
        self.began = time.monotonic()
        self.cpu_s = 0.0
        self.switches = 0
        self.rss_mib: float | None = None
        self.noise: dict[str, float] = {}
        self.stopped_s: float | None = None
        self.timed_out = False

    @property
    def text(self) -> str:
        return "".join(line.text for line in self.lines)


def prepare_child(cpus: Iterable[int] | None) -> Callable[[], None]:
    def prepare() -> None:
        process.raise_nofile()
        if cpus:
            os.sched_setaffinity(0, cpus)

    return prepare


def kill(proc: subprocess.Popen[bytes], run: Run) -> None:
    run.timed_out = True
    with contextlib.suppress(ProcessLookupError):
        os.kill(proc.pid, signal.SIGCONT)
        os.kill(proc.pid, signal.SIGKILL)


def read_lines(proc: subprocess.Popen[bytes], run: Run, stall: Stall | None) -> None:
    reporter = Reporter(proc.pid)
    assert proc.stdout is not None
    for raw in iter(proc.stdout.readline, b""):
        text = raw.decode(errors="replace")
        line = Line(time.monotonic(), cpu_of(proc.pid), reporter.cpu(text), text)
        run.lines.append(line)
        run.rss_mib = peak_rss_mib(proc.pid) or run.rss_mib
        if stall is not None and stall.thread is None and line.text.startswith(STARTED):
            stall.begin(proc.pid)


def execute(
    argv: Sequence[str],
    limit_s: float,
    servers: Iterable[int] = (),
    stall: Stall | None = None,
    cpus: Iterable[int] | None = None,
    cwd: str | None = None,
) -> Run:
    """Runs `argv` to its end, for `limit_s` seconds at most, on `cpus` (None: all)."""
    run, noise = Run(argv), Noise(servers)
    try:
        proc = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=prepare_child(cpus),
            cwd=cwd,
        )
    except OSError as e:
        raise LabError("cannot run %s: %s" % (argv[0], e.strerror)) from e
    watchdog = threading.Timer(limit_s, kill, (proc, run))
    watchdog.start()
    try:
        read_lines(proc, run, stall)
        _, status, usage = os.wait4(proc.pid, 0)
        proc.returncode = run.code = os.waitstatus_to_exitcode(status)
    except BaseException:
        kill(proc, run)
        proc.wait()
        raise
    finally:
        watchdog.cancel()
        if stall is not None:
            stall.end()
            run.stopped_s = stall.lasted
        if proc.stdout is not None:
            proc.stdout.close()
    run.cpu_s = usage.ru_utime + usage.ru_stime
    run.switches = usage.ru_nvcsw + usage.ru_nivcsw
    run.noise = noise.end(run.cpu_s)
    return run
