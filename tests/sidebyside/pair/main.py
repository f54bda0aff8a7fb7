# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of `run`: what is compared with what, by how many at a time, totals."""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import queue
import re
import threading
import time
from collections import Counter, defaultdict
from typing import Any, Callable, Container, Iterable, Sequence

from lib import child, harness
from lib.harness import say
from sysbench_lab import owned

from . import PairError, Steps, cases, compare, golden, steady
from .cases import Case, Section
from .place import Place
from .servers import DATABASES, KINDS, Server

STOCK_VERSION = re.compile(r"sysbench 1\.0\.\d+")
PLACES = ("/usr/bin/sysbench", "/usr/local/bin/sysbench")


def version(path: str) -> str:
    """What distinguishes the two: with --verbose, stock prints its one line, ours what is in it."""
    try:
        return child.output(path, "--version", "--verbose").strip()
    except OSError as e:
        raise PairError("cannot run %s: %s" % (path, e.strerror)) from e


def named(path: str) -> str:
    """Its version, and the package that ours is."""
    return ", ".join(version(path).splitlines()[:2])


def find_stock(given: str | None) -> str | None:
    """Path of a stock sysbench 1.0; None when there is none.  One that was named must be one."""
    if given:
        if not STOCK_VERSION.fullmatch(version(given)):
            raise PairError("%s is no stock sysbench 1.0 but '%s'" % (given, named(given)))
        return os.path.abspath(given)
    directories = [os.path.join(d, "sysbench") for d in os.get_exec_path()]
    for path in directories + list(PLACES):
        if os.access(path, os.X_OK) and STOCK_VERSION.fullmatch(version(path)):
            return os.path.abspath(path)
    return None


def find_ours(given: str | None, source: str) -> str:
    paths = (
        [given]
        if given
        else [os.path.join(source, d, "src", "sysbench") for d in ("build", "build-check")]
    )
    for path in paths:
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise PairError("no sysbench binary; build first, or name it with --sysbench=PATH")


class Session:
    """Servers and places for the chosen cases, as long as the comparison lasts."""

    def __init__(
        self, here: str, programs: dict[str, str], needed: Iterable[str], at_once: int
    ) -> None:
        self.directory = owned.temporary("sysbench-pair-")
        self.servers: dict[str, Server] = {}
        self.missing: dict[str, str] = {}
        self.places: queue.Queue[Place] = queue.Queue()
        self.all_places: list[Place] = []
        try:
            for engine in sorted(needed):
                try:
                    self.servers[engine] = KINDS[engine]()
                except PairError as e:
                    self.missing[engine] = str(e)
            preload = (
                {"stock": steady.preload(programs["stock"], self.directory)}
                if "stock" in programs
                else {}
            )
            for number in range(at_once):
                directory = os.path.join(self.directory, str(number))
                os.mkdir(directory)
                place = Place(directory, DATABASES[number], self.servers, os.path.join(here, "lua"))
                for name, path in programs.items():
                    place.program(name, path, preload.get(name, ""))
                self.places.put(place)
                self.all_places.append(place)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for server in self.servers.values():
            server.stop()
        owned.remove(self.directory, anyway=True)

    def run(self, case: Case, names: Iterable[str]) -> list[Steps]:
        """The runs of a case by the programs with these names, in one place."""
        place = self.places.get()
        try:
            return [place.run(case, name) for name in names]
        finally:
            self.places.put(place)


class Tally:
    """Verdicts, counted by section; prints each that needs to be seen."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.lock = threading.Lock()
        self.began = time.monotonic()

    def add(
        self, case: Case, verdict: str, found: Iterable[str] = (), retried: bool = False
    ) -> None:
        """`found`: reasons and differences, of a verdict that is unexplained."""
        with self.lock:
            self.counts[case.section].update([verdict] + ["retried"] * retried)
            if not self.verbose and verdict != compare.UNEXPLAINED:
                return
            ids = " (%s)" % ", ".join(case.ids) if verdict == compare.EXPLAINED else ""
            what = verdict + ids + (" (second attempt)" if retried else "")
            say("%s: %s:%d: %s" % (what, case.section, case.number, case.text))
            for line in found if verdict == compare.UNEXPLAINED else ():
                say("    " + line)

    def total(self) -> Counter[str]:
        return sum(self.counts.values(), Counter())

    def show(self) -> None:
        words = (compare.EQUAL, compare.EXPLAINED, compare.UNEXPLAINED, "skipped", "retried")
        say("%-24s %6s %9s %12s %8s %8s" % (("section",) + words))
        for name, counts in sorted(self.counts.items()):
            figures = tuple(counts[w] for w in words)
            say("%-24s " % name + "%6d %9d %12d %8d %8d" % figures)
        totals = tuple(self.total()[w] for w in words)
        say(
            "%d lines: %d equal, %d explained, %d unexplained, %d skipped (%d retried, %.0f s)"
            % ((sum(totals[:4]),) + totals + (time.monotonic() - self.began,))
        )


def parse() -> argparse.Namespace:
    p = harness.options(
        "sidebyside/run", "Compares command lines of stock sysbench and ours.", "self-test"
    )
    p.add_argument("--stock", metavar="PATH", help="stock sysbench 1.0 (default: detected)")
    ours = "our program (default: $SYSBENCH, build/ or build-check/)"
    p.add_argument("--sysbench", metavar="PATH", default=os.environ.get("SYSBENCH"), help=ours)
    only = "only cases whose 'section: text' matches this regular expression"
    p.add_argument("--only", metavar="PATTERN", default="", help=only)
    p.add_argument("--quick", action="store_true", help="run only cases tagged [quick]")
    golden = "compare ours with the recorded statements and tables; needs no stock"
    p.add_argument("--golden", action="store_true", help=golden)
    p.add_argument("--record", action="store_true", help="record those of stock again")
    update = "write the differences found into cases/*.txt, for review"
    p.add_argument("--update", action="store_true", help=update)
    at_once = "number of commands run at the same time, 1 or 2 (default 2)"
    p.add_argument("--at-once", metavar="N", type=int, choices=(1, 2), default=2, help=at_once)
    verbose = "also list equal and explained cases"
    p.add_argument("-v", "--verbose", action="store_true", help=verbose)
    return p.parse_args()


def chosen(sections: Sequence[Section], args: argparse.Namespace) -> list[Case]:
    """The cases that this call is about."""
    pattern = re.compile(args.only)
    out = [c for s in sections for c in s.cases if pattern.search(c.name)]
    if args.quick:
        out = [c for c in out if "quick" in c.tags]
    if args.golden or args.record:
        out = [c for c in out if "golden" in c.tags]
    return out


def each(
    session: Session, todo: Sequence[Case], at_once: int, function: Callable[[Case], Any]
) -> None:
    """Calls function(case) for all cases, some at a time."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(function, case) for case in todo]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            for place in session.all_places:
                place.interrupt()
            raise


def compare_pair(
    session: Session, case: Case, tally: Tally, documented: Container[str]
) -> list[str]:
    """Stock and ours side by side.  What depends on the clock gets a second chance."""
    for attempt in range(2):
        stock, ours = session.run(case, ("stock", "ours"))
        found = compare.difference(stock, ours)
        verdict, reasons = compare.judge(case, found, documented)
        if verdict != compare.UNEXPLAINED or "counts" not in case.tags or attempt:
            break
    tally.add(case, verdict, [*reasons, *found], bool(attempt))
    return found


def compare_golden(
    session: Session,
    case: Case,
    tally: Tally,
    documented: Container[str],
    recorded: dict[str, Steps],
) -> None:
    steps = recorded.get(case.text)
    if steps is None:
        tally.add(case, compare.UNEXPLAINED, ["it is not recorded; run --record where stock is"])
        return
    ours = [
        {k: step[k] for k in golden.STREAMS if k in step}
        for step in session.run(case, ("ours",))[0]
    ]
    steps = steps + [{}] * (len(ours) - len(steps))
    found = compare.difference(steps, ours)
    verdict, reasons = compare.judge(case, found, documented, golden.STREAMS)
    tally.add(case, verdict, [*reasons, *found])


def record(
    session: Session, here: str, sections: Sequence[Section], todo: Sequence[Case], at_once: int
) -> None:
    runs = {}

    def one(case: Case) -> None:
        runs[case] = session.run(case, ("stock",))[0]

    each(session, todo, at_once, one)
    for section in sections:
        mine = [(c, runs[c]) for c in section.cases if c in runs]
        if mine:
            golden.write(os.path.join(here, "golden"), section.name, mine)
            say("recorded %d cases of %s" % (len(mine), section.name))


def update(sections: Sequence[Section], found: dict[Case, list[str]]) -> None:
    """Expected differences become those that were found; their ids stay as they are."""
    for section in sections:
        changed = [
            c for c in section.cases if c in found and not compare.agrees(c.expected, found[c])
        ]
        if changed:
            for case in changed:
                case.expected = found[case]
                case.ids = case.ids if found[case] else []
            section.write()


def run(here: str, args: argparse.Namespace) -> int:
    source = os.path.dirname(os.path.dirname(here))
    sections = cases.load(os.path.join(here, "cases"))
    documented = cases.documented(os.path.join(source, "docs", "differences.md"))
    programs: dict[str, str] = {}
    if not args.golden:
        stock = find_stock(args.stock)
        if stock is None:
            say("skipped: no stock sysbench 1.0 is installed here")
            return 0
        programs["stock"] = stock
    if not args.record:
        programs["ours"] = find_ours(args.sysbench, source)
    for name, path in sorted(programs.items()):
        say("%-6s %s, %s" % (name, path, named(path)))
    todo = chosen(sections, args)
    if not todo:
        raise PairError("no case matches")
    session = Session(here, programs, {e for c in todo for e in c.needs}, args.at_once)
    tally = Tally(args.verbose)
    found: dict[Case, list[str]] = {}
    try:
        for engine, why in session.missing.items():
            say("%s: %s; its cases are skipped" % (engine, why))
        for case in [c for c in todo if set(c.needs) & set(session.missing)]:
            todo.remove(case)
            tally.add(case, "skipped")
        if args.record:
            record(session, here, sections, todo, args.at_once)
            return 0
        if args.golden:
            recorded = {
                s.name: golden.read(os.path.join(here, "golden"), s.name)
                for s in sections
                if any(c.section == s.name for c in todo)
            }
            each(
                session,
                todo,
                args.at_once,
                lambda c: compare_golden(session, c, tally, documented, recorded[c.section]),
            )
        else:

            def one(case: Case) -> None:
                found[case] = compare_pair(session, case, tally, documented)

            each(session, todo, args.at_once, one)
    finally:
        session.close()
    if args.update:
        update(sections, found)
    tally.show()
    return 1 if tally.total()[compare.UNEXPLAINED] else 0


def main(here: str) -> int:
    args = parse()
    return harness.self_test(here, "pair") if args.self_test else run(here, args)
