# SPDX-License-Identifier: GPL-2.0-or-later
"""Places that are one server: what this system has, what other suites of Debian have, and Dolt."""

from __future__ import annotations

import contextlib
import os

from sysbench_lab.servers import programs
from sysbench_lab.servers.process import free_port
from versions.service import Missing, Service


class Single(Service):
    """One server; the fault is its restart."""

    engine = "mariadb"

    def start(self) -> None:
        self.one = self.server(self.engine, suite=self.suite, packages=self.packages)
        self.title = self.one.version
        self.options = self.direct = self.one.env["args"].split()

    def fault(self) -> str | None:
        self.one.restart()
        return "server restarted"


class Mariadb10(Single):
    name, process = "mariadb-10.11", "mariadbd"


class Mariadb11(Mariadb10):
    name, suite, packages = "mariadb-11.8", "trixie", ["mariadb-server"]


class Mysql9(Single):
    name, process, engine = "mysql-9", "mysqld", "mysql"
    suite, packages = "unstable", ["mysql-server-core", "openssl"]


class Postgresql15(Single):
    name, process, engine, kind = "postgresql-15", "postgres", "postgresql", "pgsql"


class Postgresql17(Postgresql15):
    name, suite, packages = "postgresql-17", "trixie", ["postgresql"]


class Postgresql18(Postgresql15):
    name, suite, packages = "postgresql-18", "unstable", ["postgresql"]


class Dolt(Service):
    """A server that speaks MySQL's protocol and shares no code with it, a Go module."""

    name, process = "dolt", "dolt"
    lacks = {
        "Queries": "it has no such counter",
        "tpcc": "Dolt refuses a text whose last blank MySQL cuts off (h_data)",
    }
    MODULE = "github.com/dolthub/dolt/go"
    VERSION = "v0.40.5-0.20260424001550-011a27ff4303"

    def built(self) -> str:
        self.place = place = self.root(None)
        go = programs.find("go")
        program = place.path("dolt/dolt")
        if os.path.exists(program):
            return program
        if not go:
            raise Missing("go is not installed")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place.path("dolt/go.mod"))
        path = {"PATH": os.path.dirname(go) + ":/usr/bin:/bin"}
        package = self.MODULE + "/cmd/dolt"
        for words in (
            ["mod", "init", "dolt"],
            ["get", package + "@" + self.VERSION],
            ["build", "-tags", "gms_pure_go", "-o", program, package],
        ):
            what = "go " + words[0]
            place.must(what, False, [go, *words], self.log, env=path, cwd=place.path("dolt"))
        return program

    def start(self) -> None:
        dolt, self.port = self.built(), free_port()
        data = self.folder + "/data/sbtest"
        os.makedirs(data, exist_ok=True)
        self.dolt = ["env", "DOLT_ROOT_PATH=" + self.folder, dolt]
        who = ["--name=matrix", "--email=matrix@localhost"]
        self.place.must("dolt init", False, [*self.dolt, "init", *who], self.log, cwd=data)
        self.title = "Dolt " + self.version([*self.dolt, "version"])
        self.serve()
        self.options = ["--db-driver=mysql", "--mysql-user=root", "--mysql-db=sbtest"]
        self.options += ["--mysql-host=127.0.0.1", "--mysql-port=%d" % self.port]
        self.direct = self.options

    def serve(self) -> None:
        how = ["--host=127.0.0.1", "--port=%d" % self.port, "--data-dir=" + self.folder + "/data"]
        self.end = self.spawn("dolt", [*self.dolt, "sql-server", *how], port=self.port)

    def fault(self) -> str | None:
        self.end()
        self.serve()
        return "server restarted"
