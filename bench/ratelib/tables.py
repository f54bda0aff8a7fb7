# SPDX-License-Identifier: GPL-2.0-or-later
"""Records into Markdown: one function per section, each a heading, commands, a table.

Several runs of one case show as `median (least to most)`.  A figure that a program does not show
is n/a.  The columns `others` and `steal` are the worst of the runs in the row: CPU of the whole
machine that was used by neither the program nor its server, and that the host took away, in %.
"""

import math
import re
import signal
import statistics

from .lab import PROGRAMS
from .parse import holds
from .sections import CARRIED
from .texts import COLUMNS, NOISE, TEXTS

NAMES = {"sysbench-tx": "sysbench-tx", "stock": "stock --rate", "pgbench": "pgbench -R",
         "sleeper": "(no load generator)", "floor": "bare C loop"}


class Book:
    """The records of a sitting."""

    def __init__(self, records):
        self.records = records

    def of(self, section, program=None, **case):
        return [r for r in self.records if r["section"] == section
                and (program is None or r["program"] == program)
                and all(r["case"].get(k) == v for k, v in case.items())]

    def of_program(self, program):
        return [r for r in self.records if r["program"] == program]

    def cases(self, section, key, **case):
        """Values of one property of the cases, in the order of running."""
        return list(dict.fromkeys(r["case"].get(key) for r in self.of(section, **case)))


def values(records, key):
    found = [r["figures"].get(key) for r in records]
    return [v for v in found if v is not None]


def spread(records, key, places, scale=1.0):
    """`median (least to most)` of a figure, `n/a` when no run shows it."""
    v = sorted(scale * x for x in values(records, key))
    if not v:
        return "n/a"
    form = "{:,.%df}" % places
    text = form.format(statistics.median(v))
    if len(v) > 1 and form.format(v[0]) != form.format(v[-1]):
        text += " (%s to %s)" % (form.format(v[0]), form.format(v[-1]))
    return text


def worst(records, key):
    v = [r["noise"][key] for r in records if r["noise"].get(key) is not None]
    return "%.0f" % max(v) if v else "n/a"


def ending(code):
    """An exit status, or the name of the signal that ended the program."""
    return signal.Signals(-code).name if code < 0 else str(code)


def noise(records):
    return [worst(records, "others_pct"), worst(records, "steal_pct")]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def commands(records):
    """The command lines as a block of code; of those that differ in numbers only, the first."""
    seen = {}
    for r in records:
        seen.setdefault(re.sub(r"[\d.]+", "#", r["command"]), r["command"])
    return "".join("    %s\n" % command for command in seen.values())


def part(section, records, rows):
    """One section of the report."""
    title, text = TEXTS[section]
    t = records[0]["time"]
    text %= {"t": t, "sigma": 100 / math.sqrt(1200 * t)}
    return "### %s\n%s\n    bench/rate.py --only=%s\n%s\n%s" % (
        title, text, section, commands(records), table(COLUMNS[section] + NOISE, rows))


def programs(records):
    present = {r["program"] for r in records}
    return [p for p in PROGRAMS if p in present]


def within(records, percent):
    v = values(records, "achieved_pct")
    return "n/a" if not v else "yes" if all(abs(x - 100) <= percent for x in v) else "no"


def steady(book):
    rows, everything = [], book.of("steady")
    for c in book.cases("steady", "connections"):
        for p in programs(book.of("steady", connections=c)):
            runs = book.of("steady", p, connections=c)
            rows.append(["{:,}".format(c), NAMES[p], len(runs), spread(runs, "achieved_pct", 3),
                         within(runs, 0.1), spread(runs, "lag_p50", 3), spread(runs, "lag_p99", 3),
                         spread(runs, "cpu_us_tx", 1)] + noise(runs))
    return part("steady", everything, rows)


def noop(book):
    rows = []
    for rate in book.cases("noop", "rate"):
        for threads in book.cases("noop", "threads", rate=rate):
            for p in programs(book.of("noop", rate=rate, threads=threads)):
                runs = book.of("noop", p, rate=rate, threads=threads)
                most = "latency_max" if p == "stock" else "lag_max"
                rows.append(["{:,}".format(rate), threads, NAMES[p],
                             spread(runs, "achieved_pct", 3), within(runs, 0.1),
                             spread(runs, "lag_p50", 3), spread(runs, "lag_p99", 3),
                             spread(runs, most, 2), spread(runs, "cpu_pct_one", 2),
                             spread(runs, "cpu_us_tx", 2)] + noise(runs))
    return part("noop", book.of("noop"), rows)


def highest(book):
    rows = []
    for threads in book.cases("highest", "threads"):
        for p in programs(book.of("highest", threads=threads)):
            runs = book.of("highest", p, threads=threads)
            good = [r for r in runs if holds(r["figures"])]
            best = max(good, key=lambda r: r["case"]["rate"], default=None)
            above = [r["case"]["rate"] for r in runs if r not in good
                     and (best is None or r["case"]["rate"] > best["case"]["rate"])]
            shown = [best] if best else []
            rows.append([threads, NAMES[p],
                         "{:,}".format(best["case"]["rate"]) if best else "none of those tried",
                         "{:,}".format(min(above)) if above else "n/a",
                         spread(shown, "achieved_pct", 2), spread(shown, "lag_p99", 3)]
                        + noise(runs))
    return part("highest", book.of("highest"), rows)


def lag(book):
    rows = []
    for p in programs(book.of("lag"))[::-1]:
        for load in book.cases("lag", "load", program=p):
            for spin in sorted(book.cases("lag", "spin_us", program=p, load=load)):
                runs = book.of("lag", p, load=load, spin_us=spin)
                v = values(runs, "lag_p99")
                rows.append([load, NAMES[p] + (" --tx-spin=%d" % spin if spin else ""), len(runs),
                             spread(runs, "lag_p50", 1, 1000),
                             "%.0f" % (1000 * min(v)) if v else "n/a",
                             spread(runs, "lag_p99", 0, 1000), spread(runs, "lag_max", 0, 1000),
                             spread(runs, "cpu_us_tx", 1)] + noise(runs))
    return part("lag", book.of("lag"), rows)


def fair(book):
    rows = []
    for r in book.of("fair"):
        f = r["figures"]
        known = f.get("least") is not None
        rows.append([NAMES[r["program"]], "{:,}".format(r["case"]["connections"]),
                     spread([r], "events", 0), spread([r], "least", 0), spread([r], "most", 0),
                     f["most"] - f["least"] if known else "n/a"] + noise([r]))
    return part("fair", book.of("fair"), rows)


def stall(book):
    rows = []
    for r in book.of("stall"):
        f, case = r["figures"], r["case"]
        accounts = "n/a"
        if f.get("account_lines"):
            accounts = "%d of %d lines, final block %s" % (
                len(f["account_wrong"]), f["account_lines"],
                "holds" if f["final_balances"] else "DOES NOT HOLD")
        most = "latency_max" if r["program"] == "stock" else "response_max"
        rows.append([", ".join(case.values()), NAMES[r["program"]], spread([r], "stopped_s", 3),
                     spread([r], most, 1), spread([r], "lag_max", 1), spread([r], "late", 0),
                     spread([r], "offered", 0), spread([r], "events", 0),
                     spread([r], "unfinished", 0), accounts, ending(f["exit"])] + noise([r]))
    return part("stall", book.of("stall"), rows)


def cpu(book):
    rows = []
    for c in book.cases("cpu", "connections"):
        for p in programs(book.of("cpu", connections=c)):
            runs = book.of("cpu", p, connections=c)
            rows.append(["{:,}".format(c), NAMES[p], len(runs), spread(runs, "cpu_us_tx", 1),
                         spread(runs, "client_cpu_us_tx", 1), spread(runs, "cpu_s", 2),
                         spread(runs, "rss_mib", 0)] + noise(runs))
    return part("cpu", book.of("cpu"), rows)


def flat(book):
    rows = []
    for t in book.cases("flat", "threads"):
        for p in programs(book.of("flat", threads=t)):
            free = book.of("flat", p, threads=t, pinned=False)
            pinned = book.of("flat", p, threads=t, pinned=True)
            rows.append([t, NAMES[p].split()[0], spread(free, "per_sec", 0),
                         spread(free, "cpu_us_tx", 2), spread(pinned, "per_sec", 0),
                         spread(pinned, "cpu_us_tx", 2)] + noise(free + pinned))
    return part("flat", book.of("flat"), rows)


def ratio(ours, stock):
    """Of two medians; n/a when one is missing."""
    return "%.2f" % (statistics.median(ours) / statistics.median(stock)) if ours and stock else "n/a"


def events(book):
    rows = []
    for t in book.cases("events", "threads"):
        v = {p: values(book.of("events", p, threads=t), "per_sec") for p in PROGRAMS}
        for p in programs(book.of("events", threads=t)):
            runs = book.of("events", p, threads=t)
            rows.append([t, NAMES[p].split()[0], len(runs), spread(runs, "per_sec", 0),
                         ratio(v["sysbench-tx"], v["stock"]) if p == "sysbench-tx" else ""]
                        + noise(runs))
    return part("events", book.of("events"), rows)


def scripts(book):
    rows = []
    for load in book.cases("scripts", "load"):
        for t in book.cases("scripts", "threads", load=load):
            v = {p: values(book.of("scripts", p, load=load, threads=t), "cpu_us_tx")
                 for p in PROGRAMS}
            for p in programs(book.of("scripts", load=load, threads=t)):
                runs = book.of("scripts", p, load=load, threads=t)
                rows.append([load, t, NAMES[p].split()[0], len(runs), spread(runs, "per_sec", 0),
                             spread(runs, "cpu_us_tx", 2),
                             ratio(v["sysbench-tx"], v["stock"]) if p == "sysbench-tx" else ""]
                            + noise(runs))
    return part("scripts", book.of("scripts"), rows)


def per_client(book, program, load, threads):
    """KiB per client of every run that has a median run with one thread beside it."""
    alone = values(book.of("memory", program, load=load, threads=1), "rss_mib")
    if threads < 2 or not alone:
        return []
    base = statistics.median(alone)
    return [1024 * (v - base) / (threads - 1)
            for v in values(book.of("memory", program, load=load, threads=threads), "rss_mib")]


def memory(book):
    rows = []
    for load in book.cases("memory", "load"):
        for t in book.cases("memory", "threads", load=load):
            v = {p: per_client(book, p, load, t) for p in PROGRAMS}
            for p in programs(book.of("memory", load=load, threads=t)):
                runs = book.of("memory", p, load=load, threads=t)
                rows.append([load, "{:,}".format(t), NAMES[p].split()[0], len(runs),
                             spread(runs, "rss_mib", 1),
                             "%.0f" % statistics.median(v[p]) if v[p] else "",
                             ratio(v["sysbench-tx"], v["stock"])
                             if p == "sysbench-tx" and t > 1 else ""] + noise(runs))
    return part("memory", book.of("memory"), rows)


def carrier(program, carried):
    return "stock" if program == "stock" else "ours, " + carried


def servers(book, section):
    """Which servers a section was measured against; None in records from before there were two."""
    return book.cases(section, "server")


def server_name(server):
    return server or "thread per connection"


def mux(book):
    rows = []
    for server in servers(book, "mux"):
        for load in book.cases("mux", "load", server=server):
            for cpus in book.cases("mux", "cpus", server=server, load=load):
                for c in book.cases("mux", "connections", server=server, load=load, cpus=cpus):
                    rows += mux_case(book, {"server": server, "load": load, "cpus": cpus, "connections": c})
    return part("mux", book.of("mux"), rows)


def mux_case(book, case):
    stock = values(book.of("mux", "stock", **case), "cpu_us_tx")
    for p, carried in carriers(book, "mux", case):
        runs = book.of("mux", p, carried=carried, **case)
        yield [server_name(case["server"]), case["load"], case["cpus"], "{:,}".format(case["connections"]),
               carrier(p, carried), spread(runs, "cpu_us_tx", 1), ratio(values(runs, "cpu_us_tx"), stock),
               spread(runs, "per_sec", 0), spread(runs, "rss_mib", 0), spread(runs, "ready_s", 1)] + noise(runs)


def many(book):
    rows = []
    for r in book.of("many"):
        rows.append([server_name(r["case"].get("server")), "{:,}".format(r["case"]["connections"]),
                     carrier(r["program"], r["case"]["carried"]), spread([r], "ready_s", 1),
                     spread([r], "achieved_pct", 3), spread([r], "least", 0),
                     spread([r], "most", 0), spread([r], "lag_p50", 3), spread([r], "lag_p99", 3),
                     spread([r], "cpu_us_tx", 1), spread([r], "rss_mib", 0)] + noise([r]))
    return part("many", book.of("many"), rows)


def paired(book, runs, case, key):
    """Median of the ratios of each run to the run of the same repeat without telemetry."""
    off = {r["repeat"]: r["figures"].get(key)
           for r in book.of("telemetry", **dict(case, telemetry="off"))}
    v = [r["figures"][key] / off[r["repeat"]] for r in runs
         if r["figures"].get(key) and off.get(r["repeat"])]
    return "%.3f" % statistics.median(v) if v else "n/a"


def telemetry(book):
    rows = []
    for server in servers(book, "telemetry"):
        for rate in book.cases("telemetry", "rate", server=server):
            for carried in book.cases("telemetry", "carried", server=server, rate=rate):
                rows += telemetry_case(book, {"server": server, "rate": rate, "carried": carried})
    return part("telemetry", book.of("telemetry"), rows)


def telemetry_case(book, case):
    for what in sorted(book.cases("telemetry", "telemetry", **case),
                       key=("off", "server", "everything").index):
        runs = book.of("telemetry", telemetry=what, **case)
        yield [server_name(case["server"]), "%d/s" % case["rate"] if case["rate"] else "flat out",
               case["carried"], what, len(runs),
               spread(runs, "per_sec", 0), paired(book, runs, case, "per_sec"),
               spread(runs, "cpu_us_tx", 1), paired(book, runs, case, "cpu_us_tx"),
               spread(runs, "reporter_pct_one", 2)] + noise(runs)


def floor(book):
    rows = []
    for server in servers(book, "floor"):
        for c in book.cases("floor", "connections", server=server):
            case = {"server": server, "connections": c}
            bare = values(book.of("floor", "floor", **case), "cpu_us_tx")
            for p in programs(book.of("floor", **case))[::-1]:
                runs = book.of("floor", p, **case)
                rows.append([server_name(server), "{:,}".format(c),
                             "ours, 1 worker" if p == "sysbench-tx" else NAMES[p],
                             len(runs), spread(runs, "cpu_us_tx", 2),
                             ratio(values(runs, "cpu_us_tx"), bare), spread(runs, "per_sec", 0)]
                            + noise(runs))
    return part("floor", book.of("floor"), rows)


def carriers(book, section, case):
    """Who ran in that case: stock first, then ours in the order of CARRIED."""
    found = {(r["program"], r["case"]["carried"]): None for r in book.of(section, **case)}
    return sorted(found, key=CARRIED.index)


def paced(book):
    rows = []
    for server in servers(book, "paced"):
        for c in book.cases("paced", "connections", server=server):
            case = {"server": server, "connections": c}
            stock = values(book.of("paced", "stock", **case), "cpu_us_tx")
            for p, carried in carriers(book, "paced", case):
                runs = book.of("paced", p, carried=carried, **case)
                rows.append([server_name(server), "{:,}".format(c), carrier(p, carried), len(runs),
                             spread(runs, "achieved_pct", 3), spread(runs, "cpu_us_tx", 1),
                             ratio(values(runs, "cpu_us_tx"), stock), spread(runs, "lag_p99", 3)]
                            + noise(runs))
    return part("paced", book.of("paced"), rows)


def both(book):
    rows = []
    for server in servers(book, "both"):
        for c in book.cases("both", "connections", server=server):
            case = {"server": server, "connections": c}
            stock = book.of("both", "stock", **case)
            for p, carried in carriers(book, "both", case):
                runs = book.of("both", p, carried=carried, **case)
                row = [server_name(server), "{:,}".format(c), carrier(p, carried), len(runs)]
                for key, places in (("per_sec", 0), ("cpu_us_tx", 1)):
                    row += [spread(runs, key, places), ratio(values(runs, key), values(stock, key))]
                rows.append(row + noise(runs))
    return part("both", book.of("both"), rows)


def accounts(book):
    """Over everything that ran: the identity, alerts, unexpected endings."""
    ours = book.of_program("sysbench-tx")
    lines = sum(r["figures"].get("account_lines") or 0 for r in ours)
    wrong = sum(len(r["figures"].get("account_wrong") or []) for r in ours)
    final = [r["figures"]["final_balances"] for r in ours
             if r["figures"].get("final_balances") is not None]
    alerts = sum(len(r["figures"].get("alerts") or []) for r in ours)
    text = ("All runs of sysbench-tx: {:,} interval lines checked, {:,} wrong; {:,} final blocks "
            "checked, {:,} wrong; {:,} alerts.\n").format(lines, wrong, len(final),
                                                         final.count(False), alerts)
    for r in book.records:
        # overload and a stopped server have their exit status in their own tables
        if r["timed_out"] or (r["figures"]["exit"] and r["section"] not in ("highest", "stall")):
            text += "\n- %s, exit %s%s: `%s`" % (
                NAMES[r["program"]], ending(r["figures"]["exit"]),
                " (killed: it took too long)" if r["timed_out"] else "", r["command"])
        if r.get("stray_threads"):
            text += "\n- %d threads of the server were not on its CPUs at the end: `%s`" % (
                r["stray_threads"], r["command"])
    return text.rstrip() + "\n"


ORDER = (steady, noop, highest, lag, fair, stall, cpu, flat, events, scripts, memory, mux, many, floor,
         paced, both, telemetry)
MACHINE = ("cpu", "memory", "kernel", "sysbench-tx", "stock", "pgbench", "mariadb", "mariadb-pool", "postgresql")


def report(records, machine):
    """The whole report; sections that were not run are missing."""
    book = Book(records)
    short = " with `--quick`: too short to be more than a check of the script"
    out = ["Measured %s%s.\n" % (machine["date"], short if machine["quick"] else ""),
           table(["what", "which"], [[k, machine[k]] for k in MACHINE if k in machine])]
    out += [f(book) for f in ORDER if book.of(f.__name__)]
    out.append("### The accounts\n\n" + accounts(book))
    return "\n".join(out)
