# SPDX-License-Identifier: GPL-2.0-or-later
"""Two programs, one command line: what `tests/sidebyside/run` is made of.
Standard library only, Python 3.9 or later.

    cases.py     the lists of command lines and the differences that they own up to
    forms.py     the lines of reports as printf-like forms: what may be masked in them
    mask.py      output as it is compared: measured figures masked, everything else kept
    place.py     where a command runs: a fresh directory, a clean environment, an empty database
    servers.py   the private servers, and what they saw: statements and tables
    steady.py    keeps stock repeatable where its LuaJIT is not (steady_random.c)
    golden.py    what stock was seen to send and store, kept as data
    compare.py   the difference of two runs, and whether it is the one that was expected
    main.py      command line, threads, totals
    *_test.py    tests of the masking and of the comparison themselves
"""

from typing import Any, Dict, List

from sysbench_lab import LabError

Step = Dict[str, Any]  # what a command left: its streams, as lines, and its exit status
Steps = List[Step]


class PairError(LabError):
    """A failure that its message explains in one sentence; no traceback wanted."""
