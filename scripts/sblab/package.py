# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/package: the last commit as packages that are the same, byte for byte, wherever and
whenever they are built from it with the same tools.

First the source is made with `make dist`, from a clean copy; everything else is built from that,
in a directory of its own.  Times in files are that of the commit.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from typing import Callable, NamedTuple, Sequence

from sysbench_lab import owned, visible

from . import LabError, bare, package_sbom, package_try
from .build import SOURCE, contents, jobs, os_release, output, say

NAME = "sysbench-tx"
OUT = os.path.join(SOURCE, "build-package")
NO_PATHS = "srcluadir=../src/lua"  # for make: no program tells where it was built


class NotHere(Exception):
    """A package cannot be built on this machine, and why."""


class Release(NamedTuple):
    upstream: str  # 1.2.0, what the program says
    version: str  # the same; of a commit that is no release, 1.2.0+git20261127.fac48b88
    epoch: int  # seconds, when it was committed
    out: str
    work: str
    env: dict[str, str]
    base: str = ""  # of the container: an image, or a directory with a bare system

    @property
    def image(self) -> str:
        return "%s:%s" % (NAME, self.version.replace("+", "-"))

    @property
    def tree(self) -> str:
        return "%s-%s" % (NAME, self.upstream)

    @property
    def tarball(self) -> str:
        return os.path.join(self.out, "%s-%s.tar.xz" % (NAME, self.version))

    def date(self, form: str) -> str:
        return time.strftime(form, time.gmtime(self.epoch))

    def run(self, kind: str, argv: Sequence[str], cwd: str, **env: str) -> str:
        """What a command prints, which is in work/KIND.log, too."""
        path = os.path.join(self.work, kind + ".log")
        with open(path, "a") as log:
            log.write("$ %s\n" % " ".join(argv))
            log.flush()
            start = log.tell()
            status = subprocess.call(
                argv,
                cwd=cwd,
                env=dict(self.env, **env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        with open(path, errors="replace") as log:
            log.seek(start)
            text = log.read()
        if status != 0:
            last = "".join(text.splitlines(True)[-30:])
            raise LabError("%s%s failed (exit %d), see %s" % (last, argv[0], status, path))
        return text

    def directory(self, kind: str, *parts: str) -> str:
        path = os.path.join(self.work, kind, *parts)
        os.makedirs(path)
        return path

    def unpacked(self, kind: str) -> str:
        """The source in a directory of its own."""
        directory = self.directory(kind)
        self.run(kind, ["tar", "-xf", self.tarball], directory)
        return os.path.join(directory, self.tree)

    def keep(self, *patterns: str) -> None:
        for pattern in patterns:
            for path in sorted(glob.glob(pattern)):
                shutil.copyfile(path, os.path.join(self.out, os.path.basename(path)))


def git(*argv: str) -> str:
    try:
        done = subprocess.run(["git", *argv], cwd=SOURCE, capture_output=True, text=True)
    except FileNotFoundError:
        raise LabError("git is not installed (apt-get install git)") from None
    if done.returncode != 0:
        why = done.stderr.strip().partition("\n")[0]
        raise LabError("packages the last commit of a clone; here git says: " + why)
    return done.stdout.strip()


def release(out: str, work: str, **env: str) -> Release:
    """Of the last commit."""
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
    env.update(TAR_OPTIONS=order, DEB_BUILD_OPTIONS="parallel=%s" % jobs()[2:])
    for directory in (out, work):
        owned.fresh(directory)
    return Release(upstream, version, int(seconds), out, work, env)


def need(**programs: str) -> None:
    """Programs, and the Debian package that has each."""
    lacking = [p for p in programs if not shutil.which(p.replace("_", "-"))]
    if lacking:
        packages = " ".join(sorted({programs[p] for p in lacking}))
        names = ", ".join(p.replace("_", "-") for p in lacking)
        raise NotHere("no %s (apt-get install %s)" % (names, packages))


# --- the source ---------------------------------------------------------------------------------


def source(r: Release) -> None:
    """What `make dist` makes of the commit, as if its files were of the commit's time."""
    tree = r.directory("source", NAME)
    archive = os.path.join(r.work, "source.tar")
    r.run("source", ["git", "archive", "--format=tar", "-o", archive, "HEAD"], SOURCE)
    r.run("source", ["tar", "-xf", archive], tree)
    r.run("source", ["./autogen.sh"], tree)
    r.run("source", ["./configure", "--with-mpi=no"], tree)
    r.run("source", ["make", "dist"], tree)
    os.rename(os.path.join(tree, r.tree + ".tar.xz"), r.tarball)


# --- deb ----------------------------------------------------------------------------------------


def debian_changelog(r: Release, maintainer: str, text: str) -> str:
    """Its entries: what is packaged, and the releases of ChangeLog before it."""
    released = re.findall(r"^(\d{4}-\d\d-\d\d)  version (\S+)", text, re.M)
    days = [(time.strptime(day, "%Y-%m-%d"), version) for day, version in released]
    if not days or days[0][1] != r.version:
        days.insert(0, (time.gmtime(r.epoch), r.version))
    entry = "%s (%s-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n"
    date = "%a, %d %b %Y %H:%M:%S +0000"
    return "\n".join(entry % (NAME, v, maintainer, time.strftime(date, day)) for day, v in days)


def deb_needs(r: Release) -> None:
    need(dpkg_buildpackage="dpkg-dev", dpkg_checkbuilddeps="dpkg-dev")
    argv = ["dpkg-checkbuilddeps", os.path.join(SOURCE, "packaging", "debian", "control")]
    check = subprocess.run(argv, cwd=SOURCE, stderr=subprocess.PIPE, text=True)
    if check.returncode != 0:
        lacking = check.stderr.strip().rpartition("dependencies: ")[2]
        raise NotHere("not installed: %s (apt-get install them)" % lacking)


def deb(r: Release) -> None:
    tree = r.unpacked("deb")
    debian = os.path.join(tree, "debian")
    shutil.copytree(os.path.join(tree, "packaging", "debian"), debian)
    maintainer = re.findall("^Maintainer: (.*)", contents(debian + "/control"), re.M)[0]
    with open(debian + "/changelog", "w") as f:
        f.write(debian_changelog(r, maintainer, contents(tree + "/ChangeLog")))
    where = os.path.dirname(tree)
    shutil.copyfile(r.tarball, "%s/%s_%s.orig.tar.xz" % (where, NAME, r.version))
    r.run("deb", ["dpkg-buildpackage", "-us", "-uc"], tree)
    r.keep(where + "/*.deb", where + "/*.dsc", where + "/*.debian.tar.xz", where + "/*.orig.tar.xz")
    if shutil.which("lintian"):
        argv = ["lintian", "--allow-root", "--fail-on=error,warning"]
        text = r.run("deb", [*argv, *glob.glob(where + "/*.changes")], tree)
        say("lintian    %s" % (text.strip() or "clean"))
    else:
        say("lintian    not run: not installed (apt-get install lintian)")


# --- tarball ------------------------------------------------------------------------------------

README = """sysbench-tx {version} for Linux on {machine}

Unpack it anywhere and run bin/sysbench: it finds its scripts in share/sysbench beside bin.
bin/sysbench-lab needs Python 3.9, and before 3.11 python3-tomli; python3-numpy, python3-matplotlib,
python3-rich and python3-jinja2 draw its pictures and pages.  Read share/doc/sysbench-tx/README.md
first.

It was built on {system}.
It needs glibc {glibc} or later and these shared libraries, in these packages there:

{linked}
These are opened only when an option asks for them (--server-profile, --server-events,
--metrics-listen):

{opened}"""


def tarball_needs(r: Release) -> None:
    need(strip="binutils")


def tarball(r: Release) -> None:
    tree = r.unpacked("tarball")
    name = "%s-%s-linux-%s" % (NAME, r.version, platform.machine())
    flags = "-O2 -g -ffile-prefix-map=%s=." % tree
    argv = ["./configure", "--prefix=/opt/" + name, "--with-mpi=no", "CFLAGS=" + flags]
    r.run("tarball", argv, tree)
    r.run("tarball", ["make", jobs(), NO_PATHS], tree)
    r.run("tarball", ["make", "install-strip", "DESTDIR=" + tree + "/root"], tree)
    opt = os.path.join(tree, "root", "opt")
    program = os.path.join(opt, name, "bin", "sysbench")
    parts = {way: "" for way in ("linked", "opened")}
    for part in package_sbom.libraries(program):
        if part.way in parts and part.soname:
            parts[part.way] += "    %-24s %s\n" % (part.soname, part.name)
    with open(os.path.join(opt, name, "README"), "w") as f:
        system, machine = os_release("PRETTY_NAME") or platform.system(), platform.machine()
        f.write(
            README.format(
                version=r.version,
                machine=machine,
                system=system,
                glibc=package_sbom.glibc(program),
                **parts,
            )
        )
    r.run("tarball", ["chmod", "-R", "u=rwX,go=rX", name], opt)
    r.run("tarball", ["sh", "-c", 'tar -cf - "$0" | gzip -9n >"$0.tar.gz"', name], opt)
    r.keep(os.path.join(opt, name + ".tar.gz"))
    package_sbom.write(r, program, checksum(r.tarball))


def checksum(path: str) -> str:
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


# --- rpm ----------------------------------------------------------------------------------------

RPM = {
    "_buildhost": "localhost",
    "_build_id_links": "none",
    "clamp_mtime_to_source_date_epoch": "1",
    "source_date_epoch_from_changelog": "0",
    "use_source_date_epoch_as_buildtime": "1",
}


def rpm_needs(r: Release) -> None:
    need(rpmbuild="rpm")


def rpm(r: Release) -> None:
    tree = r.unpacked("rpm")
    top = os.path.dirname(tree)
    sources = r.directory("rpm", "SOURCES")
    copy = "%s/%s-%s.tar.xz" % (sources, NAME, r.version)
    shutil.copyfile(r.tarball, copy)
    os.utime(copy, (r.epoch, r.epoch))  # the source package has it
    settings = dict(RPM, upstream=r.upstream, package_version=r.version)
    argv, env = [], {}
    if shutil.which("dpkg"):  # rpm knows nothing of what is installed
        argv.append("--nodeps")
        settings["debug_package"] = "%{nil}"
        # not as optflags, which the package would name
        env["CFLAGS"] = "-O2 -g -ffile-prefix-map=%s/BUILD/%s=." % (top, r.tree)
    for name, value in settings.items():
        argv += ["--define", "%s %s" % (name, value)]
    argv.append(os.path.join(tree, "packaging", "sysbench-tx.spec"))
    # a source package names its directory, and the others built with it (-ba) its checksum
    for what, directory in (("-bs", "."), ("-bb", top)):
        r.run("rpm", ["rpmbuild", what, "--define", "_topdir " + directory, *argv], top, **env)
    for path in sorted(glob.glob(top + "/RPMS/*/*.rpm")):
        if "/usr/" not in r.run("rpm", ["rpm", "-qlp", path], top):
            raise LabError("%s is empty" % os.path.basename(path))
        r.run("rpm", ["rpm", "-qp", "--requires", "--recommends", path], top)
    r.keep(top + "/RPMS/*/*.rpm", top + "/SRPMS/*.rpm")


# --- container ----------------------------------------------------------------------------------


BASE = "docker.io/library/debian:bookworm-slim"


def builder() -> str:
    for name in ("buildah", "podman"):
        if shutil.which(name):
            return name
    if output("docker", "info", "-f", "{{.ID}}"):
        return "docker"
    raise NotHere("no buildah, podman or running docker (apt-get install buildah)")


def imported(r: Release, root: str) -> str:
    """A bare system as an image, for machines that reach no registry."""
    tar, image = os.path.join(r.work, "base.tar"), NAME + "-base"
    r.run("container", ["tar", "--exclude=./var/cache/apt/*", "-cf", tar, "."], root)
    made = r.run("container", ["buildah", "from", "scratch"], root).split()[-1]
    r.run("container", ["buildah", "add", made, tar, "/"], root)
    commit = ["buildah", "commit", "--rm", "--timestamp=%d" % r.epoch, made, image]
    r.run("container", commit, root)
    os.remove(tar)
    return "localhost/" + image


def container_needs(r: Release) -> None:
    builder()
    if os.path.isdir(r.base):
        need(buildah="buildah")


def container(r: Release) -> None:
    """Into the builder's store of images."""
    program = builder()
    base = imported(r, r.base) if os.path.isdir(r.base) else r.base or BASE
    if not base.startswith("localhost/"):
        try:
            r.run("container", [program, "pull", base], r.work)
        except LabError:
            raise NotHere("%s cannot be had here (--base-image)" % base) from None
    tree = r.unpacked("container")
    argv = [
        program,
        "build",
        "-f",
        "packaging/Containerfile",
        "-t",
        r.image,
        "--build-arg=BASE=" + base,
    ]
    if program != "docker":  # HEALTHCHECK is docker's; chroot works inside containers, too
        argv += ["--format=docker", "--timestamp=%d" % r.epoch, "--isolation=chroot"]
    r.run("container", [*argv, "."], tree)
    ask = ["image", "inspect", "--format={{.RootFS.Layers}}"]
    if program == "buildah":
        ask = ["inspect", "--type=image", "--format={{.Docker.RootFS.DiffIDs}}"]
    if program != "docker":  # there its files have the time of the build
        layers = r.run("container", [program, *ask, r.image], tree)
        with open(os.path.join(r.out, "%s-%s-image-layers.txt" % (NAME, r.version)), "w") as f:
            f.write("\n".join(re.findall(r"sha256:\w+", layers)) + "\n")
    say("image      %s, in the store of %s" % (r.image, program))


# --- all of them --------------------------------------------------------------------------------

KINDS: dict[str, Callable[[Release], None]] = {
    "deb": deb,
    "rpm": rpm,
    "tarball": tarball,
    "container": container,
}
# What each needs is looked for before the source is made, which takes a minute.
NEEDS: dict[str, Callable[[Release], None]] = {
    "deb": deb_needs,
    "rpm": rpm_needs,
    "tarball": tarball_needs,
    "container": container_needs,
}


def build(kinds: Sequence[str], r: Release) -> dict[str, str]:
    """Builds them; "" or, for each that was not built, why."""
    os.umask(0o022)
    outcome = {}

    def tried(kind: str, function: Callable[[Release], None]) -> bool:
        try:
            function(r)
            outcome[kind] = ""
        except NotHere as e:
            outcome[kind] = "not built: %s" % e
            say("%-10s not built: %s" % (kind, e))
        except LabError as e:
            outcome[kind] = "failed"
            say("%-10s failed\n%s" % (kind, e))
        return not outcome[kind]

    able = [kind for kind in kinds if tried(kind, NEEDS[kind])]
    if able:
        began = time.monotonic()
        source(r)
        say("source     %6.1f s  %s" % (time.monotonic() - began, os.path.basename(r.tarball)))
    for kind in able:
        began = time.monotonic()
        if tried(kind, KINDS[kind]):
            say("%-10s %6.1f s" % (kind, time.monotonic() - began))
    names = packages(r.out)
    with open(os.path.join(r.out, "SHA256SUMS"), "w") as f:
        f.writelines("%s  %s\n" % (checksum(os.path.join(r.out, n)), n) for n in names)
    return outcome


def packages(directory: str) -> list[str]:
    return sorted(set(os.listdir(directory)) - {owned.MARK})


def differences(first: str, second: str) -> list[str]:
    """Between two directories of packages; all names if there are none."""
    found = []
    for name in sorted({*packages(first), *packages(second)} - {"SHA256SUMS"}):
        paths = [os.path.join(d, name) for d in (first, second)]
        if not all(map(os.path.isfile, paths)):
            found.append("%s was made only once" % name)
        elif checksum(paths[0]) != checksum(paths[1]):
            found.append("%s differs" % name)
    return found


def parse(argv: Sequence[str], text: str) -> argparse.Namespace:
    p = argparse.ArgumentParser(
        prog="scripts/package",
        description=text,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
    r = release(out, work)._replace(base=a.base_image)
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
        other = release(again, os.path.join(a.dir, "second", "work"), TZ="Asia/Kolkata")
        other = other._replace(base=a.base_image)
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
