# SPDX-License-Identifier: GPL-2.0-or-later
"""MySQL as a private server.

As with MariaDB no client program is needed: accounts and databases come from an
init file, "it answers" is the greeting on its socket.  System tables are made by
the server itself (--initialize-insecure); the account `root`, which that leaves
without a password, is then tied to the OS user who started the server, or, where
the plugin for that is missing, gets a password that nobody knows.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
from typing import TYPE_CHECKING, Sequence

from .. import LabError
from . import mariadb, process, programs
from .mariadb import admin, arguments, probe, quoted, run_as  # noqa: F401  # the same

if TYPE_CHECKING:
    from .instance import Instance

NAME = "mysql"
POLITE = (signal.SIGTERM,)
OS_USERS = mariadb.OS_USERS
OWN_OPTIONS = {
    "initialize", "initialize-insecure", "mysqlx", "mysqlx-port", "mysqlx-socket",
    "plugin-load-add", "secure-file-priv",
}  # fmt: skip
PLUGIN_DIRECTORYS = ("../lib/plugin", "../lib/mysql/plugin", "../lib64/mysql/plugin")


def check_options(options: Sequence[str]) -> None:
    """Refuses options that would break the promise of a private, loopback-only server."""
    mariadb.check_options(options)
    for arg in options:
        if mariadb.option_name(arg) in OWN_OPTIONS:
            raise LabError("%s is set by dbserver itself and cannot be passed through" % arg)


def program(given: str | None) -> str:
    """Path of the server binary; MariaDB installs one of that name too, which is not taken."""
    path = given or programs.find("mysqld")
    if not path:
        raise LabError("no mysqld found; install MySQL's server package or give --server=PATH")
    found = mariadb.version_text(path)
    if "MariaDB" in found or not re.search(r"\bVer \d", found):
        raise LabError("%s is not a MySQL server: %s" % (path, found.strip()[:200]))
    return os.path.abspath(path)


def socket_plugin(inst: Instance) -> bool:
    """Does the server have the plugin that knows OS users?"""
    here = os.path.dirname(os.path.realpath(inst.program))
    return any(os.path.exists(os.path.join(here, f, "auth_socket.so")) for f in PLUGIN_DIRECTORYS)


def before_start(inst: Instance) -> None:
    """What has to be there before each start, and what must not: the lock of a server that was
    killed counts while its process is not yet collected."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(inst.socket + ".lock")
    # The statement that closes the account which --initialize-insecure leaves open.
    if socket_plugin(inst):
        how = "WITH auth_socket AS " + quoted(admin(inst))
    else:
        how = "BY " + quoted(secrets.token_hex(16))
    mariadb.before_start(inst, ["ALTER USER 'root'@'localhost' IDENTIFIED %s;" % how])


def initialise(inst: Instance) -> None:
    """Makes the system tables in an empty data directory."""
    log = inst.path("install.log")
    argv = [inst.program, "--no-defaults", "--initialize-insecure", "--log-error=" + log]
    argv += ["--datadir=" + inst.path("data"), "--tmpdir=" + inst.path("tmp")]
    with open(log, "w"):
        inst.hand_over("install.log", 0o644)
    status, out = process.run_tool(argv + mariadb.user_option(inst), cwd=inst.directory)
    if status != 0:
        what = inst.program, status, log, out[-200:]
        raise LabError("%s --initialize-insecure failed (exit %d), see %s%s" % what)


def command(inst: Instance) -> list[str]:
    """The server's command line: no second protocol on a port of its own, nothing in /var/lib."""
    more = ["--mysqlx=OFF", "--secure-file-priv=" + inst.path("tmp")]
    if socket_plugin(inst):
        more.append("--plugin-load-add=auth_socket=auth_socket.so")
    return mariadb.command(inst, more)


def complaint(text: str) -> str | None:
    """The line of an error log that says why the server gave up."""
    lines = [line for line in text.splitlines() if "[ERROR]" in line and "Aborting" not in line]
    return re.sub(r"^.*?\[ERROR\]\s*(\[[^]]*\]\s*)*", "", lines[0]) if lines else None
