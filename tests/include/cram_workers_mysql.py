# SPDX-License-Identifier: GPL-2.0-or-later
"""workers_mysql.t: figures of held back answers in all formats."""

import csv
import json
import re

said = re.search(
    r"^--workers=batch.*: (\d+) batches of ([0-9.]+) .* ([0-9.]+) us on average and ([0-9.]+) us",
    open("out").read(),
    re.M,
)
found = json.load(open("b.json"))["summary"]["worker_batch"]
text = [
    "%d" % found["batches"],
    "%.1f" % (found["answers"] / found["batches"]),
    "%.1f" % (found["held_mean_s"] * 1e6),
    "%.1f" % (found["held_max_s"] * 1e6),
]
lines = [json.loads(line) for line in open("b.jsonl")]
row = list(csv.DictReader(open("b.summary.csv")))[0]
metrics = dict(re.findall(r"^sysbench_worker_batch(\w+)\{.*\} (\S+)$", open("b.om").read(), re.M))
print(
    said is not None and text == list(said.groups()),
    [line["worker_batch"] for line in lines if "worker_batch" in line] == [found],
)
print({k: json.loads(row["worker_batch_" + k]) for k in found} == found, None in row)
print(
    {k: float(v) for k, v in metrics.items()}
    == {
        "es_total": found["batches"],
        "_answers_total": found["answers"],
        "_held_mean_seconds": found["held_mean_s"],
        "_held_max_seconds": found["held_max_s"],
    }
)
