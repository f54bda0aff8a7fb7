# SPDX-License-Identifier: GPL-2.0-or-later
"""The house's own scripts: build, check, lint, quickstart.

Standard library only, Python 3.8 or later.

build.py       configure and make
check*.py      scripts/check: build, unit tests, cram files, totals
floors.py      scripts/floors: includes against the map of CONTRIBUTING.md
lint.py        the checks of scripts/lint
lint_c.py      its rules for C
figures.py     figures of several runs as a table
"""

from sysbench_lab import LabError

__all__ = ["LabError"]
