# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of outages, of stages of the rate, of searches; and their panels in the timelines."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any

import pytest

from .. import pictures
from ..results import series
from ..statistics.results import Results
from ..testdata import event_reports
from . import by_level, curves, overtime, style
from .conftest import by_name, lines, span_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    top = tmp_path_factory.mktemp("lab")
    kinds = ("stages", "search", "outage")
    return {k: event_reports.make(str(top / k), k, arms=2) for k in kinds}


def heads(drawing: style.Drawing) -> list[str]:
    return [ax.get_title(loc="left") for ax in drawing.figure.axes]


def legend_of(drawing: style.Drawing) -> list[str]:
    return [text.get_text() for text in drawing.figure.legends[0].get_texts()]


def texts_of(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.texts]


# ---- timelines -----------------------------------------------------------------


def test_a_timeline_has_panels_for_errors_and_lateness(made: dict[str, Results]) -> None:
    drawing = by_name(overtime.draw(made["outage"]))["timeline-16-connections"]
    assert heads(drawing)[-3:] == [
        "Errors, 1/s",
        "Connections away",
        "Lag, 99th percentile, ms, log scale",
    ]
    errors = lines(drawing.figure.axes[-3], "run-0")[0]
    assert list(errors.get_ydata())[1:7] == [0, 0, 0, 32, 40, 0]


def test_a_timeline_without_events_has_none_of_these(results: Results) -> None:
    for name, drawing in by_name(overtime.draw(results)).items():
        assert not {"Errors, 1/s", "Connections away"} & set(heads(drawing)), name


def test_late_starts_are_a_panel_from_one_in_a_hundred_on() -> None:
    def with_late(share: float) -> series.Timeline:
        figures: dict[str, list[float | None]] = {
            "tps": [1000.0],
            "late_per_s": [1000 * share],
            "lag_p99_ms": [2.0],
        }
        return series.Timeline([1.0], [1.0], figures, None, [], [], [])

    assert not overtime.late(with_late(0.01)) and overtime.late(with_late(0.011))


def test_stages_are_named_above_the_timeline(made: dict[str, Results]) -> None:
    drawing = by_name(overtime.draw(made["stages"]))["timeline-16-connections"]
    ax = drawing.figure.axes[0]
    names = [t for t in texts_of(ax) if t != "1"]  # the number of the mark
    assert names[:2] == ["600:3s", "1200:4s"] and names[3] == "2400:2s"
    shaded = [p for p in ax.patches if p.get_gid() is None]
    assert [span_of(p)[0] for p in shaded] == pytest.approx([3.001, 8.001])
    target = lines(ax, "target")[0]
    assert list(target.get_ydata())[1:] == [600] * 3 + [1200] * 4 + [0] + [2400] * 2
    assert "every other stage" in legend_of(drawing)
    assert "Stage 1200:4s from 3.00 to 7.00 s." in drawing.alt


def test_other_steps_in_each_run_are_not_shaded(made: dict[str, Results]) -> None:
    one, two = (
        series.lines_of(made[k].report(made[k].rows[0]) or {}) for k in ("stages", "search")
    )
    assert one and two
    runs = [overtime.Run(0, "", one), overtime.Run(0, "", two)]
    assert overtime.shared_stages(runs) == [] and len(overtime.shared_stages(runs[:1])) == 4


# ---- outages -------------------------------------------------------------------


def test_an_outage_has_a_picture_of_its_own(made: dict[str, Results]) -> None:
    found = overtime.draw_outages(made["outage"])
    assert len(found) == overtime.MOST
    drawing = found[0]
    assert drawing.name == "outage-run-1"
    assert heads(drawing) == ["Transactions and errors, 1/s", "Connections away", "Lateness, ms"]
    ax = drawing.figure.axes[0]
    assert [line.get_xdata()[0] for line in lines(ax, "moment")] == pytest.approx(
        [3.2, 5, 5.2, 7.4]
    )
    assert list(lines(ax, "errors_per_s")[0].get_ydata())[4:6] == [32, 40]
    assert ax.get_xlim() == pytest.approx((0.2, 10))
    assert "2: 5.00 s, success again, 1.80 s after the first error" in legend_of(drawing)
    assert "Meanwhile: 5,040 offered" in drawing.alt


def test_an_outage_has_no_panel_in_which_nothing_is_seen(made: dict[str, Results]) -> None:
    case = overtime.cases(made["outage"])[0]
    later = series.Span(7, 10)  # connections are back
    found = case._replace(outage=case.outage._replace(window=later))
    assert heads(overtime.outage_picture(found)) == ["Transactions and errors, 1/s", "Lateness, ms"]
    figures: dict[str, list[float | None]] = {
        name: [0.0] * len(values) for name, values in case.line.figures.items()
    }
    dead = case._replace(line=dataclasses.replace(case.line, figures=figures))
    assert overtime.shown(dead) == []


def test_runs_without_outages_have_no_pictures_of_them(results: Results) -> None:
    assert (
        overtime.draw_outages(results)
        == by_level.draw_stages(results)
        == by_level.draw_searches(results)
        == []
    )


# ---- stages --------------------------------------------------------------------


def test_stages_carry_their_medians(made: dict[str, Results]) -> None:
    drawing = by_name(by_level.draw_stages(made["stages"]))["stages-16-connections"]
    ax = drawing.figure.axes[0]
    assert list(lines(ax, "stages-0")[0].get_ydata()) == [600, 1200, 0, 1400]
    assert [list(line.get_ydata()) for line in lines(ax, "planned")] == [
        [600, 600],
        [1200, 1200],
        [0, 0],
        [2400, 2400],
    ]
    assert len(lines(ax, "hollow")) == 2  # the last stage of both arms
    drawing.figure.canvas.draw()
    names = [t.get_text() for t in drawing.figure.axes[-1].get_xticklabels()]
    assert names == ["600:3s", "1200:4s", "0:1s", "2400:2s"]
    assert "4: 2400:2s: 1400 tx/s (not sustained)" in drawing.alt


def test_many_stages_are_named_by_their_numbers(made: dict[str, Results]) -> None:
    results = made["stages"]
    reports = [results.report(results.rows[0]) or {}]
    long = [
        dict(s, number=n, text="1000-2000:30s") for n, s in enumerate(reports[0]["stages"] * 2, 1)
    ]
    cell = dataclasses.replace(results.summaries[0], arm="")
    stages = by_level.stats.merged_stages([{"stages": long}], 1)
    drawing = by_level.stages_picture("", "", [(0, cell, stages)])
    drawing.figure.canvas.draw()
    ax = drawing.figure.axes[-1]
    assert [t.get_text() for t in ax.get_xticklabels()] == [str(n) for n in range(1, 9)]
    assert ax.get_xlabel().startswith("stage: 1\u00a0=\u00a01000-2000:30s, 2\u00a0=")


def test_each_plan_is_drawn(made: dict[str, Results]) -> None:
    """Arms may have other rates in stages of the same number."""
    report = made["stages"].report(made["stages"].rows[0]) or {}
    cells = made["stages"].summaries[:2]
    first = by_level.stats.merged_stages([report], 1)
    report["stages"][1]["figures"]["rate"]["target_per_s"] = 1300
    second = by_level.stats.merged_stages([report], 1)
    ax = by_level.stages_picture("", "", [(0, cells[0], first), (1, cells[1], second)]).figure.axes[
        0
    ]
    rates = [line.get_ydata()[0] for line in lines(ax, "planned")]
    assert rates == [600, 1200, 0, 2400, 1300]


# ---- searches ------------------------------------------------------------------


def test_a_search_shows_each_step_and_its_answer(made: dict[str, Results]) -> None:
    drawing = by_name(by_level.draw_searches(made["search"]))["search-16-connections"]
    assert len(drawing.figure.axes) == 2  # arms
    ax = drawing.figure.axes[0]
    steps = lines(ax, "step")
    assert [line.get_ydata()[0] for line in steps[:6]] == [s[0] for s in event_reports.STEPS]
    hollow = [line.get_markerfacecolor() == "white" for line in steps[:6]]
    assert hollow == [not s[4] for s in event_reports.STEPS]
    assert lines(ax, "answer")[0].get_ydata()[0] == 1180
    assert "1180 tx/s held p99<20ms, after 6 steps." in drawing.alt


def test_other_figures_of_searches_are_not_drawn(made: dict[str, Results]) -> None:
    results = made["search"]
    assert [d.name for d in curves.draw(results.exp, results.summaries)] == ["highest-rate"]
    more = [dataclasses.replace(s, counted=3) for s in results.summaries]
    figure = [dataclasses.replace(s, figures={
        k: dataclasses.replace(f, n=3, values=f.values * 3) for k, f in s.figures.items()
    }) for s in more]  # fmt: skip
    changed = curves.draw_effects(results.exp, figure)
    assert [ax.get_title(loc="left") for d in changed for ax in d.figure.axes] == [
        "Highest rate, change in %"
    ]


@pytest.mark.parametrize("kind", ["stages", "search", "outage"])
def test_no_text_is_cut_off(made: dict[str, Results], kind: str) -> None:
    """Every text of a new picture is inside of it."""
    for drawing in [
        *by_level.draw_searches(made[kind]),
        *by_level.draw_stages(made[kind]),
        *map(overtime.outage_picture, overtime.cases(made[kind])[:1]),
    ]:
        figure = drawing.figure
        figure.canvas.draw()
        box = figure.bbox
        for text in [t for ax in figure.axes for t in ax.texts] + list(
            figure.legends[0].get_texts()
        ):
            if text.get_text():
                extent = text.get_window_extent()
                assert box.x0 <= extent.x0 and extent.x1 <= box.x1, (drawing.name, text.get_text())


def test_all_of_them_are_among_the_pictures(tmp_path: pathlib.Path) -> None:
    for kind, wanted in (("stages", "stages"), ("search", "search"), ("outage", "outage-run-1")):
        results = event_reports.make(str(tmp_path / kind), kind, xs=(16,), repeats=1)
        names = [d.name for d in pictures.drawings(results)]
        assert any(name.startswith(wanted) for name in names), names
