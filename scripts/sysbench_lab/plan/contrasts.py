# SPDX-License-Identifier: GPL-2.0-or-later
"""What is compared with what.

Two or more levels of anything are variants to be compared, numbers or not.  Only the axis is none,
and what makes other work of a run: another script, another amount of load (connections, rate,
size).  The levels of these are the place of a cell; variants are compared within a place.

    contrast    two levels of one factor, the baseline's first, in all else alike: with two factors
                of variants, each within each level of the other
    group       the cells of which contrasts are made: those that differ in one factor alone
"""

from __future__ import annotations

import re
from typing import Iterable, NamedTuple, Sequence, Tuple

from . import labels
from .model import Cell, Cells, CellSummary, Experiment, Factor, by

Pair = Tuple[CellSummary, CellSummary]  # base, other; in all but one factor alike
# Options of numbers that say how much there is to do.
AMOUNTS = re.compile(
    r"load\.((num-)?threads|idle-connections|(tx-)?rate|(oltp-)?table-size|((num|oltp)-)?tables"
    r"(-count)?|scale|file-num|file-total-size)"
)


def is_amount(factor: Factor) -> bool:
    """An amount of load: connections, a rate, a size."""
    return factor.numeric and any(map(AMOUNTS.fullmatch, factor.changed))


def other_work(factor: Factor) -> bool:
    """Whether its levels do other work, so that they are not compared."""
    return is_amount(factor) or "load.script" in factor.changed


def variants(exp: Experiment) -> list[Factor]:
    """The factors whose levels are compared."""
    return [f for f in exp.factors if f.name != exp.x and not other_work(f)]


def place(exp: Experiment, cell: Cell) -> tuple[str, ...]:
    """The levels of the other factors."""
    compared = {f.name for f in variants(exp)}
    return tuple(level for name, level in cell.levels.items() if name not in compared)


def baseline(exp: Experiment, cells: Iterable[Cell]) -> dict[str, str]:
    """The level of each factor of variants that others are compared with: of the cell that
    measure.baseline names, whole or by one of its levels; else of the first."""
    names = [f.name for f in variants(exp)]
    cells = list(cells)
    wanted = exp.measure.baseline
    named = (c for c in cells if wanted and wanted in labels.names_of(exp, c, names))
    cell = next(named, None) or next(iter(cells), None)
    return {name: cell.levels[name] for name in names} if cell else {}


def place_text(exp: Experiment, cell: Cell) -> str:
    """The levels that make other work, but that of the axis."""
    return labels.levels_text(cell, exp.x, *(f.name for f in variants(exp)))


MOST = 4  # levels that a title names


class Group(NamedTuple):
    factor: str  # "" if nothing is compared
    cells: Sequence[CellSummary]  # that of the baseline first, if it was measured


def groups(exp: Experiment, summaries: Cells) -> list[Group]:
    """Cells side by side."""
    base = baseline(exp, (s.cell for s in summaries))
    found = []
    for name in (f.name for f in variants(exp) if len(f.levels) > 1):
        alike: dict[tuple[str, ...], list[CellSummary]] = {}
        for s in sorted(summaries, key=lambda s: s.cell.levels[name] != base[name]):
            alike.setdefault(tuple({**s.cell.levels, name: ""}.values()), []).append(s)
        found += [Group(name, cells) for cells in alike.values()]
    return found or [Group("", [s]) for s in summaries]


class Contrast(NamedTuple):
    factor: str
    base: str  # its level
    other: str
    pairs: Sequence[Pair]

    @property
    def name(self) -> str:
        """pool-of-threads against one-thread-per-connection"""
        return labels.against(self.factor, self.base, self.other)


def contrasts(exp: Experiment, summaries: Cells) -> list[Contrast]:
    """Each level with that of the baseline, at all places and levels of other factors where both
    are; no other takes the place of a baseline that failed."""
    base = baseline(exp, (s.cell for s in summaries))
    found: list[Pair] = []
    for name, (first, *others) in groups(exp, summaries):
        if name and first.cell.levels[name] == base[name]:
            found += [(first, other) for other in others]
    return of_pairs(found)


def of_pairs(found: Sequence[Pair]) -> list[Contrast]:
    """By what differs."""

    def differs(pair: Pair) -> tuple[str, str, str]:
        base, other = (s.cell.levels for s in pair)
        return next((k, base[k], level) for k, level in other.items() if base[k] != level)

    return [Contrast(*key, pairs) for key, pairs in by(found, differs).items()]


def compared(exp: Experiment, summaries: Cells) -> list[str]:
    """Of each factor what is compared with what, for titles; many levels are counted."""
    found = []
    for name, same in by(contrasts(exp, summaries), lambda one: one.factor).items():
        others = [one.other for one in same] if len(same) < MOST else ["%d others" % len(same)]
        found.append(labels.against(name, same[0].base, *others))
    return found


def pairs(exp: Experiment, summaries: Cells) -> list[Pair]:
    """Those of all contrasts."""
    return [pair for one in contrasts(exp, summaries) for pair in one.pairs]


def pair_text(exp: Experiment, pair: Pair, *without: str) -> str:
    """A pair beside others, below a title with compared(): of one factor, the level is enough."""
    base, other = (s.cell for s in pair)
    one = sum(len(f.levels) > 1 for f in variants(exp)) == 1
    return labels.levels_text(other, *without) if one else labels.pair_text(base, other, *without)
