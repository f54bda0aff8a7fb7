# SPDX-License-Identifier: GPL-2.0-or-later
"""What is in the charts: the figures of the cells and runs, as page and pictures get them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Sequence

import pytest

from .. import testing
from ..plan import labels
from ..results import series
from ..statistics import stats
from ..statistics.results import Results
from ..testdata import event_reports
from . import Chart, Frame, Spec, happened, places, points_of

KINDS = ("stages", "search", "outage", "closed", "waits")
COST, P95 = "server_cpu_us_per_tx", "response_p95_ms"


FUNCTIONS = {f.__name__: f for f in (
    places.curves, places.changes, happened.timelines, happened.percentiles, happened.outages,
    happened.stages, happened.searches, places.time)}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Frame]:
    """Those of event_reports.py; `plain`: run 2 was disturbed and does not count, so one cell has
    two runs; `alone`: without an axis."""
    top = tmp_path_factory.mktemp("lab")
    found = {k: Frame(event_reports.make(str(top / k), k, 2, repeats=1)) for k in KINDS}
    more: dict[str, Any] = {"arms": 2, "xs": (1, 128), "repeats": 3}
    found["workloads"] = Frame(event_reports.make(str(top / "workloads"), "workloads", **more))
    results = Results(testing.make_results(str(top / "r")))
    results.exp = results.exp.with_measure(exclude_disturbed="all")
    results.summaries = stats.summarise(results.exp, results.plan, results.rows)
    found["plain"] = Frame(results)
    alone = copy.copy(results)
    alone.exp = dataclasses.replace(results.exp, x="")
    some = [s for s in results.summaries if s.cell.levels["load.threads"] in ("16", "2048")]
    alone.summaries = [dataclasses.replace(s, arm=labels.cell_text(s.cell)) for s in some]
    return {**found, "alone": Frame(alone)}


@pytest.fixture
def frame(made: dict[str, Frame]) -> Frame:
    return made["plain"]


def panel(chart: Chart, figure: str) -> Spec:
    return next(p for p in chart.panels if p["figure"] == figure)


def ys(s: Spec) -> list[Any]:
    return [q["y"] for q in points_of(s)]


def over(frame: Frame, name: str) -> Spec:
    found = places.over(frame, name)
    assert found
    return found


# ---- what is in them ---------------------------------------------------------------


def short(value: Any) -> str:
    if isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else [("", v) for v in value]
        return " ".join("%s=%s" % (k, short(v)) if k else short(v) for k, v in items)
    return "%.5g" % value if isinstance(value, float) else str(value)


def of_series(s: Spec) -> str:
    words = {k: v for k, v in s.items() if k not in ("points", "xs", "ys", "name")}
    points = []
    for q in points_of(s):
        more = short({k: v for k, v in q.items() if k not in ("x", "y")})
        points.append("%s: %s%s" % (short(q["x"]), short(q["y"]), " (%s)" % more if more else ""))
    return "    %s; %s\n      %s" % (s["name"], short(words), "; ".join(points))


def of_chart(chart: Chart, figures: Sequence[str]) -> str:
    lines = ["%s %s: %s" % (chart.kind, chart.name, chart.title)]
    lines += ["  %s: %s" % (k, getattr(chart, k)) for k in ("listed", "notes", "below", "alt")
              if getattr(chart, k)]  # fmt: skip
    for spec in chart.panels:
        if not figures or spec["figure"] in figures:
            rest = {k: v for k, v in spec.items() if k not in ("series", "meaning")}
            lines += ["  " + short(rest), *map(of_series, spec["series"])]
    return "\n".join(lines)


def test_charts(made: dict[str, Frame]) -> None:
    """`SCENE KIND FIGURE... @LEVEL`, or the first of its kind.  Medians, runs, intervals; what did
    not hold the rate is hollow, as is a run that does not count; changes over all have no average
    where they cross; a pause that was planned is no outage."""

    def said(text: str) -> str:
        scene, kind, *figures = text.split()
        if kind == "cpu":
            return "\n".join(map(of_series, (places.cpu(made[scene]) or {})["series"]))
        level = figures.pop()[1:] if figures and figures[-1][0] == "@" else ""
        charts = [c for c in FUNCTIONS[kind](made[scene]) if not level or c.level == level]
        names = " ".join("%s(%s)" % (c.name, c.level) for c in charts)
        shown = next((c for c in charts if any(p["figure"] in figures for p in c.panels)), None)
        shown = shown or (charts[0] if charts and not figures else None)
        return names + "\n" + of_chart(shown, figures) if shown else names or "nothing"

    assert testing.retold("charts", said) == testing.cases("charts")


# ---- places ----------------------------------------------------------------------


def test_a_cell_that_was_not_measured_is_a_gap(frame: Frame) -> None:
    some = copy.copy(frame)
    some.cells = [s for s in frame.cells if s.cell.number != 2]
    found = [y is None for y in ys(over(some, "tps")["series"][0])]
    assert found == [False, False, True, False, False]


def test_percentiles_of_few_transactions_are_marked(frame: Frame) -> None:
    some, first = copy.copy(frame), frame.cells[0]
    done = dataclasses.replace(first.figures["tps"], min=19.0)
    few = dataclasses.replace(first, figures={**first.figures, "done": done})
    some.cells = [few, *frame.cells[1:]]
    wanted: dict[str, list[int]] = {P95: [1], "tps": []}
    for name, marked in wanted.items():
        points = over(some, name)["series"][0]["points"]
        assert [q["x"] for q in points if q.get("few")] == marked
        assert sum(q.get("note", "").startswith("Of fewer samples") for q in points) == len(marked)


# ---- over time -------------------------------------------------------------------


def test_a_long_run_is_thinned_to_worst_latency_and_mean_rate() -> None:
    figures_of: dict[str, list[float | None]] = {
        "tps": [1.0, 5.0, None] * 200 + [3.0], P95: [1.0, 5.0, None] * 201,
    }  # fmt: skip
    seconds = [float(i + 1) for i in range(601)]
    line = series.Timeline(seconds, [1.0] * 601, figures_of, [], [], [])
    run = happened.Run({}, None, line)  # type: ignore[arg-type]
    assert run.xs[:2] == [3, 6] and run.xs[-1] == 601 and len(run.xs) == 201
    assert run.ys("tps")[:2] == [3, 3] and run.ys(P95)[:2] == [5, 5] and run.ys("tps")[-1] == 3


def test_every_other_phase_is_shaded() -> None:
    phases = [series.Span(0, 2), series.Span(2, 5)]
    line = series.Timeline([9.0], [1.0], {}, [], phases, [])
    spans, _, _ = happened.behind([happened.Run({"run": 1}, None, line)])  # type: ignore[arg-type]
    assert [(b["x"], b["x2"]) for b in spans["bands"]] == [(0, 2), (2, 5)]


# ---- outages ---------------------------------------------------------------------


def test_an_outage_keeps_its_intervals_in_a_long_run(made: dict[str, Frame]) -> None:
    report: dict[str, Any] = {
        "intervals": [
            {"elapsed_s": i + 1.0, "interval_s": 1.0, "transactions": 9, "transactions_per_s": 9.0}
            for i in range(1000)
        ],
        "summary": {"outages": {"list": [{**event_reports.one_outage(), "first_error_s": 500.2}]}},
    }
    line = series.lines_of(report)
    assert line
    row = made["outage"].results.rows[0]
    found = happened.outage(made["outage"], row, line, series.outages_of(report, line), 0)
    spec = found.panels[0]
    assert (spec["x"]["min"], spec["x"]["max"]) == (497.2, 507.4)
    assert spec["series"][0]["xs"] == [float(s) for s in range(498, 508)]


# ---- stages and searches ---------------------------------------------------------


def test_other_plans_have_the_colours_of_their_arms(made: dict[str, Frame]) -> None:
    frame = made["stages"]
    report = frame.results.report(frame.results.rows[0]) or {}
    first = stats.merged_stages([report], 1)
    report["stages"][1]["figures"]["rate"]["target_per_s"] = 1300
    second = stats.merged_stages([report], 1)
    cells = [s for s in frame.cells if s.cell.levels["load.threads"] == "16"]
    found = happened.planned(frame, list(zip(cells, (first, second))), lambda s: str(s.number))
    names = [(s["name"], s["colour"], ys(s)[1]) for s in found]
    assert names == [
        ("planned, " + testing.ARMS[0], 8, 1200),
        ("planned, " + testing.ARMS[1], 9, 1300),
    ]


# ---- by percentile ---------------------------------------------------------------


def test_percentiles_end_where_samples_do() -> None:
    points = happened.curve({(0, 10**6): 90, (10**6, 2 * 10**6): 9, (2 * 10**6, 9 * 10**6): 1})
    value = dict(points)
    assert value[0] == 1.0 and value[0.5] == 1.0
    assert max(value) < 1 and value[max(value)] == 2.0
    assert {v for q, v in value.items() if q > 0.9} == {2.0}
    assert happened.curve({}) == [] and happened.curve({(0, 10**6): 1}) == [(0, 1.0)]
