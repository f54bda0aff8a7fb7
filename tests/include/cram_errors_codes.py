# SPDX-License-Identifier: GPL-2.0-or-later
"""errors_codes_each.t: errors of a.json by code, beside those of its summary in a.jsonl."""

import json

document = json.load(open("a.json", encoding="utf-8"))
for e in document["summary"]["errors_by_code"]:
    print(
        e["code"] or 0,
        e["sqlstate"],
        e["class"],
        e["count"],
        0 <= e["first_s"] <= e["last_s"],
        "\x1b" in e["text"],
    )
lines = [json.loads(line) for line in open("a.jsonl", encoding="utf-8")]
print(
    [s for s in lines if s["kind"] == "summary"][0]["errors_by_code"]
    == document["summary"]["errors_by_code"]
)
print(document["summary"]["outages"])
