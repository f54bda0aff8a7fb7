# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the source tree, built once.  A mutant is one more object beside that build.

make says how a file is compiled; the compiler is then run without make and libtool.  The copy and
its build stay in the work directory, and the next call continues with them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil

from sblab import LabError
from sblab.build import jobs, logged
from sblab.lint import Sources

LEFT_OUT = {"-o": 2, "-MT": 2, "-MF": 2, "-MD": 1, "-MP": 1}  # gcc's options, with their values


class Tree:
    """The copy in DIRECTORY/tree, its build in DIRECTORY/build."""

    def __init__(self, source: str, directory: str, env: dict[str, str]) -> None:
        self.source, self.directory = source, os.path.abspath(directory)
        self.tree = os.path.join(self.directory, "tree")
        self.build = os.path.join(self.directory, "build")
        self.log = os.path.join(self.directory, "log")
        self.mutant = os.path.join(self.directory, "mutant")  # its source and object
        self.env = dict(os.environ, SB_TRIES="1", srcdir=self.path(""), **env)
        self.originals: dict[str, tuple[list[str], bytes]] = {}  # how a file is compiled, to what

    def path(self, name: str) -> str:
        return os.path.join(self.tree, "src", name)

    def built(self, name: str) -> str:
        return os.path.join(self.build, "src", name)

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
        self.must(["make", "-s", jobs()], self.build)

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
        return logged(self.log, ["nice", *argv], cwd, self.env, limit)[0]

    def output(self, argv: list[str]) -> str:
        """What a command prints that is run where the tests are built."""
        return logged(self.log, ["nice", *argv], self.built(""))[1]

    def compile_command(self, name: str) -> list[str]:
        """How make would compile a file that has just changed."""
        path = self.path(name)
        stat = os.stat(path)
        os.utime(path)
        out = self.output(["make", "-n", "V=1", name[:-2] + ".lo"])
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        found = re.search(r"--mode=compile (.*?)&&", out.replace("\\\n", " "), re.S)
        if not found:
            raise LabError("no command compiles src/%s, see %s" % (name, self.log))
        return compiler(shlex.split(found.group(1)))

    def compiled(self, argv: list[str], text: str) -> bytes:
        """The object of this text; empty when it does not compile."""
        with open(argv[-3], "w") as f:
            f.write(text)
        if self.run(argv, self.built(""), None) != 0:
            return b""
        with open(argv[-1], "rb") as f:
            return f.read()

    def original(self, name: str, text: str) -> tuple[list[str], bytes]:
        """How a file is compiled, and its unchanged object."""
        if name not in self.originals:
            base = os.path.join(self.mutant, os.path.basename(name)[:-2])
            argv = [*self.compile_command(name), base + ".c", "-o", base + ".o"]
            self.originals[name] = argv, self.compiled(argv, text)
        return self.originals[name]


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
