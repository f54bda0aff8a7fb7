# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cram tests of tests/t.  Standard library only, Python 3.8 or later; takes the place of
programs from scripts/sysbench_lab.

__main__.py    the command line: which files, in which order, and the totals
world.py       what every file sees: programs, environment, directories
servers.py     the private servers that the files share
cramfile.py    one file: what it needs, one run of it, the result
pulse.py       notices when the machine stands still
"""


class Bail(Exception):
    """No test can run; the message says why."""
