# SPDX-License-Identifier: GPL-2.0-or-later
"""prepare_mysql.t: a signal in the middle of prepare."""

import signal
import subprocess
import sys
import time

signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job ignores it
p = subprocess.Popen(sys.argv[1:], stdout=open("out", "w"), stderr=open("err", "w"))
while "into 'sbtest1'" not in open("out").read() and p.poll() is None:
    time.sleep(0.01)
begun = time.monotonic()
p.send_signal(signal.SIGINT)
print("ended by", p.wait())
if time.monotonic() - begun > 2.5:
    open("slow", "w")  # it may not have waited for its threads
