# SPDX-License-Identifier: GPL-2.0-or-later
"""How factors, cells, servers and numbers are called where people read them.

Tables, the plot, progress and pictures use the same words: load.threads is "connections", a cell is
"pool-of-threads, 16 connections", the server of an experiment with MariaDB is "mariadbd".
"""

from __future__ import annotations

import contextlib
import math
import re
from typing import Collection, Iterable, Mapping, Sequence

from .. import visible
from .model import Cell, CellSummary, Experiment, Plan

HEADINGS = {"load.threads": "connections", "load.tx-rate": "tx/s asked for"}
SWITCHES = ("on", "off", "yes", "no", "true", "false")
BARE = re.compile(r"[+-]?[\d.,:-]+(e[+-]?\d+)?[A-Za-z]{0,3}%?")
OPTION = re.compile(r"load\.(?!script$)|(server|client)\.(option|env)\.")
SERVERS = {"mariadb": "mariadbd", "mysql": "mysqld", "postgresql": "postgres"}


def heading(factor: str) -> str:
    """A factor as the head of a column or the name of an axis."""
    return HEADINGS.get(factor, factor.rpartition(".")[2] or "cell")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_bare(factor: str, level: str) -> bool:
    """Whether a level says nothing without its setting: 2, off, 128M, local, O_DIRECT."""
    word = re.fullmatch(r"\w+", level) and (OPTION.match(factor) or level.lower() in SWITCHES)
    return factor != "arm" and bool(word or BARE.fullmatch(level))


def level_text(factor: str, level: str) -> str:
    """A level on its own: "16 connections", "pool_size 4", "jit off", "pool-of-threads"."""
    if factor in HEADINGS:
        text = "%s %s" % (level, HEADINGS[factor])
        return text.removesuffix("s") if level == "1" else text
    return "%s %s" % (heading(factor), level) if is_bare(factor, level) else level


def against(factor: str, base: str, *others: str) -> str:
    """Levels that are compared, the setting once: "jit off against on"."""
    text = "%s against %s" % (joined(others), base)
    bare = any(is_bare(factor, level) for level in (base, *others))
    return "%s %s" % (heading(factor), text) if bare else text


def pair_text(base: Cell, other: Cell, *without: str) -> str:
    """Two cells that differ in one factor, but for the levels of these: "jit off against on, 16
    connections"."""
    differ = [k for k, level in other.levels.items() if base.levels[k] != level]
    texts = [against(k, base.levels[k], other.levels[k]) for k in differ]
    return ", ".join(filter(None, [*texts, levels_text(other, *differ, *without)]))


def cell_text(cell: Cell) -> str:
    return levels_text(cell) or "the only cell"


def levels_text(cell: Cell, *without: str) -> str:
    """Its levels of all factors but these.  Without the axis: what its arm is called."""
    return ", ".join(level_text(k, v) for k, v in cell.levels.items() if k not in without)


def names_of(exp: Experiment, cell: Cell, compared: Iterable[str]) -> list[str]:
    """All that its arm may be called by: its levels of the factors that are compared, one or all,
    or all but that of the axis; as they are written or as they are shown."""
    levels = [(k, cell.levels[k]) for k in compared]
    line = [(k, v) for k, v in cell.levels.items() if k != exp.x]
    sets = [levels, line, *([one] for one in levels)]
    return [", ".join(t) for s in sets for t in ([v for _, v in s], [level_text(*p) for p in s])]


def number_of(level: str) -> float | None:
    """The number that a level is; None if it is none."""
    with contextlib.suppress(ValueError):
        return value if math.isfinite(value := float(level)) else None
    return None


def server_name(settings: Iterable[Mapping[str, object]]) -> str:
    """The server's process, if all cells have the same engine; else "server"."""
    found = {SERVERS.get(str(s.get("server.engine")), "server") for s in settings}
    return found.pop() if len(found) == 1 else "server"


def in_order(exp: Experiment, summaries: Iterable[CellSummary]) -> list[CellSummary]:
    """As the levels are written; a search adds cells in the order in which it asks."""
    places = {f.name: {level.name: i for i, level in enumerate(f.levels)} for f in exp.factors}

    def place(summary: CellSummary) -> list[int]:
        return [places[f].get(summary.cell.levels.get(f, ""), 0) for f in places]

    return sorted(summaries, key=place)


def arm_names(summaries: Iterable[CellSummary]) -> list[str]:
    """All arms, in the order of the file."""
    return list(dict.fromkeys(s.arm for s in summaries))


def arm_title(arm: str, exp: Experiment) -> str:
    return arm or exp.title or exp.name


def x_of(exp: Experiment, cell: Cell) -> float | None:
    """Where a cell is on the horizontal axis."""
    return number_of(cell.levels[exp.x]) if exp.x in cell.levels else None


def has_axis(exp: Experiment, summaries: Iterable[CellSummary]) -> bool:
    """Whether a curve can be drawn: the cells are at two or more places of the axis."""
    return len({x_of(exp, s.cell) for s in summaries} - {None}) > 1


def work_factor(exp: Experiment) -> str:
    """The factor whose levels are other workloads, "" if none is; each has a panel of its own."""
    others = (f for f in exp.factors if f.name != exp.x and len(f.levels) > 1)
    return next((f.name for f in others if "load.script" in f.levels[0].changes), "")


def slug(text: str) -> str:
    """For the name of a file: 16-connections."""
    return re.sub(r"[^\w.]+", "-", text.lower()).strip("-")


def short(value: float) -> str:
    """Three digits or so, for people: 1200, 20.3, 0.46, 0.0021."""
    size = abs(value)
    if size == 0 or size >= 99.95:
        return "%.0f" % value
    decimals = 1 if size >= 9.995 else 2 if size >= 0.0995 else 3 if size >= 0.00995 else 4
    return "%.*f" % (decimals, value)


def grouped(value: float) -> str:
    """The same with commas from a thousand on: 1,200."""
    return "{:,.{}f}".format(value, len(short(value).partition(".")[2]))


def joined(names: Sequence[str], word: str = "and") -> str:
    """a, b and c"""
    return (" %s " % word).join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def duration(seconds: float) -> str:
    """90 -> "1 min 30 s", 4000 -> "1 h 7 min"."""
    s = round(seconds) if round(seconds) < 600 else 60 * round(seconds / 60)
    parts = (s // 3600, "h"), (s // 60 % 60, "min"), (s % 60, "s")
    return " ".join("%d %s" % part for part in parts if part[0]) or "0 s"


def position(plan: Plan, number: int) -> int:
    """How many runs of the plan come before this one."""
    return next((i for i, run in enumerate(plan.runs) if run.number == number), 0)


WIDEST = 200  # a word that is longer takes no room from those in other lines


def aligned(lines: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Words in columns; those of these numbers at the left, all others at the right."""
    lines = [list(map(visible, line)) for line in lines]
    fair = [[len(word) for word in column if len(word) <= WIDEST] for column in zip(*lines)]
    widths = [max(column, default=0) for column in fair]
    fit = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    return ["  ".join(f(w, n) for f, w, n in zip(fit, line, widths)).rstrip() for line in lines]
