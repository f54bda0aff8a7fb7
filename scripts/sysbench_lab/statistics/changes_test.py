# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs: before and after marks, in the answer, the table and summary.json; environments."""

from __future__ import annotations

import dataclasses
import json
import os
import random
from pathlib import Path

import pytest

from .. import commands, testing
from ..plan.model import Cell, CellSummary, Factor, Level
from ..testdata import event_reports
from . import changes, environment, stats
from .results import write


def test_the_answer_is_what_the_mark_changed_within_the_runs(tmp_path: Path) -> None:
    """The runs of a cell differ by more than the mark changed: only pairs of a run show it."""
    results = event_reports.make(str(tmp_path / "r"), "change", xs=(16,), repeats=5)
    assert results.sentences == [
        "one-thread-per-connection, 16 connections, after the mark at 5 s:"
        " server CPU/tx 392 -> 490 us, +25 % (+25 to +25);"
        " p95 2.47 -> 2.47 ms, no clear difference (0.0 to 0.0 %); the same throughput",
        "Medians of 5 runs. Changes are means over the rounds with 95 % intervals, reported at a 5"
        " % family-wise error rate (t-test)",
    ]
    text = commands.report(results)
    assert "\n\nBefore and after the mark at 5 s\n" in text
    (line,) = [line.split("  ") for line in text.splitlines() if "Server CPU/tx (us)" in line]
    assert [w.strip() for w in line if w] == [
        "Server CPU/tx (us)", "392.0", "490.0", "+25 % (+25 to +25)"
    ]  # fmt: skip
    note = "Medians of 5 runs; the change is the mean of those within each run,"
    assert note + " with its 95 % interval. Mark: change-it" in text
    write(results)
    with open(os.path.join(results.directory, "summary.json"), encoding="utf-8") as f:
        (change,) = json.load(f)["changes"]
    assert (change["cell"], change["at_s"], change["runs"]) == (0, 5.0004, 5)
    cost = change["figures"]["server_cpu_us_per_tx"]
    assert cost["ratio"]["median"] == cost["ratio"]["low"] == pytest.approx(1.25)
    assert cost["before"]["values"] == pytest.approx([200, 280, 392, 548.8, 768.32])


def test_few_or_disturbed_runs_show_nothing(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "change", xs=(16,), repeats=2)
    assert results.sentences[0].endswith("each setting needs 3, and one has only 2")
    (row,) = [r for r in results.sheets()[0].rows if "Server CPU/tx (us)" in r[0]]
    assert row[1:] == ["240.0", "300.0", "+25 %"]
    (change,) = results.changes
    busy = ("other processes used 40 % of the CPUs",) * 3
    disturbed = dataclasses.replace(change.summary, disturbed=busy, runs=3)
    cut, reason = change._replace(summary=disturbed), "in all 3 runs " + busy[0]
    assert changes.sentences([cut]) == ["No conclusion: " + reason]
    calm = event_reports.make(str(tmp_path / "s"), "change", xs=(16,), repeats=5).changes[0]
    said = changes.sentences([cut, calm])
    assert "+25 %" in said[0]
    assert said[1].endswith(", after the mark at 5 s: no conclusion: " + reason)
    pair = calm.figures["server_cpu_us_per_tx"]
    few = pair._replace(**{k: stats.spread(getattr(pair, k).values[:2], 1) for k in pair._fields})
    assert changes.clause("server_cpu_us_per_tx", few, {}).endswith(", too few runs to compare")
    none = pair._replace(before=stats.spread([0.0, 1, 2, 3, 4], 1))
    assert changes.clause("server_cpu_us_per_tx", none, {}).endswith(", 0 in some of the runs")


@pytest.mark.parametrize("cells, repeats", [(2, 5), (10, 5), (10, 7)])
def test_equal_sides_differ_in_few_of_the_experiments(cells: int, repeats: int) -> None:
    """Single intervals would find something in 35 to 86 of 100."""
    dice, found = random.Random(1), []
    names = changes.SAID
    cell = CellSummary(Cell(0, {}, {}), "", repeats, repeats, 0, 0, "", {})
    for factor in (1.0, 1.1):
        hits = 0
        for _ in range(testing.EXPERIMENTS):
            made = []
            for _ in range(cells):
                sides = [
                    tuple({n: f * dice.lognormvariate(5, 0.02) for n in names} for f in (1, factor))
                    for _ in range(repeats)
                ]
                made.append(changes.Change(cell, 0, 5.0, "", repeats, changes.pairs(sides, 1)))
            hits += any(one.clear for one in changes.judged(made).values())
        found.append(hits)
    assert found[0] < testing.LUCK and found[1] > 0.95 * testing.EXPERIMENTS


def test_what_cannot_be_seen_is_no_statement() -> None:
    """All five runs are 0.06 % slower: 100 -> 100 tx/s."""
    rows = [({"tps": 100.0}, {"tps": 99.96})] * 5
    cell = CellSummary(Cell(0, {}, {}), "", 5, 5, 0, 0, "", {})
    change = changes.Change(cell, 0, 5.0, "", 5, changes.pairs(rows, 1))
    assert changes.sentences([change])[0].endswith("no clear difference (0.0 to 0.0 %)")
    rows = [({"tps": 100.02}, {"tps": 99.96})] * 5
    assert changes.sentences([change._replace(figures=changes.pairs(rows, 1))])[0].endswith(
        "throughput 100 -> 100 tx/s, no difference at this precision (-0.1 to -0.1 %)"
    )
    rows = [({"tps": 100.0}, {"tps": 75.0})] * 4 + [({"tps": 200.0}, {"tps": 190.0})]
    assert changes.sentences([change._replace(figures=changes.pairs(rows, 1))])[0].endswith(
        "throughput 100 -> 75.0 tx/s (medians), -21 % (-31 to -10)"
    )


def test_runs_without_a_mark_have_nothing_to_compare(tmp_path: Path) -> None:
    results = event_reports.make(str(tmp_path / "r"), "stages")
    assert results.changes == [] and results.sheets() == []
    assert (
        changes.of_cell(results.summaries[0], [[{"figures": {}, "marks": []}]], results.exp) == []
    )


# ---- what differs in the environment ---------------------------------------------


def test_options_of_the_experiment_differ_and_directories_of_private_servers_do_not() -> None:
    exp = testing.make_experiment(2, (1, 16), 1, 1)
    arms = exp.factors[0].levels
    unlike = Level(arms[1].name, {**arms[1].changes, "server.option.lwm": 10, "load.x": "a b"})
    exp = dataclasses.replace(
        exp, factors=(Factor("arm", (arms[0], unlike), False), exp.factors[1])
    )
    same = {"host.kernel": "6.1", "server.variable.lwm": "0"}
    known = {
        arm.name: {**same, "server.variable.log_error": "/tmp/sysbench-db-%d/server/log" % i}
        for i, arm in enumerate(arms)
    }
    found = environment.differences(environment.with_settings(exp, testing.make_plan(exp), known))
    assert [(d.key, list(d.values.values())) for d in found] == [
        ("load.x", ["not set", "a b"]),
        ("server.option.lwm", ["not set", "10"]),
        ("server.option.thread_handling", [arm.name for arm in arms]),
    ]
