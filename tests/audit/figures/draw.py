# SPDX-License-Identifier: GPL-2.0-or-later
"""A command line drawn from a seed: the same seed gives the same one, whatever ran before it."""

import os
import random
from typing import Dict, List, NamedTuple, Sequence

LUA = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "lua")
FORMATS = ("txt", "csv", "summary.csv", "checkpoints.csv", "json", "jsonl", "hlog", "prom", "om")


class Run(NamedTuple):
    """What is to be run: `engine` is nothing, mariadb or postgresql; files are named
    DIRECTORY/run.*"""

    seed: int
    engine: str
    script: str
    args: List[str]
    env: Dict[str, str]
    interval: float  # 0: no interval reports
    checkpoints: List[float]
    warmup: float


def formats(run: Run) -> List[str]:
    """All that the run can write: a table of intervals needs intervals."""
    without = {"csv": not run.interval, "checkpoints.csv": not run.checkpoints}
    return [f for f in FORMATS if not without.get(f)]


def _pace(r: random.Random) -> List[str]:
    """With a rate, the schedule and what happens when it cannot be kept."""
    kind = r.choice(["none", "none", "tx", "tx", "tx", "stock"])
    if kind == "none":
        return []
    if kind == "stock":
        return ["--rate=%d" % r.choice([50, 300, 1500])]
    args = ["--tx-rate=%g" % r.choice([7.5, 80, 400, 1500, 6000])]
    if r.random() < 0.6:
        args.append("--tx-arrival=" + r.choice(["even", "poisson", "aligned"]))
    if r.random() < 0.3:
        args.append("--tx-jitter=%d" % r.choice([100, 5000, 200000]))
    limits = "--tx-burst=%d" % r.choice([1, 20]), "--tx-max-lag=%d" % r.choice([2, 50])
    limit = r.choice(["", "", *limits])
    if limit and "--tx-arrival=aligned" not in args:
        args.append(limit)
        args += r.choice([[], [], ["--tx-overload=drop"], ["--tx-overload=abort"]])
    if r.random() < 0.2:
        args.append("--tx-spin=50")
    return args


def _length(r: random.Random, rate: bool) -> List[str]:
    args = ["--time=%d" % r.choice([1, 2, 2, 3])]
    if r.random() < 0.4:
        args.append("--events=%d" % r.choice([1, 5, 40, 300, 2000]))
        if not rate and r.random() < 0.3:
            args[0] = "--time=0"
    return args


def _load(r: random.Random, engine: str, rate: bool) -> Dict[str, str]:
    if engine != "nothing":
        env = {
            "CLASH": r.choice(["0", "0", "5", "17"]),
            "BEGIN": r.choice(["0", "1"]),
            "MARK": r.choice(["0", "0", "40"]),
            "SLEEP": r.choice(["0", "0", "500"]),
            "FAIL_EACH": r.choice(["0", "0", "3"]),
            "WITHDRAW": r.choice(["0", "0", "4"]) if rate else "0",
        }
        if env["FAIL_EACH"] != "0" or env["WITHDRAW"] != "0":
            env["CLASH"] = "0"  # a loop of the script's own begins no event anew
        return env
    env = {
        "SLEEP": r.choice(["100", "1000", "20000"]),
        "SPREAD": r.choice(["0", "500", "9000"]),
        "RESTART": r.choice(["0", "0", "7"]),
        "MARK": r.choice(["0", "0", "30", "90"]),
        "WITHDRAW": r.choice(["0", "0", "0", "9"]),
        "FAIL": r.choice(["0"] * 6 + ["60"]),
    }
    if not rate:
        env["WITHDRAW"] = "0"
    if env["WITHDRAW"] != "0":
        env["RESTART"] = "0"
    return env


def draw(seed: int, engines: Sequence[str]) -> Run:
    """The run of that seed, on one of these engines."""
    r = random.Random("audit %d" % seed)
    engine = engines[seed % len(engines)]
    threads = r.choice([1, 2, 3, 8, 24])
    pace = _pace(r)
    args = ["--threads=%d" % threads] + pace + _length(r, bool(pace))
    if threads > 1 and r.random() < 0.4:
        args.append("--workers=%d" % r.choice([1, 2]))
        args += r.choice([[], ["--workers=lua-state=client"], ["--workers=lua-state=worker"]])
    warmup = r.choice([0, 0, 0, 1])
    if warmup:
        args.append("--warmup-time=%d" % warmup)
    interval = r.choice([0, 0.1, 0.25, 0.5, 1, 1, 0.7])
    checkpoints: List[int] = r.choice([[], [], [1], [1], [1, 2]])
    args += ["--report-interval=%g" % interval] if interval else []
    args += ["--report-checkpoints=" + ",".join(map(str, checkpoints))] if checkpoints else []
    percentile = r.choice(["", "0", "99", "50,99.9", "1,25,50,75,99.99,100", "95,50", "33.3"])
    if percentile:
        args.append("--percentile=" + percentile)
    if r.random() < 0.2:
        args.append("--think-time=" + r.choice(["2", "5:exp"]))
    if r.random() < 0.3:
        args.append("--label=env=audit,note=seed %d" % seed)
    if r.random() < 0.3:
        args.append("--compat=1.1")
    if engine != "nothing":
        args += ["--report-statements"] if r.random() < 0.7 else []
        ignored = {"mariadb": "mysql-ignore-errors=1062", "postgresql": "pgsql-ignore-errors=23505"}
        args.append("--" + ignored[engine])
    if engine == "nothing":
        args += r.choice([[], ["--server=off"]])
    else:
        args += r.choice([["--server=auto"], ["--server=auto"], ["--server=off"]])
    args.append("--rand-seed=%d" % (seed + 1))
    env = {"AUDIT_" + k: v for k, v in _load(r, engine, bool(pace)).items()}
    args += ["--host-stats"] if r.random() < 0.4 else []
    if engine != "nothing" and r.random() < 0.4:
        args.append("--server-syscalls=%d" % r.choice([1, 5, 100]))
    args += ["--server-waits=on"] if engine != "nothing" and r.random() < 0.5 else []
    script = os.path.join(LUA, "plain.lua" if engine == "nothing" else "sql.lua")
    return Run(seed, engine, script, args, env, interval, [float(c) for c in checkpoints], warmup)
