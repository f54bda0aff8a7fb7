# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of client.py: command lines, limits, failures."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pytest

from sysbench_lab import LabError, commands, testing
from sysbench_lab.plan import hosts
from sysbench_lab.plan.model import Experiment, Measure, Settings
from sysbench_lab.run import client, disturbance, lock, ranks, runner
from sysbench_lab.run.client import Ended, Surroundings
from sysbench_lab.run.disturbance_test import process as cpu
from sysbench_lab.run.disturbance_test import report
from sysbench_lab.servers.instance import ENGINES, Instance
from sysbench_lab.servers.process import cpu_set
from sysbench_lab.target import target
from sysbench_lab.target.target import Target
from sysbench_lab.testdata.runner_cases import script, sysbench

SYSBENCH = "/bin/true"


class Known(Target):
    """A server whose process is known."""

    def arguments(self) -> list[str]:
        return ["--mysql-socket=/s"]

    def pid(self) -> int | None:
        return 42


def experiment(**measure: float) -> Experiment:
    return Experiment("t", "t", "", {}, (), Measure(**measure))  # type: ignore[arg-type]


def line(settings: Settings, target: Target | None = None, **measure: float) -> list[str]:
    base: Settings = {"load.script": "oltp_read_only", "client.program": SYSBENCH, **settings}
    times = experiment(**measure).measure
    given = base, target or Target(), "/r", times.time_s, times.warmup_s
    return client.run_line(*given, ["--at=1s"])


@pytest.mark.parametrize("value", ["it's \\n a # b", 'a\nit\'s\\\n"b"', "mariadb -psesame"])
def test_commands_are_on_no_command_line(value: str) -> None:
    """What stands in their place is what sysbench reads; what is shown can be typed."""
    argv = ["sysbench", "cpu", "--at=1", "--do=" + value, "--label=a b", "run"]
    left, text = client.concealed(argv)
    assert left == ["sysbench", "cpu", "--at=1", "--label=a b", "--config-file=-", "run"]
    assert sysbench_reads(text) == value
    typed = subprocess.run(
        ["sh", "-c", "set -- %s; printf '%%s\\0' \"$@\"" % client.shown(argv)],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    assert client.shown(argv).count("\n") == 0
    assert typed.stdout.split("\0")[:-1] == [a.replace("sesame", "***") for a in argv]


def sysbench_reads(text: str) -> str:
    if not sysbench():
        pytest.skip("no sysbench built")
    argv = [sysbench(), "cpu", "--events=1", "--at=0", "--config-file=-", "--report-file=json:-"]
    with tempfile.NamedTemporaryFile("r") as report:
        argv[-1] = "--report-file=json:" + report.name
        subprocess.run([*argv, "run"], input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        do = json.load(report)["run"]["options"]["given"]["do"]
    return str(do).replace("***", "sesame")


@pytest.mark.parametrize("way", ['exec "$@"', 'exec sh -c "$*"'])
def test_a_leader_elsewhere(tmp_path: pathlib.Path, way: str) -> None:
    """Whether what leads there takes words apart, as ssh does, or not."""
    there = script(tmp_path / "way", "unset X_NAME\nshift\n%s\n" % way) + " there"
    settings: Settings = {"client.hosts": there}
    text = "import os, sys; print(sys.argv[1:], os.environ['X_NAME'], sys.stdin.read())"
    words = ["a b", 'it\'s "c" $HOME', "--do=x\ny", "run"]
    argv = [*hosts.prefix(settings), *python(text), *words]
    around = Surroundings.of(settings, {"X_NAME": "it's me"})
    ended = client.run(argv, around, str(tmp_path / "out"))
    left = [*words[:2], "--config-file=-", "run"]
    assert ended.output == "%s it's me do='x\\\ny'\n\n" % left
    typed = client.shown([*hosts.prefix(settings), "echo", *words], around)
    said = subprocess.run(["sh", "-c", typed], stdout=subprocess.PIPE, text=True, check=True)
    assert said.stdout == " ".join(words) + "\n"


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_no_old_defaults_from_the_shell(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYSBENCH_COMPAT", "0.4")
    argv = python("import os; print(os.environ.get('SYSBENCH_COMPAT'))")
    out = str(tmp_path / "out")
    assert client.run(argv, Surroundings({}), out).output == "None\n"
    asked = Surroundings({"SYSBENCH_COMPAT": "0.5"})
    assert client.run(argv, asked, out).output == "0.5\n"


def test_output_pid_and_environment(tmp_path: pathlib.Path) -> None:
    pids: list[int | None] = []
    around = Surroundings({"X_NAME": "value"}, started=pids.append)
    out = str(tmp_path / "out")
    argv = python("import os, sys; print(os.environ['X_NAME']); sys.exit(7)")
    ended = client.run(argv, around, out)
    assert (ended.status, ended.output) == (7, "value\n")
    assert pids[0]
    assert pids[1] is None


def test_over_the_limit(tmp_path: pathlib.Path) -> None:
    argv = python("import time; time.sleep(60)")
    began = time.monotonic()
    ended = client.run(argv, Surroundings({}), str(tmp_path / "out"), 0.3)
    assert time.monotonic() - began < 20
    assert client.failure(ended).startswith("sysbench did not end within")


def test_interrupted_it_ends_by_sigint(tmp_path: pathlib.Path) -> None:
    text = "import time, pathlib\ntry:\n    print(1, flush=True); time.sleep(60)\n"
    text += "except KeyboardInterrupt:\n    pathlib.Path(%r).touch()" % str(tmp_path / "seen")

    def tick() -> bool:
        if (tmp_path / "out").read_text():
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        client.run(python(text), Surroundings({}), str(tmp_path / "out"), tick=tick)
    assert (tmp_path / "seen").exists()


def test_it_gets_the_signals_that_we_take_for_ourselves_no_more(tmp_path: pathlib.Path) -> None:
    argv = python("import os; print(os.getpgid(0) == os.getpid())")
    assert client.run(argv, Surroundings({}), str(tmp_path / "out")).output == "True\n"


def test_cpus(tmp_path: pathlib.Path) -> None:
    one = sorted(os.sched_getaffinity(0))[-1]
    argv = python("import os; print(sorted(os.sched_getaffinity(0)))")
    out = str(tmp_path / "out")
    assert client.run(argv, Surroundings({}, str(one)), out).output == "[%d]\n" % one
    with pytest.raises(LabError, match="there is no CPU 4095 to run on"):
        client.run(argv, Surroundings({}, "4095"), out)


def test_a_program_that_is_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(LabError, match="client.program: cannot run /nonexistent"):
        line({"client.program": "/nonexistent"})
    with pytest.raises(LabError, match="cannot run no-such-program"):
        client.run(["no-such-program"], Surroundings({}), str(tmp_path / "out"))


# ---- the warm-up -------------------------------------------------------------------


def interval(tps: float, mean_s: float | None, rate: bool) -> str:
    tree = {"kind": "interval", "transactions_per_s": tps, "latency": {"mean_s": mean_s}}
    return json.dumps({**tree, "rate": {"target_per_s": 5} if rate else None}) + "\n"


def test_without_a_rate_the_throughput_tells(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    follower = runner.follow(str(path))
    assert not next(follower)  # there is no file yet
    latencies = [0.1 * i for i in range(10)]
    path.write_text('{"kind":"run"}\n' + "".join(interval(100, s, False) for s in latencies))
    assert next(follower)


def test_with_a_rate_the_latency_tells(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    follower = runner.follow(str(path))
    path.write_text("".join(interval(100, 2 / (1 + i), True) for i in range(10)))
    assert not next(follower)
    with open(path, "a") as f:
        f.write("".join(interval(100, 0.1, True) for _ in range(9)))
        f.write(interval(100, 0.1, True)[:20])  # half a line, as a reader may find it
        f.flush()
        assert not next(follower)
        f.write(interval(100, 0.1, True)[20:])
    assert next(follower)


def test_an_interval_without_transactions_has_no_latency(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "warmup.jsonl"
    path.write_text("".join(interval(0, None, True) for _ in range(20)))
    assert not next(runner.follow(str(path)))


# ---- what follows from a few values --------------------------------------------------

DASHES = "-" * 74 + "\n"
REFUSED = DASHES + "mpirun has detected an attempt\nto run as root.\n\nPlease do not.\n\n" + DASHES
READINGS = [disturbance.Power(10, 100), disturbance.Power(12, 110), disturbance.Power(14, 130)]
LEADER = {"host": "a", "clock": None}
KNOWN = Known()
TABLES: Settings = {
    "load.script": "oltp_read_only", "load.tables": 1, "load.table-size": 500,
    "load.threads": 2048, "load.tx-rate": 10, "load.report-statements": True,
    "load.mysql-user": "me", "load.prepare.create-secondary": False, "client.program": SYSBENCH,
}  # fmt: skip


def tcp(engine: str) -> list[str]:
    """How sysbench gets there, and its password."""
    server = Instance("/x", engine, user="u", databases=["d"], port=33, socket="/x/run/s")
    reached = ENGINES[engine].arguments(server, tcp=True)[1:3]
    server.password = "p"
    return [*reached, ENGINES[engine].arguments(server)[-1]]


def test_calls() -> None:
    names = {k: v for k, v in globals().items() if k.isupper()}
    names.update(Ended=Ended, line=line, same=target.same, process=cpu, cpu_set=cpu_set, tcp=tcp)
    names["others"] = lambda *given, **more: disturbance.others_pct(report(*given, **more))
    says = testing.called(client, commands, disturbance, lock, ranks, runner, target, **names)
    assert testing.retold("calls_run", says) == testing.cases("calls_run")
