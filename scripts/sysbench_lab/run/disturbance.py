# SPDX-License-Identifier: GPL-2.0-or-later
"""What else happened on the machine during a run, and the power that it took.

    watch = Watch(pid of the server); watch.tick() a few times a second; watch.figures(report)

    others_cpu_pct   CPU time of all but server and load generator, in % of all CPUs
    steal_pct        CPU time that the hypervisor gave to others
    throttled        times that a CPU quota of a cgroup, or heat, stopped the server or us
    power_w          mean power of the processors (RAPL), or of the battery

    idle_power(10)   the power of the machine before any server runs (measure.idle), to subtract

CPU and steal are of the measured time exactly: the report has the machine's /proc/stat
(--host-stats) beside the CPU time of server and load generator over the same seconds.  Energy is
read every tick and interpolated to the measured time; throttling is that of the whole run.
A figure whose source is missing is None.  stats.disturbed() decides what is too much, and
slow_clock() whether the CPUs ran slower than in other runs of the cell.
"""

from __future__ import annotations

import glob
import os
import re
import statistics
import time
from typing import Any, NamedTuple, Sequence

from .. import content
from ..plan.model import Row, Tree
from ..results.figures import get

CLOCK = 0.9  # of the clock of other runs


class Power(NamedTuple):
    """A reading: joules since some beginning at a time of the wall clock."""

    unix_s: float
    joules: float


class Watch:
    """Looks at the machine while a run lasts."""

    def __init__(self, server: int | None, root: str = "/") -> None:
        self.root = root
        self.pids = [os.getpid()] + ([server] if server else [])
        self.source = EnergyMeter(root)
        self.readings: list[Power] = []
        self.before = self.throttles()
        self.tick()

    def tick(self) -> bool:
        """Read the energy; False, for the run is to go on."""
        if (joules := self.source.read()) is not None:
            self.readings.append(Power(time.time(), joules))
        return False

    def throttles(self) -> dict[str, int]:
        """Counters by file."""
        files = {f for pid in self.pids for f in quota_files(self.root, pid)}
        found = {f: counter(f, r"nr_throttled (\d+)$") for f in files}
        pattern = "sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count"
        for f in glob.glob(os.path.join(self.root, pattern)):
            found[f] = counter(f)
        return {f: n for f, n in found.items() if n is not None}

    def figures(self, report: Tree) -> dict[str, Any]:
        """The four figures of a run that has just ended."""
        self.tick()
        after = self.throttles()
        both = [after[f] - n for f, n in self.before.items() if f in after]
        # Begin and end of the measured time on the wall clock.
        names = ("wall_time_unix_s", "interval_s")
        end, length = (float(get(report, "summary", name) or 0) for name in names)
        return {
            "others_cpu_pct": others_pct(report),
            "steal_pct": get(report, "summary", "host", "cpu_stolen_pct"),
            "throttled": sum(both) if both else None,
            "power_w": power(self.readings, end - length, end),
        }


# ---- CPU -------------------------------------------------------------------------


def others_pct(report: Tree) -> float | None:
    """Busy time of the machine without that of server and load generator, all of its ranks here.

    None if the machine is another one than the server's, or the server's process is not known: its
    time would count as that of others.
    """
    remote = get(report, "run", "options", "given", "server-via")
    busy = cpu_pct(report, "host")
    client = cpu_pct(report, "client")
    # a test that talks to a database names its driver
    none = remote or not get(report, "environment", "server.driver")
    server = 0.0 if none else cpu_pct(report, "server")
    if busy is None or client is None or server is None:
        return None
    # Ranks of the load on the leader's machine: in network namespaces, or in containers, which have
    # names of their own but the leader's clock.
    ranks = get(report, "summary", "ranks") or []
    cpus = get(report, "run", "environment", "cpus_online")
    here = [r for r in ranks[1:] if shares_machine(r, ranks[0])]
    members = sum(r.get("cpu_pct") or 0.0 for r in here) / cpus if cpus else 0.0
    return max(0.0, busy - client - server - members)


def shares_machine(rank: Tree, leader: Tree) -> bool:
    same = get(rank, "clock", "same")
    return bool(rank.get("host") == leader.get("host") if same is None else same)


def cpu_pct(report: Tree, who: str) -> float | None:
    parts = [get(report, "summary", who, "cpu_%s_pct" % mode) for mode in ("user", "system")]
    return None if None in parts else float(sum(parts))


def busy_pct(root: str = "/", seconds: float = 1) -> float | None:
    """What the processes of this machine now use of its CPUs, in %; None if it does not say."""
    ticks = []
    for pause in (seconds, 0.0):
        head, *counts = content(os.path.join(root, "proc/stat")).partition("\n")[0].split() or [""]
        if head != "cpu" or len(counts) < 8:
            return None
        times = [int(n) for n in counts[:8]]  # guests' are in user's
        ticks.append((sum(times) - times[3] - times[4] - times[7], sum(times)))
        time.sleep(pause)
    (busy, of), (busy_then, of_then) = ticks
    return 100 * (busy_then - busy) / (of_then - of) if of_then > of else None


def slow_clock(row: Row, others: Sequence[Row]) -> str:
    """Why the clock of the CPUs disturbed a run; "" if it did not, or nothing is known.

    `others` are runs of the same cell: at another load a governor may well choose another clock.
    """
    known = [float(r["cpu_mhz"]) for r in others if r.get("cpu_mhz")]
    mhz = row.get("cpu_mhz")
    if not known or not mhz or mhz >= CLOCK * statistics.median(known):
        return ""
    ran = mhz, statistics.median(known)
    return "the CPUs ran at %.0f MHz, in other runs of the cell at %.0f" % ran


# ---- throttling ------------------------------------------------------------------


def quota_files(root: str, pid: int) -> list[str]:
    """cpu.stat of the cgroups that a process is in, of both versions, up to the root."""
    found = []
    for line in content(os.path.join(root, "proc/%d/cgroup" % pid)).splitlines():
        _, controllers, path = line.split(":", 2)
        base = "sys/fs/cgroup" + ("/" + controllers if controllers else "")
        while controllers == "" or "cpu" in controllers.split(","):
            name = os.path.join(root, base, path.lstrip("/"), "cpu.stat")
            found += [name] if os.path.exists(name) else []
            if path in ("", "/"):
                break
            path = os.path.dirname(path)
    return found


def counter(path: str, pattern: str = r"(\d+)$") -> int | None:
    found = (re.match(pattern, line) for line in content(path).splitlines())
    return next((int(m[1]) for m in found if m), None)


# ---- power -----------------------------------------------------------------------


class EnergyMeter:
    """Joules of the processor packages, else of the battery; each counter may wrap."""

    def __init__(self, root: str) -> None:
        zones = glob.glob(os.path.join(root, "sys/class/powercap/intel-rapl:*"))
        self.zones = [z for z in sorted(zones) if re.search(r"intel-rapl:\d+$", z)]
        self.last: dict[str, int] = {}
        self.microjoules = 0
        batteries = glob.glob(os.path.join(root, "sys/class/power_supply/BAT*"))
        readable = any(content(os.path.join(z, "energy_uj")) for z in self.zones)
        self.batteries = [] if readable else sorted(batteries)
        self.drawn: Power | None = None  # of the battery: when, and joules until then

    def read(self) -> float | None:
        if self.batteries:
            # The power that they say they give now, summed over time; None when they are charged.
            watts, unix_s = sum(battery_w(b) for b in self.batteries), time.time()
            if not watts:
                return None
            last = self.drawn or Power(unix_s, 0)
            self.drawn = Power(unix_s, last.joules + watts * (unix_s - last.unix_s))
            return self.drawn.joules
        seen = False
        for zone in self.zones:
            if (now := counter(os.path.join(zone, "energy_uj"))) is not None:
                before = self.last.get(zone, now)
                size = counter(os.path.join(zone, "max_energy_range_uj")) or 0
                self.microjoules += now - before + (size if now < before else 0)
                self.last[zone], seen = now, True
        return self.microjoules / 1e6 if seen else None


def idle_power(seconds: float, root: str = "/") -> float | None:
    """Watts of the machine while nothing of the experiment runs; None without a meter."""
    watch = Watch(None, root)
    begin = time.time()
    while watch.readings and time.time() < begin + seconds:
        time.sleep(min(0.2, seconds))
        watch.tick()
    ends = watch.readings[:1] + watch.readings[-1:]
    return power(ends, ends[0].unix_s, ends[1].unix_s) if ends else None


def battery_w(directory: str) -> float:
    if content(os.path.join(directory, "status")).strip() != "Discharging":
        return 0
    if (microwatts := counter(os.path.join(directory, "power_now"))) is not None:
        return microwatts / 1e6
    amperes = counter(os.path.join(directory, "current_now")) or 0
    volts = counter(os.path.join(directory, "voltage_now")) or 0
    return amperes / 1e6 * volts / 1e6


def power(readings: Sequence[Power], begin_s: float, end_s: float) -> float | None:
    """Mean watts between two times, by linear interpolation; None if the readings end before."""
    begin, end = joules_at(readings, begin_s), joules_at(readings, end_s)
    if begin is None or end is None or end_s <= begin_s:
        return None
    return (end - begin) / (end_s - begin_s)


def joules_at(readings: Sequence[Power], unix_s: float) -> float | None:
    for a, b in zip(readings, readings[1:]):
        if a.unix_s <= unix_s <= b.unix_s and b.unix_s > a.unix_s:
            share = (unix_s - a.unix_s) / (b.unix_s - a.unix_s)
            return a.joules + share * (b.joules - a.joules)
    return None
