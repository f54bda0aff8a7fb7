# SPDX-License-Identifier: GPL-2.0-or-later
"""Files, values and names that would break something behind the reader of experiments."""

from __future__ import annotations

import pathlib

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import experiment


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = " + "9" * 5000, "is not TOML: "),
        ("a = " + "[" * 20000, "is not TOML: "),
        ("a = '\xff'", "is not TOML: "),
    ],
)
def test_files_that_break_the_reader(tmp_path: pathlib.Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(LabError, match=sentence):
        experiment.from_dict(experiment.read_tree(str(path)), str(path))


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("tx-rate", float("nan"), "load.tx-rate takes a finite number, not nan"),
        ("table-size", float("inf"), "load.table-size takes a finite number, not inf"),
        ("db-driver", "a\0b", "load.db-driver takes text in UTF-8 without a NUL"),
        ("db-driver", "\udcff", "load.db-driver takes text in UTF-8 without a NUL"),
        ("threads", 10**12, "load.threads takes a whole number from 1 to 1000000000, not 1000"),
        ("a b", 1, "'load.a b' has a character that no option and no variable has"),
        ("a=b", 1, "'load.a=b' has a character that no option and no variable has"),
    ],
)
def test_values_that_no_command_takes(key: str, value: object, sentence: str) -> None:
    tree = {"load": {"script": "oltp_read_only", key: value}}
    with pytest.raises(LabError, match=sentence):
        experiment.from_dict(tree, "x")


def test_an_engine_by_another_name_is_the_same_engine() -> None:
    tree = {"load": {"script": "x"}, "server": {"engine": "postgres"}}
    assert experiment.from_dict(tree, "x").stays["server.engine"] == "postgresql"


def test_levels_keep_their_digits() -> None:
    tree = {"load": {"script": "x"}, "vary": {"load.tx-rate": [1234567.5, 1234568.5, 0.1]}}
    (factor,) = experiment.from_dict(tree, "x").factors
    assert [level.name for level in factor.levels] == ["1234567.5", "1234568.5", "0.1"]
    assert factor.numeric


@pytest.mark.parametrize("name", ["1e999", "\u0663", "nan"])
def test_names_that_are_no_place_on_an_axis(name: str) -> None:
    tree = {
        "load": {"script": "x"},
        "vary": {"load.threads": [{"name": "1", "value": 1}, {"name": name, "value": 2}]},
    }
    assert experiment.from_dict(tree, "x").x == ""
