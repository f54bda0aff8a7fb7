# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab check: what is said of machines that are trees of files, and of a real one."""

from __future__ import annotations

import pathlib

import pytest

from sysbench_lab import main
from sysbench_lab.run import check
from sysbench_lab.testdata.runner_cases import needs_sysbench

CPUS = "sys/devices/system/cpu/"
CALM = {
    CPUS + "cpu0/cpufreq/scaling_governor": "performance\n",
    CPUS + "intel_pstate/no_turbo": "1\n",
    CPUS + "smt/active": "0\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "proc/meminfo": "MemTotal: 9 kB\nSwapTotal:  4096 kB\nSwapFree:  4096 kB\n",
    "proc/cpuinfo": "flags : fpu tsc\n",
    "proc/self/status": "CapEff:\t0000000000000000\n",
    "proc/sys/kernel/perf_event_paranoid": "-1\n",
}
BUSY = {
    CPUS + "cpu0/cpufreq/scaling_governor": "powersave\n",
    CPUS + "intel_pstate/no_turbo": "0\n",
    CPUS + "smt/active": "1\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
    "proc/meminfo": "SwapTotal:  8192 kB\nSwapFree:  4096 kB\n",
    "proc/cpuinfo": "flags : fpu tsc hypervisor\n",
    "proc/sys/kernel/perf_event_paranoid": "2\n",
    "sys/fs/cgroup/cpu.max": "50000 100000\n",
    ".dockerenv": "",
}


def tree(root: pathlib.Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return str(root)


def test_a_calm_machine(tmp_path: pathlib.Path) -> None:
    notes = [line for line in check.machine(tree(tmp_path, CALM)) if line.word != "ok"]
    assert [line.what for line in notes] == ["taskstats"]


def test_a_machine_that_disturbs(tmp_path: pathlib.Path) -> None:
    lines = check.machine(tree(tmp_path, {**CALM, **BUSY}))
    assert [line.what for line in lines if line.word == "note"] == [
        "CPU governor powersave", "turbo is on", "SMT is on", "clock source hpet",
        "swap in use: 4 MiB", "a virtual machine", "a container", "CPU quota 50000 of 100000 us",
        "perf events (kernel.perf_event_paranoid=2)", "taskstats",
    ]  # fmt: skip
    text = "\n".join(line.text() for line in lines)
    assert max(map(len, text.splitlines())) <= 100
    assert "fix: sudo cpupower frequency-set -g performance" in text


def test_capabilities_open_what_the_level_closes(tmp_path: pathlib.Path) -> None:
    caps = {"proc/self/status": "CapEff:\t0000004000001000\n"}  # PERFMON and NET_ADMIN
    assert {line.word for line in check.permissions(tree(tmp_path, {**BUSY, **caps}))} == {"ok"}


def test_others_that_use_the_cpu(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = "proc/%d/stat"
    fields = " S" + " 0" * 10 + " %d 0"
    root = tree(
        tmp_path,
        {stat % 7: "7 (a (b) c)" + fields % 0, stat % 8: "8 (idle)" + fields % 5},
    )  # fmt: skip

    def busy_pct(*_: object) -> float:
        tree(tmp_path, {stat % 7: "7 (a (b) c)" + fields % 100})
        return 75

    monkeypatch.setattr(check.disturbance, "busy_pct", busy_pct)
    line = check.load(root)
    assert (line.word, line.what) == ("note", "CPU in use now: 75 % of all CPUs")
    assert "a (b) c (pid 7)" in line.means and "idle" not in line.means


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check.resource, "getrlimit", lambda kind: (1024, 1024))
    monkeypatch.setattr(check.os, "geteuid", lambda: 1000)
    assert [line.word for line in check.limits(16)] == ["ok", "ok"]
    assert [line.what for line in check.limits(2000)] == [
        "ulimit -Hn is 1024", "ulimit -Hu is 1024"
    ]  # fmt: skip


def test_more_connections_than_the_server_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, dict[str, str]] = {"environment": {}, "summary": {}}
    known["environment"]["server.variable.max_connections"] = "151"
    monkeypatch.setattr(
        check, "trial", lambda argv, n: ("error 1040", {}) if n > 1 else ("", known)
    )
    last = check.server(["oltp_read_only", "--threads=300"])[-1]
    assert last.word == "fails" and "max_connections is 151" in last.means
    assert last.fix == "SET GLOBAL max_connections = 310"
    known["environment"]["server.variable.server_version"] = "15.18"
    first, *_, last = check.server(["oltp_read_only", "--threads=300"])
    assert first.what == "the server answers, version PostgreSQL 15.18"
    assert last.fix == "ALTER SYSTEM SET max_connections = 310, and restart the server"


def test_counters_that_are_missing_have_the_programs_reasons() -> None:
    missing = {
        "server.voluntary_switches": "taskstats needs CAP_NET_ADMIN",
        "server_events.cycles:u": "no PMU", "server_events.cycles:u_per_transaction": "no PMU",
        "host.power_cpu_w": "no RAPL", "server_status": "not asked for",
        "server_status.waits": "it takes the PROCESS privilege",
        "server_status.sessions_cpu_s": "it takes the PROCESS privilege",
        "server_status.other_sessions_active": "that takes pg_read_all_stats",
        "server_statements": "it takes CREATE EXTENSION pg_stat_statements",
    }  # fmt: skip
    lines = check.counters({"summary": {"missing": missing}})
    assert [(line.what, line.means) for line in lines] == [
        ("n/a: voluntary switches", "taskstats needs CAP_NET_ADMIN"), ("n/a: cycles:u", "no PMU"),
        ("n/a: waits", "it takes the PROCESS privilege"),
        ("n/a: other sessions active", "that takes pg_read_all_stats"),
        ("n/a: server statements", "it takes CREATE EXTENSION pg_stat_statements"),
    ]  # fmt: skip
    assert lines[0].fix.startswith("sudo setcap")
    grants = ["GRANT PROCESS ON *.* TO USER", "GRANT pg_read_all_stats TO ROLE"]
    assert [line.fix for line in lines[2:4]] == grants


@needs_sysbench
def test_a_server_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["check", "oltp_read_only", "--mysql-socket=/none", "--table-size=9"]) == 1
    out = capsys.readouterr().out
    assert "fails  a connection with these options" in out and "/none" in out
    assert "check.lua" not in out
