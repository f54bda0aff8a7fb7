# SPDX-License-Identifier: GPL-2.0-or-later
"""The server goes away, or stands still, and comes back."""

from __future__ import annotations

import signal
import time
from typing import Any

from .load import Load
from .server import MARIADB, MOST_CONNECTIONS
from .table import FIRST, PACED, RATE, WAYS, Drill, drill

ALL = "all"


@drill("killed-and-restarted", ways=WAYS, quick=True)
def killed_and_restarted(d: Drill) -> None:
    """kill -9 and a restart: the clients come back, the rate resumes, the run ends well."""
    # a free run is stopped by hand once it has come back: how much it does depends on the machine
    events = ["--events=240"] if d.paced else []
    load = d.begun("oltp_point_select", d.ignore(ALL), "--server-status=on", *events)
    d.server.crash(0.5)
    if d.paced:
        load.ended(0, messages=12, offered=240, done=240, least={"reconnects": 4})
    else:
        load.wait_rate(1)
        load.interrupted(messages=12)
    load.never_says("connection was lost and not back")


@drill("failover-preset", ways=PACED)
def failover_preset(d: Drill) -> None:
    """--on-error=failover: kill -9 and a restart, with no list of ignored errors."""
    load = d.begun("oltp_point_select", "--on-error=failover", "--events=200")
    d.server.crash()
    document = load.ended(0, messages=12, done=200)
    d.book.true(document and document["summary"]["outages"], "the summary has no outage")


@drill("rate-resumes", ways=PACED)
def rate_resumes(d: Drill) -> None:
    """After a restart two intervals in a row hold the rate again."""
    load = d.begun("oltp_point_select", d.ignore(ALL))
    d.server.restart()
    load.wait_rate(RATE)
    load.interrupted(messages=12)


@drill("many-clients-lose-the-server", ways=PACED)
def many_clients_lose_the_server(d: Drill) -> None:
    """kill -9 under 256 clients: the end of the run, said once for all of them."""
    load = d.begun("oltp_point_select", threads=256, rate=200)
    d.server.kill()
    load.ended(1, bound=15, messages=6, lines=120)


@drill("limited-return", engines=[MARIADB], ways=PACED)
def limited_return(d: Drill) -> None:
    """--connect-timeout=rate=200: 2,000 clients return to a restarted server, no faster."""
    d.server.sql("SET GLOBAL max_connections = %d" % MOST_CONNECTIONS)  # as after its restart
    load = d.begun(
        "oltp_point_select",
        d.ignore(ALL),
        "--connect-timeout=rate=200",
        "--events=8000",
        threads=2000,
        time=0,
        rate=500,
        done=500,
    )
    since = [record["elapsed_s"] for record in load.stream()][-1:] or [0]
    d.server.crash()
    document = load.ended(0, messages=12, done=8000)
    if document and document["summary"]:
        # the kill comes while each client waits for a start of its own
        replaced = document["summary"]["connections"]["reconnect"]["samples"]
        d.book.same("connections replaced", replaced, 2000)
        check_return(d, document["intervals"], since[0], 200)


def check_return(d: Drill, intervals: list[Any], since: float, rate: int) -> None:
    """So many a second since the loss, and a tenth of a second's worth at once.  A machine that
    stands still delays connections and never brings one forward: the bound is exact."""
    for record in intervals:
        most = max(0, int(rate * (record["elapsed_s"] - since) + rate / 10 + 1))
        d.book.most(
            "reconnects by %.3f s" % record["elapsed_s"], record["total"]["reconnects"], most
        )


@drill("gone-for-good", ways=PACED)
def gone_for_good(d: Drill) -> None:
    """The server never comes back: the run ends when its time is over, with its accounts."""
    load = d.begun("oltp_point_select", d.ignore(ALL), "--time=4", threads=2, done=5)
    d.server.kill()
    load.ended(1, bound=14, messages=8, says="lost|refused|reconnect", offered=4 * RATE)


@drill("black-hole", ways=PACED, quick=True)
def black_hole(d: Drill) -> None:
    """The server stands still over the deadline: the run ends, what was begun is unfinished."""
    load = d.begun("oltp_point_select", "--time=3", "--forced-shutdown=1", done=10)
    d.server.freeze()
    load.ended((1, 2), bound=12, offered=3 * RATE, least={"unfinished": 1})
    d.server.thaw()


@drill("black-hole-sigterm", ways=PACED)
def black_hole_sigterm(d: Drill) -> None:
    """The server stands still, the user ends the run: the report within two seconds or so."""
    load = d.begun("oltp_point_select", done=10)
    d.server.freeze()
    time.sleep(1)
    load.signal(signal.SIGTERM)
    load.ended(143, bound=6, least={"offered": 1})
    d.server.thaw()


@drill("pause", ways=PACED)
def pause(d: Drill) -> None:
    """The server stands still for a second: everything is made up for, the delay is shown."""
    load = d.begun("oltp_point_select", "--events=160")
    d.server.stall(1)
    load.ended(0, done=160, least={"response_max_s": 0.7})


CLIENTS = 4  # of Drill.run()
ALONE = "--server-waits=off"  # without a connection that is no client's


def end_one(d: Drill, load: Load) -> None:
    """Nobody else's connection is still there, not that of the drill before either."""
    load.wait_for("its clients alone", lambda: len(d.server.connections()) == CLIENTS)
    d.server.end_connection(d.server.connections()[0])


@drill("connection-killed", ways=WAYS, quick=True)
def connection_killed(d: Drill) -> None:
    """One connection is killed: it is replaced, the others notice nothing."""
    events = ["--events=160"] if d.paced else ["--time=4"]
    load = d.begun("oltp_point_select", ALONE, d.ignore(ALL), *events)
    end_one(d, load)
    load.ended(0, reconnects=1)


@drill("connection-killed-fatal", ways=PACED)
def connection_killed_fatal(d: Drill) -> None:
    """The same with nothing ignored: the run ends with its report, and names the error."""
    load = d.begun("oltp_point_select", ALONE)
    end_one(d, load)
    load.ended(1, bound=8, says="20(06|13)|1053|1927|57P01|terminating connection")


@drill("killed-in-the-last-moment", ways=PACED)
def killed_in_the_last_moment(d: Drill) -> None:
    """A connection that is killed in the last moments of a good run spoils nothing."""
    load = d.begun("oltp_point_select", d.ignore(ALL), "--time=3", threads=8, done=RATE)
    deadline = load.began + 2.5
    while time.monotonic() < deadline and load.process.poll() is None:
        time.sleep(0.01)
    while load.process.poll() is None:
        for number in d.server.connections():
            d.server.end_connection(number)
    load.ended(0, messages=10)


@drill("no-response-at-connect", ways=FIRST)
def no_response_at_connect(d: Drill) -> None:
    """A server that accepts no connection: SIGINT ends the wait."""
    d.server.freeze()
    load = d.run("oltp_point_select")
    time.sleep(1.5)
    load.signal(signal.SIGINT)
    load.ended((1, 130), bound=6, files=False)
    d.server.thaw()


@drill("many-close", ways=PACED)
def many_close(d: Drill) -> None:
    """256 connections close at the end: within a second or so."""
    load = d.run("oltp_point_select", "--time=2", threads=256)
    load.started()
    load.ended(0, bound=12)
