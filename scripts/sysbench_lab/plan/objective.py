# SPDX-License-Identifier: GPL-2.0-or-later
"""What a server has to hold in a search: "p99<20ms and errors<1%", in the words of --tx-find.

    parse("p99<20ms,server cpu<50%")  ->  [Bound("response_p99_ms", True, 20), Bound(...)]

p99, mean and max are those of the response time (from the planned start); "service p99" and
"lag p99" name the others.  lag alone is its p99, avg is mean, and cpu the server's.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .. import LabError

MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
TIME = re.compile(
    r"(?:(response|service|lag)[ _-])?(p(?!0+(?:\.0+)?\s*<)\d{1,2}(?:\.\d+)?|avg|mean|max)"
    r"\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s)"
)
SHARE = re.compile(
    r"(errors|(?:(?:server|client)[ _-])?cpu(?=.*%))\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(?:%|/s)"
)


class Bound(NamedTuple):
    """`figure` is a column of runs.csv, errors_pct or errors_per_s."""

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
        figure = re.sub("[ -]", "_", name) + ("_per_s" if term.endswith("/s") else "_pct")
        return Bound(figure, m.group(2) == "<", float(m.group(3)))
    raise LabError(
        "the objective '%s' takes bounds such as 'p99<20ms' or 'p95<5ms and errors<1%%'" % whole
    )


def point(name: str) -> str:
    """The part of a figure's name: p99.90 is p99_9, as a report has it."""
    if not re.match(r"p\d", name):
        return "mean" if name == "avg" else name
    return "p" + ("%.12g" % float(name[1:])).replace(".", "_")
