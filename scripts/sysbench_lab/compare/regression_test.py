# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of regression.py."""

from __future__ import annotations

import dataclasses
import random
from typing import Any, Sequence

from sysbench_lab import testing
from sysbench_lab.compare import gate, regression
from sysbench_lab.plan import contrasts, plan
from sysbench_lab.plan.model import Factor, Level
from sysbench_lab.statistics import stats
from sysbench_lab.testdata.runner_cases import experiment, factor


def status_of(verdicts: Sequence[regression.Verdict]) -> int:
    return gate.status(regression.told(verdicts, ["tps"]))


BASE = [100.0, 101, 99, 100, 100.5, 99.5]


VERSIONS = Factor("arm", (Level("old", {"a": 1}), Level("new", {"a": 2})), False)
EXPERIMENT = experiment(
    {"load.script": "cpu"}, VERSIONS, factor("threads", "load.threads", 1, 16), repeats=4
)
PLAN = plan.make(EXPERIMENT)


def rows(**changes: Any) -> list[dict[str, Any]]:
    """Equal rows of all runs; `changes` are those of the new version with 16 threads."""
    found = []
    for run in PLAN.runs:
        row = {"run": run.number, "cell": run.cell, "status": "done", "disturbed": ""}
        row.update(round=run.round, sustained="yes", tps=100 + run.round / 10, response_p95_ms=5.0)
        if dict(PLAN.cells[run.cell].levels) == {"arm": "new", "threads": "16"}:
            row.update({k: v(run) if callable(v) else v for k, v in changes.items()})
        found.append(row)
    return found


def checked(**changes: Any) -> str:
    """What is said where the new version changes so at 16 threads, and the status."""
    found = regression.check(EXPERIMENT, PLAN, rows(**changes))
    assert all(v.where.startswith("new against old, ") for v in found)
    return "%s; status %d" % ("; ".join(v.sentence() for v in found), status_of(found))


def test_calls() -> None:
    """A verdict on two sides, and on an experiment."""

    def times(factor: float) -> list[float]:
        return [v * factor for v in BASE]

    def verdict(figure: str, other: Sequence[float], **more: Any) -> str:
        found = regression.verdict(figure, BASE, other)
        if found.change and found.change.low is not None and found.change.high is not None:
            assert found.change.low <= found.change.ratio <= found.change.high
        return found._replace(**more).sentence()

    says = testing.called(regression, verdict=verdict, times=times, checked=checked)
    assert testing.retold("calls_regression", says) == testing.cases("calls_regression")


def test_a_change_that_no_place_shows_is_found_over_all() -> None:
    """Ten places of three noisy runs each, 8 % slower: one verdict, and nothing of each place."""
    places = factor("threads", "load.threads", *range(1, 11))
    exp = experiment({"load.script": "cpu"}, VERSIONS, places, repeats=3)
    made, dice = plan.make(exp), random.Random(1)
    found = []
    for run in made.runs:
        p95 = 5 * (1.2 if made.cells[run.cell].levels["arm"] == "new" else 1.0)
        row = {"run": run.number, "round": run.round, "cell": run.cell, "status": "done"}
        row.update(disturbed="", sustained="", response_p95_ms=p95 * dice.lognormvariate(0, 0.1))
        found.append(row)
    first, *rest = regression.check(exp, made, found)
    assert first.sentence().startswith(
        "new against old, over threads 1 to 10: Response time, 95th percentile worse: +"
    )
    assert {v.word for v in rest} <= {"worse"} and len(rest) < 5


def test_places_that_differ_are_not_the_same_on_average() -> None:
    """Twice as slow at one place, twice as fast at the other."""
    cells = {c.number: [*c.levels.values()] for c in PLAN.cells}
    times: dict[tuple[str, ...], float] = {("new", "1"): 2.0, ("new", "16"): 0.5}
    found = [
        {**r, "response_p95_ms": (5 + r["round"] / 50) * times.get((*cells[r["cell"]],), 1.0)}
        for r in rows()
    ]
    said = regression.check(EXPERIMENT, PLAN, found, ["response_p95_ms"])
    assert [(v.word, v.where.rpartition(", ")[2]) for v in said] == [
        ("worse", "threads 1"), ("better", "threads 16")
    ]  # fmt: skip


def test_the_margin_grows_by_what_the_control_differs() -> None:
    """An arm 12 % slower than the old one, beside the old one once more, which is 10 % slower."""
    arms = [Level(n, {"a": i}) for i, n in enumerate(("old", "again", "new"))]
    exp = experiment({"load.script": "ro"}, Factor("arm", tuple(arms), False), repeats=4)
    made = plan.make(exp)
    factors = {"old": 1.0, "again": 1.1, "new": 1.12}
    found: list[dict[str, Any]] = []
    for run in made.runs:
        p95 = (5 + run.round / 1000) * factors[made.cells[run.cell].levels["arm"]]
        row = {"run": run.number, "cell": run.cell, "status": "done", "response_p95_ms": p95}
        found.append({**row, "disturbed": "", "sustained": ""})
    verdicts = regression.check(exp, made, found)
    assert [v.word for v in verdicts] == ["worse", "worse"]
    looks = dataclasses.replace(exp, measure=dataclasses.replace(exp.measure, until="5 %"))
    assert {v.word for v in regression.check(looks, made, found)} == {"inconclusive"}  # at 1 %
    (verdict,) = regression.check(exp, made, found, control="again")
    assert verdict.word == "inconclusive" and verdict.where == "new against old"
    assert verdict.sentence().endswith("; the control differs by 10 %")


def test_equal_versions_are_worse_in_few_of_the_checks() -> None:
    """Six figures that differ by nothing but noise, and no margin: half of 7.5 % of the checks, for
    one direction, and not a fifth, which intervals that know nothing of each other give."""
    dice, wrong = random.Random(3), 0
    for _ in range(40):
        names = ("qps", "ipc", "response_p95_ms")
        made = [{**row, **{n: dice.gauss(100, 5) for n in names}} for row in rows()]
        found = regression.check(EXPERIMENT, PLAN, made, names, margin=0)
        wrong += status_of(found) == 3
    assert wrong <= 4


def test_nothing_to_compare_is_no_success() -> None:
    assert status_of([]) == 4
    assert status_of(regression.check(EXPERIMENT, PLAN, [])) == 4


def test_a_version_that_alone_held_the_rate_is_better() -> None:
    """Its response times are not compared with those of an overloaded server."""
    found = rows()
    for row in found:
        if dict(PLAN.cells[row["cell"]].levels) == {"arm": "old", "threads": "16"}:
            row.update(sustained="no", response_p95_ms=1.0)
    verdicts = regression.check(EXPERIMENT, PLAN, found)
    assert [(v.word, v.figure) for v in verdicts if v.where.endswith("16")] == [
        ("better", "sustained")
    ]


def test_other_scripts_are_other_work() -> None:
    scripts = factor("load.script", "load.script", "ro", "rw")
    exp = experiment({}, VERSIONS, scripts, repeats=3)
    made = plan.make(exp)
    pairs = contrasts.pairs(exp, stats.summarise(exp, made, []))
    compared = [(dict(a.cell.levels), dict(b.cell.levels)) for a, b in pairs]
    assert compared == [
        ({"arm": "old", "load.script": s}, {"arm": "new", "load.script": s}) for s in ("ro", "rw")
    ]


def test_a_cell_without_a_run_is_inconclusive() -> None:
    """Also when the base has none either: nothing was shown there."""
    found = [r for r in rows() if PLAN.cells[r["cell"]].levels["threads"] == "1"]
    verdicts = regression.check(EXPERIMENT, PLAN, found)
    assert status_of(verdicts) == 4
    assert verdicts[-1].sentence() == "new against old, threads 16: inconclusive (no run counts)"


def test_runs_that_are_excluded_show_nothing() -> None:
    """As in the answer, which has no conclusion then, however great the difference is."""
    measure = dataclasses.replace(EXPERIMENT.measure, exclude_disturbed="all")
    exp = dataclasses.replace(EXPERIMENT, measure=measure)
    busy = [{**row, "disturbed": "others"} for row in rows(response_p95_ms=50.0)]
    verdicts = regression.check(exp, PLAN, busy)
    assert {v.word for v in verdicts} == {"inconclusive"}
    assert verdicts[-1].sentence().endswith(": inconclusive (in all 8 runs others)")
