# SPDX-License-Identifier: GPL-2.0-or-later
"""The house's own scripts: build, check, lint, quickstart.

Standard library only, Python 3.8 or later; quickstart.py and
completion.py need 3.9, as sysbench-lab does.

bare.py        a bare Debian or Ubuntu by debootstrap, and commands that run in it
build.py       configure and make
check.py       scripts/check: build, unit tests, cram files, laboratory, drills, totals
completion.py  scripts/completion: the words of sysbench-lab for three shells
floors.py      scripts/floors: includes against the map of CONTRIBUTING.md
lint.py        scripts/lint: programs, and rules of our own
links.py       one of its rules: links of documents and manual pages
package*.py    scripts/package: build, list of parts, try in a bare system
quickstart.py  scripts/quickstart: builds, then runs `sysbench-lab quickstart`
"""

from sysbench_lab import LabError

__all__ = ["LabError"]
