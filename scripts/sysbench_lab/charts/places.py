# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of the cells: over the axis, or arms side by side; and by how much they changed.

A point is the median of the runs that count, with its interval, and hollow when the rate was not
held; a small one is a run.  Points of fewer than three runs are not joined: they may be anywhere.
A mark is where an arm crosses the baseline, if the answer says so.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterator, Sequence

from ..plan import contrasts, found_rate, labels
from ..plan.contrasts import Pair
from ..plan.model import CellSummary, by
from ..results import figures
from ..statistics import answer, breakdown, budget, rank_rows, stats
from . import PLANNED, Chart, Frame, Spec, about, is_wide, of_figure, point, rounded, y_axis

ALL = "over all"


def x_axis(frame: Frame) -> Spec:
    if not frame.has_axis:
        return {"title": "Arm", "scale": "category", "values": list(map(frame.name, frame.cells))}
    values = sorted({x for s in frame.cells if (x := labels.x_of(frame.exp, s.cell)) is not None})
    whole = {"decimals": 0} if all(x == int(x) for x in values) else {}
    title, scale = labels.capital(labels.heading(frame.exp.x)), "log" if is_wide(values) else ""
    return {"title": title, "scale": scale or "linear", "values": values, **whole}


def over(frame: Frame, name: str, work: str = "") -> Spec | None:
    """A figure of all arms; None if nothing has it."""
    wanted = [s for s in frame.cells if not work or s.cell.levels[frame.work] == work]
    mine = [s for s in wanted if s.counted and name in s.figures]
    if not mine:
        return None
    medians: list[Spec] = []
    faint: list[Spec] = []
    x, crossed = x_axis(frame), dict(frame.crossings.get(name, ()))
    runs = by((r for r in frame.results.rows if stats.number(r.get(name))), lambda r: r["cell"])
    repeated = any(len(rows) > 1 for rows in runs.values())
    marks = []
    for line, cells in by(wanted, frame.line).items():
        if not (known := {frame.place(s): s for s in cells if s in mine}):
            continue
        places = x["values"] if frame.has_axis else list(known)  # else there is a gap
        points = [of_cell(frame, known[p], name) if p in known else {"x": p, "y": None}
                  for p in places]  # fmt: skip
        look: Spec = {"name": line, "colour": frame.colour(cells[0])}
        if repeated:
            like: Spec = {"name": line + ", single runs", "faint": True, "like": len(medians)}
            faint.append({**like, "points": [of_run(frame, s, r, name) for s in cells
                                             for r in runs.get(s.cell.number, ())]})  # fmt: skip
        medians.append({**look, "points": points})
        where = crossed.get(cells[0].arm)
        marks += [{"x": where, "text": "about {:,g}".format(where), **look}] if where else []
    ends = [s.figures[name] for s in mine]
    axis = y_axis(name, [v for f in ends for v in (f.min, f.max)], bool(work) and name == "tps")
    title = axis["title"] + (", " + work if work else "")
    found: Spec = {**of_figure(name), "title": title, "x": x, "y": axis, "dodge": True,
                   "kind": "line" if frame.has_axis else "points", "marks": marks,
                   "summary": "%d arms" % len(medians) if len(medians) > 1 else "One line",
                   "series": medians + faint}  # fmt: skip
    return {**found, "head": work or found["head"]}


def of_cell(frame: Frame, s: CellSummary, name: str) -> Spec:
    few, flag = figures.mark(name, s.figures), "Flag: %s." % s.flag if s.flag else ""
    return point(frame.place(s), s.figures[name], not s.held, few, flag)


def of_run(frame: Frame, s: CellSummary, row: Any, name: str) -> Spec:
    apart = frame.apart(row)
    note = "Run %s%s. %s" % (row["run"], apart, about(row))
    hollow = {"hollow": True} if apart or row.get("sustained") == "no" else {}
    return {"x": frame.place(s), "y": row[name], "note": note.strip(), **hollow}


# The name of the file, its title, the figures.
# fmt: off
PICTURES: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("highest-rate", "Highest rate", (found_rate.HELD, found_rate.MISSED)),
    ("throughput", "Throughput", ("tps",)),
    ("response-time", "Response time", ("response_p50_ms", "response_p95_ms", "response_p99_ms")),
    ("server-cpu", "Server CPU", ("cpu",)),
    ("cost", "Server cost of a transaction",
        ("server_cpu_us_per_tx", "server_switches_per_tx", "instructions_per_tx", "cycles_per_tx")),
    ("counters", "IPC and miss rates of the server",
        ("ipc", "tx_per_mcycle", "icache_misses_per_kinstr", "itlb_misses_per_kinstr",
         "branch_miss_pct")),
    ("memory", "Memory and threads of the server", ("server_rss_mib", "server_threads")),
    ("power", "Power and clock frequency", ("power_w", "power_above_idle_w", "cpu_mhz")),
)
ARMS = (found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_p95_ms", "server_usr_pct",
        "server_sys_pct", "server_switches_per_tx", "ipc", "icache_misses_per_kinstr",
        "branch_miss_pct", "server_rss_mib")
# fmt: on


def curves(frame: Frame) -> Iterator[Chart]:
    """A panel a figure; where the workload varies, a chart a figure, in it a panel a workload, each
    with a scale of its own.  Without an axis, all in one.  Of searches their answers: all other
    figures are of the many rates that they tried."""
    searched = all(map(found_rate.searched, frame.cells))
    kinds = PICTURES if frame.has_axis else [("arms", "Side by side", ARMS)]
    if not frame.has_axis and len(frame.arms) < 2:
        return
    for name, title, names in kinds[:1] if searched else kinds:
        names = tuple(n for n in names if n.endswith("held_tps")) if searched else names
        for each in [names] if len(frame.works) < 2 else [(n,) for n in names]:
            if not (panels := panels_of(frame, each, frame.works)):
                continue
            file, unit, about = name, "", figures.column(each[0]) if each != ("cpu",) else None
            if frame.works[1:] and about:
                title, unit = about.title, figures.headed(each[0]).removeprefix(about.title)
                file = labels.slug(title) if len(names) > 1 else name
            if frame.has_axis:
                title = "%s against %s%s" % (title, labels.heading(frame.exp.x), unit)
            notes = crossed(frame, panels) if frame.has_axis else boxes(frame)
            yield Chart("curves" if frame.has_axis else "arms", file, title, panels, notes=notes)


def panels_of(frame: Frame, names: Sequence[str], works: Sequence[str]) -> list[Spec]:
    made = (cpu(frame, w) if n == "cpu" else over(frame, n, w) for n in names for w in works)
    return [p for p in made if p]


def boxes(frame: Frame) -> list[tuple[str, str]]:
    counts = [s.counted for s in frame.cells if s.counted]
    least = min((n for n in counts if n >= stats.LEAST), default=0)
    sure = ", box: its %g %% interval" % (100 * stats.confidence(least, 1)) if least else ""
    text = "mark: median%s, line: range of the runs that count" % sure
    return [("", text)] * (max(counts, default=0) > 1)


def crossed(frame: Frame, panels: Sequence[Spec]) -> list[tuple[str, str]]:
    if not any(p.get("marks") for p in panels):
        return []
    base = contrasts.baseline(frame.exp, (s.cell for s in frame.cells)).items()
    return [("dotted", "crosses " + ", ".join(labels.level_text(*level) for level in base))]


# ---- the server's CPU, stacked ---------------------------------------------------


def cpu(frame: Frame, work: str = "") -> Spec | None:
    """User and system, which add up to the median of their sum; `total` is the range of that."""
    wanted = [s for s in frame.cells if not work or s.cell.levels[frame.work] == work]
    mine = [s for s in wanted if s.counted and all(n in s.figures for n in figures.CPU)]
    if not mine:
        return None
    series: list[Spec] = []
    for line, cells in by(mine, frame.line).items():
        parts: tuple[list[Spec], list[Spec]] = [], []
        for s in cells:
            total, hollow = s.figures["server_cpu_pct"], {} if s.held else {"hollow": True}
            for into, y in zip(parts, figures.cpu_parts(s.figures)):
                into.append({"x": str(s.cell.levels.get(frame.exp.x, "")) if frame.has_axis
                             else frame.place(s), "y": y, **hollow})  # fmt: skip
            parts[1][-1].update(total=[total.min, total.max] if total.min < total.max else [])
        look = {"legend": line, "stack": line, "colour": frame.colour(cells[0])}
        for shade, (word, points) in enumerate(zip(("user", "system"), parts)):
            like = {"like": len(series) - 1} if shade else {}
            series.append({"name": line + ", " + word, **look, "shade": shade, **like,
                           "points": points})  # fmt: skip
    name = labels.server_name(s.cell.settings for s in mine)
    title = "Server CPU" + (", " + work if work else "")
    x = x_axis(frame)
    values = x["values"] if not frame.has_axis else [s for s in frame.levels()]
    return {
        "figure": "cpu", "head": ": ".join(filter(None, (work, name + ", % of all CPUs"))),
        "title": title, "kind": "stack", "series": series,
        "x": {**x, "scale": "category", "values": values},
        "y": {"title": "Server CPU", "unit": "%", "decimals": 2, "zero": True},
    }  # fmt: skip


# ---- by how many per cent arms differ from the baseline --------------------------

# A bar has its interval; where there is none there is no bar: one run more might turn it round.
# The last place has what is known over all others, if there are several, as the answer has it: one
# that crosses the baseline has no average.

CHANGED = (
    found_rate.HELD, "tps", "server_cpu_us_per_tx", "response_mean_ms", "response_p95_ms",
    "response_p99_ms", "server_switches_per_tx", "client_cpu_us_per_tx", "ipc", "tx_per_mcycle",
    "instructions_per_tx", "icache_misses_per_kinstr", "itlb_misses_per_kinstr", "branch_miss_pct",
    "power_w", "power_above_idle_w",
)  # fmt: skip


def changes(frame: Frame) -> list[Chart]:
    """One; where the workload varies, one for each thing that is compared."""
    exp = frame.exp
    work = labels.work_factor(exp)
    pairs = [p for p in contrasts.pairs(exp, frame.cells) if all(map(answer.supports, p))]
    pairs.sort(key=lambda p: 0 if work else labels.x_of(exp, p[1].cell) or 0)
    title = "Change: " + "; ".join(contrasts.compared(exp, frame.cells))
    if not work:
        found = [change(frame, "change", title, exp.x if frame.has_axis else "", pairs)]
    else:
        axes = [exp.x, *(f.name for f in exp.factors if contrasts.other_work(f))]
        kinds = by(pairs, lambda p: labels.pair_text(p[0].cell, p[1].cell, *axes))
        found = [
            change(frame, "change" + ("-" + labels.slug(name)) * (len(kinds) > 1),
                   "Change: " + name, work, those) for name, those in kinds.items()
        ]  # fmt: skip
    return [c for c in found if c.panels]


def change(frame: Frame, name: str, title: str, groups: str, pairs: Sequence[Pair]) -> Chart:
    """`groups`: the factor whose levels are the places; "": what is compared is."""
    exp, work = frame.exp, labels.work_factor(frame.exp)
    searched = any(found_rate.searched(s) for pair in pairs for s in pair)
    names = [contrasts.pair_text(exp, p, exp.x) for p in pairs]
    if groups and groups == work:
        compared = [f.name for f in contrasts.variants(exp)]
        names = [labels.levels_text(p[1].cell, groups, *compared) for p in pairs]
    places = [p[1].cell.levels[groups] if groups else n for p, n in zip(pairs, names)]
    bars = list(dict.fromkeys(names)) if groups else [""]
    whole = overall(frame, pairs) if groups else {}
    colours = {n: frame.lines.index(n) if n in frame.lines else i for i, n in enumerate(bars)}
    panels: list[Spec] = []
    for figure in CHANGED[:1] if searched else CHANGED:
        series: dict[str, list[Spec]] = {n: [] for n in bars}
        for pair, bar, x in zip(pairs, names, places):
            a, b = (s.figures.get(figure) for s in pair)
            e = stats.effect(a.values, b.values, figure, exp.measure.seed) if a and b else None
            if e and (one := bar_of(x, e)):
                held = {} if all(s.held for s in pair) else {"hollow": True}
                series[bar if groups else ""].append({**one, **held})
        if not any(series.values()):
            continue
        more: list[Spec] = []
        for (bar, n), effect in whole.items():
            if n == figure and (one := bar_of(ALL, effect)):
                (series[bar] if bar in series and groups != work else more).append(one)
        values = [*dict.fromkeys(places), *[ALL] * bool(whole)]
        head = figures.column(figure).title + ", change"
        panels.append({
            **of_figure(figure), "head": head + " in %", "title": head, "kind": "stack",
            "x": {"title": labels.capital(labels.heading(exp.x)) if groups == exp.x else "",
                  "scale": "category", "values": values},
            "y": {"title": head, "unit": "%", "decimals": 1},
            "series": [{"name": n, "stack": n or "all", "colour": colours[n], "points": p}
                       for n, p in series.items() if p]
            + [{"name": ALL, "stack": bars[0], "colour": PLANNED, "points": [q]} for q in more],
        })  # fmt: skip
    shown = [p["figure"] for p in panels]
    sizes = [min(s.figures[n].n for s in p) for p in pairs for n in shown
             if all(n in s.figures for s in p)]  # fmt: skip
    least = min((n for n in sizes if n >= stats.LEAST), default=stats.LEAST)
    sure = "%g %% interval" % (100 * stats.confidence(least))
    notes = [("range", sure)]
    if any(ALL in p["x"]["values"] for p in panels):
        notes.append(("", ALL + ": mean over rounds and places, interval of 95 % or more"))
    return Chart("change", name, title, panels, notes=notes)


def bar_of(x: Any, e: Any) -> Spec | None:
    """In per cent."""
    ends = [r for r in (e.ratio, e.low, e.high) if r is not None and math.isfinite(r)]
    if len(ends) < 3:
        return None
    y, low, high = (rounded(100 * (r - 1)) for r in ends)
    return {"x": x, "y": y, "low": low, "high": high}


def overall(frame: Frame, pairs: Sequence[Pair]) -> dict[tuple[str, str], Any]:
    """The effect over all places of each thing that is compared, and figure."""
    exp, found = frame.exp, {}
    compared = answer.measured_of(exp, frame.cells)
    whole = answer.over_all(exp, compared)
    known = answer.comparisons(exp, compared, whole)
    for (factor, level, figure), one in whole.items():
        c = next(c for c in compared if (c.factor, c.other) == (factor, level))
        stated = answer.stated(known, figure, [p for p in c.pairs if answer.fair(p)])
        mixed = len({e.ratio > 1 for _, e in stated}) > 1
        if one.estimate.places > 1 and not mixed and any(p in pairs for p in c.pairs):
            found[contrasts.pair_text(exp, c.pairs[0], exp.x), figure] = one.effect(figure)
    return found


# ---- what a transaction consists of, and what load hosts did ---------------------


def parts(frame: Frame) -> Iterator[Chart]:
    """A chart a table of breakdown.py; a part that is not known of an arm has no bar."""
    for kind, mine in by(frame.results.breakdowns, lambda one: one.kind).items():
        for one in mine:
            title = breakdown.title_of(frame.exp, one)
            where = title.partition(" transaction")[2] * (len(mine) > 1)
            shown = one.parts[1 : breakdown.MOST + 1]
            series = [
                {"name": s.arm, "colour": frame.arms.index(s.arm), "stack": s.arm,
                 "points": [{"x": p.name, "y": f.median, "min": f.min, "max": f.max}
                            for p in shown if (f := p.spreads[i])]}
                for i, s in enumerate(one.cells)
            ]  # fmt: skip
            unit = one.kind.unit.replace("us", "µs") + " per transaction"
            x = {"title": "", "scale": "category", "values": [p.name for p in shown]}
            spec = {"figure": one.kind.name, "head": unit, "title": title, "kind": "stack", "x": x,
                    "y": {"title": unit, "zero": True}, "series": series}  # fmt: skip
            told = [(p.name, ", ".join(map(breakdown.shown, p.spreads)))
                    for p in (one.parts[0], *shown)]  # fmt: skip
            alt = "%s. %s." % (title, "; ".join("%s: %s" % both for both in told))
            yield Chart("parts", labels.slug(kind.name + where), title, [spec], alt=alt)


def time(frame: Frame) -> Iterator[Chart]:
    """A bar an arm, a chart a level; of a single arm, all levels in one.  The parts of a bar are
    those of the run with the median sum."""
    alone, x = len(frame.arms) < 2, frame.exp.x
    levels = by(frame.results.budgets, lambda b: "" if alone else b.summary.cell.levels.get(x, ""))
    for level, mine in levels.items():
        parts, bars = budget.parts_of(mine), {}
        for b in mine:
            name = alone and b.summary.cell.levels.get(x) or frame.name(b.summary)
            runs = [[run.get(n, 0.0) for n in parts] for run in b.runs]
            bars[name if runs else name + ": n/a"] = figures.to_stack(runs) if runs else []
        series = [{**Frame.spent(n, budget.word(n)),
                   "points": [{"x": x, "y": ys[i]} for x, ys in bars.items() if ys]}
                  for i, n in enumerate(parts)]  # fmt: skip
        title = "Parts of the response time" + (level and ", " + labels.level_text(x, level))
        by_what, unit = labels.heading(x) if alone and x else "arm", "µs per transaction"
        axis = {"title": labels.capital(by_what), "scale": "category", "values": list(bars)}
        spec = {"figure": "time", "head": unit + ", by " + by_what, "title": title, "kind": "stack",
                "x": axis, "y": {"title": unit, "zero": True}, "series": series}  # fmt: skip
        if series:
            lacks, name = budget.lacking(mine), "time" + title.partition("time")[2]
            yield Chart("parts", labels.slug(name), title, [spec], level, below=lacks,
                        notes=[("", text) for text in lacks])  # fmt: skip


RANKS = {"tps": "Throughput, tx/s", "response_p99_ms": "Response time, 99th percentile, ms",
         "cpu_pct": "sysbench CPU, % of one CPU"}  # fmt: skip
MOST = 12  # cells that have room
LINE = 80  # characters below them


def ranks(frame: Frame) -> list[Chart]:
    """Load hosts beside each other, the leader at the left.  Those that share a load evenly are one
    mark upon the other; one that stands apart is slow, far away or short of CPU.  A ring is around
    those that sysbench says differ."""
    cells, panels = rank_rows.cells(frame.results)[:MOST], []
    places = [labels.cell_text(c.summary.cell) for c in cells]
    for figure, head in RANKS.items():
        series: dict[int, Spec] = {}
        for place, cell in zip(places, cells):
            for rank in cell.ranks:
                if (value := rank.figures[figure]) is not None:
                    look = {"name": rank_rows.who(rank.rank, rank.host), "colour": rank.rank}
                    one = series.setdefault(rank.rank, {**look, "points": []})
                    ring = {"ring": True} if cell.apart(rank) else {}
                    one["points"].append({"x": place, "y": value, **ring})
        if series:
            title = labels.capital(labels.heading(frame.exp.x)) if frame.exp.x else "Cell"
            x = {"title": title, "scale": "category", "values": places,
                 "names": short_names(frame, [c.summary for c in cells])}  # fmt: skip
            panels.append({"figure": figure, "head": head, "kind": "points", "x": x, "dodge": True,
                           "y": {"title": head, "zero": True},
                           "series": [series[n] for n in sorted(series)]})  # fmt: skip
    return [Chart("ranks", "load-hosts", "Load hosts", panels)] if panels else []


def short_names(frame: Frame, cells: Sequence[CellSummary]) -> list[str]:
    """Levels of the axis; below the middle one of neighbours that differ in it alone, what these
    have in common, if there are others."""
    names = [s.cell.levels.get(frame.exp.x) or str(i) for i, s in enumerate(cells, 1)]
    arms = [labels.levels_text(s.cell, frame.exp.x) for s in cells]
    at = 0
    for arm, same in itertools.groupby(arms if frame.exp.x and len({*arms}) > 1 else []):
        size = len(list(same))
        room = LINE * size // len(cells)
        cut = arm if len(arm) <= room else arm[: room - 1] + "…"
        names[at + (size - 1) // 2] += "\n" + cut
        at += size
    return names
