# SPDX-License-Identifier: GPL-2.0-or-later
"""What each load host did: the ranks of the runs, for ranks.csv, table, pictures and page.

    of_run(results, row)         a row a rank; [] for a run on one host
    cells(results)               by cell: medians a rank over the runs that count, and what is wrong
    text(results), csv(results)  as a table, as a file

sysbench says in its report which rank differs from the others, and why (summary.ranks); here that
is only shown.  Hosts have the names of the experiment, hosts.json; under a launcher, which chooses
them itself, those that they have in the report.
"""

from __future__ import annotations

import os
import statistics
from typing import Any, Mapping, NamedTuple, Sequence

from .. import documents
from ..plan import labels
from ..plan.model import CellSummary, Tree, by
from ..results import results_dir
from ..results.figures import FEW, OF_RANKS, get, mark

Results = Any  # which has this, see results.py
Row = dict[str, Any]


HEADS = {n: " ".join(filter(None, f[:2])) for n, f in OF_RANKS.items() if f.title}
COLUMNS = ("run", "cell", "rank", "host", *OF_RANKS, "differs")


class Rank(NamedTuple):
    """A rank of a cell: medians of the runs that count."""

    rank: int
    host: str
    figures: Mapping[str, float | None]


class OfCell(NamedTuple):
    summary: CellSummary
    ranks: list[Rank]
    notes: list[str]  # which rank differs or was lost, in which run

    def apart(self, rank: Rank) -> bool:
        return any(note.startswith(who(rank.rank, rank.host) + " ") for note in self.notes)


def who(rank: int, host: str) -> str:
    return "rank %d (%s)" % (rank, host)


def hosts_of(directory: str) -> list[dict[str, Any]]:
    """hosts.json; [] without it."""
    path = os.path.join(directory, "hosts.json")
    return list(documents.read(path, "lab-1", "hosts")["hosts"]) if os.path.lexists(path) else []


# ---- from a report ---------------------------------------------------------------


def row_of(told: Tree, names: Sequence[str]) -> Row:
    rank = int(told.get("rank") or 0)
    host = names[rank] if rank < len(names) else str(told.get("host") or "")
    why = told.get("why_lost")
    lost = "was lost after %.1f s: %s" % (told.get("lost_after_s") or 0, why) if why else ""
    differs = "differs: %s" % told["differs"] if told.get("differs") else ""
    figures = {name: f.read(told) for name, f in OF_RANKS.items()}
    return {"rank": rank, "host": host, **figures, "differs": lost or differs}


def of_run(results: Results, row: Row) -> list[Row]:
    """A row a rank; [] for a run on one host."""
    names = [str(h.get("name", "")) for h in hosts_of(results.directory)]
    found = get(results.report(row), "summary", "ranks") or []
    return [{"run": row["run"], "cell": row["cell"], **row_of(r, names)} for r in found]


# ---- over the runs of a cell -------------------------------------------------------


def cells(results: Results) -> list[OfCell]:
    """Those with several ranks, in the order of the table."""
    found = []
    for summary in labels.in_order(results.exp, results.summaries):
        told = [r for row in results.counting(summary) for r in of_run(results, row)]
        ranks = []
        for rank, rows in sorted(by(told, lambda row: row["rank"]).items()):
            known = {name: [r[name] for r in rows if r[name] is not None] for name in OF_RANKS}
            medians = {n: statistics.median(v) if v else None for n, v in known.items()}
            ranks.append(Rank(rank, rows[0]["host"], medians))
        apart = [(who(r["rank"], r["host"]), r["run"], r["differs"]) for r in told if r["differs"]]
        if ranks:
            found.append(OfCell(summary, ranks, ["%s in run %d %s" % note for note in apart]))
    return found


# ---- as text -----------------------------------------------------------------------


def shown(name: str, rank: Rank) -> str:
    """A figure for tables; of the clock also how far it may be off, nothing of the leader's."""
    value = rank.figures.get(name)
    if name == "clock_offset_us" and rank.rank == 0:
        return ""
    if value is None:
        return "n/a"
    text = "{:,.{}f}".format(value, OF_RANKS[name].decimals) + mark(name, rank.figures)
    wide = rank.figures.get("clock_uncertainty_us") if name == "clock_offset_us" else None
    return text + " (within {:,.1f})".format(wide) if wide else text


def text(results: Results) -> str:
    """The load hosts of each cell, below the table of the experiment; "" with one host."""
    found = cells(results)
    names = [n for n in HEADS if any(r.figures[n] is not None for c in found for r in c.ranks)]
    blocks = []
    for c in found:
        rows = [["rank", "host", *(HEADS[n] for n in names)]]
        for r in c.ranks:
            rows.append(["! " * c.apart(r) + str(r.rank), r.host, *(shown(n, r) for n in names)])
        lines = [*labels.aligned(rows, [1]), *("! " + note for note in c.notes)]
        blocks.append("\n  ".join([labels.cell_text(c.summary.cell), *lines]))
    few = any(mark(n, r.figures) for n in names for c in found for r in c.ranks)
    head = ["load hosts, medians of the runs that count"]
    return "\n\n".join([*head, *blocks, *[FEW] * few]) if blocks else ""


def csv(results: Results) -> str:
    """ranks.csv: a line a rank and run, also of runs that do not count; "" with one host."""
    rows = [r for row in results.rows for r in of_run(results, row)]
    lines = [results_dir.csv_line(map(r.get, COLUMNS)) for r in rows]
    return "".join([results_dir.csv_line(COLUMNS), *lines]) if lines else ""
