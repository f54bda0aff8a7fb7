# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the programs are that the private servers, the tests and the scripts call.

Many lie outside PATH: a server in a sbin directory, PostgreSQL's programs in a directory of their
version, and what third_party/install-deps unpacks, or gets from PyPI, in the cache directory.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from typing import Sequence

POSTGRESQL = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
DIRECTORYS = (
    "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/libexec", "/usr/libexec/postgresql",
    "/usr/local/mysql/bin", "/usr/local/bin",
)  # fmt: skip


def cache() -> str:
    """This user's cache directory of sysbench-tx."""
    home = os.path.join(os.environ.get("HOME", "/var/tmp"), ".cache")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or home, "sysbench-tx")


def path() -> str:
    """A PATH for shells.  PostgreSQL's directories come first, the newest version first: PATH may
    have Debian's wrappers, which take longer than what they wrap."""
    unpacked = ["/var/cache/sysbench-tx/*", glob.escape(cache()) + "/*"]
    found: list[str] = []
    for patterns in (POSTGRESQL, *([u + POSTGRESQL[0]] for u in unpacked)):
        versions = [directory for pattern in patterns for directory in glob.glob(pattern)]
        found += sorted(
            versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], reverse=True
        )
    found += [os.environ.get("PATH", os.defpath), *DIRECTORYS]
    found += [directory for u in unpacked for directory in glob.glob(u + "/usr/*bin")]
    return os.pathsep.join(found)


def find(*names: str, more: Sequence[str] = ()) -> str | None:
    """The first of these programs that there is, in path() or, last, in the directories `more`.

    The virtual environment of install-deps comes before: it has the versions that are asked for.
    (It is no part of path(), because its Python lacks the system's packages.)
    """
    directories = os.pathsep.join([os.path.join(cache(), "venv", "bin"), path(), *more])
    for name in names:
        program = shutil.which(name, path=directories)
        if program:
            return os.path.abspath(program)
    return None
