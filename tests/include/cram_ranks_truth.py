# SPDX-License-Identifier: GPL-2.0-or-later
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""ranks_truth.t: a rank that tells a false number."""

import copy
import functools
import json
import operator
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


print("true", findings(true))
RANK, CLOCK = ("summary", "ranks", 1), ("summary", "ranks", 1, "clock")
for what, path, name, value in (
    ("bucket", ("histograms", "lag", "buckets", 0), 2, -1),
    ("done", RANK, "done", -1),
    ("lost", ("summary", "rate"), "total_lost", 1),
    ("clock", CLOCK, "offset_s", -100000.00005),
    ("vague", CLOCK, "uncertainty_s", 2e-3),
    ("same", CLOCK, "same", True),
    ("host", RANK, "host", "load1"),
):
    document = copy.deepcopy(true)
    at = functools.reduce(operator.getitem, path, document)
    at[name] = value
    print(what, findings(document))
print("server", findings(true, 99), findings(true, 101))
