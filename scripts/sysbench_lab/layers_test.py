# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages import only from those above them in the list of __init__.py; so there is no circle."""

from __future__ import annotations

import ast
import pathlib
import re
from typing import Iterator

import sysbench_lab

HERE = pathlib.Path(__file__).resolve().parent
ORDER = re.findall(r"^    (\w+)(?:\.py|/) ", sysbench_lab.__doc__ or "", re.M)


def imported(path: pathlib.Path) -> Iterator[str]:
    """The packages that a file of this package imports, also within functions."""
    inside = path.relative_to(HERE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = [*inside[: len(inside) - node.level + 1], *filter(None, [node.module])]
            yield from [parts[0].partition(".")[0]] if parts else [a.name for a in node.names]


def test_packages_import_only_what_stands_above_them() -> None:
    wrong, files = [], 0
    for path in HERE.rglob("*.py"):
        name = path.relative_to(HERE).parts[0].removesuffix(".py")
        if name not in ORDER or re.search(r"_test\.py|conftest\.py|testdata", str(path)):
            continue
        files += 1
        for other in imported(path):
            if other in ORDER and ORDER.index(other) > ORDER.index(name):
                wrong.append("%s imports %s" % (path.relative_to(HERE), other))
    assert files > 50 and not wrong


def test_the_list_has_every_package() -> None:
    there = {p.parent.name for p in HERE.glob("*/__init__.py")} - {"testdata"}
    assert there <= set(ORDER)
