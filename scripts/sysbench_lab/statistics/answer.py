# SPDX-License-Identifier: GPL-2.0-or-later
"""The results in sentences: which arm is better, in what, by how much, how certain.

    pool-of-threads against one-thread-per-connection, over 1 to 2,048 connections: server CPU/tx
    -12 % (-14 to -10); no clear difference in p95 (-2 to +4 %; could have seen 5 %); the same
    throughput

The first sentence answers the experiment, or says "No conclusion" and why.  It compares a level of
a factor with the baseline's wherever all other levels are equal (a contrast), over all those places
(pooled.py), in three things: what a transaction costs the server, the 95th percentile, and the
throughput.  Only cells that do the same work are compared: not one script with another.  The
sentences after it have every point of the axis, then what cannot be known, then what is wrong with
cells, then what the intervals are.

No sentence says more than the figures:

    fewer than three rounds support nothing
    a difference over all places is stated if it is clear among all of them (pooled.judged), one at
        a place if it is clear among all of these (stats.chances)
    over places of which some show more and some show less there is no average: the arm crosses the
        baseline where the sign of what is stated changes, once
    who held a rate is stated if all repeats agree on it, and if that is no chance among all points;
        such an arm is compared in that alone

Of runs that searched for the highest rate (--tx-find), that rate is the only figure.
"""

from __future__ import annotations

import dataclasses
import math
import random
import re
import statistics
from typing import Callable, Hashable, Sequence

from ..plan import contrasts, found_rate, labels, rounds
from ..plan.contrasts import Contrast, Pair
from ..plan.model import Cell, Cells, CellSummary, Effect, Experiment, Row, by
from ..results import figures
from . import pooled, stats

COST, P95, TPS = "server_cpu_us_per_tx", "response_p95_ms", "tps"
NAMES = {TPS: "throughput", COST: "server CPU/tx", P95: "p95", found_rate.HELD: "highest rate"}
WORDS = {  # what an arm does on the other side of where it crosses the baseline
    TPS: "has a %s throughput", COST: "needs %s server CPU per transaction", P95: "has a %s p95",
    found_rate.HELD: "holds a %s rate",
}  # fmt: skip


Known = dict[tuple[int, int, str], stats.Compared]  # at a place: by numbers of cells and figure
Overall = dict[tuple[str, str, str], pooled.Pooled]  # over all: by factor, level and figure


def sentences(
    exp: Experiment, summaries: Cells, changes: Sequence[str] = (), waits: Sequence[str] = ()
) -> list[str]:
    """The answer, then the details; never empty.  Where marks divide the runs, what they changed is
    the answer (changes.py), and the figures of whole runs, which mix both sides, answer nothing."""
    measured = [s for s in summaries if s.counted]
    if not measured:
        failed = sum(s.runs for s in summaries)
        return ["Each of the %d runs failed." % failed if failed else "Nothing has been measured."]
    compared = measured_of(exp, summaries)
    overall, every = over_all(exp, compared), [p for c in compared for p in c.pairs]
    known = comparisons(exp, compared, overall)
    rates = [p for p in every if told_by_rate(p, every)]
    lacks = {c.name: lost(exp, c) for c in contrasts.contrasts(exp, summaries)}
    told = [answer_of(exp, c, overall, known, rates) for c in compared]
    answers = [text and "; ".join([text, *lacks[c.name]]) for text, c in zip(told, compared)]
    both = together(exp, compared) if any(answers) else []
    if any(answers):
        found = [*changes, *filter(None, answers), *both, *waits]
        for answer, c in zip(answers, compared):
            if not answer:
                found.append("%s: no conclusion: %s" % (c.name, obstacle(cells_of(c.pairs))))
            for p in c.pairs if len(c.pairs) > 1 else ():  # everything about one place
                clauses = figure_clauses(exp, c, [p], known)
                if not clauses:
                    none = "no conclusion: " + obstacle(p)
                    clauses = [rate_clause(p, "") if p in rates else none]
                where = labels.capital(spot(exp, c, p[1]).strip())
                found.append("%s, %s: %s" % (where, c.name, "; ".join(clauses)))
        found += unknowable(exp, every, overall)
    elif changes:
        found = [*changes, *waits]
    elif all(s.disturbed for s in measured):
        found = ["No conclusion: " + obstacle(measured)]
    elif compared:
        found = ["No conclusion: " + obstacle(cells_of(every)), *waits]
    else:
        calm = [s for s in measured if not s.disturbed]
        loads = list(dict.fromkeys(contrasts.place_text(exp, s.cell) for s in calm))
        several = loads_text(exp, loads) + " do different work and are not compared"
        found = [several] * (len(loads) > 1)
        gone = (s for s in cells_of(contrasts.pairs(exp, summaries)) if not s.counted)
        arms = labels.arm_names(gone)
        found += ["No conclusion: nothing was measured of " + labels.joined(arms)] * bool(arms)
        found += [alone(exp, a, [s for s in calm if s.arm == a]) for a in labels.arm_names(calm)]
        found += waits
    if compared:
        searched = filter(found_rate.searched, measured)
        found += ["%s: %s" % (name_of(exp, s), search_of(s)) for s in searched]
    sure = certainty(exp, summaries, overall, known, bool(changes or both), bool(waits))
    # One sentence for each thing that is wrong: the cells of which it is.
    faults = flagged(summaries, lambda s: name_of(exp, s), "; ")
    few = [figures.FEW] * any(re.search(r"\d\*( ms| ->)", text) for text in found)
    return found + few + faults + remarks(measured) + [sure]


# ---- what may be said ----------------------------------------------------------


def supports(s: CellSummary, least: int = stats.LEAST) -> bool:
    """Whether a cell's figures can show anything."""
    return s.counted >= least and not s.disturbed


def fair(pair: Pair, least: int = stats.LEAST) -> bool:
    """Whether its figures may be compared: both held the rate, or there was none."""
    return all(supports(s, least) and s.held and not in_vain(s) and rate_known(s) for s in pair)


def rate_known(s: CellSummary) -> bool:
    return not s.undecided or s.sustained > 0


def agreed(s: CellSummary) -> bool | None:
    """Whether it held the rate by all of its repeats; None if they do not agree."""
    if s.undecided or (s.sustained and s.unsustained):
        return None
    return not in_vain(s) if found_rate.searched(s) else s.unsustained == 0


def told_by_rate(pair: Pair, among: Sequence[Pair]) -> bool:
    """Whether it can be said who held the rate, and not both did.

    Of all ways to exchange the runs of two cells, two give all that held to one side.  Where as
    many held, it might have happened as well; so this counts wherever it did not, or the other way
    round.  (Points that agree support each other: a test of all of them, closed.)
    """
    kinds = [agreed(s) for s in pair]
    if not all(map(supports, pair)) or None in kinds or all(kinds):
        return False
    if not any(kinds):
        return True
    against = [p for p in among if p != pair and list(map(agreed, p)) != kinds]
    chance = sum(2 / math.comb(n + m, n) for n, m in map(split, [pair, *against]) if n)
    return stats.is_rare(chance, min(s.counted for s in pair))


def split(pair: Pair) -> tuple[int, int]:
    """The runs of each, if exchanged they could be all that held and all that did not; else 0."""
    sizes = [max(s.counted, s.sustained + s.unsustained) for s in pair]
    held = sum(n if agreed(s) else s.sustained for n, s in zip(sizes, pair))
    calm = not any(s.disturbed for s in pair)
    return (sizes[0], sizes[1]) if calm and held in sizes else (0, 0)


def measured_of(exp: Experiment, summaries: Cells) -> list[Contrast]:
    """What is compared, where both sides were measured."""
    found = [
        c._replace(pairs=[p for p in c.pairs if p[0].counted and p[1].counted])
        for c in contrasts.contrasts(exp, summaries)
    ]
    return [c for c in found if c.pairs]


def over_all(exp: Experiment, compared: Sequence[Contrast]) -> Overall:
    """Each contrast over all its places, judged together."""
    found = {}
    for c in compared:
        able = [p for p in c.pairs if fair(p, 1)]
        for figure in telling(able):
            found[c.factor, c.other, figure] = pooled.estimate(blocks_of(exp, able, figure))
    return pooled.judged(found, level_of(exp))


def level_of(exp: Experiment) -> float:
    return pooled.LOOK if rounds.looks_again(exp.measure) else pooled.LEVEL


def most_of(exp: Experiment) -> float:
    """See stats.is_rare(): at a look of perhaps several."""
    return pooled.LOOK if rounds.looks_again(exp.measure) else 1


def blocks_of(exp: Experiment, pairs: Sequence[Pair], figure: str) -> list[pooled.Block]:
    """The rounds of each place in which both sides have the figure.  What a transaction costs is
    compared at equal use of the CPUs by others; of latencies and throughputs those of disturbed
    runs are left out, if the others are enough."""
    beside = math.prod(len(f.levels) for f in contrasts.variants(exp))
    found, calm = [], []
    for base, other in pairs:
        for turn, b in base.rounds.items():
            o = other.rounds.get(turn, {})
            if stats.number(b.get(figure)) and stats.number(o.get(figure)):
                near = abs(int(b.get("run", 0)) - int(o.get("run", 0))) < beside
                more = taken(b, o) if stats.COSTS.search(figure) else None
                values = float(b[figure]), float(o[figure])
                found.append(pooled.Block(other.cell.number, turn, *values, more, near))
                calm += found[-1:] * (not b.get("disturbed") and not o.get("disturbed"))
    left_out = exp.measure.exclude_disturbed == "latency" and not stats.COSTS.search(figure)
    return calm if left_out and pooled.estimate(calm) else found


def taken(base: Row, other: Row) -> float | None:
    """How much more others took beside the other run, in per cent of the CPUs."""
    names = [k for k in ("others_cpu_pct", "steal_pct") if stats.number(base.get(k))]
    names = [k for k in names if stats.number(other.get(k))]
    return sum(float(other[k]) - float(base[k]) for k in names) if names else None


def comparisons(exp: Experiment, compared: Sequence[Contrast], overall: Overall) -> Known:
    """The differences at single places, judged together: where there are several, or where nothing
    is known over all of them."""
    wanted = {}
    for c in compared:
        names = telling([p for p in c.pairs if fair(p)])
        if len(c.pairs) == 1:
            names = tuple(n for n in names if (c.factor, c.other, n) not in overall)
        for base, other in filter(fair, c.pairs):
            shared = [n for n in names if n in base.figures and n in other.figures]
            values = {n: (base.figures[n].values, other.figures[n].values) for n in shared}
            values = {n: v for n, v in values.items() if min(map(len, v)) >= stats.LEAST}
            wanted[base.cell.number, other.cell.number] = values
    found = zip(wanted, stats.compared([*wanted.values()], exp.measure.seed, most_of(exp)))
    return {(*key, name): one for key, those in found for name, one in those.items()}


def stated(
    known: Known, figure: str, pairs: Sequence[Pair], clear: bool = True
) -> list[tuple[Pair, Effect]]:
    """The effects that may be stated, or those that may not."""
    found = [(p, known.get((p[0].cell.number, p[1].cell.number, figure))) for p in pairs]
    return [(p, one.effect) for p, one in found if one and one.clear == clear]


def cells_of(pairs: Sequence[Pair]) -> list[CellSummary]:
    return list({s.cell.number: s for pair in pairs for s in pair}.values())


def obstacle(cells: Cells) -> str:
    """Why cells support no claim."""
    found, hit = [], {s.arm for s in cells if s.disturbed}
    if hit:
        own = [s for s in cells if s.arm in hit]
        runs = sum(s.runs for s in own)
        of = " of " + labels.joined(sorted(hit)) if hit < {s.arm for s in cells} else ""
        for n, text in stats.reasons([text for s in own for text in s.disturbed]):
            many = "all %d runs" % runs if n == runs else "%d of %d runs" % (n, runs)
            found.append("in %s%s %s" % ("the only run" if runs == 1 else many, of, text))
    calm = [s for s in cells if not s.disturbed]
    sizes = [s.sustained + s.unsustained + s.undecided or s.counted for s in calm]
    few = [n for n in sizes if n < stats.LEAST]
    if few:
        who = "%d have" % len(few) if len(few) > 1 else "one has"
        if len(few) == len(cells) > 1:
            who = "both have" if len(few) == 2 else "all " + who
        low, high = min(few), max(few)
        have = span(low, high).replace("to", "or" if high - low == 1 else "to")
        have = "only " + have if high else "none"
        counts = stats.LEAST, who, have
        found.append("too few runs that count: each setting needs %d, and %s %s" % counts)
    if not found and any(s.undecided for s in cells):
        found.append("it is not known whether the rate was held")
    if not found and any(agreed(s) is None for s in cells):
        found.append("the repeats do not agree on whether the rate was held")
    if not found and len({agreed(s) for s in cells}) > 1:
        found.append("who held the rate may be chance")
    return ", and ".join(found) or "no figure in common"


# ---- an arm and the baseline ---------------------------------------------------


def answer_of(
    exp: Experiment, c: Contrast, overall: Overall, known: Known, rates: Sequence[Pair]
) -> str:
    """What can be said of it; "" if nothing can.  rates: see told_by_rate()."""
    able, every = ([p for p in c.pairs if fair(p, n)] for n in (stats.LEAST, 1))
    over = ", over " + span_of(exp, c, every) if len(every) > 1 else ""
    places = any(len(f.levels) > 1 for f in exp.factors if f.name != c.factor)
    here = spot(exp, c, every[0][1]) if len(every) == 1 and places else ""  # not everywhere
    crossings: dict[str, list[str]] = {}  # what changes by where it does
    parts, means, alike = [], [], []
    for figure, name in NAMES.items():
        found, one = stated(known, figure, able), overall.get((c.factor, c.other, figure))
        mixed = len({effect.ratio > 1 for _, effect in found}) > 1
        if one and one.clear and not mixed:
            effect = one.effect(figure)
            said = per_cent(effect) if len(every) > 1 else changed(every, effect)
            said += " on average, though places differ" * one.estimate.apart
            means.append("%s %s" % (name, said))
        elif one and not found:
            alike.append("%s (%s)" % (name, blind(exp, one)))
        else:
            where, words = crossing(exp, figure, found)
            crossings.setdefault(where, []).append(words)
            parts += figure_clauses(exp, c, able, known, (figure,))
    means += ["no clear difference in " + labels.joined(alike, "or")] * bool(alike)
    means = [text + here for text in means]
    crossings.pop("", None)
    names = [labels.level_text(c.factor, level) for level in (c.other, c.base)]
    turns = [
        "from %s on, %s %s than %s" % (where, names[0], " and ".join(said), names[1])
        for where, said in crossings.items()
    ]
    if turns:
        parts += [over.removeprefix(", ") + " " + text for text in means]
    else:
        parts = means + parts
    steady = [p for p in able if all(map(agreed, p))]
    if steady and same_rate(steady):
        parts.append("the same throughput" + (extent(exp, c, steady) or here))
    parts += [rate_clause(p, spot(exp, c, p[1])) for p in c.pairs if p in rates]
    if turns:
        return "; ".join([turns[0].replace("f", "F", 1), *turns[1:], *parts])
    return "%s: %s" % (c.name + over, "; ".join(parts)) if parts else ""


def together(exp: Experiment, compared: Sequence[Contrast]) -> list[str]:
    """Whether what the first factor changes is another change at other levels of the next one: of
    each place and round the ratio of both ratios.  All of these are judged together."""
    factors = list(dict.fromkeys(c.factor for c in compared))
    wanted, found = [], {}
    for c in (c for c in compared if c.factor == factors[0]):
        able = [p for p in c.pairs if fair(p, 1)]
        for one in (one for one in compared if one.factor in factors[1:2]):
            wanted.append((c, one))
            for figure in telling(able):
                blocks = crossed(exp, able, one, figure)
                found[c.other, one.other, figure] = pooled.estimate(blocks)
    judged, texts = pooled.judged(found, level_of(exp)), []
    for c, one in wanted:
        mine = [(NAMES[n], judged.get((c.other, one.other, n))) for n in NAMES]
        clear = ["%s by %s" % (n, per_cent(j.effect(""))) for n, j in mine if j and j.clear]
        alike = ["%s (%s)" % (n, blind(exp, j)) for n, j in mine if j and not j.clear]
        levels = tuple(labels.level_text(one.factor, level) for level in (one.other, one.base))
        text = "With %s instead of %s, the effect of " % levels + c.name
        text += " differs in " + "; ".join(clear) if clear else " does not clearly differ"
        if clear and alike:
            text += "; not clearly"
        texts += [text + " in " * bool(alike) + labels.joined(alike, "or")] * bool(clear or alike)
    return texts


def crossed(
    exp: Experiment, able: Sequence[Pair], one: Contrast, figure: str
) -> list[pooled.Block]:
    """The change of a figure at each place and in each round: at the base of another factor, and at
    the other level of it."""

    def at(level: str) -> dict[tuple[tuple[str, ...], int], pooled.Block]:
        pairs = [p for p in able if p[0].cell.levels[one.factor] == level]
        cells: dict[Hashable, Cell] = {p[1].cell.number: p[1].cell for p in pairs}
        found = blocks_of(exp, pairs, figure)
        levels = [{**cells[b.place].levels, one.factor: ""} for b in found]
        return {(tuple(places.values()), b.round): b for places, b in zip(levels, found)}

    others, made = at(one.other), list[pooled.Block]()
    for key, b in at(one.base).items():
        o = others.get(key)
        if o and min(b.base, b.other, o.base, o.other) > 0:
            more = None if b.more is None or o.more is None else o.more - b.more
            ratios, near = (b.other / b.base, o.other / o.base), b.near and o.near
            made.append(pooled.Block(*key, *ratios, more, near))
    return made


def lost(exp: Experiment, c: Contrast) -> list[str]:
    """Where all runs of a side failed: "max_connections 10 failed at 512 connections"."""
    gone = by((s for s in cells_of(c.pairs) if s.runs and not s.counted), lambda s: s.arm)
    where = {arm: [point(exp, s).strip() for s in cells] for arm, cells in gone.items()}
    return [("%s failed %s" % (arm, labels.joined(spots))).strip() for arm, spots in where.items()]


def changed(pairs: Sequence[Pair], effect: Effect) -> str:
    """An effect at the only place, with its medians."""
    marks = [figures.mark(effect.figure, s.figures) for s in pairs[0]]
    base, other = (s.figures[effect.figure].median for s in pairs[0])
    found = dataclasses.replace(effect, base=base, other=other)
    return change(found, figures.column(effect.figure).unit, marks=marks)


MOST_SEEN = 1000  # in per cent; more is no help


def blind(exp: Experiment, one: pooled.Pooled) -> str:
    """Of a difference that is not clear: how great it may be, what could have been seen, and how
    many rounds would tell."""
    seen, more = 100 * one.seen(), one.more_rounds(pooled.LOOK / level_of(exp))
    text = range_of(one.effect("")) + " %"
    if seen > MOST_SEEN:
        text += "; could not have seen {:,} %".format(MOST_SEEN)
    elif seen >= 0.01:
        text += "; could have seen {:,g} %".format(float("%.2g" % seen))
    wanted = "; %d more round%s would show %.0f %%"
    return text + wanted % (more, "s" * (more != 1), 100 * pooled.WANTED) if more else text


def unknowable(exp: Experiment, every: Sequence[Pair], overall: Overall) -> list[str]:
    """The figures that are too noisy for any reasonable number of rounds."""
    found, share = [], pooled.LOOK / level_of(exp)
    for figure, name in NAMES.items():
        those = [one for (_, _, n), one in overall.items() if n == figure]
        if any(not one.clear and one.more_rounds(share) is None for one in those):
            cells = cells_of(every)
            spreads = [s.figures[figure] for s in cells if figure in s.figures]
            most = max((s.max / s.min - 1 for s in spreads if s.min > 0), default=0)
            busy = any(row.get("disturbed") for s in cells for row in s.rounds.values())
            calmer = "use a calmer machine, or " * busy
            text = "A difference of {:.0f} % in {} cannot be seen on this machine at this length:"
            text += " runs of one setting differ by up to {:,.0f} %; {}raise measure.time"
            found.append(text.format(100 * pooled.WANTED, name, 100 * most, calmer))
    return found


def span_of(exp: Experiment, c: Contrast, pairs: Sequence[Pair]) -> str:
    """The places of a comparison: "1 to 512 connections, read and write"."""
    parts = []
    for f in exp.factors:
        levels = list(dict.fromkeys(p[1].cell.levels[f.name] for p in pairs))
        if f.name == c.factor or len(levels) < 2:
            continue
        if f.name == exp.x:
            line = sorted(pairs, key=lambda p: labels.x_of(exp, p[1].cell) or 0)
            ends = [point(exp, p[1], True).removeprefix(" at ") for p in (line[0], line[-1])]
            parts.append(point(exp, pairs[0][1], level=" to ".join(ends)).removeprefix(" at "))
        else:
            parts.append(loads_text(exp, [labels.level_text(f.name, n) for n in levels]))
    return ", ".join(parts)


def spot(exp: Experiment, c: Contrast, s: CellSummary, short: bool = False) -> str:
    """ " at 16 connections with load_hosts=2": the place of a cell among those of a contrast."""
    others = (f for f in exp.factors if f.name not in (c.factor, exp.x))
    texts = [labels.level_text(f.name, s.cell.levels[f.name]) for f in others if len(f.levels) > 1]
    return point(exp, s, short) + (" with " + ", ".join(texts)) * bool(texts)


def loads_text(exp: Experiment, loads: Sequence[str]) -> str:
    scripts = any("load.script" in v.changes for f in exp.factors for v in f.levels)
    word = "workloads" if scripts else "loads"
    return labels.joined(loads) if len(loads) < 4 else "%d %s" % (len(loads), word)


def telling(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The figures to compare.  Those of a search are of all the rates that it tried."""
    if any(found_rate.searched(s) for pair in pairs for s in pair):
        return (found_rate.HELD,)
    return (COST, P95) if same_rate(pairs) else (TPS, COST, P95)


def extent(exp: Experiment, c: Contrast, steady: Sequence[Pair]) -> str:
    """How far along the axis both held the rate.  A point in its middle of which nothing is known
    is no end of it."""
    known = (p for p in c.pairs[:-1] if all(map(supports, p)) or not all(map(agreed, p)))
    pairs = [*known, c.pairs[-1]]
    if len(steady) == len(pairs):
        return ""
    if len(steady) == 1:
        return spot(exp, c, steady[0][1])
    line = len({p[1].cell.levels.get(exp.x) for p in c.pairs}) == len(c.pairs)
    if line and steady == pairs[: len(steady)]:
        return " up to" + point(exp, steady[-1][1]).replace(" at", "", 1)
    return " where both held the rate"


def figure_clauses(
    exp: Experiment, c: Contrast, pairs: Sequence[Pair], known: Known, names: Sequence[str] = ()
) -> list[str]:
    """Each figure where it differs, at the first and the last such place; then those that differ
    nowhere, with how much they may if there is one place.  names: only these, with the place."""
    clauses, alike = [], []
    for figure in names or NAMES:
        found, texts = stated(known, figure, pairs), []
        for i, (pair, effect) in enumerate(found[:1] + found[1:][-1:]):
            where = spot(exp, c, pair[1], short=i > 0) if names and len(c.pairs) > 1 else ""
            texts.append(changed([pair], effect) + where)
        if texts:
            clauses.append("%s %s" % (NAMES[figure], " and ".join(texts)))
            continue
        unsure = stated(known, figure, pairs, clear=False)
        doubts = [" (%s)" % doubt(effect) for _, effect in unsure] if len(unsure) == 1 else [""]
        alike += [NAMES[figure] + doubts[0]] * bool(unsure)
    text = "no clear difference in " + labels.joined(alike, "or")
    return clauses + [text] * bool(alike)


def crossing(exp: Experiment, figure: str, found: Sequence[tuple[Pair, Effect]]) -> tuple[str, str]:
    """From where on an arm is on the other side of the baseline, and how it is then; "" unless it
    crosses it once."""
    turn = turning(exp, found)
    if turn is None:
        return "", ""
    where = point(exp, found[0][0][1], level=shown_level(turn[0])).replace(" at", "about", 1)
    ends = turn_range(exp, [p for p, _ in found], figure)
    where += " (%s to %s)" % tuple(map(shown_level, ends)) if ends and ends[0] < ends[1] else ""
    way = ("less", "more") if figure == COST else ("lower", "higher")
    return where, WORDS[figure] % way[turn[1]]


def shown_level(value: float) -> str:
    return "{:,.10g}".format(value)


DRAWN = 2000


def turn_range(exp: Experiment, pairs: Sequence[Pair], figure: str) -> tuple[float, float] | None:
    """The middle 95 % of where it would cross if each place were anywhere within its error."""
    blocks = blocks_of(exp, pairs, figure)
    places = by(blocks, lambda b: b.place)
    xs: dict[Hashable, float] = {s.cell.number: labels.x_of(exp, s.cell) or 0 for _, s in pairs}
    logs = {b: math.log(b.other / b.base) for b in blocks if min(b.base, b.other) > 0}
    free = len(blocks) - len(places)
    if len(logs) < len(blocks) or len(places) < len(pairs) or free < 2:
        return None
    means = {p: sum(logs[b] for b in those) / len(those) for p, those in places.items()}
    spread = math.sqrt(sum((v - means[b.place]) ** 2 for b, v in logs.items()) / free)
    dice, at = random.Random(exp.measure.seed), list[float]()
    for _ in range(DRAWN):
        wide = spread * math.sqrt(free / dice.gammavariate(free / 2, 2))
        line = [(xs[p], m + dice.gauss(0, wide / len(places[p]) ** 0.5)) for p, m in means.items()]
        turn = turn_of(sorted(line))
        at += [turn[0]] if turn else []
    at.sort()
    tail = round((1 - pooled.LEVEL / 2) * len(at)) - 1
    return (at[len(at) - 1 - tail], at[tail]) if len(at) >= (1 - pooled.LEVEL) * DRAWN else None


def turning(exp: Experiment, found: Sequence[tuple[Pair, Effect]]) -> tuple[float, bool] | None:
    """Where an arm crosses the baseline, and whether it is above it from there on; None unless it
    crosses it once."""
    known = [(labels.x_of(exp, p[1].cell), e.ratio) for p, e in found]
    line = sorted((x, math.log(r)) for x, r in known if x and x > 0 and 0 < r < math.inf)
    return turn_of(line) if len({x for x, _ in line}) == len(found) else None


def turn_of(line: Sequence[tuple[float, float]]) -> tuple[float, bool] | None:
    """Where a line of logarithms crosses 0, between the two logarithms of x there."""
    turns = [(a, b) for a, b in zip(line, line[1:]) if (a[1] > 0) != (b[1] > 0)]
    if len(turns) != 1:
        return None
    (x, y), (beyond, under) = turns[0]
    at = float("%.2g" % (x * (beyond / x) ** (y / (y - under))))
    at = math.ceil(at) if x.is_integer() and beyond.is_integer() else at
    return at, under >= 0


def crossings(exp: Experiment, summaries: Cells) -> dict[str, list[tuple[str, float]]]:
    """By figure: each arm that crosses the baseline, and where."""
    compared = measured_of(exp, summaries)
    known = comparisons(exp, compared, over_all(exp, compared))
    found: dict[str, list[tuple[str, float]]] = {}
    for arm, pairs in by((p for c in compared for p in c.pairs), lambda p: p[1].arm).items():
        for figure in NAMES:
            if turn := turning(exp, stated(known, figure, [p for p in pairs if fair(p)])):
                found.setdefault(figure, []).append((arm, turn[0]))
    return found


def per_cent(found: Effect) -> str:
    """In a table: -18 % (-21 to -14); of fewer than three runs there is no interval."""
    if not math.isfinite(max(found.ratio, found.high or 0)):
        return "from 0" if found.base == 0 != found.other else "n/a"  # 0 in a part of the runs
    text = signed(found.ratio, digits(found)) + " %"
    return text if found.low is None else "%s (%s)" % (text, range_of(found))


def told(found: Effect, clear: bool = True) -> str:
    """The same in a sentence: only what is more than chance is stated, and can be seen."""
    if found.low is None:
        return "too few runs to compare"
    seen = labels.grouped(found.base) != labels.grouped(found.other)
    if not clear or not excludes_none(found):
        return "no clear difference (%s)" % doubt(found)
    return per_cent(found) if seen else "no difference at this precision (%s %%)" % range_of(found)


def doubt(found: Effect) -> str:
    """The interval of what is not stated.  One that excludes no change seems to contradict that."""
    return range_of(found) + " %" + ", but may be chance" * excludes_none(found)


def excludes_none(found: Effect) -> bool:
    """Whether the interval, as it is shown, excludes no change."""
    assert found.low is not None and found.high is not None
    low, high = (round(100 * (end - 1), digits(found)) for end in (found.low, found.high))
    return not low <= 0 <= high


def change(found: Effect, unit: str, said: str = "", marks: Sequence[str] = ("", "")) -> str:
    """A change wherever a sentence has one: 200 -> 164 us, -18 % (-21 to -16).  Medians may be
    another number of times each other than the runs are on average.  said: instead of told()."""
    far = abs(stats.ratio(found.base, found.other) - found.ratio) > 0.015 * max(1, found.ratio)
    unit += " (medians)" * far
    values = map(labels.grouped, (found.base, found.other))
    text = " -> ".join(map("".join, zip(values, marks))) + " " * bool(unit) + unit
    return "%s, %s" % (text, said or told(found)) if math.isfinite(found.ratio) else text


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
    text = "{:+,.{}f}".format(100 * (ratio - 1), decimals)
    return text.lstrip("+-") if round(100 * (ratio - 1), decimals) == 0 else text


def rate_clause(pair: Pair, where: str) -> str:
    """Who held the rate, or found one, at a point where not both did."""
    if all(map(in_vain, pair)):
        return "no rate held %s for either%s" % (objective_of(pair[1]), where)
    if any(map(in_vain, pair)):
        finder = next(s for s in pair if not in_vain(s))
        found = finder.arm, objective_of(finder), shown(finder, found_rate.HELD), where
        return "only %s held %s, up to %s%s" % found
    if not any(map(agreed, pair)):
        return "neither held %s%s" % (rate_of(pair[0]), where)
    holder, missed = pair if agreed(pair[0]) else pair[::-1]
    name, rate = missed.arm, shown(missed, TPS)
    return "only %s held %s%s (%s: %s)" % (holder.arm, rate_of(missed), where, name, rate)


def in_vain(s: CellSummary) -> bool:
    """A search that found no rate, or one that held in brief steps only."""
    return found_rate.searched(s) and not (s.held and found_rate.HELD in s.figures)


def objective_of(s: CellSummary) -> str:
    return found_rate.find_parts(s.cell.settings)[0] or "the objective"


# ---- one arm alone -------------------------------------------------------------


def alone(exp: Experiment, arm: str, cells: Cells) -> str:
    """What an arm did, without another to compare it with."""
    held = [s for s in cells if s.held and rate_known(s)]
    told = held[:1] + held[1:][-1:] + [s for s in cells if s not in held]
    text = "; ".join(cell_clause(s, point(exp, s) * (len(cells) > 1)) for s in told)
    return "%s: %s" % (arm, text) if arm else text


def cell_clause(s: CellSummary, where: str) -> str:
    if found_rate.searched(s):
        return search_of(s) + where
    if s.held and rate_known(s):
        known = [n for n in (TPS, P95, COST) if n in s.figures]
        texts = [(NAMES[n] + " " if n != TPS else "") + shown(s, n) for n in known]
        return (", ".join(texts) or "no figures") + where
    how = "not held"
    if agreed(s) is None:
        how = "held in %d of %d runs" % (s.sustained, s.sustained + s.unsustained + s.undecided)
    return "%s %s%s (%s)" % (rate_of(s), how, where, shown(s, TPS))


def search_of(s: CellSummary) -> str:
    """The answer of a search: "p99<20ms held up to 1,729 tx/s, not at 1,770 tx/s"."""
    if in_vain(s):
        brief = " in a whole step" if found_rate.HELD in s.figures else ""
        return "no rate held %s%s%s" % (objective_of(s), brief, limits(s))
    text = "%s held up to %s" % (objective_of(s), shown(s, found_rate.HELD))
    missed = ", not at " + shown(s, found_rate.MISSED) if found_rate.MISSED in s.figures else ""
    return text + missed + limits(s)


def limits(s: CellSummary) -> str:
    """What its runs named as the limit."""
    found = [h.removeprefix("limit: ") for h in s.hints if h.startswith("limit: ")]
    return " (limit: %s)" % ", ".join(dict.fromkeys(found)) if found else ""


def shown(s: CellSummary, figure: str) -> str:
    """A median with its unit: 1,200 tx/s."""
    if figure not in s.figures:
        return "n/a"
    text = labels.grouped(s.figures[figure].median) + figures.mark(figure, s.figures)
    return "%s %s" % (text, figures.column(figure).unit)


def rate_of(s: CellSummary) -> str:
    if set(str(s.cell.settings.get("load.tx-rate", ""))) & set(":,(@"):
        return "the rate in all of its stages"
    target = s.figures.get("target_tps")
    return "{:,g} tx/s".format(target.median) if target else "the rate"


def same_rate(pairs: Sequence[Pair]) -> bool:
    """Whether both of each pair were asked for the same rate."""
    targets = [[s.figures.get("target_tps") for s in pair] for pair in pairs]
    return all(a and b and a.median == b.median for a, b in targets)


def point(exp: Experiment, s: CellSummary, short: bool = False, level: str = "") -> str:
    """ " at 512 connections"; short: " at 512"; "" without an axis; level: of another point."""
    if not exp.x:
        return ""
    level = level or s.cell.levels[exp.x]
    if level.isdigit():
        level = "{:,}".format(int(level))
    if short:
        return " at " + level
    if exp.x == "load.threads":
        return " at %s connection%s" % (level, "" if level == "1" else "s")
    return " at %s %s" % (exp.x.split(".")[-1], level)


# ---- what is wrong, and how certain it is --------------------------------------


def flagged(summaries: Cells, name: Callable[[CellSummary], str], comma: str) -> list[str]:
    """The flags, those that say the same of several cells as one, with the ranges of figures."""
    kinds = by((s for s in summaries if s.flag), lambda s: stats.kind_of(wrong(s), advice=True))
    found = []
    for those in kinds.values():
        every = len(those) == len(summaries) > 1
        who = "every cell" if every else comma.join(map(name, those))
        found.append("%s: %s" % (who, stats.merged([*map(wrong, those)])))
    return found


def wrong(s: CellSummary) -> str:
    """A cell's flag, and why it did not hold the rate, or failed."""
    return ": ".join(filter(None, (s.flag, s.why)))


def remarks(measured: Cells) -> list[str]:
    """What sysbench remarked on runs that held the rate: of which arms, if not of all of them, and
    in how many of their runs."""
    hints = [(s.arm, hint) for s in measured for hint in s.hints]
    kinds = by(hints, lambda h: "backlog" if BACKLOG.match(h[1]) else stats.kind_of(h[1]))
    found = []
    for those in sorted(kinds.values(), key=len, reverse=True):
        arms, said = {arm for arm, _ in those}, [hint for _, hint in those]
        runs = sum(s.counted for s in measured if s.arm in arms)
        many = "%d of %d runs" % (len(said), runs)
        many = many if len(said) < runs else "the only run" if runs == 1 else "all %d runs" % runs
        if arms < {s.arm for s in measured}:
            names = sorted(arms)
            who = "; ".join(names) if any(", " in name for name in names) else labels.joined(names)
            many = "%s: %s" % (who, many)
        else:
            many = labels.capital(many)
        backlogs = [match for match in map(BACKLOG.match, said) if match]
        found.append(many + (caught_up(backlogs) if backlogs else ": " + stats.merged(said)))
    return found


# What sysbench says of a rate that was held in spite of one: how long, when, and perhaps why.
BACKLOG = re.compile(
    r"after (?:a backlog|\d+ backlogs, the largest) of up to ([\d,]+) transactions "
    r"[^:]*(?:: (.*))?$",
    re.S,
)


def caught_up(backlogs: Sequence[re.Match[str]]) -> str:
    most = max((b[1] for b in backlogs), key=lambda n: int(n.replace(",", "")))
    why = [b[2] or "" for b in backlogs]
    text = " caught up after a backlog (at most %s transactions)" % most
    return ": ".join(filter(None, (text, stats.reason(why))))


def name_of(exp: Experiment, s: CellSummary) -> str:
    return (s.arm + point(exp, s)).strip() or "the only cell"


def certainty(
    exp: Experiment, summaries: Cells, overall: Overall, known: Known, changes: bool, waits: bool
) -> str:
    measured = [s for s in summaries if s.counted]
    least, most = min(s.counted for s in measured), max(s.counted for s in measured)
    if most == 1:
        one = "One" if len(measured) == len(summaries) else "At most one"
        return one + " run of each cell, so a difference may be chance"
    text = "Medians of %s runs" % span(least, most)
    if most < stats.LEAST:
        return text + ", so a difference may be chance"
    if overall or changes:
        said = ". Changes are means over the rounds%s with %s %% intervals, reported at a %g %%"
        said += " family-wise error rate%s%s (t-test)"
        several = any(one.estimate.places > 1 for one in overall.values())
        level = 100 * (level_of(exp) if overall else pooled.LEVEL)
        each = " at each look" * (bool(overall) and rounds.looks_again(exp.measure))
        judged = [100 * one.level for one in overall.values()]  # Holm: each at its own
        judged += [level] * changes
        wide = span(round(100 - max(judged), 1), round(100 - min(judged), 1))
        text += said % (" and places" * several, wide, level, among(len(overall)), each)
    if any(one.estimate.adjusted for one in overall.values()):
        text += ", those of CPU/tx as if others had used as much of the CPUs beside both"
    if overall and rounds.looks_again(exp.measure):
        made = max(turn for s in measured for turn in s.rounds)
        looks = [str(n) for n in rounds.looks(exp.measure, made)]
        times = {1: "once", 2: "twice"}.get(len(looks), "%d times" % len(looks))
        text += "; it looked %s, after %s rounds" % (times, labels.joined(looks))
    if known:
        sure = [100 * stats.confidence(s.counted) for s in measured if supports(s)]
        low, high = min(sure), max(sure)
        said = ". At a single place brackets are %s %% bootstrap intervals; differences are"
        said += " reported at a %s %% family-wise error rate%s (permutation test)"
        rare = span(100 - high, 100 - low) if level_of(exp) == pooled.LEVEL else "1"
        text += said % (span(low, high), rare, among(len(known)))
    return text + "; that of a wait likewise, among all waits" * waits


def among(n: int) -> str:
    return " over all %d comparisons" % n if n > 1 else ""


def span(low: float, high: float) -> str:
    return "%g" % low if low == high else "%g to %g" % (low, high)


# ---- What a curve shows: its knee

#     knee([1, 16, 128, 512], [[300, ...], [2900, ...], [9800, ...], [9900, ...]])    ->  2, of 128
#
# Knee: Kneedle (Satopaa, Albrecht, Irwin, Raghavan, 2011), without its smoothing.  Both axes are
# scaled to 0..1, the horizontal one by its logarithm, since connections and rates are chosen by
# factors.  The knee of a curve that rises and flattens (throughput) is where it is farthest above
# the diagonal.  A curve that is nowhere farther from it than LEAST has none.


LEAST = 0.1  # distance from the diagonal, of the axis
FALLEN = 0.9  # of the highest throughput; below, it has fallen


def knee(xs: Sequence[float], rows: Sequence[Sequence[float]]) -> int | None:
    """Position of the knee; xs ascend and are positive; of each the values of all rounds.  None if
    there is none, or if it may be chance that the level before it is lower."""
    ys = [float(statistics.median(row)) for row in rows]
    if len(xs) < 3 or max(ys) == min(ys):
        return None
    across = [math.log(x / xs[0]) / math.log(xs[-1] / xs[0]) for x in xs]
    distances = [(y - min(ys)) / (max(ys) - min(ys)) - x for x, y in zip(across, ys)]
    best = max(range(len(xs)), key=lambda i: distances[i])
    if best == 0 or distances[best] <= LEAST:
        return None
    chance = pooled.greater(rows[best - 1], rows[best])
    return best if chance * (len(xs) - 1) <= pooled.LEVEL else None  # any level could be the knee


# ---- of an experiment ----------------------------------------------------------------


def knee_sentences(exp: Experiment, summaries: Cells) -> list[str]:
    """Where the throughput of each arm flattens, and to what it falls; for experiments without a
    rate."""
    arms = by(summaries, lambda s: s.arm)
    texts = [(arm, knee_sentence(exp, points(exp, cells))) for arm, cells in arms.items()]
    return ["%s: %s" % (arm, text) if arm else text for arm, text in texts if text]


def knee_sentence(exp: Experiment, line: Sequence[tuple[float, CellSummary]]) -> str:
    """ "" of a throughput that neither flattens nor falls, or falls by its medians and perhaps by
    chance."""
    cells = [s for _, s in line]
    ys = [s.figures["tps"] for s in cells]
    at = knee([x for x, _ in line], [y.values for y in ys])
    top = max(range(len(ys)), key=lambda i: ys[i].median, default=0)
    low = min(range(top, len(ys)), key=lambda i: ys[i].median, default=0)
    falls = low > top and ys[low].median < FALLEN * ys[top].median
    if falls and not apart(ys[low].values, ys[top].values):
        return ""

    def share(i: int) -> tuple[str, float]:
        return shown(cells[i], "tps"), 100 * ys[i].median / ys[top].median

    text = ""
    if at is not None and not (falls and at >= top):
        text = "the throughput flattens%s (" % point(exp, cells[at])
        text += "%s, %.0f %% of the most)" % share(at)
    elif falls:
        text = "the throughput is highest%s, %s," % (point(exp, cells[top]), share(top)[0])
    if falls:
        where = point(exp, cells[low], short=True)
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
    free = [s for s in cells if TPS in s.figures and not rated(s) and supports(s)]
    line = [(labels.x_of(exp, s.cell) or 0, s) for s in free]
    return sorted(((x, s) for x, s in line if x > 0), key=lambda at: at[0])
