# SPDX-License-Identifier: GPL-2.0-or-later
"""Which mutants a piece of C offers."""

from __future__ import annotations

import unittest

from mutants.source import mutants


def found(line: str, operator: str) -> list[str]:
    text = "int f(int a, int b)\n{\n    %s\n}\n" % line
    return [m.after.strip() for m in mutants("f.c", text) if m.operator == operator]


class Source(unittest.TestCase):
    def test_operators(self) -> None:
        self.assertEqual(found("x = a <= b;", "relational"), ["x = a < b;"])
        self.assertEqual(found("x = a != b;", "relational"), ["x = a == b;"])
        self.assertEqual(
            found("x = a + b / c;", "arithmetic"), ["x = a - b / c;", "x = a + b * c;"]
        )
        self.assertEqual(found("x = a && b;", "logical"), ["x = a || b;"])

    def test_declared_pointers_are_no_products(self) -> None:
        self.assertEqual(found("const char *p = q->text;", "arithmetic"), [])
        self.assertEqual(found("p->next = *q;", "arithmetic"), [])

    def test_constants(self) -> None:
        self.assertEqual(found("x = 10;", "constant"), ["x = 11;", "x = 9;"])
        self.assertEqual(found("x = 0;", "constant"), ["x = 1;"])
        self.assertEqual(found("x = y1 + 0x10 + 1.5;", "constant"), [])

    def test_conditions(self) -> None:
        self.assertEqual(found("if (a < b) {", "condition"), ["if (!(a < b)) {"])
        self.assertEqual(found("} else if (a)", "condition"), ["} else if (!(a))"])
        self.assertEqual(found("if (a < b &&", "condition"), [])

    def test_statements(self) -> None:
        for line in ("x = 1;", "p->n += 2;", "call(a, b);", "n++;", "a[i] = b;"):
            self.assertEqual(found(line, "statement"), [";"], line)
        for line in ("int x = 1;", "struct a *p = f();", "return f();", "break;", "call(a,"):
            self.assertEqual(found(line, "statement"), [], line)

    def test_returns(self) -> None:
        self.assertEqual(found("return a + 1;", "return"), ["return 0;"])
        self.assertEqual(found("return 0;", "return"), ["return 1;"])
        self.assertEqual(found("return;", "return"), [])

    def test_what_is_left_alone(self) -> None:
        for line in ('say("a + 1 < b");', "/* a + 1 */", "#define A (1 + 2)", "// return 1;"):
            self.assertEqual([m for m in found(line, "constant") + found(line, "arithmetic")], [])

    def test_declarations_of_a_file_are_left_alone(self) -> None:
        self.assertEqual(list(mutants("f.c", "static int limit = 10;\nint a[4];\n")), [])

    def test_lines(self) -> None:
        m = next(mutants("f.c", "int f(void)\n{\n    /* two\n     * lines */\n    return 7;\n}\n"))
        self.assertEqual((m.path, m.line, m.before), ("f.c", 5, "    return 7;"))


if __name__ == "__main__":
    unittest.main()
