# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in which something happens, on one small picture: rate, latency and cost over time.

BASE.svg, and BASE-dark.svg of the same in other colours, for a README: three panels side by side,
without a background.  Written without matplotlib, so that the first command has it everywhere, and
everybody the same one.
"""

from __future__ import annotations

from typing import Sequence
from xml.sax.saxutils import escape

from .. import LabError
from ..plan import labels
from ..plan.model import Tree
from ..results import series
from ..results.results_dir import write_file
from ..terminal.text_tables import Axis, round_values

PANELS = {
    "tps": "Transactions per second",
    "response_p99_ms": "Response time p99, ms",
    "server_cpu_us_per_tx": "Server CPU per transaction, µs",
}
WIDTH, HEIGHT, LEFT, TOP = 800, 236, 48, 78  # of all; of the first panel
EACH, WIDE, HIGH = 262, 206, 118  # from panel to panel; a panel
LIGHT = {
    "ink": "#1f2328",
    "grey": "#59636e",
    "grid": "#d1d9e0",
    "line": "#0969da",
    "mark": "#bc4c00",
}
DARK = {
    "ink": "#e6edf3",
    "grey": "#9198a1",
    "grid": "#3d444d",
    "line": "#58a6ff",
    "mark": "#f0883e",
}


def draw(report: Tree, base: str, title: str) -> list[str]:
    """Returns the paths that were written."""
    line = series.lines_of(report)
    if line is None:
        raise LabError("the report has no intervals")
    paths = {base + ".svg": LIGHT, base + "-dark.svg": DARK}
    for path, colours in paths.items():
        text = whole(line, title, about(report))
        for name, colour in colours.items():
            text = text.replace('"{%s}"' % name, '"%s"' % colour)
        write_file(path, text)
    return list(paths)


def about(report: Tree) -> str:
    """What ran where."""
    told = report.get("environment") or {}
    version, cpus = told.get("server.variable.version"), told.get("host.cpu.count")
    parts = [report["run"]["test"], version, told.get("host.cpu.model"), cpus and cpus + " CPUs"]
    return ", ".join(str(part) for part in parts if part)


def whole(line: series.Timeline, title: str, below: str) -> str:
    """The picture, with the names of colours in braces."""
    words, parts = [], []
    for number, (name, head) in enumerate(PANELS.items()):
        ys = line.figures[name]
        words.append("%s: %s." % (head, ", ".join(map(told, ys))))
        named = number == len(PANELS) - 1
        parts += panel(line, ys, head, named, LEFT + number * EACH)
    words += ["%s at %.4g s." % (m.text, m.at_s) for m in line.marks[:1]]
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 %d %d" width="%d" '
        'height="%d" font-family="system-ui, sans-serif" font-size="12">' % (2 * (WIDTH, HEIGHT)),
        "<title>%s</title><desc>%s</desc>" % (escape(title), escape(" ".join(words))),
        text_at(16, 22, title, "ink", 'font-size="15" font-weight="bold"'),
        text_at(16, 42, below, "grey"),
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def told(value: float | None) -> str:
    return "n/a" if value is None else labels.short(value)


def text_at(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return '<text x="%.4g" y="%.4g" fill="{%s}" %s>%s</text>' % (x, y, colour, more, escape(text))


def panel(
    line: series.Timeline, ys: Sequence[float | None], head: str, named: bool, left: float
) -> list[str]:
    most, last, bottom = max((y for y in ys if y), default=1) * 1.08, line.seconds[-1], TOP + HIGH

    def at_x(second: float) -> float:
        return left + WIDE * second / last

    def at_y(value: float) -> float:
        return bottom - HIGH * value / most

    found = [text_at(left, TOP - 12, head, "grey")]
    grid = '<path d="M%.5g %.5gH%.5g" stroke="{grid}"/>'
    for y in round_values(Axis(0, most, False), 5):
        found.append(grid % (left, at_y(y), left + WIDE))
        found.append(text_at(left - 6, at_y(y) + 4, "%g" % y, "ink", 'text-anchor="end"'))
    seconds = round_values(Axis(0, last, False), 5)
    for x in seconds:
        unit = " s" if x == seconds[-1] else ""
        found.append(text_at(at_x(x), bottom + 18, "%g" % x + unit, "ink", 'text-anchor="middle"'))
    for one in line.marks[:1]:
        dashed = '<path d="M%.5g %dV%d" stroke="{mark}" stroke-dasharray="4 3"/>'
        found.append(dashed % (at_x(one.at_s), TOP, bottom))
        found += [text_at(at_x(one.at_s) + 5, TOP + 10, one.text, "mark")] * named
    steps = ""
    for end, length, value, before in zip(line.seconds, line.lengths, ys, [None, *ys]):
        if value is not None:
            steps += "V" if before is not None else "M%.5g " % at_x(end - length)
            steps += "%.5gH%.5g" % (at_y(value), at_x(end))
    found.append('<path d="%s" fill="none" stroke="{line}" stroke-width="2"/>' % steps)
    return found
