# SPDX-License-Identifier: GPL-2.0-or-later
"""The private servers, started by scripts/dbserver inside or outside."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from typing import Sequence

from lib.cram_servers import OPTIONS
from sblab import LabError
from sysbench_lab import owned
from sysbench_lab.servers.engines import ENGINES
from versions import SOURCE
from versions.place import Place, end_namespace


class Server:
    """A server of this matrix, described in DIRECTORY/run/NAME.env."""

    def __init__(
        self,
        place: Place,
        name: str,
        engine: str,
        inside: bool,
        log: str,
        options: Sequence[str] = (),
    ) -> None:
        self.place, self.name, self.engine, self.inside, self.log = place, name, engine, inside, log
        self.kind = "pgsql" if engine == "postgresql" else "mysql"
        self.options = [*OPTIONS[self.kind], *options]
        self.directory = place.path("run/" + name)
        self.described = place.path("run/%s.env" % name)
        self.note = place.path("run/%s.namespace" % name)

    def command(self, *argv: str, note: str | None = None) -> list[str]:
        tool = ("/src" if self.inside else SOURCE) + "/scripts/dbserver"
        return self.place.argv(self.inside, [tool] + list(argv), note)

    def start(self, databases: Sequence[str] = ("sbtest",)) -> None:
        if os.path.exists(self.directory):
            self.stop()
        how = ["--engine=" + self.engine, "--db=" + ",".join(databases), "--", *self.options]
        self.tell("start", *how)

    def restart(self) -> None:
        self.tell("restart")

    def tell(self, *words: str) -> None:
        where = ["--dir=" + self.directory, "--prefix=%s_" % self.kind]
        argv = self.command(words[0], *where, *words[1:], note=self.note)
        with open(self.described, "w") as f, open(self.place.path(self.log), "a") as log:
            if subprocess.call(argv, stdin=subprocess.DEVNULL, stdout=f, stderr=log) != 0:
                raise LabError("%s does not start, see %s" % (self.name, self.place.path(self.log)))
        with open(self.described) as f:
            self.env = dict(re.findall(r"^%s_(\w+)='?(.*?)'?$" % self.kind, f.read(), re.M))

    @property
    def version(self) -> str:
        """In words, "MariaDB 11.8.9"."""
        return "%s %s" % (ENGINES[self.engine].TITLE, re.sub(r"[^\d.].*", "", self.env["version"]))

    def stop(self) -> None:
        argv = self.command("stop", "--dir=" + self.directory, "--remove")
        with open(self.place.path(self.log), "a") as log:
            subprocess.call(argv, stdout=log, stderr=log)
        end_namespace(self.note)  # a start that was interrupted
        owned.remove(self.directory, "../" + owned.MARK, anyway=True)
        for file in (self.note, self.described):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)

    def variables(self) -> dict[str, str]:
        """What the unit tests and tests/cram want to know."""
        e, kind = self.env, self.kind.upper()
        host = "127.0.0.1" if self.kind == "mysql" else os.path.dirname(e["socket"])
        what = {**e, "host": host, "db": "sbtest"}
        names = ("socket", "host", "port", "user", "db", "pid")
        env = {"SB_TEST_%s_%s" % (kind, n.upper()): what[n] for n in names}
        return {**env, "SB_%s_SERVER" % kind: self.described}
