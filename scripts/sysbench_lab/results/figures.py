# SPDX-License-Identifier: GPL-2.0-or-later
"""The json report of a run becomes a row of figures; the one table of what these figures are.

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
import re
import statistics
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

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
        values = (get(section, *place.split(".")) for place in self.where.split(" | "))
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


# Per transaction; in user mode if the list of events had it so, as the default list has.
EVENT = "server_events.{0}:u_per_transaction | server_events.{0}_per_transaction"
# Of the server and of the load generator (cpu_pct is the sum of the two above it), and of the host.
# fmt: off
PROCESS: Sequence[Any] = (
    ("usr_pct", "CPU, user", "%", 2, "CPU time in user mode, of all CPUs", "{0}.cpu_user_pct"),
    ("sys_pct", "CPU, system", "%", 2, "CPU time in the kernel, of all CPUs", "{0}.cpu_system_pct"),
    ("cpu_pct", "CPU", "%", 2, "CPU time, of all CPUs", "{0}.cpu_user_pct | {0}.cpu_system_pct"),
    ("cpu_us_per_tx", "CPU/tx", "us", 1, "CPU time per transaction", "{0}.cpu_s_per_transaction",
        1e6),
    ("switches_per_tx", "switches/tx", "", 2, "context switches per transaction",
        "{0}.switches_per_transaction"),
    ("run_queue_wait_s", "run-queue wait", "s", 3, "time runnable without a CPU, all threads",
        "{0}.run_queue_wait_s"),
    ("rss_mib", "memory", "MiB", 1, "resident memory at the end", "{0}.rss_bytes", 1 / 2**20),
    ("threads", "threads", "", 0, "threads at the end", "{0}.threads"),
)
HOST: Sequence[Any] = (
    ("usr_pct", "CPU, user", "%", 1, "us: CPU time in user mode", "{0}.cpu_user_pct"),
    ("sys_pct", "CPU, system", "%", 1, "sy: CPU time in the kernel", "{0}.cpu_system_pct"),
    ("idle_pct", "idle", "%", 1, "id: idle CPU time", "{0}.cpu_idle_pct"),
    ("iowait_pct", "I/O wait", "%", 1, "wa: idle while waiting for I/O", "{0}.cpu_iowait_pct"),
    ("runnable", "runnable", "", 1, "r: runnable threads", "{0}.threads_runnable"),
    ("blocked", "blocked", "", 1, "b: blocked threads", "{0}.threads_blocked"),
    ("interrupts_per_s", "interrupts", "1/s", 0, "in", "{0}.interrupts_per_s"),
    ("switches_per_s", "switches", "1/s", 0, "cs: context switches", "{0}.context_switches_per_s"),
)
# fmt: on


def _of(who: str, title: str, whose: str, table: Sequence[Any]) -> dict[str, Column]:
    found = {}
    for name, words, unit, decimals, meaning, where, *scale in table:
        about = "%s %s" % (title, words), unit, decimals, "%s %s" % (whose, meaning)
        found["%s_%s" % (who, name)] = Column(*about, where.format(who), *scale)
    return found


# fmt: off
COLUMNS: dict[str, Column] = {
    "tps": Column("Throughput", "tx/s", 1,
        "transactions done per second; with a rate, within the schedule", "transactions_per_s"),
    "qps": Column("Queries", "1/s", 1, "statements per second", "queries_per_s"),
    "target_tps": Column("Target rate", "tx/s", 1, "the target rate", "rate.target_per_s"),
    "held_tps": Column("Highest rate", "tx/s", 1, "the highest rate that held, with --tx-find",
        "find.held_per_s"),
    "not_held_tps": Column("First rate not held", "tx/s", 1,
        "the lowest rate above it that did not hold", "find.not_held_per_s"),
    "seconds": Column("Time", "s", 3, "length of the measured time", "interval_s"),
    "clients": Column("Connections", "", 0, "clients of the load generator"),
    "offered": Column("Offered", "tx", 0, "transactions whose planned start came", "rate.offered"),
    "done": Column("Done", "tx", 0, "transactions done", "transactions"),
    "failed": Column("Failed", "tx", 0, "transactions that failed", "rate.failed"),
    "dropped": Column("Dropped", "tx", 0, "transactions dropped, see --tx-overload",
        "rate.dropped"),
    "unfinished": Column("Unfinished", "tx", 0, "transactions due and not done at the end",
        "rate.unfinished"),
    "late": Column("Late", "tx", 0, "transactions begun more than 1 ms after their planned start",
        "rate.late"),
    **{"%s_%s_ms" % (name, point): _time(name, point) for name in TIMES for point in POINTS},
    **_of("server", "Server", "the server's", PROCESS),
    **_of("client", "Load generator", "the load generator's", PROCESS),
    "ipc": Column("IPC", "", 3, "the server's instructions per cycle", "server_events.ipc"),
    "instructions_per_tx": Column("Instructions/tx", "", 0,
        "the server's instructions per transaction", EVENT.format("instructions")),
    "cycles_per_tx": Column("Cycles/tx", "", 0, "the server's CPU cycles per transaction",
        EVENT.format("cycles")),
    "tx_per_mcycle": Column("Transactions/Mcycle", "", 4,
        "transactions per million CPU cycles of the server", EVENT.format("cycles")),
    "icache_misses_per_kinstr": Column("icache misses", "1/kinstr", 3,
        "L1 instruction cache misses per 1,000 instructions",
        "server_events.icache_misses_per_instruction", 1e3),
    "itlb_misses_per_kinstr": Column("iTLB misses", "1/kinstr", 4,
        "instruction TLB misses per 1,000 instructions",
        "server_events.itlb_misses_per_instruction", 1e3),
    "branch_miss_pct": Column("Branch misses", "%", 3, "mispredicted branches, of all branches",
        "server_events.branch_miss_pct"),
    "errors": Column("Errors", "", 0, "statements that failed and were ignored", "errors"),
    "reconnects": Column("Reconnects", "", 0, "connections established again", "reconnects"),
    **_of("host", "Host", "vmstat's", HOST),
    "cpu_mhz": Column("CPU clock", "MHz", 0, "mean clock frequency of the CPUs",
        "host.cpu_frequency_hz", 1e-6),
    "others_cpu_pct": Column("CPU of others", "%", 1,
        "CPU time of all but the server and the load generator"),
    "steal_pct": Column("Steal", "%", 1, "CPU time that the hypervisor gave to others"),
    "other_sessions": Column("Other sessions", "", 2,
        "sessions of others that worked at the server, on average",
        "server_status.other_sessions_active"),
    "lock_waited_s": Column("Waited for locks", "s", 1,
        "time that sessions of the run waited for locks, added up", "server_status.lock_waited_s"),
    "lock_waited_for_others_s": Column("For others' locks", "s", 1,
        "part of it behind sessions of others", "server_status.lock_waited_for_others_s"),
    "busy_before_pct": Column("Busy before", "%", 1,
        "the server's CPU time just before the load, of one CPU", "server.cpu_before_pct"),
    "throttled": Column("Throttled", "", 0, "times that a CPU quota or heat stopped us"),
    "power_w": Column("Power", "W", 2, "mean power of the processor or the battery"),
    "power_above_idle_w": Column("Power above idle", "W", 2,
        "the same, less that of the idle machine (measure.idle)"),
}

# Figures of an interval that runs.csv lacks; what is per second, the report counts: see series.py.
OVER_TIME: dict[str, Column] = {
    "offered_tps": COLUMNS["offered"]._replace(unit="tx/s", decimals=1),
    "errors_per_s": Column("Errors", "1/s", 1,
        "statements and attempts to connect that failed, of any kind"),
    "failed_per_s": COLUMNS["failed"]._replace(unit="tx/s", decimals=1),
    "dropped_per_s": COLUMNS["dropped"]._replace(unit="tx/s", decimals=1),
    "reconnects_per_s": COLUMNS["reconnects"]._replace(unit="1/s", decimals=1),
    "late_per_s": COLUMNS["late"]._replace(title="Late starts", unit="tx/s", decimals=1),
    "connections_away": Column("Connections away", "", 0,
        "connections that were lost and are not back", "connections_away"),
    "oldest_ms": Column("Oldest unfinished", "ms", 1,
        "how long the oldest transaction that is not done is due", "rate.oldest_s", 1e3),
}
# fmt: on

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
    ways = [place.split(".") for place in column(name).where.split(" | ")]
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


def cpu_parts(spreads: Mapping[str, Spread]) -> tuple[float, float]:
    """The server's CPU to stack, user and system: of the run whose sum is the median (of an even
    number: the mean of the middle two).

    The medians of each need not add up to that of the sum; these do.
    """
    user, system, both = (spreads[n] for n in CPU)
    pairs = list(zip(user.values, system.values))
    if len(pairs) != both.n:
        return user.median, system.median
    order = sorted(pairs, key=sum)
    middle = order[(len(pairs) - 1) // 2], order[len(pairs) // 2]  # the same one, if odd
    return statistics.mean(p[0] for p in middle), statistics.mean(p[1] for p in middle)


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
