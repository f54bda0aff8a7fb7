# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments with a fake source of figures, to see how often statistics/pooled.py is wrong.

    python3 -m sysbench_lab.testdata.simulated [EXPERIMENTS]

For each design and noise it prints how many of EXPERIMENTS (400) without a difference state one
(5 % may), how many state +2, +5 and +10 %, and how many intervals hold the truth (95 % should);
then the same of the knee of a curve that is flat, and of experiments that look several times.

    noise    standard deviation of the logarithm of a run
    drift    autocorrelation from run to run, in the order of running
    steal    a neighbour takes 0 to 30 % of the CPUs, which costs as much: runs know of it
    start    a start of the server has an effect of as much as the noise: a start a run, or, where
             rounds are the units, shared as abba with restart=change shares it
    order    blocks: the two runs of a place one after the other; abba: every second round backwards
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
import sys
from typing import Any, NamedTuple

from ..plan import rounds
from ..plan.model import Measure
from ..statistics import answer, pooled


class Source(NamedTuple):
    rounds: int
    places: int
    noise: float
    drift: float = 0.0
    steal: bool = False
    start: bool = False
    order: str = "blocks"

    def blocks(self, factor: float, dice: random.Random) -> list[pooled.Block]:
        state, found, server = dice.gauss(0, self.noise), [], {0: 0.0, 1: 0.0}
        burst, last = 0.0, -1
        for turn in range(1, self.rounds + 1):
            runs = {}
            for number, (place, side) in enumerate(self.turn(turn, dice)):
                fresh = self.noise * math.sqrt(1 - self.drift**2)
                state = self.drift * state + dice.gauss(0, fresh)
                if self.start and (self.order == "blocks" or side != last):
                    server[side] = dice.gauss(0, self.noise)
                last = side
                burst = 0.5 * burst + 15 * dice.random() if self.steal else 0.0
                value = 300 * (place + 1) * math.exp(state + server[side] + burst / 100)
                runs[place, side] = number, value * (factor if side else 1), burst
            for place in range(self.places):
                (i, base, a), (k, other, b) = runs[place, 0], runs[place, 1]
                more = b - a if self.steal else None
                found.append(pooled.Block(place, turn, base, other, more, abs(i - k) < 2))
        return found

    def turn(self, number: int, dice: random.Random) -> list[tuple[int, int]]:
        if self.order == "abba":
            cells = [(p, s) for s in (0, 1) for p in range(self.places)]
            return cells if number % 2 else cells[::-1]
        places = dice.sample(range(self.places), self.places)
        return [(p, s) for p in places for s in dice.sample((0, 1), 2)]


def shares(source: Source, factor: float, times: int, seed: int = 1) -> tuple[float, float]:
    """Of so many experiments: how many state a difference, and how many intervals are right."""
    dice, stated, held = random.Random(seed), 0, 0
    for _ in range(times):
        found = pooled.estimate(source.blocks(factor, dice))
        assert found
        one = pooled.judged({"": found})[""]
        low, high = one.ends()
        stated, held = stated + one.clear, held + (low <= factor <= high)
    return stated / times, held / times


class Ended(NamedTuple):
    stated: float  # share of the experiments
    held: float  # whose interval holds the truth
    shown: float  # median of the rounds after which a difference was first shown
    rounds: float  # median of those after which it ended


def looking(
    source: Source, factor: float, times: int, within: float = 0.05, seed: int = 1
) -> Ended:
    """The same of experiments that look, and end when enough is known (measure.until)."""
    dice, stated, held = random.Random(seed), 0, 0
    shown, ended = list[float](), list[float]()
    for _ in range(times):
        blocks, first = source.blocks(factor, dice), math.inf
        for made in rounds.looks(Measure(repeats=source.rounds, until="5 %"), source.rounds):
            found = pooled.estimate([b for b in blocks if b.round <= made])
            assert found
            one = pooled.judged({"": found}, pooled.LOOK)[""]
            first = min(first, made if one.clear else math.inf)
            if one.known(within):
                break
        low, high = one.ends()
        stated, held = stated + one.clear, held + (low <= factor <= high)
        shown, ended = [*shown, first], [*ended, made]
    return Ended(stated / times, held / times, statistics.median(shown), statistics.median(ended))


def flat_knees(rounds: int, places: int, times: int, noise: float = 0.02, seed: int = 1) -> float:
    """How many curves that are flat but for their noise have a knee."""
    dice, found, xs = random.Random(seed), 0, [4.0**i for i in range(places)]
    for _ in range(times):
        rows = [[1000 * math.exp(dice.gauss(0, noise)) for _ in range(rounds)] for _ in xs]
        found += answer.knee(xs, rows) is not None
    return found / times


DESIGNS = ((3, 3), (3, 6), (5, 6), (5, 1))
NOISES = (0.02, 0.05, 0.11)


def main(times: int) -> None:
    kinds: list[dict[str, Any]] = [{}, {"drift": 0.8}, {"steal": True}, {"start": True}]
    kinds += [{"order": "abba", **k} for k in kinds[1::2]]
    print("rounds x points, noise          false   +2 %   +5 %  +10 %  interval is right")
    for (turns, places), noise, more in itertools.product(DESIGNS, NOISES, kinds):
        source = Source(turns, places, noise, **more)
        found = [shares(source, factor, times) for factor in (1.0, 1.02, 1.05, 1.1)]
        words = " ".join(k if v is True else str(v) if k == "order" else k for k, v in more.items())
        cells = "".join("%6.1f " % (100 * stated) for stated, _ in found)
        right = 100 * sum(held for _, held in found) / len(found)
        head = "%d x %d, %2.0f %% %-16s" % (turns, places, 100 * noise, words)
        print("%s %s %6.1f" % (head, cells, right))
    for turns, places in ((3, 6), (5, 6), (5, 11)):
        share = 100 * flat_knees(turns, places, times)
        print("%d x %d, flat curve, 2 %%: a knee in %.1f %%" % (turns, places, share))
    print("until 5 %, points, noise: true  stated  interval is right  first shown, ended after")
    for places, noise, factor in itertools.product((1, 3), NOISES, (1.0, 1.05, 1.1)):
        one = looking(Source(rounds.LOOKS[-1], places, noise), factor, times)
        what = places, 100 * noise, 100 * (factor - 1), 100 * one.stated, 100 * one.held
        print("%d, %2.0f %%: %+3.0f %%  %5.1f  %5.1f  %g, %g" % (*what, one.shown, one.rounds))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
