# SPDX-License-Identifier: GPL-2.0-or-later
"""Short runs in which one call fails, and what must hold about each of them.

no crash       no end by a signal
no hang        an end within LIMIT seconds
the truth      exit status 0 only with a whole report whose accounts balance;
               any other with a message
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import struct
import subprocess
from collections import Counter
from typing import Any

from lib.book import Book
from lib.harness import read

from .load import check_accounts
from .server import MARIADB, POSTGRESQL, Servers

LIMIT = 30
KINDS = {
    "memory": errno.ENOMEM,
    "open": errno.EMFILE,
    "connect": errno.EADDRNOTAVAIL,
    "read": errno.ECONNRESET,
    "write": errno.EIO,
    "thread": errno.EAGAIN,
    "map": errno.ENOMEM,
}
RUN = ["--threads=2", "--events=6", "--tx-rate=300", "--time=10", "--report-interval=1", "run"]
WORKERS = ["--workers=1", *RUN]
# name: engine, test, words, whether it measures
CASES: dict[str, tuple[str, str, list[str], bool]] = {
    "cpu": ("", "cpu", RUN, True),
    "mariadb": (MARIADB, "oltp_point_select", RUN, True),
    "postgresql": (POSTGRESQL, "oltp_point_select", RUN, True),
    "mariadb-workers": (MARIADB, "oltp_point_select", WORKERS, True),
    "postgresql-workers": (POSTGRESQL, "oltp_point_select", WORKERS, True),
    "mariadb-prepare": (MARIADB, "oltp_read_write", ["prepare"], False),
    "postgresql-prepare": (POSTGRESQL, "oltp_read_write", ["prepare"], False),
}


def numbers(calls: int, most: int) -> list[int]:
    """1 to `calls`, or as many as `most` of them, evenly spread."""
    if calls <= most:
        return list(range(1, calls + 1))
    return sorted({1 + i * (calls - 1) // max(most - 1, 1) for i in range(most)})


class Torture:
    def __init__(self, sysbench: str, library: str, directory: str, servers: Servers):
        self.sysbench, self.library, self.directory = sysbench, library, directory
        self.server = servers
        self.complained = 0  # runs that ended with a message
        self.of_libraries: Counter[str] = Counter()  # crashes in libraries that check nothing

    def count(self, case: str, kind: str) -> int:
        """How many calls of this kind a run makes in which none fails."""
        self.run(case, kind, 0)
        with open(self.path("count"), "rb") as f:
            return int(struct.unpack("Q", f.read(8))[0])

    def path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def words(self, case: str) -> list[str]:
        engine, test, words, _ = CASES[case]
        server = self.server(engine).arguments() if engine else []
        table = ["--table-size=100"] if engine else []
        if words == ["prepare"]:  # a table of its own, so that the others keep theirs
            table += ["--tables=2"]
        files = ["--report-file=%s,%s" % (self.path("run.json"), self.path("run.csv"))]
        return [
            self.sysbench,
            test,
            *server,
            *table,
            *(files if words[-1] == "run" else []),
            *words,
        ]

    def run(self, case: str, kind: str, n: int) -> int | None:
        """One run; its exit status, None if it hangs."""
        engine = CASES[case][0]
        if case.endswith("prepare"):
            self.server(engine).sql("DROP TABLE IF EXISTS sbtest1, sbtest2")
        for name in ("run.json", "run.csv"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        with open(self.path("count"), "wb") as f:
            f.write(bytes(4096))
        env = dict(
            os.environ,
            LD_PRELOAD=self.library,
            NTH_KIND=kind,
            NTH_N=str(n),
            NTH_ERRNO=str(KINDS[kind]),
            NTH_FILE=self.path("count"),
        )
        with open(self.path("out"), "wb") as out:
            child = subprocess.Popen(
                self.words(case), env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
            try:
                return child.wait(LIMIT)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGABRT)
                child.wait()
                return None

    def one(self, case: str, kind: str, n: int) -> bool:
        status = self.run(case, kind, n)
        wrong = self.judge(status, CASES[case][3])
        if wrong and (status is None or status < 0) and self.culprit() not in ("", "sysbench"):
            self.of_libraries[self.culprit()] += 1
            return True
        self.complained += bool(status) and not wrong
        if wrong:
            kept = self.path("%s.%s.%d" % (case, kind, n))
            shutil.copy(self.path("out"), kept + ".out")
            with open(kept + ".wrong", "w") as f:
                f.write("\n".join([*wrong, "a call of '%s'" % self.culprit()]) + "\n")
            print("    %s %s %d: %s" % (case, kind, n, "; ".join(wrong)), flush=True)
        return not wrong

    def culprit(self) -> str:
        """The program or library whose call failed."""
        with open(self.path("count"), "rb") as f:
            name = f.read()[8:].split(b"\0")[0].decode(errors="replace")
        return os.path.basename(name).replace("lt-", "")

    def judge(self, status: int | None, measures: bool) -> list[str]:
        text = read(self.path("out"))
        if status is None:
            return ["hangs"]
        if status < 0:
            return ["ended by signal %d" % -status]
        if status != 0:
            spoken = re.search(r"FATAL|ALERT|CRITICAL|ERROR|sysbench:|memory|PANIC", text)
            return [] if spoken else ["exit status %d without a word" % status]
        return self.judge_report(text) if measures else []

    def judge_report(self, text: str) -> list[str]:
        """Of a run that says that all went well."""
        book = Book(lambda: False)
        for title in ("General statistics:", "Threads fairness:", "Rate:"):
            book.true(title in text, "exit status 0 and no '%s'" % title)
        document: Any = None
        try:
            document = json.loads(read(self.path("run.json")))
        except ValueError as e:
            book.true(False, "exit status 0 and the json report cannot be read: %s" % e)
        if document and book.true(document["summary"], "exit status 0 and no summary"):
            check_accounts(book, document)
            book.same("done", document["summary"]["rate"]["done"], 6)
        return book.wrong
