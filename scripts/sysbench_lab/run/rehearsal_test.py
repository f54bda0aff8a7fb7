# SPDX-License-Identifier: GPL-2.0-or-later
"""What sysbench refuses is refused before anything is begun."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest

from sysbench_lab import LabError, main, testing
from sysbench_lab.plan import plan
from sysbench_lab.plan.model import Settings, Value
from sysbench_lab.run import rehearsal
from sysbench_lab.testdata.runner_cases import experiment, factor, needs_sysbench, script, sysbench

OLD = "/usr/share/no-such-folder/tests/include/oltp_legacy/%s.lua"


def check(script: Value = "oltp_read_only", **load: Value) -> None:
    stays: Settings = {"client.program": sysbench(), "load.script": script}
    given = {"load." + name.replace("_", "-"): value for name, value in load.items()}
    exp = experiment({**stays, **given})
    rehearsal.check(plan.make(exp).cells)


@pytest.mark.parametrize("name", ["own.lua", "own"])
def test_a_script_is_a_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A FIFO is waited for by each run, and by this one."""
    monkeypatch.setattr(rehearsal, "told", lambda *_: pytest.fail("it is run"))
    os.mkfifo(tmp_path / "own.lua")
    exp = experiment({"client.program": "true", "load.script": str(tmp_path / name)})
    with pytest.raises(LabError, match="load.script: .*/own.lua, of .*, is a FIFO, not a file"):
        rehearsal.check(plan.make(exp).cells)


@needs_sysbench
def test_calls() -> None:
    """What sysbench refuses, in its words."""
    says = testing.called(check=check)

    def said(text: str) -> str:
        return says(text).replace(sysbench(), "sysbench").replace(", pgsql", "")

    assert testing.retold("calls_rehearsal", said) == testing.cases("calls_rehearsal")


@needs_sysbench
def test_options_of_scripts_of_05(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are built in read theirs; what no number is has one sentence."""
    for compat in ("", "0.5"):
        monkeypatch.setenv("SYSBENCH_COMPAT", compat)
        for name in ("oltp", "select", "select_random_ranges", "bulk_insert"):
            check(OLD % name, oltp_table_size="100k", oltp_read_only="on", of_nobody=5)
        with pytest.raises(LabError, match="oltp.lua: .*--oltp-table-size: '100kB' .a number fr"):
            check(OLD % "oltp", oltp_table_size="100kB")
        with pytest.raises(LabError, match="Invalid value for --random-points: 'x' .a number fr"):
            check(OLD % "select_random_points", random_points="x")


@needs_sysbench
def test_what_is_right_meets_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server, no other host, no file, no 100,000 threads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYSBENCH_COMPAT", "0.4")
    check(
        tx_rate=10,
        threads=100000,
        table_size="50k",
        mysql_host="no.such.host",
        server_via="ssh no.such.host",
        raw_log="raw",
        report_file="csv:x.csv",
        metrics_listen="no:where",
        server_profile="cpu",
        db_driver="mysql",
        report_interval=1,
        at=0,
        do="touch it",
    )
    check(db_driver="drizzle")
    check(script="cpu", cpu_max_prime=100)
    with pytest.raises(LabError, match="invalid option: --cpu-max-prim=5"):
        check(script="cpu", cpu_max_prim=5)
    assert os.listdir(tmp_path) == []


@needs_sysbench
def test_a_script_without_help(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.lua").write_text("function event() end\n")
    check(script=str(tmp_path / "mine.lua"), of_mine=5)
    (tmp_path / "mine.lua").write_text("function event( end\n")
    with pytest.raises(LabError, match="mine.lua:1: "):
        check(script=str(tmp_path / "mine.lua"))


@needs_sysbench
def test_a_program_without_its_scripts(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied, or installed below another directory than it was built for: one sentence, no
    directory."""
    monkeypatch.setenv("SB_LAB_LOCK", str(tmp_path.parent / "lock"))
    monkeypatch.chdir(tmp_path)
    program = str(shutil.copy(sysbench(), tmp_path))
    argv = ["run", "--script=./mine.lua", "--set=client.program=" + program, "--repeats=1"]
    assert main.main(argv) == 1
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1
    assert "Cannot find benchmark './mine.lua'" in said.err
    assert os.listdir(tmp_path) == ["sysbench"]


@needs_sysbench
def test_the_plan_finds_what_the_time_is_too_short_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SB_SYSBENCH", sysbench())
    argv = ["plan", "--script=oltp_read_only", "--set=load.tx-find='p99<20ms,steps=8,step=0.5'"]
    assert main.main([*argv, "--time=5"]) == 1
    assert "--time=5 is too short for --tx-find: 8 steps" in capsys.readouterr().err


@needs_sysbench
def test_each_line_is_tried_once(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "log"
    program = script(tmp_path / "program", 'echo "$@" >>%s\n' % log)
    exp = experiment(
        {"client.program": program, "load.script": "oltp_insert"},
        factor("t", "load.threads", 1, 2, 3),
        factor("r", "load.tx-rate", 10, 20),
    )
    rehearsal.check(plan.make(exp).cells)
    lines = log.read_text().splitlines()
    assert [line.split()[-1] for line in lines] == ["help", "run", "run"]


def test_a_program_of_another_machine_is_not_tried() -> None:
    far: Settings = {
        "client.prefix": "ssh far",
        "client.program": "sysbench-of-far",
        "load.script": "x",
    }
    rehearsal.check(plan.make(experiment(far)).cells)


@needs_sysbench
def test_a_sysbench_that_does_not_tell_what_prepare_looks_at(tmp_path: pathlib.Path) -> None:
    """Only a script of one's own is a question, and only if its tables are made."""
    other = script(tmp_path / "other", '"%s" "$@" | grep -v options-read\n' % sysbench())
    program = factor("program", "client.program", sysbench(), other)
    cases: list[tuple[str, bool, list[str]]] = [
        ("a.lua", True, [other]),
        ("a.lua", False, []),
        ("oltp_insert", True, []),
    ]
    for name, prepare, names in cases:
        exp = experiment({"load.script": name, "load.prepare": prepare}, program)
        text = (
            "%s does not tell what prepare looks at: any option of the test may change the tables"
        )
        assert rehearsal.untold(plan.make(exp).cells) == [text % n for n in names]
