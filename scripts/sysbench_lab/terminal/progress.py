# SPDX-License-Identifier: GPL-2.0-or-later
"""How far the experiment is: a bar in a terminal, a line a run elsewhere.

    [ 7/30] pool-of-threads, 16 connections: 1200 tps, p95 0.97 ms, mariadbd %cpu 20.3
    ##########----------------------------   7/30  now one-thread..., 16 connections  11 min left

The runner calls start(plan), then begin(run, cell) and end(run, row) for each run, note(text) for
what the user should know, and stop(), also after Ctrl-C.  A resumed plan begins in the middle: how
far it is follows from the place of a run in the plan.  Time left is what the runs of this session
took each, or the plan's estimate before there is one.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Callable, TextIO

from .. import visible
from ..plan import found_rate, labels
from ..plan.model import Cell, Plan, PlannedRun, Row
from ..results import figures

Clock = Callable[[], float]


class Pace:
    """Counts runs and guesses the time that is left."""

    def __init__(self, plan: Plan, clock: Clock, most: bool = False) -> None:
        self.plan = plan
        self._most = "at most " * most
        self._clock = clock
        self._begun = 0.0  # of the first run of this session
        self._since = 0.0  # when the present run was begun; 0 between runs
        self._ran = 0  # runs of this session that have ended
        self._each = plan.estimate_s / max(len(plan.runs), 1)  # seconds a run
        self.done = 0  # runs of the plan before the present one, or with it when it has ended

    def begin(self, run: PlannedRun) -> None:
        self.done = labels.position(self.plan, run.number)
        self._since = self._clock()
        self._begun = self._begun or self._since

    def end(self, run: PlannedRun) -> None:
        self.done = labels.position(self.plan, run.number) + 1
        self._ran += 1
        self._since = 0.0
        self._each = (self._clock() - self._begun) / self._ran

    def left(self) -> float:
        """Of all runs that have not ended; counts down during a run, but not below its end."""
        spent = self._clock() - self._since if self._since else 0.0
        return self._each * (len(self.plan.runs) - self.done) - min(spent, self._each)

    def __str__(self) -> str:
        """For the bar, which asks whenever it is drawn."""
        left = self.left()
        return "%s%s left" % (self._most * (left > 0), labels.duration(left))


def figures_text(row: Row, server: str) -> str:
    """The figures of a run that are worth a glance; or why it has none."""
    if row.get("status") == "failed":
        return "failed: %s" % (row.get("why") or "no reason is known")
    cpu = server + " %%cpu %s"
    glance = {"tps": "%s tps", "response_p95_ms": "p95 %s ms", "server_cpu_pct": cpu}
    search = {found_rate.HELD: "held up to %s tps", found_rate.MISSED: "not at %s tps"}
    known = {k for k, v in row.items() if v is not None}
    shown = search if known & search.keys() else glance
    texts = {n: labels.short(row[n]) + figures.mark(n, row) for n in shown if n in known}
    parts = [shown[name] % text for name, text in texts.items()]
    if row.get("sustained") == "no":
        parts.append("not confirmed" if row.get(found_rate.HELD) else "the rate was not held")
    if row.get("disturbed"):
        parts.append("disturbed: %s" % row["disturbed"])
    return ", ".join(parts) or "no figures"


def step(number: int, of: int, what: str) -> None:
    """What is being drawn, on stderr: a line of a terminal that is replaced; elsewhere one line at
    the start.  0: all is drawn."""
    pictures = "%d pictures and " % (of - 1) if of > 1 else ""
    text = "drawing %d of %d: %s" % (number, of, visible(what)) if number else ""
    if sys.stderr.isatty():
        text = "\r\033[K" + text[: shutil.get_terminal_size().columns - 1]
    else:
        text = "drawing %sthe page\n" % pictures if number == 1 else ""
    sys.stderr.write(text)
    sys.stderr.flush()


class PlainProgress:
    """Lines, for pipes and log files."""

    def __init__(self, out: TextIO | None = None, clock: Clock = time.monotonic) -> None:
        self._out = out or sys.stdout
        self._clock = clock
        self._pace: Pace  # from start() on
        self._cell: Cell  # from begin() on

    def say(self, text: str) -> None:
        print(visible(text, lines=True), file=self._out, flush=True)

    def start(self, plan: Plan, most: bool = False) -> None:
        """`most`: it may end earlier."""
        self._pace = Pace(plan, self._clock, most)

    def cut(self, plan: Plan) -> None:
        """It ends here."""
        self._pace.plan = plan

    def begin(self, run: PlannedRun, cell: Cell) -> None:
        self._cell = cell
        self._pace.begin(run)

    def end(self, run: PlannedRun, row: Row) -> None:
        self._pace.end(run)
        left = "; %s" % self._pace if self._pace.left() else ""
        self.say(self._line(row) + left)

    def _line(self, row: Row) -> str:
        total = len(self._pace.plan.runs)
        count = "[%*d/%d]" % (len(str(total)), self._pace.done, total)
        server = labels.server_name([self._cell.settings])
        return "%s %s: %s" % (count, labels.cell_text(self._cell), figures_text(row, server))

    def note(self, text: str) -> None:
        self.say(text)

    def stop(self) -> None:
        pass


class Progress(PlainProgress):
    """The same lines, and below them a bar; for a terminal.  Needs rich."""

    def __init__(self, console: Any = None, clock: Clock = time.monotonic) -> None:
        from rich.console import Console

        super().__init__(clock=clock)
        self._console = console or Console(highlight=False)
        self._bar: Any = None
        self._task: Any = None

    def say(self, text: str) -> None:
        self._console.print(
            visible(text, lines=True), markup=False, highlight=False, soft_wrap=True
        )

    def start(self, plan: Plan, most: bool = False) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        super().start(plan, most)
        self._bar = Bar(
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            refresh_per_second=1,  # drawing takes CPU time from what is measured
        )
        self._task = self._bar.add_task("", total=len(plan.runs), left=self._pace)
        self._bar.start()

    def cut(self, plan: Plan) -> None:
        super().cut(plan)
        if self._bar:
            self._bar.update(self._task, total=len(plan.runs))

    def begin(self, run: PlannedRun, cell: Cell) -> None:
        super().begin(run, cell)
        self._show(labels.cell_text(cell))

    def end(self, run: PlannedRun, row: Row) -> None:
        self._pace.end(run)
        self.say(self._line(row))
        self._show("")

    def _show(self, doing: str) -> None:
        if self._bar:
            self._bar.update(self._task, completed=self._pace.done, description=visible(doing))

    def stop(self) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None
