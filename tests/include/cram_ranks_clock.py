# SPDX-License-Identifier: GPL-2.0-or-later
"""ranks_clock.t: what reports say of clocks that differ."""

import json
import os
import sys

sys.path.insert(0, os.environ["TESTDIR"] + "/../include")
from report_raw import read_raw

at = []
for path in ("raw", "raw.rank1"):
    header, records, _ = read_raw(path)
    at.append(sorted(header["mono_ns"] + begun - lag for _, begun, lag, _, _ in records))
both = sorted(at[0] + at[1])
print(len(both), {b - a for a, b in zip(both, both[1:])}, {b - a for a, b in zip(at[1], at[1][1:])})
rank = json.load(open("a.json"))["summary"]["ranks"][1]
clock = rank["clock"]
print(rank["done"], clock["same"], abs(clock["offset_s"] + 100000) <= clock["uncertainty_s"])
print(min(lag for path in ("raw", "raw.rank1") for _, _, lag, _, _ in read_raw(path)[1]) >= 0)
