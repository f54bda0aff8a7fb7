# SPDX-License-Identifier: GPL-2.0-or-later
"""PNG and SVG pictures of the results of an experiment.

    style.py        sizes, colours, axes, legends, files
    curves.py       figures against the numeric factor; CPU as stacked bars; by how many per cent
                    arms differ from the baseline, at each level or of each workload
    arms.py         without a numeric factor, arms side by side, with spread and interval; waits
                    and system calls of a transaction by name; load hosts side by side
    front.py        the curve on one small picture, light and dark
    overtime.py     timelines of the runs, with marks, phases, stages and outages; an outage from
                    its first error until the backlog was drained
    by_level.py     a picture or a panel a level of the numeric factor: stages of a rate that
                    changes, the rates that a search tried, latency by percentile, heat maps
    this file       differences of the runs' flame graphs, by sysbench-flame

Each file turns Results into Drawings; draw_all() writes them.  A picture whose figures were not
measured is left out.
"""

import os
import subprocess
from typing import Callable, Iterator, NamedTuple

from .. import failing, paths
from ..plan import contrasts, labels
from ..plan.model import CellSummary
from ..statistics import breakdown, facts
from ..statistics.results import Results
from . import arms, by_level, curves, overtime, style
from .style import Drawing


class Picture(NamedTuple):
    path_png: str
    path_svg: str
    title: str
    alt: str


def draw_all(
    results: Results, directory: str, step: Callable[[int, int, str], None]
) -> list[Picture]:
    """Write every picture that the results have figures for; the order is that of the page.  step()
    is told the number of each, of how many with the page, and its title.

    Differences of flame graphs go into the directories of the runs; the page links what is there.
    """
    with failing("cannot write pictures into " + directory):
        write_differences(results)
        with style.look():
            os.makedirs(directory, exist_ok=True)  # not before it is known that there is matplotlib
            below, written, found = facts.subtitle(results), [], list(drawings(results))
            for number, one in enumerate(found, 1):
                step(number, len(found) + 1, one.title)
                path_png, path_svg = style.write(one, directory, below)
                written.append(Picture(path_png, path_svg, one.title, one.alt))
            return written


def drawings(results: Results) -> Iterator[Drawing]:
    yield from by_level.draw_searches(results)
    yield from by_level.draw_stages(results)
    yield from curves.draw(results.exp, results.summaries)
    changed = curves.draw_effects(results.exp, results.summaries)
    yield from changed or arms.draw(results.exp, results.summaries)
    yield from arms.draw_parts(results)
    yield from arms.draw_ranks(results)
    yield from by_level.draw_percentiles(results)
    yield from overtime.draw(results)
    yield from overtime.draw_outages(results)
    yield from by_level.draw_heat(results)


# ---- What another arm does more often, or waits for longer: differences of flame graphs

# With load.server-profile, a run leaves NAME.cpu.folded or NAME.offcpu.folded in its directory.  At
# each place of the axis, the first run that counts of each arm is compared with that of the
# baseline, in both directions, as a picture has the widths of one run only: what has gone away has
# no box in it.
#
#     runs/004-pool-16/minus-001.cpu.svg      pool-of-threads minus one-thread-per-connection
#     runs/001-threads-16/minus-004.cpu.svg   the other way round
#
# Of time off the CPU, waits of idle threads and waits for a CPU are left out.  sysbench-flame
# draws; without that program, or without folded stacks, there is none.


KINDS = ("cpu", "offcpu")
LIMIT_S = 60


def write_differences(results: Results) -> list[str]:
    """Returns the paths that were written."""
    program = paths.flame_program()
    pairs = contrasts.pairs(results.exp, results.summaries) if program else []
    both = [(kind, *ends) for pair in pairs for kind in KINDS for ends in (pair, pair[::-1])]
    return list(filter(None, (difference(results, program, *each) for each in both)))


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
