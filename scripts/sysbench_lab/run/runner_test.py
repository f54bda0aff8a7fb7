# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of runner.py, the tables of client.py and the hooks with a sysbench that only pretends.

servers are in target_test.py; here it is the order of things, failures, and interruptions.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import re
import signal
from typing import Any

import pytest

from sysbench_lab import LabError, testing
from sysbench_lab.plan.model import Hook, Settings
from sysbench_lab.results.results_dir import Book, read_environment
from sysbench_lab.run import client, disturbance, lock, runner
from sysbench_lab.statistics.results import Results
from sysbench_lab.target.target import Target
from sysbench_lab.testdata.runner_cases import (
    CHILD,
    PATIENCE_S,
    Notes,
    child,
    commands,
    experiment,
    factor,
    fake,
    new_book,
    refused,
    run,
    states_of,
    until,
)


def test_all_runs_and_what_they_leave(tmp_path: pathlib.Path) -> None:
    rates = factor("tx-rate", "load.tx-rate", 100, 2000)
    book, notes = run(tmp_path, experiment(fake(tmp_path), rates, repeats=2))
    assert [row["tps"] for row in book.rows()] == [100, 1000, 1000, 100]
    assert [row["sustained"] for row in book.rows()] == ["yes", "no", "no", "yes"]
    assert [row["tries"] for row in book.rows()] == [1, 1, 1, 1]
    assert commands(tmp_path) == ["prepare", "run", "run", "run", "run", "cleanup"]
    assert notes.lines[:3] == ["start", "begin 1", "preparing the data of oltp_read_only"]
    assert book.missing() == []
    directory = book.run_directory(book.plan.runs[0])
    assert {"report.json", "run.json", "command.txt", "output.txt"} <= set(os.listdir(directory))
    with open(os.path.join(directory, "command.txt")) as f:
        assert "'--label=lab_cell=tx-rate 100' --label=lab_progress=1/4 " in f.read()
    assert list(read_environment(book.directory)) == [""]
    assert lock.RUNNING not in os.listdir(book.directory)


def prepared(directory: pathlib.Path, script: str, name: str, *values: Any, **env: str) -> str:
    """How often data are prepared and removed where this varies.  `READS`: what a sysbench tells
    that prepare looks at."""
    stays: Settings = {**fake(directory, **env), "load.script": script}
    run(directory, experiment(stays, factor("x", name, *values)))
    done, lines = commands(directory), (directory / "fake.log").read_text().splitlines()
    asked = ["--options-read=" in line for line in lines if line.endswith(" prepare")]
    assert done.count("run") == 2 and done[-1] == "cleanup" and asked == [bool(env)] * len(asked)
    return "%d prepared, %d removed" % (done.count("prepare"), done.count("cleanup"))


def failed(directory: pathlib.Path, repeats: int, runs: str) -> str:
    """What becomes of an experiment in which these runs fail."""
    exp = experiment(fake(directory, FAIL="no table", FAIL_RUNS=runs), repeats=repeats)
    book, notes = new_book(directory / "results", exp), Notes()
    try:
        runner.run_all(exp, book.plan, book, notes)
    except LabError as e:
        notes.note(str(e))
    assert not any(row["tps"] for row in book.rows() if row["why"])
    why = {row["why"] for row in book.rows() if row["why"]}
    return "%s; %d missing; %s; %s" % (states_of(book), len(book.missing()), why, notes.lines[-1])


def changed(directory: pathlib.Path, **ran: Any) -> str:
    """Of a run in which the command of mid-run ended so."""
    none = dict.fromkeys(("begin_s", "duration_s", "exit_status", "signal", "output", "error"))
    rest = {"at_s": 0.5, "state": "ended", "terminated_with_run": False, "left_processes": False}
    text = json.dumps([{"command": "change", "output_bytes": 0, **rest, **none, **ran}])
    exp = experiment(fake(directory, COMMANDS=text), hooks=(Hook("mid-run", "change", 0.5),))
    book = new_book(directory / "results", exp)
    with contextlib.suppress(LabError):  # no run was done
        runner.run_all(exp, book.plan, book, Notes())
    (row,) = book.rows()
    return "%s %s" % (row["status"], row["why"])


def test_calls(tmp_path: pathlib.Path) -> None:
    """Data are prepared when they change: what prepare looks at decides.  A failed run is a row,
    and the next one begins.  A run without its change has failed."""
    directories = map(pathlib.Path, map("{}/{}".format, itertools.repeat(tmp_path), range(99)))

    def fresh(call: Any) -> Any:
        def called(*given: Any, **more: Any) -> str:
            (directory := next(directories)).mkdir()
            return str(call(directory, *given, **more))

        return called

    says = testing.called(**{f.__name__: fresh(f) for f in (prepared, failed, changed)})
    assert testing.retold("calls_runner", says) == testing.cases("calls_runner")


def test_a_prepare_that_looks_at_more_next_time(tmp_path: pathlib.Path) -> None:
    """An option that was not looked at is none of those tables, whatever is given."""
    stays: Settings = {**fake(tmp_path, READS="mode\n"), "load.script": "./mine.lua"}
    mode, rows = factor("mode", "load.mode", 1, 2), factor("rows", "load.rows", 1, 2)
    run(tmp_path, experiment(stays, mode, rows, order="written"))
    assert [c for c in commands(tmp_path) if c != "cleanup"] == ["prepare", "run", "run"] * 2


def test_a_server_of_the_user_settles_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "tells", lambda settings, option, group: option == "--settle")
    run(tmp_path, experiment(fake(tmp_path), factor("x", "load.threads", 1, 2), repeats=2))
    lines = (tmp_path / "fake.log").read_text().splitlines()
    settled = ["--settle=" in line for line in lines if line.endswith(" run")]
    assert settled == [True, False, False, False]


def test_data_of_the_user(tmp_path: pathlib.Path) -> None:
    run(tmp_path, experiment({**fake(tmp_path), "load.prepare": False}))
    assert commands(tmp_path) == ["run"]


# ---- disturbed and failed ------------------------------------------------------------


def test_a_disturbed_run_is_made_again_and_all_tries_are_kept(tmp_path: pathlib.Path) -> None:
    settings = fake(tmp_path, OTHERS="60,50,2")
    book, notes = run(tmp_path, experiment(settings, repeat_disturbed=3))
    (row,) = book.rows()
    assert (row["tries"], row["disturbed"], row["others_cpu_pct"]) == (3, "", 2)
    directory = book.run_directory(book.plan.runs[0])
    others = [
        json.loads(pathlib.Path(directory, name, "run.json").read_text())["others_cpu_pct"]
        for name in ("try-1", "try-2", "")
    ]
    assert others == [60, 50, 2]
    assert any(line.startswith("run 1 again: ") for line in notes.lines)


def test_the_power_of_the_idle_machine_is_subtracted(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disturbance, "power", lambda *_: 12.5)
    monkeypatch.setattr(disturbance, "idle_power", lambda seconds: {3: 8.0}[seconds])
    book, _ = run(tmp_path, experiment(fake(tmp_path), idle_s=3))
    assert {r["power_above_idle_w"] for r in book.rows()} == {4.5}


def test_runs_that_stay_disturbed_say_so_and_end_nothing(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path, OTHERS="60"), repeats=4, repeat_disturbed=1)
    book, _ = run(tmp_path, exp)
    assert [(row["tries"], "60" in row["disturbed"]) for row in book.rows()] == [(2, True)] * 4


@pytest.mark.parametrize(
    "busy, limit, said", [(94.2, 15, True), (14, 15, False), (None, 15, False), (99, 100, False)]
)
def test_a_busy_machine_is_seen_before_anything_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, busy: Any, limit: float, said: bool
) -> None:
    monkeypatch.setattr(disturbance, "busy_pct", lambda: busy)
    _, notes = run(tmp_path, experiment(fake(tmp_path), disturbed_pct=limit))
    text = "other processes use 94 % of the CPUs: free the machine, or set measure.disturbed_pct"
    assert (notes.lines[0] == text) == said and notes.lines.count(text) == said


@pytest.mark.parametrize("broken", ["a", "b"])
@pytest.mark.parametrize("order", ["blocks", "shuffle"])
def test_an_arm_that_always_fails_does_not_end_the_others(
    tmp_path: pathlib.Path, broken: str, order: str
) -> None:
    """Whether its hook fails, before anything has worked, or in the middle."""
    arms, threads = factor("arm", "load.x", "a", "b"), factor("n", "load.threads", 1, 2)
    mine = (Hook("before-run", "test $LAB_LEVEL_ARM != %s || { echo why; exit 1; }" % broken),)
    exp = experiment(fake(tmp_path), arms, threads, hooks=mine, repeats=2, order=order)
    book, notes = new_book(tmp_path / "results", exp), Notes()
    with pytest.raises(LabError, match="^%s: .* ended with status 1: why" % broken):
        runner.run_all(exp, book.plan, book, notes)
    states = [(row["arm"], row["status"]) for row in book.rows()]
    good = "b" if broken == "a" else "a"
    assert states.count((good, "done")) == 4
    failed = states.count((broken, "failed"))
    assert failed == (1 if states[0][0] == broken else 3) and len(states) == 4 + failed
    assert len([line for line in notes.lines if line.startswith(broken + " is given up: ")]) == 1
    said = "\n".join(Results(book.directory).sentences)
    assert re.search("^%s .*failed.*: why" % broken, said, re.M), said
    assert re.search("^%s: .* tx/s" % good, said, re.M), said


def test_an_arm_whose_only_run_failed(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path, FAIL="gone", FAIL_RUNS="2"), factor("arm", "load.x", "a", "b"))
    book = new_book(tmp_path / "results", exp)
    why = "^b: no run was done; the last: sysbench ended with status 1: gone$"
    for _ in range(2):  # also when nothing is missing any more
        with pytest.raises(LabError, match=why):
            runner.run_all(exp, book.plan, book, Notes())
    assert states_of(book) == ["done", "failed"]


def test_what_cannot_work_at_all_measures_nothing(tmp_path: pathlib.Path) -> None:
    exp = experiment({**fake(tmp_path), "client.program": "/nonexistent"})
    book = refused(tmp_path, exp, "client.program: there is no /nonexistent")
    assert book.rows() == []


# ---- hooks ---------------------------------------------------------------------------


def hooks(directory: pathlib.Path, **commands: str) -> tuple[Hook, ...]:
    say = "echo %%s $LAB_RUN $LAB_CELL >>%s/said" % directory
    moments = ("before", "before-run", "after-run", "after")
    found = {m: say % m for m in moments}
    found.update({k.replace("_", "-"): v for k, v in commands.items()})
    return tuple(Hook(m, c) for m, c in found.items())


def test_hooks_in_their_order(tmp_path: pathlib.Path) -> None:
    """That of mid-run is a command of sysbench."""
    last = (Hook("mid-run", "echo $LAB_RUN", 0.5),)
    threads = factor("my-x", "load.threads", 1, 16)
    env = hooks(tmp_path, before_run="env | tee %s/env.$LAB_RUN" % tmp_path)
    book, _ = run(tmp_path, experiment(fake(tmp_path), threads, hooks=(*env, *last)))
    assert (tmp_path / "said").read_text().splitlines() == [
        "before", "after-run 1 my-x=1", "after-run 2 my-x=16", "after"
    ]  # fmt: skip
    log = (tmp_path / "fake.log").read_text()
    assert "do='echo $LAB_RUN' " in log and " --at=0.5s --label=lab_cell=my-x 1 " in log
    text = (tmp_path / "env.2").read_text().splitlines()
    directory = book.run_directory(book.plan.runs[1])
    for line in ("LAB_RUN=2", "LAB_ROUND=1", "LAB_CELL=my-x=16", "LAB_LEVEL_MY_X=16",
                 "LAB_RUN_DIRECTORY=" + directory, "LAB_SERVER_PID="):  # fmt: skip
        assert line in text
    assert "hook-before-run-1.txt" in os.listdir(directory)


def test_a_hook_that_fails(tmp_path: pathlib.Path) -> None:
    mine = hooks(tmp_path, before_run="test $LAB_RUN != 2", after_run="exit 5")
    book, notes = run(tmp_path, experiment(fake(tmp_path), hooks=mine, repeats=3))
    assert states_of(book) == ["done", "failed", "done"]
    assert "the hook before-run: 'test $LAB_RUN != 2' ended with status 1" in book.rows()[1]["why"]
    assert notes.lines.count("the hook after-run: 'exit 5' ended with status 5") == 2


def test_before_that_fails_ends_it_at_once(tmp_path: pathlib.Path) -> None:
    exp = experiment(fake(tmp_path), hooks=hooks(tmp_path, before="exit 9"))
    refused(tmp_path, exp, "the hook before: 'exit 9' ended with status 9")
    assert commands(tmp_path) == ["prepare"]


# ---- interruptions -----------------------------------------------------------------------


def begun(tmp_path: pathlib.Path, settings: Settings, rows: int) -> tuple[Any, str]:
    """One in the run after the first `rows`."""
    exp = experiment(settings, repeats=4, hooks=hooks(tmp_path))
    new_book(tmp_path / "results", exp)
    p = child(str(tmp_path / "results"))
    until(lambda: (tmp_path / "fake.log").exists() and commands(tmp_path).count("run") > rows)
    until(lambda: bool(lock.Leftovers(str(tmp_path / "results")).client))
    return p, str(tmp_path / "results")


NOW, FIRST = "stopping now\n", "stopping after this run (again: now)\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_keeps_what_is_done(
    tmp_path: pathlib.Path, number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    p, directory = begun(tmp_path, fake(tmp_path, SLEEP=600, SLEEP_RUNS="2"), 1)
    p.send_signal(number)
    assert p.wait(PATIENCE_S) == 130
    assert capfd.readouterr().err == NOW
    book = Book.open(directory)
    assert len(book.rows()) == 1
    assert (tmp_path / "said").read_text().splitlines()[-1] == "after"
    assert commands(tmp_path)[-1] == "run"  # the data stay for resume
    resumed = Notes()
    runner.run_all(book.experiment, book.plan, book, resumed)
    assert len(book.rows()) == 4
    assert states_of(book) == ["done"] * 4
    assert commands(tmp_path).count("prepare") == 1
    assert commands(tmp_path)[-1] == "cleanup"


@pytest.mark.parametrize("where", ["server", "prepare", "hook", "warm-up", "run"])
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_is_noticed_wherever_a_run_is(
    tmp_path: pathlib.Path, where: str, times: int
) -> None:
    """The first one waits until the run has ended, the second one does not."""
    log, told = str(tmp_path / "fake.log"), tmp_path / "err"
    wait = "touch %s.there; until test -e %s.go; do sleep 0.02; done" % (log, log)
    state = tmp_path / "state"
    state.write_text("0")
    server: dict[str, Any] = {
        "server.kind": "commands",
        "server.option.x": 1,
        "server.check": "cat %s" % state,
        "server.start": "%s; echo 1 >%s" % (wait * (where == "server") or "true", state),
        "server.stop": "echo 0 >%s" % state,
        "server.restore": False,
    }
    at = {"run": "run 2", "warm-up": "run 1"}.get(where, where)
    exp = experiment(
        {**fake(tmp_path, WAIT=at), **server},
        repeats=2,
        hooks=hooks(tmp_path, before_run=wait if where == "hook" else "true"),
        warmup_s=10,
        warmup_steady=True,  # by a run of its own
    )
    directory = new_book(tmp_path / "results", exp).directory
    with open(told, "w") as err:
        p = child(directory, stderr=err)
    until(lambda: os.path.exists(log + ".there"))
    p.send_signal(signal.SIGINT)
    until(lambda: told.read_text() == FIRST)
    if times == 2:
        p.send_signal(signal.SIGINT)
    else:
        pathlib.Path(log + ".go").touch()
    assert p.wait(PATIENCE_S) == 130
    assert told.read_text() == FIRST + NOW * (times - 1)
    book = Book.open(directory)
    assert states_of(book) == ["done"] * (2 - times)
    pathlib.Path(log + ".go").touch()
    runner.run_all(exp, book.plan, book, Notes())
    assert states_of(book) == ["done"] * 2


def test_ctrl_c_while_the_users_server_is_put_back(tmp_path: pathlib.Path) -> None:
    """It says what it waits for; a second one leaves it, and says what is to be done."""
    state, slow, told = tmp_path / "option", tmp_path / "slow", tmp_path / "told"
    state.write_text("2\n")
    change = "test ! -e %s || { touch %s.there; sleep 600; }; echo {value} >%s"
    server: dict[str, Any] = {
        "server.kind": "commands",
        "server.option.x": 1,
        "server.check": "cat %s" % state,
        "server.set": change % (slow, slow, state),
    }
    last = (Hook("after-run", "touch %s" % slow),)
    book = new_book(tmp_path / "results", experiment({**fake(tmp_path), **server}, hooks=last))
    with open(told, "w") as err:
        says = CHILD.replace("Notes()", "n := Notes()")
        says = says.replace("    sys", "    print(*n.lines)\n    sys")
        p = child(book.directory, says, stderr=err, stdout=err)
    until(lambda: os.path.exists("%s.there" % slow))
    hand = str(server["server.set"]).replace("{value}", "2")
    p.send_signal(signal.SIGINT)
    until(lambda: "again: leave it" in told.read_text())
    said = "stopping; waiting for server.set: '%s' (again: leave it)\n"
    assert said % hand in told.read_text()
    p.send_signal(signal.SIGINT)
    assert p.wait(PATIENCE_S) == 130
    assert "as it was: x was 2. By hand: %s\n" % hand in told.read_text()
    assert lock.Leftovers(book.directory).changed


@pytest.mark.parametrize(
    "end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, "another", "failure", "a full disk"]
)
def test_the_users_server_is_as_it_was(
    tmp_path: pathlib.Path, end: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    """At the end, however it comes; after SIGKILL by resume, or before another experiment."""
    state = tmp_path / "option"
    state.write_text("2\n")
    again, left = "x was 2, is 2 again", "the server is not as it was: x was 2, is 1 "
    server: dict[str, Any] = {
        "server.kind": "commands",
        "server.option.x": 1,
        "server.check": "cat %s" % state,
        "server.set": "test ! -e %s/full && echo {value} >%s" % (tmp_path, state),
    }
    if isinstance(end, str) and end != "another":
        fails = {"FAIL": "table is gone", "FAIL_RUNS": "2,3,4"} if end == "failure" else {}
        exp = experiment({**fake(tmp_path, **fails), **server}, repeats=6)
        if end == "a full disk":
            last = "test $LAB_RUN -lt 6 || touch %s/full" % tmp_path
            exp = dataclasses.replace(exp, hooks=(Hook("after-run", last),))
        book, notes = new_book(tmp_path / "results", exp), Notes()
        with pytest.raises(LabError, match="table is gone" if end == "failure" else left):
            runner.run_all(exp, book.plan, book, notes)
        if end == "a full disk":
            (tmp_path / "full").unlink()
            assert not book.missing()
            runner.run_all(exp, book.plan, book, notes)
        assert notes.lines[-1] == again
    else:
        p, directory = begun(tmp_path, {**fake(tmp_path, SLEEP=2, SLEEP_RUNS="2"), **server}, 1)
        assert state.read_text() == "1\n"
        p.send_signal(signal.SIGKILL if isinstance(end, str) else end)
        p.wait(PATIENCE_S)
        book, notes = Book.open(directory), Notes()
        if end == "another":
            state.write_text("1\n")
            other = experiment(fake(tmp_path))
            runner.run_all(other, (made := new_book(tmp_path / "other", other)).plan, made, notes)
            assert notes.lines.index(again) < notes.lines.index("start")
        elif end == signal.SIGKILL:
            assert state.read_text() == "1\n"
            runner.run_all(book.experiment, book.plan, book, notes)
            assert notes.lines[-1] == again and not book.missing()
    assert state.read_text() == "2\n"
    assert not lock.Leftovers(book.directory).changed


def test_ctrl_c_keeps_a_disturbed_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was to end after this run: there is no other try."""
    monkeypatch.setattr(Notes, "begin", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, experiment(fake(tmp_path, OTHERS="60"), repeats=2, repeat_disturbed=3))
    (row,) = Book.open(str(tmp_path / "results")).rows()
    assert row["tries"] == 1 and row["disturbed"]


def test_ctrl_c_between_runs(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It does not wait for the end of the pause."""
    exp = experiment(fake(tmp_path), repeats=2, pause_s=6000)
    directory = new_book(tmp_path / "results", exp).directory
    p = child(directory)
    until(lambda: len(pathlib.Path(directory, "runs.csv").read_text().splitlines()) == 2)
    p.send_signal(signal.SIGINT)
    assert p.wait(PATIENCE_S) == 130
    assert capfd.readouterr().err in (NOW, FIRST)  # in the last moments of the run
    assert len(Book.open(directory).rows()) == 1


def test_ctrl_c_while_the_server_is_stopped(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server is; then the laboratory ends."""
    stopped = []

    def stop(self: Target) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        stopped.append(True)

    monkeypatch.setattr(Target, "stop", stop)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, experiment(fake(tmp_path)))
    assert stopped and capfd.readouterr().err == "stopping\n"
    assert len(Book.open(str(tmp_path / "results")).rows()) == 1


def test_a_hook_that_hangs_at_the_end_can_be_interrupted(tmp_path: pathlib.Path) -> None:
    """The first signal ends the experiment, the second one its hook; both leave no command."""
    hang = hooks(tmp_path, after="echo after >>%s/said; sleep 1000" % tmp_path)
    exp = experiment(fake(tmp_path, SLEEP=30), hooks=hang)
    p = child(new_book(tmp_path / "results", exp).directory)
    until(lambda: (tmp_path / "fake.log").exists() and "run" in commands(tmp_path))
    p.send_signal(signal.SIGTERM)
    until(lambda: "after" in (tmp_path / "said").read_text().splitlines())
    p.send_signal(signal.SIGINT)
    assert p.wait(PATIENCE_S) == 130


def test_after_sigkill_the_sysbench_that_is_left_is_stopped(tmp_path: pathlib.Path) -> None:
    p, directory = begun(tmp_path, fake(tmp_path, SLEEP=30), 0)
    p.kill()
    p.wait()
    client = lock.Leftovers(directory).client
    assert client is not None
    notes = Notes()
    with lock.held("/elsewhere") as left:  # as another laboratory would find it
        assert left == directory
        lock.clean(left, notes.note)
    assert notes.lines == ["stopped a sysbench that was left behind, pid %d" % client[0]]
    assert lock.Leftovers(directory).client is None
    assert Book.open(directory).rows() == []


@pytest.mark.parametrize(
    "what, was, now",
    [("version", "10.6.1-MariaDB", "11.4.2-MariaDB"), ("datadir", "/data/a", "/data/b")],
)
def test_resume_with_another_server_stops_or_says_so(
    tmp_path: pathlib.Path, what: str, was: str, now: str
) -> None:
    """Before a run is spent; it may be of the same version."""
    book, _ = run(tmp_path, experiment(fake(tmp_path, **{what.upper(): now}), repeats=3))
    book.note_environment("", {"server.variable." + what: was})
    book.forget([2, 3])
    said = "other runs were made with: server %s was %s, is %s. resume --anyway" % (what, was, now)
    with pytest.raises(LabError, match=said):
        runner.run_all(book.experiment, book.plan, book, Notes())
    assert len(Book.open(book.directory).rows()) == 1
    assert commands(tmp_path) == ["prepare", "run", "run", "run", "cleanup", "run"]
    assert "--events=1" in (tmp_path / "fake.log").read_text().splitlines()[-1]
    book.anyway = True
    runner.run_all(book.experiment, book.plan, book, Notes())
    assert not book.missing()
    told = "After 1 of 3 runs something else was measured (resume --anyway): server %s %s, then %s"
    assert told % (what, was, now) in Results(book.directory).sentences
    book.anyway = False
    book.forget([3])
    runner.run_all(book.experiment, book.plan, book, Notes())


@pytest.mark.parametrize("here, says", [("10.6.1", False), ("11.4.2", True)])
@pytest.mark.parametrize("other", ["load.x", "load.mysql-port"])
def test_an_upgrade_between_two_arms(
    tmp_path: pathlib.Path, other: str, here: str, says: bool
) -> None:
    """All arms that reach the same server count; one at another port is another server."""
    arms = factor("arm", other, 1, 2)
    exp = experiment(fake(tmp_path, VERSION=here), dataclasses.replace(arms, numeric=False))
    exp = dataclasses.replace(exp, x="")
    book, _ = run(tmp_path, exp)
    first = book.plan.cells[book.plan.runs[0].cell].levels["arm"]
    with open(os.path.join(book.directory, "environment.json"), "w") as f:
        json.dump({first: {"server.variable.version": "10.6.1"}}, f)
    book.forget([2])
    refused = says and other == "load.x"
    why = "was 10.6.1, is 11.4.2"
    ends: Any = pytest.raises(LabError, match=why) if refused else contextlib.nullcontext()
    with ends:
        runner.run_all(book.experiment, book.plan, book, Notes())
    assert len(book.rows()) == (1 if refused else 2)
    if not says:
        return
    if not refused:
        book.forget([2])
    second = book.plan.cells[book.plan.runs[1].cell].levels["arm"]
    book.note_environment(second, {"server.variable.version": "10.6.1"})
    book.anyway = True
    runner.run_all(book.experiment, book.plan, book, Notes())
    whose = "arm %s: " % second if other == "load.mysql-port" else ""
    told = "After 1 of 2 runs something else was measured (resume --anyway): "
    told += whose + "server version 10.6.1, then 11.4.2"
    assert [s for s in Results(book.directory).sentences if s.startswith("After")] == [told]


def test_a_second_laboratory_is_refused_and_touches_nothing(tmp_path: pathlib.Path) -> None:
    p, directory = begun(tmp_path, fake(tmp_path, SLEEP=30), 0)
    try:
        exp = experiment(fake(tmp_path))
        book = new_book(tmp_path / "second", exp)
        with pytest.raises(LabError, match="pid %d, results in %s" % (p.pid, directory)):
            runner.run_all(exp, book.plan, book, Notes())
        assert not os.listdir(tmp_path / "second" / "runs")
    finally:
        p.send_signal(signal.SIGTERM)
        p.wait()
