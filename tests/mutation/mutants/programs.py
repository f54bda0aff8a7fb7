# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit test programs: how each is linked, of what, and how long it takes.

A test is linked alone here, not with the others of its directory: make says how they are linked,
and the objects of the other tests are left out.  The mutant's object precedes the library on the
linker's command line, so that the original is not taken from there; the linker also says which
objects of the library a test needs, so that a mutant meets only tests that contain it.  Each test
is linked with the leak checker, unless it then fails unchanged: a dropped free() is noticed, too.

All this is kept in tests.json of the work directory, until the library or the test is built anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import time
from typing import Any, Sequence

from sblab import LabError
from sblab.build import jobs

from .build import Tree

SOURCES = re.compile(r"^(\w+_tests?)_SOURCES \+?= (.*)$", re.M)
TEST = re.compile(r"(?:(\w+)/)?(?:\w+/)*(\w+_test)\.[co]$")
PART = re.compile(r"\.a\((?:\w+-)?([\w.-]+\.o)\)")
INCONCLUSIVE = 75  # the exit status of a test that met a stall of the machine
PASSED = (0, INCONCLUSIVE, 77)  # 77: skipped
HUNG = 124
LONGEST = 120  # an unchanged test may take so many seconds


class Program:
    """One unit test: `seconds` is None while it has not passed unchanged."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree, self.name = tree, name
        self.link: list[str] = []
        self.parts: list[str] = []  # the objects of the library in it
        self.seconds: float | None = None

    @property
    def path(self) -> str:
        return self.tree.built("mutant_" + self.name)  # tests look for other programs beside

    def linked(self, mutant: str | None) -> str:
        """Links the test.  One that has its own version of the mutant's file keeps it."""
        argv = list(self.link)
        argv[argv.index("-o") + 1] = self.path
        if mutant:
            argv.insert(next(i for i, word in enumerate(argv) if word.endswith(".a")), mutant)
        self.tree.must([*argv, "-Wl,-z,muldefs"], self.tree.built(""))
        return self.path

    def run(self, limit: float) -> int:
        return self.tree.run([self.path, self.name], self.tree.built(""), limit)

    def measure(self) -> bool:
        """Runs the unchanged test; True, and how long it took, when it passed."""
        began = time.monotonic()
        status = self.run(LONGEST)
        if status in (0, INCONCLUSIVE):
            self.seconds = time.monotonic() - began
        return status in (0, INCONCLUSIVE)

    def learn(self, link: str) -> None:
        """With the leak checker, else without."""
        plain = shlex.split(link)
        self.parts = sorted(set(PART.findall(self.tree.output([*plain, "-Wl,-Map=-"]))))
        if not self.parts:
            raise LabError("the linker does not name the parts of %s" % self.name)
        for self.link in ([*plain, "-fsanitize=leak"], plain):
            self.linked(None)
            if self.measure():
                return

    def fails(self, mutant: str) -> str | None:
        """`killed by NAME` or `hung in NAME`, if the test notices this object.

        Load of the machine is no verdict: what failed has to fail once more, and what did not end
        is compared with the unchanged test, at that time."""
        assert self.seconds is not None
        self.linked(mutant)
        limit = 4 * self.seconds + 5
        status = self.run(limit)
        if status == HUNG:
            self.linked(None)
            if self.measure():
                limit = max(limit, 5 * self.seconds + 5)
            self.linked(mutant)
        if status in PASSED or (again := self.run(limit)) in PASSED:
            return None
        return ("hung in " if again == HUNG else "killed by ") + self.name


def alone(link: str, name: str) -> str:
    """The command that links a program, without the objects of tests other than `name`."""
    words = shlex.split(link)
    words[words.index("-o") + 1] = name
    others = {w for w in words if (m := TEST.match(w)) and w.endswith(".o") and m.group(2) != name}
    return shlex.join(w for w in words if w not in others)


class Programs:
    """Those of some directories of src that pass in time."""

    def __init__(self, tree: Tree, slowest: float) -> None:
        self.tree, self.slowest = tree, slowest
        self.file = os.path.join(tree.directory, "tests.json")
        with open(tree.path("Makefile.am")) as f:
            makefile = f.read().replace("\\\n", " ")
        self.directory_of: dict[str, str] = {}
        self.program_of: dict[str, str] = {}  # that the test is linked into
        for program, sources in SOURCES.findall(makefile):
            for m in filter(None, map(TEST.match, sources.split())):
                self.directory_of[m.group(2)] = m.group(1)
                self.program_of[m.group(2)] = program
        self.all: dict[str, Program] = {}

    def of(self, directories: Sequence[str]) -> list[str]:
        return [name for name, directory in self.directory_of.items() if directory in directories]

    def good(self, names: Sequence[str]) -> list[Program]:
        """Learns of these tests what is not known; those that can judge a mutant."""
        self.recall(names)
        new = [name for name in names if name not in self.all]
        links = self.links(new)
        for name in new:
            self.all[name] = Program(self.tree, name)
            if name in links:
                self.all[name].learn(links[name])
        self.remember()
        chosen = [self.all[name] for name in names]
        return [p for p in chosen if p.seconds is not None and p.seconds <= self.slowest]

    def links(self, names: Sequence[str]) -> dict[str, str]:
        """How to link each of these tests alone."""
        programs = sorted({self.program_of[name] for name in names})
        for program in programs:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.tree.built(program))
        if not programs:
            return {}
        out = self.tree.output(["make", "-k", jobs(), "V=1", *programs])
        lines = re.findall(r"^libtool: link: +(.*)$", out, re.M)
        link = {m.group(1): line for line in lines if (m := re.search(r"-o (\w+_tests?)\b", line))}
        return {
            name: alone(link[self.program_of[name]], name)
            for name in names
            if self.program_of[name] in link
        }

    def state(self, name: str) -> list[int]:
        """Changes when the test or what it is made of is built anew, or may use servers."""
        program = self.tree.built(self.program_of[name])
        if not os.path.exists(program):
            return []
        files = (program, self.tree.built(".libs/libsb.a"))
        times = [os.stat(path).st_mtime_ns for path in files]
        return [*times, int("SB_NO_SERVER" in self.tree.env)]

    def known(self) -> dict[str, Any]:
        if not os.path.exists(self.file):
            return {}
        with open(self.file) as f:
            return dict(json.load(f))

    def recall(self, names: Sequence[str]) -> None:
        known = self.known()
        if known:
            self.tree.output(["make", "-k", jobs(), *{self.program_of[n] for n in names}])
        for name in names:
            row = known.get(name)
            if name not in self.all and row and row["state"] == self.state(name):
                p = self.all[name] = Program(self.tree, name)
                p.link, p.parts, p.seconds = row["link"], row["parts"], row["seconds"]

    def remember(self) -> None:
        rows = self.known()
        for p in self.all.values():
            rows[p.name] = {
                "state": self.state(p.name),
                "link": p.link,
                "parts": p.parts,
                "seconds": p.seconds,
            }
        with open(self.file, "w") as f:
            json.dump(rows, f, indent=1)
