# SPDX-License-Identifier: GPL-2.0-or-later
"""What watches a run: --server-via, status, metrics, events.  It never decides how the run ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import time

from .load import Load
from .server import MARIADB
from .table import FIRST, NOTHING, PACED, Drill, drill


def via(d: Drill, text: str, *args: str) -> Load:
    """A run whose server is read through a program of ours."""
    path = d.write("there", "#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    words = [w for w in d.command("oltp_point_select", *args) if w not in d.server.arguments()]
    words += d.server.tcp() + ["--server-via=" + path]
    return d.begin(words)


@drill("via-endless-line", engines=[MARIADB], ways=FIRST)
def via_endless_line(d: Drill) -> None:
    """--server-via: bytes without a newline: n/a with the reason, the run is as ever."""
    load = via(d, "exec cat /dev/zero\n", "--time=3")
    load.ended(0, bound=25, messages=4, says="Server: +n/a|n/a")


@drill("via-endless-line-sigterm", engines=[MARIADB], ways=FIRST)
def via_endless_line_sigterm(d: Drill) -> None:
    """The same before the start: SIGTERM ends it."""
    load = via(d, "exec tr '\\0' x </dev/zero\n")
    time.sleep(2)
    load.signal(signal.SIGTERM)
    load.ended(143, bound=6, files=False)


@drill("via-silence", engines=[MARIADB], ways=FIRST)
def via_silence(d: Drill) -> None:
    """--server-via: a command that says nothing: a word about it, and the run begins."""
    load = via(d, "exec sleep 100\n", "--time=2")
    time.sleep(3)
    early = load.out + load.err
    load.ended(0, bound=30, messages=4)
    d.book.true(re.search("there|Server", early), "not a word after 3 s")


@drill("via-garbage", engines=[MARIADB], ways=FIRST, quick=True)
def via_garbage(d: Drill) -> None:
    """--server-via: garbage is called garbage, and the run is as ever."""
    load = via(d, "while echo garbage; do sleep 0.1; done\n", "--time=2")
    load.ended(0, bound=25, messages=4)
    load.never_says("not answered yet")


@drill("via-dies", engines=[MARIADB], ways=PACED)
def via_dies(d: Drill) -> None:
    """The command of --server-via is killed: n/a from there on, the run is as ever."""
    load = via(d, 'echo $$ >>"$0.pid"; exec "$@"\n', "--time=4")
    load.started() and load.wait_done(20)
    with open(d.path("there.pid")) as f:
        os.kill(int(f.read().split()[-1]), signal.SIGKILL)
    load.ended(0, messages=4)


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


@drill("half-open-scrapes", engines=NOTHING, ways=FIRST, quick=True)
def half_open_scrapes(d: Drill) -> None:
    """80 half-open connections to the metrics port: the 81st is served in time."""
    load = d.run(d.sleeper(), "--metrics-listen=127.0.0.1:0")
    load.started()
    port = int(re.findall(r"^Metrics: http://127\.0\.0\.1:(\d+)/", load.out, re.M)[0])
    idle = []
    for _ in range(80):
        peer = socket.create_connection(("127.0.0.1", port), 10)
        peer.sendall(b"GET /metr")
        idle.append(peer)
    asked = time.monotonic()
    text = scrape(port)
    d.book.within("a scrape", time.monotonic() - asked, 3)
    d.book.true(b"200 OK" in text and b"\nsysbench_" in text, "no metrics: %r" % text[:80])
    for peer in idle:
        peer.close()
    load.interrupted(bound=6)


def scrape(port: int) -> bytes:
    text = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 30) as peer:
        peer.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while more := peer.recv(65536):
            text += more
    return text


@drill("server-status-refused", engines=[MARIADB], ways=FIRST)
def server_status_refused(d: Drill) -> None:
    """--server-status finds no free connection: n/a with the reason, the run is as ever."""
    d.server.sql("SET GLOBAL max_connections = 10")
    load = d.run("oltp_point_select", "--server-status=on", "--time=2", threads=10)
    load.ended((0, 1), bound=20, messages=6)
    if load.process.returncode:
        load.says("1040|max_connections")
