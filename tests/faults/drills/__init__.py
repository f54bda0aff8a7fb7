# SPDX-License-Identifier: GPL-2.0-or-later
"""Drills: one fault each, on a real server, and what must hold about the run that met it.

table.py    the list: what a drill is, on which servers and in which ways it runs
book.py     what was expected and not seen; inconclusive where only a bound of time did not hold
load.py     a run of sysbench, its output, its files, its accounts
server.py   a private server that is killed, frozen, filled and put right again
world.py    servers, directories and the machine's pulse; runs one drill
outage.py connect.py errors.py scripts.py ending.py limits.py surroundings.py    the drills
"""
