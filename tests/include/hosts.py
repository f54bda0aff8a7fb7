# SPDX-License-Identifier: GPL-2.0-or-later
"""What a result file says of the database hosts, one a line, and whether they add up.

usage: hosts.py FILE.json     of a path as a name, only the folder db1, h1 or the like is shown
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

LINE = "%s: clients %d, transactions %d, failed %d, lost %d, reconnects %d"


def short(name: str) -> str:
    folder = re.search(r"/((?:db|h)[0-9])(?:/|$)", name)
    return folder.group(1) if folder else name


def adds_up(record: dict[str, Any]) -> bool:
    """Are the hosts the whole, and is each transaction in the histogram of its host?"""
    hosts = record["hosts"]
    sums = all(
        sum(h[name] for h in hosts) == record[name]
        for name in ("transactions", "errors", "reconnects")
    )
    return sums and all(h["latency"]["samples"] == h["transactions"] for h in hosts)


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


main()
