# SPDX-License-Identifier: GPL-2.0-or-later
"""Which mutants a piece of C offers."""

from __future__ import annotations

import unittest

from mutants.source import mutants


def found(line: str, operator: str) -> list[str]:
    text = "int f(int a, int b)\n{\n    %s\n}\n" % line
    return [m.after.strip() for m in mutants("f.c", text) if m.operator == operator]


# a line, a kind of change, what becomes of it
ROWS: tuple[tuple[str, str, list[str]], ...] = (
    ("x = a <= b;", "relational", ["x = a < b;"]),
    ("x = a != b;", "relational", ["x = a == b;"]),
    ("x = a + b / c;", "arithmetic", ["x = a - b / c;", "x = a + b * c;"]),
    ("x = a && b;", "logical", ["x = a || b;"]),
    # declared pointers are no products
    ("const char *p = q->text;", "arithmetic", []),
    ("p->next = *q;", "arithmetic", []),
    ("x = 10;", "constant", ["x = 11;", "x = 9;"]),
    ("x = 0;", "constant", ["x = 1;"]),
    ("x = y1 + 0x10 + 1.5;", "constant", []),
    ("if (a < b) {", "condition", ["if (!(a < b)) {"]),
    ("} else if (a)", "condition", ["} else if (!(a))"]),
    ("if (a < b &&", "condition", []),
    ("return a + 1;", "return", ["return 0;"]),
    ("return 0;", "return", ["return 1;"]),
    ("return;", "return", []),
    # what is left alone
    ('say("a + 1 < b");', "", []),
    ("/* a + 1 */", "", []),
    ("#define A (1 + 2)", "", []),
    ("// return 1;", "", []),
)


class Source(unittest.TestCase):
    def test_lines_of_a_function(self) -> None:
        for line, kind, want in ROWS:
            for operator in [kind] if kind else ["constant", "arithmetic"]:
                self.assertEqual(found(line, operator), want, line)

    def test_statements(self) -> None:
        for line in ("x = 1;", "p->n += 2;", "call(a, b);", "n++;", "a[i] = b;"):
            self.assertEqual(found(line, "statement"), [";"], line)
        for line in ("int x = 1;", "struct a *p = f();", "return f();", "break;", "call(a,"):
            self.assertEqual(found(line, "statement"), [], line)

    def test_declarations_of_a_file_are_left_alone(self) -> None:
        self.assertEqual(list(mutants("f.c", "static int limit = 10;\nint a[4];\n")), [])

    def test_lines(self) -> None:
        m = next(mutants("f.c", "int f(void)\n{\n    /* two\n     * lines */\n    return 7;\n}\n"))
        self.assertEqual((m.path, m.line, m.before), ("f.c", 5, "    return 7;"))


if __name__ == "__main__":
    unittest.main()
