# SPDX-License-Identifier: GPL-2.0-or-later
"""answer.py: sentences for made cells, word for word; none says more than its figures."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from typing import Any, Sequence

import pytest

from .. import testing
from ..plan import contrasts, labels
from ..plan.model import Cell, CellSummary, Experiment, Factor, Measure, Row, Spread
from ..testdata.runner_cases import factor
from . import answer, stats

OTPC = testing.ARMS[0]
SIZES = "server.option.innodb_buffer_pool_size"
SCRIPTS = factor("load.script", "load.script", "read", "write")
# What an experiment of a scene has instead of schedulers, or of the axis.
INSTEAD: dict[str, Factor] = {
    **{n: factor("server.option." + n, "server.option." + n, *v) for n, v in
       (("jit", ("on", "off")), ("pool_size", ("1", "2")))},
    "scripts": SCRIPTS,
    "sizes": dataclasses.replace(factor(SIZES, SIZES, "1G", "4G"), numeric=True),
    "rates": factor("load.tx-rate", "load.tx-rate", 100, 200),
}  # fmt: skip


def experiment(text: str) -> Experiment:
    """`2 at 1 16`: arms and connections; `jit at 1 16`, `2 at scripts`: others in their place."""
    head, _, axis = text.partition(" at ")
    levels = [int(x) for x in axis.split() if x.isdigit()]
    exp = testing.make_experiment(int(head) if head.isdigit() else 2, levels or (1,), 3, 1)
    arms, x = INSTEAD.get(head, exp.factors[0]), INSTEAD.get(axis, exp.factors[1])
    if arms is not exp.factors[0]:
        exp = dataclasses.replace(exp, measure=Measure(seed=1))
    return dataclasses.replace(exp, factors=(arms, x), x=x.name * x.numeric * (axis != "rates"))


def row(word: str, cell: int, options: dict[str, str]) -> Row:
    """A run by the CPU of a transaction; from 1,000 on it missed the rate.  p95 is a hundredth."""
    text, _, others = word.partition("!")
    cost = float(text.strip("x"))
    held = cost < 1000
    found: Row = {"cell": cell, "status": "failed" if "x" in text else "done", "why": ""}
    found.update(server_cpu_us_per_tx=cost, response_p95_ms=cost / 100, disturbed="")
    found.update(tps=1200.0 if held else 900.0, target_tps=1200, sustained="yes" if held else "no")
    if others:
        found["disturbed"] = "other processes used %s %% of the CPUs" % others
    if others == "steal":
        found["disturbed"] = "steal 7 %"
    for name, value in options.items():
        name, _, only = name.partition(".")
        if only in ("", str(cell)):
            found[name] = json.loads(value) if value[:1].isdigit() or value == "null" else value
    return found


def scene(text: str) -> tuple[Experiment, list[CellSummary]]:
    """The experiment; NAME=VALUE of all runs, or NAME.CELL=VALUE; the runs of its cells:
    `200 201 | 160*3 | - | 1100!90 x1`, of which the last are disturbed, and failed."""
    head, *more, cells = text.splitlines()
    options = dict(line.split("=", 1) for line in more)
    exp, rows = experiment(head), list[Row]()
    measure = {k: options.pop(k) for k in ("baseline", "exclude_disturbed") if k in options}
    exp = exp.with_measure(**measure) if measure else exp
    for number, runs in enumerate(cells.split(" | ")):
        for one, _, times in (word.partition("*") for word in runs.replace("-", "").split()):
            rows += [row(one, number, options) for _ in range(int(times or 1))]
    return exp, stats.summarise(exp, testing.make_plan(exp), rows)


def told(text: str) -> str:
    return "\n".join(answer.sentences(*scene(text)))


def test_answers() -> None:
    """Where a percentage is of no use, two arms cross, nothing can be known: see the file."""
    assert testing.retold("answers", told) == testing.cases("answers")


def test_remarks() -> None:
    said = testing.retold("remarks", lambda text: "\n".join(answer.remarks(scene(text)[1])))
    assert said == testing.cases("remarks")


# ---- curves ----------------------------------------------------------------------

CONNECTIONS = [1, 4, 16, 64, 256, 1024]
EXP = Experiment("t", "t", "", {}, (), Measure(), (), "load.threads")


def curve(arm: str, rows: Sequence[Sequence[float]], rate: float = 0) -> list[CellSummary]:
    found = []
    for x, values in zip(CONNECTIONS, rows):
        cell = Cell(0, {"arm": arm, "load.threads": str(x)}, {"load.tx-rate": rate})
        figures = {"tps": stats.spread(values, 1)}
        found.append(CellSummary(cell, arm, 3, 3, 0, 0, "", figures))
    return found


def test_knees() -> None:
    def flat(text: str) -> str:
        rows = [[float(n) for n in runs.split()] for runs in text.split(" | ")]
        cells = curve("", [r if len(r) > 1 else r * 3 for r in rows])
        for nothing in ({"disturbed": ("others",) * 3}, {"counted": 2}):
            less: list[Any] = [dataclasses.replace(s, **nothing) for s in cells]  # type: ignore[arg-type]
            assert answer.knee_sentences(EXP, less) == []
        return "\n".join(answer.knee_sentences(EXP, cells)) or "nothing"

    assert testing.retold("knees", flat) == testing.cases("knees")


def test_what_has_a_rate_has_no_knee() -> None:
    rising = [[y] * 3 for y in (100.0, 390, 1500, 1600, 1620, 1600)]
    made = curve("pool", rising)[::-1] + curve("line", [[y] * 3 for y in range(1, 7)])
    want = ["pool: the throughput flattens at 16 connections (1,500 tx/s, 93 % of the most)"]
    assert answer.knee_sentences(EXP, made) == want
    target = {"target_tps": Spread(3, 200, 200, 200, 200, 200)}  # the option by its other name
    rated = [dataclasses.replace(s, figures={**s.figures, **target}) for s in made]
    nothing: list[list[CellSummary]] = [curve("pool", rising, 200), [], rated]
    for none in nothing:
        assert answer.knee_sentences(EXP, none) == []


# ---- changes ---------------------------------------------------------------------


def test_an_interval_without_no_change_that_is_not_stated_says_why() -> None:
    """(-8 to -2 %) beside "no clear difference" would contradict it."""
    found = stats.effect([100, 101, 102], [94, 96, 99], answer.COST, 1)
    said = "no clear difference (-7.8 to -1.0 %, but may be chance)"
    assert answer.told(found, clear=False) == said
    found = stats.effect([100, 101, 102], [99, 101, 103], answer.COST, 1)
    assert answer.told(found) == "no clear difference (-2.9 to +3.0 %)"


@pytest.mark.parametrize(
    "base, other, in_table, in_sentence",
    [
        ([200, 201, 202], [160, 164, 168], "-18 % (-21 to -16)", "-18 % (-21 to -16)"),
        ([100.0] * 3, [100.01] * 3, "0.0 % (0.0 to 0.0)", "no clear difference (0.0 to 0.0 %)"),
        ([1, 0, 1], [1, 1, 1], "n/a", "no clear difference (0 to n/a %)"),
        ([0, 0, 0], [1, 1, 1], "from 0", "from 0"),
        ([4], [5], "+25 %", "too few runs to compare"),
    ],
)
def test_a_change(base: list[float], other: list[float], in_table: str, in_sentence: str) -> None:
    effect = stats.effect(base, other, answer.COST, 1)
    assert answer.per_cent(effect) == in_table
    assert answer.told(effect) == in_sentence
    values = "%s -> %s us" % tuple(map(labels.grouped, (effect.base, effect.other)))
    said = values if in_table == "from 0" else "%s, %s" % (values, in_sentence)
    assert answer.change(effect, "us") == said


# ---- chance ----------------------------------------------------------------------


def noise(law: str, dice: random.Random) -> float:
    """Of 2 %; of "outliers", a run in ten takes up to 2.5 times as long."""
    if law == "lognormal":
        return 1 + 0.02 * math.exp(dice.gauss(0, 0.6))
    slow = dice.random() < 0.1 and law == "outliers"
    return math.exp(dice.gauss(0, 0.02)) * (1 + 1.5 * dice.random() * slow)


def simulated(law: str, times: int, changes: Sequence[float]) -> list[int]:
    """How many differences are stated in each of as many experiments: two arms, the other one
    changed by a factor at each point, five repeats, three figures."""
    exp = testing.make_experiment(2, [2**i for i in range(len(changes))], 5, 1)
    cells = testing.make_plan(exp).cells
    dice, counts = random.Random(law), []
    for _ in range(times):
        made = []
        for number, change in enumerate([*[1.0] * len(changes), *changes]):
            runs = [[change * noise(law, dice) for _ in range(5)] for _ in range(3)]
            names = answer.COST, answer.P95, answer.TPS
            figures = {n: stats.spread(v, 1) for n, v in zip(names, runs)}
            made.append(CellSummary(cells[number], OTPC, 5, 5, 0, 0, "", figures))
        known = answer.comparisons(exp, contrasts.contrasts(exp, made), {})
        counts.append(sum(one.clear for one in known.values()))
        assert len(known) == 3 * len(changes)
    return counts


@pytest.mark.parametrize("law", ["normal", "lognormal", "outliers"])
def test_equal_arms_differ_in_few_of_the_experiments(law: str) -> None:
    """Of experiments with 20 cells, 5 % may state something at a point.  Single intervals would
    find something in most of them."""
    found = simulated(law, testing.EXPERIMENTS, [1.0] * 10)
    assert sum(n > 0 for n in found) < testing.LUCK


@pytest.mark.parametrize("changes, least", [([1.1] * 10, 29), ([*[1.0] * 4, 1.2, *[1.0] * 5], 2.7)])
def test_real_differences_are_found(changes: list[float], least: float) -> None:
    """10 % everywhere, 20 % in one of ten points; of 30 and of 3 that are there."""
    for law in ("normal", "lognormal"):
        assert sum(simulated(law, 20, changes)) / 20 >= least


def test_who_held_the_rate_is_no_chance() -> None:
    """Runs that hold it by chance: of 200 experiments of three repeats, 10 % are 20, and 30 are
    more than luck (1 %)."""
    dice, found = random.Random(1), 0
    head = "2 at %s\n" % " ".join(str(2**i) for i in range(10))
    for _ in range(200):
        cells = (" ".join(dice.choice(("100", "1100")) for _ in range(3)) for _ in range(20))
        found += "only" in told(head + " | ".join(cells)).partition("\n")[0]
    assert found <= 30
