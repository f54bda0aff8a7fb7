# SPDX-License-Identifier: GPL-2.0-or-later
"""report_telemetry_mysql.t: figures of the server and the machine in the json."""

import json

document = json.load(open("a.json"))
summary = document["summary"]
places = int(document["environment"]["server.variable.max_connections"] or 1e6)
missing = summary["missing"]
host, events, status = (summary[n] for n in ("host", "server_events", "server_status"))
print(
    "memory",
    host["memory_free_bytes"] > 2**20,
    host["cpus"] >= 1,
    host["context_switches_per_s"] > 0,
)
late = [n for n in ("Queries", "Threads_running") if status[n] is None]
if late:  # a busy machine: the last answer came too late, and counters are what was known before
    known = status["Queries"] is None or status["Queries"] > 0
    print(
        "status",
        all(
            "0.1 s" in missing.get("server_status." + n, missing.get("server_status")) for n in late
        ),
        known,
    )
else:
    print(
        "status",
        status["Queries"] > summary["transactions"] * 0.9,
        1 <= status["Threads_running"] <= places,
    )  # other files use the server, too
names = ["instructions:u", "cycles:u", "context-switches", "page-faults"]
print(
    list(events)
    == ["how"]
    + [n + e for n in names for e in ("", "_per_transaction", "_counted_pct")]
    + ["ipc", "transactions_per_billion_cycles"]
)
print(
    events["how"].split(" ")[0] in ("by", "not"),
    set(document["intervals"][0]["server_events"]) == set(events),
)
for n in names:
    # of the run's transactions, or of those between two readings that came late: others by more
    # than a 50th
    if events[n]:
        of, all = events[n] / events[n + "_per_transaction"], summary["transactions"]
        if abs(of - all) > 1e-6 * all and abs(of - all) * 50 <= all:
            print(n, "per transaction of", of, "not", all)
