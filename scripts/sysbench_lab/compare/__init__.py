# SPDX-License-Identifier: GPL-2.0-or-later
"""Results side by side, of any program that readers/ knows.

conditions.py  --fail-if: does a condition hold, for certain or by chance?
gate.py        what CI reads: exit status, JUnit, Markdown, a history
compare.py     the comparison
regression.py  is a version worse? a verdict of each arm
"""
