# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened in runs, for lab.js: stages of the rate, searches for the highest one, outages.

Each list is empty in an experiment without them, and its section then hides.  An outage has its
intervals unthinned, as it is short; stages have the figures of a run, by their names in runs.csv.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..plan import tx_find
from ..plan.model import CellSummary, Row, Spread
from ..results import figures, outages, series
from ..statistics import stages, stats
from .over_time import counted, rounded, shown_cells

if TYPE_CHECKING:
    from ..statistics.results import Results

MOST_OUTAGES = 50
OF_OUTAGES = ("offered_tps", "tps", "errors_per_s", "connections_away", "oldest_ms", "lag_p99_ms")


def of_results(results: Results) -> dict[str, Any]:
    return {
        "stages": of_stages(results),
        "searches": searches(results),
        "outages": of_outages(results)[:MOST_OUTAGES],
    }


# ---- stages --------------------------------------------------------------------


def of_stages(results: Results) -> list[dict[str, Any]]:
    """Of each cell whose rate changes; cells are numbered as in data.cells."""
    found = []
    for number, summary in enumerate(shown_cells(results)):
        merged = merged_stages(results, summary)
        if merged:
            found.append({"cell": number, "stages": [stage_tree(s) for s in merged]})
    return found


def merged_stages(results: Results, summary: CellSummary) -> list[stages.Stage]:
    reports = (results.report(row) or {} for row in counted(results, summary))
    return stages.merged(reports, results.exp.measure.seed)


def stage_tree(stage: stages.Stage) -> dict[str, Any]:
    return {
        "name": stages.name(stage),
        "number": stage.number,
        "held": stage.sustained,
        "why": stage.why,
        "figures": {n: ends_of(s) for n, s in stage.figures.items()},
    }


def ends_of(s: Spread) -> list[float]:
    some = [s.median, s.min, s.max]
    return [*some, s.low, s.high] if s.n >= stats.LEAST else some


# ---- searches ------------------------------------------------------------------


def searches(results: Results) -> list[dict[str, Any]]:
    """Of each run with --tx-find that came to a step."""
    reports = [(row, results.report(row)) for row in results.rows]
    found = [(row, tx_find.of_run(report)) for row, report in reports if report]
    return [search_tree(row, f) for row, f in found if f and f.steps]


def search_tree(row: Row, found: tx_find.Found) -> dict[str, Any]:
    steps = [
        {"step": s.number, "rate": s.rate, "brief": s.brief, "holds": s.holds, "note": note_of(s)}
        for s in found.steps
    ]
    return {"run": row["run"], "held": found.held, "missed": found.missed, "steps": steps}


def note_of(step: tx_find.Step) -> str:
    text = {True: "Holds", False: "Does not hold", None: "Not judged"}[step.holds]
    return "%s%s: %s." % ("Brief. " if step.brief else "", text, step.why or step.bounds)


# ---- outages -------------------------------------------------------------------


def of_outages(results: Results) -> list[dict[str, Any]]:
    """Of each run: what was offered and done around each of its outages, and its moments."""
    found = []
    for row in results.rows:
        report = results.report(row) or {}
        line = series.lines_of(report)
        if line and line.away:
            all_of = outages.of_run(report, line)
            found += [outage_tree(row, line, all_of, i) for i in range(len(all_of))]
    return found


def outage_tree(
    row: Row, line: series.Timeline, all_of: list[outages.Outage], number: int
) -> dict[str, Any]:
    one = all_of[number]
    inside = shown_intervals(line, one.window)
    known = {n: [line.figures[n][i] for i in inside] for n in OF_OUTAGES}
    return {
        "run": row["run"],
        "begin": rounded(one.span.begin_s, 6),
        "window": [rounded(v, 6) for v in one.window],
        "spans": [[rounded(v, 6) for v in other.span] for other in all_of],
        "seconds": [rounded(line.seconds[i], 6) for i in inside],
        "figures": {
            n: [None if v is None else rounded(v) for v in values]
            for n, values in known.items()
            if any(v is not None for v in values)
        },
        "moments": [{"x": rounded(m.at_s, 6), "text": m.text} for m in one.moments],
        "meanwhile": "Until %s: %s." % (until(one), one.meanwhile),
        "missing": one.missing,
    }


def shown_intervals(line: series.Timeline, window: series.Span) -> list[int]:
    """Those whose middle is in the window; of intervals too long for that, all that touch it."""
    spans = [(end - length, end) for end, length in zip(line.seconds, line.lengths)]
    found = [
        i for i, (begin, end) in enumerate(spans)
        if window.begin_s <= (begin + end) / 2 <= window.end_s
    ]  # fmt: skip
    touching = [i for i, s in enumerate(spans) if series.overlap(series.Span(*s), window)]
    return found if len(found) > 1 else touching


def until(one: outages.Outage) -> str:
    return "the end of the run" if one.missing else "it was over"


def over_time_figures(timelines: list[dict[str, Any]], of_runs: list[str]) -> list[str]:
    """Figures that only timelines have; runs that were cut off leave no others."""
    found = dict.fromkeys(name for t in timelines for name in t["figures"])
    return [n for n in figures.OVER_TIME if n in found] + [
        n for n in found if n not in of_runs and n not in figures.OVER_TIME
    ]
