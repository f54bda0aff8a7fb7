# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of target.py with real servers and short runs.

SB_NO_SERVER in the environment skips those that start a server.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Any, Iterator

import pytest

from sysbench_lab import LabError, testing
from sysbench_lab.plan.model import Cell, Settings
from sysbench_lab.results.results_dir import Book, read_environment
from sysbench_lab.run import lock, runner
from sysbench_lab.servers import process
from sysbench_lab.servers.instance import Instance
from sysbench_lab.target import target
from sysbench_lab.target.target import PrivateTarget, shell
from sysbench_lab.testdata.runner_cases import (
    PACKAGES,
    Notes,
    child,
    experiment,
    factor,
    needs,
    needs_sysbench,
    new_book,
    refused,
    run,
    sysbench,
)

needs_mariadb, needs_postgresql = needs("mariadb"), needs("postgresql")

# Starts fast, uses little memory.
SMALL: Settings = {
    "server.option.innodb_buffer_pool_size": "16M",
    "server.option.innodb_log_file_size": "4M",
    "server.option.performance_schema": False,
}


# ---- a private MariaDB -----------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[PrivateTarget]:
    made = PrivateTarget("change", 200)
    yield made
    made.stop()


def with_(**options: Any) -> Settings:
    names = {"server.option." + k: v for k, v in options.items()}
    return {"load.script": "oltp_point_select", **SMALL, **names}


def command_of(pid: int | None) -> list[str]:
    return pathlib.Path("/proc/%d/cmdline" % (pid or 0)).read_text().split("\0")


OWN = testing.data("own.lua")


@needs_mariadb
@needs_sysbench
@pytest.mark.parametrize("kept", [True, False])
def test_an_option_of_ones_own_script_makes_other_tables(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Each variant has its tables on a server of its own; where there is no room, they are made
    again."""
    monkeypatch.setattr(target, "has_room", lambda servers, settings: kept)
    (tmp_path / "own.lua").write_text(OWN)
    load: Settings = {"load.script": str(tmp_path / "own.lua"), "load.events": 1}
    stays: Settings = {**SMALL, **load, "client.program": sysbench()}
    indexed = factor("indexed", "load.indexed", False, True)
    part = factor("part", "load.part", 1, 2)
    exp = experiment(stays, indexed, part, repeats=2, disturbed_pct=100.0)
    book, _ = run(tmp_path, exp)
    for one in book.plan.runs:
        with open(os.path.join(book.run_directory(one), "output.txt")) as f:
            text = f.read()
        want = "of_k" if book.plan.cells[one.cell].settings["load.indexed"] else "nil"
        assert "indexed by %s\n" % want in text
    log = (tmp_path / "results" / "commands.log").read_text()
    assert log.count(" prepare") == (2 if kept else 3)  # of 8 runs: plain indexed | indexed plain
    assert log.count("mariadbd ") + log.count("mysqld ") == 8  # one for each run
    assert (tmp_path / "results" / "prepare-options.txt").read_text() == "indexed\n"


@needs_mariadb
def test_restarts_when_settings_change_and_keeps_its_data(server: PrivateTarget) -> None:
    directories: list[str] = []
    server.begun = directories.append
    server.ended = directories.remove
    assert server.ensure(with_()) is True
    pid, data = server.pid(), server.data()
    assert server.ensure(with_()) is False
    assert server.pid() == pid
    assert server.ensure(with_(thread_handling="pool-of-threads")) is True
    assert server.pid() != pid
    assert server.data() == data
    command = command_of(server.pid())
    assert "--thread_handling=pool-of-threads" in command
    assert "--max_connections=250" in command
    assert directories == [data]
    os.kill(server.pid() or 0, signal.SIGKILL)
    process.wait_gone(server.pid(), server.current.ident if server.current else None, 10)
    assert server.ensure(with_(thread_handling="pool-of-threads")) is True
    server.stop()
    assert directories == []
    assert not os.path.exists(os.path.dirname(data))


@needs_mariadb
def test_never_restarted(server: PrivateTarget) -> None:
    server.restart = "never"
    server.ensure(with_())
    with pytest.raises(LabError, match="thread_handling varies, but measure.restart is never"):
        server.ensure(with_(thread_handling="pool-of-threads"))


@needs_mariadb
def test_an_option_that_the_server_does_not_know(server: PrivateTarget) -> None:
    with pytest.raises(LabError, match="unknown variable 'no_such_thing=1'"):
        server.ensure(with_(no_such_thing=1))
    assert server.pid() is None


@pytest.mark.parametrize(
    ("engine", "good", "bad", "sentence"),
    [
        pytest.param("mariadb", {"skip_log_bin": True, "thread_handling": "pool-of-threads"},
            "innodb_bufer_pool_size", "unknown variable 'innodb_bufer_pool_size=64M'",
            marks=needs_mariadb),
        pytest.param("postgresql", {"max_wal_size": "2GB", "some.extension": 1}, "shared_bufers",
            'unrecognized configuration parameter "shared_bufers"', marks=needs_postgresql),
    ],
)  # fmt: skip
def test_an_option_is_tried_before_anything_is_started(
    server: PrivateTarget, engine: str, good: dict[str, Any], bad: str, sentence: str
) -> None:
    both = [good, {**good, bad: "64M"}]
    options = [{"server.option." + k: v for k, v in names.items()} for names in both]
    cells = [Cell(0, {}, {"server.engine": engine, **found}) for found in options]
    server.check(cells[:1])
    with pytest.raises(LabError, match="server.option.%s: .*%s" % (bad, sentence)):
        server.check(cells)
    with pytest.raises(LabError, match="bufer"):  # PostgreSQL's words have the underscore
        server.check(
            [Cell(0, {}, {"server.engine": engine, "server.option." + bad.replace("_", "-"): 1})]
        )
    assert not server.servers


@needs_mariadb
def test_environment_cpus_and_prefix(server: PrivateTarget) -> None:
    one = str(sorted(os.sched_getaffinity(0))[-1])
    more: Settings = {
        "server.env.LAB_TEST": "yes",
        "server.cpus": one,
        "server.prefix": "nice -n 3",
    }
    server.ensure({**with_(), **more})
    pid = server.pid() or 0
    assert os.sched_getaffinity(pid) == {int(one)}
    assert os.getpriority(os.PRIO_PROCESS, pid) >= 3
    environment = pathlib.Path("/proc/%d/environ" % pid).read_bytes().split(b"\0")
    assert b"LAB_TEST=yes" in environment


@needs_mariadb
def test_cpus_that_are_not_there(server: PrivateTarget) -> None:
    with pytest.raises(LabError, match="there is no CPU 4000 to run on"):
        server.ensure({**with_(), "server.cpus": "0,4000"})


@needs_mariadb
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_preload(server: PrivateTarget, tmp_path: pathlib.Path) -> None:
    server.ensure(with_())
    directory = pathlib.Path(server.data())
    library = directory / "liblab_test.so"  # where the server's user may read
    text = "int lab_test(void) { return 1; }"
    argv = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(argv, input=text.encode(), check=True)
    server.ensure({**with_(), "server.preload": str(library)})
    maps = pathlib.Path("/proc/%d/maps" % (server.pid() or 0)).read_text()
    assert "liblab_test.so" in maps
    not_loadable = directory / "libnothing.so"
    not_loadable.write_text("no library")
    with pytest.raises(LabError, match="the server did not load .*libnothing.so"):
        server.ensure({**with_(), "server.preload": str(not_loadable)})
    assert server.current is not None
    assert not server.current.is_running()


# ---- whole experiments ------------------------------------------------------------------

REAL: Settings = {
    "load.script": "oltp_point_select",
    "load.table-size": 100,
    "load.tx-rate": 50,
    "client.program": sysbench(),
}


@needs_mariadb
def test_a_temporary_directory_that_is_closed_to_the_servers_user(
    monkeypatch: pytest.MonkeyPatch, server: PrivateTarget
) -> None:
    outer = tempfile.mkdtemp(dir="/tmp")
    os.chmod(outer, 0o711)
    monkeypatch.setenv("TMPDIR", outer)
    monkeypatch.setattr(tempfile, "tempdir", None)
    try:
        server.ensure(with_())
        assert server.data().startswith(outer)
    finally:
        server.stop()
        assert os.listdir(outer) == []
        os.rmdir(outer)


@needs_mariadb
def test_the_log_of_a_server_that_does_not_start_is_kept(tmp_path: pathlib.Path) -> None:
    exp = experiment({**REAL, **SMALL, "server.option.no_such_thing": 1})
    book = new_book(tmp_path / "results", exp)
    with pytest.raises(LabError, match="unknown variable") as caught:
        runner.run_all(exp, book.plan, book, Notes())
    log = pathlib.Path(book.directory, "server.log")
    assert "(log: %s)" % log in str(caught.value)
    assert "no_such_thing" in log.read_text()


@needs_mariadb
@needs_sysbench
def test_an_experiment_with_mariadb(tmp_path: pathlib.Path) -> None:
    arms = factor(
        "pool", "server.option.thread_handling", "one-thread-per-connection", "pool-of-threads"
    )
    settings: Settings = {**REAL, **SMALL, "load.threads": 2}
    book, _ = run(tmp_path, experiment(settings, arms, disturbed_pct=100.0))
    rows = book.rows()
    assert [row["status"] for row in rows] == ["done", "done"], rows
    assert [row["done"] + row["unfinished"] for row in rows] == [50, 50]
    for row in rows:
        assert row["server_cpu_pct"] > 0
        assert row["others_cpu_pct"] is not None
    environment = read_environment(book.directory)
    found = {arm: environment[arm]["server.variable.thread_handling"] for arm in environment}
    assert found == {k: k for k in ("one-thread-per-connection", "pool-of-threads")}
    assert lock.RUNNING not in os.listdir(book.directory)


@needs_mariadb
@needs_sysbench
def test_a_warm_up_that_ends_when_it_is_steady(tmp_path: pathlib.Path) -> None:
    settings = {**REAL, **SMALL}
    book, _ = run(
        tmp_path, experiment(settings, warmup_s=2.0, warmup_steady=True, disturbed_pct=100.0)
    )
    assert [row["status"] for row in book.rows()] == ["done"]
    directory = pathlib.Path(book.run_directory(book.plan.runs[0]))
    assert '"kind":"interval"' in (directory / "warmup.jsonl").read_text()
    assert "--warmup-time=1 " in (directory / "command.txt").read_text()


@needs_postgresql
@needs_sysbench
def test_an_experiment_with_postgresql(tmp_path: pathlib.Path) -> None:
    fsync = factor("fsync", "server.option.fsync", True, False)
    settings: Settings = {**REAL, "server.engine": "postgresql"}
    book, _ = run(tmp_path, experiment(settings, fsync, disturbed_pct=100.0))
    rows = book.rows()
    assert [row["status"] for row in rows] == ["done", "done"], rows
    assert [row["done"] + row["unfinished"] for row in rows] == [50, 50]


@pytest.fixture
def users_own() -> Iterator[Instance]:
    """A server that stands for the user's."""
    made = Instance.create_temporary(options=target.options_of(SMALL))
    made.start()
    yield made
    made = Instance.load(made.directory)
    made.stop()
    made.remove()


def by_commands(own: Instance) -> Settings:
    socket = "--mysql-socket=%s" % own.socket
    client = "mariadb --no-defaults -N --socket=%s --user=%s -e " % (
        own.socket,
        own.module.admin(own),
    )
    dbserver = os.path.join(PACKAGES, "dbserver")
    return {
        **REAL,
        "load.mysql-socket": socket.partition("=")[2],
        "server.kind": "commands",
        "server.set": client + "'SET GLOBAL {option} = {value}'",
        "server.check": client + "'SELECT @@{option}'",
        "server.start": "%s start --dir=%s -- {options}" % (dbserver, own.directory),
        "server.stop": "%s stop --dir=%s" % (dbserver, own.directory),
    }


@needs_mariadb
@needs_sysbench
@pytest.mark.skipif(not shutil.which("mariadb"), reason="no client program of MariaDB")
def test_the_users_own_server(tmp_path: pathlib.Path, users_own: Instance) -> None:
    """One option can be set while it runs, the other needs a restart."""
    capacity = factor("capacity", "server.option.innodb_io_capacity", 300, 500)
    pool = factor("files", "server.option.innodb_log_buffer_size", "2M", "4M")
    before = users_own.pid

    def value(name: str) -> str:
        return shell(
            str(by_commands(users_own)["server.check"]).format(option=name), {}
        ).output.strip()

    was = {n: value(n) for n in ("innodb_io_capacity", "innodb_log_buffer_size")}
    exp = experiment(by_commands(users_own), pool, capacity, disturbed_pct=100.0)
    book, notes = run(tmp_path, exp)
    assert [row["status"] for row in book.rows()] == ["done"] * 4, book.rows()
    log = pathlib.Path(book.directory, "commands.log").read_text()
    # once for each size of the log buffer, and to put it back
    assert log.count("dbserver start") == 3
    assert log.count("SET GLOBAL innodb_io_capacity") >= 2
    assert log.index(" cleanup\n") < log.rindex("dbserver start")
    now = Instance.load(users_own.directory)
    assert now.is_running()
    assert now.pid != before
    assert {n: value(n) for n in was} == was
    again = ["%s was %s, is %s again" % (n, v, v) for n, v in was.items()]
    assert sorted(notes.lines[-2:]) == sorted(again)
    assert not lock.Leftovers(book.directory).changed


@needs_postgresql
@needs_sysbench
def test_the_users_own_postgresql(tmp_path: pathlib.Path) -> None:
    """What ALTER SYSTEM SET wrote is in no file afterwards; what was there before, is again."""
    own = Instance.create_temporary(engine="postgresql")
    own.start()
    try:
        whose = own.module.admin(own), os.path.dirname(own.socket), own.socket_port()
        psql = os.path.join(os.path.dirname(own.program), "psql")
        psql += " -d sbtest -U %s -h %s -p %d" % whose
        reload = " -c 'SELECT pg_reload_conf()'"
        settings: Settings = {
            **REAL, "load.db-driver": "pgsql", "server.kind": "commands",
            **{"load." + a[2:].partition("=")[0]: a.partition("=")[2] for a in
               own.module.arguments(own, False) if "db-driver" not in a},
            "server.set": psql + " -c \"ALTER SYSTEM SET {option} = '{value}'\"" + reload,
            "server.check": psql + " -Atc 'SHOW {option}'",
        }  # fmt: skip
        shell(psql + " -c \"ALTER SYSTEM SET random_page_cost = '2'\"" + reload, {})
        file = pathlib.Path(own.directory, "data", "postgresql.auto.conf")
        before = file.read_text()
        memory = factor("memory", "server.option.work_mem", "64MB", "4MB")  # as it was, at last
        cost = factor("cost", "server.option.random_page_cost", 1.5)
        _, notes = run(tmp_path, experiment(settings, memory, cost, disturbed_pct=100.0))
        assert sorted(notes.lines[-2:]) == [
            "random_page_cost was 2, is 2 again", "work_mem was 4MB, is 4MB again",
        ]  # fmt: skip
        assert file.read_text() == before
    finally:
        own.stop()
        own.remove()


@needs_mariadb
@needs_sysbench
@pytest.mark.skipif(not shutil.which("mariadb"), reason="no client program of MariaDB")
def test_an_option_that_the_users_server_does_not_take(
    tmp_path: pathlib.Path, users_own: Instance
) -> None:
    settings = dict(by_commands(users_own))
    settings["server.option.innodb_log_buffer_size"] = "2M"
    del settings["server.start"], settings["server.stop"]
    exp = experiment(settings)
    book = refused(tmp_path, exp, "server.set: .*read only variable")
    assert Instance.load(users_own.directory).pid == users_own.pid
    assert book.rows() == []


@needs_mariadb
@needs_sysbench
def test_resume_after_sigkill_finds_the_server_that_is_left(tmp_path: pathlib.Path) -> None:
    settings = {**REAL, **SMALL}
    exp = experiment(settings, repeats=2, disturbed_pct=100.0)
    directory = str(tmp_path / "results")
    new_book(tmp_path / "results", exp)
    p = child(directory)
    deadline = time.monotonic() + 50
    lines = tmp_path / "results" / "runs.csv"
    while lines.read_text().count("\n") < 2 or not lock.Leftovers(directory).client:
        assert time.monotonic() < deadline
        assert p.poll() is None
        time.sleep(0.05)
    p.kill()
    p.wait()
    (server,) = lock.Leftovers(directory).servers
    assert lock.users_of(server)
    book, notes = Book.open(directory), Notes()
    runner.run_all(book.experiment, book.plan, book, notes)
    assert [row["status"] for row in book.rows()] == ["done", "done"]
    assert "stopped a private server that was left behind, %s" % server in notes.lines
    assert not lock.users_of(server)
    assert not os.path.exists(os.path.dirname(server))


def test_a_launcher_that_is_not_there() -> None:
    with pytest.raises(LabError, match="client.launcher: there is no no-such-mpirun"):
        target.check_machine({"client.launcher": "no-such-mpirun -n 2"})
    target.check_machine({"client.launcher": "env A=1"})
