# SPDX-License-Identifier: GPL-2.0-or-later
"""server_syscalls_pgsql.t: system calls by name: what is there."""

import json

summary = json.load(open("a.json"))["summary"]
d, n = summary["server_syscalls"], summary["transactions"]
if d is None:
    print(bool(summary["missing"]["server_syscalls"]), True)
else:
    names = {c["name"]: c for c in d["most_frequent"]}
    print(
        bool({"recvfrom", "sendto"} & set(names)) or names, d["count"] >= 2 * n or (d["count"], n)
    )
