# SPDX-License-Identifier: GPL-2.0-or-later
"""server_restart_pgsql.t: figures of a server that was restarted."""

import json

d = json.load(open("a.json"))
s = d["summary"]
rows = d["intervals"]
known = sum(row["server"]["cpu_s"] or 0 for row in rows)
assert rows[-1]["server"]["cpu_s"] is not None and s["server"]["cpu_s"] >= 0.999 * known > 0
assert (
    s["server_status"]["xact_commit"] > 50
    and "restarted" in s["at_least"]["server_status.xact_commit"]
)
assert s["server_syscalls"] is None or s["server_syscalls"]["count"] > 100
