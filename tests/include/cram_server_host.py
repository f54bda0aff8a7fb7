# SPDX-License-Identifier: GPL-2.0-or-later
"""server_host.t: means of the machine's figures."""

import json

document = json.load(open("a.json"))
host, intervals = document["summary"]["host"], [i["host"] for i in document["intervals"]]
for level, mean in (
    ("threads_runnable", "threads_runnable_mean"),
    ("memory_free_bytes", "memory_free_mean_bytes"),
):
    seen = [i[level] for i in intervals]
    near = [sum(v) / len(v) for v in (seen, seen + [host[level]])]
    print(
        mean,
        any(abs(host[mean] - v) <= 1e-9 * v for v in near) or (near, host[mean]),
        intervals[0][mean] == seen[0],
    )
