# SPDX-License-Identifier: GPL-2.0-or-later
"""What each kind of value takes, what things are called, and what is known of options."""

from __future__ import annotations

import pathlib
import re
import subprocess

import pytest

from sysbench_lab import LabError, testing
from sysbench_lab.plan import data, experiment, hosts, labels, mask, rounds, values
from sysbench_lab.plan.model import Measure
from sysbench_lab.results import figures
from sysbench_lab.testdata.runner_cases import needs_sysbench, sysbench


def test_calls() -> None:
    modules = data, experiment, hosts, labels, mask, rounds, values
    found = testing.retold("calls_plan", testing.called(*modules, Measure=Measure))
    assert found == testing.cases("calls_plan")


def test_percentiles_have_one_name() -> None:
    wanted = [n for n in figures.percentile_columns(["99.99999"]) if n.startswith("lag")]
    assert wanted == [b.figure for b in values.parse_objective("lag p99.99999<1s")]


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 20000, "a = '\xff'"])
def test_files_that_break_the_reader(tmp_path: pathlib.Path, text: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(LabError, match="is not TOML: "):
        experiment.from_dict(experiment.read_tree(str(path)), str(path))


# ---- what sysbench says of options -----------------------------------------------


@needs_sysbench
def test_options_of_sysbench_itself_are_no_tests() -> None:
    text = subprocess.check_output([sysbench(), "--help=all"], text=True)
    names = re.findall(r"^ *--([a-z-]+)", text, re.M)
    assert len(names) > 80
    unknown = [n for n in names if not data.PLACE.fullmatch(n) and data.is_data(n, None)]
    assert unknown == []


@needs_sysbench
@pytest.mark.parametrize(
    "test", ["oltp_read_write", "oltp_insert", "select_random_points", "bulk_insert", "fileio"]
)
def test_what_tests_of_sysbench_look_at(tmp_path: pathlib.Path, test: str) -> None:
    own = ["--file-num=1", "--file-total-size=16K"] if test == "fileio" else ["--mysql-dry-run"]
    argv = [sysbench(), test, *own, "--options-read=read.txt", "prepare"]
    subprocess.run(argv, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    found = data.read_in((tmp_path / "read.txt").read_text()) or frozenset()
    shaping = {name for name in found if data.is_data(name, found)}
    place = {name for name in found if data.PLACE.fullmatch(name)}
    assert frozenset(shaping - place - {"mysql-dry-run"}) == data.before({"load.script": test})
