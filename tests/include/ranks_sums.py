#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A run on several load hosts, recomputed: its json document beside the raw logs of all ranks.

usage: ranks_sums.py JSON RAW...
  The histograms of the document must be those of all transactions in the raw logs, bucket by
  bucket; the figures of the ranks must add up to those of the run, in each interval and at the end.
  Prints what differs, or what was equal.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any, Dict, Tuple

from report_raw import read_raw

Buckets = Dict[Tuple[int, int], int]
LINEAR = 2048  # buckets of 1 ns; each further 1024 are twice as wide
MOST = 3600 * 10**9


def bucket(ns: int) -> tuple[int, int]:
    """The lowest and the highest value of the bucket."""
    ns = min(ns, MOST)
    shift = max(ns.bit_length() - LINEAR.bit_length() + 1, 0)
    low = ns >> shift << shift
    high = low + (1 << shift) - 1
    return low, MOST if low <= MOST <= high else high


def recomputed(paths: list[str]) -> dict[str, Buckets]:
    counts: dict[str, Counter[tuple[int, int]]] = {
        name: Counter() for name in ("response", "service", "lag")
    }
    for path in paths:
        for _, _, lag, service, outcome in read_raw(path)[1]:
            if outcome == "done":
                counts["response"][bucket(lag + service)] += 1
                counts["service"][bucket(service)] += 1
                counts["lag"][bucket(lag)] += 1
    return {name: dict(found) for name, found in counts.items()}


def check_histograms(document: dict[str, Any], paths: list[str]) -> None:
    for name, want in recomputed(paths).items():
        got = {(low, high): n for low, high, n in document["histograms"][name]["buckets"]}
        verdict = "equal" if got == want else "NOT EQUAL"
        print(f"{name}: {verdict}" + ("" if got == want else f" {got} {want}"))


def check_sums(report: dict[str, Any]) -> None:
    """The columns of the ranks beside those of the run, and the accounts."""
    rate = report["rate"]
    for name in ("done", "failed", "dropped", "lost"):
        ranks = sum(r[name] for r in report["ranks"])
        total = rate[("total_" if report["kind"] == "summary" else "") + name]
        if ranks != total:
            print(f"{report['kind']}: {name}: {ranks} of all ranks, {total} of the run")
    accounts = sum(rate["total_" + name] for name in ("done", "failed", "dropped", "lost"))
    if rate["total_offered"] != accounts + rate["unfinished"]:
        print(f"{report['kind']} at {report['elapsed_s']} s: the accounts do not balance")


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as f:
        document = json.load(f)
    for report in document["intervals"] + [document["summary"]]:
        check_sums(report)
    check_histograms(document, sys.argv[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
