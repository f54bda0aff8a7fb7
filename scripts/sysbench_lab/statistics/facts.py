# SPDX-License-Identifier: GPL-2.0-or-later
"""What was compared and measured, in few words.  What is not known is left out.

subtitle(results)   below the title of pictures: "590 tx/s, MariaDB 10.11.19, 3 runs per cell,
                    2026-11-27"
compared(results)   the heading of the page: "10.11 against 10.6, oltp_read_only", as
                        in the answer
measured(results)   parts of a line of it: server, data and memory, rate, CPU, RAM, date, repeats
"""

import re
import time
from typing import Any, Iterable, Mapping

from ..plan import contrasts, found_rate, labels
from ..plan.model import CellSummary, Experiment, Tree
from ..results import figures
from . import answer, environment, rank_rows
from .results import Results

MOST = 4  # workloads that the heading names
BYTES_OF_A_ROW = 240  # of the tables of oltp_*.lua with its indexes, about


def subtitle(results: Results) -> str:
    known = [environment.flat(found) for found in results.environment.values()]
    sizes = {s.counted for s in results.summaries if s.counted}
    ends = answer.span(min(sizes), max(sizes)) if sizes else ""
    disturbed = sum(bool(row.get("disturbed")) for row in results.rows)
    parts = [
        rate(results),
        " and ".join(servers(known)),
        ends and "%s run%s per cell" % (ends, "s" * (ends != "1")),
        date(results),
        "%d of %d runs disturbed" % (disturbed, len(results.rows)) if disturbed else "",
    ]
    return ", ".join(filter(None, parts))


def compared(results: Results) -> str:
    exp, cells = results.exp, results.summaries
    work, against = workload(exp, cells), contrasts.compared(exp, cells)
    if against:
        return ", ".join(filter(None, ["; ".join(against), work]))
    places = [f.levels for f in exp.factors if f.name == exp.x]
    if places and len(places[0]) > 1:
        ends = [labels.number_of(level.name) or 0 for level in places[0]]
        text = "{:,g} to {:,g}".format(min(ends), max(ends))
        words = "%s %s" % (text, labels.heading(exp.x))
        work = "%s at %s" % (work or exp.name, words)
    names = [labels.level_text(f.name, f.levels[0].name) for f in contrasts.variants(exp)]
    return ", ".join(filter(None, [work or exp.title or exp.name, *names]))


def workload(exp: Experiment, cells: Iterable[CellSummary]) -> str:
    """The test, or how many there are."""
    found = dict.fromkeys(str(s.cell.settings.get("load.script") or "") for s in cells)
    names = [name.rpartition("/")[2].removesuffix(".lua") for name in found if name]
    return labels.joined(names) if len(names) < MOST else "%d workloads" % len(names)


def measured(results: Results) -> list[str]:
    known = [environment.flat(found) for found in results.environment.values()]

    def of(key: str) -> list[str]:
        return [v for v in dict.fromkeys(e.get(key, "n/a") for e in known) if v not in ("n/a", "")]

    machine, m = results.tree.get("machine") or {}, results.exp.measure
    cpus = [str(machine["cpus"])] if machine.get("cpus") else of("host.cpu.count")
    others = (one["differs"].get("CPUs") for one in results.tree.get("resumed") or ())
    cpus = list(dict.fromkeys([*cpus, *(pair[1] for pair in others if pair)]))
    hosts = rank_rows.hosts_of(results.directory)
    parts = [
        " and ".join(servers(known)),
        data(results, of),
        rate(results),
        ", ".join([*of("host.cpu.model"), *("%s CPUs" % n if n != "1" else "1 CPU" for n in cpus)]),
        " and ".join(size(float(b)) + " RAM" for b in of("host.memory_bytes")),
        "%d load hosts" % len(hosts) if len(hosts) > 1 else "",
        "%d run%s of %g s in each cell" % (m.repeats, "s" * (m.repeats != 1), m.time_s),
        date(results),
    ]
    return [p for p in parts if p]


def data(results: Results, of: Any) -> str:
    """Tables and rows, against the memory that holds them."""
    reports = map(results.report, results.rows)
    report: Tree = next(filter(None, reports), {})
    options = (report.get("run") or {}).get("options", {}).get("effective") or {}
    parts = []
    tables, rows = options.get("tables"), options.get("table_size")
    if isinstance(tables, int) and isinstance(rows, int) and tables * rows:
        text = "{:,} table{} of {:,} rows".format(tables, "s" * (tables != 1), rows)
        if workload(results.exp, results.summaries).startswith("oltp_"):
            text += " (about %s)" % size(tables * rows * BYTES_OF_A_ROW)
        parts.append(text)
    pools = [size(float(b)) for b in of("server.variable.innodb_buffer_pool_size") if b.isdigit()]
    shared = [re.sub("([kMGT])B$", r" \1iB", b) for b in of("server.variable.shared_buffers")]
    parts += ["buffer pool " + labels.joined(pools)] * bool(pools)
    parts += ["shared_buffers " + labels.joined(shared)] * bool(shared)
    return ", ".join(parts)


def size(value: float) -> str:
    """Bytes as people say them: 23.5 GiB, 256 MiB"""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            break
        value, unit = value / 1024, "TiB"
    return "%.3g %s" % (value, unit)


def date(results: Results) -> str:
    started = results.tree.get("started_unix_s")
    return time.strftime("%Y-%m-%d", time.gmtime(started)) if started else ""


def servers(known: Iterable[Mapping[str, str]]) -> list[str]:
    """ "MariaDB 10.11.6" of each server that differs."""
    found = []
    for e in known:
        text = e.get("server.variable.version") or e.get("server.variable.server_version") or ""
        version = text.split("-")[0].split(" ")[0]
        name = "PostgreSQL" if "server.variable.version" not in e else "MySQL"
        name = "MariaDB" if "MariaDB" in text else name
        found += ["%s %s" % (name, version)] * bool(version)
    return list(dict.fromkeys(found))


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
