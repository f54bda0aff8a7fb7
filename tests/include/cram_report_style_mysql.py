# SPDX-License-Identifier: GPL-2.0-or-later
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""report_style_mysql.t: figures of the table and of the json."""

import csv

lines = open("out").read().split("\n")
rows, names = [], []
for line in lines:  # a column that the first interval lacks has a header of its own
    if " time s " in line:
        names = line.replace("time s", "time_s").split()
    elif line.startswith("SQL"):
        break
    elif names and line.split()[0:1] and line.split()[0].replace(".", "").isdigit():
        rows.append(dict(zip(names, line.split())))
files = [r for r in csv.DictReader(open("a.csv")) if r["kind"] == "interval"]


def same(t, name, want, unit=1):  # what a file does not have is n/a, or has no column
    if t.get(name, "n/a") == "n/a" or want == "":
        return t.get(name, "n/a") == "n/a" and want == ""
    return abs(float(t[name].rstrip("*")) - float(want) * unit) <= 0.006 * max(
        abs(float(want) * unit), 1
    )


for t, f in zip(rows, files):
    print(
        same(t, "tps", f["transactions_per_s"]),
        same(t, "p99", f["latency_p99_s"], 1e3),
        same(t, "p99.9", f["latency_p99_9_s"], 1e3),
        same(t, "late", f["rate_late"]),
        same(t, "cs/tx", f["server_switches_per_transaction"]),
        same(t, "unfin", f["rate_unfinished"]),
        same(t, "sysc/tx", f["server_events_syscalls_per_transaction"]),
        same(t, "run", f["server_status_Threads_running"]),
    )
