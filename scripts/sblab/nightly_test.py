# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/nightly: its table, its exit status, a part that hangs, and that its parts exist."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from .build import SOURCE


def load() -> ModuleType:
    path = os.path.join(SOURCE, "tests", "nightly")
    spec = spec_from_loader("nightly", SourceFileLoader("nightly", path))
    assert spec and spec.loader
    module = module_from_spec(spec)
    sys.modules["nightly"] = module  # NamedTuple looks its module up
    spec.loader.exec_module(module)
    return module


class Nightly(unittest.TestCase):
    def setUp(self) -> None:
        self.nightly = load()

    def run_parts(self, parts: dict[str, str], *options: str) -> tuple[int, list[str]]:
        """Exit status and lines, with these shell commands for parts."""
        self.nightly.PARTS[:] = [
            self.nightly.Part(name, name, "/bin/sh -c " + shlex.quote(command))
            for name, command in parts.items()
        ]
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(out):
            status = self.nightly.main([*options, "--dir=" + directory])
        return status, out.getvalue().splitlines()

    def test_all_pass(self) -> None:
        status, lines = self.run_parts({"one": "echo 7 passed", "two": "echo clean"})
        self.assertEqual(status, 0)
        self.assertRegex(lines[0], r"^one +passed +\d+\.\d min  7 passed$")
        self.assertEqual(lines[-1], "2 parts: 2 passed, 0 failed")

    def test_one_fails_and_the_others_run(self) -> None:
        status, lines = self.run_parts({"one": "echo 1 failed; exit 1", "two": "true"})
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], "^one +failed .* 1 failed$")
        self.assertRegex(lines[1], "^two +passed")
        self.assertEqual(lines[2], "2 parts: 1 passed, 1 failed")

    def test_a_part_that_cannot_run_here(self) -> None:
        status, lines = self.run_parts({"one": "echo only root may; exit 80", "two": "true"})
        self.assertEqual(status, 0)
        self.assertRegex(lines[0], "^one +skipped .* only root may$")
        self.assertEqual(lines[-1], "2 parts: 1 passed, 0 failed, 1 skipped")

    def test_a_part_that_hangs(self) -> None:
        status, lines = self.run_parts({"one": "exec sleep 1000"}, "--hours=0.00001")
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], "^one +failed .* no end within 1e-05 hours$")

    def test_a_choice(self) -> None:
        parts = {"one": "exit 1", "two": "true", "three": "exit 1"}
        self.assertEqual(self.run_parts(parts, "--only=two")[0], 0)
        self.assertEqual(self.run_parts(parts, "--skip=one,three")[0], 0)

    def test_unknown_parts_are_refused(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit):
            self.nightly.main(["--only=drils"])
        self.assertIn("no part 'drils'", err.getvalue())

    def test_the_commands_exist(self) -> None:
        settings = self.nightly.parse([])
        for part in self.nightly.PARTS:
            words = part.command(settings)
            self.assertTrue(os.access(words[0], os.X_OK), shlex.join(words))
