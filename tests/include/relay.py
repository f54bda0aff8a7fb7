#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that passes bytes on to a Unix socket, for the tests.

    relay.py ADDRESS SOCKET FILE [TEXT]...

Writes the port into FILE as soon as it listens.  Exit status 80 where there is no such address, as
without IPv6.  Runs until it is killed.

The first time that a client sends TEXT, it is passed on and the client's connection is reset; the
server's stays, so the server does what it was asked to.
"""

from __future__ import annotations

import asyncio
import os
import sys


async def pump(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, reset: asyncio.StreamWriter, cuts: list[bytes]
) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
        for text in [x for x in cuts if x in data]:
            cuts.remove(text)
            reset.transport.abort()
            await asyncio.Event().wait()
    sink.close()


async def serve(address: str, path: str, file: str, cuts: list[bytes]) -> int:
    async def client(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_unix_connection(path)
        await asyncio.gather(
            pump(source, questions, sink, cuts), pump(answers, sink, sink, []), return_exceptions=True
        )

    try:
        server = await asyncio.start_server(client, address, 0)
    except OSError:
        return 80
    with open(file + ".new", "w") as f:
        print(server.sockets[0].getsockname()[1], file=f)
    os.rename(file + ".new", file)
    await server.serve_forever()
    return 0


sys.exit(asyncio.run(serve(*sys.argv[1:4], [x.encode() for x in sys.argv[4:]])))
