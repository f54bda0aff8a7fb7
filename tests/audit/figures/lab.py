# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers and runs: starts what a run needs, runs it, and compares what it left."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections import Counter
from typing import NamedTuple

import report
from lib import harness
from sblab import LabError
from sysbench_lab import owned
from sysbench_lab.servers.instance import Instance

from . import check_server
from .book import Book, Disagreement
from .check_machine import check_machine
from .check_record import RecordCheck
from .check_text import TextCheck
from .draw import Run, formats
from .record import Record

LIMIT = 60  # seconds after which a run hangs


class Result(NamedTuple):
    run: Run
    command: list[str]
    status: int
    figures: int
    disagreements: list[Disagreement]


class Database:
    """A private server that writes every statement down."""

    def __init__(self, engine: str, sysbench: str, script: str) -> None:
        self.engine, self.sysbench = engine, sysbench
        self.directory = owned.temporary("sb-audit-")
        os.chmod(self.directory, 0o711)  # the server may run as another user
        self.log = os.path.join(self.directory, "general.log")
        options = ["--log_statement=all", "--fsync=off"]
        if engine == "mariadb":
            options = ["--general-log=ON", "--general-log-file=" + self.log]
            options.append("--innodb-flush-log-at-trx-commit=2")
        self.server = Instance.create_temporary(engine=engine, options=options)
        if engine == "postgresql":
            self.log = self.server.log
        else:
            owned.write(self.log, "", 0o644, self.server.os_user)
        harness.started(self.server, [sysbench, script])
        if engine == "mariadb":
            harness.sql(self.server, "GRANT PROCESS ON *.* TO sbtest@localhost")
        self.read_from = 0

    def arguments(self) -> list[str]:
        return self.server.module.arguments(self.server)

    def skip(self) -> None:
        """What is in the log so far is not of the next run."""
        self.read_from = os.path.getsize(self.log)

    def statements(self) -> Counter[str]:
        with open(self.log, errors="replace") as f:
            f.seek(self.read_from)
            return check_server.statements(self.engine, f)

    def stop(self) -> None:
        harness.ended(self.server)
        owned.remove(self.directory, anyway=True)


class Lab:
    """Runs one drawn command line after the other."""

    def __init__(self, sysbench: str, schemas: str) -> None:
        self.sysbench, self.schemas = sysbench, schemas
        self.databases: dict[str, Database] = {}

    def database(self, run: Run) -> Database | None:
        if run.engine == "nothing":
            return None
        if run.engine not in self.databases:
            self.databases[run.engine] = Database(run.engine, self.sysbench, run.script)
        return self.databases[run.engine]

    def stop(self) -> None:
        for database in self.databases.values():
            database.stop()

    def audit(self, run: Run, directory: str) -> Result:
        """Runs it with its files in `directory` and compares them."""
        stem, database = os.path.join(directory, "run"), self.database(run)
        names = ["%s.%s" % (stem, suffix) for suffix in formats(run)]
        command = [self.sysbench, run.script, *run.args]
        command += database.arguments() if database else []
        command += ["--report-file=" + ",".join(names), "--raw-log=%s.raw" % stem, "run"]
        book = Book()
        before = check_server.cpu_s(database.server.running_pid()) if database else 0.0
        if database:
            database.skip()
        with open(stem + ".stdout", "w") as out, open(stem + ".stderr", "w") as err:
            env, null = dict(os.environ, **run.env), subprocess.DEVNULL
            how = {"stdin": null, "stdout": out, "stderr": err, "timeout": LIMIT}
            status = subprocess.run(command, env=env, **how).returncode  # type: ignore
        after = check_server.cpu_s(database.server.running_pid()) if database else 0.0
        # a failing event, and --rate that overflows, end a run with its report
        book.same("exit", "status", status in ((0, 1) if may_fail(run) else (0,)), True)
        if not all(os.path.exists(n) for n in names):
            book.same("files", "missing", [n for n in names if not os.path.exists(n)], [])
        else:
            compare(book, run, stem, self.schemas)
            if database:
                document = report.load(stem + ".json")
                processes = len(check_server.tree(database.server.running_pid())) + 24
                if document["summary"]:
                    check_server.check_cpu(book, document, before, after, processes)
                if document["summary"] and not run.warmup:
                    check_server.check_statements(book, document, database.statements())
        return Result(run, command, status, book.figures, book.disagreements)


def may_fail(run: Run) -> bool:
    return (
        run.env.get("AUDIT_FAIL", "0") != "0"
        or "--tx-overload=abort" in run.args
        or any(a.startswith("--rate=") for a in run.args)
    )


def compare(book: Book, run: Run, stem: str, schemas: str) -> None:
    """All that the files of a run say by themselves; what cannot even be read is a disagreement
    too."""
    try:
        document, record = report.load(stem + ".json"), Record(stem + ".raw")
        report.problems.clear()
        with contextlib.suppress(report.NoValidator):
            report.validate(schemas, stem + ".json", stem + ".jsonl")
        if document["summary"] is None:  # it ended in its warm-up
            book.same("json", "end.status", document["end"]["status"], "failed")
            book.same("raw", "transactions of no warm-up", len(record.measured), 0)
            return
        RecordCheck(book, document, record, run).all()
        for suffix in formats(run):
            report.agree(stem + ".json", "%s.%s" % (stem, suffix))
        report.phases(stem + ".json")
        report.hlog(stem + ".hlog", stem + ".json")
        book.figures += report.take_count()
        for problem in report.problems:
            book.same("files", problem, "seen", "none")
        check_machine(book, document)
        generation = "1.1" if "--compat=1.1" in run.args else "1.0"
        TextCheck(book, document, record, stem + ".txt", generation).all()
    except (ValueError, LookupError, TypeError, AssertionError, OSError, ArithmeticError) as e:
        book.same("files", "read", "%s: %s" % (type(e).__name__, e), "good")
        if os.environ.get("AUDIT_TRACE"):
            raise


__all__ = ["Lab", "LabError", "Result", "compare"]
