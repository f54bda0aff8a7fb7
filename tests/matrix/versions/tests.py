# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests of a row of the matrix: a client library against a server; and the table."""

from __future__ import annotations

import glob
import os
import re
from typing import List, Sequence, Tuple

from versions import SOURCE
from versions.builds import build, version_of
from versions.place import Place
from versions.servers import Server

Counts = Tuple[int, int, int]  # passed, failed, skipped
Tests = Tuple[Counts, List[str]]  # and the names of those that failed
# client library, server, unit tests, cram files, what failed
Result = Tuple[str, str, Counts, Counts, List[str]]

SERVERS = {  # engine, inside?
    "mysql": ("mysql", True),
    "mariadb": ("mariadb", False),
    "postgresql": ("postgresql", False),
    "postgresql-new": ("postgresql", True),
}


def cram_files(kind: str) -> list[str]:
    """Names of the tests that meet such a server; comparing with stock is another matter."""
    paths = glob.glob(os.path.join(SOURCE, "tests/t/*_%s.t" % kind))
    each = glob.glob(os.path.join(SOURCE, "tests/t/*_each.t"))
    paths += [path.replace("_each.t", "_%s.t" % kind) for path in each]
    names = [os.path.basename(p) for p in paths]
    return sorted(n for n in names if not n.startswith("sidebyside"))


def databases(kind: str) -> list[str]:
    """As tests/cram names them, and one for the unit tests."""
    return ["sbtest"] + ["sbt_" + re.sub(r"\W", "_", n[:-2]) for n in cram_files(kind)]


def run_row(place: Place, build_name: str, server_name: str) -> Result:
    """Library, server, unit results, cram results (passed, failed, skipped), what failed."""
    inside, directory = build(place, build_name)
    log = "%s-%s.log" % (build_name, server_name)
    with open(place.path(log), "w"):
        pass
    engine, inside_server = SERVERS[server_name]
    server = Server(place, server_name, engine, inside_server, log)
    try:
        server.start(databases(server.kind))
        env, version = server.variables(), server.version
        if inside == server.inside:
            env["DBSERVER_ENGINE"] = engine if server.kind == "mysql" else "mariadb"
        else:
            env["SB_NO_OWN_SERVER"] = "1"
        unit, bad = run_unit(place, inside, directory, server.kind, log, env)
        cram, more = run_cram(place, inside, directory, server.kind, log, env)
    finally:
        server.stop()
    return (version_of(place, build_name, inside, directory), version, unit, cram, bad + more)


def run_unit(
    place: Place, inside: bool, directory: str, kind: str, log: str, env: dict[str, str]
) -> Tests:
    count, bad = {0: 0, 1: 0, 77: 0}, []
    for name in ("sql_%s_test" % kind, "drv_%s_test" % kind):
        status = place.run(inside, ["timeout", "300", directory + "/src/" + name], log, env=env)
        count[status if status in count else 1] += 1
        if status not in (0, 77):
            bad.append(name)
    return (count[0], count[1], count[77]), bad


def run_cram(
    place: Place, inside: bool, directory: str, kind: str, log: str, env: dict[str, str]
) -> Tests:
    source = "/src" if inside else SOURCE
    argv = [source + "/tests/test_run.sh"]
    argv += [source + "/tests/t/" + name for name in cram_files(kind)]
    place.run(inside, argv, log, env=dict(env, SYSBENCH=directory + "/src/sysbench", CRAM="cram3"))
    with open(place.path(log)) as f:
        text = f.read()
    last = re.search(r"^# (\d+) passed, (\d+) failed, (\d+) skipped\n\Z", text, re.M)
    bad = re.findall(r"^not ok - (\w+)", text, re.M)
    if not last:
        return (0, 1, 0), bad + ["tests/test_run.sh"]
    return (int(last[1]), int(last[2]), int(last[3])), bad


def row(result: Result) -> str:
    library, server, unit, cram, bad = result
    cells = ["%d" % c[0] + (", %d skipped" % c[2] if c[2] else "") for c in (unit, cram)]
    return "| %s |" % " | ".join([library, server] + cells + [", ".join(bad) or "none"])


def table(results: Sequence[Result]) -> str:
    head = "| client library | server | unit tests passed | cram files passed | failed |\n"
    head += "|---|---|---|---|---|\n"
    return head + "".join(row(r) + "\n" for r in results)
