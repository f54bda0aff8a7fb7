# SPDX-License-Identifier: GPL-2.0-or-later
"""Outages, stages and searches on the page: tables, embedded data, and what the scripts draw."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from .. import testing
from ..statistics.results import Results
from ..testdata import event_reports
from . import parts
from .page_test import Tree, embedded, library, rows_of, written

__all__ = ["library"]  # a fixture


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    top = tmp_path_factory.mktemp("lab")
    kinds = ("stages", "search", "outage", "closed")
    return {k: event_reports.make(str(top / k), k, arms=2).directory for k in kinds}


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
    assert not {"stages", "search", "outages"} & {g["id"] for g in inside["sections"]}


# ---- searches ------------------------------------------------------------------


def test_the_table_of_searches(directories: dict[str, str]) -> None:
    text = written(directories["search"])
    found = [r for r in table_in(text, "search") if len(r) == 8][1:]
    assert len(found) == 8
    assert found[0] == [
        "1, one-thread-per-connection, 16 connections", "p99&lt;20ms", "1,180.0", "2 times",
        "1,240.0", "p99 24.9 ms, not &lt; 20.0 ms", "server CPU", "6",
    ]  # fmt: skip
    known = {g["id"]: g for g in embedded(Tree(text))["sections"]}
    assert (
        known.keys() == {"highest", "timeline", "search"}
        and known["highest"]["first"] == "held_tps"
    )
    cells = [r for r in rows_of(text, ' class="cells"') if len(r) == 4]
    assert cells[0] == ["Connections", "held tx/s", "not held tx/s", "Runs that count"]
    assert cells[1] == ["16", "1,180.0", "1,240.0", "2 of 2"]


def test_the_runs_of_searches_are_listed_with_their_answers(directories: dict[str, str]) -> None:
    found = parts.runs(Results(directories["search"]))
    assert [name for name, _ in found["heads"]] == ["held_tps", "not_held_tps"]
    assert found["arms"][0][1][0]["figures"] == ["1,180.0", "1,240.0"]
