# SPDX-License-Identifier: GPL-2.0-or-later
"""Files to experiments: what each key becomes, and the sentence for each mistake."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import pytest

import sysbench_lab
from sysbench_lab import LabError, testing
from sysbench_lab.plan import experiment, plan, toml
from sysbench_lab.plan.model import Hook

FULL = testing.data("full.toml")


def of(text: str) -> experiment.Experiment:
    return experiment.from_dict(toml.loads(text), "x.toml")


def test_every_table() -> None:
    exp = of(FULL)
    assert (exp.name, exp.title, exp.x) == ("Two-schedulers", "Which scheduler?", "load.threads")
    assert exp.stays == {
        "load.script": "oltp_read_only",
        "load.tables": 4,
        "load.table-size": "50k",
        "load.tx-rate": 400,
        "load.percentile": "50,95",
        "load.label": ("a=b", "c=d"),
        "load.prepare.threads": 2,
        "server.option.innodb_buffer_pool_size": "256M",
        "server.option.auto_explain.log_min_duration": 5,
        "server.kind": "private",
        "server.engine": "mariadb",
        "client.cpus": "0",
        "client.env.MALLOC_ARENA_MAX": "1",
    }
    assert [(f.name, f.numeric, [x.name for x in f.levels]) for f in exp.factors] == [
        ("arm", False, ["pool", "threads"]),
        ("load.threads", True, ["1", "16"]),
    ]
    assert exp.factors[0].levels[0].changes == {"server.option.thread_handling": "pool-of-threads"}
    assert (exp.measure.time_s, exp.measure.warmup_s, exp.measure.warmup_steady) == (120, 3, True)
    assert exp.hooks == (
        Hook("before", "sync"),
        Hook("before-run", "sync"),
        Hook("before-run", "true"),
        Hook("mid-run", "kill -USR1 $LAB_SERVER_PID", 10),
    )


def test_saved_and_read_again() -> None:
    exp = of(FULL)
    assert experiment.from_saved(json.loads(json.dumps(dataclasses.asdict(exp)))) == exp


def test_damaged() -> None:
    saved = dataclasses.asdict(of(FULL))
    saved["factors"] *= 2
    with pytest.raises(ValueError, match="two factors have the same name"):
        experiment.from_saved(saved)


SCRIPT = '[load]\nscript = "oltp_read_only"\n'


def test_named_levels_and_texts() -> None:
    exp = of(
        SCRIPT
        + """
[vary.client]
prefix = [{ name = "near", value = "" }, { name = "far", value = "ip netns exec far" }]
[vary.load]
skip_trx = [true, false]
tx-rate = [100, 2.5]
"""
    )
    assert [[x.name for x in f.levels] for f in exp.factors] == [
        ["near", "far"],
        ["on", "off"],
        ["100", "2.5"],
    ]
    assert exp.factors[0].levels[1].changes == {"client.prefix": "ip netns exec far"}
    assert exp.x == "load.tx-rate"


def test_factors_that_restart_the_server_come_first() -> None:
    exp = of(
        SCRIPT
        + """
[vary]
"load.threads" = [1, 2]
"server.option.innodb_io_capacity" = [100, 200]
"""
    )
    assert [f.name for f in exp.factors] == ["server.option.innodb_io_capacity", "load.threads"]
    assert exp.x == "load.threads"


def test_built_in_tests_have_no_server() -> None:
    exp = of('[load]\nscript = "cpu"\n')
    assert exp.stays["server.kind"] == "given" and "server.engine" not in exp.stays


VARIED = SCRIPT + '[vary]\n"load.threads" = [1, 2]\n'
SHARE = SCRIPT + 'tx-rate = "%s"\n'
NO_SHARE = (
    "load.tx-rate takes a number, or up to 100 % of the server's CPU or of bounds such as"
    " p99<20ms, not "
)
OWN = SCRIPT + '[server]\nkind = "commands"\n'


@pytest.mark.parametrize(("text", "sentence"), testing.cases("mistakes"))
def test_mistake(text: str, sentence: str) -> None:
    with pytest.raises(LabError) as caught:
        of(text)
    assert str(caught.value) == "x.toml: " + sentence


@pytest.mark.parametrize("x", ["threads", "load.threads"])
def test_x_by_its_short_and_its_full_name(x: str) -> None:
    assert of("x = '%s'\n" % x + VARIED).x == "load.threads"
    one = of("x = '%s'\n" % x + SCRIPT + "threads = 16\n")
    assert (one.x, [v.name for v in one.factors[0].levels]) == ("load.threads", ["16"])


def test_numbers_are_no_axis_unless_they_are_an_amount_of_load() -> None:
    for name in ("server.option.a", "load.range-size"):
        text = SCRIPT + '[vary]\n"%s" = [1, 2]\n' % name
        assert (of(text).x, of("x = '%s'\n" % name + text).x) == ("", name)


def test_a_set_command_changes_a_running_server() -> None:
    of(
        OWN
        + 'set = "s"\ncheck = "c"\n[measure]\nrestart = "never"\n'
        + '[vary]\n"server.option.a" = [1, 2]\n'
    )


def test_files(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "my study.toml"
    path.write_text(SCRIPT)
    assert experiment.from_dict(experiment.read_tree(str(path)), str(path)).name == "my-study"
    path.write_text("load = [")
    with pytest.raises(LabError, match="is not TOML: "):
        experiment.from_dict(experiment.read_tree(str(path)), str(path))
    with pytest.raises(LabError, match="cannot read .*: No such file or directory"):
        experiment.read_tree(str(tmp_path / "none.toml"))
    path.write_bytes(b"\xff")
    with pytest.raises(LabError, match="is not TOML: "):
        experiment.from_dict(experiment.read_tree(str(path)), str(path))


@pytest.mark.parametrize(
    ("command", "limit_s"),
    [("", 0.2), ("exec >$0; echo; exec sleep 1000", 0.2), ("exec yes >$0", 100)],
)
def test_a_fifo_that_does_not_end(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, command: str, limit_s: float
) -> None:
    monkeypatch.setattr(sysbench_lab, "WAIT_S", limit_s)
    path = tmp_path / "x.toml"
    os.mkfifo(path)
    writer = subprocess.Popen(["sh", "-c", command, path])
    try:
        with pytest.raises(LabError, match="cannot read .*: a FIFO whose writer did not end"):
            experiment.read_tree(str(path))
    finally:
        writer.kill()
        writer.wait()


def test_only_script() -> None:
    made = plan.make(of(SCRIPT))
    assert len(made.cells) == 1 and len(made.runs) == 5


def test_no_module_reads_toml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml, "reader", toml.reader.__wrapped__)
    monkeypatch.setattr(sys, "path", [])
    for name in ("tomllib", "tomli"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(LabError, match=r"needs the package tomli \(python3-tomli\) to read TOML"):
        toml.loads("")
