# SPDX-License-Identifier: GPL-2.0-or-later
"""cli_help.t: what a program prints on a terminal of 80 columns."""

import os
import pty
import sys

pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    part = os.read(fd, 65536)
    while part:
        text += part
        part = os.read(fd, 65536)
except OSError:
    pass
sys.stdout.write(text.decode().replace("\r\n", "\n"))
sys.exit(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
