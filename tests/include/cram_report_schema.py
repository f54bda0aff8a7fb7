# SPDX-License-Identifier: GPL-2.0-or-later
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""report_schema.t: reports that are wrong in one figure."""

import json

for name, change in (
    ("more", lambda s: s.update(own=1)),
    ("less", lambda s: s.pop("reads")),
    ("other", lambda s: s.update(reads="1")),
    ("below", lambda s: s["total"].update(reads=-1)),
):
    d = json.load(open("a.json"))
    change(d["summary"])
    json.dump(d, open(name + ".json", "w"))
