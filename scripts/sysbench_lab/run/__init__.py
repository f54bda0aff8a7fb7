# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs: everything that starts a process but the server.

runner.py       restarts, hooks and their environment, warm-up, disturbance, repeats
client.py       sysbench: its command line, process and failures
ranks.py        a run over several load hosts: who is started how, and ended; commands there
disturbance.py  CPU of others, throttling, power
check.py        what this machine allows, and what would disturb; is the server there
rehearsal.py    before anything starts: what sysbench would refuse, can load hosts work together
signals.py      what Ctrl-C does, and when
lock.py         one laboratory at a time on a machine; what a killed one leaves behind
"""
