# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of an experiment as one tree for lab.js; see tree() for its members.

Numbers are those of runs.csv, digit for digit; medians and intervals are those of stats.py.  Only
figures that some run has are offered.  A cell carries its flag, and whether it held the rate.
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import Any, Iterable, Sequence

from ..plan import contrasts, found_rate, labels
from ..plan.model import CellSummary, Experiment, Row, Spread, Tree
from ..results import figures, series
from ..statistics import answer, stats
from ..statistics.results import Results

# Title, what is first to be seen, and the names that the chart offers; a prefix ends in "*".
# fmt: off
GROUPS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("throughput", "Throughput", "tps",
        ("held_tps", "not_held_tps", "tps", "qps", "done", "late", "unfinished", "dropped")),
    ("response", "Response time", "response_p95_ms", ("response_*", "service_*", "lag_*")),
    ("cpu", "Server CPU", "", ("server_usr_pct", "server_sys_pct")),
    ("cost", "Per transaction", "server_cpu_us_per_tx",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx",
         "client_cpu_us_per_tx", "client_switches_per_tx")),
    ("counters", "Hardware counters", "ipc",
        ("ipc", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct",
         "tx_per_mcycle", "cpu_mhz", "power_w", "power_above_idle_w")),
    ("machine", "Machine", "server_cpu_pct", ("server_*", "client_*", "host_*", "*")),
)
# fmt: on
SEARCHES = (("highest", "Highest rate", found_rate.HELD, (found_rate.HELD, found_rate.MISSED)),)
CAPTIONS = {
    "change": "Above zero is more. A bar has the interval of the change as a line; without three"
    " runs that count on both sides there is no bar. Hollow: not both held the rate.",
    "highest": "The highest rate that held the objective, in the search of each run.",
    "throughput": "What the server did. A constant rate shows as a level line.",
    "response": "With a rate, response time counts from the planned start, so waiting is in it.",
    "cpu": "Share of all CPUs, of the run with the median sum. Solid: user mode; hatched: kernel.",
    "cost": "What one transaction takes. Lower is cheaper.",
    "counters": "From the CPU's performance counters, in the server's threads.",
    "machine": "Of the server's and the load generator's processes, and of the hosts.",
}


def tree(results: Results) -> dict[str, Any]:
    """What is embedded in the page."""
    exp, work = results.exp, labels.work_factor(results.exp)
    names = offered(results.rows)
    arms = labels.arm_names(results.summaries)
    counted = counted_runs(results)
    lines = [(row["run"], series.lines_of(results.report(row) or {})) for row in results.rows]
    timelines = [{"run": n, **timeline(x)} for n, x in lines if x and len(x.seconds) > 1]
    # Figures that only timelines have; runs that were cut off leave no others.
    over_time = dict.fromkeys(name for t in timelines for name in t["figures"])
    more = [n for n in over_time if n not in names and n not in figures.OVER_TIME]
    over_time = dict.fromkeys([*(n for n in figures.OVER_TIME if n in over_time), *more])
    shown = list(enumerate(shown_cells(results)))
    return {
        "x": {"title": labels.capital(labels.heading(exp.x)) if exp.x else ""},
        "arms": [labels.arm_title(arm, exp) for arm in arms],
        # a panel each: other workloads have other figures
        "works": works(results),
        "lines": [
            line_of(exp, work, next(s for s in results.summaries if s.arm == arm)) for arm in arms
        ],
        "figures": {name: described(name) for name in names},
        "groups": groups(names, searched(results)),
        "cells": [cell(results, s, arms, work) for _, s in shown],
        "runs": [run(results, row, arms, row["run"] in counted) for row in results.rows],
        "timelines": timelines,
        "overTime": {n: described(n) for n in over_time},
        "percentiles": [] if searched(results) else percentiles_of(results),
        "stages": [
            {"cell": number, "stages": list(map(stage_tree, merged))}
            for number, s in shown
            if (merged := results.stages(s))
        ],
        "change": change(results),
        "crossings": {
            figure: [{"arm": arms.index(arm), "x": x} for arm, x in found]
            for figure, found in answer.crossings(exp, results.summaries).items()
        },
        "searches": searches(results),
        "outages": of_outages(results)[:MOST_OUTAGES],
    }


def offered(rows: Sequence[Row]) -> list[str]:
    """Names of the figures that some run has, in the order of runs.csv."""
    names = dict.fromkeys(k for row in rows for k in row if stats.is_figure(k))
    return [n for n in names if any(stats.number(row.get(n)) for row in rows)]


def described(name: str) -> dict[str, Any]:
    found = {**figures.column(name)._asdict(), "unit": unit_of(name)}
    return {k: found[k] for k in ("title", "unit", "decimals", "meaning")}


def unit_of(name: str) -> str:
    return figures.column(name).unit.replace("us", "µs")


def searched(results: Results) -> bool:
    """Whether all cells searched for the highest rate: other figures are of all their rates."""
    return all(map(found_rate.searched, shown_cells(results)))


def groups(names: Sequence[str], of_searches: bool = False) -> list[dict[str, Any]]:
    """The charts over the horizontal axis; each figure is in the first group that wants it."""
    left, found = list(names), []
    for ident, title, first, wanted in SEARCHES if of_searches else GROUPS:
        mine = list(dict.fromkeys(n for w in wanted for n in left if fnmatchcase(n, w)))
        if ident == "cpu" and len(mine) < 2 or not mine:
            continue
        left = [n for n in left if n not in mine] if ident != "cpu" else left
        # a search has an answer; its throughput is that of all the rates that it tried
        seen = next(n for n in (found_rate.HELD, first, *mine) if n in mine)
        words = {"id": ident, "title": title, "caption": CAPTIONS[ident]}
        found.append({**words, "figures": mine, "first": seen})
    return found


def counted_runs(results: Results) -> set[int]:
    """Numbers of the runs that the medians are made of."""
    return {int(r["run"]) for s in results.summaries for r in results.counting(s)}


def cell(results: Results, summary: CellSummary, arms: Sequence[str], work: str) -> dict[str, Any]:
    has_cpu = all(n in summary.figures for n in figures.CPU)
    return {
        "arm": arms.index(summary.arm),
        "work": works(results).index(summary.cell.levels[work]) if work else 0,
        "x": labels.x_of(results.exp, summary.cell),
        "held": summary.held,
        "flag": summary.flag,
        "counted": summary.counted,
        "few": [n for n in summary.figures if figures.mark(n, summary.figures)],
        "figures": {name: spread(s) for name, s in summary.figures.items()},
        "cpu": figures.cpu_parts(summary.figures) if has_cpu else None,
    }


def works(results: Results) -> list[str]:
    """The workloads, where they vary."""
    work = labels.work_factor(results.exp)
    found = [s.cell.levels[work] for s in labels.in_order(results.exp, results.summaries) if work]
    return list(dict.fromkeys(found)) or [""]


def line_of(exp: Experiment, work: str, s: CellSummary) -> str:
    """What an arm is called in the panel of its workload."""
    others = labels.levels_text(s.cell, exp.x, work)
    return others or s.cell.levels.get(work) or labels.arm_title(s.arm, exp)


# ---- by how many per cent arms differ from the baseline

CHANGED = (
    found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_mean_ms", "response_p95_ms",
    "response_p99_ms", "server_switches_per_tx", "client_cpu_us_per_tx", "ipc", "tx_per_mcycle",
    "instructions_per_tx", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct",
    "power_w", "power_above_idle_w",
)  # fmt: skip


def change(results: Results) -> dict[str, Any]:
    """Of each pair of cells that are compared: figure to [per cent, low, high].  Without an
    interval there is nothing: one run more might turn it round."""
    exp, shown = results.exp, shown_cells(results)
    work, pairs = labels.work_factor(exp), contrasts.pairs(exp, shown)
    found: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    for base, other in filter(lambda pair: all(map(answer.supports, pair)), pairs):
        known = {}
        for name in CHANGED:
            a, b = base.figures.get(name), other.figures.get(name)
            e = stats.effect(a.values, b.values, name, exp.measure.seed) if a and b else None
            parts = [r for r in (e and (e.ratio, e.low, e.high) or ()) if r is not None]
            if len(parts) == 3 and all(map(math.isfinite, parts)):
                known[name] = [rounded(100 * (r - 1)) for r in parts]
        if known:
            held = base.held and other.held
            name = contrasts.pair_text(exp, (base, other), exp.x, work)
            entry = {"cell": shown.index(other), "name": name, "held": held}
            found.append({**entry, "figures": known})
            names.update(dict.fromkeys(known))
    of_rate = "server_cpu_us_per_tx" if any(map(answer.rated, shown)) else "tps"
    return {
        "compared": contrasts.compared(exp, shown),
        "figures": [n for n in CHANGED if n in names],
        "first": next((n for n in (found_rate.HELD, of_rate, *names) if n in names), ""),
        "cells": found,
    }


def spread(s: Spread) -> list[float]:
    """Median, minimum, maximum, and with repeats enough the interval."""
    some = [s.median, s.min, s.max]
    return [*some, s.low, s.high] if s.n >= stats.LEAST else some


def run(results: Results, row: Row, arms: Sequence[str], counted: bool) -> dict[str, Any]:
    summary = results.summaries[int(row["cell"])]
    return {
        "run": row["run"],
        "arm": arms.index(summary.arm),
        "x": labels.x_of(results.exp, summary.cell),
        "counted": counted,
        "note": about(row),
        "held": row.get("sustained") != "no",
        "figures": {k: v for k, v in row.items() if stats.is_figure(k) and stats.number(v)},
    }


def about(row: Tree) -> str:
    """What is wrong with a run, as sentences."""
    found = []
    if row.get("status") != "done":
        found.append("Failed: %s." % (row.get("why") or "no reason is known"))
    elif row.get("sustained") == "no":
        found.append("Rate not held: %s." % (row.get("why") or "no reason is known"))
    if row.get("disturbed"):
        found.append("Disturbed: %s." % row["disturbed"])
    if what := stats.beside(row):
        found.append(labels.capital(what) + ".")
    return " ".join(found)


# ---- what happened in runs: stages, searches, outages -----------------------------


MOST_OUTAGES = 50
OF_OUTAGES = ("offered_tps", "tps", "errors_per_s", "connections_away", "oldest_ms", "lag_p99_ms")


def stage_tree(stage: stats.Stage) -> dict[str, Any]:
    return {
        "name": stats.stage_name(stage),
        "number": stage.number,
        "held": stage.sustained,
        "why": stage.why,
        "figures": {n: spread(s) for n, s in stage.figures.items()},
    }


# ---- searches ------------------------------------------------------------------


def searches(results: Results) -> list[dict[str, Any]]:
    """Of each run with --tx-find that came to a step."""
    reports = [(row, results.report(row)) for row in results.rows]
    found = [(row, found_rate.find_of_run(report)) for row, report in reports if report]
    return [search_tree(row, f) for row, f in found if f and f.steps]


def search_tree(row: Row, found: found_rate.Found) -> dict[str, Any]:
    steps = [
        {"step": s.number, "rate": s.rate, "brief": s.brief, "holds": s.holds, "note": note_of(s)}
        for s in found.steps
    ]
    return {"run": row["run"], "held": found.held, "missed": found.missed, "steps": steps}


def note_of(step: found_rate.Step) -> str:
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
            all_of = series.outages_of(report, line)
            found += [outage_tree(row, line, all_of, i) for i in range(len(all_of))]
    return found


def outage_tree(
    row: Row, line: series.Timeline, all_of: list[series.Outage], number: int
) -> dict[str, Any]:
    one = all_of[number]
    # Those whose middle is in the window; of intervals too long for that, all that touch it.
    spans = [(end - length, end) for end, length in zip(line.seconds, line.lengths)]
    found = [
        i for i, (begin, end) in enumerate(spans)
        if one.window.begin_s <= (begin + end) / 2 <= one.window.end_s
    ]  # fmt: skip
    touching = [i for i, s in enumerate(spans) if series.overlap(series.Span(*s), one.window)]
    inside = found if len(found) > 1 else touching
    known = {n: [line.figures[n][i] for i in inside] for n in OF_OUTAGES}
    end = "the end of the run" if one.missing else "it was over"
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
        "meanwhile": "Until %s: %s." % (end, one.meanwhile),
        "missing": one.missing,
    }


# ---- what runs.csv does not hold: figures over time, percentiles -----


MOST_POINTS = 300  # of a timeline
STEPS = 4  # percentiles from one halving of the rest to the next


def rounded(value: float, digits: int = 5) -> float:
    return float("%.*g" % (digits, value))


# ---- timelines -----------------------------------------------------------------


def timeline(line: series.Timeline) -> dict[str, Any]:
    size = math.ceil(len(line.seconds) / MOST_POINTS)
    ends = range(size - 1, len(line.seconds) + size - 1, size)
    # what was measured; errors, backlogs and their like, if there were any
    counts = figures.OVER_TIME.keys() - {"offered_tps"}
    known = {
        n: values
        for n, values in line.figures.items()
        if any(v if n in counts else v is not None for v in values)
    }
    marks: list[Any] = [{"x": rounded(m.at_s, 6), "text": m.text or "mark"} for m in line.marks]
    marks += [{**within(o), "text": ""} for o in line.outages]
    return {
        "seconds": [rounded(line.seconds[min(i, len(line.seconds) - 1)], 6) for i in ends],
        "joined": size,
        "figures": {n: bunched(n, values, size) for n, values in known.items()},
        "marks": marks,
        "stages": [{**within(s), "text": s.text, "held": s.held} for s in line.stages],
    }


def within(span: series.Span | series.Stage) -> dict[str, float]:
    return {"x": rounded(span.begin_s, 6), "x2": rounded(span.end_s, 6)}


def bunched(name: str, values: Sequence[float | None], size: int) -> list[float | None]:
    return [joined(name, values[i : i + size]) for i in range(0, len(values), size)]


def joined(name: str, values: Iterable[float | None]) -> float | None:
    """One figure for several intervals: the worst latency, the mean of all else."""
    if not (known := [v for v in values if v is not None]):
        return None
    return rounded(max(known) if name.endswith("_ms") else sum(known) / len(known))


# ---- by percentile -------------------------------------------------------------


def percentiles_of(results: Results) -> list[dict[str, Any]]:
    """Of each cell: [percentile from 0 to 1, ms] of its runs that count, together."""
    cells = enumerate(shown_cells(results))
    found = [(number, curve(series.merged(results.reports(s)))) for number, s in cells]
    return [{"cell": number, "points": points} for number, points in found if points]


def shown_cells(results: Results) -> list[CellSummary]:
    """Those of the page, in its order: what belongs to a cell names it by its place here."""
    return [s for s in labels.in_order(results.exp, results.summaries) if s.runs]


def curve(histogram: series.Histogram) -> list[list[float]]:
    """The value at each rank of grid(); a bucket stands for its highest value."""
    total = sum(histogram.values())
    points: list[list[float]] = []
    # 0, then steps towards 1 that halve, as HdrHistogram prints them, as far as samples go.
    steps = int(math.log2(total) * STEPS) if total else -1
    ranks = iter([1 - 2 ** (-i / STEPS) for i in range(steps + 1)])
    rank, below = next(ranks, None), 0
    for (_, high), n in sorted(histogram.items()):
        below += n
        while rank is not None and below >= rank * total:
            points.append([rank, rounded(high / 1e6)])
            rank = next(ranks, None)
    return points
