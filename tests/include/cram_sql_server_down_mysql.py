# SPDX-License-Identifier: GPL-2.0-or-later
"""sql_server_down_mysql.t: outages of a server in the json."""

import json

s = json.load(open("a.json"))["summary"]
o = s["outages"]["list"][0]
print(
    len(s["outages"]["list"]),
    s["outages"]["more"],
    s["outages"]["connections_missing"],
    o["connections_lost"],
)
print(
    0 < o["success_after_s"] <= o["over_after_s"],
    o["connected_after_s"] <= o["over_after_s"],
    o["offered"],
    o["in_time_after_s"],
)
print(o["without_success_s"] - o["success_after_s"], file=open("before", "w"))
print(o["errors"] >= 6, s["outages"]["latency_before"]["count"] > 0)
lost = [e for e in s["errors_by_code"] if e["code"] in (2006, 2013)]
c = s["connections"]
print(
    c["reconnect"]["samples"] == c["away"]["samples"] == s["total"]["reconnects"],
    c["clients"],
    c["plain_queries"],
)
print(
    0 < c["reconnect"]["max_s"] <= c["away"]["max_s"], c["away"]["p50_s"] <= o["connected_after_s"]
)
print(
    sum(e["count"] for e in lost) >= 6,
    {e["class"] for e in s["errors_by_code"] if e["code"] in (2002, 2006, 2013)},
)
