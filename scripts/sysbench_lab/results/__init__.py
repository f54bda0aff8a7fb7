# SPDX-License-Identifier: GPL-2.0-or-later
"""What is on the disk: of one experiment, in a directory.

results_dir.py  Book writes it run by run, ResultsDir reads it
figures.py      the json report of a run becomes a Row; the one table of what figures there are
series.py       what runs are over time, outages, histograms and their logs added up
sheets.py       tables as text, Markdown and HTML
"""
