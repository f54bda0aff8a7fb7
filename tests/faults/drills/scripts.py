# SPDX-License-Identifier: GPL-2.0-or-later
"""Lua scripts that loop, or take all memory."""

from __future__ import annotations

import resource
import signal

from .load import limit
from .table import FIRST, NOTHING, PACED, Drill, drill


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


@drill("out-of-lua-memory", engines=NOTHING, ways=FIRST)
def out_of_lua_memory(d: Drill) -> None:
    """A table without end under a memory limit: a message, no crash."""
    event = "function event() for i = 1, 1e7 do t[#t + 1] = {i} end end"
    script = d.write("huge.lua", "local t = {} " + event)
    load = d.run(script, threads=1, prepare=limit(resource.RLIMIT_AS, 1 << 30))
    load.refused("(?i)memory", bound=60, messages=6, lines=150)
