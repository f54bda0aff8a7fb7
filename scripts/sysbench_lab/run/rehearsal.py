# SPDX-License-Identifier: GPL-2.0-or-later
"""What sysbench would refuse, found before a server starts and before a directory is made.

    check(cells)     LabError with sysbench's own sentence

`sysbench TEST help` of each test shows whether this sysbench finds it: a name may be misspelt, or
the program copied without its scripts. A bundled test, or one of 0.5 that is built in, is then run
with a database driver that does not exist. It reads all of its options, complains of the first one
that is wrong, and comes no further than to the name of the driver: no server is met and no file is
written. Of built-in tests all but fileio have nothing to prepare, so `prepare` reads their options.
Those of fileio, and of tests that are the user's own, cannot be tried without running them.

Cells that differ in the number of connections alone are tried once.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from typing import Any, Iterable, Sequence

from .. import LabError, failing, owned
from ..plan import data, hosts, mask
from ..plan.hosts import Host
from ..plan.keys import part
from ..plan.model import BUILT_IN, Cell, Note, Settings, Tree, by
from ..results.figures import get
from ..results.results_dir import read_report
from ..servers import process
from ..target.target import kind_of
from . import client, ranks
from .client import Surroundings

LIMIT_S = 30
DRIVER = "this-is-a-rehearsal"
BUNDLED = re.compile(r"oltp_\w+|select_random_(points|ranges)|bulk_insert")
OF_05 = re.compile(r"^NOTE: .* of sysbench 0\.5, which is built in$", re.M)
# Files, other hosts, ports and threads: nothing of this is begun.
LEFT_OUT = re.compile(
    r"load\.(script|threads|workers|db-driver|prepare(\..*)?|raw-log|report-file"
    r"|server|server-.*|settle|host-stats|metrics-listen|idle-connections|label|mark-on)"
)


def check(cells: Iterable[Cell]) -> None:
    """Refuse tests that are not there, and options that they do not have."""
    done: dict[str, str] = {}
    for cell in cells:
        settings = cell.settings
        # a prefix such as "ssh far" runs a program that this machine need not have
        program = str(settings.get("client.program", ""))
        if settings.get("client.prefix") and program and not shutil.which(program):
            continue
        around = Surroundings.of(settings)
        check_script(str(settings["load.script"]))
        test = [client.program(settings), str(settings["load.script"])]
        driver = str(settings.get("load.db-driver", ""))
        of_05 = OF_05.search(told(done, [*test, "help"], around, driver))
        bundled = BUNDLED.fullmatch(test[1]) or of_05
        if bundled or test[1] in BUILT_IN[:-1]:
            kept = {k: v for k, v in settings.items() if not LEFT_OUT.fullmatch(k)}
            ends = ["--db-driver=" + DRIVER, "run"] if bundled else ["prepare"]
            told(done, [*test, *client.arguments(part(kept, "load.")), *ends], around, driver)


def check_script(name: str) -> None:
    """A FIFO or a device in the place of a script would be waited for, in each run."""
    for path in (name, name + ".lua") if name not in BUILT_IN else ():
        with contextlib.suppress(OSError):
            found = os.stat(path)
            if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                raise LabError("load.script: " + owned.why_no_file(path, found, False))


def told(done: dict[str, str], argv: list[str], around: Surroundings, driver: str) -> str:
    """What it says; asked once."""
    key = repr((argv, around, driver))
    if key not in done:
        done[key] = refuse(argv, around, driver)
    return done[key]


def refuse(argv: list[str], around: Surroundings, driver: str = "") -> str:
    """Run it; LabError if it complains of anything but the driver, which is to be one it names."""
    environment = process.environment(around.environment)
    said = ""
    with failing("cannot run " + argv[0]), contextlib.suppress(subprocess.TimeoutExpired):
        shown, text = client.concealed(argv)
        status, said = process.run_tool(shown, text, env=environment, limit_s=LIMIT_S)
        expected = DRIVER in client.complaint(said) or client.has_no(argv[-1], said)
        if status and not expected:
            raise LabError("%s %s: %s" % (*argv[:2], client.complaint(said) or "no output"))
        allowed = re.search(DRIVER + r"' \(allowed: ([^)]*)\)", said)
        if driver and allowed and driver not in (*allowed[1].split(", "), "drizzle"):
            what = driver, allowed[1]
            raise LabError("load.db-driver: there is no '%s'; allowed: %s" % what)
    return said


def untold(cells: Sequence[Cell]) -> list[str]:
    """A sentence for each sysbench that does not tell what the prepare of a test looks at, where we
    do not know it either."""
    text = "%s does not tell what prepare looks at: any option of the test may change the tables"
    unknown = (cell.settings for cell in cells if data.before(cell.settings) is None)
    preparing = [settings for settings in unknown if settings.get("load.prepare", True)]
    way = by(preparing, lambda s: shlex.join(client.start_of_line(s)))
    silent = (
        name for name, same in way.items() if not client.tells(same[0], "--options-read", "general")
    )
    return [text % mask.text(name) for name in silent]


# ---- can the load hosts work together? -------------------------------------------


MEET_S = 15
UNSURE_S = 1e-3  # of a clock: more is said


def check_hosts(cells: Sequence[Cell], directory: str, note: Note = print) -> dict[str, Any]:
    """Refuse hosts that do not work; what they are, for hosts.json.  {} with one host or none."""
    distinct: dict[str, Settings] = {}  # one cell for each list of hosts
    for s in (cell.settings for cell in cells if hosts.of(cell.settings)):
        distinct.setdefault(repr((hosts.of(s), s.get("client.program"))), s)
    most: list[dict[str, Any]] = []
    for settings in distinct.values():
        used = hosts.of(settings)
        look_at(used, settings, directory)
        about: list[dict[str, Any]] = []
        for host in used:
            known = ranks.facts(host, settings)
            told = {k: known[k] for k in ("node", "kernel", "cpus", "model", "version")}
            via = mask.text(shlex.join(host.via)) or hosts.HERE
            about.append({"name": host.name, "via": via, **told})
        for entry, clock in zip(about, meet(used, settings) if len(used) > 1 else ()):
            entry["clock"] = clock
            width = (clock or {}).get("uncertainty_s")
            if width is not None and width > UNSURE_S:
                text = "load host %s: its clock is known to %.1f ms only, and so are planned starts"
                note((text + " there") % (entry["name"], width * 1e3))
        most = about if len(about) > len(most) else most
    return {"hosts": most} if most else {}


# ---- each host -----------------------------------------------------------------


def look_at(used: Sequence[Host], settings: Settings, directory: str) -> None:
    """Ask each of them, the leader first."""
    with tempfile.NamedTemporaryFile(prefix=".sysbench-lab-", dir=above(directory)) as f:
        leader = ranks.facts(used[0], settings, f.name)
        if not leader["sees"]:
            text = "%s: it leads, but does not see %s, where it is to write the reports; "
            where = ranks.whose(used[0]), above(directory)
            raise LabError(text % where + "let a host lead that does")
        for host in used:
            found = ranks.facts(host, settings, f.name)
            who = ranks.whose(host)
            if not found["version"].startswith("sysbench"):
                program = host.program or client.program(settings)
                text = "%s: cannot run %s there (%s); name the host's own with program=PATH before"
                what = who, program, found["version"] or "no output"
                raise LabError(text % what + " its command")
            if found["version"] != leader["version"]:
                versions = who, found["version"], leader["version"]
                raise LabError("%s has %s, but the leader has %s" % versions)
            if kind_of(settings) == "private" and found["boot"] != leader["boot"]:
                text = "%s is another machine and does not reach a private server; "
                raise LabError(text % who + "use server.kind = given or commands")


def above(directory: str) -> str:
    """The directory of the results, or what there is of the way to it."""
    path = os.path.abspath(directory)
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


# ---- all of them -----------------------------------------------------------------


def meet(used: Sequence[Host], settings: Settings) -> list[Tree | None]:
    """Let them meet; each host's clock as the leader sees it."""
    with tempfile.TemporaryDirectory(prefix="sysbench-lab-") as directory:
        n = len(used)
        argv = [*used[0].via, client.program(settings), "cpu", "--threads=%d" % n]
        argv += ["--events=%d" % n, "--cpu-max-prime=10", "--cluster-timeout=%d" % MEET_S]
        argv += ["--report-file=json:" + os.path.join(directory, "report.json"), "run"]
        around, output = Surroundings.of(settings), os.path.join(directory, "output.txt")
        ended = ranks.run(settings, argv, around, output, 3 * MEET_S, impatient=True)
        if client.failure(ended):
            # what a member said tells more than that it did not come
            why = ended.ranks or client.failure(ended)
            raise LabError("the load hosts cannot meet: %s" % why)
        report = read_report(directory)
    if report is None:
        raise LabError("the load hosts met, but the leader wrote no report")
    told = get(report, "summary", "ranks") or []
    by_rank = {r.get("rank"): r.get("clock") for r in told}
    return [by_rank.get(n) for n in range(len(used))]
