# SPDX-License-Identifier: GPL-2.0-or-later
"""Outages, stages and searches on the page: tables, embedded data, and what the scripts draw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from .. import page, testing
from ..statistics.results import Results
from ..testdata import event_reports
from . import data, parts
from .page_test import Tree, embedded, library, rows_of, written

__all__ = ["library"]  # a fixture

NODE = r"""
const fs = require('fs');
global.window = global;
process.argv.slice(2).forEach((script) => eval(fs.readFileSync(script, 'utf8')));
const [staged, searched, away, closed] = JSON.parse(fs.readFileSync(0, 'utf8'));
const {timeline} = LabCharts;
const {outage, search, stages, listed} = LabEvents;
const many = (spec) => Object.assign(spec, {series: spec.series.map((s) => Object.assign(s,
  {points: Array(30).fill(s.points[0])}))});
const setsOf = (spec) => SbConfig.configure(many(spec), () => '', null).data.datasets;
const radii = (spec) => setsOf(spec).map((d) => d.pointRadius);
const other = JSON.parse(JSON.stringify(staged));
other.stages[2].stages[1].figures.target_tps = [1300, 1300, 1300];
const over = (data, name) => Object.assign(timeline(data, name, 16), {behind: null});
process.stdout.write(JSON.stringify({
  stages: stages(staged, 'tps', 16), p95: stages(staged, 'response_p95_ms', 16),
  staged: over(staged, 'tps'), headroom: timeline(staged, 'tps', 16).headroom,
  bands: typeof timeline(staged, 'tps', 16).behind,
  other: stages(other, 'tps', 16).series.slice(2),
  search: search(searched, searched.searches[0]),
  tried: over({...searched, timelines: searched.timelines.slice(0, 1)}, 'tps').series.pop().name,
  closed: outage(closed.outages[0]).map((spec) => spec.series.map((s) => s.name)),
  radii: radii(search(searched, searched.searches[0])),
  outage: outage(away.outages[0]), listed: listed(away.outages[0]),
  errors: over(away, 'errors_per_s'), plain: timeline(away, 'tps', 16).headroom === undefined}));
"""


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    top = tmp_path_factory.mktemp("lab")
    kinds = ("stages", "search", "outage", "closed")
    return {k: event_reports.make(str(top / k), k, arms=2).directory for k in kinds}


@pytest.fixture(scope="module")
def drawn(directories: dict[str, str]) -> Any:
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    trees = [data.tree(Results(directory)) for directory in directories.values()]
    names = ("chart_config.js", "lab_events.js", "lab_charts.js")
    scripts = [os.path.join(page.HERE, name) for name in names]
    done = subprocess.run(
        [node, "-e", NODE, "-", *scripts],
        input=page.embedded(trees), capture_output=True, text=True, timeout=50,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- stages --------------------------------------------------------------------


def table_in(text: str, section: str) -> list[list[str]]:
    start = text.index('<section id="%s"' % section)
    return rows_of(text[start : text.index("</section>", start)], ' class="[a-z ]*"')


def test_the_table_of_stages(directories: dict[str, str]) -> None:
    rows = [r for r in table_in(written(directories["stages"]), "stages") if len(r) == 12]
    head, *found = rows
    assert head[:3] == ["Stage", "planned tx/s", "achieved tx/s"]
    assert len(found) == 4 * 4  # stages, cells
    assert found[0][:5] == ["1: 600:3s", "600.0", "600.0", "1,800", "1,800"]
    assert found[0][-1] == "2 of 2" and found[2][-1] == "nothing was due"
    assert found[3][0] == "4: 2400:2s ○ " + event_reports.WHY
    assert found[3][1:3] == ["2,400.0", "1,400.0"] and found[3][-1] == "0 of 2"


def test_an_experiment_without_events_has_no_sections_of_them(tmp_path: Path) -> None:
    text = written(testing.make_results(str(tmp_path / "r"), xs=(1, 2), repeats=1))
    tree = Tree(text)
    ids = {attrs.get("id") for _, attrs, _ in tree.found}
    assert not ids & {"stages", "search"}
    inside = embedded(tree)
    assert inside["stages"] == inside["searches"] == inside["outages"] == []
    assert set(inside["overTime"]) == {"offered_tps", "late_per_s"} | (
        {"unfinished"} & set(inside["overTime"])
    )


def test_stages_are_drawn_beside_what_was_planned(drawn: Any) -> None:
    names = [s["name"] for s in drawn["stages"]["series"]]
    assert names == [*testing.ARMS[:2], "planned"]
    texts = ["1: 600:3s", "2: 1200:4s", "3: 0:1s", "4: 2400:2s"]
    assert drawn["stages"]["x"]["values"] == texts
    arm, _, planned = (s["points"] for s in drawn["stages"]["series"])
    assert [p["y"] for p in arm] == [600, 1200, 0, 1400]
    assert [p["hollow"] for p in arm] == [False, False, False, True]
    assert arm[3]["note"] == "Not sustained: %s." % event_reports.WHY
    assert [p["y"] for p in planned] == [600, 1200, 0, 2400]
    assert len(drawn["p95"]["series"]) == 2  # nothing is planned there


def test_other_plans_are_drawn_in_the_colours_of_their_arms(drawn: Any) -> None:
    names = [(s["name"], s["colour"]) for s in drawn["other"]]
    assert names == [("planned, " + testing.ARMS[0], 8), ("planned, " + testing.ARMS[1], 9)]
    assert [[p["y"] for p in s["points"]][1] for s in drawn["other"]] == [1200, 1300]


def test_the_timeline_has_stages_behind_it_and_the_rate_asked_for(drawn: Any) -> None:
    *runs, asked = drawn["staged"]["series"]
    assert asked["name"] == "target rate" and len(runs) == 4
    assert [p["y"] for p in asked["points"]] == [600] * 3 + [1200] * 4 + [0] + [2400] * 2
    assert drawn["bands"] == "function" and drawn["headroom"] > 0 and drawn["plain"]
    assert drawn["staged"]["marks"] == [{"x": 5, "text": "1"}]  # the pause is no outage


# ---- searches ------------------------------------------------------------------


def test_the_table_of_searches(directories: dict[str, str]) -> None:
    text = written(directories["search"])
    found = [r for r in table_in(text, "search") if len(r) == 8][1:]
    assert len(found) == 8
    assert found[0] == [
        "1, one-thread-per-connection, 16 connections", "p99&lt;20ms", "1,180.0", "2 times",
        "1,240.0", "p99 24.9 ms, not &lt; 20.0 ms", "server CPU", "6",
    ]  # fmt: skip
    assert [g["id"] for g in embedded(Tree(text))["groups"]] == ["highest"]
    cells = [r for r in rows_of(text, ' class="cells"') if len(r) == 4]
    assert cells[0] == ["Connections", "held tx/s", "not held tx/s", "Runs that count"]
    assert cells[1] == ["16", "1,180.0", "1,240.0", "2 of 2"]
    assert embedded(Tree(text))["groups"][0]["first"] == "held_tps"


def test_steps_of_a_search(drawn: Any) -> None:
    series = {s["name"]: [p["x"] for p in s["points"]] for s in drawn["search"]["series"]}
    assert series == {
        "held": [3, 5, 6],
        "did not hold": [4],
        "brief, held": [1],
        "brief, did not hold": [2],
        "highest rate that held": [1, 6],
    }
    assert all(drawn["radii"])  # many steps are points, too
    missed = drawn["search"]["series"][1]["points"][0]
    assert missed["hollow"] and missed["note"] == "Does not hold: p99 24.9 ms, not < 20.0 ms."
    assert drawn["search"]["x"]["ticks"] == [1, 2, 3, 4, 5, 6]


def test_what_a_search_offered_is_not_called_a_rate_that_was_asked_for(drawn: Any) -> None:
    assert drawn["tried"] == "offered"


def test_the_runs_of_searches_are_listed_with_their_answers(directories: dict[str, str]) -> None:
    found = parts.runs(Results(directories["search"]))
    assert [name for name, _ in found["heads"]] == ["held_tps", "not_held_tps"]
    assert found["arms"][0][1][0]["figures"] == ["1,180.0", "1,240.0"]


def test_a_search_without_a_step_is_in_the_table_alone(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "search", xs=(16,), repeats=2)
    path = Path(results.directory, results.run_path(results.rows[0]), "report.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    report["summary"]["find"].update(steps=[], result="stopped", held_per_s=None, confirmed=0)
    path.write_text(json.dumps(report), encoding="utf-8")
    assert [s["run"] for s in data.searches(results)] == [2]
    assert [s["steps"] for s in parts.of_searches(results)] == [0, 6]


# ---- outages -------------------------------------------------------------------


def test_without_a_rate_nothing_is_late(drawn: Any, directories: dict[str, str]) -> None:
    assert drawn["closed"] == [["done", "errors"], []]
    found = data.of_outages(Results(directories["closed"]))[0]
    assert [m["text"].split(",")[0] for m in found["moments"]] == [
        "first error",
        "success again",
        "lost connections are back",
    ]
    assert found["meanwhile"] == (
        "Until it was over: 5,040 done, 0 failed; 72 errors, 16 connections lost."
    )


def test_runs_that_were_cut_off_have_names_for_their_figures(directories: dict[str, str]) -> None:
    """Their rows are empty, and their timelines are not."""
    results = Results(directories["outage"])
    for row in results.rows:
        row.update(dict.fromkeys(("tps", "lag_p99_ms")))
    inside = data.tree(results)
    known = {*inside["figures"], *inside["overTime"]}
    assert {n for t in inside["timelines"] for n in t["figures"]} <= known


def test_an_outage_has_rates_lateness_and_moments(drawn: Any) -> None:
    rates, lateness = drawn["outage"]
    assert [s["name"] for s in rates["series"]] == ["offered", "done", "errors"]
    assert [p["y"] for p in rates["series"][2]["points"]][2:6] == [0, 32, 40, 0]
    assert rates["marks"] == lateness["marks"]
    band, *moments = rates["marks"]
    assert band == {"x": 3.2, "x2": 7.4}
    assert [(m["x"], m["text"]) for m in moments] == [(3.2, "1"), (5, "2"), (5.2, "3"), (7.4, "4")]
    assert drawn["listed"][1] == "5 s: success again, 1.80 s after the first error"
    oldest, lag = lateness["series"]
    assert max(p["y"] for p in oldest["points"]) == max(p["y"] for p in lag["points"]) == 1800


def test_errors_over_time_are_a_figure_of_the_timeline(
    drawn: Any, directories: dict[str, str]
) -> None:
    assert drawn["errors"]["y"]["title"] == "Errors"
    assert [p["y"] for p in drawn["errors"]["series"][0]["points"]][2:6] == [0, 32, 40, 0]
    inside = embedded(Tree(written(directories["outage"])))
    assert inside["overTime"]["errors_per_s"]["unit"] == "1/s"
    assert "connections_away" in inside["timelines"][0]["figures"]
    assert "failed_per_s" not in inside["timelines"][0]["figures"]  # there were none
    assert len(inside["outages"]) == 8
    assert inside["outages"][0]["meanwhile"].startswith("Until it was over: 5,040 offered")


def test_an_outage_keeps_its_intervals_in_a_long_run() -> None:
    assert data.MOST_POINTS < 1000
    from ..results.series import lines_of

    report: dict[str, Any] = {
        "intervals": [
            {"elapsed_s": i + 1.0, "interval_s": 1.0, "transactions": 9, "transactions_per_s": 9.0}
            for i in range(1000)
        ],
        "summary": {"outages": {"list": [{**event_reports.one_outage(), "first_error_s": 500.2}]}},
    }
    line = lines_of(report)
    assert line
    from ..results import series

    tree = data.outage_tree({"run": 1}, line, series.outages_of(report, line), 0)
    assert tree["window"] == [497.2, 507.4]
    assert tree["seconds"] == [float(s) for s in range(498, 508)]


def test_percentiles_belong_to_the_cell_that_they_name(tmp_path: Path) -> None:
    """The page has cells in the order of their levels, also if they were run in another one."""
    exp = testing.make_experiment(1, (64, 16), 1, 1)
    results = Results(testing.make_results(str(tmp_path / "r"), arms=1, xs=(64, 16), repeats=1))
    results.exp = exp  # as it is written: 64 first
    by_level = {f["cell"]: f["points"][-1][1] for f in data.percentiles_of(results)}
    names = [c["x"] for c in data.tree(results)["cells"]]
    assert names == [64, 16] and by_level[0] != by_level[1]
