# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of scripts/lint: which files, by which program, with which arguments.

A check is a function from Sources to a Result.  The checks run side by side; their
results are printed in the order of CHECKS.  Files are those that git tracks or would
track; in a release tarball, which has no repository, all files outside build directories.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
from typing import Callable, Iterator, NamedTuple, Sequence

from sysbench_lab.servers import programs

from . import lint_c, lint_cram, lint_links, lint_remove
from .build import SOURCE

INSTALL = "third_party/install-deps --all"
CLANG_FORMAT = "14"
OLDEST = "3.9"  # Python
PIECES = "tests/include/"  # shell that cram files source
NOT_SOURCE = re.compile(r"(\.git|build.*|autom4te\.cache|results|__pycache__|\.\w+_cache)$")

# A mypy run each: the directories that its imports come from, and what it checks.
MYPY: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("scripts",), ("scripts/",)),
    (("scripts", "bench"), ("bench/",)),
    (("scripts", "packaging/python"), ("packaging/python/",)),
    (("tests/include",), ("tests/include/",)),
    (("scripts", "tests"), ("tests/runner/",)),
    (("scripts",), ("tests/fresh/",)),
    (("scripts", "tests/include", "tests/audit"), ("tests/audit/",)),
    (("scripts", "tests/sidebyside"), ("tests/sidebyside/",)),
    (("scripts", "tests", "tests/faults"), ("tests/faults/",)),
    (("scripts", "tests", "tests/include", "tests/faults", "tests/netns"), ("tests/netns/",)),
    (("scripts", "tests/matrix"), ("tests/matrix/",)),
    (("scripts", "tests/arm64"), ("tests/arm64/",)),
    (("scripts", "tests/mutation"), ("tests/mutation/",)),
    (("scripts",), ("tests/page/",)),
    (("scripts", "tests/coverage"), ("tests/coverage/",)),
    (("scripts",), ("tests/instructions/",)),
    (("scripts",), ("tests/fuzz/", "tests/nightly")),
    (("docs/schema",), ("docs/schema/",)),
    (("tests/data/rates",), ("tests/data/rates/",)),
)


class Result(NamedTuple):
    """What a check says: `ok`, `failed` or `skipped`, a remark, and its findings."""

    state: str
    remark: str = ""
    findings: str = ""


class Sources:
    """The files of the source tree by language, as paths relative to it."""

    def __init__(self, root: str = SOURCE) -> None:
        self.root = root
        self.all = sorted(self._listed())
        self.c = [f for f in self.all if f.endswith((".c", ".h"))]
        self.lua = [f for f in self.all if f.endswith(".lua")]
        self.javascript = [f for f in self.all if f.endswith(".js")]
        self.python = [f for f in self.all if self._is(f, ".py", "python")]
        self.shell = [f for f in self.all if self._is(f, ".sh", "sh")]
        self.cram = [f for f in self.all if f.endswith(".t")]
        self.cram += [f for f in self.shell if f.startswith(PIECES)]

    def _listed(self) -> Iterator[str]:
        git = programs.find("git")
        if git and os.path.exists(os.path.join(self.root, ".git")):
            listed = subprocess.run(
                [git, "ls-files", "-coz", "--exclude-standard"],
                cwd=self.root,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
            for name in listed.split("\0"):
                if os.path.isfile(os.path.join(self.root, name)):
                    yield name
            return
        for directory, directories, names in os.walk(self.root):
            directories[:] = [d for d in directories if not NOT_SOURCE.match(d)]
            for name in names:
                if name != "configure":  # which autogen.sh made
                    yield os.path.relpath(os.path.join(directory, name), self.root)

    def _is(self, name: str, suffix: str, interpreter: str) -> bool:
        """By its suffix or, when it has none, by its first line."""
        if name.endswith(suffix):
            return True
        if os.path.splitext(name)[1] or "/data/" in name:
            return False
        with open(os.path.join(self.root, name), "rb") as f:
            return bool(re.match(rb"#!.*\b%s\d?$" % interpreter.encode(), f.readline().strip()))

    def run(self, argv: Sequence[str], **env: str) -> tuple[int, str]:
        """Exit status and output of a program in the source directory."""
        done = subprocess.run(
            argv,
            cwd=self.root,
            env=dict(os.environ, **env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout.rstrip()


def cache_of(name: str) -> str:
    """Where a program keeps what it knows; nowhere without a cache directory of our own."""
    cache = programs.cache()
    return os.path.join(cache, name) if cache else os.devnull


def missing(name: str) -> Result:
    return Result("skipped", "%s is not installed (%s)" % (name, INSTALL))


def wrong_version(name: str, found: str, needed: str) -> Result:
    text = "%s %s is installed, not %s, and versions differ in what they demand"
    return Result("skipped", text % (name, found, needed))


def judged(outcome: tuple[int, str], files: Sequence[str]) -> Result:
    code, text = outcome
    return Result("failed" if code else "ok", counted(files), text if code else "")


def counted(files: Sequence[str]) -> str:
    return "1 file" if len(files) == 1 else "%d files" % len(files)


def clang_format(sources: Sources, fix: bool) -> Result:
    """Other versions of clang-format break lines elsewhere, so the version is part of the rules."""
    program = programs.find("clang-format-" + CLANG_FORMAT, "clang-format")
    if not program:
        return missing("clang-format")
    found = re.search(r"version (\d+)", sources.run([program, "--version"])[1])
    if not found or found.group(1) != CLANG_FORMAT:
        version = found.group(1) if found else "of an unknown version"
        return wrong_version("clang-format", version, CLANG_FORMAT)
    if fix:
        sources.run([program, "-i"] + sources.c)
    return judged(sources.run([program, "--dry-run", "-Werror"] + sources.c), sources.c)


def c_rules(sources: Sources, fix: bool) -> Result:
    found = lint_c.check(sources.root, sources.c)
    remark = counted(sources.c)
    if found.warnings:
        remark += "; %d warnings" % len(found.warnings)
    text = "\n".join(found.errors + found.warnings)
    return Result("failed" if found.errors else "ok", remark, text)


def cram_rules(sources: Sources, fix: bool) -> Result:
    found = lint_cram.check(sources.root, sources.cram)
    return Result("failed" if found else "ok", counted(sources.cram), "\n".join(found))


def links(sources: Sources, fix: bool) -> Result:
    found = lint_links.check(sources.root, sources.all)
    documents = [f for f in sources.all if f.endswith(".md")]
    return Result("failed" if found else "ok", counted(documents), "\n".join(found))


def removals(sources: Sources, fix: bool) -> Result:
    shells = sorted({*sources.shell, *sources.cram})
    shells += [f for f in sources.all if f.endswith(("Makefile.am", "Containerfile", "/rules"))]
    found = lint_remove.check(sources.root, sources.python, shells)
    files = [*sources.python, *shells]
    return Result("failed" if found else "ok", counted(files), "\n".join(found))


def shellcheck(sources: Sources, fix: bool) -> Result:
    program = programs.find("shellcheck")
    if not program:
        return missing("shellcheck")
    argv = [program, "-x", "-P", "tests/t", "-f", "gcc"]
    whole = [f for f in sources.shell if not f.startswith(PIECES)]
    pieces = [f for f in sources.shell if f.startswith(PIECES)]
    runs = [sources.run(argv + whole)] if whole else []
    if pieces:
        # the variables that a piece sets are for the cram files that source it
        runs.append(sources.run(argv + ["-s", "sh", "-e", "SC2034"] + pieces))
    return judged(
        (max(code for code, _ in runs), "\n".join(text for _, text in runs if text)), sources.shell
    )


def ruff(sources: Sources, fix: bool) -> Result:
    """The version is named in .ruff.toml; install-deps reads it there, too."""
    program = programs.find("ruff")
    if not program:
        return missing("ruff")
    with open(os.path.join(sources.root, ".ruff.toml")) as f:
        needed = re.search(r'^required-version = "==([\d.]+)"', f.read(), re.M)
    found = sources.run([program, "--version"])[1].split()[-1]
    if needed and found != needed.group(1):
        return wrong_version("ruff", found, needed.group(1))
    cache = ["--cache-dir", cache_of("ruff"), "-q"] if programs.cache() else ["--no-cache", "-q"]
    if fix:
        sources.run([program, "check", "--fix"] + cache + sources.python)
        sources.run([program, "format"] + cache + sources.python)
    check = sources.run([program, "check", "--output-format=concise"] + cache + sources.python)
    form = sources.run(
        [program, "format", "--check", "--output-format=concise"] + cache + sources.python
    )
    texts = [text for code, text in (check, form) if code]
    return judged((check[0] or form[0], "\n".join(texts)), sources.python)


def mypy(sources: Sources, fix: bool) -> Result:
    program = programs.find("mypy")
    if not program:
        return missing("mypy")
    # the oldest Python that runs sysbench-lab, while mypy knows it
    oldest = ["--python-version=" + OLDEST]
    if sources.run([program, *oldest, "--version"])[0] != 0:
        oldest = []
    argv = [program, *oldest, "--scripts-are-modules"]
    left, status, texts = set(sources.python), 0, []
    for directories, prefixes in MYPY:
        files = [f for f in sources.python if f.startswith(prefixes)]
        left -= set(files)
        if not files:
            continue
        path = os.pathsep.join(os.path.join(sources.root, d) for d in directories)
        for cache in (cache_of("mypy"), os.devnull):  # what it remembers may be of another clone
            code, text = sources.run([*argv, "--cache-dir", cache, *files], MYPYPATH=path)
            if code == 0:
                break
        status |= code
        if code:
            texts.append(text)
    for name in sorted(left):
        status = 1
        texts.append("%s: no entry of MYPY in scripts/sblab/lint.py covers it" % name)
    return judged((status, "\n".join(texts)), sources.python)


def luacheck(sources: Sources, fix: bool) -> Result:
    program = programs.find("luacheck")
    if not program:
        return missing("luacheck")
    argv = [program, "--no-color", "--codes", "--formatter", "plain"]
    return judged(sources.run(argv + sources.lua), sources.lua)


def javascript(sources: Sources, fix: bool) -> Result:
    program = programs.find("node", "nodejs")
    if not program:
        return missing("node")
    runs = [sources.run([program, "--check", f]) for f in sources.javascript]
    texts = [text for code, text in runs if code]
    return judged((1 if texts else 0, "\n".join(texts)), sources.javascript)


CHECKS: dict[str, Callable[[Sources, bool], Result]] = {
    "clang-format": clang_format,
    "c": c_rules,
    "cram": cram_rules,
    "links": links,
    "removals": removals,
    "shellcheck": shellcheck,
    "ruff": ruff,
    "mypy": mypy,
    "luacheck": luacheck,
    "node": javascript,
}


def show(name: str, result: Result) -> None:
    remark = ": " + result.remark if result.remark else ""
    print("%-13s %s%s" % (name, result.state, remark), flush=True)
    for line in result.findings.splitlines():
        print("    " + line, flush=True)


def parse(argv: Sequence[str], text: str) -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="scripts/lint",
        description=text,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("check", nargs="*", help="checks to run: %s (default: all)" % ", ".join(CHECKS))
    p.add_argument("--fix", action="store_true", help="reformat C and Python before checking")
    p.add_argument(
        "--require-all", action="store_true", help="fail if the program of a check is missing"
    )
    args = p.parse_args(argv)
    for name in args.check:
        if name not in CHECKS:
            p.error("there is no check '%s'; there are %s" % (name, ", ".join(CHECKS)))
    return args


def main(argv: Sequence[str], text: str) -> int:
    args = parse(argv, text)
    names: list[str] = [n for n in CHECKS if not args.check or n in args.check]
    sources = Sources()
    states = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(n, pool.submit(CHECKS[n], sources, args.fix)) for n in names]
        for name, future in running:
            result = future.result()
            states.add(result.state)
            show(name, result)
    return 1 if "failed" in states or (args.require_all and "skipped" in states) else 0
