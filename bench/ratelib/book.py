# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of a sitting, asked for by section and case, and figures of several of them as text.

Several runs of one case show as `median (least to most)`.  A figure that a program does not show
is n/a.  The columns `others` and `steal` are the worst of the runs in the row: CPU of the whole
machine that was used by neither the program nor its server, and that the host took away, in %.
"""

from __future__ import annotations

import math
import re
import signal
import statistics
from typing import Any, Iterable, Sequence

from .lab import PROGRAMS
from .texts import COLUMNS, NOISE, TEXTS
from .types import Records

NAMES = {
    "sysbench-tx": "sysbench-tx",
    "stock": "stock --rate",
    "pgbench": "pgbench -R",
    "sleeper": "(no load generator)",
    "floor": "bare C loop",
}


class Book:
    """The records of a sitting."""

    def __init__(self, records: Records) -> None:
        self.records = records

    def of(self, section: str, program: str | None = None, **case: Any) -> Records:
        return [
            r
            for r in self.records
            if r["section"] == section
            and (program is None or r["program"] == program)
            and all(r["case"].get(k) == v for k, v in case.items())
        ]

    def of_program(self, program: str | None) -> Records:
        return [r for r in self.records if r["program"] == program]

    def cases(self, section: str, key: str, **case: Any) -> list[Any]:
        """Values of one property of the cases, in the order of running."""
        return list(dict.fromkeys(r["case"].get(key) for r in self.of(section, **case)))


def values(records: Records, key: str) -> list[float]:
    found = [r["figures"].get(key) for r in records]
    return [v for v in found if v is not None]


def spread(records: Records, key: str, places: int, scale: float = 1.0) -> str:
    """`median (least to most)` of a figure, `n/a` when no run shows it."""
    v = sorted(scale * x for x in values(records, key))
    if not v:
        return "n/a"
    form = "{:,.%df}" % places
    text = form.format(statistics.median(v))
    if len(v) > 1 and form.format(v[0]) != form.format(v[-1]):
        text += " (%s to %s)" % (form.format(v[0]), form.format(v[-1]))
    return text


def worst(records: Records, key: str) -> str:
    v = [r["noise"][key] for r in records if r["noise"].get(key) is not None]
    return "%.0f" % max(v) if v else "n/a"


def ending(code: int) -> str:
    """An exit status, or the name of the signal that ended the program."""
    return signal.Signals(-code).name if code < 0 else str(code)


def noise(records: Records) -> list[str]:
    return [worst(records, "others_pct"), worst(records, "steal_pct")]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def commands(records: Records) -> str:
    """The command lines as a block of code; of those that differ in numbers only, the first."""
    seen: dict[str, str] = {}
    for r in records:
        seen.setdefault(re.sub(r"[\d.]+", "#", r["command"]), r["command"])
    return "".join("    %s\n" % command for command in seen.values())


def part(
    section: str, records: Records, rows: Iterable[Sequence[object]], only: str | None = None
) -> str:
    """One section of the report; `only`: what --only calls it, if that is another name."""
    title, text = TEXTS[section]
    t = records[0]["time"]
    text %= {"t": t, "sigma": 100 / math.sqrt(1200 * t)}
    return "### %s\n%s\n    bench/rate.py --only=%s\n%s\n%s" % (
        title,
        text,
        only or section,
        commands(records),
        table(COLUMNS[section] + NOISE, rows),
    )


def programs(records: Records) -> list[str]:
    present = {r["program"] for r in records}
    return [p for p in PROGRAMS if p in present]


def within(records: Records, percent: float) -> str:
    v = values(records, "achieved_pct")
    return "n/a" if not v else "yes" if all(abs(x - 100) <= percent for x in v) else "no"


def ratio(ours: Sequence[float], stock: Sequence[float]) -> str:
    """Of two medians; n/a when one is missing."""
    return (
        "%.2f" % (statistics.median(ours) / statistics.median(stock)) if ours and stock else "n/a"
    )
