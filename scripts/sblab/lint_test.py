# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/lint: the rules for C, which files it checks, and what a missing program means."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from unittest import mock

from sblab import lint, lint_c, lint_cram, lint_links, lint_remove

HEAD = "/* SPDX-License-Identifier: GPL-2.0-or-later\n *\n * What it is for.\n */\n"


def errors(text: str) -> list[str]:
    return [what for _, what in lint_c.errors(text)]


def warnings(text: str) -> list[str]:
    return [what for _, what in lint_c.warnings(text)]


A, B = ("docs/" + name for name in ("a.md", "b.md"))


class Links(unittest.TestCase):
    def found(self, **texts: str) -> list[str]:
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "docs"))
            names = {n.replace("__", "/").replace("_", "."): text for n, text in texts.items()}
            for name, text in names.items():
                with open(os.path.join(root, name), "w") as f:
                    f.write(text)
            return lint_links.check(root, names)

    def test_links(self) -> None:
        there = "# A *b*, `--c` (d)\n\n## One\n\n## One\n"
        good = "[a](%s) [a](%s#a-b---c-d) [b](%s#one-1) [c](https://x/y.md)\n" % (A, A, A)
        self.assertEqual(self.found(README_md=good, docs__a_md=there), [])
        bad = "[a](b.md)\n[a](%s#two)\nsee gone.md\n\n    [x](code.md)\n" % A
        self.assertEqual(
            self.found(README_md=bad, docs__a_md=there),
            [
                "README.md:1: there is no b.md",
                "README.md:2: %s has no heading for #two" % A,
                "README.md:3: there is no gone.md",
            ],
        )

    def test_map(self) -> None:
        found = self.found(docs__README_md="[a](a.md#one)\n", docs__a_md="# One\n", docs__b_md="")
        self.assertEqual(found, ["docs/README.md:1: it does not lead to " + B])

    def test_names(self) -> None:
        page = "see %s,\n%s\n.BR y (1),\n\\fBsysbench\\-x\\fR(7)\n" % (A, B)
        self.assertEqual(
            self.found(docs__a_md="", docs__sysbench_1=page + ".BR sysbench (1)\n"),
            [
                "docs/sysbench.1:2: there is no " + B,
                "docs/sysbench.1:4: there is no manual page sysbench-x.7",
                "docs/sysbench.1:5: it names itself: sysbench.1",
            ],
        )


class Rules(unittest.TestCase):
    def test_head(self) -> None:
        self.assertEqual(errors(HEAD), [])
        for text in ("int a;\n", "/* SPDX-License-Identifier: GPL-2.0-or-later */\nint a;\n"):
            self.assertEqual(errors(text), ["does not open with its license and what it is for"])

    def test_columns(self) -> None:
        self.assertEqual(errors(HEAD + "/* " + 97 * "a" + "\n"), [])
        self.assertEqual(errors(HEAD + "/* " + 98 * "a" + "\n"), ["101 columns"])
        self.assertEqual(errors(HEAD + 'say("' + 120 * "a" + '");\n'), [])
        self.assertEqual(errors(HEAD + "#define A " + 110 * " " + "\\\n    1\n"), [])

    def test_split_strings(self) -> None:
        bad = ["a string that is split in the middle of a word"]
        self.assertEqual(errors(HEAD + 'say("the transac"\n    "tions");\n'), bad)
        self.assertEqual(errors(HEAD + 'say("the "\n    "transactions");\n'), [])
        self.assertEqual(errors(HEAD + 'say("one line\\n"\n    "another");\n'), [])

    def test_long_functions(self) -> None:
        body = "static int f(int a,\n             int b)\n{\n%s}\n"
        self.assertEqual(warnings(HEAD + body % (56 * "    a++;\n")), [])
        self.assertEqual(warnings(HEAD + body % (57 * "    a++;\n")), ["f has 61 lines"])

    def test_long_files(self) -> None:
        self.assertEqual(warnings(HEAD + 697 * "int a;\n"), ["701 lines"])
        self.assertEqual(warnings(HEAD + 697 * '    {"a", 1},\n'), [])

    def test_options_are_read_once(self) -> None:
        body = "static int %s(struct opts *o)\n{\n%s}\n"
        one = body % ("f", '    use(opt_int(o, "a-b"), opt_str(o, "a-b"));\n')
        two = body % ("g", '    use(opt_given(p->opts,\n        "a_b"));\n')
        self.assertEqual(list(lint_c.read_twice({"a.c": one, "b.c": body % ("h", "")})), [])
        self.assertEqual(
            list(lint_c.read_twice({"a.c": one + two})), ["a.c:7: --a-b is read in a.c:3, too"]
        )
        self.assertEqual(
            list(lint_c.read_twice({"a.c": one, "b.c": two})),
            ["b.c:3: --a-b is read in a.c:3, too"],
        )

    def test_interposed(self) -> None:
        text = (
            "static void on_it(int sig)\n{\n    /* sleep() */\n    poll(&p, 1, 0);\n}\n\n"
            "static void f(void)\n{\n    sa.sa_handler = on_it;\n    close(c->close(fd));\n}\n"
        )
        handler = (4, "poll may park a fiber: base/plain.h")
        self.assertEqual(list(lint_c.interposed(text, False)), [handler])
        everywhere = (10, "close may park a fiber: base/plain.h")
        self.assertEqual(list(lint_c.interposed(text, True)), [handler, everywhere])
        caller = "static void f(void)\n{\n    fd_close(fd);\n}\n"
        said = [(3, "fd_close may park a fiber: base/plain.h")]
        self.assertEqual(list(lint_c.interposed(caller, True)), said)

    def test_tests_read_options_again(self) -> None:
        text = HEAD + 'static void f(void)\n{\n    opt_int(o, "a");\n}\n'
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "src"))
            for name in ("a.c", "a_test.c", "b.c"):
                with open(os.path.join(directory, "src", name), "w") as f:
                    f.write(text)
            found = lint_c.check(directory, ["src/a.c", "src/a_test.c"])
            again = lint_c.check(directory, ["src/a.c", "src/b.c"])
        self.assertEqual(found, ([], []))
        self.assertEqual(again.errors, ["src/b.c:7: --a is read in src/a.c:7, too"])

    def test_tests_may_be_long(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for name in ("a.c", "a_test.c"):
                with open(os.path.join(directory, name), "w") as f:
                    f.write(HEAD + 700 * "int a;\n")
            found = lint_c.check(directory, ["a.c", "a_test.c"])
        self.assertEqual(found, ([], ["a.c:1: warning: 704 lines"]))


class Cram(unittest.TestCase):
    """A file that a background command empties must be empty before somebody waits for it."""

    def found(self, *lines: str) -> list[int]:
        text = "".join("  $ %s\n" % line for line in lines)
        return [n for n, _ in lint_cram.errors(text)]

    def test_stale(self) -> None:
        first, wait = "run >out 2>err", "wait_for out '^step'; kill $pid"
        self.assertEqual(self.found(first, "run >out 2>err & pid=$!", wait), [3])
        self.assertEqual(self.found(first, "run >out 2>err & pid=$!; " + wait), [2])
        self.assertEqual(self.found(first, "run 2>err >out & wait_for err '^x'"), [2])
        self.assertEqual(self.found("run >out & wait_for out x", "run >out & wait_for out x"), [2])

    def test_fresh(self) -> None:
        first, second = "run >out 2>err", "run >out 2>err & wait_for out '^step'"
        self.assertEqual(self.found(second), [])
        self.assertEqual(self.found(first, ": >out; " + second), [])
        self.assertEqual(self.found(first, "begin() { : >out; " + second + "; }"), [])
        self.assertEqual(self.found(first, "for w in 0 1; do : >out; " + second), [])
        self.assertEqual(self.found(first, "rm -f a out; " + second), [])
        self.assertEqual(self.found(first, "run >out 2>&1; wait_for out x"), [])
        self.assertEqual(self.found(first, "run >out && wait_for out x"), [])
        self.assertEqual(self.found(first, "run >new & wait_for out x"), [])

    def test_second_of_a_late_line(self) -> None:
        self.assertEqual(self.found("wait_for out '^\\[ 4s'; kill $pid"), [1])
        self.assertEqual(self.found("wait_for out '^\\[' 4", "wait_for out '^\\[ [0-9]*s'"), [])

    def test_only_commands_of_cram_files(self) -> None:
        text = "run >out\nrun >out & wait_for out x\n"
        self.assertEqual(list(lint_cram.errors(text)), [])
        self.assertEqual([n for n, _ in lint_cram.errors(text, cram=False)], [2])

    def test_form(self) -> None:
        def found(text: str) -> list[int]:
            return [n for n, _ in lint_cram.form(text)]

        long = "x" * 137
        self.assertEqual(found("  $ %s\n%s\n  > %s\n" % (long, 4 * long, long)), [1, 2, 3])
        self.assertEqual(found("  $ %s\n  %s\n" % (long[1:], 4 * long)), [])
        for command in ("$ python3 - a <<'END'", "> cat >a.py <<END", "$ x; cat >a.py <<-'END'"):
            python = "  %s\n%s  > END\n" % (command, 6 * "  > 1\n")
            self.assertEqual(found("Text\n" + python), [2])
            self.assertEqual(found(python.replace("  > 1\n", "", 1)), [])
            self.assertEqual(found(python.replace(".py", "").replace("python3", "cat")), [])


class Removals(unittest.TestCase):
    def test_python(self) -> None:
        text = "import shutil\nshutil.rmtree(path)\nowned.remove(path)\nos.removedirs(a)\n"
        text += 'run(["rm", "-rf", x])\nrun(\n    ["rm", "-v", "-r",\n     x])\n'
        text += 'run(["rm", "-f", "-r"])\n'
        text += (
            'run(["rm", "-f", x])\nrun(["find", x, "-type", "f", "-delete"])\nrun(["find", x])\n'
        )
        text += "run(['rm', '--recursive', x])\n"
        found = [n for n, _ in lint_remove.python(text)]
        self.assertEqual(found, [2, 4, 5, 7, 9, 11, 13])

    def test_shell(self) -> None:
        for text, wrong in (
            ('rm -rf "$1"', True),
            ("rm -r -f ${dir:?}/x", True),
            ("rm --recursive $d", True),
            ("rm -rf '$(DESTDIR)$(labdir)'", True),
            ("test ! -f $d/ours || rm -rf $d", False),
            ("rm -rf build; echo $x", False),
            ("find $d -delete", True),
            ('find "$d"/x -name y -delete', True),
            ("find $d -type d -exec rm -rf {} +", True),
            ("find build -name $x -delete", False),
            ("find $d -name x -print; rm -f x", False),
            ("d=$(mktemp -d); find $d -delete", False),
            ('rm -f "$x"', False),
            ('d=$(mktemp -d)\nrm -rf "$d"', False),
            ('d=$(mktemp)\nrm -rf "$d"', True),
        ):
            self.assertEqual(bool(list(lint_remove.shell(text))), wrong, text)

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            for name in ("a.py", "b.sh"):
                with open(os.path.join(root, name), "w") as f:
                    f.write("\nshutil.rmtree(x)\nrm -r $x\n")
            found = lint_remove.check(root, ["a.py"], ["b.sh"])
            self.assertEqual([line.partition(": ")[0] for line in found], ["a.py:2", "b.sh:3"])


class Files(unittest.TestCase):
    def tree(self) -> str:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        for name, text in (
            ("a.c", ""),
            ("run", "#!/usr/bin/env python3\n"),
            ("check", "#!/bin/sh\n"),
            ("notes", "python3\n"),
            ("build-x/made.py", ""),
            ("lib/b.py", ""),
            ("lib/c.lua", ""),
        ):
            path = os.path.join(directory.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text)
        return directory.name

    def test_of_a_tarball(self) -> None:
        s = lint.Sources(self.tree())
        self.assertEqual((s.c, s.lua, s.javascript), (["a.c"], ["lib/c.lua"], []))
        self.assertEqual((s.python, s.shell), (["lib/b.py", "run"], ["check"]))

    def test_of_a_repository(self) -> None:
        git, root = lint.programs.find("git"), self.tree()
        if not git:
            self.skipTest("no git")
        subprocess.run([git, "-C", root, "init", "-q"], stderr=subprocess.DEVNULL, check=True)
        with open(os.path.join(root, ".gitignore"), "w") as f:
            f.write("/build-*/\n/lib/b.py\n")
        self.assertEqual(lint.Sources(root).python, ["run"])
        with mock.patch.object(lint.programs, "find", return_value=None):
            self.assertEqual(lint.Sources(root).python, ["lib/b.py", "run"])

    def test_every_python_file_has_its_types_checked(self) -> None:
        prefixes = tuple(p for _, group in lint.MYPY for p in group)
        self.assertEqual([f for f in lint.Sources().python if not f.startswith(prefixes)], [])


class Command(unittest.TestCase):
    def run_lint(self, *argv: str) -> tuple[int, list[str]]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = lint.main(argv, "")
        return status, out.getvalue().splitlines()

    def test_missing_program(self) -> None:
        line = "shellcheck    skipped: shellcheck is not installed (third_party/install-deps --all)"
        with mock.patch.object(lint.programs, "find", return_value=None):
            self.assertEqual(self.run_lint("shellcheck"), (0, [line]))
            self.assertEqual(self.run_lint("--require-all", "shellcheck"), (1, [line]))

    def test_wrong_version(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            program = os.path.join(directory, "clang-format")
            with open(program, "w") as f:
                f.write("#!/bin/sh\necho 'Debian clang-format version 19.1.7 (3)'\n")
            os.chmod(program, 0o755)
            with mock.patch.object(lint.programs, "find", return_value=program):
                status, lines = self.run_lint("clang-format")
        self.assertEqual(status, 0)
        self.assertEqual(
            lines,
            [
                "clang-format  skipped: clang-format 19 is installed, not 14, and versions differ "
                "in what they demand"
            ],
        )

    def test_findings_fail(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "a.c"), "w") as f:
                f.write("int a;\n")
            sources = lint.Sources(directory)
            with mock.patch.object(lint, "Sources", return_value=sources):
                status, lines = self.run_lint("c")
        self.assertEqual(status, 1)
        self.assertEqual(lines[0], "c             failed: 1 file")
        self.assertEqual(lines[1], "    a.c:1: does not open with its license and what it is for")

    def test_unknown_check(self) -> None:
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit):
            self.run_lint("pylint")
        self.assertIn("there is no check 'pylint'; there are clang-format, c,", err.getvalue())


if __name__ == "__main__":
    unittest.main()
