# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of an experiment as one tree for lab.js; see tree() for its members.

Numbers are those of runs.csv, digit for digit; medians and intervals are those of stats.py.  Only
figures that some run has are offered.  A cell carries its flag, and whether it held the rate.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence
from urllib.parse import quote

from ..plan import labels, tx_find
from ..plan.model import CellSummary, Row, Spread
from ..results import figures
from ..statistics import stats
from . import events, over_time

if TYPE_CHECKING:
    from ..statistics.results import Results

# Title, what is first to be seen, and the names that the chart offers; a prefix ends in "*".
GROUPS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "throughput",
        "Throughput",
        "tps",
        ("held_tps", "not_held_tps", "tps", "qps", "done", "late", "unfinished", "dropped"),
    ),
    ("response", "Response time", "response_p95_ms", ("response_*", "service_*", "lag_*")),
    ("cpu", "Server CPU", "", ("server_usr_pct", "server_sys_pct")),
    (
        "cost",
        "Per transaction",
        "server_cpu_us_per_tx",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx")
        + ("client_cpu_us_per_tx", "client_switches_per_tx"),
    ),
    (
        "counters",
        "Hardware counters",
        "ipc",
        ("ipc", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct")
        + ("tx_per_mcycle", "cpu_mhz", "power_w", "power_above_idle_w"),
    ),
    ("machine", "Machine", "server_cpu_pct", ("server_*", "client_*", "host_*", "*")),
)
SEARCHES = (("highest", "Highest rate", tx_find.HELD, (tx_find.HELD, tx_find.MISSED)),)
CAPTIONS = {
    "highest": "The highest rate that held the objective, in the search of each run.",
    "throughput": "What the server did. A constant rate shows as a level line.",
    "response": "With a rate, response time counts from the planned start, so waiting is in it.",
    "cpu": "Share of all CPUs, of the run with the median sum. Solid: user mode; hatched: kernel.",
    "cost": "What one transaction takes. Lower is cheaper.",
    "counters": "From the CPU's performance counters, in the server's threads.",
    "machine": "All other figures.",
}


def tree(results: Results, base: str) -> dict[str, Any]:
    """What is embedded in the page."""
    exp = results.exp
    names = offered(results.rows)
    arms = labels.arm_names(results.summaries)
    counted = counted_runs(results)
    timelines = over_time.timelines(results)
    return {
        "x": {"title": capital(labels.heading(exp.x)) if exp.x else ""},
        "arms": [labels.arm_title(arm, exp) for arm in arms],
        "figures": {name: described(name) for name in names},
        "groups": groups(names, searched(results)),
        "cells": [cell(results, s, arms) for s in over_time.shown_cells(results)],
        "runs": [run(results, row, arms, base, row["run"] in counted) for row in results.rows],
        "timelines": timelines,
        "overTime": {n: described(n) for n in events.over_time_figures(timelines, names)},
        "percentiles": [] if searched(results) else over_time.percentiles(results),
        "heat": over_time.heat_maps(results),
        **events.of_results(results),
    }


def offered(rows: Sequence[Row]) -> list[str]:
    """Names of the figures that some run has, in the order of runs.csv."""
    names = dict.fromkeys(k for row in rows for k in row if stats.is_figure(k))
    return [n for n in names if any(stats.number(row.get(n)) for row in rows)]


def described(name: str) -> dict[str, Any]:
    column = figures.column(name)
    unit = "µs" if column.unit == "us" else column.unit
    return {
        "title": column.title,
        "unit": unit,
        "decimals": column.decimals,
        "meaning": column.meaning,
    }


def searched(results: Results) -> bool:
    """Whether all cells searched for the highest rate: other figures are of all their rates."""
    return all(map(tx_find.searched, over_time.shown_cells(results)))


def groups(names: Sequence[str], of_searches: bool = False) -> list[dict[str, Any]]:
    """The charts over the horizontal axis; each figure is in the first group that wants it."""
    left, found = list(names), []
    for ident, title, first, wanted in SEARCHES if of_searches else GROUPS:
        mine = list(dict.fromkeys(n for w in wanted for n in left if matches(n, w)))
        if ident == "cpu" and len(mine) < 2 or not mine:
            continue
        left = [n for n in left if n not in mine] if ident != "cpu" else left
        found.append(
            {
                "id": ident,
                "title": title,
                "caption": CAPTIONS[ident],
                "figures": mine,
                "first": first_of(first, mine),
            }
        )
    return found


def first_of(wanted: str, mine: Sequence[str]) -> str:
    """A search has an answer; its throughput is that of all the rates that it tried."""
    return next(n for n in (tx_find.HELD, wanted, *mine) if n in mine)


def matches(name: str, wanted: str) -> bool:
    return name.startswith(wanted[:-1]) if wanted.endswith("*") else name == wanted


def counted_runs(results: Results) -> set[int]:
    """Numbers of the runs that the medians are made of."""
    by_cell: dict[int, list[Row]] = {}
    for row in results.rows:
        by_cell.setdefault(int(row["cell"]), []).append(row)
    return {int(r["run"]) for rows in by_cell.values() for r in stats.counting(rows)[0]}


def cell(results: Results, summary: CellSummary, arms: Sequence[str]) -> dict[str, Any]:
    return {
        "arm": arms.index(summary.arm),
        "name": labels.cell_text(summary.cell),
        "x": labels.x_of(results.exp, summary.cell),
        "held": summary.held,
        "flag": summary.flag,
        "counted": summary.counted,
        "figures": {name: spread(s) for name, s in summary.figures.items()},
        "cpu": figures.cpu_parts(summary.figures)
        if all(n in summary.figures for n in figures.CPU)
        else None,
    }


def spread(s: Spread) -> list[float]:
    """Median, minimum, maximum, and with repeats enough the interval."""
    some = [s.median, s.min, s.max]
    return [*some, s.low, s.high] if s.n >= stats.LEAST else some


def run(
    results: Results, row: Row, arms: Sequence[str], base: str, counted: bool
) -> dict[str, Any]:
    summary = results.summaries[int(row["cell"])]
    return {
        "run": row["run"],
        "arm": arms.index(summary.arm),
        "x": labels.x_of(results.exp, summary.cell),
        "href": report_link(results, row, base),
        "counted": counted,
        "note": about(row),
        "held": row.get("sustained") != "no",
        "figures": {k: v for k, v in row.items() if stats.is_figure(k) and stats.number(v)},
    }


def report_link(results: Results, row: Row, base: str) -> str:
    """The run's own report, for people if there is one; "" if it left none."""
    for name in ("report.txt", "report.json", "command.txt"):
        path = "%s/%s" % (results.run_path(row), name)
        if os.path.isfile(os.path.join(results.folder, path)):
            return quote(base + path)
    return ""


def about(row: Mapping[str, Any]) -> str:
    """What is wrong with a run, as sentences."""
    found = []
    if row.get("status") != "done":
        found.append("Failed: %s." % (row.get("why") or "no reason is known"))
    elif row.get("sustained") == "no":
        found.append("Rate not held: %s." % (row.get("why") or "no reason is known"))
    if row.get("disturbed"):
        found.append("Disturbed: %s." % row["disturbed"])
    return " ".join(found)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
