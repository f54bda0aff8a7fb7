# SPDX-License-Identifier: GPL-2.0-or-later
"""Conditions under which a comparison fails: compare's --fail-if.

    p99>+5%         the 99th percentile rose by more than 5 %
    tps<-3%         the throughput fell by more than 3 %
    p99>+2ms        the 99th percentile rose by more than 2 ms
    p99>20ms        the 99th percentile is above 20 ms, whatever it was
    errors>0        there are errors

A figure is a column of runs.csv or a short name of SHORT; a sign before the amount makes it a
change from the first source.  The medians decide.  A change beyond the amount is certain if its
whole interval is, and if it is clear among all conditions and cells (stats.chances); fewer than
three runs of a side give no interval.  A figure that is not a change is what it is, unless its
interval holds both sides of the amount.
"""

import re
from typing import Any, Mapping, NamedTuple, Sequence

from .. import LabError
from ..plan import values
from ..plan.model import CellSummary
from ..results import figures
from ..statistics import answer, stats

GRAMMAR = re.compile(
    r"\s*([A-Za-z][\w.]*)\s*([<>])\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*(%|[A-Za-z/]*)\s*"
)
SHORT = {
    "mean": "response_mean_ms",
    "max": "response_max_ms",
    "cpu": "server_cpu_us_per_tx",
    "switches": "server_switches_per_tx",
}
MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}  # for times in milliseconds


class Rule(NamedTuple):
    text: str
    figure: str
    above: bool
    change: bool  # from the first source; else the figure itself
    per_cent: bool
    amount: float  # in the figure's unit, or per cent, with its sign


class Verdict(NamedTuple):
    holds: bool
    sentence: str
    certain: bool = True  # else chance may have decided


class Case(NamedTuple):
    """A condition on a cell of a source, beside that of the first one."""

    rule: Rule
    base: CellSummary
    other: CellSummary
    names: tuple[str, str]


def parse(text: str) -> Rule:
    found = GRAMMAR.fullmatch(text)
    if not found:
        raise LabError("--fail-if '%s': write FIGURE>+N%% or FIGURE<-N%%, as in p99>+5%%" % text)
    name, way, sign, digits, unit = found.groups()
    figure = figure_of(name, text)
    own = figures.column(figure).unit
    per_cent = unit == "%" and (bool(sign) or own != "%")
    if per_cent and not sign:
        what = text, name, way, "+" if way == ">" else "-", digits
        raise LabError("--fail-if '%s': say whether it is to rise or fall: %s%s%s%s%%" % what)
    scale = 1.0 if per_cent or unit in ("", own) else MS.get(unit, 0) if own == "ms" else 0
    if not scale:
        what4 = text, figure, own or "numbers", unit
        raise LabError("--fail-if '%s': %s is in %s, not in %s" % what4)
    amount = float(digits) * scale * (-1 if sign == "-" else 1)
    return Rule(text, figure, way == ">", bool(sign), per_cent, amount)


def figure_of(name: str, text: str) -> str:
    """p99.9 is response_p99_9_ms."""
    if name in SHORT:
        return SHORT[name]
    if re.fullmatch(r"p\d+([._]\d+)?", name):
        return "response_%s_ms" % values.point(name.replace("_", "."))
    try:
        figures.column(name)
    except KeyError:
        hint = values.near(name, [*figures.COLUMNS, *SHORT, "p50", "p95", "p99"])
        raise LabError("--fail-if '%s': there is no figure '%s'%s" % (text, name, hint)) from None
    return name


def judge(cases: Sequence[Case], seed: int) -> list[Verdict]:
    """Whether each holds, of the name names[1]."""
    pairs = [changed(case) for case in cases]
    chances = stats.chances(pairs, seed)
    return [verdict(case, seed, chance) for case, chance in zip(cases, chances)]


def changed(case: Case) -> Mapping[str, stats.Sides]:
    """The values of both sides, as they are if the change is just the amount; none without one."""
    rule, base, other, names = case
    for cell, name in [(other, names[1])] + ([(base, names[0])] if rule.change else []):
        if rule.figure not in cell.figures:
            raise LabError("--fail-if '%s': %s is n/a in %s" % (rule.text, rule.figure, name))
    if not rule.change:
        return {}
    values, others = base.figures[rule.figure].values, other.figures[rule.figure].values
    if min(len(values), len(others)) < stats.LEAST:
        return {}
    factor, more = (1 + rule.amount / 100, 0.0) if rule.per_cent else (1.0, rule.amount)
    return {rule.figure: ([v * factor + more for v in values], others)}


def verdict(case: Case, seed: int, chance: Mapping[str, float]) -> Verdict:
    rule, base, other, names = case
    unit, value = figures.column(rule.figure).unit, other.figures[rule.figure]
    why = "its runs were disturbed" if other.disturbed else ""
    if not rule.change:
        said = "%s %s" % (figures.shown(rule.figure, value.median), unit)
        low, high = (value.low, value.high) if value.n >= stats.LEAST else (None, None)
        return sentence(rule, names[1], value.median, low, high, said.strip(), why)
    values = base.figures[rule.figure].values
    found = stats.effect(values, value.values, rule.figure, seed)
    size, low, high = found.other - found.base, found.low, found.high
    absolute = ("%+.3f %s" % (size, unit)).strip()
    if rule.per_cent:
        size, low, high = per_cent(found.ratio), per_cent(low), per_cent(high)
    else:
        low, high = (None if r is None else (r - 1) * found.base for r in (low, high))
    said = answer.change(found, unit, answer.per_cent if rule.per_cent else lambda _: absolute)
    n = min(len(values), value.n)
    if n < stats.LEAST:
        why = "three runs of each are needed"
    elif other.disturbed or base.disturbed:
        why = "runs were disturbed"
    elif not stats.is_rare(chance[rule.figure], n):
        why = "it may be chance"
    return sentence(rule, names[1], size, low, high, said, why)


def per_cent(ratio: Any) -> Any:
    """A change of exactly 5 % is not above 5, whatever its last bit; None of None."""
    return None if ratio is None else round(100 * (ratio - 1), 9)


def sentence(
    rule: Rule,
    name: str,
    value: float,
    low: float | None,
    high: float | None,
    said: str,
    doubt: str = "",
) -> Verdict:
    """The verdict; doubt: why it is not certain that the condition holds."""
    holds = value > rule.amount if rule.above else value < rule.amount
    doubt = doubt if holds else ""
    text = "%s: %s in %s: %s" % (rule.text, "fails" if holds else "passes", name, said)
    if low is not None and high is not None and low <= rule.amount <= high and low < high:
        doubt = "the interval holds both sides"
    return Verdict(holds, text + ("; uncertain: " + doubt if doubt else ""), not doubt)
