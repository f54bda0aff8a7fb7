# SPDX-License-Identifier: GPL-2.0-or-later
"""A run that is killed, and what it leaves."""

from __future__ import annotations

import functools
import json
import signal
import time

from lib.harness import read

from .load import Load, check_csv, control_group, put
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
