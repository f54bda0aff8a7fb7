# SPDX-License-Identifier: GPL-2.0-or-later
"""One laboratory at a time on a machine: two would distort each other's results.

    with lock.alone("/root/results/first", note):
        ...

The lock is flock() on one file that all users share, so a laboratory that was killed holds
nothing.  The file says who holds it: its process id and its results directory.  A laboratory that
ends empties the file; what a killed one left in it leads to the server that it left behind
(previous_directory, see Leftovers).

The file is in a directory where anybody may write.  So it is never opened through a link, and what
it says is believed only if the directory that it names is ours (owned.py).

SB_LAB_LOCK names another file: the tests take one of their own.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import tempfile
from typing import Any, Iterator

from .. import LabError, failing, owned, reading, text_of
from ..plan.hosts import Host
from ..plan.model import Note, Tree
from ..results.results_dir import write_file
from ..servers import process
from ..servers.engines import ENGINES
from ..servers.instance import STATE, Instance
from ..target.target import CommandTarget
from . import ranks
from .ranks import Member

NAME = "sysbench-lab.lock"
MODE = 0o666  # whoever comes next may be another user
LONGEST = 4096


class Busy(LabError):
    """Another laboratory runs."""


def path() -> str:
    """The file that all laboratories of this machine agree on."""
    given = os.environ.get("SB_LAB_LOCK")
    directory = "/run/lock" if os.access("/run/lock", os.W_OK) else tempfile.gettempdir()
    return given or os.path.join(directory, NAME)


@contextlib.contextmanager
def held(directory: str) -> Iterator[str]:
    """Hold the lock while working on `directory`.  Yields the directory of a laboratory that was
    killed while it held the lock, "" if there was none."""
    with taken() as fd:
        left = directory_in(contents(fd))
        write(fd, "%d\n%s\n" % (os.getpid(), os.path.abspath(directory)))
        try:
            yield left if left != os.path.abspath(directory) else ""
        finally:
            write(fd, "")


@contextlib.contextmanager
def alone(directory: str, note: Note) -> Iterator[None]:
    """The same, and what killed laboratories left behind is gone."""
    with held(directory) as left:
        for one in filter(None, (left, directory)):
            clean(one, note)
        if left:
            put_back(left, note)
        yield


def check() -> None:
    """Busy if a laboratory runs; before anything of a results directory is read or written."""
    with taken():
        pass


@contextlib.contextmanager
def taken() -> Iterator[int]:
    fd = open_file(path())
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(busy(contents(fd))) from None
        yield fd
    finally:
        os.close(fd)


def open_file(name: str) -> int:
    """Open the file, make it if nobody has yet.

    Without O_CREAT first: with fs.protected_regular a file of somebody else in a directory such as
    /tmp can be opened, but not with O_CREAT.
    """
    with failing("cannot lock " + name):
        with contextlib.suppress(FileNotFoundError):
            return owned.open_file(name, os.O_RDWR, shared=True)
        try:
            fd = owned.open_file(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, MODE, shared=True)
        except FileExistsError:  # somebody else was faster
            return owned.open_file(name, os.O_RDWR, shared=True)
        os.fchmod(fd, MODE)  # whatever the umask is
        return fd


def busy(text: str) -> str:
    """Who holds it, as far as the file says."""
    lines = text.splitlines()
    known = len(lines) == 2 and lines[0].isdigit()
    who = " (pid %s, results in %s)" % (*lines,) if known else ""
    text = "another sysbench-lab is already running%s; the two would distort each other's results"
    return text % who


def directory_in(text: str) -> str:
    """The directory that it names if that is one of ours, which nobody else can have made."""
    lines = text.splitlines()
    with contextlib.suppress(OSError, LabError):
        if len(lines) == 2 and os.path.isdir(lines[1]):
            owned.check_folder(lines[1])
            return lines[1]
    return ""


def contents(fd: int) -> str:
    text = os.pread(fd, LONGEST, 0).decode("utf-8", "replace")
    return "".join(c for c in text if c.isprintable() or c == "\n")


def write(fd: int, text: str) -> None:
    os.ftruncate(fd, 0)
    os.pwrite(fd, text.encode(), 0)


# ---- What a laboratory that is killed leaves behind: running.json in its results directory

#     {"servers": ["/tmp/sysbench-db-x1/server"],
#      "client": [4711, "123456"],
#      "ranks": [{"rank": 1, "name": "load2", "via": ["ssh", "load2"], "pid": 99, "ident": "78"}],
#      "prepared": {"commands": ["oltp load.tables=4", ["table-size", "tables"]]},
#      "changed": {"before": {"innodb_io_capacity": "200"}, "commands": {"server.set": "..."}}}
#
# A private server and a sysbench go into the file before they start, and out of it when they have
# ended.  clean() stops whatever the file still names and removes the private servers' directories:
# it runs before a laboratory begins, on the directory that is resumed and on that of a killed
# laboratory whose name is still in the lock.  After a reboot the process ids belong to others; a
# process is therefore known by its start time, too.
#
# `ranks` are the members of a run over several load hosts.  They end by themselves when the
# laboratory or the leader is gone (ranks.py); clean() looks after those that did not, there.
#
# `prepared` says what data the user's own server has from us: their key, and the options that
# prepare looked at (data.py).  A private server's data go with it.
# `changed` says what its options were; the laboratory that goes on with the results puts them back
# at its end, another one before it begins (put_back).


RUNNING = "running.json"
POLITE_S = 10


class Leftovers:
    """The file of one results directory."""

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, RUNNING)
        tree: Tree = {"servers": [], "client": None, "prepared": {}}
        with reading(self.path):
            if os.path.lexists(self.path):
                tree = json.loads(text_of(self.path, "strict"))
            self.servers: list[str] = list(tree["servers"])
            # older laboratories wrote the key alone
            kept = tree["prepared"].items()
            self.prepared = {k: v if isinstance(v, list) else [v, None] for k, v in kept}
            self.changed: Tree = dict(tree.get("changed", {}))
            client = tree["client"]
            self.client = (int(client[0]), str(client[1])) if client else None
            self.ranks = [Member(**dict(m, via=tuple(m["via"]))) for m in tree.get("ranks", [])]

    def write(self) -> None:
        """Remove the file when it would say nothing."""
        tree = {**vars(self), "ranks": [m._asdict() for m in self.ranks]}
        del tree["path"]
        if any(tree.values()):
            write_file(self.path, json.dumps(tree), 0o600)  # commands may have passwords
        else:
            owned.unlink(self.path)

    def keep(self, **what: Any) -> None:
        """Of `servers`, `ranks`, `prepared`, `changed`."""
        vars(self).update(what)
        self.write()

    def add_server(self, directory: str) -> None:
        self.keep(servers=[*self.servers, directory])

    def drop_server(self, directory: str) -> None:
        """The directory is gone: a file that still names it, on a full disk, does no harm."""
        self.servers.remove(directory)
        with contextlib.suppress(LabError):
            self.write()

    def set_client(self, pid: int | None) -> None:
        ident = process.identity(pid)
        self.client = (pid, ident) if pid and ident else None
        self.write()


def clean(directory: str, note: Note) -> None:
    """End what a killed laboratory left running for the results in `directory`."""
    left = Leftovers(directory)
    if left.client:
        if process.stop(*left.client, (signal.SIGINT,), POLITE_S):
            note("stopped a sysbench that was left behind, pid %d" % left.client[0])
        left.set_client(None)
    for member in left.ranks:
        # A host that is gone, or that nobody can reach any more, holds nobody up.
        what = "rank %d on %s, pid %d" % (member.rank, member.name, member.pid)
        try:
            if ranks.stop(Host(member.name, member.via), member.pid, member.ident):
                note("stopped a sysbench that was left behind, %s" % what)
        except LabError as e:
            note("cannot look after %s: %s" % (what, e))
    if left.ranks:
        left.keep(ranks=[])
    for server in list(left.servers):
        if os.path.lexists(server):
            try:
                owned.check(server)
            except LabError as e:
                note("cannot look after a private server: %s" % e)
                left.drop_server(server)
                continue
        # however far it had come
        if os.path.exists(os.path.join(server, STATE)):
            made = Instance.load(server)
            with made.locked():
                if made.stop():
                    note("stopped a private server that was left behind, %s" % server)
                stop_users(server, note)
                made.remove()
        elif os.path.isdir(server):
            stop_users(server, note)
        # around it is the temporary directory that was made for it
        owned.remove(os.path.dirname(server), anyway=True)
        left.drop_server(server)


def put_back(directory: str, note: Note) -> None:
    """The user's own server as it was before a laboratory that was killed; what cannot be put back
    stays in the file."""
    left = Leftovers(directory)
    if left.changed:
        target = CommandTarget("change")
        target.recall(left.changed)
        target.note, target.changing = note, lambda change: left.keep(changed=change)
        try:
            target.stop()
        except LabError as e:
            note(str(e))


def stop_users(directory: str, note: Note) -> None:
    """Stop what was starting, or making the data, when the laboratory was killed."""
    for pid in users_of(directory):
        uid = process.owner(pid)
        if process.stop(pid, process.identity(pid), (signal.SIGTERM,), POLITE_S, uid):
            note("stopped a process of a private server that was left behind, pid %d" % pid)


def users_of(directory: str) -> list[int]:
    """Processes of ours, or of whom root has given a server to, whose command line names a file in
    the directory, which has a name of its own."""
    found = []
    ours = {os.geteuid()}
    if os.geteuid() == 0:
        names = [name for engine in ENGINES.values() for name in engine.OS_USERS]
        ours.update(user.pw_uid for user in map(process.os_user, names) if user)
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and process.owner(int(name)) in ours:
            with contextlib.suppress(OSError), open("/proc/%s/cmdline" % name, "rb") as f:
                if os.fsencode(directory) + b"/" in f.read():
                    found.append(int(name))
    return found
