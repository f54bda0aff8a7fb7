# SPDX-License-Identifier: GPL-2.0-or-later
"""The results in sentences: which arm is better, in what, by how much, how certain.

    pool-of-threads: server CPU/tx -18 % (-21 to -14), p95 +2.1 ms; the same throughput

The first sentence answers the experiment.  It compares each arm with the baseline, in three things:
what a transaction costs the server, the 95th percentile, and the throughput.  Only cells that do
the same work are compared: not one script with another.  With an axis it names
both ends of it, the first and the last point at which both arms held the rate, and not the points
that look best.  The sentences after it have every point, then what is wrong with cells, then what
the intervals are.

No sentence says more than the figures: an interval that includes "no difference" is called that,
without repeats there is no interval and it says so, and an arm that did not hold the rate is
compared in that alone.  Of runs that searched for the highest rate (--tx-find), that rate is the
only figure.
"""

from __future__ import annotations

import math
from typing import Sequence

from . import figures, labels, stats, tx_find
from .model import CellSummary, Effect, Experiment, Factor

COST, P95, TPS = "server_cpu_us_per_tx", "response_p95_ms", "tps"
NAMES = {COST: "server CPU/tx", P95: "p95", TPS: "throughput", tx_find.HELD: "highest rate"}

# Words of sysbench's verdict on a run that held the rate, and what they mean for its latencies.
HINTS = {
    "woke up late": "the load generator woke up late: the response times include its delay",
    "the load generator used": "the load generator was short of CPU time: use more CPUs for it",
    "busy": "all clients were busy for a while: the response times include waiting for a client",
}

Pair = tuple[CellSummary, CellSummary]  # base, other; at the same point of the axis


def sentences(
    exp: Experiment,
    summaries: Sequence[CellSummary],
    changes: Sequence[str] = (),
    waits: Sequence[str] = (),
) -> list[str]:
    """The answer, then the details; never empty.  Where marks divide the runs, what they changed is
    the answer (changes.py), and the figures of whole runs, which mix both sides, answer nothing."""
    measured = [s for s in summaries if s.counted]
    if not measured:
        failed = sum(s.runs for s in summaries)
        return ["Each of the %d runs failed." % failed if failed else "Nothing has been measured."]
    compared = pairs_of(exp, summaries)
    found = [answer_of_arm(exp, arm, pairs) for arm, pairs in compared.items()]
    if found:
        found += waits
        for arm, pairs in compared.items():
            found += [point_sentence(exp, arm, p) for p in pairs if len(pairs) > 1]
        found += [
            "%s: %s" % (name_of(exp, s), search_of(s)) for s in measured if tx_find.searched(s)
        ]
    else:
        of_arms = () if changes else arms(measured)
        found = [alone(exp, arm, [s for s in measured if s.arm == arm]) for arm in of_arms]
        found += waits
    found = [*changes, *found]
    return found + faults(exp, summaries) + remarks(measured) + [certainty(measured)]


def arms(summaries: Sequence[CellSummary]) -> list[str]:
    return list(dict.fromkeys(s.arm for s in summaries))


def same_load(factor: Factor) -> bool:
    """Whether its levels do the same work, so that they can be compared: not so for other scripts,
    rates and sizes."""
    changed = {name for level in factor.levels for name in level.changes}
    other_amount = factor.numeric and any(name.startswith("load.") for name in changed)
    return "load.script" not in changed and not other_amount


def variant(exp: Experiment, s: CellSummary) -> tuple[str, ...]:
    """The levels that are compared with each other."""
    return tuple(s.cell.levels[f.name] for f in exp.factors if f.name != exp.x and same_load(f))


def place(exp: Experiment, s: CellSummary) -> tuple[str, ...]:
    """The other levels: what is compared has the same."""
    return tuple(s.cell.levels[f.name] for f in exp.factors if f.name == exp.x or not same_load(f))


def baseline(exp: Experiment, summaries: Sequence[CellSummary]) -> tuple[str, ...]:
    """The variant that measure.baseline names, whole or by one of its levels; else the first."""
    wanted = exp.measure.baseline
    for s in summaries:
        found = variant(exp, s)
        if wanted and (wanted in (s.arm, ", ".join(found)) or wanted in found):
            return found
    return variant(exp, summaries[0])


def pairs_of(exp: Experiment, summaries: Sequence[CellSummary]) -> dict[str, list[Pair]]:
    """By arm, but the baseline: the points where both were measured, along the axis."""
    found: dict[str, list[Pair]] = {}
    for base, other in all_pairs(exp, summaries):
        if base.counted and other.counted:
            found.setdefault(other.arm, []).append((base, other))
    return found


def all_pairs(exp: Experiment, summaries: Sequence[CellSummary]) -> list[Pair]:
    """Each cell with that of the baseline at the same point; no arm takes the place of a baseline
    that failed."""
    base = baseline(exp, summaries)
    at = {place(exp, s): s for s in summaries if variant(exp, s) == base}
    others = [s for s in summaries if variant(exp, s) != base and place(exp, s) in at]
    return [(at[place(exp, s)], s) for s in others]


# ---- an arm and the baseline ---------------------------------------------------


def answer_of_arm(exp: Experiment, arm: str, pairs: Sequence[Pair]) -> str:
    fair = [p for p in pairs if p[0].held and p[1].held]
    parts = []
    if fair:
        names = telling(fair)
        clauses = [end_clause(exp, n, fair if len(pairs) > 1 else fair[:1]) for n in names]
        parts.append(", ".join(c for c in clauses if c))
    if fair and same_rate(fair):
        parts.append("the same throughput" + extent(exp, fair, pairs))
    parts += [held_clause(exp, p) for p in pairs if p not in fair and not any(map(in_vain, p))]
    parts += [found_clause(exp, p) for p in pairs if any(map(in_vain, p))]
    return "%s: %s" % (arm, "; ".join(p for p in parts if p) or "no figure in common")


def telling(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The figures to compare.  Those of a search are of all the rates that it tried."""
    if any(tx_find.searched(s) for pair in pairs for s in pair):
        return (tx_find.HELD,)
    return (COST, P95) if same_rate(pairs) else (TPS, COST, P95)


def extent(exp: Experiment, fair: Sequence[Pair], pairs: Sequence[Pair]) -> str:
    """How far along the axis both held the rate."""
    if len(fair) == len(pairs):
        return ""
    if len(fair) == 1:
        return point(exp, fair[0][1])
    if fair == pairs[: len(fair)]:
        return " up to" + point(exp, fair[-1][1]).replace(" at", "", 1)
    return " where both held the rate"


def end_clause(exp: Experiment, figure: str, pairs: Sequence[Pair]) -> str:
    """One figure at the ends of the axis: "p95 +2.1 ms at 1 connection, -0.4 ms at 512"."""
    known = [p for p in pairs if difference(exp, figure, p)]
    texts = []
    for i, pair in enumerate(known[:1] + known[1:][-1:]):
        where = point(exp, pair[1], short=i > 0) if len(known) > 1 else ""
        texts.append(difference(exp, figure, pair) + where)
    return "%s %s" % (NAMES[figure], ", ".join(texts)) if texts else ""


def point_sentence(exp: Experiment, arm: str, pair: Pair) -> str:
    """Everything about one point of the axis."""
    where = point(exp, pair[1]).replace(" at", "At", 1)
    if any(map(in_vain, pair)):
        return "%s, %s: %s" % (where, arm, found_clause(exp, pair, where=""))
    if not (pair[0].held and pair[1].held):
        return "%s, %s: %s" % (where, arm, held_clause(exp, pair, where=""))
    names = telling([pair])
    texts = [(NAMES[n], difference(exp, n, pair)) for n in names]
    found = ", ".join("%s %s" % (n, t) for n, t in texts if t) or "no figure in common"
    return "%s, %s: %s" % (where, arm, found)


def difference(exp: Experiment, figure: str, pair: Pair) -> str:
    """A difference with what is known about it; "" where one of both lacks the figure."""
    base, other = (s.figures.get(figure) for s in pair)
    if base is None or other is None:
        return ""
    found = stats.effect(base.values, other.values, figure, exp.measure.seed)
    if not math.isfinite(found.ratio):
        return "from 0 to %s" % shown(pair[1], figure)
    change = milliseconds(found) if figure == P95 else signed(found.ratio, digits(found)) + " %"
    if found.low is None or found.high is None:
        return change + " (no interval)"
    if found.low <= 1 <= found.high:
        return "not clearly different (%s %%)" % range_of(found)
    return "%s (%s%s)" % (change, range_of(found), " %" if figure == P95 else "")


def milliseconds(found: Effect) -> str:
    change = found.other - found.base
    return "%+.*f ms" % (1 if abs(change) >= 1 else 2 if abs(change) >= 0.1 else 3, change)


def per_cent(found: Effect) -> str:
    """-18 % (-21 to -14); without the interval where there is none."""
    if not math.isfinite(found.ratio):
        return "n/a"  # from nothing to something
    text = signed(found.ratio, digits(found)) + " %"
    return text if found.low is None else "%s (%s)" % (text, range_of(found))


def range_of(found: Effect) -> str:
    assert found.low is not None and found.high is not None
    n = digits(found)
    return "%s to %s" % (signed(found.low, n), signed(found.high, n))


def digits(found: Effect) -> int:
    """Decimals of per cent: one only where all of it is below ten."""
    known = [r for r in (found.ratio, found.low, found.high) if r is not None]
    return 0 if max(abs(r - 1) for r in known) >= 0.0995 else 1  # 9.95 % would be shown as 10.0


def signed(ratio: float, decimals: int) -> str:
    """A ratio as a change in per cent: "+12"; of nothing to something it is unknown."""
    if not math.isfinite(ratio):
        return "n/a"
    text = "%+.*f" % (decimals, 100 * (ratio - 1))
    return text.lstrip("+-") if float(text) == 0 else text


def held_clause(exp: Experiment, pair: Pair, where: str | None = None) -> str:
    """Who held the rate at a point where not both did."""
    if where is None:
        where = point(exp, pair[1])
    missed = [s for s in pair if not s.held]
    if len(missed) == 2:
        return "neither held %s%s" % (rate_of(pair[0]), where)
    holder = next(s for s in pair if s.held)
    name, rate = missed[0].arm, shown(missed[0], TPS)
    return "only %s held %s%s (%s: %s)" % (holder.arm, rate_of(missed[0]), where, name, rate)


def in_vain(s: CellSummary) -> bool:
    """A search that found no rate, or one that held in brief steps only."""
    return tx_find.searched(s) and not (s.held and tx_find.HELD in s.figures)


def found_clause(exp: Experiment, pair: Pair, where: str | None = None) -> str:
    """Who found a rate that held where not both did."""
    if where is None:
        where = point(exp, pair[1])
    if all(map(in_vain, pair)):
        return "no rate held %s for either%s" % (objective_of(pair[1]), where)
    finder = next(s for s in pair if not in_vain(s))
    found = finder.arm, objective_of(finder), shown(finder, tx_find.HELD), where
    return "only %s held %s, up to %s%s" % found


def objective_of(s: CellSummary) -> str:
    return str(s.cell.settings.get(tx_find.SETTING) or "the objective")


# ---- one arm alone -------------------------------------------------------------


def alone(exp: Experiment, arm: str, cells: Sequence[CellSummary]) -> str:
    """What an arm did, without another to compare it with."""
    held = [s for s in cells if s.held]
    texts = [figures_of(s) + point(exp, s, alone=len(cells) == 1) for s in held[:1]]
    texts += [figures_of(s) + point(exp, s) for s in held[1:][-1:]]
    texts += [missed_of(s) % point(exp, s, alone=len(cells) == 1) for s in cells if not s.held]
    text = "; ".join(texts)
    return "%s: %s" % (arm, text) if arm else text


def missed_of(s: CellSummary) -> str:
    """A cell that did not hold its rate, with %s where its point goes."""
    if tx_find.searched(s):
        return search_of(s).replace("%", "%%") + "%s"
    return "%s not held%%s (%s)" % (rate_of(s), shown(s, TPS))


def figures_of(s: CellSummary) -> str:
    if tx_find.searched(s):
        return search_of(s)
    known = [n for n in (TPS, P95, COST) if n in s.figures]
    return (
        ", ".join((NAMES[n] + " " if n != TPS else "") + shown(s, n) for n in known) or "no figures"
    )


def search_of(s: CellSummary) -> str:
    """The answer of a search: "p99<20ms held up to 1,729 tx/s, not at 1,770 tx/s"."""
    if in_vain(s):
        brief = " in a whole step" if tx_find.HELD in s.figures else ""
        return "no rate held %s%s%s" % (objective_of(s), brief, limits(s))
    text = "%s held up to %s" % (objective_of(s), shown(s, tx_find.HELD))
    missed = ", not at " + shown(s, tx_find.MISSED) if tx_find.MISSED in s.figures else ""
    return text + missed + limits(s)


def limits(s: CellSummary) -> str:
    """What its runs named as the limit."""
    found = [h.removeprefix("limit: ") for h in s.hints if h.startswith("limit: ")]
    return " (limit: %s)" % ", ".join(dict.fromkeys(found)) if found else ""


def shown(s: CellSummary, figure: str) -> str:
    """A median of three digits or so with its unit, thousands set off: 1,200 tx/s."""
    found = s.figures.get(figure)
    if found is None:
        return "n/a"
    return "%s %s" % (labels.grouped(found.median), figures.column(figure).unit)


def rate_of(s: CellSummary) -> str:
    if set(str(s.cell.settings.get("load.tx-rate", ""))) & set(":,(@"):
        return "the rate in all of its stages"
    target = s.figures.get("target_tps")
    return "{:,g} tx/s".format(target.median) if target else "the rate"


def same_rate(pairs: Sequence[Pair]) -> bool:
    """Whether both of each pair were asked for the same rate."""
    targets = [[s.figures.get("target_tps") for s in pair] for pair in pairs]
    return all(a and b and a.median == b.median for a, b in targets)


def point(exp: Experiment, s: CellSummary, short: bool = False, alone: bool = False) -> str:
    """ " at 512 connections"; short: " at 512"; "" without an axis, or if it is the only point."""
    if not exp.x or alone:
        return ""
    level = s.cell.levels[exp.x]
    if level.isdigit():
        level = "{:,}".format(int(level))
    if short:
        return " at " + level
    if exp.x == "load.threads":
        return " at %s connection%s" % (level, "" if level == "1" else "s")
    return " at %s %s" % (exp.x.split(".")[-1], level)


# ---- what is wrong, and how certain it is --------------------------------------


def faults(exp: Experiment, summaries: Sequence[CellSummary]) -> list[str]:
    """One sentence for each flag: the cells that have it."""
    by_flag: dict[str, list[str]] = {}
    for s in summaries:
        if s.flag:
            by_flag.setdefault(s.flag, []).append(name_of(exp, s))
    return [
        "%s: %s" % (flag[0].upper() + flag[1:], "; ".join(names)) for flag, names in by_flag.items()
    ]


def remarks(measured: Sequence[CellSummary]) -> list[str]:
    """What sysbench remarked on runs that held the rate, and in how many of them."""
    hints = [hint for s in measured for hint in s.hints]
    runs = sum(s.counted for s in measured)
    found = []
    for words, sentence in HINTS.items():
        n = sum(words in hint for hint in hints)
        if n:
            found.append("In %d of %d runs, %s" % (n, runs, sentence))
    return found


def name_of(exp: Experiment, s: CellSummary) -> str:
    return (s.arm + point(exp, s)).strip() or "the only cell"


def certainty(measured: Sequence[CellSummary]) -> str:
    least, most = min(s.counted for s in measured), max(s.counted for s in measured)
    if most == 1:
        return "One run a cell: no interval, so a difference may be chance"
    count = "%d" % most if least == most else "%d to %d" % (least, most)
    if most < stats.LEAST:
        return "Medians of %s runs: too few for an interval, so a difference may be chance" % count
    text = "Medians of %s runs; in brackets, 95 %% bootstrap intervals" % count
    if least < stats.LEAST:
        text += ", which take %d runs of both cells" % stats.LEAST
    return text
