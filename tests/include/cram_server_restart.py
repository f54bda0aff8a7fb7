# SPDX-License-Identifier: GPL-2.0-or-later
"""server_restart_mysql.t, server_restart_pgsql.t: figures of a server that was restarted."""

import json
import sys

d = json.load(open("a.json"))
s = d["summary"]
rows = d["intervals"]
for row in rows:  # nothing goes backwards, and an interval of two lives has no figure of either
    assert row["server"]["cpu_s"] is None or 0 <= row["server"]["cpu_s"] < 60, row["server"]
assert rows[-1]["server"]["cpu_s"] is not None and rows[0]["server"]["cpu_s"] is not None
assert any(row["server"]["cpu_s"] is None for row in rows)
known = sum(row["server"]["cpu_s"] or 0 for row in rows)
assert s["server"]["cpu_s"] >= 0.999 * known > 0, (s["server"]["cpu_s"], known)
assert "restarted" in s["at_least"]["server.cpu_s"]
inside = [i for row in rows for i in row.get("incidents", []) if i["kind"] == "server-restarted"]
assert (
    inside == [i for i in s["incidents"] if i["kind"] == "server-restarted"] and len(inside) == 1
), inside
at, noticed = inside[0]["elapsed_s"], [r["elapsed_s"] for r in rows if "incidents" in r][0]
assert at >= 2, at
print(at - noticed, file=open("late", "w"))  # a reading may take long
for name in sys.argv[1:]:
    section, figure = name.split("/")
    assert s[section][figure] > 50 and rows[-1][section][figure] is not None, name
    assert "restarted" in s["at_least"][section + "." + figure], name
