# SPDX-License-Identifier: GPL-2.0-or-later
"""The outputs of the programs as figures, in one flat dict each.

A figure that a program does not show is None, never 0.  Times are milliseconds, as all three
programs print them.  What every program has in common:

    events, seconds     transactions done, over which time (connecting excluded)
    achieved_pct        100 * events / seconds / target
    ready_s             from the start of the program to its start line: connecting
    window_*            the steady state: between the first and the last interval line that lie
                        wholly inside the run; CPU from outside (runner.py), transactions from
                        the lines
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterator

from sysbench_lab.readers import own_text as report

from .runner import STARTED, LabError
from .types import Figures

if TYPE_CHECKING:
    from .runner import Line, Run

INTERVAL = re.compile(r"^\[ (\d+)s \] thds: \d+ (?:tps|eps): ([\d.]+)")
ACCOUNTS = re.compile(r"\| offered (\d+) done (\d+) failed (\d+) dropped (\d+) unfinished (\d+)")
SUSTAINED_PCT = 99  # what --tx-strict asks for by default
PROGRESS = re.compile(r"^progress: ([\d.]+) s, ([\d.]+) tps")


def one(pattern: str, text: str) -> float | None:
    return report.one(pattern, text)


def intervals(run: Run) -> Iterator[tuple[float, float, Line]]:
    """(stamp, transactions per second, line) of every interval line, in order."""
    for line in run.lines:
        m = INTERVAL.match(line.text) or PROGRESS.match(line.text)
        if m:
            yield float(m.group(1)), float(m.group(2)), line


def window(run: Run, seconds: float) -> Figures:
    """CPU and transactions of the steady state; None where there are fewer than two usable lines.

    The last line of a run may come while threads already end, and pgbench counts the time it
    connects in its stamps: lines without transactions before the first one do not count.
    """
    found = [x for x in intervals(run) if x[2].cpu is not None]
    while found and found[0][1] == 0:
        found.pop(0)
    if found and found[-1][0] - found[0][0] + 1 >= seconds:
        found.pop()
    none = dict.fromkeys(
        (
            "window_s",
            "window_events",
            "window_cpu_s",
            "cpu_us_tx",
            "cpu_pct_one",
            "reporter_pct_one",
        )
    )
    if len(found) < 2:
        return none
    begin, end = found[0][2], found[-1][2]
    events = sum(rate * (at - before) for (before, _, _), (at, rate, _) in zip(found, found[1:]))
    cpu, wall = (end.cpu or 0) - (begin.cpu or 0), end.at - begin.at
    reporter = None
    if begin.reporter is not None and end.reporter is not None:
        reporter = end.reporter - begin.reporter
    return {
        "window_s": wall,
        "window_events": events,
        "window_cpu_s": cpu,
        "cpu_us_tx": 1e6 * cpu / events if events else None,
        "cpu_pct_one": 100 * cpu / wall,
        "reporter_pct_one": None if reporter is None else 100 * reporter / wall,
    }


def accounts(text: str) -> Figures:
    """Checks offered = done + failed + dropped + unfinished, summed up to each interval line.

    `unfinished` is a state at the end of the interval, the others are counts of the interval.
    """
    sums, lines, wrong = [0, 0, 0, 0], 0, []
    for m in ACCOUNTS.finditer(text):
        values = list(map(int, m.groups()))
        sums = [a + b for a, b in zip(sums, values)]
        lines += 1
        if sums[0] != sums[1] + sums[2] + sums[3] + values[4]:
            wrong.append(lines)
    return {"account_lines": lines, "account_wrong": wrong}


def per_thread(text: str) -> tuple[int | None, int | None]:
    """Least and most transactions of a thread from stock's --debug report."""
    events = list(map(int, re.findall(r"^DEBUG:\s+thread #\s*\d+:.* events: (\d+)", text, re.M)))
    return (min(events), max(events)) if events else (None, None)


def holds(f: Figures) -> bool:
    """Was a rate held, by the same bar for everybody: SUSTAINED_PCT % of it done?"""
    return f["exit"] == 0 and (f["achieved_pct"] or 0) >= SUSTAINED_PCT


def sysbench_tx(text: str) -> Figures:
    f = report.parse(text)
    f.update(accounts(text))
    m = re.search(r"^\s+transactions per thread:\s+(\d+) to (\d+)", text, re.M)
    f["least"], f["most"] = map(int, m.groups()) if m else (None, None)
    parts = [f[k] for k in ("offered", "done", "failed", "dropped", "unfinished")]
    f["final_balances"] = None if None in parts else parts[0] == sum(parts[1:])
    f["alerts"] = re.findall(r"^ALERT: .*$", text, re.M)
    return f


def stock(text: str) -> Figures:
    f = report.parse(text)
    lat = report.block(text, r"Latency \(ms\)")
    for key in ("min", "avg", "max"):
        f["latency_" + key] = one(r"^\s+%s:\s+%s" % (key, report.NUMBER), lat)
    f["latency_p95"] = one(r"^\s+95th percentile:\s+%s" % report.NUMBER, lat)
    f["least"], f["most"] = per_thread(text)
    f["fatal"] = re.findall(r"^FATAL: .*$", text, re.M)
    f["unfinished"] = one(r"^Number of unfinished transactions[^:]*: %s" % report.NUMBER, text)
    return f


def pgbench(text: str) -> Figures:
    m = re.search(
        r"^rate limit schedule lag: avg %s \(max %s\) ms" % (report.NUMBER, report.NUMBER),
        text,
        re.M,
    )
    f: Figures = {
        "events": one(r"^number of transactions actually processed: %s" % report.NUMBER, text),
        "tps": one(r"^tps = %s" % report.NUMBER, text),
        "latency_avg": one(r"^latency average = %s ms" % report.NUMBER, text),
        "connect_ms": one(r"^initial connection time = %s ms" % report.NUMBER, text),
        "lag_mean": report.number(m.group(1)) if m else None,
        "lag_max": report.number(m.group(2)) if m else None,
    }
    f["seconds"] = f["events"] / f["tps"] if f["tps"] else None
    return f


def sleeper(text: str) -> Figures:
    m = re.search(r"lag us p50 ([\d.]+) p99 ([\d.]+) max ([\d.]+)", text)
    if not m:
        raise LabError("the sleeper printed no figures: %s" % text.strip())
    return dict(zip(("lag_p50", "lag_p99", "lag_max"), (float(v) / 1000 for v in m.groups())))


def floor(text: str) -> Figures:
    return {
        "events": one(r"^transactions: %s" % report.NUMBER, text),
        "seconds": one(r"^transactions: \d+ seconds: %s" % report.NUMBER, text),
    }


PARSERS = {
    "sysbench-tx": sysbench_tx,
    "stock": stock,
    "pgbench": pgbench,
    "sleeper": sleeper,
    "floor": floor,
}


def figures(program: str, run: Run, target: float | None, seconds: float) -> Figures:
    """Everything that one run tells.  `target`: the rate asked for, None without one."""
    f = PARSERS[program](run.text)
    f.update(
        exit=run.code,
        cpu_s=run.cpu_s,
        switches=run.switches,
        rss_mib=run.rss_mib,
        stopped_s=run.stopped_s,
        target=target,
    )
    if program == "sleeper":
        return f
    if f["events"] is not None and f["seconds"]:
        f["per_sec"] = f["events"] / f["seconds"]
        f["achieved_pct"] = 100 * f["per_sec"] / target if target else None
    else:
        f["per_sec"] = f["achieved_pct"] = None
    started = [line.at for line in run.lines if line.text.startswith(STARTED[0])]
    f["ready_s"] = started[0] - run.began if started else None
    f.update(window(run, seconds))
    return f
