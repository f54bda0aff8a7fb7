# SPDX-License-Identifier: GPL-2.0-or-later
"""The private servers that the cram files share: one MariaDB (or what DBSERVER_ENGINE names) for
the files named *_mysql.t, one PostgreSQL for *_pgsql.t.

Each file has two empty databases in its server: one for its run, one for a second run.  A file with
a line that begins with `Own server` has a server for itself, since it counts what a whole server
does, or stops it.  Servers start in the background, while files that need none run already.
SB_MYSQL_SERVER and SB_PGSQL_SERVER name files that describe servers which run already (dbserver
--prefix=mysql_, --prefix=pgsql_), with one database per file in them.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import re
import shlex
import subprocess
from typing import Iterator

from . import Bail

EACH = "_each.t"

# fast rather than durable
OPTIONS = {
    "mysql": [
        "--max-connections=600",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=2",
    ],
    "pgsql": ["--max_connections=600", "--fsync=off"],
}


def kind_of(path: str) -> str | None:
    """mysql, pgsql, or None for a file that needs no server."""
    match = re.search(r"_(mysql|pgsql)\.t$", path)
    return match.group(1) if match else None


def each_kind(path: str) -> list[str]:
    """A file that runs once for each kind of server is two: find_each.t is find_mysql.t, with its
    text, and find_pgsql.t."""
    if not path.endswith(EACH):
        return [path]
    return [path[: -len(EACH)] + "_%s.t" % kind for kind in sorted(OPTIONS)]


def source_of(path: str) -> str:
    """The file that has the text."""
    return path if os.path.exists(path) else re.sub(r"_(mysql|pgsql)\.t$", EACH, path)


def database(path: str, run: int = 1) -> str:
    """A file's own database: its name, reduced to what a database may be called."""
    name = "sbt_" + re.sub(r"[^A-Za-z0-9]", "_", os.path.basename(path)[:-2])
    return name if run == 1 else "%s_%d" % (name, run)


def wants_own(path: str) -> bool:
    """Does the file say that it needs a server for itself?"""
    with open(source_of(path), errors="replace") as f:
        return kind_of(path) is not None and re.search(r"^Own server", f.read(), re.M) is not None


def needed(kind: str, found: dict[str, str]) -> dict[str, str]:
    """A description, unless it is empty and must not be."""
    if not found and kind == "mysql" and os.environ.get("SB_NEED_SERVER"):
        raise Bail("the private MariaDB does not start")
    return found


class Server:
    """One of them: what is known of it once it answers."""

    def __init__(self, kind: str, directory: str, dbserver: str) -> None:
        self.kind, self.directory, self.dbserver = kind, directory, dbserver
        self.given = os.environ.get("SB_%s_SERVER" % kind.upper())
        self.engine = (
            (os.environ.get("DBSERVER_ENGINE") or "mariadb") if kind == "mysql" else "postgresql"
        )

    def start(self, databases: list[str]) -> dict[str, str]:
        """Its description; empty when it does not start, which is said."""
        if self.given:
            with open(self.given) as f:
                return self.parse(f.read())
        os.mkdir(self.directory, 0o711)
        done = subprocess.run(
            [
                self.dbserver,
                "start",
                "--engine=" + self.engine,
                "--dir=" + self.directory,
                "--prefix=%s_" % self.kind,
                "--db=" + ",".join(databases),
                "--",
            ]
            + OPTIONS[self.kind],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            return self.parse(done.stdout)
        for line in done.stderr.splitlines():
            print("# " + line, flush=True)
        return {}

    def parse(self, text: str) -> dict[str, str]:
        found = re.findall(r"^%s_(\w+)=(.*)$" % self.kind, text, re.M)
        return {name: "".join(shlex.split(value)) for name, value in found}

    def stop(self) -> None:
        if os.path.exists(os.path.join(self.directory, "dbserver.json")):
            subprocess.call([self.dbserver, "stop", "--dir=" + self.directory])


class Servers:
    """Those that the given files need."""

    def __init__(self, files: list[str], directory: str, dbserver: str) -> None:
        self.directory, self.dbserver = directory, dbserver
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.servers: dict[str, Server] = {}
        self.starts: dict[str, concurrent.futures.Future[dict[str, str]]] = {}
        if os.environ.get("SB_NO_SERVER"):
            return
        for kind in sorted(OPTIONS):
            mine = [f for f in files if kind_of(f) == kind and not self.own_possible(f)]
            if mine:
                server = self.servers[kind] = Server(kind, os.path.join(directory, kind), dbserver)
                names = [database(f, run) for f in mine for run in (1, 2)]
                self.starts[kind] = self.pool.submit(server.start, names)

    def description(self, kind: str) -> dict[str, str]:
        """Of the server of that kind, once it has started; empty when there is none."""
        start = self.starts.get(kind)
        return needed(kind, start.result()) if start else {}

    def own_possible(self, path: str) -> bool:
        """Does the file get a server for itself?  Not where servers are given, which it shares."""
        kind = kind_of(path)
        given = os.environ.get("SB_%s_SERVER" % kind.upper()) if kind else None
        return not given and "SB_NO_SERVER" not in os.environ and wants_own(path)

    @contextlib.contextmanager
    def own(self, path: str, run: int) -> Iterator[dict[str, str]]:
        """Its description while the file runs; empty when it does not start."""
        kind = kind_of(path)
        assert kind
        name = database(path, run)
        server = Server(kind, os.path.join(self.directory, name), self.dbserver)
        try:
            yield needed(kind, server.start([name]))
        finally:
            server.stop()

    def second_database(self, kind: str | None) -> bool:
        """May a file of that kind run twice?  Those who give a server made one database a file."""
        return kind is None or kind not in self.servers or not self.servers[kind].given

    def environment(self, kind: str, name: str, found: dict[str, str]) -> dict[str, str]:
        """What a file with this database learns about its server."""
        upper, user, port = kind.upper(), found["user"], found["port"]
        args = "--db-driver=%s" % kind
        more = "--%s-user=%s --%s-db=%s" % (kind, user, kind, name)
        tcp = "%s --%s-host=127.0.0.1 --%s-port=%s %s" % (args, kind, kind, port, more)
        if kind == "mysql":
            args += " --mysql-socket=%s %s" % (found["socket"], more)
            place = {"SB_MYSQL_SOCKET": found["socket"]}
        else:
            directory = os.path.dirname(found["socket"])
            args += " --pgsql-host=%s --pgsql-port=%s %s" % (directory, port, more)
            place = {"SB_PGSQL_HOST": directory}
        own = {
            "ARGS": args,
            "TCP_ARGS": tcp,
            "PORT": port,
            "USER": user,
            "ADMIN": found["admin"],
            "DB": name,
            "PID": found["pid"],
        }
        env = {"SB_%s_%s" % (upper, key): value for key, value in own.items()}
        return dict(place, DB=kind, SB_ARGS=args, **env)

    def stop(self) -> None:
        for kind, start in self.starts.items():
            concurrent.futures.wait([start])
            self.servers[kind].stop()
        self.pool.shutdown()
