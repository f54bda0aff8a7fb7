#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what names metrics against the metrics that there are.  Each command prints a line for
each thing that is wrong.

usage: dashboard.py names METRICS DOCUMENT       the document names each metric, and no other
       dashboard.py dashboard METRICS FILE.json  queries, legends and variables use metrics and
                                                 labels that exist; panels have a title, a
                                                 description and a place of their own
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from typing import Any, Callable, Dict, Iterable, Set

from metric_names import parse_sample

Document = Dict[str, Any]
Samples = Dict[str, Set[str]]  # names and labels of metrics

NAME = re.compile(r"\bsysbench_[a-z0-9_]+")
ADDED_BY_PROMETHEUS = {"instance", "job"}


def read_metrics(path: str) -> tuple[Samples, dict[str, str]]:
    """{sample's name: {its labels}}, {family: type}"""
    samples: Samples = {}
    families: dict[str, str] = {}
    with open(path) as f:
        for line in f:
            if line.startswith("# TYPE "):
                _, _, family, kind = line.split()
                families[family] = kind
            elif sample := parse_sample(line):
                samples.setdefault("sysbench_" + sample[0], set()).update(sample[1])
    return samples, families


def shown_name(family: str, kind: str) -> str:
    """As users see a family."""
    return family + {"counter": "_total", "info": "_info"}.get(kind, "")


def names(metrics: str, document: str) -> list[str]:
    _, families = read_metrics(metrics)
    wanted = there = {shown_name(*i) for i in families.items()}
    with open(document) as f:
        text = f.read()
    if "All `sysbench_server_*` of this row exist as `sysbench_client_*`" in text:
        servers = {n for n in wanted if n.startswith("sysbench_server_")}
        wanted -= {n.replace("_server_", "_client_", 1) for n in servers}
    named = {n for n in NAME.findall(text) if not n.endswith("_")}
    found = ["%s is not in the document" % n for n in wanted - named]
    return found + ["the document has %s" % n for n in named - there]


def check_query(panel: Document, target: Document, samples: Samples) -> list[str]:
    """The metrics of a query, the labels of each selector, and those of the legend."""
    found, query = [], target["expr"]
    used = NAME.findall(query)
    labels = set().union(ADDED_BY_PROMETHEUS, *(samples.get(n, set()) for n in used))
    for name in used:
        if name not in samples:
            found.append("%s: no metric %s" % (panel, name))
    for name, matchers in re.findall(r"(sysbench_\w+)\{([^}]*)\}", query):
        for label in re.findall(r'(\w+)(?:=~|!~|!=|=)"', matchers):
            if name in samples and label not in samples[name] | ADDED_BY_PROMETHEUS:
                found.append("%s: no label %s: %s" % (panel, label, name))
    by = re.findall(r"(?:by|ignoring|without|on) \(([^)]*)\)", query)
    shown = re.findall(r"{{(\w+)}}", target.get("legendFormat", ""))
    for label in re.findall(r"\w+", " ".join(by)) + shown:
        if label not in labels and all(n in samples for n in used):
            found.append("%s: no label %s" % (panel, label))
    return found


def check_places(panels: Iterable[Document]) -> list[str]:
    found = []
    taken: dict[tuple[int, int], str] = {}
    for p in panels:
        at = p["gridPos"]
        wide, high = (range(at[k], at[k] + at[n]) for k, n in (("x", "w"), ("y", "h")))
        for cell in itertools.product(wide, high):
            if taken.setdefault(cell, p["title"]) != p["title"]:
                found.append("%s lies over %s" % (p["title"], taken[cell]))
                break
        if at["x"] + at["w"] > 24:
            found.append("%s is too wide" % p["title"])
    return found


def dashboard(metrics: str, path: str) -> list[str]:
    samples, _ = read_metrics(metrics)
    with open(path) as f:
        board = json.load(f)
    panels = board["panels"]
    found = check_places(panels)
    if len({p["id"] for p in panels}) != len(panels):
        found.append("two panels have one id")
    for p in panels:
        if p["type"] != "row" and not (p["title"] and p["description"] and p["targets"]):
            found.append("panel %s has no title, description or query" % p["id"])
        for target in p.get("targets", []):
            found += check_query(p["title"], target, samples)
    for note in board["annotations"]["list"]:
        legend = note["titleFormat"] + note["textFormat"]
        target = {"expr": note["expr"], "legendFormat": legend}
        found += check_query(note["name"], target, samples)
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            found += check_query(variable["name"], {"expr": variable["definition"]}, samples)
    return found


if __name__ == "__main__":
    commands: dict[str, Callable[..., list[str]]] = {"names": names, "dashboard": dashboard}
    problems = commands[sys.argv[1]](*sys.argv[2:])
    print("".join(line + "\n" for line in sorted(set(problems))), end="")
    sys.exit(1 if problems else 0)
