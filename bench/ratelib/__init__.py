# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of bench/rate.py.  Standard library only, Python 3.9 or later, Linux.

runner.py     one run of a program: its output line by line, its CPU, what disturbed it
parse.py      the outputs of the programs as figures
lab.py        the sitting: servers, contestants, the results directory
directory.py     its results directory
specs.py      how long and how often, and the contestants' command lines
sections.py   what is measured, as lists of runs; sections_servers.py against several servers
book.py       records by section and case, several of them as one figure
tables.py     records into Markdown
tables_servers.py  the sections that are measured against several servers
texts.py      the words of the report
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "scripts"))
