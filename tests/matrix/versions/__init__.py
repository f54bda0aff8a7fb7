# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/matrix/run is made of.

place.py    where programs run: this system, or a suite of Debian in a namespace
builds.py   the builds of sysbench-tx, one for each client library
servers.py  a private server, by scripts/dbserver on either side
service.py  what a row of the table of servers is about: its base class
single.py   those that are one server
topologies.py   those that are several programs: proxies, clusters, a standby
columns.py  what each of them is put through
rows.py     their rows and their table
tests.py    the tests of a client library with a server, and that table
"""

from __future__ import annotations

import os

SOURCE = os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
)
