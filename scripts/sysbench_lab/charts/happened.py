# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened in runs, and their latency by percentile: a chart a level of the axis.

An outage is as series.py defines it.  Marks have numbers, whose texts stand below.  The stages of a
rate that changes stand behind the lines, if all runs have the same.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Iterator, Sequence

from ..plan import found_rate, labels
from ..plan.model import CellSummary, Row, Tree
from ..results import figures, series
from ..statistics import stats
from ..statistics.stats import Stage
from . import DASHED, PLANNED, Chart, Frame, Spec, of_figure, point, rounded, scale_of, y_axis

MOST_POINTS = 300  # of a line
STEPS = 4  # percentiles from one halving of the rest to the next
MOST_OUTAGES = 50
NAMED = 12  # stages; more have their numbers alone
NameOf = Callable[[Stage], str]


def at(span: Any, **more: Any) -> Spec:
    return {"x": rounded(span.begin_s, 6), "x2": rounded(span.end_s, 6), **more}


# ---- timelines -------------------------------------------------------------------


def parts(values: Sequence[Any]) -> list[Sequence[Any]]:
    """At most MOST_POINTS, of as many intervals each."""
    size = math.ceil(len(values) / MOST_POINTS)
    return [values[i : i + size] for i in range(0, len(values), size)]


class Run:
    def __init__(self, row: Row, s: CellSummary, line: series.Timeline) -> None:
        self.row, self.cell, self.line = row, s, line
        self.xs = [rounded(part[-1], 6) for part in parts(line.seconds)]

    def ys(self, name: str) -> list[float | None]:
        return [joined(name, part) for part in parts(self.line.figures[name])]

    def has(self, name: str) -> bool:
        """What was measured; errors, backlogs and their like, if there were any."""
        counts = {"unfinished", *figures.OVER_TIME} - {"offered_tps"}
        return any(v if name in counts else v is not None for v in self.line.figures[name])


def joined(name: str, values: Iterable[float | None]) -> float | None:
    """One figure for several intervals: the worst latency, the mean of all else."""
    if not (known := [v for v in values if v is not None]):
        return None
    return rounded(max(known) if name.endswith("_ms") else sum(known) / len(known))


def timelines(frame: Frame) -> Iterator[Chart]:
    """And sessions, of those where it is known what they did."""
    lines = {r["run"]: series.lines_of(frame.results.report(r) or {}) for r in frame.results.rows}

    def runs_of(s: CellSummary) -> list[Run]:
        rows = [r for r in frame.results.rows if r["cell"] == s.cell.number]
        return [Run(r, s, x) for r in rows if (x := lines[r["run"]]) and len(x.seconds) > 1]

    for level, words, file, cells in frame.by_level(runs_of):
        runs = [run for _, mine in cells for run in mine]
        spans, marks, listed = behind(runs)
        bands, away = spans.get("bands", []), [m for m in marks if "x2" in m]
        last = max(run.line.seconds[-1] for run in runs)
        x = {"title": "Time", "unit": "s", "scale": "linear", "min": 0, "max": last}
        panels = []
        for name in (n for n in runs[0].line.figures if n != "target_tps"):
            drawn: list[Spec] = []
            for run in (r for r in runs if r.has(name)):
                arm, apart = frame.name(run.cell), frame.apart(run.row)
                like = [{"like": i} for i, d in enumerate(drawn) if d["legend"] == arm][:1]
                drawn.append({
                    "name": "Run %s, %s%s" % (run.row["run"], arm, apart),
                    "steps": True, "apart": bool(apart), "legend": arm,
                    "colour": frame.arms.index(run.cell.arm), "xs": run.xs, "ys": run.ys(name),
                    **dict(*like),
                })  # fmt: skip
            if not drawn:
                continue
            drawn += asked(runs) if name == "tps" else []
            values = [y for d in drawn for y in d["ys"] if y]
            panels.append({**of_figure(name), "title": figures.column(name).title + " over time",
                           "kind": "line", "summary": "%d runs" % len(runs), "x": x, **spans,
                           "marks": marks, "numbered": True,
                           "y": y_axis(name, values), "series": drawn})  # fmt: skip
        said = ["Over time%s: %d runs." % (words, len(runs)), *("Mark at %s." % t for t in listed)]
        said += ["%s from %.3g to %.3g s." % (b["text"], b["x"], b["x2"]) for b in bands]
        said += ["Outage from %g to %g s." % (m["x"], m["x2"]) for m in away]
        notes = [("shade", note_of_bands(runs))] * bool(bands)
        limit = "outage, or under %g %% of the run's median" % (100 * series.OUTAGE_SHARE)
        notes += [("away", limit)] * bool(away)
        yield Chart("timeline", "timeline" + file, "Over time" + words, panels, level, listed,
                    notes, " ".join(said))  # fmt: skip
        if shown := [run for _, mine in cells for run in chosen(frame, mine)]:
            yield sessions(frame, shown, level, words, file)


def behind(runs: Sequence[Run]) -> tuple[Spec, list[Spec], list[str]]:
    """Stages or phases; outages of several runs at the same time, and marks of the same text within
    a second, are one."""
    outages: list[Spec] = []
    for one in sorted((at(o) for run in runs for o in run.line.outages), key=lambda o: o["x"]):
        if outages and one["x"] <= outages[-1]["x2"]:
            outages[-1]["x2"] = max(outages[-1]["x2"], one["x2"])
        else:
            outages.append(one)
    found = ((run.row["run"], m) for run in runs for m in run.line.marks + run.line.stalls)
    every = [(m.at_s, m.text or "mark", number) for number, m in found]
    marks: list[tuple[float, str, list[int]]] = []
    for when, text, number in sorted(every):
        same = next((m for m in marks if m[1] == text and when - m[0] <= 1), None)
        if same:
            same[2].append(number)
        else:
            marks.append((when, text, [number]))
    listed = []
    for when, text, numbers in marks:
        of = " (run%s %s)" % ("s" * (len(numbers) > 1), ", ".join(map(str, sorted(numbers))))
        listed.append("%.4g s: %s%s" % (when, text, of * (len(numbers) < len(runs))))
    bands = shared_stages(runs)
    phases = max((run.line.phases for run in runs), key=len)
    if not bands and len(phases) > 1:
        bands = [at(p, text="") for p in phases]
    numbered = [{"x": rounded(m[0], 6), "text": "%d" % i} for i, m in enumerate(marks, 1)]
    return {"bands": bands} if bands else {}, outages + numbered, listed


def shared_stages(runs: Sequence[Run]) -> list[Spec]:
    """Those of the first run, if all have the same; searches have steps of their own."""
    texts = {tuple(s.text for s in run.line.stages) for run in runs}
    stages = runs[0].line.stages if len(texts) == 1 else []
    return [at(s, text=s.text, held=s.held) for s in stages]


def note_of_bands(runs: Sequence[Run]) -> str:
    if not shared_stages(runs):
        return "every other phase: whole intervals between marks"
    if any(found_rate.searched(run.cell) for run in runs):
        return "every other step of the search"
    return "every other stage; orange name: not sustained"


def asked(runs: Sequence[Run]) -> list[Spec]:
    """The rates that were asked for, each once; intervals may be some ms apart, and runs an
    interval longer.  Of a search it is known what it offered."""
    found: list[list[float | None]] = []
    drawn = []
    for run in runs:
        ys = run.ys("target_tps")
        most = max((y or 0 for y in ys), default=0)
        alike = any(all(abs((a or 0) - (b or 0)) <= 0.02 * most for a, b in zip(ys, f))
                    for f in found)  # fmt: skip
        if any(y is not None for y in ys) and not alike:
            found.append(ys)
            name = "offered" if found_rate.searched(run.cell) else "target rate"
            drawn.append({"name": name, "legend": name, "colour": PLANNED, "steps": True,
                          "xs": run.xs, "ys": ys})  # fmt: skip
    return drawn


# ---- sessions --------------------------------------------------------------------


def chosen(frame: Frame, runs: Sequence[Run]) -> list[Run]:
    """Of an arm the first run that counts, or the first of these with a standstill or jump."""
    known = [r for r in runs if any(y is not None for y in r.ys("sessions_cpu"))]
    some = [r for r in known if not frame.apart(r.row)] or known
    return ([r for r in some if r.line.stalls] or some)[:1]


def sessions(frame: Frame, runs: Sequence[Run], level: str, words: str, file: str) -> Chart:
    """What sessions did in the server, a class upon the other, a panel a run."""
    names = [n for n in figures.OF_SESSIONS if any(r.has(n) for r in runs)] or ["sessions_cpu"]
    last = max(run.line.seconds[-1] for run in runs)
    x = {"title": "Time", "unit": "s", "scale": "linear", "min": 0, "max": last}
    most = max(sum(v or 0 for v in ys) for r in runs for ys in zip(*map(r.ys, names)))
    y = {"title": "Sessions, mean", "zero": True, "decimals": 2, "most": most}
    panels, listed, said = list[Spec](), list[str](), list[str]()
    for run in runs:
        spans, marks, texts = behind([run])
        for m in (m for m in marks if "text" in m):
            m["text"] = "%d" % (int(m["text"]) + len(listed))
        who, found = "run %s" % run.row["run"] + frame.apart(run.row), bands(run, names)
        listed += ["%s (%s)" % (text, who) for text in texts]
        head = "%s, %s" % (frame.name(run.cell), who)
        means = [(s["name"], labels.short(joined("", s["ys"]) or 0)) for s in found["series"]]
        said.append("%s: %s." % (head, ", ".join(map(" ".join, means))))
        panels.append({"figure": "sessions", "head": head, "title": "Sessions, " + head,
                       "kind": "area", "x": x, "y": y, **spans, "marks": marks,
                       "numbered": True, **found})  # fmt: skip
    notes = [("gap", "n/a: no sample")] * any(p["gaps"] for p in panels)
    title = "Sessions in the server, mean" + words
    alt = " ".join([title + ".", *said, *("At %s." % t for t in listed)])
    return Chart("sessions", "sessions" + file, title, panels, level, listed, notes, alt)


def bands(run: Run, names: Sequence[str]) -> Spec:
    """A value lasts until its x; where none is known before it, a point says from where on."""
    edges = [rounded(run.line.seconds[0] - run.line.lengths[0], 6), *run.xs]
    known = [False, *(y is not None for y in run.ys("sessions_cpu"))]
    points = [(i, edge) for i in range(len(run.xs)) for edge in (i, i + 1)
              if edge > i or known[i + 1] and not known[i]]  # fmt: skip
    found, xs = list[Spec](), [edges[edge] for _, edge in points]
    for name in names:
        ys, word = run.ys(name), labels.capital(figures.column(name).title.partition(": ")[2])
        found.append({**Frame.spent(name, word), "xs": xs, "ys": [ys[i] for i, _ in points]})
    gaps = [at(series.Span(*edges[i : i + 2])) for i, so in enumerate(known[1:]) if not so]
    begins = [k for k, (i, edge) in enumerate(points) if i == edge]
    return {"series": found, "gaps": gaps, "begins": begins}


# ---- outages ---------------------------------------------------------------------

PANELS = (
    ("Transactions and errors, 1/s", "Offered, done and failed", {"title": "Rate", "unit": "per s"},
     (("offered_tps", "offered", PLANNED), ("tps", "done", 0), ("errors_per_s", "errors", 1))),
    ("Connections away", "Connections away", {"title": "Connections away"},
     (("connections_away", "connections away", 3),)),
    ("Lateness, ms", "Lateness", {"title": "Lateness", "unit": "ms"},
     (("oldest_ms", "oldest start that is not done", 4),
      ("lag_p99_ms", "lag of what was done, 99th percentile", 2))),
)  # fmt: skip
GAUGES = ("connections_away", "oldest_ms")  # read where an interval ends; all else is of all of it


def outages(frame: Frame) -> list[Chart]:
    """Of each run: what was offered and done around each of its outages, and its moments."""
    found: list[Chart] = []
    for row in frame.results.rows:
        report = frame.results.report(row) or {}
        line = series.lines_of(report)
        if line and line.away:
            all_of = series.outages_of(report, line)
            found += [outage(frame, row, line, all_of, i) for i in range(len(all_of))]
    return [c for c in found[:MOST_OUTAGES] if c.panels]


def outage(
    frame: Frame, row: Row, line: series.Timeline, all_of: Sequence[series.Outage], number: int
) -> Chart:
    one = all_of[number]
    low, high = one.window
    # Those whose middle is in the window; of intervals too long for that, all that touch it.
    spans = [series.Span(end - n, end) for end, n in zip(line.seconds, line.lengths)]
    touching = [i for i, s in enumerate(spans) if series.overlap(s, one.window)]
    within = [i for i in touching if low <= sum(spans[i]) / 2 <= high]
    inside = within if len(within) > 1 else touching
    xs = [rounded(line.seconds[i], 6) for i in inside]
    marks: list[Spec] = [
        {"x": rounded(max(o.span.begin_s, low), 6), "x2": rounded(min(o.span.end_s, high), 6)}
        for o in all_of if series.overlap(o.span, one.window)
    ]  # fmt: skip
    marks += [{"x": rounded(m.at_s, 6), "text": "%d" % i} for i, m in enumerate(one.moments, 1)]
    x = {"title": "Time", "unit": "s", "scale": "linear", "min": rounded(low, 6),
         "max": rounded(high, 6)}  # fmt: skip
    panels = []
    for head, title, y, wanted in PANELS:
        drawn = []
        for name, words, colour in wanted:
            ys = [joined(name, [line.figures[name][i]]) for i in inside]
            if any(ys):
                drawn.append({"name": words, "colour": colour, "steps": name not in GAUGES,
                              "xs": xs, "ys": ys})  # fmt: skip
        if drawn:
            panels.append({"figure": title, "head": head, "title": title, "kind": "line", "x": x,
                           "summary": "Run %s" % row["run"], "marks": marks, "numbered": True,
                           "y": {"scale": "linear", "zero": True, "decimals": 1, **y},
                           "series": drawn})  # fmt: skip
    begin = labels.short(one.span.begin_s)
    title = "Outage at %s s, run %s" % (begin, row["run"])
    listed = ["%.4g s: %s" % (m.at_s, m.text) for m in one.moments]
    until = "the end of the run" if one.missing else "it was over"
    said = ["Until %s: %s." % (until, one.meanwhile), one.missing]
    where = labels.cell_text(frame.results.cell_of(row))
    alt = " ".join([title + ", %s." % where, *("At %s." % t for t in listed), *said]).strip()
    name = "outage-run-%s" % row["run"] + ("-%d" % (number + 1) if number else "")
    return Chart("outages", name, title, panels, "%s, at %s s" % (row["run"], begin), listed,
                 [("", one.missing)] if one.missing else [], alt, said)  # fmt: skip


# ---- stages ----------------------------------------------------------------------


def stages(frame: Frame) -> Iterator[Chart]:
    for level, words, file, cells in frame.by_level(frame.results.stages):
        texts = {tuple(s.text for s in found) for _, found in cells}
        longest = max((found for _, found in cells), key=len)
        named = len(texts) == 1 and len(longest) <= NAMED

        name_of: NameOf = stats.stage_name if named else lambda s: "%d" % s.number
        names = dict.fromkeys(n for _, found in cells for s in found for n in s.figures)
        x = {"title": "Stage", "scale": "category", "values": list(map(name_of, longest))}
        panels = []
        for name in (n for n in names if n != "target_tps"):
            drawn: list[Spec] = []
            for s, found in cells:
                points = [of_stage(t, name, name_of(t)) for t in found if name in t.figures]
                drawn.append({"name": frame.name(s), "colour": frame.arms.index(s.arm),
                              "points": points})  # fmt: skip
            ends = [q[k] for d in drawn for q in d["points"] for k in ("y", "min", "max") if k in q]
            drawn += planned(frame, cells, name_of) if name == "tps" else []
            panels.append({**of_figure(name), "title": figures.column(name).title + " by stage",
                           "kind": "line", "summary": "Stages of the rate", "x": x,
                           "dodge": len(cells) > 1, "y": y_axis(name, ends),
                           "series": drawn})  # fmt: skip
        listed = [] if named else [s.text for s in longest] if len(texts) == 1 else []
        yield Chart("stages", "stages" + file, "Stages of the rate" + words, panels, level, listed,
                    hollow="the stage was not sustained")  # fmt: skip


def of_stage(stage: Stage, name: str, x: str) -> Spec:
    note = "Not sustained: %s." % stage.why if stage.why else ""
    found = point(x, stage.figures[name], not stage.sustained, note=note)
    return {k: v for k, v in found.items() if k != "alone"}  # it is judged by itself


def planned(
    frame: Frame, cells: Sequence[tuple[CellSummary, list[Stage]]], name_of: NameOf
) -> list[Spec]:
    """What was planned: once if it is the same for all, else for each arm, dashed."""
    plans: list[Spec] = []
    for s, found in cells:
        points = [{"x": name_of(t), "y": t.figures["target_tps"].median} for t in found
                  if "target_tps" in t.figures]  # fmt: skip
        plans.append({"name": "planned, " + frame.name(s), "points": points,
                      "colour": frame.arms.index(s.arm) + DASHED})  # fmt: skip
    if all(p["points"] == plans[0]["points"] for p in plans):
        return [{**plans[0], "name": "planned", "colour": PLANNED}] if plans[0]["points"] else []
    return plans


# ---- searches --------------------------------------------------------------------

KINDS = {  # of steps: whether it held, whether it was brief
    (True, False): "the rate held", (False, False): "it did not",
    (True, True): "brief: held", (False, True): "brief: did not", (None, True): "not judged",
    (None, False): "not judged",
}  # fmt: skip


def searches(frame: Frame) -> Iterator[Chart]:
    """The rates that were tried, step by step, a panel an arm; a thin line is a run, the dashed one
    its answer."""

    def found_by(s: CellSummary) -> list[tuple[Row, Tree]]:
        rows = [r for r in frame.results.rows if r["cell"] == s.cell.number]
        found = ((r, found_rate.find_of_run(frame.results.report(r) or {})) for r in rows)
        return [(r, f) for r, f in found if f and f["steps"]]

    for level, words, file, cells in frame.by_level(found_by):
        panels: list[Spec] = []
        said = ["Search for the highest rate%s: the rates of all steps." % words]
        last = max(len(f["steps"]) for _, mine in cells for _, f in mine)
        for s, mine in cells:
            colour, drawn = frame.arms.index(s.arm), list[Spec]()
            steps = [(r, step) for r, f in mine for step in f["steps"]]
            for kind, text in KINDS.items():
                points = [{"x": step["step"], "y": step["rate_per_s"], "hollow": not step["holds"],
                           "note": "Run %s. %s" % (r["run"], note_of(step))}
                          for r, step in steps
                          if (step["holds"], step["brief"]) == kind]  # fmt: skip
                if points:
                    drawn.append({"name": text, "colour": colour, "faint": kind[1],
                                  "points": points, "alone": True})  # fmt: skip
            for row, f in mine:
                rate, own = f["held_per_s"], f["steps"]
                held = "no rate held" if rate is None else labels.short(rate) + " tx/s held"
                what = frame.name(s), held, f["objective"], len(own)
                said.append("%s: %s %s, after %d steps." % what)
                drawn.append({"name": "run %s" % row["run"], "colour": colour, "thin": True,
                              "line": True, "xs": [step["step"] for step in own],
                              "ys": [step["rate_per_s"] for step in own]})  # fmt: skip
                if rate is not None:
                    drawn.append({"name": "highest rate that held", "colour": PLANNED, "line": True,
                                  "xs": [1, len(own)], "ys": [rate, rate]})  # fmt: skip
            scale = scale_of([step["rate_per_s"] for _, step in steps])
            panels.append({"figure": frame.name(s), "kind": "points",
                           "title": "Rates that were tried",
                           "head": ", ".join(filter(None, (s.arm, "rate of a step, tx/s"))),
                           "x": {"title": "Step", "scale": "linear", "min": 0.5, "max": last + 0.5,
                                 "whole": True},
                           "y": {"title": "Rate", "unit": "tx/s", "decimals": 1, **scale},
                           "series": drawn})  # fmt: skip
        yield Chart("search", "search" + file, "Search for the highest rate" + words, panels, level,
                    alt=" ".join(said))  # fmt: skip


def note_of(step: Tree) -> str:
    text = {True: "Holds", False: "Does not hold", None: "Not judged"}[step["holds"]]
    why = step["why"] or ", ".join(map(found_rate.bound, step["figures"]))
    return "%s%s: %s." % ("Brief. " if step["brief"] else "", text, why)


# ---- by percentile ---------------------------------------------------------------

# The histograms of the runs that count are added bucket by bucket, and percentiles are those of the
# sum; nothing is averaged.


def percentiles(frame: Frame) -> list[Chart]:
    """A panel a level."""
    panels, said = list[Spec](), ["Response time by percentile."]
    merged = frame.by_level(lambda s: curve(series.merged(frame.results.reports(s))))
    for level, words, _, cells in merged:
        drawn: list[Spec] = []
        for s, points in cells:
            look = {} if s.held else {"hollow": True}
            drawn.append({"name": frame.name(s), "colour": frame.arms.index(s.arm),
                          "points": [{"x": q, "y": ms, **look} for q, ms in points]})  # fmt: skip
            known = [(q, [ms for at, ms in points if at >= q][:1]) for q in (0.5, 0.9, 0.99)]
            texts = ["p%g %s ms" % (100 * q, labels.short(*ms)) for q, ms in known if ms]
            said.append("%s: %s." % (labels.cell_text(s.cell), ", ".join(texts)))
        values = [p["y"] for d in drawn for p in d["points"]]
        log = scale_of(values)
        panels.append({"figure": level, "head": "Response time%s, ms" % words, "kind": "line",
                       "title": "Latency by percentile", "dodge": False,
                       "x": {"title": "Percentile", "scale": "percentile"}, "series": drawn,
                       "y": {"title": "Response time", "unit": "ms", "decimals": 3, **log},
                       })  # fmt: skip
    title = "Response time by percentile"
    dashed = any(p.get("hollow") for panel in panels for d in panel["series"] for p in d["points"])
    notes = [("dashed", "dashed: the rate was not held")] * dashed
    chart = Chart("percentiles", "percentiles", title, panels, notes=notes, alt=" ".join(said))
    return [chart] * bool(panels)


def curve(histogram: series.Histogram) -> list[tuple[float, float]]:
    """(share, ms): 0, then steps towards 1 that halve, as HdrHistogram prints them, as far as
    samples go; a bucket stands for its highest value."""
    total = sum(histogram.values())
    steps = int(math.log2(total) * STEPS) if total else -1
    ranks = iter([1 - 2 ** (-i / STEPS) for i in range(steps + 1)])
    rank, below, points = next(ranks, None), 0, []
    for (_, high), n in sorted(histogram.items()):
        below += n
        while rank is not None and below >= rank * total:
            points.append((rank, rounded(high / 1e6)))
            rank = next(ranks, None)
    return points
