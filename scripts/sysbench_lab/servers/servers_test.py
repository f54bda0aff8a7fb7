# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of scripts/dbserver and of the modules behind it, against real servers where one is meant.

SB_NO_SERVER in the environment skips those that start a server.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Iterator

import pytest

from sysbench_lab import LabError, owned, testing
from sysbench_lab.servers import process, programs
from sysbench_lab.servers.instance import ENGINES, Instance, temporary_directory
from sysbench_lab.testdata.runner_cases import needs

mariadb, mysql, postgresql = (ENGINES[k] for k in ("mariadb", "mysql", "postgresql"))
DBSERVER = str(pathlib.Path(__file__).resolve().parents[2] / "dbserver")
CLIENT = programs.find("mariadb", "mysql") or "mariadb"


def dbserver(*args: str, **kwargs: Any) -> tuple[int, str, str]:
    """Runs the command; returns (exit status, stdout, stderr)."""
    env = {k: v for k, v in os.environ.items() if k != "DBSERVER_DIR"}
    argv = [sys.executable, DBSERVER, *args]
    env.update(kwargs)
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env)
    return p.returncode, p.stdout, p.stderr


def good(*args: str) -> dict[str, str]:
    """The description that is printed, read the way a shell reads it."""
    status, text, err = dbserver(*args)
    assert (status, err) == (0, "")
    keys = [line.partition("=")[0] for line in text.splitlines()]
    script = text + '\nfor v in %s; do eval "printf \'%%s\\n\' \\"\\$$v\\""; done' % " ".join(keys)
    out = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    return {"text": text, **dict(zip(keys, out.stdout.splitlines()))}


def test_calls() -> None:
    """Options that are ours are refused; of a log, what the server complains of."""

    def refused(engine: Any, *options: str) -> None:
        engine.check_options(list(options))

    names = {"mariadb": mariadb, "mysql": mysql, "postgresql": postgresql, "refused": refused}
    found = testing.retold("calls_servers", testing.called(**names))
    assert found == testing.cases("calls_servers")


def test_pid_of_another_process_is_not_ours() -> None:
    child = subprocess.Popen(["sleep", "60"])
    ident = process.identity(child.pid) or ""
    assert process.is_alive(child.pid, ident) and not process.is_alive(child.pid, ident + "1")
    assert process.stop(child.pid, ident + "1", [signal.SIGTERM], 5) is None
    assert child.poll() is None
    assert process.stop(child.pid, ident, [signal.SIGTERM], 5) == "SIGTERM"
    child.wait()


def test_stop_goes_on_to_kill() -> None:
    text = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    text += "print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        ident = process.identity(child.pid)
        assert process.stop(child.pid, ident, [signal.SIGTERM], 0.2) == "SIGKILL"


def test_refusals(tmp_path: pathlib.Path) -> None:
    """A wrong command line: one sentence, status 1, nothing left behind."""
    directory, temporary = tmp_path / "dir", tmp_path / "temporary"
    for path in (directory, temporary):
        path.mkdir()
    (directory / "precious").touch()

    def said(line: str) -> str:
        args = shlex.split(line.replace("DIR", str(directory)))
        status, out, err = dbserver(*args, TMPDIR=str(temporary))
        assert (status, out, err.count("\n")) == (1, "", 1), args
        # what a Python or a program of this machine says is left out
        return re.sub(
            r" \(choose .*| server: .*", "", err.rstrip("\n").replace(str(directory), "DIR")
        )

    assert testing.retold("dbserver", said) == testing.cases("dbserver")
    assert os.listdir(directory) == ["precious"] and os.listdir(temporary) == []


def test_where_programs_are(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that install-deps brought; PostgreSQL's newest version, before PATH."""
    there = {
        "sbx": "cache/sysbench-tx/postgresql/usr/lib/postgresql/15/bin",
        "sby": "path",
        "sbz": "cache/sysbench-tx/pooler/usr/sbin",
        "sbv": "cache/sysbench-tx/venv/bin",
    }
    older = "cache/sysbench-tx/postgresql/usr/lib/postgresql/9/bin"
    for name, at in [*there.items(), ("sbx", older), ("sbx", "path"), ("sbv", "path")]:
        (tmp_path / at).mkdir(parents=True, exist_ok=True)
        (tmp_path / at / name).touch(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for name, at in there.items():
        assert programs.find("sb-none", name) == str(tmp_path / at / name)
    assert programs.find("sb-none") is None
    assert shutil.which("sbx", path=programs.path()) == str(tmp_path / there["sbx"] / "sbx")
    assert "venv" not in programs.path()


# ---- lives -------------------------------------------------------------------------


@contextlib.contextmanager
def started(name: str, *args: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A server in a directory of this name, and its description; it leaves nothing."""
    top = temporary_directory()
    directory = os.path.join(top, name)
    try:
        yield directory, good("start", "--dir=" + directory, *args)
    finally:
        assert dbserver("stop", "--dir=" + directory, "--remove")[0] == 0
        owned.remove(top)


def sql(text: str, *args: str, user: str = "sbtest") -> str:
    argv = [CLIENT, "--no-defaults", "-N", "-B", "--user=" + user, *args, "-e", text]
    out = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    # newer clients warn that they do not verify the server of a login without a password
    lines = (line for line in out.strip().splitlines() if not line.startswith("WARNING: "))
    return "\n".join(lines)


def listening(port: int) -> list[str]:
    found = []
    for path in filter(os.path.exists, ("/proc/net/tcp", "/proc/net/tcp6")):
        lines = pathlib.Path(path).read_text().splitlines()[1:]
        found += [line.split()[1] for line in lines if line.split()[3] == "0A"]
    return [a for a in found if a.endswith(":%04X" % port)]


@needs("mariadb")
def test_life_of_a_mariadb() -> None:
    more = "--db=sbtest,other_db", "--", "--max-connections=77"
    with started("server", *more) as (directory, env):
        where, at = "--dir=" + directory, "--socket=" + env["socket"]
        keys = ("engine", "user", "db", "dir", "host")
        wanted = ["mariadb", "sbtest", "sbtest", directory, "127.0.0.1"]
        assert [env[k] for k in keys] == wanted and "MariaDB" in env["version"]
        assert pathlib.Path(directory, "server.pid").read_text().strip() == env["pid"]
        assert "--mysql-socket=" + env["socket"] in env["args"]
        status, out, _ = dbserver("status", DBSERVER_DIR=directory)
        assert status == 0 and "status=running\n" in out.replace("'", "")
        for to in ([at], ["--host=127.0.0.1", "--port=" + env["port"]]):
            assert sql("SELECT @@max_connections", *to) == "77"
            assert sql("CREATE TABLE other_db.t (a INT); DROP TABLE other_db.t", *to) == ""
        assert "Access denied" in sql("SELECT 1", at, user="nobody_known")
        for text in ("SELECT * FROM mysql.user", "CREATE TABLE otherXdb.t (a INT)"):
            assert "denied" in sql(text, at)
        assert sql("SELECT COUNT(*) > 0 FROM mysql.user", at, user=env["admin"]) == "1"
        assert listening(int(env["port"])) == ["0100007F:%04X" % int(env["port"])]
        # a restart keeps data and port
        sql("CREATE TABLE sbtest.kept (a INT); INSERT INTO sbtest.kept VALUES (42)", at)
        again = good("restart", where, "--", "--thread-handling=pool-of-threads")
        assert again["port"] == env["port"] and again["pid"] != env["pid"]
        found = sql("SELECT a, @@thread_handling, @@max_connections FROM sbtest.kept", at)
        assert found == "42\tpool-of-threads\t151"
        assert dbserver("restart", where)[0] == 0
        assert sql("SELECT @@thread_handling", at) == "pool-of-threads"
        # killed and started again
        os.kill(Instance.load(directory).running_pid(), signal.SIGKILL)
        while dbserver("status", where)[0] == 0:
            time.sleep(0.05)
        statuses = [dbserver(c, where)[0] for c in ("status", "env", "start")]
        assert statuses == [3, 1, 0]
        status, _, err = dbserver("start", where)
        assert status == 1 and "is already running" in err
        assert sql("SELECT a FROM sbtest.kept", at) == "42"
        # one that does not listen is killed
        os.kill(Instance.load(directory).running_pid(), signal.SIGSTOP)
        status, _, err = dbserver("stop", where, "--timeout=0.5")
        assert status == 0 and "took SIGKILL" in err
        assert dbserver("stop", where)[0] == 0


@needs("mariadb")
def test_wrong_server_option() -> None:
    status, out, err = dbserver("start", "--", "--no-such-thing=1")
    assert (status, out) == (1, "") and "unknown variable 'no-such-thing=1'" in err
    log = pathlib.Path(err.rpartition("(log: ")[2].rstrip(")\n"))
    assert log.exists() and sorted(os.listdir(log.parent)) == ["install.log", "server.log"]
    for path in log.parent.iterdir():
        path.unlink()
    log.parent.rmdir()


@needs("mariadb")
def test_long_path_password_no_port() -> None:
    with started("x" * 100, "--port=none", "--password=it's") as (_, env):
        at = "--socket=" + env["socket"]
        assert sql("SELECT @@skip_networking", at, "--password=it's") == "1"
        assert "Access denied" in sql("SELECT 1", at)
        assert (env["port"], env["password"]) == ("", "it's")
    assert not os.path.exists(os.path.dirname(env["socket"]))


@pytest.mark.parametrize(
    "engine", [pytest.param(e, marks=needs(e)) for e in ("mariadb", "postgresql")]
)
def test_what_a_shell_would_split(engine: str) -> None:
    """$args stays what it is, also without quotes; a server of which it is used in that way."""
    password = "it's a * $x"
    with started("x y*/z", "--engine=" + engine, "--password=" + password) as (directory, env):
        assert env["dir"] == directory
        argv = ["sh", "-c", 'eval "$1"; cd / && printf "%s\\n" $args', "sh", env["text"]]
        words = subprocess.run(argv, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        found = dict(word.split("=", 1) for word in words)
        assert len(found) == len(words)
        (file,) = (v for k, v in found.items() if k.endswith("-password-file"))
        assert pathlib.Path(file).read_text() == password + "\n"
        assert os.stat(file).st_mode & 0o777 == 0o600
        if engine == "mariadb":
            where = ["--socket=" + found["--mysql-socket"], "--password=" + password]
            assert sql("SELECT 1", *where) == "1"
        else:
            assert os.path.isdir(found["--pgsql-host"])
        assert dbserver("restart", "--dir=" + directory)[0] == 0
    assert not os.path.exists(os.path.dirname(file))


@needs("postgresql")
def test_life_of_a_postgresql() -> None:
    more = "--engine=postgresql", "--", "--max_connections=33"
    with started("server", *more) as (directory, env):
        assert (env["engine"], env["user"]) == ("postgresql", "sbtest")
        with socket.create_connection(("127.0.0.1", int(env["port"])), 5):
            pass
        again = good("restart", "--dir=" + directory, "--", "--max_connections=34")
        assert again["port"] == env["port"]
        inst = Instance.load(directory)
        assert postgresql.probe(inst) == again["version"]
        inst.user = "stranger"
        assert postgresql.probe(inst) is None
        state = json.loads(pathlib.Path(inst.path("dbserver.json")).read_text())
        del state["sees"]  # as an older release left it
        owned.write(inst.path("dbserver.json"), json.dumps(state))
        assert dbserver("stop", "--dir=" + directory)[0] == 0
        env = good("start", "--dir=" + directory, "--port=none")
        assert os.path.basename(env["socket"]) == ".s.PGSQL.5432"


@needs("mysql")
def test_life_of_a_mysql() -> None:
    with started("server", "--engine=mysql", "--password=it's") as (directory, env):
        assert (env["engine"], env["user"]) == ("mysql", "sbtest")
        inst = Instance.load(directory)
        assert mysql.probe(inst) == env["version"]
        process.stop(inst.pid, inst.ident, (), 0)  # killed: its lock stays behind
        assert good("start", "--dir=" + directory)["port"] == env["port"]


@pytest.mark.skipif(not programs.find("mariadbd"), reason="no MariaDB")
def test_a_mariadb_is_not_taken_for_a_mysql() -> None:
    with pytest.raises(LabError, match="is not a MySQL server"):
        mysql.program(programs.find("mariadbd"))
