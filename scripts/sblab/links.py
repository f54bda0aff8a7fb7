# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/lint demands of links: of a document, that the file and the heading are there; of
any file that names a page of docs/, that there is such a page; of a manual page, that the pages
that it names exist and are not itself; of docs/README.md, that it leads to every page beside it.

    python3 -m sblab.links DIRECTORY     # the same of what is installed there

tests/t/install.t runs it on what `make install` brings.  Links to the network are not followed.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Iterable, Iterator

LINK = re.compile(r"\]\(([^)\s]*)\)")
NAMED = re.compile(r"(?<![\w/.-])docs/[\w-]+(?:\.md|\.1)\b")
BARE = re.compile(r"(?<![\w/.#(-])[a-z][\w-]*\.md\b")
PAGE = re.compile(r"(?:\\fB|^\.BR |\", )([a-z][a-z\\-]*)(?:\\fR)? ?\(?\(([1-8])\)", re.M)
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`", re.M | re.S)
MANUAL = re.compile(r"(?:^|/)[\w-]+\.[1-8]$")
EXAMPLES = ("docs/toy.md", "docs/other.md")  # of CONTRIBUTING.md, of a test
TEXT = (".md", ".py", ".c", ".h", ".lua", ".t", ".sh", ".toml", ".am", ".ac", ".js")
Wrong = Iterator["tuple[int, str]"]  # position and sentence


def anchors(text: str) -> set[str]:
    """Of the headings, as forges make them."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").strip().lower())
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found["%s-%d" % (name, found[name])] = 0
    return set(found)


class Tree:
    """A tree of documents, manual pages and what names them, as paths relative to it."""

    def __init__(self, root: str, files: Iterable[str]) -> None:
        self.there, self.texts = set(files), {}
        for name in sorted(self.there):
            if name.endswith(TEXT) or MANUAL.search(name) or "." not in os.path.basename(name):
                with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
                    self.texts[name] = f.read()
        made = re.findall(r"docs/([\w-]+\.[57])", self.texts.get("Makefile.am", ""))
        self.pages = {os.path.basename(n) for n in self.there if MANUAL.search(n)} | set(made)
        self.documents = {"docs/" + n for n in self.pages} | set(EXAMPLES)
        for name in self.there:
            if "docs" in name.split("/"):
                self.documents.add("docs/" + os.path.basename(name))

    def of_document(self, name: str, text: str) -> Wrong:
        prose = CODE.sub(lambda m: " " * len(m[0]), text)
        for m in LINK.finditer(prose):
            target, _, anchor = m[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if path not in self.there:
                yield m.start(), "there is no %s" % m[1]
            elif anchor and anchor not in anchors(self.texts.get(path, "")):
                yield m.start(), "%s has no heading for #%s" % (path, anchor)
        names = {os.path.basename(n) for n in self.there}
        for m in BARE.finditer(prose):
            if m[0] not in names:
                yield m.start(), "there is no %s" % m[0]

    def of_map(self, name: str, text: str) -> Wrong:
        """The pages beside a map to which it does not lead."""
        directory = os.path.dirname(name)
        links = {os.path.join(directory, m[1].partition("#")[0]) for m in LINK.finditer(text)}
        for page in sorted(self.there - links - {name}):
            if os.path.dirname(page) == directory and page.endswith(".md"):
                yield 0, "it does not lead to %s" % page

    def of_manual(self, name: str, text: str) -> Wrong:
        for m in PAGE.finditer(text):
            other = "%s.%s" % (m[1].replace("\\", ""), m[2])
            if other == os.path.basename(name):
                yield m.start(), "it names itself: %s" % other
            elif other.startswith(("sysbench", "pstime")) and other not in self.pages:
                yield m.start(), "there is no manual page %s" % other

    def of_any(self, name: str, text: str) -> Wrong:
        for m in NAMED.finditer(text):
            if m[0] not in self.documents:
                yield m.start(), "there is no %s" % m[0]

    def wrong(self) -> Iterator[str]:
        kinds = (
            (r"\.md$", self.of_document),
            (r"docs/README\.md$", self.of_map),
            (MANUAL.pattern, self.of_manual),
            ("", self.of_any),
        )
        for name, text in self.texts.items():
            found = [w for kind, of in kinds if re.search(kind, name) for w in of(name, text)]
            for at, what in sorted(found):
                yield "%s:%d: %s" % (name, text.count("\n", 0, at) + 1, what)


def check(root: str, files: Iterable[str]) -> list[str]:
    return list(Tree(root, files).wrong())


if __name__ == "__main__":
    walk = os.walk(sys.argv[1])
    every = [os.path.relpath(os.path.join(d, n), sys.argv[1]) for d, _, ns in walk for n in ns]
    wrong = check(sys.argv[1], every)
    print("".join(line + "\n" for line in wrong), end="")
    sys.exit(1 if wrong else 0)
