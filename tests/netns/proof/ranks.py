# SPDX-License-Identifier: GPL-2.0-or-later
"""One run on several ranks, half of them on each load host, by each way to start them.

    cluster    a sysbench for each rank, with --cluster=HOST:PORT
    openmpi    mpirun, which starts its daemons on the hosts as it does through ssh
    mpich      mpiexec, the same

Whatever this starts has a variable in its environment by which it is found again, since a launcher
tells nobody the process ids of its ranks.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import time
from typing import Any, Callable, Sequence

from lib import child
from lib.harness import read
from sblab import LabError

from .net import ADDRESS, LOAD1, LOADS, SUBNET, Network

CLUSTER, OPENMPI, MPICH = "cluster", "openmpi", "mpich"
LAUNCHERS = (CLUSTER, OPENMPI, MPICH)
PROGRAM = {OPENMPI: "mpirun.openmpi", MPICH: "mpiexec.mpich"}
MODULE = {OPENMPI: "sysbench-mpi-openmpi", MPICH: "sysbench-mpi-mpich"}
PORT = 7531
MARK = "SB_NETNS_RUN"
HANG = 120  # seconds after the planned end
EVENT = 60


def why_not(launcher: str, sysbench: str) -> str | None:
    """The reason why this launcher cannot be used here, or None."""
    if launcher == CLUSTER:
        return None
    if shutil.which(PROGRAM[launcher]) is None:
        return "there is no program %s" % PROGRAM[launcher]
    module = os.path.join(os.path.dirname(os.path.realpath(sysbench)), MODULE[launcher])
    return None if os.path.exists(module) else "sysbench was built without %s" % MODULE[launcher]


def host_of(rank: int, ranks: int) -> str:
    return LOADS[rank * len(LOADS) // ranks]


def share(total: int, rank: int, ranks: int) -> int:
    """How many of the numbers 0 to total - 1 are RANK, RANK + RANKS, ..."""
    return (total - rank + ranks - 1) // ranks


class Run:
    """The ranks of one run, and the files that they leave: STEM.json, STEM.raw, STEM.raw.rank1."""

    def __init__(self, net: Network, launcher: str, ranks: int, stem: str, sysbench: str) -> None:
        self.net, self.launcher, self.ranks, self.stem = net, launcher, ranks, stem
        self.sysbench = sysbench
        self.processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            MARK: stem,
            "PATH": os.path.dirname(sysbench) + os.pathsep + os.environ["PATH"],
            "TMPDIR": net.directory,
        }

    def begin(self, words: Sequence[str]) -> Run:
        """`words`: test and options, without those of reports and of the cluster.  A single rank
        needs no launcher."""
        files = ["--report-file=%s.json,%s.jsonl" % (self.stem, self.stem)]
        files.append("--raw-log=%s.raw" % self.stem)
        words = [self.sysbench, *words, "--report-interval=1", *files]
        if self.ranks == 1:
            self.start(LOAD1, [*words, "run"])
        elif self.launcher == CLUSTER:
            self.environment["SYSBENCH_CLUSTER_SECRET"] = "of this run"
            for rank in range(self.ranks):
                more = ["--cluster=%s:%d" % (ADDRESS[LOAD1], PORT), "--cluster-rank=%d" % rank]
                more.append("--cluster-size=%d" % self.ranks)
                self.start(host_of(rank, self.ranks), [*words, *more, "run"])
        else:
            self.start(LOAD1, self.mpi() + [*words, "run"])
        return self

    def mpi(self) -> list[str]:
        """The launcher on load1, and its options."""
        each = self.ranks // len(LOADS)
        hosts = ",".join("%s:%d" % (ADDRESS[host], each) for host in LOADS)
        if self.launcher == MPICH:
            return (
                [PROGRAM[MPICH], "-launcher", "ssh", "-launcher-exec", self.net.rsh()]
                + ["-localhost", ADDRESS[LOAD1], "-hosts", hosts, "-n", str(self.ranks)]
            )  # fmt: skip
        settings = {
            "plm_rsh_agent": self.net.rsh(),
            "plm_rsh_no_tree_spawn": "1",
            "oob_tcp_if_include": SUBNET,
            "btl_tcp_if_include": SUBNET,
            "orte_tmpdir_base": self.net.directory,
        }
        words = [PROGRAM[OPENMPI], "--allow-run-as-root", "--bind-to", "none"]
        words += ["--host", hosts, "-np", str(self.ranks)]
        for name in (MARK, "TMPDIR", "PATH"):
            words += ["-x", name]
        return words + [word for item in settings.items() for word in ("--mca", *item)]

    def start(self, host: str, words: list[str]) -> None:
        n = len(self.processes)
        stem = self.stem
        with open("%s.out.%d" % (stem, n), "wb") as out, open("%s.err.%d" % (stem, n), "wb") as err:
            words = self.net.enter(host) + words
            self.processes.append(child.begin(words, out, err, env=self.environment))

    # ---- while it runs

    @property
    def launched(self) -> subprocess.Popen[bytes]:
        """The process that was started first: rank 0, or the launcher of all."""
        return self.processes[0]

    @property
    def out(self) -> str:
        return read(self.stem + ".out.0")

    @property
    def err(self) -> str:
        return "".join(read(path) for path in sorted(glob.glob(glob.escape(self.stem) + ".err.*")))

    def wait_for(self, what: str, happened: Callable[[], Any]) -> None:
        deadline = time.monotonic() + EVENT
        while not happened():
            if self.launched.poll() is not None or time.monotonic() > deadline:
                raise LabError("never: %s; it said: %s" % (what, (self.err + self.out)[-400:]))
            time.sleep(0.02)

    def started(self) -> None:
        self.wait_for("threads started", lambda: "Threads started" in self.out)

    def reported(self, intervals: int) -> None:
        """Waits for so many whole lines of the table of intervals."""
        self.wait_for(
            "%d intervals" % intervals, lambda: self.out.count("\n[ ") >= intervals
        )  # the first is preceded by an empty line

    def processes_of(self, rank: int | None = None) -> list[tuple[int, str]]:
        """Process ids and names of what was started for this run, or for one rank of it."""
        found = []
        wanted = {b"%s=%d" % (name, rank) for name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK")} if (
            rank is not None
        ) else set()  # fmt: skip
        mark = ("%s=%s" % (MARK, self.stem)).encode()
        for path in glob.glob("/proc/[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                with open(path + "/environ", "rb") as f:
                    words = set(f.read().split(b"\0"))
                if mark in words and (rank is None or words & wanted):
                    found.append((int(path[6:]), read(path + "/comm").strip()))
        return sorted(found)

    def pid_of(self, rank: int) -> int:
        """The sysbench that is this rank, not the guard before it."""
        if self.launcher == CLUSTER:
            return self.processes[rank].pid
        found = [pid for pid, name in self.processes_of(rank) if name == "sysbench"]
        if len(found) != 1:
            raise LabError("%d processes are rank %d" % (len(found), rank))
        return found[0]

    def wait(self, seconds: float) -> list[int | None]:
        """Exit statuses of the processes that were started; None for one that hangs."""
        deadline = time.monotonic() + seconds + HANG
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0.1))
        return [process.poll() for process in self.processes]

    def end(self) -> None:
        """Ends what is left of it."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for pid, _ in self.processes_of():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()

    # ---- what it left

    def document(self) -> Any:
        text = read(self.stem + ".json")
        try:
            return json.loads(text)
        except ValueError as e:
            said = (self.err + self.out)[-600:]
            raise LabError("the json report cannot be read: %s; it said: %s" % (e, said)) from e

    def raw(self, rank: int) -> str:
        return self.stem + ".raw" + (".rank%d" % rank if rank else "")

    def raws(self) -> list[str]:
        return [self.raw(rank) for rank in range(self.ranks)]
