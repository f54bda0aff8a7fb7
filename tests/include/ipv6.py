#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that listens on ::1, for the tests: passes bytes on to a Unix socket.

    ipv6.py SOCKET FILE

Writes the port into FILE as soon as it listens.  Exit status 80 where there is no IPv6.  Runs until
it is killed.
"""

from __future__ import annotations

import asyncio
import os
import sys


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()


async def serve(path: str, file: str) -> int:
    async def client(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_unix_connection(path)
        await asyncio.gather(pump(source, questions), pump(answers, sink), return_exceptions=True)

    try:
        server = await asyncio.start_server(client, "::1", 0)
    except OSError:
        return 80
    with open(file + ".new", "w") as f:
        print(server.sockets[0].getsockname()[1], file=f)
    os.rename(file + ".new", file)
    await server.serve_forever()
    return 0


sys.exit(asyncio.run(serve(sys.argv[1], sys.argv[2])))
