# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/lint demands of cram files and of the shell that they source.

A background command's `>out` empties the file when its own process opens it, which may
be after the next command has begun.  A `wait_for out PATTERN` that reads what an earlier
command left there ends at once, and a signal sent then reaches a shell that ignores it.
So the file is emptied or removed before: `: >out; sysbench ... >out &`.

What is written, text and commands, has at most 140 columns (what a program prints is as long as it
is), and Python of more than five lines is a file of tests/include.

An interval line that comes half a second late has the next second in it.  So tests count such
lines, and await none by its second.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Iterator, NamedTuple

WORD = re.compile(
    r"\brm (?:-f )?(?P<removed>[^;&|]*)"
    r"|(?:^|[;{]\s*|\bdo )\s*:\s*>\s*(?P<emptied>[\w./-]+)"
    r"|(?<![0-9&>])[12]?>\s*(?P<written>[A-Za-z][\w./-]*)"
    r"|\bwait_for\s+(?P<awaited>\S+)"
)
OF_A_SECOND = re.compile(r"\bwait_for\s+\S+\s+'\^\\\[ *\d")
PYTHON = re.compile(r"(\bpython3 -|\bcat >\s*[\w.]+\.py\b).*<<-?\s*'?(?P<end>\w+)")
WIDEST = 140
MOST_PYTHON = 5
BACKGROUND = re.compile(r"(?<![&>])&(?![&>\d])")


class Line(NamedTuple):
    number: int
    text: str


def commands(text: str, cram: bool) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), 1):
        if not cram:
            yield Line(number, line)
        elif line.startswith(("  $ ", "  > ")):
            yield Line(number, line[4:])


def errors(text: str, cram: bool = True) -> Iterator[tuple[int, str]]:
    """Line and sentence for each wait that may end too early, or never."""
    old: dict[str, int] = {}  # a file that is not empty: where it was written
    stale: dict[str, int] = {}  # one that a background command will empty
    for line in commands(text, cram):
        if OF_A_SECOND.search(line.text):
            yield line.number, "waits for a second that a late line does not name: count the lines"
        for m in WORD.finditer(line.text):
            for name in (m.group("removed") or "").split() + [m.group("emptied") or ""]:
                old.pop(name, None)
                stale.pop(name, None)
            name = m.group("written")
            if name:
                stale.pop(name, None)
                if name in old and BACKGROUND.search(line.text, m.end()):
                    stale[name] = old[name]
                old[name] = line.number
            name = m.group("awaited")
            if name in stale:
                yield (
                    line.number,
                    "waits for a line of %s, which still has those of line %d: `: >%s` first"
                    % (name, stale[name], name),
                )


def form(text: str) -> Iterator[tuple[int, str]]:
    """Line and sentence for each line that is too long, and for Python that is."""
    began, end = 0, None
    for number, line in enumerate(text.splitlines(), 1):
        written = line.startswith(("  $ ", "  > ")) or not line.startswith("  ")
        if written and len(line) > WIDEST:
            yield number, "%d columns, more than %d" % (len(line), WIDEST)
        if end is None:
            python = PYTHON.search(line) if written else None
            began, end = number, python and python.group("end")
        elif line == "  > " + end:
            if number - began - 1 > MOST_PYTHON:
                yield began, "more than %d lines of Python: into tests/include" % MOST_PYTHON
            end = None


def check(root: str, files: Iterable[str]) -> list[str]:
    found = []
    for name in files:
        with open(os.path.join(root, name)) as f:
            text = f.read()
        cram = name.endswith(".t")
        wrong = [*errors(text, cram), *(form(text) if cram else ())]
        found += ["%s:%d: %s" % (name, n, what) for n, what in wrong]
    return found
