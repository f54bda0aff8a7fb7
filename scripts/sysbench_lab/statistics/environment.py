# SPDX-License-Identifier: GPL-2.0-or-later
"""In what the environments of arms, or of results that are compared, differ.

An environment is what a json report holds under that name: all variables of the server, mapped
libraries, kernel, CPUs; of an arm also its settings.  differences() keeps the keys whose values are
not the same everywhere, sorted, with the values side by side.  What differs between any two servers
says nothing and is left out: process ids, ports, where a private server keeps its files.
"""

import re
from typing import Any, Mapping, NamedTuple

from .. import visible
from ..plan import labels
from ..plan.model import Experiment, Plan, Tree, arm_key

ALWAYS_DIFFERENT = re.compile(
    r"(client\.command|server\.process|server\.command|missing|load\..*password.*)$"
    r"|server\.variable\.(pid_file|(mysqlx_)?socket|((report|mysqlx|admin)_)?port|datadir|hostname"
    r"|server_uu?id|system_identifier|timestamp|last_insert_id|gtid_\w+)$"
)
# the directory of a private server
PRIVATE = re.compile(r"(?<![^\s:;,=])[^\s:;,=]*/sysbench-db-[^/\s]+")
ABSENT = (("server.library.", "absent"), ("server.variable.", "n/a"), ("host.", "n/a"))


class Difference(NamedTuple):
    key: str
    values: dict[str, str]  # by arm; n/a where it is unknown


def flat(environment: Tree) -> dict[str, str]:
    """Values as text; a list has one key for each of its items: server.library.libjemalloc.so.2."""
    found = {}
    for key, value in environment.items():
        if isinstance(value, list):
            for item in map(str, value):
                found["%s.%s" % (key, item.rsplit("/", 1)[-1])] = item
        elif isinstance(value, bool):
            found[key] = "on" if value else "off"
        elif not isinstance(value, dict):
            found[key] = "n/a" if value is None else str(value)
    return found


def with_settings(
    exp: Experiment, plan: Plan, environments: Mapping[str, Tree]
) -> dict[str, dict[str, Any]]:
    """Environments by arm, with the settings that stay along the axis."""
    axis = [level.changes for f in exp.factors if f.name == exp.x for level in f.levels]
    found: dict[str, dict[str, Any]] = {}
    for cell in plan.cells:
        given = {k: v for k, v in cell.settings.items() if not any(k in c for c in axis)}
        if known := environments.get(arm_key(exp, cell)):
            known = {**known, **found.get(labels.levels_text(cell, exp.x), {})}
            known.update({k: " ".join(v) if isinstance(v, tuple) else v for k, v in given.items()})
            found[labels.levels_text(cell, exp.x)] = known
    return found


def differences(environments: Mapping[str, Tree]) -> list[Difference]:
    """Sorted by key; empty with fewer than two environments."""
    arms = {name: flat(found) for name, found in environments.items() if found}
    keys = sorted({key for found in arms.values() for key in found})
    result = []
    for key in keys:
        absent = next((word for start, word in ABSENT if key.startswith(start)), "not set")
        values = {name: found.get(key, absent) for name, found in arms.items()}
        alike = {PRIVATE.sub("", value) for value in values.values()}
        if len(alike) > 1 and not ALWAYS_DIFFERENT.match(key):
            result.append(Difference(key, values))
    return result


def as_text(found: list[Difference]) -> str:
    """For environment-difference.txt: a key, then a line an arm."""
    lines = [] if found else ["No difference."]
    for d in found:
        width = max(map(len, d.values))
        lines += [d.key, *("    %-*s  %s" % (width, n, visible(v)) for n, v in d.values.items())]
    return "\n".join(lines) + "\n"
