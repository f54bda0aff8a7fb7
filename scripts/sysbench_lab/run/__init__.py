# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs: everything that starts a process but the server.

runner.py       restarts, hooks, warm-up, disturbance, repeats
client.py       sysbench: its command line, its process, its failures
ranks.py        a run over several load hosts: who is started how, and ended
remote.py       commands on a load host; meeting.py tries the hosts before anything starts
data.py         the tables, prepared when they change
hooks_env.py    the user's hooks, and what is in their environment
warmup.py       until it is steady
disturbance.py  CPU of others, throttling, power
rehearsal.py    what sysbench would refuse, before anything starts
signals.py      what Ctrl-C does, and when
lock.py         one laboratory at a time on a machine
leftovers.py    what a killed one leaves behind
"""
