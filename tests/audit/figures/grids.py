# SPDX-License-Identifier: GPL-2.0-or-later
"""The two histograms of docs/figures.md and docs/reports.md, written down a second time.

The fine one: values up to 2047 ns exact, then 1024 buckets a power of two, an hour at most.
Stock's: 1024 buckets between 0.001 and 100000 ms, equal on a logarithmic scale.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import Iterable, Sequence

HOUR = 3_600_000_000_000
STOCK_SCALE = 1023 / (math.log(100000.0) - math.log(0.001))


def bucket(ns: int) -> int:
    """Index of the fine bucket of a duration."""
    ns = min(max(ns, 0), HOUR)
    shift = max(ns.bit_length() - 11, 0)
    return (shift << 10) + (ns >> shift)


def bucket_low(index: int) -> int:
    shift = 0 if index < 2048 else index // 1024 - 1
    return (index - (shift << 10)) << shift


def bucket_high(index: int) -> int:
    shift = 0 if index < 2048 else index // 1024 - 1
    return min(bucket_low(index) + (1 << shift) - 1, HOUR)


@lru_cache(maxsize=1 << 16)
def shown(ns: int) -> int:
    """What a percentile, maximum or mean of the fine histogram takes for this duration."""
    return bucket_high(bucket(ns))


def rank(n: int, p: float) -> int:
    """Which of n sorted values the percentile is, counted from 1; exact in p's decimal digits."""
    return max(math.ceil(n * Fraction(repr(float(p))) / 100), 1)


def fine(values: Iterable[int]) -> Counter[int]:
    """{bucket: count}."""
    return Counter(bucket(v) for v in values)


def stock_bucket(ns: int) -> int:
    if ns <= 0:
        return 0
    index = math.floor((math.log(ns / 1e6) - math.log(0.001)) * STOCK_SCALE + 0.5)
    return min(max(index, 0), 1023)


def stock_value_ms(index: int) -> float:
    return math.exp(index / STOCK_SCALE + math.log(0.001))


def stock_percentile_ms(values: Sequence[int], p: float) -> float:
    """The percentile that text reports show: the first bucket that reaches n * p, rounded."""
    target = math.floor(len(values) * p / 100 + 0.5)
    if target == 0:
        return 0.0
    return stock_value_ms(stock_bucket(sorted(values)[min(target, len(values)) - 1]))


def spread(values: Sequence[float]) -> float:
    """Standard deviation of a whole population."""
    average = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - average) ** 2 for v in values) / len(values))
