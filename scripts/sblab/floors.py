# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/floors: which file of src/ includes which, against the map in CONTRIBUTING.md.

The map gives each directory of src/ a floor.  Five rules hold:

  place     every directory with C files is on the map
  upward    a file includes headers of its own directory and of lower floors only
  private   a header that says "Private to src/NAME" is included in that directory only
  knot      no module includes another that leads back to it; a module is x.c with x.h
  circle    by calls within a directory, at most MOST files lead to each other
"""

from __future__ import annotations

import re
from pathlib import Path

ROW = re.compile(r"^(\d+) +src/(\w+)(?:/|\.c)\s", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([\w./-]+)"', re.M)
PRIVATE = re.compile(r"Private to\s+(?:\*\s+)?src/(\w+)")
DEFINED = re.compile(r"^(?!static\b)[A-Za-z][\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
CALLED = re.compile(r"\b(\w+)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
MOST = 3
PLACE = "src/%s: on the map in CONTRIBUTING.md or with C files, but not both"


def directory_of(path: str) -> str:
    """The directory of src/; of a file in src/ itself its name without the ending."""
    first, _, rest = path.partition("/")
    return first if rest else Path(first).stem


def circles(graph: dict[str, set[str]], most: int) -> list[str]:
    """The sets of more than so many that lead to each other."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        todo, seen = list(graph[start] - {start}), reach.setdefault(start, set())
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += graph[at]
    found = {frozenset(b for b in reach[a] if a in reach[b]) for a in graph if a in reach[a]}
    return [", ".join(sorted(k)) for k in sorted(found, key=sorted) if len(k) > most]


class Tree:
    """The floors of the map, and of each C file its includes, by paths below src/."""

    def __init__(self, top: Path) -> None:
        text = (top / "CONTRIBUTING.md").read_text(encoding="utf-8")
        self.floors = {m[2]: int(m[1]) for m in ROW.finditer(text)}
        paths = sorted((top / "src").rglob("*.[ch]"))
        texts = {p.relative_to(top / "src").as_posix(): p.read_text("utf-8") for p in paths}
        product = [p for p in texts if p.endswith(".c") and "/test_" not in p and "_test." not in p]
        files = {p: COMMENT.sub("", texts[p]) for p in product}
        at = {name: p for p, t in files.items() for name in DEFINED.findall(t)}
        self.calls = {
            p: {at[n] for n in CALLED.findall(t) if directory_of(at.get(n, "")) == directory_of(p)}
            for p, t in files.items()
        }
        self.includes = {p: [i for i in INCLUDE.findall(t) if i in texts] for p, t in texts.items()}
        self.private = {
            p: m[1] for p, t in texts.items() if (m := PRIVATE.search(t.partition("*/")[0]))
        }

    def broken(self) -> list[str]:
        """What is wrong, one text each."""
        found = [
            PLACE % d for d in sorted(set(self.floors) ^ set(map(directory_of, self.includes)))
        ]
        for path, includes in self.includes.items():
            here = directory_of(path)
            for i in includes:
                to = directory_of(i)
                if to != here and self.floors.get(to, -1) >= self.floors.get(here, 99):
                    floors = path, self.floors[here], i, self.floors[to]
                    found.append("%s (floor %d) includes %s (floor %d)" % floors)
                if self.private.get(i, here) != here:
                    found.append("%s includes %s, private to src/%s" % (path, i, self.private[i]))
        modules: dict[str, set[str]] = {}
        for path, includes in self.includes.items():
            modules.setdefault(path[:-2], set()).update(i[:-2] for i in includes)
        knots = ["knot: " + k for k in circles(modules, 1)]
        return found + knots + ["circle: " + k for k in circles(self.calls, MOST)]

    def show(self) -> str:
        """The floors from the top down, with the directories that each includes."""
        rows = []
        for here in sorted(self.floors, key=lambda d: (-self.floors[d], d)):
            own = [i for p, i in self.includes.items() if directory_of(p) == here]
            below = {directory_of(i) for includes in own for i in includes} - {here}
            names = " ".join(sorted(below, key=lambda d: (-self.floors.get(d, -1), d)))
            row = "%d %-10s %3d files   %s" % (self.floors[here], here, len(own), names)
            rows.append(row.rstrip())
        return "\n".join(rows)


def main(top: Path) -> int:
    """Prints the floors and what breaks them; the exit status."""
    tree = Tree(top)
    broken = tree.broken()
    print("\n".join([tree.show(), *broken]))
    return 1 if broken else 0
