# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines: what the runs did second by second, a picture a level of the numeric factor.

Panels show throughput, the 95th and 99th percentile of the response time and the server's CPU; of
runs with errors, lost connections or late starts, these too.  A thin line is a run, its colour the
arm; each interval is a step.  Marks are numbered lines whose texts stand below the panels; what
lies between two marks (a phase) is shaded in turn, and so are the stages of a rate that changes,
with their names above the first panel.  An outage, as series.py defines it, is hatched in the
colour of its arm.
"""

from typing import Any, NamedTuple, Sequence

from ..plan import found_rate, labels
from ..plan.model import CellSummary, Row
from ..results import figures, series
from ..statistics.results import Results
from . import style
from .style import Drawing, Entries

FIGURES = ("tps", "response_p95_ms", "response_p99_ms", "server_cpu_pct")
EVENTS = ("errors_per_s", "connections_away")  # panels of runs in which there were any
LATE_SHARE = 0.01  # of what was done; from there on the lag has a panel
LETTER = 0.066  # inches, of the name of a stage


class Run(NamedTuple):
    arm: int
    name: str
    line: series.Timeline
    searched: bool = False  # for the highest rate: its stages are steps


def draw(results: Results) -> list[Drawing]:
    def runs_of(s: CellSummary) -> list[Run]:
        lines, arm = map(series.lines_of, results.reports(s)), arms.index(s.arm)
        return [Run(arm, s.arm, line, found_rate.searched(s)) for line in lines if line]

    arms, found = labels.arm_names(results.summaries), []
    some = [file for _, file, _ in style.by_level(results, lambda s: s)]
    for words, file, cells in style.by_level(results, runs_of, most=10_000):
        runs = [run for _, _, of_cell in cells for run in of_cell]
        # Those of all runs; the same text within a second is one mark.
        marks: list[series.Mark] = []
        for mark in sorted(m for run in runs for m in run.line.marks):
            if not any(m.text == mark.text and mark.at_s - m.at_s <= 1 for m in marks):
                marks.append(mark)
        if not marks and file not in some:
            continue
        title = "Over time" + words
        names = [n for n in FIGURES if any(has(run.line, n) for run in runs)]
        names += [n for n in EVENTS if any(any(run.line.figures[n]) for run in runs)]
        names += ["lag_p99_ms"] if any(late(run.line) for run in runs) else []
        figure, axes = style.panels(title, [figures.headed(n) for n in names], 1.55)
        for ax, name in zip(axes, names):
            panel(ax, name, runs)
            backdrop(ax, marks, runs, ax is axes[0])
        style.seconds(axes[-1], max(run.line.seconds[-1] for run in runs))
        target(axes[0], runs)
        stages(axes, runs)
        style.key(figure, key(results, runs, marks))
        found.append(Drawing("timeline" + file, title, alt(title, runs, marks), figure))
    return found


def has(line: series.Timeline, name: str) -> bool:
    return any(v is not None for v in line.figures[name])


def late(line: series.Timeline) -> bool:
    """Whether lateness is worth a panel: the server was away, or many starts were late."""
    counts = [sum(v or 0 for v in line.figures[n]) for n in ("late_per_s", "tps")]
    return has(line, "lag_p99_ms") and (bool(line.away) or counts[0] > LATE_SHARE * counts[1])


def panel(ax: Any, name: str, runs: Sequence[Run]) -> None:
    for run in runs:
        ax.plot(
            *outline(run.line, name), color=style.colour(run.arm), linewidth=1.1, alpha=0.85,
            drawstyle="steps-pre", gid="run-%d" % run.arm,
        )  # fmt: skip
    values = [v for run in runs for v in run.line.figures[name] if v is not None]
    style.plain_y(ax, values, name.endswith("_ms"))


def target(ax: Any, runs: Sequence[Run]) -> None:
    """The rate that was asked for, if it is one for all; one that changes is that of each run."""
    asked = {run.line.target_tps for run in runs}
    rate = asked.pop() if len(asked) == 1 else None
    dotted = {"color": "black", "linewidth": 0.9, "linestyle": ":", "gid": "target"}
    if rate:
        ax.axhline(rate, **dotted)
    for run in () if rate else runs:
        if has(run.line, "target_tps"):
            ax.plot(*outline(run.line, "target_tps"), drawstyle="steps-pre", **dotted)
    rates = [v for run in runs for v in run.line.figures["target_tps"] if v is not None]
    ax.set_ylim(top=max([ax.get_ylim()[1], *(v * 1.12 for v in ([rate] if rate else rates))]))


def outline(line: series.Timeline, name: str) -> tuple[list[float], list[float]]:
    """For steps: a value holds from the beginning of its interval to its end."""
    ys = [float("nan") if v is None else v for v in line.figures[name]]
    return [line.seconds[0] - line.lengths[0], *line.seconds], [ys[0], *ys]


def stages(axes: Sequence[Any], runs: Sequence[Run]) -> None:
    """Every other stage shaded, if all runs have the same; names where there is room for them."""
    found = shared_stages(runs)
    span = max(run.line.seconds[-1] for run in runs)
    room = span * LETTER / (style.WIDTH - 0.7)  # seconds that a letter takes
    for number, stage in enumerate(found, 1):
        for ax in axes if number % 2 == 0 else ():
            ax.axvspan(stage.begin_s, stage.end_s, color="#000000", alpha=0.06, linewidth=0)
        letters = (stage.end_s - stage.begin_s) / room
        text = next((t for t in (stage.text, "%d" % number) if len(t) < letters), "")
        middle = (stage.begin_s + stage.end_s) / 2
        axes[0].annotate(
            text, (middle, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=8,
            color=style.GREY if stage.held is not False else style.COLOURS[1],
        )  # fmt: skip
    if found:
        axes[0].set_title(axes[0].get_title(loc="left"), loc="left", fontsize=9.5, pad=16)


def searched(runs: Sequence[Run]) -> bool:
    return any(run.searched for run in runs)


def shared_stages(runs: Sequence[Run]) -> list[series.Stage]:
    """Those of the first run, if all have the same; searches have steps of their own."""
    texts = {tuple(s.text for s in run.line.stages) for run in runs}
    return runs[0].line.stages if len(texts) == 1 else []


def backdrop(ax: Any, marks: Sequence[series.Mark], runs: Sequence[Run], numbered: bool) -> None:
    """Phases, outages and marks behind and before the lines."""
    phases = max((run.line.phases for run in runs), key=len)
    for i, phase in enumerate(phases):
        if i % 2:
            ax.axvspan(phase.begin_s, phase.end_s, color="#000000", alpha=0.06, linewidth=0)
    for run in runs:
        for out in run.line.outages:
            ax.axvspan(
                out.begin_s, out.end_s, facecolor="none", hatch="////", linewidth=0, alpha=0.35,
                edgecolor=style.colour(run.arm), gid="outage-%d" % run.arm,
            )  # fmt: skip
    for mark in marks:
        ax.axvline(mark.at_s, color="black", linewidth=0.9, linestyle="--", gid="mark")
    if numbered:
        number(ax, marks, max(run.line.seconds[-1] for run in runs))


def number(ax: Any, marks: Sequence[series.Mark], span: float) -> None:
    for at_s, text in numbers(marks, span):
        ax.annotate(
            text, (at_s, 0.97), xycoords=("data", "axes fraction"), va="top", ha="center",
            fontsize=8, bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "linewidth": 0.8},
        )  # fmt: skip


def numbers(marks: Sequence[series.Mark], span: float) -> list[tuple[float, str]]:
    """Where the numbers of marks stand; those too close to have one each share it: "1-2"."""
    found: list[tuple[float, int, int]] = []
    for i, mark in enumerate(marks, 1):
        if found and mark.at_s - found[-1][0] < span / 20:
            found[-1] = (*found[-1][:2], i)
        else:
            found.append((mark.at_s, i, i))
    return [(at, "%d" % a if a == b else "%d-%d" % (a, b)) for at, a, b in found]


def key(results: Results, runs: Sequence[Run], marks: Sequence[series.Mark]) -> Entries:

    arms = labels.arm_names(results.summaries)
    entries: Entries = [
        style.line_key(arm, color=style.colour(i))
        for i, arm in enumerate(arms)
        if arm and any(run.arm == i for run in runs)
    ]
    if any(has(run.line, "target_tps") for run in runs):
        what = "offered" if searched(runs) else "target rate"
        entries.append(style.line_key(what, color="black", linestyle=":"))
    if any(run.line.outages for run in runs):
        what = "outage, or under %g %% of the run's median" % (100 * series.OUTAGE_SHARE)
        look = {"facecolor": "none", "edgecolor": style.GREY, "hatch": "////", "linewidth": 0}
        entries.append(style.patch_key(what, **look))
    grey = {"facecolor": "#000000", "alpha": 0.06, "linewidth": 0}
    if any(len(run.line.phases) > 1 for run in runs):
        what = "every other phase: whole intervals between marks"
        entries.append(style.patch_key(what, **grey))
    elif shared_stages(runs):
        what = "step of the search" if searched(runs) else "stage"
        entries.append(style.patch_key("every other " + what, **grey))
        if any(stage.held is False for stage in shared_stages(runs)):
            entries.append(style.blank_key("orange name: not sustained"))
    for number, mark in enumerate(marks, 1):
        text = "%d: %s s, " % (number, labels.short(mark.at_s))
        entries.append(style.blank_key(text + shortened(mark.text, 56 - len(text))))
    return entries


def shortened(text: str, most: int) -> str:
    """How it begins and how it ends: what a command changes stands behind its options."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = text[: most // 3].rpartition(" ")[0] or text[: most // 3]
    tail = text[len(text) - (most - len(head) - 3) :]
    return head + " … " + (tail.partition(" ")[2] or tail)


def alt(title: str, runs: Sequence[Run], marks: Sequence[series.Mark]) -> str:
    parts = [title + ": throughput, response time and server CPU of %d runs." % len(runs)]
    parts += ["Mark at %s s: %s." % (labels.short(m.at_s), m.text) for m in marks]
    spans = [(s.text, *map(labels.short, s[:2])) for s in shared_stages(runs)]
    parts += ["Stage %s from %s to %s s." % span for span in spans]
    for run in runs:
        for out in run.line.outages:
            times = tuple(map(labels.short, out))
            parts.append("%s: outage from %s to %s s." % (run.name or "one run", *times))
    return " ".join(parts)


# ---- Outages: from a while before the first error until the load was as before, a picture each

# Panels show what was offered, done and failed per second, the connections that were lost and are
# not back, and how late transactions were.  Numbered lines are the moments that the run reports:
# first error, success again, connections back, transactions in time.


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
HEADS = ("Transactions and errors, 1/s", "Connections away", "Lateness, ms")

GAUGES = ("connections_away", "oldest_ms")  # read where an interval ends; all else is of all of it

Lines = Sequence[tuple[str, str, dict[str, Any]]]


class Case(NamedTuple):
    row: Row
    where: str  # its cell, in words
    number: int  # among the outages of its run
    outage: series.Outage
    line: series.Timeline


def draw_outages(results: Results) -> list[Drawing]:
    """The longest ones, in the order of the runs."""
    found = [c for c in cases(results) if shown(c)]
    by_length = sorted(found, key=lambda c: c.outage.span.begin_s - c.outage.span.end_s)
    kept = {id(c) for c in by_length[:MOST]}
    return [outage_picture(c) for c in found if id(c) in kept]


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


def outage_picture(case: Case) -> Drawing:
    outage, found = case.outage, shown(case)
    title = "Outage at %s s, run %s" % (labels.short(outage.span.begin_s), case.row["run"])
    figure, axes = style.panels(title, [head for head, _ in found], 1.55)
    for ax, (_, parts) in zip(axes, found):
        for name, _, look in parts:
            kind = "default" if name in GAUGES else "steps-pre"
            xs, ys = outline(case.line, name)
            ax.plot(xs, ys, drawstyle=kind, linewidth=1.3, gid=name, **look)
        ax.axvspan(*outage.span, color="#000000", alpha=0.06, linewidth=0, gid="outage")
        for mark in outage.moments:
            ax.axvline(mark.at_s, color="black", linewidth=0.9, linestyle="--", gid="moment")
        style.plain_y(ax, [v for name, _, _ in parts for v in inside(case, name)], False)
    window = outage.window
    style.seconds(axes[-1], window.end_s)
    axes[-1].set_xlim(window)
    number(axes[0], outage.moments, window.end_s - window.begin_s)
    moments = [(labels.short(m.at_s), m.text) for m in outage.moments]
    keys = [style.line_key(words, **look) for _, p in found for _, words, look in p if words]
    keys += [style.blank_key("%d: %s s, %s" % (n, *m)) for n, m in enumerate(moments, 1)]
    style.key(figure, keys + [style.blank_key(outage.missing)] * bool(outage.missing))
    name = "outage-run-%s" % case.row["run"] + ("-%d" % case.number if case.number > 1 else "")
    words = [title + ", %s." % case.where, *("At %s s: %s." % m for m in moments)]
    words += ["Meanwhile: %s." % outage.meanwhile, outage.missing]
    return Drawing(name, title, " ".join(words).strip(), figure)


def shown(case: Case) -> list[tuple[str, Lines]]:
    """The panels of which something is seen, with what the run has of each."""
    return [
        (head, [p for p in parts if any(v is not None and v > 0 for v in case.line.figures[p[0]])])
        for head, parts in zip(HEADS, (RATES, AWAY, LATENESS))
        if any(v > 0 for name, _, _ in parts for v in inside(case, name))
    ]


def inside(case: Case, name: str) -> list[float]:
    """The values that the picture shows."""
    window, line = case.outage.window, case.line
    ends = zip(line.seconds, line.lengths, line.figures[name])
    return [
        v for end, length, v in ends
        if v is not None and end > window.begin_s and end - length < window.end_s
    ]  # fmt: skip
