# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment, from a file or flags to an order of runs; and the words that all others share.

model.py       Experiment, Factor, Cell, PlannedRun, Row, CellSummary; does nothing
keys.py        the list of keys; values.py what they take, also "p99<20ms"; hosts.py that of
               client.hosts
experiment.py  a TOML file becomes a model.Experiment, or one sentence of complaint
flags.py       the command line as changes to the tree of a file
plan.py        an Experiment becomes cells and an order of runs
data.py        which cells can share tables: by the options that prepare looks at
found_rate.py  the highest rate of each cell under an objective, and a rate that is a share of
               what the server can do: by sysbench's search, and its answer
labels.py      how factors, arms and levels are called; for tables, pictures and page
toml.py        reads TOML, under an old Python with the package tomli
mask.py        passwords as ***, in the results, their page and their log
"""
