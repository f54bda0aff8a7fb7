# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment is about on one small picture: response time and cost against the axis.

NAME.svg, and NAME-dark.svg of the same in other colours, for a README: two panels side by side,
800 pixels wide, without a background.
"""

from matplotlib.figure import Figure

from .. import failing, text_of
from ..charts import Chart, Frame, places
from ..results.results_dir import write_file
from ..statistics import facts
from ..statistics.results import Results
from . import render, style

FIGURES = ("response_p95_ms", "server_cpu_us_per_tx")
INCHES = (800 / 96, 2.9)  # title and legend add to it
INK = "#1F2328"
LIGHT = {
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK,
}  # fmt: skip
DARK = {  # in place of the colours of LIGHT
    INK: "#E6EDF3", style.GREY: "#9DA7B3", "#D9D9D9": "#30363D", "#FFFFFF": "#0D1117",
    style.COLOURS[0]: "#58A6FF", style.COLOURS[1]: "#F0883E",
}  # fmt: skip


def draw(results: Results, base: str) -> list[str]:
    """Write BASE.svg and BASE-dark.svg; returns their paths, none without two levels of an axis."""
    frame = Frame(results)
    made = [places.over(frame, n) for n in FIGURES]
    panels = [p for p in made if p]
    if not panels or not frame.has_axis:
        return []
    paths = [base + ".svg", base + "-dark.svg"]
    with failing("cannot write " + paths[0]), style.look(LIGHT):
        figure = Figure(figsize=INCHES, layout=style.constrained(0.12))
        title = results.exp.title or results.exp.name
        figure.suptitle(title, x=0.02, ha="left", fontsize=11, fontweight="bold")
        axes = list(figure.subplots(1, len(panels), squeeze=False)[0])
        for ax, p in zip(axes, panels):
            style.head(ax, p["head"])
            render.panel(ax, p)
        chart = Chart("curves", "", title, panels, notes=places.crossed(frame, panels))
        style.key(figure, render.legend(chart), 110)
        style.caption(figure, facts.subtitle(results))
        drawing = style.Drawing("", title, render.in_words(chart), figure)
        style.write_svg(drawing, paths[0], transparent=True)
        text = text_of(paths[0])
        for light, dark in DARK.items():
            text = text.replace(light.lower(), dark.lower())
        write_file(paths[1], text)
    return paths
