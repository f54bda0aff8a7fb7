# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells, orders, restarts and estimates; the plan as people see it; what is compared."""

from __future__ import annotations

import itertools
from typing import Any, Dict

import pytest

from sysbench_lab import testing
from sysbench_lab.plan import contrasts, experiment, plan
from sysbench_lab.plan.model import ORDERS, Experiment, Plan
from sysbench_lab.statistics import stats

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
    assert order(two_by_two(repeats=2, order="abba")) == [0, 1, 2, 3, 3, 2, 1, 0]
    assert order(two_by_two(repeats=2, order="written")) == [0, 1, 2, 3] * 2
    # places in any order, in each the arms side by side in any order: 0 and 2, 1 and 3
    found = order(two_by_two(repeats=50))
    rounds = {tuple(found[i : i + 4]) for i in range(0, 200, 4)}
    pairs = [[(0, 2), (2, 0)], [(1, 3), (3, 1)]]
    both = itertools.chain(itertools.product(*pairs), itertools.product(*pairs[::-1]))
    assert rounds == {(*first, *second) for first, second in both}


@pytest.mark.parametrize("order", ORDERS)
def test_more_rounds_leave_those_before_as_they_are(order: str) -> None:
    few, many = (two_by_two(repeats=n, order=order) for n in (3, 8))
    assert plan.make(many).runs[:12] == plan.make(few).runs
    assert plan.resized(many, plan.make(few)) == plan.make(many)
    assert plan.resized(few, plan.make(many)) == plan.make(few)


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
    """Of arms that differ in the server, each run has its own, unless it is said otherwise."""
    assert starts(two_by_two(repeats=2)) == starts(two_by_two(repeats=2, restart="run")) == 8
    assert starts(two_by_two(repeats=2, order="abba", restart="change")) == 3  # a b | b a
    assert starts(two_by_two(repeats=2, order="written", restart="change")) == 4
    assert starts(two_by_two(repeats=2, order="abba", restart="cell")) == 7  # one twice in a row
    tree: Tree = {"load": {"script": "oltp_insert"}, "vary": {"load.skip-trx": ["on", "off"]}}
    exp = experiment.from_dict({**tree, "measure": {"repeats": 3}}, "test")
    assert starts(exp) == 3 and not plan.shared_starts(exp, plan.make(exp))


def test_shared_starts_are_told() -> None:
    exp = two_by_two(repeats=5, order="abba", restart="change")
    assert plan.shared_starts(exp, plan.make(exp)) == (
        "The repeats share server starts: 5 runs of each setting had 3 starts"
    )
    assert not plan.shared_starts(two_by_two(), plan.make(two_by_two()))


def test_a_given_server_is_not_started() -> None:
    tree: Tree = {"load": {"script": "oltp_insert"}, "server": {"kind": "given"}}
    assert starts(experiment.from_dict(tree, "test")) == 0
    tree["server"] = {"kind": "commands", "set": "s", "check": "c"}
    tree["vary"] = {"server.option.a": [1, 2]}
    assert starts(experiment.from_dict(tree, "test")) == 0
    tree["server"].update(start="s {options}", stop="s")
    changes = starts(experiment.from_dict(tree, "test"))
    assert 4 < changes < 10  # by server.set, if it can
    del tree["server"]["set"]
    assert starts(experiment.from_dict(tree, "test")) == 9


def test_estimate() -> None:
    made = plan.make(two_by_two(repeats=2))
    assert made.estimate_s == 8 * (10 + plan.RUN_S + plan.START_S) + 60000 / plan.ROWS_PER_S
    alone = experiment.from_dict({"load": {"script": "cpu"}, "measure": {"warmup": 0}}, "test")
    assert plan.make(alone).estimate_s == 5 * (30 + plan.RUN_S)


def prepared(script: str, name: str, *levels: Any, **more: Any) -> str:
    """How often tables are made and a server is started where this varies; a private server keeps
    the tables of each level: 1 2 | 2 1."""
    load, hooks = {"script": script}, {k: more.pop(k) for k in list(more) if k == "before"}
    load.update({k: more.pop(k) for k in list(more) if k == "prepare"})
    measure = {"repeats": 2, "order": "abba", "restart": "change", **more}
    tree = {"load": load, "vary": {name: list(levels)}, "hooks": hooks, "measure": measure}
    exp = experiment.from_dict(tree, "test")
    return "%d preparations, %d starts" % (len(plan.preparing(exp, plan.make(exp))), starts(exp))


def test_calls() -> None:
    """Tables are prepared again when they may change."""
    found = testing.retold("calls_prepared", testing.called(prepared=prepared))
    assert found == testing.cases("calls_prepared")


def test_tables_of_a_server_that_is_not_ours_are_prepared_at_each_change() -> None:
    for name, times in (("load.tables", 3), ("load.mysql-host", 3), ("load.threads", 1)):
        tree: Tree = {"load": {"script": "oltp_insert"}, "vary": {name: [1, 2]}}
        exp = experiment.from_dict(
            {**tree, "server": {"kind": "given"}, "measure": {"repeats": 2, "order": "abba"}},
            "test",
        )
        assert len(plan.preparing(exp, plan.make(exp))) == times
    tree["vary"] = {"load.table-size": [1, 2, 3], "load.threads": [1, 2, 3, 4]}
    exp = experiment.from_dict({**tree, "server": {"kind": "given"}}, "test")
    assert 11 <= len(plan.preparing(exp, plan.make(exp))) <= 15  # once a size and round


def test_what_prepare_will_look_at_is_not_known_of_a_script_of_ones_own() -> None:
    tree: Tree = {
        "load": {"script": "a.lua"},
        "vary": {"load.x": [1, 2]},
        "measure": {"repeats": 1},
    }
    exp = experiment.from_dict(tree, "test")
    assert "\nat most 2 server starts, 2 preparations\n" in plan.table(exp, plan.make(exp))


def test_table() -> None:
    exp = two_by_two(repeats=2, order="abba", restart="change")
    assert plan.table(exp, plan.make(exp)) == (testing.data("plan.txt"))
    exp = two_by_two(until="p95 5%", budget="20m", order="abba", restart="change")
    assert plan.table(exp, plan.make(exp)).splitlines()[3:] == [
        "   0  a               1  1 8 9 16 ...",
        "   1  a              16  2 7 10 15 ...",
        "   2  b               1  3 6 11 14 ...",
        "   3  b              16  4 5 12 13 ...",
        "",
        "4 cells x 4 to 26 repeats = 16 to 104 runs, order: abba",
        "each run: 10 s after 0 s of warm-up",
        "5 to 27 server starts, 1 preparation",
        "estimated duration: 3 min 15 s to 21 min",
        "it ends when all differences in p95 are known to 5 %",
        "no round begins that would not end within 20 min",
    ]


def test_an_empty_plan_costs_nothing() -> None:
    exp = two_by_two()
    assert plan.starting(exp, Plan((), (), 0)) == []


# ---- what is compared with what --------------------------------------------------


TREE = {
    "load": {"script": "oltp_read_only"},
    "vary": {
        "server.option.flush": [1, 2],
        "client.prefix": [{"name": "near", "value": ""}, {"name": "far away", "value": "far"}],
        "load.table-size": [10, 20],
        "load.threads": [1, 16, 64],
    },
}
EXP = experiment.from_dict(TREE, "test")


def test_each_factor_is_compared_within_each_level_of_the_others() -> None:
    """Size and connections are other work."""
    summaries = stats.summarise(EXP, plan.make(EXP), [])
    found = contrasts.contrasts(EXP, summaries)
    assert [one.name for one in found] == ["flush 2 against 1", "far away against near"]
    assert [len(one.pairs) for one in found] == [2 * 2 * 3] * 2
    for one in found:
        for base, other in one.pairs:
            both = base.cell.levels.items() ^ other.cell.levels.items()
            assert {k for k, _ in both} == {one.factor}
    assert contrasts.compared(EXP, summaries) == [one.name for one in found]
    assert contrasts.place(EXP, summaries[-1].cell) == ("20", "64")


def test_the_baseline_is_named_as_it_is_written_or_shown() -> None:
    cells = plan.make(EXP).cells
    for name in ("2", "flush 2", "2, near", "flush 2, near"):
        exp = EXP.with_measure(baseline=name)
        assert contrasts.baseline(exp, cells) == {
            "server.option.flush": "2",
            "client.prefix": "near",
        }
