#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Scrapes --metrics-listen for the cram tests, with Python's own library.

usage: metrics.py answer URL METHOD [ACCEPT]     status, type and other headers of note
       metrics.py until URL PATTERN FILE         scrapes until a line matches; the text goes to FILE
       metrics.py steady URL N                   N reports are seen; each scrape is one, whole
       metrics.py parse FILE                     prints families and types, as the parser of its
                                                 format (*.om: OpenMetrics) sees them; exit status
                                                 80 without a parser
       metrics.py table FILE                     the same without a parser: names, types and units
                                                 of the text's head lines
       metrics.py stall URL                      half a request, then it waits to be killed
"""

from __future__ import annotations

import http.client
import importlib
import re
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable

PATIENCE = 60


def scrape(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as r:
        return r.read().decode("utf-8")


def answer(url: str, method: str, accept: str | None = None) -> None:
    at = urllib.parse.urlsplit(url)
    c = http.client.HTTPConnection(at.hostname or "", at.port, timeout=PATIENCE)
    for _ in range(2):  # the second time on the same connection
        sent = b"x" * 5000 if method == "POST" else None
        c.request(method, at.path, sent, {"Accept": accept} if accept else {})
        r = c.getresponse()
        body = r.read()
        length = int(r.getheader("Content-Length", "-1"))
        if length != len(body) and method != "HEAD":
            print("Content-Length is %d, the body has %d bytes" % (length, len(body)))
    allow = r.getheader("Allow")
    end = body.decode().endswith("# EOF\n")
    openmetrics = r.getheader("Content-Type", "").startswith("application/openmetrics-text")
    if body and r.status == 200 and end != openmetrics:
        print("the end is not that of the format")
    words = [r.status, r.reason, "|", r.getheader("Content-Type"), "|"]
    print(*words, "body" if body else "no body", "| " + allow if allow else "")


def until(url: str, pattern: str, path: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        text = scrape(url)
        if re.search(pattern, text, re.M):
            break
        if time.monotonic() > deadline:
            print("no line matches '%s' in:\n%s" % (pattern, text))
            break
        time.sleep(0.02)
    with open(path, "w") as f:
        f.write(text)


def value(text: str, name: str) -> float:
    found = re.search(r"^%s(?:\{[^}]*\})? (\S+)$" % name, text, re.M)
    assert found, "no metric " + name
    return float(found.group(1))


def steady(url: str, count: str) -> None:
    seen: dict[float, str] = {}
    n = int(count)
    deadline = time.monotonic() + PATIENCE
    while len(seen) < n and time.monotonic() < deadline:
        text = scrape(url)
        if not re.search(r"sysbench_transaction_latency_seconds_count.* \d+\n$", text):
            print("no end:", repr(text[-80:]))
            break
        if "sysbench_elapsed_seconds" not in text:
            continue
        if seen.setdefault(value(text, "sysbench_elapsed_seconds"), text) != text:
            print("two texts of one report")
    if len(seen) < n:
        print("only %d reports within %d s" % (len(seen), PATIENCE))
    totals = [value(seen[at], "sysbench_transactions_total") for at in sorted(seen)]
    if totals != sorted(totals):
        print("a counter fell:", totals)


def parse(path: str) -> int:
    openmetrics = ".openmetrics" if path.endswith(".om") else ""
    try:
        parser: Any = importlib.import_module("prometheus_client%s.parser" % openmetrics)
    except ImportError:
        return 80
    with open(path) as f:
        text = f.read()
    for family in parser.text_string_to_metric_families(text):
        print(family.type, family.name)
    return 0


def table(path: str) -> None:
    heads: dict[str, list[str]] = {}
    with open(path) as f:
        for line in f:
            if line.startswith(("# TYPE ", "# UNIT ")):
                _, what, name, value = line.split()
                heads.setdefault(name, []).append(value)
    for name in sorted(heads):
        print(name, *heads[name])


def stall(url: str) -> None:
    at = urllib.parse.urlsplit(url)
    s = socket.create_connection((at.hostname, at.port or 80))
    s.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
    print("stalled", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    commands: tuple[Callable[..., int | None], ...] = (answer, until, steady, parse, table, stall)
    sys.exit({f.__name__: f for f in commands}[sys.argv[1]](*sys.argv[2:]) or 0)
