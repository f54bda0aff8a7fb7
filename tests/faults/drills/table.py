# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of drills: what a drill is, on which servers and in which ways it runs.

    @drill("killed", quick=True)
    def killed(d: Drill) -> None: ...

A drill that needs a server runs on both kinds.  A way is threads or workers, with a rate or
without; a drill whose fault has nothing to do with it runs in the first one only."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Sequence

from lib.book import Book

from .load import Load
from .server import ALL, BOTH, POSTGRESQL, Server

WAYS = ("threads-paced", "workers-paced", "threads-free", "workers-free")
PACED = WAYS[:2]
FIRST = WAYS[:1]
NOTHING = ("nothing",)
RATE = 40
SLEEP = "ffi.cdef('int usleep(unsigned)') function event() ffi.C.usleep(5000) end"
SQL = """
function thread_init() con = sysbench.sql.driver():connect() %s end
function event() %s end
"""
# quick drills that take 20 s together
SHORT = (
    "sigkill",
    "wrong-password",
    "missing-table",
    "killed-and-restarted",
    "connection-killed",
    "black-hole",
    "too-many-connections",
    "rate-above-capacity",
    "events-refused",
)


class Row(NamedTuple):
    """A drill; docs/reliability.md says what it shows."""

    name: str
    engines: Sequence[str]
    ways: Sequence[str]
    quick: bool | Sequence[str]
    function: Callable[[Drill], None]

    @property
    def what(self) -> str:
        return (self.function.__doc__ or "").strip().splitlines()[0]


class Variant(NamedTuple):
    row: Row
    engine: str
    way: str

    @property
    def name(self) -> str:
        return "/".join(w for w in (self.row.name, self.engine, self.way) if w != "nothing")


ROWS: list[Row] = []


def drill(
    name: str,
    engines: Sequence[str] = BOTH,
    ways: Sequence[str] = PACED,
    quick: bool | Sequence[str] = False,
) -> Callable[[Callable[[Drill], None]], Callable[[Drill], None]]:
    def add(function: Callable[[Drill], None]) -> Callable[[Drill], None]:
        ROWS.append(Row(name, engines, ways, quick, function))
        return function

    return add


def variants(quick: bool) -> list[Variant]:
    """All; with `quick` one of each quick drill, by turns on the one server and the other, or its
    quick ways."""
    if not quick:
        return [Variant(r, e, w) for r in ROWS for e in r.engines for w in r.ways]
    chosen = [r for r in ROWS if r.quick is True]
    return [
        Variant(r, r.engines[i % len(r.engines)], r.ways[(i // 2) % len(r.ways)])
        for i, r in enumerate(chosen)
    ] + [Variant(r, r.engines[0], w) for r in ROWS if r.quick is not True for w in r.quick or ()]


@dataclass
class Drill:
    """What a drill's function gets: a server, a directory, and runs of sysbench."""

    engine: str
    way: str
    directory: str
    sysbench: str
    book: Book
    find_server: Callable[[str], Server]
    loads: list[Load] = field(default_factory=list)
    prepare: Callable[[], object] | None = None  # what runs do before they begin

    @property
    def server(self) -> Server:
        return self.find_server(self.engine)

    @property
    def paced(self) -> bool:
        return self.way.endswith("paced")

    @property
    def mysql(self) -> bool:
        return self.engine != POSTGRESQL

    @property
    def kind(self) -> str:
        return "mysql" if self.mysql else "pgsql"

    def path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def write(self, name: str, text: str) -> str:
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def ignore(self, mysql: str, pgsql: str | None = None) -> str:
        """The option that ignores these errors."""
        return "--%s-ignore-errors=%s" % (self.kind, mysql if self.mysql else pgsql or mysql)

    def at(self, host: str, port: int) -> list[str]:
        """The options that lead to a server there."""
        words = ["--%s-host=%s" % (self.kind, host), "--%s-port=%d" % (self.kind, port)]
        return words + (["--mysql-socket="] if self.mysql else [])

    def command(
        self, test: str, *args: str, threads: int = 4, time: float = 60, rate: float = RATE
    ) -> list[str]:
        """A command line without its report files."""
        words = [self.sysbench, test, "--threads=%d" % threads, "--report-interval=1"]
        if not any(a.startswith("--time=") for a in args):
            words.append("--time=%g" % time)
        if self.engine in ALL:
            words += self.server.arguments()
        if test.startswith("oltp"):
            words.append("--table-size=1000")
        # either way is said: the default depends on the number of clients
        words.append("--workers=%d" % (2 if self.way.startswith("workers") else 0))
        return words + (["--tx-rate=%g" % rate] if self.paced else []) + list(args)

    def begin(self, words: Sequence[str], files: bool = True, **how: Any) -> Load:
        """Begins a run, which writes json, jsonl and csv."""
        stem = self.path("run%d" % (len(self.loads) + 1))
        if files:
            words = [*words, "--report-file=%s.json,%s.jsonl,%s.csv" % (stem, stem, stem), "run"]
        self.loads.append(Load(self.book, words, stem, **how))
        return self.loads[-1]

    def run(
        self, test: str, *args: str, prepare: Callable[[], object] | None = None, **more: Any
    ) -> Load:
        """Begins one of command()."""
        words = self.command(test, *args, **more)
        return self.begin(words, prepare=prepare or self.prepare)

    def begun(self, test: str, *args: str, done: int = 20, **more: Any) -> Load:
        """One that has done so many transactions."""
        load = self.run(test, *args, **more)
        load.started() and load.wait_done(done)
        return load

    def sleeper(self) -> str:
        """A script whose events wait, without a server."""
        return self.write("sleep.lua", SLEEP)

    def script(self, event: str, init: str = "") -> str:
        """One that is connected."""
        return self.write("event.lua", SQL % (init, event))

    def plain(self, *words: str, **how: Any) -> Load:
        """Any command line of sysbench, with nothing added."""
        return self.begin([self.sysbench, *words], files=False, **how)

    def end(self) -> None:
        """Ends what a drill left running."""
        for load in self.loads:
            if load.process.poll() is None:
                load.process.kill()
                load.process.wait()
