# SPDX-License-Identifier: GPL-2.0-or-later
"""What another arm does more often, or waits for longer: differences of flame graphs.

With load.server-profile, a run leaves NAME.cpu.folded or NAME.offcpu.folded in its folder.  For
each level, the first run that counts of each arm is compared with that of the baseline, and the
picture stands in the folder of the arm's run:

    runs/004-pool-16/minus-001.cpu.svg      pool-of-threads minus one-thread-per-connection

sysbench-flame draws it; without that program, or without folded stacks, there is none.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from typing import Any

from .. import LabError, labels, place, stats
from ..book import Results
from ..model import CellSummary
from . import percentiles

KINDS = ("cpu", "offcpu")
LIMIT_S = 60


def write_differences(results: Results) -> list[str]:
    """Returns the paths that were written."""
    program = flame_program()
    written = []
    for cells in percentiles.chosen(results.exp.x, results.summaries, most=10_000).values():
        base = baseline(results, cells)
        for other in cells:
            for kind in KINDS if program and other is not base else ():
                path = difference(results, program, kind, base, other)
                written += [path] if path else []
    return written


def baseline(results: Results, cells: list[CellSummary]) -> CellSummary:
    """The arm that others are compared with: that of the file, else the first."""
    wanted = results.exp.measure.baseline
    return next((s for s in cells if wanted in (s.arm, *s.cell.levels.values())), cells[0])


def flame_program() -> str:
    """sysbench-flame beside sysbench, or of PATH; "" if there is none."""
    try:
        beside = os.path.join(os.path.dirname(place.program()), "sysbench-flame")
    except LabError:
        beside = ""
    return beside if os.access(beside, os.X_OK) else shutil.which("sysbench-flame") or ""


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
    idle = ["--hide-idle"] if kind == "offcpu" else []
    command = [program, "--diff", *idle, "--title=" + title, before, after]
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
    rows: list[dict[str, Any]] = [r for r in results.rows if r["cell"] == summary.cell.number]
    for row in stats.counting(rows)[0]:
        folder = os.path.join(results.folder, results.run_path(row))
        found = sorted(glob.glob(os.path.join(glob.escape(folder), "*.%s.folded" % kind)))
        if found:
            return found[0]
    return ""
