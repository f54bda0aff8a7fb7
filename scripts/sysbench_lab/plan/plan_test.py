# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells, orders, restarts and estimates; the plan as people see it."""

from __future__ import annotations

from typing import Any, Dict

from sysbench_lab.plan import experiment, plan
from sysbench_lab.plan.model import Experiment, Plan

Tree = Dict[str, Any]


def two_by_two(**measure: object) -> Experiment:
    return experiment.from_dict(
        {
            "title": "Title",
            "load": {"script": "oltp_read_only", "tables": 4, "table-size": "15k"},
            "measure": {"time": 10, "warmup": 0, **measure},
            "arm": [{"name": "a", "server.option.x": 1}, {"name": "b", "server.option.x": 2}],
            "vary": {"load.threads": [1, 16]},
        },
        "test",
    )


def order(exp: Experiment) -> list[int]:
    return [run.cell for run in plan.make(exp).runs]


def test_cells_take_the_settings_of_their_levels() -> None:
    cells = plan.make(two_by_two()).cells
    assert [tuple(c.levels.values()) for c in cells] == [
        ("a", "1"),
        ("a", "16"),
        ("b", "1"),
        ("b", "16"),
    ]
    assert cells[2].settings["server.option.x"] == 2
    assert cells[2].settings["load.threads"] == 1
    assert cells[2].settings["load.tables"] == 4


def test_orders() -> None:
    assert order(two_by_two(repeats=2)) == [0, 1, 2, 3, 3, 2, 1, 0]
    assert order(two_by_two(repeats=2, order="written")) == [0, 1, 2, 3] * 2


def test_runs_are_numbered() -> None:
    runs = plan.make(two_by_two(repeats=2)).runs
    assert [run.number for run in runs] == list(range(1, 9))
    assert [run.round for run in runs] == [1] * 4 + [2] * 4


def test_a_shuffle_is_a_shuffle_of_each_round_and_follows_the_seed() -> None:
    first = order(two_by_two(repeats=8, order="shuffle", seed=5))
    assert first == order(two_by_two(repeats=8, order="shuffle", seed=5))
    assert first != order(two_by_two(repeats=8, order="shuffle", seed=6))
    rounds = [first[i : i + 4] for i in range(0, 32, 4)]
    assert all(sorted(r) == [0, 1, 2, 3] for r in rounds)
    assert len({tuple(r) for r in rounds}) > 1


def starts(exp: Experiment) -> int:
    return len(plan.starting(exp, plan.make(exp)))


def test_restarts() -> None:
    assert starts(two_by_two(repeats=2)) == 3  # a b | b a: b goes on
    assert starts(two_by_two(repeats=2, order="written")) == 4
    assert starts(two_by_two(repeats=2, restart="cell")) == 7  # the middle cell twice in a row


def test_a_given_server_is_not_started() -> None:
    tree: Tree = {"load": {"script": "oltp_insert"}, "server": {"kind": "given"}}
    assert starts(experiment.from_dict(tree, "test")) == 0
    tree["server"] = {"kind": "commands", "set": "s", "check": "c"}
    tree["vary"] = {"server.option.a": [1, 2]}
    assert starts(experiment.from_dict(tree, "test")) == 0


def test_estimate() -> None:
    made = plan.make(two_by_two(repeats=2))
    assert made.estimate_s == 8 * (10 + plan.RUN_S) + 3 * plan.START_S + 60000 / plan.ROWS_PER_S
    alone = experiment.from_dict({"load": {"script": "cpu"}, "measure": {"warmup": 0}}, "test")
    assert plan.make(alone).estimate_s == 5 * (30 + plan.RUN_S)


def test_other_tables_are_prepared_again() -> None:
    for prepare, times in ((True, 4), (False, 0)):
        exp = experiment.from_dict(
            {
                "load": {"script": "oltp_insert", "prepare": prepare},
                "vary": {"load.threads": [1, 2], "load.tables": [1, 8]},
                "measure": {"repeats": 1},
            },
            "test",
        )
        made = plan.make(exp)
        assert len(plan.preparing(made)) == times


def test_durations() -> None:
    cases = (
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (600, "10 min"),
        (659, "11 min"),
        (3600, "1 h"),
        (4000, "1 h 7 min"),
    )
    for seconds, text in cases:
        assert plan.duration(seconds) == text


def test_table() -> None:
    exp = two_by_two(repeats=2)
    assert plan.table(exp, plan.make(exp)) == (
        "Title\n"
        "\n"
        "cell  arm  load.threads  runs, in order\n"
        "   0  a               1  1 8\n"
        "   1  a              16  2 7\n"
        "   2  b               1  3 6\n"
        "   3  b              16  4 5\n"
        "\n"
        "4 cells x 2 repeats = 8 runs, order: abba\n"
        "each run: 10 s after 0 s of warm-up\n"
        "3 server starts, 1 preparation\n"
        "estimated duration: 1 min 45 s"
    )


def test_an_empty_plan_costs_nothing() -> None:
    exp = two_by_two()
    assert plan.starting(exp, Plan((), (), 0)) == []
