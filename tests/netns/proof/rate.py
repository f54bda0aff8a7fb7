# SPDX-License-Identifier: GPL-2.0-or-later
"""The rate is kept by all ranks together, and the report is that of all of them.

rate/LAUNCHER/RANKS ranks/DELAY
"""

from __future__ import annotations

from typing import Any, Sequence

from . import truth
from .net import ADDRESS, DB, DIRECT, LOAD2, LOADS, each_way, lopsided
from .ranks import CLUSTER, LAUNCHERS, OPENMPI, host_of, share
from .server import TEST
from .world import Case, Stage

WITHIN = 0.001
TICK_S = 0.02


def checked(s: Stage) -> Sequence[str]:
    seconds, rate, clients = s.options.seconds, s.options.rate, s.options.connections
    ranks = s.case.ranks
    s.server.alone()
    executed, cpu = s.server.executed(), [s.server.cpu_s()]
    via = "--server-via=ip netns exec " + s.net.name(DB)
    run = s.load(seconds, rate, clients, via)
    run.started()
    cpu.append(s.server.cpu_s())
    run.reported(1)
    connected = s.server.clients()
    run.reported(seconds - 1)
    cpu.append(s.server.cpu_s())
    statuses = run.wait(1)
    cpu.append(s.server.cpu_s())
    s.book.same("exit statuses", statuses, [0] * len(statuses))
    document = run.document()
    for host in LOADS:
        there = [r for r in range(ranks) if host_of(r, ranks) == host]
        want = sum(share(clients, r, ranks) for r in there)
        s.book.same("connections from " + host, connected.get(ADDRESS[host]), want)
    summary = document["summary"]
    s.book.same("offered", summary["rate"]["total_offered"], rate * seconds)
    for name in ("failed", "dropped", "lost"):
        s.book.same(name, summary["rate"]["total_" + name], 0)
    s.book.timed(summary["rate"]["unfinished"] == 0, "some of the schedule were not finished")
    balance = truth.accounts(s.book, document)
    truth.ranks(s.book, run, document, clients)
    held = truth.finished_per_s(run.raws(), seconds)
    s.book.timed(
        abs(held - rate) <= WITHIN * rate,
        "%.2f transactions/s of %d, not within %g %%" % (held, rate, WITHIN * 100),
    )
    delay = s.case.delay
    trip = delay.one_way_s(LOADS[0], LOAD2) + delay.one_way_s(LOAD2, LOADS[0])
    return [
        "%s, %d connections" % (TEST, sum(connected.values())),
        "%.2f/s of %d (%+.3f %%)" % (held, rate, (held / rate - 1) * 100),
        balance,
        "histograms: " + truth.histograms(s.book, document, run.raws()),
        truth.executed(s.book, document, s.server.executed() - executed),
        server_cpu(s, summary, cpu),
        response(summary),
        truth.clocks(s.book, run, document, trip),
    ]


def server_cpu(s: Stage, summary: dict[str, Any], cpu: list[float]) -> str:
    """What came through --server-via, beside the CPU time that this machine's kernel counted."""
    server = summary["server"]
    if not s.book.true(server, "server CPU: n/a: %s" % summary["missing"].get("server")):
        return "server CPU n/a"
    used = server["cpu_s"]
    if not s.book.true(used, "server CPU: %s: %s" % (used, summary["missing"])):
        return "server CPU n/a"
    s.book.most("server CPU, s, from before the run to after it", used, cpu[3] - cpu[0] + TICK_S)
    s.book.timed(
        used >= cpu[2] - cpu[1] - TICK_S,
        "server CPU: %.3f s, but its process used %.3f s in less time" % (used, cpu[2] - cpu[1]),
    )
    return "server CPU through --server-via %.1f %% of a core, %.0f us a transaction" % (
        100 * used / server["interval_s"], 1e6 * server["cpu_s_per_transaction"],
    )  # fmt: skip


def response(summary: dict[str, Any]) -> str:
    p99 = [1e3 * summary["rate"][name + "_p99_s"] for name in ("response", "lag")]
    each = ", ".join("%.1f" % r["cpu_pct"] for r in summary["ranks"])
    return "p99 %.3f ms, of the starts' lag %.3f ms; CPU of the ranks %s %%" % (*p99, each)


def cases() -> list[Case]:
    found = [(DIRECT, launcher, n) for launcher in LAUNCHERS for n in (2, 4)]
    found += [(each_way(ms), CLUSTER, n) for ms in (1, 5) for n in (2, 4)]
    found += [(each_way(5), OPENMPI, 4), (lopsided(6, 0), CLUSTER, 2)]
    return [
        Case("rate/%s/%d ranks/%s" % (launcher, n, delay.name), checked, n, launcher, delay)
        for delay, launcher, n in found
    ]
