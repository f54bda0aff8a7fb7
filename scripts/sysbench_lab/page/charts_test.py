# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts and pictures of the page: with and without Chart.js, and what the scripts draw.

Fixtures and the reader of pages are those of page_test.py.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from .. import LabError, page, testing
from ..results import figures
from ..statistics.results import Results
from . import data
from .page_test import Tree, directory, library, written

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
    for given in ((), ("r/pictures/tps.svg",)):
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


# ---- what the scripts make of it -----------------------------------------------

NODE = testing.data("points.js")


def test_chart_js_gets_all_points(directory: str) -> None:
    """No line leads to a median without an interval."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    inside = page.embedded(data.tree(Results(directory)))
    script = os.path.join(page.HERE, "chart_config.js")
    done = subprocess.run(
        [node, "-e", NODE, "-", script], input=inside, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["joined"] == [False, False, True]
    both = zip(found["kinds"], found["drawn"], found["wanted"])
    assert all(drawn == wanted for kind, drawn, wanted in both if kind != "stack")
    (star, x, _), *more = found["starred"]
    assert (star, x, more) == ("*", 6, [])  # beside the first point of the first arm
    marked, plain = found["headings"]
    assert marked == "%s (%s)" % (plain, figures.FEW)
