# SPDX-License-Identifier: GPL-2.0-or-later
"""A chart of charts/ becomes a picture: its panels below each other, a legend, and it in words.

Single runs are not drawn.  Bars, boxes and lines are told apart by what a spec is: stacked bars,
points of categories beside each other (rows, with their names at the left, if these are arms), or
lines.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any, Sequence

from matplotlib import ticker
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..charts import DASHED, PLANNED, Chart, Spec, is_wide, points_of
from ..charts.places import ALL
from ..plan import labels
from ..plan.model import by
from ..results import figures
from ..statistics import stats
from . import style
from .style import Drawing

HEIGHTS = {"change": 1.35, "timeline": 1.55, "outages": 1.55, "stages": 1.6, "search": 1.8}
ROW, PART_ROW = 0.3, 0.13  # inches, of an arm and of a bar of a part
ROOM = 0.8  # of the distance between places, for their bars
LEAST_PCT = 1.0  # to both sides of nothing: less fills no panel
RANKS = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
LETTER = 0.066  # inches, of the name of a stage
PALE_GREY = "#B5B5B5"
NOTES: dict[str, dict[str, Any]] = {
    "": {"linestyle": ""},
    "range": {"color": "black", "marker": "|", "markersize": 11, "linestyle": ""},
    "dotted": {"color": style.GREY, "linestyle": ":"},
    "dashed": {"color": style.GREY, "linestyle": "--"},
}
SHADE: dict[str, Any] = {"facecolor": "#000000", "alpha": 0.06, "linewidth": 0}
AWAY: dict[str, Any] = {"facecolor": style.COLOURS[1], "alpha": 0.2, "linewidth": 0}
GAP: dict[str, Any] = {"facecolor": "none", "edgecolor": PALE_GREY, "hatch": "///", "linewidth": 0}
PATCHES = {"shade": SHADE, "away": AWAY, "gap": GAP}


def draw(chart: Chart) -> Drawing:
    across = chart.kind in ("arms", "parts")
    height = HEIGHTS.get(chart.kind, 1.75)
    if across:
        rows = len(chart.panels[0]["x"]["values"])
        bars = len({s["stack"] for s in chart.panels[0]["series"] if chart.kind == "parts"})
        height = 0.5 + rows * (max(PART_ROW * bars, 0.24) / ROOM if bars else ROW)
    alone = 2.9 if chart.kind in ("curves", "percentiles", "search") else 0
    heads = [p["head"] for p in chart.panels]
    figure, axes = style.panels(chart.title, heads, height, alone, share_x=not across)
    for ax, p in zip(axes, chart.panels):
        panel(ax, p, across)
        if ax is not axes[-1] and not across:
            ax.set_xlabel("")
    if chart.listed and chart.kind == "stages":
        texts = ["%d\u00a0=\u00a0%s" % pair for pair in enumerate(chart.listed, 1)]
        more: dict[str, Any] = {"break_on_hyphens": False, "max_lines": 4, "placeholder": " …"}
        axes[-1].set_xlabel("\n".join(textwrap.wrap("stage: " + ", ".join(texts), 60, **more)))
    style.key(figure, legend(chart))
    return Drawing(chart.name, chart.title, chart.alt or in_words(chart), figure)


def drawn(p: Spec) -> list[Spec]:
    return [s for s in p["series"] if not s.get("faint") or s.get("alone")]


def panel(ax: Any, p: Spec, across: bool = False) -> None:
    """All of a panel but what is around it."""
    every = [q for s in drawn(p) for q in points_of(s) if q["y"] is not None]
    ends = [v for q in every for k in ("y", "min", "max") if (v := q.get(k)) is not None]
    place = placing(p)
    if p["kind"] == "stack":
        bars(ax, p, across)
    elif p["kind"] == "area":
        area(ax, p)
    elif across:
        rows(ax, p)
    else:
        lines = [s for s in drawn(p) if not s.get("apart")]
        for number, s in enumerate(lines):
            line(ax, p, s, place, number, len(lines))
    if across:
        return
    x_axis(ax, p, place)
    if p["y"].get("unit") == "%" and "zero" not in p["y"]:
        ax.axhline(0, color="black", linewidth=0.8)
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, -LEAST_PCT), max(high, LEAST_PCT))
    elif p["kind"] == "stack":
        totals = [max(q.get("total") or [0]) for q in every]
        style.plain_y(ax, [*totals, ax.get_ylim()[1] / 1.12], False)
    elif p["kind"] != "area":
        style.plain_y(ax, ends, p["y"].get("scale") == "log")
    marks(ax, p)


# ---- axes ------------------------------------------------------------------------


def placing(p: Spec) -> Any:
    """Where an x is drawn."""
    scale = p["x"]["scale"]
    if scale == "category":
        places = {x: i for i, x in enumerate(p["x"]["values"])}
        return lambda x: places.get(x, 0)
    if scale == "percentile":
        return lambda share: -math.log10(1 - share)
    return lambda x: x


def x_axis(ax: Any, p: Spec, place: Any) -> None:
    x = p["x"]
    if x["scale"] == "category":
        width = max(4, 60 // max(len(x["values"]), 1))
        names = ["\n".join(textwrap.wrap(str(v).replace("_", " "), width)) for v in x["values"]]
        names = x.get("names", names)
        size = 9 if max(map(len, names), default=0) < 12 else 8
        ax.set_xticks(range(len(names)), names, fontsize=size)
        ax.set_xlim(-0.6, len(names) - 0.4)
        ax.grid(False, axis="x")
        ax.set_xlabel(x["title"])
    elif x["scale"] == "percentile":
        last = max((q["x"] for s in p["series"] for q in points_of(s)), default=0.5)
        named = [r for r in RANKS if r <= last]
        ax.set_xticks(list(map(place, named)), ["%g" % round(r * 100, 6) for r in named])
        ax.set_xlabel("percentile")
    elif x.get("unit") == "s":
        style.seconds(ax, x["min"], x["max"])
    elif x.get("whole"):
        ax.set_xlim(x["min"], x["max"])
        ax.xaxis.set_major_locator(ticker.MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
        ax.set_xlabel(x["title"])
    else:
        style.plain_x(ax, x["values"], x["title"], x["scale"] == "log")


# ---- series ----------------------------------------------------------------------


def look_of(s: Spec) -> dict[str, Any]:
    number = s["colour"]
    if number >= PLANNED:
        return {"color": "black", "linestyle": ":", "linewidth": 1.0}
    if number >= DASHED:
        return {"color": style.colour(number - DASHED), "linestyle": "--", "linewidth": 1.0}
    return {"color": style.colour(number), "linestyle": "-"}


def line(ax: Any, p: Spec, s: Spec, place: Any, number: int, count: int) -> None:
    found, look, gid = points_of(s), look_of(s), "%s-%d" % (p["kind"], s["colour"])
    xs = [place(q["x"]) for q in found]
    ys = [math.nan if q["y"] is None else q["y"] for q in found]
    if s.get("steps"):
        before = xs[0] - (xs[1] - xs[0] if len(xs) > 1 else xs[0])
        look = {"linewidth": 1.1, "drawstyle": "steps-pre", "alpha": 0.85, **look}
        ax.plot([max(before, 0), *xs], [ys[0], *ys], gid=gid, **look)
    elif p["x"]["scale"] == "percentile":
        kind = "--" if any(q.get("hollow") for q in found) else "-"
        ax.plot(xs, ys, gid=gid, **{**look, "linestyle": kind, "linewidth": 1.6})
    elif "xs" in s:
        ax.plot(xs, ys, gid=gid, **{"linewidth": 0.7 if s.get("thin") else 1.3, **look})
    elif s["colour"] >= DASHED:  # what was planned of a stage
        for x, y in zip(xs, ys):
            ax.plot([x - 0.35, x + 0.35], [y, y], gid="planned", **look)
    else:
        marked(ax, p, s, xs, ys, number, count)


def marked(
    ax: Any, p: Spec, s: Spec, xs: Sequence[float], ys: Sequence[float], number: int, count: int
) -> None:
    """Points with their range, and what joins them."""
    found = points_of(s)
    look: dict[str, Any] = {**style.line_style(s["colour"]), "linestyle": ""}
    if p["x"]["scale"] == "category" and p.get("dodge"):
        xs = [x + (number - (count - 1) / 2) * min(0.12, 0.6 / count) for x in xs]
    if p["kind"] == "points" or p["x"]["scale"] == "category":
        look = {**look, "markersize": 3.5 if s.get("faint") else 6, "linewidth": 1.2}
    ax.plot(xs, ys, gid="line-%d" % s["colour"], **look)
    for i, ends in enumerate(zip(found, found[1:])):
        if p["kind"] == "line" and not any(q.get("alone") for q in ends):
            kind = style.DASHED if any(q.get("hollow") for q in ends) else "-"
            join = {**look, "marker": "", "linestyle": kind}
            ax.plot(xs[i : i + 2], ys[i : i + 2], gid="join-%d" % s["colour"], **join)
    for x, y, q in zip(xs, ys, found):
        if q.get("min", y) < q.get("max", y):
            thin = {"color": look["color"], "linewidth": 1, "gid": "range"}
            (bar,) = ax.plot([x, x], [q["min"], q["max"]], **thin)
            if p["x"]["scale"] != "category":
                style.aside(bar, number, count)
        if q.get("few"):
            ax.annotate(
                figures.FEW_MARK, (x, y), xytext=(4, 1), textcoords="offset points", fontsize=11,
                color=look["color"],
            )  # fmt: skip
        if q.get("hollow"):
            hollow = {**look, "markerfacecolor": "white", "zorder": 5, "markeredgewidth": 1.6}
            ax.plot([x], [y], gid="hollow-%d" % s["colour"], **hollow)
        if q.get("ring"):
            ring = {"marker": "o", "markersize": 12, "markerfacecolor": "none"}
            ax.plot([x], [y], linestyle="", color=style.GREY, gid="apart", **ring)


def fill_of(s: Spec) -> str:
    if s["colour"] >= PLANNED:
        return PALE_GREY if s.get("shade") else style.GREY
    return style.pale(s["colour"]) if s.get("shade") else style.colour(s["colour"])


def area(ax: Any, p: Spec) -> None:
    """A band upon the other; where nothing is known there is a gap."""
    base = [0.0] * len(p["series"][0]["xs"])
    for s in p["series"]:
        top = [math.nan if y is None else b + y for b, y in zip(base, s["ys"])]
        face = {"facecolor": fill_of(s), "edgecolor": "white", "linewidth": 0.4}
        ax.fill_between(s["xs"], base, top, step="pre", gid="area-%d" % s["colour"], **face)
        base = top
    for gap in p["gaps"]:
        ax.axvspan(gap["x"], gap["x2"], gid="gap", **GAP)
    style.plain_y(ax, [p["y"]["most"]], False)


def bars(ax: Any, p: Spec, across: bool) -> None:
    """Beside each other; a shaded one stands on the one before.  Alone over all, in its middle."""
    stacks, place = list(dict.fromkeys(s["stack"] for s in p["series"])), placing(p)
    below: dict[tuple[str, Any], float] = {}
    for s in p["series"]:
        shade, face = fill_of({**s, "shade": 0}), fill_of(s)
        for q in s["points"]:
            here = [t["stack"] for t in p["series"] for r in t["points"] if r["x"] == q["x"]]
            here = list(dict.fromkeys(here)) if q["x"] == ALL else stacks
            width, base = ROOM / len(here), below.get((s["stack"], q["x"]), 0.0)
            at = place(q["x"]) - ROOM / 2 + width * (here.index(s["stack"]) + 0.5)
            gid = "bar-%d-%d" % (place(q["x"]), s["colour"])
            fill = "white" if q.get("hollow") else face
            look = {"color": fill, "edgecolor": shade, "linewidth": 0.9 * (not across), "gid": gid}
            ends = q.get("total") or [q.get("low", q.get("min")), q.get("high", q.get("max"))]
            (ax.barh if across else ax.bar)([at], [q["y"]], width * 0.92, [base], **look)
            if None not in ends:
                both = (ends, [at, at]) if across else ([at, at], ends)
                ax.plot(*both, color="black", linewidth=0.9, gid="ends")
            below[s["stack"], q["x"]] = base + q["y"]
    if across:
        named = [str(v).replace(" under ", "\nunder ") for v in p["x"]["values"]]
        side(ax, named, 8)
        longest = max(below.values(), default=1)
        ax.set_xlim(0, min(ax.get_xlim()[1], 2 * longest))


def side(ax: Any, names: Sequence[str], size: float = 9) -> None:
    """Names of rows."""
    ax.set_yticks(range(len(names)), names, fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)


def rows(ax: Any, p: Spec) -> None:
    """From the least to the greatest of the runs, in it the interval as a box and the median as a
    stroke, or as a circle without an interval; at the right as a number."""
    found = [(s["colour"], q) for s in drawn(p) for q in s["points"]]
    for row, (number, q) in enumerate(found):
        shade, hollow, sure = style.colour(number), q.get("hollow"), "low" in q
        if "min" in q:
            ax.plot([q["min"], q["max"]], [row, row], color=shade, linewidth=1.2, zorder=2)
        if sure:
            face = "white" if hollow else style.pale(number)
            ax.barh(
                [row], [q["high"] - q["low"]], 0.6, left=[q["low"]], color=face, edgecolor=shade,
                zorder=3, gid="box-%d" % row,
            )  # fmt: skip
        ax.plot(
            [q["y"]], [row], color=shade, zorder=4, gid="median-%d" % row, linestyle="",
            marker="|" if sure else "o", markersize=11 if sure else 7, markeredgewidth=2.0,
            markerfacecolor="white" if hollow else shade,
        )  # fmt: skip
        text = labels.short(q["y"]) + figures.FEW_MARK * q.get("few", False)
        across: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
        ax.annotate(text, (1.01, row), va="center", fontsize=8.5, **across)
    wrap: dict[str, Any] = {"max_lines": 2, "placeholder": "…"}
    side(ax, ["\n".join(textwrap.wrap(str(q["x"]), 20, **wrap)) for _, q in found])
    low = min(q.get("min", q["y"]) for _, q in found)
    high = max(q.get("max", q["y"]) for _, q in found)
    # Logarithmic over thirtyfold; else near the values, where the spread is seen, or from 0.
    if is_wide([low, high], 30):
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(ticker.LogLocator())
        ax.xaxis.set_minor_locator(ticker.NullLocator())
        ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: "%g" % v))
        style.note_log(ax)
        return
    ax.xaxis.set_major_locator(ticker.MaxNLocator(5))
    margin = max((high - low) * 0.08, high * 0.01)
    near = low > high / 2
    ax.set_xlim(*(low - margin, high + margin) if near else (min(low, 0), high * 1.05 or 1))


# ---- marks, and what stands behind -----------------------------------------------


def marks(ax: Any, p: Spec) -> None:
    span = p["x"]["max"] - p["x"]["min"] if "max" in p["x"] else 0
    for number, band in enumerate(p.get("bands", ()), 1):
        if number % 2 == 0:
            ax.axvspan(band["x"], band["x2"], gid="band", **SHADE)
        letters = (band["x2"] - band["x"]) / (span * LETTER / (style.WIDTH - 0.7))
        named = band["text"] and ax.get_subplotspec().is_first_row()
        texts = (band["text"], "%d" % number) if named else ()
        text = next((t for t in texts if len(t) < letters), "")
        ax.annotate(
            text, ((band["x"] + band["x2"]) / 2, 1.0), xycoords=("data", "axes fraction"),
            xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=8,
            color=style.COLOURS[1] if band.get("held") is False else style.GREY,
        )  # fmt: skip
        if texts:
            ax.set_title(ax.get_title(loc="left"), loc="left", fontsize=9.5, pad=16)
    shown: list[tuple[float, str, str]] = []  # those too close to have a number each share it
    for mark in p.get("marks", ()):
        if "x2" in mark:
            ax.axvspan(mark["x"], mark["x2"], gid="outage", **AWAY)
            continue
        colour = style.colour(mark["colour"]) if "colour" in mark else "black"
        kind = "--" if p.get("numbered") else ":"
        ax.axvline(mark["x"], color=colour, linewidth=1.0, linestyle=kind, gid="mark")
        if p.get("numbered") and shown and mark["x"] - shown[-1][0] < span / 20:
            first = shown.pop()
            shown.append((first[0], "%s-%s" % (first[1].partition("-")[0], mark["text"]), colour))
        else:
            shown.append((mark["x"], mark["text"], colour))
    box: dict[str, Any] = {"boxstyle": "round,pad=0.2", "facecolor": "white", "linewidth": 0.8}
    framed: dict[str, Any] = {"ha": "center", "bbox": box} if p.get("numbered") else {}
    first = ax.get_subplotspec().is_first_row() or p["kind"] == "area"
    for x, text, colour in shown if first or not framed else ():
        ax.annotate(
            text, (x, 0.97), xycoords=("data", "axes fraction"), va="top", fontsize=8,
            color=colour, xytext=(0 if framed else 3, 0), textcoords="offset points", **framed,
        )  # fmt: skip


# ---- legend, and in words --------------------------------------------------------


def legend(chart: Chart) -> list[Any]:
    """What matplotlib calls handles, with their labels."""
    both = [(p, s) for p in chart.panels for s in drawn(p) if not s.get("apart")]
    series = [s for _, s in both]
    points = [q for s in series for q in points_of(s)]
    entries: list[Any] = []

    def say(text: str, kind: str = "", **more: Any) -> None:
        if kind in PATCHES:
            entries.append(Patch(label=text, **PATCHES[kind]))
        else:
            entries.append(Line2D([], [], label=text, **{**NOTES[kind], **more}))

    thick = (one for one in both if not one[1].get("thin"))
    named = by(thick, lambda one: one[1].get("legend", one[1]["name"]))
    for name, ((p, s), *_) in named.items() if chart.kind != "arms" else ():
        look = look_of(s)
        if p["kind"] in ("stack", "area"):
            entries.append(Patch(label=name, color=fill_of(s)))
        elif "xs" in s or s["colour"] >= DASHED or p["x"]["scale"] == "percentile":
            say(name, **look)
        else:
            hollow = chart.kind == "search" and any(q.get("hollow") for q in s["points"])
            mark = {**style.line_style(s["colour"]), "linestyle": "-" * (p["kind"] == "line")}
            mark.update({"markersize": 3.5} if s.get("faint") else {})
            mark.update({"markerfacecolor": "white"} if hollow else {})
            say(name, **mark)
    if any(s.get("shade") and "like" in s for s in series):
        shades = (("%usr", style.GREY), ("%sys, pale", PALE_GREY))
        entries += [Patch(label=text, color=face) for text, face in shades]
    ranged = any(q.get("total") or q.get("min", 0) < q.get("max", 0) for q in points)
    if ranged and chart.kind != "arms":
        colour = "black" if series[0].get("stack") else style.GREY
        say("range of the runs that count", "range", color=colour)
    if chart.kind == "curves" and any(q.get("alone") and q["y"] is not None for q in points):
        say("not joined: fewer than %d runs" % stats.LEAST)
    if any(q.get("few") for q in points):
        say(figures.FEW)
    for kind, text in chart.notes:
        say(text, kind)
    if chart.kind == "change":
        names = {s["name"] for s in series} - {ALL}
        places = len(chart.panels) * len({*chart.panels[0]["x"]["values"]} - {ALL}) * len(names)
        if sum(q["x"] != ALL for q in points) < places:
            say("no bar: no interval")
    if any(q.get("hollow") for q in points) and chart.kind not in ("search", "percentiles"):
        dashed = "hollow%s: " % (", dashed" * (chart.panels[0]["kind"] == "line"))
        mark = {"marker": "s", "markersize": 9} if series[0].get("stack") else {"marker": "o"}
        face = {"color": style.GREY, "markerfacecolor": "white", "markersize": 6}
        say(dashed + chart.hollow, "range", **{**face, **mark})
    for number, text in enumerate(chart.listed if chart.kind != "stages" else (), 1):
        whole = chart.kind == "outages" or " standstill" in text or ", before at most " in text
        say("%d: %s" % (number, shortened(text, 150 if whole else 53)))
    return entries


def shortened(text: str, most: int) -> str:
    """How it begins and how it ends: what a command changes stands behind its options."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = text[: most // 3].rpartition(" ")[0] or text[: most // 3]
    tail = text[len(text) - (most - len(head) - 3) :]
    return head + " … " + (tail.partition(" ")[2] or tail)


def in_words(chart: Chart) -> str:
    """All points, as "1200, 949 (rate not held) at 2048"."""
    parts = [chart.title + "."]
    for p in chart.panels:
        said = []
        for s in drawn(p):
            texts = [
                "%s%s at %s" % (labels.short(q["y"]), " (%s)" % chart.hollow.removeprefix("the ")
                                .replace(" was", "") * bool(q.get("hollow")), at_text(q["x"]))
                for q in points_of(s) if q["y"] is not None
            ]  # fmt: skip
            said.append("%s: %s" % (s["name"], ", ".join(texts)))
        parts.append("%s: %s." % (p["head"], "; ".join(said)))
    return " ".join(" ".join(parts).split())


def at_text(x: Any) -> str:
    return "%g" % x if isinstance(x, float) else str(x)
