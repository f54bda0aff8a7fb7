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

from .. import LabError, content, failing, paths
from ..plan import experiment, mask, model
from ..plan.model import Experiment, Plan, PlannedRun, Row, Tree
from . import figures

STATES = ("running", "interrupted", "done")
GIVEN = "given.json"
LEADING = ("run", "round", "cell")
ABOUT = ("started_unix_s", "status", "disturbed", "tries", "sustained", "why")
TEXTS = ("status", "disturbed", "sustained", "why")


class Book:
    """A results directory that is being written, or is to be resumed."""

    def __init__(self, directory: str, exp: Experiment, plan: Plan, tree: dict[str, Any]) -> None:
        self.directory, self.experiment, self.plan = directory, exp, plan
        self._tree = tree  # of lab.json
        self._columns = head_of(self._path("runs.csv"))
        self._rows = {int(row["run"]): row for row in read_rows(self._path("runs.csv"), exp)}

    @classmethod
    def create(cls, directory: str, exp: Experiment, plan: Plan, source_text: str) -> Book:
        """Start a directory, which must not hold anything yet."""
        empty = os.path.isdir(directory) and not os.listdir(directory)
        if os.path.lexists(directory) and not empty:
            text = "the directory %s is there already; give another with --results"
            raise LabError(text % directory)
        with failing("cannot make the directory " + directory):
            os.makedirs(directory, 0o700, exist_ok=True)
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
        if os.path.exists(os.path.join(directory, GIVEN)):
            tree.update(read_tree(os.path.join(directory, GIVEN)))
        exp, plan = parts_of(tree)
        # Remove a line that a crash cut off; its run is not in the book.
        path = os.path.join(directory, "runs.csv")
        if not os.path.exists(path):
            raise LabError("%s is missing" % path)
        with open(path, "rb+") as f:
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
        write_json(self._path("lab.json"), shown)

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
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        line = "%s\t%d\t%.3f\t%s\n" % (when, status, seconds, mask.text(" ".join(command.split())))
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

    def set_state(self, state: str) -> None:
        assert state in STATES
        self._tree["state"] = state
        self._tree["ended_unix_s"] = None if state == "running" else time.time()
        self._save()
        if state == "done" and not self.failed():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(GIVEN))


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
        """The json report of a run; None if it has none."""
        return read_report(os.path.join(self.directory, self.run_path(row)))


def read_report(directory: str) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        found = json.loads(content(os.path.join(directory, "report.json")))
        return found if isinstance(found, dict) else None
    return None


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
    host = platform.uname()
    return {
        "format": model.FORMAT,
        "program": "sysbench-lab",
        "version": paths.version(),
        "state": "running",
        "started_unix_s": time.time(),
        "ended_unix_s": None,
        "seed": exp.measure.seed,
        "machine": {
            "host": host.node,
            "system": "%s %s" % (host.system, host.release),
            "architecture": host.machine,
            "cpus": os.cpu_count(),
        },
        "experiment": dataclasses.asdict(exp),
        "plan": plan_tree(plan),
    }


def plan_tree(plan: Plan) -> dict[str, Any]:
    found = dataclasses.asdict(plan)
    return {k: found[k] for k in ("estimate_s", "cells", "runs")}


def read_lab(directory: str) -> dict[str, Any]:
    path = os.path.join(directory, "lab.json")
    if not os.path.lexists(path):
        raise LabError("%s is no directory of results: it has no lab.json" % directory)
    tree = read_tree(path)
    found = tree.get("format")
    if not isinstance(found, int) or found < 1:
        raise LabError("%s is not of sysbench-lab: it names no format" % path)
    if found > model.FORMAT:
        what = path, found, model.FORMAT
        raise LabError("%s has format %d; this sysbench-lab reads up to %d" % what)
    return tree


def read_tree(path: str) -> dict[str, Any]:
    wrong = failing(path + " is damaged", ValueError)
    with failing("cannot read " + path), wrong, open(path, encoding="utf-8") as f:
        tree = json.load(f)
    return tree if isinstance(tree, dict) else {}


def parts_of(tree: Tree) -> tuple[Experiment, Plan]:
    try:
        plan = tree["plan"]
        read = [(c["number"], c["levels"], c["settings"]) for c in plan["cells"]]
        cells = tuple(model.Cell(n, levels, experiment.restored(s)) for n, levels, s in read)
        runs = tuple(PlannedRun(r["number"], r["round"], r["cell"]) for r in plan["runs"])
        return experiment.from_saved(tree["experiment"]), Plan(cells, runs, plan["estimate_s"])
    except (KeyError, TypeError, AttributeError, ValueError) as e:
        raise LabError("lab.json is damaged: %s is missing or of another kind" % e) from e


def directory_name(run: PlannedRun, plan: Plan) -> str:
    """001-pool-of-threads-16: letters that every shell, file system and URL takes."""
    levels = "-".join(plan.cells[run.cell].levels.values())
    plain = re.sub(r"[^A-Za-z0-9._=]+", "-", levels).strip("-.")[:80]
    return "%03d-%s" % (run.number, plain or "run")


def read_environment(directory: str) -> dict[str, dict[str, Any]]:
    path = os.path.join(directory, "environment.json")
    wrong = failing("environment.json in %s is damaged" % directory, OSError, ValueError, TypeError)
    with wrong, contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as f:
        return dict(json.load(f))
    return {}


# ---- runs.csv ------------------------------------------------------------------


def text_of(value: Any) -> str:
    """A field: no more digits than a float has, no line breaks, empty for n/a."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value)
    return " ".join(str(value).split())


def csv_line(fields: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(map(text_of, fields))
    return line.getvalue()


def read_rows(path: str, exp: Experiment) -> list[Row]:
    """All complete lines; figures as numbers, None where a field is empty.

    Of a run that is entered twice, the later line counts.
    """
    try:
        with open(path, encoding="utf-8", newline="") as f:
            text = f.read()
    except FileNotFoundError:
        return []
    whole = text[: text.rfind("\n") + 1]
    texts = {*TEXTS, *(factor.name for factor in exp.factors)}
    reader = csv.DictReader(io.StringIO(whole, newline=""))
    found = [{k: value_of(k, v, texts) for k, v in line.items() if k} for line in reader]
    if any(row.get("run") is None or row.get("cell") is None for row in found):
        raise LabError("%s is damaged: a line has no run or no cell" % path)
    rows = {int(row["run"]): row for row in found}
    return [rows[number] for number in sorted(rows)]


def value_of(name: str, text: str | None, texts: set[str]) -> Any:
    if name in texts:
        return text or ""
    if not text:
        return None
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        raise LabError("runs.csv: %r is no number for %s" % (text, name)) from None


def head_of(path: str) -> list[str]:
    """The columns of a file that may be of an earlier release: lines are added in its order."""
    with open(path, encoding="utf-8", newline="") as f:
        return next(csv.reader(f), [])


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
