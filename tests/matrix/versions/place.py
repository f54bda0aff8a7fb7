# SPDX-License-Identifier: GPL-2.0-or-later
"""Where programs run: on this system (outside) or in a suite of Debian (inside)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from typing import Any, Sequence

from lib import child
from sblab import LabError
from sblab.build import say
from sysbench_lab import owned
from versions import SOURCE

MIRROR = "http://deb.debian.org/debian"


def members(namespace: str) -> list[int]:
    """Process ids in a mount namespace, never ours."""
    if not namespace or namespace == os.readlink("/proc/self/ns/mnt"):
        return []
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink("/proc/%s/ns/mnt" % name) == namespace:
                found.append(int(name))
        except OSError:
            continue
    return found


def end_namespace(note: str) -> None:
    """Ends what is left in the one that the file names: asks for ten seconds, then does not ask."""
    if not os.path.exists(note):
        return
    with open(note) as f:
        namespace = f.read().strip()
    deadline = time.monotonic() + 10
    asked = set()
    while True:
        left = members(namespace)
        if not left:
            return
        late = time.monotonic() > deadline
        for pid in left:
            if late or pid not in asked:
                asked.add(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
        time.sleep(0.1)


class Place:
    """Where commands run: outside, or in the chroot with what it needs mounted."""

    def __init__(self, directory: str, suite: str = "unstable") -> None:
        self.directory, self.suite = os.path.abspath(directory), suite
        self.root = self.path(suite)
        owned.make(self.path("run"))
        owned.write(self.path(os.path.join("run", owned.MARK)), "")
        for public in (self.directory, self.path("run")):
            os.chmod(public, 0o755)

    def path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def argv(self, inside: bool, argv: Sequence[str], note: str | None = None) -> list[str]:
        """The command in a mount namespace of its own, whose name goes to the file `note`."""
        lines = ["set -e"]
        if note:
            lines.append("readlink /proc/self/ns/mnt >'%s'" % note)
        if not inside:
            lines.append('exec "$@"')
        else:
            mounts = [
                ("-t", "proc", "proc", "/proc"),
                ("--rbind", "/dev", "/dev"),
                ("--bind", SOURCE, "/src"),
                ("-o", "remount,ro,bind", "/src"),
                ("--bind", self.path("run"), self.path("run")),
            ]
            for m in mounts:
                target = self.root + m[-1]
                os.makedirs(target, exist_ok=True)
                lines.append("mount %s '%s'" % (" ".join("'%s'" % w for w in m[:-1]), target))
            lines.append("exec chroot '%s' \"$@\"" % self.root)
        shell = ["sh", "-c", "\n".join(lines), "sh"]
        return ["unshare", "--mount", "--propagation=private", *shell, *argv]

    def run(
        self,
        inside: bool,
        argv: Sequence[str],
        log: str,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
    ) -> int:
        """Exit status; what it printed goes to the end of DIRECTORY/log.  Whatever it leaves
        running, or has running when we are interrupted, ends with it."""
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C"}
        if cwd and inside:
            argv = ["sh", "-c", 'cd "$0" && exec "$@"', cwd, *argv]
            cwd = None
        note = self.path("run/namespace.%d" % os.getpid())
        with open(note, "w"):
            pass
        with open(self.path(log), "a") as f:
            f.write("== %s\n" % " ".join(argv))
            f.flush()
            words = self.argv(inside, argv, note)
            process = child.begin(words, f, env={**clean, **(env or {})}, cwd=cwd)
            try:
                return process.wait()
            finally:
                end_namespace(note)
                if process.poll() is None:  # it had not come as far as having a namespace
                    os.killpg(process.pid, signal.SIGTERM)
                    process.wait()
                os.unlink(note)

    def install(self, packages: Sequence[str]) -> None:
        """Makes the root with debootstrap where there is none, and adds what it lacks of these; a
        file in it says what it has."""
        stamp, log = os.path.join(self.root, "matrix-packages"), self.suite + ".log"
        with open(self.path(self.suite + ".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.exists(self.root + "/debootstrap"):  # it was interrupted
                owned.remove(self.root, "debootstrap")
            if not os.path.exists(self.root):
                how = ["debootstrap", "--variant=minbase", self.suite, self.root, MIRROR]
                self.must("debootstrap " + self.suite, False, how, log)
            has = []
            if os.path.exists(stamp):
                with open(stamp) as f:
                    has = f.read().split()
            else:
                with open(self.root + "/etc/apt/apt.conf.d/99matrix", "w") as f:
                    f.write('Acquire::Check-Valid-Until "false";\n')
                with open(self.root + "/usr/sbin/policy-rc.d", "w") as f:
                    f.write("#!/bin/sh\nexit 101\n")  # no package starts a service
                os.chmod(f.name, 0o755)
            lacks = [p for p in packages if p not in has]
            if lacks:
                self.must("apt-get update", True, ["apt-get", "update"], log)
                install = ["apt-get", "install", "-y", "--no-install-recommends", *lacks]
                quiet = {"DEBIAN_FRONTEND": "noninteractive"}
                self.must("apt-get install", True, install, log, env=quiet)
                with open(stamp, "w") as f:
                    f.write("\n".join(has + lacks))

    def must(self, what: str, *args: Any, **kw: Any) -> None:
        began = time.monotonic()
        if self.run(*args, **kw) != 0:
            raise LabError("%s failed, see %s" % (what, self.path(args[2])))
        say("%-34s %6.1f s" % (what, time.monotonic() - began))

    def output(self, inside: bool, argv: Sequence[str]) -> str:
        return child.output(*self.argv(inside, argv)).strip()
