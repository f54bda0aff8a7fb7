# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of the table of servers, and the table in the document."""

from __future__ import annotations

import re

from sblab import LabError
from sblab.build import say
from versions.columns import COLUMNS, Bench, Failed
from versions.service import Missing, Service

Rows = dict[str, list[str]]  # the cells of a row by the name of the place


def fill(service: Service, columns: list[str], bench: Bench) -> list[str]:
    """Title and cells of a place; '' for a column that is not asked for."""
    cells = {c: "" for c in COLUMNS}
    try:
        service.stop()  # what a run that was killed has left
        service.start()
        for c in columns:
            try:
                lacks = service.lacks.get(c)
                cells[c] = "n/a: " + lacks if lacks else COLUMNS[c](bench)
            except Failed as e:
                cells[c] = "FAILED: " + re.sub(r"[\s|]+", " ", str(e))
            say("%s %s: %s" % (service.name, c, cells[c]))
    except Missing as e:
        cells.update({c: "n/a: %s" % e for c in columns})
    except LabError as e:
        cells.update({c: "FAILED: %s" % e for c in columns[:1]})
    finally:
        service.stop()
    return [service.title, *cells.values()]


def read(text: str) -> Rows:
    """The rows of a table that was written before."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {cells[0].strip("`"): cells[1:] for cells in rows if len(cells) == 2 + len(COLUMNS)}


def table(old: Rows, new: Rows, order: list[str]) -> str:
    """New cells before those that were there."""
    lines = ["| | server | %s |" % " | ".join(COLUMNS), "|---" * (2 + len(COLUMNS)) + "|"]
    for name in order:
        was, now = (rows.get(name) or [""] * (1 + len(COLUMNS)) for rows in (old, new))
        cells = [n or w or "not run" for n, w in zip(now, was)]
        if name in old or name in new:
            lines.append("| `%s` | %s |" % (name, " | ".join(cells)))
    return "\n".join(lines) + "\n"
