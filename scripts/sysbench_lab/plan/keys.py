# SPDX-License-Identifier: GPL-2.0-or-later
"""The keys of an experiment: the only list of them.

MEASURE, TOP and FIXED say which keys there are, what each takes and what it means.  experiment.py
checks files against them, flags.py makes flags and help of them, docs/lab.md shows them (a test
compares).  Besides these there are families of keys whose last part is the user's: options of
sysbench, options of the server, variables of the environment.
"""

import re
from typing import Any, NamedTuple

from .. import LabError
from ..servers.engines import OTHER_NAMES
from . import found_rate, hosts, mask
from . import values as v
from .model import EXCLUDED, ORDERS, RESTARTS, Measure, Settings, Value


class Key(NamedTuple):
    """`check` returns the value or raises ValueError."""

    check: v.Check
    meaning: str


TOP: dict[str, Key] = {
    "name": Key(v.line, "names the results directory; default: the file's name"),
    "title": Key(v.line, "one line for people; default: the name"),
    "question": Key(v.argument, "what the experiment is to answer"),
    "x": Key(
        v.line,
        "the setting on the horizontal axis; default: the first of connections,"
        " rate and size that varies",
    ),
}

# fmt: off
MEASURE: dict[str, Key] = {
    "time": Key(v.whole_seconds(1), "length of each run, without warm-up"),
    "repeats": Key(v.integer(1, 10000), "number of runs of each cell"),
    "until": Key(v.precision, "end earlier, when server CPU/tx of all comparisons is known so"
        " well, such as 5 %; p95 5 %: when the 95th percentile is"),
    "budget": Key(v.seconds, "begin no round that would not end within this time"),
    "order": Key(v.choice(*ORDERS), "blocks: variants side by side, in random order; shuffle: all"
        " cells so; abba: every second round backwards; written: as in the file"),
    "seed": Key(v.integer(0), "of the order and of the bootstrap"),
    "warmup": Key(v.whole_seconds(0), "time before each run that is not counted"),
    "warmup_steady": Key(v.flag,
        "end the warm-up when throughput is steady; warmup is the longest"),
    "restart": Key(v.choice(*RESTARTS), "start the server for each run, for each round, when its"
        " settings change, for each run of another cell, or never; auto: run if variants differ in"
        " its settings, else round"),
    "pause": Key(v.seconds, "time between runs"),
    "idle": Key(v.seconds, "time before the first run to measure the idle machine's power"),
    "disturbed_pct": Key(v.percent, "CPU that others may use, in % of all CPUs, before a run is"
        " disturbed"),
    "steal_pct": Key(v.percent, "CPU that the hypervisor may give to others, in % of all CPUs,"
        " before a run is disturbed"),
    "exclude_disturbed": Key(v.choice(*EXCLUDED), "what of a disturbed run does not count: all but"
        " the cost of a transaction (latency), all, or none"),
    "repeat_disturbed": Key(v.integer(0, 100), "number of times that a disturbed run is repeated"),
    "objective": Key(v.objective, "bounds for a search, such as p99<20ms"),
    "baseline": Key(v.line, "the arm to compare the others with; default: the first"),
}

# Settings whose whole name is fixed.
FIXED: dict[str, Key] = {
    "load.script": Key(v.line, "the test: a bundled script, a path, or a built-in test"),
    "load.threads": Key(v.integer(1), "number of connections"),
    "load.idle-connections": Key(v.integer(0), "number of further connections that do nothing"),
    "load.prepare": Key(v.flag, "false: take the tables as they are; default: true"),
    "load.settle": Key(v.settle, "seconds that each run may wait for a settled server before it"
        " begins, or false; default: 60, and false where load.prepare is"),
    "server.kind": Key(v.choice("private", "commands", "given"), "private: started for the"
        " experiment; commands: yours, by the commands below; given: yours, never changed"),
    "server.engine": Key(v.choice("mariadb", "mysql", "postgresql", other=OTHER_NAMES),
        "of a private server"),
    "server.program": Key(v.line, "binary of a private server; default: the system's"),
    "server.preload": Key(v.line, "library for LD_PRELOAD of a private server"),
    "server.cpus": Key(v.cpus, "CPUs of the server"),
    "server.prefix": Key(v.command, "command before a private server: ip netns exec far"),
    "server.via": Key(v.choice("socket", "tcp"), "how sysbench reaches a private server;"
        " default: socket"),
    "server.start": Key(v.line, "command that starts your server, with {options}"),
    "server.stop": Key(v.line, "command that stops your server"),
    "server.set": Key(v.line, "command that sets {option} to {value} while your server runs"),
    "server.check": Key(v.line, "command that prints the value of {option}"),
    "server.restore": Key(v.flag, "false: leave your server with the options of the last cell;"
        " default: true, as it was"),
    "client.program": Key(v.line, "sysbench to run; default: the one installed with sysbench-lab"),
    "client.cpus": Key(v.cpus, "CPUs of sysbench"),
    "client.prefix": Key(v.command, "command before sysbench: ip netns exec far"),
    "client.hosts": Key(hosts.check, "load hosts that share the load, the leader first"),
    "client.load_hosts": Key(v.integer(1), "take the first ones of client.hosts; default: all"),
    "client.cluster_port": Key(v.integer(1, 65535), "port at which the leader waits for the others;"
        " default: a free one"),
    "client.launcher": Key(v.command, "command that starts sysbench on its hosts: mpirun -n 2"),
}
# fmt: on

# The keys of [hooks].
MOMENTS = ("before", "before-run", "mid-run", "after-run", "after")

# Keys that may stand above all tables, as they concern the whole benchmark.
SHORTER = {k: "client." + k for k in ("hosts", "load_hosts", "launcher")}

# Families of settings: the rest of the name is the user's.
FAMILIES: dict[str, str] = {
    "load.": "an option of sysbench or of the test",
    "load.prepare.": "an option of the prepare command only",
    "server.option.": "an option of the server",
    "server.env.": "a variable of the server's environment",
    "client.env.": "a variable of sysbench's environment",
}

# Options of sysbench that experiments use most.
ASKED = ("load.tx-rate", "load.tables", "load.table-size", "load.workers")

# Options that the laboratory sets itself, and what decides their value.
OWNED = {
    "load.time": "measure.time",
    "load.warmup-time": "measure.warmup",
    "load.report-file": "the results directory",
    "load.max-time": "measure.time",
    "load.options-read": "the results directory",
    "load.cluster": "client.hosts",
    "load.cluster-rank": "client.hosts",
    "load.cluster-size": "client.hosts",
}


def lengthened(name: str) -> str:
    """The setting that a shorter key stands for; other names as they are."""
    return SHORTER.get(name.replace("-", "_"), name)


def family_of(name: str) -> str:
    """The longest family that a name belongs to; "" if none."""
    return max((f for f in FAMILIES if name.startswith(f) and name != f), key=len, default="")


def canonical(name: str) -> str:
    """One spelling for each setting: sysbench's options with dashes, all else with underscores."""
    name = lengthened(name)
    family = family_of(name)
    if family.endswith("env."):
        return name
    if family.startswith("load."):
        return family + name[len(family) :].replace("_", "-")
    return name.replace("-", "_")


def unknown(name: str) -> LabError:
    """The complaint about a name that no row and no family knows."""
    known = [*FIXED, *SHORTER, *("measure." + k for k in MEASURE), *ASKED]
    hint = v.near(name, known)
    if not hint and re.fullmatch(r"[a-z][\w-]*", name, re.A):  # without its family
        server = "server.option." + name.replace("-", "_")
        hint = "; did you mean %s?" % (server if "_" in name else "load.%s or %s" % (name, server))
    return LabError("there is no key '%s'%s" % (name, hint))


def checked(name: str, check: v.Check, value: Any, shown: Any) -> Any:
    """What the check makes of a value; LabError with its half of a sentence."""
    try:
        return check(value)
    except ValueError as e:
        raise LabError("%s %s, not %s" % (name, e, v.shown(shown))) from None


def check_setting(name: str, value: Any) -> tuple[str, Value]:
    """Canonical name and value of a setting (load, server, client), or LabError."""
    name = canonical(name)
    if name in OWNED:
        raise LabError("%s is decided by %s" % (name, OWNED[name]))
    row = FIXED.get(name)
    family = v.variable if family_of(name).endswith("env.") else v.setting
    if row is None and not family_of(name):
        raise unknown(name)
    above = next((k for k in FIXED if name.startswith(k + ".") and k + "." not in FAMILIES), "")
    if above:
        raise LabError("%s takes a value, not a table (%s)" % (above, name))
    if re.search(r"[\s=\0]", name) or not name.isprintable():
        raise LabError("%s has a character that no option and no variable has" % ascii(name))
    done: Value = checked(name, row.check if row else family, value, mask.value(name, value))
    if name == "load.script" and not done:
        raise LabError("load.script is empty; name a test, such as oltp_read_only")
    if name == found_rate.SETTING:
        if v.is_number(done) and float(str(done)) < 0:
            raise LabError("load.tx-rate takes a rate from 0 on, not %s" % v.shown(value))
        found_rate.wanted(done)
    return name, done


def check_measure(name: str, value: Any) -> tuple[str, Any]:
    """Field of model.Measure and its value, or LabError."""
    key = name.replace("-", "_")
    if key not in MEASURE:
        raise unknown("measure." + name)
    return field_of(key), checked("measure." + key, MEASURE[key].check, value, value)


def field_of(key: str) -> str:
    """The name of a key of [measure] in model.Measure: times have their unit there."""
    return key if hasattr(Measure, key) else key + "_s"


def part(settings: Settings, prefix: str) -> dict[str, Value]:
    """The settings whose names begin with a prefix, without it."""
    return {k[len(prefix) :]: x for k, x in settings.items() if k.startswith(prefix)}
