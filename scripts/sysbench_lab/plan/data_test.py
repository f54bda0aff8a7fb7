# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of data.py: what is known of tests and options before they run is what sysbench says."""

from __future__ import annotations

import pathlib
import re
import subprocess

import pytest

from sysbench_lab.plan import data
from sysbench_lab.testdata.runner_cases import sysbench

needs_sysbench = pytest.mark.skipif(not sysbench(), reason="no sysbench is built")


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
