# SPDX-License-Identifier: GPL-2.0-or-later
"""The results directory: written run by run, and read by resume, show, pictures, page and compare.

    lab.json          format, version, experiment, plan, machine, state, when it started and ended
    experiment.toml   the experiment as it was given
    given.json        experiment and plan with their passwords, if they have any, until all is done:
                      resume needs them; everywhere else they are *** (mask.py)
    runs.csv          one line a run, as soon as it has ended
    commands.log      every command: time, status, seconds, command
    environment.json  the environment of each arm
    hosts.json        the load hosts of a run over several
    environment-difference.txt, table.txt, table.csv, summary.json, pictures/, index.html
    runs/001-LEVELS/  report.json, report.txt, command.txt, run.json

A run is in the book when its whole line is in runs.csv.  A line is appended with one write and
synced, so the power may fail at any time: open() finds a line that was torn and removes it, and
the run is made again.  All other files are written beside their name and renamed.

runs.csv is RFC 4180 (quotes doubled, lines end in LF) in UTF-8: pandas.read_csv and R's read.csv
take it as it is.  An empty field is n/a.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import os
import platform
import re
import time
from typing import Any, Iterable

from .. import LabError, documents, failing, owned, paths, regular, shown, text_of
from .. import number as number_of
from ..plan import experiment, mask, model
from ..plan.experiment import is_numeral
from ..plan.model import Experiment, Plan, PlannedRun, Row, Tree
from . import figures

STATES = ("running", "interrupted", "done")
GIVEN = "given.json"
LAB = "lab.json"
LEADING = ("run", "round", "cell")
ABOUT = ("started_unix_s", "status", "disturbed", "tries", "sustained", "why")
TEXTS = ("status", "disturbed", "sustained", "why")


class Book:
    """A results directory that is being written, or is to be resumed."""

    def __init__(self, directory: str, exp: Experiment, plan: Plan, tree: dict[str, Any]) -> None:
        self.directory, self.experiment, self.plan = directory, exp, plan
        self._tree = tree  # of lab.json
        self._columns = head_of(self._path("runs.csv"))
        self.anyway = False  # go on with another setup
        self._next: tuple[dict[str, Any], dict[str, Any]] = {}, {}  # see note_setup()
        self._rows = {int(row["run"]): row for row in read_rows(self._path("runs.csv"), exp)}

    @classmethod
    def create(cls, directory: str, exp: Experiment, plan: Plan, source_text: str) -> Book:
        """Start a directory, which must not hold anything yet."""
        empty = os.path.isdir(directory) and not os.listdir(directory)
        if os.path.lexists(directory) and not empty:
            text = "the directory %s is there already; give another with --results"
            raise LabError(text % directory)
        owned.make(directory, 0o700)
        with failing("cannot make the directory " + directory):
            os.mkdir(os.path.join(directory, "runs"))
        write_file(os.path.join(directory, "experiment.toml"), mask.toml(source_text))
        write_file(os.path.join(directory, "runs.csv"), csv_line(columns(exp, plan)))
        book = cls(directory, exp, plan, first_tree(exp, plan))
        book._save()
        return book

    @classmethod
    def open(cls, directory: str) -> Book:
        """Go on with a directory; what a crash left half written is removed."""
        tree = read_lab(directory)
        owned.check_folder(directory)  # it says what is executed
        if os.path.exists(os.path.join(directory, GIVEN)):
            given = documents.read(os.path.join(directory, GIVEN), "lab-1", "given")
            tree.update(experiment=given["experiment"], plan=given["plan"])
        exp, plan = parts_of(tree)
        # Remove a line that a crash cut off; its run is not in the book.
        path = os.path.join(directory, "runs.csv")
        if not os.path.exists(path):
            raise LabError("%s is missing" % path)
        with failing("cannot read " + path), open(path, "rb+", opener=regular) as f:
            text = f.read()
            whole = text.rfind(b"\n") + 1
            if whole < len(text):
                f.truncate(whole)
                os.fsync(f.fileno())
        return cls(directory, exp, plan, tree)

    def _save(self) -> None:
        """given.json first: a crash between the two loses no password."""
        shown = mask.value("", self._tree)
        if shown != self._tree:
            given = {k: self._tree[k] for k in ("experiment", "plan")}
            write_json(self._path(GIVEN), given, 0o600)
            shown["masked"] = self._tree["masked"] = True
        write_json(self._path(LAB), shown)

    @property
    def keeps_passwords(self) -> bool:
        return os.path.exists(self._path(GIVEN))

    @property
    def lacks_passwords(self) -> bool:
        """Nothing can be measured any more."""
        return bool(self._tree.get("masked")) and not self.keeps_passwords

    def _path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    @property
    def state(self) -> str:
        return str(self._tree["state"])

    def rows(self) -> list[Row]:
        """What was measured, in the order of the runs."""
        return [self._rows[number] for number in sorted(self._rows)]

    def missing(self) -> list[PlannedRun]:
        return [run for run in self.plan.runs if run.number not in self._rows]

    def add(self, run: PlannedRun, row: Row) -> None:
        """Enter a run: its line is on the disk when this returns."""
        cell = self.plan.cells[run.cell]
        full: Row = {"tries": 1, "disturbed": "", **row, **cell.levels}
        full.update(run=run.number, round=run.round, cell=run.cell)
        self._settle()
        append_line(self._path("runs.csv"), csv_line(map(full.get, self._columns)))
        self._rows[run.number] = {c: full.get(c) for c in self._columns}

    def failed(self) -> list[int]:
        """Numbers of the runs that failed."""
        return [n for n, row in self._rows.items() if row["status"] == "failed"]

    def disturbed(self) -> list[int]:
        return [n for n, row in self._rows.items() if row["disturbed"]]

    def forget(self, numbers: Iterable[int]) -> None:
        """These runs are missing again: runs.csv has one line for each run."""
        for number in numbers:
            del self._rows[number]
        lines = [csv_line(map(row.get, self._columns)) for row in self.rows()]
        write_file(self._path("runs.csv"), csv_line(self._columns) + "".join(lines))

    def replan(self, exp: Experiment, plan: Plan) -> None:
        """A plan that has changed.  New columns need a book without rows, but for figures that the
        book is too old for."""
        head = columns(exp, plan)
        known = [c for c in head if c in self._columns or c not in figures.COLUMNS]
        head = self._columns if self._rows and known == self._columns else head
        if head != self._columns:
            if self._rows:
                raise LabError("%s has other columns than the plan" % self._path("runs.csv"))
            write_file(self._path("runs.csv"), csv_line(head))
        self._tree.update(experiment=dataclasses.asdict(exp), plan=plan_tree(plan))
        self._save()
        self.experiment, self.plan, self._columns = exp, plan, head

    def run_directory(self, run: PlannedRun) -> str:
        """Made if it is not there: runs/001-LEVELS."""
        directory = self._path(os.path.join("runs", directory_name(run, self.plan)))
        os.makedirs(directory, exist_ok=True)
        return directory

    def log(self, command: str, status: int, seconds: float) -> None:
        """A command that was run, of mask.command() or mask.words()."""
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        line = "%s\t%d\t%.3f\t%s\n" % (when, status, seconds, command)
        path = self._path("commands.log")
        with failing("cannot write " + path), open(path, "a", encoding="utf-8") as f:
            f.write(line)

    def note_environment(self, arm: str, found: Tree) -> None:
        """The environment of an arm's last run; passwords never get into it."""
        arms = {**read_environment(self.directory), arm: dict(found)}
        write_json(self._path("environment.json"), arms)

    def note_hosts(self, found: Tree) -> None:
        """What the load hosts are; nothing without any."""
        if found:
            write_json(self._path("hosts.json"), found)

    @property
    def setup(self) -> dict[str, str]:
        """With what it was measured last: see run/setup.py."""
        machine = self._tree["machine"]
        kernel = "%s %s" % (machine["system"], machine["architecture"])
        known = {"host": machine["host"], "kernel": kernel, "CPUs": str(machine["cpus"])}
        return {**known, **self._tree.get("setup", {})}

    def note_setup(self, setup: Tree, differs: Tree) -> None:
        """The next runs are made with this; `differs` says in what that is another setup."""
        self._next = {**self._next[0], **setup}, {**self._next[1], **differs}

    def _settle(self) -> None:
        """A run was made with it."""
        (setup, differs), self._next = self._next, ({}, {})
        if not self._rows:  # nothing was measured where it was begun
            self._tree["machine"] = machine()
        if setup:
            self._tree["setup"] = {**self._tree.get("setup", {}), **setup}
        if differs:
            entry = {"after_runs": len(self._rows), "unix_s": time.time(), "differs": differs}
            self._tree["resumed"] = [*self._tree.get("resumed", []), entry]
        if setup or differs:
            self._save()

    def set_state(self, state: str) -> None:
        assert state in STATES
        self._tree["state"] = state
        self._tree["ended_unix_s"] = None if state == "running" else time.time()
        self._save()
        if state == "done" and not self.failed():
            owned.unlink(self._path(GIVEN))


class ResultsDir:
    """A directory that is only read: what is in it; statistics/results.py adds what follows."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.tree = mask.value("", read_lab(directory))  # it may be of an earlier release
        self.exp, self.plan = parts_of(self.tree)
        self.state = str(self.tree["state"])
        self.rows: list[Row] = read_rows(os.path.join(directory, "runs.csv"), self.exp)
        self.environment = read_environment(directory)

    def run_path(self, row: Row) -> str:
        """The directory of a run, relative to that of the results."""
        return "runs/" + directory_name(self.plan.runs[int(row["run"]) - 1], self.plan)

    def report(self, row: Row) -> dict[str, Any] | None:
        """The json report of a run; None if it has none.  That of a run that failed may be torn."""
        with contextlib.suppress(*([LabError] if row["status"] == "failed" else [])):
            return read_report(os.path.join(self.directory, self.run_path(row)))
        return None


def read_report(directory: str) -> dict[str, Any] | None:
    path = os.path.join(directory, "report.json")
    found = documents.read(path, "report-1") if os.path.lexists(path) else None
    return found if found is None else dict(found)


# ---- the parts of a directory -----------------------------------------------------


def columns(exp: Experiment, plan: Plan) -> list[str]:
    """The head of runs.csv."""
    ranks: list[str] = []
    for cell in plan.cells:
        given = cell.settings.get("load.percentile", "")
        found = given if isinstance(given, tuple) else str(given).split(",")
        ranks += [r.strip() for r in found if re.fullmatch(r"\s*\d+(\.\d+)?\s*", r)]
    names = [factor.name for factor in exp.factors]
    return [*LEADING, *names, *ABOUT, *figures.COLUMNS, *figures.percentile_columns(ranks)]


def first_tree(exp: Experiment, plan: Plan) -> dict[str, Any]:
    return {
        "format": model.FORMAT,
        "program": "sysbench-lab",
        "version": paths.version(),
        "state": "running",
        "started_unix_s": time.time(),
        "ended_unix_s": None,
        "seed": exp.measure.seed,
        "machine": machine(),
        "experiment": dataclasses.asdict(exp),
        "plan": plan_tree(plan),
    }


def machine() -> dict[str, Any]:
    host = platform.uname()
    return {
        "host": host.node,
        "system": "%s %s" % (host.system, host.release),
        "architecture": host.machine,
        "cpus": os.cpu_count(),
    }


def plan_tree(plan: Plan) -> dict[str, Any]:
    found = dataclasses.asdict(plan)
    return {k: found[k] for k in ("estimate_s", "cells", "runs")}


def read_lab(directory: str) -> dict[str, Any]:
    path = os.path.join(directory, LAB)
    if not os.path.lexists(path):
        raise LabError("%s is no directory of results: it has no lab.json" % directory)
    about = documents.read(path, "lab-1", "about")
    found = about.get("format") if isinstance(about, dict) else None
    if not isinstance(found, int) or found < 1:
        raise LabError("%s is not of sysbench-lab: it names no format" % path)
    if found > model.FORMAT:
        what = path, found, model.FORMAT
        raise LabError("%s has format %d; this sysbench-lab reads up to %d" % what)
    return dict(documents.read(path, "lab-1"))


def parts_of(tree: Tree) -> tuple[Experiment, Plan]:
    """What the schema cannot say is that the parts fit together."""
    with failing("lab.json is damaged", ValueError):
        exp, plan = experiment.from_saved(tree["experiment"]), tree["plan"]
        read = [(c["number"], c["levels"], c["settings"]) for c in plan["cells"]]
        cells = tuple(model.Cell(n, levels, experiment.restored(s)) for n, levels, s in read)
        runs = tuple(PlannedRun(r["number"], r["round"], r["cell"]) for r in plan["runs"])
        names = {f.name for f in exp.factors}
        if [c.number for c in cells] != list(range(len(cells))):
            raise ValueError("the cells are not numbered from 0")
        if [r.number for r in runs] != list(range(1, len(runs) + 1)):
            raise ValueError("the runs are not numbered from 1")
        if not all(r.cell < len(cells) for r in runs):
            raise ValueError("a run is of a cell that is not there")
        if not all(names <= c.levels.keys() for c in cells) or exp.x not in ("", *names):
            raise ValueError("its cells have other factors than the experiment")
        if exp.x and not all(is_numeral(c.levels[exp.x]) for c in cells):
            raise ValueError("a level of %s is no number" % exp.x)
    return exp, Plan(cells, runs, plan["estimate_s"])


def directory_name(run: PlannedRun, plan: Plan) -> str:
    """001-pool-of-threads-16: letters that every shell, file system and URL takes."""
    levels = "-".join(plan.cells[run.cell].levels.values())
    plain = re.sub(r"[^A-Za-z0-9._=]+", "-", levels).strip("-.")[:80]
    return "%03d-%s" % (run.number, plain or "run")


def read_environment(directory: str) -> dict[str, dict[str, Any]]:
    path = os.path.join(directory, "environment.json")
    found = documents.read(path, "lab-1", "environments") if os.path.lexists(path) else {}
    return dict(found)


# ---- runs.csv ------------------------------------------------------------------


def field_of(value: Any) -> str:
    """A field: no more digits than a float has, no line breaks, empty for n/a."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).split())


def csv_line(fields: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(field_of, fields))
    return line.getvalue()


def read_rows(path: str, exp: Experiment) -> list[Row]:
    """All complete lines; figures as numbers, None where a field is empty.

    Of a run that is entered twice, the later line counts.
    """
    if not os.path.lexists(path):
        return []
    texts = {*TEXTS, *(factor.name for factor in exp.factors)}
    rows = {}
    with failing(path + " is damaged", ValueError):
        head, *lines = lines_of(path) or [[]]
        for number, line in enumerate(lines, 2):
            found = {k: value_of(k, v, texts, number) for k, v in zip(head, line) if k}
            row = {**dict.fromkeys(TEXTS, ""), **found}
            if not all(isinstance(row.get(k), int) for k in ("run", "cell")):
                raise ValueError("a line has no run or no cell (%d)" % number)
            rows[int(row["run"])] = row
    return [rows[number] for number in sorted(rows)]


def lines_of(path: str) -> list[list[str]]:
    """The fields of all complete lines."""
    csv.field_size_limit(1 << 30)
    text = text_of(path, "strict")
    whole = io.StringIO(text[: text.rfind("\n") + 1], newline="")
    with failing(path + " is damaged", csv.Error):
        return list(csv.reader(whole, strict=True))


def value_of(name: str, text: str, texts: set[str], line: int) -> Any:
    if name in texts or not text:
        return text if name in texts else None
    try:
        return number_of(text)
    except ValueError:
        raise ValueError("line %d: %s is no number for %s" % (line, shown(text), name)) from None


def head_of(path: str) -> list[str]:
    """The columns of a file that may be of an earlier release: lines are added in its order."""
    return next(iter(lines_of(path)), [])


def append_line(path: str, line: str) -> None:
    """The whole line, synced; or nothing of it, and a sentence."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        size = os.fstat(fd).st_size
        try:
            left = line.encode()
            while left:
                left = left[os.write(fd, left) :]
            os.fsync(fd)
        except OSError as e:
            os.ftruncate(fd, size)
            raise LabError("cannot write %s: %s" % (path, e.strerror)) from e
    finally:
        os.close(fd)


# ---- files ---------------------------------------------------------------------


def write_json(path: str, tree: Any, mode: int = 0o666) -> None:
    write_file(path, json.dumps(tree, indent=1, sort_keys=False, ensure_ascii=False) + "\n", mode)


def write_file(path: str, text: str, mode: int = 0o666) -> None:
    """All or nothing: readers see the old file or the new one, also after a crash.  The umask
    takes from `mode` what it takes."""
    beside = path + ".new"
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with open(fd, "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        os.replace(beside, path)
    except OSError as e:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise LabError("cannot write %s: %s" % (path, e.strerror or e)) from e
