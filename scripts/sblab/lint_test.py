# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/lint and scripts/floors: each rule broken once, and kept once; what a missing or failing
program means."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from . import floors, links, lint

HEAD = "/* SPDX-License-Identifier: GPL-2.0-or-later\n *\n * What it is for.\n */\n"
BODY = "static void %s(int sig)\n{\n    a();\n    /* poll() */\n%s}\n"
LONG = "int f(void)\n{\n%s}\n"
WAIT = "  $ echo x >a\n%s  $ sleep 9 >a &\n  $ wait_for a x\n"
PYTHON = "  $ python3 - <<'END'\n%s  > END\n"
A, B = ("docs/" + name for name in ("a.md", "b.md"))
# a file, what its rule forbids, what it allows
RULES = (
    ("c:a.c", "/* SPDX-License-Identifier: GPL-2.0-or-later */\nint a;\n", HEAD),
    ("c:a.c", HEAD + "/* " + 98 * "a", HEAD + "/* " + 97 * "a"),
    ("c:src/a.c", HEAD + LONG % (68 * "    a;\n"), HEAD + LONG % (67 * "    a;\n")),
    ("c:a.c", HEAD + "int " + 97 * "a", HEAD + "#define A " + 110 * " " + "\\\n    1\n"),
    ("c:a.c", HEAD + 'say("the transac"\n    "tions");', HEAD + 'say("one\\n"\n    "another");'),
    ("c:src/base/a.c", HEAD + "    close(fd);", HEAD + "    plain_close(fd);\n    s->close(fd);"),
    (
        "c:src/a.c",
        HEAD + BODY % ("on_it", "    poll(&p);\n"),
        HEAD + BODY % ("it", "    poll(0);\n"),
    ),
    ("t:a.t", "  $ " + 137 * "a", "  " + 141 * "a"),
    ("t:a.t", PYTHON % (6 * "  > x\n"), PYTHON % (5 * "  > x\n")),
    ("t:a.t", "  $ wait_for out '^\\[ 3s'\n", "  $ wait_for out '^\\[ '\n"),
    ("t:a.t", WAIT % "", WAIT % "  $ : >a\n"),
    ("t:a.t", WAIT % "  $ rm -f b\n", WAIT % "  $ rm -f a b\n"),
    ("py:a", "shutil." + "rmtree(a)", "owned.remove(a)"),
    ("py:a", '["rm", "-f", "--recursive", a]', '["rm", "-f", a]'),
    ("sh:a", 'rm -rf "$d"', 'd=$(mktemp -d)\nrm -rf "$d"'),
    ("sh:a", "find $d -type f -delete", "test -e $d/mark && find $d -delete"),
)


def found(file: str, text: str) -> list[str]:
    rules = [r for r in lint.RULES if re.match(r.files, file)]
    return [what for rule in rules for what in lint.broken(rule, text)]


class Lint(unittest.TestCase):
    def test_rules(self) -> None:
        for file, bad, good in RULES:
            self.assertEqual(len(found(file, bad)), 1, bad)
            self.assertEqual(found(file, good), [], good)

    def test_options_are_read_once(self) -> None:
        body = "static int f(struct opts *o)\n{\n%s}\n"
        one = body % '    use(opt_int(o, "a-b"), opt_str(o, "a-b"));\n'
        two = body % '    use(opt_given(p->opts,\n        "a_b"));\n'
        self.assertEqual(list(lint.read_twice({"a.c": one, "b.c": body % ""})), [])
        self.assertEqual(
            list(lint.read_twice({"a.c": one, "b.c": two})), ["b.c:2: --a-b is read in a.c:2, too"]
        )

    def links(self, **texts: str) -> list[str]:
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "docs"))
            names = {n.replace("__", "/").replace("_", "."): text for n, text in texts.items()}
            for name, text in names.items():
                Path(root, name).write_text(text)
            return links.check(root, names)

    def test_links(self) -> None:
        there = "# A *b*, `--c` (d)\n\n## One\n\n## One\n"
        good = "[a](%s) [a](%s#a-b---c-d) [b](%s#one-1) [c](https://x/y.md)\n" % (A, A, A)
        self.assertEqual(self.links(README_md=good, docs__a_md=there), [])
        bad = "[a](b.md)\n[a](%s#two)\nsee gone.md\n\n    [x](code.md)\n" % A
        self.assertEqual(
            self.links(README_md=bad, docs__a_md=there),
            [
                "README.md:1: there is no b.md",
                "README.md:2: %s has no heading for #two" % A,
                "README.md:3: there is no gone.md",
            ],
        )
        page = "see %s,\n%s\n.BR y (1),\n\\fBsysbench\\-x\\fR(7)\n" % (A, B)
        self.assertEqual(
            self.links(
                docs__README_md="", docs__a_md="", docs__sysbench_1=page + ".BR sysbench (1)\n"
            ),
            [
                "docs/README.md:1: it does not lead to " + A,
                "docs/sysbench.1:2: there is no " + B,
                "docs/sysbench.1:4: there is no manual page sysbench-x.7",
                "docs/sysbench.1:5: it names itself: sysbench.1",
            ],
        )

    def test_floors(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            Path(root, "CONTRIBUTING.md").write_text("0 src/low/  x\n1 src/high/  y\n1 src/no/ z\n")
            for path, text in (
                ("low/a.h", '#include "high/a.h"\n'),
                ("high/a.h", "/* Private to\n * src/high */\n"),
                ("high/b.c", '#include "high/b.h"\n#include "high/c.h"\n'),
                ("high/b.h", ""),
                ("high/c.h", '#include "high/b.h"\n'),
                *(
                    (f"low/{n}.c", f"int {n}(void)\n{{\n    {c}();\n}}\n")
                    for n, c in zip("wxyz", "xyzw")
                ),
            ):
                Path(root, "src", path).parent.mkdir(parents=True, exist_ok=True)
                Path(root, "src", path).write_text(text)
            self.assertEqual(
                floors.Tree(Path(root)).broken(),
                [
                    floors.PLACE % "no",
                    "low/a.h (floor 0) includes high/a.h (floor 1)",
                    "low/a.h includes high/a.h, private to src/high",
                    "knot: high/b, high/c",
                    "circle: low/w.c, low/x.c, low/y.c, low/z.c",
                ],
            )
        self.assertEqual(floors.Tree(Path(lint.SOURCE)).broken(), [])

    def test_programs(self) -> None:
        """One that is missing fails only where all are wanted; what one says is shown."""
        with tempfile.TemporaryDirectory() as root:
            Path(root, "a").write_text("#!/usr/bin/env python3\n")
            Path(root, "b.py").write_text("")
            sources = lint.Sources(root)
            self.assertEqual(sources.of("py:"), ["a", "b.py"])
            bad = lint.tool(lint.Tool("py:", ["sh", "-c", "echo $0; exit 3"]), sources, False)
            self.assertEqual((bad.state, bad.remark, bad.findings), ("failed", "2 files", "a"))
        none = {"none": lambda s, fix: lint.tool(lint.Tool("py:", ["no-such"]), s, fix)}
        with mock.patch.object(lint, "CHECKS", none), contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual([lint.main(a.split(), "") for a in ("", "--require-all")], [0, 1])
