# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers, directories and the machine's pulse; runs one drill and tells how it went."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any, NamedTuple

from lib.pulse import Pulse
from sblab import LabError
from sysbench_lab import owned

from .book import FAILED, INCONCLUSIVE, PASSED, Book
from .server import Server
from .table import Drill, Variant


class Outcome(NamedTuple):
    variant: Variant
    result: str
    seconds: float
    findings: list[str]
    directory: str

    def record(self) -> dict[str, Any]:
        return {
            "drill": self.variant.name,
            "what": self.variant.row.what,
            "result": self.result,
            "seconds": round(self.seconds, 3),
            "findings": self.findings,
        }


class World:
    """Where drills take place.  Directories of drills that did not pass are kept."""

    def __init__(self, sysbench: str, keep: str) -> None:
        self.sysbench, self.keep = sysbench, keep
        self.servers: dict[str, Server] = {}
        self.log = tempfile.NamedTemporaryFile(prefix="sb-faults-pulse-")  # noqa: SIM115
        self.pulse = Pulse(self.log.name)
        self.pulse.start()

    def server(self, engine: str) -> Server:
        if engine not in self.servers:
            self.servers[engine] = Server(engine, self.sysbench)
        return self.servers[engine]

    def run(self, variant: Variant) -> Outcome:
        directory = os.path.join(self.keep, variant.name.replace("/", "."))
        owned.fresh(directory)
        os.chmod(directory, 0o755)
        began = time.monotonic()
        book = Book(lambda: self.pulse.held_up(began))
        d = Drill(variant.engine, variant.way, directory, self.sysbench, book, self.server)
        try:
            if variant.engine in self.servers:
                self.servers[variant.engine].heal()
            variant.row.function(d)
        except (LabError, OSError, ValueError, KeyError, IndexError, TypeError) as e:
            book.true(False, "%s: %s" % (type(e).__name__, e))
        finally:
            d.end()
        outcome = Outcome(
            variant,
            book.result(),
            time.monotonic() - began,
            book.notes + book.wrong + book.doubts,
            directory,
        )
        if outcome.result == PASSED:
            owned.remove(directory)
        return outcome

    def run_again(self, outcome: Outcome) -> Outcome:
        """An inconclusive drill runs a second time; whatever comes out of that is its result."""
        return self.run(outcome.variant) if outcome.result == INCONCLUSIVE else outcome

    def end(self) -> None:
        self.pulse.stop()
        self.log.close()
        for server in self.servers.values():
            server.end()


__all__ = ["LabError", "FAILED", "INCONCLUSIVE", "PASSED", "Outcome", "World"]
