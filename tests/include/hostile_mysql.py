# SPDX-License-Identifier: GPL-2.0-or-later
"""A MySQL server that means no good, for the cram tests.

usage: hostile_mysql.py PORT_FILE RECORD [KEY=VALUE]...

Listens on a port of 127.0.0.1, which it writes into PORT_FILE, and appends all that clients send,
decrypted, to RECORD.

    socket=PATH     listens there instead
    tls=NAME        offers TLS, with NAME.pem and NAME.key; else it has none
    first=N         offers it to the first N connections only
    greet=ANSWER    instead of the greeting
    greeting=PLUGIN announces this authentication plugin
    login=ANSWER    to the handshake response
    query=ANSWER prepare=ANSWER execute=ANSWER    to these commands
    broken=ANSWER;...    each in turn, to a query of the first connection, to a prepare of the next
                         and to an execute of the one after it

An answer is a list of packets with a comma between them: ok; more, an OK that announces another
result; file:PATH asks for that file; switch:PLUGIN/DATA asks for that plugin; full asks for a whole
password of SHA-2; key:FILE sends that key for it; error:TEXT; bytes:HEX anything; huge the
beginning of a packet that never ends; end closes the connection; silence keeps it and answers
nothing more.  DATA and TEXT may have escapes like \\x1b.
"""

from __future__ import annotations

import itertools
import socket
import ssl
import sys
import threading
from pathlib import Path

from wire import Peer, mysql_packet

SCRAMBLE = b"abcdefghijklmnopqrst"
# of protocol 4.1, with plugins, several statements and results; local files; TLS
CAPABILITIES, TLS = 0x00BFF7DF & ~0x0820, 0x0800
COMMANDS = {b"\x03": "query", b"\x16": "prepare", b"\x17": "execute"}
OK, MORE = (b"\0\0\0" + bytes([status, 0]) + b"\0\0" for status in (2, 10))
PREPARED = b"\0\1\0\0\0" + bytes(7)


def plain(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode("latin-1")


def packet(name: str) -> bytes:
    kind, _, value = name.partition(":")
    if kind == "file":
        return b"\xfb" + value.encode()
    if kind == "switch":
        plugin, _, data = value.partition("/")
        return b"\xfe" + plugin.encode() + b"\0" + (plain(data) or SCRAMBLE + b"\0")
    if kind == "key":
        return b"\1" + Path(value).read_bytes()
    if kind == "error":
        return b"\xff\x10\x04#08004" + plain(value)
    if kind == "bytes":
        return bytes.fromhex(value)
    return {"ok": OK, "more": MORE, "prepared": PREPARED, "full": b"\1\4"}[kind]


class Client(Peer):
    def __init__(self, conn: socket.socket, how: dict[str, str], number: int) -> None:
        super().__init__(conn, self.record)
        self.how, self.number, self.sequence = how, number, 0

    def record(self, data: bytes) -> None:
        with open(self.how["record"], "ab") as f:
            f.write(data)

    def receive(self) -> bytes:
        self.sequence, data = self.read_packet()
        return data

    def send(self, data: bytes) -> None:
        self.sequence = (self.sequence + 1) % 256
        self.conn.sendall(mysql_packet(self.sequence, data))

    def answer(self, packets: str) -> None:
        for name in packets.split(","):
            if name == "end":
                raise EOFError
            while name == "silence":
                self.receive()
            if name == "huge":
                self.conn.sendall(b"\xff\xff\xff\1" + bytes(70000))
            else:
                self.send(packet(name))
            if name.startswith(("file", "switch", "full", "key")):
                self.receive()

    def log_in(self) -> None:
        tls = self.how.get("tls") if self.number < int(self.how.get("first", "1000")) else None
        flags = CAPABILITIES | (TLS if tls else 0)
        low, high = (flags & 0xFFFF).to_bytes(2, "little"), (flags >> 16).to_bytes(2, "little")
        if "greet" in self.how:
            self.sequence = -1
            return self.answer(self.how["greet"])
        plugin = self.how.get("greeting", "mysql_native_password").encode()
        self.sequence = -1
        salt = (SCRAMBLE[:8] + b"\0", bytes([21]) + bytes(10) + SCRAMBLE[8:] + b"\0")
        hello = b"\x0a5.7.1-hostile\0" + bytes(4) + salt[0] + low + b"\x21\2\0" + high
        self.send(hello + salt[1] + plugin + b"\0")
        if self.receive()[1] & TLS >> 8 and tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls + ".pem", tls + ".key")
            self.conn = context.wrap_socket(self.conn, server_side=True)
            self.receive()
        self.answer(self.how.get("login", "ok"))

    def answer_to(self, command: str) -> str:
        broken, turn = self.how.get("broken", "").split(";"), self.number // len(COMMANDS)
        if broken[0] and command == list(COMMANDS.values())[self.number % len(COMMANDS)]:
            return broken[turn % len(broken)] + ",end"
        return self.how.get(command, "prepared" if command == "prepare" else "ok")

    def serve(self) -> None:
        try:
            self.log_in()
            while True:
                command = COMMANDS.get(self.receive()[:1], "")
                if command:
                    self.answer(self.answer_to(command))
        except (EOFError, OSError):
            self.conn.close()


def main() -> None:
    how = dict(pair.split("=", 1) for pair in sys.argv[3:])
    how["record"] = sys.argv[2]
    if "socket" in how:
        listener = socket.create_server(how["socket"], family=socket.AF_UNIX)
        Path(sys.argv[1]).write_text("1")
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        Path(sys.argv[1]).write_text(str(listener.getsockname()[1]))
    for number in itertools.count():
        client = Client(listener.accept()[0], how, number)
        threading.Thread(target=client.serve, daemon=True).start()


main()
