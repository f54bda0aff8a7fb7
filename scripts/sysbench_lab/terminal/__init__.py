# SPDX-License-Identifier: GPL-2.0-or-later
"""What a terminal shows.

text_tables.py  the tables of an experiment, and a curve in text
progress.py     how far it is
"""
