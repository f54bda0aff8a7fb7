#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that passes bytes on to a Unix socket, or a port of 127.0.0.1, for the tests.

    relay.py ADDRESS SOCKET|PORT FILE [--flip=FILE | TEXT]...

Writes the port into FILE as soon as it listens.  Exit status 80 where there is no such address, as
without IPv6.  Runs until it is killed.

The first time that a client sends TEXT, it is passed on and the client's connection is reset; the
server's stays, so the server does what it was asked to.  Once the file of --flip exists, one bit of
what a client sends next is changed.
"""

from __future__ import annotations

import asyncio
import os
import sys

cuts = [x.encode() for x in sys.argv[4:] if not x.startswith("--flip=")]
flips = [x[len("--flip=") :] for x in sys.argv[4:] if x.startswith("--flip=")]


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()


async def pump_questions(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, client: asyncio.StreamWriter
) -> None:
    while data := bytearray(await source.read(65536)):
        for file in [x for x in flips if os.path.exists(x)]:
            flips.remove(file)
            data[len(data) // 2] ^= 1
        sink.write(data)
        await sink.drain()
        for text in [x for x in cuts if x in data]:
            cuts.remove(text)
            client.transport.abort()
            await asyncio.Event().wait()
    sink.close()


async def serve(address: str, target: str, file: str) -> int:
    async def client(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            if target.isdigit():
                answers, questions = await asyncio.open_connection("127.0.0.1", int(target))
            else:
                answers, questions = await asyncio.open_unix_connection(target)
        except OSError:
            sink.close()
            return
        await asyncio.gather(
            pump_questions(source, questions, sink), pump(answers, sink), return_exceptions=True
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


sys.exit(asyncio.run(serve(*sys.argv[1:4])))
