# SPDX-License-Identifier: GPL-2.0-or-later
"""What the servers of ours have in common that speak MySQL's or PostgreSQL's protocol."""

from __future__ import annotations

import socket
from typing import Callable


def mysql_packet(number: int, data: bytes) -> bytes:
    return len(data).to_bytes(3, "little") + bytes([number & 255]) + data


def pgsql_message(kind: bytes, body: bytes = b"", length: int | None = None) -> bytes:
    size = len(body) + 4 if length is None else length
    return kind + size.to_bytes(4, "big", signed=True) + body


class Peer:
    """A socket that is read in messages; `got` is told what was read."""

    def __init__(self, conn: socket.socket, got: Callable[[bytes], object] = bool) -> None:
        self.conn, self.got = conn, got

    def read(self, n: int) -> bytes:
        data = b""
        while len(data) < n:
            some = self.conn.recv(n - len(data))
            if not some:
                self.got(data)
                raise EOFError
            data += some
        self.got(data)
        return data

    def read_packet(self) -> tuple[int, bytes]:
        """MySQL's: number and payload."""
        head = self.read(4)
        return head[3], self.read(int.from_bytes(head[:3], "little"))

    def read_body(self) -> bytes:
        """PostgreSQL's startup packet, or what is behind the kind of a message."""
        return self.read(int.from_bytes(self.read(4), "big") - 4)

    def read_message(self) -> tuple[bytes, bytes]:
        return self.read(1), self.read_body()

    def send(self, data: bytes) -> None:
        self.conn.sendall(data)
