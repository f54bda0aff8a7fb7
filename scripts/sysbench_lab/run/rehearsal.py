# SPDX-License-Identifier: GPL-2.0-or-later
"""What sysbench would refuse, found before a server starts and before a folder is made.

    check(cells)     LabError with sysbench's own sentence

`sysbench TEST help` of each test shows whether this sysbench finds it: a name may be misspelt, or
the program copied without its scripts.  A bundled test is then run with a database driver that does
not exist.  It reads all of its options, complains of the first one that is wrong, and comes no
further than to the name of the driver: no server is met and no file is written.  Of built-in tests
all but fileio have nothing to prepare, so `prepare` reads their options.  Those of fileio, and of
tests that are the user's own, cannot be tried without running them.

Cells that differ in the number of connections alone are tried once.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from typing import Iterable

from .. import LabError
from ..plan.keys import part
from ..plan.model import Cell, Settings
from . import client
from .client import Surroundings

LIMIT_S = 30
NOTHING_TO_PREPARE = ("cpu", "memory", "threads", "mutex")
DRIVER = "this-is-a-rehearsal"
BUNDLED = re.compile(r"oltp_\w+|select_random_(points|ranges)|bulk_insert")
# Files, other hosts, ports and threads: nothing of this is begun.
LEFT_OUT = re.compile(
    r"load\.(script|threads|workers|tx-workers|db-driver|prepare(\..*)?|raw-log|report-file"
    r"|server|server-.*|host-stats|metrics-listen|idle-connections|label|mark-on)"
)


def check(cells: Iterable[Cell]) -> None:
    """Refuse tests that are not there, and options that they do not have."""
    done: set[str] = set()
    for cell in cells:
        settings = cell.settings
        if is_elsewhere(settings):
            continue
        around = Surroundings.of(settings)
        test = [client.program(settings), str(settings["load.script"])]
        lines = [[*test, "help"]]
        if BUNDLED.fullmatch(test[1]):
            lines.append([*test, *options(settings), "--db-driver=" + DRIVER, "run"])
        elif test[1] in NOTHING_TO_PREPARE:
            lines.append([*test, *options(settings), "prepare"])
        driver = str(settings.get("load.db-driver", ""))
        for argv in lines:
            key = repr((argv, around, driver))
            if key not in done:
                done.add(key)
                refuse(argv, around, driver)


def is_elsewhere(settings: Settings) -> bool:
    """A prefix such as "ssh far" runs a program that this machine need not have."""
    program = str(settings.get("client.program", ""))
    return bool(settings.get("client.prefix") and program and not shutil.which(program))


def options(settings: Settings) -> list[str]:
    kept = {k: v for k, v in settings.items() if not LEFT_OUT.fullmatch(k)}
    return client.arguments(part(kept, "load."))


def is_expected(said: str, command: str) -> bool:
    return DRIVER in client.complaint(said) or client.has_no(command, said)


def refuse(argv: list[str], around: Surroundings, driver: str = "") -> None:
    """Run it; LabError if it complains of anything but the driver, which is to be one it names."""
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            p = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=client.environment(around),
                timeout=LIMIT_S,
                start_new_session=True,
            )
            said = p.stdout.decode("utf-8", "replace")
            if p.returncode and not is_expected(said, argv[-1]):
                raise LabError("%s %s: %s" % (*argv[:2], client.complaint(said) or "no output"))
            allowed = re.search(DRIVER + r"' \(allowed: ([^)]*)\)", said)
            if driver and allowed and driver not in (*allowed[1].split(", "), "drizzle"):
                what = driver, allowed[1]
                raise LabError("load.db-driver: there is no '%s'; allowed: %s" % what)
    except OSError as e:
        raise LabError("cannot run %s: %s" % (argv[0], e.strerror)) from e
