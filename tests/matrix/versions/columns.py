# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of the table of servers: what each place is put through."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from typing import Any, Callable, Sequence

from versions import SOURCE
from versions.service import Service

SCRIPTS = (
    "oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_point_select",
    "oltp_update_index", "oltp_update_non_index", "oltp_delete", "oltp_insert",
    "select_random_points", "select_random_ranges", "bulk_insert",
)  # fmt: skip
SIZE = ["--table-size=10000", "--rand-type=uniform"]
LONGEST = 600  # seconds, of any command
CONFLICTS = {"deadlock", "serialization", "duplicate", "lock-timeout"}
# what is in a table, in one row, for any server of the kind
SUMS = {
    "mysql": "SELECT COUNT(*), SUM(id), SUM(k), SUM(CRC32(c) * id), SUM(CRC32(pad) * id) FROM ",
    "pgsql": "SELECT COUNT(*), md5(string_agg(concat(id, ',', k, c, pad), ' ' ORDER BY id)) FROM ",
}


class Failed(Exception):
    """What the cell says after FAILED."""


class Run:
    """What a sysbench printed, and its results file, where it wrote one."""

    def __init__(self, text: str, results: dict[str, Any]) -> None:
        self.text, self.results = text, results
        self.summary: dict[str, Any] = results.get("summary") or {}

    @property
    def counts(self) -> tuple[int, ...]:
        """Queries that read, that write and others, and transactions."""
        found = re.findall(r"^ +(?:read|write|other|transactions): +(\d+)", self.text, re.M)
        return tuple(map(int, found[:4]))


class Bench:
    """A place under test, and the programs that meet it."""

    def __init__(self, service: Service, sysbench: str, stock: str, tpcc: str) -> None:
        self.service, self.stock, self.tpcc = service, stock, tpcc
        self.program = sysbench
        self.plain: dict[str, tuple[int, ...]] = {}  # counts by script

    def run(
        self,
        *argv: str,
        program: str = "",
        where: Sequence[str] = (),
        env: dict[str, str] | None = None,
        cwd: str = SOURCE,
    ) -> Run:
        """What does not end with 0 within LONGEST has failed."""
        results = os.path.join(self.service.folder, "results.json")
        argv = (program or self.program, *argv[:1], *(where or self.service.options), *argv[1:])
        if argv[-1] == "run" and not program:
            argv += ("--report-file=" + results,)
        with open(os.path.join(self.service.directory, self.service.log), "a") as log:
            log.write("== %s\n" % " ".join(argv))
            log.flush()
            child = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", env=dict(os.environ, **(env or {})), cwd=cwd,
            )  # fmt: skip
            try:
                text = child.communicate(timeout=LONGEST)[0]
            except subprocess.TimeoutExpired:
                raise Failed("no end within %d s: %s %s" % (LONGEST, argv[1], argv[-1])) from None
            finally:
                child.kill()
                child.wait()
            log.write(text)
        if child.returncode != 0:
            why = re.findall(r"^(?:FATAL|ALERT|ERROR).*", text, re.M) or text.splitlines()[-1:]
            raise Failed(
                "%s: exit %d: %s" % (argv[1], child.returncode, why[0][:120] if why else "")
            )
        if not argv[-1].startswith("--report-file"):
            return Run(text, {})
        with open(results) as f:
            return Run(text, json.load(f))

    def ask(self, *queries: str) -> list[str]:
        """The row that each query answers with, by the server itself."""
        script = os.path.join(SOURCE, "tests", "matrix", "ask.lua")
        run = self.run(script, "ask", where=self.service.direct, env={"QUERIES": ";".join(queries)})
        return re.findall(r"^row: (.*)", run.text, re.M)

    def prepared(self, script: str, *options: str) -> None:
        self.run(script, *options, "cleanup")
        self.run(script, *options, "prepare")

    def count(self, script: str, *options: str) -> tuple[int, ...]:
        """What one piece of work comes to: queries that read, others (a DELETE that finds no row
        counts as neither read nor write), transactions.  Without conflicts, which add to them."""
        for _ in range(5):
            once = [*SIZE, "--threads=8", "--events=100", "--time=0", *self.service.counted]
            run = self.run(script, *once, *options, "run")
            problems(self, run)
            if not run.summary["errors"]:
                return run.counts[0], run.counts[1] + run.counts[2], run.counts[3]
        raise Failed("%s: conflicts in each of five runs" % script)

    def same(self, *variants: tuple[str, ...]) -> str:
        """Every script with these options does what it does with --workers=0."""
        for script in SCRIPTS[:-1]:
            self.prepared(script, *SIZE)
            if script not in self.plain:
                self.plain[script] = self.count(script, "--workers=0")
            for options in variants:
                got = self.count(script, *options)
                if got != self.plain[script]:
                    what = script, " ".join(options), got, self.plain[script]
                    raise Failed("%s %s: %s, not %s" % what)
        return "ok"


def problems(b: Bench, run: Run) -> None:
    """Fails for errors other than those that a server gives where clients meet in a row."""
    for e in run.summary["errors_by_code"] or ():
        if e["class"] not in CONFLICTS and e["sqlstate"] not in b.service.expects:
            raise Failed("error %(code)s %(sqlstate)s (%(class)s): %(text)s" % e)


def scripts(b: Bench) -> str:
    for script in SCRIPTS:
        size = ["--threads=8", *([] if script == "bulk_insert" else SIZE)]
        b.prepared(script, *size)
        run = b.run(script, *size, "--workers=0", "--events=200", "--time=0", "run")
        problems(b, run)
        if run.counts[3] != 200 and script != "bulk_insert":
            raise Failed("%s: %d of 200 transactions" % (script, run.counts[3]))
        if not run.counts[0] + run.counts[1]:
            raise Failed(script + " counted no query")
        b.run(script, *size, "cleanup")
    return "ok"


def workers(b: Bench) -> str:
    return b.same(("--workers=1",), ("--workers=2",))


def ps(b: Bench) -> str:
    off = "--db-ps-mode=disable"
    return b.same((off, "--workers=0"), (off, "--workers=1"))


def prepare(b: Bench) -> str:
    """By every method and at two stages of an interrupted one the same rows."""
    kind = b.service.kind
    options = ["--tables=2", "--table-size=60000", "--threads=2", "--rand-seed=7"]
    sums = [SUMS[kind] + "sbtest%d" % n for n in (1, 2)]
    seen: dict[str, list[str]] = {}
    for method in ("insert", "copy" if kind == "pgsql" else "load", "auto", "resume"):
        given = [*options, "--prepare-method=" + method]
        if method == "resume":
            b.ask("DELETE FROM sbtest1 WHERE id > 31234", "DELETE FROM sbtest2 WHERE id < 777")
            b.run("oltp_read_write", *given, "prepare")
        else:
            b.prepared("oltp_read_write", *given)
        seen[method] = b.ask(*sums)
        if seen[method] != seen["insert"] or len(seen[method]) != 2:
            raise Failed("%s made %s, insert %s" % (method, seen[method], seen["insert"]))
    b.run("oltp_read_write", *options, "cleanup")
    return "ok"


def telemetry(b: Bench) -> str:
    """CPU and counters of the server; a proxy is named, and the server behind it measured."""
    b.prepared("oltp_read_write", *SIZE)
    load = [*SIZE, "--threads=4", "--tx-rate=40", "--time=4", "--server-status"]
    run = b.run("oltp_read_write", *load, "run")
    status = run.summary["server_status"] or {}
    if not any(status.values()):
        raise Failed("no counters by --server-status")
    server = run.summary["server"] or {}
    block = re.search(r"^Server: (?:.|\n(?!\n))*", run.text, re.M)
    said = block.group(0) if block else ""
    if not re.search(b.service.process, said):
        raise Failed("Server: %s" % (said.split("\n")[0] or "is not there"))
    if b.service.options != b.service.direct:
        if "proxy" not in said:
            raise Failed("does not say that it is a proxy: " + " ".join(said.split())[:80])
        return "proxy"
    total = run.summary["total"]
    name, done = "xact_commit", total["transactions"]
    if b.service.kind == "mysql":
        name, done = "Queries", sum(total[k] for k in ("reads", "writes", "other"))
    # counters are of the first host
    used = [h for h in run.summary.get("hosts") or () if h["transactions"]]
    none = name in b.service.lacks
    if not none and len(used) < 2 and abs((status.get(name) or 0) - done) > 4 + done / 50:
        raise Failed("%s is %s, sysbench counts %s" % (name, status.get(name), done))
    cpu = server.get("cpu_s")
    if not cpu:
        raise Failed("no CPU of the server: " + " ".join(said.split())[:80])
    per = 1000 * cpu / max(1, server["transactions"])
    return "%.2f ms/tx%s" % (per, ", no " + name if none else "")


def fault(b: Bench) -> str:
    """Load at a steady rate, the fault in its middle."""
    b.prepared("oltp_write_only", *SIZE)
    did: list[Any] = []

    def later() -> None:
        time.sleep(5)
        try:
            did.append(b.service.fault())
        except Exception as e:
            did.append(e)

    thread = threading.Thread(target=later)
    thread.start()
    try:
        load = [*SIZE, "--threads=8", "--tx-rate=200", "--report-interval=1", "--connect-timeout=2"]
        load += ["--on-error=" + b.service.on_error, "--time=%d" % b.service.load_s]
        run = b.run("oltp_write_only", *load, "run")
    finally:
        thread.join()
    if not did[0]:
        return "n/a: no fault"
    if isinstance(did[0], Exception):
        raise Failed("the fault itself: %s" % did[0])
    r = run.summary["rate"]
    parts = [r["done"], r["failed"], r["dropped"], r["unfinished"]]
    if r["offered"] != sum(parts) or not run.results["verdict"]["accounts_balance"]:
        raise Failed("offered %d, not %s" % (r["offered"], " + ".join(map(str, parts))))
    outages = (run.summary["outages"] or {}).get("list")
    if not outages:
        raise Failed("%s: no outage reported" % did[0])
    if not run.results["intervals"][-1]["transactions"]:
        raise Failed("%s: no transactions at the end" % did[0])
    gap = max(o["without_success_s"] or 0 for o in outages)
    return "%.1f s, %d of %d" % (gap, r["done"], r["offered"])


def stock(b: Bench) -> str:
    """The queries by class of the sysbench that Debian has."""
    if not b.stock:
        return "n/a: no stock sysbench"
    share = os.path.join(os.path.dirname(b.stock), "../share/sysbench")
    for script in ("oltp_point_select", "oltp_read_only", "oltp_read_write"):
        once = [*SIZE, "--rand-seed=5", "--events=100", "--time=0", *b.service.counted, "run"]
        b.prepared(script, *SIZE)
        ours = b.run(script, *once).counts
        b.prepared(script, *SIZE)
        path = {"LUA_PATH": share + "/?.lua"}
        theirs = b.run("%s/%s.lua" % (share, script), *once, program=b.stock, env=path).counts
        if ours != theirs:
            raise Failed("%s: %s, stock %s" % (script, ours, theirs))
    return "ok"


def tpcc(b: Bench) -> str:
    """Somebody else's scripts, which are no part of this tree."""
    if not b.tpcc:
        return "n/a: no scripts"
    size = ["--tables=1", "--scale=1", "--use_fk=0"]
    b.run("oltp_read_write", "--tables=8", "cleanup")  # it counts the tables that there are
    for command in ("cleanup", "prepare"):
        b.run("./tpcc.lua", *size, command, cwd=b.tpcc)
    for options in (["--workers=0"], ["--workers=1"]):
        once = [*size, "--threads=4", "--events=200", "--time=0", *options, "run"]
        run = b.run("./tpcc.lua", *once, cwd=b.tpcc)
        if run.summary["transactions"] != 200:
            raise Failed("%d of 200 events" % run.summary["transactions"])
    check = b.run("./tpcc.lua", *size, "check", cwd=b.tpcc)
    bad = re.findall(r"^Check.*FAILED", check.text, re.M)
    if bad or "PASSED" not in check.text:
        raise Failed(", ".join(bad) or "check says nothing")
    b.run("./tpcc.lua", *size, "cleanup", cwd=b.tpcc)
    return "ok"


FIGURES = ("telemetry", "fault")  # have a column in the document; the others only if not "ok"
COLUMNS: dict[str, Callable[[Bench], str]] = {
    f.__name__: f for f in (scripts, workers, ps, prepare, telemetry, fault, stock, tpcc)
}
