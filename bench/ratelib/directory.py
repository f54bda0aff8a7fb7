# SPDX-License-Identifier: GPL-2.0-or-later
"""The results directory of a sitting: its records, and what it was measured on."""

from __future__ import annotations

import json
import os
import platform

from sysbench_lab import owned

from .types import Figures, Record, Records


def connections(socket_path: str) -> int:
    """Accepted connections of a unix socket, as the kernel lists them."""
    with open("/proc/net/unix") as f:
        return sum(
            1 for line in f if line.rstrip().endswith(" " + socket_path) and line.split()[5] == "03"
        )


def cpu_model() -> str:
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith(("model name", "Model")):
                return line.partition(":")[2].strip()
    return platform.machine()


def brief(record: Record) -> str:
    """A run in a few words, for who watches."""
    f, n = record["figures"], record["noise"]
    parts = [] if f["exit"] == 0 else ["exit %s" % f["exit"]]
    for key, form in (
        ("achieved_pct", "%.3f %% of the target"),
        ("per_sec", "%.1f/s"),
        ("lag_p99", "lag p99 %.3f ms"),
        ("lag_max", "lag max %.1f ms"),
        ("latency_max", "latency max %.1f ms"),
        ("ready_s", "ready in %.1f s"),
        ("cpu_us_tx", "%.1f us CPU/tx"),
    ):
        if f.get(key) is not None:
            parts.append(form % f[key])
    return ", ".join(parts + ["others %.0f %% steal %.0f %%" % (n["others_pct"], n["steal_pct"])])


def load(directory: str) -> Records:
    """The records of a results directory, in the order of running."""
    try:
        with open(os.path.join(directory, "runs.jsonl")) as f:
            return [json.loads(line) for line in f]
    except FileNotFoundError:
        return []


def load_machine(directory: str) -> Figures:
    with open(os.path.join(directory, "machine.json")) as f:
        return json.load(f)


def remove_empty(directory: str) -> None:
    """A directory in which nothing was measured tells nothing."""
    if not load(directory):
        owned.remove(directory, anyway=True)
