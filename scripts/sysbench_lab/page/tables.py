# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of load hosts, stages and searches for the page, as plain text; the template escapes
them.

A row of stages is a stage of a cell, with the medians of the runs that count and their range.  A
row of searches is a run, because each run found an answer of its own.

A row of load hosts is a rank of a cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..plan import labels, tx_find
from ..plan.model import Row
from ..statistics import rank_rows, stages
from . import data, events, over_time, parts

if TYPE_CHECKING:
    from ..statistics.results import Results

MOST_ROWS = 400
# A figure, its head in the table, and the head above.
COLUMNS = (
    ("target_tps", "planned", "Rate"),
    ("tps", "achieved", "Rate"),
    ("offered", "offered", "Transactions"),
    ("done", "done", "Transactions"),
    ("late", "late", "Transactions"),
    ("response_p50_ms", "p50", "Response time"),
    ("response_p95_ms", "p95", "Response time"),
    ("response_p99_ms", "p99", "Response time"),
    ("lag_p99_ms", "p99", "Lag"),
    ("server_cpu_pct", "all", "SERVER CPU"),
)


def of_results(results: Results) -> dict[str, Any]:
    return {
        "stages": of_stages(results),
        "searches": of_searches(results),
        "ranks": of_ranks(results),
        "sheets": results.sheets(),
    }


def of_ranks(results: Results) -> dict[str, Any]:
    found = [c for c in rank_rows.cells(results) if c.summary.runs][:MOST_ROWS]
    names = [
        n
        for n in rank_rows.HEADS
        if any(r.figures[n] is not None for cell in found for r in cell.ranks)
    ]
    return {
        "heads": [split_unit(rank_rows.HEADS[n].head) for n in names],
        "cells": [
            {
                "name": labels.cell_text(cell.summary.cell),
                "rows": [
                    {
                        "name": rank_rows.who(rank.rank, rank.host),
                        "flag": "differs" if cell.apart(rank) else "",
                        "figures": [rank_rows.shown(n, rank) for n in names],
                    }
                    for rank in cell.ranks
                ],
                "notes": cell.notes,
            }
            for cell in found
        ],
    }


def split_unit(head: str) -> tuple[str, str]:
    """ "99%-resp ms" as the head and its unit."""
    name, _, unit = head.partition(" ")
    return data.capital(name), unit


def of_stages(results: Results) -> dict[str, Any]:
    cells = over_time.shown_cells(results)
    found = [(s, events.merged_stages(results, s)) for s in cells]
    known = {n for _, rows in found for stage in rows for n in stage.figures}
    columns = [c for c in COLUMNS if c[0] in known]
    server = labels.server_name(s.cell.settings for s in cells)
    names = [c[0] for c in columns]
    return {
        "groups": parts.above([h.replace("SERVER", server) for _, _, h in columns]),
        "heads": [(h, parts.unit(n)) for n, h, _ in columns],
        "cells": [
            {"name": labels.cell_text(s.cell), "rows": [stage_row(stage, names) for stage in rows]}
            for s, rows in found
            if rows
        ],
    }


def stage_row(stage: stages.Stage, names: list[str]) -> dict[str, Any]:
    return {
        "name": stages.name(stage),
        "held": stage.sustained,
        "flag": "" if stage.held == stage.judged else stage.why or "not sustained",
        "figures": [parts.figure(n, stage.figures.get(n)) for n in names],
        "sustained": "%d of %d" % (stage.held, stage.judged) if stage.judged else "nothing was due",
    }


def of_searches(results: Results) -> list[dict[str, Any]]:
    found = []
    for row in results.rows[:MOST_ROWS]:
        search = tx_find.of_run(results.report(row) or {})
        if search:
            found.append(search_row(results, row, search))
    return found


def search_row(results: Results, row: Row, found: tx_find.Found) -> dict[str, Any]:
    times = "%d time%s" % (found.confirmed, "" if found.confirmed == 1 else "s")
    held = parts.grouped(tx_find.HELD, found.held)
    return {
        "number": row["run"],
        "cell": labels.cell_text(results.plan.cells[int(row["cell"])]),
        "objective": found.objective,
        "held": held if found.held is not None else "none",
        "confirmed": times if found.held is not None else "",
        "missed": parts.grouped(tx_find.MISSED, found.missed),
        "why": found.why,
        "limit": found.limit,
        "steps": len(found.steps),
        "end": "" if found.result == "found" else data.capital(tx_find.ENDS[found.result]) + ".",
    }
