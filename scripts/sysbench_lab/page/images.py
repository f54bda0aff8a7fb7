# SPDX-License-Identifier: GPL-2.0-or-later
"""The pictures that were drawn, for the page: links to them, or the SVG itself.

A page with charts links to the files; one without Chart.js embeds the SVG, and stays one file.
"""

import base64
import html
import os
import re
from typing import Any, NamedTuple, Sequence
from urllib.parse import quote

from .. import LabError
from ..statistics.results import Results
from . import data

TAGS = ("title", "desc")


class Picture(NamedTuple):
    title: str
    alt: str
    png: str
    svg: str
    inline: str  # the SVG as a data: address, or ""


def pictures(results: Results, base: str, drawn: Sequence[Any], embed: bool) -> list[Picture]:
    """Those that were drawn, or those in the folder; embedded when the page has no charts."""
    if drawn:
        return [picture(results, base, p.path_svg, p.title, p.alt, embed) for p in drawn]
    folder = os.path.join(results.folder, "pictures")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, n) for n in names if n.endswith(".svg")]
    return [picture(results, base, p, *words_in(p), embed) for p in paths]


def words_in(path: str) -> tuple[str, str]:
    """Title and description that an SVG file carries; else its name."""
    with open(path, encoding="utf-8", errors="replace") as f:
        head = f.read(20_000)
    name = data.capital(os.path.basename(path)[: -len(".svg")].replace("-", " "))
    found = [re.search(r"<%s\b[^>]*>(.*?)</%s>" % (tag, tag), head, re.S) for tag in TAGS]
    title, text = (html.unescape(" ".join(m.group(1).split())) if m else "" for m in found)
    return title or name, text or title or name


def picture(results: Results, base: str, path: str, title: str, alt: str, embed: bool) -> Picture:
    svg = os.path.relpath(path, results.folder)  # both are seen from the current folder
    png = svg[: -len(".svg")] + ".png"
    with_png = os.path.isfile(os.path.join(results.folder, png))
    address = inline(path) if embed else ""
    return Picture(title, alt, quote(base + png) if with_png else "", quote(base + svg), address)


def inline(path: str) -> str:
    with open(path, "rb") as f:
        return "data:image/svg+xml;base64," + base64.b64encode(f.read()).decode()


# ---- Chart.js -------------------------------------------------------------------


VARIABLE = "SYSBENCH_LAB_CHART_JS"
ABOVE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PLACES = (
    os.path.join(ABOVE, "chart.min.js"),  # the data folder of an installation
    "/usr/share/javascript/chart.js/chart.min.js",
    "/usr/share/nodejs/chart.js/dist/chart.min.js",
    "/usr/share/javascript/chart.js/chart.js",
)
MAJOR = "3"


class Library(NamedTuple):
    """Its text, or "" and the reason as a sentence."""

    text: str
    version: str
    reason: str


def load() -> Library:
    given = os.environ.get(VARIABLE, "")
    if given == "no":
        return Library("", "", "Chart.js was not wanted (%s=no)." % VARIABLE)
    if given and not os.path.isfile(given):
        raise LabError("%s=%s: there is no such file" % (VARIABLE, given))
    path = given or next((p for p in PLACES if os.path.isfile(p)), "")
    if not path:
        return Library("", "", "Chart.js is not installed (libjs-chart.js).")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = re.search(r"Chart\.js v(\d+)[.\d]*", text[:1000])
    if not found or found.group(1) != MAJOR:
        version = found.group(0) if found else "a file of another library"
        return Library("", "", "%s is %s; the page needs Chart.js %s." % (path, version, MAJOR))
    return Library(text, found.group(0)[len("Chart.js v") :], "")
