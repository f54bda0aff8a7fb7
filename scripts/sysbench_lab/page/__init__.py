# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML page of an experiment: the answer, the table, the charts, how it was measured.

    write(results, "results/index.html")

The page needs no network and no server: style, scripts and figures are in the file, and a policy
in it forbids the browser to load anything else.  Links lead to the runs' own reports beside it.

    data.py         the figures as JSON: cells, runs, what happened in them, and what only their
                    reports have: timelines, latency by percentile, heat maps
    parts.py        the words and tables that the template prints, escaped by jinja2
    images.py       the pictures of pictures.draw_all(); finds Chart.js, without which the page has
                    the SVG pictures instead
    page.html.j2    the page;  lab.css, lab.js: its looks and its charts
    lab_charts.js   which figures go into which chart;  lab_events.js: those of what happened
    chart.css, chart_config.js, chart.js
                    charts for any page, also that of sysbench --metrics-listen
"""

import base64
import hashlib
import json
import math
import os
import re
from typing import Any, Sequence

from .. import LabError
from ..plan import labels
from ..results.results_dir import write_file
from ..statistics import rank_rows, stats
from ..statistics.results import Results
from . import data, images, parts

HERE = os.path.dirname(os.path.realpath(__file__))
STYLES = ("chart.css", "lab.css")
SCRIPTS = ("chart_config.js", "chart.js", "lab_events.js", "lab_charts.js", "lab.js")


def write(results: Results, path: str, pictures: Sequence[Any] = ()) -> None:
    """Write the page.  `pictures` are of pictures.draw_all(); without, those in the folder."""
    base = os.path.relpath(results.folder, os.path.dirname(os.path.abspath(path)))
    text = render(results, "" if base == "." else base.replace(os.sep, "/") + "/", pictures)
    write_file(path, text)


def render(results: Results, base: str, pictures: Sequence[Any] = ()) -> str:
    """The page as text; `base` leads from it to the folder of the results."""
    template = environment().get_template("page.html.j2")
    library = images.load()
    tree = data.tree(results, base)
    scripts = [harmless(t) for t in (library.text, *map(read, SCRIPTS)) if t]
    # The content security policy: these scripts, and nothing from anywhere.
    sums = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = " ".join("'sha256-%s'" % s for s in sums)
    return template.render(
        results=results,
        exp=results.exp,
        page=parts.page(results, base),
        parts=parts,
        capital=data.capital,
        labels=labels,
        rank_rows=rank_rows,
        stage_name=stats.stage_name,
        groups=tree["groups"],
        library=library,
        pictures=images.pictures(results, base, pictures, embed=not library.text),
        style=safe("\n".join(map(read, STYLES))),
        scripts=[safe(s) for s in scripts],
        policy="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src %s" % allowed,
        data=safe(embedded(tree)),
    )


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


def safe(text: str) -> Any:
    """Text that is HTML already."""
    from markupsafe import Markup

    return Markup(text)


def read(name: str) -> str:
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


# ---- text inside a script element ----------------------------------------------


def harmless(script: str) -> str:
    """A script that does not end the element around it."""
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.I)


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
