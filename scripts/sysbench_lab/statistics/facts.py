# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured, in few words: the line below the title of pictures.

    subtitle(results)   "590 tx/s, MariaDB 10.11.19, 3 runs per cell, 2026-11-27"

What is not known is left out.
"""

import time
from typing import Iterable, Mapping

from ..plan import found_rate
from ..results import figures
from . import answer, environment
from .results import Results


def subtitle(results: Results) -> str:
    known = [environment.flat(found) for found in results.environment.values()]
    sizes = {s.counted for s in results.summaries if s.counted}
    ends = " to ".join("%d" % n for n in sorted({min(sizes), max(sizes)})) if sizes else ""
    started = results.tree.get("started_unix_s")
    disturbed = sum(bool(row.get("disturbed")) for row in results.rows)
    parts = [
        rate(results),
        " and ".join(servers(known)),
        ends and "%s run%s per cell" % (ends, "s" * (ends != "1")),
        time.strftime("%Y-%m-%d", time.gmtime(started)) if started else "",
        "%d of %d runs disturbed" % (disturbed, len(results.rows)) if disturbed else "",
    ]
    return ", ".join(filter(None, parts))


def servers(known: Iterable[Mapping[str, str]]) -> list[str]:
    """ "MariaDB 10.11.6" of each server that differs."""
    found = {}
    for e in known:
        text = e.get("server.variable.version") or e.get("server.variable.server_version") or ""
        version = text.split("-")[0].split(" ")[0]
        name = "PostgreSQL" if "server.variable.version" not in e else "MySQL"
        name = "MariaDB" if "MariaDB" in text else name
        found["%s %s" % (name, version) if version else ""] = 1
    return [name for name in found if name]


def rate(results: Results) -> str:
    shown = [s for s in results.summaries if s.runs]
    if any(map(found_rate.searched, shown)):
        objectives = dict.fromkeys(map(answer.objective_of, shown))
        return "highest rate searched, " + " and ".join(objectives)
    if not any(map(answer.rated, shown)):
        return "no rate: as fast as it goes" if shown else ""
    if any(set(str(s.cell.settings.get("load.tx-rate", ""))) & set(":,(@") for s in shown):
        return "a rate in stages"
    known = [s.figures["target_tps"].median for s in shown if "target_tps" in s.figures]
    ends = ["{:,.6g}".format(v) for v in dict.fromkeys((min(known), max(known)))] if known else []
    return "%s %s" % (" to ".join(ends), figures.column("target_tps").unit) if ends else ""
