# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts and pictures of the page: with and without Chart.js, over time, and what the scripts draw.

Fixtures and the reader of pages are those of page_test.py.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from .. import LabError, page, pictures, testing
from ..plan.model import Factor, Level
from ..results import figures
from ..statistics.results import Results
from . import data, parts
from .page_test import Tree, directory, library, lines, written

__all__ = ["directory", "library"]  # fixtures


# ---- Chart.js and pictures -----------------------------------------------------


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    directory = testing.make_results(str(tmp_path / "r"), xs=(1, 2), repeats=1)
    os.mkdir(os.path.join(directory, "pictures"))
    svg = "<svg xmlns='http://www.w3.org/2000/svg'>%s</svg>"
    words = "<title>Tps &amp; more</title><desc>Up.</desc>"
    Path(directory, "pictures", "tps.svg").write_text(svg % words)
    Path(directory, "pictures", "tps.png").write_bytes(b"")
    return directory


def test_without_chart_js_the_pictures_are_in_the_page(
    drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(page.VARIABLE, "no")
    tree = Tree(written(drawn))
    (image, _), *more = tree.all("img")
    assert not more and image["alt"] == "Up."
    kind, _, text = image["src"].partition(",")
    assert kind == "data:image/svg+xml;base64" and b"<desc>Up." in base64.b64decode(text)
    pictures = tree.one("section", id="pictures")
    assert "pictures in place of charts: Chart.js was not wanted" in pictures
    assert "Tps & more" in pictures


def test_with_chart_js_there_are_no_pictures(drawn: str) -> None:
    text = written(drawn)
    assert not list(Tree(text).all("img")) and "tps.svg" not in text


def test_pictures_do_not_depend_on_the_current_directory(
    drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(page.VARIABLE, "no")
    monkeypatch.chdir(os.path.dirname(drawn))
    results = Results(os.path.basename(drawn))
    made = pictures.Picture("r/pictures/tps.png", "r/pictures/tps.svg", "Tps", "Up.")
    for given in ((), (made,)):
        page.write(results, "r/index.html", given)
        tree = Tree(Path(drawn, "index.html").read_text())
        assert [a["alt"] for a, _ in tree.all("img")] == ["Up."]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("/*! Chart.js v4.4.0 */", "chart.js is Chart.js v4.4.0; the page needs Chart.js 3."),
        ("alert(1)", "chart.js is a file of another library; the page needs Chart.js 3."),
    ],
)
def test_another_chart_js_is_not_used(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chart.js"
    path.write_text(text)
    monkeypatch.setenv(page.VARIABLE, str(path))
    found = page.load()
    assert found.text == "" and found.reason.endswith(reason)


def test_a_chart_js_that_is_not_there_is_a_complaint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(page.VARIABLE, "/nowhere/chart.js")
    with pytest.raises(LabError, match="SYSBENCH_LAB_CHART_JS=/nowhere/chart.js: there is no such"):
        page.load()


def test_flame_graphs_are_named_with_their_places(drawn: str) -> None:
    results = Results(drawn)
    place = results.run_path(results.rows[0])
    Path(drawn, place, "off cpu.svg").write_text("<svg/>")
    tree = Tree(written(drawn))
    (text,) = (t for _, t in tree.all("li") if "cpu.svg" in t)
    assert text.startswith("Run 1, one-thread-per-connection, ")
    assert text.endswith(place + "/off cpu.svg")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("oltp_read_only.cpu.svg", "where CPU time goes"),
        ("oltp_read_only.offcpu.svg", "where threads wait"),
        ("minus-001.offcpu.svg", "where threads wait, minus that of run 1"),
        ("minus-010.cpu.svg", "where CPU time goes, minus that of run 10"),
        ("on-cpu.svg", "on-cpu.svg"),
        ("my.own.svg", "my.own.svg"),
    ],
)
def test_flame_graphs_say_what_they_show(name: str, words: str) -> None:
    assert parts.flame_words(name) == words


# ---- over time, by percentile --------------------------------------------------


def test_a_long_run_is_thinned_to_worst_latency_and_mean_rate() -> None:
    assert data.bunched("response_p95_ms", [1.0, 5.0, None, 2.0, 3.0], 2) == [5.0, 2.0, 3.0]
    assert data.bunched("tps", [1.0, 5.0, None, None, 3.0], 2) == [3.0, None, 3.0]


def test_thinned_points_stand_at_the_ends_of_their_intervals() -> None:
    from ..results import series

    seconds = [float(i + 1) for i in range(601)]
    line = series.Timeline(
        seconds, [1.0] * 601, {"tps": [1.0] * 601, "x_ms": [None] * 601}, None, [], [], []
    )
    found = data.timeline(line)
    assert found["joined"] == 3 and list(found["figures"]) == ["tps"]
    assert found["seconds"][:2] == [3.0, 6.0] and found["seconds"][-1] == 601.0
    assert len(found["seconds"]) == len(found["figures"]["tps"]) == 201


def test_percentiles_end_where_samples_do() -> None:
    points = data.curve({(0, 10**6): 90, (10**6, 2 * 10**6): 9, (2 * 10**6, 9 * 10**6): 1})
    value = {q: ms for q, ms in points}
    assert value[0] == 1.0 and value[0.5] == 1.0
    assert max(value) < 1 and value[max(value)] == 2.0
    assert {v for q, v in value.items() if q > 0.9} == {2.0}
    assert data.curve({}) == []


def test_percentiles_add_up_the_runs_that_count(directory: str) -> None:
    results = Results(directory)
    found = data.percentiles_of(results)
    assert [f["cell"] for f in found] == list(range(10))
    rows = [r["run"] for r in results.rows if r["cell"] == 1]
    counted = results.counting(results.summaries[1])
    assert [r["run"] for r in counted] == rows


# ---- what the scripts make of it -----------------------------------------------

NODE = r"""
const fs = require('fs');
global.window = global;
process.argv.slice(2).forEach((script) => eval(fs.readFileSync(script, 'utf8')));
const data = JSON.parse(fs.readFileSync(0, 'utf8'));
const {change, overX, cpu, timeline, percentiles} = LabCharts;
const setup = (spec) => SbConfig.configure(spec, () => '', null);
const segment = (spec) => setup(spec).data.datasets[0].segment.borderColor;
const tps = overX(data, 'tps', 0);
const away = JSON.parse(JSON.stringify(data));
away.cells.splice(2, 1); // was not measured
const short = JSON.parse(JSON.stringify(data));
short.cells[1].figures.tps.length = 3; // of two runs, without an interval
const gap = overX(short, 'tps', 0);
const marked = JSON.parse(JSON.stringify(data));
marked.cells[0].few = ['response_p95_ms'];
const few = overX(marked, 'response_p95_ms', 0);
const starred = []; // where the plugin draws
SbConfig.plugins(() => [few, () => '']).find((p) => p.id === 'sbFew').afterDatasetsDraw({
  ctx: {save() {}, restore() {}, fillText(text, x, y) { starred.push([text, x, y]); }},
  isDatasetVisible: () => true,
  getDatasetMeta: (k) => ({data: few.series[k].points.map((p, i) => ({x: 100 * k + i, y: 0}))}),
});
data.cells[1].cpu = [2, 1]; // of a run whose parts are not the medians of the parts
process.stdout.write(JSON.stringify({tps, few: few.series[0].points[0], starred,
  headings: [few, overX(data, 'response_p95_ms', 0)].map(SbConfig.heading),
  p95: overX(data, 'response_p95_ms', 0),
  cost: overX(data, 'server_cpu_us_per_tx', 0), change: change(data, 'server_cpu_us_per_tx', 0),
  away: overX(away, 'tps', 0).series[0].points.map((p) => p.y === null),
  joined: [0, 1, 2].map((i) => segment(gap)({p0DataIndex: i, p1DataIndex: i + 1}) === undefined),
  cpu: cpu(data, 0), timeline: timeline(data, 'tps', 1),
  percentiles: percentiles(data, 2048)}));
"""


@pytest.fixture(scope="module")
def charts(directory: str) -> Any:
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    inside = page.embedded(data.tree(Results(directory)))
    names = ("chart_config.js", "lab_events.js", "lab_charts.js")
    scripts = [os.path.join(page.HERE, name) for name in names]
    done = subprocess.run(
        [node, "-e", NODE, "-", *scripts], input=inside, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_charts_draw_what_did_not_hold_the_rate_hollow(charts: Any) -> None:
    hollow = [[p["x"] for p in s["points"] if p["hollow"]] for s in charts["tps"]["series"]]
    # medians of both arms, then single runs
    assert hollow == [[2048], [], [2048, 2048, 2048], []]
    bars = [[p["x"] for p in s["points"] if p["hollow"]] for s in charts["cpu"]["series"]]
    assert bars == [[2048], [2048], [], []]


def test_percentiles_of_few_transactions_are_marked(charts: Any) -> None:
    (star, x, _), *more = charts["starred"]
    assert (star, x, more) == ("*", 6, [])  # beside the first point of the first arm
    assert charts["few"]["few"] and charts["few"]["note"].startswith("Of fewer samples than")
    marked, plain = charts["headings"]
    assert marked == "%s (%s)" % (plain, figures.FEW)
    assert "few" not in charts["p95"]["series"][0]["points"][0]


def test_stacked_cpu_is_that_of_the_median_run(charts: Any, directory: str) -> None:
    """As in the picture, so that the total is that of the table."""
    summaries = Results(directory).summaries
    user, system = (s["points"] for s in charts["cpu"]["series"][:2])
    assert (user[1]["y"], system[1]["y"]) == (2, 1)
    assert user[0]["y"] + system[0]["y"] == pytest.approx(
        summaries[0].figures["server_cpu_pct"].median
    )


def test_charts_hold_the_numbers_of_runs_csv(charts: Any, directory: str) -> None:
    rows = sorted(lines(directory), key=lambda r: int(r["load.threads"]))
    want = [float(r["tps"]) for r in rows if r["arm"] == "pool-of-threads"]
    assert [p["y"] for p in charts["tps"]["series"][3]["points"]] == want


def test_no_line_leads_to_a_median_without_an_interval(charts: Any) -> None:
    """Of the first arm, at 16 connections."""
    assert charts["joined"] == [False, False, True]
    assert charts["away"] == [False, False, True, False, False]


def test_bars_are_changes_with_their_intervals(charts: Any, directory: str) -> None:
    (bars,) = charts["change"]["series"]
    assert bars["name"] == bars["stack"] == testing.ARMS[1]
    assert [p["x"] for p in bars["points"]] == [1, 16, 128, 512, 2048]
    assert [p["x"] for p in bars["points"] if p["hollow"]] == [2048]
    results = Results(directory)
    for p in bars["points"]:
        base, other = (
            s.figures["server_cpu_us_per_tx"]
            for s in results.summaries
            if s.cell.levels["load.threads"] == str(p["x"])
        )
        assert p["y"] == pytest.approx(100 * (other.median / base.median - 1), abs=0.01)
        assert p["low"] <= p["y"] <= p["high"]


def test_a_crossing_is_marked_where_the_answer_has_it(charts: Any, directory: str) -> None:
    (mark,) = charts["cost"]["marks"]
    assert mark["text"] == "pool-of-threads crosses at %d" % mark["x"]
    assert "From about %d connections (" % mark["x"] in Results(directory).sentences[0]
    assert charts["tps"]["marks"] == []


def test_each_workload_has_a_panel(directory: str) -> None:
    results = Results(directory)
    work = Factor("work", tuple(Level(w, {"load.script": w}) for w in "ab"), False)
    results.exp = dataclasses.replace(results.exp, factors=(work, *results.exp.factors))
    results.summaries = [
        dataclasses.replace(
            s,
            arm=w + ", " + s.arm,
            cell=dataclasses.replace(s.cell, levels={"work": w, **s.cell.levels}),
        )
        for w in "ab"
        for s in results.summaries
    ]
    assert data.works(results) == ["a", "b"]
    first, *_, last = data.shown_cells(results)
    assert data.line_of(results.exp, "work", first) == testing.ARMS[0]
    cells = [data.cell(results, s, [s.arm], "work") for s in (first, last)]
    assert [c["work"] for c in cells] == [0, 1]


def test_axes_are_logarithmic_where_levels_are_far_apart(charts: Any) -> None:
    assert charts["tps"]["x"]["scale"] == "log"
    assert charts["tps"]["y"] == {
        "title": "Throughput",
        "unit": "tx/s",
        "decimals": 1,
        "scale": "linear",
        "zero": True,
    }
    assert charts["p95"]["y"]["scale"] == "log"
    assert charts["cpu"]["x"]["scale"] == "category"


def test_timelines_have_marks_and_one_entry_an_arm(charts: Any) -> None:
    found = charts["timeline"]
    assert [(m["x"], m["text"]) for m in found["marks"]] == [(5, "1")]
    assert found["listed"] == ["5 s: buffer pool 64M (run 1)"]
    assert [s["legend"] for s in found["series"] if "legend" in s and "like" not in s] == list(
        testing.ARMS[:2]
    )
    assert len(found["series"]) == 7 and {len(s["points"]) for s in found["series"]} == {10}
    assert found["series"][-1]["name"] == "target rate"
    outage = charts["percentiles"]["series"][0]
    assert outage["name"] == "one-thread-per-connection, rate not held"
