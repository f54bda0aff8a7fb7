# SPDX-License-Identifier: GPL-2.0-or-later
"""What a transaction waits for, and its system calls: by name and arm, from the runs' own files."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any, Callable

import pytest

from .. import commands, paths, testing
from ..plan import contrasts
from ..plan.model import Cell, CellSummary
from ..testdata.runner_cases import factor
from . import breakdown
from .results import Results, write

STATEMENT = "mariadbd;start_thread;[mariadbd];do_command;dispatch_command;mysql_execute_command;"
COMMIT = STATEMENT + "trans_commit_stmt;ha_commit_trans;[mariadbd];%s;entry_SYSCALL_64_[k]"
FLUSH = COMMIT % "fdatasync" + ";do_syscall_64_[k];__x64_sys_fdatasync_[k];schedule_[k]"
LOCK = STATEMENT + "lock_wait(que_thr_t*);pthread_cond_wait;__futex_abstimed_wait_common"
TIMER = "mariadbd;start_thread;tpool::thread_pool_generic::timer_generic::execute;pwrite"
NOBODY = "mariadbd;start_thread;[mariadbd];entry_[k];__x64_sys_fsync_[k];schedule_[k]"
POLL = "mariadbd;start_thread;do_command;my_net_read_packet;poll;__x64_sys_poll_[k];schedule_[k]"
WITHOUT_FLAME = not paths.flame_program()


def results_of(directory: Path, setting: str, value: str, repeats: int = 3) -> Results:
    """Results whose experiment asks for this; their files are still to be written."""
    testing.make_results(str(directory), xs=(16,), repeats=repeats)
    tree = json.loads((directory / "lab.json").read_text())
    for cell in tree["plan"]["cells"]:
        cell["settings"][setting] = value
    (directory / "lab.json").write_text(json.dumps(tree))
    return Results(str(directory))


def profiled(directory: Path, repeats: int = 3) -> Results:
    """1,200 tx/s for 10 s; the second arm waits for a lock instead of the disk."""
    results = results_of(directory, "load.server-profile", "cpu,offcpu", repeats)
    for row in results.rows:
        stacks = {LOCK: 240_000, TIMER: 12_000, NOBODY: 1_200, POLL: 36_000_000}
        stacks[POLL + ";[waiting for a CPU]"] = 600_000
        if row["run"] == 1:
            stacks[COMMIT % "pwrite"] = 90  # in one run of an arm: its median is 0
        if row["arm"] == testing.ARMS[0]:
            stacks.update({FLUSH: 1_200_000 + 12_000 * row["run"], LOCK: 120_000})
        lines = ["# window_s=10.0 unit=us", *("%s %d" % item for item in stacks.items())]
        path = directory / results.run_path(row) / "x.offcpu.folded"
        path.write_text("\n".join(lines) + "\ntorn;lin")
    return Results(str(directory))


@pytest.mark.skipif(WITHOUT_FLAME, reason="sysbench-flame is not built")
def test_what_a_wait_is_called() -> None:
    names = {k: v for k, v in globals().items() if k.isupper()}
    found = testing.retold("calls_waits", testing.called(breakdown, **names))
    assert found == testing.cases("calls_waits")


def shown(results: Results) -> str:
    """Sentences, and the sheets."""
    lines = list(results.sentences)
    for sheet in results.sheets():
        assert "\n%s\n" % sheet.title in commands.report(results)
        lines += [sheet.title, *(" | ".join(r) for r in [sheet.head, *sheet.rows]), sheet.note]
    return "\n".join(filter(None, lines))


def sampled(directory: Path, few: int) -> Results:
    """Of seven runs that count, each has so many samples of a lock."""
    results = profiled(directory, repeats=4)
    for row in results.rows:
        path = directory / results.run_path(row) / "x.offcpu.folded"
        head, *lines = path.read_text().split("\n")
        marked = ["# %d samples:\n%s" % (few if LOCK in s else 40, s) for s in lines]
        path.write_text("\n".join([head + " estimated from 400 of 2000 waits", *marked]))
    return Results(results.directory)


@pytest.mark.skipif(WITHOUT_FLAME, reason="sysbench-flame is not built")
def test_waits(tmp_path: Path) -> None:
    """By arm: of four runs of each, one was disturbed, and the first arm's are 1, 4, 5 and 8.  Few
    samples are not named, few runs are in the table only."""
    made: dict[str, Callable[[], Results]] = {
        "four runs": lambda: profiled(tmp_path / "four", repeats=4),
        "two runs": lambda: profiled(tmp_path / "two", repeats=2),
        "three samples": lambda: sampled(tmp_path / "three", 3),
        "one sample": lambda: sampled(tmp_path / "one", 1),
        "not asked for": lambda: results_of(tmp_path / "none", "load.server-profile", "cpu"),
    }
    assert testing.retold("waits", lambda name: shown(made[name]())) == testing.cases("waits")
    results = Results(str(tmp_path / "four"))
    write(results)
    (tree,) = json.loads((tmp_path / "four" / "summary.json").read_text())["breakdowns"]
    assert tree["kind"] == "waits" and tree["cells"] == [0, 1]
    flush = tree["per_transaction"]["fdatasync under ha_commit_trans"]
    assert flush[0]["values"] == pytest.approx([101, 104, 105, 108]) and flush[1]["median"] == 0
    path = tmp_path / "four" / results.run_path(results.rows[0]) / "x.offcpu.folded"
    path.unlink()
    path.mkdir()  # what cannot be read is not known
    assert breakdown.waits(results, results.rows[0]) is None


def test_waits_of_equal_arms_differ_in_few_of_the_experiments() -> None:
    """With noise of 15 %: half of the experiments have some wait whose own interval excludes no
    change.  Twice as long is found."""
    exp, dice = testing.make_experiment(2, (1, 16, 64), 5, 1), random.Random(1)
    cells = testing.make_plan(exp).cells
    made = [CellSummary(c, c.levels["arm"], 5, 5, 0, 0, "", {}) for c in cells]

    def run(slower: float) -> breakdown.Read:
        waits = {"w%d" % k: slower * dice.lognormvariate(7 - k / 4, 0.15) for k in range(12)}
        return breakdown.Read({breakdown.IN_STATEMENTS: sum(waits.values()), **waits}, {})

    times = testing.EXPERIMENTS
    for slower, least, most in ((1, 0, testing.LUCK - 1), (2, times, times)):
        found = 0
        for _ in range(times):
            read = [[(s, [run(f) for _ in range(5)]) for s, f in zip(both, (1, slower))]
                    for both in contrasts.pairs(exp, made)]  # fmt: skip
            every = [breakdown.breakdown(breakdown.KINDS[0], one, 1) for one in read]
            said = breakdown.sentences(exp, every)
            assert len(said) == 3
            found += any(text.count("->") > text.count("no clear difference") for text in said)
        assert least <= found <= most


def counted(directory: Path, kinds: int) -> Results:
    """So many kinds of system calls, of which a run lists three at most."""
    results = results_of(directory, "load.server-syscalls", "3")
    for row in results.rows:
        path = directory / results.run_path(row) / "report.json"
        report: dict[str, Any] = json.loads(path.read_text())
        calls = {"recvfrom": 20.0, "futex": 5.0, "poll": 2.0}
        if row["arm"] != testing.ARMS[0]:
            calls = {"recvfrom": 20.0, "epoll_wait": 8.0, "futex": 1.0}
        if row["run"] == 1:
            del calls["futex"]
        rest = {"number": 1, "count": 1, "ended": 1, "errors": 0, "sum_s": 0.1, "mean_s": 0.1}
        listed = [{"name": k, "count_per_transaction": v, **rest} for k, v in calls.items()]
        more: dict[str, Any] = {
            "kinds": kinds if kinds > 3 else len(calls),
            "most_frequent": listed,
        }
        report["summary"]["server_syscalls"] = {"count_per_transaction": 30.0, **more}
        path.write_text(json.dumps(report))
    return Results(str(directory))


def test_system_calls(tmp_path: Path) -> None:
    """What a run does not list is 0 if it lists all that there were, else unknown."""
    found = testing.retold("system-calls", lambda n: shown(counted(tmp_path / n, int(n))))
    assert found == testing.cases("system-calls")


def test_workloads_have_titles_of_their_own(tmp_path: Path) -> None:
    exp = testing.make_experiment(2, (16,), 3, 1)
    scripts = factor("load.script", "load.script", "read", "write")
    exp = dataclasses.replace(exp, factors=(*exp.factors, scripts))
    levels = {"load.threads": "16", "load.script": "write"}
    summary = CellSummary(Cell(0, levels, {}), testing.ARMS[0], 3, 3, 0, 0, "", {})
    one = breakdown.Breakdown(breakdown.KINDS[1], [summary], [], [])
    assert breakdown.title_of(exp, one) == (
        "System calls of a transaction, write at 16 connections"
    )
