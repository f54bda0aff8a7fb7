# SPDX-License-Identifier: GPL-2.0-or-later
"""PNG and SVG pictures of the results of an experiment.

    style.py        sizes, colours, axes, legends, files
    render.py       any chart of charts/, which says what is in it
    heat.py         heat maps of the response time
    this file       which charts are pictures; differences of the runs' flame graphs, by
                    sysbench-flame

A picture whose figures were not measured is left out.
"""

import dataclasses
import os
import subprocess
from typing import Callable, Iterator, Sequence

from .. import failing, paths
from ..charts import Chart, Frame, happened, places
from ..plan import contrasts, found_rate, labels
from ..plan.model import CellSummary
from ..statistics import answer, breakdown, facts
from ..statistics.results import Results
from . import heat, render, style
from .style import Drawing


def draw_all(results: Results, directory: str, step: Callable[[int, int, str], None]) -> list[str]:
    """Write every picture that the results have figures for; the SVG files, in the order of the
    page.  step() is told the number of each, of how many with the page, and its title.

    Differences of flame graphs go into the directories of the runs; the page links what is there.
    """
    with failing("cannot write pictures into " + directory):
        write_differences(results)
        with style.look():
            os.makedirs(directory, exist_ok=True)  # not before it is known that there is matplotlib
            below, written, found = facts.subtitle(results), [], list(drawings(results))
            for number, one in enumerate(found, 1):
                step(number, len(found) + 1, one.title)
                written.append(style.write(one, directory, below)[1])
            return written


# Of charts with many panels, those that are drawn.
STAGES = ("tps", "response_p95_ms", "response_p99_ms", "lag_p99_ms", "server_cpu_pct")
OVER_TIME = ("tps", "response_p95_ms", "response_p99_ms", "server_cpu_pct", "errors_per_s",
             "connections_away")  # fmt: skip
LATE = "lag_p99_ms"  # too, if the server was away or more than LATE_SHARE of the starts were late
LATE_SHARE = 0.01
CHANGED = (found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_p95_ms")
EXPLAINED = (*CHANGED, "tx_per_mcycle", "ipc", "instructions_per_tx", "icache_misses_per_kinstr",
             "itlb_misses_per_kinstr", "branch_miss_pct", "power_w",
             "power_above_idle_w")  # fmt: skip
MOST, MOST_HEAT = 4, 3  # levels that are drawn; all with a mark are
MOST_OUTAGES = 6  # the longest ones


def drawings(results: Results) -> Iterator[Drawing]:
    frame = Frame(results)
    yield from map(render.draw, charts_of(frame))
    yield from heat.draw(frame, chosen(frame, MOST_HEAT))


def charts_of(frame: Frame) -> Iterator[Chart]:
    some = chosen(frame)
    yield from (c for c in happened.searches(frame) if c.level in some)
    yield from (only(c, STAGES) for c in happened.stages(frame) if c.level in some)
    curves = list(places.curves(frame))
    yield from curves if frame.has_axis else ()
    work = labels.work_factor(frame.exp)
    changed = places.changes(frame) if work or frame.has_axis else []
    pairs = contrasts.pairs(frame.exp, frame.cells)
    rated = answer.same_rate(pairs) and all(s.held for pair in pairs for s in pair)
    wanted = [n for n in (EXPLAINED if work else CHANGED) if n != "tps" or not rated]
    changed = [c for c in (only(c, wanted) for c in changed) if c.panels]
    yield from changed or (() if frame.has_axis else curves)
    yield from (c for c in places.time(frame) if not c.level or c.level in some)
    yield from places.parts(frame)
    yield from places.ranks(frame)
    yield from (only(c, some) for c in happened.percentiles(frame))
    for c in happened.timelines(frame):
        if c.level in some or c.listed:
            yield only(c, [*OVER_TIME, *[LATE] * late(c)]) if c.kind == "timeline" else c
    found = happened.outages(frame)
    longest = sorted(found, key=lambda c: c.panels[0]["x"]["min"] - c.panels[0]["x"]["max"])
    yield from (c for c in found if c in longest[:MOST_OUTAGES])


def only(chart: Chart, names: Sequence[str]) -> Chart:
    panels = [p for p in chart.panels if p["figure"] in names]
    return dataclasses.replace(chart, panels=sorted(panels, key=lambda p: names.index(p["figure"])))


def chosen(frame: Frame, most: int = MOST) -> list[str]:
    """The first level, the last and some between."""
    levels = frame.levels().items()
    return spread_of([n for n, cells in levels if any(s.counted for s in cells)], most)


def spread_of(names: Sequence[str], most: int = MOST) -> list[str]:
    places = {round(i * (len(names) - 1) / (most - 1)) for i in range(most)}
    return [n for i, n in enumerate(names) if i in places or len(names) <= most]


def late(chart: Chart) -> bool:
    def total(name: str) -> float:
        series = [s for p in chart.panels if p["figure"] == name for s in p["series"]]
        return sum(y or 0 for s in series if "legend" in s for y in s["ys"])

    away = any(p["figure"] == "connections_away" for p in chart.panels)
    return away or total("late_per_s") > LATE_SHARE * total("tps")


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
        drawn = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    with open(path, "wb") as f:
        f.write(drawn.stdout)
    return path


def folded(results: Results, summary: CellSummary, kind: str) -> str:
    """The stacks of the first run that counts and has them."""
    found = (breakdown.folded(results, row, kind) for row in results.counting(summary))
    return next(filter(None, found), "")
