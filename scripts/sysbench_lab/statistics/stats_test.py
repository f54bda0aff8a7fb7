# SPDX-License-Identifier: GPL-2.0-or-later
"""stats.py: intervals against known truths, which runs count, luck."""

from __future__ import annotations

import dataclasses
import itertools
import math
import pathlib
import random
import re
import statistics
from typing import Any

import pytest

from .. import testing
from ..plan.model import Measure, Row
from . import stats

# The constant-rate study of 2008 measured one cell 15 times: 2,048 connections.  It says that the
# throughput went from 836 to 1,197, that the rate was reached once, and that this was luck.  These
# extremes are the study's; the values between are made up, and so is the rate, 1,200.
SEED_TPS = (
    836, 858, 871, 884, 897, 905, 918, 926, 939, 951, 967, 984, 1003, 1041, 1197,
)  # fmt: skip
SEED_TARGET = 1200


@pytest.mark.parametrize(
    "values, median, low, high",
    [
        ([5.0], 5, 5, 5),
        ([1.0, 3.0], 2, 1, 3),  # too few: minimum and maximum
        ([3.0, 1.0, 2.0], 2, 1, 3),
        ([7.0, 7.0, 7.0], 7, 7, 7),
        ([1.0, 2.0, 3.0, 4.0], 2.5, 1, 4),
    ],
)
def test_spread(values: list[float], median: float, low: float, high: float) -> None:
    found = stats.spread(values, 1)
    assert (found.median, found.low, found.high) == (median, low, high)
    assert (found.n, found.min, found.max) == (len(values), min(values), max(values))
    assert found.values == tuple(values)  # in the order of the runs


def test_interval_of_five_by_hand() -> None:
    """The least of five is a sample's median if drawn at least 3 times of 5: 5.8 %, above 2.5 %."""
    least = sum(math.comb(5, k) * 0.2**k * 0.8 ** (5 - k) for k in (3, 4, 5))
    weights = dict(stats.medians([1.0, 2.0, 3.0, 4.0, 5.0], 1))
    assert weights[1.0] / 5**5 == pytest.approx(least)
    found = stats.spread([1.0, 2.0, 3.0, 4.0, 5.0], 1)
    assert (found.low, found.high) == (1, 5)


def test_medians_of_all_samples_of_two() -> None:
    assert dict(stats.medians([10.0, 0.0], 1)) == {0: 1, 5: 2, 10: 1}


def test_interval_of_a_ratio_by_counting() -> None:
    """All 256 times 256 pairs of samples, their ratios sorted: 2.5 % are left out at either end."""
    base, other = [8.0, 9.0, 10.0, 13.0], [7.0, 7.5, 9.5, 12.0]
    samples = [
        [statistics.median(s) for s in itertools.product(v, repeat=4)] for v in (base, other)
    ]
    ratios = sorted(o / b for b in samples[0] for o in samples[1])
    tail = int(0.025 * len(ratios))
    found = stats.effect(base, other, "tps", 1)
    assert (found.low, found.high) == (ratios[tail], ratios[-1 - tail])
    assert ratios[0] < ratios[tail] and ratios[-1 - tail] < ratios[-1]


def test_more_values_make_the_interval_narrower_than_the_range() -> None:
    """Drawn from the seed."""
    found = stats.spread([float(v) for v in SEED_TPS], 1)
    assert found.min < found.low < found.median < found.high < found.max
    assert found.median == 926
    stats.middles.cache_clear()
    assert stats.spread([float(v) for v in SEED_TPS], 1) == found


@pytest.mark.parametrize("n, level", [(3, 0.9), (4, 0.925), (5, 0.95), (9, 0.95)])
def test_intervals_hold_the_truth_as_often_as_they_are_said_to(n: int, level: float) -> None:
    """Two arms of which the other needs 0.8 of the base, 5 % of noise: how often 0.8 is inside."""
    assert stats.confidence(n) == level
    noise, inside = random.Random(7), 0
    for _ in range(600):
        base = [math.exp(noise.gauss(0, 0.05)) for _ in range(n)]
        other = [0.8 * math.exp(noise.gauss(0, 0.05)) for _ in range(n)]
        found = stats.effect(base, other, "tps", 1)
        assert found.low is not None and found.high is not None
        inside += found.low <= 0.8 <= found.high
    assert abs(inside / 600 - level) < 0.03


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 12])
def test_so_do_those_of_one_median(n: int) -> None:
    """A cell alone, or the changes within its runs: the range of three is beside it in 1 of 4."""
    noise, inside = random.Random(7), 0
    for _ in range(600):
        found = stats.spread([noise.expovariate(1) for _ in range(n)], 1)
        inside += found.low <= math.log(2) <= found.high
    assert abs(inside / 600 - stats.confidence(n, cells=1)) < 0.04


@pytest.mark.parametrize(
    "base, other, ratio, known",
    [
        ([100.0] * 3, [80.0] * 3, 0.8, True),
        ([100.0, 100.0], [80.0] * 3, 0.8, False),  # no interval without three runs of both
        ([0.0] * 3, [0.0] * 3, 1.0, True),
        ([0.0] * 3, [2.0] * 3, math.inf, True),
        ([100.0], [0.0], 0.0, False),
    ],
)
def test_effect(base: list[float], other: list[float], ratio: float, known: bool) -> None:
    found = stats.effect(base, other, "tps", 1)
    assert found.ratio == ratio
    assert (found.low is not None) == known
    if known:
        assert found.low == found.high == ratio
    assert (found.base, found.other) == (statistics.median(base), statistics.median(other))


def test_chances_of_few_runs_by_hand() -> None:
    """Three of each: the best of 20 ways and its mirror; five: of 252."""
    for n, ways in ((3, 20), (5, 252)):
        clear = ([1.0 + i / 100 for i in range(n)], [2.0 + i / 100 for i in range(n)])
        (found,) = stats.chances([{"tps": clear}], 1)
        assert found["tps"] == pytest.approx(2 / ways)
        # the same runs tell it of two figures: no more chances
        (found,) = stats.chances([{"tps": clear, "qps": clear}], 1)
        assert [*found.values()] == pytest.approx([2 / ways] * 2)
        # equal cells beside it: what is clear stays so, and they are not clear
        equal = {"tps": ([1.0 + i / 100 for i in range(n)], [1.001 + i / 100 for i in range(n)])}
        first, *rest = stats.chances([{"tps": clear}, *[equal] * 9], 1)
        assert first["tps"] == pytest.approx(2 / ways) and all(c["tps"] > 0.1 for c in rest)


def test_chances_of_nothing() -> None:
    same, none = ([1.0] * 3, [1.0] * 3), ([0.0] * 3, [0.0] * 3)
    assert stats.chances([], 1) == [] and stats.chances([{}, {}], 1) == [{}, {}]
    assert stats.chances([{"tps": same}, {"errors": none}], 1) == [{"tps": 1}, {"errors": 1}]
    (found,) = stats.chances([{"errors": ([0.0] * 5, [3.0, 4, 5, 6, 7])}], 1)  # no logarithm of 0
    assert found["errors"] == pytest.approx(2 / 252)


def test_chances_of_many_runs_are_drawn_from_the_seed() -> None:
    sides = ([float(v) for v in range(10)], [v + 1.5 for v in range(10)])
    found = [stats.chances([{"tps": sides}], seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert found[0][0]["tps"] == pytest.approx(found[2][0]["tps"], abs=0.06)


# ---- luck ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, target, found",
    [
        (SEED_TPS, SEED_TARGET, [14]),  # one of fifteen: 1,197 of 1,200, which is within 1 %
        ([1200, 1199, 1198], 1200, []),  # all reached it
        ([900, 1200, 1199], 1200, []),  # most did
        ([900, 1199, 880, 1200], 1200, [1, 3]),  # half did not make the cell
        ([900, 1200], 1200, []),  # two runs say nothing
        ([900, 910, 890], 1200, []),
        ([], 1200, []),
        ([10, 11, 10, 9, 30], None, [4]),
        ([10, 11, 10, 9, 1], None, []),  # bad luck is not lucky
        ([10, 11, 10, 30], None, []),  # too few without a target
        ([10, 10, 10, 10, 30], None, []),  # no spread to judge by
    ],
)
def test_lucky(values: list[float], target: float | None, found: list[int]) -> None:
    assert stats.lucky(values, target) == found


def row(sustained: str = "yes", disturbed: str = "", status: str = "done", **more: Any) -> Row:
    found = {"sustained": sustained, "disturbed": disturbed, "status": status}
    return {**found, "tps": 1.0, "why": "", **more}


def test_a_cell_of_the_seed_is_not_its_lucky_run() -> None:
    rows = [row("yes" if t >= 0.99 * SEED_TARGET else "no", tps=float(t)) for t in SEED_TPS]
    counted, flag = stats.counting(rows)
    assert flag == "1 of 15 sustained (probably by chance)"
    assert len(counted) == 14 and max(r["tps"] for r in counted) == 1041


@pytest.mark.parametrize(
    "rows, counted, flag",
    [
        ([row(), row(), row()], [0, 1, 2], ""),
        ([row(""), row("")], [0, 1], ""),
        ([row(), row("no"), row()], [0, 2], "2 of 3 sustained"),
        ([row("no"), row("no")], [0, 1], "none of 2 sustained"),
        ([row(), row("no")], [1], "1 of 2 sustained"),  # no majority: as if not held
        ([row("no"), row("no"), row()], [0, 1], "1 of 3 sustained (probably by chance)"),
        ([row(), row(disturbed="others"), row()], [0, 1, 2], "1 of 3 disturbed (others)"),
        ([row(), row(disturbed="x"), row(), row()], [0, 2, 3], "1 of 4 disturbed (x)"),
        (
            [row(disturbed="x"), row(disturbed="y")],
            [0, 1],
            "all disturbed (1 of 2 runs: x; 1 of 2 runs: y)",
        ),
        (
            [row(disturbed="steal 7 %"), row(disturbed="steal 9 %")],
            [0, 1],
            "all disturbed (steal 7 to 9 %)",
        ),
        ([row(), row(status="failed")], [0], "1 of 2 failed"),
        ([row(status="failed")] * 2, [], "all failed"),
        ([row(other_sessions=0.1)], [0], "beside active sessions of others"),
        (
            [row(), row(busy_before_pct=30.0, tps=None), row(other_sessions=2.0)],
            [0, 1, 2],
            "1 of 3 at a server that was busy before, 1 of 3 beside active sessions of others",
        ),
        (
            [row(status="failed"), row(disturbed="x"), row("no"), row("no")],
            [2, 3],
            "1 of 4 failed, 1 of 3 disturbed (x), none of 2 sustained",
        ),
        (
            [row("", tps=t) for t in (10, 11, 10, 9, 30)],
            [0, 1, 2, 3, 4],
            "1 of 5 far above the rest",
        ),
        ([row("no")], [0], "not sustained"),
        ([row(disturbed="x")], [0], "disturbed (x)"),
        ([row(status="failed")], [], "failed"),
        ([], [], ""),
    ],
)
def test_counting(rows: list[Row], counted: list[int], flag: str) -> None:
    found, said = stats.counting(rows)
    assert [rows.index(r) for r in found] == sorted(counted) or found == [rows[i] for i in counted]
    assert said == flag


@pytest.mark.parametrize(
    "found, reason",
    [
        ({}, ""),
        ({"others_cpu_pct": 15.0}, ""),
        ({"others_cpu_pct": 15.1}, "other processes used 15.1 % of the CPUs"),
        ({"steal_pct": 5.5}, "the hypervisor gave 5.5 % of the CPU time to others"),
        ({"throttled": 2}, "a CPU quota or heat throttled it 2 times"),
        ({"throttled": 1}, "a CPU quota or heat throttled it once"),
        ({"throttled": 0, "steal_pct": None}, ""),
    ],
)
def test_disturbed(found: Row, reason: str) -> None:
    assert stats.disturbed(found, Measure(disturbed_pct=15)) == reason


@pytest.mark.parametrize(
    "sessions, before, said",
    [
        (None, None, False), (None, 4.9, False), (None, 49, False), (None, 50, True),
        (0.0, 50, False),  # it is known that there were none
    ],
)  # fmt: skip
def test_a_server_that_was_busy_before(sessions: Any, before: Any, said: bool) -> None:
    """Of two CPUs; a quarter of them is 50 % of one."""
    found = {"other_sessions": sessions, "busy_before_pct": before, "tps": 1000.0}
    text = "at a server that was busy before" * said
    assert stats.beside({**found, "server_cpu_us_per_tx": 2000.0}) == text


CLIENT = (
    "the only client was busy (limit about %s/s, but one transaction took %s ms); raise --threads"
)
PILE = "%s transactions piled up in the server; speed it up"
SLOW = "no transaction from second %s on"
IDLE = "it woke up late (%d of %d late starts)"
LATE = "the load generator woke up late, by up to 9.7 ms (4 of 5 late starts had an idle client)"


@pytest.mark.parametrize(("texts", "reason"), testing.cases("reasons"))
def test_the_reason_of_several_runs(texts: str, reason: str) -> None:
    assert stats.reason(texts.splitlines()) == reason
    assert stats.reason([]) == ""


VERDICTS = pathlib.Path(__file__).parents[3] / "tests" / "data" / "verdicts.txt"
WHYS = re.findall(r"\| (?:no: |not known: |yes, but |yes, )(.*) \|$", VERDICTS.read_text(), re.M)


def other(text: str, factor: float) -> str:
    """The same of another run: other figures, other parts of a whole, another session.  Of one it
    would have other words."""

    def scaled(found: re.Match[str]) -> str:
        decimals, value = (len(found[0].partition(".")[2]), factor * stats.value_of(found[0]))
        return "%.*f" % (decimals, value) if found[0] != "1" else "1"

    parts = re.sub(r"\b(\d+) of (\d+)\b", lambda m: "%d of %s" % (int(m[1]) // 2, m[2]), text)
    return stats.NUMBER.sub(scaled, parts)


def words_of(text: str) -> list[str]:
    """But those that ranges and shares are made of, and what a session is called."""
    found = re.findall(r"[A-Za-z]\w+", text)
    return [w for w in found if w not in ("to", "of", "all", "id", "pid")]


@pytest.mark.parametrize("why", dict.fromkeys(WHYS))
@pytest.mark.parametrize("factor", [1.5, 3.0])
def test_all_that_the_program_says_can_be_merged(why: str, factor: float) -> None:
    """Every clause and its words stay; shares stay shares; no code and no session is a range."""
    said = stats.reason([why, other(why, factor), why])
    assert len(WHYS) > 80 and "of 3 runs" not in said
    assert not re.search(r"\d to [\d.,]+ of [\d.,]+ to \d|id \d", said)
    assert not re.search(r"(?<![\d.])(\d+(?:\.\d+)?) to \1(?![\d.])", said)
    assert words_of(said) == words_of(why)
    for code in re.findall(r"\w+ \(\w{5}\)|\b\d\dP\d\d", why):
        assert code in said
    assert stats.reason([said, why]) == said  # of a cell and another one
    assert stats.reason([why, why]) == why


@pytest.mark.parametrize(
    "why, said",
    [
        ("the only client was busy; raise --threads", "the only client was busy"),
        ("all were busy; raise --threads or see why", "all were busy; see why"),
        ("all busy; raise --threads; 47% of it is its wait", "all busy; 47% of it is its wait"),
        ("it used 95% of 2 CPUs; raise --workers", "it used 95% of 2 CPUs; raise --workers"),
        ("", ""),
    ],
)
def test_what_is_varied_is_not_advised(why: str, said: str) -> None:
    exp = testing.make_experiment(1, (1, 16), 3, 1)
    assert stats.advised(exp, {"why": why}) == said
    other = dataclasses.replace(exp, factors=exp.factors[:1])
    assert stats.advised(other, {"why": why}) == why


@pytest.mark.parametrize(
    "kinds, why, hints",
    [
        ("no no", "busy 0 to 1", ()),
        ("yes no", "busy 1", ()),  # no majority: the figures are those that did not hold it
        ("yes yes no", "", ("busy 0", "busy 1")),
        ("yes", "", ("busy 0",)),
    ],
)
def test_why_a_cell_did_not_hold_the_rate(kinds: str, why: str, hints: tuple[str, ...]) -> None:
    exp = testing.make_experiment(1, (1,), 2, 1)
    rows = [row(kind, cell=0, why="busy %d" % n) for n, kind in enumerate(kinds.split())]
    (found,) = stats.summarise(exp, testing.make_plan(exp), rows)
    assert (found.why, found.hints) == (why, hints)


@pytest.mark.parametrize(
    "rows, held",
    [
        ([row(), row()], True),
        ([row(), row("no")], False),
        ([row("no")], False),
        ([row("")], True),
        # a disturbed run does not say it
        ([row(), row("no", "others")], True),
        ([row("no"), row("yes", "others"), row("yes", "others")], False),
        ([row("no", "others"), row("no", "others"), row("yes", "others")], False),
    ],
)
def test_a_cell_holds_the_rate_if_most_runs_did(rows: list[Row], held: bool) -> None:
    exp = testing.make_experiment(1, (1,), 2, 1)
    (found,) = stats.summarise(exp, testing.make_plan(exp), [{**r, "cell": 0} for r in rows])
    assert found.held == held


def test_summaries_of_a_plan() -> None:
    exp = testing.make_experiment(2, (1, 16), 3, 1)
    plan = testing.make_plan(exp)
    rows = [row(cell=0, tps=v, ipc=None, qps=math.nan) for v in (3.0, 1.0, 2.0)] + [
        row(cell=3, status="failed")
    ]
    first, second, _, last = stats.summarise(exp, plan, rows)
    assert (first.arm, first.runs, first.counted) == ("one-thread-per-connection", 3, 3)
    assert first.figures["tps"].median == 2 and first.held
    assert "ipc" not in first.figures and "qps" not in first.figures
    assert (second.runs, second.flag, second.figures) == (0, "not run", {})
    assert (last.counted, last.flag) == (0, "failed")
