# SPDX-License-Identifier: GPL-2.0-or-later
"""PNG and SVG pictures of the results of an experiment.

    style.py        sizes, colours, axes, legends, files
    curves.py       figures against the numeric factor; CPU as stacked bars
    effects.py      by how many per cent each workload changes from the baseline to an arm
    arms.py         arms side by side, with spread and interval
    overtime.py     timelines of the runs, with marks, phases, stages and outages
    away.py         an outage from its first error until the backlog was drained
    by_part.py      waits and system calls of a transaction by name, arm beside arm
    by_rank.py      load hosts side by side
    by_stage.py     figures stage by stage of a rate that changes
    find_steps.py        the rates that a search tried
    percentiles.py  latency by percentile
    heat.py         latency over time as a heat map
    flames.py       differences of the runs' flame graphs, by sysbench-flame

Each file turns Results into Drawings; draw_all() writes them.  A picture whose figures were not
measured is left out.
"""

import os
from typing import Iterator, NamedTuple

from .. import LabError
from ..statistics.results import Results
from . import (
    arms,
    away,
    by_part,
    by_rank,
    by_stage,
    curves,
    effects,
    find_steps,
    flames,
    heat,
    overtime,
    percentiles,
    style,
)
from .style import Drawing


class Picture(NamedTuple):
    path_png: str
    path_svg: str
    title: str
    alt: str


def draw_all(results: Results, folder: str) -> list[Picture]:
    """Write every picture that the results have figures for; the order is that of the page.

    Differences of flame graphs go into the folders of the runs; the page links what is there.
    """
    try:
        flames.write_differences(results)
        with style.look():
            os.makedirs(folder, exist_ok=True)  # not before it is known that there is matplotlib
            return [
                Picture(*style.write(drawing, folder), drawing.title, drawing.alt)
                for drawing in drawings(results)
            ]
    except OSError as e:
        raise LabError("cannot write pictures into %s: %s" % (folder, e.strerror)) from e


def drawings(results: Results) -> Iterator[Drawing]:
    yield from find_steps.draw(results)
    yield from by_stage.draw(results)
    yield from curves.draw(results.exp, results.summaries)
    changed = effects.draw(results.exp, results.summaries)
    yield from changed or arms.draw(results.exp, results.summaries)
    yield from by_part.draw(results)
    yield from by_rank.draw(results)
    yield from percentiles.draw(results)
    yield from overtime.draw(results)
    yield from away.draw(results)
    yield from heat.draw(results)
