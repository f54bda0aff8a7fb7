# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes, ports, limits and OS users, as a private server needs them.

A process is named by its pid and its start time, because a pid alone may
belong to somebody else by the time we want to stop it.  Start times come
from /proc, or from ps where there is no /proc.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import re
import resource
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any, Iterator, Mapping, Sequence

from .. import LabError

COMPAT = "SYSBENCH_COMPAT"  # the default of --compat; an experiment says it itself


def identity(pid: int | None) -> str | None:
    """What tells this process from a later one with the same pid; None when it is gone.

    A zombie counts as gone: it has released everything but its number.
    """
    if pid is None:
        return None
    try:
        with open("/proc/%d/stat" % pid, "rb") as f:
            fields = f.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    except (FileNotFoundError, ProcessLookupError):
        if os.path.exists("/proc/self/stat"):
            return None
    out = run_tool(["ps", "-o", "stat=,lstart=", "-p", str(pid)])[1].split(None, 1)
    return None if len(out) < 2 or out[0].startswith("Z") else out[1].strip()


def is_alive(pid: int | None, ident: str | None) -> bool:
    """True while the process that had `ident` at its start still runs as `pid`."""
    return bool(pid) and ident is not None and identity(pid) == ident


def tries(seconds: float, pause_s: float = 0.02) -> Iterator[bool]:
    """Again and again, with a pause between, until the time is over; True for the last one."""
    deadline = time.monotonic() + seconds
    while time.monotonic() <= deadline:
        yield False
        time.sleep(pause_s)
    yield True


def wait_gone(pid: int | None, ident: str | None, seconds: float) -> bool:
    """Waits until the process has ended; False when it still runs after `seconds`."""
    return any(not is_alive(pid, ident) for _ in tries(seconds))


def owner(pid: int) -> int | None:
    """The user id under which a process runs; None when it is gone."""
    with contextlib.suppress(OSError):
        return os.stat("/proc/%d" % pid).st_uid
    out = run_tool(["ps", "-o", "uid=", "-p", str(pid)])[1].strip()
    return int(out) if out.isdigit() else None


def stop(
    pid: int | None, ident: str | None, polite: Sequence[int], wait_s: float, uid: int | None = None
) -> str | None:
    """Ends a process of ours or of user `uid`: the `polite` signals in turn, `wait_s` for each,
    then SIGKILL.

    Returns the name of the signal that ended it, or None when it was gone before.
    """
    if pid is None or not is_alive(pid, ident):
        return None
    if owner(pid) not in (os.geteuid(), uid, None):
        raise LabError("process %d belongs to another user and is not stopped" % pid)
    for sig in list(polite) + [signal.SIGKILL]:
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            return signal.Signals(sig).name
        except PermissionError:
            text = "process %d belongs to another user and cannot be stopped"
            raise LabError(text % pid) from None
        if wait_gone(pid, ident, wait_s if sig != signal.SIGKILL else 30):
            return signal.Signals(sig).name
    raise LabError("process %d does not end, not even after SIGKILL" % pid)


def end(
    p: subprocess.Popen[bytes], polite: int, seconds: float, last_s: float | None = None
) -> None:
    """A process group that we have started: the polite signal, then SIGKILL for what does not
    listen, and `last_s` for that to work; None: as long as it takes."""
    for sig, wait_s in ((polite, seconds), (signal.SIGKILL, last_s)):
        if p.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(p.pid, sig)
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(wait_s)


def spawn(
    argv: Sequence[str],
    log_path: str,
    user: pwd.struct_passwd | None,
    cwd: str | None,
    more: Mapping[str, str] | None = None,
    cpus: str = "",
    text: str = "",
) -> subprocess.Popen[bytes]:
    """Starts a program detached from us: own session, `text` as stdin, output appended to a log.

    With `user` (a pwd entry) and as root, the process becomes that user before exec.  `more` is
    added to our environment; `cpus` are those on which it may run, "" for all of ours.
    """
    allowed = usable_cpus(cpus) if cpus else None

    def prepare() -> None:
        for sig in (signal.SIGINT, signal.SIGTERM):  # we end it by them, also if we ignore them
            signal.signal(sig, signal.SIG_DFL)
        raise_nofile()
        if allowed is not None:
            os.sched_setaffinity(0, allowed)
        become(user)

    with open(log_path, "ab") as log, tempfile.TemporaryFile() as given:
        given.write(text.encode("utf-8", "surrogateescape"))
        given.seek(0)
        return subprocess.Popen(
            argv, stdin=given if text else subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd,
            env=environment(more or {}), start_new_session=True, preexec_fn=prepare,
        )  # fmt: skip


def raise_nofile() -> None:
    """As many open files as we may have: one for each connection and table."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (hard, 1 << 20):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, soft), max(limit, hard)))


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Ours, without what would change a server or the output of sysbench behind our back."""
    left_out = ("NOTIFY_SOCKET", "LISTEN_FDS", COMPAT)
    return {**{k: v for k, v in os.environ.items() if k not in left_out}, **more}


def run_tool(
    argv: Sequence[str], text: str = "", limit_s: float | None = None, **more: Any
) -> tuple[int, str]:
    """Runs a helper program to its end; returns (exit status, what it printed).  `more` is Popen's.

    It gets a process group of its own: when we are interrupted, or after `limit_s`, what it started
    ends with it.
    """
    p = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace", start_new_session=True, **more,
    )  # fmt: skip
    try:
        out = p.communicate(text, limit_s)[0]
    except BaseException:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        raise
    return p.returncode, out


# and a command, which may hold one: --set=server.check=, --set hooks.before=, --set=load.do=, --do=
PASSWORD = re.compile(
    rb"((?:password|mysql_pwd)[^=]*=|://"
    rb"|(?:\bserver\.(?:set|check|start|stop)|\bhooks[\w.-]*|(?:\bload\.|^--)do)\s*=)(?!$).*",
    re.I | re.S,
)


def hide_passwords() -> None:
    """Take the passwords out of our own command line, which everybody can read in /proc.  All that
    follows the name of one counts as one, and so does a command.  Where there is no /proc, nothing
    happens."""
    with contextlib.suppress(OSError, IndexError, ImportError):
        import ctypes

        with open("/proc/self/cmdline", "rb") as f:
            before = f.read()
        with open("/proc/self/stat", "rb") as f:
            begin, end = map(int, f.read().rpartition(b")")[2].split()[45:47])
        words = [PASSWORD.sub(rb"\1***", word) for word in before[:-1].split(b"\0")]
        for i, word in enumerate(words[:-1]):  # --password VALUE
            if word.startswith(b"--") and word.lower().endswith(b"password"):
                words[i + 1] = b"***"[: len(words[i + 1])]
        after = b"\0".join(words)
        if end - begin == len(before) and len(after) < len(before):
            ctypes.memmove(begin, after.ljust(len(before), b"\0"), len(before))


def become(user: pwd.struct_passwd | None) -> None:
    """Gives up root for `user`, its groups included; runs between fork and exec."""
    if user is not None:
        os.setgid(user.pw_gid)
        os.initgroups(user.pw_name, user.pw_gid)
        os.setuid(user.pw_uid)


def cpu_set(text: str) -> set[int]:
    """CPUs as taskset spells them: "0-3,8", "0-6:2"."""
    found: set[int] = set()
    for word in text.split(","):
        m = re.fullmatch(r"\s*(\d+)(?:-(\d+)(?::(\d+))?)?\s*", word)
        if not m or int(m[2] or m[1]) < int(m[1]) or m[3] == "0":
            raise LabError("'%s' is no list of CPUs; write it as taskset does: 0-3,8" % text)
        first, last, step = (int(n) for n in (m[1], m[2] or m[1], m[3] or 1))
        found.update(range(first, last + 1, step))
    return found


def usable_cpus(text: str) -> set[int]:
    """The same, when a process of ours may run on all of them; tried on this thread."""
    wanted = cpu_set(text)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, wanted)
        got = os.sched_getaffinity(0)
    except OSError:
        got = set()
    finally:
        os.sched_setaffinity(0, before)
    if got != wanted:
        missing = ", ".join(str(n) for n in sorted(wanted - got))
        raise LabError("there is no CPU %s to run on (asked for: %s)" % (missing, text))
    return wanted


def free_port() -> int:
    """A TCP port of the loopback interface that nobody uses at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def os_user(name: str) -> pwd.struct_passwd | None:
    """The pwd entry of an OS user by name, or None."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(name)
    return None


def can_enter(user: pwd.struct_passwd, directory: str) -> bool:
    """True when `user` may pass through every directory down to `directory` (asked as root)."""
    with contextlib.suppress(subprocess.SubprocessError):  # it cannot become that user
        enter = functools.partial(become, user)
        return run_tool(["test", "-x", directory], preexec_fn=enter)[0] == 0
    return False
