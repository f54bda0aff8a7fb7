# SPDX-License-Identifier: GPL-2.0-or-later
"""How all pictures look: sizes, colours, marks, axes, legends, and the files that they become.

A picture is 5.2 inches wide with text of 9 to 11 points: on a phone of 360 pixels its smallest
text is still 9 pixels high, and panels stand below each other.  Colours are those of Okabe and Ito,
which people with any colour vision tell apart; each arm has its own mark as well.  What did not
hold the rate is hollow.  SVG files keep their text as text, with a title and a description.

Only figures of matplotlib are made, never windows; its settings change inside look() alone.
"""

from __future__ import annotations

import dataclasses
import io
import math
import os
import re
import textwrap
import warnings
from typing import Any, Sequence
from xml.sax.saxutils import escape

import matplotlib
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from .. import LabError

if not hasattr(Figure, "get_layout_engine"):
    raise LabError("they need matplotlib 3.6 or later, not " + matplotlib.__version__)

WIDTH = 5.2  # inches
DPI = 200
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D", "#8C6D1F")
MARKS = "os^DvPX*"
DASHED = (0, (4, 2))  # the rate was not held
GREY = "#595959"
TITLE, SUBTITLE, LETTERS = 56, 84, 60  # characters of a line: of these, and of the legend
DIGITS = 46  # that fit beside each other below a panel
PALE = 0.45  # of the colour, the rest is white
# DejaVu Sans, which comes with matplotlib, has no Chinese, Japanese and Korean; these have, where
# they are installed.
CJK = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Source Han Sans SC",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "IPAGothic", "NanumGothic",
)  # fmt: skip
INSTALLED = {font.name for font in font_manager.fontManager.ttflist}
SETTINGS = {
    "font.family": ["sans-serif", *(name for name in CJK if name in INSTALLED)],
    "font.size": 10, "axes.titlesize": 10, "axes.labelsize": 10,
    "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#D9D9D9", "grid.linewidth": 0.6,
    "svg.fonttype": "none", "svg.hashsalt": "sysbench-lab", "path.simplify": True,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A picture before it is written: its file's name, words, and matplotlib's figure."""

    name: str
    title: str
    alt: str
    figure: Any


def look() -> Any:
    """Inside, matplotlib draws our way."""
    return matplotlib.rc_context(SETTINGS)


def panels(
    title: str, heads: Sequence[str], height: float, alone: float = 0, share_x: bool = True
) -> tuple[Any, list[Any]]:
    """A figure with its title at the left and panels below each other; `alone`: of a single one."""
    height = alone or height if len(heads) == 1 else height
    layout = ConstrainedLayoutEngine(h_pad=0.06, w_pad=0.06)
    figure = Figure(figsize=(WIDTH, 0.75 + height * len(heads)), layout=layout)
    text = "\n".join(textwrap.wrap(title, TITLE))
    figure.suptitle(text, x=0.02, ha="left", fontsize=11, fontweight="bold")
    axes = [row[0] for row in figure.subplots(len(heads), 1, sharex=share_x, squeeze=False)]
    for ax, text in zip(axes, heads):
        head(ax, text)
    return figure, axes


# ---- colours and marks ---------------------------------------------------------


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def pale(number: int, share: float = PALE) -> str:
    """The colour of an arm, mixed with white."""
    parts = [int(colour(number)[i : i + 2], 16) for i in (1, 3, 5)]
    return "#%02X%02X%02X" % tuple(round(255 - (255 - p) * share) for p in parts)


def line_style(number: int) -> dict[str, Any]:
    """Later arms are thinner, so that those below equal lines are still seen."""
    return {
        "markersize": max(4.0, 8 - 1.3 * number),
        "linewidth": max(1.2, 2.6 - 0.6 * number),
        "color": colour(number),
        "marker": MARKS[number % len(MARKS)],
    }


# ---- axes ----------------------------------------------------------------------


def plain_x(ax: Any, xs: Sequence[float], name: str, log: bool) -> None:
    """A tick a level with plain numbers."""
    if log:
        ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(list(xs)))
    ax.xaxis.set_minor_locator(NullLocator())
    # The levels whose names do not overlap when the axis has room for so many digits.
    places = [math.log(x) if log else x for x in xs]
    span = max(places) - min(places) or 1.0
    named: set[float] = set()
    edge = -math.inf
    for x, place in zip(xs, places):
        half = (len("%g" % x) + 1) / 2 / DIGITS
        centre = (place - min(places)) / span
        if centre - half >= edge:
            named.add(x)
            edge = centre + half
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: "%g" % v if v in named else ""))
    ax.set_xlabel(name)


def seconds(ax: Any, first: float, last: float) -> None:
    """The axis of time."""
    ax.set_xlim(first, last)
    ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=last - first > 4))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: "%g" % v))
    ax.set_xlabel("Seconds since measuring began")


def plain_y(ax: Any, values: Sequence[float], log: bool) -> None:
    """Round numbers; from 0 on a linear axis."""
    positive = [v for v in values if v > 0]
    if log and positive:
        span = max(positive) / min(positive)
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if span < 200 else (1.0,)))
        ax.yaxis.set_minor_locator(NullLocator())
        note_log(ax)
    else:
        ax.set_ylim(0, max([*values, 0]) * 1.12 or 1)
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: "%g" % v))


def head(ax: Any, text: str) -> None:
    """What a panel shows, above it at the left: easier to read than a turned label."""
    ax.set_title(text, loc="left", fontsize=9.5, color=GREY, pad=4)


def note_log(ax: Any) -> None:
    """Panels below each other may have different scales, so the head of a panel says it."""
    text = ax.get_title(loc="left")
    if text:
        head(ax, text + ", log scale")


def aside(line: Any, number: int, count: int) -> None:
    """Move a line of an arm to the side, so that those of other arms are seen; data stay."""

    by = (number - (count - 1) / 2) * min(3.0, 12 / count) / 72
    shift = ScaledTranslation(by, 0, line.axes.figure.dpi_scale_trans)
    line.set_transform(line.get_transform() + shift)


def key(figure: Any, entries: Sequence[Any]) -> None:
    """The legend, below the panels in room of its own; long names stand below each other."""
    if not entries:
        return
    texts = [textwrap.fill(one.get_label(), LETTERS + 12) for one in entries]
    columns = max(1, min(len(entries), LETTERS // (max(map(len, texts)) + 6)))
    more = sum(text.count("\n") for text in texts)
    room = 0.165 * (math.ceil(len(entries) / columns) + more) + 0.06
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    figure.get_layout_engine().set(rect=(0, room / height, 1, 1 - room / height))
    figure.legend(
        entries, texts, loc="lower left", bbox_to_anchor=(0, 0), ncol=columns, frameon=False,
        handlelength=1.6, columnspacing=1.2, borderaxespad=0.3, labelspacing=0.3,
    )  # fmt: skip


# ---- files ---------------------------------------------------------------------


def caption(figure: Any, text: str) -> None:
    """The subtitle, between the title and the panels in room of its own."""
    lines, engine = textwrap.wrap(text, SUBTITLE), figure.get_layout_engine()
    before, room = figure.get_figheight(), 0.15 * len(lines) + 0.04
    height = before + room
    _, low, _, high = engine.get()["rect"]
    figure.set_figheight(height)
    engine.set(rect=(0, low * before / height, 1, high * before / height))
    below = 0.1 + 0.175 * (figure._suptitle.get_text().count("\n") + 1)
    figure.text(
        0.02, 1 - below / height, "\n".join(lines), va="top", fontsize=8.5, color=GREY,
        gid="subtitle",
    )  # fmt: skip


def write(drawing: Drawing, directory: str, subtitle: str = "") -> tuple[str, str]:
    """NAME.png and NAME.svg; returns their paths."""
    if subtitle:
        caption(drawing.figure, subtitle)
    base = os.path.join(directory, drawing.name)
    png, svg = base + ".png", base + ".svg"
    with warnings.catch_warnings():  # the SVG has the text, and browsers the letters
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        drawing.figure.savefig(png, dpi=DPI, metadata={"Title": drawing.title, "Software": None})
        drawing.figure.set_layout_engine("none")  # where all is was found out for the PNG
        drawn, about = io.StringIO(), {"Title": drawing.title, "Date": None}
        drawing.figure.savefig(drawn, format="svg", metadata=about)
    # Say what is in it, for those who hear pages; and let it fit the width of a page.
    words = "<title>%s</title><desc>%s</desc>" % (escape(drawing.title), escape(drawing.alt))
    image = "<svg role='img'"
    text = re.sub(r"<svg\b([^>]*>)", lambda m: image + m[1] + words, drawn.getvalue(), count=1)
    with open(svg, "w", encoding="utf-8") as f:
        f.write(text)
    return png, svg
