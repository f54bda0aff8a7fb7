# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench's own search, as a setting and as the first step of an experiment: its answer in the
results.  With the real program where it is the answer that counts."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from typing import Any

import pytest

from sysbench_lab import LabError, commands, main
from sysbench_lab.plan import found_rate, plan
from sysbench_lab.plan.model import Factor, Hook, Level
from sysbench_lab.results.results_dir import Book
from sysbench_lab.run import runner
from sysbench_lab.statistics.results import Results
from sysbench_lab.testdata.runner_cases import (
    Notes,
    experiment,
    factor,
    fake,
    needs,
    needs_sysbench,
    new_book,
    run,
    sysbench,
)

SCRIPT = """
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(20000) end
"""
EXPERIMENT = """
client.program = "%s"
server.kind = "given"

[measure]
time = 30
warmup = 0
repeats = 1
repeat-disturbed = 0

[load]
script = "%s"
prepare = false
threads = 2
tx-rate = 20
tx-find = "p99<10s,step=0.5,precision=50,confirm=1"
"""


@needs_sysbench
def test_the_answer_is_in_the_results(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clients whose transactions take 20 ms do less than 100 a second; steps of half a second
    bear one more."""
    monkeypatch.setattr(commands, "draw", lambda results: [])
    (tmp_path / "serial.lua").write_text(SCRIPT)
    (tmp_path / "find.toml").write_text(EXPERIMENT % (sysbench(), tmp_path / "serial.lua"))
    directory = tmp_path / "results"
    assert (
        main.main(["run", str(tmp_path / "find.toml"), "--results=%s" % directory, "--plain"]) == 0
    )
    book = Book.open(str(directory))
    (row,) = book.rows()
    with open(os.path.join(book.run_directory(book.plan.runs[0]), "report.json")) as f:
        found = json.load(f)["summary"]["find"]
    assert (row["status"], row["target_tps"]) == ("done", None)
    assert row["held_tps"] == found["held_per_s"]
    if not found["confirmed"]:
        pytest.skip("no rate held: the machine stood still")
    assert 0 < row["held_tps"] < 110
    assert row["sustained"] == "yes"
    with open(directory / "summary.json", encoding="utf-8") as f:
        assert "held_tps" in f.read()


# ---- of each cell: sysbench-lab find ------------------------------------------------


def two_versions(directory: pathlib.Path, *more: Any, **measure: Any) -> Any:
    """Arms that can do 1000 and 2500 transactions a second; a search finds 80 % of that."""
    env = "client.env.FAKE_CAPACITY"
    arms = Factor("arm", (Level("old", {env: 1000}), Level("new", {env: 2500})), False)
    return experiment({**fake(directory), "load.tx-rate": 20}, arms, *more, time_s=8, **measure)


@pytest.mark.parametrize(("bounds", "wanted"), [("p99<18ms", "p99<18ms"), ("", "errors<=100%")])
def test_the_highest_rate_of_two_versions(tmp_path: pathlib.Path, bounds: str, wanted: str) -> None:
    exp = found_rate.searching(two_versions(tmp_path, objective=bounds, repeats=3))
    shown = plan.table(exp, plan.make(exp))
    holds = "holds p99<18ms" if bounds else "is sustained"
    assert "each run looks for the highest rate that %s, in about 16 steps of 2 s" % holds in shown
    assert plan.make(exp).estimate_s < 2 * 60
    book, _ = run(tmp_path, exp)
    lines = [x for x in (tmp_path / "fake.log").read_text().splitlines() if x.endswith(" run")]
    assert len(lines) == 2
    for line in lines:
        assert "--tx-find=%s,step=2,confirm=4 " % wanted in line and "--tx-rate" not in line
    results = Results(book.directory)
    assert [row["held_tps"] for row in results.rows] == [800, 2000]
    assert "%s held up to 2,000" % wanted in " ".join(results.sentences)


def test_what_cannot_be_searched(tmp_path: pathlib.Path) -> None:
    rates = factor("rate", "load.tx-rate", 100, 200)
    with pytest.raises(LabError, match="rate varies the rate, but a search finds it"):
        found_rate.searching(two_versions(tmp_path, rates))
    hooks = (Hook("mid-run", "true", 1),)
    with pytest.raises(LabError, match="hooks.mid-run: a search has no middle"):
        found_rate.searching(two_versions(tmp_path, hooks=hooks))


# ---- a rate that is found first ------------------------------------------------------


CPU = "20 % of the server's CPU"
MEASURE = {"time_s": 2, "warmup_s": 2, "warmup_steady": True, "repeats": 1}


def share(directory: pathlib.Path, rate: str = CPU, **env: Any) -> Any:
    """Three levels of connections; a change in the middle of each run, a warm-up before it."""
    stays: Any = {**fake(directory, **env), "load.tx-rate": rate}
    levels = factor("load.threads", "load.threads", 1, 16, 64)
    arms = factor("arm", "load.a", "old", "new")
    hook = Hook("mid-run", "true", 0.5)
    return experiment(stays, arms, levels, hooks=(hook,), **MEASURE)


@pytest.mark.parametrize(
    ("asked", "rate", "words"),
    [(CPU, 800, CPU), ("35 % of p99<1s", 280, "35 % of p99<1s (up to 800/s)")],
)
def test_a_rate_found_first(tmp_path: pathlib.Path, asked: str, rate: float, words: str) -> None:
    """Searched once, in the middle of the baseline, and not again after an interruption."""
    exp = share(tmp_path, asked)
    book = new_book(tmp_path / "results", exp)

    class Interrupted(Notes):
        def end(self, run: Any, row: Any) -> None:
            if run.number == 3:
                raise KeyboardInterrupt

    notes = Interrupted()
    with contextlib.suppress(KeyboardInterrupt):
        runner.run_all(exp, book.plan, book, notes)
    place = "at 16 connections of old"
    sentence = "rate: %d/s, found first: %s %s" % (rate, words, place)
    assert notes.lines[1:4:2] == ["first, the rate: %s %s" % (asked, place), sentence]
    again = Book.open(book.directory)
    assert len(again.missing()) == 3
    runner.run_all(again.experiment, again.plan, again, Notes())
    lines = [x for x in (tmp_path / "fake.log").read_text().splitlines() if x.endswith(" run")]
    lines = [x for x in lines if "--report-environment" not in x]  # what the server is
    assert ["--tx-find=" in line for line in lines] == [True] + 12 * [False]
    assert "--threads=16 " in lines[0] and "--tx-rate=" not in lines[0] and "do='" not in lines[0]
    assert ",step=0.5,precision=10 " in lines[0]
    assert all("--tx-rate=%d " % rate in line for line in lines[1:])
    assert ["do='" in line for line in lines[1:]] == 6 * [False, True]
    results = Results(book.directory)
    assert {row["target_tps"] for row in results.rows} == {rate}
    assert sentence in results.sentences
    commands.write_summary(results)
    with open(os.path.join(book.directory, "summary.json"), encoding="utf-8") as f:
        assert json.load(f)["found_rate"]["per_s"] == rate


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"FIND": '{"result": "none", "held_per_s": null}'}, "no rate held"),
        ({"FIND": '{"result": "stuck"}'}, "a backlog did not end"),
        ({"FAIL": "no telemetry"}, "sysbench ended with status 1: no telemetry"),
        (
            {"FIND": '{"why": "nothing was done", "limit": "latency"}'},
            "1,000/s is too much for another reason: nothing was done (limit: latency)",
        ),
    ],
)
def test_no_rate_is_found(tmp_path: pathlib.Path, env: dict[str, str], words: str) -> None:
    exp = share(tmp_path, **env)
    book = new_book(tmp_path / "results", exp)
    with pytest.raises(LabError) as caught:
        runner.run_all(exp, book.plan, book, Notes())
    assert str(caught.value) == "no rate was found for %s: %s" % (CPU, words)
    assert book.rows() == []
    assert Book.open(book.directory).experiment.stays["load.tx-rate"] == CPU


def test_the_plan_names_the_search(tmp_path: pathlib.Path) -> None:
    exp = share(tmp_path)
    shown = plan.table(exp, plan.make(exp))
    assert "first, the rate is found: %s at 16 connections of old, about 10 s\n" % CPU in shown
    known = share(tmp_path, rate="100")
    both = [plan.make(x).estimate_s for x in (exp, known)]
    assert both[0] - both[1] == found_rate.estimate_s(exp) == 10


@needs("mariadb")
@needs_sysbench
def test_a_share_of_the_servers_cpu(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "draw", lambda results: [])
    directory = str(tmp_path / "results")
    flags = ["--script=oltp_point_select", "--table-size=100", "--threads=4,8"]
    flags += ["--tx-rate=4 % of the server's CPU", "--time=2", "--warmup=0", "--repeats=1"]
    flags += ["--set=client.program=" + sysbench(), "--set=measure.disturbed_pct=100"]
    assert main.main(["plan", *flags]) == 0
    said = "%s at 4 connections" % "4 % of the server's CPU"
    assert "first, the rate is found: " + said in capfd.readouterr().out
    status = main.main(["run", *flags, "--results=" + directory, "--plain"])
    out, err = capfd.readouterr()
    if status and "no rate was found" in err:
        pytest.skip("the machine is too busy to search: " + err)
    assert status == 0
    results = Results(directory)
    found = results.exp.found
    assert found["per_s"] == results.plan.cells[1].settings["load.tx-rate"] != 0
    assert {row["target_tps"] for row in results.rows} == {found["per_s"]}
    assert "found first: %s\n" % said in out
    with open(os.path.join(directory, found_rate.DIRECTORY, "report.json"), encoding="utf-8") as f:
        step = json.load(f)["summary"]["find"]
    assert step["held_per_s"] == found["held_per_s"]
    assert step["objective"] == "server cpu<4%"
    assert main.main(["plan", *flags, "--set=load.server=off"]) == 1
    refused = capfd.readouterr().err
    assert main.main(["run", *flags, "--set=load.server=off"]) == 1
    assert capfd.readouterr().err == refused
    assert refused.endswith("needs the server's CPU, which is n/a: load.server is off\n")
