# SPDX-License-Identifier: GPL-2.0-or-later
"""Chart.js, as the distribution has it (Debian: libjs-chart.js); nothing is downloaded.

    load() -> Library(text, version, reason)

SYSBENCH_LAB_CHART_JS names another file, or is "no" for a page without it.  The page is written
for Chart.js 3: another version is not used, and the page says so.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from .. import LabError

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
