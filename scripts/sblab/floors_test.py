# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of floors.py: each rule broken once in a small tree, and the real tree."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from sblab import floors

MAP = """
0 src/base/    low
1 src/opt/     middle
               and a second line about it
1 src/stats/   beside it
2 src/app/     high
3 src/main.c   the program
"""


class Tree(unittest.TestCase):
    """A source tree in a temporary directory."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = Path(directory.name)
        self.write("CONTRIBUTING.md", MAP)
        for path, includes in (
            ("base/err.h", ()),
            ("base/err.c", ("base/err.h",)),
            ("opt/opt.h", ("base/err.h",)),
            ("stats/hist.h", ()),
            ("app/app.c", ("opt/opt.h", "stats/hist.h")),
            ("app/app.h", ()),
            ("main.c", ("app/app.h",)),
        ):
            self.source(path, *includes)

    def write(self, path: str, text: str) -> None:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(text, encoding="utf-8")

    def source(self, path: str, *includes: str, head: str = "") -> None:
        lines = [f"/* {path}: {head} */", "#include <stdio.h>", '#include "config.h"']
        self.write(f"src/{path}", "\n".join(lines + [f'#include "{i}"' for i in includes]) + "\n")

    def broken(self, known: dict[str, int] | None = None) -> list[str]:
        return floors.check(self.top, known or {})


class Rules(Tree):
    def test_clean(self) -> None:
        self.assertEqual(self.broken(), [])

    def test_no_map(self) -> None:
        self.write("CONTRIBUTING.md", "src/base/ without a floor\n")
        self.assertIn("has no map", self.broken()[0])

    def test_place(self) -> None:
        self.source("sql/sql.c", "base/err.h")
        self.write("CONTRIBUTING.md", MAP + "2 src/session/  to come\n")
        self.assertEqual(
            self.broken(),
            [
                "src/sql: not on the map in CONTRIBUTING.md",
                "src/session: on the map in CONTRIBUTING.md, but no such directory with C files",
            ],
        )

    def test_upward(self) -> None:
        self.source("base/log.c", "opt/opt.h")
        self.assertEqual(self.broken(), ["base/log.c (floor 0) includes opt/opt.h (floor 1)"])

    def test_neighbour_on_the_same_floor(self) -> None:
        self.source("opt/opt.c", "stats/hist.h")
        self.assertEqual(self.broken(), ["opt/opt.c (floor 1) includes stats/hist.h (floor 1)"])

    def test_nobody_includes_the_program(self) -> None:
        self.source("main.h")
        self.source("app/late.c", "main.h")
        self.assertEqual(self.broken(), ["app/late.c (floor 2) includes main.h (floor 3)"])

    def test_tests_are_no_exception(self) -> None:
        self.source("base/err_test.c", "opt/opt.h")
        self.assertEqual(self.broken(), ["base/err_test.c (floor 0) includes opt/opt.h (floor 1)"])

    def test_subdirectory_is_part_of_its_directory(self) -> None:
        self.source("opt/parts/row.h", "base/err.h")
        self.source("opt/opt.c", "opt/parts/row.h")
        self.assertEqual(self.broken(), [])
        self.source("base/log.c", "opt/parts/row.h")
        self.assertEqual(len(self.broken()), 1)

    def test_private(self) -> None:
        self.source("opt/opt.h", "base/err.h", head="Private to src/opt: rows")
        self.source("opt/opt.c", "opt/opt.h")
        self.assertEqual(
            self.broken(), ["app/app.c includes opt/opt.h, which is private to src/opt"]
        )

    def test_private_at_the_end_of_a_line(self) -> None:
        self.source("opt/opt.h", head="rows.  Private to\n * src/opt")
        self.assertEqual(len(self.broken()), 1)

    def test_commented_include_and_unknown_header(self) -> None:
        self.write("src/base/err.c", '// #include "opt/opt.h"\n#include "opt/generated.h"\n')
        self.assertEqual(self.broken(), [])


class Knots(Tree):
    def setUp(self) -> None:
        super().setUp()
        self.source("opt/a.h", "opt/b.h")
        self.source("opt/b.c", "opt/c.h")
        self.source("opt/b.h")
        self.source("opt/c.h")
        self.source("opt/c.c", "opt/c.h", "opt/a.h")

    def test_through_sources(self) -> None:
        self.assertEqual(
            self.broken(),
            ["knot of 3 modules:\n    opt/a -> opt/b\n    opt/b -> opt/c\n    opt/c -> opt/a"],
        )

    def test_known(self) -> None:
        self.assertEqual(self.broken({"opt": 3}), [])
        self.assertEqual(len(self.broken({"opt": 2})), 1)

    def test_known_is_kept_up_to_date(self) -> None:
        self.source("opt/c.c", "opt/c.h")
        self.assertEqual(
            self.broken({"opt": 3}),
            ["src/opt: 0 modules are in knots, not 3: update KNOWN in scripts/sblab/floors.py"],
        )

    def test_a_test_makes_no_knot(self) -> None:
        self.source("opt/c.c", "opt/c.h")
        self.source("opt/a_test.h", "opt/a.h")
        self.source("opt/a_test.c", "opt/a_test.h", "opt/c.h")
        self.assertEqual(self.broken(), [])

    def test_two_knots_are_told_apart(self) -> None:
        self.source("opt/d.h", "opt/e.h")
        self.source("opt/e.c", "opt/d.h")
        self.source("opt/e.h")
        self.assertEqual(len(self.broken()), 2)


class Show(Tree):
    def test_table(self) -> None:
        self.assertEqual(
            floors.show(self.top),
            "3 main         1 files   app\n2 app          2 files   opt stats\n"
            "1 opt          1 files   base\n1 stats        1 files\n"
            "0 base         2 files",
        )


class ThisProgram(unittest.TestCase):
    def test_floors_hold(self) -> None:
        top = Path(__file__).resolve().parents[2]
        self.assertEqual(floors.check(top, floors.KNOWN), [])


if __name__ == "__main__":
    unittest.main()
