# SPDX-License-Identifier: GPL-2.0-or-later
"""server_syscalls_mysql.t: system calls by name: sums and shares."""

import json

document = json.load(open("a.json"))
summary = document["summary"]
d = summary["server_syscalls"]
if d is None:
    print(bool(summary["missing"]["server_syscalls"]))
    raise SystemExit
top, n = d["most_frequent"], summary["transactions"]
wrong = []
if [c["count"] for c in top] != sorted((c["count"] for c in top), reverse=True) or len(top) != 3:
    wrong.append(top)
for name in ("count", "ended", "errors", "sum_s"):
    if sum(c[name] for c in top) > d[name] * (1 + 1e-9):
        wrong.append((name, d[name]))
for c in top:
    if c["ended"] and abs(c["mean_s"] * c["ended"] - c["sum_s"]) > 1e-6 * c["sum_s"]:
        wrong.append(c)
    if abs(c["count_per_transaction"] - c["count"] / n) > 0.05 * c["count"] / n:
        wrong.append((c, n))
parts = sum(i["server_syscalls"]["count"] for i in document["intervals"])
if document["intervals"] and not 0.5 * d["count"] <= parts <= d["count"]:
    wrong.append(("intervals", parts, d["count"]))
events = (summary["server_events"] or {}).get("syscalls")
if events is not None and abs(events - d["count"]) > 0.02 * d["count"] + 100:
    wrong.append(("events", events, d["count"]))
if not {c["name"] for c in top} & {
    "sendto",
    "recvfrom",
    "poll",
    "ppoll",
    "futex",
    "read",
    "write",
    "sendmsg",
    "recvmsg",
}:
    wrong.append([c["name"] for c in top])
print(wrong or True)
