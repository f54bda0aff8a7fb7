# SPDX-License-Identifier: GPL-2.0-or-later
"""Lua scripts that fail, loop or recurse."""

from __future__ import annotations

import resource
import signal

from .load import limit
from .table import FIRST, NOTHING, PACED, WAYS, Drill, drill

FIFTH = "if n == 5 then error('five is enough') end"


@drill("error-in-event", engines=NOTHING, ways=WAYS, quick=True)
def error_in_event(d: Drill) -> None:
    """An error in event(): the script's place, the report, exit status 1."""
    script = d.write("fail.lua", "local n = 0\nfunction event()\n n = n + 1\n %s end\n" % FIFTH)
    load = d.run(script)
    load.ended(1, bound=6, messages=12, says=r"fail\.lua:4: five is enough")


@drill("error-in-every-client", engines=NOTHING, ways=PACED)
def error_in_every_client(d: Drill) -> None:
    """thread_init fails in 64 clients: said once."""
    script = d.write("init.lua", "function thread_init() error('no') end function event() end")
    d.run(script, threads=64).refused(bound=10)


@drill("syntax-error", engines=NOTHING, ways=FIRST)
def syntax_error(d: Drill) -> None:
    """A script that is no Lua: its line, exit status 1, nothing on disk."""
    load = d.plain(d.write("bad.lua", "function event(\nend\n"), "run")
    load.refused(r"bad\.lua:2", bound=5, messages=3)


@drill("endless-loop", engines=NOTHING, ways=PACED)
def endless_loop(d: Drill) -> None:
    """One client never returns: SIGTERM ends the run with its report, all others counted."""
    script = d.write(
        "loop.lua",
        """
ffi.cdef("int usleep(unsigned)")
local n = 0
function event()
    n = n + 1
    if sysbench.tid == 0 and n == 3 then while true do end end
    ffi.C.usleep(1000)
end
""",
    )
    load = d.begun(script, threads=8)
    load.wait_for("three intervals", lambda: len(load.stream()) >= 3)
    if d.way.startswith("workers"):
        # compiled code has no line, so only the client is named
        warning = "client 0 has blocked its worker"
        load.wait_for("the warning", lambda: warning in load.out + load.err)
    load.signal(signal.SIGTERM)
    load.ended((143, 2), bound=8)


@drill("deep-recursion", engines=NOTHING, ways=PACED, quick=True)
def deep_recursion(d: Drill) -> None:
    """Recursion through a C callback: the script's place and exit status 1, no silent crash."""
    script = d.write(
        "deep.lua",
        """
ffi.cdef("void qsort(void *, size_t, size_t, int (*)(const int *, const int *))")
local function compare(a, b)
    local numbers = ffi.new("int[2]", 2, 1)
    ffi.C.qsort(numbers, 2, 4, compare)
    return 0
end
function event() compare(nil, nil) end
""",
    )
    load = d.run(script, threads=2)
    status = load.wait(20)
    d.book.least("exit status", status, 1)
    d.book.true(load.messages, "it ended without a word")
    load.says(r"deep\.lua|stack overflow")


@drill("out-of-lua-memory", engines=NOTHING, ways=FIRST)
def out_of_lua_memory(d: Drill) -> None:
    """A table without end under a memory limit: a message, no crash."""
    event = "function event() for i = 1, 1e7 do t[#t + 1] = {i} end end"
    script = d.write("huge.lua", "local t = {} " + event)
    load = d.run(script, threads=1, prepare=limit(resource.RLIMIT_AS, 1 << 30))
    load.refused("(?i)memory", bound=60, messages=6, lines=150)
