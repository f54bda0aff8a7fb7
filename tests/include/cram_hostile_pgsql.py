# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_pgsql.t: sums of the files of runs against a hostile server."""

import json
import sys

for name in sys.argv[1:]:
    rate = json.load(open(name))["summary"]["rate"]
    if rate["offered"] != sum(rate[k] for k in ("done", "failed", "dropped", "unfinished")):
        print(name, rate)
print(len(sys.argv) - 1)
