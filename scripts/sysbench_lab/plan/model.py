# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of an experiment: what varies, what stays, what is run, what a run gave.

An experiment varies factors.  Each level of a factor changes some settings; a cell takes one level
of each factor, and its settings are those that stay plus those changes.  A run is one measurement
of a cell; the rounds repeat all cells.  Everything downstream (runner, results, statistics,
pictures) takes these classes and nothing else.

A setting has a dotted name:

    load.script             the test: a bundled script, a path, or a built-in test
    load.NAME               an option of sysbench or of the script, without the dashes: load.threads
    load.prepare            False: the tables are there and stay as they are
    load.prepare.NAME       an option of the prepare command alone: load.prepare.threads
    server.kind             "private": one of ours; "commands": the user's, see server.start;
                            "given": it runs, and nothing is changed
    server.engine           mariadb, mysql, postgresql; of a private server
    server.program          its binary; of a private server
    server.option.NAME      an option of the server: server.option.thread_handling; spelt _ or -
    server.env.NAME         a variable of the environment of the server
    server.preload          a library for LD_PRELOAD of the server (an allocator)
    server.cpus             CPUs for the server, as taskset spells them: "0-3,8"
    server.start, server.stop, server.set, server.check
                            of kind "commands"; {option} and {value} are filled in
    server.restore          False: its options stay as they are in the last cell
    client.program          the sysbench to run (default: the one beside sysbench-lab)
    client.cpus             CPUs for sysbench
    client.env.NAME         a variable of its environment
    client.prefix           a command before it: "ip netns exec far"
    client.hosts            the load hosts, commands that lead there, the leader first; see hosts.py
    client.load_hosts       how many of them are used
    client.cluster_port     the leader's port
    client.launcher         instead of these: "mpirun -n 2"

A value is a string, number, boolean, or a list of strings.  Nothing here does I/O; all is
immutable but Row, which is a plain dict.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, TypeVar, Union

# The version of the results directory: raised when a reader of the version before would be wrong.
FORMAT = 1

Value = Union[str, int, float, bool, tuple[str, ...]]
Settings = Mapping[str, Value]  # by dotted name

Tree = Mapping[str, Any]  # of a file in JSON or TOML
Log = Callable[[str, int, float], None]  # gets each command, its status and its seconds
Note = Callable[[str], None]
Started = Callable[[Optional[int]], None]  # gets a process id, None when it has ended

# One run's outcome: a line of runs.csv.  See figures.py for the names; None is n/a.
Row = dict[str, Any]

BUILT_IN = ("cpu", "memory", "threads", "mutex", "fileio")  # tests that need no server
ORDERS = ("blocks", "abba", "shuffle", "written")
RESTARTS = ("auto", "run", "round", "change", "cell", "never")
EXCLUDED = ("latency", "all", "none")


@dataclasses.dataclass(frozen=True)
class Level:
    """A value that a factor can take: how it is called, and the settings that it changes."""

    name: str
    changes: Settings


@dataclasses.dataclass(frozen=True)
class Factor:
    """Something that varies.  `numeric`: all levels are numbers, an axis can be drawn of it."""

    name: str
    levels: tuple[Level, ...]
    numeric: bool

    @property
    def changed(self) -> set[str]:
        """The settings that its levels change."""
        return {name for level in self.levels for name in level.changes}


@dataclasses.dataclass(frozen=True)
class Cell:
    """A combination of levels, one of each factor.  `number` counts from 0 in the file's order."""

    number: int
    levels: Mapping[str, str]  # factor's name -> level's name, in the order of the factors
    settings: Settings


@dataclasses.dataclass(frozen=True)
class PlannedRun:
    """A measurement to make.  `number` counts from 1 in the order of running, `round` from 1."""

    number: int
    round: int
    cell: int


@dataclasses.dataclass(frozen=True)
class Hook:
    """A command of the user's at a moment of keys.MOMENTS; `at_s`: its second of a run (mid-run)"""

    moment: str
    command: str
    at_s: float = 0


@dataclasses.dataclass(frozen=True)
class Measure:
    """How it is measured."""

    time_s: float = 30  # of each run, without warm-up
    repeats: int = 5  # with until or a budget the most
    order: str = "blocks"  # of ORDERS
    seed: int = 1  # of the order and of the bootstrap
    warmup_s: float = 5  # before each run; with warmup_steady the longest
    warmup_steady: bool = False  # until throughput or latency stands still
    restart: str = "auto"  # of RESTARTS: which runs have a start of the server of their own
    pause_s: float = 0  # between runs
    idle_s: float = 0  # before the first run, without a server: the power of the idle machine
    disturbed_pct: float = 15  # CPU of all CPUs that others may take before a run is disturbed
    steal_pct: float = 5  # the same of what the hypervisor gives to others
    exclude_disturbed: str = "latency"  # of EXCLUDED: what of a disturbed run does not count
    repeat_disturbed: int = 0  # times that a disturbed run is made again
    objective: str = ""  # "p99<20ms"
    baseline: str = ""  # the arm that others are compared with; the first when empty
    until: str = ""  # "p95 5 %": what is to be known how well, see rounds.py
    budget_s: float = 0  # of a sitting; 0: none
    looked: tuple[int, ...] = ()  # after which rounds there was an answer, before resume added some


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What the user asked for."""

    name: str  # of files and directories: letters, digits, dots, dashes
    title: str  # one line for people
    question: str  # what it is to answer; may be empty
    stays: Settings
    factors: tuple[Factor, ...]
    measure: Measure
    hooks: tuple[Hook, ...] = ()
    x: str = ""  # the factor on the horizontal axis, "" if none is numeric
    found: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # see found_rate.py

    def with_measure(self, **changed: Any) -> Experiment:
        return dataclasses.replace(self, measure=dataclasses.replace(self.measure, **changed))


@dataclasses.dataclass(frozen=True)
class Plan:
    """All cells and the order of the runs; seconds_to_go is an estimate."""

    cells: tuple[Cell, ...]
    runs: tuple[PlannedRun, ...]
    estimate_s: float


T = TypeVar("T")
K = TypeVar("K")


def by(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Items by what the key says of them, in the order in which it first says it."""
    found: dict[K, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def arm_key(experiment: Experiment, cell: Cell) -> str:
    """In files, the line of a picture that a cell is on: its levels of all factors but x.  What it
    is called: labels.levels_text()."""
    return ", ".join(v for k, v in cell.levels.items() if k != experiment.x)


# ---- what statistics make of the rows ------------------------------------------


@dataclasses.dataclass(frozen=True)
class Spread:
    """A figure over the repeats of a cell.

    low and high: bootstrap interval of the median, see stats.confidence(); of fewer than three
    values, minimum and maximum.
    """

    n: int
    median: float
    min: float
    max: float
    low: float
    high: float
    values: tuple[float, ...] = ()  # of the runs that count, in the order of the runs


@dataclasses.dataclass(frozen=True)
class CellSummary:
    """A cell after its repeats.

    `counted` is the number of runs behind `figures`: done, and all sustained or all not, as most of
    them were.  Of disturbed runs counts what measure.exclude_disturbed leaves; all of it if all
    were.  `flag` says what is wrong with the cell ("1 of 3 sustained", "1 of 3 disturbed", ""); a
    flagged cell is never shown without it.
    """

    cell: Cell
    arm: str
    runs: int
    counted: int
    sustained: int  # of the runs that are judged, those that held the rate
    unsustained: int  # and those that did not
    flag: str
    figures: Mapping[str, Spread]  # by the name of the column of runs.csv; absent is n/a
    hints: tuple[str, ...] = ()  # what sysbench remarked on runs that count and held the rate
    # Why the rate was not held, by most of the runs that count, or else why runs failed.
    why: str = ""
    undecided: int = 0  # of the runs that are judged, those with a rate and no verdict on it
    # By what, each run that is judged; none unless all were, and disturbed runs are excluded.
    disturbed: tuple[str, ...] = ()
    rounds: Mapping[int, Row] = dataclasses.field(default_factory=dict)  # the runs that count

    @property
    def held(self) -> bool:
        """Most runs held the rate, or there was none.  Pictures draw other cells hollow."""
        return self.unsustained == 0 or self.sustained > self.unsustained


Cells = Sequence[CellSummary]


@dataclasses.dataclass(frozen=True)
class Effect:
    """A figure of two cells.

    ratio: other / base.  low and high: its bootstrap interval, see stats.confidence(); None where
    either cell has fewer than three runs.
    """

    figure: str
    base: float
    other: float
    ratio: float
    low: float | None
    high: float | None
