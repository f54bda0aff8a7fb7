# SPDX-License-Identifier: GPL-2.0-or-later
"""The report in Markdown: one function per section, each a heading, commands and a table."""

from __future__ import annotations

import statistics

from .book import NAMES, Book, ending, noise, part, programs, ratio, spread, table, values, within
from .lab import PROGRAMS
from .parse import holds
from .tables_servers import both, floor, many, memory_loop, mux, paced, telemetry
from .types import Figures, Records


def steady(book: Book) -> str:
    rows, everything = [], book.of("steady")
    for c in book.cases("steady", "connections"):
        for p in programs(book.of("steady", connections=c)):
            runs = book.of("steady", p, connections=c)
            rows.append(
                [
                    "{:,}".format(c),
                    NAMES[p],
                    len(runs),
                    spread(runs, "achieved_pct", 3),
                    within(runs, 0.1),
                    spread(runs, "lag_p50", 3),
                    spread(runs, "lag_p99", 3),
                    spread(runs, "cpu_us_tx", 1),
                ]
                + noise(runs)
            )
    return part("steady", everything, rows)


def noop(book: Book) -> str:
    rows = []
    for rate in book.cases("noop", "rate"):
        for threads in book.cases("noop", "threads", rate=rate):
            for p in programs(book.of("noop", rate=rate, threads=threads)):
                runs = book.of("noop", p, rate=rate, threads=threads)
                most = "latency_max" if p == "stock" else "lag_max"
                rows.append(
                    [
                        "{:,}".format(rate),
                        threads,
                        NAMES[p],
                        spread(runs, "achieved_pct", 3),
                        within(runs, 0.1),
                        spread(runs, "lag_p50", 3),
                        spread(runs, "lag_p99", 3),
                        spread(runs, most, 2),
                        spread(runs, "cpu_pct_one", 2),
                        spread(runs, "cpu_us_tx", 2),
                    ]
                    + noise(runs)
                )
    return part("noop", book.of("noop"), rows)


def highest(book: Book) -> str:
    rows = []
    for threads in book.cases("highest", "threads"):
        for p in programs(book.of("highest", threads=threads)):
            runs = book.of("highest", p, threads=threads)
            good = [r for r in runs if holds(r["figures"])]
            best = max(good, key=lambda r: r["case"]["rate"], default=None)
            above = [
                r["case"]["rate"]
                for r in runs
                if r not in good and (best is None or r["case"]["rate"] > best["case"]["rate"])
            ]
            shown = [best] if best else []
            rows.append(
                [
                    threads,
                    NAMES[p],
                    "{:,}".format(best["case"]["rate"]) if best else "none of those tried",
                    "{:,}".format(min(above)) if above else "n/a",
                    spread(shown, "achieved_pct", 2),
                    spread(shown, "lag_p99", 3),
                ]
                + noise(runs)
            )
    return part("highest", book.of("highest"), rows)


def lag(book: Book) -> str:
    rows = []
    for p in programs(book.of("lag"))[::-1]:
        for load in book.cases("lag", "load", program=p):
            for spin in sorted(book.cases("lag", "spin_us", program=p, load=load)):
                runs = book.of("lag", p, load=load, spin_us=spin)
                v = values(runs, "lag_p99")
                rows.append(
                    [
                        load,
                        NAMES[p] + (" --tx-spin=%d" % spin if spin else ""),
                        len(runs),
                        spread(runs, "lag_p50", 1, 1000),
                        "%.0f" % (1000 * min(v)) if v else "n/a",
                        spread(runs, "lag_p99", 0, 1000),
                        spread(runs, "lag_max", 0, 1000),
                        spread(runs, "cpu_us_tx", 1),
                    ]
                    + noise(runs)
                )
    return part("lag", book.of("lag"), rows)


def fair(book: Book) -> str:
    rows = []
    for r in book.of("fair"):
        f = r["figures"]
        known = f.get("least") is not None
        rows.append(
            [
                NAMES[r["program"]],
                "{:,}".format(r["case"]["connections"]),
                spread([r], "events", 0),
                spread([r], "least", 0),
                spread([r], "most", 0),
                f["most"] - f["least"] if known else "n/a",
            ]
            + noise([r])
        )
    return part("fair", book.of("fair"), rows)


def stall(book: Book) -> str:
    rows = []
    for r in book.of("stall"):
        f, case = r["figures"], r["case"]
        accounts = "n/a"
        if f.get("account_lines"):
            accounts = "%d of %d lines, final block %s" % (
                len(f["account_wrong"]),
                f["account_lines"],
                "holds" if f["final_balances"] else "DOES NOT HOLD",
            )
        most = "latency_max" if r["program"] == "stock" else "response_max"
        rows.append(
            [
                ", ".join(case.values()),
                NAMES[r["program"]],
                spread([r], "stopped_s", 3),
                spread([r], most, 1),
                spread([r], "lag_max", 1),
                spread([r], "late", 0),
                spread([r], "offered", 0),
                spread([r], "events", 0),
                spread([r], "unfinished", 0),
                accounts,
                ending(f["exit"]),
            ]
            + noise([r])
        )
    return part("stall", book.of("stall"), rows)


def cpu(book: Book) -> str:
    rows = []
    for c in book.cases("cpu", "connections"):
        for p in programs(book.of("cpu", connections=c)):
            runs = book.of("cpu", p, connections=c)
            rows.append(
                [
                    "{:,}".format(c),
                    NAMES[p],
                    len(runs),
                    spread(runs, "cpu_us_tx", 1),
                    spread(runs, "client_cpu_us_tx", 1),
                    spread(runs, "cpu_s", 2),
                    spread(runs, "rss_mib", 0),
                ]
                + noise(runs)
            )
    return part("cpu", book.of("cpu"), rows)


def flat(book: Book) -> str:
    rows = []
    for t in book.cases("flat", "threads"):
        for p in programs(book.of("flat", threads=t)):
            free = book.of("flat", p, threads=t, pinned=False)
            pinned = book.of("flat", p, threads=t, pinned=True)
            rows.append(
                [
                    t,
                    NAMES[p].split()[0],
                    spread(free, "per_sec", 0),
                    spread(free, "cpu_us_tx", 2),
                    spread(pinned, "per_sec", 0),
                    spread(pinned, "cpu_us_tx", 2),
                ]
                + noise(free + pinned)
            )
    return part("flat", book.of("flat"), rows)


def events(book: Book) -> str:
    rows = []
    for t in book.cases("events", "threads"):
        v = {p: values(book.of("events", p, threads=t), "per_sec") for p in PROGRAMS}
        for p in programs(book.of("events", threads=t)):
            runs = book.of("events", p, threads=t)
            rows.append(
                [
                    t,
                    NAMES[p].split()[0],
                    len(runs),
                    spread(runs, "per_sec", 0),
                    ratio(v["sysbench-tx"], v["stock"]) if p == "sysbench-tx" else "",
                ]
                + noise(runs)
            )
    return part("events", book.of("events"), rows)


def scripts(book: Book) -> str:
    rows = []
    for load in book.cases("scripts", "load"):
        for t in book.cases("scripts", "threads", load=load):
            v = {
                p: values(book.of("scripts", p, load=load, threads=t), "cpu_us_tx")
                for p in PROGRAMS
            }
            for p in programs(book.of("scripts", load=load, threads=t)):
                runs = book.of("scripts", p, load=load, threads=t)
                rows.append(
                    [
                        load,
                        t,
                        NAMES[p].split()[0],
                        len(runs),
                        spread(runs, "per_sec", 0),
                        spread(runs, "cpu_us_tx", 2),
                        ratio(v["sysbench-tx"], v["stock"]) if p == "sysbench-tx" else "",
                    ]
                    + noise(runs)
                )
    return part("scripts", book.of("scripts"), rows)


def per_client(book: Book, program: str, load: str, threads: int) -> list[float]:
    """KiB per client of every run that has a median run with one thread beside it."""
    alone = values(book.of("memory", program, load=load, threads=1), "rss_mib")
    if threads < 2 or not alone:
        return []
    base = statistics.median(alone)
    return [
        1024 * (v - base) / (threads - 1)
        for v in values(book.of("memory", program, load=load, threads=threads), "rss_mib")
    ]


def memory(book: Book) -> str:
    rows = []
    for load in book.cases("memory", "load"):
        for t in book.cases("memory", "threads", load=load):
            v = {p: per_client(book, p, load, t) for p in PROGRAMS}
            for p in programs(book.of("memory", load=load, threads=t)):
                runs = book.of("memory", p, load=load, threads=t)
                rows.append(
                    [
                        load,
                        "{:,}".format(t),
                        NAMES[p].split()[0],
                        len(runs),
                        spread(runs, "rss_mib", 1),
                        "%.0f" % statistics.median(v[p]) if v[p] else "",
                        ratio(v["sysbench-tx"], v["stock"]) if p == "sysbench-tx" and t > 1 else "",
                    ]
                    + noise(runs)
                )
    return part("memory", book.of("memory"), rows)


def accounts(book: Book) -> str:
    """Over everything that ran: the identity, alerts, unexpected endings."""
    ours = book.of_program("sysbench-tx")
    lines = sum(r["figures"].get("account_lines") or 0 for r in ours)
    wrong = sum(len(r["figures"].get("account_wrong") or []) for r in ours)
    final = [
        r["figures"]["final_balances"]
        for r in ours
        if r["figures"].get("final_balances") is not None
    ]
    alerts = sum(len(r["figures"].get("alerts") or []) for r in ours)
    text = (
        "All runs of sysbench-tx: {:,} interval lines checked, {:,} wrong; {:,} final blocks "
        "checked, {:,} wrong; {:,} alerts.\n"
    ).format(lines, wrong, len(final), final.count(False), alerts)
    for r in book.records:
        # overload and a stopped server have their exit status in their own tables
        if r["timed_out"] or (r["figures"]["exit"] and r["section"] not in ("highest", "stall")):
            text += "\n- %s, exit %s%s: `%s`" % (
                NAMES[r["program"]],
                ending(r["figures"]["exit"]),
                " (killed: it took too long)" if r["timed_out"] else "",
                r["command"],
            )
        if r.get("stray_threads"):
            text += "\n- %d threads of the server were not on its CPUs at the end: `%s`" % (
                r["stray_threads"],
                r["command"],
            )
    return text.rstrip() + "\n"


ORDER = (
    steady,
    noop,
    highest,
    lag,
    fair,
    stall,
    cpu,
    flat,
    events,
    scripts,
    memory,
    memory_loop,
    mux,
    many,
    floor,
    paced,
    both,
    telemetry,
)
MACHINE = (
    "cpu",
    "memory",
    "kernel",
    "sysbench-tx",
    "stock",
    "pgbench",
    "mariadb",
    "mariadb-pool",
    "postgresql",
)


def report(records: Records, machine: Figures) -> str:
    """The whole report; sections that were not run are missing."""
    book = Book(records)
    short = " with `--quick`: too short to be more than a check of the script"
    out = [
        "Measured %s%s.\n" % (machine["date"], short if machine["quick"] else ""),
        table(["what", "which"], [[k, machine[k]] for k in MACHINE if k in machine]),
    ]
    out += [f(book) for f in ORDER if book.of(f.__name__)]
    out.append("### The accounts\n\n" + accounts(book))
    return "\n".join(out)
