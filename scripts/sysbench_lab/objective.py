# SPDX-License-Identifier: GPL-2.0-or-later
"""What a server has to hold to pass: "p99<20ms and errors<1%".

    bounds = parse("p99<20ms,errors<1%")
    unmet(bounds, row)  ->  "p99 is 31.2 ms, not below 20 ms"    or ""

p99, mean and max are those of the response time (from the planned start); "service p99" and
"lag p99" name the others.  As in --tx-find, lag alone is its p99, avg is mean, and cpu the
server's.  errors is the share of transactions that failed, were dropped, or met an ignored error,
of those that were due.  "server cpu<50%" is of all CPUs.  Every bound has to hold, and the rate has
to be sustained.  A figure that a run lacks holds no bound.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence

from . import LabError
from .model import Row

MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
TIME = re.compile(
    r"(?:(response|service|lag)[ _-])?(p(?!0+(?:\.0+)?\s*<)\d{1,2}(?:\.\d+)?|avg|mean|max)"
    r"\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s)"
)
SHARE = re.compile(r"(errors|(?:(?:server|client)[ _-])?cpu)\s*(<=?)\s*(\d+(?:\.\d+)?)\s*%")
REPORTED = {"50", "95", "99"}  # percentiles that every report has


class Bound(NamedTuple):
    """`figure` is a column of runs.csv, or errors_pct."""

    figure: str
    below: bool  # <, not <=
    limit: float


def parse(text: str) -> list[Bound]:
    """The bounds of an objective; none for ""."""
    terms = re.split(r"\s+and\s+|\s*,\s*", text.strip()) if text.strip() else []
    return [parse_term(t, text) for t in terms]


def parse_term(term: str, whole: str) -> Bound:
    m = TIME.fullmatch(re.sub(r"^lag(?=\s*<)", "lag p99", term))
    if m:
        figure = "%s_%s_ms" % (m.group(1) or "response", point(m.group(2)))
        return Bound(figure, m.group(3) == "<", float(m.group(4)) * MS[m.group(5)])
    m = SHARE.fullmatch(term)
    if m:
        name = "server_cpu" if m.group(1) == "cpu" else m.group(1)
        figure = re.sub("[ -]", "_", name) + "_pct"
        return Bound(figure, m.group(2) == "<", float(m.group(3)))
    raise LabError(
        "the objective '%s' takes bounds such as 'p99<20ms' or 'p95<5ms and errors<1%%'" % whole
    )


def point(name: str) -> str:
    """The part of a figure's name: p99.90 is p99_9, as a report has it."""
    if not re.match(r"p\d", name):
        return "mean" if name == "avg" else name
    return "p" + ("%.12g" % float(name[1:])).replace(".", "_")


def shown(figure: str, value: float) -> str:
    """A figure as an objective spells it: "p99 18.2 ms", "lag p99.9 1 ms", "errors 0.1 %"."""
    name, unit = named(figure)
    return "%s %.4g %s" % (name, value, unit)


def named(figure: str) -> tuple[str, str]:
    """Its name there, and its unit."""
    name, _, unit = figure.removeprefix("response_").rpartition("_")
    return re.sub(r"(?<=\d)_(?=\d)", ".", name).replace("_", " "), {"pct": "%"}.get(unit, unit)


def percentiles(bounds: Sequence[Bound]) -> list[str]:
    """Ranks that sysbench has to be asked for: ["99.9"]."""
    found = [re.search(r"_p(\d+(?:_\d+)?)_ms$", b.figure) for b in bounds]
    ranks = [m.group(1).replace("_", ".") for m in found if m]
    return sorted(set(ranks) - REPORTED, key=float)


def value_of(figure: str, row: Row) -> float | None:
    if figure != "errors_pct":
        return row.get(figure)
    bad = [row.get(name) or 0 for name in ("failed", "dropped", "errors")]
    due = row.get("offered") or (row.get("done") or 0) + bad[0]
    return 100.0 * sum(bad) / due if due else None


def unmet(bounds: Sequence[Bound], row: Row) -> str:
    """Why a run does not pass, as one clause; "" if it does."""
    if row.get("sustained") == "no":
        reason = str(row.get("why") or "").partition("; ")[0]  # without what to do about it
        return "the rate was not sustained" + (": " + reason if reason else "")
    if row.get("target_tps") and row.get("sustained") != "yes":
        return "whether the rate was sustained is unknown"
    for bound in bounds:
        value, (name, unit) = value_of(bound.figure, row), named(bound.figure)
        name += " are" if name == "errors" else " is"
        if value is None:
            return name + " n/a"
        if value > bound.limit or (bound.below and value == bound.limit):
            word = "below" if bound.below else "at most"
            return "%s %.4g %s, not %s %.4g %s" % (name, value, unit, word, bound.limit, unit)
    return ""
