# SPDX-License-Identifier: GPL-2.0-or-later
"""A server between client and server that breaks the protocol, for sql_broken_each.t.

usage: tamper.py DIRECTORY mysql|pgsql SOCKET|PORT [CERTIFICATE KEY]

Writes its port of 127.0.0.1 into DIRECTORY/port, and passes on what client and server say, but for
every fifth answer with rows of a connection, with which it does what DIRECTORY/how says when the
client connects; it appends a byte to DIRECTORY/did for each.  With a certificate it offers TLS.

    again     the answer twice, in one piece
    later     the same, the second time when the client has read the first; DIRECTORY/busy is there
              until then
    on        twice, with the numbers of the packets going on (MySQL)
    number    a packet out of turn (MySQL)
    extra     a message more, at its end
    short     rows that end before their values do
    endless   rows without end
    silent    half of it, and nothing from then on
    deaf      the answer, and nothing is read from then on
    more      the announcement of a further result, and nothing from then on (MySQL)
    results   further results without end (MySQL)
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator, Sequence

from wire import Peer, mysql_packet, pgsql_message

TURN = 5
MORE_RESULTS, TLS = 8, 0x08
OK, OK_AND_MORE = (bytes([0, 0, 0, status, 0, 0, 0]) for status in (2, 2 + MORE_RESULTS))


class Protocol:
    """How its messages look: a kind or number, and a body."""

    def message(self, kind: Any, data: bytes) -> bytes:
        raise NotImplementedError

    def joined(self, messages: Sequence[tuple[Any, bytes]]) -> bytes:
        return b"".join(self.message(*m) for m in messages)

    def broken(self, how: str, answer: list[Any], whole: bytes) -> Iterator[bytes]:
        raise NotImplementedError

    def tampered(self, how: str, answer: list[Any]) -> Iterator[bytes]:
        whole = self.joined(answer)
        if how in ("again", "later"):
            yield whole * 2 if how == "again" else whole
            if how == "later":
                time.sleep(0.01)
                yield whole
        elif how == "deaf":
            yield whole
            time.sleep(1000)
        else:
            yield from self.broken(how, answer, whole)


class MySQL(Protocol):
    """Messages are packets: number and payload."""

    def message(self, kind: int, data: bytes) -> bytes:
        return mysql_packet(kind, data)

    @staticmethod
    def read(peer: Peer) -> tuple[int, bytes]:
        return peer.read_packet()

    def begin(self, client: Peer, server: Peer, tls: ssl.SSLContext | None) -> None:
        """Up to the end of the login; a request for TLS shifts its numbers by one."""
        number, hello = self.read(server)
        flags = hello.index(b"\0", 1) + 1 + 4 + 8 + 1
        mine = bytearray(hello)
        mine[flags + 1] = mine[flags + 1] & ~TLS | (TLS if tls else 0)
        client.send(self.message(number, bytes(mine)))
        number, login = self.read(client)
        shift = 0
        if login[1] & TLS and tls:
            client.conn = tls.wrap_socket(client.conn, server_side=True)
            number, login = self.read(client)
            shift = 1
        server.send(self.message(number - shift, bytes([login[0], login[1] & ~TLS]) + login[2:]))
        while True:
            number, data = self.read(server)
            client.send(self.message(number + shift, data))
            if data[0] in (0, 255):
                return
            number, data = self.read(client)
            server.send(self.message(number - shift, data))

    def ask(self, client: Peer, server: Peer) -> bool:
        """A command; false: it has no answer."""
        number, data = self.read(client)
        server.send(self.message(number, data))
        return data[0] not in (0x01, 0x19)

    def answer(self, server: Peer) -> list[tuple[int, bytes]]:
        found = [self.read(server)]
        first = found[0][1]
        ends = 0 if first[0] in (0, 255) else 2
        if first[0] == 0 and len(first) == 12:  # a statement is prepared: parameters, columns
            ends = (first[5:7] != b"\0\0") + (first[7:9] != b"\0\0")
        while ends:
            found.append(self.read(server))
            ends -= found[-1][1][0] == 0xFE and len(found[-1][1]) < 9
        return found

    def is_turn(self, answer: list[tuple[int, bytes]]) -> bool:
        return answer[0][1][0] not in (0, 255)  # rows

    def broken(self, how: str, answer: list[Any], whole: bytes) -> Iterator[bytes]:
        last, at = answer[-1][1], len(answer) - 2  # the row
        if how == "on":
            yield self.joined([(i + 1, m[1]) for i, m in enumerate(answer * 2)])
        elif how == "number":
            yield self.message(77, answer[0][1]) + whole[4 + len(answer[0][1]) :]
        elif how == "extra":
            yield whole + self.message(1, OK)
        elif how == "short":
            number, row = answer[at]
            yield self.joined([*answer[:at], (number, row[:4]), *answer[at + 1 :]])
        elif how == "endless":
            yield self.joined(answer[:at])
            number, row = answer[at]
            yield from itertools.repeat(self.joined([(number + i, row) for i in range(1024)]))
        elif how == "silent":
            yield whole[: len(whole) // 2]
            time.sleep(1000)
        elif how in ("more", "results"):
            yield whole[: -len(last)] + last[:3] + bytes([last[3] | MORE_RESULTS]) + last[4:]
            for number in itertools.count(answer[-1][0] + 1, 1000) if how == "results" else ():
                yield self.joined([(number + i, OK_AND_MORE) for i in range(1000)])
            time.sleep(1000)


class PostgreSQL(Protocol):
    """Messages are a kind and a body."""

    def message(self, kind: bytes, data: bytes) -> bytes:
        return pgsql_message(kind, data)

    @staticmethod
    def read(peer: Peer) -> tuple[bytes, bytes]:
        return peer.read_message()

    def begin(self, client: Peer, server: Peer, tls: ssl.SSLContext | None) -> None:
        while True:
            size = client.read(4)
            body = client.read(int.from_bytes(size, "big") - 4)
            if body[:2] != b"\x04\xd2":
                break
            asked = tls and body[:4] == (80877103).to_bytes(4, "big")
            client.send(b"S" if asked else b"N")
            if tls and asked:
                client.conn = tls.wrap_socket(client.conn, server_side=True)
        server.send(size + body)
        client.send(self.joined(self.answer(server)))

    def ask(self, client: Peer, server: Peer) -> bool:
        kind, data = self.read(client)
        server.send(self.message(kind, data))
        return kind in (b"Q", b"S")

    def answer(self, server: Peer) -> list[tuple[bytes, bytes]]:
        found = [self.read(server)]
        while found[-1][0] != b"Z":
            found.append(self.read(server))
        return found

    def is_turn(self, answer: list[tuple[bytes, bytes]]) -> bool:
        return any(kind == b"D" for kind, _ in answer)

    def broken(self, how: str, answer: list[Any], whole: bytes) -> Iterator[bytes]:
        at = [kind for kind, _ in answer].index(b"D")
        if how == "extra":
            yield self.joined([*answer[:-1], *answer[at:]])
        elif how == "short":
            yield self.joined([(k, d[:8] if k == b"D" else d) for k, d in answer])
        elif how == "endless":
            yield self.joined(answer[:at])
            while True:
                yield self.message(*answer[at]) * 1000
        elif how == "silent":
            yield self.joined(answer[:at]) + self.message(*answer[at])[:9]
            time.sleep(1000)


class Connection:
    def __init__(self, conn: socket.socket, words: list[str]) -> None:
        self.place, driver, target = Path(words[0]), words[1], words[2]
        self.protocol: Any = MySQL() if driver == "mysql" else PostgreSQL()
        self.how = (self.place / "how").read_text().strip()
        self.tls = None
        if len(words) > 3:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(words[3], words[4])
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client = Peer(conn)
        if target.isdigit():
            self.server = Peer(socket.create_connection(("127.0.0.1", int(target))))
        else:
            self.server = Peer(socket.socket(socket.AF_UNIX))
            self.server.conn.connect(target)

    def serve(self) -> None:
        p, turn = self.protocol, 0
        with contextlib.suppress(OSError, EOFError):
            p.begin(self.client, self.server, self.tls)
            while True:
                if not p.ask(self.client, self.server):
                    continue
                answer = p.answer(self.server)
                turn += p.is_turn(answer)
                if turn == TURN and self.how:
                    turn = 0
                    with open(self.place / "did", "a") as f:
                        f.write("1")
                    busy = self.place / "busy"
                    if self.how == "later":
                        busy.touch()
                    for piece in p.tampered(self.how, answer):
                        self.client.send(piece)
                    if self.how == "later":
                        busy.unlink()
                else:
                    self.client.send(p.joined(answer))
        self.client.conn.close()
        self.server.conn.close()


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)
    port = Path(sys.argv[1]) / "port"
    port.write_text(str(listener.getsockname()[1]))
    while True:
        connection = Connection(listener.accept()[0], sys.argv[1:])
        threading.Thread(target=connection.serve, daemon=True).start()


main()
