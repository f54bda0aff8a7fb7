# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of the table of servers, and the table in the document."""

from __future__ import annotations

import re

from sblab import LabError
from sblab.build import say
from versions.columns import COLUMNS, FIGURES, Bench, Failed
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


def read(document: str) -> Rows:
    """The rows of a table that was written before."""
    found = {}
    for line in document.splitlines()[2:]:
        name, title, *figures, but = [cell.strip() for cell in line.split("|")[1:-1]]
        cells = dict.fromkeys(COLUMNS, "ok")
        cells.update(zip(FIGURES, figures))
        for column, _, text in (part.partition(": ") for part in but.split("; ") if part):
            cells[column] = text
        found[name.strip("`")] = [title, *cells.values()]
    return found


def table(old: Rows, new: Rows, order: list[str]) -> str:
    """New cells before those that were there."""
    lines = ["| | server | %s | not ok |" % " | ".join(FIGURES), "|---" * (3 + len(FIGURES)) + "|"]
    for name in order:
        was, now = (rows.get(name) or [""] * (1 + len(COLUMNS)) for rows in (old, new))
        cells = [n or w or "not run" for n, w in zip(now, was)]
        if name in old or name in new:
            named = dict(zip(COLUMNS, cells[1:]))
            rest = [(c, text) for c, text in named.items() if c not in FIGURES and text != "ok"]
            but = ["%s: %s" % (c, text.replace(";", ",")) for c, text in rest]
            shown = [cells[0], *(named[f] for f in FIGURES), "; ".join(but)]
            lines.append("| `%s` | %s |" % (name, " | ".join(shown)))
    return "\n".join(lines) + "\n"
