# SPDX-License-Identifier: GPL-2.0-or-later
"""What a curve or a series shows: its knee, and from where on it is steady.

    knee([1, 16, 128, 512], [300, 2900, 9800, 9900])        ->  2, the position of 128
    steady_from([40, 70, 98, 101, 99, 100, 102, 98])        ->  2, the third value

Knee: Kneedle (Satopaa, Albrecht, Irwin, Raghavan, 2011), without its smoothing.  Both axes are
scaled to 0..1, the horizontal one by its logarithm, since connections and rates are chosen by
factors.  The knee of a curve that rises and flattens (throughput) is where it is farthest above the
diagonal; that of one that rises ever faster (latency) where it is farthest below.  A curve that is
nowhere farther from it than LEAST has none.

Steady state: MSER-5 (White, 1997).  Values are averaged by fives; the cut is where the standard
error of all that follow is least.  A cut that would be best in the middle of the series or later
means that it never became steady.
"""

from __future__ import annotations

import math
import statistics
from typing import Sequence

from ..plan import found_rate
from ..plan.model import CellSummary, Experiment
from . import answer

LEAST = 0.1  # distance from the diagonal, of the axis
FALLEN = 0.9  # of the highest throughput; below, it has fallen
BATCH = 5


def scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]


def knee(xs: Sequence[float], ys: Sequence[float], flattens: bool = True) -> int | None:
    """Position of the knee; xs ascend and are positive.  None if there is none."""
    if len(xs) < 3 or max(ys) == min(ys):
        return None
    across = scaled([math.log(x) for x in xs])
    up = scaled(ys)
    sign = 1 if flattens else -1
    distances = [sign * (y - x) for x, y in zip(across, up)]
    best = max(range(len(xs)), key=lambda i: distances[i])
    return best if distances[best] > LEAST else None


def steady_from(values: Sequence[float], batch: int = BATCH) -> int | None:
    """Position of the first value of the steady part; None if there is none.

    A series too short for ten batches is taken value by value.
    """
    size = batch if len(values) >= 10 * batch else 1
    means = [statistics.fmean(values[i : i + size]) for i in range(0, len(values) - size + 1, size)]
    if len(means) < 4:
        return None
    half = len(means) // 2
    best = min(range(half + 1), key=lambda cut: standard_error(means[cut:]))
    return best * size if best < half else None


def standard_error(values: Sequence[float]) -> float:
    """Squared, as MSER has it: variance of the mean."""
    return statistics.pvariance(values) / len(values)


# ---- of an experiment ----------------------------------------------------------------


def knee_sentences(exp: Experiment, summaries: Sequence[CellSummary]) -> list[str]:
    """Where the throughput of each arm flattens, and to what it falls; for experiments without a
    rate."""
    found = []
    for arm in dict.fromkeys(s.arm for s in summaries):
        text = knee_sentence(exp, points(exp, [s for s in summaries if s.arm == arm]))
        found += ["%s: %s" % (arm, text) if arm else text] if text else []
    return found


def knee_sentence(exp: Experiment, line: Sequence[tuple[float, CellSummary]]) -> str:
    """ "" of a throughput that neither flattens nor falls, or falls by its medians and perhaps by
    chance."""
    cells = [s for _, s in line]
    ys = [s.figures["tps"] for s in cells]
    at = knee([x for x, _ in line], [y.median for y in ys])
    top = max(range(len(ys)), key=lambda i: ys[i].median, default=0)
    low = min(range(top, len(ys)), key=lambda i: ys[i].median, default=0)
    falls = low > top and ys[low].median < FALLEN * ys[top].median
    if falls and not apart(ys[low].values, ys[top].values):
        return ""

    def share(i: int) -> tuple[str, float]:
        return answer.shown(cells[i], "tps"), 100 * ys[i].median / ys[top].median

    text = ""
    if at is not None and not (falls and at >= top):
        text = "the throughput flattens%s (" % answer.point(exp, cells[at])
        text += "%s, %.0f %% of the most)" % share(at)
    elif falls:
        text = "the throughput is highest%s, %s," % (answer.point(exp, cells[top]), share(top)[0])
    if falls:
        where = answer.point(exp, cells[low], short=True)
        text += " and falls to %s (%.0f %%)" % share(low) + where
    return text


def apart(low: Sequence[float], top: Sequence[float]) -> bool:
    """Whether all runs have fallen; of five or more, one on each side may be unlike the others."""
    lowest, highest = sorted(top), sorted(low)
    return highest[-1 - (len(low) > 4)] < FALLEN * lowest[len(top) > 4]


def rated(s: CellSummary) -> bool:
    """Asked for, or as its runs had it: the option has other names, too; a search has many."""
    asked = str(s.cell.settings.get("load.tx-rate", 0)) not in ("0", "0.0")
    return asked or "target_tps" in s.figures or found_rate.searched(s)


def points(exp: Experiment, cells: Sequence[CellSummary]) -> list[tuple[float, CellSummary]]:
    """x of cells that can show a throughput and had no rate, x ascending."""
    known = [s for s in cells if "tps" in s.figures and exp.x in s.cell.levels]
    free = [s for s in known if not rated(s) and answer.supports(s)]
    line = [(float(s.cell.levels[exp.x]), s) for s in free]
    return sorted(((x, s) for x, s in line if x > 0), key=lambda at: at[0])
