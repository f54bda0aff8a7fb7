# SPDX-License-Identifier: GPL-2.0-or-later
"""environment.py: what differs, and only that."""

from __future__ import annotations

import dataclasses

from .. import testing
from ..plan.model import Factor, Level
from . import environment


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
