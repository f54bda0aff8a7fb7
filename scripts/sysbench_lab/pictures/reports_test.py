# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of what the runs' own files hold: percentiles, timelines, heat maps, flame graphs."""

from __future__ import annotations

import os
import pathlib
import shutil
import xml.etree.ElementTree

import pytest

from .. import paths, pictures, testing
from ..charts import Frame, happened
from ..results import series
from ..statistics.results import Results
from . import heat, render, style
from .conftest import XS, by_name, lines, summary_of

# ---- over time, by percentile --------------------------------------------------


def test_percentile_axis_names_what_was_sampled(results: Results) -> None:
    """Each nine has the same width."""
    (chart,) = happened.percentiles(Frame(results))
    figure = render.draw(chart).figure
    figure.canvas.draw()
    named = [t.get_text() for t in figure.axes[-1].get_xticklabels()]
    assert named == ["0", "50", "90", "99", "99.9", "99.99"]
    assert list(figure.axes[-1].get_xticks()) == pytest.approx([0, 0.30103, 1, 2, 3, 4])


def test_levels_to_draw_are_spread() -> None:
    names = ["1", "2", "4", "8", "16", "32", "64"]
    assert pictures.spread_of(names) == ["1", "4", "16", "64"]
    assert pictures.spread_of(names, 3) == ["1", "8", "64"] and pictures.spread_of([""]) == [""]


def test_marks_that_are_close_share_a_number() -> None:
    marks = [{"x": t, "text": "%d" % i} for i, t in enumerate((2.0, 2.1, 9.0), 1)]
    _, (ax,) = style.panels("Title", [""], 2)
    render.marks(ax, {"x": {"min": 0, "max": 10}, "marks": marks, "numbered": True})
    assert [(t.get_text(), t.xy[0]) for t in ax.texts] == [("1-2", 2.0), ("3", 9.0)]
    assert [line.get_xdata()[0] for line in lines(ax, "mark")] == [2.0, 2.1, 9.0]


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
    assert render.shortened(text, 40) == shown


# ---- heat maps -----------------------------------------------------------------


def test_heat_map_counts_every_sample(results: Results) -> None:
    found = by_name(heat.draw(Frame(results), list(map(str, XS))))
    assert set(found) == {"heat-map-1-connection", "heat-map-128-connections"}  # 16 has no logs
    mesh = found["heat-map-128-connections"].figure.axes[0].collections[0]
    counts = mesh.get_array().compressed()
    assert counts.sum() == 3 * (5 + 6)  # three runs, two intervals
    assert "33 transactions" in found["heat-map-128-connections"].alt


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
    assert heat.head_of(s, many) == "pool-of-threads, ms, 1 of 3 runs"


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
