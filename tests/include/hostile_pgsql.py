# SPDX-License-Identifier: GPL-2.0-or-later
"""A hostile PostgreSQL server.  The database that the client asks for names how it behaves.

usage: hostile_pgsql.py DIRECTORY [CERTIFICATE KEY]

Listens on all addresses, at the port in DIRECTORY/port; without a certificate it refuses TLS.  What
it receives is in DIRECTORY/got, each piece as "DATABASE plain|tls BYTES", before it is answered.

LOGIN: what it asks for instead of letting the client in.  BROKEN: what it sends once a connection
has executed ten statements, which it answers like a server until then.  With "-early" behind the
name, it sends that in answer to the startup packet.
"""

import contextlib
import os
import random
import re
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time

from wire import Peer, pgsql_message


def message(kind: str, body: bytes = b"", length: "int | None" = None) -> bytes:
    return pgsql_message(kind.encode(), body, length)


def ask(method: int, body: bytes = b"") -> bytes:
    return message("R", struct.pack("!i", method) + body)


def error(state: str, text: bytes, level: bytes = b"ERROR") -> bytes:
    return message("E", b"S%s\0C%s\0M%s\0\0" % (level, state.encode(), text))


NOBODY = error("28P01", b"nobody is let in here", b"FATAL")
IDLE = message("Z", b"I")
ROWS = message("T", b"\0\1c\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0))
ROW = message("D", b"\0\1\0\0\0\1x")
END = message("C", b"SELECT 1\0")
WELCOME = ask(0) + b"".join(
    message("S", b"%s\0%s\0" % pair)
    for pair in ((b"server_version", b"15.0"), (b"standard_conforming_strings", b"on"))
)
WELCOME += message("K", b"\0\0\0\1\0\0\0\2") + IDLE
ANSWERS = {"P": message("1"), "B": message("2"), "D": ROWS, "E": ROW + END, "S": IDLE}
ANSWERS.update(Q=ROWS + ROW + END + IDLE, C=message("3"))

LOGIN = {
    "cleartext": ask(3),
    "md5": ask(5, b"salt"),
    "scram": ask(10, b"SCRAM-SHA-256\0\0"),
    "kerberos": ask(7),
    "unknown": ask(99),
    "control": error("28000", b"\x1b]0;pwned\x07 \x1b[2J \r\b", b"FATAL"),
}
BROKEN = {
    "garbage": bytes(random.Random(1).randrange(256) for _ in range(4096)),
    "zeros": bytes(4096),
    "close": b"",
    "half": ROWS + ROW[:7],
    "negative": message("D", b"", -5),
    "short": message("D", b"\0\1\0\0\0\x09x"),
    "huge": ROWS + message("D", b"x" * 99, 0x7FFFFFFF),
    "columns": ROWS + message("D", b"\xff\xff" + bytes(40)),
    "manycolumns": message("T", b"\xff\xff" + bytes(40)),
    "unended": message("E", b"SERROR"),
    "nullerror": message("E"),
    "login": ask(3) + ask(5, b"salt") + ask(10, b"SCRAM-SHA-256\0\0"),
    "copy": message("G", b"\0\0\0") + message("H", b"\0\0\0") + message("W", b"\0\0\0"),
    "repeated": (ROWS + END) * 999 + IDLE * 999,
    "notices": message("N", b"SX\0Mx\0\0") * 999 + message("A", b"\0\0\0\1a\0b\0") * 999,
    "rowless": END + ROW + ROWS + IDLE,
    "escapes": error("\x1b[2J\x07", b"\x1b]0;pwned\x07 \x1b[2J") + IDLE,
    "taken": error("42P05", b"somebody has a statement of that name") + IDLE,
}
FOR_EVER = ("rows", "silence", "mute")


class Client(socketserver.BaseRequestHandler):
    server: "Server"
    how = "?"

    def setup(self) -> None:
        self.peer = Peer(self.request, self.record)

    def record(self, piece: bytes) -> None:
        if not piece:
            return
        sort = "tls" if isinstance(self.peer.conn, ssl.SSLSocket) else "plain"
        self.server.record("%s %s %r\n" % (self.how, sort, piece))

    def startup(self) -> None:
        while True:
            body = self.peer.read_body()
            if body[:4] == struct.pack("!i", 80877103) and self.server.tls:
                self.peer.send(b"S")
                self.peer.conn = self.server.tls.wrap_socket(self.request, server_side=True)
            elif body[:4] in (struct.pack("!i", 80877103), struct.pack("!i", 80877104)):
                self.peer.send(b"N")
            else:
                found = re.search(rb"\0database\0([^\0]*)", body)
                self.how = found.group(1).decode() if found else "?"
                return

    def log_in(self) -> None:
        self.peer.send(LOGIN[self.how])
        _, body = self.peer.read_message()
        if self.how == "scram":
            nonce = re.sub(rb".*r=", b"", body) + b"more"
            self.peer.send(ask(11, b"r=%s,s=c2FsdA==,i=2147483647" % nonce))
            self.peer.read_message()
        self.peer.send(NOBODY)

    def be_broken(self, how: str) -> None:
        while how in ("silence", "mute"):
            self.peer.read_message()
        if how == "rows":
            self.peer.send(ROWS)
        while how == "rows":
            self.peer.send(ROW * 99)
            time.sleep(0.001)
        self.peer.send(BROKEN[how])
        if how in ("escapes", "taken"):
            return
        if how == "huge":
            self.peer.read(1)
        raise EOFError

    def serve(self) -> None:
        how, left, skip = self.how, 0 if self.how == "mute" else 10, False
        self.peer.send(WELCOME)
        while True:
            kind = self.peer.read_message()[0].decode("latin-1")
            if kind == "X":
                return
            if kind == "P" and how == "taken":
                self.be_broken(how)
                how, skip = "", True
            left -= kind in "EQ"
            if left < 0 and kind in "EQ" and how in (*BROKEN, *FOR_EVER):
                self.be_broken(how)
                how, skip = "", kind == "E"
            elif kind == "S" and skip:
                skip = False  # the Sync of what failed
            elif kind == "D" and how == "copy" and left == 0:
                self.peer.send(message("n"))  # libpq leaks a description that COPY follows
            elif not skip:
                self.peer.send(ANSWERS.get(kind, b""))

    def handle(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            self.startup()
            if self.how in LOGIN:
                self.log_in()
            elif self.how.endswith("-early"):
                self.be_broken(self.how[:-6])
            else:
                self.serve()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, directory: str, *certificate: str) -> None:
        super().__init__(("", 0), Client)
        self.got = open(directory + "/got", "a", buffering=1)  # noqa: SIM115  # until the end
        self.lock = threading.Lock()
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*certificate)
        with open(directory + "/port.new", "w") as f:
            f.write("%d\n" % self.server_address[1])
        os.rename(directory + "/port.new", directory + "/port")

    def record(self, line: str) -> None:
        with self.lock:
            self.got.write(line)

    def get_request(self) -> "tuple[socket.socket, object]":
        fd, peer = super().get_request()
        fd.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return fd, peer


if __name__ == "__main__":
    Server(*sys.argv[1:]).serve_forever()
