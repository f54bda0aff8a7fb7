# SPDX-License-Identifier: GPL-2.0-or-later
"""What kinds of server there are: how each is made, started and asked.

No client program is needed, and configuration files are never read.

MariaDB     Accounts and databases are made by an init file that the server runs before it lets
            anybody in, and "it answers" means that it greets on its socket (the greeting carries
            the version).  System tables come from mariadb-install-db.
MySQL       The same, but system tables are made by the server itself (--initialize-insecure); the
            account `root`, which that leaves without a password, is then tied to the OS user who
            started the server, or, where the plugin for that is missing, gets a password that
            nobody knows.
PostgreSQL  The role and the databases are made in single-user mode before the first start, and "it
            answers" means that it accepts our role in our database over the socket.  It refuses to
            run as root, so root starts it as `postgres` or `nobody`.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import re
import secrets
import signal
import socket
import struct
from typing import TYPE_CHECKING, Iterator, Sequence

from .. import LabError, failing, owned
from . import process, programs

if TYPE_CHECKING:
    from .instance import Instance


class Mariadb:
    """MariaDB; the others say in what they differ."""

    NAME, TITLE, PROGRAM = "mariadb", "MariaDB", "mariadbd"
    MISSING = "third_party/install-deps --server installs it"
    ASK: Sequence[str] = ("--no-defaults", "--version")
    VERSION = "MariaDB"  # what the program then says if it is one of this kind
    SEEING: Sequence[str] = ("PROCESS ON *.*",)  # rights to see what sessions do
    DRIVER = "mysql"  # of sysbench
    TRY: Sequence[str] = ("--no-defaults", "--datadir=/", "--help", "--verbose")
    POLITE: Sequence[int] = (signal.SIGTERM,)
    OS_USERS: Sequence[str] = ("mysql", "nobody", "root")  # whom to run as when started by root
    BECOMES_USER = True  # itself, after it has raised its limits
    OPTION = r"(?!-)|--(?:loose[-_])?([A-Za-z][\w-]*)"
    LONG = "long, --name=value"  # how options are to be written
    # What we set ourselves and record in the state file; passing it through would make that a lie.
    OWN_OPTIONS = {
        "no-defaults", "defaults-file", "datadir", "socket", "port", "pid-file", "bind-address",
        "log-error", "init-file", "user", "skip-networking", "help",
    }  # fmt: skip
    # What stands before the reason in the line of a log that says why the server gave up; the first
    # or the last one.
    ERROR, WHICH = r".*?\[ERROR\]\s*(\[[^]]*\]\s*)*(\S*(mariadbd|mysqld):\s*)?", 0

    def check_options(self, options: Sequence[str]) -> None:
        """Refuses options that would break the promise of a private, loopback-only server."""
        for arg in options:
            if not (m := re.match(self.OPTION, arg)):
                raise LabError("write server options %s, not '%s'" % (self.LONG, arg))
            if (m.group(1) or "").lower().replace("_", "-") in self.OWN_OPTIONS:
                name = arg.partition("=")[0]
                raise LabError("%s is set by dbserver itself and cannot be passed through" % name)

    def program(self, given: str | None) -> str:
        """Path of the server binary; the caller's wish first."""
        if not (path := given or programs.find(self.PROGRAM)):
            why = self.MISSING + programs.refused()
            raise LabError("no %s found; %s" % (self.PROGRAM, why))
        with failing("cannot run " + path):
            found = process.run_tool([path, *self.ASK])[1]
        if not re.search(self.VERSION, found, re.S):
            what = path, self.TITLE, found.strip()[:200]
            raise LabError("%s is not a %s server: %s" % what)
        return os.path.abspath(path)

    def try_options(self, program: str, options: Sequence[str]) -> None:
        """LabError in the server's words for one that it does not take; starts nothing.  What else
        it complains of without its data is none of an option's."""
        status, said = process.run_tool([program, *self.TRY, *options])
        why = (self.complaint(said) or "") if status else ""
        for option in options:
            name = option.lstrip("-").partition("=")[0]
            wanted = re.escape(name.replace("-", "_"))
            if re.search(r"\b%s\b" % wanted, why.replace("-", "_")):
                raise LabError("server.option.%s: %s" % (name, why))

    def run(self, inst: Instance, argv: Sequence[str], what: str, text: str = "") -> None:
        """Runs a program that makes data; what it prints goes to install.log."""
        path = [os.environ.get("PATH", os.defpath), os.path.dirname(inst.program)]
        path += ["/usr/sbin", "/usr/bin"]
        # our own TMPDIR may be closed to the server's OS user
        env = {**os.environ, "TMPDIR": inst.word("tmp"), "PATH": os.pathsep.join(path)}
        user = None if self.BECOMES_USER else inst.os_user
        become = functools.partial(process.become, user)
        status, out = process.run_tool(argv, text, cwd=inst.directory, env=env, preexec_fn=become)
        with open(inst.path("install.log"), "a") as f:
            f.write(out)
        if status != 0 or "ERROR:" in out or "FATAL:" in out:
            where = what, status, inst.path("install.log")
            raise LabError("%s failed (exit %d), see %s" % where)

    def initialise(self, inst: Instance) -> None:
        """Makes the system tables in an empty data directory."""
        directory = os.path.dirname(inst.program)
        beside = [directory, os.path.join(directory, "..", "bin")]
        if not (tool := programs.find("mariadb-install-db", "mysql_install_db", more=beside)):
            raise LabError("no mariadb-install-db found; " + self.MISSING)
        argv = [tool, "--no-defaults", "--datadir=" + inst.word("data"), "--skip-test-db"]
        argv.append("--auth-root-authentication-method=socket")
        argv.append("--auth-root-socket-user=" + self.admin(inst))
        argv += ["--skip-name-resolve", "--force"]  # a host name that does not resolve is fine
        self.run(inst, argv + user_option(inst), tool)

    def make_accounts(self, inst: Instance) -> None:
        """Makes role and databases, where the server does not make them at its start."""

    def first(self, inst: Instance) -> list[str]:
        """Statements that come before those of before_start()."""
        return []

    def before_start(self, inst: Instance) -> None:
        """Writes the statements that every start repeats; repeating them changes nothing."""
        lines = self.first(inst)
        lines += ["CREATE DATABASE IF NOT EXISTS `%s`;" % db for db in inst.databases]
        for host in ("localhost", "127.0.0.1", "::1"):
            who = "%s@%s" % (quoted(inst.user), quoted(host))
            lines.append("CREATE USER IF NOT EXISTS %s;" % who)
            lines.append("ALTER USER %s IDENTIFIED BY %s;" % (who, quoted(inst.password)))
            rights = ["ALL ON `%s`.*" % db.replace("_", "\\_") for db in inst.databases]
            rights += self.SEEING if inst.sees else ()
            lines += ["GRANT %s TO %s;" % (right, who) for right in rights]
        text = "\n".join([*lines, "FLUSH PRIVILEGES;"]) + "\n"
        owned.write(inst.path("init.sql"), text, 0o600, inst.os_user)

    def more(self, inst: Instance) -> list[str]:
        """Options before the caller's."""
        return []

    def command(self, inst: Instance) -> list[str]:
        """The server's command line."""
        argv = [inst.program, "--no-defaults", "--datadir=" + inst.path("data")]
        argv += ["--socket=" + inst.socket, "--pid-file=" + inst.path("run/mariadbd.pid")]
        argv += ["--log-error=" + inst.log, "--init-file=" + inst.path("init.sql")]
        argv += ["--tmpdir=" + inst.path("tmp"), "--skip-name-resolve", "--skip-log-bin"]
        tcp = ["--bind-address=127.0.0.1", "--port=%d" % inst.port]
        argv += tcp if inst.port else ["--skip-networking"]
        return argv + user_option(inst) + self.more(inst) + inst.options

    def probe(self, inst: Instance) -> str | None:
        """Version of the server when it answers on its socket, else None."""
        with socket.socket(socket.AF_UNIX) as s, contextlib.suppress(OSError):
            s.settimeout(5)
            s.connect(inst.socket)
            return self.greeting(inst, s)
        return None

    def greeting(self, inst: Instance, s: socket.socket) -> str | None:
        data = s.recv(512)
        if len(data) < 6 or data[4] != 10:  # 4 bytes of packet header, then protocol version 10
            return None
        version = data[5:].split(b"\0", 1)[0].decode("ascii", "replace")
        return version[6:] if version.startswith("5.5.5-") else version

    def arguments(self, inst: Instance, tcp: bool = False) -> list[str]:
        """The options with which sysbench reaches this server, by its socket or by TCP."""
        given = {"user": inst.user, "db": inst.databases[0], "password": inst.password}
        if os.path.exists(inst.password_file):
            given["password-file"] = inst.password_file
            del given["password"]
        who = ["--%s-%s=%s" % (self.DRIVER, k, v) for k, v in given.items() if v]
        return ["--db-driver=" + self.DRIVER, *self.address(inst, tcp), *who]

    def address(self, inst: Instance, tcp: bool) -> list[str]:
        by_port = ["--mysql-host=127.0.0.1", "--mysql-port=%d" % inst.port]
        return by_port if tcp else ["--mysql-socket=" + inst.socket]

    def admin(self, inst: Instance) -> str:
        """The account that may do everything, through the socket and by OS user only."""
        return pwd.getpwuid(os.geteuid()).pw_name

    def complaint(self, text: str) -> str | None:
        """The line of a log that says why the server gave up."""
        errors = [line for line in text.splitlines() if re.match(self.ERROR, line)]
        lines = [line for line in errors if not line.rstrip().endswith("Aborting")] or errors
        return re.sub(self.ERROR, "", lines[self.WHICH]) if lines else None


def user_option(inst: Instance) -> list[str]:
    return ["--user=" + inst.os_user.pw_name] if inst.os_user is not None else []


def quoted(text: str) -> str:
    """A value between quotes for an SQL statement."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


# ---- MySQL -----------------------------------------------------------------------


class Mysql(Mariadb):
    NAME, TITLE, PROGRAM = "mysql", "MySQL", "mysqld"
    SEEING = (*Mariadb.SEEING, "SELECT ON performance_schema.*")
    MISSING = "install MySQL's server package or give --server=PATH"
    VERSION = r"\A(?!.*MariaDB).*\bVer \d"  # MariaDB installs one of that name too
    OWN_OPTIONS = Mariadb.OWN_OPTIONS | {
        "initialize", "initialize-insecure", "mysqlx", "mysqlx-port", "mysqlx-socket",
        "plugin-load-add", "secure-file-priv",
    }  # fmt: skip

    def socket_plugin(self, inst: Instance) -> bool:
        """Does the server have the plugin that knows OS users?"""
        here = os.path.dirname(os.path.realpath(inst.program))
        places = ("../lib/plugin", "../lib/mysql/plugin", "../lib64/mysql/plugin")
        return any(os.path.exists(os.path.join(here, p, "auth_socket.so")) for p in places)

    def first(self, inst: Instance) -> list[str]:
        """The statement that closes the account which --initialize-insecure leaves open."""
        # the lock of a server that was killed counts while its process is not yet collected
        owned.unlink(inst.socket + ".lock")
        tied = "WITH auth_socket AS " + quoted(self.admin(inst))
        how = tied if self.socket_plugin(inst) else "BY " + quoted(secrets.token_hex(16))
        return ["ALTER USER 'root'@'localhost' IDENTIFIED %s;" % how]

    def initialise(self, inst: Instance) -> None:
        log = inst.path("install.log")
        argv = [inst.program, "--no-defaults", "--initialize-insecure", "--log-error=" + log]
        argv += ["--datadir=" + inst.path("data"), "--tmpdir=" + inst.path("tmp")]
        owned.write(log, "", 0o644, inst.os_user)
        self.run(inst, argv + user_option(inst), inst.program + " --initialize-insecure")

    def more(self, inst: Instance) -> list[str]:
        """No second protocol on a port of its own, nothing in /var/lib."""
        plugin = ["--plugin-load-add=auth_socket=auth_socket.so"] * self.socket_plugin(inst)
        return ["--mysqlx=OFF", "--secure-file-priv=" + inst.path("tmp"), *plugin]


# ---- PostgreSQL ------------------------------------------------------------------


class Postgresql(Mariadb):
    NAME, TITLE, PROGRAM = "postgresql", "PostgreSQL", "postgres"
    MISSING = "third_party/install-deps --test gets it"
    ASK = ("--version",)
    TRY = ("-C", "port", "-D", "/", "-c", "config_file=/dev/null")
    VERSION = "^postgres"
    DRIVER = "pgsql"
    # Fast shutdown drops the clients; the polite one would wait for them.  SIGQUIT ends
    # the whole family at once, SIGKILL only the parent, so it comes last.
    POLITE = (signal.SIGINT, signal.SIGQUIT)
    OS_USERS = ("postgres", "nobody")
    BECOMES_USER = False  # it refuses to start as root
    OPTION = r"(?:--|-c\s*)([A-Za-z][\w.-]*)="
    LONG = "as --name=value"
    OWN_OPTIONS = {
        "listen-addresses", "port", "unix-socket-directories", "data-directory", "hba-file",
        "ident-file", "external-pid-file", "config-file",
    }  # fmt: skip
    ERROR, WHICH = r".*?(FATAL|PANIC):\s*", -1

    def initialise(self, inst: Instance) -> None:
        beside = os.path.join(os.path.dirname(inst.program), "initdb")
        initdb = beside if os.access(beside, os.X_OK) else programs.find("initdb")
        if not initdb:
            raise LabError("no initdb found beside %s" % inst.program)
        argv = [initdb, "-D", inst.path("data"), "-U", self.admin(inst), "-A", "peer"]
        self.run(inst, [*argv, "-E", "UTF8", "--locale=C", "--no-sync"], "initdb")

    def make_accounts(self, inst: Instance) -> None:
        if inst.user == self.admin(inst):
            text = "the role '%s' is the server's owner already; choose another --db-user"
            raise LabError(text % inst.user)
        password = " PASSWORD '%s'" % inst.password.replace("'", "''") if inst.password else ""
        sql = ['CREATE ROLE "%s" LOGIN%s\n' % (inst.user, password)]
        sql += ['CREATE DATABASE "%s" OWNER "%s"\n' % (db, inst.user) for db in inst.databases]
        sql += ['GRANT pg_monitor TO "%s"\n' % inst.user] * inst.sees
        argv = [inst.program, "--single", "-D", inst.path("data"), "postgres"]
        self.run(inst, argv, "creating the role and databases", "".join(sql))

    def before_start(self, inst: Instance) -> None:
        """Who may come in: the owner of the server by OS user, our role from this host."""
        owner = self.admin(inst)
        method = "md5" if inst.password else "trust"  # md5 also accepts SCRAM passwords
        dbs = ",".join('"%s"' % db for db in inst.databases)
        rules = ['local all "%s" peer map=owner' % owner]
        for kind, address in (("local", ""), ("host", "127.0.0.1/32")):
            rules.append('%s %s "%s" %s %s' % (kind, dbs, inst.user, address, method))
        who = {owner, "root", super().admin(inst)}
        found = {"hba": rules, "ident": ['owner "%s" "%s"' % (name, owner) for name in sorted(who)]}
        for name, lines in found.items():
            path = inst.path("data/pg_%s.conf" % name)
            owned.write(path, "\n".join(lines) + "\n", 0o600, inst.os_user)

    def command(self, inst: Instance) -> list[str]:
        """Its socket's name holds the port, even without TCP."""
        settings = {
            "listen_addresses": "127.0.0.1" if inst.port else "",
            "port": inst.socket_port(),
            "unix_socket_directories": os.path.dirname(inst.socket),
            "logging_collector": "off",
        }
        given = [word for pair in settings.items() for word in ("-c", "%s=%s" % pair)]
        return [inst.program, "-D", inst.path("data"), *given, *inst.options]

    def admin(self, inst: Instance) -> str:
        """The superuser role: named like the OS user that the server runs as."""
        return inst.os_user.pw_name if inst.os_user is not None else super().admin(inst)

    def address(self, inst: Instance, tcp: bool) -> list[str]:
        """libpq takes a directory as host."""
        host = "127.0.0.1" if tcp else os.path.dirname(inst.socket)
        return ["--pgsql-host=" + host, "--pgsql-port=%d" % inst.socket_port()]

    def greeting(self, inst: Instance, s: socket.socket) -> str | None:
        """When it lets our role in, or asks its password."""
        who = b"user\0%b\0database\0%b\0\0" % (inst.user.encode(), inst.databases[0].encode())
        s.sendall(struct.pack(">II", 8 + len(who), 3 << 16) + who)  # protocol 3.0
        for kind, body in messages(s):
            if kind == b"E":
                return None
            if kind == b"R" and body[:4] != b"\0\0\0\0":  # wants a password
                # The version as the program itself tells it.
                m = re.search(r"\d[\w.]*", process.run_tool([inst.program, *self.ASK])[1])
                return m.group(0) if m else "unknown"
            if kind == b"S" and body.startswith(b"server_version\0"):
                s.sendall(b"X\0\0\0\4")
                return body.split(b"\0")[1].decode("ascii", "replace")
        return None


def messages(sock: socket.socket) -> Iterator[tuple[bytes, bytes]]:
    """Yields (type, body) of the server's messages until the connection ends."""
    with sock.makefile("rb") as f:
        while len(head := f.read(5)) == 5:
            kind, size = struct.unpack(">cI", head)
            body = f.read(size - 4)
            yield kind, body


OTHER_NAMES = {"postgres": "postgresql", "pgsql": "postgresql"}  # sysbench's, of --db-driver
ENGINES: dict[str, Mariadb] = {e.NAME: e for e in (Mariadb(), Mysql(), Postgresql())}
