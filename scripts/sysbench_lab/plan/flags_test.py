# SPDX-License-Identifier: GPL-2.0-or-later
"""Flags over a file: what replaces what, and the sentence for each mistake."""

from __future__ import annotations

import pathlib
import shlex

import pytest

from sysbench_lab import LabError, main, testing
from sysbench_lab.plan import experiment, flags
from sysbench_lab.plan.model import Experiment

FILE = testing.data("study.toml")


def of(directory: pathlib.Path, *argv: str, text: str = FILE) -> Experiment:
    path = str(directory / "study.toml")
    with open(path, "w") as f:
        f.write(text)
    args = main.parser().parse_args(["plan", path, *argv])
    return experiment.from_dict(flags.tree_of(experiment.read_tree(path), args), path)


def bare(*argv: str) -> Experiment:
    return experiment.from_dict(flags.tree_of(None, main.parser().parse_args(["plan", *argv])), "f")


def levels(exp: Experiment, factor: str) -> list[str]:
    return next([x.name for x in f.levels] for f in exp.factors if f.name == factor)


def test_values_replace_those_of_the_file(tmp_path: pathlib.Path) -> None:
    exp = of(tmp_path, "--table-size=50k", "--repeats=5", "--set", "measure.warmup_steady=false",
             "--set=load.percentile=50,99", "--set=title=12", "--slo=p99<20ms")  # fmt: skip
    assert exp.stays["load.table-size"] == "50k" and exp.stays["load.percentile"] == "50,99"
    assert (exp.measure.repeats, exp.measure.warmup_steady) == (5, False)
    assert (exp.title, exp.measure.objective) == ("12", "p99<20ms")


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["--threads=2,4,8"], ["2", "4", "8"]),
        (["--threads=2"], ["2"]),
        (["--set=load.threads=2,4"], ["2", "4"]),
        (["--vary=load.threads=2,4"], ["2", "4"]),
        (["--vary=load.threads=2", "--vary=load.threads=4"], ["2", "4"]),
        ([], ["1", "16"]),
    ],
)
def test_levels_of_the_file_are_replaced(
    tmp_path: pathlib.Path, argv: list[str], wanted: list[str]
) -> None:
    assert levels(of(tmp_path, *argv), "load.threads") == wanted


def test_quotes_are_those_of_a_file(tmp_path: pathlib.Path) -> None:
    exp = of(tmp_path, '--set=load.table-size="20k"', "--set=server.prefix='nice -n -18'",
             '--set=title="A \\"b\\""', '--set=hooks.before="$X" --all', '--set=measure.time="20"',
             "--vary=load.script='a,b','c'")  # fmt: skip
    assert exp.stays["load.table-size"] == "20k" and exp.stays["server.prefix"] == "nice -n -18"
    assert (exp.title, exp.hooks[0].command, exp.measure.time_s) == ('A "b"', '"$X" --all', 20)
    assert levels(exp, "load.script") == ["a,b", "c"]


def test_what_stays_can_vary(tmp_path: pathlib.Path) -> None:
    exp = of(tmp_path, "--vary=load.table_size=10,20", "--tx-rate=0,100.5")
    assert levels(exp, "load.table-size") == ["10", "20"]
    assert levels(exp, "load.tx-rate") == ["0", "100.5"]
    assert "load.table-size" not in exp.stays


def test_without_a_file() -> None:
    exp = bare("--script=oltp_insert", "--threads=4", "--set=hooks.before=sync",
               "--vary=server.option.innodb-flush=0,1", "--set=client.env.A=true")  # fmt: skip
    assert (exp.name, exp.title) == ("oltp-insert", "oltp_insert")
    assert exp.stays["load.threads"] == 4 and exp.stays["client.env.A"] == "true"
    assert levels(exp, "server.option.innodb_flush") == ["0", "1"]
    assert exp.hooks[0].command == "sync"


@pytest.mark.parametrize(("argv", "sentence"), testing.cases("mistakes_flags"))
def test_mistake(tmp_path: pathlib.Path, argv: str, sentence: str) -> None:
    with pytest.raises(LabError) as caught:
        of(tmp_path, *shlex.split(argv))
    assert str(caught.value).split("study.toml: ")[-1] == sentence


def test_every_short_flag_names_a_key() -> None:
    from sysbench_lab.plan import keys

    for short in flags.SHORT.values():
        head, _, rest = short.key.partition(".")
        if head == "measure":
            assert rest in keys.MEASURE
        elif rest:
            assert (
                keys.canonical(short.key) == short.key
                and keys.family_of(short.key)
                or short.key in keys.FIXED
            )
        else:
            assert head in keys.TOP


@pytest.mark.parametrize(
    ("value", "hooks"),
    [
        ('mid-run={ at = 1, command = "true" }', [(1, "true")]),
        ('mid_run=[{ at = 1, command = "a" }, { at = 2, command = "b" }]', [(1, "a"), (2, "b")]),
        ('before=["a, b", "c"]', [(0, "a, b"), (0, "c")]),
        ("before=[ -f x ] && y", [(0, "[ -f x ] && y")]),
        ("before={ a; b; }", [(0, "{ a; b; }")]),
    ],
)
def test_hooks_are_written_as_in_a_file(value: str, hooks: list[tuple[float, str]]) -> None:
    exp = bare("--script=cpu", "--time=3", "--set=hooks." + value)
    assert [(hook.at_s or 0, hook.command) for hook in exp.hooks] == hooks


def test_parts_of_the_hook_of_mid_run(tmp_path: pathlib.Path) -> None:
    text = FILE + '[hooks.mid_run]\nat = 20\ncommand = "old"\n'
    short = ("--time=6", "--set=hooks.mid-run.at=3")
    (hook,) = of(tmp_path, *short, text=text).hooks
    assert (hook.at_s, hook.command) == (3, "old")
    (hook,) = of(tmp_path, *short, "--set=hooks.mid_run.command=new one", text=text).hooks
    assert (hook.at_s, hook.command) == (3, "new one")
    with pytest.raises(LabError, match="hooks.mid-run takes"):
        of(tmp_path, "--set=hooks.mid-run.at=3")
    with pytest.raises(LabError, match="there is no key 'hooks.mid-run.when'"):
        of(tmp_path, "--set=hooks.mid-run.when=3")
