# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of sysbench that meets a fault: its output, its files, and what must hold of any run.

Whatever happens, a run that began leaves whole files whose accounts balance:
offered = done + failed + dropped + unfinished, at the end of every interval and of the run."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import resource
import signal
import subprocess
import time
from typing import Any, Callable, Iterator, Sequence

from lib import child
from lib.book import Book, short
from lib.harness import read

HANG = 90  # seconds after which a run that should have ended hangs
EVENT = 60  # seconds in which something must happen that only a broken machine delays
MESSAGE = re.compile(r"(FATAL|ALERT|CRITICAL|WARNING|ERROR)\b|sysbench: ")


class Load:
    """A running or ended sysbench; `stem` names its files."""

    def __init__(
        self,
        book: Book,
        argv: Sequence[str],
        stem: str,
        prepare: Callable[[], object] | None = None,
    ) -> None:
        self.book, self.argv, self.stem = book, list(argv), stem
        with open(stem + ".out", "wb") as out, open(stem + ".err", "wb") as err:
            where = os.path.dirname(stem)
            self.process = child.begin(self.argv, out, err, cwd=where, preexec_fn=prepare)
        self.began = time.monotonic()
        self.seconds = 0.0

    # ---- while it runs

    def wait_for(self, what: str, happened: Callable[[], Any], seconds: float = EVENT) -> bool:
        """False, and a finding, when it ends or the time passes before that."""
        deadline = time.monotonic() + seconds
        while not happened():
            if self.process.poll() is not None or time.monotonic() > deadline:
                return bool(happened()) or self.book.true(False, "never: " + what)
            time.sleep(0.02)
        return True

    def started(self) -> bool:
        return self.wait_for("threads started", lambda: "Threads started" in self.out)

    def done(self) -> int:
        """Transactions done so far, by the last whole line of the stream of intervals."""
        rows = self.stream()
        return int(rows[-1]["total"]["transactions"]) if rows else 0

    def wait_done(self, count: int) -> bool:
        return self.wait_for("%d transactions done" % count, lambda: self.done() >= count)

    def wait_rate(self, rate: float) -> bool:
        """Two intervals in a row hold 90 % of the rate again."""
        before = len(self.stream())

        def held() -> bool:
            last = self.stream()[max(before, 1) :][-2:]
            return len(last) == 2 and all(r["transactions_per_s"] >= 0.9 * rate for r in last)

        return self.wait_for("the rate of %g/s again" % rate, held)

    def stream(self) -> list[Any]:
        rows = []
        for line in read(self.stem + ".jsonl").split("\n")[:-1]:
            record = json.loads(line)
            if record.get("kind", record.get("type")) == "interval":
                rows.append(record)
        return rows

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def stall(self, seconds: float) -> None:
        self.signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.signal(signal.SIGCONT)

    def wait(self, bound: float | None = None, what: str = "the run") -> int:
        """Its exit status.  From here to the end takes no more than `bound` seconds."""
        asked = time.monotonic()
        try:
            self.process.wait(HANG if bound is None else max(HANG, bound))
        except subprocess.TimeoutExpired:
            self.book.true(False, "%s hangs: not ended after %d s" % (what, HANG))
            self.process.kill()
            self.process.wait()
        ended = time.monotonic()
        self.seconds = ended - self.began
        if bound is not None:
            self.book.within(what, ended - asked, bound)
        return self.process.returncode

    # ---- what it left

    @property
    def out(self) -> str:
        return read(self.stem + ".out")

    @property
    def err(self) -> str:
        return read(self.stem + ".err")

    @property
    def messages(self) -> list[str]:
        lines = (self.out + self.err).splitlines()
        return [line for line in lines if MESSAGE.match(line)]

    def document(self) -> Any:
        """The json report; None, and a finding, when it is not whole."""
        try:
            return json.loads(read(self.stem + ".json"))
        except ValueError as e:
            self.book.true(False, "the json report cannot be read: %s" % e)
            return None

    def ended(
        self,
        status: int | tuple[int, ...],
        bound: float | None = None,
        messages: int = 6,
        lines: int = 150,
        files: bool = True,
        says: str = "",
        least: dict[str, float] | None = None,
        most: dict[str, float] | None = None,
        **exact: float,
    ) -> Any:
        """Waits and checks all that must hold of any run, what it says, and figures of its summary
        or of the summary's rate; returns the json report."""
        seen = self.wait(bound)
        self.book.one_of("exit status", seen, status if isinstance(status, tuple) else (status,))
        self.book.true(
            len(self.messages) <= messages,
            "%d messages, more than %d: %s"
            % (len(self.messages), messages, short(self.messages[:4])),
        )
        self.book.most("lines printed", (self.out + self.err).count("\n"), lines)
        if 0 < seen < 128:
            self.book.true(self.messages or self.err, "exit status %d without a word" % seen)
        self.says(says)
        document = self.whole_files() if files else None
        if exact or least or most:
            self.check_figures(document, exact, least or {}, most or {})
        return document

    def interrupted(self, **more: Any) -> Any:
        self.signal(signal.SIGINT)
        return self.ended(130, **more)

    def refused(
        self, says: str = "", bound: float = 15, messages: int = 5, lines: int = 60
    ) -> None:
        """It does not begin, and says why."""
        self.ended(1, bound, messages, lines, files=False, says=says)

    def check_figures(
        self,
        document: Any,
        exact: dict[str, float],
        least: dict[str, float],
        most: dict[str, float],
    ) -> None:
        summary = document and document["summary"]
        if not self.book.true(summary, "no summary"):
            return
        figures = {**(summary["rate"] or {}), **summary}
        for name, value in exact.items():
            self.book.same(name, figures[name], value)
        for name, value in least.items():
            self.book.least(name, figures[name], value)
        for name, value in most.items():
            self.book.most(name, figures[name], value)

    def whole_files(self) -> Any:
        document = self.document()
        if document is not None:
            check_accounts(self.book, document)
            check_csv(self.book, self.stem + ".csv")
            self.book.same("intervals of jsonl", len(self.stream()), len(document["intervals"]))
        return document

    def says(self, pattern: str) -> bool:
        text = unwrapped(self.out + self.err)
        return self.book.true(re.search(pattern, text, re.S), "nothing says /%s/" % pattern)

    def never_says(self, pattern: str) -> bool:
        found = re.search(pattern, self.out + self.err)
        return self.book.true(not found, "it says '%s'" % (found.group(0) if found else ""))


def unwrapped(text: str) -> str:
    """Lines of the report that were wrapped, as one."""
    return re.sub(r"\n {30,}", " ", text)


def check_accounts(book: Book, document: Any) -> None:
    began = bool(document["intervals"])
    if not book.true(document["summary"] or not began, "a run with intervals has no summary"):
        return
    totals = ("total_done", "total_failed", "total_dropped", "unfinished")
    for place, record in enumerate(document["intervals"] + [document["summary"] or {}]):
        rate = record.get("rate")
        if rate:
            ended = sum(rate[name] for name in totals)
            book.same("accounts of interval %d: offered" % place, rate["total_offered"], ended)
    if document["summary"] and document["summary"]["rate"]:
        book.same("accounts_balance", document["verdict"]["accounts_balance"], True)


def check_csv(book: Book, path: str) -> None:
    text = read(path)
    if not text:
        return
    book.true(text.endswith("\n"), "the csv report ends in the middle of a line")
    widths = {len(row) for row in csv.reader(text.splitlines()) if row}
    book.same("widths of the csv report", len(widths), 1)


# ---- what is around it


def limit(what: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (most, most))


def put(path: str, text: str) -> None:
    with open(path, "w") as f:
        f.write(text)


@contextlib.contextmanager
def control_group(
    controller: str, limit: tuple[str, str], old_limit: tuple[str, str]
) -> Iterator[str]:
    """The file that takes processes into a group with a limit, which is set by a file and its text
    in either version; "" where there can be none."""
    new = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    root = "/sys/fs/cgroup" + ("" if new else "/" + controller)
    group = "%s/sb-drill-%d" % (root, os.getpid())
    name, text = limit if new else old_limit
    processes = group + "/cgroup.procs"
    try:
        try:
            os.mkdir(group)
            put(os.path.join(group, name), text)
        except OSError:
            processes = ""
        yield processes
    finally:
        for word in read(processes).split():
            with contextlib.suppress(ProcessLookupError):
                put(root + "/cgroup.procs", word)
        deadline = time.monotonic() + 5
        while os.path.isdir(group) and time.monotonic() < deadline:
            time.sleep(0.1)  # its processes are not quite gone
            with contextlib.suppress(OSError):
                os.rmdir(group)
