# SPDX-License-Identifier: GPL-2.0-or-later
"""The text report of a run as numbers.

A figure that the report shows as n/a, or does not show, is None here, never 0.
Only lines that belong to the blocks after the interval lines are read; wording
may gain words and columns without breaking this.
"""

from __future__ import annotations

import re
from typing import Any, Dict

Figures = Dict[str, Any]  # by name; None where the report shows none

NUMBER = r"(n/a|-?\d+(?:\.\d+)?)"
ROWS = ("response", "service", "lag")
SERIES = ("p50", "p95", "p99", "max", "mean")  # always there; --percentile adds others among them
COLUMNS = {"maximum": "max"}


def number(text: str | None) -> float | None:
    return None if text is None or text == "n/a" else float(text)


def block(text: str, title: str) -> str:
    """The lines of a block: from a line that starts with `title:` to the next empty line."""
    m = re.search(r"^%s:.*?(?=^\s*$|\Z)" % title, text, re.M | re.S)
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
    values[prefix + "_threads"] = one(r"^\s+threads:\s+%s" % NUMBER, text)
    values[prefix + "_rss_mib"] = one(r"^\s+rss:\s+%s MiB" % NUMBER, text)
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
            values.update(("%s_%s" % (first, k), number(v)) for k, v in zip(names, cells))
    return values


def parse(text: str) -> Figures:
    """All figures of a final report in a flat dict; those of a rate are None without one."""
    # One line for each figure: continuation lines begin in column 42.
    text = re.sub(r"\n {41}(?=\S)", " ", text)
    rate = block(text, "Rate")
    values: Figures = {
        "tps": one(r"^\s+transactions:\s+\d+\s+\(%s per sec" % NUMBER, text),
        "events": one(r"^\s+total number of events:\s+%s" % NUMBER, text),
        "seconds": one(r"^\s+(?:total time|time elapsed):\s+%ss" % NUMBER, text),
        "latency_avg": one(r"^\s+avg:\s+%s" % NUMBER, block(text, r"Latency \(ms\)")),
    }
    for key in ("target", "achieved", "offered", "done", "failed", "dropped", "unfinished"):
        values[key] = one(r"^\s+%s:\s+%s" % (key, NUMBER), rate)
    values["late"] = one(r"^\s+late starts \(.*?\):\s+%s" % NUMBER, rate)
    values.update(series(rate))
    verdict = r"^\s+sustained:\s+(yes|no)(?: until it was interrupted \([^)]*\))?"
    m = re.search(verdict + r"(?:\s*[-:,(]\s*(.*?)\)?)?\s*$", text, re.M)
    values["sustained"] = m.group(1) if m else None
    values["why"] = (m.group(2) or "") if m else ""
    values.update(process(block(text, "Server"), "server"))
    values.update(process(block(text, "Load generator"), "client"))
    return values
