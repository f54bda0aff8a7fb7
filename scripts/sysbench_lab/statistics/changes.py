# SPDX-License-Identifier: GPL-2.0-or-later
"""What a change in the middle of a run changed: before and after each mark, over the repeats.

    of_results(results, summaries)     of each cell, and of each mark that its runs that count have
    sentences, sheets_of, tree    the same as words, tables, and for summary.json

A report has phases: what lies between two marks, in whole intervals, each with the figures of a
run.  A mark is compared within each run, so what differs between runs (a warm cache, a busy
neighbour) is on both sides: a run is a block (pooled.py).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, NamedTuple, Sequence

from ..plan import labels
from ..plan.model import Cells, CellSummary, Effect, Row, Spread
from ..results import figures
from ..results.sheets import Table
from . import answer, pooled, stats

SAID = ("server_cpu_us_per_tx", "response_p95_ms", "tps")
SHOWN = (
    "tps", "response_mean_ms", "response_p50_ms", "response_p95_ms", "response_p99_ms",
    "lag_p99_ms", "server_usr_pct", "server_sys_pct", "server_cpu_us_per_tx",
    "server_switches_per_tx", "ipc", "instructions_per_tx", "cycles_per_tx",
    "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct", "errors",
    "client_cpu_us_per_tx", "host_idle_pct", "host_iowait_pct", "host_switches_per_s",
)  # fmt: skip


class Pair(NamedTuple):
    """A figure on both sides of a mark, in the runs that have it on both."""

    before: Spread
    after: Spread
    ratio: Spread  # of after / before, run by run

    def effect(self, level: float = pooled.LEVEL) -> Effect:
        """The mean change of the runs; without an interval of fewer than three."""
        base, other, one = self.before.median, self.after.median, self.estimate
        if one is None:
            return Effect("", base, other, self.ratio.median, None, None)
        found = pooled.Pooled(one, level, False).effect("")
        return dataclasses.replace(found, base=base, other=other)

    @property
    def estimate(self) -> pooled.Estimate | None:
        both = zip(self.before.values, self.after.values)
        return pooled.estimate([pooled.Block(0, i, b, a) for i, (b, a) in enumerate(both)])


Known = Mapping[Pair, pooled.Pooled]


class Change(NamedTuple):
    summary: CellSummary
    number: int  # of the mark, from 0
    at_s: float  # in the first run
    text: str
    runs: int
    figures: Mapping[str, Pair]


def of_results(results: Any, summaries: Cells) -> list[Change]:
    """In the order of the table.  Only experiments that make marks are looked at."""
    hooks = any(h.moment == "mid-run" for h in results.exp.hooks)
    if not hooks and not any("load.at" in c.settings for c in results.plan.cells):
        return []
    found = []
    for summary in labels.in_order(results.exp, summaries):
        runs = [r["phases"] for r in results.reports(summary) if r.get("phases")]
        found += of_cell(summary, runs, results.exp)
    return found


def of_cell(summary: CellSummary, runs: Sequence[Sequence[Any]], exp: Any) -> list[Change]:
    """`runs`: the phases of each."""
    found = []
    for number in range(max(map(len, runs), default=0) - 1):
        sides = [(p[number], p[number + 1]) for p in runs if number + 1 < len(p)]
        rows = [tuple(figures.of_section(p["figures"]) for p in both) for both in sides]
        marks = sides[0][1]["marks"]
        texts = [str(m["text"]) for m in marks]
        begun = [t for t in texts if t not in ["end of: " + other for other in texts]]
        at_s, made = float(marks[0]["elapsed_s"]), pairs(rows, exp.measure.seed)
        found.append(Change(summary, number, at_s, ", ".join(begun), len(rows), made))
    return found


def pairs(rows: Sequence[tuple[Row, ...]], seed: int) -> dict[str, Pair]:
    """By figure; without those that are 0 on both sides of each mark."""
    found = {}
    for name in figures.ordered(k for k in rows[0][0] if stats.is_figure(k)):
        values: list[tuple[Any, Any]] = [(b.get(name), a.get(name)) for b, a in rows]
        known = [(float(b), float(a)) for b, a in values if stats.number(b) and stats.number(a)]
        if any(map(any, known)):
            ratios = [stats.ratio(b, a) for b, a in known]
            found[name] = Pair(*(stats.spread(v, seed) for v in (*zip(*known), ratios)))
    return found


# ---- in words --------------------------------------------------------------------


def sentences(found: Sequence[Change]) -> list[str]:
    """Of cells that support a claim, as in answer.py; or one sentence why none does."""
    able = [c for c in found if answer.supports(c.summary)]
    if found and not able:
        cells = list({c.summary.cell.number: c.summary for c in found}.values())
        return ["No conclusion: " + answer.obstacle(cells)]
    known = judged(able)
    return [sentence(change, known) for change in able + [c for c in found if c not in able]]


def judged(able: Sequence[Change]) -> Known:
    """The figures that sentences are about, together."""
    pairs = [c.figures[n] for c in able for n in told_of(c)]
    return pooled.judged({p: p.estimate for p in pairs})


def told_of(change: Change) -> list[str]:
    """Not the throughput where it is the rate."""
    return [n for n in SAID if n in change.figures and not (n == "tps" and steady(change))]


def steady(change: Change) -> bool:
    cell, tps = change.summary, change.figures["tps"]
    held = "target_tps" in cell.figures and cell.held and answer.rate_known(cell)
    return held and abs(tps.ratio.median - 1) < 1 - stats.REACHED  # and no mark changed it


def sentence(change: Change, known: Known) -> str:
    """read-only, after the mark at 20 s: server CPU/tx 872 -> 1,020 us, +17 % (+15 to +19); ..."""
    if answer.supports(change.summary):
        told = [(n, change.figures[n], known, marks_of(change, n)) for n in told_of(change)]
        texts = [clause(*one) for one in told]
        if "tps" in change.figures and steady(change):
            texts.append("the same throughput")
    else:
        texts = ["no conclusion: " + answer.obstacle([change.summary])]
    where = labels.cell_text(change.summary.cell)
    return "%s, after %s: %s" % (where, name_of(change), "; ".join(texts) or "no figures")


def name_of(change: Change) -> str:
    return "the mark at %g s" % round(change.at_s, 1)


def clause(name: str, pair: Pair, known: Known, marks: Sequence[str] = ("", "")) -> str:
    one, unit = known.get(pair), figures.column(name).unit
    effect = pair.effect(one.level) if one else pair.effect()
    said = answer.told(effect, one is None or one.clear)
    if one is None and pair.ratio.n >= pooled.ROUNDS:
        said = "0 in some of the runs"
    return "%s %s" % (answer.NAMES[name], answer.change(effect, unit, said, marks))


def marks_of(change: Change, name: str) -> list[str]:
    """Of a percentile of too few transactions, before and after."""
    done = change.figures.get("done")
    return [figures.mark(name, {"done": side}) for side in done[:2]] if done else ["", ""]


# ---- as tables -------------------------------------------------------------------


def sheets_of(found: Sequence[Change]) -> list[Table]:
    """A table a mark, with all cells."""
    numbers = sorted({c.number for c in found})
    return [sheet([c for c in found if c.number == number]) for number in numbers]


def sheet(found: Sequence[Change]) -> Table:
    rows = []
    for change in found:
        rows.append([labels.cell_text(change.summary.cell), "", "", ""])
        for name in (n for n in SHOWN if n in change.figures):
            pair = change.figures[name]
            marks = marks_of(change, name)
            values = [figures.shown(name, s.median) + m for s, m in zip(pair, marks)]
            rows.append(["  " + figures.titled(name), *values, answer.per_cent(pair.effect())])
    runs = sorted({c.runs for c in found})
    count = "-".join(map(str, runs if len(runs) < 2 else (runs[0], runs[-1])))
    sure = ", with its 95 % interval" * (runs[-1] >= stats.LEAST)
    note = "Medians of %s run%s; the change is the mean of those within each run%s. Mark: %s"
    note %= count, "s" * (runs != [1]), sure, found[0].text
    if any(marks_of(c, n) != ["", ""] for c in found for n in SHOWN if n in c.figures):
        note = "%s; %s" % (note, figures.FEW)
    head = ["figure", "before", "after", "change"]
    return Table("Before and after " + name_of(found[0]), head, rows, note=note)


def tree(found: Sequence[Change], spread_tree: Any) -> list[dict[str, Any]]:
    return [
        {
            "cell": c.summary.cell.number,
            "mark": c.number,
            "at_s": c.at_s,
            "text": c.text,
            "runs": c.runs,
            "figures": {
                name: {k: spread_tree(v) for k, v in pair._asdict().items()}
                for name, pair in c.figures.items()
            },
        }
        for c in found
    ]
