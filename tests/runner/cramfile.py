# SPDX-License-Identifier: GPL-2.0-or-later
"""One cram file: what it needs, one run of it, the result.

A file passes, fails, is skipped, or is inconclusive: all output is as expected, but a bound of
time (`timed` in tests/include/common.sh) did not hold while the machine stood still.
"""

from __future__ import annotations

import contextlib
import enum
import filecmp
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

from .servers import database, kind_of, source_of
from .world import World

GRACE = 10  # seconds from SIGTERM to SIGKILL


class Result(enum.Enum):
    PASS = "passed"
    FAIL = "failed"
    SKIP = "skipped"
    INCONCLUSIVE = "inconclusive"


@dataclass
class Outcome:
    """What a run of a file came to."""

    path: str
    result: Result
    seconds: float = 0.0
    remark: str = ""  # behind the name: why it was skipped, which bound did not hold
    output: str = ""  # what differs

    @property
    def name(self) -> str:
        return name_of(self.path)


@dataclass
class Running:
    """The processes of the files that run now, so that an interrupted run leaves none behind."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    groups: set[int] = field(default_factory=set)
    ending: bool = False

    def end_all(self) -> None:
        with self.lock:
            self.ending = True
            for group in self.groups:
                end_group(group, signal.SIGTERM)


def name_of(path: str) -> str:
    return os.path.basename(path)[:-2]


def end_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def runs_alone(path: str) -> bool:
    """Does the file say so?  A line of its text begins with `Runs alone`; see CONTRIBUTING.md."""
    with open(source_of(path), errors="replace") as f:
        return re.search(r"^Runs alone", f.read(), re.M) is not None


def missing_netns() -> str:
    if not shutil.which("ip"):
        return "no ip command (iproute2)"
    done = subprocess.call(["unshare", "--net", "true"], stderr=subprocess.DEVNULL)
    return "network namespaces are not permitted here" if done else ""


def missing_jsonschema() -> str:
    done = subprocess.call(["python3", "-c", "import jsonschema"], stderr=subprocess.DEVNULL)
    return "no jsonschema for Python" if done else ""


class CramFiles:
    """Runs files of one world; may be used by several threads at once."""

    def __init__(self, world: World, update: bool) -> None:
        self.world, self.update = world, update
        self.limit = float(os.environ.get("SB_TEST_LIMIT", "300"))
        self.running = Running()

    def missing(self, path: str) -> str:
        """Why the file cannot run here; nothing when it can."""
        if path.endswith("_netns_mysql.t"):
            return missing_netns()
        if os.path.basename(path) == "report_schema.t":
            return missing_jsonschema()
        return ""

    def copy(self, path: str, run: int, server: dict[str, str]) -> str:
        """A copy is run: the source tree may be read-only, and words may differ."""
        copy = os.path.join(self.world.tests, "t", os.path.basename(path))
        with open(source_of(path)) as f:
            text = f.read().replace(database(path), database(path, run))
        for words in [] if self.update else self.world.word_lists(server):
            text = subprocess.run(
                ["sed", "-f", words], input=text, stdout=subprocess.PIPE, check=True, text=True
            ).stdout
        with open(copy, "w") as f:
            f.write(text)
        return copy

    def run(self, path: str, number: int = 1) -> Outcome:
        """Runs the file for the first or the second time."""
        kind, servers = kind_of(path), self.world.servers
        why = self.missing(path)
        if why or kind is None:
            return (
                Outcome(path, Result.SKIP, remark=why) if why else self.run_with(path, number, {})
            )
        own = servers.own_possible(path)
        with (
            servers.own(path, number) if own else contextlib.nullcontext(servers.description(kind))
        ) as server:
            if not server:
                name = {"mysql": "MariaDB", "pgsql": "PostgreSQL"}[kind]
                return Outcome(path, Result.SKIP, remark="no private " + name)
            return self.run_with(path, number, server)

    def run_with(self, path: str, number: int, server: dict[str, str]) -> Outcome:
        copy = self.copy(path, number, server)
        doubts = self.world.path("said", "%s.%d" % (name_of(path), number))
        env = self.world.environment(path, number, server)
        began = time.monotonic()
        env.update(SB_BEGAN="%.3f" % began, SB_INCONCLUSIVE=doubts)
        status, text = self.cram(copy, env)
        if self.update:
            take(copy, source_of(path))
        outcome = judge(path, status, text, read(doubts), self.limit)
        outcome.seconds = time.monotonic() - began
        return outcome

    def cram(self, copy: str, env: dict[str, str]) -> tuple[int | None, str]:
        """Exit status of cram, None when it did not end in time, and what it printed."""
        argv = [self.world.cram] + (["-i", "-y"] if self.update else [])
        argv += ["--indent=2", "--shell=/bin/sh", "t/" + os.path.basename(copy)]
        with open(copy + ".said", "w+", errors="replace") as out:
            with self.running.lock:
                if self.running.ending:
                    return 1, ""
                # cram -i makes patches, and patch wants a relative name
                child = subprocess.Popen(
                    argv,
                    cwd=self.world.tests,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
                self.running.groups.add(child.pid)
            status = self.wait(child)
            with self.running.lock:
                self.running.groups.remove(child.pid)
            out.seek(0)
            return status, out.read()

    def wait(self, child: subprocess.Popen[bytes]) -> int | None:
        try:
            return child.wait(self.limit)
        except subprocess.TimeoutExpired:
            self.end(child)
            return None
        except BaseException:  # the run is interrupted
            self.end(child)
            raise

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """Ends cram and what it has started, politely first: files stop their servers then."""
        end_group(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
        end_group(child.pid, signal.SIGKILL)
        child.wait()


def read(path: str) -> list[str]:
    try:
        with open(path) as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def take(copy: str, path: str) -> None:
    """Writes the copy's new output into the file itself."""
    if not filecmp.cmp(copy, path, shallow=False):
        shutil.copyfile(copy, path)


def only_progress(diff: str) -> bool:
    """Is all that differs the progress of clients that took over a second to connect, or at which
    second of a run a signal came?"""
    changes = [s for s in diff.splitlines() if re.match(r"[-+](?!--|\+\+)", s)]
    progress = re.compile(
        r"\+  (connected \d+/\d+(, \d+ refused( \(\d+\))?)?"
        r"|Interrupted \(SIG[A-Z]+ (after [\d.]+ s( of [\d.]+ s)?|in the warm-up)\))$"
    )
    return bool(changes) and all(progress.match(s) for s in changes)


def judge(path: str, status: int | None, text: str, doubts: list[str], limit: float) -> Outcome:
    """The result of a run, from cram's exit status (0: nothing differs) and its output."""
    skipped = re.search(r"^# Ran 1 tests?, 1 skipped", text, re.M)
    text = re.sub(r"^# Ran .*\n?", "", text, flags=re.M)
    if status is None:
        return Outcome(path, Result.FAIL, output=text + "# no end within %g s\n" % limit)
    if status != 0 and not only_progress(text):
        return Outcome(path, Result.FAIL, output=text)
    if skipped:
        return Outcome(path, Result.SKIP, remark="; ".join(doubts) or "no reason given")
    if doubts:
        return Outcome(path, Result.INCONCLUSIVE, remark="; ".join(doubts))
    return Outcome(path, Result.PASS)
