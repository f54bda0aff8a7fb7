# SPDX-License-Identifier: GPL-2.0-or-later
"""The json report of a run becomes a row of figures; figures.txt says what these figures are.

    row_of(report) -> {"tps": 1199.7, "response_p95_ms": 1.91, ..., "ipc": None}

COLUMNS says of each figure its title, unit, decimals and meaning, in the order of runs.csv; tables,
pictures, the page and the answer take them from here.  Names end in their unit.  Latencies are
milliseconds, CPU is per cent of all CPUs of the machine, and what a transaction costs is per
transaction done.  response_* is the time from the planned start, with a rate; without one, it is
the latency.  A figure that the report lacks is None, never 0; the report says why.

sysbench adds percentiles on request (--percentile=99.9); column() knows those, too.
"""

from __future__ import annotations

import math
import os
import re
import statistics
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from ..plan.model import Row, Spread, Tree

# ---- where a report has a figure ------------------------------------------------


def get(tree: Any, *path: str) -> Any:
    """What is at the end of a path; None if there is no such way."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree


class Column(NamedTuple):
    title: str
    unit: str
    decimals: int
    meaning: str
    where: str = ""  # in a section of the report; of several places the first that has it
    scale: float = 1

    def read(self, section: Tree) -> Any:
        values = (get(section, *place.split(".")) for place in self.where.split(" or "))
        value = next((v for v in values if v is not None), None)
        return value if value is None or self.scale == 1 else value * self.scale


TIMES = {
    "response": ("Response time", "from the planned start (without a rate: from the start) to the"
                 " end"),
    "service": ("Service time", "from the start to the end"),
    "lag": ("Lag", "from the planned start to the start"),
}  # fmt: skip
POINTS = {"mean": "mean", "p50": "median", "p95": "", "p99": "", "max": "maximum"}


def _time(name: str, point: str) -> Column:
    title, meaning = TIMES[name]
    words = POINTS.get(point) or "%sth percentile" % point[1:].replace("_", ".")
    return Column("%s, %s" % (title, words), "ms", 3, "%s of the time %s" % (words, meaning))


def described(text: str) -> Iterator[tuple[str, Column]]:
    """Those of a part of figures.txt; at TIMES, the latencies."""
    for name, *words in (line.split(" | ") for line in text.splitlines() if line[0] != "#"):
        if name == "TIMES":
            yield from (("%s_%s_ms" % (t, p), _time(t, p)) for t in TIMES for p in POINTS)
        else:
            rest = ("", "1")[len(words) - 4 :]
            title, unit, decimals, meaning, where, scale = *words, *rest
            yield name, Column(title, unit, int(decimals), meaning, where, float(scale))


with open(os.path.join(os.path.dirname(__file__), "figures.txt"), encoding="utf-8") as f:
    parts = re.split("OVER TIME\n|RANKS\n", f.read())
    COLUMNS, OVER_TIME, OF_RANKS = (dict(described(part)) for part in parts)

# What the time of a transaction went to: the parts of its service time, and sessions over time.
OF_SERVICE = [n for n, c in COLUMNS.items() if re.fullmatch(r"server_status\.\w+_us_.*", c.where)]
OF_SESSIONS = [n for n in OVER_TIME if n.startswith("sessions_")]

# The direction that is good; figures of neither list are facts without a good or bad side.
MORE_IS_BETTER = {"tps", "qps", "held_tps", "done", "ipc", "tx_per_mcycle"}
LESS_IS_BETTER = re.compile(
    r"(response|service|lag)_.*_ms|(server|client)_(usr|sys|cpu|switches|run_queue).*"
    r"|(instructions|cycles)_per_tx|.*_misses_per_kinstr|branch_miss_pct"
    r"|failed|dropped|unfinished|late|errors|reconnects|power_w|power_above_idle_w"
)
TOTALS = {"seconds", "errors", "reconnects", "throttled", "server_run_queue_wait_s",
          "client_run_queue_wait_s"}  # fmt: skip
PERCENTILE = re.compile(r"(response|service|lag)_p(\d+(?:_\d+)?)_ms$")

# Figures that the runner measures itself; the report lacks them.
FROM_RUNNER = ("others_cpu_pct", "steal_pct", "throttled", "power_w", "power_above_idle_w")


def column(name: str) -> Column:
    """What a figure is; KeyError if there is no such figure."""
    if found := PERCENTILE.match(name):
        return _time(found[1], "p" + found[2])
    return COLUMNS[name] if name in COLUMNS else OVER_TIME[name]


def headed(name: str) -> str:
    """What a figure is called in a picture, with its unit."""
    about = column(name)
    return about.title + (", " + about.unit.replace("us", "µs") if about.unit else "")


def titled(name: str) -> str:
    """What a figure is called in a table, with its unit."""
    about = column(name)
    return "%s (%s)" % (about.title, about.unit) if about.unit else about.title


def read_from(name: str) -> list[str]:
    """The sections and members of a report that a figure is read from: "server", "server.threads";
    by these the report says why one is missing."""
    ways = [place.split(".") for place in column(name).where.split(" or ")]
    return [".".join(way[:n]) for way in ways for n in range(1, len(way) + 1)]


def percentile_columns(ranks: Iterable[float | str]) -> list[str]:
    """The columns that --percentile adds: 99.9 gives response_p99_9_ms and its like."""
    names = ["p" + ("%.12g" % float(r)).replace(".", "_") for r in ranks if float(r)]
    wanted = ["%s_%s_ms" % (t, p) for t in TIMES for p in names]
    return [n for n in dict.fromkeys(wanted) if n not in COLUMNS]


def ordered(names: Iterable[str]) -> list[str]:
    """In the order of COLUMNS; other percentiles by their rank among those of their series."""
    order = list(COLUMNS)

    def place(name: str) -> tuple[int, float]:
        found = PERCENTILE.match(name)
        if not found:
            return order.index(name), 0
        return order.index(found.group(1) + "_p50_ms"), float(found.group(2).replace("_", "."))

    return sorted(names, key=place)


def better(name: str) -> str:
    """Which way a figure is good: "more", "less", or "" if neither."""
    if name in MORE_IS_BETTER:
        return "more"
    return "less" if LESS_IS_BETTER.fullmatch(name) else ""


def is_total(name: str) -> bool:
    """Whether a longer run has more of it."""
    return column(name).unit == "tx" or name in TOTALS


def shown(name: str, value: float | None) -> str:
    """A figure with its decimals, without its unit."""
    if value is None:
        return "n/a"
    return "%.*f" % (column(name).decimals, value)


# As sysbench's own reports have them (docs/reports.md).
FEW_MARK = "*"
FEW = "* of fewer samples than this percentile needs: the slowest of them"


def mark(name: str, of: Mapping[str, Any]) -> str:
    """What stands behind a figure of a row, or of a cell: "*" if it is a percentile and some run
    had too few transactions for it; else, and if nobody knows how many there were, nothing."""
    found, done = PERCENTILE.match(name), of.get("done")
    done = getattr(done, "min", done)
    rest = 100 - float(found.group(2).replace("_", ".")) if found else 0.0
    few = rest > 0 and done is not None and 0 < done < math.ceil(100 / rest - 1e-3)
    return FEW_MARK * few


CPU = ("server_usr_pct", "server_sys_pct", "server_cpu_pct")


def cpu_parts(spreads: Mapping[str, Spread]) -> Sequence[float]:
    """The server's CPU to stack, user and system."""
    user, system, both = (spreads[n] for n in CPU)
    pairs = list(zip(user.values, system.values))
    return to_stack(pairs) if len(pairs) == both.n else (user.median, system.median)


def to_stack(runs: Sequence[Sequence[float]]) -> list[float]:
    """The parts of the run whose sum is the median (of an even number: the mean of the middle two).

    The medians of each need not add up to that of the sum; these do.
    """
    order = sorted(runs, key=sum)
    middle = order[(len(runs) - 1) // 2], order[len(runs) // 2]  # the same one, if odd
    return [statistics.mean(both) for both in zip(*middle)]


# ---- from a report -------------------------------------------------------------


def row_of(report: Tree) -> Row:
    """A finished report as a row; of one that was cut off, what it has, with status failed."""
    summary, end, verdict = (report.get(k) or {} for k in ("summary", "end", "verdict"))
    held, search = verdict.get("sustained"), summary.get("find")
    if search:  # which judges no rate as a whole: it has found one, or not
        held = bool(search.get("held_per_s") and search.get("confirmed"))
    limit = get(summary, "find", "limit")  # which side was at it
    found = "limit: %s" % limit if limit and held else ""
    row: Row = {
        "started_unix_s": get(report, "run", "wall_time_unix_s"),
        "status": "done" if summary and end.get("status") == "completed" else "failed",
        "sustained": "" if held is None else "yes" if held else "no",  # "": there is no verdict
        "why": found or verdict.get("why") or end.get("error") or "",
    }
    row.update(of_section(summary))
    if verdict.get("achieved_per_s") is not None:
        row["tps"] = verdict["achieved_per_s"]  # of the same time as the verdict
    row["clients"] = get(report, "run", "options", "effective", "threads")
    return row


COST, OWN = "server_cpu_us_per_tx", "server_own_us_per_tx"


def unwatched(rows: Sequence[Row]) -> list[Row]:
    """The server's CPU time without that of sysbench's own questions, so that no difference is one
    of watching; only if it is known of all: with a pool of threads nobody knows it."""
    known = all(r.get(OWN) is not None for r in rows if r.get(COST) is not None)
    return [
        {**r, COST: r[COST] - r[OWN], "unwatched": True}
        if known and r.get(COST) is not None and not r.get("unwatched")
        else r
        for r in rows
    ]


def of_section(section: Tree) -> Row:
    """The figures of the summary, or of a stage of the rate."""
    row: Row = {name: c.read(section) for name, c in COLUMNS.items() if c.where}
    for who in ("server", "client"):
        parts = [row["%s_%s_pct" % (who, mode)] for mode in ("usr", "sys")]
        row[who + "_cpu_pct"] = None if None in parts else sum(parts)
    cycles = row["cycles_per_tx"]
    row["tx_per_mcycle"] = 1e6 / cycles if cycles else None
    row["target_tps"] = None if section.get("find") else row["target_tps"]
    # response_, service_ and lag_ of the rate; without one, the latency is the response time
    row.update(dict.fromkeys(n for n, c in COLUMNS.items() if c.unit == "ms"))
    latency = (get(section, "latency") or {}).items()
    members = section.get("rate") or {"response_" + k: v for k, v in latency}
    for name, value in members.items():
        if re.fullmatch(r"(response|service|lag)_(mean|max|p\d+(_\d+)?)_s", name):
            row[name[:-1] + "ms"] = None if value is None else value * 1e3
    # `client` is the process of the leader, transactions are those of all load hosts: what sysbench
    # costs per transaction is the sum over its ranks
    ranks, done, seconds = section.get("ranks") or [], section.get("transactions"), row["seconds"]
    if len(ranks) > 1:
        shares = [get(r, "cpu_pct") for r in ranks]
        known = None not in shares and done and seconds
        cost = sum(shares) / 100 * seconds / done * 1e6 if known else None
        row.update(client_cpu_us_per_tx=cost, client_switches_per_tx=None)
    return row
