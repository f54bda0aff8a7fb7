# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the load hosts of an experiment can work together, found before the first run.

    about = check(exp, cells, folder)     hosts.json; LabError with one sentence if they cannot

Each host is asked what it is and which sysbench it has: all must be of one version, and the leader
must see the folder of the results, since it writes the reports.  A private server is reached by
hosts of its own machine only.  Then they meet once, without a server: sysbench's test cpu, one
event for each of them.  That shows whether the members reach the leader's port, and what their
clocks are, in the way in which it will matter.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Callable, Mapping, Sequence

from .. import LabError
from ..plan import hosts
from ..plan.hosts import Host
from ..plan.model import Cell, Settings
from ..target.target import kind_of
from . import client, ranks, remote
from .client import Ended, Surroundings

MEET_S = 15
UNSURE_S = 1e-3  # of a clock: more is said


def check(
    cells: Sequence[Cell], folder: str, note: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Refuse hosts that do not work; what they are, for hosts.json.  {} with one host or none."""
    found: dict[str, Any] = {}
    for settings in distinct(cells):
        used = hosts.of(settings)
        look_at(used, settings, folder)
        about = ranks.environment_of(used, settings)
        if len(used) > 1:
            for host, clock in zip(about, meet(used, settings)):
                host["clock"] = clock
                unsure(host, note)
        found.setdefault("hosts", about)
        if len(about) > len(found["hosts"]):
            found["hosts"] = about
    return found


def distinct(cells: Sequence[Cell]) -> list[Settings]:
    """One cell for each list of hosts."""
    found: dict[str, Settings] = {}
    for cell in cells:
        if hosts.of(cell.settings):
            key = repr((hosts.of(cell.settings), cell.settings.get("client.program")))
            found.setdefault(key, cell.settings)
    return list(found.values())


# ---- each host -----------------------------------------------------------------


def look_at(used: Sequence[Host], settings: Settings, folder: str) -> None:
    """Ask each of them, the leader first."""
    with tempfile.NamedTemporaryFile(prefix=".sysbench-lab-", dir=above(folder)) as f:
        leader = ranks.facts(used[0], settings, f.name)
        if not leader.sees:
            raise LabError(
                "%s: it leads, but does not see %s, where it is to write the reports; "
                "let a host lead that does" % (remote.whose(used[0]), above(folder))
            )
        for host in used:
            found = ranks.facts(host, settings, f.name)
            check_version(host, found, leader, host.program or client.program(settings))
            check_server(host, found, leader, settings)


def above(folder: str) -> str:
    """The folder of the results, or what there is of the way to it."""
    path = os.path.abspath(folder)
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def check_version(host: Host, found: remote.Facts, leader: remote.Facts, program: str) -> None:
    if not found.version.startswith("sysbench"):
        said = found.version or "no output"
        raise LabError(
            "%s: cannot run %s there (%s); name the host's own with program=PATH before its command"
            % (remote.whose(host), program, said)
        )
    if found.version != leader.version:
        raise LabError(
            "%s has %s, but the leader has %s" % (remote.whose(host), found.version, leader.version)
        )


def check_server(host: Host, found: remote.Facts, leader: remote.Facts, settings: Settings) -> None:
    if kind_of(settings) == "private" and found.boot != leader.boot:
        raise LabError(
            "%s is another machine and does not reach a private server; "
            "use server.kind = given or commands" % remote.whose(host)
        )


# ---- all of them -----------------------------------------------------------------


def meet(used: Sequence[Host], settings: Settings) -> list[Mapping[str, Any] | None]:
    """Let them meet; each host's clock as the leader sees it."""
    with tempfile.TemporaryDirectory(prefix="sysbench-lab-") as folder:
        report = os.path.join(folder, "report.json")
        ended = met(used, settings, folder, report)
        if client.failure(ended):
            raise LabError("the load hosts cannot meet: %s" % sentence(ended))
        try:
            with open(report, encoding="utf-8") as f:
                told = (json.load(f).get("summary") or {}).get("ranks") or []
        except (OSError, ValueError):
            raise LabError("the load hosts met, but the leader wrote no report") from None
    by_rank = {r.get("rank"): r.get("clock") for r in told}
    return [by_rank.get(n) for n in range(len(used))]


def met(used: Sequence[Host], settings: Settings, folder: str, report: str) -> Ended:
    n = len(used)
    argv = [*used[0].via, client.program(settings), "cpu", "--threads=%d" % n, "--events=%d" % n]
    argv += ["--cpu-max-prime=10", "--cluster-timeout=%d" % MEET_S, "--report-file=json:" + report]
    crew: list[Any] = []

    def one_gave_up() -> bool:
        return any(c.failed() for c in crew)

    return ranks.run(
        settings, [*argv, "run"], Surroundings.of(settings), os.path.join(folder, "output.txt"),
        3 * MEET_S, tick=one_gave_up, made=crew.append,
    )  # fmt: skip


def sentence(ended: Ended) -> str:
    """What a member said tells more than that it did not come."""
    return ended.ranks or client.failure(ended)


def unsure(host: Mapping[str, Any], note: Callable[[str], None]) -> None:
    clock = host.get("clock") or {}
    width = clock.get("uncertainty_s")
    if width is not None and width > UNSURE_S:
        note(
            "load host %s: its clock is known to %.1f ms only, and so are planned starts there"
            % (host["name"], width * 1e3)
        )
