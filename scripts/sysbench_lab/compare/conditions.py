# SPDX-License-Identifier: GPL-2.0-or-later
"""Conditions under which a comparison or a verdict fails: --fail-if.

    p99>+5%         the 99th percentile rose by more than 5 %
    tps<-3%         the throughput fell by more than 3 %
    p99>+2ms        the 99th percentile rose by more than 2 ms
    p99>20ms        the 99th percentile is above 20 ms, whatever it was
    errors>0        there are errors
    sustained=no    runs did not hold their rate

A figure is a column of runs.csv or a short name of SHORT; a sign before the amount makes it a
change from the base.  The medians decide.  A change beyond the amount is certain if its whole
interval is, and if it is clear among all conditions and cells (stats.chances); fewer than three
runs of a side give no interval.  A figure that is not a change is what it is, unless its interval
includes the amount.

A control is the base measured once more, by which it differs from itself: a change has to be beyond
the amount by more than that.  What is not known passes nothing: it is n/a, with the reason.
"""

from __future__ import annotations

import math
import re
from typing import Any, Mapping, NamedTuple, Sequence

from .. import LabError
from ..plan import labels, values
from ..plan.model import CellSummary
from ..readers import Source
from ..results import figures
from ..results.sheets import FAILS, INCONCLUSIVE, PASSES, UNKNOWN, Verdict
from ..statistics import answer, stats

UNEVEN = 1.1  # times as long


def differ_in_length(base: CellSummary | None, other: CellSummary | None) -> bool:
    """Whether runs of one are so much longer that their totals do not compare."""
    times = [c.figures["seconds"].median for c in (base, other) if c and "seconds" in c.figures]
    return len(times) == 2 and max(times) > UNEVEN * min(times)


GRAMMAR = re.compile(
    r"\s*([A-Za-z][\w.]*)\s*([<>])\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*(%|[A-Za-z/]*)\s*"
)
SHORT = {
    "mean": "response_mean_ms",
    "max": "response_max_ms",
    "cpu": "server_cpu_us_per_tx",
    "switches": "server_switches_per_tx",
}
SUSTAINED = "sustained"
MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}  # for times in milliseconds


Ends = tuple[Any, Any]  # of an interval; None of too few runs


class Rule(NamedTuple):
    text: str
    figure: str
    above: bool
    change: bool  # from the first source; else the figure itself
    per_cent: bool
    amount: float  # in the figure's unit, or per cent, with its sign


class Case(NamedTuple):
    """A condition on a cell, beside that of the base."""

    rule: Rule
    base: CellSummary
    other: CellSummary
    names: tuple[str, str]
    control: CellSummary | None = None
    sources: Sequence[Source] = ()  # of these three


def parse(text: str) -> Rule:
    if re.fullmatch(r"\s*sustained\s*=\s*no\s*", text):
        return Rule(text, SUSTAINED, True, False, False, 0)
    found = GRAMMAR.fullmatch(text)
    if not found:
        usage = "write FIGURE>+N%, FIGURE<-N% or FIGURE>N, as in p99>+5% and p99>20ms"
        if text.strip().startswith(SUSTAINED):
            usage = "write sustained=no"
        raise LabError("--fail-if '%s': %s" % (text, usage))
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


def judged(cases: Sequence[Case], seed: int) -> list[Verdict]:
    """Whether each holds, of the name names[1]."""
    unknown = list(map(missing, cases))
    pairs = [{} if why else changed(case) for case, why in zip(cases, unknown)]
    found = []
    for case, why, chance in zip(cases, unknown, stats.chances(pairs, seed)):
        asked, name = case.rule.text, case.names[1]
        word, said = UNKNOWN, "--fail-if '%s': %s" % (asked, why)
        if not why:
            sustained = case.rule.figure == SUSTAINED
            word, text = held(case) if sustained else verdict(case, seed, chance)
            said = "%s: %s in %s: %s" % (asked, PASSES if word == PASSES else FAILS, name, text)
        found.append(Verdict("%s in %s" % (asked, name), word, said))
    return found


def changed(case: Case) -> Mapping[str, stats.Sides]:
    """The values of both sides, as they are if the change is just the limit; none without one."""
    rule, base, other = case[:3]
    if not rule.change:
        return {}
    values, others = base.figures[rule.figure].values, other.figures[rule.figure].values
    if min(len(values), len(others)) < stats.LEAST:
        return {}
    amount = limit_of(case)
    if not math.isfinite(amount):
        return {}
    factor, more = (1 + amount / 100, 0.0) if rule.per_cent else (1.0, amount)
    return {rule.figure: ([v * factor + more for v in values], others)}


def limit_of(case: Case) -> float:
    """The amount, and beyond it that by which the control differs from the base, in the direction
    of the condition: a factor if it is in per cent."""
    rule, base, control = case.rule, case.base, case.control
    if control is None or not rule.change:
        return rule.amount
    values = [cell.figures[rule.figure].median for cell in (base, control)]
    if not rule.per_cent:
        return rule.amount + math.copysign(values[1] - values[0], 1 if rule.above else -1)
    ratio = stats.ratio(*values)
    size = max(ratio, 1 / ratio) if ratio else math.inf
    return float(per_cent((1 + rule.amount / 100) * (size if rule.above else 1 / size)))


def missing(case: Case) -> str:
    """Why it cannot be judged; "" if it can."""
    rule, base, other, names, control, sources = case
    sides = [(other, names[1], sources[1:2])]
    if rule.change:
        sides += [(base, names[0], sources[:1])]
        sides += [(control, "the control", sources[2:])] if control else []
        if sources[2:] and not control:
            return "%s has no such cell as %s" % (sources[2].name, names[1])
    if cut := [s.cut for _, _, of in sides for s in of if s.cut]:
        return cut[0]
    if rule.figure == SUSTAINED:
        if other.sustained + other.unsustained:
            return ""
        why = "no run is long enough to tell" if other.undecided else "its runs had no rate to hold"
        return "sustained is n/a in %s: %s" % (names[1], why)
    read = figures.read_from(rule.figure)
    for cell, name, of in sides:
        if rule.figure not in cell.figures:
            given = re.split("[<>]", rule.text)[0].strip()
            found = [s.missing[k] for s in of for k in read if k in s.missing]
            why = cell.why or cell.flag if not cell.counted else "".join(found[:1])
            text = "%s is n/a in %s%s" % (given, name, ": " * bool(why) + why)
            return text + percentiles(case, given)
    return ""


def percentiles(case: Case, given: str) -> str:
    """Another percentile to ask for: one that both sides have."""
    rule, base, other = case[:3]
    shared = base.figures.keys() & other.figures.keys()
    ranks = [n[len("response_") : -len("_ms")] for n in figures.ordered(shared)
             if n.startswith("response_p") and figures.PERCENTILE.match(rule.figure)]  # fmt: skip
    if not ranks:
        return ""
    like = rule.text.replace(given, ranks[-1].replace("_", "."), 1)
    who = "it has" if base is other else "both sides have"
    return "; %s only %s: --fail-if='%s'" % (who, labels.joined(ranks), like)


def held(case: Case) -> tuple[str, str]:
    """The word and what follows it, of sustained=no."""
    other = case.other
    runs = other.sustained + other.unsustained + other.undecided
    said = "%d of %d sustained the rate" % (other.sustained, runs)
    said += ": " * bool(other.why) + other.why
    if not other.unsustained and not other.undecided:
        return PASSES, said
    doubts = [(other.disturbed, "its runs were disturbed"), (other.sustained, "its runs disagree")]
    doubt = next((why for holds, why in doubts if holds), "")
    return (INCONCLUSIVE, said + "; inconclusive: " + doubt) if doubt else (FAILS, said)


def verdict(case: Case, seed: int, chance: Mapping[str, float]) -> tuple[str, str]:
    """The same of a figure."""
    rule, base, other = case[:3]
    unit, value = figures.column(rule.figure).unit, other.figures[rule.figure]
    marks = [figures.mark(rule.figure, cell.figures) for cell in (base, other)]
    few = "of fewer samples than this percentile needs"
    if not rule.change:
        said = with_unit(figures.shown(rule.figure, value.median) + marks[1], unit)
        ends = (value.low, value.high) if value.n >= stats.LEAST else (None, None)
        why = "its runs were disturbed" if other.disturbed else few if marks[1] else ""
        return decided(case, value.median, ends, said, why, few * bool(marks[1]))
    values = base.figures[rule.figure].values
    found = stats.effect(values, value.values, rule.figure, seed)
    size, low, high = found.other - found.base, found.low, found.high
    said = answer.per_cent(found) if rule.per_cent else with_unit("%+.3f" % size, unit)
    said = answer.change(found, unit, said, marks)
    if rule.per_cent:
        size, low, high = per_cent(found.ratio), per_cent(low), per_cent(high)
    else:
        low, high = (None if r is None else (r - 1) * found.base for r in (low, high))
    n = min(len(values), value.n)
    why = ""
    if n < stats.LEAST:
        why = "three runs of each are needed"
    elif (other.disturbed or base.disturbed) and case.control is None:
        why = "runs were disturbed"
    elif any(marks):
        why = few
    elif figures.is_total(rule.figure) and differ_in_length(base, other):
        why = "the runs differ in length"
    elif not stats.is_rare(chance.get(rule.figure, 1), n):
        why = "it may be chance"
    return decided(case, size, (low, high), said, why, few * any(marks))


def per_cent(ratio: Any) -> Any:
    """A change of exactly 5 % is not above 5, whatever its last bit; None of None."""
    return None if ratio is None else round(100 * (ratio - 1), 9)


def decided(
    case: Case, value: float, ends: Ends, said: str, doubt: str, few: str
) -> tuple[str, str]:
    """doubt: why it is not certain that the condition holds; few: what is to be known of it even
    if it passes."""
    rule, (low, high), limit = case.rule, ends, limit_of(case)

    def beyond(amount: float) -> bool:
        return value > amount if rule.above else value < amount

    holds = beyond(rule.amount)
    doubt = doubt if holds else ""
    at, unit = re.split("[<>]", rule.text)[1].strip(), figures.column(rule.figure).unit
    if limit != rule.amount:
        decimals, own = (1, "%") if rule.per_cent else (3, unit)
        at = with_unit("%+.*f" % (decimals, limit), own)
        medians = [c.figures[rule.figure].median for c in (case.base, case.control) if c]
        both = with_unit(" -> ".join(map(labels.grouped, medians)), unit)
        said += "; the control (%s) puts the limit at %s" % (both, at)
    if holds and not beyond(limit):
        doubt = "it is not beyond this"
    elif low is not None and high is not None and low <= limit <= high and low < high:
        doubt = "the interval includes " + ("no change" if rule.change and limit == 0 else at)
    if doubt:
        said += "; inconclusive: " + doubt
    elif few and not holds:
        said += "; " + few
    return (FAILS if not doubt else INCONCLUSIVE) if holds else PASSES, said


def with_unit(text: str, unit: str) -> str:
    return text + " " * bool(unit) + unit
