# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of tests/mutation/run: draws mutants, judges them, prints the table."""

from __future__ import annotations

import argparse
import glob
import itertools
import math
import os
import random
import time
from typing import Iterator, Sequence

from lib import harness
from lib.harness import SOURCE, say
from sblab.check import Servers

from .build import Tree
from .judge import Judge
from .programs import Program, Programs
from .source import Mutant, mutants

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DIRECTORYS = ("pace", "stats", "engine", "sql", "telemetry", "report")
HEAD = ("directory", "mutants", "not compiled", "equivalent", "killed", "survived", "killed, %")


def candidates(directory: str) -> list[Mutant]:
    found: list[Mutant] = []
    for path in sorted(glob.glob(os.path.join(SOURCE, "src", directory, "*.c"))):
        if "test" not in os.path.basename(path):
            with open(path) as f:
                found += mutants(os.path.join(directory, os.path.basename(path)), f.read())
    return found


def shuffled(directory: str, seed: int) -> list[Mutant]:
    """All mutants of a directory in random order, one of each line."""
    left = candidates(directory)
    random.Random("%d %s" % (seed, directory)).shuffle(left)
    return list({(m.path, m.line): m for m in left}.values())


def draw(directories: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """One of each directory in turn: whoever stops early has judged as many of each."""
    turns = itertools.zip_longest(*(shuffled(directory, seed) for directory in directories))
    return [m for turn in turns for m in turn if m][:count]


def equivalents() -> set[str]:
    """Those that somebody has looked at and that change nothing that can be seen."""
    with open(os.path.join(HERE, "equivalent.txt")) as f:
        return set(f.read().splitlines())


def group(mutant: Mutant, verdict: str, known: set[str]) -> str:
    """The column of a verdict."""
    if verdict == "not compiled":
        return "not compiled"
    key = " | ".join((mutant.path, mutant.before.strip(), mutant.after.strip()))
    if verdict == "same code" or key in known:
        return "equivalent"
    return "survived" if verdict == "survived" else "killed"


def row(name: str, groups: Sequence[str]) -> list[str]:
    count = {g: groups.count(g) for g in HEAD[2:6]}
    judged = count["killed"] + count["survived"]
    share = "%.0f" % (100 * count["killed"] / judged) if judged else "n/a"
    return [name, str(len(groups))] + [str(count[g]) for g in HEAD[2:6]] + [share]


def table(results: dict[Mutant, str]) -> str:
    rows = [list(HEAD)]
    for directory in DIRECTORYS:
        groups = [g for m, g in results.items() if m.path.startswith(directory + "/")]
        if groups:
            rows.append(row(directory, groups))
    rows.append(row("total", list(results.values())))
    return "\n".join("| " + " | ".join(r) + " |" for r in [rows[0], ["---"] * len(HEAD)] + rows[1:])


def shown(mutant: Mutant) -> str:
    return "src/%s:%d (%s)\n    -%s\n    +%s" % mutant


def tests_for(programs: Programs, directories: list[str]) -> list[Program]:
    names = programs.of(directories)
    good = programs.good(names)
    left_out = sorted(set(names) - {p.name for p in good})
    if left_out:
        say(
            "%s: without %s (slow, failing, or in need of a server)"
            % (directories[0], ", ".join(left_out))
        )
    return good


def judge_all(
    judge: Judge, chosen: Sequence[Mutant], args: argparse.Namespace
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with its group, until all are judged or the time is up."""
    known, end = equivalents(), time.monotonic() + 60 * args.minutes
    before = judge.before() if args.again else {}
    tests: dict[str, list[Program]] = {}
    for n, mutant in enumerate(chosen, 1):
        verdict = before.get(mutant, "survived")
        if group(mutant, verdict, known) == "survived":
            if time.monotonic() > end:
                return
            directory = mutant.path.split("/")[0]
            if directory not in tests:
                tests[directory] = tests_for(judge.programs, [directory, *args.also_test])
            verdict = judge.judged(mutant, tests[directory])
            say("%3d/%d %s:%d %s: %s" % (n, len(chosen), *mutant[:3], verdict))
        yield mutant, group(mutant, verdict, known)


def judged(chosen: Sequence[Mutant], args: argparse.Namespace) -> dict[Mutant, str]:
    """The groups of the mutants that were judged until the time was up, or ^C."""
    results: dict[Mutant, str] = {}
    servers = Servers()
    try:
        if args.servers:
            servers.start()
        tree = Tree(SOURCE, args.work, servers.environment())
        tree.prepare()
        judge = Judge(tree, Programs(tree, args.slowest))
        for mutant, verdict in judge_all(judge, chosen, args):
            results[mutant] = verdict
    except KeyboardInterrupt:
        say("interrupted")
    finally:
        servers.stop()
    return results


def parse(doc: str) -> argparse.Namespace:
    p = harness.options("mutation/run", doc, "list", "self-test")
    p.add_argument("--count", type=harness.positive, default=200, metavar="N", help="(200)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="(1)")
    only = "directories of src to change (default %(default)s)"
    p.add_argument("--only", default=",".join(DIRECTORYS), metavar="LIST", help=only)
    also = "directories whose unit tests run besides those of the changed file's directory"
    p.add_argument("--also-test", default="", metavar="LIST", help=also)
    work = "directory for the copy, its build and the results (default build-mutation/)"
    default = os.path.join(SOURCE, "build-mutation")
    p.add_argument("--work", default=default, metavar="PATH", help=work)
    minutes = "stop after so many minutes (default: when all are judged)"
    p.add_argument("--minutes", type=float, default=math.inf, metavar="M", help=minutes)
    slowest = "leave out tests that take longer than S seconds (default %(default)s)"
    p.add_argument("--slowest", type=float, default=20, metavar="S", help=slowest)
    p.add_argument("--servers", action="store_true", help="start servers for tests of sql")
    again = "judge only mutants that survived, or were not judged, the last time"
    p.add_argument("--again", action="store_true", help=again)
    args = p.parse_args()
    args.only = args.only.split(",")
    args.also_test = args.also_test.split(",") if args.also_test else []
    for directory in args.only:
        if directory not in DIRECTORYS:
            p.error("--only takes %s, not '%s'" % (", ".join(DIRECTORYS), directory))
    return args


def main(doc: str) -> int:
    args = parse(doc)
    if args.self_test:
        return harness.self_test(HERE, "mutants")
    chosen = draw(args.only, args.count, args.seed)
    if args.list:
        say("\n".join(map(shown, chosen)))
        return 0
    results = judged(chosen, args)
    survivors = [m for m, g in results.items() if g == "survived"]
    say("\n%s\n\n%d survived:" % (table(results), len(survivors)))
    for mutant in survivors:
        say(shown(mutant))
    return 0
