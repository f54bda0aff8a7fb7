# SPDX-License-Identifier: GPL-2.0-or-later
"""A bare Debian or Ubuntu: a directory made by debootstrap, and commands that run in it as on a
machine.

It has no package beyond those that apt needs; the package mirrors, proxies and certificates are
this machine's.  Commands run in namespaces of their own, so that mounts and processes end with
them, however they end.  Only root can do this.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from typing import NamedTuple, Sequence

from sysbench_lab import owned

from . import LabError
from .build import os_release, output

SCRIPTS = "/usr/share/debootstrap/scripts/"
UBUNTU = ("jammy", "noble")  # releases; the debootstrap of Debian 12 has no script for the newer,
UBUNTU_MIRROR = "http://archive.ubuntu.com/ubuntu"  # nor the keys of both
MARK = "/made-by-sysbench-tx"  # in a root that is complete
PASSED_ON = re.compile(r"((https?|ftp|no|all)_proxy|PIP_\w+|SB_\w+|TERM)\Z", re.I)
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
# The shell is process 1 there, which waits for whatever has lost its parent.  The root is that of
# the namespace, not only of its processes: tests enter namespaces of their own.
INSIDE = """
mount --bind "$1" "$1" && mount -t proc proc "$1/proc" &&
    mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" && cd "$1" &&
    pivot_root . . && umount -l . && cd "$2" || exit
$3 2>&1
exit $?
"""
COPIED = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/pip.conf",
    "/root/.config/pip/pip.conf",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/share/ca-certificates",
)


class Outcome(NamedTuple):
    command: str
    status: int
    seconds: float
    lines: list[str]


def sources(suite: str) -> list[str]:
    """This machine's apt sources of that suite; none if it is another distribution or release."""
    line = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    out = output("apt-get", "indextargets", "--format", line, "Created-By: Packages")
    found = sorted(set(out.splitlines()))
    return [s for s in found if re.search(r" %s(-updates|-security)? " % re.escape(suite), s)]


def write(path: str, lines: Sequence[str]) -> None:
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines)


def this_release() -> str:
    """The suite of this machine's packages, or Debian 12 on other systems."""
    found = os_release("VERSION_CODENAME")
    return found if found and known(found) else "bookworm"


def known(suite: str) -> bool:
    return suite in UBUNTU or os.path.exists(SCRIPTS + suite)


def make_root(root: str, suite: str) -> None:
    """A bare system, which reaches packages as this machine does, in a new or empty directory."""
    owned.fresh(root)
    apt = sources(suite)
    mirror = next((s.split()[1] for s in apt if " %s main" % suite in s), "")  # "": its script's
    argv = [*NAMESPACES, "debootstrap", "--variant=minbase"]
    if suite in UBUNTU:
        argv += ["--components=main,universe", suite, root, mirror or UBUNTU_MIRROR]
        argv.append(SCRIPTS + UBUNTU[0])
    else:
        argv += [suite, root, mirror]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        why = re.findall(r"^(?:E: )?(.*\S)", done.stdout, re.M)[-1:]
        raise LabError("debootstrap failed: " + "".join(why))
    if apt:
        write(root + "/etc/apt/sources.list", apt)
    settings = output("apt-config", "dump").splitlines()
    settings = [s for s in settings if re.match(r"Acquire::(https?|ftp|Check|Retries)", s)]
    write(root + "/etc/apt/apt.conf.d/99bare", settings)
    os.chmod(root, 0o755)  # servers run as another user
    for path in (*COPIED, os.environ.get("PIP_CERT", "")):
        if os.path.isdir(path):
            shutil.copytree(path, root + path, dirs_exist_ok=True)
        elif os.path.exists(path):
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            shutil.copyfile(path, root + path)
    os.mkdir(root + MARK)


def run(root: str, command: str, directory: str = "/root") -> Outcome:
    """Runs the words of a command in a directory of the root, and prints what it prints."""
    env = {name: value for name, value in os.environ.items() if PASSED_ON.match(name)}
    env.update(HOME="/root", PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    began, lines = time.monotonic(), []
    with subprocess.Popen(
        [*NAMESPACES, "sh", "-c", INSIDE, "sh", root, directory, command],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line.rstrip())
        except BaseException:
            process.kill()
            process.stdout.read()  # until the last of them has ended
            raise
    return Outcome(command, process.returncode, time.monotonic() - began, lines)


def remove(root: str) -> None:
    """Its mounts have gone with their namespace; if one is left after all, so is the root."""
    with open("/proc/self/mountinfo") as f:
        if any((line.split()[4] + "/").startswith(root + "/") for line in f):
            raise LabError("something is mounted in %s, which is kept" % root)
    owned.remove(root)
