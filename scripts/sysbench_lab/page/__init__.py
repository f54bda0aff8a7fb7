# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML page of an experiment: the answer, the table, the charts, how it was measured.

    write(results, "results/index.html")

The page needs no network and no server: style, scripts and figures are in the file, and a policy
in it forbids the browser to load anything else.  It links to nothing, so it can be sent alone.

    data.py         which charts are in which section, as JSON
    parts.py        the words and tables that the template prints, escaped by jinja2
    this file       also finds Chart.js, without which the page has the SVG pictures of
                    pictures.draw_all() instead
    page.html.j2    the page;  lab.css, lab.js: its looks and its charts
    chart.css, chart_config.js, chart.js
                    charts for any page, also that of sysbench --metrics-listen
"""

import base64
import hashlib
import html
import json
import math
import os
import re
from typing import Any, NamedTuple, Sequence

from .. import LabError, content, text_of
from ..plan import labels
from ..results.results_dir import write_file
from ..statistics import answer, rank_rows, stats
from ..statistics.results import Results
from . import data, parts

HERE = os.path.dirname(os.path.realpath(__file__))
STYLES = ("chart.css", "lab.css")
SCRIPTS = ("chart_config.js", "chart.js", "lab.js")


def write(results: Results, path: str, pictures: Sequence[str] = ()) -> None:
    """Write the page.  `pictures` are those of pictures.draw_all(), else those in the directory."""
    write_file(path, render(results, pictures))


def render(results: Results, pictures: Sequence[str] = ()) -> str:
    """The page as text."""
    template = environment().get_template("page.html.j2")
    library = load()
    tree = data.tree(results)
    texts = filter(None, (library.text, *map(read, SCRIPTS)))
    # Scripts that do not end the element around them.
    scripts = [re.sub(r"</(?=script)", r"<\\/", text, flags=re.I) for text in texts]
    # The content security policy: these scripts, and nothing from anywhere.
    sums = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = " ".join("'sha256-%s'" % s for s in sums)
    return template.render(
        results=results,
        exp=results.exp,
        page=parts.page(results),
        parts=parts,
        labels=labels,
        rank_rows=rank_rows,
        stage_name=stats.stage_name,
        charts=charts(results, tree),
        library=library,
        pictures=[] if library.text else pictures_of(results, pictures),
        style="\n".join(map(read, STYLES)),
        scripts=scripts,
        policy="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src %s" % allowed,
        data=embedded(tree),
    )


# What answers the question; all other charts are folded up.  At the same rate the throughput is
# that of the rate.
SEEN: tuple[str, ...] = ("highest", "change", "throughput", "response", "time", "cpu")
SEEN_AT_A_RATE = ("highest", "change", "cost", "response", "time", "cpu")
MOST_WITH_CPU = 1  # workloads: each has a panel


def charts(results: Results, tree: dict[str, Any]) -> list[tuple[dict[str, Any], bool]]:
    """The charts over the horizontal axis, and whether each is seen at once."""
    found = [s for s in tree["sections"] if "caption" in s]
    seen = SEEN_AT_A_RATE if any(map(answer.rated, results.summaries)) else SEEN
    works = max((len(s["charts"]) for s in found if s["id"] == "cpu"), default=0)
    seen = seen[:-1] if works > MOST_WITH_CPU else seen
    found.sort(key=lambda s: [*seen, s["id"]].index(s["id"]))
    return [(s, s["id"] in seen) for s in found]


def environment() -> Any:
    try:
        import jinja2
    except ImportError:
        raise LabError("the page needs jinja2 (python3-jinja2), which is not installed") from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read(name: str) -> str:
    return text_of(os.path.join(HERE, name))


# ---- text inside a script element ----------------------------------------------


def embedded(tree: Any) -> str:
    """JSON that is no HTML whatever its strings are, and that JavaScript reads, too."""
    text = json.dumps(finite(tree), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for c in "<>&\u2028\u2029":
        text = text.replace(c, "\\u%04x" % ord(c))
    return text


def finite(value: Any) -> Any:
    """JSON knows no infinity."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- The pictures that were drawn, in a page without charts

TAGS = ("title", "desc")


def pictures_of(results: Results, drawn: Sequence[str]) -> list[dict[str, str]]:
    """Those that were drawn, or those in the directory; `inline`: the SVG as a data: address."""
    directory = os.path.join(results.directory, "pictures")
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    found = []
    for path in drawn or [os.path.join(directory, n) for n in names if n.endswith(".svg")]:
        # with the title and description that it carries, or its name
        text = content(path)
        name = labels.capital(os.path.basename(path)[: -len(".svg")].replace("-", " "))
        tags = [re.search(r"<%s\b[^>]*>(.*?)</%s>" % (tag, tag), text, re.S) for tag in TAGS]
        title, alt = (html.unescape(" ".join(m.group(1).split())) if m else "" for m in tags)
        title = title or name
        inline = "data:image/svg+xml;base64," + base64.b64encode(text.encode()).decode()
        found.append({"title": title, "alt": alt or title, "inline": inline})
    return found


# ---- Chart.js -------------------------------------------------------------------


VARIABLE = "SYSBENCH_LAB_CHART_JS"
ABOVE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PLACES = (
    os.path.join(ABOVE, "chart.min.js"),  # the data directory of an installation
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
    text = text_of(path)
    found = re.search(r"Chart\.js v(\d+)[.\d]*", text[:1000])
    if not found or found.group(1) != MAJOR:
        version = found.group(0) if found else "a file of another library"
        return Library("", "", "%s is %s; the page needs Chart.js %s." % (path, version, MAJOR))
    return Library(text, found.group(0)[len("Chart.js v") :], "")
