# SPDX-License-Identifier: GPL-2.0-or-later
"""The servers' names in the line of what was measured."""

from __future__ import annotations

import pytest

from ..plan import labels
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


@pytest.mark.parametrize(
    ("factor", "level", "text"),
    [
        ("load.threads", "1", "1 connection"),
        ("load.threads", "16", "16 connections"),
        ("server.option.thread_pool_size", "4", "thread_pool_size 4"),
        ("server.option.jit", "off", "jit off"),
        ("server.option.innodb_adaptive_hash_index", "ON", "innodb_adaptive_hash_index ON"),
        ("server.option.synchronous_commit", "local", "synchronous_commit local"),
        ("server.option.innodb_flush_method", "O_DIRECT", "innodb_flush_method O_DIRECT"),
        ("server.option.thread_handling", "pool-of-threads", "pool-of-threads"),
        ("arm", "10.6", "10.6"),
    ],
)
def test_a_level_says_of_what_it_is(factor: str, level: str, text: str) -> None:
    assert labels.level_text(factor, level) == text
