# SPDX-License-Identifier: GPL-2.0-or-later
"""What is in the charts: the figures of the cells and runs, as page and pictures get them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Iterable

import pytest

from .. import testing
from ..plan import labels
from ..results import figures, series
from ..statistics import answer, stats
from ..statistics.results import Results
from ..testdata import event_reports
from . import PLANNED, Chart, Frame, Spec, happened, places, points_of

KINDS = ("stages", "search", "outage", "closed")
COST, P95 = "server_cpu_us_per_tx", "response_p95_ms"


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> Frame:
    """Run 2 was disturbed, and does not count: one cell has two runs."""
    results = Results(testing.make_results(str(tmp_path_factory.mktemp("lab") / "r")))
    measure = dataclasses.replace(results.exp.measure, exclude_disturbed="all")
    results.exp = dataclasses.replace(results.exp, measure=measure)
    results.summaries = stats.summarise(results.exp, results.plan, results.rows)
    return Frame(results)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Frame]:
    top = tmp_path_factory.mktemp("lab")
    return {k: Frame(event_reports.make(str(top / k), k, arms=2)) for k in KINDS}


@pytest.fixture(scope="module")
def workloads(tmp_path_factory: pytest.TempPathFactory) -> Frame:
    """Five workloads with counters, two arms of which the second gains most in the last."""
    directory = str(tmp_path_factory.mktemp("workloads") / "r")
    return Frame(event_reports.make(directory, "workloads", arms=2, xs=(1, 16, 128), repeats=3))


def of_level(charts: Iterable[Chart], level: str) -> Chart:
    return next(c for c in charts if c.level == level)


def panel(chart: Chart, figure: str) -> Spec:
    return next(p for p in chart.panels if p["figure"] == figure)


def ys(s: Spec) -> list[Any]:
    return [q["y"] for q in points_of(s)]


def hollow(s: Spec) -> list[Any]:
    return [q["x"] for q in points_of(s) if q.get("hollow")]


def over(frame: Frame, name: str) -> Spec:
    found = places.over(frame, name)
    assert found
    return found


# ---- places ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tps", P95, COST, "ipc"])
def test_points_are_the_medians_and_the_runs(frame: Frame, name: str) -> None:
    spec = over(frame, name)
    for arm, medians, singles in zip(frame.arms, spec["series"], spec["series"][2:]):
        cells = [s for s in frame.cells if s.arm == arm]
        assert ys(medians) == [s.figures[name].median for s in cells]
        for s, q in zip(cells, medians["points"]):
            f = s.figures[name]
            assert (q["min"], q["max"], q.get("alone", False)) == (f.min, f.max, f.n < stats.LEAST)
            assert f.n < stats.LEAST or (q["low"], q["high"]) == (f.low, f.high)
        numbers = [s.cell.number for s in cells]
        rows = sorted(frame.results.rows, key=lambda r: (r["cell"], r["run"]))
        assert ys(singles) == [r[name] for r in rows if r["cell"] in numbers]


def test_what_did_not_hold_the_rate_is_hollow(frame: Frame) -> None:
    """So is a run that does not count."""
    wanted = [[2048], [], [16, 2048, 2048, 2048], []]
    assert list(map(hollow, over(frame, "tps")["series"])) == wanted
    cpu = places.cpu(frame)
    assert cpu and list(map(hollow, cpu["series"])) == [["2048"], ["2048"], [], []]


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


def test_parts_of_the_cpu_are_those_of_the_median_run(frame: Frame) -> None:
    cpu = places.cpu(frame)
    assert cpu
    for s, user, system in zip(frame.cells, *(x["points"] for x in cpu["series"][:2])):
        total = s.figures["server_cpu_pct"]
        assert user["y"] + system["y"] == pytest.approx(total.median)
        assert system["total"] == [total.min, total.max]


def test_axes_are_logarithmic_where_levels_are_far_apart(frame: Frame) -> None:
    tps, p95 = over(frame, "tps"), over(frame, P95)
    assert tps["x"]["scale"] == "log" and tps["x"]["values"] == [1, 16, 128, 512, 2048]
    axis = {"title": "Throughput", "unit": "tx/s", "decimals": 1, "scale": "linear", "zero": True}
    assert tps["y"] == axis and p95["y"]["scale"] == "log"


def test_where_an_arm_crosses_the_baseline_is_marked(frame: Frame) -> None:
    (mark,) = over(frame, COST)["marks"]
    found = answer.crossings(frame.exp, frame.results.summaries)[COST]
    assert [(testing.ARMS[mark["colour"]], mark["x"])] == found
    assert over(frame, "tps")["marks"] == []
    cost = next(c for c in places.curves(frame) if c.name == "cost")
    assert cost.notes == [("dotted", "crosses " + testing.ARMS[0])]


def test_changes_have_their_intervals_and_the_last_is_over_all(frame: Frame) -> None:
    """At one level there are two runs, no interval, and no bar.  Costs cross the baseline: over
    all, they have no average."""
    (chart,) = places.changes(frame)
    assert chart.title == "Change: %s against %s" % (testing.ARMS[1], testing.ARMS[0])
    (bars,) = panel(chart, COST)["series"]
    assert bars["name"] == testing.ARMS[1] and hollow(bars) == ["2048"]
    pairs = [p for i, p in enumerate(zip(frame.cells, frame.cells[5:])) if i != 1]
    for q, (base, other) in zip(bars["points"], pairs):
        ratio = other.figures[COST].median / base.figures[COST].median
        assert (
            q["y"] == pytest.approx(100 * (ratio - 1), abs=0.01) and q["low"] <= q["y"] <= q["high"]
        )
    assert [q["x"] for q in bars["points"]] == ["1", "128", "512", "2048"]
    assert chart.notes[0] == ("range", "90 % interval")  # of three repeats
    p95 = panel(chart, P95)["series"][0]["points"]
    assert [q["x"] for q in p95] == ["1", "128", "512", "2048", places.ALL]
    compared = answer.measured_of(frame.exp, frame.cells)
    (one,) = (o for k, o in answer.over_all(frame.exp, compared).items() if k[2] == P95)
    effect, drawn = one.effect(P95), p95[-1]
    for end, of_all in (("y", effect.ratio), ("low", effect.low), ("high", effect.high)):
        assert of_all and drawn[end] == pytest.approx(100 * (of_all - 1), abs=0.01)
    few = copy.copy(frame)
    few.cells = [dataclasses.replace(s, counted=1) for s in frame.cells]
    assert places.changes(few) == []


def test_changes_of_the_workloads_stand_beside_each_other(workloads: Frame) -> None:
    """What gains most in transactions per cycle has lost most misses of the instruction cache."""
    (chart,) = places.changes(workloads)
    misses, cycles = (panel(chart, n) for n in ("icache_misses_per_kinstr", "tx_per_mcycle"))
    assert misses["x"]["values"] == [*event_reports.WORKLOADS, places.ALL]
    names = ["1 connection", "16 connections", "128 connections"]
    assert [s["name"] for s in misses["series"]] == names
    assert misses["series"][0]["points"][-1]["y"] == pytest.approx(100 * (1 / 1.37 - 1), abs=0.01)
    first, *_, last = ys(cycles["series"][0])
    assert 4 < first < 12 and last > 30
    assert panel(chart, "tps")["series"][-1]["name"] == places.ALL


def test_each_workload_has_a_panel_with_a_scale_of_its_own(workloads: Frame) -> None:
    found = {c.name: c for c in places.curves(workloads)}
    assert {"throughput", "ipc", "transactions-mcycle", "server-cpu"} <= found.keys()
    assert "counters" not in found
    panels = found["throughput"].panels
    assert [p["head"] for p in panels] == list(event_reports.WORKLOADS)
    assert [s["name"] for s in panels[2]["series"][:2]] == list(testing.ARMS[:2])
    tops = [max(ys(p["series"][0])) for p in panels]
    assert tops[0] > 8 * tops[-1] and all(p["y"]["scale"] == "log" for p in panels)


def test_without_an_axis_arms_stand_side_by_side(frame: Frame) -> None:
    alone = copy.copy(frame.results)
    alone.exp = dataclasses.replace(frame.exp, x="")
    rows = [dataclasses.replace(s, arm=labels.cell_text(s.cell)) for s in frame.results.summaries]
    alone.summaries = rows
    (chart,) = places.curves(Frame(alone))
    heads = ["Throughput, tx/s", "Server CPU/tx, µs", "Response time, 95th percentile, ms"]
    assert [p["head"] for p in chart.panels[:3]] == heads
    assert [s["name"] for s in chart.panels[0]["series"] if not s.get("faint")] == [
        s.arm for s in rows
    ]
    text = "mark: median, box: its 75 % interval, line: range of the runs that count"
    assert chart.notes == [("", text)]
    alone.summaries = rows[:1]
    assert list(places.curves(Frame(alone))) == []


# ---- over time -------------------------------------------------------------------


def test_timelines_have_marks_and_one_entry_an_arm(frame: Frame) -> None:
    chart = of_level(happened.timelines(frame), "1")
    assert chart.listed == ["5 s: buffer pool 64M (run 1)"]
    found = panel(chart, "tps")
    assert found["marks"] == [{"x": 5, "text": "1"}]
    *runs, target = found["series"]
    assert [s["legend"] for s in runs if "like" not in s] == list(testing.ARMS[:2])
    assert len(runs) == 6 and {len(s["xs"]) for s in runs} == {10}
    assert target["name"] == "target rate" and ys(target)[0] == testing.RATE
    away = of_level(happened.timelines(frame), "2048")
    assert panel(away, "tps")["marks"] == [{"x": 6, "x2": 7}]  # of all runs, as one
    assert "Outage from 6 to 7 s." in away.alt
    other = of_level(happened.timelines(frame), "16")
    assert [s["apart"] for s in panel(other, "tps")["series"][:2]] == [True, False]


def test_a_long_run_is_thinned_to_worst_latency_and_mean_rate() -> None:
    figures_of: dict[str, list[float | None]] = {
        "tps": [1.0, 5.0, None] * 200 + [3.0], P95: [1.0, 5.0, None] * 201,
    }  # fmt: skip
    seconds = [float(i + 1) for i in range(601)]
    line = series.Timeline(seconds, [1.0] * 601, figures_of, [], [], [])
    run = happened.Run({}, None, line)  # type: ignore[arg-type]
    assert run.xs[:2] == [3, 6] and run.xs[-1] == 601 and len(run.xs) == 201
    assert run.ys("tps")[:2] == [3, 3] and run.ys(P95)[:2] == [5, 5] and run.ys("tps")[-1] == 3


def test_stages_stand_behind_the_timeline(made: dict[str, Frame]) -> None:
    chart = of_level(happened.timelines(made["stages"]), "16")
    found = panel(chart, "tps")
    assert [b["text"] for b in found["bands"]] == ["600:3s", "1200:4s", "0:1s", "2400:2s"]
    assert [b["held"] for b in found["bands"]][-1] is False
    assert ys(found["series"][-1]) == [600] * 3 + [1200] * 4 + [0] + [2400] * 2
    assert "1200:4s from 3 to 7 s." in chart.alt
    assert [m for m in found["marks"] if "x2" in m] == []  # the pause is no outage
    searched = panel(of_level(happened.timelines(made["search"]), "16"), "tps")
    assert searched["series"][-1]["name"] == "offered"


def test_every_other_phase_is_shaded() -> None:
    phases = [series.Span(0, 2), series.Span(2, 5)]
    line = series.Timeline([9.0], [1.0], {}, [], phases, [])
    spans, _, _ = happened.behind([happened.Run({"run": 1}, None, line)])  # type: ignore[arg-type]
    assert [(b["x"], b["x2"]) for b in spans["bands"]] == [(0, 2), (2, 5)]


def test_errors_over_time_are_a_figure_where_there_were_any(
    made: dict[str, Frame], frame: Frame
) -> None:
    chart = of_level(happened.timelines(made["outage"]), "16")
    errors = panel(chart, "errors_per_s")
    assert ys(errors["series"][0])[2:6] == [0, 32, 40, 0] and errors["y"]["unit"] == "1/s"
    known = {p["figure"] for p in chart.panels}
    assert "connections_away" in known and "failed_per_s" not in known
    assert not {"errors_per_s", "connections_away"} & {
        p["figure"] for c in happened.timelines(frame) for p in c.panels
    }


# ---- outages ---------------------------------------------------------------------


def test_an_outage_has_rates_lateness_and_moments(made: dict[str, Frame], frame: Frame) -> None:
    found = happened.outages(made["outage"])
    assert len(found) == 8 and found[0].name == "outage-run-1" and happened.outages(frame) == []
    rates, away, lateness = found[0].panels
    assert [s["name"] for s in rates["series"]] == ["offered", "done", "errors"]
    assert ys(rates["series"][2])[2:6] == [0, 32, 40, 0]
    assert max(ys(away["series"][0])) == 16
    band, *moments = rates["marks"]
    assert band == {"x": 3.2, "x2": 7.4}
    assert [(m["x"], m["text"]) for m in moments] == [(3.2, "1"), (5, "2"), (5.2, "3"), (7.4, "4")]
    assert found[0].listed[1] == "5 s: success again, 1.80 s after the first error"
    assert [max(ys(s)) for s in lateness["series"]] == [1800, 1800]
    assert found[0].below[0].startswith("Until it was over: 5,040 offered")
    (closed, *_) = happened.outages(made["closed"])  # without a rate nothing is late
    assert [p["title"] for p in closed.panels] == ["Offered, done and failed", "Connections away"]
    assert [s["name"] for s in closed.panels[0]["series"]] == ["done", "errors"]
    words = [text.partition(": ")[2].split(",")[0] for text in closed.listed]
    assert words == ["first error", "success again", "lost connections are back"]
    said = "Until it was over: 5,040 done, 0 failed; 72 errors, 16 connections lost."
    assert closed.below[0] == said


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


def test_stages_are_drawn_beside_what_was_planned(made: dict[str, Frame]) -> None:
    chart = of_level(happened.stages(made["stages"]), "16")
    tps = panel(chart, "tps")
    assert tps["x"]["values"] == ["1: 600:3s", "2: 1200:4s", "3: 0:1s", "4: 2400:2s"]
    arm, _, planned = tps["series"]
    assert ys(arm) == [600, 1200, 0, 1400] and hollow(arm) == ["4: 2400:2s"]
    assert arm["points"][3]["note"] == "Not sustained: %s." % event_reports.WHY
    assert ys(planned) == [600, 1200, 0, 2400] and planned["colour"] == PLANNED
    assert len(panel(chart, P95)["series"]) == 2  # nothing is planned there
    assert list(happened.stages(made["search"])) == []


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


def test_steps_of_a_search(made: dict[str, Frame]) -> None:
    chart = of_level(happened.searches(made["search"]), "16")
    assert len(chart.panels) == 2  # arms
    found = {s["name"]: s for s in chart.panels[0]["series"]}
    assert [q["x"] for q in found["the rate held"]["points"]][:3] == [3, 5, 6]
    missed = found["it did not"]["points"][0]
    assert missed["hollow"] and missed["x"] == 4
    assert missed["note"] == "Run 1. Does not hold: p99 24.9 ms, not < 20.0 ms."
    assert [q["x"] for q in found["brief: did not"]["points"]][:1] == [2]
    assert ys(found["run 1"]) == [s[0] for s in event_reports.STEPS]
    assert ys(found["highest rate that held"]) == [1180, 1180]
    assert "1180 tx/s held p99<20ms, after 6 steps." in chart.alt
    names = [c.name for c in places.curves(made["search"])]
    assert names == ["highest-rate"]  # other figures are of all the rates that it tried


# ---- by percentile ---------------------------------------------------------------


def test_percentiles_end_where_samples_do() -> None:
    points = happened.curve({(0, 10**6): 90, (10**6, 2 * 10**6): 9, (2 * 10**6, 9 * 10**6): 1})
    value = dict(points)
    assert value[0] == 1.0 and value[0.5] == 1.0
    assert max(value) < 1 and value[max(value)] == 2.0
    assert {v for q, v in value.items() if q > 0.9} == {2.0}
    assert happened.curve({}) == [] and happened.curve({(0, 10**6): 1}) == [(0, 1.0)]


def test_percentiles_add_up_the_runs_that_count(frame: Frame) -> None:
    (chart,) = happened.percentiles(frame)
    spec = panel(chart, "16")
    disturbed = next(r for r in frame.results.rows if r["disturbed"])
    s = next(s for s in frame.cells if s.cell.number == disturbed["cell"])
    reports = frame.results.reports(s)
    assert len(reports) == 2
    wanted = happened.curve(series.merged(reports))
    assert [(q["x"], q["y"]) for q in spec["series"][frame.arms.index(s.arm)]["points"]] == wanted
    assert hollow(panel(chart, "2048")["series"][0]) and "p99 " in chart.alt
    assert figures.FEW not in [text for _, text in chart.notes]
