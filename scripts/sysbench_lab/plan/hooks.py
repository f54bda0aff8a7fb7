# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of the table [hooks].

    [hooks]
    before = "sync"
    before-run = ["sync", "echo 3 >/proc/sys/vm/drop_caches"]
    mid-run = { at = 10, command = "kill -USR1 $LAB_SERVER_PID" }

A moment has one command or a list.  The runner says what is in their environment.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from .. import LabError
from . import values as v
from .model import MOMENTS, Hook, Measure


def make(tree: Mapping[str, Any], measure: Measure) -> tuple[Hook, ...]:
    """The hooks of a table, those of a moment in the order in which they are written."""
    return tuple(hook for name, value in tree.items() for hook in of_moment(name, value, measure))


def of_moment(name: str, value: Any, measure: Measure) -> Iterator[Hook]:
    moment = name.replace("_", "-")
    if moment not in MOMENTS:
        raise LabError("there is no key 'hooks.%s'%s" % (name, v.near(moment, MOMENTS)))
    for one in value if isinstance(value, list) else [value]:
        yield mid_run(one, measure) if moment == "mid-run" else plain(moment, one)


def plain(moment: str, given: Any) -> Hook:
    if not isinstance(given, str) or not given.strip():
        raise LabError("hooks.%s takes a command, not %s" % (moment, v.shown(given)))
    return Hook(moment, given.strip())


def mid_run(given: Any, measure: Measure) -> Hook:
    if not isinstance(given, Mapping) or set(given) != {"at", "command"}:
        raise LabError('hooks.mid-run takes { at = SECONDS, command = "..." }')
    command = plain("mid-run", given["command"]).command
    try:
        at_s = v.seconds(given["at"])
    except ValueError as e:
        raise LabError("hooks.mid-run: at %s, not %s" % (e, v.shown(given["at"]))) from None
    if at_s >= measure.time_s:
        raise LabError(
            "hooks.mid-run: at is %g s, but a run ends at %g s (measure.time)"
            % (at_s, measure.time_s)
        )
    return Hook("mid-run", command, at_s)


def from_saved(saved: Sequence[Mapping[str, Any]]) -> tuple[Hook, ...]:
    """The hooks of lab.json."""
    return tuple(Hook(**hook) for hook in saved)
