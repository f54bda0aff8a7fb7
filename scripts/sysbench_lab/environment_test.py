# SPDX-License-Identifier: GPL-2.0-or-later
"""environment.py: what differs, and only that."""

from __future__ import annotations

from typing import Any

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
B = dict(
    A,
    **{
        "server.process": "mariadbd (pid 11)",
        "server.variable.thread_handling": "pool-of-threads",
        "server.variable.socket": "/tmp/b.sock",
        "server.variable.query_cache": False,
        "server.library": ["/lib/libc.so.6", "/usr/lib/libjemalloc.so.2"],
        "missing": {},
    },
)


def test_differences_are_sorted_and_side_by_side() -> None:
    found = environment.differences({"threads": A, "pool": B})
    assert [(d.key, d.values) for d in found] == [
        (
            "server.library.libjemalloc.so.2",
            {"threads": "absent", "pool": "/usr/lib/libjemalloc.so.2"},
        ),
        ("server.variable.query_cache", {"threads": "n/a", "pool": "off"}),
        (
            "server.variable.thread_handling",
            {"threads": "one-thread-per-connection", "pool": "pool-of-threads"},
        ),
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
