# SPDX-License-Identifier: GPL-2.0-or-later
"""errors_codes_each.t: counts of failed transactions in every format."""

import json
import sys

offered, failed, unfinished = map(int, sys.argv[1:])
document = json.load(open("a.json"))
s = document["summary"]
print(
    offered == failed + unfinished == s["rate"]["total_offered"],
    failed >= 1,
    document["verdict"]["sustained"],
    document["end"]["status"],
)
print([(e["class"], e["count"] == failed) for e in s["errors_by_code"]])
lines = [json.loads(line) for line in open("a.jsonl")]
print([x["kind"] for x in lines if x["kind"] in ("summary", "end")])
