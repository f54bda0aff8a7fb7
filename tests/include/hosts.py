# SPDX-License-Identifier: GPL-2.0-or-later
"""What a result file says of the database hosts, one a line, and whether they add up.

usage: hosts.py FILE.json [FILE.hosts.csv]

Of a path as a name, only the directory db1, h1 or the like is shown.  The table must have the
figures of the document, row by row.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from typing import Any

LINE = "%s: clients %d, transactions %d, failed %d, lost %d, reconnects %d"


def short(name: str) -> str:
    directory = re.search(r"/((?:db|h)[0-9])(?:/|$)", name)
    return directory.group(1) if directory else name


def adds_up(record: dict[str, Any]) -> bool:
    """Are the hosts the whole, and is each transaction in the histogram of its host?"""
    hosts = record["hosts"]
    sums = all(
        sum(h[name] for h in hosts) == record[name]
        for name in ("transactions", "errors", "reconnects")
    )
    rate = record["rate"]
    sums = sums and (not rate or sum(h["failed"] for h in hosts) == rate["failed"])
    return sums and all(h["latency"]["samples"] == h["transactions"] for h in hosts)


def cells(kind: str, record: dict[str, Any], host: dict[str, Any]) -> dict[str, str]:
    """The row that hosts-csv should have."""
    flat = {"kind": kind, "elapsed_s": record["elapsed_s"]}
    flat.update((k, v) for k, v in host.items() if k != "latency")
    flat.update(("latency_" + k, v) for k, v in host["latency"].items())
    return {k: "" if v is None else v if isinstance(v, str) else repr(v) for k, v in flat.items()}


def same(cell: str, want: str) -> bool:
    """As text, or as the same number."""
    return cell == want or bool(cell and want and float(cell) == float(want))


def check_table(document: dict[str, Any], path: str) -> None:
    records = [("interval", r) for r in document["intervals"]] + [("summary", document["summary"])]
    want = [cells(kind, r, h) for kind, r in records for h in r["hosts"]]
    with open(path, encoding="utf-8", newline="") as f:
        got = list(csv.DictReader(f))
    alike = len(got) == len(want) and all(
        g.keys() == w.keys() and all(same(g[k], w[k]) for k in w) for g, w in zip(got, want)
    )
    print("%d rows, as in json" % len(got) if alike else "not as in json: %s %s" % (got, want))


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as f:
        document = json.load(f)
    summary = document["summary"]
    for h in summary["hosts"]:
        counts = (h[k] for k in ("clients", "transactions", "failed", "lost", "reconnects"))
        print(LINE % (short(h["host"]), *counts))
    print("adds up" if adds_up(summary) else "does not add up: %s" % summary)
    for interval in document["intervals"]:
        hosts = interval["hosts"]
        if sum(h["transactions"] for h in hosts) != interval["transactions"]:
            print("interval does not add up: %s" % interval)
    if len(sys.argv) > 2:
        check_table(document, sys.argv[2])


main()
