# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs over several load hosts with a sysbench that only pretends: who is started how, and ended.

The hosts are this machine, through `env`, as others are reached through ssh.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan import plan
from sysbench_lab.plan.hosts import Host
from sysbench_lab.plan.model import Settings
from sysbench_lab.run import client, lock, ranks, rehearsal
from sysbench_lab.run.lock import Leftovers
from sysbench_lab.servers import process
from sysbench_lab.testdata.fake_sysbench import RAW
from sysbench_lab.testdata.runner_cases import (
    PACKAGES,
    PATIENCE_S,
    experiment,
    factor,
    fake,
    run,
    script,
    until,
)

OTHER = "name=other env OTHER=1"


@pytest.fixture(autouse=True)
def strangers() -> None:
    """What was found out about hosts is forgotten: each test has programs of its own."""
    ranks.known_facts.clear()


def two(tmp_path: pathlib.Path, **more: Any) -> dict[str, Any]:
    found = ("local", OTHER)
    return {**fake(tmp_path, **more), "load.threads": 2, "client.hosts": found}


def met(tmp_path: pathlib.Path, settings: Settings) -> Any:
    """What is found out about the hosts before the first run."""
    return rehearsal.check_hosts(plan.cells(experiment(settings)), str(tmp_path))


def test_command_lines(tmp_path: pathlib.Path) -> None:
    found = ("address=10.0.0.1 local", "program=/opt/sb env OTHER=1")
    settings: Settings = {**two(tmp_path), "client.cluster_port": 7531, "client.hosts": found}
    argv = ["sysbench", "cpu", "--time=1", "--report-file=json:r", "--metrics-listen=:80", "run"]
    argv.insert(3, "--server-profile=cpu,hz=50,file=/r/a,b")
    crew = ranks.Crew(settings, argv, "/x/output.txt", print)
    meet = ["--cluster=10.0.0.1:7531", "--cluster-rank=%d", "--cluster-size=2"]
    leader = [*argv[:-1], *meet, "run"]
    assert crew.leader_line() == [w.replace("%d", "0") for w in leader]
    member = ["/opt/sb", "cpu", "--time=1", "--server-profile=cpu,hz=50", *meet, "run"]
    assert crew.member_line(1) == [w.replace("%d", "1") for w in member]
    assert crew.key not in " ".join(crew.leader_line() + crew.member_line(1))


def test_the_secret_is_on_no_command_line(tmp_path: pathlib.Path) -> None:
    """It comes to a member on the standard input of its shell."""
    text = ranks.script(["sysbench", "run"], {"SYSBENCH_CLUSTER_SECRET": "it's"})
    assert "export SYSBENCH_CLUSTER_SECRET='it'\"'\"'s'\n" in text


def test_one_host_and_two(tmp_path: pathlib.Path) -> None:
    exp = experiment(two(tmp_path), factor("client.load_hosts", "client.load_hosts", 1, 2))
    book, _ = run(tmp_path, exp)
    directories = [pathlib.Path(book.run_directory(run)) for run in book.plan.runs]
    assert [(f / "rank1.txt").exists() for f in directories] == [False, True]
    assert [row["status"] for row in book.rows()] == ["done", "done"]
    assert ranks.process_of(str(directories[1] / "rank1.txt"))
    line = (directories[1] / "command.txt").read_text()
    assert "--cluster-rank" not in line  # the command is that of the run, whoever shares it
    assert lock.RUNNING not in os.listdir(book.directory)


def test_a_member_that_gives_up(tmp_path: pathlib.Path) -> None:
    """At the meeting before the first run: nobody waits for the leader's patience."""
    with pytest.raises(LabError, match=r"cannot meet: rank 1 \(other\): I know no test cpu"):
        met(tmp_path, two(tmp_path, RANK_FAIL="I know no test cpu"))


def test_the_meeting(tmp_path: pathlib.Path) -> None:
    found = met(tmp_path, two(tmp_path))
    assert [h["name"] for h in found["hosts"]] == ["local", "other"]
    assert {h["version"] for h in found["hosts"]} == {"sysbench-fake 1.0"}
    assert met(tmp_path, fake(tmp_path)) == {}


@pytest.mark.parametrize(
    "host, complaint",
    [
        ("false", r"load host false \(false\): no answer: status 1"),
        ("/nonexistent/ssh load2", "cannot run /nonexistent/ssh: No such file"),
        ("sh -c 'echo Permission denied >&2; exit 255'", "no answer: Permission denied"),
        ("program=/nonexistent/sb env A=1", "cannot run /nonexistent/sb there .*not found"),
        ("program=/bin/true env A=1", r"cannot run /bin/true there \(true \(GNU"),
        ("program=OTHER env A=1", "has sysbench-fake 2, but the leader has sysbench-fake 1.0"),
    ],
)
def test_hosts_that_do_not_work(tmp_path: pathlib.Path, host: str, complaint: str) -> None:
    text = host.replace("OTHER", script(tmp_path / "other", "echo sysbench-fake 2\n"))
    with pytest.raises(LabError, match=complaint):
        met(tmp_path, {**two(tmp_path), "client.hosts": ("local", text)})


def test_a_leader_that_does_not_see_the_results(tmp_path: pathlib.Path) -> None:
    exp = experiment(two(tmp_path))
    settings, used = exp.stays, ranks.hosts.of(exp.stays)
    known = ranks.facts(used[0], settings)
    ranks.known_facts[used[0]] = {**known, "sees": ""}
    with pytest.raises(LabError, match="it leads, but does not see %s" % tmp_path):
        rehearsal.look_at(used, settings, str(tmp_path / "results"))


def test_addresses(tmp_path: pathlib.Path) -> None:
    """The members' way to the leader: one network, as ssh says, as the experiment says."""
    settings = two(tmp_path)
    leader, member = ranks.hosts.of(settings)
    assert ranks.address(leader, member, settings) == "127.0.0.1"
    here = ranks.facts(leader, settings)
    ranks.known_facts[member] = {**here, "net": "net:[1]", "sees_us_at": "10.0.0.9"}
    assert ranks.address(leader, member, settings) == "10.0.0.9"
    ranks.known_facts[member] = {**here, "net": "net:[1]"}
    with pytest.raises(LabError, match="at which address do the others find it"):
        ranks.address(leader, member, settings)
    assert ranks.address(leader._replace(address="a.b"), member, settings) == "a.b"


# ---- who is to blame -----------------------------------------------------------------


def test_a_leader_that_fails_is_named(tmp_path: pathlib.Path) -> None:
    """Its port is taken: its sentence, not that of a member who waits for it in vain."""
    with socket.create_server(("", 0)) as s:
        settings = {**two(tmp_path), "client.cluster_port": s.getsockname()[1]}
        with pytest.raises(LabError, match=r"cannot meet: sysbench ended .* in use") as found:
            met(tmp_path, settings)
    assert "rank" not in str(found.value)


@pytest.mark.parametrize(
    "said, complaint",
    [
        ("FATAL: no table\n", "no table"),
        ("rank 1: FATAL: no table\n", "no table"),
        ("x\nrank 1 (b): WARNING: late\nrank 1 (b): FATAL: no table\n", "no table"),
        ("killed\n", "killed"),
        ("", "status 7"),
    ],
)
def test_what_a_member_says(tmp_path: pathlib.Path, said: str, complaint: str) -> None:
    """The rank is named once."""
    settings = two(tmp_path)
    output = str(tmp_path / "output.txt")
    crew = ranks.Crew(settings, [], output, print)
    script = "printf %s; exit 7\n" % shlex.quote(said)
    crew.processes.append(ranks.start(Host("b"), script, crew.output_of(1)))
    ranks.let_go(crew.processes[0])
    crew.wait(PATIENCE_S)
    assert crew.complaint(client.Ended(0, 1, "")) == "rank 1 (other): " + complaint


def test_a_member_that_does_not_end(tmp_path: pathlib.Path) -> None:
    """It is the leader that failed, if that did."""
    settings = two(tmp_path)
    output = str(tmp_path / "output.txt")
    crew = ranks.Crew(settings, [], output, print)
    crew.processes.append(ranks.start(Host("b"), "exec sleep 600\n", crew.output_of(1)))
    crew.stop()
    crew.processes[0].kill()
    crew.wait(PATIENCE_S)
    late = "rank 1 (other): did not end within 20 s of the leader and was stopped"
    assert crew.complaint(client.Ended(0, 1, "")) == late
    assert crew.complaint(client.Ended(1, 1, "")) == ""


# ---- raw logs ----------------------------------------------------------------------


def blind(settings: Settings) -> None:
    """The member sees no directory of ours."""
    leader, member = ranks.hosts.of(settings)
    ranks.known_facts[member] = {**ranks.facts(leader, settings), "sees": ""}


@pytest.mark.parametrize("sees", [True, False])
def test_raw_logs_are_beside_each_other(tmp_path: pathlib.Path, sees: bool) -> None:
    """Written there by a member that sees the directory, brought home from one that does not."""
    settings = {**two(tmp_path), "load.raw-log": "raw"}
    if not sees:
        blind(settings)
    book, _ = run(tmp_path, experiment(settings))
    assert [row["status"] for row in book.rows()] == ["done"]
    directory = pathlib.Path(book.run_directory(book.plan.runs[0]))
    assert (directory / "raw.rank1").read_bytes() == RAW
    said = (directory / "rank1.txt").read_text().splitlines()
    assert len(said) == 1 and ranks.PID.fullmatch(said[0])


def test_where_a_raw_log_is_written(tmp_path: pathlib.Path) -> None:
    settings = two(tmp_path)
    blind(settings)

    def member(path: str) -> tuple[bool, str]:
        argv = ["sysbench", "cpu", "--raw-log=" + path, "run"]
        crew = ranks.Crew(settings, argv, "/x/output.txt", print)
        assert argv[2] in crew.leader_line()
        word = next(w for w in crew.member_line(1) if w.startswith("--raw-log="))
        return crew.keeps_raw_log(1), word.replace(os.path.dirname(crew.away), "AWAY")

    assert member("/x/transactions") == (True, "--raw-log=AWAY/transactions")
    assert member("/data/transactions") == (False, "--raw-log=/data/transactions")


def test_nothing_stays_there(tmp_path: pathlib.Path) -> None:
    """Also of a program that fails, whose file comes home all the same."""
    away, host = tmp_path / "away", Host("other", ("env", "OTHER=1"))
    argv = ["sh", "-c", 'printf "a\\000b" >"$0"; echo no >&2; exit 3', str(away / "raw.rank1")]
    text = ranks.script(argv, {}, home=argv[-1])
    p = ranks.start(host, text, str(tmp_path / "out"), str(tmp_path / "raw"))
    assert p.wait(PATIENCE_S) == 3
    assert (tmp_path / "raw").read_bytes() == b"a\0b"
    assert "no" in (tmp_path / "out").read_text().splitlines()
    assert not away.exists()


def test_a_raw_log_that_does_not_come_home(tmp_path: pathlib.Path) -> None:
    away, host = tmp_path / "away", Host("other", ("env", "OTHER=1"))
    argv = ["sh", "-c", 'echo >"$0"', str(away / "raw.rank1")]
    p = ranks.start(host, ranks.script(argv, {}, home=argv[-1]), str(tmp_path / "out"), "/dev/full")
    assert p.wait(PATIENCE_S) == ranks.LOST
    assert client.complaint((tmp_path / "out").read_text()) == "cannot send %s" % argv[-1]
    assert not away.exists()


def test_a_laboratory_that_is_killed_leaves_no_raw_log(tmp_path: pathlib.Path) -> None:
    away = tmp_path / "away"
    argv = ["sh", "-c", 'echo >"$0"; exec sleep 600', str(away / "raw.rank1")]
    text = ranks.script(argv, {}, home=argv[-1])
    host = Host("other", ("env", "OTHER=1"))
    p = ranks.start(host, text, str(tmp_path / "out"), str(tmp_path / "raw"))
    until((away / "raw.rank1").exists)
    ranks.let_go(p)
    assert p.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert not away.exists()


def test_a_member_that_ends_at_once_has_said_who_it_is(tmp_path: pathlib.Path) -> None:
    script(tmp_path / "cut", 'sleep 0.3\nPATH=${PATH#*:} exec cut "$@"\n')
    text = ranks.script(["true"], {"PATH": "%s:%s" % (tmp_path, os.environ["PATH"])})
    bash = Host("other", ("bash", "-c", "exec bash"))  # which looks for its dead at once
    p = ranks.start(bash, text, str(tmp_path / "out"))
    assert p.wait(PATIENCE_S) == 0
    assert ranks.PID.fullmatch((tmp_path / "out").read_text().rstrip("\n"))


# ---- interruptions ---------------------------------------------------------------

LAB = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job's tests ignore it
sys.path.insert(0, sys.argv[1])
import dataclasses
from sysbench_lab.run import client, lock, ranks
left = lock.Leftovers(sys.argv[2])
settings = {"client.hosts": ("local", sys.argv[4]), "load.threads": 2,
            "client.env.FAKE_LOG": sys.argv[2] + "/log",
            "load.script": "cpu", "client.program": sys.argv[3]}
argv = [sys.argv[3], "cpu", "run"]
around = dataclasses.replace(client.Surroundings.of(settings),
                             started=left.set_client, joined=lambda ranks: left.keep(ranks=ranks))
ranks.run(settings, argv, around, sys.argv[2] + "/output.txt")
"""


def lab(
    tmp_path: pathlib.Path, host: str = OTHER
) -> tuple[subprocess.Popen[bytes], list[ranks.Member]]:
    """A laboratory whose run takes long, when all ranks have begun."""
    program = str(fake(tmp_path)["client.program"])
    names = {"FAKE_LOG": str(tmp_path / "log"), "FAKE_SLEEP": "600"}
    argv = [sys.executable, "-c", LAB, PACKAGES, str(tmp_path), program, host]
    p = subprocess.Popen(argv, env={**os.environ, **names})
    until(lambda: Leftovers(str(tmp_path)).ranks and (tmp_path / "log").exists())
    return p, Leftovers(str(tmp_path)).ranks


def gone(member: ranks.Member) -> bool:
    return not process.is_alive(member.pid, member.ident)


def test_ctrl_c_ends_all_ranks(tmp_path: pathlib.Path) -> None:
    p, members = lab(tmp_path)
    assert [(m.rank, m.name) for m in members] == [(1, "other")]
    assert not gone(members[0])
    p.send_signal(signal.SIGINT)
    assert p.wait(PATIENCE_S) != 0
    assert gone(members[0])
    assert lock.RUNNING not in os.listdir(tmp_path)


def test_a_laboratory_that_is_killed(tmp_path: pathlib.Path) -> None:
    """The members end by their leash, the leader by the next laboratory."""
    p, members = lab(tmp_path)
    p.kill()
    p.wait()
    until(lambda: gone(members[0]))
    notes: list[str] = []
    leader = Leftovers(str(tmp_path)).client
    lock.clean(str(tmp_path), notes.append)
    assert leader and not process.is_alive(*leader)
    assert len(notes) == 1 and "left behind, pid %d" % leader[0] in notes[0]
    assert lock.RUNNING not in os.listdir(tmp_path)


def test_a_member_that_was_left_is_stopped_where_it_is(tmp_path: pathlib.Path) -> None:
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        ident = process.identity(child.pid) or ""
        host = Host("other", ("env", "OTHER=1"))
        left = Leftovers(str(tmp_path))
        left.keep(ranks=[ranks.Member(1, host.name, host.via, child.pid, "1" + ident)])
        lock.clean(str(tmp_path), print)
        assert child.poll() is None  # the number belongs to another process
        left.keep(ranks=[ranks.Member(1, host.name, host.via, child.pid, ident)])
        notes: list[str] = []
        lock.clean(str(tmp_path), notes.append)
        assert child.wait(PATIENCE_S) == -signal.SIGTERM
        assert notes == [
            "stopped a sysbench that was left behind, rank 1 on other, pid %d" % child.pid
        ]
    finally:
        child.kill()
        child.wait()


def test_a_host_that_is_gone_holds_nobody_up(tmp_path: pathlib.Path) -> None:
    left = Leftovers(str(tmp_path))
    left.keep(ranks=[ranks.Member(1, "b", ("/nonexistent/ssh", "b"), 1, "1")])
    notes: list[str] = []
    lock.clean(str(tmp_path), notes.append)
    assert len(notes) == 1 and notes[0].startswith("cannot look after rank 1 on b, pid 1: ")
    assert lock.RUNNING not in os.listdir(tmp_path)
