# SPDX-License-Identifier: GPL-2.0-or-later
"""server_host.t: the machine's figures: means, and parts of a transaction."""

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
n = document["summary"]["transactions"]
for per_s, per_transaction in (
    ("interrupts_per_s", "interrupts_per_transaction"),
    ("context_switches_per_s", "context_switches_per_transaction"),
):
    want = host[per_s] * host["interval_s"] / n
    print(
        per_transaction, host[per_transaction] > 0, abs(host[per_transaction] - want) <= 0.05 * want
    )
power = [n for n in host if n.startswith(("power_", "energy_"))]
print(
    len(power),
    [n for n in power if host[n] is None and not document["summary"]["missing"].get("host." + n)],
)
