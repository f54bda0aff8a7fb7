# SPDX-License-Identifier: GPL-2.0-or-later
"""Which figure of the json files is which sample of the metrics, written down a second time, and
how a sample reads.

Nothing here uses code of the program; docs/figures.md describes both.
"""

from __future__ import annotations

import os
import re

# what follows from other metrics, or is a percentile
DERIVED = re.compile(
    r"(transactions_per_s|queries_per_s|transactions|reads|writes|other|failed|errors|reconnects|connection_errors"
    r"|(read|written)_bytes|threads_latency_sum_s"
    r"|(server|client)_(interval_s|transactions|cpu_s|((own|other)_)?cpu_s_per_transaction|switches_per_transaction)"
    r"|server_cpu_before_pct|host_interval_s|host_\w+_per_transaction|host_\w+_mean(_bytes)?|rate_(offered|done|failed|dropped|lost|late|unfinished)|latency_.*"
    r"|rate_(response|service|lag)_.*|server_events_.*_per_transaction"
    r"|server_events_transactions_per_billion_cycles|host_(data|log)_disk"
    r"|server_status_(waits|lock_blockers?|on_cpu_of|wait_samples(_pct)?|\w+_us_per_transaction))$"
)
ROWS: dict[str, dict[str, str]] = {}
with open(
    os.path.join(os.path.dirname(os.path.realpath(__file__)), "../data/metric_names.txt")
) as _f:
    for _line in _f.read().splitlines():
        if not _line.startswith("#"):
            _kind, _figure, _sample = _line.split(None, 2)
            ROWS.setdefault(_kind, {})[_figure] = _sample


def metric_kind(name: str) -> tuple[str, str] | None:
    """("level", "since", "grows" or "per_s"; the sample) of a figure; None when it has none."""
    process, _, rest = name.partition("_")
    if name in ROWS["since"]:
        return "since", ROWS["since"][name]
    if DERIVED.match(name):
        return None
    if name in ROWS["level"]:
        return "level", ROWS["level"][name]
    if process in ("server", "client") and rest in ROWS["process"]:
        return "grows", "%s_%s" % (process, ROWS["process"][rest])
    if process == "host" and rest in ROWS["host"]:
        return "per_s", "host_" + ROWS["host"][rest]
    if name in ("host_server_throttled_periods", "client_throttled_periods"):
        return "grows", name
    for pattern, sample in ROWS["pattern"].items():
        if re.fullmatch(pattern, name):
            return "level", re.sub(pattern, sample, name)
    if name.startswith("server_events_"):
        return "grows", "server_events event=" + name[14:]
    if name.startswith("server_status_"):
        if name[14:] in ("Threads_running", "Threads_connected", "active", "numbackends"):
            return "level", "server_status_level variable=" + name[14:]
        return "grows", "server_status variable=" + name[14:]
    raise KeyError("no metric is known for " + name)


SAMPLE = re.compile(r'sysbench_(\w+)\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\} (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def parse_sample(line: str) -> tuple[str, dict[str, str], float] | None:
    """(name without sysbench_, {label: value}, value), or None."""
    m = SAMPLE.match(line)
    if not m:
        return None
    return m.group(1), {k: unescape(v) for k, v in LABEL.findall(m.group(2))}, float(m.group(3))
