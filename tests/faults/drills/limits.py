# SPDX-License-Identifier: GPL-2.0-or-later
"""Too little of something: memory, processes, events; and loads that never fit."""

from __future__ import annotations

import re
import resource

from .load import Load, limit
from .server import MARIADB
from .table import FIRST, NOTHING, PACED, SLEEP, Drill, drill


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


@drill("two-thousand-clients", engines=[MARIADB], ways=("workers-paced",))
def two_thousand_clients(d: Drill) -> None:
    """More clients than the server takes, by far: said once, in time."""
    load = d.run("oltp_point_select", threads=2000)
    load.refused("1040|too many connections|clients fit", bound=60)


@drill("odd-values-of-scripts", engines=[MARIADB], ways=FIRST)
def odd_values_of_scripts(d: Drill) -> None:
    """Sizes and counts of bundled scripts that make no sense are refused."""
    for option in ("--tables=0", "--tables=-1", "--table-size=-5", "--tables=x"):
        for command in ("prepare", "run"):
            words = ["oltp_read_write", option, "--time=1", *d.server.arguments(), command]
            # some messages write an option as scripts do, with underscores
            d.plain(*words).refused(option.split("=")[0].lstrip("-").replace("-", "[-_]"))


@drill("events-refused", engines=[MARIADB], ways=FIRST, quick=True)
def events_refused(d: Drill) -> None:
    """Events that this machine cannot count are n/a with a reason, never 0."""
    load = d.run("oltp_point_select", "--server-events=instructions:u,context-switches", "--time=2")
    document = load.ended(0, messages=4)
    if document and document["summary"]:
        events = document["summary"]["server_events"]
        if events is None:
            d.book.true(document["summary"]["missing"].get("server_events"), "no reason")
        elif events.get("instructions:u") == 0:
            d.book.true(False, "an event that cannot be counted is 0")
