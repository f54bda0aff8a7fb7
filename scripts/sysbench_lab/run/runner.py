# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the runs of a plan, one after the other, and enters each into the book.

    for each run that is missing in the book:
        the server is brought into the cell's state     target.py
        the data are prepared if they are others        Session.prepare
        hooks before-run                                here, at the end
        sysbench runs                                   client.py, ranks.py
        its report becomes a row                        figures.py, disturbance.py
        disturbed: made again, at most measure.repeat_disturbed times; all tries are kept
        hooks after-run; the row goes into the book

The book is the only memory of what is done.  A run that was interrupted has no row, so it is made
again by resume, and leaves only its directory.  A run that fails is a row with the status failed,
and the next one begins.  An arm of which three in a row fail is given up, and so is one whose first
run fails before anything has worked at all; the other arms go on, and the experiment has failed
when they are done.

The first SIGINT ends the experiment after the run in progress; a second one, SIGTERM and SIGHUP end
that run, too.  None leaves a server behind (Session.close, which no signal interrupts).  What
SIGKILL leaves is cleaned up by the next laboratory (lock.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shlex
import time
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from .. import LabError, content, owned
from ..plan import data, found_rate, hosts, labels, mask
from ..plan import plan as plans
from ..plan.model import Cell, Experiment, Plan, PlannedRun, Row, Settings, Tree, arm_key, by
from ..results import figures
from ..results.results_dir import LAB, read_environment, read_report, write_file
from ..statistics import stats
from ..target import target
from ..target.target import NotRestored, Target, failure, shell
from . import check, client, disturbance, lock, ranks, rounds, setup, signals
from .client import Ended, Surroundings

MOST_FAILED = 3  # of an arm, in a row
LOGS = ("server.log", "install.log")  # of a private server
LOG_TAIL = 1 << 20  # bytes of them that are kept with a run that failed


def run_all(exp: Experiment, plan: Plan, book: Any, progress: Any) -> None:
    """Do the runs that are missing in the book: alone on the machine, with a clean start and a
    clean end.  What was measured is in the book whatever happens."""
    with signals.interrupting(), lock.alone(book.directory, progress.note):
        book.set_state("running")
        # Before anything runs, say whether the machine is too busy.
        others = disturbance.busy_pct() if exp.measure.disturbed_pct < 100 else None
        if others is not None and others > exp.measure.disturbed_pct:
            text = "other processes use %.0f %% of the CPUs: free the machine, or set %s"
            progress.note(text % (others, "measure.disturbed_pct"))
        if (governor := check.governor()).word != "ok":
            progress.note("%s: %s" % (governor.what, governor.means))
        s = Session(exp, book, progress)
        try:
            progress.start(plan, bool(exp.measure.until or exp.measure.budget_s))
            s.run_missing(plan)
            s.finished = True
        finally:
            with signals.shielded() as came:
                came += s.close()
        if s.unrestored:
            raise LabError(s.unrestored)
        if came:
            raise KeyboardInterrupt
        s.give_up_what_has_nothing()
        if s.given_up:
            raise LabError("; ".join(map(": ".join, s.given_up.items())))


class Job(NamedTuple):
    """A run that is to be made, or a search."""

    run: PlannedRun
    cell: Cell
    directory: str
    time_s: float | None = None  # if it is not that of the experiment


def failed(why: str) -> Row:
    return {"status": "failed", "why": why, "disturbed": "", "started_unix_s": time.time()}


class Session:
    """The server, the data and the hooks while runs are made."""

    def __init__(self, exp: Experiment, book: Any, progress: Any) -> None:
        self.exp, self.book, self.progress = exp, book, progress
        self.left = lock.Leftovers(book.directory)
        self.target = target.make(exp)
        self.target.log = book.log
        self.target.begun, self.target.ended = self.left.add_server, self.left.drop_server
        self.target.note = progress.note
        self.target.changing = lambda change: self.left.keep(changed=change)
        self.target.recall(self.left.changed)
        # by the server's data: the key of its tables, and what decides whether others can use them
        self.known = dict(self.left.prepared)
        self.prepared: dict[str, Settings] = {}  # with which settings that was made
        self.before: PlannedRun | None = None
        self.begun = False  # the hooks of "before" have run
        self.worked = False  # some run was done
        self.failures: dict[str, int] = {}  # of each arm, in a row
        self.given_up: dict[str, str] = {}  # arms, and why
        self.last_arm = True  # all others are given up
        self.finished = False
        self.unrestored = ""  # what the user's server is not as it was in
        self.seen: set[str] = set()  # arms whose environment is noted
        self.differs: set[tuple[str, ...]] = set()  # what was noted of another server
        self.settled: set[str] = set()  # with these settings, and the present data
        self.idle_w: float | None = None
        self.rounds = rounds.Rounds(book)

    def run_missing(self, plan: Plan) -> None:
        missing = self.book.missing()
        if missing:
            self.target.rehearse(plan.cells)
        self.check_servers(plan, missing)
        if missing and self.exp.measure.idle_s:
            self.idle_w = disturbance.idle_power(self.exp.measure.idle_s)
        plan = self.find_rate(plan) if missing else plan
        arms = {self.arm_name(plan.cells[run.cell]) for run in missing}
        for run in missing:
            cell = plan.cells[run.cell]
            arm = self.arm_name(cell)
            if arm in self.given_up:
                continue
            said, enough = self.rounds.before(run)
            if said:
                self.progress.note(said)
            if enough:
                self.end_after(run.round - 1)
                return
            self.last_arm = len(arms) - len(self.given_up) == 1
            with signals.finishing() as came:
                self.progress.begin(run, cell)
                # Without what an interrupted try left in it.
                directory: str = self.book.run_directory(run)
                owned.remove(directory, "../../" + LAB)
                os.makedirs(directory)
                row = self.measure(Job(run, cell, directory), came)
                self.book.add(run, row)
                self.progress.end(run, row)
            failures = self.failures.get(arm, 0) + 1 if row["status"] == "failed" else 0
            self.failures[arm] = failures
            self.worked = self.worked or not failures
            if failures == MOST_FAILED or failures and row.get("hopeless"):
                text = "%d runs in a row failed; the last: %s" % (failures, row["why"])
                self.given_up[arm] = text if failures > 1 else row["why"]
                if self.last_arm:
                    raise LabError(text)
                self.progress.note("%s is given up: %s" % (arm, self.given_up[arm]))
            if run is not missing[-1]:
                if came:
                    raise KeyboardInterrupt
                time.sleep(self.exp.measure.pause_s)
        if missing and not self.worked:
            raise LabError("no run was done; the last: %s" % row["why"])

    def end_after(self, made: int) -> None:
        """No more rounds than these; resume may add some."""
        exp = self.book.experiment.with_measure(repeats=made)
        self.book.replan(exp, plans.resized(exp, self.book.plan))
        self.progress.cut(self.book.plan)

    def give_up_what_has_nothing(self) -> None:
        """An arm without a figure is no result, however few of its runs there were."""
        cells = self.book.plan.cells
        for arm, rows in by(self.book.rows(), lambda r: self.arm_name(cells[r["cell"]])).items():
            if arm not in self.given_up and all(row["status"] == "failed" for row in rows):
                self.given_up[arm] = "no run was done; the last: %s" % rows[-1]["why"]

    def arm_name(self, cell: Cell) -> str:
        return labels.levels_text(cell, self.exp.x)

    def find_rate(self, made: Plan) -> Plan:
        """The plan with a number for the rate, which is found now unless it is known."""
        exp, want = self.exp, found_rate.of(self.exp)
        if want is None:
            return made
        cell = found_rate.search_cell(exp, made.cells)
        where = found_rate.place(exp, cell)
        self.progress.note("first, the rate: " + found_rate.phrase(want.text, where))
        directory = os.path.join(self.book.directory, found_rate.DIRECTORY)
        owned.remove(directory, "../" + LAB)  # an interrupted try
        # a change in mid-run is none of the search, and a warm-up of its own would search, too
        hooks = tuple(h for h in exp.hooks if h.moment != "mid-run")
        self.exp = dataclasses.replace(exp, hooks=hooks).with_measure(warmup_steady=False)
        with signals.finishing() as came:
            run = PlannedRun(0, 1, cell.number)
            row = self.measure(Job(run, cell, directory, found_rate.limit_s(exp)), came)
            found = found_rate.found(want, where, row, read_report(directory) or {})
            stays = {**exp.stays, found_rate.SETTING: found["per_s"]}
            self.exp = exp = dataclasses.replace(exp, stays=stays, found=found)
            cells = found_rate.with_rate(made.cells, found["per_s"])
            made = dataclasses.replace(made, cells=cells)
            self.book.replan(exp, made)
            self.progress.note(found_rate.sentence(exp))
        if came:
            raise KeyboardInterrupt
        return made

    # ---- a run with all that belongs to it ---------------------------------------

    def measure(self, job: Job, came: Sequence[int]) -> Row:
        """Make a run, again if it was disturbed, unless a signal came; its row."""
        tries = 0
        while True:
            tries += 1
            row = self.attempt(job)
            row["tries"] = tries
            if came or not row["disturbed"] or tries > self.exp.measure.repeat_disturbed:
                return row
            what = "run %d" % job.run.number if job.run.number else "the search"
            self.progress.note("%s again: %s" % (what, row["disturbed"]))
            # Keep the files of a try: try-1/, beside those of the try that counts.
            aside = os.path.join(job.directory, "try-%d" % tries)
            os.makedirs(aside)
            for name in os.listdir(job.directory):
                if not name.startswith("try-"):
                    os.rename(os.path.join(job.directory, name), os.path.join(aside, name))

    def attempt(self, job: Job) -> Row:
        """One try.  What does not work is a failed run, once anything has worked."""
        try:
            self.bring_up(job)
            environment = self.environment(job)
            self.run_hooks("before-run", environment)
            row = self.run_once(job, environment)
        except LabError as e:
            if not self.worked and self.last_arm:
                raise
            return {**failed(str(e)), "hopeless": not self.worked}
        if self.idle_w is not None and row.get("power_w") is not None:
            row["power_above_idle_w"] = row["power_w"] - self.idle_w
        without = self.mid_run_failure(read_report(job.directory) or {})
        if row["status"] == "done" and without:
            row.update(status="failed", why=without, disturbed="")
        if row["status"] == "done" and not row["disturbed"]:
            same = [r for r in self.book.rows() if r["cell"] == job.cell.number]
            row["disturbed"] = disturbance.slow_clock(row, same)
        self.after_run(job, row, environment)
        return row

    def run_once(self, job: Job, environment: Mapping[str, str]) -> Row:
        """One run, with its warm-up, in the state in which the server is.  Its files go into its
        directory.  A run that failed is a row, too."""
        exp, settings, directory = self.exp, job.cell.settings, job.directory
        # the environment is for the commands of mid-run, too
        told = self.left.set_client, lambda members: self.left.keep(ranks=members)
        around = Surroundings.of(settings, environment, *told)

        def sysbench(argv: list[str], output: str, limit: float | None, tick: Any) -> Ended:
            ended = ranks.run(settings, argv, around, os.path.join(directory, output), limit, tick)
            self.book.log(client.shown(argv, around), ended.status, ended.seconds)
            return ended

        os.makedirs(directory, exist_ok=True)
        unsettled = ("--settle=",) * self.is_settled(settings)
        warmup_s = exp.measure.warmup_s
        if exp.measure.warmup_steady and warmup_s > REST_S:
            path = os.path.join(directory, "warmup.jsonl")
            argv = client.run_line(settings, self.target, directory, warmup_s, 0, [])
            argv = [a for a in argv if not a.startswith(("--report-file=", *unsettled))]
            argv[-1:] = ["--report-file=jsonl:" + path, "run"]
            limit = client.limit_s(settings, warmup_s, 0)
            ended = sysbench(argv, "warmup.txt", limit, follow(path).__next__)
            if client.failure(ended):
                return failed("in the warm-up, " + client.failure(ended))
            warmup_s = REST_S
        hooks = (hook for hook in exp.hooks if hook.moment == "mid-run")
        own = [arg for h in hooks for arg in ("--at=%gs" % h.at_s, "--do=" + h.command)]
        # Where the experiment is, in reports and on its live page; labels have no comma.
        own.append("--label=lab_cell=" + labels.cell_text(job.cell).replace(",", " /"))
        own.append("--label=lab_progress=%d/%d" % (job.run.number, len(self.book.plan.runs)))
        time_s = job.time_s or exp.measure.time_s
        argv = client.run_line(settings, self.target, directory, time_s, warmup_s, own)
        if warmup_s < exp.measure.warmup_s:  # it settled before its warm-up
            unsettled = ("--settle=",)
        argv = [a for a in argv if not a.startswith(unsettled)]
        write_file(os.path.join(directory, "command.txt"), client.shown(argv, around) + "\n")
        watch = disturbance.Watch(self.target.pid())
        limit = client.limit_s(settings, time_s, warmup_s)
        ended = sysbench(argv, "output.txt", limit, watch.tick)
        report = read_report(directory)
        row = figures.row_of(report) if report else failed("sysbench wrote no report")
        if report:
            row.update(watch.figures(report))
        if client.failure(ended):
            row.update(status="failed", why=client.failure(ended))
        row["disturbed"] = stats.disturbed(row, exp.measure) if row["status"] == "done" else ""
        write_file(os.path.join(directory, "run.json"), json.dumps(row, indent=1) + "\n")
        return row

    def is_settled(self, settings: Settings) -> bool:
        """A server of the user's settles once with its data and settings, unless load.settle asks
        for more; one of ours before each run."""
        if self.target.kind == "private" or "load.settle" in settings:
            return False
        key = repr(sorted((k, v) for k, v in settings.items() if k.startswith("server.")))
        known = key in self.settled
        self.settled.add(key)
        return known

    def bring_up(self, job: Job) -> None:
        """Server and data as the cell wants them."""
        before, cell = self.before, job.cell
        self.before = job.run
        try:
            how = plans.restart_of(self.exp, self.book.plan.cells)
            fresh = before is not None and plans.fresh(how, before, job.run)
            self.target.ensure(cell.settings, fresh, lambda place: self.fit(place, cell.settings))
        except LabError as e:
            # A private server's log goes with the server; the sentence names what we keep of it.
            text = str(e)
            keep_logs(self.target, self.book.directory)
            for name in LOGS:
                kept = os.path.join(self.book.directory, name)
                if os.path.exists(kept):
                    text = text.replace(os.path.join(log_directory(self.target), name), kept)
            raise LabError(text) from e
        self.prepare(cell.settings)
        if not self.begun:
            self.run_hooks("before", self.environment())
            self.begun = True

    def fit(self, place: str, settings: Settings) -> bool | None:
        """target.Fits"""
        if not settings.get("load.prepare", True):
            return True
        key, reads = self.known.get(place, ("", None))
        return data.key(settings, reads) == key if key else None

    def prepare(self, settings: Settings) -> None:
        """The data that the settings ask for, unless the server has them."""
        if not settings.get("load.prepare", True):
            return
        server = self.target.data()
        if self.fit(server, settings):
            self.prepared.setdefault(server, settings)
            return
        self.clean_up()
        self.settled.clear()
        self.progress.note("preparing the data of %s" % settings["load.script"])
        reads = self.make_tables(settings)
        self.known[server] = [data.key(settings, reads), None if reads is None else sorted(reads)]
        self.prepared[server] = settings
        if self.target.kind != "private":
            self.left.keep(prepared=dict(self.known))

    def make_tables(self, settings: Settings) -> data.Reads:
        """What prepare looked at, if this sysbench tells."""
        path = os.path.join(self.book.directory, "prepare-options.txt")
        owned.unlink(path)
        told = client.tells(settings, "--options-read", "general")
        made = self.command("prepare", settings, path if told else "")
        elsewhere = made and not os.path.exists(path)  # on another machine
        return data.read_in(content(path)) if told and not elsewhere else data.before(settings)

    def clean_up(self) -> None:
        """Remove what we prepared on the present server."""
        before = self.prepared.pop(self.target.data(), None)
        self.known.pop(self.target.data(), None)
        if before is not None:
            self.command("cleanup", before)

    def command(self, name: str, settings: Settings, reads: str = "") -> bool:
        """prepare or cleanup, as long as it takes; LabError if it fails.  False: the test has no
        such command.  `reads`: the file for what it looks at."""
        argv = client.prepare_line(settings, self.target, name, reads)
        alone = {k: v for k, v in settings.items() if k != hosts.LAUNCHER}
        around = Surroundings.of(alone, {}, self.left.set_client)
        ended = client.run(argv, around, os.path.join(self.book.directory, name + ".txt"))
        self.book.log(client.shown(argv, around), ended.status, ended.seconds)
        if client.failure(ended) and client.has_no(name, ended.output):
            return False
        if client.failure(ended):
            text = "%s failed: %s" % (name, client.failure(ended))
            if "already exists" in ended.output and self.target.kind != "private":
                text += "; set load.prepare = false to reuse them, or remove them with sysbench's"
                text += " cleanup"
            raise LabError(text)
        return True

    def after_run(self, job: Job, row: Row, environment: Mapping[str, str]) -> None:
        if row["status"] == "failed":
            keep_logs(self.target, job.directory)
        report = None
        with contextlib.suppress(LabError):  # said before, of the run
            report = read_report(job.directory)
        arm = arm_key(self.exp, job.cell)
        if report and arm not in self.seen and report.get("environment"):
            self.check_server(job.cell, report["environment"])
            self.book.note_environment(arm, report["environment"])
            self.seen.add(arm)
        try:
            self.run_hooks("after-run", environment)
        except LabError as e:
            self.progress.note(str(e))

    def check_servers(self, plan: Plan, missing: Sequence[PlannedRun]) -> None:
        """Of a resumed experiment, before it spends a run; a private server's program is known."""
        if not self.book.rows() or self.target.kind in ("private", "none"):
            return
        cells = [plan.cells[run.cell] for run in missing]
        places = by(cells, lambda cell: setup.place(cell.settings)).values()
        for cell, *_ in list(places)[: None if self.target.kind == "given" else 1]:
            found: Tree = {}
            with contextlib.suppress(LabError):  # its run will say so
                self.target.ensure(cell.settings)
                found = setup.server_now(cell.settings, self.target, self.book.directory)
            self.check_server(cell, found, self.target.kind == "given")

    def check_server(self, cell: Cell, found: Tree, whole: bool = False) -> None:
        """The runs before were made with this version, too, or the user wants to go on anyway.  A
        server of the user's is the same in all arms that reach it alike.  `whole`: it is the same
        server; not if commands start it, or within a sitting, in which a proxy may choose."""
        known, own = read_environment(self.book.directory), arm_key(self.exp, cell)
        where, cells = setup.place(cell.settings), self.book.plan.cells
        same = [c for c in cells if setup.place(c.settings) == where]
        alike = {arm_key(self.exp, c) for c in same if self.target.kind != "private"} | {own}
        every = {arm_key(self.exp, c): self.arm_name(c) for c in cells}
        arms = [arm for arm in every if arm in alike]
        whose = "arm%s %s: " % ("s" * (len(arms) > 1), labels.joined([every[a] for a in arms]))
        whose = whose if len(arms) < len(every) else ""
        now = setup.server_of(found, whole)
        for arm in arms:
            pairs = setup.differences(setup.server_of(known.get(arm, {})), now)
            differs = {whose + name: pair for name, pair in pairs.items()}
            if differs and not self.book.anyway:
                setup.refuse(differs)
            new = {k: pair for k, pair in differs.items() if (k, *pair) not in self.differs}
            self.differs.update((k, *pair) for k, pair in new.items())
            if new:
                self.book.note_setup({}, new)

    # ---- hooks: when, and with what in their environment, see below ----

    def run_hooks(self, moment: str, environment: Mapping[str, str]) -> None:
        """Run those of a moment, in order; LabError if one fails."""
        for number, hook in enumerate(h for h in self.exp.hooks if h.moment == moment):
            ended = shell(hook.command, environment, HOOK_S)
            self.book.log(mask.command(hook.command), ended.status, ended.seconds)
            directory = environment.get("LAB_RUN_DIRECTORY", self.book.directory)
            name = "hook-%s-%d.txt" % (moment, number + 1)
            if ended.output:
                write_file(os.path.join(directory, name), ended.output)
            if why := failure(hook.command, ended):
                raise LabError("the hook %s: %s" % (moment, why))

    def mid_run_failure(self, report: Tree) -> str:
        """Why a run without its change is none; "" if each hook of mid-run did its work.

        One that the end of the run terminated was meant to last, such as a recorder.
        """
        ours = {mask.text(hook.command) for hook in self.exp.hooks if hook.moment == "mid-run"}
        for ran in report.get("commands") or ():
            good = ran.get("exit_status") == 0 or ran.get("terminated_with_run")
            if ran.get("command") in ours and not good:
                return "the hook mid-run: '%s' %s" % (ran["command"], outcome(ran))
        return ""

    def environment(self, job: Job | None = None) -> dict[str, str]:
        """What a hook finds in its environment; of a run, or of the whole sitting."""
        target = self.target
        found = {
            "LAB_EXPERIMENT": self.exp.name,
            "LAB_RESULTS": os.path.abspath(self.book.directory),
        }
        found.update({"LAB_SERVER_" + variable(k): v for k, v in target.describe().items()})
        found["LAB_SERVER_PID"] = str(target.pid() or "")
        found["LAB_ARGUMENTS"] = shlex.join(target.arguments()) if target.pid() else ""
        if job is not None:
            levels = job.cell.levels.items()
            found.update({"LAB_LEVEL_" + variable(name): level for name, level in levels})
            found.update(LAB_RUN=str(job.run.number), LAB_ROUND=str(job.run.round))
            found["LAB_CELL"] = ", ".join("%s=%s" % pair for pair in levels)
            found["LAB_RUN_DIRECTORY"] = os.path.abspath(job.directory)
        return found

    # ---- the end ------------------------------------------------------------------

    def close(self) -> list[int]:
        """Hooks, data and server; each of them, whatever happens to the others.  The signals that
        came while the user's server was put back."""
        # a hook that hangs can be interrupted; the server is stopped all the same
        if self.begun:
            with self.closing("the hook after was interrupted"), signals.interrupting():
                self.run_hooks("after", self.environment())
        if self.finished and self.target.kind != "private":
            left = "cleanup was interrupted: tables are left on the server"
            with self.closing(left), signals.interrupting():
                self.clean_up()
                self.left.keep(prepared={})
        leaving = signals.leaving(lambda: mask.text(self.target.waits_for))
        ours = self.target.kind != "commands"
        with self.closing(), contextlib.nullcontext([]) if ours else leaving as came:
            self.target.stop()
        return came

    @contextlib.contextmanager
    def closing(self, interrupted: str = "") -> Iterator[None]:
        """What goes wrong within is said; whatever it is, the rest is done."""
        try:
            yield
        except NotRestored as e:
            if self.finished:
                self.unrestored = str(e)
            else:  # something else is to be said of the end
                self.progress.note(str(e))
        except (LabError, OSError) as e:
            self.progress.note(str(e))
        except KeyboardInterrupt:
            if interrupted:
                self.progress.note(interrupted)


def log_directory(server: Target) -> str:
    return os.path.dirname(server.describe().get("log", ""))


def keep_logs(server: Target, directory: str) -> None:
    """The ends of a private server's logs, which go with the server."""
    for name in LOGS if log_directory(server) else ():
        path = os.path.join(log_directory(server), name)
        with contextlib.suppress(OSError), open(path, "rb") as f:
            f.seek(max(0, os.path.getsize(path) - LOG_TAIL))
            text = f.read()
            with open(os.path.join(directory, name), "wb") as kept:
                kept.write(text)


# ---- A warm-up that ends when the server is warm: a run of its own before the measured one

#     load.warmup of sysbench     1 s in the measured run: new connections, new statements
#     this                        the same load before it, at most measure.warmup seconds
#
# Each second of the run is a line of warmup.jsonl.  With a rate the throughput is what was asked
# for from the first second on, so the mean latency tells; without one, the throughput.  The figure
# is steady when the last WINDOW seconds have no trend: the mean of their second half is within a
# few per cent of that of their first half (steady).


WINDOW = 10  # seconds
# What the halves of a window may differ by: latency has the longer tail.
NEAR = {"transactions_per_s": 0.03, "mean_s": 0.10}
REST_S = 1.0  # warm-up within the measured run


def steady(values: Sequence[float], near: float, window: int = WINDOW) -> bool:
    """Do the last `window` values stand still?"""
    last = values[-window:]
    if len(last) < window:
        return False
    half = window // 2
    first, second = sum(last[:half]) / half, sum(last[half:]) / (window - half)
    return abs(second - first) <= near * max(abs(first), abs(second))


def follow(path: str) -> Iterator[bool]:
    """Reads the lines that a run appends to its jsonl file: is it steady now?"""
    offset = 0
    intervals: list[dict[str, Any]] = []
    while True:
        text = b""
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as f:
            f.seek(offset)
            text = f.read()
        whole = text.rfind(b"\n") + 1
        offset += whole
        trees = map(json.loads, text[:whole].splitlines())
        intervals += [tree for tree in trees if tree.get("kind") == "interval"]
        paced = any(i.get("rate") for i in intervals)
        name = "mean_s" if paced else "transactions_per_s"
        values = [i["latency"]["mean_s"] if paced else i[name] for i in intervals]
        yield steady([v for v in values if v is not None], NEAR[name])


# ---- The user's hooks: when they run, and what is in their environment

# before       once, before the first run of a sitting: the data are there
# before-run   before each run, and before each warm-up that is a run of its own
# mid-run      `at` seconds after the measured time has begun; sysbench itself starts it
#              (--at, --do), so that it is a mark in all reports and its output is in them
# after-run    after each run
# after        once, at the end, also after an interruption; the server still runs
#
# LAB_EXPERIMENT, LAB_RESULTS           name of the experiment, directory of the results
# LAB_RUN, LAB_ROUND                    numbers of run and round
# LAB_CELL                              the levels: "thread_handling=pool-of-threads, threads=16"
# LAB_LEVEL_LOAD_THREADS                the level of each factor
# LAB_RUN_DIRECTORY                        files for which a command makes a report there are kept
# LAB_SERVER_PID, LAB_SERVER_SOCKET,
# LAB_SERVER_PORT, LAB_SERVER_LOG, ...  what we know of the server
# LAB_ARGUMENTS                         options with which sysbench reaches a private server


HOOK_S = 3600


def outcome(ran: Tree) -> str:
    """How a command of --do ended, from the json report."""
    last = (ran.get("output") or "").strip().rpartition("\n")[2]
    said = ": " + last if last else ""
    if ran.get("exit_status"):
        return "ended with status %d%s" % (ran["exit_status"], said)
    if ran.get("signal"):
        return "ended with signal %d%s" % (ran["signal"], said)
    return "was %s: %s" % (ran.get("state"), ran.get("error") or "the run ended before")


def variable(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()
