# SPDX-License-Identifier: GPL-2.0-or-later
"""One laboratory at a time on a machine: two would measure each other.

    with lock.held("/root/results/first"):
        ...

The lock is flock() on one file that all users share, so a laboratory that was killed holds
nothing.  The file says who holds it: its process id and its results folder.  A laboratory that
ends empties the file; what a killed one left in it leads to the server that it left behind
(previous_folder, see leftovers.py).

The file is in a folder where anybody may write.  So it is never created through a link, and what
it says is believed only as far as the caller owns the folder that it names.

SB_LAB_LOCK names another file: the tests take one of their own.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
from typing import Iterator

from .. import LabError

NAME = "sysbench-lab.lock"
MODE = 0o666  # whoever comes next may be another user
LONGEST = 4096


class Busy(LabError):
    """Another laboratory runs."""


def path() -> str:
    """The file that all laboratories of this machine agree on."""
    given = os.environ.get("SB_LAB_LOCK")
    folder = "/run/lock" if os.access("/run/lock", os.W_OK) else tempfile.gettempdir()
    return given or os.path.join(folder, NAME)


@contextlib.contextmanager
def held(folder: str) -> Iterator[str]:
    """Hold the lock while working on `folder`.  Yields the folder of a laboratory that was killed
    while it held the lock, "" if there was none."""
    fd = open_file(path())
    try:
        take(fd)
        left = folder_in(contents(fd))
        write(fd, "%d\n%s\n" % (os.getpid(), os.path.abspath(folder)))
        try:
            yield left if left != os.path.abspath(folder) else ""
        finally:
            write(fd, "")
    finally:
        os.close(fd)


def check() -> None:
    """Busy if a laboratory runs; before anything of a results folder is read or written."""
    fd = open_file(path())
    try:
        take(fd)
    finally:
        os.close(fd)


def open_file(name: str) -> int:
    """Open the file, make it if nobody has yet.

    Without O_CREAT first: with fs.protected_regular a file of somebody else in a folder such as
    /tmp can be opened, but not with O_CREAT.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            return os.open(name, flags)
        except FileNotFoundError:
            try:
                fd = os.open(name, flags | os.O_CREAT | os.O_EXCL, MODE)
            except FileExistsError:  # somebody else was faster
                return os.open(name, flags)
            os.fchmod(fd, MODE)  # whatever the umask is
            return fd
    except OSError as e:
        raise LabError("cannot lock %s: %s" % (name, e.strerror)) from e


def take(fd: int) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy(busy(contents(fd))) from None


def busy(text: str) -> str:
    """Who holds it, as far as the file says."""
    lines = text.splitlines()
    known = len(lines) == 2 and lines[0].isdigit()
    who = " (pid %s, results in %s)" % (*lines,) if known else ""
    return "another sysbench-lab runs on this machine%s; two would measure each other" % who


def folder_in(text: str) -> str:
    lines = text.splitlines()
    return lines[1] if len(lines) == 2 and owned(lines[1]) else ""


def owned(folder: str) -> bool:
    """Is it a folder of ours, which nobody else can have made?"""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def contents(fd: int) -> str:
    text = os.pread(fd, LONGEST, 0).decode("utf-8", "replace")
    return "".join(c for c in text if c.isprintable() or c == "\n")


def write(fd: int, text: str) -> None:
    os.ftruncate(fd, 0)
    os.pwrite(fd, text.encode(), 0)
