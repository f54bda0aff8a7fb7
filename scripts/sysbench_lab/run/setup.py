# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs of one experiment must have in common: machine, kernel, load generator, server.

    of(cells, met)          by name, as people read it; a program by its version and what is in it
    differences(old, new)   {name: [old, new]} of what both know
    server_of(environment)  what only a report knows: the user's own server, and its version
    server_now(settings, target, directory)  the environment of a report, made for it
    place(settings)         equal for cells that use the same server

lab.json keeps it, and resume compares: runs of two machines in one table would be two experiments.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
from typing import Any, Mapping, Sequence

from .. import LabError, content, failing
from ..plan.keys import part
from ..plan.model import Cell, Settings, Tree
from ..servers import process
from ..servers.instance import ENGINES
from ..target.target import Target, key_of, kind_of
from . import check, client

LIMIT_S = 10
DIGITS = 12  # of a sum that tells two builds of one version apart
VARIABLE = "server.variable."
VERSIONS = (VARIABLE + "version", VARIABLE + "server_version")
# What tells servers of one version apart, as far as the user may read it.
IDENTITY = (
    *("server_uuid", "server_uid", "server_id", "hostname", "port", "datadir"),
    *("system_identifier", "cluster_name", "data_directory"),
)


def of(cells: Sequence[Cell], met: Mapping[str, Any]) -> dict[str, str]:
    """Of this machine now; `met` is what the load hosts said (hosts.json)."""
    host = platform.uname()
    found = {
        "host": host.node,
        "kernel": "%s %s %s" % (host.system, host.release, host.machine),
        "CPUs": str(os.cpu_count()),
    }
    model = re.search(r"^model name\s*: (.*)", content("/proc/cpuinfo"), re.M)
    found.update({"CPU": model[1]} if model else {})
    for settings in (cell.settings for cell in cells):
        given = str(settings.get("client.program", ""))
        name = " ".join(filter(None, ("sysbench", given)))
        if name not in found:
            found[name] = build(client.program(settings), "--version", "--verbose")
        script = str(settings["load.script"])
        if os.path.isfile(script):
            found["script " + script] = checksum(script)
        engine, program = key_of(settings)
        name = "server " + (program or engine)
        if kind_of(settings) == "private" and name not in found:
            found[name] = build(ENGINES[engine].program(program), *ENGINES[engine].ASK)
    for about in met.get("hosts", ()):
        text = "{node}, {kernel}, {cpus} CPUs, {model}, {version}".format(**about)
        found["load host %s" % about["name"]] = text
    return {name: text for name, text in found.items() if text}


def build(program: str, *ask: str) -> str:
    """Its version and its sum; "" of a program that is somewhere else."""
    if not (path := shutil.which(program)):
        return ""
    said = process.run_tool([path, *ask], limit_s=LIMIT_S)[1].strip().splitlines()
    package = [line.partition(": ")[2] for line in said if line.startswith("package: ")]
    return "%s (sha256 %s)" % ("".join([*package, *said][:1]), checksum(path))


def checksum(path: str) -> str:
    with failing("cannot read " + path), open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:DIGITS]


def server_of(environment: Tree, whole: bool = True) -> dict[str, str]:
    """Its version and, if `whole`, which server it is."""
    known = [environment[name] for name in VERSIONS if environment.get(name)]
    found = {"server version": str(known[0])} if known else {}
    for name in IDENTITY if whole else ():
        if environment.get(VARIABLE + name):
            found["server " + name] = str(environment[VARIABLE + name])
    return found


# Which server an experiment reaches, and what may make another one of it.
REACHES = re.compile(r"load\.(db-driver|(mysql|pgsql)-.*)|server\.(?!option\.).*|client\.env\..*")


def place(settings: Settings) -> str:
    return repr(sorted((k, v) for k, v in settings.items() if REACHES.fullmatch(k)))


def server_now(settings: Settings, target: Target, directory: str) -> Tree:
    """Ask the server with one connection; {} if there is no answer: a run will say why."""
    names = part(settings, "load.")
    options = {k: v for k, v in names.items() if REACHES.fullmatch("load." + k)}
    own = [*target.arguments(), *client.arguments(options), "--threads=1", "--events=1"]
    return dict(check.ask(settings, "", own, directory)[1].get("environment") or {})


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, list[str]]:
    both = (name for name in old if name in new)
    return {name: [old[name], new[name]] for name in both if old[name] != new[name]}


def refuse(differs: Mapping[str, Sequence[str]]) -> None:
    """LabError that names them."""
    what = "; ".join("%s was %s, is %s" % (name, *pair) for name, pair in differs.items())
    text = "this is not what the other runs were made with: %s. resume --anyway goes on, and the"
    raise LabError((text + " results say so") % what)
