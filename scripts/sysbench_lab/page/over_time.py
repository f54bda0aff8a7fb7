# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs.csv does not hold: figures over time, latency by percentile, the heat map.

Stages, searches and outages are in events.py.
series.py and pictures/heat.py read the runs' reports; this file makes them small enough for a page.
Of a long run several intervals become one point: the mean of rates and CPU, the worst of latencies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from .. import LabError
from ..plan import labels
from ..plan.model import CellSummary, Row
from ..results import figures, series
from ..statistics import stats

if TYPE_CHECKING:
    from ..statistics.results import Results

MOST_POINTS = 300  # of a timeline
MOST_COLUMNS = 120  # of a heat map
STEPS = 4  # percentiles from one halving of the rest to the next


def rounded(value: float, digits: int = 5) -> float:
    return float("%.*g" % (digits, value))


# ---- timelines -----------------------------------------------------------------


def timelines(results: Results) -> list[dict[str, Any]]:
    """Of each run that reported more than one interval."""
    found = []
    for row in results.rows:
        line = series.lines_of(results.report(row) or {})
        if line and len(line.seconds) > 1:
            found.append({"run": row["run"], **timeline(line)})
    return found


def timeline(line: series.Timeline) -> dict[str, Any]:
    size = math.ceil(len(line.seconds) / MOST_POINTS)
    ends = range(size - 1, len(line.seconds) + size - 1, size)
    known = {n: v for n, v in line.figures.items() if worth_showing(n, v)}
    marks = [{"x": rounded(m.at_s, 6), "text": m.text or "mark"} for m in line.marks]
    outages = [
        {"x": rounded(o.begin_s, 6), "x2": rounded(o.end_s, 6), "text": ""} for o in line.outages
    ]
    return {
        "seconds": [rounded(line.seconds[min(i, len(line.seconds) - 1)], 6) for i in ends],
        "joined": size,
        "figures": {n: bunched(n, values, size) for n, values in known.items()},
        "marks": marks + outages,
        "stages": [
            {"x": rounded(s.begin_s, 6), "x2": rounded(s.end_s, 6), "text": s.text, "held": s.held}
            for s in line.stages
        ],
    }


def worth_showing(name: str, values: Sequence[float | None]) -> bool:
    """Whether it was measured; of errors, backlogs and their like, whether there were any."""
    if name in figures.OVER_TIME and name != "offered_tps":
        return any(values)
    return any(v is not None for v in values)


def bunched(name: str, values: Sequence[float | None], size: int) -> list[float | None]:
    return [joined(name, values[i : i + size]) for i in range(0, len(values), size)]


def joined(name: str, values: Iterable[float | None]) -> float | None:
    """One figure for several intervals: the worst latency, the mean of all else."""
    known = [v for v in values if v is not None]
    if not known:
        return None
    return rounded(max(known) if name.endswith("_ms") else sum(known) / len(known))


# ---- by percentile -------------------------------------------------------------


def percentiles(results: Results) -> list[dict[str, Any]]:
    """Of each cell: [percentile from 0 to 1, ms] of its runs that count, together."""
    found = []
    for number, summary in enumerate(shown_cells(results)):
        reports = (results.report(row) or {} for row in counted(results, summary))
        points = curve(series.merged(reports))
        if points:
            found.append({"cell": number, "points": points})
    return found


def shown_cells(results: Results) -> list[CellSummary]:
    """Those of the page, in its order: what belongs to a cell names it by its place here."""
    return [s for s in labels.in_order(results.exp, results.summaries) if s.runs]


def counted(results: Results, summary: CellSummary) -> list[Row]:
    """The runs of a cell that its medians are made of."""
    rows = [r for r in results.rows if r["cell"] == summary.cell.number]
    return list(stats.counting(rows)[0])


def curve(histogram: series.Histogram) -> list[list[float]]:
    """The value at each rank of grid(); a bucket stands for its highest value."""
    total = sum(histogram.values())
    points: list[list[float]] = []
    ranks = iter(grid(total))
    rank, below = next(ranks, None), 0
    for (_, high), n in sorted(histogram.items()):
        below += n
        while rank is not None and below >= rank * total:
            points.append([rank, rounded(high / 1e6)])
            rank = next(ranks, None)
    return points


def grid(total: int) -> list[float]:
    """0, then steps towards 1 that halve, as HdrHistogram prints them, as far as samples go."""
    steps = int(math.log2(total) * STEPS) if total else -1
    return [1 - 2 ** (-i / STEPS) for i in range(steps + 1)]


# ---- heat maps -----------------------------------------------------------------


def heat_maps(results: Results) -> list[dict[str, Any]]:
    """Of each cell whose runs left an HdrHistogram log: edges of columns and rows, samples."""
    from ..pictures import heat

    found = []
    for number, summary in enumerate(shown_cells(results)):
        try:
            many = heat.merged(heat.logs_of(results, summary))
        except LabError:  # a log that a killed run left torn: the page is worth more than its map
            continue
        if many.counts:
            found.append({"cell": number, **heat_map(many.edges_s, many.counts, heat.ROWS)})
    return found


def heat_map(
    edges: Sequence[float], counts: Mapping[tuple[int, int], int], rows_a_decade: int
) -> dict[str, Any]:
    size = math.ceil((len(edges) - 1) / MOST_COLUMNS)
    low = min(row for _, row in counts)
    high = max(row for _, row in counts)
    fields: dict[tuple[int, int], int] = {}
    for (column, row), n in counts.items():
        place = column // size, row - low
        fields[place] = fields.get(place, 0) + n
    return {
        "seconds": [rounded(e, 6) for e in [*edges[:-1:size], edges[-1]]],
        "ms": [rounded(10 ** (row / rows_a_decade)) for row in range(low, high + 2)],
        "fields": [[column, row, n] for (column, row), n in sorted(fields.items())],
    }
