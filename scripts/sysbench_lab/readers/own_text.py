# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report of a run as numbers.

A figure that the report shows as n/a, or does not show, is None here, never 0.
Only lines that belong to the blocks after the interval lines are read; wording
may gain words and columns without breaking this.
"""

from __future__ import annotations

import re
from typing import Any, Dict

from .. import number as finite

Figures = Dict[str, Any]  # by name; None where the report shows none

NUMBER = r"(n/a|-?\d+(?:\.\d+)?)"
ROWS = ("response", "service", "lag")
SERIES = ("p50", "p95", "p99", "max", "mean")  # always there; --percentile adds others among them
COLUMNS = {"maximum": "max"}
NAME = re.compile(r"p\d{1,3}(\.\d{1,9})?|min|max|mean")


def number(text: str | None) -> float | None:
    """ValueError for what is no figure.  A percentile of few transactions is marked."""
    return None if text is None or text == "n/a" else float(finite(text.rstrip("*")))


def block(text: str, title: str) -> str:
    """The lines of a block: from a line that starts with `title:` to the next empty line."""
    m = re.search(r"^%s:.*?(?=^[ \t]*$|\Z)" % title, text, re.M | re.S)
    return m.group(0) if m else ""


def one(pattern: str, text: str) -> float | None:
    m = re.search(pattern, text, re.M | re.I)
    return number(m.group(1)) if m else None


def process(text: str, prefix: str) -> Figures:
    """CPU, switches, threads and memory of one process block."""
    values = {}
    for key, pattern in (
        ("pct", r"CPU, % of the (?:whole )?system:"),
        ("pct_one", r"CPU, % of one CPU:"),
        ("us_tx", r"CPU per transaction(?:, us)?:"),
    ):
        parts = r"\s+usr %s\s+sys %s\s+(?:both|total) %s" % (NUMBER, NUMBER, NUMBER)
        m = re.search(pattern + parts, text, re.I)
        for name, value in zip(("usr", "sys", "cpu"), m.groups() if m else (None,) * 3):
            values["%s_%s_%s" % (prefix, name, key)] = number(value)
    values[prefix + "_switches_tx"] = one(r"\(%s per transaction\)" % NUMBER, text)
    values[prefix + "_threads"] = one(r"^[ \t]+threads:\s+%s" % NUMBER, text)
    values[prefix + "_rss_mib"] = one(r"^[ \t]+rss:\s+%s MiB" % NUMBER, text)
    return values


def series(rate: str) -> Figures:
    """{"response_p50": ms, ...}: the table of the Rate block, by the names in its head."""
    values: Figures = {"%s_%s" % (row, key): None for row in ROWS for key in SERIES}
    names: list[str] = []
    for line in rate.splitlines():
        first, *cells = line.split() or [""]
        if first == "ms":
            names = [COLUMNS.get(n, n) for n in cells]
        elif first in ROWS:
            pairs = [(k, v) for k, v in zip(names, cells) if NAME.fullmatch(k)]
            values.update(("%s_%s" % (first, k), number(v)) for k, v in pairs)
    return values


def parse(text: str) -> Figures:
    """All figures of a final report in a flat dict; those of a rate are None without one."""
    # One line for each figure: continuation lines begin in column 42.
    text = re.sub(r"\n {41}(?=\S)", " ", text)
    rate = block(text, "Rate")
    values: Figures = {
        "tps": one(r"^[ \t]+transactions:\s+\d+\s+\(%s per sec" % NUMBER, text),
        "events": one(r"^[ \t]+total number of events:\s+%s" % NUMBER, text),
        "seconds": one(r"^[ \t]+(?:total time|time elapsed):\s+%ss" % NUMBER, text),
        "latency_avg": one(r"^[ \t]+avg:\s+%s" % NUMBER, block(text, r"Latency \(ms\)")),
    }
    for key in ("target", "achieved", "offered", "done", "failed", "dropped", "unfinished"):
        values[key] = one(r"^[ \t]+%s:\s+%s" % (key, NUMBER), rate)
    values["late"] = one(r"^[ \t]+late starts \(.*?\):\s+%s" % NUMBER, rate)
    values.update(series(rate))
    m = re.search(r"^[ \t]+sustained:[ \t]+(yes|no)\b(.*)$", text, re.M)
    values["sustained"] = m.group(1) if m else None
    why = re.sub(r"^ until it was interrupted \([^)]*\)", "", m.group(2)) if m else ""
    why = why.lstrip(" \t-:,").rstrip()
    values["why"] = why[1:-1] if why[:1] + why[-1:] == "()" else why
    values.update(process(block(text, "Server"), "server"))
    values.update(process(block(text, "Load generator"), "client"))
    return values
