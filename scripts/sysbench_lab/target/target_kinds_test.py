# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of target.py without a server: what kinds there are, and what is refused at once."""

from __future__ import annotations

import pathlib
import sys

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import plan
from sysbench_lab.plan.model import Settings
from sysbench_lab.target import target
from sysbench_lab.target.target import PrivateTarget
from sysbench_lab.testdata.runner_cases import experiment, factor


@pytest.mark.parametrize(
    "settings, kind",
    [
        ({"load.script": "oltp_read_only"}, "private"),
        ({"load.script": "oltp_read_only", "server.kind": "given"}, "given"),
        ({"load.script": "oltp_read_only", "server.kind": "commands"}, "commands"),
        ({"load.script": "cpu"}, "none"),
        ({"load.script": "fileio", "server.kind": "private"}, "none"),
    ],
)
def test_kind(settings: Settings, kind: str) -> None:
    assert target.make(experiment(settings)).kind == kind


def test_kinds_that_differ() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.kind", "given", "private"))
    with pytest.raises(LabError, match="server.kind cannot vary; this experiment has given, priv"):
        target.make(exp)


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("server.program", "server.program: there is no /nonexistent; name the program to measure"),
        ("client.program", "client.program: there is no /nonexistent; name the program to measure"),
        ("server.preload", "server.preload: there is no /nonexistent"),
        ("server.cpus", "server.cpus: '/nonexistent' is no list of CPUs"),
        ("client.cpus", "client.cpus: '/nonexistent' is no list of CPUs"),
    ],
)
def test_what_is_missing_is_missed_at_once(name: str, sentence: str) -> None:
    exp = experiment({"load.script": "x"}, factor("a", name, "", "/nonexistent"))
    with pytest.raises(LabError, match=sentence):
        target.make(exp)


def test_a_tmpdir_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/no/such/disk")
    exp = experiment({"load.script": "x"})
    with pytest.raises(LabError, match="^TMPDIR: /no/such/disk is no directory in which files can"):
        target.make(exp).check(plan.make(exp).cells)


def test_programs_that_are_no_server() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.program", "/bin/true"))
    with pytest.raises(LabError, match="^server.program: /bin/true is not a MariaDB server"):
        target.make(exp).check(plan.make(exp).cells)


def test_cpus_that_the_machine_does_not_have() -> None:
    with pytest.raises(LabError, match="client.cpus: there is no CPU 4000 to run on"):
        target.make(experiment({"load.script": "cpu", "client.cpus": "0,4000"}))


def test_cpus_of_a_server_that_is_not_ours() -> None:
    settings: Settings = {"load.script": "x", "server.kind": "given", "server.cpus": "0"}
    with pytest.raises(LabError, match="server.cpus is for a private server"):
        target.make(experiment(settings))


def test_room_for_the_largest_cell() -> None:
    threads = factor("threads", "load.threads", 1, 2048, 16)
    exp = experiment({"load.script": "x", "load.idle-connections": 100}, threads)
    made = target.make(exp)
    assert isinstance(made, PrivateTarget)
    assert made.connections == 2148


# ---- libraries that cannot be loaded; see target_test.py, too ----------------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")


@linux
def test_a_library_that_is_not_installed() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.preload", "", "libnothing.so.7"))
    with pytest.raises(LabError, match="^server.preload: libnothing.so.7 cannot be loaded: "):
        target.make(exp)


@linux
def test_a_file_that_is_no_library(tmp_path: pathlib.Path) -> None:
    (tmp_path / "libx.so").write_text("no library")
    with pytest.raises(LabError, match="libx.so cannot be loaded: "):
        target.check_can_load({"server.preload": str(tmp_path / "libx.so")}, {})


@linux
def test_libraries_that_are_there() -> None:
    target.check_can_load({"server.preload": "libc.so.6:libm.so.6"}, {})
    target.check_can_load({}, {})
