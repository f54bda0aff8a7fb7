# SPDX-License-Identifier: GPL-2.0-or-later
"""PostgreSQL as a private server.

No client program is needed: the role and the databases are made in single-user
mode before the first start, and "it answers" means that it accepts our role in
our database over the socket.  PostgreSQL refuses to run as root, so root starts
it as `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import re
import signal
import socket
import struct
from typing import TYPE_CHECKING, Iterator, Sequence

from .. import LabError
from . import process, programs

if TYPE_CHECKING:
    from .instance import Instance

NAME = "postgresql"
# Fast shutdown drops the clients; the polite one would wait for them.  SIGQUIT ends
# the whole family at once, SIGKILL only the parent, so it comes last.
POLITE = (signal.SIGINT, signal.SIGQUIT)
OS_USERS = ("postgres", "nobody")
OWN_OPTIONS = {
    "listen-addresses", "port", "unix-socket-directories", "data-directory", "hba-file",
    "ident-file", "external-pid-file", "config-file",
}  # fmt: skip


def check_options(options: Sequence[str]) -> None:
    """Refuses options that would break the promise of a private, loopback-only server."""
    for arg in options:
        m = re.match(r"(?:--|-c\s*)([A-Za-z][\w.-]*)=", arg)
        if not m:
            raise LabError("write server options as --name=value, not '%s'" % arg)
        if m.group(1).lower().replace("_", "-") in OWN_OPTIONS:
            raise LabError("%s is set by dbserver itself and cannot be passed through" % m.group(1))


def program(given: str | None) -> str:
    """Path of the server binary; the caller's wish first."""
    path = given or programs.find("postgres")
    if not path:
        raise LabError("no postgres found; third_party/install-deps --test gets it")
    if not os.access(path, os.X_OK):
        raise LabError("cannot run %s" % path)
    return os.path.abspath(path)


def run(inst: Instance, argv: Sequence[str], text: str, what: str) -> None:
    """Runs one of PostgreSQL's tools as the server's OS user; output goes to install.log."""
    status, out = process.run_tool(argv, text, inst.os_user, inst.directory)
    with open(inst.path("install.log"), "a") as f:
        f.write(out)
    if status != 0 or "ERROR:" in out or "FATAL:" in out:
        raise LabError("%s failed (exit %d), see %s" % (what, status, inst.path("install.log")))


def initialise(inst: Instance) -> None:
    """Makes the cluster in an empty data directory."""
    beside = os.path.join(os.path.dirname(inst.program), "initdb")
    initdb = beside if os.access(beside, os.X_OK) else programs.find("initdb")
    if not initdb:
        raise LabError("no initdb found beside %s" % inst.program)
    data = inst.path("data")
    argv = [initdb, "-D", data, "-U", admin(inst), "-A", "peer", "-E", "UTF8", "--locale=C"]
    run(inst, [*argv, "--no-sync"], "", "initdb")


def make_accounts(inst: Instance) -> None:
    """Makes the role and the databases."""
    if inst.user == admin(inst):
        text = "the role '%s' is the server's owner already; choose another --db-user"
        raise LabError(text % inst.user)
    password = " PASSWORD '%s'" % inst.password.replace("'", "''") if inst.password else ""
    sql = ['CREATE ROLE "%s" LOGIN%s' % (inst.user, password)]
    sql += ['CREATE DATABASE "%s" OWNER "%s"' % (db, inst.user) for db in inst.databases]
    argv = [inst.program, "--single", "-D", inst.path("data"), "postgres"]
    run(inst, argv, "\n".join(sql) + "\n", "creating the role and databases")


def before_start(inst: Instance) -> None:
    """What has to be there before each start."""
    # Who may come in: the owner of the server by OS user, our role from this host.
    owner = admin(inst)
    method = "md5" if inst.password else "trust"  # md5 also accepts SCRAM passwords
    dbs = ",".join('"%s"' % db for db in inst.databases)
    rules = ['local all "%s" peer map=owner' % owner]
    for kind, address in (("local", ""), ("host", "127.0.0.1/32")):
        rules.append('%s %s "%s" %s %s' % (kind, dbs, inst.user, address, method))
    with open(inst.path("data/pg_hba.conf"), "w") as f:
        f.write("\n".join(rules) + "\n")
    with open(inst.path("data/pg_ident.conf"), "w") as f:
        for who in {owner, "root", process.pwd.getpwuid(os.geteuid()).pw_name}:
            f.write('owner "%s" "%s"\n' % (who, owner))


def command(inst: Instance) -> list[str]:
    """The server's command line.  Its socket's name holds the port, even without TCP."""
    settings = {
        "listen_addresses": "127.0.0.1" if inst.port else "",
        "port": inst.socket_port(),
        "unix_socket_directories": os.path.dirname(inst.socket),
        "logging_collector": "off",
    }
    given = [word for pair in settings.items() for word in ("-c", "%s=%s" % pair)]
    return [inst.program, "-D", inst.path("data"), *given, *inst.options]


def run_as(inst: Instance) -> pwd.struct_passwd | None:
    """postgres must already be its own user when it starts."""
    return inst.os_user


def messages(sock: socket.socket) -> Iterator[tuple[bytes, bytes]]:
    """Yields (type, body) of the server's messages until the connection ends."""
    buf = b""
    while True:
        while len(buf) < 5 or len(buf) < 1 + struct.unpack(">I", buf[1:5])[0]:
            more = sock.recv(4096)
            if not more:
                return
            buf += more
        size = 1 + struct.unpack(">I", buf[1:5])[0]
        yield buf[:1], buf[5:size]
        buf = buf[size:]


def probe(inst: Instance) -> str | None:
    """Version of the server when it lets our role in (or asks its password), else None."""
    who = b"user\0" + inst.user.encode() + b"\0database\0" + inst.databases[0].encode() + b"\0\0"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(5)
        try:
            s.connect(inst.socket)
            s.sendall(struct.pack(">II", 8 + len(who), 3 << 16) + who)  # protocol 3.0
            for kind, body in messages(s):
                if kind == b"E":
                    return None
                if kind == b"R" and body[:4] != b"\0\0\0\0":  # wants a password
                    # The version as the program itself tells it.
                    m = re.search(r"\d[\w.]*", process.run_tool([inst.program, "--version"])[1])
                    return m.group(0) if m else "unknown"
                if kind == b"S" and body.startswith(b"server_version\0"):
                    s.sendall(b"X\0\0\0\4")
                    return body.split(b"\0")[1].decode("ascii", "replace")
        except OSError:
            return None
    return None


def arguments(inst: Instance) -> list[str]:
    """The options with which sysbench reaches this server; libpq takes a directory as host."""
    args = ["--db-driver=pgsql", "--pgsql-host=" + os.path.dirname(inst.socket)]
    args += ["--pgsql-port=%d" % inst.socket_port()]
    args += ["--pgsql-user=" + inst.user, "--pgsql-db=" + inst.databases[0]]
    return args + (["--pgsql-password=" + inst.password] if inst.password else [])


def admin(inst: Instance) -> str:
    """The superuser role: named like the OS user that the server runs as."""
    return (inst.os_user or process.pwd.getpwuid(os.geteuid())).pw_name


def complaint(text: str) -> str | None:
    """The line of a log that says why the server gave up."""
    lines = [line for line in text.splitlines() if "FATAL:" in line or "PANIC:" in line]
    return re.sub(r"^.*?(FATAL|PANIC):\s*", "", lines[-1]) if lines else None
