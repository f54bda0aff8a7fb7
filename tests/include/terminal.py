#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command on a terminal of its own and copies what it prints.

    terminal.py [--resize=WIDTH --type=KEYS --after=TEXT] WIDTH COMMAND [ARGUMENT...]

As soon as TEXT was printed the window gets the other width, and KEYS are typed.  The exit status is
the command's.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import struct
import sys
import termios


def set_width(fd: int, width: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))


def read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError:  # EIO: the other side is closed
        return b""


def main() -> int:
    p = argparse.ArgumentParser()
    p.add_argument("width", type=int)
    p.add_argument("--resize", type=int)
    p.add_argument("--type", default="")
    p.add_argument("--after")
    p.add_argument("command", nargs=argparse.REMAINDER)
    a = p.parse_args()
    pid, fd = pty.fork()
    if pid == 0:
        set_width(0, a.width)
        os.execvp(a.command[0], a.command)
    seen = b""
    while True:
        text = read(fd)
        if not text:
            break
        seen += text
        if a.after and a.after.encode() in seen:
            if a.resize:
                set_width(fd, a.resize)
            os.write(fd, a.type.encode())
            a.after = None
    sys.stdout.write(seen.decode().replace("\r\n", "\n"))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
