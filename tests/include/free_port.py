# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a TCP port of 127.0.0.1 that nobody listens on.

Not one that the kernel would give to a connection: until it is listened on, one of another test
might get it.
"""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path


def first_of_kernel() -> int:
    return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])


def is_free(port: int) -> bool:
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def main() -> None:
    draw = random.Random(os.getpid())
    while not is_free(port := draw.randrange(10000, max(first_of_kernel(), 10001))):
        pass
    print(port)


if __name__ == "__main__":
    main()
