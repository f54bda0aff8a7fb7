# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs: everything that starts a process but the server.

runner.py       restarts, hooks, warm-up, disturbance, repeats
client.py       sysbench: its command line, process and failures; tables, prepared when they change
ranks.py        a run over several load hosts: who is started how, and ended
remote.py       commands on a load host
hooks_env.py    the user's hooks, and what is in their environment
warmup.py       until it is steady
disturbance.py  CPU of others, throttling, power
rehearsal.py    before anything starts: what sysbench would refuse, can load hosts work together
signals.py      what Ctrl-C does, and when
lock.py         one laboratory at a time on a machine
leftovers.py    what a killed one leaves behind
"""
