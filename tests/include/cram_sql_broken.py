# SPDX-License-Identifier: GPL-2.0-or-later
"""sql_broken_each.t: was each broken answer an error of that class, and none taken for good?"""

import json
import sys

what, want, name, wrong, did = sys.argv[1:]
with open(name) as f:
    s = json.load(f)["summary"]
rate, errors = s["rate"], s["errors_by_code"] or []
late = {"cancelled"} if any("--query-timeout" not in e["text"] for e in errors) else {"late"}
seen, n = late if want == "late" else {e["class"] for e in errors}, sum(e["count"] for e in errors)
sums = rate["offered"] == 16 == sum(rate[k] for k in ("done", "failed", "dropped", "unfinished"))
# that the last one went wrong is not known before the next statement; good ones may be late, too
most = rate["offered"] if "--query-timeout" in what else int(did)
if wrong != "0" or seen != {want} or not int(did) - 1 <= n <= most or int(did) < 2 or not sums:
    print(what, "wrong", wrong, "of", did, [(e["class"], e["count"]) for e in errors], rate)
