# SPDX-License-Identifier: GPL-2.0-or-later
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""ranks_truth.t: a rank that tells a false number."""

import copy
import json
import os
import sys

tests = os.environ["SB_SOURCE"] + "/tests/"
sys.dont_write_bytecode = True
sys.path[:0] = [tests + "netns", tests + "include", tests + "faults", tests, tests + "../scripts"]
from lib.book import Book  # noqa: E402, I001
from proof import truth  # noqa: E402
from proof.ranks import Run, share  # noqa: E402

print([share(11, r, 4) for r in range(4)])
true = json.load(open("run.json"))
for r in true["summary"]["ranks"]:
    r["host"] = ("load1", "load2")[r["rank"]]
true["summary"]["ranks"][1]["clock"] = {
    "same": False,
    "offset_s": -100000.00001,
    "uncertainty_s": 2e-5,
}


def findings(document, count=100):
    book = Book(lambda: False)
    run = Run.__new__(Run)
    run.ranks, run.stem = 2, "run"
    if not os.path.exists("run.out.0"):
        os.link("out.0", "run.out.0")
    truth.accounts(book, document)
    truth.ranks(book, run, document, 4)
    truth.histograms(book, document, run.raws())
    truth.executed(book, document, count)
    truth.clocks(book, run, document, 0)
    return sorted({line.split(":")[0].split(" at ")[0] for line in book.wrong})


def false(what, change):
    document = copy.deepcopy(true)
    change(document, document["summary"]["rate"], document["summary"]["ranks"][1])
    print(what, findings(document))


print("true", findings(true))


def bucket(d, rate, rank):
    d["histograms"]["lag"]["buckets"][0][2] += 1


def done(d, rate, rank):
    rank["done"] -= 1


def lost(d, rate, rank):
    rate["total_lost"] += 1


def clock(d, rate, rank):
    rank["clock"]["offset_s"] += 4e-5


def vague(d, rate, rank):
    rank["clock"]["uncertainty_s"] = 2e-3


def same(d, rate, rank):
    rank["clock"]["same"] = True


def host(d, rate, rank):
    rank["host"] = "load1"


for change in (bucket, done, lost, clock, vague, same, host):
    false(change.__name__, change)
print("server", findings(true, 99), findings(true, 101))
