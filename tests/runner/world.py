# SPDX-License-Identifier: GPL-2.0-or-later
"""What every cram file sees of the world: programs in PATH, the environment, a tree of tests.

The temporary directory of a run holds

    bin/        sysbench, pstime, ... of the build under test
    home/NAME/  an empty HOME for each file
    tests/      include/ and data/ as in the source tree, and t/, where copies of the files run
    mysql/ pgsql/   the private servers
    stalls      the log of pulse.py
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

from sysbench_lab import owned
from sysbench_lab.servers import programs

from . import Bail
from .pulse import Pulse
from .servers import Servers, database, kind_of

# environment variables that pass through to the files
PASSED = re.compile(r"(LUA_PATH|([ATL]|UB)SAN_OPTIONS|DBSERVER_ENGINE|SB_NO_OWN_SERVER|SB_LONG)\Z")
PROGRAMS = ("pstime", "sysbench-flame", "burn_fp", "burn_nofp")


def find_binary(source: str) -> str:
    for path in (
        os.environ.get("SYSBENCH", ""),
        source + "/build/src/sysbench",
        source + "/build-check/src/sysbench",
        source + "/src/sysbench",
    ):
        if path and os.access(path, os.X_OK):
            return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    raise Bail("no sysbench binary; build first, or name it in SYSBENCH")


class World:
    """The temporary directory, what lies in it, and what runs beside the files."""

    def __init__(self, tests: str, source: str, cram: str, files: list[str]) -> None:
        self.source, self.cram = source, cram
        self.binary = find_binary(source)
        self.directory = owned.temporary("sb-cram-")
        self.tests = os.path.join(self.directory, "tests")
        self.include = os.path.join(tests, "include")
        os.chmod(self.directory, 0o711)  # servers may run as another user
        for name in ("bin", "home", "tests/t", "said"):
            os.makedirs(os.path.join(self.directory, name))
        for name in ("include", "data"):
            os.symlink(os.path.join(tests, name), os.path.join(self.tests, name))
        self.link_programs()
        # what dbserver keeps of the first server is the next one's beginning
        self.templates = os.environ.setdefault("DBSERVER_TEMPLATES", self.path("templates"))
        os.makedirs(self.templates, exist_ok=True)
        self.pulse = Pulse(os.path.join(self.directory, "stalls"))
        self.pulse.start()
        self.servers = Servers(files, self.directory, self.dbserver)

    @property
    def dbserver(self) -> str:
        return os.path.join(self.source, "scripts", "dbserver")

    def path(self, *names: str) -> str:
        return os.path.join(self.directory, *names)

    def link_programs(self) -> None:
        os.symlink(self.binary, self.path("bin", "sysbench"))
        for name in PROGRAMS:
            os.symlink(os.path.join(os.path.dirname(self.binary), name), self.path("bin", name))
        # the interpreter itself, since what PATH has may be a script that looks for it, and without
        # its site packages, which may take longer than the rest; who needs them calls site.main()
        with open(self.path("bin", "python3"), "w") as f:
            f.write('#!/bin/sh\nexec %s -S "$@"\n' % shlex.quote(sys.executable))
        os.chmod(self.path("bin", "python3"), 0o755)

    def environment(self, file: str, run: int, server: dict[str, str]) -> dict[str, str]:
        """What this file sees in this run, with that server."""
        name = os.path.basename(file)[:-2]
        home = self.path("home", "%s.%d" % (name, run))
        os.makedirs(home)
        env = {k: v for k, v in os.environ.items() if PASSED.match(k)}
        env.update(
            PATH=self.path("bin") + os.pathsep + programs.path(),
            HOME=home,
            TZ="UTC",
            LC_ALL="C",
            PYTHONDONTWRITEBYTECODE="1",
            XDG_CACHE_HOME=os.path.dirname(programs.cache()),
            SB_TESTS=self.tests,
            SB_SOURCE=self.source,
            SB_DBSERVER=self.dbserver,
            DBSERVER_TEMPLATES=self.templates,
            SB_PULSE=self.pulse.log,
        )
        kind = kind_of(file)
        if kind:
            env.update(self.servers.environment(kind, database(file, run), server))
        return env

    def word_lists(self, server: dict[str, str]) -> list[str]:
        """The expected output is that of libmariadb and MariaDB; other libraries and servers have
        other words: sed scripts that translate."""
        done = subprocess.run(
            [self.binary, "--version", "--verbose"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        driver = re.search(r"^driver: mysql \((.*)\)", done.stdout, re.M)
        library = driver.group(1) if driver else ""
        names = []
        if library.startswith("libmysqlclient"):
            names.append("words-library-mysql.sed")
        elif re.match(r"libmariadb 3\.[4-9]", library):
            names.append("words-library-mariadb-3.4.sed")
        if server.get("engine") == "mysql":
            names.append("words-server-mysql.sed")
        return [os.path.join(self.include, name) for name in names]

    def close(self) -> None:
        self.pulse.stop()
        self.servers.stop()
        owned.remove(self.directory, anyway=True)
