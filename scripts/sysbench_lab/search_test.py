# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of search.py and search_book.py with a sysbench whose capacity is known."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import re
from typing import Any

import pytest

from sysbench_lab import LabError, model, plan, runner, search, search_book, stats, terminal
from sysbench_lab.book import Book
from sysbench_lab.model import Factor, Hook, Level, Settings
from sysbench_lab.target import Target
from sysbench_lab.testdata.runner_cases import Notes, commands, experiment, factor, fake, new_book


def two_versions(folder: pathlib.Path, **measure: Any) -> Any:
    """Arms that can do 1000 and 2500 transactions per second; p99 reaches 18 ms at 80 % of it."""
    env = "client.env.FAKE_CAPACITY"
    arms = Factor("arm", (Level("old", {env: 1000}), Level("new", {env: 2500})), False)
    return experiment(fake(folder), arms, time_s=8, **measure)


def searched(tmp_path: pathlib.Path, exp: Any) -> tuple[Any, Notes]:
    book, notes = new_book(tmp_path / "results", exp), Notes()
    search.run_all(exp, book.plan, book, notes)
    return book, notes


def rates_found(folder: str) -> list[float]:
    return [f["rate"] for f in search_book.read(folder)["found"]]


def test_the_highest_rate_of_two_versions(tmp_path: pathlib.Path) -> None:
    book, notes = searched(tmp_path, two_versions(tmp_path, objective="p99<18ms"))
    old, new = rates_found(book.folder)
    assert 780 <= old <= 800
    assert 1950 <= new <= 2000
    sentences = search_book.sentences(book.folder)
    assert notes.lines[-1] == sentences[1]
    assert sentences[1].startswith(
        "new: %s tx/s is the highest rate sustained with p99<18ms; confirmed by 1 run of 8 s (p99"
        % format(new, ",.10g")
    )
    assert commands(tmp_path).count("prepare") == 1


def test_its_book_is_one_like_any_other(tmp_path: pathlib.Path) -> None:
    book, _ = searched(tmp_path, two_versions(tmp_path))
    read = Book.open(book.folder)
    assert read.missing() == []
    assert read.experiment.x == "tx-rate"
    for row, run in zip(read.rows(), read.plan.runs):
        cell = read.plan.cells[run.cell]
        assert (row["arm"], row["tx-rate"]) == (cell.levels["arm"], cell.levels["tx-rate"])
        assert float(row["tx-rate"]) == row["target_tps"] == cell.settings["load.tx-rate"]
    levels = read.experiment.factors[1].levels
    assert [level.changes["load.tx-rate"] for level in levels] == sorted(
        {float(row["tx-rate"]) for row in read.rows()}
    )
    table = terminal.table(
        read.experiment, stats.summarise(read.experiment, read.plan, read.rows())
    )
    shown = [line.split("|")[0].strip(" !") for line in table.splitlines() if "|" in line]
    rates = [float(rate) for rate in shown if re.fullmatch(r"\d+", rate)]
    assert len(rates) > 8 and rates == sorted(rates)  # those of "new" are higher
    times = re.findall(r"--time=(\d+)", (tmp_path / "fake.log").read_text())
    assert set(times) == {"2", "8"}


def test_resume_asks_nothing_again(tmp_path: pathlib.Path) -> None:
    exp = two_versions(tmp_path, objective="p99<18ms")
    whole, _ = searched(tmp_path, exp)
    (tmp_path / "fake.log").unlink()
    other = tmp_path / "b"
    other.mkdir()
    book = new_book(other / "results", exp)

    class Interrupted(Notes):
        def note(self, text: str) -> None:
            super().note(text)
            if len(self.lines) == 9:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.run_all(exp, book.plan, book, Interrupted())
    first = len(Book.open(book.folder).rows())
    assert first > 3
    again = Book.open(book.folder)
    runner.run_all(again.experiment, again.plan, again, Notes())  # as resume does
    assert rates_found(book.folder) == rates_found(whole.folder)
    assert len(again.rows()) == len(whole.rows())
    assert commands(tmp_path).count("run") == len(whole.rows()) + 2


def test_the_environment_is_noted_once_an_arm(tmp_path: pathlib.Path) -> None:
    """Not once a rate: then no two arms could be compared."""
    exp = two_versions(tmp_path)
    exp = dataclasses.replace(exp, factors=(*exp.factors, factor("t", "load.threads", 4)), x="t")
    book, _ = searched(tmp_path, exp)
    assert sorted(book.environment()) == ["new, 4", "old, 4"]
    arms = {model.arm_of(book.experiment, cell) for cell in book.plan.cells}
    assert arms == {"new, 4", "old, 4"}


def found(rate: float | None, rows: list[dict[str, Any]], **more: int) -> search.Found:
    return search.Found(rate, 2000.0, rows, 9, **more)


def test_the_sentence_says_what_speaks_against_it() -> None:
    rows = [{"response_p99_ms": 17.0}, {"response_p99_ms": 18.5}]
    text = search.sentence("", "p99<20ms", found(990, rows, short=3, missed=1, disturbed=2), 8, 30)
    assert text == (
        "990 tx/s is the highest rate sustained with p99<20ms; confirmed by 2 runs of 30 s "
        "(p99 18.5 ms), held by 2 of 3 runs of 8 s; without a rate: 2,000 tx/s; "
        "2 runs of the search failed to hold a rate while other programs disturbed them"
    )
    text = search.sentence("", "", found(None, [], disturbed=1), 8, 30)
    assert text.endswith(
        "; 1 run of the search failed to hold a rate while other programs disturbed it"
    )


def test_an_interrupted_run_of_another_length_is_not_taken_over(tmp_path: pathlib.Path) -> None:
    exp = two_versions(tmp_path)
    book = new_book(tmp_path / "results", exp)
    kept = search_book.SearchBook(book, exp, {"short_s": 2, "long_s": 8})
    of = book.plan.cells[0]
    short, _ = kept.plan_run(of, 500, False)
    long, _ = kept.plan_run(of, 500, True)
    assert (short.number, long.number) == (1, 2)
    assert kept.plan_run(of, 500, True)[0] == long


def test_no_rate_holds(tmp_path: pathlib.Path) -> None:
    book, notes = searched(tmp_path, experiment(fake(tmp_path), objective="p99<1ms"))
    assert rates_found(book.folder) == [None]
    assert "no rate down to 4 tx/s is sustained with p99<1ms" in notes.lines[-1]


def test_a_run_that_fails_ends_it(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path, FAIL="server is gone", FAIL_RUNS="4"))
    book = new_book(tmp_path / "results", exp)
    with pytest.raises(LabError, match="a run of the search failed: .* server is gone"):
        search.run_all(exp, book.plan, book, Notes())
    assert all(row["status"] == "done" for row in Book.open(book.folder).rows())


def test_the_rate_may_not_vary(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path), factor("tx-rate", "load.tx-rate", 5, 6))
    book = new_book(tmp_path / "results", exp)
    with pytest.raises(LabError, match="tx-rate varies the rate, but a search finds it"):
        search.run_all(exp, book.plan, book, Notes())
    assert not (tmp_path / "fake.log").exists()


def test_a_change_that_short_runs_would_not_see(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path), hooks=(Hook("mid-run", "true", 2.5),), time_s=12)
    assert "the highest rate" in search.outline(exp, plan.make(exp))
    exp = experiment(fake(tmp_path), hooks=(Hook("mid-run", "true", 3),), time_s=12)
    with pytest.raises(LabError, match="at is 3 s, but a search also makes runs of 3 s"):
        search.outline(exp, plan.make(exp))


def test_what_needs_a_rate_is_left_out_without_one(tmp_path: pathlib.Path) -> None:
    """sysbench refuses --tx-arrival without a rate."""
    settings: Settings = {**fake(tmp_path), "load.tx-arrival": "poisson", "load.rate": 5}
    searched(tmp_path, experiment(settings))
    log = (tmp_path / "fake.log").read_text()
    first, *others = [line for line in log.splitlines() if line.endswith(" run")]
    assert "--tx-" not in first and "--rate" not in first
    assert all("--tx-rate=" in line and "--tx-arrival=poisson" in line for line in others)
    cell = search.with_a_rate(plan.make(experiment({"load.tx-strict": True})).cells[0])
    assert cell.settings == {"load.tx-strict": True, "load.tx-rate": 1}


def test_percentiles_of_the_objective_are_measured(tmp_path: pathlib.Path) -> None:
    bounds = search.objective.parse("p99.9<5ms")
    given = {"load.percentile": "50,95"}
    assert search.with_percentiles(given, bounds)["load.percentile"] == "50,95,99.9"
    assert search.with_percentiles({}, bounds)["load.percentile"] == "95,99.9"
    assert search.with_percentiles({}, []) == {}


def test_one_cell_without_a_book(tmp_path: pathlib.Path) -> None:
    settings = fake(tmp_path)
    settings["load.tx-rate"] = 5
    exp = experiment(settings, time_s=4)
    found = search.find_max_rate(exp, settings, Target(), "p99<18ms", str(tmp_path / "runs"))
    assert found.rate is not None
    assert 780 <= found.rate <= 800
    assert found.flat_out == 1000
    assert len(os.listdir(tmp_path / "runs")) == found.runs + 1
    with open(tmp_path / "runs" / "001-flat-out" / "run.json") as f:
        assert json.load(f)["target_tps"] is None
