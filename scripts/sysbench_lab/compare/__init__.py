# SPDX-License-Identifier: GPL-2.0-or-later
"""Results side by side, of any program that readers/ knows.

compare.py     the comparison, and conditions for its exit status
regression.py  is a version worse? a verdict and an exit status
"""
