# SPDX-License-Identifier: GPL-2.0-or-later
"""Output as it is compared.

Masked are: measured figures in the lines that forms.py names, the rows of a latency
histogram once they have proved to be well drawn, the program's version, and the paths
and ports of this machine.  Nothing else: a number in any other line counts as text.
"""

from __future__ import annotations

import re
from typing import Container, Iterable, Sequence

from . import forms

VERSION = r"\d+\.\d+\.\d+(?:-[0-9a-f]+)?"
HISTOGRAM = re.compile(r"( *\d+\.\d{3}) \|(\*{0,40} *) (\d+)")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
RULES = [
    # the first line of every command, and --version
    (
        re.compile(r"^sysbench %s \(using (?:system|bundled) LuaJIT [\w.+-]+\)$" % VERSION),
        "sysbench VERSION (using LuaJIT VERSION)",
    ),
    (re.compile(r"^sysbench %s$" % VERSION), "sysbench VERSION"),
    # line numbers of scripts that are not the user's own; ours have built-in parts
    (
        re.compile(
            r"(?<![\w/])(?:/\S*/(?:oltp_\w+|select_random_\w+|bulk_insert)|sysbench-tx/\w+)\.lua:\d+:"
        ),
        "SHARE:LINE:",
    ),
    (re.compile(r"\[string \"[^\"]*\"\]:\d+:"), "[internal]:LINE:"),
    # the content of a file that `--validate` wrote is random
    (
        re.compile(r"^(FATAL:     Calculated value: )0x[0-9a-f]+(    Stored value: )0x[0-9a-f]+$"),
        r"\1%x\2%x",
    ),
    # ours alone: when an error first and last happened, how often a transaction was run again,
    # when an outage began and what it lasted
    (re.compile(r"^(    outage \d+: +first error at) \d+\.\d{3} s"), r"\1 %.3f s"),
    (re.compile(r"^(      [a-z ]+: +after) \d+\.\d{3} s"), r"\1 %.3f s"),
    (re.compile(r"^(      longest time without success: +)\d+\.\d{3} s"), r"\1%.3f s"),
    (re.compile(r"^(  +\d+) +\d+\.\d{3} +\d+\.\d{3}(?=  [a-z-]+ \S)"), r"\1 %9.3f %9.3f"),
    (
        re.compile(r"^(    transactions run again: +\d+) \(\d+ retries, at most \d+ of one\)$"),
        r"\1 (%u retries, at most %u of one)",
    ),
    (re.compile(r"(?<!\w)[\w.]+\.lua:\d+: (?=.*should not be called directly)"), "SHARE:LINE: "),
]


def histogram(rows: Sequence[str]) -> str | None:
    """One line in place of the rows of a histogram; None when a row is drawn wrongly."""
    cells = [c for c in map(HISTOGRAM.fullmatch, rows) if c]
    if len(cells) < len(rows):
        return None
    most = max(int(c.group(3)) for c in cells)
    last = -1.0
    for c in cells:
        value, stars, count = float(c.group(1)), c.group(2).rstrip(), int(c.group(3))
        wanted = int(40 * count / most + 0.5)
        if (
            len(c.group(1)) != 12
            or len(c.group(2)) != 40
            or value < last
            or count < 1
            or abs(len(stars) - wanted) > 1
        ):
            return None
        last = value
    return "%12.3f |%-40s %lu   (rows of a histogram)"


def fold_histograms(lines: Sequence[str]) -> list[str]:
    """Each run of well drawn rows becomes one line; others stay."""
    out: list[str] = []
    rows: list[str] = []
    for line in [*lines, None]:
        if line is not None and HISTOGRAM.fullmatch(line):
            rows.append(line)
            continue
        if rows:
            folded = histogram(rows)
            out += [folded] if folded else rows
            rows = []
        if line is not None:
            out.append(line)
    return out


def is_last_interval(line: str, seconds: float) -> bool:
    """An interval line stamped with the end of the run: whether it is printed is a race."""
    return (
        seconds > 0
        and line.startswith("[ %ds ] " % seconds)
        and not line.endswith("Checkpoint report:")
    )


def normalise(
    text: str, tags: Container[str] = (), seconds: float = 0, names: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """Lines to compare.  `names` are pairs of a text of this machine and its stand-in.

    Of the tags of a case (cases.py) these count: counts, sorted, letters.
    """
    for real, stand_in in names:
        text = text.replace(real, stand_in)
    text = CONTROL.sub(lambda m: "\\x%02x" % ord(m.group()), text)
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "   (no newline)"
    out = []
    for line in fold_histograms(lines):
        if is_last_interval(line, seconds):
            continue
        for regex, stand_in in RULES:
            line = regex.sub(stand_in, line)
        out.append(forms.mask_line(line, "counts" in tags))
    if "letters" in tags:
        letters = "".join("".join(out).split())
        return ["%s %d" % (letter, letters.count(letter)) for letter in sorted(set(letters))]
    return sorted(out) if "sorted" in tags else out
