# SPDX-License-Identifier: GPL-2.0-or-later
"""The words and tables of the page, as plain text and lists; the template escapes them.

page() is what the template calls `page`.  Its figures have the decimals of figures.COLUMNS, so a
reader finds each of them in runs.csv.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Sequence

from ..plan import labels, tx_find
from ..plan.model import CellSummary, Experiment, Row, Spread
from ..results import figures
from ..terminal import text_tables
from . import data, method

if TYPE_CHECKING:
    from ..statistics.results import Results

# A figure, its head in the table, and the head above; "SERVER" is the name of the server's process.
COLUMNS = (
    ("tps", "Throughput", ""),
    ("server_usr_pct", "user", "SERVER CPU"),
    ("server_sys_pct", "system", "SERVER CPU"),
    ("server_cpu_pct", "all", "SERVER CPU"),
    ("server_cpu_us_per_tx", "per tx", "SERVER CPU"),
    ("response_mean_ms", "mean", "Response time"),
    ("response_p95_ms", "p95", "Response time"),
    ("response_p99_ms", "p99", "Response time"),
)
OF_SEARCHES = ((tx_find.HELD, "held", "Highest rate"), (tx_find.MISSED, "not held", "Highest rate"))
OF_RUNS = (
    "held_tps", "tps", "response_mean_ms", "response_p95_ms", "server_cpu_pct",
    "server_cpu_us_per_tx",
)  # fmt: skip
STATES = {
    "running": "The experiment is still running, or was killed: %d of %d runs are done.",
    "interrupted": "The experiment was interrupted: %d of %d runs are done.",
    "done": "",
}


def page(results: Results, base: str) -> dict[str, Any]:
    done = sum(r["status"] == "done" for r in results.rows)
    state = STATES.get(results.state, "")
    return {
        "title": results.exp.title or results.exp.name,
        "question": results.exp.question,
        "answer": results.sentences[0] if results.sentences else "There is no result yet.",
        "details": list(results.sentences[1:]),
        "state": state % (done, len(results.plan.runs)) if state else "",
        "about": about(results),
        "table": table(results),
        "has_x": bool(results.exp.x),
        "runs": runs(results, base),
        "trouble": trouble(results, base),
        **method.parts(results, base),
    }


def about(results: Results) -> str:
    """When, where, with what."""
    machine = results.tree.get("machine") or {}
    started = results.tree.get("started_unix_s")
    parts = [
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(started)) if started else "",
        str(machine.get("host") or ""),
        "%s CPUs" % machine["cpus"] if machine.get("cpus") else "",
        str(machine.get("system") or ""),
        "sysbench-lab %s" % results.tree.get("version", ""),
    ]
    return ", ".join(p for p in parts if p)


# ---- the table of cells --------------------------------------------------------


def table(results: Results) -> dict[str, Any]:
    """Heads with units, and for each arm its cells."""
    exp, shown = results.exp, [s for s in results.summaries if s.runs]
    columns = [c for c in columns_of(shown) if any(c[0] in s.figures for s in shown)]
    server = labels.server_name(s.cell.settings for s in shown)
    arms, names = labels.arm_names(shown), [c[0] for c in columns]
    return {
        "first": data.capital(labels.heading(exp.x)) if exp.x else "Arm",
        "groups": above([h.replace("SERVER", server) for _, _, h in columns]),
        "heads": [(h, unit(n)) for n, h, _ in columns],
        "arms": [
            {
                "name": labels.arm_title(arm, exp),
                "cells": [cell(results, s, names) for s in along(exp, shown) if s.arm == arm],
            }
            for arm in arms
        ],
        "note": spread_note(shown),
    }


def columns_of(shown: Sequence[CellSummary]) -> tuple[tuple[str, str, str], ...]:
    """Of a search its answer: all other figures are of the many rates that it tried."""
    if shown and all(map(tx_find.searched, shown)):
        return OF_SEARCHES
    return (*OF_SEARCHES, *COLUMNS)


def along(exp: Experiment, shown: Sequence[CellSummary]) -> list[CellSummary]:
    """In the order of the axis: a search takes its levels as they come."""
    return sorted(shown, key=lambda s: labels.x_of(exp, s.cell) or 0)


def above(heads: Sequence[str]) -> list[dict[str, Any]]:
    """The upper line of heads: equal ones are one; the first and the last column have none."""
    found: list[dict[str, Any]] = []
    for name in ["", *heads, ""]:
        if name and found and found[-1]["name"] == name:
            found[-1]["span"] += 1
        else:
            found.append({"name": name, "span": 1})
    return found


def cell(results: Results, summary: CellSummary, names: Sequence[str]) -> dict[str, Any]:
    exp = results.exp
    return {
        "name": summary.cell.levels.get(exp.x) or labels.arm_title(summary.arm, exp),
        "flag": summary.flag,
        "held": summary.held,
        "runs": "%d of %d" % (summary.counted, summary.runs),
        "figures": [figure(n, summary.figures.get(n)) for n in names],
    }


def figure(name: str, spread: Spread | None) -> tuple[str, str]:
    """The median, and the range of the runs."""
    if spread is None:
        return "n/a", ""
    low, high = grouped(name, spread.min), grouped(name, spread.max)
    middle = grouped(name, spread.median)
    return middle, "%s–%s" % (low, high) if spread.n > 1 and low != high else ""


def grouped(name: str, value: Any) -> str:
    """With the decimals of the figure, and commas from a thousand on."""
    if value is None or value == "":
        return "n/a"
    return "{:,.{}f}".format(value, figures.column(name).decimals)


def unit(name: str) -> str:
    return str(data.described(name)["unit"])


def spread_note(shown: Sequence[CellSummary]) -> str:
    counts = [s.counted for s in shown]
    if max(counts, default=0) < 2:
        return "One run a cell, so nothing is known about the spread."
    note = "Median of the runs that count; below it, their range."
    if all(map(text_tables.adds_up, shown)):
        return note
    return note + " Each column has its own median: user and system need not add up to all."


# ---- the runs ------------------------------------------------------------------


def runs(results: Results, base: str) -> dict[str, Any]:
    factors = [f.name for f in results.exp.factors]
    names = [n for n, _, _ in OF_SEARCHES] if data.searched(results) else OF_RUNS
    shown = [n for n in names if any(r.get(n) is not None for r in results.rows)]
    counted = data.counted_runs(results)
    return {
        "factors": [data.capital(labels.heading(f)) for f in factors],
        "heads": [(figures.column(n).title, unit(n)) for n in shown],
        "names": shown,
        "rows": [
            {
                "number": row["run"],
                "round": row["round"],
                "href": data.report_link(results, row, base),
                "levels": [str(row.get(f, "")) for f in factors],
                "figures": [grouped(n, row.get(n)) for n in shown],
                "counted": row["run"] in counted,
                "note": data.about(row),
            }
            for row in results.rows
        ],
    }


def trouble(results: Results, base: str) -> list[dict[str, Any]]:
    """Runs that went wrong or were made again, in sentences."""
    found = []
    for row in results.rows:
        text = " ".join(filter(None, (data.about(row), again(row))))
        if text:
            found.append(
                {
                    "number": row["run"],
                    "cell": labels.cell_text(results.plan.cells[int(row["cell"])]),
                    "href": data.report_link(results, row, base),
                    "text": text,
                }
            )
    return found


def again(row: Row) -> str:
    tries = int(row.get("tries") or 1)
    return "Measured %d times; the last one is shown." % tries if tries > 1 else ""
