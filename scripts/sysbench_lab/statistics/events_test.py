# SPDX-License-Identifier: GPL-2.0-or-later
"""Outages, stages and searches: from reports to figures, sentences and tables."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from ..charts import Frame, happened
from ..page import parts
from ..plan import found_rate
from ..results import figures, series
from ..results.series import Mark, Span
from ..terminal import progress, text_tables
from ..testdata import event_reports
from . import answer, stats
from .results import Results

AGAINST = "pool-of-threads against one-thread-per-connection: "


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Results:
    directory = tmp_path_factory.mktemp("lab") / "search"
    return event_reports.make(str(directory), "search", arms=2, repeats=3)


def first_report(results: Results) -> dict[str, Any]:
    found = results.report(results.rows[0])
    assert found
    return found


# ---- outages -------------------------------------------------------------------


def outage_of(**members: Any) -> series.Outage:
    line, report = reported(1.0, 10, **members)
    (found,) = series.outages_of(report, line)
    return found


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


def test_an_outage_has_its_moments_in_order() -> None:
    found = outage_of(connected_after_s=0.5)
    assert found.moments == [
        Mark(3.2, "first error"),
        Mark(3.7, "lost connections are back, 0.50 s after the first error"),
        Mark(5.0, "success again, 1.80 s after the first error"),
        Mark(7.4, "transactions begin in time, 4.20 s after the first error"),
    ]
    assert found.span == Span(3.2, 7.4) and found.missing == ""
    assert list(found.window) == pytest.approx([0.2, 10])
    assert found.meanwhile == (
        "5,040 offered, 5,040 done, 0 failed, 0 dropped, 5,000 late; 72 errors, 16 connections lost"
    )


def test_an_outage_until_the_end_says_what_did_not_come() -> None:
    found = outage_of(over_after_s=None, in_time_after_s=None, connected_after_s=None)
    assert [m.at_s for m in found.moments] == [3.2, 5.0] and found.span == Span(3.2, 10)
    assert found.missing == (
        "At the end of the run it was not over: "
        "not all connections came back and the backlog was not drained."
    )
    away = {"success_after_s": None, "connections_lost": 0, "offered": None, "dropped": None}
    found = outage_of(over_after_s=None, in_time_after_s=None, connected_after_s=None, **away)
    assert found.missing == "At the end of the run it was not over: no transaction succeeded."
    assert found.meanwhile.startswith("5,040 done, 0 failed, 5,000 late;")


def test_an_outage_beyond_the_last_interval_has_a_window() -> None:
    """The last transactions end after the last interval."""
    found = outage_of(first_error_s=10.5, over_after_s=None)
    assert found.span == Span(10.5, 10.5) and found.window == Span(7.5, 10.5)


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


def test_stages_are_in_the_timeline(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "stages", xs=(16,), repeats=1)
    line = series.lines_of(first_report(results))
    assert line
    texts = [s[0] for s in event_reports.STAGES]
    held = [True, True, None, False]
    assert [(s.text, s.held) for s in line.stages] == list(zip(texts, held))
    assert line.outages == []  # the pause is none
    assert line.figures["target_tps"] == [600] * 3 + [1200] * 4 + [0] + [2400] * 2


def test_a_schedule_that_was_not_sustained_is_no_rate(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "stages", xs=(16,), repeats=1)
    assert "the rate in all of its stages not held (1,200 tx/s)" in results.sentences[0]


# ---- searches ------------------------------------------------------------------


def test_a_search_has_steps_instead_of_stages(searched: Results) -> None:
    line = series.lines_of(first_report(searched))
    assert line
    assert [(s.begin_s, s.end_s, s.text, s.held) for s in line.stages[:3]] == [
        (0, 1, "600", True),
        (1, 2, "2400", False),
        (3, 5, "1200", True),
    ]
    assert line.outages == []  # between two steps nothing is offered


def test_the_answer_of_a_search(searched: Results) -> None:
    found = found_rate.find_of_run(first_report(searched))
    assert found and happened.note_of(found["steps"][0]) == "Brief. Holds: p99 18.3 ms."
    row = parts.search_row(searched, searched.rows[0], found)
    wanted = {"held": "1,180.0", "missed": "1,240.0", "confirmed": "2 times", "limit": "server CPU"}
    assert {name: row[name] for name in wanted} == wanted
    assert found_rate.find_of_run({"summary": {"find": None}}) is None
    assert found_rate.find_of_run({}) is None


def test_a_step_that_was_not_judged(searched: Results) -> None:
    """A CPU could not be read: neither held nor missed."""
    report = first_report(searched)
    find = report["summary"]["find"]
    find["steps"][0].update(holds=None, why="server CPU n/a: it has ended", limit=None)
    find.update(result="unmeasured", held_per_s=None, confirmed=0)
    found = found_rate.find_of_run(report)
    assert found
    line = series.lines_of(report)
    assert line and [s.held for s in line.stages[:2]] == [None, False]
    assert happened.note_of(found["steps"][0]) == "Brief. Not judged: server CPU n/a: it has ended."
    row = parts.search_row(searched, searched.rows[0], found)
    assert (row["held"], row["end"]) == ("none", "A CPU of the objective could not be read.")
    row = parts.search_row(searched, searched.rows[0], {**found, "result": "unjudged"})
    assert row["end"] == "Lower rates changed nothing while others used the machine."


def test_rows_of_a_search_have_its_answer_and_no_target(searched: Results) -> None:
    row = searched.rows[0]
    assert (row["held_tps"], row["not_held_tps"]) == (1180, 1240)
    assert row["target_tps"] is None
    assert (row["sustained"], row["why"]) == ("yes", "limit: server CPU")


def test_a_search_is_answered_by_its_rate(searched: Results, tmp_path: Path) -> None:
    first, *points = searched.sentences
    over = AGAINST.replace(": ", ", over 16 to 64 connections: ")
    assert first == over + "no clear difference in highest rate (0.0 to 0.0 %)"
    assert points[0] == (
        "At 16 connections, " + AGAINST + "no clear difference in highest rate (0.0 to 0.0 %)"
    )
    assert points[2] == (
        "one-thread-per-connection at 16 connections:"
        " p99<20ms held up to 1,180 tx/s, not at 1,240 tx/s (limit: server CPU)"
    )
    alone = event_reports.make(str(tmp_path / "r"), "search", xs=(16,), repeats=1)
    assert alone.sentences[0].endswith(
        "p99<20ms held up to 1,180 tx/s, not at 1,240 tx/s (limit: server CPU)"
    )


def test_a_search_in_vain_says_so(searched: Results, tmp_path: Path) -> None:
    def lost(s: Any) -> Any:
        return dataclasses.replace(
            s, figures={k: v for k, v in s.figures.items() if k != "held_tps"}
        )

    base, other = (s for s in searched.summaries if s.cell.levels["load.threads"] == "16")
    in_vain = dataclasses.replace(lost(other), sustained=0, unsustained=3, hints=())
    assert answer.sentences(searched.exp, [base, in_vain])[0].count("held") == 1
    assert answer.sentences(searched.exp, [in_vain])[0].endswith("no rate held p99<20ms")
    found = answer.sentences(searched.exp, [base, lost(other)])
    assert found[0] == (
        AGAINST + "only one-thread-per-connection held p99<20ms, up to 1,180 tx/s at 16 connections"
    )
    found = answer.sentences(searched.exp, [lost(base), lost(other)])
    assert found[0] == AGAINST + "no rate held p99<20ms for either at 16 connections"
    found = answer.sentences(searched.exp, [lost(base)])
    assert found[0].endswith("no rate held p99<20ms (limit: server CPU)")


def test_a_rate_of_brief_steps_is_no_answer(searched: Results) -> None:
    """The time limit came first: it is known, and not confirmed."""
    report = first_report(searched)
    report["summary"]["find"].update(result="stopped", confirmed=0)
    why = "highest rate that held: 1,180 tps (by a brief step only)"
    report["verdict"].update(sustained=False, why=why)
    row = figures.row_of(report)
    assert (row["sustained"], row["why"]) == ("no", why)
    assert progress.figures_text(row, "").startswith("held up to 1180 tps, not at 1240 tps, not ")
    base, other = (s for s in searched.summaries if s.cell.levels["load.threads"] == "16")
    brief = dataclasses.replace(other, sustained=0, unsustained=3, hints=(), why=why)
    found = answer.sentences(searched.exp, [base, brief])
    assert found[0] == (
        AGAINST + "only one-thread-per-connection held p99<20ms, up to 1,180 tx/s at 16 connections"
    )
    alone = answer.sentences(searched.exp, [brief])
    assert alone[0].endswith("no rate held p99<20ms in a whole step")


def test_the_throughput_of_searches_has_no_knee(searched: Results) -> None:
    """Also where no rate to begin with was given."""
    settings = {"load.tx-find": "p99<20ms"}
    first = searched.summaries[0]
    assert answer.rated(
        dataclasses.replace(first, cell=dataclasses.replace(first.cell, settings=settings))
    )


def test_the_table_of_searches_has_nothing_but_their_answers(searched: Results) -> None:
    lines = text_tables.table(searched.exp, searched.summaries).splitlines()
    assert lines[2:7] == [
        "            | highest | not held",
        "connections |     tps |      tps",
        "------------+---------+---------",
        "         16 |    1180 |     1240",
        "         64 |    1180 |     1240",
    ]
    assert text_tables.main_figure(searched.exp, searched.summaries) == "held_tps"


def test_progress_tells_the_answer_of_a_search(searched: Results) -> None:
    found = progress.figures_text(searched.rows[0], "mariadbd")
    assert found == "held up to 1180 tps, not at 1240 tps"
