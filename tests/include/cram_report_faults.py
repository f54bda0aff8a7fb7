# SPDX-License-Identifier: GPL-2.0-or-later
"""report_faults.t: files that have reached the limit of their size."""

import sys

sys.path.insert(0, sys.argv[1])
import report

lines = [x for x in open("a.hlog").read().split("\n") if x.startswith("Tag=")]
print(len(lines) > 0, all(sum(report.decode(x.split(",")[-1]).values()) >= 0 for x in lines))
header, records, end = report.read_raw("a.raw")
print(len(records) > 0, end)
