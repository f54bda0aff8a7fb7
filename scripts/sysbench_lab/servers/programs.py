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

from .. import owned, python

SHARED = "/var/cache/sysbench-tx"  # root's: its servers run as another user, who must get there
POSTGRESQL = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
DIRECTORYS = (
    "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/libexec", "/usr/libexec/postgresql",
    "/usr/local/mysql/bin", "/usr/local/bin",
)  # fmt: skip


def cache() -> str:
    """This user's cache directory of sysbench-tx; "" without a home: there is none in /var/tmp,
    where anybody could make it."""
    return os.path.dirname(python.environment())


def caches() -> list[str]:
    """Those from which programs may be executed."""
    return [c for c in (SHARED, cache()) if c and owned.trusted(c)]


def refused() -> str:
    """For a message that something was not found: what was not looked at."""
    found = [c for c in (SHARED, cache()) if c and os.path.exists(c) and not owned.trusted(c)]
    return "".join("; " + owned.why_not(c, owned.system()) for c in found)


def path() -> str:
    """A PATH for shells.  PostgreSQL's directories come first, the newest version first: PATH may
    have Debian's wrappers, which take longer than what they wrap."""
    unpacked = [glob.escape(c) + "/*" for c in caches()]
    found: list[str] = []
    for patterns in (POSTGRESQL, *([u + POSTGRESQL[0]] for u in unpacked)):
        versions = [directory for pattern in patterns for directory in glob.glob(pattern)]
        found += sorted(
            versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], reverse=True
        )
    found += [os.environ.get("PATH", os.defpath), *DIRECTORYS]
    found += [directory for u in unpacked for directory in glob.glob(u + "/usr/*bin")]
    ours = tuple(c + os.sep for c in caches())
    return os.pathsep.join(d for d in found if not d.startswith(ours) or owned.trusted(d))


def find(*names: str, more: Sequence[str] = ()) -> str | None:
    """The first of these programs that there is, in path() or, last, in the directories `more`.

    The virtual environment of install-deps comes before: it has the versions that are asked for.
    (It is no part of path(), because its Python lacks the system's packages.)
    """
    tools = os.path.join(cache(), "venv", "bin")
    first = [tools] if cache() and owned.trusted(tools) else []
    directories = os.pathsep.join([*first, path(), *more])
    for name in names:
        if program := shutil.which(name, path=directories):
            return os.path.abspath(program)
    return None
