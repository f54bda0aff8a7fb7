# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables that a test needs: prepared once, and again when another cell needs others.

Cells share data when they run on the same server, the same family of tests (all bundled oltp_* and
select_random_* scripts use the same tables) and the same options that shape tables: DATA and
load.prepare.*.  Before other data are prepared on the same server, sysbench's `cleanup` removes
those that were there.

On the user's own server tables of the same names may be the user's: `prepare` then fails, and so do
we; load.prepare = false takes the tables as they are.  What we prepared there is removed at the
end, and is still known after an interruption (`known`).
"""

from __future__ import annotations

import os
import re
from typing import Callable

from .. import LabError
from ..plan import mask
from ..plan.model import Settings
from ..target.target import Target
from . import client
from .client import Ended, Surroundings

# Options of tests that shape their tables, in both spellings of 1.0.
DATA = re.compile(
    r"load\.(tables|table[-_]size|table[-_]count|tables[-_]count|rows|size|scale|secondary"
    r"|create[-_].*|auto[-_]inc|mysql[-_]storage[-_]engine|storage[-_]engine|pgsql[-_]variant"
    r"|db-driver|mysql-db|pgsql-db|mysql-host|pgsql-host|file-.*|prepare\..+)"
)
FAMILY = re.compile(r"(oltp_\w+|select_random_\w+)$")

Run = Callable[[list[str], Surroundings, str], Ended]


class Data:
    """What data the server has from us.  `run` runs a command and writes its output to a file."""

    def __init__(
        self,
        target: Target,
        folder: str,
        run: Run,
        known: dict[str, str],
        note: Callable[[str], None],
    ) -> None:
        self.target = target
        self.folder = folder
        self.run = run
        self.note = note
        self.known = known  # by the server's data: key of what it holds
        self.settings: dict[str, Settings] = {}  # they were prepared with

    def ensure(self, settings: Settings) -> bool:
        """Prepare unless that has been done.  True if something was prepared."""
        if not settings.get("load.prepare", True):
            return False
        server, wanted = self.target.data(), key_of(settings)
        if self.known.get(server) == wanted:
            self.settings.setdefault(server, settings)
            return False
        self.remove()
        self.note("preparing the data of %s" % settings["load.script"])
        ended = self.command("prepare", settings)
        if client.failure(ended) and not client.has_no("prepare", ended.output):
            raise LabError(sentence(ended, self.target))
        self.known[server], self.settings[server] = wanted, settings
        return True

    def remove(self) -> None:
        """Remove what we prepared on the present server."""
        before = self.settings.pop(self.target.data(), None)
        self.known.pop(self.target.data(), None)
        if before is not None:
            ended = self.command("cleanup", before)
            if client.failure(ended) and not client.has_no("cleanup", ended.output):
                raise LabError("cleanup failed: %s" % client.failure(ended))

    def command(self, name: str, settings: Settings) -> Ended:
        argv = client.prepare_line(settings, self.target, name)
        return self.run(argv, Surroundings.of(settings), os.path.join(self.folder, name + ".txt"))


def key_of(settings: Settings) -> str:
    """Equal for cells that can share data."""
    script = str(settings["load.script"])
    family = "oltp" if FAMILY.fullmatch(os.path.basename(script)) else script
    shape = sorted(
        "%s=%s" % (k, mask.value(k, v)) for k, v in settings.items() if DATA.fullmatch(k)
    )
    return " ".join([family, *shape])


def sentence(ended: Ended, target: Target) -> str:
    text = "prepare failed: %s" % client.failure(ended)
    if re.search(r"already exists", ended.output) and target.kind != "private":
        text += "; load.prepare = false takes them as they are, sysbench's cleanup removes them"
    return text
