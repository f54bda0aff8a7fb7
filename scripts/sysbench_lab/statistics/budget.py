# SPDX-License-Identifier: GPL-2.0-or-later
"""What the time of a transaction went to: lag and the parts of its service time, cell by cell.

    of_results(results, summaries)    of each cell what its runs say, or why they do not
    sheet_of, sentences               the same as a table, and what clearly differs in words

In each run the parts add up to the mean response time.  A part that is nowhere LEAST of it is among
the other waits, as in sysbench's own report.
"""

from __future__ import annotations

import re
import statistics
from typing import Any, Mapping, NamedTuple, Sequence

from ..plan import contrasts, found_rate, labels
from ..plan.model import Cells, CellSummary, Effect, Experiment, Row, by
from ..results import figures
from ..results.sheets import Table
from . import answer, stats

# Of the row; here all is in us.
ALL, LAG, CPU = "response_mean_ms", "lag_mean_ms", "on_cpu_us_per_tx"
LEAST, UNKNOWN, OTHER = 0.01, "no reason is known", "other_wait_us_per_tx"


class Budget(NamedTuple):
    summary: CellSummary
    runs: Sequence[Mapping[str, float]]  # us of all and of each part, of the runs that have them
    why: str  # others that count have not; "": all have

    def values(self, name: str) -> list[float]:
        return [run[name] for run in self.runs if name in run]


def of_results(results: Any, summaries: Cells) -> list[Budget]:
    """In the order of the table; empty if no run has them, and none says why."""
    cells = [s for s in labels.in_order(results.exp, summaries) if s.counted]
    found = [of_cell(results, s) for s in cells if not found_rate.searched(s)]
    runs = [run for b in found for run in b.runs]
    large = {n for run in runs for n in run if run[n] >= LEAST * run[ALL]} | {CPU, OTHER}
    told = runs or any(b.why and not b.why.startswith(("not asked for", UNKNOWN)) for b in found)
    return [b._replace(runs=[joined(r, large) for r in b.runs]) for b in found] if told else []


def of_cell(results: Any, s: CellSummary) -> Budget:
    rows, why = results.counting(s), ""
    for row in [row for row in rows if not of_run(row)][:1]:  # one is enough: it is a file to read
        missing = figures.get(results.report(row), "summary", "missing") or {}
        why = next((str(missing[n]) for n in figures.read_from(CPU) if n in missing), UNKNOWN)
    return Budget(s, list(filter(None, map(of_run, rows))), why)


def of_run(row: Row) -> dict[str, float]:
    """Without the waits for a CPU where these are not known, and without a rate, no lag."""
    known = [n for n in (ALL, LAG, *figures.OF_SERVICE) if stats.number(row.get(n))]
    found = {n: row[n] * (1000 if n.endswith("_ms") else 1) for n in known}
    return found if CPU in found and found.get(ALL) else {}


def joined(run: Mapping[str, float], large: set[str]) -> dict[str, float]:
    small = sum(value for n, value in run.items() if n not in large)
    return {n: v + small * (n == OTHER) for n, v in run.items() if n in large}


def parts_of(found: Sequence[Budget]) -> list[str]:
    """Those that some run has, in their order."""
    every = {n for b in found for run in b.runs for n, value in run.items() if value}
    return [n for n in (LAG, *figures.OF_SERVICE) if n in every]


def word(name: str) -> str:
    return re.sub("/tx$|, mean$", "", figures.column(name).title)


# ---- as a table, in words ----------------------------------------------------------


def sheet_of(found: Sequence[Budget]) -> Table:
    columns, rows = [ALL, *parts_of(found)], list[list[str]]()
    for b in found:
        medians = (statistics.median(v) if (v := b.values(n)) else None for n in columns)
        shown = ["n/a" if v is None else labels.grouped(v) for v in medians]
        rows.append([labels.cell_text(b.summary.cell), *shown])
    counts = [f.min for b in found if (f := b.summary.figures.get("wait_samples"))]
    of = ", of %d or more samples a run" % min(counts) if counts else ""
    note = " ".join(["Estimates%s; medians need not add up." % of, *lacking(found)])
    head = ["us per transaction", *map(word, columns)]
    return Table("Mean time of a transaction", head, rows, note=note)


def lacking(found: Sequence[Budget]) -> list[str]:
    """Why cells, or some of their runs, have none; a sentence a reason."""
    some, said = [b for b in found if b.why], []
    for (why, runs), mine in by(some, lambda b: (b.why, bool(b.runs))).items():
        who = labels.joined([labels.cell_text(b.summary.cell) for b in mine if mine != found])
        said.append("%s: n/a%s: %s." % (who or "all cells", ", in some runs" * runs, why))
    return said


def change(found: Effect) -> str:
    """No samples are few, and no reason for an interval from -100 to -100 %."""
    return answer.change(found, "us") if found.other else labels.grouped(found.base) + " -> 0 us"


def sentences(exp: Experiment, found: Sequence[Budget]) -> list[str]:
    """Where the mean response time clearly differs: the parts that clearly do in the same
    direction, all judged together; nothing else."""
    cells = {b.summary.cell.number: b for b in found}
    both = filter(answer.fair, contrasts.pairs(exp, [b.summary for b in found]))
    pairs, sides, said = [[cells[s.cell.number] for s in pair] for pair in both], [], []
    for base, other in pairs:
        values = {n: (base.values(n), other.values(n)) for n in (ALL, *parts_of((base, other)))}
        sides.append({n: v for n, v in values.items() if min(map(len, v)) >= stats.LEAST})
    judged = stats.compared(sides, exp.measure.seed, answer.most_of(exp))
    for (base, other), known in zip(pairs, judged):
        clear = {n: one.effect for n, one in known.items() if one.clear}
        more = clear[ALL].ratio > 1 if ALL in clear else None
        parts = [n for n in clear if n != ALL and (clear[n].ratio > 1) == more]
        parts.sort(key=lambda n: -abs(clear[n].other - clear[n].base))
        if parts:
            texts = [word(n).lower() + " " + change(clear[n]) for n in (ALL, *parts)]
            who = labels.pair_text(base.summary.cell, other.summary.cell, exp.x)
            where = who + answer.point(exp, base.summary), "; ".join(texts[:4])
            said.append("Mean time of a transaction, %s: %s" % where)
    return said
