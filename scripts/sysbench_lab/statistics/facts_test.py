# SPDX-License-Identifier: GPL-2.0-or-later
"""The servers' names in the line of what was measured."""

from __future__ import annotations

import pytest

from . import facts


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ({"server.variable.version": "10.11.6-MariaDB"}, "MariaDB 10.11.6"),
        ({"server.variable.version": "8.0.36-28"}, "MySQL 8.0.36"),
        ({"server.variable.server_version": "15.16 (Debian 15.16-0)"}, "PostgreSQL 15.16"),
        ({"host.name": "x"}, ""),
    ],
)
def test_servers_have_their_names(known: dict[str, str], name: str) -> None:
    assert facts.servers([known, known]) == [name] * bool(name)
