# SPDX-License-Identifier: GPL-2.0-or-later
"""What a transaction consists of, by name: what the server waits for, and its system calls.

    of_results(results, summaries)    of each place of the axis: the arms side by side, the largest
                                  part first
    sentences, sheet_of, tree    the same as words, tables, and for summary.json

Waits are those of the off-CPU profile (load.server-profile), of all threads, in microseconds per
transaction.  A wait is called after the innermost function with a name that is no detail of the C
library, and the innermost operation that people know around it: "fdatasync under ha_commit_trans".
Time that a thread was ready to run, and that of threads without work, says nothing about what a
transaction waits for: it is stated, not ranked.  Nor is a wait named that was sampled too rarely,
where stacks are (docs/profile.md); it is in the sum.  What is idle and what is part of a statement,
sysbench-flame --list-idle says; other waits are of background threads.

System calls (load.server-syscalls) are those that a run lists as most frequent, per transaction.
Where a run lists all that there were, the others are 0; else they are unknown.
"""

from __future__ import annotations

import functools
import glob
import os
import re
import subprocess
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .. import content, paths
from ..plan import contrasts, labels
from ..plan.model import Cells, CellSummary, Effect, Experiment, Row, Spread
from ..results.figures import get
from ..results.sheets import Table
from . import answer, stats

Results = Any  # which has this, see results.py

MOST = 8  # parts in a table
SAID = 3  # in a sentence
FEWEST = 10  # samples of a wait that is named
TOTAL, IN_STATEMENTS = "all of them", "all in statements"
BACKGROUND = " (background)"
RUNNABLE, IDLE = "waiting for a CPU", "idle"
LIMIT_S = 60
DETAIL = re.compile(r"_|\[|.*_\[k\]$|start_thread$|clone3?$")  # frames that name no wait
KNOWN = re.compile(  # operations, as opposed to what they are made of
    r"trans_(commit|rollback)|ha_(commit|rollback|prepare)|.*ordered_commit|MYSQL_BIN_LOG::"
    r"|log_write_up_to|lock_wait|MDL_context::acquire|(open|lock)_tables|buf_(page_get|read_page)"
    r"|filesort|net_flush|dispatch_command|tpool::"
    r"|XLog(Flush|Write|Insert)|CommitTransaction|SyncRepWait|ProcSleep|LWLockAcquire|ReadBuffer"
    r"|BufferSync|WalWriter|Checkpoint|PortalRun"
)
SYSCALL = re.compile(r"_sys_(\w+?)(64)?_\[k\]")
Values = Mapping[str, float]


class Read(NamedTuple):
    """What was read of a run."""

    parts: Values
    stated: Values
    complete: bool = True  # a part that it does not have is 0, not unknown
    samples: Mapping[str, int] = {}  # of each part, if the parts are estimates
    estimated: tuple[int, int] = (0, 0)  # from so many waits of so many; of (0, 0) none


class Kind(NamedTuple):
    name: str
    setting: str
    wanted: Callable[[str], bool]  # whether a value of the setting asks for it
    read: Callable[[Results, Row], Read | None]
    unit: str


class Part(NamedTuple):
    name: str
    spreads: Sequence[Spread | None]  # by cell


class Breakdown(NamedTuple):
    kind: Kind
    cells: Cells  # the baseline first
    parts: Sequence[Part]  # the total, then the largest first
    stated: Sequence[Part]
    estimated: str = ""  # from what

    def change(self, part: Part, cell: int, seed: int) -> Effect | None:
        base, other = part.spreads[0], part.spreads[cell]
        return stats.effect(base.values, other.values, part.name, seed) if base and other else None


def of_results(results: Results, summaries: Cells) -> list[Breakdown]:
    """In the order of the table; of experiments that ask for it."""
    exp, found = results.exp, []
    for kind in KINDS:
        asked = {str(c.settings.get(kind.setting, "off")) for c in results.plan.cells}
        if not any(map(kind.wanted, asked)):
            continue
        for _, cells in contrasts.groups(exp, labels.in_order(exp, summaries)):
            every = [(s, [kind.read(results, row) for row in results.counting(s)]) for s in cells]
            if read := [(s, list(filter(None, runs))) for s, runs in every if any(runs)]:
                found.append(breakdown(kind, read, exp.measure.seed))
    return found


def breakdown(kind: Kind, read: Sequence[tuple[CellSummary, list[Read]]], seed: int) -> Breakdown:
    def parts(of: Callable[[Read], Values]) -> list[Part]:
        names = {name: None for run in every for name in of(run)}
        return [Part(n, [spread(of, n, runs) for _, runs in read]) for n in names]

    def spread(of: Callable[[Read], Values], n: str, runs: list[Read]) -> Spread | None:
        values = [of(r).get(n, 0.0) for r in runs if r.complete or n in of(r)]
        return stats.spread(values, seed) if values else None

    def size(part: Part) -> float:
        return max(s.median for s in part.spreads if s)

    def samples(part: Part) -> int:
        return sum(r.samples.get(part.name, FEWEST) for r in every if part.name in r.parts)

    every = [run for _, runs in read for run in runs]
    seen, of = (sum(run.estimated[i] for run in every) for i in (0, 1))
    total, *others = parts(lambda run: run.parts)
    ranked = [p for p in sorted(others, key=size)[::-1] if size(p) and samples(p) >= FEWEST]
    text = "estimated from %s of %s waits" % (f"{seen:,}", f"{of:,}") if of else ""
    cells = [s for s, _ in read]
    return Breakdown(kind, cells, [total, *ranked], parts(lambda run: run.stated), text)


# ---- waits -----------------------------------------------------------------------


def waits(results: Results, row: Row) -> Read | None:
    """us per transaction; None without a profile, or without the rules of what is idle."""
    text = content(folded(results, row, "offcpu"))
    summary = get(results.report(row), "summary") or {}
    if not text or not idle_rules() or not summary.get("transactions_per_s"):
        return None
    window = re.search(r"^#.*window_s=([\d.]+)", text, re.M)
    done = summary["transactions_per_s"] * float(window[1] if window else summary["interval_s"])
    parts, stated = {IN_STATEMENTS: 0.0}, {RUNNABLE: 0.0, IDLE: 0.0}
    estimated = re.search(r"^#.* estimated from (\d+) of (\d+) ", text, re.M)
    samples: dict[str, int] = {}
    stacks = re.findall(r"^(?:# (\d+) samples:\n)?([^#\n].*) (\d+)$", text, re.M)
    for taken, stack, weight in stacks:  # and no torn line
        us, name = float(weight) / done, group(stack)
        where = stated if name in stated else parts
        where[name] = where.get(name, 0.0) + us
        if estimated:
            samples[name] = samples.get(name, 0) + int(taken or 0)
        if where is parts and not name.endswith(BACKGROUND):
            parts[IN_STATEMENTS] += us
    seen, of = map(int, estimated.groups()) if estimated else (0, 0)
    return Read(parts, stated, samples=samples, estimated=(seen, of))


def folded(results: Results, row: Row, kind: str) -> str:
    """The stacks that a run left; "" if it left none."""
    directory = os.path.join(results.directory, results.run_path(row))
    return next(iter(sorted(glob.glob(glob.escape(directory) + "/*.%s.folded" % kind))), "")


@functools.lru_cache(maxsize=1)
def idle_rules() -> list[tuple[bool, re.Pattern[str]]]:
    """Those of sysbench-flame, the first that matches decides; none without that program."""
    try:
        listed = subprocess.run(
            [paths.flame_program(), "--list-idle"], capture_output=True, text=True, timeout=LIMIT_S
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    found = re.findall(r"^(idle|work) .*\n +(.*)$", listed, re.M)
    return [(word == "idle", re.compile(rule)) for word, rule in found]


def group(stack: str) -> str:
    """What a stack is a wait for, in words; RUNNABLE or IDLE if for nothing."""
    if stack.endswith("[waiting for a CPU]"):
        return RUNNABLE
    idle = next((idle for idle, rule in idle_rules() if rule.search(stack)), None)
    if idle:
        return IDLE
    frames = [f.partition("(")[0] for f in stack.split(";")[1:]]
    named = [f for f in frames if not DETAIL.match(f)]
    call = SYSCALL.search(stack)
    named = named or [call[1] if call else "a function without a name"]
    around = [f for f in named[:-1] if KNOWN.match(f)] or named[:-1]
    shorter = ["::".join(f.split("::")[-2:]) for f in (named[-1], *around[-1:])]
    return " under ".join(shorter) + (BACKGROUND if idle is None else "")


# ---- system calls ----------------------------------------------------------------


def syscalls(results: Results, row: Row) -> Read | None:
    found = get(results.report(row), "summary", "server_syscalls") or {}
    if found.get("count_per_transaction") is None:
        return None
    parts = {str(c["name"]): float(c["count_per_transaction"]) for c in found["most_frequent"]}
    complete = found.get("kinds") == len(parts)
    return Read({TOTAL: float(found["count_per_transaction"]), **parts}, {}, complete)


KINDS = (
    Kind("waits", "load.server-profile", lambda v: "offcpu" in v, waits, "us"),
    Kind("system calls", "load.server-syscalls", lambda v: v != "off", syscalls, "calls"),
)


# ---- in words, as tables ---------------------------------------------------------


def sentences(exp: Experiment, found: Sequence[Breakdown]) -> list[str]:
    """For each arm the waits that differ most from the baseline's, or are the longest; of cells
    that support a claim, as in answer.py."""
    said = []
    able = [
        (one, cell)
        for one in (b for b in found if b.kind.name == "waits")
        for cell in (range(1, len(one.cells)) if len(one.cells) > 1 else (0,))
        if all(answer.supports(one.cells[i]) for i in (0, cell))  # else the answer says why
    ]
    for (one, cell), known in zip(able, stated(able, exp.measure.seed)):
        where = answer.point(exp, one.cells[0]) + ", " * bool(one.estimated) + one.estimated
        parts = telling(one, cell, known)
        texts = [clause(one, part, cell, exp.measure.seed, part.name in known) for part in parts]
        base, other = one.cells[0], one.cells[cell]
        who = labels.pair_text(base.cell, other.cell, exp.x) if cell else base.arm
        what = ", " * bool(who) + who, where, "; ".join(texts) or "none"
        said.append("Waits per transaction%s%s: %s" % what)
    return said


def stated(able: Sequence[tuple[Breakdown, int]], seed: int) -> list[set[str]]:
    """Of each pair of cells the waits that differ, judged together, as in answer.py."""
    sides: list[dict[str, stats.Sides]] = []
    for one, cell in able:
        pairs = [(p.name, p.spreads[0], p.spreads[cell]) for p in candidates(one)]
        sides.append({n: (b.values, o.values) for n, b, o in pairs if b and o} if cell else {})

    return [{n for n, one in of.items() if one.clear} for of in stats.compared(sides, seed)]


def candidates(one: Breakdown) -> list[Part]:
    """What a sentence may name: the longest by all runs together, whichever arm they are of, since
    a choice by what differs would be one by chance."""
    parts = [p for p in one.parts[1:] if not p.name.endswith(BACKGROUND)]
    return sorted(parts, key=lambda p: -sum(sum(s.values) for s in p.spreads if s))[:MOST]


def telling(one: Breakdown, cell: int, known: set[str]) -> list[Part]:
    def size(part: Part) -> float:
        values = [s.median if s else 0.0 for s in (part.spreads[0], part.spreads[cell])]
        return abs(values[1] - values[0]) if cell else values[0]

    parts = candidates(one)
    least = max(map(size, parts), default=0) / 20
    order = sorted(parts, key=lambda p: (p.name in known, size(p)))[::-1]
    return [p for p in order[:SAID] if size(p) >= least > 0]


def clause(one: Breakdown, part: Part, cell: int, seed: int, clear: bool) -> str:
    changed = one.change(part, cell, seed) if cell else None
    text = shown(part.spreads[0]) + " " + one.kind.unit
    if changed:
        text = answer.change(changed, one.kind.unit, answer.told(changed, clear))
    return "%s %s" % (part.name, text)


def shown(spread: Spread | None) -> str:
    return labels.grouped(spread.median) if spread else "n/a"


def sheet_of(exp: Experiment, one: Breakdown) -> Table:
    head = [one.kind.unit + " per transaction", one.cells[0].arm or "median"]
    for s in one.cells[1:]:
        head += [s.arm, "change"]
    rows = []
    for part in one.parts[: MOST + 1]:
        row = [part.name, shown(part.spreads[0])]
        for i, spread in enumerate(part.spreads[1:], 1):
            changed = one.change(part, i, exp.measure.seed)
            row += [shown(spread), answer.per_cent(changed) if changed else "n/a"]
        rows.append(row)
    notes = ["%s %s" % (" and ".join(map(shown, p.spreads)), p.name) for p in one.stated]
    note = "Not ranked: %s." % ", ".join(notes) if notes else ""
    if one.estimated:
        note += " All %s; what has fewer than %d of them is not named." % (one.estimated, FEWEST)
    return Table(title_of(exp, one), head, rows, note=note)


def title_of(exp: Experiment, one: Breakdown) -> str:
    """System calls of a transaction, oltp_read_only at 16 connections"""
    s, cells = one.cells[0], [s.cell for s in one.cells]
    alike = [k for k, v in s.cell.levels.items() if all(c.levels[k] == v for c in cells)]
    work = labels.levels_text(s.cell, exp.x, *(s.cell.levels.keys() - alike))
    work = ", " * bool(work) + work
    return "%s of a transaction%s%s" % (one.kind.name.capitalize(), work, answer.point(exp, s))


def tree(found: Sequence[Breakdown], spread_tree: Any) -> list[dict[str, Any]]:
    def of(parts: Sequence[Part]) -> dict[str, Any]:
        return {p.name: [s and spread_tree(s) for s in p.spreads] for p in parts}

    return [
        {
            "kind": one.kind.name,
            "unit": one.kind.unit,
            "cells": [s.cell.number for s in one.cells],
            "per_transaction": of(one.parts),
            "not_ranked": of(one.stated),
        }
        for one in found
    ]
