# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/package: the last commit as packages that are the same, byte for byte, wherever and
whenever they are built from it with the same tools.

packaging/build makes each: first the source with `make dist`, from a clean copy; everything else is
built from that, in a directory of its own.  Times in files are that of the commit.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import subprocess
import sys
import time
from typing import NamedTuple, Sequence

from sysbench_lab import owned, visible

from . import LabError, bare, package_sbom, package_try
from .build import SOURCE, contents, jobs, logged, os_release, parser, say

NAME = "sysbench-tx"
OUT = os.path.join(SOURCE, "build-package")
BUILD = os.path.join(SOURCE, "packaging", "build")
KINDS = ("deb", "rpm", "tarball", "container")


class NotHere(Exception):
    """A package cannot be built on this machine, and why."""


class Release(NamedTuple):
    upstream: str  # 1.2.0, what the program says
    version: str  # the same; of a commit that is no release, 1.2.0+git20261127.fac48b88
    epoch: int  # seconds, when it was committed
    out: str
    work: str
    env: dict[str, str]

    @property
    def image(self) -> str:
        return "%s:%s" % (NAME, self.version.replace("+", "-"))

    @property
    def tarball(self) -> str:
        return os.path.join(self.out, "%s-%s.tar.xz" % (NAME, self.version))

    def date(self, form: str) -> str:
        return time.strftime(form, time.gmtime(self.epoch))

    def run(self, kind: str, argv: Sequence[str], cwd: str = SOURCE) -> str:
        """What a command prints, which is in work/KIND.log, too."""
        path = os.path.join(self.work, kind + ".log")
        status, text = logged(path, argv, cwd, self.env)
        if status != 0:
            not_here = re.search("^not here: (.*)", text, re.M)
            if not_here:
                raise NotHere(not_here.group(1))
            last = "".join(text.splitlines(True)[-30:])
            raise LabError("%s%s failed (exit %d), see %s" % (last, kind, status, path))
        return text

    def build(self, kind: str, *words: str) -> None:
        for line in re.findall("^say: (.*)", self.run(kind, [BUILD, *words]), re.M):
            say(line)


def git(*argv: str) -> str:
    try:
        done = subprocess.run(["git", *argv], cwd=SOURCE, capture_output=True, text=True)
    except FileNotFoundError:
        raise LabError("git is not installed (apt-get install git)") from None
    if done.returncode != 0:
        why = done.stderr.strip().partition("\n")[0]
        raise LabError("packages the last commit of a clone; here git says: " + why)
    return done.stdout.strip()


def release(out: str, work: str, base: str, **env: str) -> Release:
    """Of the last commit; the container is built on a base."""
    seconds, commit, day = git("log", "-1", "--format=%ct %h %cd", "--date=format:%Y%m%d").split()
    found = re.search(r"AC_INIT\(\[[^]]*\], \[([^]]*)\]", git("show", "HEAD:configure.ac"))
    assert found
    upstream = version = found.group(1)
    if git("show", "HEAD:ChangeLog").startswith("unreleased"):
        version += "+git%s.%s" % (day, commit)
    env = dict(os.environ, SOURCE_DATE_EPOCH=seconds, LC_ALL="C", **env)
    for name in ("CFLAGS", "CPPFLAGS", "LDFLAGS", "DEB_BUILD_OPTIONS", "MAKEFLAGS"):
        env.pop(name, None)
    # what tar packs, whoever calls it: no order, time or owner of this machine
    order = "--sort=name --mtime=@%s --owner=0 --group=0 --numeric-owner" % seconds
    env.update(TAR_OPTIONS=order, DEB_BUILD_OPTIONS="parallel=%s" % jobs()[2:], SB_JOBS=jobs())
    env.update(SB_CLONE=SOURCE, SB_OUT=out, SB_WORK=work, SB_BASE=base)
    env.update(SB_VERSION=version, SB_UPSTREAM=upstream)
    for directory in (out, work):
        owned.fresh(directory)
    return Release(upstream, version, int(seconds), out, work, env)


def debian_changelog(r: Release, maintainer: str, text: str) -> str:
    """Its entries: what is packaged, and the releases of ChangeLog before it."""
    released = re.findall(r"^(\d{4}-\d\d-\d\d)  version (\S+)", text, re.M)
    days = [(time.strptime(day, "%Y-%m-%d"), version) for day, version in released]
    if not days or days[0][1] != r.version:
        days.insert(0, (time.gmtime(r.epoch), r.version))
    entry = "%s (%s-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n"
    date = "%a, %d %b %Y %H:%M:%S +0000"
    return "\n".join(entry % (NAME, v, maintainer, time.strftime(date, day)) for day, v in days)


def deb(r: Release) -> None:
    control = contents(os.path.join(SOURCE, "packaging", "debian", "control"))
    maintainer = re.findall("^Maintainer: (.*)", control, re.M)[0]
    with open(os.path.join(r.work, "changelog"), "w") as f:
        f.write(debian_changelog(r, maintainer, git("show", "HEAD:ChangeLog")))
    r.build("deb", "deb")


def tarball(r: Release) -> None:
    r.build("tarball", "tarball")
    opt = os.path.join(r.work, "tarball", "%s-%s" % (NAME, r.upstream), "root", "opt")
    (name,) = os.listdir(opt)
    program = os.path.join(opt, name, "bin", "sysbench")
    words = {"linked": "", "opened": "", "glibc": package_sbom.glibc(program)}
    for part in package_sbom.libraries(program):
        if part.way in words and part.soname:
            words[part.way] += "    %-24s %s\n" % (part.soname, part.name)
    words.update(version=r.version, machine=platform.machine())
    text = contents(os.path.join(SOURCE, "packaging", "README.tarball")).rstrip()
    with open(os.path.join(opt, name, "README"), "w") as f:
        f.write(text.format(system=os_release("PRETTY_NAME") or platform.system(), **words))
    r.build("tarball", "packed")
    package_sbom.write(r, program, checksum(r.tarball))


def checksum(path: str) -> str:
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


OWN = {"deb": deb, "tarball": tarball}  # what is more than a step of packaging/build


def build(kinds: Sequence[str], r: Release) -> dict[str, str]:
    """Builds them; "" or, for each that was not built, why."""
    os.umask(0o022)
    outcome = {}

    def tried(kind: str, *needs: str) -> bool:
        try:
            if needs or kind not in OWN:
                r.build(kind, *needs, kind)
            else:
                OWN[kind](r)
            outcome[kind] = ""
        except NotHere as e:
            outcome[kind] = "not built: %s" % e
            say("%-10s not built: %s" % (kind, e))
        except LabError as e:
            outcome[kind] = "failed"
            say("%-10s failed\n%s" % (kind, e))
        return not outcome[kind]

    # what each needs is looked for before the source is made, which takes a minute
    able = [kind for kind in kinds if tried(kind, "needs")]
    if able:
        began = time.monotonic()
        r.build("source", "source")
        say("source     %6.1f s  %s" % (time.monotonic() - began, os.path.basename(r.tarball)))
    for kind in able:
        began = time.monotonic()
        if tried(kind):
            say("%-10s %6.1f s" % (kind, time.monotonic() - began))
    names = packages(r.out)
    with open(os.path.join(r.out, "SHA256SUMS"), "w") as f:
        f.writelines("%s  %s\n" % (checksum(os.path.join(r.out, n)), n) for n in names)
    return outcome


def packages(directory: str) -> list[str]:
    return sorted(set(os.listdir(directory)) - {owned.MARK})


def differences(first: str, second: str) -> list[str]:
    """Between two directories of packages, by their SHA256SUMS."""
    sums = [contents(os.path.join(d, "SHA256SUMS")).splitlines() for d in (first, second)]
    one, two = ({line[66:]: line[:64] for line in lines} for lines in sums)
    what = {n: "differs" if n in one and n in two else "was made only once" for n in {*one, *two}}
    return ["%s %s" % (n, what[n]) for n in sorted(what) if one.get(n) != two.get(n)]


def parse(argv: Sequence[str], text: str) -> argparse.Namespace:
    p = parser("scripts/package", text)
    p.add_argument("kind", nargs="*", help="what to build: %s (default: all)" % ", ".join(KINDS))
    p.add_argument("--check-reproducible", action="store_true", help="build twice and compare")
    p.add_argument("--test", action="store_true", help="install each in a bare system and measure")
    suite = "releases of Debian and Ubuntu for --test, such as trixie,noble (default this one's)"
    p.add_argument("--suite", default="", metavar="LIST", help=suite)
    p.add_argument(
        "--dir", default=OUT, help="packages/ and work/ are made in it (default build-package)"
    )
    root = "of the bare systems of --test, which are kept (default DIR/root)"
    p.add_argument("--root", default="", metavar="DIR", help=root)
    base = "of the container: an image, or a directory made by debootstrap"
    p.add_argument("--base-image", default="", metavar="BASE", help=base)
    a = p.parse_args(argv)
    for kind in a.kind:
        if kind not in KINDS:
            p.error("there is no package '%s'; there are %s" % (kind, ", ".join(KINDS)))
    a.dir = os.path.abspath(a.dir)
    if os.path.isdir(a.base_image):
        a.base_image = os.path.abspath(a.base_image)
    if a.suite and not a.test:
        p.error("--suite is of --test")
    a.suite = a.suite.split(",") if a.suite else [bare.this_release()]
    for suite in a.suite:
        if a.test and not bare.known(suite):
            p.error("debootstrap knows no release '%s'" % suite)
    return a


def main(argv: Sequence[str], text: str) -> int:
    a = parse(argv, text)
    kinds = a.kind or list(KINDS)
    if a.test:
        package_try.check()
    out, work = os.path.join(a.dir, "packages"), os.path.join(a.dir, "work")
    if git("status", "--porcelain"):
        say("note: changes that are not committed are not in the packages")
    root = os.path.abspath(a.root or os.path.join(a.dir, "root"))
    r = release(out, work, a.base_image)
    outcome = build(kinds, r)
    failed = any(why if a.kind else why == "failed" for why in outcome.values())
    for kind in outcome if a.test else ():
        for suite in a.suite if not outcome[kind] else ():
            try:
                if kind != "container":
                    package_try.in_bare_root(r, kind, root, suite)
                elif suite == a.suite[0]:
                    package_try.in_image(r)
            except (LabError, OSError) as e:
                say("%-10s failed: %s" % (kind, e))
                failed = True
    if a.check_reproducible:
        again = os.path.join(a.dir, "second", "time")
        second = os.path.join(a.dir, "second", "work")
        other = release(again, second, a.base_image, TZ="Asia/Kolkata")
        build([kind for kind, why in outcome.items() if not why], other)
        found = differences(out, again)
        for line in found:
            say("not reproducible: " + line)
        if not found:
            say("reproducible: %d files, built twice" % (len(packages(out)) - 1))
        failed |= bool(found)
    for name in packages(out):
        size = os.path.getsize(os.path.join(out, name))
        say("%10s  %s" % (format(size, ","), os.path.relpath(os.path.join(out, name))))
    return 1 if failed else 0


def launch(argv: Sequence[str], text: str) -> int:
    try:
        return main(argv, text)
    except LabError as e:
        sys.stderr.write("package: %s\n" % visible(str(e)))
        return 1
    except KeyboardInterrupt:
        return 130
