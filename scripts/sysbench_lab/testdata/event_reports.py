# SPDX-License-Identifier: GPL-2.0-or-later
"""Synthetic results of runs in which something happens: an outage, stages of the rate, a search.

    make(directory, "outage")     the server is away from 3.2 s to 5.0 s; all is well again at 7.4 s
    make(directory, "closed")     likewise, without a rate: nothing is offered, and nothing is late
    make(directory, "stages")     600:3s, 1200:4s, 0:1s, 2400:2s; the last one is not sustained
    make(directory, "change")     a mark at 5 s; the server's CPU then costs 25 % more
    make(directory, "workloads")  each workload costs twice what the one before it does; the second
    arm
                               gains most where the instruction cache misses most
    make(directory, "waits")      the second arm waits longer for the log, and stands still
    make(directory, "search")     six steps; 1,180/s held, 1,240/s did not

Each is an experiment of testing.py whose reports have these members too, as sysbench writes them.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any, Mapping, Sequence

from .. import testing
from ..plan import plan as planning
from ..plan.model import Factor, Hook, Level
from ..results import figures, results_dir
from ..statistics.results import Results

OBJECTIVE = "p99<20ms"
SCHEDULE = "600:3s,1200:4s,0:1s,2400:2s"
STAGES = (
    ("600:3s", 0, 3, 600),
    ("1200:4s", 3, 7, 1200),
    ("0:1s", 7, 8, 0),
    ("2400:2s", 8, 10, 2400),
)
STEPS = (  # rate, begin, seconds, brief, holds
    (600, 0.0, 1.0, True, True),
    (2400, 1.0, 1.0, True, False),
    (1200, 3.0, 2.0, False, True),
    (1240, 5.0, 2.0, False, False),
    (1180, 7.0, 1.5, False, True),
    (1180, 8.5, 1.5, False, True),
)  # fmt: skip
WHY = "all 16 clients were busy (limit about 1,400/s); raise --threads"


def make(
    directory: str, kind: str, arms: int = 1, xs: Sequence[int] = (16, 64), repeats: int = 2
) -> Results:
    exp = testing.make_experiment(arms, xs, repeats, 1)
    more: dict[str, dict[str, Any]] = {
        "stages": {"load.tx-rate": SCHEDULE},
        "search": {"load.tx-find": OBJECTIVE},
        "closed": {"load.tx-rate": 0},
    }
    exp = dataclasses.replace(exp, stays={**exp.stays, **more.get(kind, {})})
    if kind == "change":
        exp = dataclasses.replace(exp, hooks=(Hook("mid-run", "change-it", 5.0),))
    if kind == "workloads":
        scripts = Factor(
            "load.script", tuple(Level(w, {"load.script": w}) for w in WORKLOADS), False
        )
        exp = dataclasses.replace(exp, factors=(*exp.factors, scripts))
    plan = planning.make(exp)
    new = results_dir.Book.create(directory, exp, plan, "")
    noise = random.Random(1)
    for run in plan.runs:
        cell = plan.cells[run.cell]
        report = testing.make_report(exp, cell, run, noise)
        if kind == "workloads":
            workloads(report, cell.levels)
        else:
            CHANGES[kind](report)
        testing.write_report(new.run_directory(run), report)
        new.add(run, figures.row_of(report))
    new.set_state("done")
    return Results(directory)


def outage(report: dict[str, Any]) -> None:
    """Intervals 4 and 5 are without success; from 5.0 s on a backlog drains until 7.4 s."""
    for i in report["intervals"]:
        i.update(errors_by_code=[], connections_away=0)
    for i, done in ((3, 240), (4, 0), (5, 2200), (6, 2000), (7, 1560)):
        interval = report["intervals"][i]
        interval.update(transactions=done, transactions_per_s=float(done))
        interval["rate"].update(done=done, late=done)
    left: float
    for i, errors, away, left in ((3, 32, 16, 0.8), (4, 40, 16, 1.8), (5, 0, 0, 1.1)):
        listed = {"code": 2013, "class": "connection", "count": errors, "text": "lost"}
        listed.update(sqlstate="HY000", first_s=3.5, last_s=4.5)
        report["intervals"][i].update(errors_by_code=[listed], connections_away=away)
        report["intervals"][i]["rate"].update(oldest_s=left, lag_p99_s=left)
    times: dict[str, Any] = {"p50_s": 0.001, "p95_s": 0.002, "p99_s": 0.003, "max_s": 0.004}
    report["summary"]["outages"] = {
        "list": [one_outage()],
        "more": 0,
        "connections_missing": 0,
        **{"latency_" + when: {"count": 9, **times} for when in ("before", "during", "after")},
    }


def closed(report: dict[str, Any]) -> None:
    outage(report)
    for section in [*report["intervals"], report["summary"]]:
        section["rate"] = None
    nothing = dict.fromkeys(("offered", "dropped", "late", "in_time_after_s"))
    report["summary"]["outages"]["list"][0].update(nothing)
    report["verdict"].update(sustained=None, why=None)


def one_outage() -> dict[str, Any]:
    return dict(testing.template("outage"))


def stages(report: dict[str, Any]) -> None:
    report["stages"] = [stage(number, *s) for number, s in enumerate(STAGES, 1)]
    for _, begin, end, rate in STAGES:
        for interval in report["intervals"][begin:end]:
            done = min(rate, 1400)
            interval.update(transactions=done, transactions_per_s=float(done))
            interval["rate"].update(target_per_s=rate, offered=rate, done=done)
    report["verdict"].update(sustained=False, why="stage 4 (2400:2s): " + WHY, since_stage=4)


def stage(number: int, text: str, begin: int, end: int, rate: int) -> dict[str, Any]:
    length, done = end - begin, min(rate, 1400) * (end - begin)
    shape = {"cost_us": 250.0, "median_s": 0.001 * number, "clients": 16}
    found = testing.section("phase", end, length, done, shape, testing.STARTED, 0)
    found["rate"].update(target_per_s=rate, offered=rate * length)
    held = None if rate == 0 else rate <= 1400
    times = {"planned_begin_s": float(begin), "planned_end_s": float(end)}
    times.update(begin_s=begin + 0.001, end_s=end + 0.001, first_per_s=float(rate))
    about = {"number": number, "text": text, "last_per_s": float(rate), "sustained": held}
    return {**about, **times, "why": WHY if held is False else None, "figures": found}


def search(report: dict[str, Any]) -> None:
    report["verdict"].update(sustained=None, why="highest rate that held: 1,180 tps")
    for interval in report["intervals"]:
        interval["transactions"] = interval["transactions_per_s"] = interval["rate"]["offered"] = 0
    steps = [step(number, *s) for number, s in enumerate(STEPS, 1)]
    report["summary"]["find"] = {**testing.template("find"), "steps": steps}


def step(
    number: int, rate: float, begin: float, seconds: float, brief: bool, holds: bool
) -> dict[str, Any]:
    p99 = {"name": "p99", "unit": "s", "value": 0.0183 if holds else 0.0249, "limit": 0.02}
    missed = {k: None if holds else testing.template("find")[k] for k in ("why", "limit")}
    found: dict[str, Any] = {
        "step": number,
        "rate_per_s": float(rate),
        "brief": brief,
        "begin_s": begin,
    }
    found.update(seconds=seconds, figures=[p99], holds=holds, **missed)
    return {**testing.template("step"), **found}


def change(report: dict[str, Any]) -> None:
    """The throughput is as before; runs differ by 40 % or more in what a transaction costs."""
    number = round((report["run"]["wall_time_unix_s"] - testing.STARTED) / (testing.SECONDS + 5))
    report["phases"] = []
    for begin, end, times in ((0, 5, 1.0), (6, 10, 1.25)):
        shape = {"cost_us": 200.0 * 1.4**number * times, "median_s": 0.001, "clients": 16}
        figures = testing.section(
            "phase", end, end - begin, 1200 * (end - begin), shape, testing.STARTED, 0
        )
        marks = [testing.mark(5.0004, 1.0, "change-it")] if begin else []
        phase = {"begin_s": begin, "end_s": end, "figures": figures, "marks": marks}
        report["phases"].append(phase)


WORKLOADS = ("oltp_simple", "select_random_points", "read-only")


def workloads(report: dict[str, Any], levels: Mapping[str, str]) -> None:
    """Without a rate: throughput as the cycles of a transaction allow, of 4 CPUs of 3 GHz."""
    cost, summary = 2 ** WORKLOADS.index(levels["load.script"]), report["summary"]
    gain = 1.0 if levels["arm"] == testing.ARMS[0] else 1.05 + 0.02 * cost
    jitter = summary["server"]["cpu_s_per_transaction"] * 1e6 % 0.04  # differs from run to run
    clients = int(levels["load.threads"])
    cycles = 100_000 * cost * (1 + jitter) / gain
    tps = 12e9 / cycles * clients / (clients + 8)
    events = summary["server_events"]
    events.update(
        {"instructions:u_per_transaction": 60_000.0 * cost, "cycles:u_per_transaction": cycles},
        ipc=60_000 * cost / cycles,
        icache_misses_per_instruction=0.01 * (1 + cost / 8) / gain,
        itlb_misses_per_instruction=0.003 / gain,
        branch_miss_pct=3.19 / gain,
    )
    summary.update(transactions_per_s=tps, rate=None)
    report["verdict"].update(sustained=None, why=None)


def waits(report: dict[str, Any]) -> None:
    """The second arm waits 400 us longer for the log; of 64 connections there is nothing.  Half of
    each second is covered by samples, and nothing of the third."""
    summary: dict[str, Any] = report["summary"]
    about: dict[str, Any] = report["run"]
    slow = report["environment"]["server.variable.thread_handling"] != testing.ARMS[0]
    number = round((about["wall_time_unix_s"] - testing.STARTED) / (testing.SECONDS + 5))
    if about["options"]["effective"]["threads"] == 64:
        summary["missing"] = {"server_status": "it takes the PROCESS privilege"}
        return
    places = (figures.column(n).where.split(".")[1] for n in figures.OF_SERVICE)
    us: dict[str, Any] = dict.fromkeys(places, 0.0)
    parts = {"on_cpu": 200 + number, "log": 500 if slow else 100, "latch": 3, "rest": 300}
    us.update({n + "_us_per_transaction": v for n, v in parts.items()})
    service = sum(us.values()) / 1e6
    summary["server_status"] = {**us, "cpu_wait_us_per_transaction": None, "wait_samples": 20}
    summary["rate"].update(lag_mean_s=5e-5, service_mean_s=service, response_mean_s=service + 5e-5)
    told: dict[str, Any] = {"kind": "stall", "elapsed_s": 4.5, "duration_s": 0.8}
    summary["incidents"] = [
        {**told, "text": "3.7 to 4.5 s: 0.8 s standstill: 4 sessions in WALWrite"},
        {**told, "elapsed_s": 10.0, "text": "2 more standstills, 0.8 s in all"},
        {**told, "kind": "jump", "elapsed_s": 8.0, "text": "7.2 to 8.0 s: service p99 226 ms"},
        {"kind": "stopped", "elapsed_s": 4.5, "text": "sysbench stopped: for at least 2.5 s"},
    ] * slow
    for i in report["intervals"]:
        known = i["elapsed_s"] != 3
        time: dict[str, Any] = dict.fromkeys(figures.OF_SESSIONS, 0.0 if known else None)
        if known:
            time.update(sessions_cpu=0.2, sessions_log=0.5 if slow else 0.1)
            cpu = {"name": "cpu", "class": "cpu", "s": 0.2, "sessions": 0.4}
            i["server_waits"] = {"names": [cpu]}
        i["server_status"] = {n + "_s": v for n, v in time.items()}


CHANGES = {"outage": outage, "change": change, "closed": closed, "stages": stages,
           "search": search, "waits": waits}  # fmt: skip
