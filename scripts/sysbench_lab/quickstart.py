# SPDX-License-Identifier: GPL-2.0-or-later
"""The first command: `sysbench-lab quickstart`, and scripts/quickstart after its build.

    create_index()   a private MariaDB, a table that lacks an index, one rate; in the middle the run
                     itself creates the index (--at, --do).  What a transaction costs falls to an
                     eighth, which no neighbour on the machine can hide
    connections()    the laboratory: two thread schedulers over numbers of connections at one rate,
                     the example constant-rate.  Made SHORT, it has a rate that busy machines hold,
                     too: an answer in which a rate was missed is of little use

Each step leaves a directory with a page and pictures, and a sentence.  One that fails says why, and
the other one is made all the same.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import time

from . import LabError, commands, content, owned
from .charts import front
from .plan import labels
from .plan.model import Measure, Settings, Tree
from .results import figures
from .results.results_dir import read_report
from .run import client, lock, runner, signals
from .servers import programs
from .statistics import stats
from .statistics.results import Results
from .target import target

EXAMPLE = "constant-rate"
SHORT = {"threads": "16,128,512", "tx_rate": "100", "time": "4", "warmup": "1", "repeats": "3"}
SECONDS, AT = 12, 6
LOAD: Settings = {
    "load.script": "select_random_points",
    "load.table-size": 10000,
    "load.create-secondary": False,
    "load.threads": 8,
    "load.tx-rate": 100,
    "load.host-stats": False,  # so that a row fits
    "load.server-status": False,
}
SAME = ("client.program", "client.env.", "server.program")  # settings of both steps
INDEX = '$SQL "CREATE INDEX k_1 ON sbtest1 (k)"'
BEGIN, END = "Threads started!\n", "SQL statistics:"  # around the rows of a run
CHANGED = {  # what it is called, its unit, and where the reason stands if it is n/a
    "server_cpu_us_per_tx": ("server CPU per transaction", "us", "server"),
    "response_p99_ms": ("p99", "ms", "latency"),
}
SHARES = {"others_cpu_pct": "others_pct", "steal_pct": "stolen_pct"}  # of a machine, in a report
NEXT = """

On your own server:
  server="--mysql-host=HOST --mysql-user=USER --mysql-password=... --mysql-db=sbtest"
  sysbench oltp_read_only $server --tables=4 --table-size=50000 --threads=4 prepare
  sysbench oltp_read_only $server --tables=4 --table-size=50000 --threads=128 --tx-rate=500 run

%.0f s"""


def run(args: argparse.Namespace) -> int:
    """Both steps; at the end, what each has shown and where its page is."""
    directory, given = asked(args)
    lock.check()
    began, status, told = time.monotonic(), 0, []
    steps = create_index, connections
    for step in steps:
        place = os.path.join(directory, step.__name__.replace("_", "-"))
        try:
            sentence = step(args, given, place)
        except LabError as e:
            sentence, status = str(e), 1
        page = os.path.join(place, "index.html")
        told.append("%s\n  %s" % (sentence, page if os.path.exists(page) else place))
        if step is not steps[-1]:
            commands.say("\n%s\n" % told[-1])
    commands.say("\n" + "\n".join(told) + NEXT % (time.monotonic() - began))
    return status


def asked(args: argparse.Namespace) -> tuple[str, Settings]:
    """The directory of all, and the settings of the experiment; LabError for wrong flags."""
    args.file = EXAMPLE
    for name, value in ({} if args.full else SHORT).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    given = commands.asked(args)[0].stays
    directory = args.results or os.path.join("results", time.strftime("quickstart-%Y%m%d-%H%M%S"))
    if os.path.lexists(directory):
        raise LabError("%s is there already; give another with --results" % directory)
    return directory, given


# ---- an index in the middle of a run ------------------------------------------------


def create_index(args: argparse.Namespace, given: Settings, directory: str) -> str:
    settings = {**LOAD, **{k: v for k, v in given.items() if k.startswith(SAME)}}
    owned.make(directory)
    with signals.interrupting(), lock.alone(directory, commands.say):
        server, left = target.PrivateTarget("never", 0), lock.Leftovers(directory)
        server.begun, server.ended = left.add_server, left.drop_server
        try:
            server.ensure(settings)
            commands.say("%(engine)s %(version)s, private, pid %(pid)s" % server.describe())
            around = client.Surroundings.of(settings, environment(server), left.set_client)
            argv = client.prepare_line(settings, server, "prepare")
            do(argv, around, os.path.join(directory, "prepare.txt"))
            own = ["--at=%ds:CREATE INDEX" % AT, "--do=" + INDEX, "--report-style=table"]
            own.append("--report-file=html:" + os.path.join(directory, "index.html"))
            argv = client.run_line(settings, server, directory, SECONDS, 0, own)
            hidden = re.compile("--(mysql|report|server|host|warmup|create)")
            commands.say("$ " + client.shown([a for a in argv if not hidden.match(a)]))
            do(argv, around, os.path.join(directory, "output.txt"))
        finally:
            with signals.shielded():
                server.stop()
    report = read_report(directory)
    if report is None:
        raise LabError("sysbench wrote no report")
    try:
        draw(report, os.path.join(directory, "create-index"))
    except LabError as e:
        commands.say("no picture: %s" % e)
    return sentence_of(report)


def draw(report: Tree, base: str) -> list[str]:
    """BASE.svg and BASE-dark.svg."""
    return front.draw(report, base, "CREATE INDEX in the middle of a run")


def environment(server: target.Target) -> dict[str, str]:
    """$SQL gives a statement to this server, and to no other that an option file names."""
    program, about = programs.find("mariadb", "mysql"), server.describe()
    if not program:
        raise LabError("the client program mariadb, which creates the index, is not installed")
    words = [program, "--no-defaults", "--socket=" + about["socket"], "--user=" + about["admin"]]
    columns = shutil.get_terminal_size((100, 24)).columns
    return {"SQL": " ".join([*words, "sbtest", "-e"]), "COLUMNS": str(columns)}


def do(argv: list[str], around: client.Surroundings, output: str) -> None:
    """sysbench; the rows of a run are shown while they come, all else is in the file."""
    shown = 0

    def show() -> bool:
        nonlocal shown
        text = content(output).partition(BEGIN)[2].partition(END)[0]
        rows = text[: text.rfind("\n") + 1].splitlines()
        for row in filter(str.strip, rows[shown:]):
            commands.say(row)
        shown = len(rows)
        return False

    ended = client.run(argv, around, output, SECONDS + client.SLACK_S, show)
    show()
    if why := client.failure(ended):
        raise LabError(why)


def sentence_of(report: Tree) -> str:
    """What the index changed, and whether the rate was held."""
    ran = (report.get("commands") or [{}])[0]
    if ran.get("exit_status") != 0:
        raise LabError("CREATE INDEX " + runner.outcome(ran))
    sides = [figures.of_section(phase["figures"]) for phase in report.get("phases") or ()]
    if len(sides) != 2:
        raise LabError("no second was measured before or after CREATE INDEX")
    said, missing = [], figures.get(report, "summary", "missing") or {}
    for name, (text, unit, part) in CHANGED.items():
        values = [side[name] for side in sides]
        if None in values:
            why = next((w for k, w in missing.items() if k.startswith(part)), "not measured")
            said.append("%s n/a (%s)" % (text, why))
        else:
            said.append("%s %s -> %s %s" % (text, *map(labels.grouped, values), unit))
    row = figures.row_of(report)
    held, why = row["sustained"], re.split("[;(]", row["why"])[0].strip()
    if why:
        held += ": " if held == "no" else ", " if why.startswith("after ") else ", but "
    rate = "%g/s sustained: " % row["target_tps"]
    machine = figures.get(report, "summary", "client") or {}
    shares = {k: machine.get("machine_" + v) for k, v in SHARES.items()}
    busy = stats.disturbed(shares, Measure())
    return "CREATE INDEX: %s; %s" % (", ".join(said), rate + held + why) + "; " * bool(busy) + busy


# ---- connections ----------------------------------------------------------------------


def connections(args: argparse.Namespace, given: Settings, directory: str) -> str:
    args.results = directory
    if commands.run(args):
        raise KeyboardInterrupt
    results = Results(directory)
    busy = [row["disturbed"] for row in results.rows if row["disturbed"]]
    known = len(busy), len(results.rows), busy and busy[-1]
    more = "; %d of %d runs were disturbed (the last: %s)" % known if busy else ""
    return results.sentences[0] + more
