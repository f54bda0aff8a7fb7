# SPDX-License-Identifier: GPL-2.0-or-later
"""The lists of command lines in cases/*.txt.

    # remark
    cpu run --events=5
    [counts sql] $MYSQL oltp_insert prepare ; oltp_insert $MYSQL --time=1 run
    cpu run --mutex-num=-1
        ~ mutex-limits
        @ 1 stdout
        -FATAL: Memory allocation failure!
        +FATAL: Invalid value for mutex-num: -1.

A case is a line: steps parted by ` ; `, each the arguments of sysbench, or with `! ` a
shell command (in which `sysbench` is the program under test).  A backslash at the end of a
line continues it.  $MYSQL and $PGSQL stand for the options that reach the private
servers; lua/ is the directory of our own workloads.

Tags: counts  numbers of events depend on the machine's speed
      sorted  the order of lines depends on the order of threads
      letters  so does the order of words: stock's print() writes a line in several pieces;
              letters are counted
      sql     compare what the server's log shows as well
      tables  compare the tables after each step as well
      golden  keep what stock sent and stored, for machines without it
      quick   part of the short run

The indented lines below a case are its difference: the ids of the entries of
docs/differences.md that explain it, then exactly what the comparison prints: for each step
and stream the lines that only stock (-) and only ours (+) prints.  Anything else, or nothing
at all, is a failure.  A line `+* PATTERN` stands for one or more lines in a row that only
ours prints and that match the regular expression.
"""

from __future__ import annotations

import os
import re
from typing import Sequence

from . import PairError

TAGS = {"counts", "sorted", "letters", "sql", "tables", "golden", "quick"}


class Case:
    """One command line with its steps, tags and expected difference."""

    def __init__(self, section: str, number: int, text: str) -> None:
        self.section, self.number, self.text = section, number, text
        self.ids: list[str] = []
        self.expected: list[str] = []
        self.source: list[str] = []  # its lines in the file
        self.tags: set[str] = set()
        rest = text
        m = re.match(r"\[([a-z ]+)\] +(.*)", text)
        if m:
            self.tags, rest = set(m.group(1).split()), m.group(2)
        unknown = self.tags - TAGS
        if unknown:
            raise PairError("%s:%d: unknown tag '%s'" % (section, number, sorted(unknown)[0]))
        self.steps = [s.strip() for s in rest.split(" ; ")]

    @property
    def needs(self) -> list[str]:
        """The engines that it runs against."""
        return [e for e, name in (("mariadb", "$MY"), ("postgresql", "$PG")) if name in self.text]

    @property
    def name(self) -> str:
        return "%s: %s" % (self.section, self.text)

    def explanation(self) -> list[str]:
        """Its indented lines, as they stand in the file."""
        if not self.ids and not self.expected:
            return []
        return ["    ~ " + ", ".join(self.ids or ["?"])] + ["    " + line for line in self.expected]


class Section:
    """One file: its cases, and its lines as they are, so that it can be written again."""

    def __init__(self, path: str) -> None:
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        self.cases: list[Case] = []
        self.lines: list[str | Case] = []
        with open(path, encoding="utf-8") as f:
            self.read(f.read().split("\n"))

    def read(self, lines: Sequence[str]) -> None:
        case: Case | None = None
        pending, began = "", 0
        for number, line in enumerate(lines, 1):
            if pending or (line and not line.startswith((" ", "#"))):
                began = began if pending else number
                text = pending + line.strip()
                if line.endswith("\\"):
                    pending = text[:-1].rstrip() + " "
                    continue
                case, pending = Case(self.name, began, text), ""
                case.source = list(lines[began - 1 : number])
                self.cases.append(case)
                self.lines.append(case)
            elif line.startswith("    ") and case is not None:
                self.note(case, number, line[4:])
            else:
                self.lines.append(line)
                case = None

    def note(self, case: Case, number: int, line: str) -> None:
        if line.startswith("~ "):
            case.ids += [i.strip() for i in line[2:].split(",")]
        elif line[:1] in "@-+" and line:
            case.expected.append(line)
        else:
            raise PairError(
                "%s:%d: a difference has lines beginning with ~ @ - +" % (self.path, number)
            )

    def write(self) -> None:
        """The file anew, with the differences that its cases have now."""
        out = []
        for item in self.lines:
            out += [item] if isinstance(item, str) else item.source + item.explanation()
        with open(self.path, "w", encoding="utf-8") as f:
            f.write("\n".join(out))


def load(directory: str) -> list[Section]:
    """All sections, in the order of their names."""
    names = sorted(n for n in os.listdir(directory) if n.endswith(".txt"))
    sections = [Section(os.path.join(directory, n)) for n in names]
    seen: dict[str, int] = {}
    for case in (c for s in sections for c in s.cases):
        if case.name in seen:
            raise PairError(
                "%s:%d: the same case as line %d" % (case.section, case.number, seen[case.name])
            )
        seen[case.name] = case.number
    return sections


def documented(path: str) -> set[str]:
    """The ids of docs/differences.md: the first column of its tables, one or more in a row."""
    with open(path, encoding="utf-8") as f:
        cells = re.findall(r"^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \|", f.read(), re.M)
    return {i for cell in cells for i in re.findall(r"[a-z0-9-]+", cell)}
