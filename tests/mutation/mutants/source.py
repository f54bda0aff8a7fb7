# SPDX-License-Identifier: GPL-2.0-or-later
"""Mutants of a C file: one small change each, all on one line.

The code is formatted, so a few patterns on lines find what a parser would: binary operators
stand between blanks, a statement ends its line.  Comments, strings and preprocessor lines are
left alone.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, NamedTuple, Tuple

RELATIONAL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
LOGICAL = {"&&": "||", "||": "&&"}
OPAQUE = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
    re.M | re.S,
)
OPERATOR = re.compile(r"(?<=[\w)\]] )(<=|>=|==|!=|&&|\|\||[-+*/%<>])(?= [\w(!~*&-])")
CONSTANT = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.])")
CONDITION = re.compile(r"^\s*(?:\} else )?(?:if|while) (\(.*\))( \{)?$")
STATEMENT = re.compile(
    r"^(\s+)(?:"
    r"[\w>.*\[\]()-]+ (?:[-+*/%|&^]|<<|>>)?= .*"  # assignment
    r"|[\w>.-]+\(.*"  # call
    r"|[\w>.\[\]-]+?(?:\+\+|--)"
    r");$"
)
RETURN = re.compile(r"^(\s+return )([^;]+);$")
# a variable's declaration with a value is no statement that can be dropped
DECLARED = re.compile(
    r"^\s+(?:static |const |struct |enum |unsigned |[a-z]\w* \**\w+( =|\[|;)|[a-z]\w*_(?:t|ns) )"
)


class Mutant(NamedTuple):
    """One changed line of a file; `line` counts from 1."""

    path: str
    line: int
    operator: str
    before: str
    after: str


def blanked(text: str) -> str:
    """The text with comments, strings and preprocessor lines overwritten, in the same places."""
    return OPAQUE.sub(lambda m: re.sub(r"[^\n]", "\x01", m.group()), text)


Change = Tuple[str, str]  # operator, the whole changed line


def replaced(line: str, start: int, end: int, text: str) -> str:
    return line[:start] + text + line[end:]


def operators(line: str, code: str) -> Iterator[Change]:
    for m in OPERATOR.finditer(code):
        word = m.group(1)
        for name, table in (
            ("relational", RELATIONAL),
            ("arithmetic", ARITHMETIC),
            ("logical", LOGICAL),
        ):
            if word in table:
                yield name, replaced(line, m.start(1), m.end(1), table[word])


def constants(line: str, code: str) -> Iterator[Change]:
    for m in CONSTANT.finditer(code):
        value = int(m.group(1), 8 if re.match(r"0\d", m.group(1)) else 10)
        yield "constant", replaced(line, m.start(1), m.end(1), str(value + 1))
        if value > 0:
            yield "constant", replaced(line, m.start(1), m.end(1), str(value - 1))


def conditions(line: str, code: str) -> Iterator[Change]:
    m = CONDITION.match(code)
    if m and m.group(1).count("(") == m.group(1).count(")"):
        inner = line[m.start(1) : m.end(1)]
        yield "condition", replaced(line, m.start(1), m.end(1), "(!%s)" % inner)


def statements(line: str, code: str) -> Iterator[Change]:
    m = STATEMENT.match(code)
    if m and not DECLARED.match(code) and code.count("(") == code.count(")"):
        yield "statement", m.group(1) + ";"


def returns(line: str, code: str) -> Iterator[Change]:
    m = RETURN.match(code)
    if m:
        value = m.group(2).strip()
        yield (
            "return",
            "%s%s;" % (line[: m.end(1)], "1" if value in ("0", "false", "NULL") else "0"),
        )


KINDS: list[Callable[[str, str], Iterator[Change]]] = [
    operators,
    constants,
    conditions,
    statements,
    returns,
]


def mutants(path: str, text: str) -> Iterator[Mutant]:
    """All mutants of a file, in the order of its lines."""
    depth = 0
    for number, (line, code) in enumerate(zip(text.split("\n"), blanked(text).split("\n")), 1):
        if depth > 0:  # inside a function, or a table
            for kind in KINDS:
                for operator, after in kind(line, code):
                    yield Mutant(path, number, operator, line, after)
        depth += code.count("{") - code.count("}")
