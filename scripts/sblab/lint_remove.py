# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/lint demands of whatever removes a directory with all that is in it.

Python calls owned.remove(), which removes only what belongs to the caller and has a mark; nothing
else names shutil.rmtree, or runs rm -r or find -delete.  A shell removes by variable, with rm -r,
find -delete or find -exec rm, only what it has made itself: the same file sets the variable to what
mktemp -d says, or tests first that what it removes is ours.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Iterator

ONE = "scripts/sysbench_lab/owned.py"
ITSELF = ("scripts/sblab/lint_remove.py", "scripts/sblab/lint_test.py")
RMTREE = re.compile(
    r"\brmtree\b|\bremovedirs\b"
    # the words of a command: in a list, or as text that names no file of its own
    r"|[\"']rm[\"'],(?:\s*[\"'][^\"']*[\"'],)*?\s*[\"'](?:-\w*[rR]\w*|--recursive)[\"']"
    r"|[\"']find[\"'],.*[\"']-delete[\"']"
)
COMMAND = re.compile(r"\brm\s+(?:-\S+\s+)*(?:-\w*[rR]\w*|--recursive)\s+([^;|&\n]*)")
FIND = re.compile(
    r"\bfind\s+((?:(?!\s-)[^;|&\n])*)(?=\s-)[^;|&\n]*\s(?:-delete\b|-exec(?:dir)?\s+rm\b)"
)
VARIABLE = re.compile(r"\$[({]?(\w+)")


def python(text: str) -> Iterator[tuple[int, str]]:
    for found in RMTREE.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        yield number, "owned.remove() removes directories, and only what we made"


def shell(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        for found in (*COMMAND.finditer(line), *FIND.finditer(line)):
            tested = re.search(r"\btest\b", line[: found.start()])
            for name in VARIABLE.findall(found.group(1)) if not tested else ():
                if not re.search(r"\b%s=\$\(mktemp -d\b" % name, text):
                    yield number, "removal of $%s, which mktemp -d did not make here" % name


def check(root: str, pythons: Iterable[str], shells: Iterable[str]) -> list[str]:
    lines = []
    for files, rule in ((pythons, python), (shells, shell)):
        for name in files:
            if name != ONE and name not in ITSELF:
                with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
                    lines += ["%s:%d: %s" % (name, *found) for found in rule(f.read())]
    return lines
