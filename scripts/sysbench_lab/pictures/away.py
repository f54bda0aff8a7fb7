# SPDX-License-Identifier: GPL-2.0-or-later
"""Outages: from a while before the first error until the load was as before, a picture each.

Panels show what was offered, done and failed per second, the connections that were lost and are not
back, and how late transactions were.  Numbered lines are the moments that the run reports: first
error, first success, connections back, transactions in time.
"""

from typing import Any, NamedTuple, Sequence

from matplotlib.lines import Line2D

from ..plan import labels
from ..plan.model import Row
from ..results import series
from ..statistics.results import Results
from . import overtime, style
from .style import Drawing, Entries

MOST = 6  # pictures; the longest outages have them
RATES = (
    ("offered_tps", "offered", {"color": "black", "linestyle": ":"}),
    ("tps", "done", {"color": style.COLOURS[0]}),
    ("errors_per_s", "errors", {"color": style.COLOURS[1]}),
)
LATENESS = (
    ("oldest_ms", "oldest start that is not done", {"color": style.COLOURS[4]}),
    ("lag_p99_ms", "lag of what was done, 99th percentile", {"color": style.COLOURS[2]}),
)
AWAY = (("connections_away", "", {"color": style.COLOURS[3]}),)
PANELS = (
    ("Transactions and errors, 1/s", RATES),
    ("Connections away", AWAY),
    ("Lateness, ms", LATENESS),
)

GAUGES = ("connections_away", "oldest_ms")  # read where an interval ends; all else is of all of it

Lines = Sequence[tuple[str, str, dict[str, Any]]]


class Case(NamedTuple):
    row: Row
    where: str  # its cell, in words
    number: int  # among the outages of its run
    outage: series.Outage
    line: series.Timeline


def draw(results: Results) -> list[Drawing]:
    return [picture(case) for case in longest([c for c in cases(results) if shown(c)])]


def cases(results: Results) -> list[Case]:
    found = []
    for row in results.rows:
        report = results.report(row) or {}
        line = series.lines_of(report)
        where = labels.cell_text(results.cell_of(row))
        for number, outage in enumerate(series.outages_of(report, line) if line else (), 1):
            assert line
            found.append(Case(row, where, number, outage, line))
    return found


def longest(found: Sequence[Case]) -> list[Case]:
    """The longest ones, in the order of the runs."""
    by_length = sorted(found, key=lambda c: c.outage.span.begin_s - c.outage.span.end_s)
    kept = {id(c) for c in by_length[:MOST]}
    return [c for c in found if id(c) in kept]


def picture(case: Case) -> Drawing:
    title = "Outage at %s s, run %s" % (labels.short(case.outage.span.begin_s), case.row["run"])
    found = shown(case)
    figure, axes = style.panels(title, len(found), 1.55)
    for ax, (head, parts) in zip(axes, found):
        style.head(ax, head)
        panel(ax, case, parts)
    window = case.outage.window
    style.seconds(axes[-1], window.end_s)
    axes[-1].set_xlim(window)
    overtime.number(axes[0], case.outage.moments, window.end_s - window.begin_s)
    style.key(figure, key(case, [parts for _, parts in found]))
    name = "outage-%s" % case.row["run"] + ("-%d" % case.number if case.number > 1 else "")
    return Drawing(name, title, alt(title, case), figure)


def shown(case: Case) -> list[tuple[str, Lines]]:
    """The panels of which something is seen, with what the run has of each."""
    return [
        (head, [p for p in parts if any(v is not None and v > 0 for v in case.line.figures[p[0]])])
        for head, parts in PANELS
        if any(v > 0 for name, _, _ in parts for v in inside(case, name))
    ]


def panel(ax: Any, case: Case, parts: Lines) -> None:
    values: list[float] = []
    for name, _, look in parts:
        kind = "default" if name in GAUGES else "steps-pre"
        xs, ys = overtime.outline(case.line, name)
        ax.plot(xs, ys, drawstyle=kind, linewidth=1.3, gid=name, **look)
        values += inside(case, name)
    ax.axvspan(*case.outage.span, color="#000000", alpha=0.06, linewidth=0, gid="outage")
    for mark in case.outage.moments:
        ax.axvline(mark.at_s, color="black", linewidth=0.9, linestyle="--", gid="moment")
    style.plain_y(ax, values, False)


def inside(case: Case, name: str) -> list[float]:
    """The values that the picture shows."""
    window, line = case.outage.window, case.line
    ends = zip(line.seconds, line.lengths, line.figures[name])
    return [
        v for end, length, v in ends
        if v is not None and end > window.begin_s and end - length < window.end_s
    ]  # fmt: skip


def key(case: Case, panels: Sequence[Lines]) -> Entries:

    entries = [(Line2D([], [], **look), words) for p in panels for _, words, look in p if words]
    for number, mark in enumerate(case.outage.moments, 1):
        what = number, labels.short(mark.at_s), mark.text
        entries.append(style.blank_key("%d: %s s, %s" % what))
    if case.outage.missing:
        entries.append(style.blank_key(case.outage.missing))
    return entries


def alt(title: str, case: Case) -> str:
    moments = ["At %s s: %s." % (labels.short(m.at_s), m.text) for m in case.outage.moments]
    parts = [title + ", %s." % case.where, *moments, "Meanwhile: %s." % case.outage.meanwhile]
    return " ".join([*parts, case.outage.missing]).strip()
