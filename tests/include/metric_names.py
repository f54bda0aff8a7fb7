# SPDX-License-Identifier: GPL-2.0-or-later
"""Which figure of the json files is which sample of the metrics, written down a second time, and
how a sample reads.

Nothing here uses code of the program; docs/figures.md describes both.
"""

from __future__ import annotations

import re

# what follows from other metrics, or is a percentile
DERIVED = re.compile(
    r"(transactions_per_s|queries_per_s|transactions|reads|writes|other|failed|errors|reconnects|connection_errors"
    r"|(read|written)_bytes|threads_latency_sum_s"
    r"|(server|client)_(interval_s|transactions|cpu_s|cpu_s_per_transaction|switches_per_transaction)"
    r"|server_cpu_before_pct|host_interval_s|host_\w+_per_transaction|host_\w+_mean(_bytes)?|rate_(offered|done|failed|dropped|lost|late|unfinished)|latency_.*"
    r"|rate_(response|service|lag)_.*|server_events_.*_per_transaction"
    r"|server_events_transactions_per_billion_cycles)$"
)
SINCE = {
    "total_transactions": "transactions",
    "total_reads": "queries type=read",
    "total_writes": "queries type=write",
    "total_other": "queries type=other",
    "total_failed": "failed_transactions",
    "total_errors": "errors",
    "total_reconnects": "reconnects",
    "total_read_bytes": "read_bytes",
    "total_written_bytes": "written_bytes",
    "rate_total_offered": "offered_transactions",
    "rate_total_late": "late_transactions",
    "rate_total_done": "scheduled_transactions outcome=done",
    "rate_total_failed": "scheduled_transactions outcome=failed",
    "rate_total_dropped": "scheduled_transactions outcome=dropped",
    "rate_total_lost": "scheduled_transactions outcome=lost",
}
GROWS = {
    "status_other_statements": "other_statements",
    "cpu_user_s": "cpu_seconds mode=user",
    "cpu_system_s": "cpu_seconds mode=system",
    "voluntary_switches": "context_switches type=voluntary",
    "involuntary_switches": "context_switches type=involuntary",
    "minor_faults": "page_faults type=minor",
    "major_faults": "page_faults type=major",
    "storage_read_bytes": "storage_read_bytes",
    "storage_written_bytes": "storage_written_bytes",
    "run_queue_wait_s": "run_queue_wait_seconds",
}
HOST_GROWS = {
    "swapped_in_bytes_per_s": "swap_bytes direction=in",
    "swapped_out_bytes_per_s": "swap_bytes direction=out",
    "blocks_in_bytes_per_s": "paged_bytes direction=in",
    "blocks_out_bytes_per_s": "paged_bytes direction=out",
    "interrupts_per_s": "interrupts",
    "context_switches_per_s": "context_switches",
    "power_cpu_w": "energy_joules resource=cpu",
    "power_memory_w": "energy_joules resource=memory",
    "power_battery_w": "energy_joules resource=battery",
    "disk_read_bytes_per_s": "disk_read_bytes",
    "disk_written_bytes_per_s": "disk_written_bytes",
    "network_received_bytes_per_s": "network_received_bytes",
    "network_sent_bytes_per_s": "network_sent_bytes",
}
LEVELS = {
    "wall_time_unix_s": "last_report_timestamp_seconds",
    "elapsed_s": "elapsed_seconds",
    "interval_s": "interval_seconds",
    "threads_running": "threads_running",
    "connections_away": "connections_away",
    "clients_missing": "clients_missing",
    "rate_target_per_s": "target_transactions_per_second",
    "rate_oldest_s": "oldest_unfinished_seconds",
    "rate_waiting": "unfinished_transactions state=waiting",
    "rate_in_flight": "unfinished_transactions state=in_flight",
    "rate_withdrawn": "unfinished_transactions state=withdrawn",
    "threads_transactions_least": "thread_transactions_min",
    "threads_transactions_most": "thread_transactions_max",
    "host_cpu_stolen_pct": "host_cpu_ratio mode=steal",
    "host_threads_runnable": "host_threads state=runnable",
    "host_threads_blocked": "host_threads state=blocked",
    "host_cpu_frequency_hz": "host_cpu_frequency_hertz",
    "host_server_throttled_pct": "host_server_throttled_ratio",
    "client_throttled_pct": "client_throttled_ratio",
    "client_machine_others_pct": "client_machine_cpu_ratio mode=others",
    "client_machine_stolen_pct": "client_machine_cpu_ratio mode=stolen",
    "server_status_other_sessions": "server_other_sessions state=connected",
    "server_status_other_sessions_active": "server_other_sessions state=active",
    "server_status_lock_waited_s": "server_lock_waited_seconds",
    "server_status_lock_waited_for_others_s": "server_lock_waited_for_others_seconds",
    "server_events_ipc": "server_instructions_per_cycle",
    "server_events_branch_miss_pct": "server_branch_miss_ratio",
}
PATTERNS = [
    (r"threads_(latency_\w+)_s", r"\1_seconds"),
    (r"threads_(transactions_\w+)", r"thread_\1"),
    (r"threads_(execution_\w+)_s", r"thread_\1_seconds"),
    (r"(server|client)_rss_bytes", r"\1_resident_memory_bytes"),
    (r"(server|client|host)_cpu_(\w+)_pct", r"\1_cpu_ratio mode=\2"),
    (r"(server|client)_(threads|processes)", r"\1_\2"),
    (r"host_memory_(\w+)_bytes", r"host_memory_bytes state=\1"),
    (r"host_stalled_(\w+)_pct", r"host_pressure_ratio resource=\1"),
    (r"host_(\w+)", r"host_\1"),
    (r"server_events_(\w+_per_instruction)", r"server_\1"),
    (r"server_events_(.*)_counted_pct", r"server_event_counted_ratio event=\1"),
]


def metric_kind(name: str) -> tuple[str, str] | None:
    """("level", "since", "grows" or "per_s"; the sample) of a figure; None when it has none."""
    process, _, rest = name.partition("_")
    if name in SINCE:
        return "since", SINCE[name]
    if DERIVED.match(name):
        return None
    if name in LEVELS:
        return "level", LEVELS[name]
    if process in ("server", "client") and rest in GROWS:
        return "grows", "%s_%s" % (process, GROWS[rest])
    if process == "host" and rest in HOST_GROWS:
        return "per_s", "host_" + HOST_GROWS[rest]
    if name in ("host_server_throttled_periods", "client_throttled_periods"):
        return "grows", name
    for pattern, sample in PATTERNS:
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
