# SPDX-License-Identifier: GPL-2.0-or-later
"""In what the environments of arms, or of results that are compared, differ.

An environment is what a json report holds under that name: server variables, mapped libraries,
kernel, CPUs.  differences() keeps the keys whose values are not the same everywhere, sorted, with
the values side by side.  What differs between any two runs says nothing and is left out: process
ids, command lines with folders of their own, the variables that count.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

ALWAYS_DIFFERENT = re.compile(
    r"(client\.command|server\.process|server\.command|missing)$"
    r"|server\.variable\.(pid_file|socket|port|datadir|hostname|server_uuid|timestamp|last_insert_id)$"
)


class Difference(NamedTuple):
    key: str
    values: dict[str, str]  # by arm; n/a where it is unknown


def flat(environment: Mapping[str, Any]) -> dict[str, str]:
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


def differences(environments: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    """Sorted by key; empty with fewer than two environments."""
    arms = {name: flat(found) for name, found in environments.items() if found}
    keys = sorted({key for found in arms.values() for key in found})
    result = []
    for key in keys:
        absent = "absent" if key.startswith("server.library.") else "n/a"
        values = {name: found.get(key, absent) for name, found in arms.items()}
        if len(set(values.values())) > 1 and not ALWAYS_DIFFERENT.match(key):
            result.append(Difference(key, values))
    return result


def as_text(found: list[Difference]) -> str:
    """For environment-difference.txt: a key, then a line an arm."""
    if not found:
        return "No difference.\n"
    width = max(len(name) for name in found[0].values)
    blocks = [
        "%s\n%s" % (d.key, "".join("    %-*s  %s\n" % (width, n, v) for n, v in d.values.items()))
        for d in found
    ]
    return "".join(blocks)
