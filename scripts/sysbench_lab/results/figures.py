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
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple

from ..plan.model import Row, Spread, Tree

# ---- where a report has a figure ------------------------------------------------


def get(tree: Any, *path: str) -> Any:
    """What is at the end of a path; None if there is no such way."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree


def _at(*path: str, scale: float = 1) -> Callable[[Tree], Any]:
    def read(summary: Tree) -> Any:
        value = get(summary, *path)
        return value * scale if value is not None and scale != 1 else value

    return read


def _event(name: str, then: Callable[[Any], Any] = lambda value: value) -> Callable[[Tree], Any]:
    """Per transaction; in user mode if the list had it so, as the default list has."""

    def read(summary: Tree) -> Any:
        events = summary.get("server_events") or {}
        values = [events.get(name + mode + "_per_transaction") for mode in (":u", "")]
        return then(next((v for v in values if v is not None), None))

    return read


class Column(NamedTuple):
    title: str
    unit: str
    decimals: int
    meaning: str
    read: Callable[[Tree], Any] | None = None  # from a section of the report; None: see row_of()


TIMES = (
    ("response", "Response time", "from the planned start (without a rate: from the start) to the"
     " end"),
    ("service", "Service time", "from the start to the end"),
    ("lag", "Lag", "from the planned start to the start"),
)  # fmt: skip
POINTS = {
    "mean": "mean", "p50": "median", "p95": "95th percentile", "p99": "99th percentile",
    "max": "maximum",
}  # fmt: skip


def _times() -> dict[str, Column]:
    return {
        "%s_%s_ms" % (name, point): Column(
            "%s, %s" % (title, words), "ms", 3, "%s of the time %s" % (words, meaning)
        )
        for name, title, meaning in TIMES
        for point, words in POINTS.items()
    }


def _process(prefix: str, who: str, of: str) -> dict[str, Column]:
    """The figures that the server and the load generator both have."""

    def both(section: Tree) -> Any:
        parts = [get(section, prefix, "cpu_%s_pct" % mode) for mode in ("user", "system")]
        return None if None in parts else sum(parts)

    def at(name: str, scale: float = 1) -> Callable[[Tree], Any]:
        return _at(prefix, name, scale=scale)

    # fmt: off
    table = {
        "usr_pct": ("CPU, user", "%", 2, "CPU time in user mode, of all CPUs", at("cpu_user_pct")),
        "sys_pct": ("CPU, system", "%", 2, "CPU time in the kernel, of all CPUs",
                    at("cpu_system_pct")),
        "cpu_pct": ("CPU", "%", 2, "CPU time, of all CPUs", both),
        "cpu_us_per_tx": ("CPU/tx", "us", 1, "CPU time per transaction",
                          at("cpu_s_per_transaction", 1e6)),
        "switches_per_tx": ("switches/tx", "", 2, "context switches per transaction",
                            at("switches_per_transaction")),
        "run_queue_wait_s": ("run-queue wait", "s", 3, "time runnable without a CPU, all threads",
                             at("run_queue_wait_s")),
        "rss_mib": ("memory", "MiB", 1, "resident memory at the end", at("rss_bytes", 1 / 2**20)),
        "threads": ("threads", "", 0, "threads at the end", at("threads")),
    }
    # fmt: on
    return {
        "%s_%s" % (prefix, name): Column("%s %s" % (who, title), unit, n, "%s's %s" % (of, text), r)
        for name, (title, unit, n, text, r) in table.items()
    }


# fmt: off
COLUMNS: dict[str, Column] = {
    "tps": Column("Throughput", "tx/s", 1,
        "transactions done per second; with a rate, within the schedule",
        _at("transactions_per_s")),
    "qps": Column("Queries", "1/s", 1, "statements per second", _at("queries_per_s")),
    "target_tps": Column("Target rate", "tx/s", 1, "the target rate",
        lambda s: None if s.get("find") else get(s, "rate", "target_per_s")),
    "held_tps": Column("Highest rate", "tx/s", 1, "the highest rate that held, with --tx-find",
        _at("find", "held_per_s")),
    "not_held_tps": Column("First rate not held", "tx/s", 1,
        "the lowest rate above it that did not hold", _at("find", "not_held_per_s")),
    "seconds": Column("Time", "s", 3, "length of the measured time", _at("interval_s")),
    "clients": Column("Connections", "", 0, "clients of the load generator"),
    "offered": Column("Offered", "tx", 0, "transactions whose planned start came",
        _at("rate", "offered")),
    "done": Column("Done", "tx", 0, "transactions done", _at("transactions")),
    "failed": Column("Failed", "tx", 0, "transactions that failed", _at("rate", "failed")),
    "dropped": Column("Dropped", "tx", 0, "transactions dropped, see --tx-overload",
        _at("rate", "dropped")),
    "unfinished": Column("Unfinished", "tx", 0, "transactions due and not done at the end",
        _at("rate", "unfinished")),
    "late": Column("Late", "tx", 0, "transactions begun more than 1 ms after their planned start",
        _at("rate", "late")),
    **_times(),
    **_process("server", "Server", "the server"),
    **_process("client", "Load generator", "the load generator"),
    "ipc": Column("IPC", "", 3, "the server's instructions per cycle", _at("server_events", "ipc")),
    "instructions_per_tx": Column("Instructions/tx", "", 0,
        "the server's instructions per transaction", _event("instructions")),
    "cycles_per_tx": Column("Cycles/tx", "", 0, "the server's CPU cycles per transaction",
        _event("cycles")),
    "tx_per_mcycle": Column("Transactions/Mcycle", "", 4,
        "transactions per million CPU cycles of the server",
        _event("cycles", lambda cycles: 1e6 / cycles if cycles else None)),
    "icache_misses_per_kinstr": Column("icache misses", "1/kinstr", 3,
        "L1 instruction cache misses per 1,000 instructions",
        _at("server_events", "icache_misses_per_instruction", scale=1e3)),
    "itlb_misses_per_kinstr": Column("iTLB misses", "1/kinstr", 4,
        "instruction TLB misses per 1,000 instructions",
        _at("server_events", "itlb_misses_per_instruction", scale=1e3)),
    "branch_miss_pct": Column("Branch misses", "%", 3, "mispredicted branches, of all branches",
        _at("server_events", "branch_miss_pct")),
    "errors": Column("Errors", "", 0, "statements that failed and were ignored", _at("errors")),
    "reconnects": Column("Reconnects", "", 0, "connections established again", _at("reconnects")),
    "host_usr_pct": Column("Host CPU, user", "%", 1, "vmstat's us: CPU time in user mode",
        _at("host", "cpu_user_pct")),
    "host_sys_pct": Column("Host CPU, system", "%", 1, "vmstat's sy: CPU time in the kernel",
        _at("host", "cpu_system_pct")),
    "host_idle_pct": Column("Host idle", "%", 1, "vmstat's id: idle CPU time",
        _at("host", "cpu_idle_pct")),
    "host_iowait_pct": Column("Host I/O wait", "%", 1, "vmstat's wa: idle while waiting for I/O",
        _at("host", "cpu_iowait_pct")),
    "host_runnable": Column("Host runnable", "", 1, "vmstat's r: runnable threads",
        _at("host", "threads_runnable")),
    "host_blocked": Column("Host blocked", "", 1, "vmstat's b: blocked threads",
        _at("host", "threads_blocked")),
    "host_interrupts_per_s": Column("Host interrupts", "1/s", 0, "vmstat's in",
        _at("host", "interrupts_per_s")),
    "host_switches_per_s": Column("Host switches", "1/s", 0, "vmstat's cs: context switches",
        _at("host", "context_switches_per_s")),
    "cpu_mhz": Column("CPU clock", "MHz", 0, "mean clock frequency of the CPUs",
        _at("host", "cpu_frequency_hz", scale=1e-6)),
    "others_cpu_pct": Column("CPU of others", "%", 1,
        "CPU time of all but the server and the load generator"),
    "steal_pct": Column("Steal", "%", 1, "CPU time that the hypervisor gave to others"),
    "other_sessions": Column("Other sessions", "", 2,
        "sessions of others that worked at the server, on average",
        _at("server_status", "other_sessions_active")),
    "lock_waited_s": Column("Waited for locks", "s", 1,
        "time that sessions of the run waited for locks, added up",
        _at("server_status", "lock_waited_s")),
    "lock_waited_for_others_s": Column("For others' locks", "s", 1,
        "part of it behind sessions of others", _at("server_status", "lock_waited_for_others_s")),
    "busy_before_pct": Column("Busy before", "%", 1,
        "the server's CPU time just before the load, of one CPU", _at("server", "cpu_before_pct")),
    "throttled": Column("Throttled", "", 0, "times that a CPU quota or heat stopped us"),
    "power_w": Column("Power", "W", 2, "mean power of the processor or the battery"),
    "power_above_idle_w": Column("Power above idle", "W", 2,
        "the same, less that of the idle machine (measure.idle)"),
}

# Figures of an interval that runs.csv lacks, or has as a sum: see series.py.
OVER_TIME: dict[str, Column] = {
    "offered_tps": Column("Offered", "tx/s", 1, "transactions whose planned start came"),
    "errors_per_s": Column("Errors", "1/s", 1,
        "statements and attempts to connect that failed, of any kind"),
    "failed_per_s": Column("Failed", "tx/s", 1, "transactions that failed"),
    "dropped_per_s": Column("Dropped", "tx/s", 1, "transactions dropped, see --tx-overload"),
    "reconnects_per_s": Column("Reconnects", "1/s", 1, "connections established again"),
    "connections_away": Column("Connections away", "", 0,
        "connections that were lost and are not back"),
    "late_per_s": Column("Late starts", "tx/s", 1,
        "transactions begun more than 1 ms after their planned start"),
    "unfinished": Column("Backlog", "tx", 0, "transactions due and not done"),
    "oldest_ms": Column("Oldest unfinished", "ms", 1,
        "how long the oldest transaction that is not done is due"),
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

SUSTAINED = {"True": "yes", "False": "no"}  # without a rate, there is no verdict: ""

# Figures that the runner measures itself; the report lacks them.
FROM_RUNNER = ("others_cpu_pct", "steal_pct", "throttled", "power_w", "power_above_idle_w")


def column(name: str) -> Column:
    """What a figure is; KeyError if there is no such figure."""
    if name in COLUMNS or name in OVER_TIME:
        return COLUMNS.get(name) or OVER_TIME[name]
    found = PERCENTILE.match(name)
    if not found:
        raise KeyError(name)
    title, meaning = next((t, m) for n, t, m in TIMES if n == found.group(1))
    rank = "%sth percentile" % found.group(2).replace("_", ".")
    return Column("%s, %s" % (title, rank), "ms", 3, "%s of the time %s" % (rank, meaning))


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
    found: list[str] = []

    class Asked(Dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            found.append(key)
            return Member()

    class Member(Dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            found.append("%s.%s" % (found[0], key))

    read = name in COLUMNS and COLUMNS[name].read
    if read:
        read(Asked())
    return found


def percentile_columns(ranks: Iterable[float | str]) -> list[str]:
    """The columns that --percentile adds: 99.9 gives response_p99_9_ms and its like."""
    names = ["p" + ("%.12g" % float(r)).replace(".", "_") for r in ranks if float(r)]
    wanted = ["%s_%s_ms" % (t, p) for t, _, _ in TIMES for p in names]
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
    summary = report.get("summary") or {}
    end = report.get("end") or {}
    verdict = report.get("verdict") or {}
    held, search = verdict.get("sustained"), summary.get("find")
    if search:  # which judges no rate as a whole: it has found one, or not
        held = bool(search.get("held_per_s") and search.get("confirmed"))
    limit = get(summary, "find", "limit")  # which side was at it
    found = "limit: %s" % limit if limit and held else ""
    row: Row = {
        "started_unix_s": get(report, "run", "wall_time_unix_s"),
        "status": "done" if summary and end.get("status") == "completed" else "failed",
        "sustained": SUSTAINED.get(str(held), ""),
        "why": found or verdict.get("why") or end.get("error") or "",
    }
    row.update(of_section(summary))
    if verdict.get("achieved_per_s") is not None:
        row["tps"] = verdict["achieved_per_s"]  # of the same time as the verdict
    row["clients"] = get(report, "run", "options", "effective", "threads")
    return row


def of_section(section: Tree) -> Row:
    """The figures of the summary, or of a stage of the rate."""
    row: Row = {name: c.read(section) for name, c in COLUMNS.items() if c.read}
    # response_, service_ and lag_ of the rate; without one, the latency is the response time
    row.update(dict.fromkeys(_times()))
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
