#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares threads and workers by number of clients, for the default of --workers.

  bench/carry.py --servers=pool --sizes=8,64

Runs stock sysbench, ours with a thread per client, and ours with --workers=auto against
private servers: MariaDB with a thread per connection, MariaDB with a pool of threads,
and PostgreSQL, over a unix socket and over TCP.  The programs of one case follow each
other, and their order turns with every repeat.  Ratios are medians of the ratios within
a repeat, so a machine that changes its speed meanwhile matters less.

Client CPU is that of the process between the start line and the report, measured from
outside.  Writes runs.jsonl and report.md into a results directory.  Needs an idle machine,
Linux, Python 3.9, a built sysbench and the servers' programs.  Stock may be missing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import sys
import time
from typing import Any, Dict, Iterator

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from ratelib import runner  # noqa: E402
from ratelib.book import table  # noqa: E402
from ratelib.directory import cpu_model  # noqa: E402
from ratelib.lab import MARIADB, ROWS, STOCK  # noqa: E402
from ratelib.runner import LabError  # noqa: E402
from sysbench_lab.servers.instance import Instance  # noqa: E402

Record = Dict[str, Any]
SERVERS: dict[str, tuple[str, str, list[str]]] = {
    "threads": ("mariadb", "thread per connection", MARIADB),
    "pool": ("mariadb", "pool of threads", MARIADB + ["--thread-handling=pool-of-threads"]),
    "postgresql": ("postgresql", "PostgreSQL", ["--autovacuum=off"]),
}
SIZES = {"point_select": "1,4,8,16,32,64,128,256,512", "read_write": "8,64,512"}
PROGRAMS: dict[str, list[str]] = {
    "stock": [],
    "threads": ["--workers=0"],
    "workers": ["--workers=auto"],
}
WORDS = {"servers": list(SERVERS), "over": ["socket", "tcp"], "loads": list(SIZES)}
HEAD = (
    "server",
    "load",
    "over",
    "clients",
    "default",
    "stock: us/tx",
    "tps",
    "threads: CPU",
    "tps",
    "workers: CPU",
    "tps",
    "workers / threads: CPU",
    "tps",
    "others %",
)
TEXT = """
Flat out, %d runs of %d s each, client and server on all CPUs. `default` is what
`--workers=default` chooses, `workers` is `--workers=auto`. `CPU` is client CPU per transaction,
`tps` is transactions per second: medians of the ratios within a repeat. `others %%` is the share of
all CPUs that other programs took, in the run where they took most. Where it is 10 or more, a ratio
between 0.9 and 1.1 says little.
"""
WITH_STOCK = """
`stock` has its own figures: microseconds of CPU per transaction, transactions per second (medians).
`threads` and `workers` are ratios to it.
"""


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="bench/carry.py",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, words in WORDS.items():
        p.add_argument(
            "--" + name,
            metavar="WORD[,WORD...]",
            type=lambda s: s.split(","),
            default=words,
            help="some of %s (default all)" % ", ".join(words),
        )
    p.add_argument("--sizes", metavar="N,...", help="numbers of clients, for each load")
    p.add_argument("--repeats", type=int, default=5, metavar="N", help="default: %(default)s")
    p.add_argument("--time", type=int, default=2, metavar="S", help="default: %(default)s")
    p.add_argument("--results", metavar="PATH", help="default: results/carry-DATE")
    p.add_argument("--sysbench", default=os.path.join(SOURCE, "build", "src", "sysbench"))
    p.add_argument("--stock", default=STOCK, help="default: %(default)s")
    p.add_argument("--tables", action="store_true", help="only regenerate those of --results")
    args = p.parse_args()
    for name, words in WORDS.items():
        for word in getattr(args, name):
            if word not in words:
                p.error("--%s: unknown '%s' (known: %s)" % (name, word, ", ".join(words)))
    if args.tables and not args.results:
        p.error("--tables needs --results=PATH")
    stamp = time.strftime("carry-%Y%m%d-%H%M%S")
    args.results = os.path.abspath(args.results or os.path.join(SOURCE, "results", stamp))
    return args


class Sitting:
    """The private servers, and the runs against them."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.server: dict[str, Instance] = {}
        self.programs = [p for p in PROGRAMS if p != "stock" or os.access(args.stock, os.X_OK)]

    def open(self) -> None:
        most = max(int(n) for load in self.args.loads for n in self.sizes(load)) + 50
        for name in self.args.servers:
            engine, _, options = SERVERS[name]
            options = options + ["--max-connections=%d" % most]
            inst = Instance.create_temporary(engine=engine, options=options)
            self.server[name] = inst
            inst.start()
            self.run(self.argv("threads", name, "socket", "read_write", "prepare", 1), 600)

    def close(self) -> None:
        for inst in self.server.values():
            inst.stop(20)
            inst.remove()

    def sizes(self, load: str) -> list[str]:
        return (self.args.sizes or SIZES[load]).split(",")

    def login(self, server: str, over: str) -> list[str]:
        inst = self.server[server]
        argv: list[str] = inst.module.arguments(inst)
        if over == "socket":
            return argv
        kind = "pgsql" if SERVERS[server][0] == "postgresql" else "mysql"
        where = re.compile("--%s-(socket|host|port)=" % kind)
        return [a for a in argv if not where.match(a)] + [
            "--%s-host=127.0.0.1" % kind,
            "--%s-port=%d" % (kind, inst.port),
        ]

    def argv(
        self, program: str, server: str, over: str, load: str, command: str, clients: int
    ) -> list[str]:
        binary = self.args.stock if program == "stock" else self.args.sysbench
        return (
            [binary, "oltp_" + load, "--table-size=%d" % ROWS, "--threads=%d" % clients]
            + self.login(server, over)
            + (PROGRAMS[program] + ["--time=%d" % self.args.time] if command == "run" else [])
            + [command]
        )

    def run(self, argv: list[str], limit_s: float) -> runner.Run:
        run = runner.execute(argv, limit_s, [s.running_pid() for s in self.server.values()])
        if run.code:
            raise LabError("%s failed:\n%s" % (" ".join(argv), run.text[-2000:]))
        return run

    def default(self, server: str, load: str, clients: int) -> str:
        """What --workers=default chooses."""
        report = os.path.join(self.args.results, "default.json")
        argv = self.argv("stock", server, "socket", load, "run", clients)
        self.run(
            [self.args.sysbench]
            + argv[1:-1]
            + ["--events=1", "--time=0", "--report-file=" + report, "run"],
            60,
        )
        with open(report) as f:
            n = int(json.load(f)["run"]["options"]["effective"]["workers"])
        os.remove(report)
        return "threads" if n == 0 else "%d worker%s" % (n, "" if n == 1 else "s")

    def measure(self, program: str, case: Record, repeat: int) -> Record:
        argv = self.argv(
            program, case["server"], case["over"], case["load"], "run", case["clients"]
        )
        run = self.run(argv, self.args.time + 60)
        found = re.search(r"transactions:\s+(\d+)\s+\(([\d.]+) per sec", run.text)
        cpu = [
            line.cpu
            for line in run.lines
            if line.cpu is not None and line.text.startswith(("Threads started!", "SQL statistics"))
        ]
        if not found or len(cpu) != 2:
            raise LabError("no figures from %s:\n%s" % (" ".join(argv), run.text[-2000:]))
        return {
            **case,
            "program": program,
            "repeat": repeat,
            "cpu": 1e6 * (cpu[1] - cpu[0]) / int(found.group(1)),
            "tps": float(found.group(2)),
            "others": run.noise["others_pct"],
        }

    def cases(self) -> Iterator[Record]:
        for server in self.args.servers:
            for load in self.args.loads:
                for over in self.args.over:
                    for n in self.sizes(load):
                        yield {"server": server, "load": load, "over": over, "clients": int(n)}

    def all(self) -> None:
        chosen: dict[tuple[str, str, int], str] = {}
        with open(os.path.join(self.args.results, "runs.jsonl"), "a") as f:
            for repeat in range(self.args.repeats):
                for case in self.cases():
                    key = (case["server"], case["load"], case["clients"])
                    if key not in chosen:
                        chosen[key] = self.default(*key)
                    order = self.programs[:: -1 if repeat % 2 else 1]
                    for program in order:
                        record = self.measure(program, case, repeat)
                        record.update(default=chosen[key], time=self.args.time)
                        f.write(json.dumps(record) + "\n")
                        f.flush()
                        time.sleep(0.2)
                    print("%d/%d %s" % (repeat + 1, self.args.repeats, case), flush=True)


def ratio(runs: list[Record], of: str, to: str, key: str) -> str:
    """The median, over the repeats, of the ratio of two programs."""
    base = {r["repeat"]: r[key] for r in runs if r["program"] == to}
    found = [r[key] / base[r["repeat"]] for r in runs if r["program"] == of and r["repeat"] in base]
    return "%.2f" % statistics.median(found) if found else "n/a"


def median(runs: list[Record], program: str, key: str, form: str) -> str:
    found = [r[key] for r in runs if r["program"] == program]
    return form.format(statistics.median(found)) if found else "n/a"


def row(runs: list[Record]) -> list[str]:
    case = runs[0]
    return [
        SERVERS[case["server"]][1],
        case["load"].replace("_", " "),
        {"tcp": "TCP"}.get(case["over"], case["over"]),
        str(case["clients"]),
        case["default"],
        median(runs, "stock", "cpu", "{:.1f}"),
        median(runs, "stock", "tps", "{:,.0f}"),
        *(ratio(runs, p, "stock", key) for p in ("threads", "workers") for key in ("cpu", "tps")),
        *(ratio(runs, "workers", "threads", key) for key in ("cpu", "tps")),
        "%.0f" % max(r["others"] for r in runs),
    ]


def report(results: str) -> str:
    cases: dict[tuple[Any, ...], list[Record]] = {}
    with open(os.path.join(results, "runs.jsonl")) as f:
        for line in f:
            r = json.loads(line)
            cases.setdefault(tuple(r[k] for k in ("server", "load", "over", "clients")), []).append(
                r
            )
    every = [r for runs in cases.values() for r in runs]
    if not every:
        raise LabError("there are no runs in %s" % results)
    has_stock = any(r["program"] == "stock" for r in every)

    def kept(cells: list[str]) -> list[str]:
        return cells if has_stock else cells[:5] + cells[11:]

    with open(os.path.join(results, "machine")) as f:
        machine = f.read()
    return "%s%s\n    bench/carry.py\n\n%s" % (
        machine,
        TEXT % (max(r["repeat"] for r in every) + 1, every[0]["time"])
        + (WITH_STOCK if has_stock else ""),
        table(kept(list(HEAD)), [kept(row(runs)) for runs in cases.values()]),
    )


def measure(args: argparse.Namespace) -> None:
    os.makedirs(args.results, exist_ok=True)
    with open(os.path.join(args.results, "machine"), "w") as f:
        f.write(
            "Measured %s on %d x %s.\n"
            % (time.strftime("%Y-%m-%d %H:%M"), os.cpu_count() or 1, cpu_model())
        )
    sitting = Sitting(args)
    try:
        sitting.open()
        sitting.all()
    finally:
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_IGN)
        sitting.close()


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))
    args = parse()
    try:
        if not args.tables:
            measure(args)
        text = report(args.results)
        with open(os.path.join(args.results, "report.md"), "w") as f:
            f.write(text)
        print(text)
    except LabError as e:
        with contextlib.suppress(BrokenPipeError):
            print("bench/carry.py: %s" % e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
