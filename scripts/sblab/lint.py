# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/lint: which files, by which program (TOOLS), and rules that no program knows (RULES).

The checks run side by side; their results are printed in the order of CHECKS.  Files are those that
git tracks or would track; in a release tarball, which has no repository, all files outside build
directories.
"""

from __future__ import annotations

import concurrent.futures
import functools
import os
import re
import subprocess
from typing import Callable, Iterator, NamedTuple, Sequence

from sysbench_lab.servers import programs

from . import links
from .build import SOURCE, contents, parser

NOT_SOURCE = re.compile(r"(\.git|build.*|autom4te\.cache|results|__pycache__|\.\w+_cache)$")
# where the imports of a program come from, besides its own directory
IMPORTS = ("scripts", "tests", "tests/include", "tests/faults")
# one run each: two programs of one name, or two packages, are no modules of one run
MYPY_ROOTS = re.compile(r"(?:tests/data/\w+|packaging/python|docs/schema|tests/\w+|\w+)/")


class Tool(NamedTuple):
    """A check by a program, of files whose kind or path matches, `most` at a time."""

    files: str
    command: list[str]
    fix: list[str] | None = None
    most: int = 100000


SHELLCHECK = ["shellcheck", "-x", "-P", "tests/t", "-f", "gcc"]

TOOLS = {
    "clang-format": Tool(
        r"c:", ["clang-format-14", "--dry-run", "-Werror"], ["clang-format-14", "-i"]
    ),
    "shellcheck": Tool(r"sh:(?!tests/include/)", SHELLCHECK),
    # the variables that a piece sets are for the cram files that source it
    "shell pieces": Tool(r"sh:tests/include/", [*SHELLCHECK, "-s", "sh", "-e", "SC2034"]),
    "ruff": Tool(
        r"py:", ["ruff", "check", "-q", "--output-format=concise"], ["ruff", "check", "-q", "--fix"]
    ),
    "ruff format": Tool(r"py:", ["ruff", "format", "-q", "--check"], ["ruff", "format", "-q"]),
    "luacheck": Tool(r"lua:", ["luacheck", "--no-color", "--codes", "--formatter", "plain"]),
    "node": Tool(r"js:", ["node", "--check"], most=1),
}


class Rule(NamedTuple):
    """What no file of a kind and path may have; a match is excused if its file has `unless`, in
    which {} is the match's first group."""

    files: str
    pattern: str
    message: str
    unless: str = ""


PRODUCT = r"c:src/(?!.*_test\.[ch]$)"
# of the functions that src/interpose replaces: on a fiber they would let another client run
PARKS = (
    r"(?<![\w>.])(?:p?poll|(?:u|(?:clock_)?nano)?sleep|send|recv|(?:fd_)?close|bind"
    r"|(?:get|free)addrinfo)\("
)
RULES = (
    Rule(
        r"c:",
        r"\A(?!/\* SPDX-License-Identifier: \S+\n \*\n \* \S*\w)",
        "does not open with its license and what it is for",
    ),
    # clang-format aligns the end of a macro's line
    Rule(r"c:", r"^(?!.*\\$).{101,}", "more than 100 columns"),
    Rule(r"c:", r'(?<!\\)[A-Za-z]"\n\s*"[a-z]', "a string that is split in the middle of a word"),
    Rule(PRODUCT, r"^\{\n(?:(?!\}).*\n){68,}", "a function of more than 70 lines"),
    Rule(
        r"c:src/base/(?!test|.*_test\.)",
        r"^(?! *(?:/?\*|//)|[a-z#]).*" + PARKS,
        "may park a fiber: base/plain.h",
    ),
    Rule(
        PRODUCT,
        r"^static void (?:on_\w+|stop)\(int .*\)\n\{\n(?:(?!\}).*\n)*?(?! *(?:/?\*)).*" + PARKS,
        "a signal handler may park a fiber: base/plain.h",
    ),
    Rule(r"t:", r"^(?=  [$>] |\S).{141,}", "more than 140 columns"),
    Rule(
        r"t:",
        r"^  .*(?:python3 -|cat >\s*[\w.]+\.py\b).*<<-?\s*'?(\w+)\b.*\n(?:  > (?!\1$).*\n){6}",
        "more than 5 lines of Python: into tests/include",
    ),
    # an interval line that comes half a second late has the next second in it
    Rule(
        r"t:|sh:tests/include/",
        r"\bwait_for\s+\S+\s+'\^\\\[ *\d",
        "waits for a second that a late line does not name: count the lines",
    ),
    # `>out &` empties the file when its process opens it, maybe after what waits for a line there
    Rule(
        r"t:",
        r"^  [$>] (?:(?!: *>).)*>\s*([a-z][\w.]*)\b(?!.*&$).*\n"
        r"(?:(?!.*(?:\brm\b.*\b|: *>\s*)\1\b).*\n)*?"
        r"  [$>] (?!.*(?:\brm\b.*\b|: *>\s*)\1\b).*[^2&]>\s*\1\b[^&\n]*(?<![&>])&(?![&>\d])"
        r"(?:(?!.*(?:\brm\b.*\b|: *>\s*|[^2&]>\s*)\1\b).*\n)*?  [$>] .*wait_for \1\b",
        "a wait that an earlier command's line may end: `: >FILE` before `>FILE &`",
    ),
    Rule(
        r"py:(?!scripts/sysbench_lab/owned\.py|scripts/sblab/lint)",
        r"\brmtree\b|\bremovedirs\b"
        r"|[\"']rm[\"'],(?:\s*[\"'][^\"']*[\"'],)*?\s*[\"'](?:-\w*[rR]\w*|--recursive)[\"']"
        r"|[\"']find[\"'],.*[\"']-delete[\"']",
        "owned.remove() removes directories, and only what we made",
    ),
    Rule(
        r"sh:|t:|make:",
        r"^(?!.*\btest\b.*\b(?:rm|find)\b)"
        r".*\b(?:rm\s+(?:-\S+\s+)*(?:-\w*[rR]\w*|--recursive)\s[^;|&\n]*?"
        r"|find\s(?:(?!\s-)[^;|&\n])*?(?=[^;|&\n]*\s(?:-delete\b|-exec(?:dir)?\s+rm\b)))\$[({]?(\w+)",
        "removes by a variable what `mktemp -d` did not make here",
        unless=r"\b{}=\$\(mktemp -d\b",
    ),
)
KINDS = {
    "c": r".*\.[ch]$",
    "lua": r".*\.lua$",
    "js": r".*\.js$",
    "t": r".*\.t$",
    "make": r".*(Makefile\.am|Containerfile|/rules)$",
}
# by its suffix or, when it has none, by its first line
SCRIPTS = {"py": (".py", rb"#!.*\bpython\d?$"), "sh": (".sh", rb"#!.*\bsh$")}


class Sources:
    """The files of the source tree, as paths relative to it, and as `kind:path`."""

    def __init__(self, root: str = SOURCE) -> None:
        self.root = root
        self.all = sorted(self._listed())
        self.named = [name for f in self.all for name in self._kinds(f)]

    def _listed(self) -> Iterator[str]:
        if os.path.exists(os.path.join(self.root, ".git")) and programs.find("git"):
            argv = ["git", "ls-files", "-coz", "--exclude-standard"]
            listed = subprocess.run(argv, cwd=self.root, stdout=subprocess.PIPE, text=True)
            names = listed.stdout.split("\0")
            yield from (n for n in names if os.path.isfile(os.path.join(self.root, n)))
            return
        for directory, directories, names in os.walk(self.root):
            directories[:] = [d for d in directories if not NOT_SOURCE.match(d)]
            for name in names:
                if name != "configure":  # which autogen.sh made
                    yield os.path.relpath(os.path.join(directory, name), self.root)

    def _kinds(self, name: str) -> Iterator[str]:
        yield from ("%s:%s" % (k, name) for k, pattern in KINDS.items() if re.match(pattern, name))
        for kind, (suffix, first) in SCRIPTS.items():
            if name.endswith(suffix):
                yield "%s:%s" % (kind, name)
            elif not os.path.splitext(name)[1] and "/data/" not in name:
                with open(os.path.join(self.root, name), "rb") as f:
                    if re.match(first, f.readline().strip()):
                        yield "%s:%s" % (kind, name)

    def of(self, pattern: str) -> list[str]:
        found = [n.split(":", 1)[1] for n in self.named if re.match(pattern, n)]
        return list(dict.fromkeys(found))

    def text(self, name: str) -> str:
        return contents(os.path.join(self.root, name))

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


class Result(NamedTuple):
    """What a check says: `ok`, `failed` or `skipped`, a remark, and its findings."""

    state: str
    remark: str
    findings: str = ""


def judged(findings: Sequence[str], files: Sequence[str]) -> Result:
    remark = "%d file%s" % (len(files), "" if len(files) == 1 else "s")
    return Result("failed" if findings else "ok", remark, "\n".join(findings))


def tool(t: Tool, sources: Sources, fix: bool) -> Result:
    files, (name, *words) = sources.of(t.files), t.command
    program = programs.find(name)
    if not program:
        return Result("skipped", name + " is not installed (third_party/install-deps --all)")
    if fix and t.fix:
        sources.run([program, *t.fix[1:], *files])
    texts = []
    for at in range(0, len(files), t.most):
        status, text = sources.run([program, *words, *files[at : at + t.most]])
        if "Required version" in text:  # of ruff: others demand something else
            return Result("skipped", text)
        if status:
            texts.append(text)
    return judged(texts, files)


def mypy(sources: Sources, fix: bool) -> Result:
    program = programs.find("mypy")
    if not program:
        return Result("skipped", "mypy is not installed (third_party/install-deps --all)")
    files, texts = sources.of("py:"), []
    groups: dict[str, list[str]] = {}
    for name in files:
        found = MYPY_ROOTS.match(name)
        groups.setdefault(found.group() if found else "?", []).append(name)
    known = os.path.join(programs.cache() or os.devnull, "mypy") if programs.cache() else os.devnull
    for root, names in groups.items():
        path = os.pathsep.join(os.path.join(sources.root, d) for d in (*IMPORTS, root.rstrip("/")))
        for cache in (known, os.devnull):  # what it remembers may be of another clone
            argv = [program, "--scripts-are-modules", "--cache-dir", cache, *names]
            status, text = sources.run(argv, MYPYPATH=path)
            if status == 0:
                break
        if status:
            texts.append(text)
    return judged(texts, files)


def rules(sources: Sources, fix: bool) -> Result:
    found, files = [], set()
    for rule in RULES:
        for name in sources.of(rule.files):
            files.add(name)
            found += ["%s:%s" % (name, what) for what in broken(rule, sources.text(name))]
    product = {n: sources.text(n) for n in sources.of(PRODUCT)}
    return judged([*found, *read_twice(product)], sorted(files))


def broken(rule: Rule, text: str) -> Iterator[str]:
    """`LINE: MESSAGE` for each match of a rule; the line is that where it ends."""
    for m in re.finditer(rule.pattern, text, re.M):
        excuse = rule.unless.replace("{}", m.group(1)) if rule.unless else r"(?!)"
        if not re.search(excuse, text):
            yield "%d: %s" % (text.count("\n", 0, m.end()) + 1, rule.message)


def read_twice(texts: dict[str, str]) -> Iterator[str]:
    """Options that a second function reads: one belongs to one module, which hands it on."""
    first: dict[str, str] = {}
    read = r'\bopt_(?:bool|int|double|str|list|given)\(\s*[^"();]*,\s*"([\w-]+)"'
    for name, text in texts.items():
        for part in re.finditer(r"^\{\n(?:(?!\}).*\n)*|^.*\n", text, re.M):
            where = "%s:%d" % (name, text.count("\n", 0, part.start()) + 1)
            for word in re.findall(read, part.group()):
                option = word.replace("_", "-")
                place = first.setdefault(option, where)
                if place != where:
                    yield "%s: --%s is read in %s, too" % (where, option, place)


def of_links(sources: Sources, fix: bool) -> Result:
    return judged(links.check(sources.root, sources.all), sources.of("md:") or ["documents"])


CHECKS: dict[str, Callable[[Sources, bool], Result]] = {
    **{name: functools.partial(tool, t) for name, t in TOOLS.items()},
    "mypy": mypy,
    "rules": rules,
    "links": of_links,
}


def main(argv: Sequence[str], text: str) -> int:
    p = parser("scripts/lint", text)
    p.add_argument("check", nargs="*", help="checks to run: %s (default: all)" % ", ".join(CHECKS))
    p.add_argument("--fix", action="store_true", help="reformat C and Python before checking")
    p.add_argument("--require-all", action="store_true", help="fail if a program is missing")
    args = p.parse_args(argv)
    for name in args.check:
        if name not in CHECKS:
            p.error("there is no check '%s'; there are %s" % (name, ", ".join(CHECKS)))
    sources, bad = Sources(), {"failed"} | ({"skipped"} if args.require_all else set())
    states = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        names = [n for n in CHECKS if not args.check or n in args.check]
        running = [(n, pool.submit(CHECKS[n], sources, args.fix)) for n in names]
        for name, future in running:
            result = future.result()
            states.add(result.state)
            print("%-13s %s: %s" % (name, result.state, result.remark), flush=True)
            for line in result.findings.splitlines():
                print("    " + line, flush=True)
    return 1 if states & bad else 0
