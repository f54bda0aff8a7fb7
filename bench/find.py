#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the answers of --tx-find: does the rate hold, and does a higher one not?

  bench/find.py                       # transactions that sleep in the server; half an hour
  bench/find.py --case=cpu            # oltp_read_only; needs an idle machine

A round is a run flat out, a search, a run at the answer and one 5 % above it.  A good answer is
sustained in the third run and not in the fourth.  In the case `sleep` each of 32 clients waits for
200 ms in the server.  So its limit is near 160 transactions per second whatever else the machine
does: a wake-up that comes 5 ms late moves it by 2.5 %.  In the case `cpu` the server's CPUs are
the limit, which moves with everything else that runs.

Writes runs.jsonl and report.md into a results directory, to which a later call with the same
--results adds its runs.  Needs Linux, Python 3.9, a built sysbench and the servers' programs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from typing import Any, Dict, NamedTuple

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from ratelib import runner  # noqa: E402
from ratelib.book import table  # noqa: E402
from ratelib.directory import cpu_model  # noqa: E402
from ratelib.lab import MARIADB, ROWS  # noqa: E402
from ratelib.runner import LabError  # noqa: E402
from sysbench_lab.servers.instance import Instance  # noqa: E402

Record = Dict[str, Any]
SERVERS: dict[str, tuple[str, list[str]]] = {
    "mariadb": ("MariaDB", MARIADB),
    "postgresql": ("PostgreSQL", ["--autovacuum=off"]),
}
ABOVE = 1.05
FLAT_S = 10
LONGEST_S = 1800  # of a search
SLEEPS = """
function thread_init()
   local driver = sysbench.sql.driver()
   connection = driver:connect()
   statement = driver:name() == "pgsql" and "SELECT pg_sleep(0.2)" or "SELECT SLEEP(0.2)"
end

function event()
   connection:query(statement)
end

function thread_done()
   connection:disconnect()
end
"""


class Case(NamedTuple):
    objective: str
    threads: int
    start: int  # the rate at which the search begins
    text: str  # for the documentation


CASES = {
    "sleep": Case(
        "p95<500ms",
        32,
        100,
        "Each transaction waits for 200 ms in the server (`SLEEP`, `pg_sleep`)",
    ),
    "cpu": Case("p95<20ms", 8, 100, "`oltp_read_only`, a table of %s rows" % format(ROWS, ",")),
}
TEXT = """
%s, %d clients, `--tx-find='%s,step=%g'`. `flat out` is a run of %d s without
a rate, before the search. The last columns are runs of %d s with `--tx-strict` after it: at the
answer, and 5 %% above it.
`others %%` is the share of all CPUs that other programs took, in the run where they took most.
"""
HEAD = (
    "server",
    "flat out, tps",
    "held",
    "lowest that failed",
    "limit",
    "steps",
    "at the answer",
    "p95, ms",
    "5 % above",
    "p95, ms",
    "others %",
)


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="bench/find.py",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--case", choices=sorted(CASES), default="sleep", help="default: %(default)s")
    p.add_argument(
        "--servers",
        metavar="WORD[,WORD]",
        type=lambda s: s.split(","),
        default=list(SERVERS),
        help="some of %s (default all)" % ", ".join(SERVERS),
    )
    p.add_argument("--rounds", type=int, default=5, metavar="N", help="default: %(default)s")
    p.add_argument("--step", type=float, default=6, metavar="S", help="default: %(default)s")
    p.add_argument(
        "--time", type=int, default=60, metavar="S", help="of a run at a rate (default %(default)s)"
    )
    p.add_argument("--results", metavar="PATH", help="default: results/find-CASE-DATE")
    p.add_argument("--sysbench", default=os.path.join(SOURCE, "build", "src", "sysbench"))
    p.add_argument("--tables", action="store_true", help="only regenerate those of --results")
    args = p.parse_args()
    for word in args.servers:
        if word not in SERVERS:
            p.error("--servers: unknown '%s' (known: %s)" % (word, ", ".join(SERVERS)))
    if args.tables and not args.results:
        p.error("--tables needs --results=PATH")
    stamp = time.strftime("find-%s-%%Y%%m%%d-%%H%%M%%S" % args.case)
    args.results = os.path.abspath(args.results or os.path.join(SOURCE, "results", stamp))
    return args


class Sitting:
    """A private server, and the rounds against it."""

    def __init__(self, args: argparse.Namespace, server: str) -> None:
        self.args, self.server, self.case = args, server, CASES[args.case]
        engine_options = SERVERS[server][1] + ["--max-connections=%d" % (self.case.threads + 50)]
        self.instance = Instance.create_temporary(engine=server, options=engine_options)
        self.script = os.path.join(args.results, "sleep.lua")
        self.report = os.path.join(args.results, server + ".json")

    def open(self) -> None:
        with open(self.script, "w") as f:
            f.write(SLEEPS.lstrip())
        self.instance.start()
        if self.args.case == "cpu":
            self.execute(["prepare"], 600)

    def close(self) -> None:
        self.instance.stop(20)
        self.instance.remove()
        with contextlib.suppress(OSError):
            os.remove(self.report)

    def execute(self, words: list[str], limit_s: float) -> runner.Run:
        """Exit status 3: a rate that did not hold."""
        load = (
            [self.script]
            if self.args.case == "sleep"
            else ["oltp_read_only", "--table-size=%d" % ROWS]
        )
        login: list[str] = self.instance.module.arguments(self.instance)
        argv = [self.args.sysbench, *load, "--threads=%d" % self.case.threads, *login, *words]
        run = runner.execute(argv, limit_s, [self.instance.running_pid()])
        if run.code not in (0, 3):
            raise LabError("%s failed:\n%s" % (" ".join(argv), run.text[-2000:]))
        return run

    def measure(self, what: str, words: list[str], limit_s: float) -> Record:
        """A run, and what its report says."""
        run = self.execute(words + ["--report-file=" + self.report, "run"], limit_s)
        with open(self.report) as f:
            found = json.load(f)
        summary, rate = found["summary"], found["summary"]["rate"]
        record = {
            "what": what,
            "tps": summary["transactions_per_s"],
            "others": run.noise["others_pct"],
            "load": run.noise["load_before"],
        }
        if rate:
            record.update(
                sustained=found["verdict"]["sustained"],
                target=rate["target_per_s"],
                p95_ms=1000 * rate["response_p95_s"] if rate["response_p95_s"] else None,
            )
        if "find" in summary:
            record["find"] = {k: v for k, v in summary["find"].items() if k != "steps"}
            record["steps"] = len(summary["find"]["steps"])
        return record

    def at(self, what: str, rate: float) -> Record:
        words = ["--tx-rate=%.6g" % rate, "--time=%d" % self.args.time, "--tx-strict"]
        return self.measure(what, words, self.args.time + 120)

    def round(self) -> list[Record]:
        records = [self.measure("flat", ["--time=%d" % FLAT_S], FLAT_S + 120)]
        search = ["--tx-find=" + self.case.objective, "--tx-find=step=%g" % self.args.step]
        records.append(
            self.measure("search", search + ["--tx-rate=%d" % self.case.start], LONGEST_S)
        )
        held = records[-1]["find"]["held_per_s"]
        if held:
            records += [self.at("at", held), self.at("above", held * ABOVE)]
        return records

    def rounds(self) -> None:
        for number in range(1, self.args.rounds + 1):
            records = self.round()
            about = {"server": self.server, "case": self.args.case, "round": number}
            about.update(threads=self.case.threads, step=self.args.step, time=self.args.time)
            with open(os.path.join(self.args.results, "runs.jsonl"), "a") as f:
                f.write("".join(json.dumps({**about, **r}) + "\n" for r in records))
            print("%s %d/%d" % (self.server, number, self.args.rounds), flush=True)
            print("  " + " | ".join(row(records, self.server)), flush=True)


def rate(value: float | None) -> str:
    return "n/a" if value is None else "{:,.4g}".format(value) if value < 1000 else f"{value:,.0f}"


def verdict(records: list[Record], what: str) -> list[str]:
    """Sustained or not, and its p95."""
    for r in records:
        if r["what"] == what:
            p95 = "n/a" if r["p95_ms"] is None else "%.4g" % r["p95_ms"]
            return ["sustained" if r["sustained"] else "not sustained", p95]
    return ["n/a", "n/a"]


def row(records: list[Record], server: str) -> list[str]:
    flat, search = records[:2]
    find = search["find"]
    return [
        SERVERS[server][0],
        "{:,.1f}".format(flat["tps"]),
        rate(find["held_per_s"]),
        rate(find["not_held_per_s"]),
        find["limit"] or "n/a",
        str(search["steps"]),
        *verdict(records, "at"),
        *verdict(records, "above"),
        "%.0f" % max(r["others"] for r in records),
    ]


def good(records: list[Record]) -> bool:
    return [r["sustained"] for r in records[2:]] == [True, False]


def rounds_of(results: str, case: str) -> list[list[Record]]:
    """The records of each round, in the order of the servers."""
    found: dict[tuple[str, int], list[Record]] = {}
    with open(os.path.join(results, "runs.jsonl")) as f:
        for r in map(json.loads, f):
            if r["case"] == case:
                if r["what"] == "flat":  # the same round of a later call takes its place
                    found[r["server"], r["round"]] = []
                found[r["server"], r["round"]].append(r)
    if not found:
        raise LabError("there are no runs of --case=%s in %s" % (case, results))
    order = list(SERVERS)
    return [found[key] for key in sorted(found, key=lambda k: (order.index(k[0]), k[1]))]


def summary(rounds: list[list[Record]]) -> str:
    held = "%d of %d answers were sustained, and not 5 %% above." % (
        sum(map(good, rounds)),
        len(rounds),
    )
    loads = sorted(r["load"] for records in rounds for r in records)
    return held + " The load average before a run was %.1f to %.1f.\n" % (loads[0], loads[-1])


def report(results: str, case: str) -> str:
    rounds = rounds_of(results, case)
    first = rounds[0][0]
    with open(os.path.join(results, "machine")) as f:
        machine = f.read()
    about = CASES[case]
    text = TEXT % (
        about.text, first["threads"], about.objective, first["step"], FLAT_S, first["time"]
    )  # fmt: skip
    cells = [row(records, records[0]["server"]) for records in rounds]
    return "%s%s\n    bench/find.py --case=%s\n\n%s\n%s" % (
        machine,
        text,
        case,
        table(HEAD, cells),
        summary(rounds),
    )


def measure(args: argparse.Namespace) -> None:
    if not os.access(args.sysbench, os.X_OK):
        raise LabError("there is no %s; build first or give --sysbench=PATH" % args.sysbench)
    os.makedirs(args.results, exist_ok=True)
    with open(os.path.join(args.results, "machine"), "w") as f:
        f.write(
            "Measured %s on %d x %s.\n"
            % (time.strftime("%Y-%m-%d %H:%M"), os.cpu_count() or 1, cpu_model())
        )
    for server in args.servers:
        sitting = Sitting(args, server)
        try:
            sitting.open()
            sitting.rounds()
        finally:
            for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(sig, signal.SIG_IGN)
            sitting.close()
        catch_signals()


def catch_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))


def main() -> int:
    catch_signals()
    args = parse()
    try:
        if not args.tables:
            measure(args)
        text = report(args.results, args.case)
        with open(os.path.join(args.results, "report.md"), "w") as f:
            f.write(text)
        print(text)
    except LabError as e:
        with contextlib.suppress(BrokenPipeError):
            print("bench/find.py: %s" % e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
