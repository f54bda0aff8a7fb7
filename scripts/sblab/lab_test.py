# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of this directory; run by scripts/check, or by

    python3 -m unittest discover -s scripts/sblab -t scripts -p '*_test.py'

With them run those of the private servers (scripts/sysbench_lab/servers), which do without pytest.
SB_NO_SERVER in the environment skips those that start a server.
"""

from __future__ import annotations

import unittest


def load_tests(
    loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None
) -> unittest.TestSuite:
    """For unittest: adds the tests of the private servers to those of this file."""
    tests.addTests(loader.loadTestsFromName("sysbench_lab.servers.servers_test"))
    return tests
