# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of what the runs' own files hold: percentiles, timelines, heat maps, flame graphs."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import xml.etree.ElementTree

import pytest

from .. import paths, pictures, testing
from ..results import series
from ..results.series import Interval
from ..statistics import stats
from ..statistics.results import Results
from . import by_level, overtime, style
from .conftest import by_name, lines, span_of, summary_of

# ---- percentiles ---------------------------------------------------------------


def test_percentiles_are_of_the_added_histograms(results: Results) -> None:
    (drawing,) = by_level.draw_percentiles(results)
    s = summary_of(results, testing.ARMS[1], 16)
    reports = [results.report(r) for r in results.rows if r["cell"] == s.cell.number]
    expected = series.curve(series.merged(r for r in reports if r))
    (line,) = lines(drawing.figure.axes[1], "curve-1")
    assert list(line.get_ydata())[1:] == [ms for _, ms in expected]
    assert list(line.get_xdata())[1:-1] == pytest.approx(
        [by_level.nines(share, 0) for share, _ in expected[:-1]]
    )
    assert "p99 " in drawing.alt


def test_disturbed_runs_are_left_out(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed = next(r for r in results.rows if r["disturbed"])
    s = next(s for s in results.summaries if s.cell.number == disturbed["cell"])
    assert len(results.reports(s)) == 3  # two are too few
    measure = dataclasses.replace(results.exp.measure, exclude_disturbed="all")
    monkeypatch.setattr(results, "exp", dataclasses.replace(results.exp, measure=measure))
    assert len(results.reports(s)) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("new  pool", "new pool"),
        (
            'mariadb --socket="$LAB_SERVER_SOCKET" -e "SET GLOBAL general_log = ON"',
            'mariadb … "SET GLOBAL general_log = ON"',
        ),
        ("x" * 60, "x" * 13 + " … " + "x" * 24),
    ],
)
def test_texts_of_marks_show_how_they_end(text: str, shown: str) -> None:
    assert overtime.shortened(text, 40) == shown


@pytest.mark.parametrize(("share", "place"), [(0, 0), (0.9, 1), (0.99, 2), (0.999, 3), (1, 6)])
def test_each_nine_has_the_same_width(share: float, place: float) -> None:
    assert by_level.nines(share, 1e-6) == pytest.approx(place)


def test_percentile_axis_names_what_was_sampled(results: Results) -> None:
    (drawing,) = by_level.draw_percentiles(results)
    drawing.figure.canvas.draw()
    named = [t.get_text() for t in drawing.figure.axes[-1].get_xticklabels()]
    assert named == ["0", "50", "90", "99", "99.9", "99.99"]


def test_levels_to_draw_are_spread() -> None:
    exp = testing.make_experiment(1, (1, 2, 4, 8, 16, 32, 64), 1, 1)
    plan = testing.make_plan(exp)
    rows = [dataclasses.replace(s, counted=1) for s in stats.summarise(exp, plan, [])]
    assert list(style.chosen(exp.x, rows)) == ["1", "4", "16", "64"]
    assert list(style.chosen(exp.x, rows, 3)) == ["1", "8", "64"]
    assert list(style.chosen("", rows)) == [""]


def test_percentiles_of_one_bucket(results: Results) -> None:
    """All samples took equally long: a level line, and an axis that ends at the median."""
    s = summary_of(results, testing.ARMS[1], 16)
    drawing = by_level.percentiles_picture(
        results, [(", 16 connections", "-16", [(1, s, [(1.0, 2.5)])])]
    )
    (line,) = lines(drawing.figure.axes[0], "curve-1")
    assert list(line.get_ydata()) == [2.5, 2.5]
    drawing.figure.canvas.draw()
    assert [t.get_text() for t in drawing.figure.axes[0].get_xticklabels()] == ["0", "50"]


# ---- timelines -----------------------------------------------------------------


def test_timeline_carries_the_intervals_and_marks(results: Results) -> None:
    drawing = by_name(overtime.draw(results))["timeline-1-connection"]
    ax = drawing.figure.axes[0]
    report = results.report(results.rows[0])
    assert report
    run = lines(ax, "run-0")[0]
    tps = [i["transactions_per_s"] for i in report["intervals"]]
    assert list(run.get_ydata())[1:] == tps
    assert list(run.get_xdata()) == list(range(len(tps) + 1))
    assert [line.get_xdata()[0] for line in lines(ax, "mark")] == [5]
    assert "Mark at 5.00 s: buffer pool 64M." in drawing.alt
    assert lines(ax, "target")[0].get_ydata()[0] == testing.RATE


def test_outages_are_hatched(results: Results) -> None:
    drawing = by_name(overtime.draw(results))["timeline-128-connections"]
    spans = [p for p in drawing.figure.axes[0].patches if p.get_gid() == "outage-0"]
    assert len(spans) == 3  # one a run
    assert {span_of(p) for p in spans} == {(6, 7)}
    assert "outage from 6.00 to 7.00 s" in drawing.alt


def test_every_other_phase_is_shaded(results: Results) -> None:
    phases = [series.Span(0, 2), series.Span(2, 5), series.Span(5, 9)]
    line = series.Timeline([9.0], [1.0], {"target_tps": [None]}, None, [], phases, [])
    legend = [text for _, text in overtime.key(results, [overtime.Run(0, "", line)], [])]
    assert "every other phase: whole intervals between marks" in legend
    _, (ax,) = style.panels("Title", [""], 2)
    overtime.backdrop(ax, [], [overtime.Run(0, "", line)], True)
    (span,) = ax.patches
    assert span_of(span) == (2, 5)


def test_marks_that_are_close_share_a_number() -> None:
    marks = [series.Mark(t, "x") for t in (2.0, 2.1, 9.0)]
    assert overtime.numbers(marks, 10) == [(2.0, "1-2"), (9.0, "3")]


# ---- heat maps -----------------------------------------------------------------


def test_heat_map_counts_every_sample(results: Results) -> None:
    found = by_name(by_level.draw_heat(results))
    assert set(found) == {"heat-map-1-connection", "heat-map-128-connections"}  # 16 has no logs
    mesh = found["heat-map-128-connections"].figure.axes[0].collections[0]
    counts = mesh.get_array().compressed()
    assert counts.sum() == 3 * (5 + 6)  # three runs, two intervals
    assert "33 transactions" in found["heat-map-128-connections"].alt


def test_intervals_of_runs_are_added() -> None:
    log = [Interval(0, 1, {1_000_000: 2}), Interval(1, 0.5, {1_000_000: 1, 10_000_000: 4})]
    m = series.merged_logs([log, log[:1]])
    assert m.edges_s == [0, 1, 1.5]
    assert m.counts == {(0, 0): 4, (1, 0): 1, (1, series.ROWS): 4}


def test_damaged_logs_are_left_out_and_counted(tmp_path: pathlib.Path, results: Results) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(results.directory, directory)
    found = Results(str(directory))
    s = summary_of(found, testing.ARMS[1], 1)
    rows = [r for r in found.rows if r["cell"] == s.cell.number]
    (directory / found.run_path(rows[0]) / series.FILE).write_text("Tag=response,0,1,2,!!")
    (directory / found.run_path(rows[1]) / series.FILE).unlink()
    many = found.heat(s)
    assert many.runs == 1
    assert by_level.head_of(s, many) == "pool-of-threads, ms, 1 of 3 runs"


# ---- flame graphs --------------------------------------------------------------


@pytest.mark.skipif(not paths.flame_program(), reason="sysbench-flame is not built")
def test_differences_of_flame_graphs(tmp_path: pathlib.Path, results: Results) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(results.directory, directory)
    found = Results(str(directory))
    for arm, samples in zip(testing.ARMS, (10, 30)):
        s = summary_of(found, arm, 128)
        row = next(r for r in found.rows if r["cell"] == s.cell.number)
        stacks = "main;parse %d\nmain;lock_wait %d\n" % (20, samples)
        (directory / found.run_path(row) / "profile.cpu.folded").write_text(stacks)
    path, back = pictures.write_differences(found)
    base, other = (summary_of(found, arm, 128).cell.number for arm in testing.ARMS[:2])
    first, second = (next(r for r in found.rows if r["cell"] == c) for c in (base, other))
    assert path == os.path.join(
        directory, found.run_path(second), "minus-%03d.cpu.svg" % first["run"]
    )
    assert back == os.path.join(
        directory, found.run_path(first), "minus-%03d.cpu.svg" % second["run"]
    )
    for file, words in (
        (path, "pool-of-threads, 128 connections minus one-thread"),
        (back, "one-thread-per-connection, 128 connections minus pool"),
    ):
        text = xml.etree.ElementTree.parse(file).getroot().itertext()
        assert any(words in part for part in text)


def test_no_stacks_no_difference(results: Results) -> None:
    assert pictures.write_differences(results) == []
