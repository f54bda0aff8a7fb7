# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers, directories and the machine's pulse; runs one drill and tells how it went."""

from __future__ import annotations

import tempfile

from lib.book import INCONCLUSIVE, Book, Outcome, tried
from lib.pulse import Pulse

from .server import Servers
from .table import Drill, Variant


class World:
    """Where drills take place."""

    def __init__(self, sysbench: str, keep: str, matrix: str = "") -> None:
        self.sysbench, self.keep = sysbench, keep
        self.servers = Servers(sysbench, matrix)
        self.log = tempfile.NamedTemporaryFile(prefix="sb-faults-pulse-")  # noqa: SIM115
        self.pulse = Pulse(self.log.name)
        self.pulse.start()

    def run(self, variant: Variant) -> Outcome:
        def drilled(book: Book, directory: str) -> None:
            d = Drill(variant.engine, variant.way, directory, self.sysbench, book, self.servers)
            try:
                if variant.engine in self.servers.known:
                    self.servers(variant.engine).heal()
                variant.row.function(d)
            finally:
                d.end()

        outcome = tried(variant.name, self.keep, self.pulse, drilled)
        outcome.tell()
        return outcome

    def run_all(self, variants: list[Variant]) -> list[Outcome]:
        """An inconclusive one a second time, when all have ended; what comes of that counts."""
        outcomes = [self.run(v) for v in variants]
        pairs = list(zip(variants, outcomes))
        return [self.run(v) if o.result == INCONCLUSIVE else o for v, o in pairs]

    def end(self) -> None:
        self.pulse.stop()
        self.log.close()
        self.servers.end()
