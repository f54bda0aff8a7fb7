# SPDX-License-Identifier: GPL-2.0-or-later
"""A warm-up that ends when the server is warm: a run of its own before the measured one.

    load.warmup of sysbench     1 s in the measured run: new connections, new statements
    this                        the same load before it, at most measure.warmup seconds

Each second of the run is a line of warmup.jsonl.  With a rate the throughput is what was asked for
from the first second on, so the mean latency tells; without one, the throughput.  The figure is
steady when the last WINDOW seconds have no trend: the mean of their second half is within a few
per cent of that of their first half (steady).
"""

import json
import os
from typing import Any, Sequence

from ..plan.model import Experiment, Log, Settings, Started
from ..target.target import Target
from . import client, ranks
from .client import Ended, Surroundings

WINDOW = 10  # seconds
# What the halves of a window may differ by: latency has the longer tail.
NEAR = {"transactions_per_s": 0.03, "mean_s": 0.10}
REST_S = 1.0  # warm-up within the measured run


def steady(values: Sequence[float], near: float, window: int = WINDOW) -> bool:
    """Do the last `window` values stand still?"""
    last = values[-window:]
    if len(last) < window:
        return False
    half = window // 2
    first, second = sum(last[:half]) / half, sum(last[half:]) / (window - half)
    return abs(second - first) <= near * max(abs(first), abs(second))


class Follower:
    """Reads the lines that a run appends to its jsonl file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.offset = 0
        self.intervals: list[dict[str, Any]] = []

    def read(self) -> None:
        try:
            with open(self.path, "rb") as f:
                f.seek(self.offset)
                text = f.read()
        except FileNotFoundError:
            return
        whole = text.rfind(b"\n") + 1
        self.offset += whole
        for line in text[:whole].splitlines():
            tree = json.loads(line)
            if tree.get("kind") == "interval":
                self.intervals.append(tree)

    def is_steady(self) -> bool:
        """For client.run: ends the run by returning True."""
        self.read()
        paced = any(i.get("rate") for i in self.intervals)
        name = "mean_s" if paced else "transactions_per_s"
        values = [i["latency"]["mean_s"] if paced else i[name] for i in self.intervals]
        return steady([v for v in values if v is not None], NEAR[name])


def warm_up(
    exp: Experiment,
    settings: Settings,
    target: Target,
    folder: str,
    around: Surroundings,
    started: Started,
    log: Log,
    joined: ranks.Joined = ranks.nobody,
) -> Ended:
    """Run until it is steady, at most measure.warmup_s seconds."""
    path = os.path.join(folder, "warmup.jsonl")
    argv = client.run_line(exp, settings, target, folder, (), exp.measure.warmup_s, 0)
    argv = [a for a in argv if not a.startswith("--report-file=")]
    argv[-1:] = ["--report-file=jsonl:" + path, "run"]
    limit = client.limit_s(settings, exp.measure.warmup_s, 0)
    output = os.path.join(folder, "warmup.txt")
    steady = Follower(path).is_steady
    ended = ranks.run(settings, argv, around, output, limit, started, steady, joined)
    log(client.shown(argv), ended.status, ended.seconds)
    return ended
