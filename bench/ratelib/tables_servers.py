# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of the sections that are measured against several servers (--server)."""

from __future__ import annotations

import statistics
from typing import Iterator

from .book import NAMES, Book, noise, part, programs, ratio, spread, values
from .sections_servers import BARE, CARRIED
from .types import Case, Records

HELD = ("floor", "sysbench-tx")


def carrier(program: str, carried: str) -> str:
    return {"stock": "stock", "floor": NAMES["floor"]}.get(program, "ours, " + carried)


def servers(book: Book, section: str) -> list[str]:
    """Which servers a section was measured against; None in records from before there were two."""
    return book.cases(section, "server")


def server_name(server: str) -> str:
    return server or "thread per connection"


def mux(book: Book) -> str:
    rows: list[list[str]] = []
    for server in servers(book, "mux"):
        for load in book.cases("mux", "load", server=server):
            for cpus in book.cases("mux", "cpus", server=server, load=load):
                for c in book.cases("mux", "connections", server=server, load=load, cpus=cpus):
                    rows += mux_case(
                        book, {"server": server, "load": load, "cpus": cpus, "connections": c}
                    )
    return part("mux", book.of("mux"), rows)


def mux_case(book: Book, case: Case) -> Iterator[list[str]]:
    stock = values(book.of("mux", "stock", **case), "cpu_us_tx")
    for p, carried in carriers(book, "mux", case):
        runs = book.of("mux", p, carried=carried, **case)
        yield [
            server_name(case["server"]),
            case["load"],
            case["cpus"],
            "{:,}".format(case["connections"]),
            carrier(p, carried),
            spread(runs, "cpu_us_tx", 1),
            ratio(values(runs, "cpu_us_tx"), stock),
            spread(runs, "per_sec", 0),
            spread(runs, "rss_mib", 0),
            spread(runs, "ready_s", 1),
        ] + noise(runs)


def many(book: Book) -> str:
    rows: list[list[str]] = []
    for r in book.of("many"):
        rows.append(
            [
                server_name(r["case"].get("server")),
                "{:,}".format(r["case"]["connections"]),
                carrier(r["program"], r["case"]["carried"]),
                spread([r], "ready_s", 1),
                spread([r], "achieved_pct", 3),
                spread([r], "least", 0),
                spread([r], "most", 0),
                spread([r], "lag_p50", 3),
                spread([r], "lag_p99", 3),
                spread([r], "cpu_us_tx", 1),
                spread([r], "rss_mib", 0),
            ]
            + noise([r])
        )
    return part("many", book.of("many"), rows)


def paired(book: Book, runs: Records, case: Case, key: str) -> str:
    """Median of the ratios of each run to the run of the same repeat without telemetry."""
    off = {
        r["repeat"]: r["figures"].get(key)
        for r in book.of("telemetry", **dict(case, telemetry="off"))
    }
    v = [
        r["figures"][key] / off[r["repeat"]]
        for r in runs
        if r["figures"].get(key) and off.get(r["repeat"])
    ]
    return "%.3f" % statistics.median(v) if v else "n/a"


def telemetry(book: Book) -> str:
    rows: list[list[str]] = []
    for server in servers(book, "telemetry"):
        for rate in book.cases("telemetry", "rate", server=server):
            for carried in book.cases("telemetry", "carried", server=server, rate=rate):
                rows += telemetry_case(book, {"server": server, "rate": rate, "carried": carried})
    return part("telemetry", book.of("telemetry"), rows)


def telemetry_case(book: Book, case: Case) -> Iterator[list[str]]:
    for what in sorted(
        book.cases("telemetry", "telemetry", **case), key=("off", "server", "everything").index
    ):
        runs = book.of("telemetry", telemetry=what, **case)
        yield [
            server_name(case["server"]),
            "%d/s" % case["rate"] if case["rate"] else "flat out",
            case["carried"],
            what,
            str(len(runs)),
            spread(runs, "per_sec", 0),
            paired(book, runs, case, "per_sec"),
            spread(runs, "cpu_us_tx", 1),
            paired(book, runs, case, "cpu_us_tx"),
            spread(runs, "reporter_pct_one", 2),
        ] + noise(runs)


def memory_loop(book: Book) -> str:
    """KiB per connection of either program, from runs with one and with many."""
    rows: list[list[str]] = []
    section = "memory_loop"
    for load in book.cases(section, "load"):
        for tables in book.cases(section, "tables", load=load):
            case: Case = {"load": load, "tables": tables}
            alone = {p: values(book.of(section, p, connections=1, **case), "rss_mib") for p in HELD}
            for c in book.cases(section, "connections", **case)[1:]:
                each = {
                    p: [
                        1024 * (v - statistics.median(alone[p])) / (c - 1)
                        for v in values(book.of(section, p, connections=c, **case), "rss_mib")
                        if alone[p]
                    ]
                    for p in HELD
                }
                for p in HELD:
                    runs = book.of(section, p, connections=c, **case)
                    rows.append(
                        [
                            load,
                            str(tables),
                            "{:,}".format(c),
                            "ours, 1 worker" if p == "sysbench-tx" else NAMES[p],
                            str(len(runs)),
                            spread(runs, "rss_mib", 0),
                            "%.0f" % statistics.median(each[p]) if each[p] else "n/a",
                            ratio(each[p], each["floor"]),
                        ]
                        + noise(runs)
                    )
    return part(section, book.of(section), rows, only="memory")


def floor(book: Book) -> str:
    rows: list[list[str]] = []
    for server in servers(book, "floor"):
        for c in book.cases("floor", "connections", server=server):
            case = {"server": server, "connections": c}
            bare = values(book.of("floor", "floor", **case), "cpu_us_tx")
            for p in programs(book.of("floor", **case))[::-1]:
                runs = book.of("floor", p, **case)
                rows.append(
                    [
                        server_name(server),
                        "{:,}".format(c),
                        "ours, 1 worker" if p == "sysbench-tx" else NAMES[p],
                        str(len(runs)),
                        spread(runs, "cpu_us_tx", 2),
                        ratio(values(runs, "cpu_us_tx"), bare),
                        spread(runs, "per_sec", 0),
                    ]
                    + noise(runs)
                )
    return part("floor", book.of("floor"), rows)


def carriers(book: Book, section: str, case: Case) -> list[tuple[str, str]]:
    """Who ran in that case: stock first, then ours in the order of CARRIED, then the bare loop."""
    found = {(r["program"], r["case"]["carried"]): None for r in book.of(section, **case)}
    return sorted(found, key=(CARRIED + (BARE,)).index)


def paced(book: Book) -> str:
    rows: list[list[str]] = []
    for server in servers(book, "paced"):
        for c in book.cases("paced", "connections", server=server):
            case = {"server": server, "connections": c}
            stock = values(book.of("paced", "stock", **case), "cpu_us_tx")
            for p, carried in carriers(book, "paced", case):
                runs = book.of("paced", p, carried=carried, **case)
                rows.append(
                    [
                        server_name(server),
                        "{:,}".format(c),
                        carrier(p, carried),
                        str(len(runs)),
                        spread(runs, "achieved_pct", 3),
                        spread(runs, "cpu_us_tx", 1),
                        ratio(values(runs, "cpu_us_tx"), stock),
                        spread(runs, "lag_p99", 3),
                    ]
                    + noise(runs)
                )
    return part("paced", book.of("paced"), rows)


def both(book: Book) -> str:
    rows: list[list[str]] = []
    for server in servers(book, "both"):
        for c in book.cases("both", "connections", server=server):
            case = {"server": server, "connections": c}
            stock = book.of("both", "stock", **case)
            for p, carried in carriers(book, "both", case):
                runs = book.of("both", p, carried=carried, **case)
                row = [server_name(server), "{:,}".format(c), carrier(p, carried), str(len(runs))]
                for key, places in (("per_sec", 0), ("cpu_us_tx", 1)):
                    row += [spread(runs, key, places), ratio(values(runs, key), values(stock, key))]
                rows.append(row + noise(runs))
    return part("both", book.of("both"), rows)
