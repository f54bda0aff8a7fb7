# SPDX-License-Identifier: GPL-2.0-or-later
"""The words and tables of the page, as plain text and lists; the template escapes them.

page() is what the template calls `page`.  Its figures have the decimals of figures.COLUMNS, so a
reader finds each of them in runs.csv.
"""

from __future__ import annotations

import itertools
import os
import re
from typing import Any, Mapping, Sequence

from .. import content
from ..charts import about, unit_of
from ..plan import contrasts, found_rate, labels, mask
from ..plan.model import Cells, Factor, Row, Spread, Tree, by
from ..plan.plan import counted, restart_of
from ..results import figures
from ..statistics import environment, facts, rank_rows, stats
from ..statistics.results import Results
from ..terminal.text_tables import COLUMNS, OF_SEARCHES, Column, Columns, adds_up

FEW = 40  # runs, and
FEW_CELLS = 20  # cells, that are shown before anything is unfolded
STATES = {
    "running": "The experiment is still running, or was killed: %d of %d runs are done.",
    "interrupted": "The experiment was interrupted: %d of %d runs are done.",
}


def page(results: Results) -> dict[str, Any]:
    done, state = sum(r["status"] == "done" for r in results.rows), STATES.get(results.state, "")
    shown = [s for s in results.summaries if s.runs]
    cells = [(s, results.stages(s)) for s in labels.in_order(results.exp, shown)]
    host = str((results.tree.get("machine") or {}).get("host") or "")
    searched = bool(shown) and all(map(found_rate.searched, shown))
    lines = content(os.path.join(results.directory, "commands.log")).splitlines()
    every = [set(environment.flat(e).items()) for e in results.environment.values()]
    m, sizes = results.exp.measure, (len(results.plan.runs), len(results.plan.cells))
    steady = " at most, until it is steady" if m.warmup_steady else ""
    rows = [
        ("Runs", "%d: %d cells, %d rounds" % (*sizes, m.repeats)),
        ("Each run", "%g s, after a warm-up of %g s%s" % (m.time_s, m.warmup_s, steady)),
        ("Order", ORDERS.get(m.order, m.order)),
        ("Seed", "%d, of the order and of the intervals" % m.seed),
        ("Server restarts", RESTARTS[restart_of(results.exp, results.plan.cells)]),
        ("Pause between runs", "%g s" % m.pause_s if m.pause_s else ""),
        ("Disturbed", "when other processes use more than %g %% of the CPUs" % m.disturbed_pct),
        ("Steal", "disturbs when it is more than %g %% of the CPUs" % m.steal_pct),
        ("Objective", m.objective),
        ("Baseline", m.baseline),
    ]
    return {
        "answers": answers_of(results) or ["There is no result yet."],
        "state": state % (done, len(results.plan.runs)) if state else "",
        "compared": facts.compared(results),
        "measured": facts.measured(results),
        # where the directory was, for whom this page alone has reached
        "place": os.path.abspath(results.directory) + (host and " on " + host),
        # of a search its answer: all other figures are of the many rates that it tried
        "table": columns(OF_SEARCHES if searched else (*OF_SEARCHES, *COLUMNS), shown, shown),
        "note": spread_note(shown),
        # in the order of the axis: a search takes its levels as they come
        "cells": sorted(shown, key=lambda s: labels.x_of(results.exp, s.cell) or 0),
        "arms": labels.arm_names(shown),
        "stages": columns(OF_STAGES, [s for s, _ in cells], [t for _, ts in cells for t in ts]),
        "stage_cells": [(s, stages) for s, stages in cells if stages],
        "searches": of_searches(results),
        "ranks": of_ranks(results),
        "sheets": results.sheets(),
        "runs": runs(results),
        "trouble": trouble(results),
        "remarked": sum(bool(row.get("why")) for row in results.rows),
        "plan": [(k, v) for k, v in rows if v],
        "common": sorted(set.intersection(*every)) if every else [],
        "commands": len(lines),
        "left_out": max(0, len(lines) - MOST_LINES),
        "lines": [mask.text(t).split("\t", 3) for t in lines[:MOST_LINES] if t.count("\t") >= 3],
        "source": mask.toml(content(os.path.join(results.directory, "experiment.toml"))),
        "flames": flames(results),
        "files": [f for f in FILES if os.path.isfile(os.path.join(results.directory, f[0]))],
    }


# ---- tables ----------------------------------------------------------------------


def columns(wanted: Columns, cells: Cells, rows: Sequence[Any]) -> dict[str, Any]:
    """Names and heads of the figures that some row has, with the upper line of heads: the first and
    the last column have none."""
    found = [c for c in wanted if any(c.figure in row.figures for row in rows)]
    server = labels.server_name(s.cell.settings for s in cells)
    above = itertools.groupby(c.over.replace("SERVER", server) for c in found)
    spans = [(name, len(list(same))) for name, same in above]
    groups = [part for name, n in spans for part in ([(name, n)] if name else [("", 1)] * n)]
    return {
        "names": [c.figure for c in found],
        "heads": [(c.head, unit_of(c.figure)) for c in found],
        "groups": [("", 1), *groups, ("", 1)],
    }


def figure(name: str, of: Mapping[str, Spread]) -> tuple[str, str]:
    """The median, and the range of the runs."""
    spread = of.get(name)
    if spread is None:
        return "n/a", ""
    low, high = grouped(name, spread.min), grouped(name, spread.max)
    middle = grouped(name, spread.median) + figures.mark(name, of)
    return middle, "%s–%s" % (low, high) if spread.n > 1 and low != high else ""


def grouped(name: str, value: Any) -> str:
    """With the decimals of the figure, and commas from a thousand on."""
    if value is None or value == "":
        return "n/a"
    return "{:,.{}f}".format(value, figures.column(name).decimals)


def spread_note(shown: Cells) -> str:
    notes = ["Median of the runs that count; below it, their range."]
    if max((s.counted for s in shown), default=0) < 2:
        notes = ["Single run per row: spread unknown."]
    elif not all(map(adds_up, shown)):
        notes.append("Each column has its own median: user and system need not add up to all.")
    if any(figures.mark(name, s.figures) for s in shown for name in s.figures):
        notes.append(figures.FEW.replace("*", "*:", 1) + ".")
    return " ".join(notes)


# ---- the runs ------------------------------------------------------------------


def runs(results: Results) -> dict[str, Any]:
    """All of them by cell, an arm below the other."""
    wanted = (OF_SEARCHES[0], *(c for c in COLUMNS if c.of_runs))
    shown = [c for c in wanted if any(r.get(c.figure) is not None for r in results.rows)]
    if all(map(found_rate.searched, (s for s in results.summaries if s.runs))):
        shown = list(OF_SEARCHES)
    names = [c.figure for c in shown]
    counted = {int(r["run"]) for s in results.summaries for r in results.counting(s)}
    arms: dict[str, list[dict[str, Any]]] = {}
    for s in labels.in_order(results.exp, results.summaries):
        rows = [r for r in results.rows if r["cell"] == s.cell.number]
        lucky = lucky_runs(rows, results.exp.measure.exclude_disturbed)
        for i, row in enumerate(rows):
            arms.setdefault(s.arm, []).append({
                "cell": s.cell.levels.get(results.exp.x, ""),
                "first": i == 0,
                "number": row["run"],
                "round": row["round"],
                "figures": [grouped(n, row.get(n)) + figures.mark(n, row) for n in names],
                "counted": row["run"] in counted,
                "flags": flags(row, row["run"] in lucky),
            })  # fmt: skip
    return {"heads": [(c.figure, c.of_runs) for c in shown], "arms": list(arms.items())}


def lucky_runs(rows: Sequence[Row], excluded: str = "latency") -> set[int]:
    """Numbers of the runs of a cell that did what a repeat would hardly do again."""
    eligible = stats.eligible(rows, excluded)
    judged = [r for r in eligible if r.get("sustained") in ("yes", "no")]
    free = [r for r in eligible if not r.get("target_tps") and stats.number(r.get("tps"))]
    held = [float(r["sustained"] == "yes") for r in judged]
    found = [judged[i] for i in stats.lucky(held, 1)]
    found += [free[i] for i in stats.lucky([float(r["tps"]) for r in free])]
    return {int(r["run"]) for r in found}


def answers_of(results: Results) -> list[str]:
    """The first sentence; of several factors or arms, the first of each."""
    names = [c.name for c in contrasts.contrasts(results.exp, results.summaries)]
    first, more = results.sentences[:1], results.sentences[1 : contrasts.MOST]
    return first + [*itertools.takewhile(lambda text: text.startswith(tuple(names)), more)]


def flags(row: Row, lucky: bool) -> str:
    """What to know of a run, in a word each; trouble() has the reasons."""
    found = ["failed"] * (row.get("status") != "done")
    found += ["not held"] * (row.get("sustained") == "no")
    found += ["disturbed"] * bool(row.get("disturbed"))
    found += ["lucky"] * lucky
    found += [stats.beside(row)] * bool(stats.beside(row))
    return ", ".join(found)


def trouble(results: Results) -> list[tuple[str, str]]:
    """What went wrong or was made again, and in which runs: each text once."""

    def told(row: Row) -> str:
        tries = int(row.get("tries") or 1)
        again = " Measured %d times; the last one is shown." % tries if tries > 1 else ""
        return (about(row) + again).strip()

    found = by(results.rows, told).items()
    return [("; ".join(run_name(results, r) for r in rows), text) for text, rows in found if text]


def run_name(results: Results, row: Row) -> str:
    return "Run %s, %s" % (row["run"], labels.cell_text(results.cell_of(row)))


# ---- load hosts, stages and searches --------------------------------------------


MOST_ROWS = 400
OF_STAGES = (
    Column("target_tps", "planned", "Rate"),
    Column("tps", "achieved", "Rate"),
    Column("offered", "offered", "Transactions"),
    Column("done", "done", "Transactions"),
    Column("late", "late", "Transactions"),
    Column("response_p50_ms", "p50", "Response time"),
    Column("response_p95_ms", "p95", "Response time"),
    Column("response_p99_ms", "p99", "Response time"),
    Column("lag_p99_ms", "p99", "Lag"),
    Column("server_cpu_pct", "all", "SERVER CPU"),
)


def of_ranks(results: Results) -> dict[str, Any]:
    found = [c for c in rank_rows.cells(results) if c.summary.runs][:MOST_ROWS]
    ranks = [r for cell in found for r in cell.ranks]
    names = [n for n in rank_rows.HEADS if any(r.figures[n] is not None for r in ranks)]
    heads = [rank_rows.OF_RANKS[n][:2] for n in names]
    return {
        "names": names,
        "heads": [(labels.capital(name), unit.replace("us", "µs")) for name, unit in heads],
        "cells": found,
    }


def of_searches(results: Results) -> list[dict[str, Any]]:
    found = ((r, found_rate.find_of_run(results.report(r) or {})) for r in results.rows[:MOST_ROWS])
    return [search_row(results, row, search) for row, search in found if search]


def search_row(results: Results, row: Row, found: Tree) -> dict[str, Any]:
    held, end = found["held_per_s"], found_rate.ENDS.get(found["result"])
    return {
        **found,
        "number": row["run"],
        "cell": labels.cell_text(results.cell_of(row)),
        "held": "none" if held is None else grouped(found_rate.HELD, held),
        "confirmed": "" if held is None else counted(found["confirmed"], "time"),
        "missed": grouped(found_rate.MISSED, found["not_held_per_s"]),
        "steps": len(found["steps"]),
        "end": labels.capital(end) + "." if end else "",
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


ORDERS = {
    "blocks": "what is compared side by side, in random order in each round",
    "abba": "forth and back: each round reverses the order of the one before",
    "shuffle": "shuffled anew for each round",
    "written": "as written, the same in each round",
}
RESTARTS = {
    "run": "before each run",
    "round": "before each round, and when its settings change",
    "change": "when its settings change",
    "cell": "before each run of another cell",
    "never": "never",
}


def plain(factor: Factor) -> bool:
    """Whether its levels change nothing but the setting of its name."""
    return all(list(level.changes) == [factor.name] for level in factor.levels)


def value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def flames(results: Results) -> list[tuple[str, str, str]]:
    """Flame graphs and their differences, which runs left in their directories as SVG: run, what it
    shows, path.

    Differences come first, and of these the ones with the widths of the slower run.
    """
    found = []
    for row in results.rows:
        directory = os.path.join(results.directory, results.run_path(row))
        slow = row.get("response_mean_ms") or 0
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            if name.endswith(".svg"):
                words, path = flame_words(name), "%s/%s" % (results.run_path(row), name)
                found.append((slow * ("minus" in words), run_name(results, row), words, path))
    return [f[1:] for f in sorted(found, key=lambda f: f[0], reverse=True)]


def flame_words(name: str) -> str:
    """What a file of sysbench-flame shows."""
    kind = name.rsplit(".", 2)[-2] if name.count(".") > 1 else ""
    words = {"cpu": "where CPU time goes", "offcpu": "where threads wait"}.get(kind, name)
    other = re.match(r"minus-0*(\d+)\.", name)
    return "%s, minus that of run %s" % (words, other[1]) if other else words
