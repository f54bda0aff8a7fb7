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
from ..plan import found_rate
from ..plan.model import Measure, Row
from . import answer, environment, facts, pooled, stats

# The constant-rate study of 2008 measured one cell 15 times: 2,048 connections.  It says that the
# throughput went from 836 to 1,197, that the rate was reached once, and that this was luck.  These
# extremes are the study's; the values between are made up, and so is the rate, 1,200.
SEED_TPS = (
    836, 858, 871, 884, 897, 905, 918, 926, 939, 951, 967, 984, 1003, 1041, 1197,
)  # fmt: skip


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


def test_chances_of_many_runs_are_drawn_from_the_seed() -> None:
    sides = ([float(v) for v in range(10)], [v + 1.5 for v in range(10)])
    found = [stats.chances([{"tps": sides}], seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert found[0][0]["tps"] == pytest.approx(found[2][0]["tps"], abs=0.06)


# ---- luck ----------------------------------------------------------------------


A = {
    "host.kernel": "Linux 6.1", "server.process": "mariadbd (pid 10)",
    "server.variable.thread_handling": "one-thread-per-connection",
    "server.variable.socket": "/tmp/a.sock", "server.variable.query_cache": None,
    "server.library": ["/lib/libc.so.6"], "missing": {"host.cpu.governor": "no cpufreq"},
}  # fmt: skip
B = {
    **A, "server.process": "mariadbd (pid 11)", "server.variable.socket": "/tmp/b.sock",
    "server.variable.thread_handling": "pool-of-threads", "server.variable.query_cache": False,
    "server.library": ["/lib/libc.so.6", "/usr/lib/libjemalloc.so.2"], "missing": {},
}  # fmt: skip
# Student's, of the tables: of so many degrees of freedom 95 % are within.
LIMITS = ((1, 12.706), (2, 4.303), (4, 2.776), (5, 2.571), (6, 2.447), (24, 2.064))


def row(sustained: str = "yes", disturbed: str = "", status: str = "done", **more: Any) -> Row:
    found = {"sustained": sustained, "disturbed": disturbed, "status": status}
    return {**found, "tps": 1.0, "why": "", **more}


def counting(*rows: Row) -> tuple[list[int], str]:
    """Which of them count, and what is said of the cell."""
    found, said = stats.counting(rows)
    return [i for i, r in enumerate(rows) if any(r is one for one in found)], said


def cell(*rows: Row) -> tuple[bool, str, tuple[str, ...]]:
    """Whether it held the rate, why not, and what is said of runs that did."""
    made = testing.make_plan(AXIS)
    found, *_ = stats.summarise(AXIS, made, [{**r, "cell": 0} for r in rows])
    return found.held, found.why, found.hints


def knees(ys: list[float]) -> Any:
    """The place of the knee of a curve whose runs differ by 1 %."""
    return answer.knee([4**i for i in range(len(ys))], [[y, 1.01 * y, 0.99 * y] for y in ys])


AXIS = testing.make_experiment(1, (1, 16), 3, 1)
FIFTEEN = Measure(disturbed_pct=15)
ALONE = dataclasses.replace(AXIS, factors=AXIS.factors[:1])


def test_calls() -> None:
    """Of the statistics: what follows from a few values or rows."""
    names = {k: v for k, v in globals().items() if k.isupper()}
    names.update(
        row=row, counting=counting, cell=cell, knees=knees, FIFTEEN=Measure(disturbed_pct=15)
    )
    names["tables"] = lambda known: environment.as_text(environment.differences(known))
    says = testing.called(facts, found_rate, math, pooled, stats, **names)
    assert testing.retold("calls_statistics", says) == testing.cases("calls_statistics")


def test_a_cell_of_the_seed_is_not_its_lucky_run() -> None:
    rows = [row("yes" if t >= 0.99 * 1200 else "no", tps=float(t)) for t in SEED_TPS]
    counted, flag = stats.counting(rows)
    assert flag == "1 of 15 sustained (probably by chance)"
    assert len(counted) == 14 and max(r["tps"] for r in counted) == 1041


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
