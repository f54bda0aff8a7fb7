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
from typing import Any, Dict, Iterator, Tuple

from report_raw import read_raw

from figures import grids

RANK = ("done", "failed", "dropped", "lost")

Buckets = Dict[Tuple[int, int], int]


def recomputed(paths: list[str]) -> dict[str, Buckets]:
    """By lowest and highest value of a bucket."""
    each: dict[str, list[int]] = {"response": [], "service": [], "lag": []}
    for path in paths:
        for _, _, lag, service, outcome in read_raw(path)[1]:
            if outcome == "done":
                for name, ns in (("response", lag + service), ("service", service), ("lag", lag)):
                    each[name].append(ns)
    low, high = grids.bucket_low, grids.bucket_high
    return {
        name: {(low(i), high(i)): n for i, n in grids.fine(values).items()}
        for name, values in each.items()
    }


def sums(document: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """What, of the run, of all of its parts: accounts, and the columns of the ranks."""
    for report in document["intervals"] + [document["summary"]]:
        rate, where = report["rate"], "%s at %.3f s: " % (report["kind"], report["elapsed_s"])
        ended = sum(rate["total_" + name] for name in RANK) + rate["unfinished"]
        yield where + "offered", rate["total_offered"], ended
        for name in RANK:
            run = rate[("total_" if report["kind"] == "summary" else "") + name]
            yield where + name + " of all ranks", run, sum(r[name] for r in report["ranks"])


def check_histograms(document: dict[str, Any], paths: list[str]) -> None:
    for name, want in recomputed(paths).items():
        got = {(low, high): n for low, high, n in document["histograms"][name]["buckets"]}
        verdict = "equal" if got == want else "NOT EQUAL"
        print(f"{name}: {verdict}" + ("" if got == want else f" {got} {want}"))


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as f:
        document = json.load(f)
    for what, run, parts in sums(document):
        if run != parts:
            print(f"{what}: {parts}, not {run}")
    check_histograms(document, sys.argv[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
