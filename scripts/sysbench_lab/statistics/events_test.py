# SPDX-License-Identifier: GPL-2.0-or-later
"""Outages, stages and searches: from reports to figures, sentences and tables."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from .. import testing
from ..charts import Frame, happened
from ..page import parts
from ..plan import found_rate
from ..plan.model import CellSummary
from ..results import figures, series
from ..terminal import progress, text_tables
from ..testdata import event_reports
from . import answer, stats
from .results import Results


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Results:
    directory = tmp_path_factory.mktemp("lab") / "search"
    return event_reports.make(str(directory), "search", arms=2, repeats=3)


def first_report(results: Results) -> dict[str, Any]:
    found = results.report(results.rows[0])
    assert found
    return found


def spans(report: dict[str, Any]) -> str:
    """What is known of the time of a run."""
    line = series.lines_of(report)
    assert line
    stages = ["%g-%g %s %s" % (s.begin_s, s.end_s, s.text, s.held) for s in line.stages]
    rates = line.figures["target_tps"]
    return "stages: %s; outages: %s; target: %s" % (", ".join(stages), line.outages, rates)


# ---- outages -------------------------------------------------------------------


def reported(step: float, number: int, **members: Any) -> tuple[Any, dict[str, Any]]:
    """A report with an outage and intervals of this length, and what series.py reads of it."""
    interval = {"interval_s": step, "transactions": 5 * step, "transactions_per_s": 5}
    ends = [step * n for n in range(1, number + 1)]
    report = {
        "intervals": [{**interval, "elapsed_s": end} for end in ends],
        "summary": {"outages": {"list": [{**event_reports.one_outage(), **members}]}},
    }
    line = series.lines_of(report)
    assert line
    return line, report


def test_outages() -> None:
    """The moments in their order, what did not come until the end, and a window around it, also if
    it began after the last interval."""

    def said(text: str) -> str:
        line, report = reported(1.0, 10, **json.loads(text))
        (found,) = series.outages_of(report, line)
        lines = ["%g s: %s" % mark for mark in found.moments]
        ends = "%g to %g s, shown: %.5g to %g" % (*found.span, *found.window)
        return "\n".join([*lines, ends, found.meanwhile, found.missing or "it was over"])

    assert testing.retold("outages", said) == testing.cases("outages")


def test_an_outage_between_long_intervals_has_those_that_it_touches(tmp_path: Path) -> None:
    line, report = reported(10.0, 4, first_error_s=19, over_after_s=1)
    frame = Frame(event_reports.make(str(tmp_path / "r"), "outage", xs=(16,), repeats=1))
    row, found = frame.results.rows[0], series.outages_of(report, line)
    spec = happened.outage(frame, row, line, found, 0).panels[0]
    assert (spec["x"]["min"], spec["x"]["max"]) == (16, 23)
    assert (spec["series"][0]["xs"], spec["series"][0]["ys"]) == ([20, 30], [5, 5])


# ---- stages --------------------------------------------------------------------


def test_stages_are_put_together_by_number(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "stages", xs=(16,), repeats=3)
    reports = [results.report(row) or {} for row in results.rows]
    assert "the rate in all of its stages not held (1,200 tx/s)" in results.sentences[0]
    texts = [
        "600:3s True",
        "1200:4s True",
        "0:1s None",
        "2400:2s False; outages: []",
    ]  # the pause is none
    assert all(text in spans(reports[0]) for text in texts)
    assert spans(reports[0]).endswith(str([600] * 3 + [1200] * 4 + [0] + [2400] * 2))
    reports[2]["stages"][3:] = []  # it ended early
    found = stats.merged_stages(reports, 1)
    names = ["1: 600:3s", "2: 1200:4s", "3: 0:1s", "4: 2400:2s"]
    assert [stats.stage_name(s) for s in found] == names
    pause, last = (3, 0, 0, True), (2, 0, 2, False)
    runs = [(s.runs, s.held, s.judged, s.sustained) for s in found]
    assert runs == [(3, 3, 3, True), (3, 3, 3, True), pause, last]
    assert found[3].why == event_reports.WHY and found[0].why == ""
    rates = [(s.figures["target_tps"].median, s.figures["tps"].median) for s in found]
    assert rates == [(600, 600), (1200, 1200), (0, 0), (2400, 1400)]
    assert found[1].figures["response_p95_ms"].n == 3
    assert stats.merged_stages([{}], 1) == []


# ---- searches ------------------------------------------------------------------


def told(results: Results, report: dict[str, Any]) -> list[str]:
    """Of a run that searched: its row, the page's, its steps in time, and what progress says."""
    row, found = figures.row_of(report), found_rate.find_of_run(report)
    assert found
    names = ("held_tps", "not_held_tps", "target_tps", "sustained", "why")
    return [
        str({name: row[name] for name in names}),
        str(parts.search_row(results, results.rows[0], found)),
        happened.note_of(found["steps"][0]),
        spans(report),
        progress.figures_text({**results.rows[0], **row}, "mariadbd"),
    ]


def without(s: CellSummary, **more: Any) -> CellSummary:
    left = {k: v for k, v in s.figures.items() if k != "held_tps"}
    return dataclasses.replace(s, figures=left, **more)


def test_searches(searched: Results, tmp_path: Path) -> None:
    """The answer is a rate, or that there is none: not judged, in vain, or of brief steps only."""
    base, other = (s for s in searched.summaries if s.cell.levels["load.threads"] == "16")
    in_vain = without(other, sustained=0, unsustained=3, hints=())
    why = "highest rate that held: 1,180 tps (by a brief step only)"
    brief = dataclasses.replace(other, sustained=0, unsustained=3, hints=(), why=why)
    unjudged, stopped = first_report(searched), first_report(searched)
    find = unjudged["summary"]["find"]
    find["steps"][0].update(holds=None, why="server CPU n/a: it has ended", limit=None)
    find.update(result="unmeasured", held_per_s=None, confirmed=0)
    stopped["summary"]["find"].update(result="stopped", confirmed=0)
    stopped["verdict"].update(sustained=False, why=why)
    lower = json.loads(json.dumps(unjudged))
    lower["summary"]["find"]["result"] = "unjudged"
    alone = event_reports.make(str(tmp_path / "r"), "search", xs=(16,), repeats=1)
    known = {
        "all": [*searched.sentences, text_tables.table(searched.exp, searched.summaries),
                text_tables.main_figure(searched.exp, searched.summaries)],
        "alone": alone.sentences,
        "a run": told(searched, first_report(searched)),
        "a run that was not judged": told(searched, unjudged),
        "a run beside others": told(searched, lower),
        "a run that was stopped": told(searched, stopped),
        **{name: answer.sentences(searched.exp, cells) for name, cells in {
            "in vain": [in_vain], "in vain, limited": [without(base)],
            "one in vain": [base, in_vain], "one in vain, limited": [base, without(other)],
            "both in vain": [without(base), without(other)],
            "brief": [brief], "one brief": [base, brief]}.items()},
    }  # fmt: skip
    found = testing.retold("searches", lambda name: "\n".join(known[name]).replace("\n\n", "\n"))
    assert found == testing.cases("searches")


def test_the_throughput_of_searches_has_no_knee(searched: Results) -> None:
    """Also where no rate to begin with was given."""
    first = searched.summaries[0]
    cell = dataclasses.replace(first.cell, settings={"load.tx-find": "p99<20ms"})
    assert answer.rated(dataclasses.replace(first, cell=cell))
