# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of a program, watched from outside and in the same way for every program.

Each line of its output is stamped with the time of its arrival and with the CPU time that the
process had used by then (the kernel's CPU-time clock of the pid: nanoseconds, threads that ended
included).  The CPU between the start line and the report is what the load costs: starting and
connecting lie outside.

Beside it stands what the machine did to the run: CPU that neither the program nor its server used
(`others`) and CPU that the host took away (`steal`), both in % of the whole machine.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from typing import Any, Callable, Dict, Iterable, NamedTuple, Sequence

from sysbench_lab import LabError
from sysbench_lab.readers import own_text
from sysbench_lab.servers import process

Figures = Dict[str, Any]  # by name; None, never 0, where a program does not show one
TICK = os.sysconf("SC_CLK_TCK")
STARTED = "Threads started!"
FIRST = (STARTED, "progress:")  # of pgbench there is no start line
REPORT = "SQL statistics:"
NUMBER = own_text.NUMBER


class Line(NamedTuple):
    """A line of output: when it came, and the CPU seconds of the process and of its reporting
    thread by then (None: the kernel does not tell)."""

    at: float
    cpu: float | None
    reporter: float | None
    text: str


class Run(NamedTuple):
    """What came out of one run."""

    code: int
    began: float
    wall_s: float
    cpu_s: float
    rss_mib: float | None
    lines: list[Line]
    noise: Figures

    @property
    def text(self) -> str:
        return "".join(line.text for line in self.lines)


def cpu_of(pid: int) -> float | None:
    """CPU seconds that a process has used."""
    with contextlib.suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED of that process
    return None


def peak_rss_mib(pid: int) -> float | None:
    """The largest resident set so far.  (getrusage() would count this interpreter's own, of which
    the program's process begins as a copy.)"""
    with contextlib.suppress(OSError), open("/proc/%d/status" % pid) as f:
        found = re.search(r"^VmHWM:\s+(\d+)", f.read(), re.M)
        return int(found.group(1)) / 1024 if found else None
    return None


def reporter_cpu(pid: int) -> float | None:
    """Of the thread that makes the reports, which is among the first."""
    with contextlib.suppress(OSError):
        for tid in sorted(map(int, os.listdir("/proc/%d/task" % pid)))[:8]:
            with open("/proc/%d/task/%d/comm" % (pid, tid)) as comm:
                if comm.read() == "sb-report\n":
                    with open("/proc/%d/task/%d/schedstat" % (pid, tid)) as f:
                        return int(f.read().split()[0]) / 1e9
    return None


def machine(servers: Iterable[int]) -> tuple[float, float, float]:
    """(CPU that others use, that the host took, all) of the machine since it started, in seconds;
    others are all but this process and the servers."""
    with open("/proc/stat") as f:
        v = [int(n) / TICK for n in f.readline().split()[1:9]]
    t = os.times()
    ours = t.user + t.system + sum(cpu_of(pid) or 0 for pid in servers)
    return v[0] + v[1] + v[2] + v[5] + v[6] - ours, v[7], sum(v)


def stop_for(pid: int, at: float, seconds: float | None) -> list[threading.Timer]:
    """Timers that stop a process `at` seconds from now, for `seconds` (None: until continued)."""

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    timers = [threading.Timer(at, send, [signal.SIGSTOP])]
    if seconds is not None:
        timers.append(threading.Timer(at + seconds, send, [signal.SIGCONT]))
    for timer in timers:
        timer.start()
    return timers


def execute(
    argv: Sequence[str],
    limit_s: float,
    servers: Sequence[int] = (),
    on_line: Callable[[Line, int], None] | None = None,
    cwd: str | None = None,
) -> Run:
    """Runs `argv` to its end, for `limit_s` seconds at most; on_line() gets each line as it comes,
    and the process id.  LabError if it cannot be run."""
    before, began, lines, rss = machine(servers), time.monotonic(), [], None
    try:
        proc = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=process.raise_nofile,
            cwd=cwd,
        )
    except OSError as e:
        raise LabError("cannot run %s: %s" % (argv[0], e.strerror)) from e
    watchdog = threading.Timer(limit_s, proc.kill)
    watchdog.start()
    try:
        assert proc.stdout is not None
        for text in proc.stdout:
            line = Line(time.monotonic(), cpu_of(proc.pid), reporter_cpu(proc.pid), text)
            lines.append(line)
            rss = peak_rss_mib(proc.pid) or rss
            if on_line:
                on_line(line, proc.pid)
        _, status, used = os.wait4(proc.pid, 0)
        proc.returncode = os.waitstatus_to_exitcode(status)
    finally:
        watchdog.cancel()
        if proc.returncode is None:
            proc.kill()
            proc.wait()
    cpu = used.ru_utime + used.ru_stime
    others, steal, whole = (b - a for a, b in zip(before, machine(servers)))
    noise = {"others": max(0.0, 100 * (others - cpu) / whole), "steal": 100 * steal / whole}
    wall = time.monotonic() - began
    return Run(proc.returncode, began, wall, cpu, rss, lines, noise)


# ---- figures ---------------------------------------------------------------------


def one(pattern: str, text: str) -> float | None:
    return own_text.one(pattern.replace("#", NUMBER), text)


def sysbench(text: str) -> Figures:
    """Of a report of either sysbench; stock's --debug lines tell of each thread."""
    f = own_text.parse(text)
    f["max_ms"] = f["response_max"]
    if f["max_ms"] is None:
        f["max_ms"] = one(r"^\s+max:\s+#", own_text.block(text, r"Latency \(ms\)"))
    threads = list(map(int, re.findall(r"^DEBUG:\s+thread #.* events: (\d+)", text, re.M)))
    ours = re.search(r"^\s+transactions per thread:\s+(\d+) to (\d+)", text, re.M)
    if ours:
        threads = list(map(int, ours.groups()))
    f["least"], f["most"] = (min(threads), max(threads)) if threads else (None, None)
    return f


def pgbench(text: str) -> Figures:
    events, tps = (
        one("^number of transactions actually processed: #", text),
        one("^tps = #", text),
    )
    lag = re.search(r"schedule lag: avg ([\d.]+) \(max ([\d.]+)\)", text)
    return {
        "events": events,
        "seconds": events / tps if events and tps else None,
        "lag_max": float(lag.group(2)) if lag else None,
    }


def sleeper(text: str) -> Figures:
    found = re.search(r"lag us p50 ([\d.]+) p99 ([\d.]+) max ([\d.]+)", text)
    return {
        "lag_" + name: float(us) / 1000
        for name, us in zip(("p50", "p99", "max"), found.groups() if found else ())
    }


def figures(program: str, run: Run, rate: float | None) -> Figures:
    """Everything that one run tells: of a program, at a rate or without one."""
    f = {"pgbench": pgbench, "sleeper": sleeper}.get(program, sysbench)(run.text)
    f.update(exit=run.code, rss_mib=run.rss_mib, cpu_s=run.cpu_s, wall_s=run.wall_s)
    if f.get("events") is not None and f["seconds"]:
        f["per_sec"] = f["events"] / f["seconds"]
        f["achieved_pct"] = 100 * f["per_sec"] / rate if rate else None
    started = next((n for n in run.lines if n.text.startswith(STARTED)), None)
    if started:
        f["ready_s"] = started.at - run.began
        end = next((n for n in run.lines if n.text.startswith(REPORT)), None)
        if end and end.cpu is not None and started.cpu is not None:
            cpu = end.cpu - started.cpu
            f["cpu_us_tx"] = 1e6 * cpu / f["events"] if f["events"] else None
            f["cpu_pct"] = 100 * cpu / (end.at - started.at)
        told = [(n.at, n.reporter) for n in run.lines if n.reporter is not None]
        if len(told) > 1:
            f["reporter_pct"] = 100 * (told[-1][1] - told[0][1]) / (told[-1][0] - told[0][0])
    return f
