# SPDX-License-Identifier: GPL-2.0-or-later
"""The words and tables of the page, as plain text and lists; the template escapes them.

page() is what the template calls `page`.  Its figures have the decimals of figures.COLUMNS, so a
reader finds each of them in runs.csv.
"""

from __future__ import annotations

import os
import re
import time
from typing import Any, Sequence
from urllib.parse import quote

from ..plan import found_rate, labels, mask
from ..plan.model import CellSummary, Experiment, Row, Spread
from ..results import figures
from ..statistics import environment, rank_rows, stats
from ..statistics.results import Results
from ..terminal import text_tables
from . import data

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
OF_SEARCHES = (
    (found_rate.HELD, "held", "Highest rate"),
    (found_rate.MISSED, "not held", "Highest rate"),
)
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
        **method_parts(results, base),
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
    if shown and all(map(found_rate.searched, shown)):
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


# ---- load hosts, stages and searches --------------------------------------------


MOST_ROWS = 400
# A figure, its head in the table, and the head above.
OF_STAGES = (
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


def tables_of(results: Results) -> dict[str, Any]:
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
        # "99%-resp ms" as the head and its unit
        "heads": [
            (data.capital(name), unit)
            for name, _, unit in (rank_rows.HEADS[n].head.partition(" ") for n in names)
        ],
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


def of_stages(results: Results) -> dict[str, Any]:
    cells = data.shown_cells(results)
    found = [(s, data.merged_stages(results, s)) for s in cells]
    known = {n for _, rows in found for stage in rows for n in stage.figures}
    columns = [c for c in OF_STAGES if c[0] in known]
    server = labels.server_name(s.cell.settings for s in cells)
    names = [c[0] for c in columns]
    return {
        "groups": above([h.replace("SERVER", server) for _, _, h in columns]),
        "heads": [(h, unit(n)) for n, h, _ in columns],
        "cells": [
            {"name": labels.cell_text(s.cell), "rows": [stage_row(stage, names) for stage in rows]}
            for s, rows in found
            if rows
        ],
    }


def stage_row(stage: stats.Stage, names: list[str]) -> dict[str, Any]:
    return {
        "name": stats.stage_name(stage),
        "held": stage.sustained,
        "flag": "" if stage.held == stage.judged else stage.why or "not sustained",
        "figures": [figure(n, stage.figures.get(n)) for n in names],
        "sustained": "%d of %d" % (stage.held, stage.judged) if stage.judged else "nothing was due",
    }


def of_searches(results: Results) -> list[dict[str, Any]]:
    found = []
    for row in results.rows[:MOST_ROWS]:
        search = found_rate.find_of_run(results.report(row) or {})
        if search:
            found.append(search_row(results, row, search))
    return found


def search_row(results: Results, row: Row, found: found_rate.Found) -> dict[str, Any]:
    times = "%d time%s" % (found.confirmed, "" if found.confirmed == 1 else "s")
    held = grouped(found_rate.HELD, found.held)
    return {
        "number": row["run"],
        "cell": labels.cell_text(results.plan.cells[int(row["cell"])]),
        "objective": found.objective,
        "held": held if found.held is not None else "none",
        "confirmed": times if found.held is not None else "",
        "missed": grouped(found_rate.MISSED, found.missed),
        "why": found.why,
        "limit": found.limit,
        "steps": len(found.steps),
        "end": "" if found.result == "found" else data.capital(found_rate.ENDS[found.result]) + ".",
    }


# ---- how it was measured --------------------------------------------------------


MOST_LINES = 400  # of commands.log on the page
FILES = (
    ("runs.csv", "a line a run, all figures"),
    ("table.csv", "a line a cell"),
    ("ranks.csv", "a line for each rank of a run over several load hosts"),
    ("lab.json", "plan, seed, machine"),
    ("environment-difference.txt", "in what the arms differ"),
    ("environment.json", "the environment of each arm"),
    ("commands.log", "every command"),
    ("experiment.toml", "the experiment as it was given"),
)


def method_parts(results: Results, base: str) -> dict[str, Any]:
    return {
        "plan": plan_rows(results),
        "varies": varies(results),
        "stays": [(k, value_text(v)) for k, v in sorted(results.exp.stays.items())],
        "hooks": [(h.moment, h.at_s, h.command) for h in results.exp.hooks],
        "hosts": hosts_of(results),
        "environment": environments(results),
        "commands": commands_of(results),
        "source": mask.toml(text_of(results, "experiment.toml")),
        "flames": flames(results, base),
        "files": files_of(results, base),
    }


def plan_rows(results: Results) -> list[tuple[str, str]]:
    m = results.exp.measure
    warmup = "%g s" % m.warmup_s
    rows = [
        ("Runs", "%d: %d cells, %d rounds" % sizes(results)),
        ("Each run", "%g s, after a warm-up of %s" % (m.time_s, warmup + steady(m.warmup_steady))),
        ("Order", ORDERS.get(m.order, m.order)),
        ("Seed", "%d, of the order and of the intervals" % m.seed),
        ("Server restarts", RESTARTS.get(m.restart, m.restart)),
        ("Pause between runs", "%g s" % m.pause_s if m.pause_s else ""),
        ("Disturbed", "when other processes use more than %g %% of the CPUs" % m.disturbed_pct),
        ("Objective", m.objective),
        ("Baseline", m.baseline),
    ]
    return [(k, v) for k, v in rows if v]


ORDERS = {
    "abba": "forth and back: each round reverses the order of the one before",
    "shuffle": "shuffled anew for each round",
    "written": "as written, the same in each round",
}
RESTARTS = {"change": "when its settings change", "cell": "before each run", "never": "never"}


def steady(wanted: bool) -> str:
    return " at most, until it is steady" if wanted else ""


def sizes(results: Results) -> tuple[int, int, int]:
    return len(results.plan.runs), len(results.plan.cells), results.exp.measure.repeats


def varies(results: Results) -> list[dict[str, Any]]:
    """Each factor; `plain` if its levels change nothing but the setting of its name."""
    found: list[dict[str, Any]] = []
    for factor in results.exp.factors:
        plain = all(list(level.changes) == [factor.name] for level in factor.levels)
        levels: list[Any] = [
            {"name": level.name, "changes": [(k, value_text(v)) for k, v in level.changes.items()]}
            for level in factor.levels
        ]
        names = ", ".join(level.name for level in factor.levels)
        found.append(
            {
                "name": factor.name,
                "plain": names if plain else "",
                "levels": [] if plain else levels,
            }
        )
    return found


def value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def hosts_of(results: Results) -> list[dict[str, str]]:
    """What hosts.json says of each, as text."""
    names = ("name", "via", "node", "kernel", "cpus", "model", "version")
    found = rank_rows.hosts_of(results.folder)
    return [{n: str(host.get(n) or "") for n in names} for host in found]


def environments(results: Results) -> dict[str, Any]:
    """What differs between the arms, and what all have in common."""
    every = [set(environment.flat(found).items()) for found in results.environment.values()]
    return {
        "arms": list(results.environment),
        "differences": [(d.key, list(d.values.items())) for d in results.differences],
        "common": sorted(set.intersection(*every)) if every else [],
    }


def commands_of(results: Results) -> dict[str, Any]:
    lines = text_of(results, "commands.log").splitlines()
    return {
        "total": len(lines),
        "left_out": max(0, len(lines) - MOST_LINES),
        "lines": [
            mask.text(line).split("\t", 3) for line in lines[:MOST_LINES] if line.count("\t") >= 3
        ],
    }


def text_of(results: Results, name: str) -> str:
    try:
        with open(os.path.join(results.folder, name), encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def files_of(results: Results, base: str) -> list[tuple[str, str, str]]:
    """Address, name and meaning of those that are there."""
    return [
        (quote(base + name), name, meaning)
        for name, meaning in FILES
        if os.path.isfile(os.path.join(results.folder, name))
    ]


def flames(results: Results, base: str) -> list[tuple[str, int, str, str]]:
    """Flame graphs and their differences, which runs left in their folders as SVG.

    Differences come first, and of these the ones with the widths of the slower run.
    """
    found = []
    for row in results.rows:
        folder = os.path.join(results.folder, results.run_path(row))
        cell = labels.cell_text(results.plan.cells[int(row["cell"])])
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".svg"):
                address = quote("%s%s/%s" % (base, results.run_path(row), name))
                found.append((address, row["run"], cell, flame_words(name)))
    slow = {int(r["run"]): r.get("response_mean_ms") or 0 for r in results.rows}
    return sorted(found, key=lambda f: slow[f[1]] * ("minus" in f[3]), reverse=True)


def flame_words(name: str) -> str:
    """What a file of sysbench-flame shows."""
    kind = name.rsplit(".", 2)[-2] if name.count(".") > 1 else ""
    words = {"cpu": "where CPU time goes", "offcpu": "where threads wait"}.get(kind, name)
    other = re.match(r"minus-0*(\d+)\.", name)
    return "%s, minus that of run %s" % (words, other[1]) if other else words
