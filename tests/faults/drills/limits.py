# SPDX-License-Identifier: GPL-2.0-or-later
"""Too little of something: descriptors, memory, processes; and loads that never fit."""

from __future__ import annotations

import re
import resource

from .load import Load, limit
from .server import BOTH, MARIADB
from .table import FIRST, NOTHING, PACED, SLEEP, Drill, drill


@drill("few-descriptors", engines=BOTH, ways=PACED, quick=True)
def few_descriptors(d: Drill) -> None:
    """61 clients under ulimit -n 64: refused at once, and the number said to fit does fit."""
    few = limit(resource.RLIMIT_NOFILE, 64)
    load = d.run("oltp_point_select", "--events=100", threads=61, prepare=few)
    load.refused(bound=10, messages=3, lines=40)
    load.never_says("not found|some 0 ")
    fits = re.search(r"(\d+) (clients|threads) fit|at most (\d+)", load.out + load.err)
    if d.book.true(fits, "it does not say how many clients fit") and fits:
        count = int(fits.group(1) or fits.group(3))
        again = d.run("oltp_point_select", "--events=100", threads=count, prepare=few)
        again.ended(0, bound=30)


@drill("few-processes", engines=NOTHING, ways=FIRST)
def few_processes(d: Drill) -> None:
    """No memory for 2,000 threads: a message, exit status 1, no crash."""
    few = limit(resource.RLIMIT_AS, 300 << 20)
    load = d.run("cpu", "--time=1", threads=2000, prepare=few, rate=100)
    load.ended((0, 1), bound=30, messages=4, files=False)
    said_on_failure(d, load)


@drill("little-memory", ways=PACED)
def little_memory(d: Drill) -> None:
    """100 clients with memory for a few: a message, exit status 1, no crash."""
    little = limit(resource.RLIMIT_AS, 150 << 20)
    load = d.run("oltp_point_select", "--time=2", threads=100, prepare=little)
    load.ended((0, 1), bound=40, messages=5, files=False)
    said_on_failure(d, load)


def said_on_failure(d: Drill, load: Load) -> None:
    if load.process.returncode == 1:
        d.book.true(load.messages, "exit status 1 without a word")


@drill("small-stack", engines=NOTHING, ways=FIRST)
def small_stack(d: Drill) -> None:
    """ulimit -s 128: runs or says why not."""
    load = d.run("cpu", "--time=1", threads=8, prepare=limit(resource.RLIMIT_STACK, 128 << 10))
    load.ended((0, 1), bound=20, messages=4, files=False)


@drill("rate-above-capacity", engines=NOTHING, ways=PACED, quick=True)
def rate_above_capacity(d: Drill) -> None:
    """A million a second where 400 fit: memory stays as it is, unfinished ones are counted."""
    load = d.begun(
        d.write("slow.lua", SLEEP.replace("5000", "10000")), rate=1000000, time=3, done=40
    )
    first = rss(load)
    load.wait_for("two more intervals", lambda: len(load.stream()) >= 2)
    d.book.most("growth of memory, KiB", rss(load) - first, 8192)
    load.ended(0, bound=15, offered=3000000)


def rss(load: Load) -> int:
    with open("/proc/%d/status" % load.process.pid) as f:
        found = re.search(r"VmRSS:\s+(\d+)", f.read())
    return int(found.group(1)) if found else 0


@drill("rate-of-almost-nothing", engines=NOTHING, ways=FIRST)
def rate_of_almost_nothing(d: Drill) -> None:
    """One transaction in 100 s: the first at once, and SIGINT ends the wait."""
    load = d.begun("cpu", rate=0.01, done=1)
    load.interrupted(bound=4, offered=1)


@drill("two-thousand-clients", engines=[MARIADB], ways=("workers-paced",))
def two_thousand_clients(d: Drill) -> None:
    """More clients than the server takes, by far: said once, in time."""
    load = d.run("oltp_point_select", threads=2000)
    load.refused("1040|too many connections|clients fit", bound=60)


@drill("odd-values", engines=NOTHING, ways=FIRST, quick=True)
def odd_values(d: Drill) -> None:
    """Values out of range: one sentence each that names the option, and nothing runs."""
    for option in (
        "--threads=-1",
        "--threads=0",
        "--threads=18446744073709551616",
        "--time=nan",
        "--tx-rate=-1",
        "--tx-rate=1e309",
        "--tx-rate=nan",
        "--tx-rate=",
        "--report-interval=-1",
        "--percentile=101",
        "--percentile=nan",
        "--tx-burst=-5",
        "--warmup-time=-1",
        "--no-such-option=1",
    ):
        named(d, option, 5, "cpu", option, "run")


def named(d: Drill, option: str, bound: float, *words: str) -> None:
    """Some messages write an option as scripts do, with underscores."""
    load = d.plain(*words)
    d.book.same("%s %s: exit status" % (option, words[-1]), load.wait(bound, option), 1)
    text = (load.out + load.err).replace("_", "-")
    name = option.split("=")[0].lstrip("-")
    d.book.true(name in text, "%s %s: the message does not name it" % (option, words[-1]))


@drill("odd-values-of-scripts", engines=[MARIADB], ways=FIRST)
def odd_values_of_scripts(d: Drill) -> None:
    """Sizes and counts of bundled scripts that make no sense are refused."""
    for option in ("--tables=0", "--tables=-1", "--table-size=-5", "--tables=x"):
        for command in ("prepare", "run"):
            words = ["oltp_read_write", option, "--time=1", *d.server.arguments()]
            named(d, option, 15, *words, command)
