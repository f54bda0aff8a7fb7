# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab compare: results side by side, whatever program they are of.

    readers/       each path becomes a source: cells with their runs
    match()        cells of the same levels stand side by side; the first source is the base
    stats.py       medians, changes and their intervals, as in a lab
    conditions.py  --fail-if
    gate.py        prints it, writes the files for continuous integration, gives the exit status

Figures are compared by name only.  One that a source lacks is n/a there; notes say what a source's
figures are worth, and each cell's flag what is wrong with its runs.
"""

from __future__ import annotations

import collections
import dataclasses
import os
from typing import Mapping, NamedTuple, Sequence

from .. import LabError, readers
from ..plan import labels
from ..plan.model import Cell, CellSummary, Tree, by
from ..readers import Source, SourceCell
from ..results import figures, sheets
from ..statistics import answer, environment, stats
from . import conditions, gate
from .conditions import Case, Rule, differ_in_length

OPEN_AND_CLOSED = (
    "%s ran at a rate (open loop), %s without one (closed loop): only with a rate is the wait for a"
    " free client in the response time"
)

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


def compare(
    paths: Sequence[str],
    fail_if: Sequence[str] = (),
    style: str = "text",
    against: Sequence[str] = (),
    control: Sequence[str] = (),
    files: gate.Files = gate.NONE,
) -> int:
    """Print the comparison; the exit status."""
    if style not in sheets.STYLES:
        raise LabError("--style: '%s' is none of %s" % (style, ", ".join(sheets.STYLES)))
    rules = [conditions.parse(text) for text in fail_if]
    sides = [list(against), list(paths)] if against else [[path] for path in readers.runs(paths)]
    if len(sides) == 1:
        alone = "give a result to compare with"
        if len(paths) > 1:
            raise LabError("compare: these are the logs of one run's threads; " + alone)
        for rule in rules:
            if rule.change:
                raise LabError("--fail-if '%s': it is a change: %s" % (rule.text, alone))
        if control:
            raise LabError("--control=%s: it is for changes: %s" % (control[0], alone))
        if not rules and files == gate.NONE:
            raise LabError("compare: give two results or more, or a condition: --fail-if")
    sides += [list(control)] * bool(control)
    sources = list(map(side, sides))
    runs = iter(figures.unwatched([r for s in sources for c in s.cells for r in c.rows]))
    for source in sources:
        cells = [(c.labels, [next(runs) for _ in c.rows]) for c in source.cells]
        source.cells = [SourceCell(*cell) for cell in cells]
    # Sources of the same name are called by their paths; the same path twice, by its number.
    names, plain = [s.name for s in sources], [os.path.normpath(of[0]) for of in sides]
    for i, source in enumerate(sources):
        if names.count(names[i]) > 1:
            again = plain.count(plain[i]) > 1
            source.name = "%s (%d)" % (plain[i], i + 1) if again else plain[i]
    matches = match(sources, every=bool(control))
    verdicts = judge(rules, sources, matches, bool(control))
    if against and rules:  # two sides of one test: a cell that one lacks has not passed
        name = "--fail-if '%s': " % rules[0].text
        lacks = unmatched(sources, matches)
        verdicts += [sheets.Verdict(s, sheets.UNKNOWN, name + text) for s, text in lacks]
    document = sheets_of(sources, matches, verdicts, bool(control))
    last = len(sources) - bool(control)
    first = min(1, last - 1)
    rows = [
        history_row(source, m.title, cell)
        for m in matches
        for source, cell in zip(sources[first:last], m.cells[first:])
        if cell is not None
    ]
    return gate.deliver(document, files, rows, sheets.render(document, style))


def history_row(source: Source, title: str, cell: CellSummary) -> gate.Row:
    test = ", ".join(filter(None, [*source.load.get("script", [source.name])[:1], title]))
    runs = (r for c in source.cells if c.labels == cell.cell.levels for r in c.rows)
    return gate.Row(test, gate.started(runs), cell)


def judge(
    rules: Sequence[Rule], sources: Sequence[Source], matches: Sequence[Match], control: bool
) -> list[sheets.Verdict]:
    """Whether each condition holds, of each cell that two sources have; with one, of its own."""
    cases, last = [], len(sources) - control
    for rule in rules:
        for found in matches:
            where, base = " at " + found.title if found.title else "", found.cells[0]
            both, against = list(zip(sources, found.cells)), found.cells[-1] if control else None
            for source, other in both[1:last] or both:
                if base is not None and other is not None:
                    names = (sources[0].name + where, source.name + where)
                    three = [sources[0], source, *sources[last:]]
                    cases.append(Case(rule, base, other, names, against, three))
    return conditions.judged(cases, sources[0].seed)


def side(paths: Sequence[str]) -> Source:
    """The results at these paths as one: cells of the same levels are repeats."""
    found = [readers.read(path) for path in readers.runs(paths)]
    if len(found) == 1:
        return found[0]
    cells = by((c for s in found for c in s.cells), lambda cell: tuple(sorted(cell.labels.items())))
    merged = [SourceCell(of[0].labels, [r for c in of for r in c.rows]) for of in cells.values()]
    names = [s.name for s in found]
    start = os.path.commonprefix(names)
    end = os.path.commonprefix([n[: len(start) - 1 : -1] for n in names])[::-1] if start else ""
    name = "%s*%s" % (start, end) if start and len(set(names)) > 1 else "%s..." % names[0]
    load: dict[str, list[str]] = {}
    for option, values in ((k, v) for s in found for k, v in s.load.items()):
        known = load.setdefault(option, [])
        known += [v for v in values if v not in known]
    notes = list(dict.fromkeys(note for s in found for note in s.notes))
    if differ := [k for k, v in load.items() if len(v) > 1 and "load." + k not in merged[0].labels]:
        notes.append("the runs of %s differ in %s: they are no repeats" % (name, ", ".join(differ)))
    kinds = ", ".join(dict.fromkeys(s.kind for s in found))
    first, cut = found[0], next((s.cut for s in found if s.cut), "")
    missing = {k: v for s in found for k, v in s.missing.items()}
    return Source(name, kinds, merged, first.environments, load, notes, first.seed, missing, cut)


# ---- which cells stand side by side --------------------------------------------


def match(sources: Sequence[Source], every: bool = False) -> list[Match]:
    """By the levels that all sources have; single cells, whatever their levels are.  `every`: of
    disturbed runs, too."""
    if all(len(s.cells) == 1 for s in sources):
        return [Match("", tuple(summary(s, s.cells[0], every) for s in sources))]
    cells = [cell for s in sources for cell in s.cells]
    shared = [k for k in sources[0].cells[0].labels if all(k in c.labels for c in cells)]
    tables = [by(s.cells, lambda cell: tuple(cell.labels[k] for k in shared)) for s in sources]
    for source, table in zip(sources, tables):
        for same, *others in table.values():
            for cell in others:
                differ = [k for k in cell.labels if cell.labels[k] != same.labels.get(k)]
                text = "%s has several cells that differ in %s, which another source does not name"
                raise LabError(text % (source.name, ", ".join(differ) or "nothing"))
    keys = [key for key in tables[0] if not tables[1:] or any(key in t for t in tables[1:])]
    if not keys:
        raise LabError("no cell of %s is in %s" % (sources[0].name, sources[1].name))
    titles = [", ".join(map(labels.level_text, shared, key)) for key in keys]
    both = [[(s, t.get(key)) for s, t in zip(sources, tables)] for key in keys]
    rows = [tuple(summary(s, found[0], every) if found else None for s, found in of) for of in both]
    return list(map(Match, titles, rows))


def load_table(sources: Sequence[Source]) -> list[sheets.Table]:
    """In what the loads differ: unlike loads explain unlike figures.  Reports of other programs say
    the levels of their cells at the most."""
    loads: list[Mapping[str, Sequence[str]]] = []
    for source in sources:
        pairs = [pair for cell in source.cells for pair in cell.labels.items()]
        levels = by(dict.fromkeys(pairs), lambda pair: pair[0].removeprefix("load."))
        loads.append(source.load or {k: [v for _, v in of] for k, of in levels.items()})
    rows = []
    for name in dict.fromkeys(name for load in loads for name in load):
        values = [", ".join(load[name]) if name in load else "n/a" for load in loads]
        if len(set(values) - {"n/a"}) > 1:
            rows.append([name, *values])
    head = ["setting", *(s.name for s in sources)]
    return [sheets.Table("The loads differ", head, rows, left=len(head))] if rows else []


def unmatched(sources: Sequence[Source], matches: Sequence[Match]) -> list[tuple[str, str]]:
    """Sources with cells that stand alone, and a sentence of each."""
    text = "%s: %d of its %d cells are in no other source"
    columns = zip(sources, zip(*(m.cells for m in matches)))
    alone = [(s, len(s.cells) - sum(c is not None for c in cells)) for s, cells in columns]
    return [(s.name, text % (s.name, n, len(s.cells))) for s, n in alone if n]


def summary(source: Source, cell: SourceCell, every: bool) -> CellSummary:
    """As stats.summarise() makes one of a lab's cell.  A control ran beside what disturbed the
    others, so with one, disturbed runs count."""
    rows = [{**row, "disturbed": ""} for row in cell.rows] if every else cell.rows
    made = Cell(0, dict(cell.labels), {})
    found = stats.summary_of(made, source.name, rows, source.seed, "all")
    if not every:
        return found
    disturbed = tuple(r["disturbed"] for r in cell.rows if r.get("disturbed"))
    return dataclasses.replace(found, flag=stats.counting(cell.rows)[1], disturbed=disturbed)


# ---- the tables ----------------------------------------------------------------


def sheets_of(
    sources: Sequence[Source],
    matches: Sequence[Match],
    verdicts: Sequence[sheets.Verdict],
    control: bool = False,
) -> sheets.Document:
    names, counts = [s.name for s in sources], [[len(c.rows) for c in s.cells] for s in sources]
    runs = [["%d" % len(n), answer.span(min(n), max(n))] for n in counts]
    rows = [[s.name, s.kind, *of] for s, of in zip(sources, runs)]
    head = ["source", "what it is", "cells", "runs a cell"]
    tables = [sheets.Table("Sources", head, rows, left=2), *load_table(sources)]
    if len(matches) > 1 and len(sources) > 1:
        tables.append(changes_table(sources, matches))
    tables += [figures_table(sources, m, brief=len(matches) > 1) for m in matches]
    tables += environment_table(sources)
    cells = [(s, m.title, c) for m in matches for s, c in zip(sources, m.cells) if c]
    notes = [n for s in sources for n in s.notes]
    notes += [text for _, text in unmatched(sources, matches)]
    notes += ["%s%s: %s" % (s.name, at and " at " + at, c.flag) for s, at, c in cells if c.flag]
    if control and any(c.disturbed for _, _, c in cells):
        notes.append("disturbed runs count: so do those of the control, beside the same")
    few = {s.name for s, _, c in cells if c.counted < stats.LEAST}
    if few and len(sources) > 1:
        text = "fewer than three runs in %s: a difference may be chance"
        notes.append(text % labels.joined([n for n in names if n in few]))
    if any(figures.mark(n, c.figures) for _, _, c in cells for n in c.figures):
        notes.append(figures.FEW)
    uneven = (m.cells for m in matches if any(differ_in_length(m.cells[0], c) for c in m.cells))
    if sides := next(uneven, None):
        times = [(s.name, c.figures["seconds"].median) for s, c in zip(sources, sides)
                 if c and "seconds" in c.figures]  # fmt: skip
        text = "the runs differ in length (%s): rates and latencies compare, totals do not"
        notes.append(text % ", ".join("%s %s s" % (n, labels.short(v)) for n, v in times))
    for m in matches:
        kinds: dict[bool, list[str]] = {True: [], False: []}  # with a rate, without
        for s, c in zip(sources, m.cells):
            if c and "tps" in c.figures:
                kinds["target_tps" in c.figures or "lag_mean_ms" in c.figures].append(s.name)
        if all(kinds.values()):
            notes.append(OPEN_AND_CLOSED % tuple(map(labels.joined, kinds.values())))
            break
    title = " compared with ".join(filter(None, (", ".join(names[1:]), names[0])))
    return sheets.Document(title, tables, notes, verdicts)


def changes_table(sources: Sequence[Source], matches: Sequence[Match]) -> sheets.Table:
    """All cells at a glance: a line a cell and source, the changes of a few figures."""
    names = [n for n in BRIEF if any(c and n in c.figures for m in matches for c in m.cells[1:])]
    rows = []
    for found in matches:
        for source, other in zip(sources[1:], found.cells[1:]):
            changes = [change_of(found.cells[0], other, n, sources[0].seed) for n in names]
            rows.append([found.title, source.name, *changes])
    head = ["cell", "source", *(BRIEF[n] for n in names)]
    title = "Changes from %s" % sources[0].name
    return sheets.Table(title, head, rows, left=2)


def figures_table(sources: Sequence[Source], found: Match, brief: bool) -> sheets.Table:
    """A line a figure that two sources have; throughput and latencies even if only one has them.
    Of every source but the first also the change."""
    counts = collections.Counter(name for cell in found.cells if cell for name in cell.figures)
    least = min(2, len(sources))
    wanted = [n for n in counts if counts[n] >= least or n == "tps" or n.startswith("response_")]
    if brief:
        wanted = [n for n in wanted if n in MAIN or n not in figures.COLUMNS]
    lines = [["figure", *(word for s in sources for word in (s.name, "change"))]]
    for name in figures.ordered(wanted):
        line = [figures.titled(name)]
        for cell in found.cells:
            known = cell.figures.get(name) if cell else None
            change = change_of(found.cells[0], cell, name, sources[0].seed)
            mark = figures.mark(name, cell.figures) if cell and known else ""
            line += [figures.shown(name, known.median if known else None) + mark, change]
        lines.append(line)
    head, *rows = [line[:2] + line[3:] for line in lines]  # the base has no change
    return sheets.Table(found.title or "Figures", head, rows)


def change_of(base: CellSummary | None, other: CellSummary | None, name: str, seed: int) -> str:
    if base is None or other is None or name not in base.figures or name not in other.figures:
        return "n/a"
    if figures.is_total(name) and differ_in_length(base, other):
        return "not compared"
    values, others = base.figures[name].values, other.figures[name].values
    return answer.per_cent(stats.effect(values, others, name, seed))


def environment_table(sources: Sequence[Source]) -> list[sheets.Table]:
    """One for each arm that all sources name; else one with every environment that is known."""
    arms = [arm for arm in sources[0].environments if all(arm in s.environments for s in sources)]
    known: dict[str, Mapping[str, Tree]] = {
        "Environment" + (", " + arm if arm else ""): {s.name: s.environments[arm] for s in sources}
        for arm in arms
    }
    if not arms:
        every = [(s.name, arm, found) for s in sources for arm, found in s.environments.items()]
        several = {", ".join(filter(None, (name, arm))): found for name, arm, found in every}
        known = {"Environment": several}
    tables = []
    for title, environments in known.items():
        if found := environment.differences(environments):
            rows = [[d.key, *d.values.values()] for d in found]
            head = ["key", *found[0].values]
            tables.append(sheets.Table(title + ": what differs", head, rows, left=len(head)))
    return tables
