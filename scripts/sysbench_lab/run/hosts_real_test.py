# SPDX-License-Identifier: GPL-2.0-or-later
"""Load hosts with the real sysbench and its test cpu: what is done, kept, and left over there.

The other machine is a pair of namespaces that a process holds: processes of its own, and no
results directory.  RELAY leads there as ssh does: what runs there outlives it, and loses its
standard input and outputs when it dies.  Needs root.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
from typing import Iterator

import pytest

from sysbench_lab import main, paths
from sysbench_lab.plan import hosts
from sysbench_lab.plan.hosts import Host
from sysbench_lab.run import lock, ranks
from sysbench_lab.testdata.runner_cases import PACKAGES, PATIENCE_S, needs, sysbench, until

COUNT = 100  # transactions of a run that is to end
RELAY = """
import os, subprocess, sys, threading
pipe = subprocess.PIPE
p = subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe, stderr=pipe)
def copy(source, to):
    while data := os.read(source, 65536):
        while data:
            data = data[os.write(to, data):]
def forth():
    copy(0, p.stdin.fileno())
    p.stdin.close()
threading.Thread(target=forth, daemon=True).start()
said = threading.Thread(target=copy, args=(p.stderr.fileno(), 2))
said.start()
copy(p.stdout.fileno(), 1)
said.join()
os._exit(p.wait())
"""
HIDE = 'mount -t tmpfs none "$0" && echo there && exec sleep 900'


@pytest.fixture(autouse=True)
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of hosts; pictures would take seconds."""
    ranks.known_facts.clear()
    monkeypatch.setattr("sysbench_lab.pictures.draw_all", lambda *_: [])


@pytest.fixture
def there(tmp_path: pathlib.Path) -> Iterator[str]:
    """The command that leads to a machine that does not see our results."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    if os.geteuid() or not (shutil.which("unshare") and shutil.which("nsenter")):
        pytest.skip("needs root, unshare and nsenter")
    argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    p = subprocess.Popen([*argv, "sh", "-c", HIDE, str(hidden)], stdout=subprocess.PIPE)
    try:
        assert p.stdout is not None
        if p.stdout.readline() != b"there\n":
            pytest.skip("unshare is not permitted")
        with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
            inside = int(f.read().split()[0])
        (tmp_path / "relay").write_text(RELAY)
        lead = [sys.executable, "-SE", str(tmp_path / "relay")]
        lead += ["nsenter", "--target=%d" % inside, "--mount", "--pid"]
        yield "name=there " + shlex.join(lead)
    finally:
        p.kill()
        p.wait()


def argv_of(directory: pathlib.Path, *more: str) -> list[str]:
    values = ["client.program=" + sysbench(), "load.cpu-max-prime=10", "load.raw-log=raw"]
    values += ["measure.repeat_disturbed=0"]
    given = ["run", "--script=cpu", "--threads=4", "--tx-rate=200", "--warmup=0", "--repeats=1"]
    return [
        *given,
        "--plain",
        "--results=" + str(directory),
        *("--set=" + v for v in values),
        *more,
    ]


def rows(directory: pathlib.Path, name: str) -> list[dict[str, str]]:
    with open(directory / name, newline="") as f:
        return list(csv.DictReader(f))


# ---- runs that end ---------------------------------------------------------------------


def check(directory: pathlib.Path, names: list[str], count: int | None = COUNT // 2) -> None:
    """All transactions are done, `count` by each rank, and each has a raw log here."""
    (run,) = rows(directory, "runs.csv")
    assert (run["status"], run["why"].startswith("rank")) == ("done", False)
    found = rows(directory, "ranks.csv")
    assert [r["host"] for r in found] == names
    assert count is None or [int(r["done"]) for r in found] == [count, count]
    (made,) = (directory / "runs").iterdir()
    for rank, name in enumerate(["raw", "raw.rank1"]):
        head = json.loads((made / name).read_bytes().partition(b"\n")[0])
        assert (head.get("rank"), head["ranks"], head["clients"]) == (rank, 2, 2)


def test_a_host_that_does_not_see_the_results(tmp_path: pathlib.Path, there: str) -> None:
    directory = tmp_path / "hidden" / "results"
    until = "--set=load.events=%d" % COUNT
    assert main.main(argv_of(directory, "--hosts=local," + there, "--time=60", until)) == 0
    check(directory, ["local", "there"])
    about = json.loads((directory / "hosts.json").read_text())["hosts"]
    assert [h["clock"]["same"] for h in about if h["clock"]] == [True]
    assert nothing_there(hosts.parse(there))


def launcher() -> str:
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("no mpirun")
    said = subprocess.run([mpirun, "--version"], stdout=subprocess.PIPE, text=True, check=False)
    if "Open MPI" not in said.stdout:
        return mpirun + " -n 2"
    return (
        mpirun
        + " --oversubscribe --bind-to none -n 2"
        + " --allow-run-as-root" * (os.geteuid() == 0)
    )


def test_mpirun(tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "results"
    until = "--set=load.events=%d" % COUNT
    argv = argv_of(directory, "--set=launcher=" + launcher(), "--time=60", until)
    assert main.main(argv) == 0
    check(directory, [os.uname().nodename] * 2)


@needs("mariadb")
def test_near_and_far_from_one_host_and_two(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The arms of the guide: each is reached as it says, and named alike wherever it is shown."""
    guide = pathlib.Path(paths.TREE, "docs", "lab-hosts.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(hosts[^`]*\[\[arm\]\].*?)^```", guide, re.M | re.S)
    (tmp_path / "arms.toml").write_text(text)
    directory = tmp_path / "results"
    argv = ["run", str(tmp_path / "arms.toml"), "--threads=4", "--table-size=100", "--time=1"]
    argv += ["--tx-rate=20", "--warmup=0", "--repeats=3", "--plain", "--results=%s" % directory]
    argv += ["--set=client.program=" + sysbench(), "--set=measure.repeat_disturbed=0"]
    monkeypatch.setattr("sysbench_lab.statistics.stats.disturbed", lambda *_: "")  # others' load
    assert main.main(argv) == 0
    out = capfd.readouterr().out
    arms = {"near, one host": (False, 1), "far, one host": (True, 1), "far, two hosts": (True, 2)}
    found, ranked = rows(directory, "runs.csv"), rows(directory, "ranks.csv")
    assert {row["arm"] for row in found} == set(arms)
    for row in found:
        (made,) = (directory / "runs").glob("%03d-*" % int(row["run"]))
        tcp = "--mysql-host=127.0.0.1" in (made / "command.txt").read_text()
        names = [r["host"] for r in ranked if r["run"] == row["run"]]
        assert (tcp, len(names) or 1) == arms[row["arm"]]
        assert names in ([], ["load1", "load2"])
    assert all("\n%s, 4 connections\n" % arm in out for arm in arms)
    assert "far, two hosts, 4 connections\n  rank  host " in out
    if "No conclusion" not in out:  # of a machine that stood still
        compared = r"^(far, one host against near, one host[,:] |From .* than near, one host)"
        assert re.search(compared, out, re.M)
    page = directory / "index.html"
    assert not page.exists() or "far, two hosts" in page.read_text(encoding="utf-8")


# ---- runs that do not -------------------------------------------------------------------


@contextlib.contextmanager
def lab(directory: pathlib.Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A laboratory in the middle of a run of a minute."""
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from sysbench_lab import main; "
    code += "sys.exit(main.main(sys.argv[1:]))"
    argv = [sys.executable, "-c", code, PACKAGES, *argv_of(directory, "--time=60", *more)]
    with open(str(directory) + ".log", "wb") as log:
        p = subprocess.Popen(argv, stdout=log, stderr=log)
    try:
        until(lambda: p.poll() is not None or begun(directory))
        assert p.poll() is None, pathlib.Path(str(directory) + ".log").read_text()
        yield p
    finally:
        if p.poll() is None:
            p.send_signal(signal.SIGTERM)
            p.wait(PATIENCE_S)


def resumed(directory: pathlib.Path) -> int:
    """The run, for a second this time: the end of the plan is in lab.json."""
    path = directory / "lab.json"
    tree = json.loads(path.read_text())
    tree["experiment"]["measure"]["time_s"] = 1
    path.write_text(json.dumps(tree))
    return main.main(["resume", str(directory), "--plain"])


def begun(directory: pathlib.Path) -> bool:
    with contextlib.suppress(OSError):
        made = list((directory / "runs").iterdir())
        return bool(made) and "[ 1s ]" in (made[0] / "output.txt").read_text()
    return False


def gone(member: ranks.Member) -> bool:
    return ranks.ask(Host(member.name, member.via), "test -e /proc/%d\n" % member.pid)[0] != 0


def nothing_there(host: Host) -> bool:
    return "sysbench-lab-" not in ranks.ask(host, "ls /tmp\n")[1]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_laboratory_that_is_ended(
    tmp_path: pathlib.Path, there: str, how: signal.Signals
) -> None:
    """Nothing goes on over there, no file stays, and resume makes the run."""
    directory = tmp_path / "hidden" / "results"
    with lab(directory, "--hosts=local," + there) as p:
        (member,) = lock.Leftovers(str(directory)).ranks
        assert not gone(member)
        p.send_signal(how)
        assert p.wait(PATIENCE_S) == (130 if how == signal.SIGTERM else -how)
        until(lambda: gone(member))
    assert rows(directory, "runs.csv") == []
    lock.clean(str(directory), lambda text: None)
    left = lock.Leftovers(str(directory))
    assert (left.client, left.ranks) == (None, [])
    assert nothing_there(Host(member.name, member.via))
    assert resumed(directory) == 0
    check(directory, ["local", "there"], None)


def test_a_connection_that_breaks(tmp_path: pathlib.Path, there: str) -> None:
    """What leads there dies: the member ends by its leash, and the run has failed with a reason."""
    directory = tmp_path / "hidden" / "results"
    with lab(directory, "--hosts=local," + there) as p:
        (member,) = lock.Leftovers(str(directory)).ranks
        with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
            children = [int(pid) for pid in f.read().split()]
        os.kill(next(pid for pid in children if is_relay(pid)), signal.SIGKILL)
        assert p.wait(PATIENCE_S) == 1  # it was the only run
        assert gone(member)
    (run,) = rows(directory, "runs.csv")
    assert run["status"] == "failed"
    assert run["why"] == "sysbench was ended by SIGTERM; rank 1 (there): SIGKILL"
    assert nothing_there(Host(member.name, member.via))


def is_relay(pid: int) -> bool:
    with open("/proc/%d/cmdline" % pid, "rb") as f:
        return b"/relay\0nsenter" in f.read()


def test_a_launcher_is_interrupted(tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "results"
    with lab(directory, "--set=launcher=" + launcher()) as p:
        client = lock.Leftovers(str(directory)).client
        assert client
        p.send_signal(signal.SIGTERM)
        assert p.wait(PATIENCE_S) == 130
        assert not pathlib.Path("/proc/%d" % client[0]).exists()
    assert users(directory) == []


def users(directory: pathlib.Path) -> list[int]:
    return lock.users_of(str(directory))
