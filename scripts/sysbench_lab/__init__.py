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
    target.py      the server under test: a private one (private_target.py), the user's through
                   commands (command_target.py), or one that is only used
    runner.py      does the runs: restarts, hooks, warm-up, disturbance, repeats
                   client.py      sysbench: its command line, its process, its failures
                   ranks.py       a run over several load hosts (hosts.py): who is started how, and
                                  ended; far.py runs commands there, meeting.py tries them first
                   data.py        the tables, prepared when they change
                   moments.py     the user's hooks, and what is in their environment
                   warmup.py      until it is steady
                   disturbance.py CPU of others, throttling, power
                   rehearsal.py   what sysbench would refuse, before anything starts
                   preload.py     libraries for LD_PRELOAD: there, and loaded
                   signals.py     what Ctrl-C does, and when
                   lock.py        one laboratory at a time on a machine
                   leftovers.py   what a killed one leaves behind
    figures.py     the json report of a run becomes a Row: figures with units in their names
    book.py        the results folder: written run by run; read by resume, show and compare
    mask.py        passwords as ***, in the book, its page and its log
    environment.py in what the servers of the arms differ
    stats.py       medians, bootstrap intervals, effects; which runs count
    answer.py      the sentences: who is better, by how much, how certain
    summary.py     the files of a folder that are drawn from its rows
    found_rate.py  the highest rate of each cell under an objective.py, and a rate that is a share
                   of what the server can do: by sysbench's search; tx_find.py reads its answer
    curve.py       the knee of a curve, the steady part of a series
    regression.py  is a version worse? a verdict and an exit status
    compare.py     results side by side, from readers/: labs, reports, stock's text, pgbench;
                   fail_if.py has its conditions, sheets.py its text, Markdown and HTML
    labels.py      how figures, arms and levels are called; for tables, pictures and page
    rank_rows.py   what each load host did, from the same reports
    series.py      what runs are over time, histograms added up; hlog.py reads logs of histograms
    terminal.py    tables; plot.py draws a curve in text, progress.py says how far it is
    pictures/      PNG and SVG
    page/          one HTML page that needs no network
    servers/       private servers; scripts/dbserver and the tests use them too

servers/, readers/own_text.py and this file need the standard library of Python 3.8 only; the rest
needs Python 3.11, and says which package is missing when one is.
"""


class LabError(Exception):
    """A failure that its message explains in one sentence; no traceback wanted."""

    status = 1  # of the program


class Disturbed(LabError):
    """The machine is too busy to measure anything."""

    status = 4
