# SPDX-License-Identifier: GPL-2.0-or-later
"""How many rounds there are: as many as measure.repeats says, fewer if enough is known before
(measure.until), or as many as fit into a time (measure.budget).

    until = "5 %"        server CPU/tx of all comparisons is known to 5 %
    until = "p95 5 %"    the 95th percentile is

Who looks at results again and again, and ends when he likes them, finds differences that are none.
So it looks at most five times (group-sequential, after Pocock), and states at each look what would
be chance once in a hundred experiments: all looks together are wrong in at most 5 %.  The same
holds for rounds that resume adds, since their experiment has had an answer before.
"""

from __future__ import annotations

from typing import Sequence

from .. import LabError
from . import contrasts, found_rate, labels
from .model import Cell, Experiment, Measure

LOOKS = (4, 8, 12, 18, 26)  # rounds after which it looks; the last one is measure.repeats


def wanted(m: Measure) -> tuple[str, float]:
    """What is to be known ("" if it is not said), and how well: ("p95", 0.05)."""
    name, _, percent = m.until.removesuffix(" %").rpartition(" ")
    return name, float(percent) / 100


def looks(m: Measure, made: int) -> list[int]:
    """After which rounds there has been an answer, when so many are made."""
    before = max(m.looked, default=0)
    own = [n for n in LOOKS[:-1] if m.until and before < n < m.repeats]
    return sorted({n for n in (*m.looked, *own) if n < made} | {made})


def looks_again(m: Measure) -> bool:
    """Whether the answer is, or may be, one of several."""
    return bool(m.until or m.looked)


def check(exp: Experiment, cells: Sequence[Cell]) -> None:
    """LabError for what can never come true."""
    m = exp.measure
    if m.until and not any(len(f.levels) > 1 for f in contrasts.variants(exp)):
        raise LabError("measure.until is '%s', but nothing varies that is compared" % m.until)
    rated = any(str(c.settings.get(found_rate.SETTING, 0)) not in ("0", "0.0") for c in cells)
    if m.until.startswith("throughput") and rated:
        text = "measure.until is '%s', but the throughput is the rate (%s); name cpu or p95"
        raise LabError(text % (m.until, found_rate.SETTING))
    each = m.warmup_s * (not m.warmup_steady) + m.pause_s
    round_s = sum(found_rate.run_s(cell.settings, m.time_s) + each for cell in cells)
    if m.budget_s and m.budget_s < round_s:
        both = labels.duration(m.budget_s), labels.duration(round_s)
        raise LabError("measure.budget is %s, but one round takes %s" % both)


def more(
    exp: Experiment, begun: int, ended: bool, repeats: int | None = None, until: str = ""
) -> Experiment:
    """The experiment that goes on, to so many rounds or until more is known.  `begun`: rounds of
    which there are runs; `ended`: it has had its answer."""
    last = repeats or (max(LOOKS[-1], begun) if until else exp.measure.repeats)
    if last < begun:
        raise LabError("measure.repeats is %d, but %d rounds were begun" % (last, begun))
    looked = tuple(n for n in looks(exp.measure, begun) if n < begun or ended)
    return exp.with_measure(repeats=last, until=until, looked=looked)
