# SPDX-License-Identifier: GPL-2.0-or-later
"""What each kind of value takes, what things are called, and what is known of options."""

from __future__ import annotations

import pathlib

import pytest

from sysbench_lab import LabError, testing
from sysbench_lab.plan import data, experiment, hosts, labels, mask, rounds, values
from sysbench_lab.plan.model import Measure
from sysbench_lab.results import figures


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
