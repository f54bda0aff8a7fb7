# SPDX-License-Identifier: GPL-2.0-or-later
"""environment.py: what differs, and only that."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import testing
from ..plan.model import Factor, Level
from . import environment

A = {
    "host.kernel": "Linux 6.1",
    "server.process": "mariadbd (pid 10)",
    "server.variable.thread_handling": "one-thread-per-connection",
    "server.variable.socket": "/tmp/a.sock",
    "server.variable.query_cache": None,
    "server.library": ["/lib/libc.so.6"],
    "missing": {"host.cpu.governor": "no cpufreq"},
}
B = {
    **A,
    "server.process": "mariadbd (pid 11)",
    "server.variable.thread_handling": "pool-of-threads",
    "server.variable.socket": "/tmp/b.sock",
    "server.variable.query_cache": False,
    "server.library": ["/lib/libc.so.6", "/usr/lib/libjemalloc.so.2"],
    "missing": {},
}


def test_differences_are_sorted_and_side_by_side() -> None:
    found = environment.differences({"threads": A, "pool": B})
    assert all([*d.values] == ["threads", "pool"] for d in found)
    assert [(d.key, *d.values.values()) for d in found] == [
        ("server.library.libjemalloc.so.2", "absent", "/usr/lib/libjemalloc.so.2"),
        ("server.variable.query_cache", "n/a", "off"),
        ("server.variable.thread_handling", "one-thread-per-connection", "pool-of-threads"),
    ]


def test_options_of_the_experiment_differ_and_directories_of_private_servers_do_not() -> None:
    exp = testing.make_experiment(2, (1, 16), 1, 1)
    arms = exp.factors[0].levels
    unlike = Level(arms[1].name, {**arms[1].changes, "server.option.lwm": 10, "load.x": "a b"})
    exp = dataclasses.replace(
        exp, factors=(Factor("arm", (arms[0], unlike), False), exp.factors[1])
    )
    same = {"host.kernel": "6.1", "server.variable.lwm": "0"}
    known = {
        arm.name: {**same, "server.variable.log_error": "/tmp/sysbench-db-%d/server/log" % i}
        for i, arm in enumerate(arms)
    }
    found = environment.differences(environment.with_settings(exp, testing.make_plan(exp), known))
    assert [(d.key, list(d.values.values())) for d in found] == [
        ("load.x", ["not set", "a b"]),
        ("server.option.lwm", ["not set", "10"]),
        ("server.option.thread_handling", [arm.name for arm in arms]),
    ]


def test_text() -> None:
    found = environment.differences({"a": {"host.kernel": "6.1"}, "pool": {"host.kernel": "6.2"}})
    assert environment.as_text(found) == "host.kernel\n    a     6.1\n    pool  6.2\n"
    assert environment.as_text([]) == "No difference.\n"


def test_one_environment_or_an_unknown_one_differs_in_nothing() -> None:
    unknown: dict[str, Any] = {}
    assert environment.differences({"a": A}) == []
    assert environment.differences({"a": A, "b": unknown}) == []
    assert environment.differences({"a": A, "b": dict(A)}) == []
