# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the cases take place: the hosts, the server, the machine's pulse.

Runs one case after the other.  Files of cases that did not pass are kept.  end() ends all that was
made, whatever happened.
"""

from __future__ import annotations

import os
from typing import Callable, NamedTuple, Sequence

from lib.book import FAILED, PASSED, Book, Outcome, tried
from lib.pulse import Pulse
from sysbench_lab import owned

from .net import DIRECT, Delay, Network
from .ranks import CLUSTER, Run, why_not
from .server import TEST, Server

OK, SKIPPED = "ok", "skipped"


class Options(NamedTuple):
    sysbench: str
    seconds: int
    rate: int
    connections: int
    keep: str


class Case(NamedTuple):
    """`check` notes what is wrong in the book and returns what was measured."""

    name: str
    check: Callable[[Stage], Sequence[str]]
    ranks: int
    launcher: str = CLUSTER
    delay: Delay = DIRECT


class Stage:
    """What a case's function gets."""

    def __init__(self, world: World, case: Case, directory: str, book: Book) -> None:
        self.world, self.case, self.directory, self.book = world, case, directory, book
        self.options, self.net = world.options, world.net
        self.runs: list[Run] = []

    @property
    def server(self) -> Server:
        return self.world.server()

    def begin(self, words: Sequence[str], ranks: int | None = None) -> Run:
        """The case's launcher starts these words on so many ranks (default: the case's)."""
        stem = os.path.join(self.directory, "run%d" % (len(self.runs) + 1))
        count = self.case.ranks if ranks is None else ranks
        run = Run(self.net, self.case.launcher, count, stem, self.options.sysbench)
        self.runs.append(run)
        return run.begin(words)

    def load(self, seconds: int, rate: int, clients: int, *more: str) -> Run:
        """Begins a load on the database host, when nobody else is connected to it."""
        self.server.alone()
        words = [TEST, *self.server.arguments(), "--threads=%d" % clients]
        words += ["--tx-rate=%d" % rate, "--time=%d" % seconds, "--server-waits=off", *more]
        return self.begin(words)

    def end(self) -> None:
        for run in self.runs:
            run.end()


class World:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.directory = owned.temporary("sb-netns-")
        os.chmod(self.directory, 0o711)
        self.net = Network(self.directory)
        self.pulse = Pulse(os.path.join(self.directory, "pulse"))
        self.found: Server | None = None

    def start(self) -> None:
        self.net.start()
        self.net.link()
        self.pulse.start()

    def server(self) -> Server:
        if self.found is None:
            self.found = Server(self.net, self.options.sysbench, self.options.connections)
        return self.found

    def run(self, case: Case) -> Outcome:
        why = why_not(case.launcher, self.options.sysbench)
        if why:
            return Outcome(case.name, SKIPPED, 0, [why], [], "")

        def checked(book: Book, directory: str) -> list[str]:
            stage = Stage(self, case, directory, book)
            try:
                self.net.link(case.delay)
                return [*case.check(stage), *self.delayed()]
            finally:
                stage.end()

        outcome = tried(case.name, self.options.keep, self.pulse, checked)
        return outcome._replace(result=OK) if outcome.result == PASSED else outcome

    def delayed(self) -> list[str]:
        """What made the delay, and how well."""
        by = self.net.by
        seen = self.net.unlink()
        if by and seen:
            what = "delay by %s: %d frames, %d dropped, late by %.3f ms on average, %.3f at most"
            late = [seen["late_%s_us" % k] / 1e3 for k in ("mean", "max")]
            return [what % (by, int(seen["frames"]), int(seen["dropped"]), late[0], late[1])]
        return ["delay by " + by] if by else []

    def end(self) -> None:
        try:
            if self.found is not None:
                self.found.end()
        finally:
            self.pulse.stop()
            self.net.end()
            owned.remove(self.directory, anyway=True)


__all__ = ["FAILED", "OK", "SKIPPED", "Case", "Options", "Stage", "World"]
