# SPDX-License-Identifier: GPL-2.0-or-later
"""What another arm does more often, or waits for longer: differences of flame graphs.

With load.server-profile, a run leaves NAME.cpu.folded or NAME.offcpu.folded in its folder.  At each
place of the axis, the first run that counts of each arm is compared with that of the baseline, in
both directions, as a picture has the widths of one run only: what has gone away has no box in it.

    runs/004-pool-16/minus-001.cpu.svg      pool-of-threads minus one-thread-per-connection
    runs/001-threads-16/minus-004.cpu.svg   the other way round

Of time off the CPU, waits of idle threads and waits for a CPU are left out.  sysbench-flame draws;
without that program, or without folded stacks, there is none.
"""

import os
import subprocess

from .. import paths
from ..plan import labels
from ..plan.model import CellSummary
from ..statistics import breakdown
from ..statistics.results import Results

KINDS = ("cpu", "offcpu")
LIMIT_S = 60


def write_differences(results: Results) -> list[str]:
    """Returns the paths that were written."""
    program = paths.flame_program()
    written = []
    for base, *others in breakdown.side_by_side(results.exp, results.summaries):
        for other in others if program else ():
            for kind in KINDS:
                for before, after in ((base, other), (other, base)):
                    path = difference(results, program, kind, before, after)
                    written += [path] if path else []
    return written


def difference(
    results: Results, program: str, kind: str, base: CellSummary, other: CellSummary
) -> str:
    """Draw one; "" if a run has no stacks of this kind or the program refuses them."""
    before, after = (folded(results, s, kind) for s in (base, other))
    if not before or not after:
        return ""
    title = "%s: %s minus %s" % (kind, *(labels.cell_text(s.cell) for s in (other, base)))
    number = os.path.basename(os.path.dirname(before)).partition("-")[0]
    path = os.path.join(os.path.dirname(after), "minus-%s.%s.svg" % (number, kind))
    working = ["--hide-idle", "--exclude=waiting for a CPU"] if kind == "offcpu" else []
    command = [program, "--diff", *working, "--title=" + title, before, after]
    try:
        drawn = subprocess.run(command, capture_output=True, timeout=LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if drawn.returncode:
        return ""
    with open(path, "wb") as f:
        f.write(drawn.stdout)
    return path


def folded(results: Results, summary: CellSummary, kind: str) -> str:
    """The stacks of the first run that counts and has them."""
    found = (breakdown.folded(results, row, kind) for row in results.counting(summary))
    return next(filter(None, found), "")
