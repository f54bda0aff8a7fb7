# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the source tree, built once.  A mutant is one more object beside that build.

make says how a file is compiled and how a test is linked; the commands are then run without make
and libtool.  The mutant's object precedes the library on the linker's command line, so that the
original is not taken from there.  The copy and its build stay in the work folder, and the next
call continues with them.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time

from sblab import LabError
from sblab.lint import Sources

from .source import Mutant

SOURCES = re.compile(r"^(\w+_test)_SOURCES = (\w+)/", re.M)
LIMIT_FACTOR, LIMIT_MORE = 3, 3  # a test may take so many times as long, and some seconds more
PASSED = (0, 75, 77)  # 75: inconclusive, which kills nothing; 77: skipped
LEFT_OUT = {"-o": 2, "-MT": 2, "-MF": 2, "-MD": 1, "-MP": 1}  # gcc's options, with their values


class Tree:
    """The copy in FOLDER/tree, its build in FOLDER/build."""

    def __init__(self, source: str, folder: str) -> None:
        self.source, self.folder = source, os.path.abspath(folder)
        self.tree = os.path.join(self.folder, "tree")
        self.build = os.path.join(self.folder, "build")
        self.log = os.path.join(self.folder, "log")
        self.mutant = os.path.join(self.folder, "mutant")  # its source and object
        self.seconds: dict[str, float] = {}  # how long each test takes
        self.links: dict[str, list[str]] = {}  # how each test is linked
        self.originals: dict[str, tuple[list[str], bytes]] = {}  # how a file is compiled, to what

    def path(self, name: str) -> str:
        return os.path.join(self.tree, "src", name)

    def prepare(self) -> None:
        """Copies what has changed since the last time, configures and builds everything."""
        for name in Sources(self.source).all:
            self.copy(name)
        os.makedirs(self.build, exist_ok=True)
        os.makedirs(self.mutant, exist_ok=True)
        if not os.path.exists(os.path.join(self.tree, "configure")):
            self.must(["./autogen.sh"], self.tree)
        if not os.path.exists(os.path.join(self.build, "config.status")):
            self.must([os.path.join(self.tree, "configure"), "CFLAGS=-O1"], self.build)
        self.must(["make", "-s", "-j%d" % (os.cpu_count() or 1)], self.build)

    def copy(self, name: str) -> None:
        """Keeps the time of a file that is the same, so that make has nothing to do for it."""
        source, target = os.path.join(self.source, name), os.path.join(self.tree, name)
        with open(source, "rb") as f:
            text = f.read()
        if os.path.exists(target):
            with open(target, "rb") as f:
                if f.read() == text:
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)

    def must(self, argv: list[str], cwd: str) -> None:
        if self.run(argv, cwd, None) != 0:
            raise LabError("%s failed, see %s" % (" ".join(argv[:2]), self.log))

    def run(self, argv: list[str], cwd: str, limit: float | None) -> int:
        """Exit status, 124 after the time limit; what is printed goes to the log."""
        with open(self.log, "a") as log:
            log.write("$ %s\n" % " ".join(argv))
            log.flush()
            try:
                child = subprocess.Popen(
                    ["nice"] + argv,
                    cwd=cwd,
                    env=dict(os.environ, SB_NO_SERVER="1", SB_TRIES="1", srcdir=self.path("")),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as e:
                raise LabError("cannot run %s: %s" % (argv[0], e.strerror)) from e
            try:
                return child.wait(limit)
            except subprocess.TimeoutExpired:
                return 124
            finally:
                end_group(child)

    def command(self, kind: str, target: str) -> list[str]:
        """What libtool runs to `compile` or `link` a target that make finds out of date."""
        out = subprocess.run(
            ["nice", "make", "V=1", target],
            cwd=os.path.join(self.build, "src"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout
        with open(self.log, "a") as log:
            log.write(out)
        lines = re.findall(r"^libtool: %s: +(.*)$" % kind, out, re.M)
        return shlex.split(lines[-1]) if lines else []

    def tests_of(self, folders: list[str]) -> list[str]:
        """The unit test programs of these folders of src, quick ones first."""
        with open(self.path("Makefile.am")) as f:
            rows = SOURCES.findall(f.read())
        names = [name for name, folder in rows if folder in folders]
        return sorted(names, key=lambda name: self.seconds.get(name, 0))

    def measure(self, names: list[str], slowest: float) -> list[str]:
        """Builds and runs tests of the unchanged code; returns those that pass in time."""
        for name in names:
            if name in self.links:
                continue
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.build, "src", name))
            self.links[name] = self.command("link", name)
            began = time.monotonic()
            if self.links[name] and self.test(os.path.join(self.build, "src", name), 300) == 0:
                self.seconds[name] = time.monotonic() - began
        return [name for name in names if self.seconds.get(name, slowest + 1) <= slowest]

    def test(self, program: str, limit: float) -> int:
        return self.run([program], os.path.join(self.build, "src"), limit)

    def compiled(self, argv: list[str], text: str) -> bytes:
        """The object of this text; empty when it does not compile."""
        with open(argv[-3], "w") as f:
            f.write(text)
        if self.run(argv, os.path.join(self.build, "src"), None) != 0:
            return b""
        with open(argv[-1], "rb") as f:
            return f.read()

    def original(self, name: str, text: str) -> tuple[list[str], bytes]:
        """How a file is compiled, and its unchanged object."""
        if name not in self.originals:
            os.utime(self.path(name))
            argv = compiler(self.command("compile", name[:-2] + ".lo"))
            if not argv:
                raise LabError("no command compiles src/%s, see %s" % (name, self.log))
            base = os.path.join(self.mutant, os.path.basename(name)[:-2])
            argv += [base + ".c", "-o", base + ".o"]
            self.originals[name] = argv, self.compiled(argv, text)
        return self.originals[name]

    def judge(self, mutant: Mutant, tests: list[str]) -> str:
        """`not compiled`, `same code`, `killed by NAME`, `hung in NAME` or `survived`."""
        with open(self.path(mutant.path)) as f:
            text = f.read()
        argv, before = self.original(mutant.path, text)
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        after = self.compiled(argv, "\n".join(lines))
        if not after:
            return "not compiled"
        if after == before:
            return "same code"
        own = os.path.basename(mutant.path)[:-2] + "_test"
        for name in sorted(tests, key=lambda name: (name != own, self.seconds[name])):
            status = self.test(self.link(name, argv[-1]), self.limit(name))
            if status == 124:
                return "hung in " + name
            if status not in PASSED:
                return "killed by " + name
        return "survived"

    def limit(self, name: str) -> float:
        return LIMIT_FACTOR * self.seconds[name] + LIMIT_MORE

    def link(self, name: str, mutant: str) -> str:
        """Links a test with the mutant.  A test that has its own version of the file keeps it."""
        argv = list(self.links[name])
        program = os.path.join(self.build, "src", "mutant_" + name)  # tests look for others beside
        argv[argv.index("-o") + 1] = program
        argv.insert(next(i for i, word in enumerate(argv) if word.endswith(".a")), mutant)
        self.must([*argv, "-Wl,-z,muldefs"], os.path.join(self.build, "src"))
        return program


def compiler(argv: list[str]) -> list[str]:
    """A compiler's command without source, object and dependency file."""
    kept: list[str] = []
    skip = 0
    for word in argv:
        skip = skip or (1 if word.endswith(".c") else LEFT_OUT.get(word, 0))
        if skip:
            skip -= 1
        else:
            kept.append(word)
    return kept


def end_group(child: subprocess.Popen[bytes]) -> None:
    """Nothing that a mutant started outlives it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, 9)
    child.wait()
