# SPDX-License-Identifier: GPL-2.0-or-later
"""A document of plain tables, notes and verdicts as text, Markdown, one HTML page, or JUnit's XML.

What compare and verdict say.  The page needs nothing but itself, in light or dark; names and values
come from users and servers and are escaped in every style.  JUnit's XML has the verdicts only: a
test case each.
"""

import dataclasses
import html
import os
import re
from typing import NamedTuple, Sequence

from .. import text_of, visible
from ..plan import labels

PASSES, FAILS, INCONCLUSIVE, UNKNOWN = "passes", "fails", "inconclusive", "n/a"
JUNIT = {FAILS: "failure", INCONCLUSIVE: "skipped", UNKNOWN: "error"}  # elements


class Verdict(NamedTuple):
    name: str  # what was asked, and of what
    word: str  # of the four above
    sentence: str


@dataclasses.dataclass
class Table:
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1  # columns that are text; the others are figures
    note: str = ""


@dataclasses.dataclass
class Document:
    title: str
    tables: Sequence[Table]
    notes: Sequence[str] = ()
    verdicts: Sequence[Verdict] = ()

    @property
    def sentences(self) -> list[str]:
        return [v.sentence for v in self.verdicts]


def render(document: Document, style: str) -> str:
    return STYLES[style](document)


def text(document: Document) -> str:
    parts = [visible(document.title) + "\n"]
    parts += map(block, document.tables)
    for title, lines in (("Notes", document.notes), ("Conditions", document.sentences)):
        if lines:
            parts.append("%s\n%s" % (title, "".join("  %s\n" % visible(line) for line in lines)))
    return "\n".join(parts)


def block(table: Table) -> str:
    """A table as text, with its title and note."""
    note = "  %s\n" % visible(table.note) if table.note else ""
    lines = labels.aligned([table.head, *table.rows], range(table.left))
    body = "".join("  %s\n" % line for line in lines)
    return "%s\n%s%s" % (visible(table.title), body, note)


def markdown(document: Document) -> str:
    """What is decided stands first: a comment or a job's summary is read from its top."""
    parts = ["# %s\n" % plain(document.title)]
    for title, said in (("Conditions", document.sentences), ("Notes", document.notes)):
        if said:
            parts.append("## %s\n\n%s" % (title, "".join("- %s\n" % plain(s) for s in said)))
    for table in document.tables:
        rule = ["---" if i < table.left else "---:" for i in range(len(table.head))]
        head, *rows = (list(map(plain, row)) for row in (table.head, *table.rows))
        body = "".join("| %s |\n" % " | ".join(line) for line in (head, rule, *rows))
        parts.append("## %s\n\n%s" % (plain(table.title), body))
    return "\n".join(parts)


def junit(document: Document) -> str:
    words = [v.word for v in document.verdicts]
    counts = "".join(
        ' %s%s="%d"' % (e, "s" * (e != "skipped"), words.count(w)) for w, e in JUNIT.items()
    )
    suite = '<testsuite name="%s" tests="%d"%s>' % (quoted(document.title), len(words), counts)
    cases = []
    for v in document.verdicts:
        said = "<system-out>%s</system-out>" % quoted(v.sentence)
        if v.word in JUNIT:
            said = '<%s message="%s"/>' % (JUNIT[v.word], quoted(v.sentence))
        case = '<testcase classname="sysbench-lab" name="%s">%s</testcase>\n'
        cases.append(case % (quoted(v.name), said))
    return '<?xml version="1.0" encoding="UTF-8"?>\n%s\n%s</testsuite>\n' % (suite, "".join(cases))


def quoted(text: str) -> str:
    """XML lacks two characters even as references."""
    return html.escape(re.sub("[\ufffe\uffff]", "?", visible(text)))


def plain(cell: str) -> str:
    """No character that Markdown, or HTML in it, would take for its own."""
    cell = visible(cell)
    for sign in "\\`*_[]|":
        cell = cell.replace(sign, "\\" + sign)
    return html.escape(cell, quote=False)


def page(document: Document) -> str:
    title = html.escape(document.title)
    head = os.path.join(os.path.dirname(__file__), "sheets.html")
    parts = [text_of(head) % title, "<h1>%s</h1>\n" % title]
    for name, lines in (("Conditions", document.sentences), ("Notes", document.notes)):
        if lines:
            items = "".join("<li>%s</li>\n" % html.escape(line) for line in lines)
            parts.append("<h2>%s</h2>\n<ul>\n%s</ul>\n" % (name, items))
    parts += [html_table(table) for table in document.tables]
    return "".join(parts) + "</main>\n</html>\n"


def html_table(table: Table) -> str:
    """In a box of its own that scrolls, so that the page is never wider than a phone."""
    kinds = ["" if i < table.left else ' class="n"' for i in range(len(table.head))]
    head = ['<th scope="col"%s>%s</th>' % (k, html.escape(c)) for k, c in zip(kinds, table.head)]
    rows = []
    for first, *rest in table.rows:
        cells = ["<td%s>%s</td>" % (k, html.escape(c)) for k, c in zip(kinds[1:], rest)]
        rows.append('<tr><th scope="row">%s</th>%s</tr>\n' % (html.escape(first), "".join(cells)))
    title = html.escape(table.title)
    return (
        '<div tabindex="0" role="region" aria-label="%s">\n<table>\n<caption>%s</caption>\n'
        "<thead><tr>%s</tr></thead>\n<tbody>\n%s</tbody>\n</table>\n</div>\n"
        % (title, title, "".join(head), "".join(rows))
    )


STYLES = {"text": text, "markdown": markdown, "html": page, "junit": junit}
