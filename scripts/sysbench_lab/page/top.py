# SPDX-License-Identifier: GPL-2.0-or-later
"""The top of the page: what was compared, what was measured, and what the words mean.

    compared(results)   the heading: "10.11 against 10.6, oltp_read_only", as in the answer
    measured(results)   parts of one line: server, data and memory, rate, CPU, RAM, date, repeats
    WORDS               explained where they stand, and in a list

A reader may have this page and nothing else.  What is not known is left out.
"""

import re
import time
from typing import Any, Iterable

from ..plan import labels
from ..plan.model import CellSummary, Experiment, Tree
from ..statistics import answer, environment, facts, rank_rows
from ..statistics.results import Results

WORDS = {
    "arm": "one of the things that are compared: a server, a version, a setting",
    "cell": "one arm at one place of the axis, such as 16 connections; its runs are repeats of the"
    " same measurement",
    "counts": "a run that is part of its cell's medians: it ended, was not disturbed, and held the"
    " rate if most of its cell's runs did, or missed it if most did",
    "disturbed": "other processes used the machine's CPUs during the run, or it was throttled; such"
    " a run does not count if the cell has others",
    "held": "the server did all transactions of the target rate in time (sustained). Where it did"
    " not, waiting piles up, and response times say how long the run was",
    "interval": "where the median would be if all were measured again; takes three runs that count",
    "lag": "how late a transaction began after its planned start",
    "lucky": "held the rate, or was far faster, where most runs of its cell were not",
    "p95": "95 of 100 transactions were faster (95th percentile); p99: 99 of 100",
    "range": "from the least to the greatest value of the runs that count",
    "response time": "from the planned start of a transaction to its end, so waiting is in it;"
    " without a rate, from its start",
    "service time": "from the start of a transaction to its end",
    "target rate": "transactions a second that were to begin, whatever the server did",
    "usr, sys": "CPU time of the server in user mode and in the kernel, in per cent of all CPUs",
}
MOST = 4  # arms that the heading names
BYTES_OF_A_ROW = 240  # of the tables of oltp_*.lua with its indexes, about


def compared(results: Results) -> str:
    exp = results.exp
    names = [n for n in variants(results) if n]
    others = names[1:] if len(names) <= MOST else ["%d others" % (len(names) - 1)]
    work = workload(exp, results.summaries)
    if others:
        return "%s against %s%s" % (labels.joined(others), names[0], work and ", " + work)
    places = [f.levels for f in exp.factors if f.name == exp.x]
    if places and len(places[0]) > 1:
        ends = [labels.number_of(level.name) or 0 for level in places[0]]
        text = "{:,g} to {:,g}".format(min(ends), max(ends))
        words = "%s %s" % (text, labels.heading(exp.x))
        work = "%s at %s" % (work or exp.name, words)
    return ", ".join(filter(None, [work or exp.title or exp.name, *names]))


def variants(results: Results) -> list[str]:
    """What is compared, the baseline first."""
    exp, cells = results.exp, results.summaries
    base = answer.baseline(exp, cells) if cells else ()
    ordered = sorted(cells, key=lambda s: answer.variant(exp, s) != base)
    return list(dict.fromkeys(variant_text(exp, s) for s in ordered))


def variant_text(exp: Experiment, s: CellSummary) -> str:
    names = [f.name for f in exp.factors if f.name != exp.x and answer.same_load(f)]
    return ", ".join(labels.level_text(n, s.cell.levels[n]) for n in names)


def workload(exp: Experiment, cells: Iterable[CellSummary]) -> str:
    """The test, or how many there are."""
    found = dict.fromkeys(str(s.cell.settings.get("load.script") or "") for s in cells)
    names = [name.rpartition("/")[2].removesuffix(".lua") for name in found if name]
    return labels.joined(names) if len(names) < MOST else "%d workloads" % len(names)


# ---- what was measured -----------------------------------------------------------


def measured(results: Results) -> list[str]:
    known = [environment.flat(found) for found in results.environment.values()]

    def of(key: str) -> list[str]:
        return [v for v in dict.fromkeys(e.get(key, "n/a") for e in known) if v not in ("n/a", "")]

    machine, m = results.tree.get("machine") or {}, results.exp.measure
    cpus = [str(machine["cpus"])] if machine.get("cpus") else of("host.cpu.count")
    hosts = rank_rows.hosts_of(results.directory)
    started = results.tree.get("started_unix_s")
    parts = [
        " and ".join(facts.servers(known)),
        data(results, of),
        facts.rate(results),
        ", ".join([*of("host.cpu.model"), *("%s CPUs" % n if n != "1" else "1 CPU" for n in cpus)]),
        " and ".join(size(float(b)) + " RAM" for b in of("host.memory_bytes")),
        "%d load hosts" % len(hosts) if len(hosts) > 1 else "",
        "%d run%s of %g s in each cell" % (m.repeats, "s" * (m.repeats != 1), m.time_s),
        time.strftime("%Y-%m-%d", time.gmtime(started)) if started else "",
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
