# SPDX-License-Identifier: GPL-2.0-or-later
"""The server under test, as the runner sees it: brought into the state that a cell asks for.

    target = make(exp)
    with each cell:  restarted = target.ensure(cell.settings)
                     sysbench ... target.arguments() ... --server=target.pid()
    at the end:      target.stop()

Four kinds stand behind it:

    PrivateTarget   a server of our own, private.py
    CommandTarget   the user's server, changed by the user's commands, command.py
    Target          the user's server that is only used (server.kind = "given"): this file
    Target          no server at all: cpu, memory and the other built-in tests

ensure() returns when the settings have taken effect, and raises LabError when they have not: a
result under a setting that the server ignored is worse than none.
"""

import os
import re
import shlex
import shutil
import subprocess
from typing import Iterator, Mapping, Sequence

from .. import LabError
from ..plan import hosts
from ..plan.keys import part
from ..plan.model import BUILT_IN, Cell, Experiment, Log, Note, Settings, Value
from ..servers import process

OPTION = "server.option."


def no_log(command: str, status: int, seconds: float) -> None:
    """For a target that belongs to no results folder."""


class Target:
    """A server that is used as it is, or none."""

    def __init__(self, kind: str = "given") -> None:
        self.kind = kind
        # The runner sets these: what was run, and which folders must go should we be killed.
        self.log: Log = no_log
        self.begun: Note = lambda folder: None
        self.ended: Note = lambda folder: None

    def check(self, cells: Sequence[Cell]) -> None:
        """LabError for what this machine lacks; before anything is on disk."""

    def start(self, settings: Settings) -> None:
        """Start it with these settings; it does not run, or may be stopped."""

    def ensure(self, settings: Settings) -> bool:
        """Bring it into this state.  True if it was started again, and its caches are cold."""
        return False

    def can_restart(self) -> bool:
        """May the runner stop() and start() it?"""
        return False

    def stop(self) -> None:
        """Leave the machine as it was before make()."""

    def arguments(self) -> list[str]:
        """The options with which sysbench reaches it."""
        return []

    def pid(self) -> int | None:
        """Its process, None if we do not know."""
        return None

    def data(self) -> str:
        """What tells the data of this server from those of another."""
        return self.kind

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}

    def has_server(self) -> bool:
        return self.kind != "none"


def make(exp: Experiment) -> Target:
    """The target of an experiment; starts nothing."""
    cells = list(all_settings(exp))
    kinds = {kind_of(settings) for settings in cells}
    if len(kinds) > 1:
        raise LabError("server.kind cannot vary; this experiment has %s" % ", ".join(sorted(kinds)))
    kind = kinds.pop()
    for settings in cells:
        check_machine(settings)
    if kind in ("commands", "given") and any("server.cpus" in s for s in cells):
        raise LabError("server.cpus is for a private server, but server.kind is %s" % kind)
    if kind == "private":
        from .private import PrivateTarget

        return PrivateTarget(exp.measure.restart, connections(cells))
    if kind == "commands":
        from .command import CommandTarget

        return CommandTarget(exp.measure.restart)
    return Target(kind)


def all_settings(exp: Experiment) -> Iterator[Settings]:
    """The settings of each level of each factor: make() does not need the combinations."""
    yield exp.stays
    for factor in exp.factors:
        for level in factor.levels:
            yield {**exp.stays, **level.changes}


def check_machine(settings: Settings) -> None:
    """What is not there is better missed before the first run than before the last."""
    for name in ("server.cpus", "client.cpus"):
        if settings.get(name):
            try:
                process.usable_cpus(str(settings[name]))
            except LabError as e:
                raise LabError("%s: %s" % (name, e)) from None
    for name in ("server.program", "client.program"):
        path = str(settings.get(name, ""))
        if "/" in path and not os.path.exists(path):
            raise LabError("%s: there is no %s; name the program to measure" % (name, path))
        if "/" in path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
            raise LabError("%s: cannot run %s" % (name, path))
    launcher = shlex.split(str(settings.get(hosts.LAUNCHER, "")))[:1]
    if launcher and not shutil.which(launcher[0]):
        raise LabError("%s: there is no %s" % (hosts.LAUNCHER, launcher[0]))
    given = part(settings, "server.env.")
    check_can_load(settings, {k: option_text(v) for k, v in given.items()})


def kind_of(settings: Settings) -> str:
    if settings.get("load.script") in BUILT_IN:
        return "none"
    return str(settings.get("server.kind", "private"))


def connections(cells: Sequence[Settings]) -> int:
    """The most connections that any cell opens."""
    return max(
        sum(int(str(s.get(name, 0))) for name in ("load.threads", "load.idle-connections"))
        for s in cells
    )


# ---- settings ------------------------------------------------------------------


def option_text(value: Value) -> str:
    """A value as a server's option takes it."""
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return ",".join(value) if isinstance(value, tuple) else "%s" % value


def options_of(settings: Settings) -> list[str]:
    """The options of a server, as on its command line, in the order of their names."""
    found = []
    for name, value in sorted(part(settings, OPTION).items()):
        name = name.replace("_", "-") if name.startswith("skip") else name
        alone = value is True and name.startswith("skip-")
        found.append("--" + name + ("" if alone else "=" + option_text(value)))
    return found


def changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[str]:
    """Names of what two sets of settings differ in."""
    both = sorted(set(before) | set(after))
    return [name for name in both if before.get(name) != after.get(name)]


# ---- server.preload: can the libraries be loaded, and has the ser


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
        text = "server.preload: cannot see whether %s was loaded: /proc/%d/maps: %s"
        raise LabError(text % (library, pid, e.strerror)) from e
    wanted = os.path.realpath(library) if "/" in library else os.path.basename(library)
    names = mapped if "/" in library else {os.path.basename(p) for p in mapped}
    if not any(n == wanted or n.startswith(wanted + ".") for n in names):
        raise LabError("server.preload: the server did not load %s (log: %s)" % (library, log))
