# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's hooks: when they run, and what is in their environment.

before       once, before the first run of a sitting: the data are there
before-run   before each run, and before each warm-up that is a run of its own
mid-run      `at` seconds after the measured time has begun; sysbench itself starts it
             (--at, --do), so that it is a mark in all reports and its output is in them
after-run    after each run
after        once, at the end, also after an interruption; the server still runs

LAB_EXPERIMENT, LAB_RESULTS           name of the experiment, folder of the results
LAB_RUN, LAB_ROUND                    numbers of run and round
LAB_CELL                              the levels: "thread_handling=pool-of-threads, threads=16"
LAB_LEVEL_LOAD_THREADS                the level of each factor
LAB_RUN_FOLDER                        files for which a command makes a report there are kept
LAB_SERVER_PID, LAB_SERVER_SOCKET,
LAB_SERVER_PORT, LAB_SERVER_LOG, ...  what we know of the server
LAB_ARGUMENTS                         options with which sysbench reaches a private server
"""

import dataclasses
import os
import re
import shlex
import time
from typing import Mapping

from .. import LabError
from ..plan import mask
from ..plan.model import Cell, Experiment, Log, PlannedRun, Tree
from ..results.results_dir import write_file
from ..target.command import failure, shell
from ..target.target import Target

LIMIT_S = 3600


@dataclasses.dataclass
class Hooks:
    """The hooks of an experiment whose results are in a folder."""

    exp: Experiment
    folder: str
    log: Log

    def run(self, moment: str, environment: Mapping[str, str]) -> None:
        """Run those of a moment, in order; LabError if one fails."""
        for number, hook in enumerate(h for h in self.exp.hooks if h.moment == moment):
            began = time.monotonic()
            ended = shell(hook.command, environment, LIMIT_S)
            self.log(hook.command, ended.status, time.monotonic() - began)
            folder = environment.get("LAB_RUN_FOLDER", self.folder)
            name = "hook-%s-%d.txt" % (moment, number + 1)
            if ended.output:
                write_file(os.path.join(folder, name), ended.output)
            if ended.failed():
                raise LabError("the hook %s: %s" % (moment, failure(hook.command, ended)))

    def arguments(self) -> list[str]:
        """For sysbench: the hooks of mid-run."""
        ours = (hook for hook in self.exp.hooks if hook.moment == "mid-run")
        return [arg for hook in ours for arg in ("--at=%gs" % hook.at_s, "--do=" + hook.command)]

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

    def environment(
        self,
        target: Target,
        run: PlannedRun | None = None,
        cell: Cell | None = None,
        run_folder: str = "",
    ) -> dict[str, str]:
        """What a hook finds in its environment; of a run, or of the whole sitting."""
        found = {"LAB_EXPERIMENT": self.exp.name, "LAB_RESULTS": os.path.abspath(self.folder)}
        found.update(about_server(target))
        if run is not None and cell is not None:
            levels = cell.levels.items()
            found.update({"LAB_LEVEL_" + variable(name): level for name, level in levels})
            found.update(LAB_RUN=str(run.number), LAB_ROUND=str(run.round))
            found["LAB_CELL"] = ", ".join("%s=%s" % pair for pair in levels)
            found["LAB_RUN_FOLDER"] = os.path.abspath(run_folder)
        return found


def outcome(ran: Tree) -> str:
    """How a command of --do ended, from the json report."""
    last = (ran.get("output") or "").strip().rpartition("\n")[2]
    said = ": " + last if last else ""
    if ran.get("exit_status"):
        return "ended with status %d%s" % (ran["exit_status"], said)
    if ran.get("signal"):
        return "ended with signal %d%s" % (ran["signal"], said)
    return "was %s: %s" % (ran.get("state"), ran.get("error") or "the run ended before")


def about_server(target: Target) -> dict[str, str]:
    found = {"LAB_SERVER_" + variable(k): v for k, v in target.describe().items()}
    found["LAB_SERVER_PID"] = str(target.pid() or "")
    found["LAB_ARGUMENTS"] = shlex.join(target.arguments()) if target.pid() else ""
    return found


def variable(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()
