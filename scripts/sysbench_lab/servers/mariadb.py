# SPDX-License-Identifier: GPL-2.0-or-later
"""MariaDB as a private server.

No client program is needed: accounts and databases are made by an init file
that the server runs before it lets anybody in, and "it answers" means that it
greets on its socket (the greeting carries the version).  System tables come
from mariadb-install-db.  Configuration files are never read (--no-defaults).
"""

from __future__ import annotations

import os
import pwd
import re
import signal
import socket
from typing import TYPE_CHECKING, Sequence

from .. import LabError, failing
from . import process, programs

if TYPE_CHECKING:
    from .instance import Instance

NAME = "mariadb"
POLITE = (signal.SIGTERM,)
OS_USERS = ("mysql", "nobody", "root")  # whom to run as when started by root
# What we set ourselves and record in the state file; passing it through would make that a lie.
OWN_OPTIONS = {
    "no-defaults", "defaults-file", "datadir", "socket", "port", "pid-file", "bind-address",
    "log-error", "init-file", "user", "skip-networking", "help",
}  # fmt: skip


def option_name(arg: str) -> str | None:
    """`--Max_Connections=5` -> `max-connections`; None when it is no option."""
    m = re.match(r"--(?:loose[-_])?([A-Za-z][\w-]*)", arg)
    return m.group(1).lower().replace("_", "-") if m else None


def check_options(options: Sequence[str]) -> None:
    """Refuses options that would break the promise of a private, loopback-only server."""
    for arg in options:
        name = option_name(arg)
        if name is None and arg.startswith("-"):
            raise LabError("write server options long, --name=value, not '%s'" % arg)
        if name in OWN_OPTIONS:
            raise LabError("--%s is set by dbserver itself and cannot be passed through" % name)


def program(given: str | None) -> str:
    """Path of the server binary; the caller's wish first."""
    path = given or programs.find("mariadbd")
    if not path:
        raise LabError("no mariadbd found; third_party/install-deps --server installs it")
    found = version_text(path)
    if "MariaDB" not in found:
        raise LabError("%s is not a MariaDB server: %s" % (path, found.strip()[:200]))
    return os.path.abspath(path)


def version_text(path: str) -> str:
    with failing("cannot run " + path):
        return process.run_tool([path, "--no-defaults", "--version"])[1]


def quoted(text: str) -> str:
    """A value between quotes for an SQL statement."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def before_start(inst: Instance, first: Sequence[str] = ()) -> None:
    """Writes the statements that every start repeats; repeating them changes nothing."""
    lines = [*first, *("CREATE DATABASE IF NOT EXISTS `%s`;" % db for db in inst.databases)]
    for host in ("localhost", "127.0.0.1", "::1"):
        who = "%s@%s" % (quoted(inst.user), quoted(host))
        lines.append("CREATE USER IF NOT EXISTS %s;" % who)
        lines.append("ALTER USER %s IDENTIFIED BY %s;" % (who, quoted(inst.password)))
        for db in inst.databases:
            lines.append("GRANT ALL ON `%s`.* TO %s;" % (db.replace("_", "\\_"), who))
    with open(inst.path("init.sql"), "w") as f:
        f.write("\n".join([*lines, "FLUSH PRIVILEGES;"]) + "\n")
    inst.hand_over("init.sql", 0o600)


def initialise(inst: Instance) -> None:
    """Makes the system tables in an empty data directory."""
    directory = os.path.dirname(inst.program)
    beside = [directory, os.path.join(directory, "..", "bin")]
    tool = programs.find("mariadb-install-db", "mysql_install_db", more=beside)
    if not tool:
        raise LabError("no mariadb-install-db found; third_party/install-deps --server installs it")
    argv = [tool, "--no-defaults", "--datadir=" + inst.path("data"), "--skip-test-db"]
    argv += ["--auth-root-authentication-method=socket", "--auth-root-socket-user=" + admin(inst)]
    argv += ["--skip-name-resolve", "--force"]  # force: a host name that does not resolve is fine
    argv += user_option(inst)
    path = [os.environ.get("PATH", os.defpath), directory, "/usr/sbin", "/usr/bin"]
    # our own TMPDIR may be closed to the server's OS user
    env = {**os.environ, "TMPDIR": inst.path("tmp"), "PATH": os.pathsep.join(path)}
    status, out = process.run_tool(argv, cwd=inst.directory, env=env)
    with open(inst.path("install.log"), "w") as f:
        f.write(out)
    if status != 0:
        raise LabError("%s failed (exit %d), see %s" % (tool, status, inst.path("install.log")))


def command(inst: Instance, more: Sequence[str] = ()) -> list[str]:
    """The server's command line; `more` comes before the caller's options."""
    argv = [inst.program, "--no-defaults", "--datadir=" + inst.path("data")]
    argv += ["--socket=" + inst.socket, "--pid-file=" + inst.path("run/mariadbd.pid")]
    argv += ["--log-error=" + inst.log, "--init-file=" + inst.path("init.sql")]
    argv += ["--tmpdir=" + inst.path("tmp"), "--skip-name-resolve", "--skip-log-bin"]
    tcp = ["--bind-address=127.0.0.1", "--port=%d" % inst.port]
    argv += tcp if inst.port else ["--skip-networking"]
    return argv + user_option(inst) + list(more) + inst.options


def user_option(inst: Instance) -> list[str]:
    return ["--user=" + inst.os_user.pw_name] if inst.os_user is not None else []


def run_as(inst: Instance) -> pwd.struct_passwd | None:
    """mariadbd changes to its user itself, after it has raised its limits."""
    return None


def probe(inst: Instance) -> str | None:
    """Version of the server when it greets on its socket, else None."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(5)
        try:
            s.connect(inst.socket)
            data = s.recv(512)
        except OSError:
            return None
    if len(data) < 6 or data[4] != 10:  # 4 bytes of packet header, then protocol version 10
        return None
    version = data[5:].split(b"\0", 1)[0].decode("ascii", "replace")
    return version[6:] if version.startswith("5.5.5-") else version


def arguments(inst: Instance) -> list[str]:
    """The options with which sysbench reaches this server through its socket."""
    args = ["--db-driver=mysql", "--mysql-socket=" + inst.socket]
    args += ["--mysql-user=" + inst.user, "--mysql-db=" + inst.databases[0]]
    return args + (["--mysql-password=" + inst.password] if inst.password else [])


def admin(inst: Instance) -> str:
    """The account that may do everything, through the socket and by OS user only."""
    return process.pwd.getpwuid(os.geteuid()).pw_name


def complaint(text: str) -> str | None:
    """The line of an error log that says why the server gave up."""
    errors = [line for line in text.splitlines() if "[ERROR]" in line]
    lines = [line for line in errors if not line.rstrip().endswith("Aborting")] or errors
    return re.sub(r"^.*?\[ERROR\]\s*(\S*(mariadbd|mysqld):\s*)?", "", lines[0]) if lines else None
