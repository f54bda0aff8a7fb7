# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the tables of docs/reliability.md: each row ends with the tests that show it.

    python3 tests/include/promises.py SOURCE

A name is that of a drill (tests/faults/drills), of a cram file (tests/t), of a unit test
(src/Makefile.am) or a path, and there must be one. A row of the threats may say `documented`
instead. Prints what is wrong, a drill that no row names among it, then how many rows and drills
there are."""

import glob
import os
import re
import sys

LAST_COLUMN = ("shown by", "test")


def rows(text: str) -> "list[list[str]]":
    """The rows of those tables, as cells."""
    found, wanted = [], False
    for line in text.splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            wanted = False
        elif cells[-1] in LAST_COLUMN:
            wanted = True
        elif wanted and not re.fullmatch(r":?-+:?", cells[-1]):
            found.append(cells)
    return found


def drills(source: str) -> "set[str]":
    names = set()
    for path in glob.glob(os.path.join(source, "tests/faults/drills/*.py")):
        with open(path) as f:
            names.update(re.findall(r'^@drill\(\s*"([^"]+)"', f.read(), re.M))
    return names


def unit_tests(source: str) -> "set[str]":
    with open(os.path.join(source, "src/Makefile.am")) as f:
        return set(re.findall(r"/(\w+_test)\.c\b", f.read()))


def exists(source: str, name: str, known: "set[str]") -> bool:
    if name in known:
        return True
    directory = "tests/t" if name.endswith(".t") and "/" not in name else ""
    return os.path.exists(os.path.join(source, directory, name))


def main() -> int:
    source = sys.argv[1]
    with open(os.path.join(source, "docs/reliability.md")) as f:
        table = rows(f.read())
    known, units, named = drills(source), unit_tests(source), set()
    for cells in table:
        names = re.findall(r"`([^`]+)`", re.sub(r"\([^)]*\)", "", cells[-1]))
        named.update(names)
        if not names and cells[-1] != "documented":
            print("no test: " + cells[0])
        for name in names:
            if not exists(source, name, known | units):
                print("no such test: %s (%s)" % (name, cells[0]))
    for name in sorted(known - named):
        print("no row names the drill " + name)
    print("%s rows, %s drills" % (len(table) or "no", len(known) or "no"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
