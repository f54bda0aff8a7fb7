#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that passes bytes on to a Unix socket, or a port of 127.0.0.1, for the tests.

    relay.py ADDRESS SOCKET|PORT FILE [--port=N] [--delay=MS] [--answers=BYTES]
        [--flip=FILE | TEXT]...

Writes the port into FILE as soon as it listens.  Exit status 80 where there is no such address, as
without IPv6.  Runs until it is killed.

--port: it listens there, not at a port that the system chooses.
--delay: everything arrives that much later, either way, as from a server that is far away.
--answers: of a connection's answers only the first BYTES arrive; it stays open and silent.
--flip: once the file exists, one bit of what a client sends next is changed.
TEXT: the first time that a client sends it, it is passed on and the client's connection is reset;
the server's stays, so the server does what it was asked to.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator

options = dict(x[2:].split("=", 1) for x in sys.argv[4:] if x.startswith("--"))
cuts = [x.encode() for x in sys.argv[4:] if not x.startswith("--")]
flips = [options["flip"]] if "flip" in options else []
delay = float(options.get("delay", 0)) / 1000
alive: list[object] = []  # tasks, which would end if nobody knew them
answered = int(options.get("answers", sys.maxsize))


async def arriving(source: asyncio.StreamReader) -> AsyncIterator[bytearray]:
    """What comes from there, each piece `delay` after it was sent; the end, too."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)

    async def read() -> None:
        data = b"first"
        while data:
            try:
                data = await source.read(65536)
            except OSError:
                data = b""
            await pieces.put((loop.time() + delay, data))

    alive.append(asyncio.create_task(read()))
    while True:
        at, data = await pieces.get()
        if at > loop.time():
            await asyncio.sleep(at - loop.time())
        if not data:
            break
        yield bytearray(data)


async def pump_answers(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    left = answered
    async for data in arriving(source):
        sink.write(data[:left])
        left -= len(data[:left])
        await sink.drain()
    sink.close()


async def pump_questions(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, client: asyncio.StreamWriter
) -> None:
    async for data in arriving(source):
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
        alive.append(asyncio.current_task())
        try:
            if target.isdigit():
                answers, questions = await asyncio.open_connection("127.0.0.1", int(target))
            else:
                answers, questions = await asyncio.open_unix_connection(target)
        except OSError:
            sink.close()
            return
        await asyncio.gather(
            pump_questions(source, questions, sink),
            pump_answers(answers, sink),
            return_exceptions=True,
        )

    try:
        server = await asyncio.start_server(client, address, int(options.get("port", 0)))
    except OSError:
        return 80
    with open(file + ".new", "w") as f:
        print(server.sockets[0].getsockname()[1], file=f)
    os.rename(file + ".new", file)
    await server.serve_forever()
    return 0


sys.exit(asyncio.run(serve(*sys.argv[1:4])))
