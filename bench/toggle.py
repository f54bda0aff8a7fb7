#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures the overhead of telemetry on a server, within one run.

  bench/toggle.py --dir=DIR --events=default --pairs=20

Two runs of a saturated server differ by more than the overhead of telemetry.
Therefore telemetry (pstime --stream, the code that sysbench uses to read a server)
is switched on and off during a single run, in blocks of some seconds.  Each block is
compared with the mean of its two neighbours, without the first second of each block.
Needs a running MariaDB or PostgreSQL started by scripts/dbserver, with the tables of
oltp_point_select (--table-size=100000).
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import time
from typing import Sequence, Tuple

# telemetry was on, transactions per second, CPU us per transaction
Block = Tuple[bool, float, float]

SOURCE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


class Watch:
    """Telemetry of the server, once a second."""

    def __init__(self, program: str, events: str, syscalls: bool, pid: int) -> None:
        self.number = 0
        self.process = subprocess.Popen(
            [program, "--stream"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        if events:
            self.ask("events " + events)
        if syscalls:
            self.ask("syscalls on")
        self.ask("open %d" % pid)

    def ask(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self) -> None:
        self.number += 1
        self.ask("read %d" % self.number)

    def close(self) -> list[str]:
        text = self.process.communicate()[0]
        kinds = ("how ", "error ", "syscalls-why ")
        return [line for line in text.splitlines() if line.startswith(kinds)]


def cpu_us(pid: int) -> float:
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e3  # the process's CPU-time clock


def server_of(directory: str) -> tuple[list[str], int]:
    text = subprocess.check_output(
        [os.path.join(SOURCE, "scripts", "dbserver"), "env", "--dir=" + directory],
        universal_newlines=True,
    )
    env = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    return env["args"].strip("'").split(), int(env["pid"])


def measure(a: argparse.Namespace) -> list[Block]:
    """[(on, transactions per second, CPU us of client and server per transaction), ...]"""
    args, pid = server_of(a.dir)
    argv = (
        [a.sysbench, "oltp_point_select"]
        + args
        + [
            "--table-size=100000",
            "--threads=%d" % a.threads,
            "--workers=%d" % a.workers,
            "--server=off",
            "--report-interval=1",
            "--time=%d" % (2 + 2 * a.block * a.pairs),
            "run",
        ]
    )
    run = subprocess.Popen(argv, stdout=subprocess.PIPE, universal_newlines=True)
    watch: Watch | None = None
    told: list[str] = []
    last = (0.0, 0.0)
    blocks: list[tuple[bool, list[tuple[float, float, float]]]] = []
    assert run.stdout is not None
    for line in run.stdout:
        found = re.match(r"\[ (\d+)s \].*?tps: ([0-9.]+)", line)
        if not found or run.poll() is not None:
            continue
        now = (time.monotonic(), cpu_us(pid) + cpu_us(run.pid))
        second = int(found.group(1)) - 2
        if second >= 0 and second % a.block == 0:
            on = len(blocks) % 2 == 1
            if watch and not on:
                told, watch = watch.close(), None
            if on and not watch:
                watch = Watch(a.pstime, a.events, a.syscalls, pid)
            blocks.append((on, []))
        elif blocks and second % a.block > 1:
            wall = now[0] - last[0]
            blocks[-1][1].append((wall, float(found.group(2)) * wall, now[1] - last[1]))
        if watch:
            watch.read()
        last = now
    if watch:
        told = watch.close()
    run.wait()
    for line in told:
        print(line)
    sums = [
        (on, [sum(x) for x in zip(*parts)]) for on, parts in blocks if len(parts) == a.block - 2
    ]
    return [(on, done / wall, cpu / done) for on, (wall, done, cpu) in sums]


def compare(blocks: Sequence[Block]) -> list[tuple[float, ...]]:
    pairs = []
    for before, block, after in zip(blocks, blocks[1:], blocks[2:]):
        ratio = [2 * block[k] / (before[k] + after[k]) for k in (1, 2)]
        pairs.append(ratio if block[0] else [1 / x for x in ratio])
    return list(zip(*pairs))


def main() -> None:
    p = argparse.ArgumentParser(
        prog="bench/toggle.py",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    build = os.path.join(SOURCE, "build", "src")
    p.add_argument("--dir", required=True, help="the server's directory")
    p.add_argument(
        "--events",
        default="default",
        help="value of --server-events; empty: none (default %(default)s)",
    )
    p.add_argument("--syscalls", action="store_true", help="count system calls by name")
    p.add_argument(
        "--pairs",
        type=int,
        default=20,
        help="number of blocks with telemetry, and without (default %(default)s)",
    )
    p.add_argument(
        "--block",
        type=int,
        default=3,
        help="length of a block in seconds, 3 or more (default %(default)s)",
    )
    p.add_argument("--threads", type=int, default=2000)
    p.add_argument("--workers", type=int, default=1)
    p.add_argument("--sysbench", default=os.path.join(build, "sysbench"))
    p.add_argument("--pstime", default=os.path.join(build, "pstime"))
    a = p.parse_args()
    if a.block < 3 or a.pairs < 2:
        p.error("--block takes 3 or more, --pairs 2 or more")
    blocks = measure(a)
    if len(blocks) < 3:
        raise SystemExit("toggle.py: the run gave too few intervals to compare")
    for what, ratios in zip(("throughput", "CPU per transaction"), compare(blocks)):
        error = 1.25 * statistics.pstdev(ratios) / len(ratios) ** 0.5
        middle = statistics.median(ratios)
        print(
            "%s with / without: %.3f (%.3f to %.3f: median of %d, one standard error to both sides)"
            % (what, middle, middle - error, middle + error, len(ratios))
        )


if __name__ == "__main__":
    main()
