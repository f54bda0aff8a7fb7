#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A sysbench for the tests of runner and search: writes a report at once and measures nothing.

    client.program = "fake_sysbench.py"
    client.env.FAKE_LOG         each command line is appended to this file
    client.env.FAKE_CAPACITY    transactions per second that can be sustained; 1000
    client.env.FAKE_FIND        what differs in the answer of --tx-find, in JSON
    client.env.FAKE_SLEEP       seconds that a run takes; FAKE_SLEEP_RUNS: only these, "2,3"
    client.env.FAKE_WAIT        "prepare", "run 2": waits there, see wait_at()
    client.env.FAKE_OTHERS      CPU of others in %, one value a run, the last one for all further
    client.env.FAKE_COMMANDS    what the report says of commands of --do, in JSON
    client.env.FAKE_VERSION     of the server, in the report
    client.env.FAKE_READS       what prepare looks at; without it, it does not tell
    client.env.FAKE_RANK_FAIL   a member fails with this text before it has met the leader
    client.env.FAKE_FAIL        fails with this text; FAKE_FAIL_RUNS: only in these, "2,3"

With --cluster the leader waits for the others, who wait for its end; a member with --raw-log
writes RAW to a file of its own.  The number of the run is
counted in FAKE_LOG, the leader's if there are several ranks.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from typing import Iterator

ASKS = "--report-environment"  # no run: what the server is
RAW = b"raw\0\n\r\xff log" * 100000


def value(name: str, default: str = "") -> str:
    found = [a.partition("=")[2] for a in sys.argv if a.startswith("--%s=" % name)]
    return found[-1] if found else default


def count_runs() -> int:
    """This run's number, from 1."""
    with open(os.environ["FAKE_LOG"], "a+") as f:
        given = sys.stdin.read() if "--config-file=-" in sys.argv else ""
        f.write(" ".join([*given.split("\n"), *sys.argv[1:]]) + "\n")
        f.seek(0)
        return sum(line.endswith(" run\n") and ASKS not in line for line in f)


def search(capacity: float) -> dict[str, object] | None:
    """--tx-find found 80 % of what can be sustained."""
    if not value("tx-find"):
        return None
    return {
        "objective": value("tx-find"),
        "result": "found",
        "held_per_s": 0.8 * capacity,
        "confirmed": 2,
        "not_held_per_s": capacity,
        "why": "server CPU 21 %, not < 20 %",
        "limit": "server CPU",
        "steps": [],
        **json.loads(os.environ.get("FAKE_FIND", "{}")),
    }


def report(number: int) -> dict[str, object]:
    capacity, rate = float(os.environ.get("FAKE_CAPACITY", 1000)), float(value("tx-rate", "0"))
    tps = min(rate or capacity, capacity)
    others = os.environ.get("FAKE_OTHERS", "1").split(",")
    busy = float(others[min(number, len(others)) - 1])
    process = {"cpu_user_pct": 1.0, "cpu_system_pct": 1.0}
    p99_s = 0.002 + 0.02 * tps / capacity
    found = search(capacity)
    verdict = {"sustained": rate <= capacity, "why": ""} if rate else None
    if found:
        verdict = {"sustained": None, "why": "no rate held"}
    return {
        "run": {"wall_time_unix_s": time.time(), "options": {"given": {}, "effective": {}}},
        "environment": {
            "server.driver": "mysql",
            "server.variable.version": os.environ.get("FAKE_VERSION", "10.11"),
            "server.variable.datadir": os.environ.get("FAKE_DATADIR", "/data"),
            "host.name": "here",
        },
        "summary": {
            "transactions": int(tps),
            "transactions_per_s": tps,
            "interval_s": 1.0,
            "latency": {"p99_s": p99_s},
            **({"find": found} if found else {}),
            "rate": {"target_per_s": rate, "offered": int(rate), "response_p99_s": p99_s}
            if rate
            else None,
            "server": process,
            "client": process,
            "host": {"cpu_user_pct": busy + 4, "cpu_system_pct": 0.0, "cpu_stolen_pct": 0.0},
        },
        "verdict": verdict,
        "end": {"status": "completed"},
        "commands": json.loads(os.environ.get("FAKE_COMMANDS", "[]")),
    }


def member() -> int:
    """A rank that does nothing, for as long as the leader wants it to."""
    if os.environ.get("FAKE_RANK_FAIL"):
        print("FATAL: " + os.environ["FAKE_RANK_FAIL"])
        return 1
    if value("raw-log"):
        with open("%s.rank%s" % (value("raw-log"), value("cluster-rank")), "wb") as f:
            f.write(RAW)
    host, _, port = value("cluster").rpartition(":")
    for _ in range(600):
        with contextlib.suppress(ConnectionRefusedError):
            with socket.create_connection((host, int(port))) as s:
                s.sendall(os.environ["SYSBENCH_CLUSTER_SECRET"].encode())
                if s.recv(3) == b"end":
                    return 0
            print("FATAL: the leader was lost")
            return 1
        time.sleep(0.1)
    print("FATAL: there is no leader")
    return 1


@contextlib.contextmanager
def members() -> Iterator[None]:
    """All others have come, with our secret; they are told of the end."""
    port = int(value("cluster").rpartition(":")[2])
    secret = os.environ["SYSBENCH_CLUSTER_SECRET"].encode()
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", port)))
        found = [listener.accept()[0] for _ in range(int(value("cluster-size")) - 1)]
        for s in found:
            stack.enter_context(s)
            assert s.recv(len(secret)) == secret
        yield
        for s in found:
            s.sendall(b"end")


def main() -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also as a background job, as ours
    if any(a.startswith("--help=") for a in sys.argv):
        print("--options-read" if "FAKE_READS" in os.environ else "")
        return 0
    if "--version" in sys.argv:
        print("sysbench-fake 1.0")
        return 0
    if value("cluster-rank", "0") != "0":
        return member()
    with members() if value("cluster") else contextlib.nullcontext():
        return run()


def wait_at(place: str) -> None:
    """Where FAKE_WAIT says: the file FAKE_LOG.there appears; goes on when there is FAKE_LOG.go."""
    if place == os.environ.get("FAKE_WAIT"):
        log = os.environ["FAKE_LOG"]
        with open(log + ".there", "w"):
            while not os.path.exists(log + ".go"):
                time.sleep(0.02)


def runs_of(name: str, number: int) -> list[int]:
    """Those that the variable lists; without it this one is among them."""
    return [int(word) for word in os.environ.get(name, str(number)).split(",")]


def run() -> int:
    number = count_runs()
    asks = ASKS in sys.argv
    if not asks:
        wait_at("run %d" % number if sys.argv[-1] == "run" else sys.argv[-1])
    if value("options-read"):
        with open(value("options-read"), "w") as f:
            f.write(os.environ["FAKE_READS"])
    if sys.argv[-1] != "run":
        return 0
    if not asks and number in runs_of("FAKE_SLEEP_RUNS", number):
        time.sleep(float(os.environ.get("FAKE_SLEEP", 0)))
    if not asks and os.environ.get("FAKE_FAIL") and number in runs_of("FAKE_FAIL_RUNS", number):
        print("FATAL: " + os.environ["FAKE_FAIL"])
        return 1
    for path in [a[len("--report-file=json:") :] for a in sys.argv if "=json:" in a]:
        with open(path, "w") as f:
            json.dump(report(number), f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
