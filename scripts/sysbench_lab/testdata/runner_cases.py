# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of runner and search share: experiments, books, a progress that remembers."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import sys
import time
from typing import Any, Callable

import pytest

from .. import LabError
from ..plan import plan
from ..plan.model import Experiment, Factor, Level, Measure, PlannedRun, Row, Settings, Value
from ..results.results_dir import Book
from ..run import runner
from ..servers.instance import ENGINES

HERE = os.path.dirname(os.path.realpath(__file__))
FAKE = os.path.join(HERE, "fake_sysbench.py")
PACKAGES = os.path.dirname(os.path.dirname(HERE))
PATIENCE_S = 120  # for what happens at once unless the machine stands still
TREE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def sysbench() -> str:
    """The real one, "" if none is built."""
    path = os.environ.get("SB_SYSBENCH") or os.path.join(TREE, "build", "src", "sysbench")
    return path if os.access(path, os.X_OK) else ""


needs_sysbench = pytest.mark.skipif(not sysbench(), reason="no sysbench is built")


@functools.lru_cache(maxsize=None)
def missing(engine: str) -> str:
    """Why no server of this kind can be tested, "" if one can."""
    if os.environ.get("SB_NO_SERVER"):
        return "SB_NO_SERVER is set"
    try:
        ENGINES[engine].program(None)
    except LabError as e:
        return str(e)
    return ""


def needs(engine: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(missing(engine)), reason=missing(engine) or "-")


class Notes:
    """A progress; `lines` is what it was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: list[Row] = []

    def start(self, made: Any, most: bool = False) -> None:
        self.lines.append("start")

    def cut(self, made: Any) -> None:
        self.lines.append("cut to %d" % len(made.runs))

    def begin(self, run: PlannedRun, cell: Any) -> None:
        self.lines.append("begin %d" % run.number)

    def end(self, run: PlannedRun, row: Row) -> None:
        self.lines.append("end %d %s" % (run.number, row["status"]))
        self.rows.append(row)

    def note(self, text: str) -> None:
        self.lines.append(text)

    def stop(self) -> None:
        self.lines.append("stop")


def factor(name: str, setting: str, *values: Value) -> Factor:
    levels = tuple(Level(str(v), {setting: v}) for v in values)
    return Factor(name, levels, all(isinstance(v, (int, float)) for v in values))


def experiment(
    stays: Settings, *factors: Factor, hooks: tuple[Any, ...] = (), **measure: Any
) -> Experiment:
    given: dict[str, Any] = {"time_s": 1, "warmup_s": 0, "repeats": 1, "order": "abba", **measure}
    made = Measure(**given)
    x = next((f.name for f in factors if f.numeric), "")
    return Experiment("test", "test", "", stays, factors, made, hooks, x)


def script(path: pathlib.Path, text: str) -> str:
    """A program of these lines."""
    path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def fake_program(directory: pathlib.Path) -> str:
    """fake_sysbench.py in the directory, with this Python and no site: it starts ten times sooner
    than one that "env python3" has to look for, and a test starts many."""
    path = directory / "sysbench"
    if not path.exists():
        with open(FAKE, encoding="utf-8") as f:
            script(path, "#!%s -SE\n" % sys.executable + f.read().partition("\n")[2])
    return str(path)


def fake(directory: pathlib.Path, **env: Value) -> dict[str, Value]:
    """Settings of an experiment that fake_sysbench.py runs."""
    found: dict[str, Value] = {
        "load.script": "oltp_read_only",
        "load.threads": 1,
        "server.kind": "given",
        "client.program": fake_program(directory),
        "client.env.FAKE_LOG": str(directory / "fake.log"),
    }
    return {**found, **{"client.env.FAKE_" + k: v for k, v in env.items()}}


def commands(directory: pathlib.Path) -> list[str]:
    """What fake_sysbench.py was asked to do."""
    return [line.split()[-1] for line in (directory / "fake.log").read_text().splitlines()]


def new_book(directory: pathlib.Path, exp: Experiment) -> Any:
    return Book.create(str(directory), exp, plan.make(exp), "# a test\n")


def run(tmp_path: pathlib.Path, exp: Experiment) -> tuple[Any, Notes]:
    book, notes = new_book(tmp_path / "results", exp), Notes()
    runner.run_all(exp, book.plan, book, notes)
    return book, notes


def refused(tmp_path: pathlib.Path, exp: Experiment, why: str) -> Any:
    """The book of an experiment that ends with such a sentence."""
    book = new_book(tmp_path / "results", exp)
    with pytest.raises(LabError, match=why):
        runner.run_all(exp, book.plan, book, Notes())
    return book


def states_of(book: Any) -> list[str]:
    return [row["status"] for row in book.rows()]


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


CHILD = """
import sys
from sysbench_lab.run import runner
from sysbench_lab.results.results_dir import Book
from sysbench_lab.testdata.runner_cases import Notes
book = Book.open(sys.argv[1])
try:
    runner.run_all(book.experiment, book.plan, book, Notes())
except KeyboardInterrupt:
    sys.exit(130)
"""


def child(directory: str, text: str = CHILD, **out: Any) -> subprocess.Popen[bytes]:
    """A laboratory in another process."""
    env = dict(os.environ, PYTHONPATH=PACKAGES)
    return subprocess.Popen([sys.executable, "-c", text, directory], env=env, **out)
