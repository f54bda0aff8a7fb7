# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/package --test: installs a package in a bare system, and measures there: a private
MariaDB, prepare, a run at a rate, the shortest form of `sysbench-lab quickstart` (packaging/try).

The bare system of a release is made once, below --root; each package gets a copy of it.  A deb that
another release refuses is built there from its source package.  The container, which has no
laboratory, meets a server of this machine instead.
"""

from __future__ import annotations

import concurrent.futures
import glob
import os
import re
import shutil
import socket
import subprocess
import tarfile
import time
from typing import TYPE_CHECKING

from sysbench_lab.servers import programs

from . import LabError, bare, package_sbom
from .build import SOURCE, contents, output, say

if TYPE_CHECKING:
    from .package import Release

DBSERVER = os.path.join(SOURCE, "scripts", "dbserver")
REFUSED = re.compile(r"Depends: (\S+(?: \([^)]*\))?) but")
MAIN = {"rpm": "sysbench-tx-[0-9]*[!c].rpm", "tarball": "*-linux-*.tar.gz"}
RUN = "--tables=1 --table-size=1000 --threads=2 --tx-rate=20 --events=60 --time=60"
DONE = re.compile(r"^ +done: +60$")


def needed(kind: str, path: str) -> list[str]:
    """Debian's packages of the libraries that a package names."""
    if kind == "rpm":
        found = re.findall(r"^(lib\S+?\.so[.\d]*)\(", output("rpm", "-qpR", path), re.M)
        return sorted({part.name for part in package_sbom.shared("linked", found)})
    with tarfile.open(path) as tar:
        member = next(m for m in tar if m.name.count("/") == 1 and m.name.endswith("/README"))
        file = tar.extractfile(member)
        assert file
        text = file.read().decode()
    return sorted(set(re.findall(r"^    lib\S+ +(lib\S+)$", text, re.M)))


def check() -> None:
    """Before packages are built in vain."""
    if os.geteuid() != 0:
        raise LabError("only root may make a bare system and run in it (--test)")
    for program in ("debootstrap", "unshare"):
        if not shutil.which(program):
            raise LabError("no %s (apt-get install debootstrap util-linux)" % program)


def in_bare_root(r: Release, kind: str, root: str, suite: str) -> None:
    base, copy = os.path.join(root, suite), os.path.join(root, "of-" + kind)
    if os.path.isdir(copy + bare.MARK):  # of one that was killed
        bare.remove(copy)
    if not os.path.isdir(base + bare.MARK):
        if os.path.isdir(base):
            raise LabError("%s is not whole: remove it" % base)
        os.makedirs(root, exist_ok=True)
        bare.make_root(base, suite)
    subprocess.run(["cp", "-a", "--reflink=auto", base, copy], check=True)
    try:
        shutil.copytree(r.out, copy + "/srv/packages")
        words = ["rebuild"] if suite != bare.this_release() else []
        if kind != "deb":
            words = needed(kind, glob.glob(os.path.join(r.out, MAIN[kind]))[0])
        shutil.copy(os.path.join(SOURCE, "packaging", "try"), copy + "/srv/try")
        judge(kind, suite, bare.run(copy, " ".join(["/srv/try", kind, *words])))
        kept = "/var/cache/apt/archives/"
        subprocess.call("cp -n %s*.deb %s" % (copy + kept, base + kept), shell=True)
    finally:
        bare.remove(copy)


def judge(kind: str, suite: str, outcome: bare.Outcome) -> None:
    if outcome.status != 0:
        raise LabError("exit status %d in a bare %s" % (outcome.status, suite))
    if not any(map(DONE.match, outcome.lines)):
        raise LabError("the run did not do its 60 transactions in a bare %s" % suite)
    refused = ", ".join(sorted(set(re.findall(REFUSED, "\n".join(outcome.lines)))))
    there = ", built there: what was built here needs " + refused if refused else ""
    how = "installed and measured in a bare " + suite + there
    say("%-10s %6.1f s  %s" % (kind, outcome.seconds, how))


USER = "setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs "


def in_image(r: Release) -> None:
    """Runs in what the image holds, as its user and as process 1, and asks for its health
    meanwhile.  Without MariaDB here it runs the test of the CPU."""
    if not shutil.which("buildah"):
        raise LabError("no buildah, by which the image is unpacked (apt-get install buildah)")
    made = r.run("container", ["buildah", "from", r.image], r.out).split()[-1]
    server = os.path.join(r.work, "server")
    start = ["start", "--dir=" + server] if programs.find("mariadbd") else []
    try:
        system = r.run("container", ["buildah", "mount", made], r.out).split()[-1]
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            listen = "--metrics-listen=127.0.0.1:%d" % s.getsockname()[1]
        options = "--report-interval=1 %s run" % listen
        words = "sysbench cpu --events=60 --rate=20 --time=60 " + options
        if start:
            said = subprocess.run([DBSERVER, *start], stdout=subprocess.PIPE, text=True, check=True)
            found = re.search(r"^port=(\S+)", said.stdout, re.M)
            login = "--mysql-host=127.0.0.1 --mysql-user=sbtest --mysql-db=sbtest --mysql-port="
            login += found.group(1) if found else ""
            words = "sysbench oltp_read_only %s %s %%s" % (login, RUN)
            bare.run(system, USER + words % "prepare", "/work")
            words %= options
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(bare.run, system, "exec " + USER + words, "/work")
            healthy = health(listen, running)
            outcome = running.result()
    finally:
        if start:
            subprocess.call([DBSERVER, "stop", "--dir=" + server, "--remove"])
        r.run("container", ["buildah", "rm", made], r.out)
    done = any(map(DONE.match, outcome.lines)) or not start
    if outcome.status != 0 or not done or not healthy:
        how = (outcome.status, "healthy" if healthy else "never healthy")
        raise LabError("exit status %d, %s" % how)
    say("container  %6.1f s  measured as user 10001, healthy" % outcome.seconds)


def health(listen: str, running: concurrent.futures.Future[bare.Outcome]) -> bool:
    """What the health check of the image says while it runs."""
    while not running.done():
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = contents("/proc/%s/cmdline" % pid).split("\0")
            except OSError:
                continue
            if words[0] == "sysbench" and listen in words:
                enter = ["nsenter", "--target=" + pid, "--mount", "--pid"]
                if subprocess.call([*enter, "/usr/libexec/sysbench/health"]) == 0:
                    return True
        time.sleep(0.2)
    return False
