# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/lint demands of links: of a document, that the file and the heading are there; of
any file that names a page of docs/, that there is such a page; of a manual page, that the pages
that it names exist and are not itself; of docs/README.md, that it leads to every page beside it.

    python3 -m sblab.lint_links DIRECTORY     # the same of what is installed there

tests/t/install.t runs it on what `make install` brings.  Links to the network are not followed.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Iterable, Iterator, Mapping

LINK = re.compile(r"\]\(([^)\s]*)\)")
NAMED = re.compile(r"(?<![\w/.-])docs/[\w-]+(?:\.md|\.1)\b")
BARE = re.compile(r"(?<![\w/.#(-])[a-z][\w-]*\.md\b")
PAGE = re.compile(r"(?:\\fB|^\.BR |\", )([a-z][a-z\\-]*)(?:\\fR)? ?\(?\(([1-8])\)", re.M)
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`", re.M | re.S)
MANUAL = re.compile(r"(?:^|/)[\w-]+\.[1-8]$")
EXAMPLES = ("docs/toy.md", "docs/other.md")  # of CONTRIBUTING.md, of a test
TEXT = (".md", ".py", ".c", ".h", ".lua", ".t", ".sh", ".toml", ".am", ".ac", ".js")


def slug(heading: str) -> str:
    """The anchor that a heading gets, as forges make it."""
    heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text: str) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        name = slug(heading)
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found["%s-%d" % (name, found[name])] = 0
    return set(found)


def of_document(name: str, texts: Mapping[str, str], there: set[str]) -> Iterator[tuple[int, str]]:
    """Position and sentence for each link that leads nowhere."""
    text, directory = texts[name], os.path.dirname(name)
    prose = CODE.sub(lambda m: " " * len(m[0]), text)
    for m in LINK.finditer(prose):
        target, _, anchor = m[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = os.path.normpath(os.path.join(directory, target)) if target else name
        if path not in there:
            yield m.start(), "there is no %s" % m[1]
        elif anchor and anchor not in anchors(texts.get(path, "")):
            yield m.start(), "%s has no heading for #%s" % (path, anchor)
    pages = {os.path.basename(n) for n in there}
    for m in BARE.finditer(prose):
        if m[0] not in pages:
            yield m.start(), "there is no %s" % m[0]


def of_manual(name: str, text: str, pages: set[str]) -> Iterator[tuple[int, str]]:
    for m in PAGE.finditer(text):
        other = "%s.%s" % (m[1].replace("\\", ""), m[2])
        if other == os.path.basename(name):
            yield m.start(), "it names itself: %s" % other
        elif other.startswith(("sysbench", "pstime")) and other not in pages:
            yield m.start(), "there is no manual page %s" % other


def of_map(name: str, text: str, there: set[str]) -> Iterator[tuple[int, str]]:
    """The pages beside a map to which it does not lead."""
    directory = os.path.dirname(name)
    links = {os.path.join(directory, m[1].partition("#")[0]) for m in LINK.finditer(text)}
    for page in sorted(there - links - {name}):
        if os.path.dirname(page) == directory and page.endswith(".md"):
            yield 0, "it does not lead to %s" % page


def check(root: str, files: Iterable[str]) -> list[str]:
    """The files of a tree, as paths relative to it: documents, manual pages and what names them."""
    there, found, texts = set(files), [], {}
    for name in sorted(there):
        if name.endswith(TEXT) or MANUAL.search(name) or "." not in os.path.basename(name):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
                texts[name] = f.read()
    made = re.findall(r"docs/([\w-]+\.[57])", texts.get("Makefile.am", ""))
    pages = {os.path.basename(n) for n in there if MANUAL.search(n)} | set(made)
    documents = {"docs/" + os.path.basename(n) for n in there if "docs" in n.split("/")}
    documents |= {"docs/" + n for n in pages}
    for name, text in texts.items():
        wrong: list[tuple[int, str]] = []
        if name.endswith(".md"):
            wrong += of_document(name, texts, there)
        if name.endswith("docs/README.md"):
            wrong += of_map(name, text, there)
        if MANUAL.search(name):
            wrong += of_manual(name, text, pages)
        for m in NAMED.finditer(text):
            if m[0] not in documents and m[0] not in EXAMPLES:
                wrong.append((m.start(), "there is no %s" % m[0]))
        found += [
            "%s:%d: %s" % (name, text.count("\n", 0, at) + 1, what) for at, what in sorted(wrong)
        ]
    return found


def main(roots: Iterable[str]) -> int:
    found = []
    for root in roots:
        walk = os.walk(root)
        files = [os.path.relpath(os.path.join(d, n), root) for d, _, names in walk for n in names]
        found += check(root, files)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
