# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds: when they end, what is said of them, and that others can follow."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import plan, rounds
from sysbench_lab.plan.model import Experiment, Plan, Row
from sysbench_lab.results.results_dir import Book
from sysbench_lab.run import runner
from sysbench_lab.run.rounds import Rounds, so_far
from sysbench_lab.statistics.results import Results
from sysbench_lab.testdata.runner_cases import Notes, experiment, factor, fake, new_book

MODES = factor("load.mode", "load.mode", "calm", "wild")
SAID = "mode wild against calm: throughput 0.0 % (0.0 to 0.0)"


def test_an_experiment_ends_when_enough_is_known_and_goes_on_when_more_is_wanted(
    tmp_path: pathlib.Path,
) -> None:
    exp = experiment(fake(tmp_path), MODES, repeats=26, until="5 %", order="blocks")
    book, notes = new_book(tmp_path / "results", exp), Notes()
    planned = book.plan
    runner.run_all(exp, book.plan, book, notes)
    assert len(book.rows()) == 8 and not book.missing()
    assert "after 3 of at most 26 rounds: " + SAID in notes.lines
    assert notes.lines[-2:] == [
        "after 4 of at most 26 rounds: %s; that is enough (measure.until)" % SAID,
        "cut to 8",
    ]
    sure = " with 99 % intervals, reported at a 1 % family-wise error rate at each look (t-test);"
    assert sure + " it looked once, after 4 rounds" in Results(book.directory).sentences[-1]
    more = rounds.more(book.experiment, 4, True, 6)
    book.replan(more, plan.resized(more, book.plan))
    runner.run_all(more, book.plan, book, Notes())
    again = Book.open(book.directory)
    assert again.plan.runs == planned.runs[:12] and len(again.rows()) == 12
    assert "looked twice, after 4 and 6 rounds" in Results(book.directory).sentences[-1]
    with pytest.raises(LabError, match="measure.repeats is 5, but 6 rounds were begun"):
        rounds.more(more, 6, True, 5)


class Played:
    """A book whose runs have taken a second each."""

    def __init__(self, exp: Experiment) -> None:
        self.experiment, self.plan, self.made = exp, plan.make(exp), list[Row]()

    def rows(self) -> list[Row]:
        return self.made


def play(exp: Experiment, preparing_s: float = 0) -> tuple[int, list[str]]:
    """How many runs there were, and what was said."""
    now, said, book = [0.0], list[str](), Played(exp)
    those = Rounds(book, lambda: now[0])
    for run in book.plan.runs:
        text, ends = those.before(run)
        said += [text] * bool(text)
        if ends:
            break
        now[0] += 1 + preparing_s * (run.number == 1)
        row: dict[str, Any] = {"tps": 100.0 + run.number % 3, "sustained": "", "disturbed": ""}
        book.made.append({"run": run.number, "round": run.round, "cell": run.cell,
            "status": "done", "why": "", **row})  # fmt: skip
    return len(book.made), said


def test_no_round_begins_that_would_not_end_within_the_budget() -> None:
    one = experiment({"load.script": "cpu"}, MODES, repeats=20, budget_s=9)
    runs, said = play(one)
    assert runs == 8 and said[-1].startswith("after 4 of 20 rounds: mode wild against calm: ")
    assert said[-1].endswith("; 1 s of measure.budget are left, and a round takes 2 s")
    assert play(one, preparing_s=4)[0] == 2
    tight = one.with_measure(budget_s=12)  # a second round has no tables to make
    assert play(tight, preparing_s=4)[0] == 8
    assert play(one.with_measure(budget_s=0))[0] == 40


def test_it_ends_at_looks_only_and_when_all_comparisons_are_known() -> None:
    three = factor("load.mode", "load.mode", "calm", "wild", "mad")
    exp = experiment({"load.script": "cpu"}, three, repeats=26, until="throughput 5 %")
    made: Plan = plan.make(exp)

    def rows(turns: int, mad: float) -> list[Row]:
        return [
            {"run": r.number, "round": r.round, "cell": r.cell, "status": "done", "why": "",
             "sustained": "", "disturbed": "", "tps": mad ** (r.round % 2) if r.cell == 2 else 1.0}
            for r in made.runs[: 3 * turns]
        ]  # fmt: skip

    assert so_far(exp, made, rows(2, 1.0)) == ("", False)
    assert so_far(exp, made, rows(6, 1.001))[1]
    text, enough = so_far(exp, made, rows(6, 1.5))
    assert text.startswith("mode mad against calm: throughput +2") and not enough
    assert text.endswith(", the least known of 2 comparisons")
    failing = [{**r, "status": "failed"} if r["cell"] == 2 and r["round"] > 2 else r
               for r in rows(6, 1.001)]  # fmt: skip
    assert so_far(exp, made, failing)[0] and not so_far(exp, made, failing)[1]
    assert [rounds.more(exp, 9, ended, 9).measure.looked for ended in (False, True)] == [
        (4, 8), (4, 8, 9)
    ]  # fmt: skip
