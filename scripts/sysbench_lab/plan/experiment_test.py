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
from sysbench_lab import LabError
from sysbench_lab.plan import experiment, plan, toml
from sysbench_lab.plan.model import Hook

FULL = """
name = "Two schedulers!"
title = "Which scheduler?"
question = "Which costs less?"

[load]
script = "oltp_read_only"
tables = 4
table_size = "50k"
tx-rate = 400
percentile = "50,95"
label = ["a=b", "c=d"]
prepare.threads = 2

[server.option]
innodb-buffer-pool-size = "256M"
"auto_explain.log_min_duration" = 5

[client]
cpus = "0"
env.MALLOC_ARENA_MAX = 1

[measure]
time = "2m"
warmup = 3
warmup-steady = true
repeats = 2
baseline = "pool"

[hooks]
before = "sync"
before-run = ["sync", "true"]
mid-run = { at = "10s", command = "kill -USR1 $LAB_SERVER_PID" }

[vary]
"load.threads" = [1, 16]

[[arm]]
name = "pool"
server.option.thread_handling = "pool-of-threads"

[[arm]]
name = "threads"
"server.option.thread-handling" = "one-thread-per-connection"
"""


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

MISTAKES = (
    # top
    ("nmae = 'x'\n" + SCRIPT, "there is no key 'nmae'; did you mean name?"),
    ("time = 5\n" + SCRIPT, "there is no key 'time'; did you mean measure.time?"),
    ("title = 5\n" + SCRIPT, "title takes one line of text, not 5"),
    ('title = "a\\nb"\n' + SCRIPT, "title takes one line of text, not 'a\\nb'"),
    ("load = 5\n", "load is a table: write [load], not load = 5"),
    ("measure = 5\n" + SCRIPT, "measure is a table: write [measure], not measure = 5"),
    ("[mesure]\ntime = 5\n" + SCRIPT, "there is no key 'mesure'; did you mean measure?"),
    # load
    ("", "load.script is missing; name a test, such as oltp_read_only"),
    ("[load]\nscript = ''\n", "load.script is empty; name a test, such as oltp_read_only"),
    (SCRIPT + "time = 5\n", "load.time is decided by measure.time"),
    (SCRIPT + "warmup_time = 5\n", "load.warmup-time is decided by measure.warmup"),
    (SCRIPT + "threads = 0\n", "load.threads takes a whole number from 1 on, not 0"),
    (SCRIPT + "threads = true\n", "load.threads takes a whole number from 1 on, not true"),
    (SCRIPT + "tx-rate = -1\n", "load.tx-rate takes a rate from 0 on, not -1"),
    (SHARE % "50 % of p99", NO_SHARE + "'50 % of p99'"),
    (SHARE % "101 % of p99<1s", NO_SHARE + "'101 % of p99<1s'"),
    (SHARE % "0 % of the server's CPU", NO_SHARE + "'0 % of the server's CPU'"),
    (
        SHARE % "50 % of p99<1s" + '[vary]\n"load.tx-rate" = [1, 2]\n',
        "load.tx-rate is found once, for all cells, but load.tx-rate varies it",
    ),
    (
        SCRIPT + "[[arm]]\nname = 'a'\nload.tx-rate = '50 % of p99<1s'\n",
        "load.tx-rate is found once, for all cells, but arm varies it",
    ),
    (
        SHARE % "50 % of p99<1s" + "tx-find = 'p99<1s'\n",
        "load.tx-rate = '50 % of p99<1s' and load.tx-find cannot be combined",
    ),
    (
        "launcher = 'mpirun -n 2'\n" + SHARE % "50 % of p99<1s",
        "load.tx-rate = '50 % of p99<1s' and client.launcher cannot be combined",
    ),
    (
        SHARE % "50 % of the server's CPU" + "server = 'off'\n",
        "load.tx-rate = '50 % of the server's CPU' needs the server's CPU, which is n/a:"
        " load.server is off",
    ),
    (
        (SHARE % "50 % of cpu<9%").replace("oltp_read_only", "cpu"),
        "load.tx-rate = '50 % of cpu<9%' needs the server's CPU, which is n/a: the test has no"
        " server",
    ),
    (
        SCRIPT + "tables = [1, 2]\n",
        "load.tables takes one value; what varies belongs under [vary], not [1, 2]",
    ),
    (SCRIPT + "table-size = 5\ntable_size = 6\n", "load.table-size is given twice"),
    (SCRIPT + "[client.env]\nA = true\n", "client.env.A takes text or a number, not true"),
    (SCRIPT + "a = 2020-01-01\n", "load.a takes text, a number, true or false, not 2020-01-01"),
    # server
    (
        SCRIPT + "[server]\nengin = 'x'\n",
        "there is no key 'server.engin'; did you mean server.engine?",
    ),
    (
        SCRIPT + "[server]\nengine = 'oracle'\n",
        "server.engine takes mariadb, mysql or postgresql, not 'oracle'",
    ),
    (
        SCRIPT + "[server]\ncpus = '0-'\n",
        "server.cpus takes CPUs as taskset does, such as \"0-3,8\", not '0-'",
    ),
    (
        SCRIPT + "[server]\ncpus = '3-0'\n",
        "server.cpus takes CPUs as taskset does, such as \"0-3,8\", not '3-0'",
    ),
    (SCRIPT + "[server]\nstart = 'x'\n", 'server.start needs server.kind = "commands"'),
    (OWN + "start = 'x'\n", "server.start and server.stop belong together; one is missing"),
    (
        OWN + "engine = 'mysql'\n",
        "server.engine is for a private server, but server.kind is commands",
    ),
    (
        OWN + "check = 'y'\n[server.option]\na = 1\n",
        "server.option.a cannot be set without server.set or server.start",
    ),
    (
        OWN + "set = 'y'\n[server.option]\na = 1\n",
        "server.option.a needs server.check, which shows that it took effect",
    ),
    (
        SCRIPT + "[server]\nkind = 'given'\n[server.option]\na = 1\n",
        "server.option.a cannot be set: server.kind is given, and nothing of it is changed",
    ),
    # measure
    (
        SCRIPT + "[measure]\ntimes = 5\n",
        "there is no key 'measure.times'; did you mean measure.time?",
    ),
    (SCRIPT + "[measure]\ntime = 0\n", "measure.time takes a number of seconds, at least 1, not 0"),
    (
        SCRIPT + "[measure]\ntime = '5x'\n",
        "measure.time takes a number of seconds, at least 1, not '5x'",
    ),
    (SCRIPT + "[measure]\nwarmup = -1\n", "measure.warmup takes a number of seconds, not -1"),
    (SCRIPT + "[measure]\ntime = '1500ms'\n", "measure.time takes whole seconds, not '1500ms'"),
    (SCRIPT + "[measure]\nrepeats = 0\n", "measure.repeats takes a whole number from 1 on, not 0"),
    (
        SCRIPT + "[measure]\nrepeats = 1.5\n",
        "measure.repeats takes a whole number from 1 on, not 1.5",
    ),
    (
        SCRIPT + "[measure]\nuntil = 'p99 5 %'\n",
        "measure.until takes a share such as '5 %', of cpu, throughput or p95: 'p95 5 %', not"
        " 'p99 5 %'",
    ),
    (
        SCRIPT + "[measure]\nuntil = 5\n",
        "measure.until is '5 %', but nothing varies that is compared",
    ),
    (
        SCRIPT + "tx-rate = 9\n[vary]\nload.x = ['a', 'b']\n[measure]\nuntil = 'throughput 5%'\n",
        "measure.until is 'throughput 5 %', but the throughput is the rate (load.tx-rate); name cpu"
        " or p95",
    ),
    (SCRIPT + "[measure]\nbudget = '30s'\n", "measure.budget is 30 s, but one round takes 35 s"),
    (
        SCRIPT + "[measure]\norder = 'baab'\n",
        "measure.order takes blocks, abba, shuffle or written, not 'baab'",
    ),
    (
        SCRIPT + "[measure]\nrestart = true\n",
        "measure.restart takes auto, run, round, change, cell or never, not true",
    ),
    (
        SCRIPT + "[measure]\ndisturbed_pct = 101\n",
        "measure.disturbed_pct takes a percentage from 0 to 100, not 101",
    ),
    (
        SCRIPT + "[measure]\nobjective = 'p99'\n",
        "measure.objective takes bounds such as 'p99<20ms' or 'p95<5ms and errors<1%', not 'p99'",
    ),
    (
        VARIED + "[measure]\nbaseline = 'poll'\n",
        "measure.baseline is 'poll', but there are no arms",
    ),
    (
        VARIED
        + """[measure]
baseline = 'poll'
[[arm]]
name = 'pool'
[[arm]]
name = 'one'
""",
        "measure.baseline: there is no arm 'poll'; there are 'pool', 'one'",
    ),
    (
        SCRIPT + '[measure]\nrestart = "never"\n[vary]\n"server.option.a" = [1, 2]\n',
        "measure.restart is never, but settings of the server vary",
    ),
    # hooks
    (SCRIPT + "[hooks]\nbefor = 'x'\n", "there is no key 'hooks.befor'; did you mean before?"),
    (SCRIPT + "[hooks]\nbefore = 5\n", "hooks.before takes a command, not 5"),
    (
        SCRIPT + "[hooks]\nmid-run = 'x'\n",
        "hooks.mid-run takes { at = SECONDS, command = \"...\" }, not 'x'",
    ),
    (
        SCRIPT + "[hooks]\nmid-run = { at = 30, command = 'x' }\n",
        "hooks.mid-run: at is 30 s, but a run ends at 30 s (measure.time)",
    ),
    # vary
    (SCRIPT + '[vary]\n"load.threads" = 5\n', "vary.load.threads takes a list, not 5"),
    (SCRIPT + '[vary]\n"load.threads" = []\n', "load.threads has no levels"),
    (SCRIPT + '[vary]\n"load.threads" = [1, 2, 1]\n', "load.threads has the level '1' twice"),
    (
        SCRIPT + '[vary]\n"load.threads" = [1, 0]\n',
        "load.threads takes a whole number from 1 on, not 0",
    ),
    (
        SCRIPT + '[vary]\n"measure.time" = [1, 2]\n',
        "vary.measure.time: what varies is a setting of load, server or client",
    ),
    (
        SCRIPT + '[vary]\n"threads" = [1, 2]\n',
        "there is no key 'threads'; did you mean load.threads?",
    ),
    (
        SCRIPT + '[vary]\n"load.a" = [{ name = "x" }]\n',
        'vary.load.a: a named level is { name = "...", value = ... }',
    ),
    # arms
    ("arm = 5\n" + SCRIPT, "arms are written [[arm]], each with a name"),
    (SCRIPT + "[[arm]]\nload.a = 1\n", "an [[arm]] has no name"),
    (SCRIPT + "[[arm]]\nname = ''\n", "arm: a name is one line of text, not ''"),
    (
        SCRIPT + "[[arm]]\nname = 'a'\nlaod.a = 1\n",
        "arm 'a': an arm changes settings of load, server and client, not 'laod'",
    ),
    (
        SCRIPT + "[[arm]]\nname = 'a'\nserver.engin = 'x'\n",
        "arm 'a': there is no key 'server.engin'; did you mean server.engine?",
    ),
    (SCRIPT + "[[arm]]\nname = 'a'\n[[arm]]\nname = 'a'\n", "arm has the level 'a' twice"),
    (
        VARIED + "[[arm]]\nname = 'a'\nload.threads = 1\n",
        "load.threads varies twice: in arm and in load.threads",
    ),
    # x
    ("x = 'load.tables'\n" + VARIED, "x: 'load.tables' does not vary; only load.threads does"),
    ("x = 'load.tables'\n" + SCRIPT, "x: 'load.tables' does not vary; nothing does"),
    (
        "x = 'arm'\n" + SCRIPT + "[[arm]]\nname = '1'\n",
        "x: the levels of 'arm' are not all numbers",
    ),
)


@pytest.mark.parametrize(("text", "sentence"), MISTAKES)
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
