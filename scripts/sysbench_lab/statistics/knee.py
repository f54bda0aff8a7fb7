# SPDX-License-Identifier: GPL-2.0-or-later
"""What a curve shows: its knee.

    knee([1, 16, 128, 512], [300, 2900, 9800, 9900])    ->  2, the position of 128

Knee: Kneedle (Satopaa, Albrecht, Irwin, Raghavan, 2011), without its smoothing.  Both axes are
scaled to 0..1, the horizontal one by its logarithm, since connections and rates are chosen by
factors.  The knee of a curve that rises and flattens (throughput) is where it is farthest above the
diagonal.  A curve that is nowhere farther from it than LEAST has none.
"""

import math
from typing import Sequence

from ..plan import found_rate
from ..plan.model import Cells, CellSummary, Experiment
from . import answer

LEAST = 0.1  # distance from the diagonal, of the axis
FALLEN = 0.9  # of the highest throughput; below, it has fallen


def knee(xs: Sequence[float], ys: Sequence[float]) -> int | None:
    """Position of the knee; xs ascend and are positive.  None if there is none."""
    if len(xs) < 3 or max(ys) == min(ys):
        return None
    across = [math.log(x / xs[0]) / math.log(xs[-1] / xs[0]) for x in xs]
    distances = [(y - min(ys)) / (max(ys) - min(ys)) - x for x, y in zip(across, ys)]
    best = max(range(len(xs)), key=lambda i: distances[i])
    return best if distances[best] > LEAST else None


# ---- of an experiment ----------------------------------------------------------------


def knee_sentences(exp: Experiment, summaries: Cells) -> list[str]:
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


def points(exp: Experiment, cells: Cells) -> list[tuple[float, CellSummary]]:
    """x of cells that can show a throughput and had no rate, x ascending."""
    known = [s for s in cells if "tps" in s.figures and exp.x in s.cell.levels]
    free = [s for s in known if not rated(s) and answer.supports(s)]
    line = [(float(s.cell.levels[exp.x]), s) for s in free]
    return sorted(((x, s) for x, s in line if x > 0), key=lambda at: at[0])
