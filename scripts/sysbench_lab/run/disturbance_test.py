# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of disturbance.py: its arithmetic; its readers of /sys and /proc, on directories made
here."""

from __future__ import annotations

import itertools
import os
import pathlib
from typing import Any

import pytest

from sysbench_lab.run import disturbance
from sysbench_lab.run.disturbance import EnergyMeter, Watch, busy_pct


def process(usr: float, sys: float) -> dict[str, float]:
    return {"cpu_user_pct": usr, "cpu_system_pct": sys}


def report(server: Any, host: Any, driver: str = "mysql", via: str = "") -> dict[str, Any]:
    return {
        "run": {"options": {"given": {"server-via": via} if via else {}}},
        "environment": {"server.driver": driver},
        "summary": {"server": server, "client": process(3, 2), "host": host},
    }


def test_how_busy_the_machine_is(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 ticks: 90 user, 10 system, 20 idle, 60 waiting for a disk, 20 stolen."""
    assert busy_pct(str(tmp_path)) is None
    stat = tmp_path / "proc" / "stat"
    stat.parent.mkdir()
    stat.write_text("cpu  1000 0 500 7000 300 0 0 70 5 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n")
    later = "cpu  1090 0 510 7020 360 0 0 90 6 0\n"
    monkeypatch.setattr(disturbance.time, "sleep", lambda s: s and stat.write_text(later))
    assert busy_pct(str(tmp_path)) == 50


def test_ranks_of_the_same_machine_are_no_others() -> None:
    """50 % of one of 2 CPUs is 25 % of the machine; a rank elsewhere uses another machine."""
    found = report(process(20, 10), process(60, 15))
    found["run"]["environment"] = {"cpus_online": 2}
    ranks = [{"host": "a", "cpu_pct": 10}, {"host": "a", "cpu_pct": 50}]
    found["summary"]["ranks"] = [*ranks, {"host": "b", "cpu_pct": 80}, {"host": "a"}]
    assert disturbance.others_pct(found) == 75 - 30 - 5 - 25


def write(root: pathlib.Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_rapl_adds_packages_and_survives_a_wrap(tmp_path: pathlib.Path) -> None:
    for zone, now in (("intel-rapl:0", 900), ("intel-rapl:1", 100), ("intel-rapl:0:0", 5)):
        write(tmp_path, "sys/class/powercap/%s/energy_uj" % zone, str(now * 1000000))
        write(tmp_path, "sys/class/powercap/%s/max_energy_range_uj" % zone, "1000000000")
    meter = EnergyMeter(str(tmp_path))
    assert meter.read() == 0
    write(tmp_path, "sys/class/powercap/intel-rapl:0/energy_uj", "50000000")
    write(tmp_path, "sys/class/powercap/intel-rapl:1/energy_uj", "130000000")
    assert meter.read() == 150 + 30


def test_a_battery_that_is_charged_tells_nothing(tmp_path: pathlib.Path) -> None:
    write(tmp_path, "sys/class/power_supply/BAT0/status", "Charging")
    write(tmp_path, "sys/class/power_supply/BAT0/power_now", "12000000")
    assert EnergyMeter(str(tmp_path)).read() is None
    write(tmp_path, "sys/class/power_supply/BAT0/status", "Discharging")
    assert EnergyMeter(str(tmp_path)).read() == 0
    assert disturbance.battery_w(str(tmp_path / "sys/class/power_supply/BAT0")) == 12


def test_no_source_of_energy(tmp_path: pathlib.Path) -> None:
    assert EnergyMeter(str(tmp_path)).read() is None


def test_power_of_the_idle_machine(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1_800_000_000.0, 0.01)
    monkeypatch.setattr(disturbance.time, "time", lambda: next(clock))
    monkeypatch.setattr(disturbance.time, "sleep", lambda seconds: None)
    assert disturbance.idle_power(0.1, str(tmp_path)) is None  # at once: there is no meter
    write(tmp_path, "sys/class/power_supply/BAT0/status", "Discharging")
    write(tmp_path, "sys/class/power_supply/BAT0/power_now", "12000000")
    assert disturbance.idle_power(0.1, str(tmp_path)) == pytest.approx(12)


def test_throttling_counts_up_to_the_root_and_heat(tmp_path: pathlib.Path) -> None:
    write(tmp_path, "proc/%d/cgroup" % os.getpid(), "0::/user/lab")
    write(tmp_path, "proc/77/cgroup", "4:cpu,cpuacct:/db\n3:memory:/db")
    for name in ("user/lab", "user", "cpu,cpuacct/db"):
        write(tmp_path, "sys/fs/cgroup/%s/cpu.stat" % name, "nr_periods 9\nnr_throttled 5")
    heat = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    write(tmp_path, heat, "1")
    watch = Watch(77, str(tmp_path))
    assert watch.figures({})["throttled"] == 0
    write(tmp_path, "sys/fs/cgroup/user/cpu.stat", "nr_periods 9\nnr_throttled 7")
    write(tmp_path, "sys/fs/cgroup/cpu,cpuacct/db/cpu.stat", "nr_throttled 6")
    write(tmp_path, heat, "2")
    assert watch.figures({})["throttled"] == 2 + 1 + 1


def test_without_cgroups_throttling_is_unknown(tmp_path: pathlib.Path) -> None:
    assert Watch(None, str(tmp_path)).figures({})["throttled"] is None
