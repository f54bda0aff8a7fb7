# SPDX-License-Identifier: GPL-2.0-or-later
"""Is stock repeatable here?

With the same seed it is, unless it runs on OpenResty's LuaJIT, which reseeds the C library's
random(): see steady_random.c, which is built for that case.
"""

from __future__ import annotations

import os
import re

from lib import child, harness

SOURCE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "steady_random.c")


def reseeds(program: str) -> bool:
    """Whether the LuaJIT that a program loads calls srandom()."""
    m = re.search(r"=> (\S*luajit\S*)", child.output("ldd", program))
    if not m:
        return False
    with open(m.group(1), "rb") as f:
        return b"\0srandom\0" in f.read()


def preload(program: str, directory: str) -> str:
    """What has to be in LD_PRELOAD for the program to be repeatable; "" for nothing."""
    if not reseeds(program):
        return ""
    return harness.compiled(SOURCE, directory, suffix=".so")
