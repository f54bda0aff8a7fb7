# SPDX-License-Identifier: GPL-2.0-or-later
"""What the modules of report.py share: documents, figures by name, the list of problems."""

from __future__ import annotations

import json
import math
from typing import Any, Dict

Document = Dict[str, Any]

problems: list[str] = []
compared = [0]  # how many figures


def take_count() -> int:
    """How many figures were compared since the last time."""
    n, compared[0] = compared[0], 0
    return n


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
    "server_statements",
    "errors_by_code",
    "server_waits",
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
    compared[0] += 1
    if got != want:
        problem("%s: %s is %r, in json %r", where, name, got, want)


def near(
    where: str, name: str, got: Any, want: Any, rel: float = 1e-12, slack: float = 1e-9
) -> None:
    """What was computed in floating point, or is printed to some digits."""
    compared[0] += 1
    both = got is not None and want is not None
    if not (math.isclose(got, want, rel_tol=rel, abs_tol=slack) if both else got is want):
        problem("%s: %s is %r, in json %r", where, name, got, want)


def printed(where: str, name: str, text: str, want: float) -> None:
    """To the digits that are there: half a unit of the last one."""
    near(where, name, float(text), want, 0, 0.5 * 10 ** -len(text.partition(".")[2]) + 1e-9)
