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
from sysbench_lab.plan.model import Experiment, Measure

CASES = testing.cases("experiments")
FULL = CASES[0][0]


# What every experiment has: given to those that do not say it, and told of those that differ.
COMMON = {
    "load.script": "oltp_read_only", "server.kind": "private", "server.engine": "mariadb"
}  # fmt: skip


def of(text: str) -> Experiment:
    """Of TOML, whose lines may be divided by ` ; `."""
    tree = toml.loads(text.replace(" ; ", "\n"))
    if isinstance(tree.get("load", {}), dict) and text != "# no script":
        tree["load"] = {"script": COMMON["load.script"], **tree.get("load", {})}
    return experiment.from_dict(tree, "x.toml")


def described(exp: Experiment) -> str:
    """All of it but what is common, and defaults."""
    hooks = ["%s at %g: %s" % (h.moment, h.at_s, h.command) for h in exp.hooks]
    names = (f.name for f in dataclasses.fields(Measure))
    values = [(n, getattr(exp.measure, n), getattr(Measure(), n)) for n in names]
    return "\n".join([
        "%s: %s (%s), x: %s" % (exp.name, exp.title, exp.question, exp.x or "none"),
        *("%s = %r" % (k, v) for k, v in {**dict.fromkeys(COMMON), **exp.stays}.items()
          if v != COMMON.get(k)),
        *("measure %s = %r" % (name, value) for name, value, default in values if value != default),
        *("%s%s: " % (f.name, " (number)" * f.numeric)
          + ", ".join("%s = %s" % (n.name, dict(n.changes)) for n in f.levels)
          for f in exp.factors),
        *hooks,
    ])  # fmt: skip


def test_experiments() -> None:
    """What each key becomes; numbers are no axis unless they are an amount of load; a factor that
    restarts the server comes first; and what is wrong."""

    def said(text: str) -> str:
        try:
            return described(of(text))
        except LabError as e:
            file, _, sentence = str(e).partition(": ")
            assert file == "x.toml"
            return sentence

    assert testing.retold("experiments", said) == CASES


def test_saved_and_read_again() -> None:
    for text in (FULL, *(t for t, s in CASES if "ssh root" in t)):
        exp = of(text)
        assert experiment.from_saved(json.loads(json.dumps(dataclasses.asdict(exp)))) == exp


def test_damaged() -> None:
    saved = dataclasses.asdict(of(FULL))
    saved["factors"] *= 2
    with pytest.raises(ValueError, match="two factors have the same name"):
        experiment.from_saved(saved)


SCRIPT = '[load]\nscript = "oltp_read_only"\n'


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
