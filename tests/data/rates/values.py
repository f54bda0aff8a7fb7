#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Planned starts of rates that change, computed another way: decimal numbers of 60 digits.

    tests/data/rates/values.py        prints src/pace/rates_values.inc
    tests/data/rates/values.py sine   prints src/pace/rates_sine.inc

Start k lies where the integral of the rate is k, at the first whole ns: a root of a quadratic on a
ramp, found by bisection on a sine.
"""

import random
import sys
from collections.abc import Callable
from decimal import ROUND_CEILING, getcontext
from decimal import Decimal as D

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459")
Integral = Callable[[D], D]


def sine(x: D) -> D:
    term = total = x
    n = 1
    while abs(term) > D(10) ** -58:
        term = -term * x * x / ((n + 1) * (n + 2))
        n += 2
        total += term
    return total


def ramp(a: D, b: D, length: D) -> Integral:
    return lambda t: a * t + (b - a) * t * t / (2 * length)


def wave(mean: D, amplitude: D, period: D) -> Integral:
    def integral(t: D) -> D:
        return mean * t + amplitude * period / PI * sine(PI * (t % period) / period) ** 2

    return integral


def reach(f: Integral, want: D, length: D) -> int:
    """The first whole ns at which the integral is not below `want`."""
    low, high = 0, int(length * 10**9)
    while low < high:
        middle = (low + high) // 2
        if f(D(middle) / 10**9) >= want:
            high = middle
        else:
            low = middle + 1
    return high


def rows(spec: str, f: Integral, length: D, before: D, base: D) -> None:
    total = int(f(length).to_integral_value(ROUND_CEILING))
    picks = {0, 1, 2, total // 2, total - 2, total - 1} | {
        random.randrange(total) for _ in range(8)
    }
    for k in sorted(k for k in picks if k >= 0):
        at = int(before * 10**9) + reach(f, D(k), length)
        print(f'    {{"{spec}", UINT64_C({int(base) + k}), INT64_C({at})}},')


def integrals() -> None:
    """In 2*10^15ths of a start, rounded down, as two words."""
    for mean, amplitude, period in (
        ("1000", "500", "60"),
        ("1000000000", "1000000000", "31622400"),
        ("0.000001", "0.000001", "0.000000007"),
        ("999999999.999999", "123456789.012345", "86399.999999999"),
    ):
        f, ns = wave(D(mean), D(amplitude), D(period)), int(D(period) * 10**9)
        for t in (1, ns // 4, ns // 2, ns // 2 + 1, ns - 1, ns, 3 * ns + ns // 3):
            high, low = divmod(int(f(D(t) / 10**9) * 2 * 10**15), 2**64)
            spec = f"sine({mean},{amplitude},{ns}ns)"
            print(f'    {{"{spec}", INT64_C({t}), {hex(high)}, {hex(low)}}},')


def main() -> None:
    if sys.argv[1:] == ["sine"]:
        return integrals()
    random.seed(16)
    zero = D(0)
    for a, b, length in (
        ("0", "1000", "60"),
        ("1000", "0", "60"),
        ("0.1", "1000000", "3600"),
        ("500", "2000", "300"),
        ("0", "0.5", "86400"),
        ("999999.999999", "0", "7200"),
        ("0.000001", "1", "100000"),
    ):
        rows(f"{a}-{b}:{length}s", ramp(D(a), D(b), D(length)), D(length), zero, zero)
    for mean, amplitude, period, length in (
        ("1000", "500", "60", "60"),
        ("1000", "1000", "60", "60"),
        ("500000", "499999.5", "3600", "3600"),
        ("0.5", "0.5", "600", "600"),
    ):
        spec = f"sine({mean},{amplitude},{period}s):{length}s"
        rows(spec, wave(D(mean), D(amplitude), D(period)), D(length), zero, zero)
    rows(
        "0:10s,500:60s,0:10s,500-2000:300s", ramp(D(500), D(2000), D(300)), D(300), D(80), D(30000)
    )


if __name__ == "__main__":
    main()
