# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian unstable and the builds of sysbench-tx, one for each client library."""

from __future__ import annotations

import os
import re

from sblab import LabError
from sblab.build import jobs
from versions import SOURCE
from versions.place import Place

PACKAGES = [
    "gcc", "make", "automake", "autoconf", "libtool", "pkg-config", "libc6-dev",
    "libluajit-5.1-dev", "libck-dev", "libaio-dev", "libpq-dev", "libmysqlclient-dev",
    "libmariadb3", "mysql-server-core", "mysql-client-core", "postgresql", "python3",
    "python3-cram", "openssl", "procps", "util-linux",
]  # fmt: skip
# conflicts with libmysqlclient-dev, so it is unpacked beside it
UNPACKED = "libmariadb-dev"
LIBMARIADB = {
    "MYSQL_CFLAGS": "-I/opt/libmariadb/usr/include/mariadb "
    "-I/opt/libmariadb/usr/include/x86_64-linux-gnu",
    "MYSQL_LIBS": "-l:libmariadb.so.3",
}

# build: where, configure options, environment of configure
BUILDS = {
    "libmysqlclient": ("inside", ["--with-mysql=mysql"], {}),
    "libmariadb-new": ("inside", ["--with-mysql=mariadb"], LIBMARIADB),
    "libpq-new": ("inside", ["--with-mysql=mysql"], {}),
    "libmariadb": ("outside", ["--with-mysql=mariadb"], {}),
    "libpq": ("outside", ["--with-mysql=mariadb"], {}),
}
SAME_DIRECTORY = {"libpq-new": "libmysqlclient", "libpq": "libmariadb"}


def make_unstable(place: Place) -> None:
    place.install(PACKAGES)
    if not os.path.exists(place.root + "/opt/libmariadb"):
        get = "cd /opt && rm -f *.deb && apt-get download %s && dpkg -x %s_*.deb /opt/libmariadb"
        argv = ["sh", "-c", get % (UNPACKED, UNPACKED)]
        place.must("unpack " + UNPACKED, True, argv, "unstable.log")


def build(place: Place, name: str) -> tuple[bool, str]:
    where, options, env = BUILDS[name]
    name = SAME_DIRECTORY.get(name, name)
    directory = ("/build/" if where == "inside" else place.path("build/")) + name
    inside = where == "inside"
    on_disk = (place.root if inside else "") + directory
    configure = ("/src" if inside else SOURCE) + "/configure"
    os.makedirs(on_disk, exist_ok=True)
    if not os.path.exists(on_disk + "/Makefile"):
        place.must(
            "configure " + name,
            inside,
            [configure, "--enable-werror"] + options,
            name + ".build.log",
            env=env,
            cwd=directory,
        )
    place.must("make " + name, inside, ["make", jobs(), "all"], name + ".build.log", cwd=directory)
    tests = [x + "_test" for x in ("sql_mysql", "drv_mysql", "sql_pgsql", "drv_pgsql")]
    argv = ["make", "-C", "src", jobs(), *tests]
    place.must("make tests of " + name, inside, argv, name + ".build.log", cwd=directory)
    return inside, directory


def version_of(place: Place, name: str, inside: bool, directory: str) -> str:
    """The client library that the build runs with, as it says itself."""
    out = place.output(inside, [directory + "/src/sysbench", "--version", "--verbose"])
    driver = "pgsql" if name.startswith("libpq") else "mysql"
    m = re.search(r"^driver: %s \((.*)\)" % driver, out, re.M)
    if not m:
        raise LabError("%s has no driver %s" % (name, driver))
    return "%s (Debian %s)" % (m.group(1), "unstable" if inside else "12")
