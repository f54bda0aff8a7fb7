# SPDX-License-Identifier: GPL-2.0-or-later
"""Belongs to us, or is refused: the one rule for what we take over, execute, lock or remove.

What a directory or a file says decides what runs (hooks, programs), what ends (process ids) and
what is removed.  So it is used only if nobody else can have made it or can exchange it:

    it belongs to the caller and nobody else may write to it
    each directory and link on the way to it belongs to the caller or to root, and nobody else may
    write there either; where all may, as in /tmp, the sticky bit keeps them from exchanging it

    check(path)       a directory or file that is there; LabError with the reason
    check_folder()    the same for all in it from which we go on: its entries and directories
    make(path)        makes the directory with all above it, then check()
    open_file(path)   the descriptor of a file: the rule is applied to what was opened
    write(path)       a new file in place of whatever has the name
    trusted(path)     of a program: root's are ours, too
    fresh(path)       an empty directory for files that can be made again, with a mark in it
    remove(path)      removes a directory, but only one with a mark; nothing else here does

The way is looked at from / down and links are followed by hand: what has passed cannot be exchanged
by others any more, so that the path may be used afterwards.  A file is opened before it is judged.

Ours is what belongs to the effective user id.  Root is refused what belongs to a user, also by way
of sudo: SUDO_UID is not looked at, because every program of that user could exchange the files.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import grp
import os
import pwd
import shutil
import stat
import tempfile
from typing import Iterator

from . import LabError, failing

MARK = ".made-by-sysbench-tx"
LINKS = 40  # as many as the kernel follows
KINDS = {
    stat.S_IFDIR: "a directory", stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


# ---- the rule --------------------------------------------------------------------


def system() -> set[int]:
    """Who can do everything anyway."""
    return {os.geteuid(), 0}


def name_of(uid: int) -> str:
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return "uid %d" % uid


@functools.lru_cache(maxsize=None)
def is_private(gid: int, uid: int) -> bool:
    """Is nobody but root and this user in the group?  Many systems give each user such a group, and
    directories that it may write to."""
    members = {p.pw_uid for p in pwd.getpwall() if p.pw_gid == gid}
    with contextlib.suppress(KeyError):
        for name in grp.getgrgid(gid).gr_mem:
            with contextlib.suppress(KeyError):
                members.add(pwd.getpwnam(name).pw_uid)
    return members <= {0, uid}


def others_write(path: str, found: os.stat_result) -> bool:
    """May anybody but root and us change it?"""
    if found.st_mode & stat.S_IWOTH:
        return True
    if not found.st_mode & stat.S_IWGRP:
        return False
    with contextlib.suppress(OSError, AttributeError):  # the group's bits are those of a list
        return bool(os.getxattr(path, "system.posix_acl_access"))
    return not is_private(found.st_gid, os.geteuid())


def foreign(path: str, found: os.stat_result) -> str:
    """The sentence for what belongs to another."""
    owner, me = name_of(found.st_uid), name_of(os.geteuid())
    text = "%s belongs to %s, not to %s, and is not used: run this as %s, or name a place of %s"
    return text % (path, owner, me, owner, me)


def open_to_others(path: str, found: os.stat_result) -> str:
    text = "%s, of %s, may be changed by others (mode %04o) and is not used: chmod go-w %s"
    text %= path, name_of(found.st_uid), stat.S_IMODE(found.st_mode), path
    return text if found.st_uid == os.geteuid() else text + ", or name another place"


def steps(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """All directories and links on the way from /, and at last what the path names."""
    left, at, links = os.path.join(os.getcwd(), path).split("/")[::-1], "/", 0
    yield at, os.lstat(at)
    while left:
        word = left.pop()
        if word in ("", "."):
            continue
        here = os.path.dirname(at) if word == ".." else os.path.join(at, word)
        found = os.lstat(here)
        yield here, found
        if not stat.S_ISLNK(found.st_mode):
            at = here
            continue
        links += 1
        if links > LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        target = os.readlink(here)
        at = "/" if target.startswith("/") else at
        left += target.split("/")[::-1]


def why_not(path: str, whose: set[int]) -> str:
    """Why `path` is not of one of these, and theirs alone; "" if it is.  Without any, only the way
    to and into it matters.  OSError if it is not there or cannot be reached."""
    *way, (last, found) = steps(path)
    for here, seen in way if whose else [*way, (last, found)]:
        # root in a user namespace has the number of all who are not in it, so / alone may have it
        if seen.st_uid not in system() and here != "/":
            return foreign(here, seen)
        held = stat.S_ISLNK(seen.st_mode) or seen.st_mode & stat.S_ISVTX
        if not held and others_write(here, seen):
            return open_to_others(here, seen)
    if whose and found.st_uid not in whose:
        return foreign(last, found)
    return open_to_others(last, found) if whose and others_write(last, found) else ""


def check(path: str, user: pwd.struct_passwd | None = None) -> None:
    """LabError unless the directory or file, which must be there, is ours (or of `user`)."""
    with failing("cannot use " + path):
        why = why_not(path, {os.geteuid(), *([user.pw_uid] if user else [])})
    if why:
        raise LabError(why)


def check_folder(directory: str) -> None:
    """The same for a directory from whose files we go on: its entries, all directories below, and
    what links among them lead to."""
    check(directory)
    with failing("cannot use " + directory):
        closed = not os.stat(directory).st_mode & 0o011
        for at, names, files in os.walk(directory):
            for name in names + (files if at == directory else []):
                path = os.path.join(at, name)
                found = os.lstat(path)
                if stat.S_ISLNK(found.st_mode) and (why := why_not(path, system())):
                    raise LabError(why)
                if found.st_uid not in system():
                    raise LabError(foreign(path, found))
                if not (closed or stat.S_ISLNK(found.st_mode)) and others_write(path, found):
                    raise LabError(open_to_others(path, found))


def trusted(path: str) -> bool:
    """May a program in this directory be executed?  False also if it is not there."""
    with contextlib.suppress(OSError):
        return not why_not(path, system())
    return False


# ---- directories -----------------------------------------------------------------


def make(directory: str, mode: int = 0o777) -> None:
    """Makes it unless it is there; nothing is made below what others can exchange."""
    above = os.path.abspath(directory)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    with failing("cannot make the directory " + directory):
        if why := why_not(above, set()):
            raise LabError(why)
        os.makedirs(directory, mode, exist_ok=True)
    check(directory)


def temporary(prefix: str, within: str | None = None) -> str:
    """A new directory for remove()."""
    directory = tempfile.mkdtemp(prefix=prefix, dir=within)
    write(os.path.join(directory, MARK), "")
    return directory


def fresh(directory: str) -> str:
    """An empty directory with a mark: a new one, an empty one of ours, or one with a mark, whose
    content goes.  Returns it."""
    if os.path.lexists(directory) and (not os.path.isdir(directory) or os.listdir(directory)):
        remove(directory)
    make(directory)
    write(os.path.join(directory, MARK), "")
    return directory


def remove(
    directory: str, mark: str = MARK, anyway: bool = False, user: pwd.struct_passwd | None = None
) -> None:
    """Removes a directory of ours with all that is in it; nothing if there is none.

    `mark` is the file that shows that we made it, relative to the directory.  `anyway`: what cannot
    be removed stays, without a word.  `user`: to whom we have given the directory.
    """
    if not os.path.lexists(directory):
        return
    with contextlib.suppress(*([LabError] if anyway else [])):
        check(directory, user)
        proof = os.path.normpath(os.path.join(os.getcwd(), directory, mark))
        if not os.path.lexists(proof):
            owner = name_of(os.lstat(directory).st_uid)
            text = "%s, of %s, was not made by this program (it has no %s) and is not removed:"
            text += " remove it yourself, or name another place"
            raise LabError(text % (directory, owner, os.path.basename(mark)))
        check(proof)
        with failing("cannot remove " + directory):
            shutil.rmtree(directory)


# ---- files -----------------------------------------------------------------------


def why_no_file(path: str, found: os.stat_result, shared: bool) -> str:
    if not stat.S_ISREG(found.st_mode):
        kind = KINDS.get(stat.S_IFMT(found.st_mode), "special")
        text = "%s, of %s, is %s, not a file: remove it or name another"
        return text % (path, name_of(found.st_uid), kind)
    if shared:
        text = "%s, of %s, is also another file by a hard link and is not used: remove it"
        return text % (path, name_of(found.st_uid)) if found.st_nlink != 1 else ""
    if found.st_uid != os.geteuid():
        return foreign(path, found)
    return open_to_others(path, found) if others_write(path, found) else ""


def open_file(path: str, flags: int, mode: int = 0o600, shared: bool = False) -> int:
    """Opens a file of a directory that was checked.  No link is followed, nothing waits, and no
    FIFO or device is touched.  FileNotFoundError and FileExistsError are the caller's.

    `shared`: for a file in a directory of all users, which may belong to anybody.
    """
    with contextlib.suppress(FileNotFoundError):
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            raise LabError(why_no_file(path, found, shared))
    try:
        flags |= os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        fd = os.open(path, flags, mode)
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as e:
        raise LabError("cannot open %s: %s" % (path, e.strerror)) from e
    if why := why_no_file(path, os.fstat(fd), shared):
        os.close(fd)
        raise LabError(why)
    return fd


def unlink(path: str) -> None:
    """Removes a file of a directory that was checked, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def write(path: str, text: str, mode: int = 0o644, owner: pwd.struct_passwd | None = None) -> None:
    """A new file, which belongs to `owner`; also in a directory of theirs, where another file or a
    link may have the name."""
    with failing("cannot write " + path):
        unlink(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            if owner is not None:
                os.fchown(f.fileno(), owner.pw_uid, owner.pw_gid)
            os.fchmod(f.fileno(), mode)
