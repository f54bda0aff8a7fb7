# SPDX-License-Identifier: GPL-2.0-or-later
"""What the repeats of a cell say together: medians, intervals, effects; and which runs count.

A run counts when it is done and was not disturbed (or fewer than three were not).  Runs that held
the rate and runs that did not are different things and are never averaged: the cell's figures are
those of the more numerous kind, and its flag names the other.  A single run of fifteen that held
the rate is therefore luck, not the cell's result.

Intervals are percentile bootstrap: of all samples that could be drawn from the repeats, with
replacement, the middle 95 % of medians, or of ratios of medians.  Up to six values all such samples
are enumerated; of more, 10,000 are drawn from the experiment's seed.  Of few values they hold the
truth less often than that, and are called what they are: confidence().  With fewer than three there
is none.

Intervals judge one comparison.  Where the most striking of many is told, chances() says how
probable it is that any of all these would look like that by chance.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
import functools
import itertools
import math
import random
import re
import statistics
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from ..plan import labels
from ..plan.model import Cell, CellSummary, Effect, Experiment, Measure, Plan, Row, Spread, Tree, by
from ..results import figures

LEAST = 3  # values for an interval
ENUMERATED = 6  # values of which all samples are taken: 6 ** 6 = 46,656
DRAWN = 10_000
CONFIDENCE = 0.95
CONFIDENCE_OF_MEDIAN = 0.94
# Values of the smaller cell: how often an interval holds the truth, of a ratio of two cells and of
# one median.  That of three values is their range: the truth is beside it in one case of four.
OF_RATIO = {3: 0.9, 4: 0.925}
OF_MEDIAN = {3: 0.75, 4: 0.875, 7: 0.875}
# what latencies, of which the parts of the service time are some, and throughput are not
COSTS = re.compile(r"^(?!(%s)$).*_per_(tx|kinstr)$|^ipc$" % "|".join(figures.OF_SERVICE))
PERMUTED = 2000  # most permutations of the runs of two cells
OUTLIER = 3.5  # modified z-score, Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993
REACHED = 0.99  # of the target
ROUNDING = 1e-9
# A figure, or a range of texts that were merged before; no name such as 57P01, and no error code
# before how often it occurred: "1213 (40001) 5 times".
ONE = r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)"
TIMES = r" [\d,]+(?: to [\d,]+)? times"
NUMBER = re.compile(r"%s(?!(?: \(\w+\))?%s|\)%s)(?: to %s)?" % (ONE, TIMES, TIMES, ONE))
WHO = re.compile(r"\bp?id \d+(?:, )?")  # a session, another one in each run
FIRST = re.compile(r"(between|from|at least)( second)? $")  # before the lower end of a range
LAST = re.compile(r"(up to|between( second)? [\d.,]+ and) $")
EVERY = re.compile(r"\ball of (%s)" % NUMBER.pattern)
EACH = re.compile(r"(?<![\d.,])(%s) of \1(?!\d|[.,]\d)" % NUMBER.pattern)
SHARE = re.compile(r"\b(?:all of %s|(%s) of (%s))(?= )" % ((NUMBER.pattern,) * 3))

Weighted = list[tuple[float, int]]


# ---- intervals -----------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def middles(n: int, seed: int) -> tuple[tuple[int, int, int], ...]:
    """Medians of samples of n sorted values: positions of the two middle ones, and how often."""
    dice = random.Random(seed)
    drawn = (dice.choices(range(n), k=n) for _ in range(DRAWN))
    samples = itertools.product(range(n), repeat=n) if n <= ENUMERATED else drawn
    orders = (sorted(sample) for sample in samples)
    count = collections.Counter((order[(n - 1) // 2], order[n // 2]) for order in orders)
    return tuple((i, j, times) for (i, j), times in sorted(count.items()))


def medians(values: Sequence[float], seed: int) -> Weighted:
    """The bootstrap distribution of the median."""
    order = sorted(values)
    return [((order[i] + order[j]) / 2, n) for i, j, n in middles(len(order), seed)]


def interval(distribution: Weighted) -> tuple[float, float]:
    """The middle part of a distribution, CONFIDENCE of its weight."""
    order = sorted(distribution)
    weights = list(itertools.accumulate(weight for _, weight in order))
    tail = (1 - CONFIDENCE) / 2 * weights[-1]
    # the first value with more than a tail up to it, and the last one with more from it on
    low = bisect.bisect_right(weights, tail)
    high = bisect.bisect_left(weights, weights[-1] - tail)
    return order[low][0], order[high][0]


def spread(values: Sequence[float], seed: int) -> Spread:
    ends = min(values), max(values)
    inner = interval(medians(values, seed)) if len(values) >= LEAST else ends
    return Spread(len(values), statistics.median(values), *ends, *inner, tuple(values))


def effect(
    base_values: Sequence[float], other_values: Sequence[float], figure: str, seed: int
) -> Effect:
    """How many times the base the other is; the cells are independent of each other."""
    base, other = statistics.median(base_values), statistics.median(other_values)
    low = high = None
    if min(len(base_values), len(other_values)) >= LEAST:
        # another seed for the other cell: equal numbers of values must not pair up
        both = itertools.product(medians(base_values, seed), medians(other_values, seed + 1))
        low, high = interval([(ratio(b, o), m * n) for (b, m), (o, n) in both])
    return Effect(figure, base, other, ratio(base, other), low, high)


def ratio(base: float, other: float) -> float:
    """other / base; equal zeros are equal."""
    if base == 0:
        return 1.0 if other == 0 else math.copysign(math.inf, other)
    return other / base


def confidence(n: int, cells: int = 2) -> float:
    """How often an interval holds the truth when the smaller of the cells has n values."""
    return OF_RATIO.get(n, CONFIDENCE) if cells > 1 else OF_MEDIAN.get(n, CONFIDENCE_OF_MEDIAN)


# ---- many comparisons ----------------------------------------------------------

Sides = tuple[Sequence[float], Sequence[float]]  # values of a figure in two cells


def chances(pairs: Sequence[Mapping[str, Sides]], seed: int) -> list[dict[str, float]]:
    """How probable a difference as clear as each of these is, anywhere among all of them, if cells
    do not differ: of each pair of cells the figures by name.

    If two cells do not differ, any of their runs could as well be of the other one.  So each pair's
    runs are exchanged in all ways, those of all figures alike, and the clearest figure is noted; no
    law of the noise is assumed.  The clearest of all comparisons is judged against all pairs, the
    next one against all others, and so on (Westfall and Young, step-down).
    """
    groups: dict[Any, dict[str, list[float]]] = {}  # figures that as many runs have
    for i, pair in enumerate(pairs):
        for name, (base, other) in pair.items():
            group = groups.setdefault((i, len(base), len(other)), {})
            # How clear the difference is (Student's t of the logarithms, as a normal deviate),
            # first as measured, then with the runs exchanged in all ways, or PERMUTED drawn ones
            # of more.
            n, m = len(base), len(other)
            values = [*base, *other]
            values = [math.log(v) for v in values] if min(values) > 0 else values
            mean = statistics.fmean(values)
            values = [v - mean for v in values]
            total, free = sum(v * v for v in values), n + m - 2
            scores = []
            for side in sides_of(n, m, seed):
                between = sum([values[i] for i in side]) ** 2 * (1 / n + 1 / m)
                within = max(total - between, 0.0)
                if between <= ROUNDING * total:
                    scores.append(0.0)
                elif within <= ROUNDING * total:
                    scores.append(math.inf)
                else:  # Wallace, 1959: comparable between cells of few and of many runs
                    wide = (8 * free + 1) / (8 * free + 3)
                    scores.append(wide * math.sqrt(free * math.log1p(between / within)))
            group[name] = scores
    clear = {(at, name): s[0] for at, group in groups.items() for name, s in group.items()}
    clearest = {at: sorted(map(max, zip(*group.values()))) for at, group in groups.items()}
    found: list[dict[str, float]] = [{} for _ in pairs]
    chance = 0.0
    for at, name in sorted(clear, key=lambda k: -clear[k]):
        least = clear[at, name] - ROUNDING
        below = [bisect.bisect_left(c, least) / len(c) for c in clearest.values() if c]
        chance = max(chance, 1 - math.prod(below))
        found[at[0]][name] = chance
        del groups[at][name]
        clearest[at] = sorted(map(max, zip(*groups[at].values())))
    return found


@functools.lru_cache(maxsize=64)
def sides_of(n: int, m: int, seed: int) -> tuple[Sequence[int], ...]:
    """Positions of n of n + m runs, first as they are."""
    if math.comb(n + m, n) <= PERMUTED:
        return tuple(itertools.combinations(range(n + m), n))
    dice = random.Random(seed)
    return (range(n), *(dice.sample(range(n + m), n) for _ in range(PERMUTED)))


class Compared(NamedTuple):
    effect: Effect
    clear: bool  # it may be stated


def compared(
    pairs: Sequence[Mapping[str, Sides]], seed: int, most: float = 1
) -> list[dict[str, Compared]]:
    """Of each pair of cells the effects by name; one is clear if its interval and chances() say so.
    most: see is_rare()."""
    found: list[dict[str, Compared]] = []
    for pair, known in zip(pairs, chances(pairs, seed)):
        found.append({})
        for name, chance in known.items():
            one, n = effect(*pair[name], name, seed), min(map(len, pair[name]))
            sure = one.low is not None and one.high is not None and not one.low <= 1 <= one.high
            found[-1][name] = Compared(one, sure and is_rare(chance, n, most))
    return found


def is_rare(chance: float, n: int, most: float = 1) -> bool:
    """n: see confidence(); most: the most that it may be whatever n is."""
    return chance <= min(most, 1 - confidence(n) + ROUNDING)


# ---- which runs count ----------------------------------------------------------


def disturbed(row: Row, measure: Measure) -> str:
    """Why a run is no fair measurement, as one clause; "" if it is one."""
    others, steal, throttled = (row.get(k) for k in ("others_cpu_pct", "steal_pct", "throttled"))
    if others is not None and others > measure.disturbed_pct:
        return "other processes used %.*f %% of the CPUs" % (int(others < 20), others)
    if steal is not None and steal > measure.steal_pct:
        return "the hypervisor gave %.1f %% of the CPU time to others" % steal
    if throttled:
        times = "once" if throttled == 1 else "%d times" % throttled
        return "a CPU quota or heat throttled it " + times
    return ""


BUSY_BEFORE_PCT = 5.0  # of one CPU, as in sysbench's own report


def beside(row: Tree) -> str:
    """What else the server did during a run, as far as that is known; "" if nothing."""
    sessions, before = row.get("other_sessions"), row.get("busy_before_pct")
    if sessions:
        return "beside active sessions of others"
    # µs a transaction times transactions a second: of one CPU, 10,000 are 1 %
    used = (row.get("server_cpu_us_per_tx") or 0) * (row.get("tps") or 0) / 1e4
    if sessions is None and before and before >= max(BUSY_BEFORE_PCT, used / 4):
        return "at a server that was busy before"
    return ""


def lucky(values: Sequence[float], target: float | None = None) -> list[int]:
    """Positions of the values, more being better, that a repeat would hardly give again.

    With a target: those that reached it (within 1 %) while most of at least three did not.
    Without: those above the median by a modified z-score of more than 3.5, of at least five values
    (Iglewicz and Hoaglin).
    """
    if target is not None:
        reached = [i for i, v in enumerate(values) if v >= REACHED * target]
        return reached if len(values) >= 3 and 2 * len(reached) <= len(values) else []
    if len(values) < 5:
        return []
    middle = statistics.median(values)
    deviation = statistics.median(abs(v - middle) for v in values)
    return [i for i, v in enumerate(values) if 0.6745 * (v - middle) > OUTLIER * deviation > 0]


def eligible(rows: Sequence[Row], excluded: str = "latency") -> list[Row]:
    """The runs that are done and were not disturbed; if all were, those.  They decide whether a
    cell held its rate."""
    done = [r for r in rows if r["status"] == "done"]
    return [r for r in done if excluded == "none" or not r.get("disturbed")] or done


def counting(rows: Sequence[Row], excluded: str = "latency") -> tuple[list[Row], str]:
    """The runs of a cell whose latencies count, and what is wrong with it."""
    done = [r for r in rows if r["status"] == "done"]
    hit = [str(r["disturbed"]) for r in done if r.get("disturbed")]
    flags = _share(len(rows) - len(done), len(rows), "failed")
    flags += _share(len(hit), len(done), "disturbed (%s)" % reason(hit))
    for text, those in by(filter(beside, done), beside).items():
        flags += _share(len(those), len(done), text)
    kinds = by(eligible(rows, excluded), lambda row: row.get("sustained") or "")
    held, missed, others = (kinds.get(k, []) for k in ("yes", "no", ""))
    unknown = len(undecided(others))
    if missed:
        of = len(held) + len(missed)
        some = "%s of %d sustained" % (len(held) or "none", of)
        flags.append(some if of > 1 else "not sustained")
    # Did runs hold the rate where most of three or more did not?
    if lucky([1.0] * len(held) + [0.0] * len(missed), 1):
        flags[-1] += " (probably by chance)"
    flags += _share(unknown, len(held) + len(missed) + unknown, "without a verdict on the rate")
    if not held and not missed:
        rates = [float(r["tps"]) for r in others if number(r.get("tps"))]
        flags += _share(len(lucky(rates)), len(others), "far above the rest")
    found = (held if len(held) > len(missed) else missed) or others
    if excluded == "latency" and len(found) < LEAST:
        # One or two calm ones show nothing, and look better than a cell of which none was calm.
        found = alike(rows, found)
    return found, ", ".join(flags)


def alike(rows: Sequence[Row], found: Sequence[Row]) -> list[Row]:
    """All runs that have their verdict on the rate, also those that were disturbed."""
    kinds = {r.get("sustained") or "" for r in found}
    return [r for r in rows if r["status"] == "done" and (r.get("sustained") or "") in kinds]


def undecided(rows: Sequence[Row]) -> list[Row]:
    """Runs with a rate of which sysbench cannot say whether they held it."""
    return [r for r in rows if r.get("target_tps") and not r.get("sustained")]


def _share(n: int, of: int, what: str) -> list[str]:
    if not n or of == 1:
        return [what] * n
    return ["%s %s" % ("all" if n == of else "%d of %d" % (n, of), what)]


# ---- cells ---------------------------------------------------------------------


def summarise(exp: Experiment, plan: Plan, rows: Sequence[Row]) -> list[CellSummary]:
    """One summary per cell of the plan, in its order; cells without a run as well."""
    runs, m = by(rows, lambda row: row["cell"]), exp.measure
    found = [(c, labels.levels_text(c, exp.x), runs.get(c.number, [])) for c in plan.cells]
    return [summary_of(*one, m.seed, m.exclude_disturbed) for one in found]


def advised(exp: Experiment, row: Row) -> str:
    """What sysbench said of a run, without the advice to change what is varied."""
    why = str(row.get("why") or "")
    if any("load.threads" in level.changes for f in exp.factors for level in f.levels):
        why = re.sub(r";? ?\braise --threads(?=;|$)|\braise --threads(, or | or )", "", why)
    return why


def summary_of(
    cell: Cell, arm: str, rows: Sequence[Row], seed: int, excluded: str = "latency"
) -> CellSummary:
    """A cell from its runs.  Those that decide whether it held are those that could count."""
    # of other programs: in order
    rows = [{**row, "round": row.get("round") or i} for i, row in enumerate(rows, 1)]
    (calm, flag), judged = counting(rows, excluded), eligible(rows, excluded)
    # what a transaction costs, the disturbed ones know as well
    used = alike(rows, calm) if excluded == "latency" else calm
    found = spreads(calm, seed)
    if len(used) > len(calm):
        found.update((n, s) for n, s in spreads(used, seed).items() if COSTS.search(n))
    why = remarks(calm, "no") or remarks(undecided(calm), "")
    failures = [str(r["why"]) for r in rows if r["status"] == "failed" and r.get("why")]
    kinds = [r.get("sustained") for r in judged]
    hit = [str(r["disturbed"]) for r in judged if r.get("disturbed")]
    return CellSummary(
        cell=cell,
        arm=arm,
        runs=len(rows),
        counted=len(used),
        sustained=kinds.count("yes"),
        unsustained=kinds.count("no"),
        flag=flag if rows else "not run",
        figures=found,
        hints=remarks(calm, "yes"),
        why=reason(why or failures),
        undecided=len(undecided(judged)),
        disturbed=tuple(hit) if excluded == "all" else (),
        rounds={int(r["round"]): r for r in used},
    )


def remarks(rows: Sequence[Row], sustained: str) -> tuple[str, ...]:
    """What sysbench said of the runs with this verdict."""
    return tuple(str(r["why"]) for r in rows if r.get("sustained") == sustained and r.get("why"))


def kind_of(text: str, advice: bool = False) -> str:
    """What a text says, without its figures and, unless it counts as well, the advice."""
    said = text if advice else text.partition("; ")[0]
    return NUMBER.sub("#", as_shares(unnamed(said)))


def reason(texts: Sequence[str]) -> str:
    """What the texts say, with the ranges of their figures, and how many say it if they differ."""
    kinds, runs = reasons(texts), len(texts)
    if len(kinds) < 2:
        return "".join(text for _, text in kinds)
    return "; ".join("%d of %d runs: %s" % (n, runs, text) for n, text in kinds)


def reasons(texts: Sequence[str]) -> list[tuple[int, str]]:
    """All that they say, the most frequent first: how many say it, with the ranges."""
    kinds = sorted(by(texts, kind_of).values(), key=len, reverse=True)
    return [(len(said), merged(said)) for said in kinds]


def merged(texts: Sequence[str]) -> str:
    """Texts of one kind as one, with the ranges of their figures, and the advice that all give."""
    parts = [by(t.split("; "), kind_of) for t in texts]
    shared = [kind for kind in parts[0] if all(kind in p for p in parts)]
    return "; ".join(ranges([p[kind][0] for p in parts]) for kind in shared)


def ranges(texts: Sequence[str]) -> str:
    """Texts of one kind as one: "limit about 184 to 634/s".  Ends of a range take the outermost:
    "between second 0.0 and 1.1", "up to 13".  Of "2 of 2" and "5 of 5" it is "all of 2 to 5", of
    "1 of 2" and "4 of 5" it is "50 to 80%"."""
    if len(set(texts)) == 1:
        return texts[0]
    alike = [EACH.sub(r"all of \1", t) for t in map(unnamed, texts)]
    totals = {(NUMBER.sub("#", t), *(m[2] for m in SHARE.finditer(t))) for t in alike}
    if len(totals) > 1:  # "1 of 2" in one, "1 of 3" in another
        alike = list(map(as_shares, alike))
    places = iter([[t.split(" to ") for t in n] for n in zip(*map(NUMBER.findall, alike))])

    def shown(found: re.Match[str]) -> str:
        ends = next(places)
        known = sorted(itertools.chain(*ends), key=value_of)
        before, least, most = alike[0][: found.start()], known[0], known[-1]
        if max(map(len, ends)) == 1 and FIRST.search(before):
            return least
        if LAST.search(before):
            return most
        return least if least == most else "%s to %s" % (least, most)

    text = NUMBER.sub(shown, alike[0])
    text = EVERY.sub(lambda m: m[0] if " to " in m[1] else "%s of %s" % (m[1], m[1]), text)
    return re.sub(r"(?<!to )\b1 times", "once", text)


def value_of(number: str) -> float:
    return float(number.replace(",", ""))


def unnamed(text: str) -> str:
    """Without the numbers of sessions, and "once" as a number."""
    return re.sub(r" \(\)", "", WHO.sub("", re.sub(r"\bonce\b", "1 times", text)))


def as_shares(text: str) -> str:
    """Of "1 of 2 transactions failed" it is "50% of transactions", of "1 of 2 failed" "50%"."""

    def share(found: re.Match[str]) -> str:
        both = (found[1], found[2]) if found[1] else ("1", "1")  # all of it
        parts, wholes = (list(map(value_of, part.split(" to "))) for part in both)
        low, high = 100 * parts[0] / max(wholes[-1], 1), 100 * parts[-1] / max(wholes[0], 1)
        ends = dict.fromkeys("%.0f" % end for end in (low, min(high, 100)))
        verb = re.match(r" (?:\w+ed|were|had)\b", text[found.end() :])
        return "%s%%%s" % (" to ".join(ends), "" if verb else " of")

    return SHARE.sub(share, text)


def spreads(rows: Sequence[Row], seed: int) -> dict[str, Spread]:
    """By figure; a figure that no run has is absent."""
    names = dict.fromkeys(k for row in rows for k in row if is_figure(k))
    values = {n: [float(row[n]) for row in rows if number(row.get(n))] for n in names}
    return {n: spread(v, seed) for n, v in values.items() if v}


def is_figure(name: str) -> bool:
    return name in figures.COLUMNS or bool(figures.PERCENTILE.match(name))


def number(value: Any) -> bool:
    """A figure that counts: neither n/a nor, in a file that others wrote, nan."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


# ---- stages of a rate that changes -----------------------------------------------


@dataclasses.dataclass(frozen=True)
class Stage:
    """A stage of a cell.  `judged` runs offered something in it; `held` of them sustained it."""

    number: int
    text: str  # as in --tx-rate: 500-2000:5m
    begin_s: float  # as planned
    runs: int
    held: int
    judged: int
    why: str  # of the runs that did not sustain it
    figures: Mapping[str, Spread]

    @property
    def sustained(self) -> bool:
        """As of a cell: most runs sustained it, or nothing was due."""
        return not self.judged or 2 * self.held > self.judged


def merged_stages(reports: Iterable[Tree], seed: int) -> list[Stage]:
    """By number; empty if the rate does not change."""
    stages = (stage for report in reports for stage in report.get("stages") or [])
    by_number = by(stages, lambda stage: int(stage["number"]))
    merged = []
    for number, found in sorted(by_number.items()):
        judged = [s for s in found if s["sustained"] is not None]
        held = sum(bool(s["sustained"]) for s in judged)
        why = reason([str(s["why"]) for s in judged if not s["sustained"] and s["why"]])
        spread_of = spreads([figures.of_section(s["figures"]) for s in found], seed)
        text, begin = str(found[0]["text"]), float(found[0]["planned_begin_s"])
        merged.append(Stage(number, text, begin, len(found), held, len(judged), why, spread_of))
    return merged


def stage_name(stage: Stage) -> str:
    """On an axis: "2: 500-2000:5m"."""
    return "%d: %s" % (stage.number, stage.text)
