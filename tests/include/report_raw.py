# SPDX-License-Identifier: GPL-2.0-or-later
"""The log of single transactions: its reader, and the json beside it."""

from __future__ import annotations

import json
import os
import sys
from typing import Tuple

from report_common import Document, load, problem
from report_hlog import leb128, zigzag

# client, begun, lag, service, outcome
Transaction = Tuple[int, int, int, int, str]


OUTCOMES = ("done", "failed", "withdrawn")


def read_raw(path: str) -> tuple[Document, list[Transaction], Document | None]:
    """Header, transactions, end or None."""
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(b"\n") + 1
    header: Document = json.loads(data[:at])
    header["marks"] = []
    records: list[Transaction] = []
    end: Document | None = None

    def number() -> int:
        nonlocal at
        value, at = leb128(data, at, 10)
        return value

    while at < len(data):
        kind = data[at : at + 1]
        at += 1
        if kind == b"E":
            end = {
                "from": zigzag(number()),
                "until": zigzag(number()),
                "records": number(),
                "lost": number(),
            }
            continue
        if kind == b"M":
            when, size = zigzag(number()), number()
            header["marks"].append((when, data[at : at + size].decode()))
            at += size
            continue
        client, n, _, size = number(), number(), number(), number()
        assert kind == b"R" and at + size <= len(data), "a chunk is cut"
        begun = 0
        for _ in range(n):
            begun += zigzag(number())
            lag = zigzag(number())
            service = number()
            records.append((client, begun, lag, service >> 2, OUTCOMES[service & 3]))
    return header, records, end


sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "audit"))


def raw(path: str, reference: str) -> None:
    """All that the audit finds by the log alone: histograms, percentiles, extremes, counts."""
    from figures.book import Book
    from figures.check_record import RecordCheck
    from figures.record import Record

    book = Book()
    RecordCheck(book, load(reference), Record(path)).of_log()
    for disagreement in book.disagreements:
        problem("%s: %s", path, disagreement)


def machine(reference: str) -> None:
    """What the audit finds about the machine and the system calls of the server."""
    from figures.book import Book
    from figures.check_machine import check_machine

    book = Book()
    check_machine(book, load(reference))
    for disagreement in book.disagreements:
        problem("%s: %s", reference, disagreement)
