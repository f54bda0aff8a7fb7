# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of outages, of stages of the rate, of searches, and of timelines with them."""

from __future__ import annotations

import pytest

from .. import pictures
from ..statistics.results import Results
from ..testdata import event_reports
from . import style
from .conftest import by_name, lines, span_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    top = tmp_path_factory.mktemp("lab")
    kinds = ("stages", "search", "outage")
    return {k: event_reports.make(str(top / k), k, arms=2) for k in kinds}


@pytest.fixture(scope="module")
def drawn(made: dict[str, Results]) -> dict[str, dict[str, style.Drawing]]:
    with style.look():
        return {k: by_name(list(pictures.drawings(results))) for k, results in made.items()}


def heads(drawing: style.Drawing) -> list[str]:
    return [ax.get_title(loc="left") for ax in drawing.figure.axes]


def test_all_of_them_are_among_the_pictures(drawn: dict[str, dict[str, style.Drawing]]) -> None:
    wanted = ["timeline", "stages", "search", "outage-run"]
    kinds = {k: [w for w in wanted if any(n.startswith(w) for n in d)] for k, d in drawn.items()}
    assert kinds == {"stages": wanted[:2], "search": ["timeline", "search"],
                     "outage": ["timeline", "outage-run"]}  # fmt: skip
    assert sum(n.startswith("outage") for n in drawn["outage"]) == pictures.MOST_OUTAGES
    assert "change" not in drawn["stages"] and "cost" not in drawn["search"]
    last = ["Errors, 1/s", "Connections away", "Lag, 99th percentile, ms, log scale"]
    assert heads(drawn["outage"]["timeline-16-connections"])[-3:] == last


def test_stages_are_shaded_and_named(drawn: dict[str, dict[str, style.Drawing]]) -> None:
    drawing = drawn["stages"]["timeline-16-connections"]
    ax = drawing.figure.axes[0]
    texts = [t.get_text() for t in ax.texts]
    assert texts[:2] == ["600:3s", "1200:4s"] and "2400:2s" in texts and texts[-1] == "1"
    shaded = [span_of(p)[0] for p in ax.patches if p.get_gid() == "band"]
    assert shaded == pytest.approx([3.001, 8.001])
    ax = drawn["stages"]["stages-16-connections"].figure.axes[0]
    planned = [line.get_ydata()[0] for line in lines(ax, "planned")]
    assert planned == [600, 1200, 0, 2400]


def test_an_outage_has_its_panels(drawn: dict[str, dict[str, style.Drawing]]) -> None:
    drawing = drawn["outage"]["outage-run-1"]
    assert heads(drawing) == ["Transactions and errors, 1/s", "Connections away", "Lateness, ms"]
    ax = drawing.figure.axes[0]
    moments = [line.get_xdata()[0] for line in lines(ax, "mark")]
    assert moments == pytest.approx([3.2, 5, 5.2, 7.4])
    assert ax.get_xlim() == pytest.approx((0.2, 10))
    (span,) = [p for p in ax.patches if p.get_gid() == "outage"]
    assert span_of(span) == pytest.approx((3.2, 7.4))
    keys = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert "2: 5 s: success again, 1.80 s after the first error" in keys


@pytest.mark.parametrize("kind", ["stages", "search", "outage"])
def test_no_text_is_cut_off(drawn: dict[str, dict[str, style.Drawing]], kind: str) -> None:
    """Every text of a new picture is inside of it."""
    for name, drawing in drawn[kind].items():
        if not name.startswith(("stages", "search", "outage-run-1")):
            continue
        figure = drawing.figure
        figure.canvas.draw()
        texts = [t for ax in figure.axes for t in ax.texts] + list(figure.legends[0].get_texts())
        for text in filter(lambda t: t.get_text(), texts):
            extent = text.get_window_extent()
            inside = figure.bbox.x0 <= extent.x0 and extent.x1 <= figure.bbox.x1
            assert inside, (name, text.get_text())
