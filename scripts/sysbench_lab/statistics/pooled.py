# SPDX-License-Identifier: GPL-2.0-or-later
"""Is one side different, over all points at which both were measured, by how much, and how certain.

    estimate([Block(place, round, base, other, ...), ...])  ->  Estimate(...), or None of too few
    judged({key: Estimate, ...}, level)                     ->  {key: Pooled(...)}

A block is a round at a place (a point of the axis, a workload): in it both sides ran under the
same circumstances.  Its figure is the difference of the logarithms.  The estimate is the mean over
the places of the mean over their blocks.  Chance, interval and what could have been seen are all
from one Student's t, with the residuals about the mean of each place, so that they never contradict
each other; all comparisons of an experiment are judged together (Holm), and an interval has the
level at which its comparison was judged.

Where blocks know by how much more of the CPUs others took beside one side than beside the other,
the difference is that at equal shares (a regression).  That is for what a transaction costs.  It is
used only if those shares vary for real, and only if they are on average alike: a side that makes
others take more is not to be relieved of it.  The figures themselves have no part in that.

If the two runs of a block were far apart, drift and shared starts of the server make the places of
a round alike.  Then a round is what is repeated: all of its places are one value.
"""

from __future__ import annotations

import math
import statistics
from typing import Hashable, Mapping, NamedTuple, Sequence, TypeVar

from ..plan.model import Effect, by

ROUNDS = 3  # least of an answer
LEVEL = 0.05  # of all comparisons together
LOOK = LEVEL / 5  # the same, at each look of an experiment that looks several times
POWER = 0.8  # of what "could have been seen"
REAL = 1.0  # standard deviation of the share that others took, in % of the CPUs; less is no reason
CAUSED = 0.01  # if the mean of these shares is less probable by chance, it is no chance
DIFFER = 0.01  # if the place farthest from the mean is less probable by chance, they differ
LEAST_FREE = 4  # degrees of freedom that a regression leaves
WANTED, MOST = 0.05, 30  # the change that more rounds would show, and how many at most in all
ROUNDING = 1e-9


class Block(NamedTuple):
    place: Hashable
    round: int
    base: float  # above 0, as is the other
    other: float
    more: float | None = None  # of the CPUs others took so many % more beside `other`
    near: bool = True  # no run of another place lay between the two


Places = Mapping[Hashable, Sequence[Block]]


class Estimate(NamedTuple):
    mean: float  # of the differences of logarithms
    error: float  # its standard error
    free: int  # degrees of freedom
    base: float  # geometric mean
    rounds: int
    blocks: int
    places: int
    adjusted: bool = False  # to equal shares of others
    apart: bool = False  # the places differ by more than chance (DIFFER) and WANTED

    @property
    def chance(self) -> float:
        """How probable a difference as great is if there is none."""
        if abs(self.mean) <= ROUNDING:
            return 1.0
        return student(self.mean / self.error, self.free) if self.error else 0.0


class Pooled(NamedTuple):
    """`level`: at which it was judged; `clear`: it may be stated."""

    estimate: Estimate
    level: float
    clear: bool

    def effect(self, figure: str) -> Effect:
        e, ratio = self.estimate, math.exp(self.estimate.mean)
        return Effect(figure, e.base, e.base * ratio, ratio, *self.ends())

    def ends(self) -> tuple[float, float]:
        """Of the interval."""
        e = self.estimate
        wide = quantile(1 - self.level / 2, e.free) * e.error
        return math.exp(e.mean - wide), math.exp(e.mean + wide)

    @property
    def width(self) -> float:
        """Half of the interval, as a share of the greater side: equal whichever is the base."""
        low, high = self.ends()
        return (high - low) / 2 / max(1.0, math.exp(self.estimate.mean))

    def known(self, within: float) -> bool:
        """Whether the sides differ by so much at most, or do differ, and it is known so exactly by
        how much."""
        low, high = self.ends()
        return max(1 - low, high - 1) <= within or self.clear and self.width <= within

    def seen(self, rounds: int = 0) -> float:
        """The least change that so many rounds find with probability POWER; of those made."""
        e = self.estimate
        free = e.free * (rounds or e.rounds) // e.rounds
        wide = quantile(1 - self.level / 2, free) + quantile(POWER, free)
        return math.expm1(wide * e.error * math.sqrt(e.rounds / (rounds or e.rounds)))

    def more_rounds(self, share: float) -> int | None:
        """How many more would show a change of WANTED, judged at this share of the level; None if
        that is too many."""
        if self.seen() <= WANTED:
            return 0
        made, later = self.estimate.rounds, self._replace(level=share * self.level)
        return next((n - made for n in range(made + 1, MOST + 1) if later.seen(n) <= WANTED), None)


def estimate(blocks: Sequence[Block]) -> Estimate | None:
    """None of fewer than three rounds, and of figures that have no logarithm."""
    rounds = by(blocks, lambda b: b.round)
    if len(rounds) < ROUNDS or min(min(b.base, b.other) for b in blocks) <= 0:
        return None
    places = by(blocks, lambda b: b.place)
    moved = {b: math.log(b.other / b.base) for b in blocks}
    mean, inner = of_places(places, moved)
    base = math.exp(of_places(places, {b: math.log(b.base) for b in blocks})[0])
    weight = sum(1 / len(those) for those in places.values()) / len(places) ** 2
    free, adjusted = len(blocks) - len(places), False
    shares = {b: b.more for b in blocks if b.more is not None}
    if len(shares) == len(blocks) and free > LEAST_FREE:
        share, around = of_places(places, shares)
        squares = sum(v * v for v in around.values())
        limit = quantile(1 - CAUSED / 2, free) * math.sqrt(weight * squares / free)
        if squares > free * REAL**2 and abs(share) < limit:
            slope = sum(around[b] * inner[b] for b in blocks) / squares
            free, adjusted = free - 1, True
            moved = {b: v - slope * shares[b] for b, v in moved.items()}
            mean, inner = of_places(places, moved)
            weight += share**2 / squares
    spread = sum(v * v for v in inner.values()) / free if free > 0 else 0.0
    error = math.sqrt(weight * spread)
    apart = far_apart(places, moved, spread, free)
    far, last = not all(b.near for b in blocks), len(rounds) - 1
    free = min(free, last - adjusted) if far else free
    if free < ROUNDS - 1:
        return None
    if far:  # residuals of a place with few rounds show less than there is, of one round nothing
        turns = [sum(inner[b] / len(places[b.place]) for b in turn) for turn in rounds.values()]
        shown = sum((n - 1) / n**2 for n in map(len, places.values()))
        error = math.sqrt(weight / shown * sum(v * v for v in turns) * last / (last - adjusted))
    error = error if error > ROUNDING else 0.0
    counts = len(rounds), len(blocks), len(places)
    return Estimate(mean, error, free, base, *counts, adjusted, apart)


def far_apart(places: Places, moved: Mapping[Block, float], spread: float, free: int) -> bool:
    """Whether the mean over the places hides that they differ: Student's t of the one that is
    farthest from it, for all of them (Bonferroni)."""
    n = len(places)
    if n < 2 or free < 1:
        return False
    means = {p: statistics.fmean(moved[b] for b in those) for p, those in places.items()}
    mean, all_of = statistics.fmean(means.values()), sum(1 / len(t) for t in places.values())
    limit, least = quantile(1 - DIFFER / 2 / n, free), math.log1p(WANTED)
    weights = {p: (1 - 2 / n) / len(those) + all_of / n**2 for p, those in places.items()}
    errors = {p: math.sqrt(spread * weight) for p, weight in weights.items()}
    return any(abs(m - mean) > max(limit * errors[p], least) for p, m in means.items())


def of_places(places: Places, values: Mapping[Block, float]) -> tuple[float, dict[Block, float]]:
    """The mean of the means of the places, and what each block is beside that of its own."""
    means = {p: statistics.fmean(values[b] for b in those) for p, those in places.items()}
    return statistics.fmean(means.values()), {b: v - means[b.place] for b, v in values.items()}


K = TypeVar("K")


def judged(found: Mapping[K, Estimate | None], level: float = LEVEL) -> dict[K, Pooled]:
    """All that have an estimate together, by Holm's step-down."""
    known = {k: e for k, e in found.items() if e}
    levels = holm([e.chance for e in known.values()], level)
    return {k: Pooled(e, at, e.chance <= at) for (k, e), at in zip(known.items(), levels)}


def holm(chances: Sequence[float], level: float = LEVEL) -> list[float]:
    """The level at which each is judged."""
    levels, left = [level] * len(chances), len(chances)
    for i in sorted(range(len(chances)), key=chances.__getitem__):
        levels[i] = level / left
        left -= chances[i] <= levels[i] and left > 1
    return levels


def student(t: float, free: int) -> float:
    """How probable a value of Student's t as far from 0 is, to either side."""
    angle = math.atan2(abs(t), math.sqrt(free))
    within, term = 0.0, math.cos(angle) if free % 2 else 1.0
    # Abramowitz and Stegun, 26.7.3, 26.7.4
    for k in range(free % 2 + 1, free, 2):
        within += term
        term *= math.cos(angle) ** 2 * k / (k + 1)
    within *= math.sin(angle)
    return max(0.0, 1 - (2 / math.pi * (angle + within) if free % 2 else within))


def quantile(p: float, free: int) -> float:
    """The value that Student's t stays below with probability p, of 0.5 and above."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, free) > 2 * (1 - p) else (low, middle)
    return low


def greater(low: Sequence[float], high: Sequence[float]) -> float:
    """How probable it is by chance that `high` is above `low`, value by value, as clearly."""
    found = estimate([Block(0, i, *both) for i, both in enumerate(zip(low, high))])
    return 1.0 if found is None or found.mean <= 0 else found.chance / 2
