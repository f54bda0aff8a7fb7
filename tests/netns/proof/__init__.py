# SPDX-License-Identifier: GPL-2.0-or-later
"""Several load hosts and a database host in network namespaces, and what runs on them must show.

net      namespaces, names, clocks, links and their delay
world    a private server on the database host, the cases one after the other
ranks    one run on several ranks, by each launcher
book     what a case found and measured
truth    the same figures from elsewhere: raw logs, the server's counters, /proc
rate, clock, faults, idle     the cases
"""
