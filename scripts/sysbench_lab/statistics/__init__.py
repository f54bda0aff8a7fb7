# SPDX-License-Identifier: GPL-2.0-or-later
"""What follows from the runs of an experiment.

results.py      Results: a directory with all of the following; write() makes files of it
stats.py        medians, bootstrap intervals, effects; which runs count; stages of a rate
pooled.py       one change over all places, with its interval and what could have been seen
answer.py       the sentences: who is better, by how much, how certain; the knee of a curve
changes.py      before and after a mark in the middle of runs
breakdown.py    waits and system calls of a transaction, arms side by side
budget.py       what the time of a transaction went to, cell by cell
rank_rows.py    what each load host did
environment.py  in what the servers of the arms differ
"""
