# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab compare: results side by side, whatever program they are of.

    readers/       each path becomes a source: cells with their runs
    match()        cells of the same levels stand side by side; the first source is the base
    stats.py       medians, changes and their intervals, as in a lab
    fail_if.py     conditions for the exit status
    sheets.py      the tables as text, Markdown or HTML

Figures are compared by name only.  One that a source lacks is n/a there; notes say what a source's
figures are worth, and each cell's flag what is wrong with its runs.

Exit status: 0; 3 if a condition of --fail-if certainly holds; 4 if one may hold by chance.
"""

import collections
import os
from typing import Mapping, NamedTuple, Sequence

from .. import LabError, readers
from ..plan.model import Cell, CellSummary, Tree
from ..readers import Source, SourceCell
from ..results import figures, sheets
from ..statistics import answer, environment, stats
from . import fail_if

STYLES = ("text", "markdown", "html")
FAILED, UNCERTAIN = 3, 4

# With several cells, only these; of one cell, every figure that two sources have.
MAIN = (
    "tps", "response_mean_ms", "response_p50_ms", "response_p95_ms", "response_p99_ms",
    "response_max_ms", "server_usr_pct", "server_sys_pct", "server_cpu_us_per_tx",
    "server_switches_per_tx", "ipc", "errors",
)  # fmt: skip
BRIEF = {
    "tps": "throughput", "response_p50_ms": "p50", "response_p95_ms": "p95",
    "response_p99_ms": "p99", "server_cpu_us_per_tx": "server CPU/tx",
}  # fmt: skip


class Match(NamedTuple):
    """The same cell of every source; None where one lacks it."""

    title: str
    cells: tuple[CellSummary | None, ...]


def compare(paths: Sequence[str], fail_if_texts: Sequence[str], style: str = "text") -> int:
    """Print the comparison; the exit status."""
    if style not in STYLES:
        raise LabError("--style: '%s' is none of %s" % (style, ", ".join(STYLES)))
    if len(paths) < 2:
        raise LabError("compare: give two results or more")
    rules = [fail_if.parse(text) for text in fail_if_texts]
    sources = named([readers.read(path) for path in paths], paths)
    matches = match(sources)
    verdicts = judge(rules, sources, matches)
    print(sheets.render(sheets_of(sources, matches, verdicts), style), end="")
    held = [v for v in verdicts if v.holds]
    return FAILED if any(v.certain for v in held) else UNCERTAIN if held else 0


def named(sources: list[Source], paths: Sequence[str]) -> list[Source]:
    """Sources of the same name are called by their paths; the same path twice, by its number."""
    names = [s.name for s in sources]
    for i, source in enumerate(sources):
        if names.count(names[i]) > 1:
            path = os.path.normpath(paths[i])
            again = [os.path.normpath(p) for p in paths].count(path) > 1
            source.name = "%s (%d)" % (path, i + 1) if again else path
    return sources


def judge(
    rules: Sequence[fail_if.Rule], sources: Sequence[Source], matches: Sequence[Match]
) -> list[fail_if.Verdict]:
    cases = []
    for rule in rules:
        for found in matches:
            base, *others = found.cells
            where = " at " + found.title if found.title else ""
            for source, other in zip(sources[1:], others):
                if base is not None and other is not None:
                    names = (sources[0].name + where, source.name + where)
                    cases.append(fail_if.Case(rule, base, other, names))
    return fail_if.judge(cases, sources[0].seed)


# ---- which cells stand side by side --------------------------------------------


def match(sources: Sequence[Source]) -> list[Match]:
    """By the levels that all sources have; single cells, whatever their levels are."""
    if all(len(s.cells) == 1 for s in sources):
        return [Match("", tuple(summary(s, s.cells[0]) for s in sources))]
    shared = [
        key
        for key in sources[0].cells[0].labels
        if all(key in cell.labels for s in sources for cell in s.cells)
    ]
    tables: list[dict[tuple[str, ...], SourceCell]] = []
    for source in sources:
        found: dict[tuple[str, ...], SourceCell] = {}
        for cell in source.cells:
            key = tuple(cell.labels[k] for k in shared)
            if key in found:
                differ = [k for k in cell.labels if cell.labels[k] != found[key].labels.get(k)]
                text = "%s has several cells that differ in %s, which another source does not name"
                raise LabError(text % (source.name, ", ".join(differ) or "nothing"))
            found[key] = cell
        tables.append(found)
    keys = [key for key in tables[0] if any(key in t for t in tables[1:])]
    if not keys:
        raise LabError("no cell of %s is in %s" % (sources[0].name, sources[1].name))
    return [
        Match(
            ", ".join("%s=%s" % pair for pair in zip(shared, key)),
            tuple(summary(s, t[key]) if key in t else None for s, t in zip(sources, tables)),
        )
        for key in keys
    ]


def left_out(sources: Sequence[Source], matches: Sequence[Match]) -> list[str]:
    notes = []
    for i, source in enumerate(sources):
        n = len(source.cells) - sum(m.cells[i] is not None for m in matches)
        if n:
            what = source.name, n, len(source.cells)
            notes.append("%s: %d of its %d cells are in no other source" % what)
    return notes


def load_table(sources: Sequence[Source]) -> list[sheets.Table]:
    """In what the loads differ: unlike loads explain unlike figures.  Reports of other programs say
    the levels of their cells at the most."""
    loads = [s.load or levels_of(s) for s in sources]
    rows = []
    for name in dict.fromkeys(name for load in loads for name in load):
        values = [", ".join(load[name]) if name in load else "n/a" for load in loads]
        if len(set(values) - {"n/a"}) > 1:
            rows.append([name, *values])
    head = ["setting", *(s.name for s in sources)]
    return [sheets.Table("The loads differ", head, rows, left=len(head))] if rows else []


def levels_of(source: Source) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cell in source.cells:
        for name, value in cell.labels.items():
            values = found.setdefault(name.removeprefix("load."), [])
            values += [value] * (value not in values)
    return found


def summary(source: Source, cell: SourceCell) -> CellSummary:
    """As stats.summarise() makes one of a lab's cell."""
    return stats.summary_of(Cell(0, dict(cell.labels), {}), source.name, cell.rows, source.seed)


# ---- the tables ----------------------------------------------------------------


def sheets_of(
    sources: Sequence[Source], matches: Sequence[Match], verdicts: Sequence[fail_if.Verdict]
) -> sheets.Document:
    tables = [about(sources), *load_table(sources)]
    if len(matches) > 1:
        tables.append(changes_table(sources, matches))
    tables += [figures_table(sources, m, brief=len(matches) > 1) for m in matches]
    tables += environment_table(sources)
    notes = [n for s in sources for n in s.notes] + left_out(sources, matches)
    notes += flags(sources, matches)
    title = "%s compared with %s" % (", ".join(s.name for s in sources[1:]), sources[0].name)
    return sheets.Document(title, tables, notes, [v.sentence for v in verdicts])


def about(sources: Sequence[Source]) -> sheets.Table:
    rows = []
    for s in sources:
        counts = [len(c.rows) for c in s.cells]
        runs = answer.span(min(counts), max(counts))
        rows.append([s.name, s.kind, "%d" % len(s.cells), runs])
    return sheets.Table("Sources", ["source", "what it is", "cells", "runs a cell"], rows, left=2)


def changes_table(sources: Sequence[Source], matches: Sequence[Match]) -> sheets.Table:
    """All cells at a glance: a line a cell and source, the changes of a few figures."""
    names = [n for n in BRIEF if any(c and n in c.figures for m in matches for c in m.cells[1:])]
    rows = []
    for found in matches:
        base, *others = found.cells
        for source, other in zip(sources[1:], others):
            changes = [change_of(base, other, n, sources[0].seed) for n in names]
            rows.append([found.title, source.name, *changes])
    head = ["cell", "source", *(BRIEF[n] for n in names)]
    title = "Changes from %s" % sources[0].name
    return sheets.Table(title, head, rows, left=2)


def figures_table(sources: Sequence[Source], found: Match, brief: bool) -> sheets.Table:
    """A line a figure; of every source but the first also the change."""
    head = ["figure", sources[0].name]
    for s in sources[1:]:
        head += [s.name, "change"]
    rows = []
    for name in figures_of(found.cells, brief):
        base = found.cells[0]
        line = [figures.titled(name), value_of(base, name)]
        for other in found.cells[1:]:
            line += [value_of(other, name), change_of(base, other, name, sources[0].seed)]
        rows.append(line)
    return sheets.Table(found.title or "Figures", head, rows)


def figures_of(cells: Sequence[CellSummary | None], brief: bool) -> list[str]:
    """What two sources have; throughput and latencies even if only one has them."""
    counts = collections.Counter(name for cell in cells if cell for name in cell.figures)
    wanted = [n for n in counts if counts[n] > 1 or n == "tps" or n.startswith("response_")]
    if brief:
        wanted = [n for n in wanted if n in MAIN or n not in figures.COLUMNS]
    return figures.ordered(wanted)


def value_of(cell: CellSummary | None, name: str) -> str:
    found = cell.figures.get(name) if cell else None
    return figures.shown(name, found.median if found else None)


def change_of(base: CellSummary | None, other: CellSummary | None, name: str, seed: int) -> str:
    if base is None or other is None or name not in base.figures or name not in other.figures:
        return "n/a"
    values, others = base.figures[name].values, other.figures[name].values
    return answer.per_cent(stats.effect(values, others, name, seed))


def flags(sources: Sequence[Source], matches: Sequence[Match]) -> list[str]:
    return [
        "%s%s: %s" % (s.name, " at " + m.title if m.title else "", cell.flag)
        for m in matches
        for s, cell in zip(sources, m.cells)
        if cell is not None and cell.flag
    ]


def environment_table(sources: Sequence[Source]) -> list[sheets.Table]:
    """One for each arm that all sources name; else one with every environment that is known."""
    arms = [arm for arm in sources[0].environments if all(arm in s.environments for s in sources)]
    tables = []
    for arm in arms:
        known = {s.name: s.environments[arm] for s in sources}
        title = "Environment" + (", " + arm if arm else "")
        tables += difference_table(title, known)
    if not arms:
        several = {
            ", ".join(n for n in (s.name, arm) if n): found
            for s in sources
            for arm, found in s.environments.items()
        }
        tables = difference_table("Environment", several)
    return tables


def difference_table(title: str, known: Mapping[str, Tree]) -> list[sheets.Table]:
    found = environment.differences(known)
    if not found:
        return []
    names = list(found[0].values)
    rows = [[d.key, *(d.values[n] for n in names)] for d in found]
    return [sheets.Table(title + ": what differs", ["key", *names], rows, left=len(names) + 1)]
