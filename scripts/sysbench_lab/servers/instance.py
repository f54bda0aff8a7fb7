# SPDX-License-Identifier: GPL-2.0-or-later
"""One private database server: its directory, its state file, its life.

Everything of a server lies in one directory, so that removing the directory removes
the server and nothing of the system's own server is ever named:

    dbserver.json   what it is and how it was started (this class, as JSON)
    server.pid      its process id while it runs
    server.log      its log
    data/ tmp/      its files, mode 0700
    run/            its socket
    lock            held while a command works on the directory

Started by root, the server runs as an unprivileged OS user where one can reach
the directory.  It listens on its socket and, unless told otherwise, on a free port
of the loopback interface.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import pwd
import re
import subprocess
from typing import Any, Iterator, Sequence

from .. import LabError, failing, owned, visible
from . import process
from .engines import ENGINES, Mariadb

STATE = "dbserver.json"
LONGEST_SOCKET = 100  # the kernel takes 107 bytes


def temporary_directory() -> str:
    """A fresh directory for a server that nobody asked to keep."""
    directory = owned.temporary("sysbench-db-")
    if os.geteuid() == 0:
        os.chmod(directory, 0o711)  # the OS user that the server runs as must get through
    return directory


def is_word(text: str) -> bool:
    """Does an unquoted variable of a shell keep it as it is?"""
    return not re.search(r"[\s*?\[\\]", text)


def copy(source: str, to: str) -> None:
    """The data of a new server, with owners and modes; many of it are zeros."""
    what = [os.path.join(source, name) for name in ("data", "install.log")]
    subprocess.run(["cp", "-a", "--sparse=always", "--reflink=auto", *what, to], check=True)


@dataclasses.dataclass
class Instance:
    """A private server.  Make one with create() or load(); change it under locked().

    The state file holds all but the directory; everything else follows from it."""

    directory: str
    engine: str = "mariadb"
    program: str = ""
    options: list[str] = dataclasses.field(default_factory=list)
    environment: dict[str, str] = dataclasses.field(default_factory=dict)  # added to ours
    cpus: str = ""  # those it may run on, as taskset spells them; "" for all
    prefix: list[str] = dataclasses.field(default_factory=list)  # runs it: ip netns exec far
    databases: list[str] = dataclasses.field(default_factory=lambda: ["sbtest"])
    user: str = "sbtest"
    password: str = ""
    sees: bool = False  # whether the user may see what the server and its sessions do
    port: int = 0
    auto_port: bool = False
    socket: str = ""
    os_user_name: str | None = None
    initialised: bool = False
    pid: int | None = None
    ident: str | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        self.directory = os.path.abspath(self.directory)

    # ---- the directory -------------------------------------------------------

    @classmethod
    def create(cls, directory: str, port: str | int = "auto", **kept: Any) -> Instance:
        """Prepares an empty directory for a server that does not exist yet."""
        inst = cls(directory, **kept)
        for name in (inst.user, *inst.databases):
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,62}", name):
                raise LabError("'%s' is no usable user or database name" % name)
        if not inst.password.isprintable():
            raise LabError("--password takes printable characters only")
        inst.module.check_options(inst.options)
        inst.program = inst.module.program(inst.program)
        inst.set_port(port)
        inst.claim_directory()
        with failing("cannot use the directory " + inst.directory):
            inst.os_user_name = inst.choose_os_user(inst.os_user_name)
            inst.make_for_server("run", 0o755)
            owned.write(inst.log, "", 0o644, inst.os_user)
            inst.socket = inst.path(os.path.join("run", inst.socket_name()))
            if len(os.fsencode(inst.socket)) > LONGEST_SOCKET or not is_word(inst.socket):
                short = owned.temporary("sbdb-", "/tmp")
                os.chmod(short, 0o755)
                os.symlink(inst.directory, os.path.join(short, "all"))
                inst.make_for_server(os.path.join(short, "run"), 0o755)
                inst.socket = os.path.join(short, "run", inst.socket_name())
            if not is_word(inst.password):
                owned.write(inst.password_file, inst.password + "\n", 0o600)
        inst.save()
        return inst

    @classmethod
    def create_temporary(cls, **what: Any) -> Instance:
        """create() in a fresh temporary directory, which goes again when that fails."""
        directory = temporary_directory()
        try:
            return cls.create(directory, **what)
        except BaseException:
            owned.remove(directory, anyway=True)
            raise

    @classmethod
    def load(cls, directory: str) -> Instance:
        """The server whose state file is in `directory`."""
        path = os.path.join(os.path.abspath(directory), STATE)
        where = os.path.dirname(path), STATE
        missing = LabError("no private server in %s (there is no %s)" % where)
        if not os.path.lexists(path):
            raise missing
        owned.check(os.path.dirname(path))
        try:
            with os.fdopen(owned.open_file(path, os.O_RDONLY), encoding="utf-8") as f:
                state: dict[str, Any] = {"sees": False}  # older releases knew no such thing
                state |= json.load(f)
            made = cls(directory, **{f.name: state[f.name] for f in dataclasses.fields(cls)[1:]})
            for name, usual in vars(cls("")).items():
                kinds = (str, int, type(None)) if usual is None else (type(usual),)
                if not isinstance(getattr(made, name), kinds):
                    raise ValueError("%s is of another kind" % name)
            if made.engine not in ENGINES:
                raise ValueError("there is no engine '%s'" % made.engine)
        except FileNotFoundError:
            raise missing from None
        except (ValueError, KeyError, TypeError, OSError) as e:
            raise LabError("cannot read %s: %s" % (path, e)) from e
        return made

    def save(self) -> None:
        """Writes the state file; readable by us alone, since it may hold a password."""
        state = {name: value for name, value in vars(self).items() if name != "directory"}
        owned.write(self.path(STATE + ".new"), json.dumps(state, indent=1) + "\n", 0o600)
        os.rename(self.path(STATE + ".new"), self.path(STATE))

    def path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def word(self, name: str) -> str:
        """The path for a program that is a shell script and splits it."""
        link = os.path.join(os.path.dirname(os.path.dirname(self.socket)), "all")
        return self.path(name) if is_word(self.directory) else os.path.join(link, name)

    @property
    def module(self) -> Mariadb:
        return ENGINES[self.engine]

    @property
    def log(self) -> str:
        return self.path("server.log")

    @property
    def os_user(self) -> pwd.struct_passwd | None:
        """The pwd entry of the OS user to run as; None when that is just ourselves."""
        return process.os_user(self.os_user_name) if self.os_user_name else None

    @property
    def uid(self) -> int:
        """The user id under which the server runs."""
        return self.os_user.pw_uid if self.os_user is not None else os.geteuid()

    @property
    def password_file(self) -> str:
        """For sysbench: that of a password which a shell would split; a shell may get its path."""
        return os.path.join(os.path.dirname(os.path.dirname(self.socket)), "password")

    def socket_port(self) -> int:
        """PostgreSQL names its socket by a port even when it has none on TCP."""
        return self.port or 5432

    def socket_name(self) -> str:
        pgsql = self.engine == "postgresql"
        return ".s.PGSQL.%d" % self.socket_port() if pgsql else self.engine + ".sock"

    def claim_directory(self) -> None:
        """Makes the directory; refuses one that holds something else, before anything is
        written."""
        owned.make(self.directory)
        names = os.listdir(self.directory)
        if STATE not in names and set(names) - {"lock", owned.MARK}:
            raise LabError("%s is not empty and holds no private server" % self.directory)

    def choose_os_user(self, wanted: str | None) -> str | None:
        """Root hands the server to somebody else; everyone else can only be themselves."""
        if os.geteuid() != 0:
            me = process.pwd.getpwuid(os.geteuid()).pw_name
            if wanted and wanted != me:
                raise LabError("only root can run the server as another OS user (%s)" % wanted)
            return None
        if wanted and process.os_user(wanted) is None:
            raise LabError("there is no OS user '%s'" % wanted)
        for name in [wanted] if wanted else self.module.OS_USERS:
            user = process.os_user(name)
            if user is not None and process.can_enter(user, self.directory):
                return name
        tried = wanted or ", ".join(self.module.OS_USERS)
        raise LabError("no OS user for the server (%s) can enter %s" % (tried, self.directory))

    def make_for_server(self, name: str, mode: int) -> None:
        """A new directory, which belongs to the server's OS user."""
        with failing("cannot use " + self.path(name)):
            os.mkdir(self.path(name))
            os.chmod(self.path(name), mode)
            if self.os_user is not None:
                user = self.os_user.pw_uid, self.os_user.pw_gid
                os.chown(self.path(name), *user, follow_symlinks=False)

    def set_port(self, port: str | int) -> None:
        """`auto` for a free one, `none` for no TCP at all, or a number."""
        self.auto_port = port == "auto"
        if port == "auto":
            self.port = process.free_port()
        elif port == "none":
            self.port = 0
        elif str(port).isdigit() and 0 < int(port) < 65536:
            self.port = int(port)
        else:
            raise LabError("--port takes a number, auto or none, not '%s'" % port)
        if self.socket:  # PostgreSQL's carries the port in its name
            self.socket = os.path.join(os.path.dirname(self.socket), self.socket_name())

    @contextlib.contextmanager
    def locked(self, timeout: float = 60) -> Iterator[Instance]:
        """One command at a time works on a directory; the running server holds no lock."""
        owned.check(self.directory)
        with failing("cannot use the directory " + self.directory):
            fd = owned.open_file(self.path("lock"), os.O_RDWR | os.O_CREAT)
        try:
            for last in process.tries(timeout):
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if last:
                    text = "another command has worked on %s for %g s; try again, or end that one"
                    raise LabError(text % (self.directory, timeout))
            yield self
        finally:
            os.close(fd)

    def running_pid(self) -> int:
        """Process id of a server that was started."""
        if self.pid is None:
            raise LabError("the server in %s does not run" % self.directory)
        return self.pid

    # ---- its life ---------------------------------------------------------

    def is_running(self) -> bool:
        return process.is_alive(self.pid, self.ident)

    def must_not_run(self) -> None:
        if self.is_running():
            where = self.directory, self.running_pid()
            raise LabError("the server in %s is already running (pid %d)" % where)

    def start(self, timeout: float = 60) -> None:
        """Initialises the data when that has not happened yet, starts, waits for an answer."""
        self.must_not_run()
        if not self.initialised:
            self.initialise()
        for more in (True, True, False):
            try:
                return self.launch(timeout)
            except LabError as e:
                # a port that was free may have been taken meanwhile
                if not (self.auto_port and more and "in use" in str(e)):
                    raise
                self.set_port("auto")

    def initialise(self) -> None:
        for name in ("data", "tmp"):
            owned.remove(self.path(name), "../" + STATE, user=self.os_user)
            self.make_for_server(name, 0o700)
        template = self.template()
        if template:
            owned.make(os.path.dirname(template))
        if template and os.path.isdir(template):
            copy(template, self.directory)
        else:
            self.module.initialise(self)
            if template:
                # for the next ones; another one may have been quicker
                new = owned.temporary("new-", os.path.dirname(template))
                copy(self.directory, new)
                try:
                    os.rename(new, template)
                except OSError:
                    owned.remove(new, anyway=True)
        self.module.make_accounts(self)
        self.initialised = True
        self.save()

    def template(self) -> str:
        """Where the data of a new server is kept for the next ones: tests, which start many, name a
        directory for that.  MySQL's data has an identity and is not copied."""
        directory = os.environ.get("DBSERVER_TEMPLATES")
        if not directory or self.engine == "mysql":
            return ""
        kind = " ".join([os.path.realpath(self.program), self.os_user_name or ""])
        return os.path.join(directory, re.sub(r"[^\w.-]+", "_", kind).strip("_"))

    def launch(self, timeout: float) -> None:
        """One attempt to start.  Whatever stops us from waiting also stops the server."""
        self.module.before_start(self)
        began_at = os.path.getsize(self.log)
        owned.unlink(self.socket)
        argv = self.prefix + self.module.command(self)
        user, more = None if self.module.BECOMES_USER else self.os_user, self.environment
        with failing("cannot run " + argv[0]):
            child = process.spawn(argv, self.log, user, self.directory, more, self.cpus)
        ident = process.identity(child.pid)
        try:
            name = os.path.basename(self.program)
            for last in process.tries(timeout):
                if (code := child.poll()) is not None:
                    with open(self.log, errors="replace") as f:
                        f.seek(began_at)
                        why = self.module.complaint(f.read()) or "exit status %d" % code
                    why = "%s (log: %s)" % (why.rstrip("."), self.log)
                    raise LabError("%s ended during its start: %s" % (name, why))
                if said := self.module.probe(self):
                    self.version = visible(said)
                    break
                if last:
                    what = name, timeout, self.log
                    raise LabError("%s does not answer within %g s (log: %s)" % what)
        except BaseException:
            process.stop(child.pid, ident, self.module.POLITE, 5, self.uid)
            child.wait()
            raise
        self.pid, self.ident = child.pid, ident
        child.returncode = 0  # it is meant to outlive us; nobody waits for it
        owned.write(self.path("server.pid"), "%d\n" % self.pid)
        self.save()

    def stop(self, timeout: float = 60) -> str | None:
        """Ends the server; returns the signal that it took, None when it was not running."""
        how = process.stop(self.pid, self.ident, self.module.POLITE, timeout, self.uid)
        self.pid = self.ident = None
        owned.unlink(self.path("server.pid"))
        self.save()
        return how

    def restart(self, options: Sequence[str] | None = None, timeout: float = 60) -> None:
        """Same data, same port, possibly other options (None: those it had)."""
        self.module.check_options(options or ())
        self.stop(timeout)
        self.options = self.options if options is None else list(options)
        self.start(timeout)

    def remove(self) -> None:
        """Deletes the directory of a server that does not run."""
        if self.is_running():
            raise LabError("the server in %s is running" % self.directory)
        if os.path.dirname(self.socket) != self.path("run"):
            owned.remove(os.path.dirname(os.path.dirname(self.socket)), anyway=True)
        owned.remove(self.directory, STATE)

    # ---- what others need to know -------------------------------------------

    def describe(self) -> list[tuple[str, str]]:
        """Key and value pairs, in the order in which they are printed."""
        return [
            ("engine", self.engine),
            ("version", self.version or ""),
            ("dir", self.directory),
            ("pid", str(self.pid or "")),
            ("socket", self.socket),
            ("host", "127.0.0.1" if self.port else ""),
            ("port", str(self.port or "")),
            ("user", self.user),
            ("password", self.password),
            ("db", self.databases[0]),
            ("admin", self.module.admin(self)),
            ("log", self.log),
            ("args", " ".join(self.module.arguments(self))),
        ]
