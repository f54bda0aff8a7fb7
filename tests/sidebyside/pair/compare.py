# SPDX-License-Identifier: GPL-2.0-or-later
"""The difference of two runs of a case, and whether it is the one that was expected.

A run is a list of steps; a step is a dict of streams, each a list of lines: `exit`,
`stdout`, `stderr`, and with the tags of the case `sql` and `tables`.  The difference is a
list of lines without context:

    @ STEP STREAM
    -line of stock
    +line of ours
"""

from __future__ import annotations

import difflib
import re
from typing import Container, Sequence

from . import Steps
from .cases import Case

STREAMS = ("exit", "stdout", "stderr", "sql", "tables")
EQUAL, EXPLAINED, UNEXPLAINED = "equal", "explained", "UNEXPLAINED"


def difference(stock: Steps, ours: Steps, streams: Sequence[str] = STREAMS) -> list[str]:
    """All lines in which the two runs differ."""
    out = []
    for number, (a, b) in enumerate(zip(stock, ours), 1):
        for stream in streams:
            lines = line_difference(a.get(stream, []), b.get(stream, []))
            if lines:
                out += ["@ %d %s" % (number, stream)] + lines
    if len(stock) != len(ours):
        out.append("@ the runs have %d and %d steps" % (len(stock), len(ours)))
    return out


def line_difference(a: str, b: str) -> list[str]:
    out = []
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for what, a0, a1, b0, b1 in matcher.get_opcodes():
        if what != "equal":
            out += ["-" + line for line in a[a0:a1]] + ["+" + line for line in b[b0:b1]]
    return out


def only_streams(lines: Sequence[str], streams: Sequence[str]) -> list[str]:
    """The part of an expected difference that is about these streams."""
    out, wanted = [], False
    for line in lines:
        if line.startswith("@ "):
            wanted = line.split()[-1] in streams
        if wanted:
            out.append(line)
    return out


def agrees(expected: Sequence[str], found: Sequence[str]) -> bool:
    """Whether the difference is the expected one; `+* PATTERN` takes a run of added lines."""
    at = 0
    for line in expected:
        if not line.startswith("+* "):
            if at >= len(found) or found[at] != line:
                return False
            at += 1
            continue
        pattern, began = re.compile(line[3:]), at
        while at < len(found) and found[at].startswith("+") and pattern.fullmatch(found[at][1:]):
            at += 1
        if at == began:
            return False
    return at == len(found)


def judge(
    case: Case, found: Sequence[str], documented: Container[str], streams: Sequence[str] = STREAMS
) -> tuple[str, list[str]]:
    """(verdict, list of reasons why it is unexplained)."""
    expected = only_streams(case.expected, streams)
    if not found and not expected:
        return EQUAL, []
    reasons = [
        "'%s' is no entry of docs/differences.md" % i for i in case.ids if i not in documented
    ]
    if found and not case.ids:
        reasons.append("no entry of docs/differences.md is named")
    if not found:
        reasons.append("the difference that is explained is gone")
    elif not agrees(expected, found):
        reasons.append("it is not the difference that is explained")
    return (UNEXPLAINED if reasons else EXPLAINED), reasons
