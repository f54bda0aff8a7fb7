# SPDX-License-Identifier: GPL-2.0-or-later
"""Load hosts as they are written, and what does not go together."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import pytest

from sysbench_lab import LabError, main
from sysbench_lab.plan import experiment, flags, hosts
from sysbench_lab.plan.hosts import Host
from sysbench_lab.plan.model import Experiment


def of(**tree: Any) -> Experiment:
    return experiment.from_dict({"load": {"script": "oltp_read_only", "threads": 4}, **tree}, "x")


@pytest.mark.parametrize(
    "text, host",
    [
        ("local", Host("local")),
        ("ssh load2", Host("load2", ("ssh", "load2"))),
        ("ssh root@load2", Host("load2", ("ssh", "root@load2"))),
        ("ip netns exec far", Host("far", ("ip", "netns", "exec", "far"))),
        ("name=b local", Host("b")),
        ("env A=1", Host("A=1", ("env", "A=1"))),
        (
            "address=10.0.0.2 program='/opt/my sysbench' ssh c",
            Host("c", ("ssh", "c"), "10.0.0.2", "/opt/my sysbench"),
        ),
    ],
)
def test_texts(text: str, host: Host) -> None:
    assert hosts.parse(text) == host


def test_tables_say_the_same() -> None:
    table = {"via": "ssh root@load2", "program": "/opt/my sysbench", "address": "10.0.0.2"}
    exp = of(hosts=["local", table])
    text = "address=10.0.0.2 program='/opt/my sysbench' ssh root@load2"
    assert exp.stays["client.hosts"] == ("local", text)
    assert experiment.from_saved(dataclasses.asdict(exp)) == exp


def test_names_are_unique() -> None:
    used = hosts.of({"client.hosts": ("local", "local", "ssh local")})
    assert [h.name for h in used] == ["local", "local-2", "local-3"]


def test_number_of_hosts_as_a_factor() -> None:
    exp = of(hosts=["local", "ssh load2"], vary={"load_hosts": [1, 2]})
    assert [f.name for f in exp.factors] == ["client.load_hosts"]
    assert exp.x == ""  # they are arms: tables side by side
    used = [hosts.of({**exp.stays, **level.changes}) for level in exp.factors[0].levels]
    assert [len(u) for u in used] == [1, 2]
    assert hosts.prefix({**exp.stays, "client.load_hosts": 1}) == []
    assert hosts.prefix({"client.hosts": ("ip netns exec a", "local")}) == [
        "ip",
        "netns",
        "exec",
        "a",
    ]


@pytest.mark.parametrize(
    "tree, complaint",
    [
        ({"hosts": []}, "takes a list of hosts such as local or 'ssh load2'"),
        ({"hosts": [""]}, "takes hosts such as local or 'ssh load2'"),
        ({"hosts": ["name= local"]}, "takes hosts such as local"),
        ({"hosts": ["ssh 'load2"]}, "takes commands whose quotes are closed"),
        ({"hosts": "local,ssh b"}, "takes a list of hosts, and local has no words after it"),
        ({"hosts": ["local x"]}, "takes a list of hosts, and local has no words after it"),
        ({"hosts": ["adress=a local"]}, "takes name=, address= and program= before a command"),
        ({"hosts": ["name=a local", "name=a env A=1"]}, "different names: 'a' is there twice"),
        ({"hosts": [{"name": "a b"}, "name='a b' local"]}, "different names: 'a b' is there"),
        ({"hosts": ["local", 3]}, "client.hosts takes a list of hosts"),
        ({"hosts": 3}, "client.hosts takes a list of hosts"),
        ({"hosts": ["local"] * 2, "load_hosts": 3}, "load_hosts is 3, but client.hosts names 2"),
        ({"hosts": ["local"] * 2, "load_hosts": "two"}, "takes a whole number from 1 on"),
        ({"launcher": "mpirun 'x"}, "client.launcher takes a command whose quotes are closed"),
        ({"launcher": ["mpirun"]}, "client.launcher takes one line of text"),
        ({"client": {"prefix": "nice 'x"}}, "client.prefix takes a command whose quotes"),
        ({"hosts": [{"way": "ssh load2"}]}, "takes tables of name, via, address and program"),
        ({"hosts": ["local"], "load_hosts": 2}, "load_hosts is 2, but client.hosts names 1"),
        ({"load_hosts": 2}, "client.load_hosts is 2, but there are no client.hosts"),
        ({"hosts": ["local"], "client": {"hosts": ["local"]}}, "client.hosts is given twice"),
        ({"hosts": ["local"], "client": {"prefix": "nice"}}, "client.prefix and client.hosts"),
        ({"hosts": ["local"], "launcher": "mpirun"}, "client.hosts and client.launcher"),
        ({"host": ["local"]}, "there is no key 'host'; did you mean hosts?"),
        ({"hosts": ["local"] * 5}, "load.threads is 4, but 5 load hosts share it"),
        (
            {"hosts": ["local"] * 2, "load": {"script": "cpu", "threads": 4, "tx-find": "p99<9ms"}},
            "load.tx-find works on one load host",
        ),
        ({"load": {"script": "cpu", "cluster": "a:1"}}, "load.cluster is decided by client.hosts"),
    ],
)
def test_what_does_not_go_together(tree: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LabError, match=complaint):
        of(**tree)


@pytest.mark.parametrize(
    "argv, stays, levels",
    [
        (["--hosts=local,ssh load2"], ("local", "ssh load2"), []),
        (
            ["--hosts=local, ssh b", "--load-hosts=1,2"],
            ("local", "ssh b"),
            ["1 load host", "2 load hosts"],
        ),
        (
            ["--set", "hosts=local,local", "--vary", "load_hosts=2"],
            ("local", "local"),
            ["2 load hosts"],
        ),
    ],
)
def test_flags(argv: list[str], stays: tuple[str, ...], levels: list[str]) -> None:
    args = parsed(["run", "--script=oltp_read_only", "--set", "load.threads=4", *argv])
    exp = experiment.from_dict(flags.tree_of(None, args), "flags")
    assert exp.stays["client.hosts"] == stays
    assert [level.name for f in exp.factors for level in f.levels] == levels


def test_a_flag_wins_over_the_key_above_all_tables(tmp_path: Any) -> None:
    path = tmp_path / "x.toml"
    path.write_text('hosts = ["local", "ssh b"]\nload-hosts = 1\n[load]\nscript="cpu"\nthreads=9\n')
    args = parsed(["run", str(path), "--hosts=local,local", "--load-hosts=1,2"])
    exp = experiment.from_dict(flags.tree_of(experiment.read_tree(str(path)), args), "flags")
    assert exp.stays["client.hosts"] == ("local", "local")
    assert [level.name for f in exp.factors for level in f.levels] == [
        "1 load host",
        "2 load hosts",
    ]


def parsed(argv: list[str]) -> argparse.Namespace:
    return main.parser().parse_args(argv)
