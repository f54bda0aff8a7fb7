# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated arm64 machine: its tools, its root, the build for it, and its boot.

Nothing is installed on this system.  Tools that it lacks are unpacked from its own Debian's
packages, and so is the root, from the same release for arm64; no script of a package runs.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import time
from typing import Sequence

from lib import child
from sblab import LabError
from sblab.build import jobs, logged, say
from sysbench_lab import owned

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
TOOLS = ["qemu-system-arm", "gcc-aarch64-linux-gnu", "cpio"]
# unpacked with all that they depend on
PACKAGES = [
    *("?essential", "mount", "iproute2", "kmod", "procps", "busybox-static"),
    *("linux-image-cloud-arm64", "mariadb-server-core", "mariadb-client-core"),
    *("libc6-dev", "linux-libc-dev", "libluajit-5.1-dev", "libck-dev", "libmariadb-dev"),
    *("libpq-dev", "libaio-dev", "libpfm4-dev", "libmicrohttpd-dev", "libdw-dev", "libelf-dev"),
]
MODULES = ["virtio_ring", "virtio", "virtio_mmio", "virtio_blk"]  # in the order of loading
# One CPU and time by instructions: with these qemu's PMU counts.  An instruction takes 2 ns and a
# cycle 1 ns, so the IPC of whatever runs is 0.50.
QEMU = [
    *("-machine", "virt,gic-version=3", "-cpu", "cortex-a72", "-smp", "1", "-m", "3072"),
    *("-icount", "shift=1,sleep=off", "-nodefaults", "-display", "none"),
    *("-no-reboot", "-snapshot"),
]
KERNEL = "console=ttyAMA0 quiet loglevel=4 panic=-1 perf_v4_pmu=1"


class Machine:
    def __init__(self, directory: str) -> None:
        self.directory = os.path.abspath(directory)
        self.tools = self.path("tools")
        self.root = self.path("root")
        self.build = self.path("build")
        self.installed = self.path("installed")  # the second disk: what was built from this tree

    def path(self, *names: str) -> str:
        return os.path.join(self.directory, *names)

    def env(self) -> dict[str, str]:
        """Tools first; libraries and headers of the root, never of this system."""
        libraries = ["/usr/lib/" + os.uname().machine + "-linux-gnu"]
        libraries.append(libraries[0][4:])
        packages = ("/usr/lib/aarch64-linux-gnu/pkgconfig", "/usr/share/pkgconfig")
        return dict(
            os.environ,
            LC_ALL="C",
            PATH=self.tools + "/usr/bin:" + self.tools + "/bin:" + os.environ["PATH"],
            LD_LIBRARY_PATH=":".join(self.tools + d for d in libraries),
            PKG_CONFIG_LIBDIR=":".join(self.root + d for d in packages),
            PKG_CONFIG_SYSROOT_DIR=self.root,
        )

    def step(
        self, what: str, argv: Sequence[str], cwd: str = "", most: float | None = None
    ) -> None:
        """Runs one command, for so many seconds at most."""
        began = time.monotonic()
        nice = ["nice", "-n", "5", *argv]
        status, _ = logged(self.path("log"), nice, cwd or self.directory, self.env(), most)
        if status != 0:
            raise LabError("%s failed (exit %d), see %s" % (what, status, self.path("log")))
        say("%-34s %6.1f s" % (what, time.monotonic() - began))

    def shell(self, what: str, script: str, *args: str, cwd: str = "") -> None:
        self.step(what, ["sh", "-euc", script, "sh", *args], cwd)

    def stamped(self, directory: str, wanted: str) -> bool:
        """Whether that directory is whole and was made for this; one that is not is removed."""
        try:
            with open(directory + ".made-of") as f:
                if f.read() == wanted:
                    return True
            os.remove(directory + ".made-of")
        except FileNotFoundError:
            pass
        owned.fresh(directory)
        return False

    def stamp(self, directory: str, wanted: str) -> None:
        with open(directory + ".made-of", "w") as f:
            f.write(wanted)

    def make_tools(self) -> None:
        wanted = " ".join(TOOLS)
        if self.stamped(self.tools, wanted):
            return
        self.shell(
            "tools, of Debian's packages",
            """mkdir debs && cd debs
            missing=$(apt-get install -s --no-install-recommends "$@" | awk '/^Inst/ {print $2}')
            [ -z "$missing" ] || apt-get download $missing
            for d in *.deb; do [ ! -e "$d" ] || dpkg-deb -x "$d" ..; done
            cd .. && rm -r debs
            # the root has the libraries and headers, not what the cross compiler brings along
            rm -rf usr/aarch64-linux-gnu/lib usr/aarch64-linux-gnu/include""",
            *TOOLS,
            cwd=self.tools,
        )
        self.stamp(self.tools, wanted)

    def make_root(self) -> None:
        wanted = " ".join(PACKAGES)
        if self.stamped(self.root, wanted):
            return
        for d in (
            "etc/apt/apt.conf.d",
            "etc/apt/preferences.d",
            "var/lib/dpkg",
            "var/lib/apt/lists/partial",
            "var/cache/apt/archives/partial",
            *("usr/" + d for d in ("bin", "sbin", "lib")),
        ):
            os.makedirs(os.path.join(self.root, d))
        for d in ("bin", "sbin", "lib"):
            os.symlink("usr/" + d, os.path.join(self.root, d))
        with open(self.root + "/var/lib/dpkg/status", "w"):
            pass
        with open(self.root + "/etc/apt/sources.list", "w") as f:
            f.writelines(line + "\n" for line in sources())
        with open(self.path("apt.conf"), "w") as f, open(HERE + "/apt.conf") as conf:
            f.write(conf.read() % {"root": self.root})
        self.shell(
            "root, of Debian's packages",
            """export APT_CONFIG=../apt.conf
            apt-get update
            apt-get install -y --download-only "$@"
            for d in var/cache/apt/archives/*.deb; do
                dpkg-deb --fsys-tarfile "$d" | tar -x -p --keep-directory-symlink
            done
            rm -r var/cache/apt var/lib/apt usr/share/doc usr/share/man usr/share/locale
            for f in passwd group; do cp usr/share/base-passwd/$f.master etc/$f; done
            ln -sf mawk usr/bin/awk
            # an absolute link would lead to this system's library, and a static one be taken
            cd usr/lib/aarch64-linux-gnu
            find . -maxdepth 1 -type l -lname '/*' | while read -r l; do
                ln -sfn "../../..$(readlink "$l")" "$l"
            done""",
            *PACKAGES,
            cwd=self.root,
        )
        self.stamp(self.root, wanted)

    def make_build(self, programs: Sequence[str]) -> None:
        """The tree, installed for /installed of the machine, and those of its unit programs."""
        os.makedirs(self.build, exist_ok=True)
        if not os.path.exists(SOURCE + "/configure"):
            self.step("autogen", ["./autogen.sh"], cwd=SOURCE)
        if not os.path.exists(self.build + "/Makefile"):
            self.step(
                "configure",
                [
                    SOURCE + "/configure",
                    "--build=%s-linux-gnu" % os.uname().machine,
                    "--host=aarch64-linux-gnu",
                    "--prefix=/installed",
                    "--enable-werror",
                    "CC=aarch64-linux-gnu-gcc --sysroot=" + self.root,
                ],
                cwd=self.build,
            )
        self.step("make", ["make", jobs()], cwd=self.build)
        self.step("make the tests", ["make", jobs(), "check", "TESTS="], cwd=self.build + "/src")
        owned.fresh(self.installed)
        os.makedirs(self.installed + "/tests")
        self.step("make install", ["make", "install", "DESTDIR=" + self.directory], cwd=self.build)
        for name in (*programs, "spin"):
            shutil.copy(self.build + "/src/" + name, self.installed + "/tests")
        shutil.copytree(SOURCE + "/tests/data", self.installed + "/tests/data")
        shutil.copy(HERE + "/inside", self.installed)

    def make_disks(self) -> None:
        """The root's is kept; the first program of the system is `inside`, of the second disk."""
        initrd = self.path("initrd")
        owned.fresh(initrd)
        for d in ("bin", "dev", "new"):
            os.makedirs(os.path.join(initrd, d))
        drivers = self.root + "/lib/modules/*/kernel/drivers/*/"
        for name in MODULES:
            shutil.copy(glob.glob(drivers + name + ".ko")[0], initrd)
        shutil.copy(self.root + "/bin/busybox", initrd + "/bin")
        os.symlink("busybox", initrd + "/bin/sh")
        with open(initrd + "/modules", "w") as f:
            f.writelines(name + "\n" for name in MODULES)
        shutil.copy(HERE + "/first", initrd + "/init")
        self.shell("initrd", """cd initrd && find . | cpio -o -H newc | gzip -1 >../initrd.gz""")
        self.shell(
            "disks",
            """[ root.img -nt root.made-of ] || {
                mkdir -p root/installed
                truncate -s 3G root.img
                mkfs.ext4 -q -F -L root -O ^has_journal -d root root.img || { rm root.img; exit 1; }
            }
            truncate -s 512M installed.img
            mkfs.ext4 -q -F -L installed -O ^has_journal -d installed installed.img""",
        )

    def boot(self, seconds: int, parts: str) -> None:
        """Until it is off; what `inside` prints of these parts is in console.log."""
        console = self.path("console.log")
        disks: list[str] = []
        for name in ("root", "installed"):
            drive = "if=none,id=%s,format=raw,cache=unsafe,file=%s.img" % (name, self.path(name))
            disks += ["-drive", drive, "-device", "virtio-blk-device,drive=" + name]
        share = self.tools + "/usr/share/"
        argv = ["qemu-system-aarch64", *QEMU, *disks]
        if os.path.isdir(share + "qemu"):
            argv += ["-L", share + "qemu", "-L", share + "seabios"]
        argv += ["-kernel", glob.glob(self.root + "/boot/vmlinuz-*")[0]]
        argv += ["-append", KERNEL + " inside=" + parts]
        argv += ["-initrd", self.path("initrd.gz"), "-serial", "file:" + console]
        self.step("the machine, on and off again", argv, most=seconds)


def sources() -> list[str]:
    """This system's apt sources of its release; LabError if that is not Debian's."""
    with open("/etc/os-release") as f:
        found = dict(re.findall(r'^(\w+)="?([^"\n]*)', f.read(), re.M))
    if found.get("ID") != "debian" or "VERSION_CODENAME" not in found:
        raise LabError("this is not a release of Debian")
    form = ("--format", "$(REPO_URI) $(RELEASE)")
    out = child.output("apt-get", "indextargets", *form, "Created-By: Packages")
    suite = found["VERSION_CODENAME"]
    lines = sorted(set(re.findall(r"^\S+ %s(?:-updates|-security)?$" % suite, out, re.M)))
    if not lines:
        raise LabError("apt has no source of " + suite)
    key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
    return ["deb %s%s main" % (key, line) for line in lines]
