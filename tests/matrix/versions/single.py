# SPDX-License-Identifier: GPL-2.0-or-later
"""Places that are one server: what this system has, what other suites of Debian have."""

from __future__ import annotations

from versions.service import Service


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


SERVICES: list[type[Service]] = [
    Mariadb10,
    Mariadb11,
    Mysql9,
    Postgresql15,
    Postgresql17,
    Postgresql18,
]
