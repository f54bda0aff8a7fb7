#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests to the live page of --metrics-listen for the cram tests.

usage: live.py get URL PATH [FILE]          status and type; the body goes to FILE
       live.py hosts URL PATH HOST...       status and body, each time with another Host
       live.py rows URL N                   waits until there are N rows, as a browser would ask
                                            for them; prints whether each came once, in order
       live.py mark URL TEXT [HEADER=VALUE]...
                                            POST /mark; without headers as the page itself does,
                                            HEADER= leaves one out
       live.py end URL                      asks once a second, as the page does, until the run has
                                            ended; prints how, and whether a verdict came with it
       live.py agree URL FILE.jsonl         every row has the figures of its interval in the file,
                                            as far as that is written
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
import urllib.parse
from typing import Any, Callable

PATIENCE = 60


def request(
    url: str, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
) -> tuple[http.client.HTTPResponse, str]:
    at = urllib.parse.urlsplit(url)
    c = http.client.HTTPConnection(at.hostname or "", at.port, timeout=PATIENCE)
    c.putrequest(method, path, skip_host=headers is not None and "Host" in headers)
    for name, value in (headers or {}).items():
        if value:
            c.putheader(name, value)
    data = os.fsencode(body) if body is not None else b""  # also what is no UTF-8
    if body is not None:
        c.putheader("Content-Length", str(len(data)))
    c.endheaders(data)
    r = c.getresponse()
    return r, r.read().decode()


def get(url: str, path: str, file: str = "") -> None:
    r, body = request(url, "GET", path)
    print(r.status, r.getheader("Content-Type"))
    if file:
        with open(file, "w") as f:
            f.write(body)


def hosts(url: str, path: str, *names: str) -> None:
    for name in names:
        r, body = request(url, "GET", path, None, {"Host": name})
        print(r.status, body.strip() if r.status != 200 else "")


def live(url: str, after: int) -> dict[str, Any]:
    doc: dict[str, Any] = json.loads(request(url, "GET", "/live.json?after=%d" % after)[1])
    return doc


def rows(url: str, n: str) -> None:
    seen: list[int] = []
    deadline = time.monotonic() + PATIENCE
    while len(seen) < int(n) and time.monotonic() < deadline:
        doc = live(url, seen[-1] if seen else 0)
        seen += [row[0] for row in doc["rows"]]
        time.sleep(0.03)
    print("in order" if seen == list(range(1, len(seen) + 1)) else seen)


def mark(url: str, text: str, *changes: str) -> None:
    host = urllib.parse.urlsplit(url).netloc
    headers = {"Host": host, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}
    for change in changes:
        name, _, value = change.partition("=")
        headers[name] = value
    r, body = request(url, "POST", "/mark", text, headers)
    print(r.status, body.strip())


def end(url: str) -> None:
    try:
        while not (doc := live(url, 0))["end"]:
            print(doc["state"], flush=True)
            time.sleep(1)
    except OSError:
        print("the program has gone and did not tell its end")
        return
    print(doc["end"]["status"], "sustained" in doc["verdict"])


def agree(url: str, path: str) -> None:
    doc = live(url, 0)
    with open(path) as f:
        written = [json.loads(line) for line in f if line.endswith("\n")]
    intervals = [x for x in written if x.get("kind") == "interval"]
    compared = 0
    for row, interval in zip(doc["rows"], intervals):
        for name, value in list(zip(doc["figures"], row))[2:]:
            section, dot, figure = name.rpartition(".")
            there = (interval.get(section) or {}).get(figure) if dot else interval.get(figure)
            if there != value:
                print("%s: %r on the page, %r in the file" % (name, value, there))
            compared += value is not None
    print("%s figures agree" % ("many" if compared > 20 else compared))


if __name__ == "__main__":
    commands: tuple[Callable[..., None], ...] = (get, hosts, rows, mark, end, agree)
    {f.__name__: f for f in commands}[sys.argv[1]](*sys.argv[2:])
