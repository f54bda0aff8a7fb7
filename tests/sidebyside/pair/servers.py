# SPDX-License-Identifier: GPL-2.0-or-later
"""The private servers of the comparison, and what they saw.

Each server writes every statement into a log.  A run asks for the part of the log that
was written meanwhile by connections to its own database, as lines that no longer depend
on the moment: connections are numbered in the order of their appearance, times are gone,
long texts keep their beginning, their length and a checksum.  Tables are described by
their columns and indexes and by a checksum of their rows in the order of their values.
The servers' own client programs read the tables, so that neither of the two programs
under test has a say in it.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from typing import Callable, Sequence

from lib import harness
from sblab import LabError
from sysbench_lab.servers.instance import Instance

from . import PairError

DATABASES = ["sbpair0", "sbpair1"]  # one for each command that may run at a time
ENDS = ("Quit", "disconnect")
END_OF_ROWS = "-- end of rows --"
LONG = 200  # longer texts are cut in the log
OPTIONS = {
    "mariadb": [
        "--max-connections=300",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=2",
        "--general-log=1",
        "--general-log-file=sql.log",
        "--log-output=FILE",
    ],
    "postgresql": [
        "--max_connections=100",
        "--fsync=off",
        "--log_min_duration_statement=0",
        "--log_connections=on",
        "--log_disconnections=on",
        "--log_line_prefix=%p|%d|",
    ],
}


def shorten(text: str) -> str:
    """Long statements by their beginning, length and checksum."""
    if len(text) <= LONG:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return "%s... (%d characters, sha256 %s)" % (text[:80], len(text), digest[:32])


def one_line(text: str) -> str:
    """Line ends within a statement, as they are in the text that was sent."""
    return shorten(text.rstrip("\n").replace("\n", "\\n"))


class Server:
    """What both kinds of server have in common, and what each says of itself."""

    engine: str
    prefix: str  # of the names of variables
    variables: dict[str, str]  # in command lines, behind the prefix
    entry: re.Pattern[str]  # the beginning of one in the log
    empty: str  # statements
    list_tables: str
    describe: str
    rows = "SELECT * FROM %(t)s ORDER BY 1, 2"
    told: Callable[[Sequence[str]], list[str]]  # the words that have its client execute them
    # what an entry says, None if it is not of the database; who is connected, and who ever was
    line: Callable[[re.Match[str], str, str, set[str], set[str]], str | None]

    def __init__(self) -> None:
        try:
            self.instance = harness.started(
                Instance.create_temporary(
                    engine=self.engine, options=OPTIONS[self.engine], databases=DATABASES
                )
            )
        except LabError as e:
            raise PairError(str(e)) from e

    @property
    def log(self) -> str:
        return self.instance.log

    def stop(self) -> None:
        harness.ended(self.instance)

    def values(self, database: str) -> dict[str, str]:
        i, port = self.instance, str(self.instance.socket_port())
        where = {"socket": i.socket, "directory": os.path.dirname(i.socket)}
        values = {**where, "port": port, "user": i.user, "db": database}
        named = {k: text % values for k, text in self.variables.items()}
        return {self.prefix + k: text for k, text in named.items()}

    def names(self, database: str) -> list[tuple[str, str]]:
        """Texts of this machine that may show in output, and what stands for them."""
        port, stands = self.instance.socket_port(), "$" + self.prefix
        return [
            (self.instance.socket, stands + "SOCKET"),
            ("port %d" % port, "port %sPORT" % stands),
            (database, stands + "DB"),
        ]

    def clear(self, database: str) -> None:
        """An empty database."""
        self.ask(database, self.empty % {"db": database})

    @classmethod
    def parse(cls, text: str, database: str) -> tuple[list[str], bool]:
        """The entries of a database, and whether somebody is still connected to it."""
        ours: set[str] = set()
        alive: set[str] = set()
        out = []
        entries = list(cls.entry.finditer(text))
        for m, following in zip(entries, [*entries[1:], None]):
            said = text[m.end() : following.start() if following else len(text)]
            line = cls.line(m, said, database, ours, alive)
            if line is not None:
                out.append((m.group(1), line))
        return cls.numbered(out), bool(alive)

    def ask(self, database: str, statement: str) -> list[str]:
        """Rows of a statement, tab-separated, one a line."""
        return self.ask_all(database, [statement])[0]

    def ask_all(self, database: str, statements: Sequence[str]) -> list[list[str]]:
        """The rows of each statement; one call of the client, which takes longer than they do."""
        texts = [t for s in statements for t in (s, "SELECT '%s'" % END_OF_ROWS)]
        words = harness.client(self.instance, self.instance.user, database) + self.told(texts)
        out = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
        if out.returncode != 0:
            raise PairError("the client says: %s" % out.stderr.decode(errors="replace").strip())
        rows: list[list[str]] = [[]]
        for line in out.stdout.decode("utf-8", "backslashreplace").split("\n")[:-1]:
            if line == END_OF_ROWS:
                rows.append([])
            else:
                rows[-1].append(line)
        return rows[:-1]

    def log_position(self) -> int:
        try:
            return os.path.getsize(self.log)
        except OSError:
            return 0

    def seen(self, database: str, since: int) -> list[str]:
        """The log of a database since a position, once its connections have ended."""
        deadline = time.monotonic() + 20  # a busy machine
        while True:
            with open(self.log, "rb") as f:
                f.seek(since)
                text = f.read().decode("utf-8", "backslashreplace")
            lines, still_open = self.parse(text, database)
            if not still_open or time.monotonic() > deadline:
                return lines
            time.sleep(0.02)

    @staticmethod
    def numbered(entries: Sequence[tuple[str, str]]) -> list[str]:
        """Lines of (connection, text); connections count from 1, those that say nothing are `idle`.

        The client does not wait for the server to close a statement or a connection, so the log
        has these lines at some later time.  Here the former follow the line of their connection
        that came before, the latter are the last ones, in the order of their numbers.

        Our own look at the tables' sizes is left out (small-tables in docs/differences.md).
        """
        ours = (" 1, MAX(id) FROM sbtest1", " SET STATEMENT lock_wait_timeout = 0,")
        entries = [e for e in entries if not any(text in e[1] for text in ours)]
        talking = {
            who
            for who, said in entries
            if said not in ENDS and not said.lower().startswith("connect")
        }
        numbers: dict[str, str] = {}
        last: dict[str, int] = {}
        out: list[str] = []
        ends: list[str] = []
        for who, said in entries:
            if who in talking:
                numbers.setdefault(who, "%d" % (len(numbers) + 1))
            line = "%s %s" % (numbers.get(who, "idle"), said)
            if said in ENDS:
                ends.append(line)
                continue
            if said == "Close stmt":
                out.insert(last[who] + 1, line)
                last = {w: at + (at > last[who]) for w, at in last.items()}
                last[who] += 1
            else:
                last[who] = len(out)
                out.append(line)
        return out + sorted(ends)

    def tables(self, database: str) -> list[str]:
        """Description of all tables, by name."""
        tables = self.ask(database, self.list_tables)
        if not tables:
            return []
        asked = [text % {"t": table} for table in tables for text in (self.describe, self.rows)]
        answers = self.ask_all(database, asked)
        out = []
        for table, described, rows in zip(tables, answers[::2], answers[1::2]):
            out.append("table " + table)
            out += ["  " + line for line in described]
            digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
            out.append("  %d rows, sha256 %s" % (len(rows), digest))
        return out


class MariaDB(Server):
    engine, prefix = "mariadb", "MY"
    variables = {
        "SQL": "--db-driver=mysql --mysql-socket=%(socket)s --mysql-user=%(user)s"
        " --mysql-db=%(db)s",
        "SOCKET": "%(socket)s",
        "PORT": "%(port)s",
        "USER": "%(user)s",
        "DB": "%(db)s",
    }
    empty = "DROP DATABASE %(db)s; CREATE DATABASE %(db)s"
    list_tables = "SHOW TABLES"
    describe = (
        "SELECT column_name, column_type, is_nullable, column_default, extra"
        " FROM information_schema.columns WHERE table_schema = DATABASE()"
        " AND table_name = '%(t)s' ORDER BY ordinal_position;"
        " SELECT index_name, non_unique, seq_in_index, column_name"
        " FROM information_schema.statistics WHERE table_schema = DATABASE()"
        " AND table_name = '%(t)s' ORDER BY index_name, seq_in_index;"
        " SELECT 'engine', engine, 'next id', auto_increment FROM information_schema.tables"
        " WHERE table_schema = DATABASE() AND table_name = '%(t)s'"
    )
    entry = re.compile(
        r"(?:^\d{6} +\d+:\d\d:\d\d)?\t+ *(\d+) "
        r"(Connect|Query|Prepare|Execute|Close stmt|Reset stmt|Long Data|Fetch|Quit|"
        r"Init DB|Ping|Statistics|Field List|Change user|Reset connection|Kill)\t",
        re.M,
    )

    @property
    def log(self) -> str:
        return self.instance.path("data/sql.log")

    @staticmethod
    def told(statements: Sequence[str]) -> list[str]:
        return ["--raw", "-e", ";\n".join(statements)]

    @staticmethod
    def line(
        m: re.Match[str], said: str, database: str, ours: set[str], alive: set[str]
    ) -> str | None:
        who, what = m.groups()
        if what == "Connect" and " on %s " % database in said:
            ours.add(who)
            alive.add(who)
        if who not in ours:
            return None
        if what == "Quit":
            alive.discard(who)
        return ("%s %s" % (what, one_line(said.replace(database, "$MYDB")))).rstrip()


class PostgreSQL(Server):
    engine, prefix = "postgresql", "PG"
    variables = {
        "SQL": "--db-driver=pgsql --pgsql-host=%(directory)s --pgsql-port=%(port)s"
        " --pgsql-user=%(user)s --pgsql-db=%(db)s",
        "HOST": "%(directory)s",
        "PORT": "%(port)s",
        "USER": "%(user)s",
        "DB": "%(db)s",
    }
    empty = "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public"
    list_tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    describe = (
        "SELECT column_name, data_type, character_maximum_length, is_nullable,"
        " column_default FROM information_schema.columns WHERE table_name = '%(t)s'"
        " ORDER BY ordinal_position;"
        " SELECT indexdef FROM pg_indexes WHERE tablename = '%(t)s' ORDER BY indexname"
    )
    entry = re.compile(
        r"^(\d+)\|([^|\n]*)\|(LOG|DETAIL|ERROR|FATAL|STATEMENT|HINT|WARNING): +", re.M
    )

    @staticmethod
    def told(statements: Sequence[str]) -> list[str]:
        return [word for s in statements for word in ("-c", s)]

    @staticmethod
    def line(
        m: re.Match[str], said: str, database: str, ours: set[str], alive: set[str]
    ) -> str | None:
        who, db, level = m.groups()
        if db != database:
            return None
        said = said.replace("\n\t", "\n").replace(database, "$PGDB")
        said = re.sub(r"(sbstmt[-0-9]+)_[0-9a-f]{16}", r"\1", said)  # unique to each run
        if said.startswith("connection authorized"):
            alive.add(who)
            ours.add(who)
            said = "connect"  # the application's name is not compared
        elif who not in ours:  # the end of one that came before
            return None
        elif said.startswith("disconnection"):
            alive.discard(who)
            said = "disconnect"
        said = re.sub(r"^duration: \d+\.\d+ ms +", "", said)
        said = re.sub(r"^Parameters: ", "parameters: ", said)  # from PostgreSQL 17 on
        return ("" if level == "LOG" else level.lower() + " ") + one_line(said)


KINDS = {"mariadb": MariaDB, "postgresql": PostgreSQL}
