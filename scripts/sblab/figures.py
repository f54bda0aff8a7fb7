# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of several runs as a table, and the CPU time that others used meanwhile."""

from __future__ import annotations

import math
import platform
import statistics
from typing import Sequence

from sysbench_lab.readers.own_text import Figures


def round_down(rate: float) -> float:
    """Two significant digits, so that the rate is one to remember."""
    unit = 10 ** max(0, math.floor(math.log10(rate)) - 1)
    return math.floor(rate / unit) * unit


def mean(values: Sequence[float | None]) -> float | None:
    """Mean of figures; None as soon as one of them is missing."""
    known = [v for v in values if v is not None]
    return statistics.mean(known) if len(known) == len(values) else None


def shown(value: float | None, places: int) -> str:
    return "n/a" if value is None else "%.*f" % (places, value)


def align(rows: Sequence[Sequence[str]]) -> str:
    """Text table: the first column to the left, figures to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]
        )
        for row in rows
    )


def cpu_times() -> tuple[int, int] | None:
    """Busy and total time of all CPUs since boot, in ticks; None where there is no /proc/stat."""
    try:
        with open("/proc/stat") as f:
            ticks = list(map(int, f.readline().split()[1:9]))  # guest time is part of user time
    except OSError:
        return None
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)  # without idle and iowait


def others(
    before: tuple[int, int] | None, after: tuple[int, int] | None, figures: Figures
) -> float | None:
    """CPU of everything but server and load generator while a run lasted, in % of all CPUs."""
    ours = (figures["server_cpu_pct"], figures["client_cpu_pct"])
    if before is None or after is None or None in ours or after[1] == before[1]:
        return None
    busy = 100 * (after[0] - before[0]) / (after[1] - before[1])
    return round(max(0, busy - sum(ours)), 2)


def cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith(("model name", "Model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
