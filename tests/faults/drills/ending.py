# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals, closed pipes, full disks: how a run ends, and what it leaves."""

from __future__ import annotations

import functools
import json
import os
import resource
import signal
import subprocess
import time

from .load import Load, check_csv, control_group, limit, put, read
from .table import FIRST, NOTHING, PACED, Drill, drill

GREEDY = """
ffi.cdef("int usleep(unsigned); void *calloc(size_t, size_t); void *memset(void *, int, size_t);")
local n = 0
function event()
   ffi.C.usleep(5000)
   n = n + 1
   if n > 200 then ffi.C.memset(ffi.C.calloc(1, 1048576), 1, 1048576) end
end
"""
STUCK = """
ffi.cdef("unsigned sleep(unsigned)")
function event() local left = 60 while left > 0 do left = ffi.C.sleep(left) end end
"""


@drill("sigint", engines=NOTHING, ways=PACED, quick=True)
def sigint(d: Drill) -> None:
    """SIGINT ends the run with its full report."""
    ended_by(d, signal.SIGINT)


@drill("sigterm", engines=NOTHING, ways=PACED)
def sigterm(d: Drill) -> None:
    """SIGTERM ends the run with its full report."""
    ended_by(d, signal.SIGTERM)


@drill("sighup", engines=NOTHING, ways=PACED)
def sighup(d: Drill) -> None:
    """SIGHUP ends the run with its full report."""
    ended_by(d, signal.SIGHUP)


def ended_by(d: Drill, number: int) -> None:
    load = d.begun(d.sleeper())
    load.signal(number)
    load.ended(128 + number, bound=5, says="General statistics", least={"transactions": 20})


@drill("nohup", engines=NOTHING, ways=FIRST)
def nohup(d: Drill) -> None:
    """SIGHUP under nohup: the run goes on."""
    ignored = functools.partial(signal.signal, signal.SIGHUP, signal.SIG_IGN)
    load = d.begun(d.sleeper(), "--time=3", prepare=ignored)
    load.signal(signal.SIGHUP)
    load.ended(0)


@drill("stray-signals", engines=NOTHING, ways=PACED, quick=True)
def stray_signals(d: Drill) -> None:
    """USR1, USR2 and ALRM are ignored; the run goes on."""
    load = d.begun(d.sleeper(), "--time=3")
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
        load.signal(number)
        time.sleep(0.1)
    load.ended(0, messages=6)


@drill("second-sigint", engines=NOTHING, ways=FIRST)
def second_sigint(d: Drill) -> None:
    """Clients that never return: a second SIGINT ends the run at once."""
    load = d.run(d.write("event.lua", STUCK))
    load.started()
    time.sleep(0.5)
    load.signal(signal.SIGINT)
    time.sleep(0.5)
    load.signal(signal.SIGINT)
    load.ended((130, 2), bound=2, files=False)
    lines_are_whole(d, load)


@drill("stuck-clients-at-sigterm", engines=NOTHING, ways=PACED)
def stuck_clients_at_sigterm(d: Drill) -> None:
    """Clients that never return: the report two seconds after SIGTERM, and they are unfinished."""
    load = d.run(d.write("event.lua", STUCK))
    load.started()
    time.sleep(1.5)
    load.signal(signal.SIGTERM)
    load.ended((143, 2), bound=6, least={"unfinished": 1})


@drill("nothing-was-done", engines=NOTHING, ways=PACED)
def nothing_was_done(d: Drill) -> None:
    """Each transaction fails from the first on: the accounts all the same."""
    load = d.run(d.write("event.lua", "function event() error('each one fails') end"))
    load.ended(1, bound=6, messages=12, says="each one fails", done=0)
    load.says("offered")


@drill("sigkill", engines=NOTHING, ways=PACED, quick=True)
def sigkill(d: Drill) -> None:
    """kill -9 of the load generator: jsonl and csv are readable up to the last interval."""
    load = d.begun(d.sleeper(), done=60)
    killed(d, load)


def killed(d: Drill, load: Load) -> None:
    load.process.kill()
    d.book.same("exit status", load.wait(), -signal.SIGKILL)
    lines_are_whole(d, load)


def lines_are_whole(d: Drill, load: Load) -> None:
    """What a run leaves that wrote no last report: whole lines, and a json document to the last
    interval, or none."""
    stream, rows = read(load.stem + ".jsonl"), read(load.stem + ".csv")
    kept = len(load.stream())
    d.book.least("intervals kept", kept, 1)
    d.book.true(stream.endswith("\n"), "the jsonl report ends in the middle of a line")
    for line in stream.splitlines():
        json.loads(line)
    d.book.true(rows.endswith("\n"), "the csv report ends in the middle of a line")
    check_csv(d.book, load.stem + ".csv")
    d.book.within("rows of the csv report", abs(rows.count("\n") - 1 - kept), 1)
    text = read(load.stem + ".json")
    if text:
        document = json.loads(text)
        d.book.same("end", document["end"]["status"], "running")
        d.book.within("intervals of json", abs(len(document["intervals"]) - kept), 1)


@drill("sigkill-at-any-moment", engines=NOTHING, ways=PACED)
def sigkill_at_any_moment(d: Drill) -> None:
    """kill -9 twenty times, 5 ms later each time, over the reports of a tenth of a second."""
    for i in range(20):
        load = d.run(d.sleeper(), "--report-interval=0.1")
        load.started() and load.wait_done(1)
        time.sleep(i * 0.005)
        killed(d, load)


@drill("closed-pipe", engines=NOTHING, ways=PACED, quick=True)
def closed_pipe(d: Drill) -> None:
    """The reader of standard output goes away: files are finished, exit status 141."""
    reader, writer = os.pipe()
    load = d.run(d.sleeper(), stdout=writer)
    os.close(writer)
    load.wait_done(20)
    os.close(reader)
    load.ended((141, -signal.SIGPIPE), bound=10, least={"transactions": 20})


@drill("full-stdout", engines=NOTHING, ways=PACED)
def full_stdout(d: Drill) -> None:
    """Standard output is full: files are whole, and the exit status is not 0."""
    with open("/dev/full", "wb") as full:
        load = d.run(d.sleeper(), "--time=2", stdout=full)
        load.ended(1, bound=10, says="No space left", least={"transactions": 1})


@drill("full-disk", engines=NOTHING, ways=PACED, quick=True)
def full_disk(d: Drill) -> None:
    """The disk of a result file is full: said then and at the end, the other files are whole."""
    load = d.run(d.sleeper(), "--time=3", "--report-file=text:/dev/full")
    load.ended(1, bound=10, messages=2, says="No space left", least={"transactions": 1})


@drill("file-size-limit", engines=NOTHING, ways=FIRST)
def file_size_limit(d: Drill) -> None:
    """ulimit -f: the run goes on, says it once, and ends with exit status 1."""
    small = limit(resource.RLIMIT_FSIZE, 8192)
    load = d.run(d.sleeper(), "--time=3", "--raw-log=" + d.path("raw"), prepare=small)
    load.ended(1, bound=10, messages=8, files=False, says="(?i)too large")


@drill("killed-by-memory-limit", engines=NOTHING, ways=FIRST)
def killed_by_memory_limit(d: Drill) -> None:
    """The kernel kills the load generator, whose script outgrows its memory cgroup."""
    most = [(name, str(48 << 20)) for name in ("memory.max", "memory.limit_in_bytes")]
    with control_group("memory", *most) as group:
        join = functools.partial(put, group, "0") if group else None
        load = d.begun(d.write("event.lua", GREEDY), done=60, prepare=join)
        if not group:
            print("  no memory cgroup can be made here: kill -9 instead")
            load.process.kill()
        d.book.same("exit status", load.wait(30), -signal.SIGKILL)
        lines_are_whole(d, load)
        load.process.kill()


@drill("head", engines=NOTHING, ways=FIRST)
def head(d: Drill) -> None:
    """`| head -1`, as one types it: exit status 141, whole files."""
    report = d.path("run1.json")
    words = d.command(d.sleeper()) + ["--report-file=" + report, "run"]
    done = subprocess.run(
        ["bash", "-c", '"$@" | head -1; exit "${PIPESTATUS[0]}"', "bash", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=90,
    )
    d.book.same("exit status", done.returncode, 141)
    d.book.same("lines", done.stdout.count(b"\n"), 1)
    d.book.same("end", json.loads(read(report))["end"]["status"], "interrupted")
