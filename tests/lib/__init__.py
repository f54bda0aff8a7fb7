# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs below tests/ share.

harness.py        every harness: options, a server, signals, where files are kept, totals
child.py          commands that they start
book.py           one case: findings, result, directory
pulse.py          notices when the machine stands still
cram_servers.py   what the cram files of one run share (tests/cram)
"""
