# SPDX-License-Identifier: GPL-2.0-or-later
"""What the modules of report.py share: documents, figures by name, the list of problems."""

from __future__ import annotations

import json
from typing import Any, Dict

Document = Dict[str, Any]

problems: list[str] = []


def problem(text: str, *values: object) -> None:
    problems.append(text % values)


def load(path: str) -> Any:
    with open(path) as f:
        return json.load(f)


def load_lines(path: str) -> list[Document]:
    with open(path) as f:
        return [json.loads(line) for line in f]


SECTIONS = (
    "latency",
    "threads",
    "rate",
    "server",
    "client",
    "host",
    "server_events",
    "server_status",
)
# members of a report that csv and the metrics do not have
NO_FIGURES = (
    "missing",
    "at_least",
    "statements",
    "server_syscalls",
    "errors_by_code",
    "outages",
    "retries",
    "connections",
    "incidents",
)


def flat(snapshot: Document) -> Document:
    """{"rate_done": 5}: names as in csv; sections that are null are left out."""
    values: Document = {}
    for name, value in snapshot.items():
        if name in NO_FIGURES:
            continue
        if isinstance(value, dict):
            values.update(
                ("%s_%s" % (name, k), v) for k, v in value.items() if k not in ("name", "how")
            )
        elif value is not None or name not in SECTIONS:
            values[name] = value
    return values


def same(where: str, name: str, got: Any, want: Any) -> None:
    if got != want:
        problem("%s: %s is %r, in json %r", where, name, got, want)
