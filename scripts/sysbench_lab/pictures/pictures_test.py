# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures: the files are whole, and matplotlib's figures carry the data that went in."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import os
import pathlib
import shutil
import statistics
import struct
import sys
import xml.etree.ElementTree
import zlib
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex

from .. import LabError, paths, pictures, testing
from ..charts import Frame, happened, is_wide, places
from ..plan import labels
from ..results import figures, series
from ..results.series_test import line_of, packed
from ..statistics.breakdown_test import counted
from ..statistics.rank_rows_test import with_ranks
from ..statistics.results import Results
from ..testdata import event_reports
from . import heat, render, style

SVG = "{http://www.w3.org/2000/svg}"

XS = (1, 16, 128)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two arms; the first does not hold the rate at 128; run 2 is disturbed; run 1 has a mark."""
    directory = tmp_path_factory.mktemp("lab") / "results"
    testing.make_results(str(directory), arms=2, xs=XS, repeats=3, seed=7)
    found = Results(str(directory))
    add_logs(found)
    return found


def add_logs(results: Results) -> None:
    """A log for every run but those of 16 connections: 5 samples of about 1 ms, one of 70 ms."""
    one, two = packed([-500, 5]), packed([-500, 5, *one_at(70_000_000)])
    for row in results.rows:
        if row["load.threads"] == "16":
            continue
        path = os.path.join(results.directory, results.run_path(row), series.FILE)
        with open(path, "w", encoding="utf-8") as f:
            f.write(line_of("response", "0.000", one) + "\n" + line_of("response", "1.000", two))


def one_at(ns: int) -> list[int]:
    """One sample: how many empty buckets come before it does not matter here."""
    return [-(ns.bit_length() * 700), 1]


@pytest.fixture(autouse=True)
def look() -> Any:
    with style.look():
        yield


def by_name(drawings: list[style.Drawing]) -> dict[str, style.Drawing]:
    return {d.name: d for d in drawings}


def lines(ax: Any, gid: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def summary_of(results: Results, arm: str, x: int) -> Any:
    return next(
        s for s in results.summaries if s.arm == arm and s.cell.levels["load.threads"] == str(x)
    )


# ---- files ---------------------------------------------------------------------


def check_png(data: bytes) -> None:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width = struct.unpack(">I", data[16:20])[0]
    assert width == round(style.WIDTH * style.DPI)
    at, ended = 8, False
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        crc = struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]
        assert zlib.crc32(data[at + 4 : at + 8 + size]) == crc
        at, ended = at + 12 + size, kind == b"IEND"
    assert ended


def test_the_same_results_give_the_same_files(results: Results, tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        drawing = render.draw(next(places.curves(Frame(results))))
        os.mkdir(tmp_path / name)
        style.write(drawing, str(tmp_path / name))
    for file in ("throughput.png", "throughput.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_names_from_users_cannot_break_the_svg(tmp_path: pathlib.Path) -> None:
    figure, _ = style.panels("<b>&\\1", [""], 1)
    _, svg = style.write(
        style.Drawing("x", "<b>&\\1", "</desc><script>\\g<0>", figure), str(tmp_path)
    )
    tree = xml.etree.ElementTree.parse(svg).getroot()
    assert tree.findtext(SVG + "title") == "<b>&\\1"
    assert tree.findtext(SVG + "desc") == "</desc><script>\\g<0>"
    assert not list(tree.iter(SVG + "script"))


def test_letters_that_no_font_has_are_no_warning(
    tmp_path: pathlib.Path, recwarn: pytest.WarningsRecorder
) -> None:
    """The SVG has them as text; U+10FFFD is in no font."""
    figure, _ = style.panels("数据库 \U0010fffd", [""], 1)
    _, svg = style.write(style.Drawing("x", "x", "", figure), str(tmp_path))
    assert [str(w.message) for w in recwarn if "Glyph" in str(w.message)] == []
    assert "数据库" in pathlib.Path(svg).read_text(encoding="utf-8")


def test_a_directory_that_cannot_be_written(results: Results, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="cannot write pictures into .*file/x: Not a directory"):
        pictures.draw_all(results, str(tmp_path / "file" / "x"), lambda *_: None)


def test_the_caller_learns_that_matplotlib_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.startswith("sysbench_lab.pictures")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # type: ignore[misc]
    with pytest.raises(ImportError) as caught:
        importlib.import_module("sysbench_lab.pictures")
    assert caught.value.name == "matplotlib"


@pytest.mark.parametrize(
    ("usr", "sys", "shown"),
    [
        ((1.0, 1.4, 1.5), (0.9, 0.3, 0.1), (1.4, 0.3)),  # sums 1.9, 1.7, 1.6
        ((1.0, 3.0), (0.5, 0.1), (2.0, 0.3)),
        ((1.0, 3.0, 9.0, 0.0), (0.5, 0.1, 0.0, 0.1), (2.0, 0.3)),
    ],
)
def test_parts_of_the_cpu_add_up_to_its_median(
    results: Results, usr: tuple[float, ...], sys: tuple[float, ...], shown: Any
) -> None:
    s = summary_of(results, testing.ARMS[1], 16)
    total = tuple(a + b for a, b in zip(usr, sys))
    spreads = dict(s.figures)
    for name, values in (
        ("server_usr_pct", usr),
        ("server_sys_pct", sys),
        ("server_cpu_pct", total),
    ):
        spreads[name] = dataclasses.replace(spreads[name], n=len(usr), values=values)
    parts = figures.cpu_parts(spreads)
    assert parts == pytest.approx(shown)
    assert sum(parts) == pytest.approx(statistics.median(total))


@pytest.mark.parametrize(
    ("xs", "named"),
    [
        ((1, 2, 4, 8, 16, 32, 64, 128), 8),
        ((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 10),
        ((1000, 1001, 1500, 2000), 3),
        (tuple(range(100, 2100, 100)), 8),
    ],
)
def test_names_of_levels_have_room(xs: tuple[float, ...], named: int) -> None:
    figure, (ax,) = style.panels("Title", [""], 2)
    ax.plot(xs, [10000] * len(xs))
    style.plain_x(ax, xs, "connections", is_wide(xs))
    figure.canvas.draw()
    shown = [t for t in ax.get_xticklabels() if t.get_text()]
    assert len(ax.get_xticks()) == len(xs) and len(shown) == named
    boxes = [t.get_window_extent() for t in shown]
    assert all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:]))


# ---- what is drawn -----------------------------------------------------------------


def scene(name: str, results: Results, directory: str) -> Results:
    """Without an axis, a percentile of few transactions is marked, too."""
    if name in ("stages", "search", "outage"):
        return event_reports.make(directory, name, arms=2)
    if name == "ranks":
        return with_ranks(testing.make_results(directory, arms=1, xs=(1, 16), seed=3))
    if name == "calls":
        return counted(pathlib.Path(directory), 12)
    if name == "alone":
        alone = copy.copy(results)
        alone.exp = dataclasses.replace(results.exp, x="")
        rows = [dataclasses.replace(s, arm=labels.cell_text(s.cell)) for s in results.summaries]
        done = dataclasses.replace(rows[0].figures["tps"], min=19.0)
        rows[0] = dataclasses.replace(rows[0], figures={**rows[0].figures, "done": done})
        alone.summaries = rows
        return alone
    return results


def box_of(patch: Any) -> str:
    """Also of a band, which is a polygon before matplotlib 3.9."""
    box = patch.get_patch_transform().transform_path(patch.get_path()).get_extents()
    shade = to_hex(patch.get_facecolor())
    return "%.4g-%.4g x %.4g-%.4g %s" % (box.x0, box.x1, box.y0, box.y1, shade)


def shape_of(line: Any) -> str:
    points = zip(line.get_xdata(), line.get_ydata())
    look = line.get_linestyle(), "white " * (line.get_markerfacecolor() == "white")
    return "%s %s%s" % (*look, " ".join("%.4g,%.4g" % p for p in points if None not in p))


def of_drawing(drawing: style.Drawing, whole: int = 99) -> str:
    """All that has a name of ours: it is of a chart.  Of axes after so many, the title."""
    lines = ["%s: %s" % (drawing.name, drawing.title), "alt: " + drawing.alt]
    for number, ax in enumerate(drawing.figure.axes):
        lines += ["axes %s (%s)" % (ax.get_title(loc="left"), ax.get_yscale())]
        if number >= whole:
            continue
        named = [(a, shape_of(a)) for a in ax.get_lines()] + [(a, box_of(a)) for a in ax.patches]
        like = itertools.groupby(((a.get_gid(), shown) for a, shown in named), lambda x: x[0])
        found = [(gid, " | ".join(shown for _, shown in some)) for gid, some in like if gid]
        lines += ["  %s %s" % one for one in found]
        lines += ["  texts %s" % [t.get_text() for t in ax.texts]] * bool(ax.texts)
    if drawing.figure.legends:
        keys = (t.get_text() for t in drawing.figure.legends[0].get_texts())
        lines.append("legend: " + "; ".join(keys))
    return "\n".join(lines)


def test_drawings(results: Results, tmp_path: pathlib.Path) -> None:
    """`SCENE`: the names of all; `SCENE NAME AXES`: one.  Points are joined where both have an
    interval; what did not hold the rate is hollow and dashed; a bar is where an interval is."""
    made: dict[str, dict[str, style.Drawing]] = {}

    def said(text: str) -> str:
        name, *picture = text.split()
        if name not in made:
            found = scene(name, results, str(tmp_path / name))
            made[name] = by_name(list(pictures.drawings(found)))
        if not picture:
            return " ".join(made[name])
        return of_drawing(made[name][picture[0]], *map(int, picture[1:]))

    assert testing.retold("pictures", said) == testing.cases("pictures")
    for ax in (ax for d in made["plain"].values() for ax in d.figure.axes):
        if title := ax.get_title(loc="left"):
            assert title.endswith(", log scale") == (ax.get_yscale() == "log")
    for d in (d for found in made.values() for d in found.values()):
        if d.name.startswith(("stages", "search", "outage-run-1")):
            no_text_is_cut_off(d)
    figure = made["plain"]["cost"].figure
    figure.canvas.draw()
    at = {
        line.get_color(): line.get_transform().transform((16, line.get_ydata()[0]))[0]
        for line in lines(figure.axes[0], "range") if line.get_xdata()[0] == 16
    }  # fmt: skip
    assert 2 < (at[style.colour(1)] - at[style.colour(0)]) / figure.dpi * 72 < 10
    last = figure.axes[-1]
    assert [t.get_text() for t in last.get_xticklabels()] == ["1", "16", "128"]
    assert last.get_xlabel() == "Connections" and last.get_xscale() == "log"


def no_text_is_cut_off(drawing: style.Drawing) -> None:
    figure = drawing.figure
    figure.canvas.draw()
    texts = [t for ax in figure.axes for t in ax.texts] + list(figure.legends[0].get_texts())
    for text in filter(lambda t: t.get_text(), texts):
        extent = text.get_window_extent()
        inside = figure.bbox.x0 <= extent.x0 and extent.x1 <= figure.bbox.x1
        assert inside, (drawing.name, text.get_text())


def test_a_change_without_an_interval_has_no_bar(results: Results) -> None:
    (chart,) = (c for c in pictures.charts_of(Frame(results)) if c.kind == "change")
    del chart.panels[2]["series"][0]["points"][1]
    drawing = render.draw(chart)
    assert of_drawing(drawing).endswith("; no bar: no interval; hollow: the rate was not held")
    assert sorted(p.get_gid() for p in drawing.figure.axes[2].patches)[:2] == ["bar-0-1", "bar-2-1"]


def test_percentile_axis_names_what_was_sampled(results: Results) -> None:
    """Each nine has the same width."""
    (chart,) = happened.percentiles(Frame(results))
    figure = render.draw(chart).figure
    figure.canvas.draw()
    named = [t.get_text() for t in figure.axes[-1].get_xticklabels()]
    assert named == ["0", "50", "90", "99", "99.9", "99.99"]
    assert list(figure.axes[-1].get_xticks()) == pytest.approx([0, 0.30103, 1, 2, 3, 4])


def test_marks_that_are_close_share_a_number() -> None:
    marks = [{"x": t, "text": "%d" % i} for i, t in enumerate((2.0, 2.1, 9.0), 1)]
    _, (ax,) = style.panels("Title", [""], 2)
    render.marks(ax, {"x": {"min": 0, "max": 10}, "marks": marks, "numbered": True})
    assert [(t.get_text(), t.xy[0]) for t in ax.texts] == [("1-2", 2.0), ("3", 9.0)]
    assert [line.get_xdata()[0] for line in lines(ax, "mark")] == [2.0, 2.1, 9.0]


def test_calls() -> None:
    says = testing.called(pictures, render)
    assert testing.retold("calls_pictures", says) == testing.cases("calls_pictures")


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
