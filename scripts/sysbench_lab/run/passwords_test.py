# SPDX-License-Identifier: GPL-2.0-or-later
"""No password is on a command line, which everybody on the machine can read, while a server is
started, checked and measured from here and from a second host.  What the user types is his own; the
program that he typed it to takes it out as it starts."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import pathlib
import secrets
import shlex
import subprocess
import sys
import threading
import time
from typing import Iterator

import pytest

from sysbench_lab.servers import programs
from sysbench_lab.testdata.runner_cases import TREE, script, sysbench

WORD = secrets.token_hex(8)  # others may run this test, too
SECRET = WORD.encode()
PASSWORD = 'it\'s "a" %s, # 100%%' % WORD
LAB, DBSERVER = (os.path.join(TREE, "scripts", n) for n in ("sysbench-lab", "dbserver"))
PATIENCE_S = 120
KEEP = 'printf "%%s\\n" "$*" >>%s\nexec %s "$@"\n'  # a sysbench that keeps its arguments

pytestmark = pytest.mark.skipif(
    not sysbench() or not os.path.exists("/proc/self/cmdline") or not programs.find("mariadbd"),
    reason="needs Linux, a sysbench and a MariaDB",
)


def told(pid: str) -> bytes:
    with contextlib.suppress(OSError), open("/proc/%s/cmdline" % pid, "rb") as f:
        return f.read()
    return b""


class Watch(threading.Thread):
    """Looks at all command lines, as often as it can; `found`: of others than those we typed."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.typed: set[str] = set()
        self.found: set[bytes] = set()
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.001):
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if SECRET in (line := told(pid)) and pid not in self.typed:
                    # a child that we have not been told of yet is not one of ours
                    with contextlib.suppress(OSError), open("/proc/%s/stat" % pid) as f:
                        if f.read().rpartition(")")[2].split()[1] != str(os.getpid()):
                            self.found.add(line)

    def type(self, *argv: str, env: dict[str, str] | None = None) -> str:
        """Run a command to its end; what it printed."""
        p = subprocess.Popen(
            [sys.executable, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.typed.add(str(p.pid))
        if WORD in " ".join(argv):
            deadline = time.monotonic() + PATIENCE_S
            while p.poll() is None and b"***" not in told(str(p.pid)):  # it may start itself again
                assert time.monotonic() < deadline
                time.sleep(0.001)
            self.typed.discard(str(p.pid))
        assert p.stdout is not None
        said = p.stdout.read()
        assert p.wait() == 0, said
        return said


@pytest.fixture
def watch() -> Iterator[Watch]:
    w = Watch()
    w.start()
    yield w
    w.ended.set()
    w.join()
    assert not w.found


def test_a_server_and_two_hosts(tmp_path: pathlib.Path, watch: Watch) -> None:
    where, results = "--dir=%s" % (tmp_path / "db"), str(tmp_path / "results")
    log = tmp_path / "log"
    keep = script(tmp_path / "keep", KEEP % (log, sysbench()))
    ssh = script(tmp_path / "ssh", 'shift\nexec "$@"\n')
    try:
        said = watch.type(DBSERVER, "start", where, "--password", PASSWORD)
        socket = next(w[7:] for w in shlex.split(said) if w.startswith("socket="))
        watch.type(DBSERVER, "status", where)
        given = {"mysql-socket": socket, "mysql-user": "sbtest", "mysql-password": PASSWORD}
        options = ["--%s=%s" % pair for pair in given.items()]
        said = watch.type(LAB, "check", "oltp_point_select", *options, env={"SB_SYSBENCH": keep})
        assert "the server answers" in said
        file = tmp_path / "x.toml"
        hooks = 'before-run = "sleep 0.2; : MYSQL_PWD=%s"\n' % WORD
        hooks += "mid-run = { at = 0.1, command = '''\nsleep 0.2\n: mariadb -p%s''' }\n" % WORD
        file.write_text("[hooks]\n" + hooks)
        pairs = [("--set=load." + k, v) for k, v in given.items()]
        watch.type(
            LAB, "run", str(file), "--plain", "--results=" + results, "--script=oltp_point_select",
            "--threads=2", "--tx-rate=50", "--time=1", "--warmup=0", "--repeats=1",
            "--set=load.tables=1", "--set=load.table-size=10", "--set=server.kind=given",
            "--set=measure.repeat_disturbed=0", "--set=client.program=" + keep,
            "--set=client.hosts=local,name=far %s far" % ssh, *map("=".join, pairs),
        )  # fmt: skip
        (report,) = glob.glob(results + "/runs/*/report.json")
        with open(report) as f:
            tree = json.load(f)
        assert len(tree["summary"]["ranks"]) == 2
        assert tree["run"]["options"]["effective"]["mysql-password"] == "***"
        (ran,) = tree["commands"]
        assert (ran["exit_status"], ran["command"]) == (0, "sleep 0.2\n: mariadb -p***")
    finally:
        watch.type(DBSERVER, "stop", where)
    assert log.read_text().count("--config-file=-") >= 5 and WORD not in log.read_text()


@pytest.mark.parametrize("how", ["prefix", "launcher"])
def test_a_command_that_stays(tmp_path: pathlib.Path, watch: Watch, how: str) -> None:
    """Of a launcher, the file that all of its ranks read goes with the run."""
    results, log = str(tmp_path / "results"), tmp_path / "log"
    stay = script(tmp_path / "stay", 'echo "$*" >>%s\n"$@"\n' % log)
    watch.type(
        LAB, "run", "--script=cpu", "--plain", "--results=" + results, "--time=1", "--warmup=0",
        "--repeats=1", "--set=client.%s=%s" % (how, stay), "--set=client.program=" + sysbench(),
        "--set=measure.repeat_disturbed=0", "--set=load.pgsql-db=postgresql://me:%s@h/d" % WORD,
        "--set=load.at=0.1", "--set", "load.do=sleep 0.2; : -p%s" % WORD,
    )  # fmt: skip
    (report,) = glob.glob(results + "/runs/*/report.json")
    with open(report) as f:
        options = json.load(f)["run"]["options"]["effective"]
    assert options["pgsql-db"] == "postgresql://me:***@h/d"
    assert WORD not in log.read_text() and not glob.glob(results + "/**/*.options")
