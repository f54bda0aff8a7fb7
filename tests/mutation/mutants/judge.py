# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict on a mutant: not compiled, the same code, noticed by a test, or survived."""

from __future__ import annotations

import json
import os
from collections import Counter

from .build import Tree
from .programs import Program, Programs
from .source import Mutant


class Judge:
    """Verdicts are appended to results.jsonl of the work directory."""

    def __init__(self, tree: Tree, programs: Programs) -> None:
        self.tree, self.programs = tree, programs
        self.file = os.path.join(tree.directory, "results.jsonl")
        self.noticed: Counter[tuple[str, str]] = Counter()  # by file and test

    def order(self, path: str, tests: list[Program]) -> list[Program]:
        """The tests that contain this file: its own, those that noticed most, the quickest."""
        base = os.path.basename(path)[:-2]
        return sorted(
            (t for t in tests if base + ".o" in t.parts),
            key=lambda t: (t.name != base + "_test", -self.noticed[path, t.name], t.seconds),
        )

    def verdict(self, mutant: Mutant, tests: list[Program]) -> str:
        """`not compiled`, `same code`, `killed by NAME`, `hung in NAME` or `survived`."""
        with open(self.tree.path(mutant.path)) as f:
            text = f.read()
        argv, before = self.tree.original(mutant.path, text)
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        after = self.tree.compiled(argv, "\n".join(lines))
        if not after:
            return "not compiled"
        if after == before:
            return "same code"
        for test in self.order(mutant.path, tests):
            failure = test.fails(argv[-1])
            if failure:
                self.noticed[mutant.path, test.name] += 1
                return failure
        return "survived"

    def judged(self, mutant: Mutant, tests: list[Program]) -> str:
        verdict = self.verdict(mutant, tests)
        with open(self.file, "a") as f:
            f.write(json.dumps(dict(mutant._asdict(), verdict=verdict)) + "\n")
        return verdict

    def before(self) -> dict[Mutant, str]:
        """The last verdict on each mutant that was ever judged."""
        last: dict[Mutant, str] = {}
        if os.path.exists(self.file):
            with open(self.file) as f:
                for line in f:
                    row = json.loads(line)
                    verdict = row.pop("verdict")
                    last[Mutant(**row)] = verdict
        return last
