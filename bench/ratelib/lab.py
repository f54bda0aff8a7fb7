# SPDX-License-Identifier: GPL-2.0-or-later
"""One sitting: the servers, the contestants, the runs and the directory that they leave.

The results directory holds the output of every run as it came (`0001-....txt`: the command, what it
printed), every figure as one JSON object a line (runs.jsonl), and what it ran on (machine.json).
Tables are drawn from these files alone, so they can be drawn again without measuring again.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import json
import os
import platform
import shlex
import subprocess
import time
from typing import Any, Iterable, Sequence

from sysbench_lab import owned
from sysbench_lab.servers import process, programs
from sysbench_lab.servers.instance import Instance

from . import parse, runner
from .directory import brief, connections, cpu_model, load, load_machine
from .runner import LabError, Run, Stall
from .types import Argv, Case, Figures, Key, Record, StallPlan

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROWS = 100000
TABLES = 4  # of every MariaDB; most sections use sbtest1 alone
MOST_CONNECTIONS = 2200
MANY_CONNECTIONS = 10500
STOCK = "/usr/bin/sysbench"
MARIADB = [
    "--performance-schema=OFF",
    "--innodb-buffer-pool-size=256M",
    "--innodb-flush-log-at-trx-commit=2",
    "--table-open-cache=4000",
    "--max-prepared-stmt-count=1048576",
]
# the private servers by name: engine and options, to which the number of connections is added
SERVERS = {
    "mariadb": ("mariadb", MARIADB),
    "mariadb-pool": ("mariadb", MARIADB + ["--thread-handling=pool-of-threads"]),
    "postgresql": ("postgresql", ["--autovacuum=off"]),
}
PROGRAMS = ("sysbench-tx", "stock", "pgbench", "sleeper", "floor")


def say(text: str) -> None:
    print(text, flush=True)


class Spec:
    """One run that is to be made.

    section, case   what it is a figure of; case is a dict of what varies
    program         one of PROGRAMS
    argv            function(lab) -> command line
    seconds         how long it measures
    stall           None, or (who, at_s, for_s) with who = "client" or "server"
    pinned          True: program and server share one CPU; "apart": each has one of its own
    db              the server it needs: None or one of SERVERS
    """

    def __init__(
        self,
        section: str,
        case: Case,
        program: str,
        argv: Argv,
        seconds: float,
        rate: float | None = None,
        db: str | None = None,
        stall: StallPlan | None = None,
        pinned: bool | str = False,
        repeat: int = 1,
    ) -> None:
        self.section, self.case, self.program, self.argv = section, case, program, argv
        self.seconds, self.rate, self.db, self.stall = seconds, rate, db, stall
        self.pinned, self.repeat = pinned, repeat

    def replaces(self) -> set[Key]:
        """The records of an earlier sitting that it replaces: (section, server).

        Old records name no server: there was only the one with a thread per connection.
        """
        server = self.case.get("server")
        return {(self.section, server)} | (
            {(self.section, None)} if server in (None, "thread per connection") else set()
        )

    def __str__(self) -> str:
        case = " ".join("%s=%s" % pair for pair in self.case.items())
        return "%s: %s, %s" % (self.section, case, self.program)


class Lab:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.results = args, args.results
        self.sysbench = args.sysbench
        self.stock = args.stock if os.access(args.stock, os.X_OK) else None
        self.pgbench = programs.find("pgbench")
        self.sleeper: str | None = None
        self.floor: str | None = None
        self.machine: Figures = {}
        self.servers: dict[str, Instance] = {}  # name in SERVERS -> Instance
        self.db = "mariadb"  # which MariaDB the run is for
        self.connect_s: dict[int, float] = {}  # connections -> how long pgbench takes to connect
        self.count = self.done = self.planned = 0
        self.began = time.monotonic()

    # ---- directory -------------------------------------------------------------

    def open(self) -> None:
        owned.make(self.results)
        if not os.listdir(self.results):  # ours to remove if nothing comes of it
            owned.write(self.path(owned.MARK), "")
        self.count = len(glob.glob(os.path.join(self.results, "[0-9]*.txt")))
        with open(self.path("noop.lua"), "w") as f:
            f.write("function event() end\n")
        self.sleeper = self.build("sleeper")
        self.floor = self.build("floor", "libmariadb")
        self.machine = self.describe()
        self.note_machine()

    def note_machine(self) -> None:
        """What all this ran on; what an earlier sitting in this directory noted besides stays."""
        with contextlib.suppress(OSError, ValueError):
            self.machine = {**load_machine(self.results), **self.machine}
        with open(self.path("machine.json"), "w") as f:
            json.dump(self.machine, f, indent=1)

    def path(self, name: str) -> str:
        return os.path.join(self.results, name)

    def forget(self, items: Iterable[Any]) -> None:
        """Drops the records of what is measured again: same section, same server."""
        gone = {key for item in items for key in item.replaces()}
        kept = [
            r for r in load(self.results) if (r["section"], r["case"].get("server")) not in gone
        ]
        with open(self.path("runs.jsonl"), "w") as f:
            f.writelines(json.dumps(r) + "\n" for r in kept)

    def build(self, name: str, library: str | None = None) -> str | None:
        """A small program of this directory; None where its compiler or library is missing."""
        cc = programs.find("cc", "gcc", "clang")
        flags: list[str] = []
        if library:
            tool = programs.find("pkg-config", "pkgconf")
            out = tool and subprocess.run(
                [tool, "--cflags", "--libs", library],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                text=True,
            )
            if not out or out.returncode:
                return None
            flags = shlex.split(out.stdout)
        target = self.path(name)
        made = (
            cc
            and subprocess.call(
                [cc, "-std=gnu11", "-O2", "-o", target, os.path.join(HERE, name + ".c")] + flags
            )
            == 0
        )
        return target if made else None

    def describe(self) -> dict[str, str]:
        def version(argv: Any, line: int = 0) -> str:
            out = subprocess.run(
                argv,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
            )
            return [*out.stdout.strip().splitlines(), "n/a"][line]

        return {
            "date": time.strftime("%Y-%m-%d %H:%M"),
            "quick": self.args.quick,
            "kernel": "%s %s %s" % tuple(platform.uname()[i] for i in (0, 2, 4)),
            "cpu": "%s x %s" % (os.cpu_count(), cpu_model()),
            "memory": "%.0f GiB"
            % (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
            "sysbench-tx": version([self.sysbench, "--version", "--verbose"], 1),
            "stock": version([self.stock, "--version"]) if self.stock else "not installed",
            "pgbench": version([self.pgbench, "--version"]) if self.pgbench else "not installed",
        }

    # ---- servers --------------------------------------------------------------

    def server(self, name: str) -> Instance:
        """The private server of that name, made and loaded when it is first asked for.

        One MariaDB runs at a time: even an idle one has a buffer pool, threads and timers.
        """
        if name != "postgresql":
            self.db = name
            for other, inst in self.servers.items():
                if other not in (name, "postgresql") and inst.pid:
                    inst.stop(60)
        if name not in self.servers:
            self.make(name)
        elif not self.servers[name].pid:
            self.servers[name].start()
            self.warm()
        return self.servers[name]

    def make(self, name: str) -> None:
        engine, options = SERVERS[name]
        most = (
            MANY_CONNECTIONS
            if engine == "mariadb" and {"many", "memory"} & set(self.args.only)
            else MOST_CONNECTIONS
        )
        options = options + ["--max-connections=%d" % most]
        inst = self.servers[name] = Instance.create_temporary(engine=engine, options=options)
        inst.start()
        say("%s %s, pid %d" % (name, inst.version, inst.running_pid()))
        self.machine[name] = "%s, %s" % (inst.version, " ".join(options))
        self.note_machine()
        if engine == "mariadb":
            self.must(self.test() + ["--tables=%d" % TABLES, "prepare"])
            self.warm()
        else:
            self.must([self.pgbench or "pgbench", "-i", "-q", "-s", "1"] + self.pg_args())

    def must(self, argv: Sequence[str]) -> None:
        out = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if out.returncode:
            raise LabError("%s failed:\n%s" % (" ".join(argv), out.stdout[-2000:]))

    def test(self) -> list[str]:
        return [self.sysbench, "oltp_point_select", "--table-size=%d" % ROWS] + self.db_args()

    def warm(self) -> None:
        """The table into the buffer pool."""
        self.must(self.test() + ["--threads=16", "--time=2", "run"])

    def db_args(self) -> list[str]:
        inst = self.server(self.db)
        return inst.module.arguments(inst)

    def pg_args(self) -> list[str]:
        inst = self.server("postgresql")
        return [
            "-h",
            os.path.dirname(inst.socket),
            "-p",
            str(inst.socket_port()),
            "-U",
            inst.user,
            inst.databases[0],
        ]

    def pids(self) -> list[int]:
        return [s.pid for s in self.servers.values() if s.pid]

    def stray_threads(self, cpus: Iterable[int]) -> list[int]:
        """Threads of the MariaDB server that may run elsewhere than on these CPUs."""
        pid, stray = self.server(self.db).running_pid(), []
        for tid in map(int, os.listdir("/proc/%d/task" % pid)):
            with contextlib.suppress(ProcessLookupError):
                if os.sched_getaffinity(tid) != set(cpus):
                    stray.append(tid)
        return stray

    def pin_server(self, cpus: Iterable[int]) -> None:
        """Moves every thread of the MariaDB server to these CPUs.

        A new thread inherits them from the thread that creates it; a pool's threads are created
        by the pool.  One created meanwhile may have the old CPUs, so the list is repeated until
        none has.
        """
        for _ in range(100):
            stray = self.stray_threads(cpus)
            if not stray:
                return
            for tid in stray:
                with contextlib.suppress(ProcessLookupError):
                    os.sched_setaffinity(tid, cpus)
        raise LabError("the server's threads cannot be kept on CPUs %s" % sorted(cpus))

    def settle(self) -> None:
        """Until the last run's connections are gone from the server, and a moment of rest."""
        for inst in (s for s in self.servers.values() if s.pid):
            deadline = time.monotonic() + 20
            while connections(inst.socket) and time.monotonic() < deadline:
                time.sleep(0.05)
        time.sleep(0.3 if self.args.quick else 1)

    def close(self) -> None:
        for inst in self.servers.values():
            inst.stop(10)
            inst.remove()

    # ---- runs -------------------------------------------------------------------

    def missing(self, spec: Spec) -> str | None:
        """Why this run cannot be made here, or None."""
        have = {
            "sysbench-tx": self.sysbench,
            "stock": self.stock,
            "pgbench": self.pgbench,
            "sleeper": self.sleeper,
            "floor": self.floor,
        }
        return None if have[spec.program] else "%s is not installed" % spec.program

    def execute(self, spec: Spec) -> Record | None:
        """Makes one run and keeps it; returns its record, or None when it cannot be made."""
        self.done += 1
        if self.missing(spec):
            return None
        if spec.db:
            self.server(spec.db)
        argv = spec.argv(self)
        cpus = os.sched_getaffinity(0)
        pinned = {max(cpus)} if spec.pinned else None
        server_cpus = {min(cpus)} if spec.pinned == "apart" else pinned or cpus
        mariadb = spec.db and spec.db != "postgresql"
        self.settle()
        if mariadb:
            self.pin_server(server_cpus)
        logs = tuple(glob.glob(self.path("pgbench_log.*")))
        run = runner.execute(
            argv, spec.seconds + 120, self.pids(), self.stall(spec), pinned, cwd=self.results
        )
        figures = parse.figures(spec.program, run, spec.rate, spec.seconds)
        if "-l" in argv:
            figures.update(self.pgbench_log(set(glob.glob(self.path("pgbench_log.*"))) - set(logs)))
        stray = len(self.stray_threads(server_cpus)) if mariadb else 0
        return self.keep(spec, run, figures, stray)

    def stall(self, spec: Spec) -> Stall | None:
        if not spec.stall:
            return None
        who, at, seconds = spec.stall
        pid = self.server(spec.db or self.db).running_pid() if who == "server" else None
        return Stall(at, seconds, pid)

    def keep(self, spec: Spec, run: Run, figures: Figures, stray: int = 0) -> Record:
        self.count += 1
        name = "%04d-%s-%s.txt" % (self.count, spec.section, spec.program)
        with open(self.path(name), "w") as f:
            f.write("$ %s\n%s" % (" ".join(map(shlex.quote, run.argv)), run.text))
        record = {
            "section": spec.section,
            "case": spec.case,
            "program": spec.program,
            "repeat": spec.repeat,
            "time": spec.seconds,
            "figures": figures,
            "noise": run.noise,
            "command": ("taskset -c %d " % max(os.sched_getaffinity(0)) if spec.pinned else "")
            + self.shown(run.argv),
            "output": name,
            "timed_out": run.timed_out,
            "stray_threads": stray,
        }
        with open(self.path("runs.jsonl"), "a") as f:
            f.write(json.dumps(record) + "\n")
        say(
            "[%3d/%d %4.0f s] %s: %s"
            % (
                self.done,
                max(self.planned, self.done),
                time.monotonic() - self.began,
                spec,
                brief(record),
            )
        )
        return record

    def shown(self, argv: Any) -> str:
        """The command as a reader would type it: no directory of ours, $args for the login."""
        text = " ".join(map(shlex.quote, argv))
        for name, inst in self.servers.items():
            args = self.pg_args() if name == "postgresql" else inst.module.arguments(inst)
            text = text.replace(
                " ".join(map(shlex.quote, args)), "$pgargs" if name == "postgresql" else "$args"
            )
            text = text.replace(inst.socket, "$socket")
        for path, name in (
            (self.sysbench, "sysbench"),
            (self.pgbench, "pgbench"),
            (self.path("noop.lua"), "noop.lua"),
            (self.path("sleeper"), "sleeper"),
            (self.path("floor"), "floor"),
        ):
            text = text.replace(path, name) if path else text
        return text

    def pgbench_log(self, paths: Iterable[str]) -> Figures:
        """Transactions per client from pgbench's log: every line begins with the client."""
        counts: dict[int, int] = {}
        for path in paths:
            with open(path) as f:
                for line in f:
                    client = int(line.split(None, 1)[0])
                    counts[client] = counts.get(client, 0) + 1
            os.unlink(path)
        return (
            {
                "least": min(counts.values()),
                "most": max(counts.values()),
                "clients_seen": len(counts),
            }
            if counts
            else {}
        )

    def pgbench_connect(self, connections_wanted: int) -> float:
        """Seconds that pgbench spends connecting; its -T includes them, so they are added."""
        if connections_wanted not in self.connect_s:
            self.settle()
            out = subprocess.run(
                [
                    self.pgbench or "pgbench",
                    "-S",
                    "-M",
                    "prepared",
                    "-n",
                    "-t",
                    "1",
                    "-c",
                    str(connections_wanted),
                    "-j",
                    str(min(2, connections_wanted)),
                ]
                + self.pg_args(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                preexec_fn=process.raise_nofile,
            )
            ms = parse.pgbench(out.stdout)["connect_ms"]
            if ms is None:
                raise LabError(
                    "pgbench cannot connect %d times:\n%s"
                    % (connections_wanted, out.stdout[-2000:])
                )
            self.connect_s[connections_wanted] = ms / 1000
        return self.connect_s[connections_wanted]
