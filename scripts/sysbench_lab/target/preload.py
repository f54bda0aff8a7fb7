# SPDX-License-Identifier: GPL-2.0-or-later
"""server.preload: can the libraries be loaded, and has the server loaded them?

The dynamic linker ignores a library that it cannot load and says so on standard error, where nobody
looks.  So the libraries are tried with the smallest program there is before anything starts
(check_can_load), and looked for in /proc/PID/maps of the server that has started (check_loaded).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Mapping

from .. import LabError
from ..plan.model import Settings

# What a library is packaged in: by the longest beginning of its name.
PACKAGES = {
    "libjemalloc.": "libjemalloc2 (Fedora, Alpine: jemalloc)",
    "libtcmalloc_minimal.": "libtcmalloc-minimal4 (Fedora: gperftools-libs; Alpine: gperftools)",
    "libtcmalloc.": "libgoogle-perftools4 (Fedora: gperftools-libs; Alpine: gperftools)",
    "libmimalloc.": "libmimalloc2.0 (Fedora, Alpine: mimalloc)",
}


def libraries(settings: Settings) -> list[str]:
    return str(settings.get("server.preload", "")).replace(":", " ").split()


def check_can_load(settings: Settings, environment: Mapping[str, str]) -> None:
    """LabError that names the package, if a library cannot be loaded on this machine."""
    program = shutil.which("true")
    for library in libraries(settings):
        if "/" in library and not os.path.exists(library):
            raise LabError("server.preload: there is no %s" % library)
        if program:
            env = {**os.environ, **environment, "LD_PRELOAD": library, "LC_ALL": "C"}
            p = subprocess.run([program], stderr=subprocess.PIPE, env=env, check=False)
            said = p.stderr.decode("utf-8", "replace").strip()
            if said:
                raise LabError(complaint(library, said))


def complaint(library: str, said: str) -> str:
    """What the linker wrote, in its parentheses if it has any, and the package to install."""
    found = re.search(r"cannot be preloaded \((.*?)\)", said)
    why = found.group(1) if found else said.splitlines()[0]
    name = os.path.basename(library)
    package = next((p for start, p in PACKAGES.items() if name.startswith(start)), "")
    hint = "; install Debian's %s" % package if package else ""
    return "server.preload: %s cannot be loaded: %s%s" % (library, why, hint)


def check_loaded(pid: int, library: str, log: str) -> None:
    """The process must have mapped the library, under this name or the file behind it."""
    try:
        with open("/proc/%d/maps" % pid, encoding="utf-8", errors="replace") as f:
            mapped = {line.split(None, 5)[5].strip() for line in f if line.count("/")}
    except OSError as e:
        raise LabError(
            "server.preload: cannot see whether %s was loaded: /proc/%d/maps: %s"
            % (library, pid, e.strerror)
        ) from e
    wanted = os.path.realpath(library) if "/" in library else os.path.basename(library)
    names = mapped if "/" in library else {os.path.basename(p) for p in mapped}
    if not any(n == wanted or n.startswith(wanted + ".") for n in names):
        raise LabError("server.preload: the server did not load %s (log: %s)" % (library, log))
