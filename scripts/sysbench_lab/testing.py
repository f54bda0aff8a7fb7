# SPDX-License-Identifier: GPL-2.0-or-later
"""A synthetic results directory, for the tests of all that reads or draws one.

make_results() plays a whole experiment without a server: a constant rate, arms times numbers of
connections, every run with a json report as sysbench writes it (intervals, histograms, environment)
and entered through figures.py and results_dir.py as the runner does.  The figures are plausible
and, for a seed, always the same: latencies are lognormal, the pool costs more at few connections
and less at many.  Three things are wrong on purpose:

    the first arm does not sustain the rate at the most connections, in any run
    run 2 was disturbed by other processes
    the first arm's first run has a mark, and its servers' variables differ between the arms
"""

from __future__ import annotations

import functools
import json
import math
import os
import random
from statistics import NormalDist
from typing import Any, Callable, Mapping, Sequence

from . import LabError
from .plan.model import Cell, Experiment, Factor, Level, Measure, Plan, PlannedRun, Row

# Of so many simulated experiments without a difference, 5 % may state one; LUCK of them are more
# than chance gives (1 %).  tests/nightly sets SB_LONG.
EXPERIMENTS, LUCK = (200, 18) if os.environ.get("SB_LONG") else (60, 8)

RATE = 1200
SECONDS = 10
STARTED = 1_790_000_000.0
ARMS = ("one-thread-per-connection", "pool-of-threads", "pool, 4 groups", "pool, 8 groups")
SIGMA = 0.55  # of the logarithm of a latency
SHARES = {"response": 1, "service": 0.8, "lag": 0.2}
NORMAL = NormalDist()


def path_of(name: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "testdata", name)


@functools.lru_cache(maxsize=None)
def data(name: str) -> str:
    """A text in testdata/."""
    with open(path_of(name), encoding="utf-8", newline="") as f:
        return f.read()


def cases(name: str) -> list[list[str]]:
    """What testdata/NAME.cases says: blocks between empty lines, each of what is given and, after
    `=> `, what is said of it; or of such pairs that fit into a line, one a line."""
    found: list[list[str]] = []
    for block in data(name + ".cases").rstrip("\n").split("\n\n"):
        pairs = [line.split(" => ", 1) for line in block.split("\n")]
        short = all(len(pair) == 2 for pair in pairs)
        found += pairs if short else [block.split("\n=> ")]
    return found


def retold(name: str, says: Callable[[str], str]) -> list[list[str]]:
    """The same with what says() makes of each that is given; SB_GOLDEN=1 writes that."""
    found = [[given, says(given)] for given, *_ in cases(name)]
    if os.environ.get("SB_GOLDEN"):
        with open(path_of(name + ".cases"), "w", encoding="utf-8", newline="") as f:
            f.write(as_cases(found))
        data.cache_clear()
    return found


def as_cases(pairs: list[list[str]]) -> str:
    blocks, was_short = "", False
    for given, told in pairs:
        line = f"{given} => {told}"
        short = "\n" not in line and line.count(" => ") == 1 and len(line) <= 100
        blocks += ("" if not blocks else "\n" if short and was_short else "\n\n") + (
            line if short else f"{given}\n=> {told}"
        )
        was_short = short
    return blocks + "\n"


def changed(old: str, new: str) -> str:
    """What the lines of a text have that another one's have not; with `- `, what is gone."""
    before, after = old.splitlines(), new.splitlines()
    gone = ["- " + line for line in before if line not in after]
    return "\n".join([*(line for line in after if line not in before), *gone]) or "nothing"


def called(*modules: Any, **names: Any) -> Callable[[str], str]:
    """What an expression is, with the modules by their names, or the sentence that refuses it."""
    known = {m.__name__.rpartition(".")[2]: m for m in modules}

    def says(text: str) -> str:
        try:
            return repr(eval(text, {**known, **names}))
        except (LabError, ValueError) as e:
            return str(e)

    return says


def make_results(
    directory: str,
    arms: int = 2,
    xs: Sequence[int] = (1, 16, 128, 512, 2048),
    repeats: int = 3,
    seed: int = 1,
) -> str:
    """Write a results directory; `directory` must not exist.  Returns it."""
    from .results import figures, results_dir

    experiment = make_experiment(arms, xs, repeats, seed)
    plan = make_plan(experiment)
    results = results_dir.Book.create(directory, experiment, plan, "# written by testing.py\n")
    noise = random.Random(seed)
    for run in plan.runs:
        report = make_report(experiment, plan.cells[run.cell], run, noise)
        write_report(results.run_directory(run), report)
        threads = report["run"]["options"]["effective"]["threads"]
        results.log("sysbench oltp_point_select --threads=%s run" % threads, 0, SECONDS)
        results.add(run, disturb(run, figures.row_of(report)))
        results.note_environment(plan.cells[run.cell].levels["arm"], report["environment"])
    results.set_state("done")
    return directory


def make_experiment(arms: int, xs: Sequence[int], repeats: int, seed: int) -> Experiment:
    names = ARMS[:arms]
    handling = "server.option.thread_handling"
    return Experiment(
        name="synthetic",
        title="Thread schedulers at a constant rate",
        question="Which scheduler needs less of the server's CPU?",
        stays={
            "load.script": "oltp_point_select",
            "load.tx-rate": RATE,
            "load.time": SECONDS,
            "server.kind": "private",
            "server.engine": "mariadb",
        },
        factors=(
            Factor("arm", tuple(Level(n, {handling: n}) for n in names), False),
            Factor("load.threads", tuple(Level(str(x), {"load.threads": x}) for x in xs), True),
        ),
        measure=Measure(SECONDS, repeats, "abba", seed, restart="run", baseline=names[0]),
        x="load.threads",
    )


def make_plan(experiment: Experiment) -> Plan:
    """Every level of the first factor with every one of the second, forth and back by rounds."""
    cells: list[Cell] = []
    arms, xs = experiment.factors
    for arm in arms.levels:
        for x in xs.levels:
            settings = {**experiment.stays, **arm.changes, **x.changes}
            levels = {arms.name: arm.name, xs.name: x.name}
            cells.append(Cell(len(cells), levels, settings))
    runs: list[PlannedRun] = []
    for turn in range(1, experiment.measure.repeats + 1):
        for cell in cells if turn % 2 else reversed(cells):
            runs.append(PlannedRun(len(runs) + 1, turn, cell.number))
    return Plan(tuple(cells), tuple(runs), len(runs) * (SECONDS + 5.0))


def disturb(run: PlannedRun, row: Row) -> Row:
    row["others_cpu_pct"], row["tries"] = 1.5, 1
    if run.number == 2:
        row.update(others_cpu_pct=23.4, tries=2)
        row["disturbed"] = "other processes used 23.4 % of the CPUs"
    return row


def write_report(directory: str, report: Mapping[str, Any]) -> None:
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "report.json"), "w", encoding="utf-8") as f:
        f.write(json.dumps(report))  # without an indent json is done in C
    with open(os.path.join(directory, "report.txt"), "w", encoding="utf-8") as f:
        f.write("SQL statistics:\n    transactions: %d\n" % report["summary"]["transactions"])


# ---- a report ------------------------------------------------------------------


def template(name: str) -> Any:
    """What does not depend on a run, from testdata/report.json."""
    return json.loads(data("report.json"))[name]


def make_report(
    experiment: Experiment, cell: Cell, run: PlannedRun, noise: random.Random
) -> dict[str, Any]:
    """What sysbench would have written for this run."""
    arm = [level.name for level in experiment.factors[0].levels].index(cell.levels["arm"])
    xs = [int(level.name) for level in experiment.factors[1].levels]
    clients = int(cell.levels["load.threads"])
    held = not (arm == 0 and clients == max(xs) and len(xs) > 1)
    cost_us = (240 + 30 * arm) * (1 + (0.05 if arm == 0 else 0.012) * math.log2(clients))
    cost_us *= noise.gauss(1, 0.015)
    median_s = 0.0004 * (1 + clients / (150 + 200 * arm)) * noise.gauss(1, 0.04)
    median_s *= 1 if held else 40
    shape = {"cost_us": cost_us, "median_s": median_s, "clients": clients}
    counts = [int(RATE * (1 if held else noise.uniform(0.8, 0.93))) for _ in range(SECONDS)]
    if not held:
        counts[6] //= 10  # an outage
    begun, total = STARTED + (run.number - 1) * (SECONDS + 5), sum(counts)
    found: dict[str, Any] = template("report")
    found["intervals"] = [
        section("interval", i + 1, 1, n, shape, begun, sum(counts[:i]))
        for i, n in enumerate(counts)
    ]
    found["marks"] = [mark(5.0, begun + 5, "buffer pool 64M")] if run.number == 1 else []
    found["summary"] = section("summary", SECONDS, SECONDS, total, shape, begun, 0)
    why = "" if held else "%d of %d offered transactions done" % (total, RATE * SECONDS)
    found["verdict"].update(sustained=held, why=why)
    found["histograms"] = {k: histogram(median_s * v, total) for k, v in SHARES.items()}
    found["end"]["wall_time_unix_s"] = begun + SECONDS
    about = found["run"]
    line = "sysbench oltp_point_select --threads=%d --tx-rate=%d run" % (clients, RATE)
    about.update(command_line=line.split(), wall_time_unix_s=begun)
    about["options"]["given"]["threads"] = str(clients)
    about["options"]["effective"]["threads"] = clients
    known, jemalloc = found["environment"], "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
    known["server.process"] = "mariadbd (pid %d)" % (4000 + arm)
    known["server.library"] += [jemalloc] if arm else []
    known["server.variable.thread_handling"] = cell.levels["arm"]
    return found


def mark(elapsed_s: float, at: float, text: str) -> dict[str, Any]:
    return {"elapsed_s": elapsed_s, "wall_time_unix_s": at, "source": "command", "text": text}


def section(
    kind: str,
    elapsed: float,
    length: float,
    done: int,
    shape: Mapping[str, Any],
    begun: float,
    before: int,
) -> dict[str, Any]:
    """An interval or the summary.  `before`: transactions of the intervals before it."""
    offered, median, counts = int(RATE * length), shape["median_s"], template("counts")
    rate: dict[str, Any] = {
        **template("rate"),
        **dict.fromkeys(("late", "total_late"), done // 50),
        **dict.fromkeys(("unfinished", "in_flight"), max(0, offered - done)),
        **{"offered": offered, "done": done},
        **{"total_offered": int(RATE * elapsed), "total_done": before + done},
    }
    for name, share in SHARES.items():
        rate.update(series(name + "_", median * share, done))
    return {
        **{"kind": kind, "wall_time_unix_s": begun + elapsed, "elapsed_s": elapsed},
        **{"interval_s": length, "threads_running": shape["clients"]},
        **dict.fromkeys(("transactions_per_s", "queries_per_s"), done / length),
        **dict(counts, transactions=done, reads=done),
        "total": dict(counts, transactions=before + done, reads=before + done),
        "latency": {**series("", median, done), "text_p95_s": quantile(median, 0.95)},
        "rate": rate,
        "server": process("mariadbd (pid 4000)", length, done, shape["cost_us"], shape["clients"]),
        "client": process("sysbench", length, done, 66.0, 4),
        "server_events": events(done, shape["cost_us"]),
        **template("section"),
    }


def process(name: str, length: float, done: int, cost_us: float, threads: int) -> dict[str, Any]:
    cpu_s = done * cost_us / 1e6
    found = {"cpu_user_s": cpu_s * 0.7, "cpu_system_s": cpu_s * 0.3}
    found.update(cpu_user_pct=70 * cpu_s / length / 4, cpu_system_pct=30 * cpu_s / length / 4)
    return {
        **template("process"),
        **{"name": name, "interval_s": length, "cpu_s": cpu_s, **found},
        "cpu_s_per_transaction": cost_us / 1e6 if done else None,
        "voluntary_switches": done * 2,
        "involuntary_switches": done // 10,
        "switches_per_transaction": 2.1 if done else None,
        "rss_bytes": (120 + threads // 8) << 20,
        "threads": threads + 14,
        "run_queue_wait_s": cpu_s * 0.1,
    }


def events(done: int, cost_us: float) -> dict[str, Any]:
    """As --server-events=default counts them: cheaper transactions have the better IPC."""
    cycles = cost_us * 2000
    found: dict[str, Any] = {
        "how": "threads of the server",
        "ipc": 300_000 / cycles,
        "icache_misses_per_instruction": 0.02,
        "itlb_misses_per_instruction": 0.0004,
        "branch_miss_pct": 800 / 600,
    }
    names = ("instructions", "cycles", "L1-icache-load-misses", "iTLB-load-misses", "branch-misses")
    counts = 300_000.0, cycles, 6_000.0, 120.0, 800.0, 60_000.0
    for name, n in zip((*names, "branches"), counts):
        name += ":u"
        found.update({name: n * done, name + "_per_transaction": n, name + "_counted_pct": 100})
    return found


# ---- lognormal latencies -------------------------------------------------------


def quantile(median_s: float, p: float) -> float:
    return median_s * math.exp(SIGMA * NORMAL.inv_cdf(p))


def series(prefix: str, median_s: float, n: int) -> dict[str, Any]:
    found = {"p%d_s" % p: quantile(median_s, p / 100) for p in (50, 95, 99)}
    found["max_s"] = quantile(median_s, 1 - 0.5 / max(n, 2))
    found["mean_s"] = median_s * math.exp(SIGMA * SIGMA / 2)
    return {prefix + "samples": n, **{prefix + k: v if n else None for k, v in found.items()}}


def histogram(median_s: float, n: int) -> dict[str, Any]:
    """Buckets [lowest ns, highest ns, samples], 16 an octave, that hold n samples in all."""
    buckets, low, below = [], int(median_s * 1e9 / 32), 0
    while below < n:
        high = max(low + 1, int(low * 2 ** (1 / 16)))
        share = NORMAL.cdf(math.log(high / 1e9 / median_s) / SIGMA)
        upto = n if share > 1 - 0.5 / n else round(n * share)
        if upto > below:
            buckets.append([low, high - 1, upto - below])
        low, below = high, upto
    return {"unit": "ns", "samples": n, "over_one_hour": 0, "buckets": buckets}
