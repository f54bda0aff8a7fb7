# SPDX-License-Identifier: GPL-2.0-or-later
"""Check which file of src/ includes which against the map in CONTRIBUTING.md.

The map gives each directory of src/ a floor.  Four rules hold:

  place     every directory with C files is on the map
  upward    a file includes headers of its own directory and of lower floors only
  private   a header that says "Private to src/NAME" is included in that directory only
  knot      no module includes another that leads back to it; a module is x.c with x.h

Modules whose knot is not untied yet are counted in KNOWN, and leave it when it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: How many modules of a directory are in knots that nobody has untied yet.
KNOWN: dict[str, int] = {}

ROW = re.compile(r"^(\d+) +src/(\w+)(?:/|\.c)\s")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([\w./-]+)"', re.M)
PRIVATE = re.compile(r"Private to\s+(?:\*\s+)?src/(\w+)")

Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Source:
    """A C file: its path below src/, the files there that it includes, and its opening comment."""

    path: str
    includes: tuple[str, ...]
    head: str

    @property
    def directory(self) -> str:
        return directory_of(self.path)

    @property
    def module(self) -> str:
        return module_of(self.path)


def directory_of(path: str) -> str:
    """The directory of src/; of a file in src/ itself its name without the ending."""
    first, _, rest = path.partition("/")
    return first if rest else Path(first).stem


def module_of(path: str) -> str:
    """x.c and x.h are one module; a test is one of its own, which nothing includes."""
    return re.sub(r"\.[ch]$", "", path)


def read_map(text: str) -> dict[str, int]:
    """The floor of each directory."""
    return {m.group(2): int(m.group(1)) for m in map(ROW.match, text.splitlines()) if m}


def read_sources(src: Path) -> list[Source]:
    """All C files below src/."""
    paths = sorted(p for p in src.rglob("*.[ch]") if p.is_file())
    known = {p.relative_to(src).as_posix() for p in paths}
    sources = []
    for p in paths:
        text = p.read_text(encoding="utf-8")
        includes = tuple(i for i in INCLUDE.findall(text) if i in known)
        head = text[: text.find("*/")]
        sources.append(Source(p.relative_to(src).as_posix(), includes, head))
    return sources


def misplaced(sources: list[Source], floors: dict[str, int]) -> list[str]:
    """Directories that the map lacks, and directories of the map that do not exist."""
    directories = {s.directory for s in sources}
    return [
        f"src/{f}: not on the map in CONTRIBUTING.md" for f in sorted(directories - set(floors))
    ] + [
        f"src/{f}: on the map in CONTRIBUTING.md, but no such directory with C files"
        for f in sorted(set(floors) - directories)
    ]


def upward(sources: list[Source], floors: dict[str, int]) -> list[str]:
    """Includes of another directory that is not on a lower floor."""
    return [
        f"{s.path} (floor {floors[s.directory]}) includes {i} (floor {floors[to]})"
        for s in sources
        for i in s.includes
        if (to := directory_of(i)) != s.directory
        and to in floors
        and s.directory in floors
        and floors[to] >= floors[s.directory]
    ]


def trespassing(sources: list[Source]) -> list[str]:
    """Includes of headers that are private to another directory."""
    private = {
        s.path: m.group(1)
        for s in sources
        if s.path.endswith(".h") and (m := PRIVATE.search(s.head))
    }
    return [
        f"{s.path} includes {i}, which is private to src/{private[i]}"
        for s in sources
        for i in s.includes
        if i in private and private[i] != s.directory
    ]


def module_graph(sources: list[Source]) -> Graph:
    """Which module includes which others."""
    graph: Graph = {}
    for s in sources:
        to = graph.setdefault(s.module, set())
        to.update(m for i in s.includes if (m := module_of(i)) != s.module)
    return graph


def reachable(graph: Graph, start: str) -> set[str]:
    """All modules that can be reached from one; itself only when it is on a cycle."""
    seen: set[str] = set()
    todo = list(graph.get(start, ()))
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(graph.get(module, ()))
    return seen


def knots(graph: Graph) -> list[frozenset[str]]:
    """The sets of modules that lead to each other."""
    reach = {m: reachable(graph, m) for m in graph}
    found = {
        frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph if a in reach[a]
    }
    return sorted(found, key=sorted)


def describe(knot: frozenset[str], graph: Graph) -> str:
    """A knot with the includes that make it."""
    rows = [f"    {m} -> {', '.join(sorted(graph[m] & knot))}" for m in sorted(knot)]
    return "\n".join([f"knot of {len(knot)} modules:", *rows])


def tangled(graph: Graph, known: dict[str, int]) -> list[str]:
    """Directories with more modules in knots than are known, or with fewer."""
    by_directory: dict[str, list[frozenset[str]]] = {}
    for knot in knots(graph):
        by_directory.setdefault(directory_of(min(knot)), []).append(knot)
    found = []
    for directory in sorted(by_directory.keys() | known.keys()):
        here = by_directory.get(directory, [])
        count, limit = sum(map(len, here)), known.get(directory, 0)
        if count > limit:
            found += [describe(k, graph) for k in here]
        elif count < limit:
            found.append(
                f"src/{directory}: {count} modules are in knots, not {limit}: update KNOWN"
                " in scripts/sblab/floors.py"
            )
    return found


def check(top: Path, known: dict[str, int]) -> list[str]:
    """What is wrong in the source tree `top`, one text each."""
    floors = read_map((top / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    sources = read_sources(top / "src")
    if not floors:
        return ["CONTRIBUTING.md has no map: rows such as `0 src/base/  ...`"]
    return (
        misplaced(sources, floors)
        + upward(sources, floors)
        + trespassing(sources)
        + tangled(module_graph(sources), known)
    )


def show(top: Path) -> str:
    """The floors from the top down, with the directories that each includes."""
    floors = read_map((top / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    sources = read_sources(top / "src")
    rows = []
    for directory in sorted(floors, key=lambda f: (-floors[f], f)):
        own = [s for s in sources if s.directory == directory]
        below = {directory_of(i) for s in own for i in s.includes} - {directory}
        names = " ".join(sorted(below, key=lambda f: (-floors.get(f, -1), f)))
        rows.append(f"{floors[directory]} {directory:<10} {len(own):3} files   {names}".rstrip())
    return "\n".join(rows)


def main(top: Path) -> int:
    """Prints the floors and what breaks them; the exit status."""
    broken = check(top, KNOWN)
    print(show(top))
    for text in broken:
        print(text)
    return 1 if broken else 0
