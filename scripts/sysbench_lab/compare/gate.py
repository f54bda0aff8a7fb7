# SPDX-License-Identifier: GPL-2.0-or-later
"""A comparison or a verdict as continuous integration wants it: files, a history, an exit status.

    deliver()    prints a document, writes its files, says how it ends
    --junit      its verdicts as test cases: failure is worse, skipped is inconclusive, error is n/a
    --markdown   the document for a comment or a job's summary; "-" is standard output
    --history    a line for each cell that was judged, in a CSV that Apache Otava reads

Exit status: 0; 3 if something is worse for certain; 4 if it may be so by chance; 1, with the
sentence as an error, if something that was asked is not known.
"""

from __future__ import annotations

import datetime
import os
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from .. import LabError, failing, text_of, visible
from ..plan import values
from ..plan.model import CellSummary
from ..results import figures, sheets
from ..results.results_dir import append_line, csv_line, head_of

FAILED, UNCERTAIN = 3, 4
# What a new history has; one that is there keeps the columns of its first line.
COLUMNS = (
    "tps", "response_mean_ms", "response_p50_ms", "response_p95_ms", "response_p99_ms",
    "response_max_ms", "server_cpu_us_per_tx", "errors",
)  # fmt: skip
TEXTS = ("time", "test")


class Files(NamedTuple):
    """As the options name them."""

    junit: str | None = None
    markdown: str | None = None
    history: str | None = None


NONE = Files()


class Row(NamedTuple):
    """Of the history."""

    test: str
    started_unix_s: float  # 0: not known
    cell: CellSummary


def started(rows: Iterable[Mapping[str, Any]]) -> float:
    """When the first of these runs began; 0 if none says."""
    return min((float(r.get("started_unix_s") or 0) for r in rows), default=0)


def deliver(document: sheets.Document, files: Files, rows: Sequence[Row], shown: str) -> int:
    """Prints what is to be shown unless the Markdown takes its place; the exit status."""
    shown = sheets.render(document, "markdown") if files.markdown == "-" else shown
    print(visible(shown, lines=True), end="")
    for option, path in (("junit", files.junit), ("markdown", files.markdown)):
        if path is not None and (option, path) != ("markdown", "-"):
            what = "--%s: cannot write %s" % (option, path)
            with failing(what), open(path, "w", encoding="utf-8", errors="backslashreplace") as f:
                f.write(sheets.render(document, option))
    if files.history is not None:
        append(files.history, rows)
    return status(document.verdicts)


def status(verdicts: Sequence[sheets.Verdict]) -> int:
    words = {v.word: v.sentence for v in reversed(verdicts)}
    if sheets.UNKNOWN in words:
        raise LabError(words[sheets.UNKNOWN])
    return FAILED if sheets.FAILS in words else UNCERTAIN if sheets.INCONCLUSIVE in words else 0


def append(path: str, rows: Sequence[Row]) -> None:
    """Lines in the columns of the file, or a new file."""
    for row in rows:
        if not row.started_unix_s:
            raise LabError("--history=%s: %s does not say when it ran" % (path, row.test))
    with failing("--history: cannot write " + path):
        if not os.path.exists(path) or not os.path.getsize(path):
            with open(path, "w", encoding="utf-8") as f:
                f.write(csv_line([*TEXTS, *COLUMNS]))
    with failing("--history", LabError):
        head, text = head_of(path), text_of(path)
    if "time" not in head or not text.endswith("\n"):
        raise LabError("--history=%s: its first line names no time, or its last has no end" % path)
    for name in head:
        if name not in figures.COLUMNS and not figures.PERCENTILE.match(name) and name not in TEXTS:
            hint = values.near(name, [*TEXTS, *figures.COLUMNS])
            raise LabError("--history=%s: no figure is called '%s'%s" % (path, name, hint))
    with failing("--history: cannot write " + path):
        for row in rows:
            append_line(path, csv_line(map(fields(row).get, head)))


def fields(row: Row) -> Mapping[str, Any]:
    with failing("--history: %s" % row.test, OSError, OverflowError, ValueError):
        when = datetime.datetime.fromtimestamp(row.started_unix_s, datetime.timezone.utc)
    found: dict[str, Any] = {k: float("%.6g" % v.median) for k, v in row.cell.figures.items()}
    return {**found, "time": when.strftime("%Y-%m-%d %H:%M:%S +0000"), "test": row.test}
