# SPDX-License-Identifier: GPL-2.0-or-later
"""Conditions under which a comparison fails: compare's --fail-if.

    p99>+5%         the 99th percentile rose by more than 5 %
    tps<-3%         the throughput fell by more than 3 %
    p99>+2ms        the 99th percentile rose by more than 2 ms
    p99>20ms        the 99th percentile is above 20 ms, whatever it was
    errors>0        there are errors

A figure is a column of runs.csv or a short name of SHORT; a sign before the amount makes it a
change from the first source.  The medians decide; where the interval of a change holds both sides
of the amount, the sentence says that it is uncertain.
"""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from . import LabError, answer, figures, objective, stats
from .model import CellSummary, Effect

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


def parse(text: str) -> Rule:
    found = GRAMMAR.fullmatch(text)
    if not found:
        raise LabError("--fail-if '%s': write FIGURE>+N%% or FIGURE<-N%%, as in p99>+5%%" % text)
    name, way, sign, digits, unit = found.groups()
    figure = figure_of(name, text)
    own = figures.column(figure).unit
    per_cent = unit == "%" and (bool(sign) or own != "%")
    if per_cent and not sign:
        raise LabError(
            "--fail-if '%s': say whether it is to rise or fall: %s%s%s%s%%"
            % (text, name, way, "+" if way == ">" else "-", digits)
        )
    scale = 1.0 if per_cent or unit in ("", own) else MS.get(unit, 0) if own == "ms" else 0
    if not scale:
        raise LabError(
            "--fail-if '%s': %s is in %s, not in %s" % (text, figure, own or "numbers", unit)
        )
    amount = float(digits) * scale * (-1 if sign == "-" else 1)
    return Rule(text, figure, way == ">", bool(sign), per_cent, amount)


def figure_of(name: str, text: str) -> str:
    """p99.9 is response_p99_9_ms."""
    if name in SHORT:
        return SHORT[name]
    if re.fullmatch(r"p\d+([._]\d+)?", name):
        return "response_%s_ms" % objective.point(name.replace("_", "."))
    try:
        figures.column(name)
    except KeyError:
        near = difflib.get_close_matches(name, [*figures.COLUMNS, *SHORT, "p50", "p95", "p99"], 1)
        hint = "; did you mean %s?" % near[0] if near else ""
        raise LabError("--fail-if '%s': there is no figure '%s'%s" % (text, name, hint)) from None
    return name


def judge(
    rule: Rule, base: CellSummary, other: CellSummary, names: tuple[str, str], seed: int
) -> Verdict:
    """Whether it holds for `other`, of the name names[1]."""
    pairs = [(other, names[1])] + ([(base, names[0])] if rule.change else [])
    for cell, name in pairs:
        if rule.figure not in cell.figures:
            raise LabError("--fail-if '%s': %s is n/a in %s" % (rule.text, rule.figure, name))
    value = other.figures[rule.figure]
    if not rule.change:
        unit = figures.column(rule.figure).unit
        said = "%s %s" % (figures.shown(rule.figure, value.median), unit)
        low, high = (value.low, value.high) if value.n >= stats.LEAST else (None, None)
        return verdict(rule, names[1], value.median, low, high, said.strip())
    found = stats.effect(base.figures[rule.figure].values, value.values, rule.figure, seed)
    if rule.per_cent:
        value_pct, low, high = map(per_cent, (found.ratio, found.low, found.high))
        assert value_pct is not None
        return verdict(rule, names[1], value_pct, low, high, per_cent_of(rule, found))
    low, high = (None if r is None else (r - 1) * found.base for r in (found.low, found.high))
    said = "%+.3f %s" % (found.other - found.base, figures.column(rule.figure).unit)
    return verdict(rule, names[1], found.other - found.base, low, high, said.strip())


def per_cent(ratio: float | None) -> float | None:
    """A change of exactly 5 % is not above 5, whatever its last bit."""
    return None if ratio is None else round(100 * (ratio - 1), 9)


def per_cent_of(rule: Rule, found: Effect) -> str:
    if found.base == 0 and found.other != 0:
        return "from 0 to %s" % figures.shown(rule.figure, found.other)
    return answer.per_cent(found)


def verdict(
    rule: Rule, name: str, value: float, low: float | None, high: float | None, said: str
) -> Verdict:
    holds = value > rule.amount if rule.above else value < rule.amount
    text = "%s: %s in %s: %s" % (rule.text, "fails" if holds else "passes", name, said)
    if low is not None and high is not None and low <= rule.amount <= high and low < high:
        text += "; uncertain: the interval holds both sides"
    return Verdict(holds, text)
