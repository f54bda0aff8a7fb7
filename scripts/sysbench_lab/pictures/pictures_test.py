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
from ..plan import labels
from ..results import figures
from ..statistics import answer, stats
from ..statistics.results import Results
from ..testdata import event_reports
from . import arms, curves, front, style
from .conftest import XS, by_name, lines, summary_of

SVG = "{http://www.w3.org/2000/svg}"


# ---- files ---------------------------------------------------------------------


def test_all_files_are_whole(
    results: Results, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(style, "DPI", 40)  # coarse PNG files are drawn sooner
    steps: list[tuple[int, int, str]] = []
    directory = str(tmp_path / "new" / "pictures")
    found = pictures.draw_all(results, directory, lambda i, of, title: steps.append((i, of, title)))
    assert steps == [(i, len(found) + 1, p.title) for i, p in enumerate(found, 1)]
    names = [os.path.basename(p.path_png) for p in found]
    assert names[:3] == ["throughput.png", "response-time.png", "server-cpu.png"]
    for name in ("cost", "counters", "change", "percentiles", "timeline-1-connection"):
        assert name + ".png" in names
    assert "heat-map-128-connections.png" in names and "arms.png" not in names
    for picture in found:
        with open(picture.path_png, "rb") as f:
            check_png(f.read())
        tree = xml.etree.ElementTree.parse(picture.path_svg).getroot()
        assert tree.get("role") == "img"
        texts = [tree.findtext(SVG + tag) for tag in ("title", "desc")]
        assert texts == [picture.title, picture.alt]
        assert len(picture.alt) > 40
        said = "".join(xml.etree.ElementTree.tostring(tree, "unicode", "text").split())
        assert "1,200tx/s,MariaDB10.11.6,3runspercell,2026-" in said


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
        drawing = curves.draw(results.exp, results.summaries)[0]
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


# ---- workloads -----------------------------------------------------------------


@pytest.fixture(scope="module")
def workloads(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Five workloads with counters, two arms of which the second gains most in the last."""
    directory = str(tmp_path_factory.mktemp("workloads") / "r")
    return event_reports.make(directory, "workloads", arms=2, xs=(1, 16, 128), repeats=3)


def test_each_workload_has_a_panel_with_a_scale_of_its_own(workloads: Results) -> None:
    found = by_name(curves.draw(workloads.exp, workloads.summaries))
    assert {"throughput", "ipc", "transactions-mcycle", "server-cpu"} <= set(found)
    assert "counters" not in found
    axes = found["throughput"].figure.axes
    titles = [w + ", log scale" for w in event_reports.WORKLOADS]
    assert [ax.get_title(loc="left") for ax in axes] == titles
    assert all(ax.get_yscale() == "log" for ax in axes)
    assert all(ax.get_xscale() == "log" for ax in axes)
    first, last = (ax.get_ylim()[1] for ax in (axes[0], axes[-1]))
    assert first > 8 * last
    for number, arm in enumerate(testing.ARMS[:2]):
        (line,) = lines(axes[2], "line-%d" % number)
        medians = [
            s.figures["tps"].median
            for s in workloads.summaries
            if (s.cell.levels["arm"], s.cell.levels["load.script"])
            == (arm, event_reports.WORKLOADS[2])
        ]
        assert list(line.get_ydata()) == medians
    assert "select_random_points: Throughput against connections. one-th" in found["throughput"].alt
    entries = legend_of(found["throughput"])
    assert entries[:2] == list(testing.ARMS[:2])


def test_changes_of_the_workloads_stand_beside_each_other(workloads: Results) -> None:
    """What gains most in transactions per cycle has lost most misses of the instruction cache."""
    (drawing,) = curves.draw_effects(workloads.exp, workloads.summaries)
    assert (drawing.name, drawing.title) == (
        "change", "Change: pool-of-threads against one-thread-per-connection"
    )  # fmt: skip
    axes = {
        ax.get_title(loc="left").removesuffix(", change in %"): ax for ax in drawing.figure.axes
    }
    assert {"Throughput", "Transactions/Mcycle", "IPC", "icache misses"} <= set(axes)
    heights = {
        name: {p.get_gid(): p.get_height() for p in axes[name].patches}
        for name in ("Transactions/Mcycle", "icache misses")
    }
    assert len(heights["icache misses"]) == 5 * 3  # workloads, connections
    base, other = (
        next(s for s in workloads.summaries if s.cell.levels == {**levels, "arm": arm})
        for levels in [{"load.threads": "16", "load.script": "select"}]
        for arm in testing.ARMS[:2]
    )
    ratio = other.figures["tx_per_mcycle"].median / base.figures["tx_per_mcycle"].median
    assert heights["Transactions/Mcycle"]["change-1-1"] == pytest.approx(100 * (ratio - 1))
    assert 4 < heights["Transactions/Mcycle"]["change-0-0"] < 12
    assert heights["Transactions/Mcycle"]["change-4-0"] > 30
    assert heights["icache misses"]["change-4-0"] == pytest.approx(100 * (1 / 1.37 - 1))
    assert legend_of(drawing) == [
        "1 connection",
        "16 connections",
        "128 connections",
        "90 % interval",
    ]
    assert "IPC: one-thread" not in drawing.alt
    assert "IPC: pool-of-threads, 1 connection, oltp_simple +" in drawing.alt


def test_arms_differ_by_per_cent_at_each_level(results: Results) -> None:
    """At one level there are two latencies, no interval, and no bar."""
    one = summary_of(results, testing.ARMS[0], 16)
    p95 = one.figures["response_p95_ms"]
    two = dataclasses.replace(p95, n=2, values=p95.values[:2], low=None, high=None)
    less = dataclasses.replace(one, figures={**one.figures, "response_p95_ms": two})
    summaries = [less if s is one else s for s in results.summaries]
    (drawing,) = curves.draw_effects(results.exp, summaries)
    cpu, p95 = drawing.figure.axes[1:3]
    ticks = drawing.figure.axes[-1].get_xticklabels()
    assert [t.get_text() for t in ticks] == list(map(str, XS))
    few = [XS.index(16)]
    places = [{int(p.get_gid().split("-")[1]) for p in ax.patches} for ax in (cpu, p95)]
    assert places == [{0, 1, 2}, {0, 1, 2} - set(few)]
    hollow = [p.get_gid() for p in p95.patches if p.get_facecolor() == (1, 1, 1, 1)]
    assert hollow == ["change-2-0"]
    assert legend_of(drawing) == [
        testing.ARMS[1], "90 % interval", "no bar: no interval", "hollow: the rate was not held"
    ]  # fmt: skip
    single = [dataclasses.replace(s, counted=1) for s in results.summaries]
    assert curves.draw_effects(results.exp, single) == []


def test_points_are_joined_where_both_have_an_interval(
    results: Results, curves_drawn: list[style.Drawing]
) -> None:
    ax = by_name(curves_drawn)["cost"].figure.axes[0]
    for number, arm in enumerate(testing.ARMS[:2]):
        cells = [summary_of(results, arm, x) for x in XS]
        wanted = [
            ([a, b], "-" if s.held and t.held else "--")
            for a, b, s, t in zip(XS, XS[1:], cells, cells[1:])
            if min(s.counted, t.counted) >= stats.LEAST
        ]
        joined = lines(ax, "join-%d" % number)
        assert [(list(line.get_xdata()), line.get_linestyle()) for line in joined] == wanted


def test_where_an_arm_crosses_the_baseline_is_marked(tmp_path: pathlib.Path) -> None:
    results = Results(testing.make_results(str(tmp_path / "r")))
    found = answer.crossings(results.exp, results.summaries)
    drawn = by_name(curves.draw(results.exp, results.summaries))
    ax = drawn["cost"].figure.axes[0]
    at = [x for arm, x in found["server_cpu_us_per_tx"] if arm == testing.ARMS[1]]
    assert at and [line.get_xdata()[0] for line in lines(ax, "crossing")] == at
    assert "crosses " + testing.ARMS[0] in legend_of(drawn["cost"])
    assert "about %g" % at[0] in [t.get_text() for t in ax.texts]
    assert not lines(drawn["throughput"].figure.axes[0], "crossing")


def test_the_small_picture_is_light_and_dark(results: Results, tmp_path: pathlib.Path) -> None:
    light, dark = (pathlib.Path(p).read_text() for p in front.draw(results, str(tmp_path / "c")))
    for text in (light, dark):
        assert xml.etree.ElementTree.fromstring(text).get("width") == "600pt"
        assert "Server CPU/tx, µs" in text and "1,200 tx/s, MariaDB 10.11.6" in text
    assert front.INK.lower() in light and front.INK.lower() not in dark
    one = [s for s in results.summaries if s.cell.levels["load.threads"] == "16"]
    alone = copy.copy(results)
    alone.summaries = one
    assert front.draw(alone, str(tmp_path / "d")) == []


# ---- curves --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("picture", "panel", "figure"),
    [
        ("throughput", 0, "tps"),
        ("response-time", 1, "response_p95_ms"),
        ("response-time", 2, "response_p99_ms"),
        ("cost", 0, "server_cpu_us_per_tx"),
        ("cost", 1, "server_switches_per_tx"),
        ("counters", 0, "ipc"),
    ],
)
def test_lines_carry_the_medians(
    results: Results, curves_drawn: list[style.Drawing], picture: str, panel: int, figure: str
) -> None:
    drawing = by_name(curves_drawn)[picture]
    ax = drawing.figure.axes[panel]
    for number, arm in enumerate(labels.arm_names(results.summaries)):
        (line,) = lines(ax, "line-%d" % number)
        medians = [summary_of(results, arm, x).figures[figure].median for x in XS]
        assert list(line.get_xdata()) == list(XS)
        assert list(line.get_ydata()) == medians
        for x, y in zip(XS, medians):
            assert labels.short(y) in drawing.alt and "at %d" % x in drawing.alt


def test_what_did_not_hold_the_rate_is_hollow(curves_drawn: list[style.Drawing]) -> None:
    drawing = by_name(curves_drawn)["throughput"]
    ax = drawing.figure.axes[0]
    (mark,) = lines(ax, "hollow-0")
    assert list(mark.get_xdata()) == [128] and mark.get_markerfacecolor() == "white"
    assert lines(ax, "hollow-1") == []
    assert lines(ax, "line-0")[0].get_markerfacecolor() != "white"
    assert "(rate not held) at 128" in drawing.alt
    assert any("hollow" in text.get_text() for text in drawing.figure.legends[0].get_texts())


def test_levels_are_plain_numbers_on_a_logarithmic_axis(curves_drawn: list[style.Drawing]) -> None:
    drawing = curves_drawn[0]
    ax = drawing.figure.axes[0]
    drawing.figure.canvas.draw()
    assert ax.get_xscale() == "log"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "16", "128"]
    assert ax.get_xlabel() == "Connections"


def test_spread_is_drawn(results: Results, curves_drawn: list[style.Drawing]) -> None:
    drawing = by_name(curves_drawn)["cost"]
    found = summary_of(results, testing.ARMS[1], 16).figures["server_cpu_us_per_tx"]
    bars = [
        (line.get_xdata()[0], *line.get_ydata())
        for line in drawing.figure.axes[0].get_lines()
        if line.get_gid() is None and line.get_color() == style.colour(1)
    ]
    assert (16, found.min, found.max) in bars


def test_bars_of_arms_stand_beside_each_other(curves_drawn: list[style.Drawing]) -> None:
    drawing = by_name(curves_drawn)["cost"]
    drawing.figure.canvas.draw()
    bars = [line for line in drawing.figure.axes[0].get_lines() if line.get_gid() is None]
    places = {
        line.get_color(): line.get_transform().transform((16, line.get_ydata()[0]))[0]
        for line in bars
        if line.get_xdata()[0] == 16
    }
    one, two = (places[style.colour(number)] for number in (0, 1))
    assert 2 < (two - one) / drawing.figure.dpi * 72 < 10


def legend_of(drawing: style.Drawing) -> list[str]:
    return [text.get_text() for text in drawing.figure.legends[0].get_texts()]


def test_the_key_says_what_bars_are(results: Results, curves_drawn: list[style.Drawing]) -> None:
    drawn = by_name(curves_drawn)
    for name in ("cost", "server-cpu"):
        assert "range of the runs that count" in legend_of(drawn[name])
    single = [
        dataclasses.replace(
            s,
            counted=1,
            figures={
                k: dataclasses.replace(
                    f, n=1, min=f.median, max=f.median, low=f.median, high=f.median
                )
                for k, f in s.figures.items()
            },
        )
        for s in results.summaries
    ]
    for drawing in curves.draw(results.exp, single):
        found = legend_of(drawing)
        assert not any("the runs that count" in text for text in found)
        assert drawing.name == "server-cpu" or "not joined: fewer than 3 runs" in found
    drawing = sides(results.exp, results.summaries)
    text = "mark: median, box: its 75 % interval, line: range of the runs that count"
    assert text in legend_of(drawing)


def test_a_logarithmic_panel_says_so(curves_drawn: list[style.Drawing]) -> None:
    for drawing in curves_drawn:
        for ax in drawing.figure.axes:
            assert ax.get_title(loc="left").endswith(", log scale") == (ax.get_yscale() == "log")


def test_cpu_is_stacked_and_adds_up(results: Results, curves_drawn: list[style.Drawing]) -> None:
    drawing = by_name(curves_drawn)["server-cpu"]
    patches = drawing.figure.axes[0].patches
    usr = [p for p in patches if p.get_gid() == "usr-1"]
    sys = [p for p in patches if p.get_gid() == "sys-1"]
    assert len(usr) == len(sys) == len(XS)
    for x, low, high in zip(XS, usr, sys):
        total = summary_of(results, testing.ARMS[1], x).figures["server_cpu_pct"].median
        assert high.get_y() == low.get_height()
        assert low.get_height() + high.get_height() == pytest.approx(total)
        assert low.get_facecolor() != high.get_facecolor()
    hollow = [p for p in patches if p.get_gid() == "usr-0"][-1]
    assert hollow.get_facecolor() == (1, 1, 1, 1)


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
    style.plain_x(ax, xs, "connections")
    figure.canvas.draw()
    shown = [t for t in ax.get_xticklabels() if t.get_text()]
    assert len(ax.get_xticks()) == len(xs) and len(shown) == named
    boxes = [t.get_window_extent() for t in shown]
    assert all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:]))


def test_nothing_to_draw_without_two_levels(results: Results) -> None:
    one = [s for s in results.summaries if s.cell.levels["load.threads"] == "16"]
    assert curves.draw(results.exp, one) == []


# ---- arms ----------------------------------------------------------------------


def test_boxes_are_the_intervals(results: Results) -> None:
    ax = sides(results.exp, results.summaries).figure.axes[1]
    for row, s in enumerate(results.summaries):
        f = s.figures["server_cpu_us_per_tx"]
        boxes = [p for p in ax.patches if p.get_gid() == "box-%d" % row]
        assert len(boxes) == (1 if f.n >= stats.LEAST else 0)
        for box in boxes:
            assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx((f.low, f.high))
            assert (box.get_facecolor() == (1, 1, 1, 1)) == (not s.held)
        assert list(lines(ax, "median-%d" % row)[0].get_xdata()) == [f.median]
        assert labels.short(f.median) in [t.get_text() for t in ax.texts]


def test_two_runs_have_no_interval(results: Results) -> None:
    two = [
        dataclasses.replace(
            s, counted=2, figures={k: dataclasses.replace(f, n=2) for k, f in s.figures.items()}
        )
        for s in results.summaries
    ]
    drawing = sides(results.exp, two)
    ax = drawing.figure.axes[0]
    assert not [p for p in ax.patches if str(p.get_gid()).startswith("box")]
    faces = [lines(ax, "median-%d" % row)[0].get_markerfacecolor() for row in range(len(two))]
    assert [face == "white" for face in faces] == [not s.held for s in two]
    assert "mark: median, line: range of the runs that count" in legend_of(drawing)


def of_few(summaries: Any) -> list[Any]:
    """The first cell has had too few transactions for a 95th percentile."""
    done = dataclasses.replace(summaries[0].figures["tps"], min=19.0)
    return [
        dataclasses.replace(summaries[0], figures={**summaries[0].figures, "done": done}),
        *summaries[1:],
    ]


def test_percentiles_of_few_transactions_are_marked(results: Results) -> None:
    some = of_few(results.summaries)
    for drawing, axis, wanted in (
        (
            sides(results.exp, some),
            2,
            labels.short(some[0].figures["response_p95_ms"].median) + "*",
        ),
        (by_name(curves.draw(results.exp, some))["response-time"], 1, "*"),
    ):
        texts = [t.get_text() for t in drawing.figure.axes[axis].texts if "*" in t.get_text()]
        assert texts == [wanted]
        assert not any("*" in t.get_text() for t in drawing.figure.axes[0].texts)
        assert figures.FEW in legend_of(drawing)
    plain = sides(results.exp, results.summaries)
    assert figures.FEW not in legend_of(plain)


def test_one_arm_is_not_compared(results: Results) -> None:
    mine = [s for s in results.summaries if s.arm == testing.ARMS[0]]
    assert arms.draw(results.exp, mine) == []


def sides(exp: Any, summaries: Any) -> style.Drawing:
    """Without an axis: each cell is an arm."""
    rows = [dataclasses.replace(s, arm=labels.cell_text(s.cell)) for s in summaries]
    (drawing,) = arms.draw(dataclasses.replace(exp, x=""), rows)
    return drawing


def test_without_an_axis_all_figures_are_in_one_picture(results: Results) -> None:
    assert arms.draw(results.exp, results.summaries) == []  # they have curves
    drawing = sides(results.exp, results.summaries)
    titles = [ax.get_title(loc="left") for ax in drawing.figure.axes]
    assert titles[:3] == [
        "Throughput, tx/s",
        "Server CPU/tx, µs",
        "Response time, 95th percentile, ms, log scale",
    ]
