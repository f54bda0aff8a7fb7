# SPDX-License-Identifier: GPL-2.0-or-later
"""report_slow_mysql.t: the slowest transactions of a report and of the raw log."""

import json

document = json.load(open("a.json"))
intervals, summary = document["intervals"], document["summary"]
print(
    "some", 1 <= len(intervals) <= 14, all(i["elapsed_s"] <= 3 + i["interval_s"] for i in intervals)
)
last = 0
for i in intervals:
    if abs(i["interval_s"] - (i["elapsed_s"] - last)) > 1e-6:
        print("an interval of", i["interval_s"], "from", last, "to", i["elapsed_s"])
    last = i["elapsed_s"]
    if (
        abs(i["transactions_per_s"] - i["transactions"] / i["interval_s"])
        > 1e-6 * i["transactions_per_s"]
    ):
        print("tps", i["transactions_per_s"])
    server = i["server"] or {"interval_s": None}
    if server["interval_s"] is None and not [k for k in i["missing"] if k.startswith("server")]:
        print("no reason")
