# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures: the files are whole, and matplotlib's figures carry the data that went in."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import os
import pathlib
import statistics
import struct
import sys
import xml.etree.ElementTree
import zlib
from typing import Any

import pytest

from .. import LabError, pictures, testing
from ..charts import Frame, is_wide, places
from ..plan import labels
from ..results import figures
from ..statistics import stats
from ..statistics.results import Results
from . import render, style
from .conftest import XS, by_name, lines, summary_of

SVG = "{http://www.w3.org/2000/svg}"


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


# ---- what is drawn of a chart ----------------------------------------------------


@pytest.fixture(scope="module")
def drawn(results: Results) -> dict[str, style.Drawing]:
    with style.look():
        return by_name(list(pictures.drawings(results)))


def legend_of(drawing: style.Drawing) -> list[str]:
    return [text.get_text() for text in drawing.figure.legends[0].get_texts()]


def test_points_are_joined_where_both_have_an_interval(
    results: Results, drawn: dict[str, style.Drawing]
) -> None:
    drawing = drawn["cost"]
    ax = drawing.figure.axes[0]
    for number, arm in enumerate(testing.ARMS[:2]):
        cells = [summary_of(results, arm, x) for x in XS]
        medians = [s.figures["server_cpu_us_per_tx"].median for s in cells]
        (line,) = lines(ax, "line-%d" % number)
        assert (list(line.get_xdata()), list(line.get_ydata())) == (list(XS), medians)
        assert all(labels.short(y) + " " in drawing.alt for y in medians)
        wanted = [
            ([a, b], "-" if s.held and t.held else "--")
            for a, b, s, t in zip(XS, XS[1:], cells, cells[1:])
            if min(s.counted, t.counted) >= stats.LEAST
        ]
        joined = lines(ax, "join-%d" % number)
        assert [(list(j.get_xdata()), j.get_linestyle()) for j in joined] == wanted
    (mark,) = lines(ax, "hollow-0")
    assert list(mark.get_xdata()) == [128] and mark.get_markerfacecolor() == "white"
    assert "(rate not held) at 128" in drawing.alt and lines(ax, "hollow-1") == []
    said = ["range of the runs that count", "hollow, dashed: the rate was not held"]
    assert {*said, *testing.ARMS[:2]} <= {*legend_of(drawing)}
    drawing.figure.canvas.draw()
    last = drawing.figure.axes[-1]
    assert [t.get_text() for t in last.get_xticklabels()] == ["1", "16", "128"]
    assert last.get_xlabel() == "Connections" and last.get_xscale() == "log"


def test_ranges_of_arms_stand_beside_each_other(drawn: dict[str, style.Drawing]) -> None:
    figure = drawn["cost"].figure
    figure.canvas.draw()
    at = {
        line.get_color(): line.get_transform().transform((16, line.get_ydata()[0]))[0]
        for line in lines(figure.axes[0], "range") if line.get_xdata()[0] == 16
    }  # fmt: skip
    assert 2 < (at[style.colour(1)] - at[style.colour(0)]) / figure.dpi * 72 < 10


def test_a_logarithmic_panel_says_so(drawn: dict[str, style.Drawing]) -> None:
    for ax in (ax for d in drawn.values() for ax in d.figure.axes if ax.get_title(loc="left")):
        assert ax.get_title(loc="left").endswith(", log scale") == (ax.get_yscale() == "log")


def test_cpu_is_stacked(results: Results, drawn: dict[str, style.Drawing]) -> None:
    patches = drawn["server-cpu"].figure.axes[0].patches
    usr, sys = (patches[i * len(XS) : (i + 1) * len(XS)] for i in (2, 3))  # of the second arm
    for x, low, high in zip(XS, usr, sys):
        total = summary_of(results, testing.ARMS[1], x).figures["server_cpu_pct"].median
        assert high.get_y() == low.get_height()
        assert low.get_height() + high.get_height() == pytest.approx(total)
        assert low.get_facecolor() != high.get_facecolor()
    assert patches[len(XS) - 1].get_facecolor() == (1, 1, 1, 1)


def test_bars_of_changes_have_a_key(results: Results) -> None:
    """At one level there is no interval, and no bar."""
    (chart,) = (c for c in pictures.charts_of(Frame(results)) if c.kind == "change")
    del chart.panels[2]["series"][0]["points"][1]
    drawing = render.draw(chart)
    wanted = ["90 % interval", "no bar: no interval", "hollow: the rate was not held"]
    found = [text for text in legend_of(drawing) if not text.startswith("over all: mean")]
    assert found == [testing.ARMS[1], *wanted]
    p95 = drawing.figure.axes[2]
    assert sorted(p.get_gid() for p in p95.patches)[:2] == ["bar-0-1", "bar-2-1"]


def test_boxes_are_the_intervals(results: Results) -> None:
    alone = copy.copy(results)
    alone.exp = dataclasses.replace(results.exp, x="")
    rows = [dataclasses.replace(s, arm=labels.cell_text(s.cell)) for s in results.summaries]
    done = dataclasses.replace(rows[0].figures["tps"], min=19.0)
    rows[0] = dataclasses.replace(rows[0], figures={**rows[0].figures, "done": done})
    alone.summaries = rows
    drawing = render.draw(next(places.curves(Frame(alone))))
    for name, ax in zip(("server_cpu_us_per_tx", "response_p95_ms"), drawing.figure.axes[1:]):
        texts = [t.get_text() for t in ax.texts]
        for row, s in enumerate(rows):
            f = s.figures[name]
            found = [p for p in ax.patches if p.get_gid() == "box-%d" % row]
            assert len(found) == (1 if f.n >= stats.LEAST else 0)
            for box in found:
                ends = box.get_x(), box.get_x() + box.get_width()
                assert ends == pytest.approx((f.low, f.high))
                assert (box.get_facecolor() == (1, 1, 1, 1)) == (not s.held)
            assert list(lines(ax, "median-%d" % row)[0].get_xdata()) == [f.median]
            few = "*" * (name == "response_p95_ms" and not row)  # of too few transactions
            assert texts[row] == labels.short(f.median) + few
    assert figures.FEW in legend_of(drawing)
