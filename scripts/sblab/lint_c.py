# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules for C files that clang-format does not know.

Errors: a line over 100 columns without a string literal; a string literal that is split
in the middle of a word; a file that does not open with its license and some prose; an
option whose value is read in more than one function of src/, tests excepted; a call from
a signal handler or from src/base of a function that src/interpose replaces: on a fiber it
would let another client run.
Warnings: a function over 60 lines; a file over 700 lines, tests and files that are
mostly tables excepted.
"""

from __future__ import annotations

import os
import re
from typing import Iterator, NamedTuple

TEST = ("_test.c", "_test.h")
COLUMNS = 100
FUNCTION = 60
FILE = 700
HEAD = re.compile(r"/\* SPDX-License-Identifier: \S+\n \*\n \* \S*\w")
# the end of a literal in a letter, and one on the next line that begins with a letter
SPLIT = re.compile(r'(?<!\\)[A-Za-z]"\n\s*"[a-z]')
# formatted code: a function's body lies between two lines that are a brace each
BODY = re.compile(
    r"^(?P<head>[A-Za-z][^\n;{}=]*\([^;{}]*\)[^;{}=]*)\n\{\n(?P<body>.*?)^\}", re.M | re.S
)
CONTINUED = re.compile(r"\s*\\$")  # the end of a macro's line, which clang-format aligns
# a reader of opt/opt.h with the option's name
READ = re.compile(r'\bopt_(?:bool|int|double|str|list|given)\(\s*[^"();]*,\s*"([\w-]+)"')
INTERPOSED = re.compile(
    r"\b(?<!->)(?<!\.)(?:p?poll|(?:u|(?:clock_)?nano)?sleep|send|recv|(?:fd_)?close|bind"
    r"|(?:get|free)addrinfo)\("
)
# a function that becomes a handler
HANDLER = re.compile(r"\bsa_(?:handler|sigaction) = (\w+)|\b(?:signal|handle)\([^,()]+, (\w+)\)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
ROW = re.compile(r'^\s+[{.].*[,}]$|^\s+"|^\s+[A-Z]+\(.*\)[,;]?$')


class Found(NamedTuple):
    errors: list[str]
    warnings: list[str]


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function."""
    for m in BODY.finditer(text):
        name = re.search(r"(\w+)\s*\(", m.group("head"))
        lines = m.group(0).count("\n") + 1
        yield (name.group(1) if name else "?"), line_of(text, m.start()), lines


def errors(text: str) -> Iterator[tuple[int, str]]:
    if not HEAD.match(text):
        yield 1, "does not open with its license and what it is for"
    for number, line in enumerate(text.split("\n"), 1):
        columns = len(CONTINUED.sub("", line))
        if columns > COLUMNS and '"' not in line:
            yield number, "%d columns" % columns
    for m in SPLIT.finditer(text):
        yield line_of(text, m.start()), "a string that is split in the middle of a word"


def warnings(text: str) -> Iterator[tuple[int, str]]:
    for name, at, count in functions(text):
        if count > FUNCTION:
            yield at, "%s has %d lines" % (name, count)
    lines = text.splitlines()
    if len(lines) > FILE and sum(bool(ROW.match(line)) for line in lines) < len(lines) / 2:
        yield 1, "%d lines" % len(lines)


def options_read(text: str) -> Iterator[tuple[str, int, int]]:
    """The options read in a file: name, line of the function that does, line of the call."""
    starts = [at for _, at, _ in functions(text)]
    for m in READ.finditer(text):
        at = line_of(text, m.start())
        yield m.group(1).replace("_", "-"), max((s for s in starts if s <= at), default=0), at


def read_twice(texts: dict[str, str]) -> Iterator[str]:
    """Complaints about options that a second function reads: it belongs to one module, which
    hands the value on."""
    first: dict[str, tuple[str, int, int]] = {}
    for name, text in texts.items():
        for option, function, at in options_read(text):
            place = first.setdefault(option, (name, function, at))
            if place[:2] != (name, function):
                yield "%s:%d: --%s is read in %s:%d, too" % (name, at, option, place[0], place[2])


def bodies(text: str) -> Iterator[tuple[str, int, str]]:
    """Name, offset of the body and body of each function."""
    for m in BODY.finditer(text):
        name = re.search(r"(\w+)\s*\(", m.group("head"))
        yield (name.group(1) if name else "?"), m.start("body"), m.group("body")


def interposed(text: str, everywhere: bool) -> Iterator[tuple[int, str]]:
    """Calls of interposed functions from signal handlers, or from anywhere in the file."""
    text = COMMENT.sub(lambda c: re.sub(r"[^\n]", " ", c[0]), text)
    handlers = {a or b for a, b in HANDLER.findall(text)}
    for name, start, body in bodies(text):
        if everywhere or name in handlers:
            for m in INTERPOSED.finditer(body):
                at = line_of(text, start + m.start())
                yield at, "%s may park a fiber: base/plain.h" % m[0][:-1]


def check(root: str, files: list[str]) -> Found:
    found = Found([], [])
    product: dict[str, str] = {}
    for name in files:
        with open(os.path.join(root, name), encoding="utf-8") as f:
            text = f.read()
        if name.startswith("src/") and not name.endswith(TEST):
            product[name] = text
            base = name.startswith("src/base/") and not name.startswith("src/base/test")
            found.errors.extend("%s:%d: %s" % (name, *e) for e in interposed(text, base))
        found.errors.extend("%s:%d: %s" % (name, *e) for e in errors(text))
        if not name.endswith(TEST):
            found.warnings.extend("%s:%d: warning: %s" % (name, *w) for w in warnings(text))
    found.errors.extend(read_twice(product))
    return found
