# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab: an experiment with sysbench, from a file to the answer.

What flows through, from top to bottom:

    main.py        the command line: run, plan, resume, show, find, compare, examples
                   commands.py    what each of them does
                   completion.py  for bash, zsh and fish, made from main's parser
                   place.py       where the sysbench to run, the examples and the version are
    experiment.py  a TOML file or flags become a model.Experiment, or one sentence of complaint
                   flags.py       the command line as changes to the tree of a file
                   keys.py        the list of keys; values.py what they take; hooks.py commands
    model.py       the words all share: Experiment, Factor, Cell, PlannedRun, Row; does nothing
    plan.py        an Experiment becomes cells and an order of runs
    target.py      the server under test: a private one, or the user's through commands
    runner.py      does the runs: restarts, hooks, warm-up, disturbance, repeats
    figures.py     the json report of a run becomes a Row: figures with units in their names
    book.py        the results folder: written run by run; read by resume, show and compare
    stats.py       medians, bootstrap intervals, effects; which runs count
    answer.py      the sentences: who is better, by how much, how certain
    search.py      the highest rate under an objective, the knee, steady state
    compare.py     results side by side, from readers/: labs, reports, stock's text, pgbench
    terminal.py    tables, progress and a plot for those on ssh
    pictures.py    PNG and SVG
    page/          one HTML page that needs no network
    servers/       private servers; scripts/dbserver and the tests use them too

servers/ and this file need the standard library of Python 3.8 only; the rest needs Python 3.11, and
says which package is missing when one is.
"""


class LabError(Exception):
    """A failure that its message explains in one sentence; no traceback wanted."""
