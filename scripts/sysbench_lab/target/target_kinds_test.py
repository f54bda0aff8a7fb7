# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of target.py without a server: what kinds there are, and what is refused at once."""

from __future__ import annotations

from typing import Any

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import plan
from sysbench_lab.plan.model import Settings
from sysbench_lab.servers import process
from sysbench_lab.servers.instance import ENGINES, Instance
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


@pytest.mark.parametrize(
    "name, value, option",
    [
        ("thread_handling", "pool-of-threads", "--thread_handling=pool-of-threads"),
        ("flush", True, "--flush=ON"),
        ("flush", False, "--flush=OFF"),
        ("skip_name_resolve", True, "--skip-name-resolve"),
        ("ratio", 1.5, "--ratio=1.5"),
        ("plugins", ("a", "b"), "--plugins=a,b"),
    ],
)
def test_option(name: str, value: Any, option: str) -> None:
    assert target.options_of({"server.option." + name: value}) == [option]


def test_room_for_the_largest_cell() -> None:
    threads = factor("threads", "load.threads", 1, 2048, 16)
    exp = experiment({"load.script": "x", "load.idle-connections": 100}, threads)
    made = target.make(exp)
    assert isinstance(made, PrivateTarget)
    assert made.connections == 2148


@pytest.mark.parametrize(
    "engine, address, password",
    [
        ("mariadb", ["--mysql-host=127.0.0.1", "--mysql-port=33"], "--mysql-password=p"),
        ("postgresql", ["--pgsql-host=127.0.0.1", "--pgsql-port=33"], "--pgsql-password=p"),
    ],
)
def test_through_tcp(engine: str, address: list[str], password: str) -> None:
    server = Instance("/x", engine, user="u", databases=["d"], port=33, socket="/x/run/s")
    assert ENGINES[engine].arguments(server, tcp=True)[1:3] == address
    server.password = "p"
    assert ENGINES[engine].arguments(server)[-1] == password


@pytest.mark.parametrize("text, want", [("0-3,8", {0, 1, 2, 3, 8}), ("0-6:2", {0, 2, 4, 6})])
def test_cpu_set(text: str, want: set[int]) -> None:
    assert process.cpu_set(text) == want


@pytest.mark.parametrize("text", ["", "3-1", "a", "1,,2", "0-4:0"])
def test_bad_cpu_set(text: str) -> None:
    with pytest.raises(LabError, match="is no list of CPUs"):
        process.cpu_set(text)
