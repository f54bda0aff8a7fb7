# SPDX-License-Identifier: GPL-2.0-or-later
"""Private database servers, started, stopped and asked by their own programs.

    process.py     start, watch and stop a process; ports, limits, OS users
    programs.py    where the programs are
    instance.py    one private server: its directory, its state file, its life
    command.py     sysbench-lab server, scripts/dbserver
    engines.py     how MariaDB, MySQL and PostgreSQL are initialised, started and asked

Standard library only, Python 3.8 or later: the tests of the C program need them too.
"""
