# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts of this folder share: private database servers and the
runs of sysbench against them.  Standard library only, Python 3.8 or later.

    process.py     start, watch and stop a process; ports, limits, OS users
    instance.py    one private server: its folder, its state file, its life
    mariadb.py     how MariaDB is initialised, started and asked
    mysql.py       the same for MySQL
    postgresql.py  the same for PostgreSQL
    report.py      the text report of a run as numbers
    figures.py     figures of several runs as a table
    lint.py        the checks of scripts/lint
    lint_c.py      its rules for C
"""


class LabError(Exception):
    """A failure that its message explains in one sentence; no traceback wanted."""
