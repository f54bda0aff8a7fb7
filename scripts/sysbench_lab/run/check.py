# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab check: what this machine allows, and what would disturb a measurement.

    machine(root)          governor, clock, swap, permissions: from /proc and /sys below `root`
    load(root, 2)          what other processes use now, and which use most
    server(argv)           is the server there, does it take --threads connections; which counters
                           are n/a: a run of sysbench of one second says it, with its own reasons

Each finding is a Line: ok, note (it changes figures), or fails (a run as asked would not work),
what was found, what it means, and the command that fixs it.
"""

from __future__ import annotations

import glob
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from typing import NamedTuple, Sequence

from .. import content, paths, python
from ..plan import hosts
from ..plan.model import Settings, Tree, by
from ..results.figures import get
from ..results.results_dir import read_report
from . import client, disturbance
from .client import Ended, Surroundings

WIDTH = 100
RESERVE = 100  # files and threads besides those of the clients
BUSY_PCT = 15  # CPU that others may use; measure.disturbed_pct has the same default
LIMIT_S = 90
# None of the test's work: its options are known, and each client asks one thing.
SCRIPT = """\
pcall(%s, %s)
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
function thread_done() con:disconnect() end
"""
OURS = re.compile(  # options that the run of one second does without
    r"--(events|time|rate|tx-.*|think-time|percentile|histogram|report-.*|warmup-.*|raw-log|at|do"
    r"|mark-on|label|metrics-listen|server-profile.*|max-.*)(=.*)?$"
)
CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
CAPS = "sudo setcap cap_perfmon,cap_net_admin,cap_sys_ptrace+ep %s"
GRANTS = {
    "performance_schema is off": "start the server with performance_schema=ON",
    "SELECT on performance_schema": "GRANT SELECT ON performance_schema.* TO USER; GRANT PROCESS ON"
    " *.* TO USER",
    "PROCESS privilege": "GRANT PROCESS ON *.* TO USER",
    "pg_read_all_stats": "GRANT pg_read_all_stats TO ROLE",
}
NET_ADMIN, SYS_ADMIN, PERFMON = 12, 21, 38
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
CPUS = "sys/devices/system/cpu/"


class Line(NamedTuple):
    word: str  # ok, note, fails
    what: str
    means: str = ""
    fix: str = ""

    def text(self) -> str:
        """At most WIDTH columns wide, unless a word or a command is longer."""
        said = " ".join(": ".join(filter(None, (self.what, self.means))).split())
        lines = textwrap.wrap(said, WIDTH - 7, break_long_words=False, break_on_hyphens=False)
        lines += ["fix: " + self.fix] * bool(self.fix)
        return "%-6s %s" % (self.word, ("\n" + " " * 7).join(lines))


def found(good: bool, what: str, means: str = "", fix: str = "") -> Line:
    return Line("ok", what) if good else Line("note", what, means, fix)


# ---- the machine -------------------------------------------------------------------


def governor(root: str = "/") -> Line:
    """run says it, too."""
    name = content(os.path.join(root, CPUS + "cpu0/cpufreq/scaling_governor")).strip()
    means = "the clock follows the load, and with it CPU time per transaction"
    fix = "sudo cpupower frequency-set -g performance"
    what = "CPU governor " + (name or "n/a: this machine does not show it")
    return found(name in ("", "performance"), what, means, fix)


def machine(root: str = "/") -> list[Line]:
    def read(name: str) -> str:
        return content(os.path.join(root, name)).strip()

    lines = [governor(root)]
    for name, on in ((CPUS + "intel_pstate/no_turbo", "0"), (CPUS + "cpufreq/boost", "1")):
        if read(name):
            off = "1" if on == "0" else "0"
            means = "the clock depends on heat, and on how many CPUs are busy"
            fix = "echo %s | sudo tee /%s" % (off, name)
            is_on = read(name) == on
            lines.append(found(not is_on, "turbo is " + ("on" if is_on else "off"), means, fix))
            break
    if read(CPUS + "smt/active") == "1":
        means = "two threads share a core: above half of the CPUs, CPU time per transaction rises"
        lines.append(Line("note", "SMT is on", means, "echo off | sudo tee /%ssmt/control" % CPUS))
    clock = read(CLOCK)
    means = "each reading of the time is a system call, so latencies cost more and are coarser"
    fix = "echo tsc | sudo tee /" + CLOCK
    lines.append(found(clock in ("", *CLOCKS), "clock source " + (clock or "unknown"), means, fix))
    memory = dict(re.findall(r"^(Swap\w+): +(\d+)", read("proc/meminfo"), re.M))
    used = int(memory.get("SwapTotal", 0)) - int(memory.get("SwapFree", 0))
    means = "pages that come back from it stall whoever needs them"
    what = "swap in use: %d MiB" % (used // 1024)
    lines.append(found(used < 1024, what, means, "sudo swapoff -a && sudo swapon -a"))
    if re.search(r"^flags\b.*\bhypervisor\b", read("proc/cpuinfo"), re.M):
        means = "its host may take CPU time away (steal) and hide the PMU"
        lines.append(Line("note", "a virtual machine", means))
    quota = read("sys/fs/cgroup/cpu.max").split()
    if any(os.path.exists(os.path.join(root, f)) for f in (".dockerenv", "run/.containerenv")):
        lines.append(Line("note", "a container", "other containers use the same CPUs"))
    if quota and quota[0] != "max":
        means = "whoever uses it up waits: a CPU limit of the container"
        lines.append(Line("note", "CPU quota %s of %s us" % (*quota,), means))
    return lines + permissions(root)


def permissions(root: str) -> list[Line]:
    """For the counters that the kernel does not give to everybody."""
    caps = re.search(r"^CapEff:\s*(\w+)", content(os.path.join(root, "proc/self/status")), re.M)
    mask = int(caps[1], 16) if caps else 0

    def may(*bits: int) -> bool:
        return any(mask >> bit & 1 for bit in bits)

    level = content(os.path.join(root, "proc/sys/kernel/perf_event_paranoid")).strip()
    free = level.lstrip("-").isdigit() and int(level) < 1
    perf = "perf events (kernel.perf_event_paranoid=%s)" % (level or "unknown")
    means = "--server-events and --server-profile need CAP_PERFMON or a lower level"
    lines = [found(free or may(PERFMON, SYS_ADMIN), perf, means, CAPS % "$(which sysbench)")]
    means = "without CAP_NET_ADMIN context switches of threads that end are lost"
    return lines + [found(may(NET_ADMIN), "taskstats", means, CAPS % "$(which sysbench)")]


def limits(threads: int) -> list[Line]:
    """Files and threads that a process of this user may have; sysbench raises the soft limit."""
    lines = []
    for name, flag, kind in (("files", "n", "NOFILE"), ("threads", "u", "NPROC")):
        most = resource.getrlimit(getattr(resource, "RLIMIT_" + kind))[1]
        root = kind == "NPROC" and os.geteuid() == 0  # is not bound by it
        if most == resource.RLIM_INFINITY or most >= threads + RESERVE or root:
            lines.append(Line("ok", "ulimit -%s is enough for --threads=%d" % (flag, threads)))
            continue
        means = "%d clients need about as many open %s" % (threads, name)
        fix = "ulimit -H%s %d, as root or in /etc/security/limits.conf" % (flag, threads + RESERVE)
        lines.append(Line("fails", "ulimit -H%s is %d" % (flag, most), means, fix))
    return lines


def load(root: str = "/", seconds: float = 2) -> Line:
    """What other processes use, and the three that use most."""
    before, started = cpu_s(root), time.monotonic()
    busy = disturbance.busy_pct(root, seconds)
    took = time.monotonic() - started
    after = cpu_s(root)
    used = {p: (after[p][1] - s, n) for p, (n, s) in before.items() if p in after}
    most = sorted(used.items(), key=lambda item: -item[1][0])[:3]
    shares = ("%s (pid %d) %.0f %%" % (n, p, 100 * s / took) for p, (s, n) in most if s > 0)
    what = "CPU in use now: %s of all CPUs" % ("n/a" if busy is None else "%.0f %%" % busy)
    who = ", ".join(shares)
    means = "it takes CPU from what is measured" + ("; of one CPU: " + who if who else "")
    return found(busy is None or busy <= BUSY_PCT, what, means, "stop these processes, or wait")


def cpu_s(root: str) -> dict[int, tuple[str, float]]:
    """Name and CPU seconds of each process but this one."""
    times = {}
    for path in glob.glob(os.path.join(root, "proc/[0-9]*/stat")):
        known = re.match(r"(\d+) \((.*)\) (.*)", content(path), re.S)
        if known and int(known[1]) != os.getpid():
            fields = known[3].split()
            ticks = int(fields[11]) + int(fields[12])
            times[int(known[1])] = known[2], ticks / os.sysconf("SC_CLK_TCK")
    return times


# ---- sysbench and the server -------------------------------------------------------


def option(argv: Sequence[str], name: str, default: str) -> str:
    given = [a.partition("=")[2] for a in argv if a.partition("=")[0] == "--" + name]
    return given[-1] if given else default


def threads_of(argv: Sequence[str]) -> int:
    given = option(argv, "threads", "1")
    return int(given) if given.isdigit() else 1


def program() -> list[Line]:
    """What the sysbench that would run was built with."""
    path = paths.program()
    said = subprocess.run([path, "--version", "--verbose"], capture_output=True, text=True)
    drivers = re.findall(r"^driver: (.*)", said.stdout, re.M)
    without = re.findall(r"^(.*): no\b", said.stdout, re.M)
    package = re.search(r"^package: (.*)", said.stdout, re.M)
    name = package.group(1) if package else said.stdout.partition("\n")[0]
    lines = [Line("ok", "%s, %s" % (path, name))]
    lines += [Line("ok", "drivers: " + ", ".join(drivers))] * bool(drivers)
    means, fix = "tests of a database cannot run", "build it with libmariadb"
    lines += [Line("fails", "no database driver", means, fix)] * (not drivers)
    means = "what needs them is not available"
    return lines + [Line("note", "built without " + ", ".join(without), means)] * bool(without)


# What is missing without a package of python.PACKAGES.
WITHOUT = {
    "numpy": "pictures", "matplotlib": "pictures", "jinja2": "page", "rich": "progress bar",
    "tomli": "experiments from files",
}  # fmt: skip


def laboratory() -> Line:
    """The Python that runs this, and what it lacks."""
    lacks = python.own()
    what = "laboratory: Python %s, %s" % (sys.version.split()[0], sys.executable)
    missing = " and no ".join(dict.fromkeys(WITHOUT[name] for name in lacks))
    means = "without %s: no %s" % (", ".join(lacks), missing)
    return found(not lacks, what, means, python.remedy(paths.in_tree()) if lacks else "")


def ask(
    settings: Settings, test: str, options: Sequence[str], directory: str | None = None
) -> tuple[Ended, Tree]:
    """Run the script above, for the options of a test: how that ended, and its report."""
    around = Surroundings.of({k: x for k, x in settings.items() if k != hosts.LAUNCHER})
    with tempfile.TemporaryDirectory(prefix="server-", dir=directory) as d:
        script, report, output = (os.path.join(d, n) for n in ("check.lua", "report.json", "out"))
        how = "dofile" if os.path.exists(test) else "require"
        name = os.path.abspath(test) if how == "dofile" else test or "oltp_common"
        with open(script, "w", encoding="utf-8") as f:
            f.write(SCRIPT % (how, json.dumps(name)))
        argv = client.start_of_line(settings, script, *options, "--report-environment")
        ended = client.run([*argv, "--report-file=json:" + report, "run"], around, output, LIMIT_S)
        return ended, read_report(d) or {}


def trial(argv: Sequence[str], threads: int) -> tuple[str, Tree]:
    """Connects so many clients for a second: why that fails, or "", and the report."""
    test = argv[0] if argv and not argv[0].startswith("-") else ""
    words = [a for a in argv if a.startswith("-") and not OURS.match(a)]
    words += [o for o in ("--server=auto", "--server-events=default")
              if not option(words, o[2:].partition("=")[0], "")]  # fmt: skip
    words += ["--threads=%d" % threads, "--time=1", "--host-stats", "--server-status"]
    ended, report = ask({}, test, words)
    if ended.late_s:
        return "no answer within %d s" % LIMIT_S, {}
    hint = re.search(r"^Hint: .*", ended.output, re.M)
    why = "" if ended.status == 0 else client.complaint(ended.output) or "no output"
    return why + ("; " + hint[0] if why and hint else ""), report


def server(argv: Sequence[str]) -> list[Line]:
    threads = threads_of(argv)
    why, report = trial(argv, threads)
    if why and threads > 1:
        alone, report = trial(argv, 1)
        if not alone:
            known = report.get("environment") or {}
            most = known.get("server.variable.max_connections") or "not known"
            means = "%s; max_connections is %s" % (why, most)
            pgsql = known.get("server.variable.server_version")
            fix = "ALTER SYSTEM SET %s, and restart the server" if pgsql else "SET GLOBAL %s"
            fix %= "max_connections = %d" % (threads + 10)
            return [*facts(report), Line("fails", "%d connections" % threads, means, fix)]
        why = alone
    if why:
        return [Line("fails", "a connection with these options", why)]
    return [*facts(report), Line("ok", "connections for --threads=%d" % threads), *counters(report)]


def facts(report: Tree) -> list[Line]:
    """What the server is, and where."""
    known, summary = report.get("environment") or {}, report.get("summary") or {}
    pgsql = known.get("server.variable.server_version")
    version = "PostgreSQL %s" % pgsql if pgsql else known.get("server.variable.version")
    lines = [Line("ok", "the server answers, version %s" % (version or "not known"))]
    if summary.get("server"):
        what = known.get("server.process") or summary["server"].get("name", "")
        return [*lines, Line("ok", "its process is on this machine: %s" % what)]
    means = get(summary, "missing", "server") or "sysbench does not see its process"
    fix = "--server=PID, or --server-via='ssh HOST' for another machine"
    return [*lines, Line("note", "no CPU figures of the server", means, fix)]


def counters(report: Tree) -> list[Line]:
    """Figures that are n/a although they were asked for, with the program's own reasons."""
    missing = get(report, "summary", "missing") or {}
    asked = re.compile(  # of the server's status, what takes a privilege
        r"server(_events|_statements)?\b|host\.(?!power|energy)|"
        r"server_status\.(other_sessions_active|waits)$"
    )
    given = (n for n, why in missing.items() if asked.match(n) and "not asked for" not in why)
    lines = []
    for why, names in by(given, missing.__getitem__).items():
        short = dict.fromkeys(re.sub(r"_(per_transaction|counted_pct)$", "", n) for n in names)
        figures = [(n.partition(".")[2] or n).replace("_", " ") for n in short]
        rest = " and %d more" % (len(figures) - 3) if len(figures) > 3 else ""
        granted = (fix for word, fix in GRANTS.items() if word in why)
        fix = CAPS % paths.program() if "CAP_" in why else next(granted, "")
        lines.append(Line("note", "n/a: " + ", ".join(figures[:3]) + rest, why, fix))
    return lines


def check(argv: Sequence[str]) -> list[Line]:
    return [*machine(), *limits(threads_of(argv)), load(), laboratory(), *program(), *server(argv)]
