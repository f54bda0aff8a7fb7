# SPDX-License-Identifier: GPL-2.0-or-later
"""The outages that a run reports, as moments in the order of time, for pictures and page.

    for outage in outages.of_run(report, line):
        outage.moments    first error, first success, connections back, transactions in time
        outage.window     from a while before to a while after: what a picture of it shows

Times are seconds since measuring began.  A moment that did not come before the end of the run is
not among them; `missing` says which, in a sentence.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from ..plan import labels
from .series import Mark, Report, Span, Timeline

LEAST_S = 3.0  # that a picture shows before and after
SHARE = 0.5  # of the outage, likewise
COUNTS = ("offered", "done", "failed", "dropped", "late")

# A moment, its words, and those for a run that ended before it.
MOMENTS = (
    ("success_after_s", "first success", "no transaction succeeded"),
    ("connected_after_s", "lost connections are back", "not all connections came back"),
    ("in_time_after_s", "transactions begin in time", "the backlog was not drained"),
)


class Outage(NamedTuple):
    span: Span
    moments: list[Mark]  # in the order of time
    meanwhile: str  # the accounts
    missing: str  # what did not come
    window: Span


def of_run(report: Report, line: Timeline) -> list[Outage]:
    """Those that the summary lists, in the order of time."""
    found = ((report.get("summary") or {}).get("outages") or {}).get("list") or []
    return [one(o, line) for o in found]


def one(found: Mapping[str, Any], line: Timeline) -> Outage:
    begin, last = float(found["first_error_s"]), line.seconds[-1]
    over = found["over_after_s"]
    end = max(last, begin) if over is None else begin + float(over)
    room = max(LEAST_S, (end - begin) * SHARE)
    return Outage(
        Span(begin, end),
        moments(found),
        meanwhile(found),
        "" if over is not None else missing(found),
        Span(max(0.0, begin - room), min(max(last, end), end + room)),
    )


def moments(found: Mapping[str, Any]) -> list[Mark]:
    """First error, then what is known to have come, with how long it took."""
    begin = float(found["first_error_s"])
    marks = [Mark(begin, "first error")]
    for name, words, _ in MOMENTS:
        after = found[name]
        if after is not None:
            text = "%s, %s s after the first error" % (words, labels.short(float(after)))
            marks.append(Mark(begin + float(after), text))
    return sorted(marks, key=lambda m: m.at_s)


def meanwhile(found: Mapping[str, Any]) -> str:
    """The accounts from the first error until it was over; a count that is n/a is left out."""
    counts = ["{:,} {}".format(found[n], n) for n in COUNTS if found[n] is not None]
    errors = "{:,} error{}".format(found["errors"], "" if found["errors"] == 1 else "s")
    lost = found["connections_lost"]
    connections = "{:,} connection{} lost".format(lost, "" if lost == 1 else "s")
    return "%s; %s, %s" % (", ".join(counts), errors, connections)


def missing(found: Mapping[str, Any]) -> str:
    """Why it was not over when the run ended."""
    lacks = [
        words
        for name, _, words in MOMENTS
        if found[name] is None and expected(name, found)
    ]  # fmt: skip
    return "At the end of the run it was not over: %s." % (" and ".join(lacks) or "errors went on")


def expected(name: str, found: Mapping[str, Any]) -> bool:
    """Without a rate nothing is late, and without a lost connection none comes back."""
    if name == "in_time_after_s":
        return found["offered"] is not None
    return name != "connected_after_s" or bool(found["connections_lost"])
