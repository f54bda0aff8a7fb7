# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab compare: results side by side, whatever program they are of.

    readers/       each path becomes a source: cells with their runs
    match()        cells of the same levels stand side by side; the first source is the base
    stats.py       medians, changes and their intervals, as in a lab
    --fail-if      conditions for the exit status, see below
    sheets.py      the tables as text, Markdown or HTML

Figures are compared by name only.  One that a source lacks is n/a there; notes say what a source's
figures are worth, and each cell's flag what is wrong with its runs.

Exit status: 0; 3 if a condition of --fail-if certainly holds; 4 if one may hold by chance.
"""

from __future__ import annotations

import collections
import os
import re
from typing import Any, Mapping, NamedTuple, Sequence

from .. import LabError, readers, visible
from ..plan import labels, values
from ..plan.model import Cell, CellSummary, Tree, by
from ..readers import Source, SourceCell
from ..results import figures, sheets
from ..statistics import answer, environment, stats

STYLES = ("text", "markdown", "html")
FAILED, UNCERTAIN = 3, 4
UNEVEN = 1.1  # times as long
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


def compare(paths: Sequence[str], fail_if_texts: Sequence[str], style: str = "text") -> int:
    """Print the comparison; the exit status."""
    if style not in STYLES:
        raise LabError("--style: '%s' is none of %s" % (style, ", ".join(STYLES)))
    if len(paths) < 2:
        raise LabError("compare: give two results or more")
    rules, paths = [parse(text) for text in fail_if_texts], readers.runs(paths)
    if len(paths) < 2:
        raise LabError("compare: these are the logs of one run's threads; give another result")
    sources = [readers.read(path) for path in paths]
    # Sources of the same name are called by their paths; the same path twice, by its number.
    names, plain = [s.name for s in sources], [os.path.normpath(path) for path in paths]
    for i, source in enumerate(sources):
        if names.count(names[i]) > 1:
            again = plain.count(plain[i]) > 1
            source.name = "%s (%d)" % (plain[i], i + 1) if again else plain[i]
    matches = match(sources)
    verdicts = judge(rules, sources, matches)
    print(visible(sheets.render(sheets_of(sources, matches, verdicts), style), lines=True), end="")
    held = [v for v in verdicts if v.holds]
    return FAILED if any(v.certain for v in held) else UNCERTAIN if held else 0


def judge(
    rules: Sequence[Rule], sources: Sequence[Source], matches: Sequence[Match]
) -> list[Verdict]:
    """Whether each condition holds, of each cell that two sources have."""
    cases = []
    for rule in rules:
        for found in matches:
            where, base = " at " + found.title if found.title else "", found.cells[0]
            for source, other in zip(sources[1:], found.cells[1:]):
                if base is not None and other is not None:
                    names = (sources[0].name + where, source.name + where)
                    cases.append(Case(rule, base, other, names))
    return judged(cases, sources[0].seed)


def judged(cases: Sequence[Case], seed: int) -> list[Verdict]:
    """Whether each holds, of the name names[1]."""
    chances = stats.chances([changed(case) for case in cases], seed)
    return [verdict(case, seed, chance) for case, chance in zip(cases, chances)]


# ---- which cells stand side by side --------------------------------------------


def match(sources: Sequence[Source]) -> list[Match]:
    """By the levels that all sources have; single cells, whatever their levels are."""
    if all(len(s.cells) == 1 for s in sources):
        return [Match("", tuple(summary(s, s.cells[0]) for s in sources))]
    every = [cell for s in sources for cell in s.cells]
    shared = [k for k in sources[0].cells[0].labels if all(k in c.labels for c in every)]
    tables = []
    for source in sources:
        found: dict[tuple[str, ...], SourceCell] = {}
        for cell in source.cells:
            same = found.setdefault(tuple(cell.labels[k] for k in shared), cell)
            if same is not cell:
                differ = [k for k in cell.labels if cell.labels[k] != same.labels.get(k)]
                text = "%s has several cells that differ in %s, which another source does not name"
                raise LabError(text % (source.name, ", ".join(differ) or "nothing"))
        tables.append(found)
    keys = [key for key in tables[0] if any(key in t for t in tables[1:])]
    if not keys:
        raise LabError("no cell of %s is in %s" % (sources[0].name, sources[1].name))
    titles = [", ".join("%s=%s" % pair for pair in zip(shared, key)) for key in keys]
    both = list(zip(sources, tables))
    rows = [tuple(summary(s, t[key]) if key in t else None for s, t in both) for key in keys]
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


def summary(source: Source, cell: SourceCell) -> CellSummary:
    """As stats.summarise() makes one of a lab's cell."""
    return stats.summary_of(Cell(0, dict(cell.labels), {}), source.name, cell.rows, source.seed)


# ---- the tables ----------------------------------------------------------------


def sheets_of(
    sources: Sequence[Source], matches: Sequence[Match], verdicts: Sequence[Verdict]
) -> sheets.Document:
    names, rows = [s.name for s in sources], []
    for s in sources:
        counts = [len(c.rows) for c in s.cells]
        runs = answer.span(min(counts), max(counts))
        rows.append([s.name, s.kind, "%d" % len(s.cells), runs])
    head = ["source", "what it is", "cells", "runs a cell"]
    tables = [sheets.Table("Sources", head, rows, left=2), *load_table(sources)]
    if len(matches) > 1:
        tables.append(changes_table(sources, matches))
    tables += [figures_table(sources, m, brief=len(matches) > 1) for m in matches]
    tables += environment_table(sources)
    notes = [n for s in sources for n in s.notes]
    both = list(zip(sources, zip(*(m.cells for m in matches))))
    for s, cells in both:
        if n := len(s.cells) - sum(c is not None for c in cells):
            text = "%s: %d of its %d cells are in no other source"
            notes.append(text % (s.name, n, len(s.cells)))
    flags = [(s, m.title, c) for m in matches for s, c in zip(sources, m.cells) if c and c.flag]
    notes += ["%s%s: %s" % (s.name, title and " at " + title, c.flag) for s, title, c in flags]
    if few := [s.name for s, cells in both if any(c and c.counted < stats.LEAST for c in cells)]:
        text = "fewer than three runs in %s: a difference may be chance"
        notes.append(text % labels.joined(few))
    percentiles = [(n, c) for m in matches for c in m.cells if c for n in c.figures]
    if any(figures.mark(n, c.figures) for n, c in percentiles):
        notes.append(figures.FEW)
    if uneven := [
        m.cells for m in matches if any(differ_in_length(m.cells[0], c) for c in m.cells)
    ]:
        sides = [(s.name, c.figures["seconds"].median) for s, c in zip(sources, uneven[0])
                 if c and "seconds" in c.figures]  # fmt: skip
        text = "the runs differ in length (%s): rates and latencies compare, totals do not"
        notes.append(text % ", ".join("%s %s s" % (n, labels.short(v)) for n, v in sides))
    for m in matches:
        kinds: dict[bool, list[str]] = {True: [], False: []}  # with a rate, without
        for s, c in zip(sources, m.cells):
            if c and "tps" in c.figures:
                kinds["target_tps" in c.figures or "lag_mean_ms" in c.figures].append(s.name)
        if all(kinds.values()):
            notes.append(OPEN_AND_CLOSED % tuple(map(labels.joined, kinds.values())))
            break
    title = "%s compared with %s" % (", ".join(names[1:]), names[0])
    return sheets.Document(title, tables, notes, [v.sentence for v in verdicts])


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
    wanted = [n for n in counts if counts[n] > 1 or n == "tps" or n.startswith("response_")]
    if brief:
        wanted = [n for n in wanted if n in MAIN or n not in figures.COLUMNS]
    rows = []
    for name in figures.ordered(wanted):
        line = [figures.titled(name)]
        for cell in found.cells:
            known = cell.figures.get(name) if cell else None
            change = change_of(found.cells[0], cell, name, sources[0].seed)
            mark = figures.mark(name, cell.figures) if cell and known else ""
            line += [figures.shown(name, known.median if known else None) + mark, change]
        rows.append(line[:2] + line[3:])
    head = ["figure", sources[0].name]
    for s in sources[1:]:
        head += [s.name, "change"]
    return sheets.Table(found.title or "Figures", head, rows)


def change_of(base: CellSummary | None, other: CellSummary | None, name: str, seed: int) -> str:
    if base is None or other is None or name not in base.figures or name not in other.figures:
        return "n/a"
    if figures.is_total(name) and differ_in_length(base, other):
        return "not compared"
    values, others = base.figures[name].values, other.figures[name].values
    return answer.per_cent(stats.effect(values, others, name, seed))


def differ_in_length(base: CellSummary | None, other: CellSummary | None) -> bool:
    """Whether runs of one are so much longer that their totals do not compare."""
    times = [c.figures["seconds"].median for c in (base, other) if c and "seconds" in c.figures]
    return len(times) == 2 and max(times) > UNEVEN * min(times)


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
            names = list(found[0].values)
            rows = [[d.key, *(d.values[n] for n in names)] for d in found]
            head = ["key", *names]
            tables.append(sheets.Table(title + ": what differs", head, rows, left=len(head)))
    return tables


# ---- Conditions under which a comparison fails: compare's --fail-if

#     p99>+5%         the 99th percentile rose by more than 5 %
#     tps<-3%         the throughput fell by more than 3 %
#     p99>+2ms        the 99th percentile rose by more than 2 ms
#     p99>20ms        the 99th percentile is above 20 ms, whatever it was
#     errors>0        there are errors
#
# A figure is a column of runs.csv or a short name of SHORT; a sign before the amount makes it a
# change from the first source.  The medians decide.  A change beyond the amount is certain if its
# whole interval is, and if it is clear among all conditions and cells (stats.chances); fewer than
# three runs of a side give no interval.  A figure that is not a change is what it is, unless its
# interval includes the amount.


GRAMMAR = re.compile(
    r"\s*([A-Za-z][\w.]*)\s*([<>])\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*(%|[A-Za-z/]*)\s*"
)
SHORT = {
    "mean": "response_mean_ms",
    "max": "response_max_ms",
    "cpu": "server_cpu_us_per_tx",
    "switches": "server_switches_per_tx",
}
MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}  # for times in milliseconds


Ends = tuple[Any, Any]  # of an interval; None of too few runs


class Rule(NamedTuple):
    text: str
    figure: str
    above: bool
    change: bool  # from the first source; else the figure itself
    per_cent: bool
    amount: float  # in the figure's unit, or per cent, with its sign


class Verdict(NamedTuple):
    holds: bool
    sentence: str
    certain: bool = True  # else chance may have decided


class Case(NamedTuple):
    """A condition on a cell of a source, beside that of the first one."""

    rule: Rule
    base: CellSummary
    other: CellSummary
    names: tuple[str, str]


def parse(text: str) -> Rule:
    found = GRAMMAR.fullmatch(text)
    if not found:
        raise LabError("--fail-if '%s': write FIGURE>+N%% or FIGURE<-N%%, as in p99>+5%%" % text)
    name, way, sign, digits, unit = found.groups()
    figure = figure_of(name, text)
    own = figures.column(figure).unit
    per_cent = unit == "%" and (bool(sign) or own != "%")
    if per_cent and not sign:
        what = text, name, way, "+" if way == ">" else "-", digits
        raise LabError("--fail-if '%s': say whether it is to rise or fall: %s%s%s%s%%" % what)
    scale = 1.0 if per_cent or unit in ("", own) else MS.get(unit, 0) if own == "ms" else 0
    if not scale:
        what4 = text, figure, own or "numbers", unit
        raise LabError("--fail-if '%s': %s is in %s, not in %s" % what4)
    amount = float(digits) * scale * (-1 if sign == "-" else 1)
    return Rule(text, figure, way == ">", bool(sign), per_cent, amount)


def figure_of(name: str, text: str) -> str:
    """p99.9 is response_p99_9_ms."""
    if name in SHORT:
        return SHORT[name]
    if re.fullmatch(r"p\d+([._]\d+)?", name):
        return "response_%s_ms" % values.point(name.replace("_", "."))
    try:
        figures.column(name)
    except KeyError:
        hint = values.near(name, [*figures.COLUMNS, *SHORT, "p50", "p95", "p99"])
        raise LabError("--fail-if '%s': there is no figure '%s'%s" % (text, name, hint)) from None
    return name


def changed(case: Case) -> Mapping[str, stats.Sides]:
    """The values of both sides, as they are if the change is just the amount; none without one."""
    rule, base, other, names = case
    for cell, name in [(other, names[1])] + ([(base, names[0])] if rule.change else []):
        if rule.figure not in cell.figures:
            raise LabError(missing(rule, name, base, other))
    if not rule.change:
        return {}
    values, others = base.figures[rule.figure].values, other.figures[rule.figure].values
    if min(len(values), len(others)) < stats.LEAST:
        return {}
    factor, more = (1 + rule.amount / 100, 0.0) if rule.per_cent else (1.0, rule.amount)
    return {rule.figure: ([v * factor + more for v in values], others)}


def missing(rule: Rule, name: str, base: CellSummary, other: CellSummary) -> str:
    """The figure by the name that was given; for a percentile, one that both sides have."""
    given = re.split("[<>]", rule.text)[0].strip()
    text = "--fail-if '%s': %s is n/a in %s" % (rule.text, given, name)
    shared = base.figures.keys() & other.figures.keys()
    ranks = [n[len("response_") : -len("_ms")] for n in figures.ordered(shared)
             if n.startswith("response_p") and figures.PERCENTILE.match(rule.figure)]  # fmt: skip
    if not ranks:
        return text
    like = rule.text.replace(given, ranks[-1].replace("_", "."), 1)
    return text + "; both sides have only %s: --fail-if='%s'" % (labels.joined(ranks), like)


def verdict(case: Case, seed: int, chance: Mapping[str, float]) -> Verdict:
    rule, base, other, names = case
    unit, value = figures.column(rule.figure).unit, other.figures[rule.figure]
    marks = [figures.mark(rule.figure, cell.figures) for cell in (base, other)]
    few = "of fewer samples than this percentile needs"
    why = "its runs were disturbed" if other.disturbed else few if marks[1] else ""
    if not rule.change:
        said = "%s%s %s" % (figures.shown(rule.figure, value.median), marks[1], unit)
        ends = (value.low, value.high) if value.n >= stats.LEAST else (None, None)
        return sentence(rule, names[1], value.median, ends, said.strip(), why)
    values = base.figures[rule.figure].values
    found = stats.effect(values, value.values, rule.figure, seed)
    size, low, high = found.other - found.base, found.low, found.high
    absolute = ("%+.3f %s" % (size, unit)).strip()
    if rule.per_cent:
        size, low, high = per_cent(found.ratio), per_cent(low), per_cent(high)
    else:
        low, high = (None if r is None else (r - 1) * found.base for r in (low, high))
    said = answer.change(
        found, unit, answer.per_cent if rule.per_cent else lambda _: absolute, marks
    )
    n = min(len(values), value.n)
    if n < stats.LEAST:
        why = "three runs of each are needed"
    elif other.disturbed or base.disturbed:
        why = "runs were disturbed"
    elif any(marks):
        why = few
    elif figures.is_total(rule.figure) and differ_in_length(base, other):
        why = "the runs differ in length"
    elif not stats.is_rare(chance[rule.figure], n):
        why = "it may be chance"
    return sentence(rule, names[1], size, (low, high), said, why)


def per_cent(ratio: Any) -> Any:
    """A change of exactly 5 % is not above 5, whatever its last bit; None of None."""
    return None if ratio is None else round(100 * (ratio - 1), 9)


def sentence(rule: Rule, name: str, value: float, ends: Ends, said: str, doubt: str) -> Verdict:
    """The verdict; doubt: why it is not certain that the condition holds."""
    low, high = ends
    holds = value > rule.amount if rule.above else value < rule.amount
    doubt = doubt if holds else ""
    text = "%s: %s in %s: %s" % (rule.text, "fails" if holds else "passes", name, said)
    if low is not None and high is not None and low <= rule.amount <= high and low < high:
        limit = re.split("[<>]", rule.text)[1].strip()
        same = rule.change and rule.amount == 0
        doubt = "the interval includes " + ("no change" if same else limit)
    return Verdict(holds, text + ("; inconclusive: " + doubt if doubt else ""), not doubt)
