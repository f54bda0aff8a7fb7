# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of CommandTarget with a server made of files: what is set, and what is in effect.

`conf` is what the server would read at its start, `live` what is in effect, `log` what was done.
"""

from __future__ import annotations

import pathlib
import signal

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan.model import Settings, Value
from sysbench_lab.target import target
from sysbench_lab.target.target import CommandTarget, same, shell


class Files:
    """Commands of a server in a directory."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        (directory / "conf").mkdir()
        (directory / "live").mkdir()

    def settings(self, what: str, **options: Value) -> Settings:
        """`what`: of the commands set, file (set changes the file only), start."""
        at = "cd %s; " % self.directory
        found: dict[str, Value] = {"server.kind": "commands"}
        found["server.check"] = (
            at + "test ! -e down && cat live/{option} 2>/dev/null || test ! -e down"
        )
        if "set" in what:
            found["server.set"] = at + "echo set {option} >>log; echo {value} >live/{option}"
        if "file" in what:
            found["server.set"] = at + "echo set {option} >>log; echo {value} >conf/{option}"
        if "start" in what:
            found["server.start"] = at + "echo start >>log; rm -rf live down; cp -r conf live"
            found["server.stop"] = at + "echo stop >>log; touch down"
        return {**found, **{"server.option." + k: v for k, v in options.items()}}

    def log(self) -> list[str]:
        path = self.directory / "log"
        text = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return text.splitlines()


@pytest.fixture
def files(tmp_path: pathlib.Path) -> Files:
    return Files(tmp_path)


def test_what_can_be_set_needs_no_restart(files: Files) -> None:
    target = CommandTarget("change")
    assert target.ensure(files.settings("set start", pool="128M")) is False
    assert files.log() == ["set pool"]
    assert target.ensure(files.settings("set start", pool="128M")) is False
    assert files.log() == []
    (files.directory / "live/pool").write_text("268435456\n")
    assert target.ensure(files.settings("set start", pool="256M")) is False
    assert files.log() == []  # it was so already


def test_what_only_a_start_reads_takes_a_restart(files: Files) -> None:
    target = CommandTarget("change")
    assert target.ensure(files.settings("file start", pool="128M", flush=True)) is True
    assert files.log() == ["set pool", "set flush", "stop", "start"]
    assert (files.directory / "live/flush").read_text() == "ON\n"


def test_no_restart_without_commands_or_when_never(files: Files) -> None:
    with pytest.raises(LabError, match="pool = 128M did not take effect: .* prints ''"):
        CommandTarget("change").ensure(files.settings("file", pool="128M"))
    with pytest.raises(LabError, match="did not take effect"):
        CommandTarget("never").ensure(files.settings("file start", pool="128M"))
    assert "start" not in files.log()


def test_a_server_that_ignores_an_option_is_not_measured(files: Files) -> None:
    settings = dict(files.settings("set start", pool=1))
    settings["server.set"] = "true"
    with pytest.raises(LabError, match="server.option.pool = 1 did not take effect"):
        CommandTarget("change").ensure(settings)
    assert files.log() == ["stop", "start"]


def test_a_server_that_does_not_run_is_started(files: Files) -> None:
    (files.directory / "down").touch()
    target = CommandTarget("change")
    assert target.ensure(files.settings("set start", pool=5)) is True
    assert files.log() == ["start", "set pool"]
    target.start(files.settings("set start", pool=5))
    assert files.log() == ["stop", "start", "set pool"]


def test_options_for_the_start(files: Files) -> None:
    settings = dict(files.settings("start", a="x", b=2))
    settings["server.start"] = (
        "cd %s; rm -f down; echo '{options}' >log; echo x >live/a; echo 2 >live/b" % files.directory
    )
    assert CommandTarget("change").ensure(settings) is True
    assert files.log() == ["--a=x --b=2"]


def test_what_cannot_be_set_may_be_for_the_start(files: Files) -> None:
    settings = dict(files.settings("start", a=1))
    settings["server.set"] = "echo read only variable; exit 1"
    with pytest.raises(LabError, match="server.set: .* status 1: read only variable"):
        CommandTarget("change").ensure(settings)
    assert files.log() == ["stop", "start"]
    start = "cd %s; rm -f down; mkdir -p live; echo '{options}' >>log; echo 1 >live/a"
    settings["server.start"] = start % files.directory
    assert CommandTarget("change").ensure(settings) is True
    assert files.log() == ["stop", "--a=1"]


def test_values_that_a_shell_would_take_apart(files: Files) -> None:
    settings = dict(files.settings("set", path="a'; rm -rf x"))
    with pytest.raises(LabError, match=r"could take for more than a value; write \$LAB_VALUE"):
        CommandTarget("change").ensure(settings)
    settings["server.set"] = 'cd %s; echo "$LAB_VALUE" >"live/$LAB_OPTION"' % files.directory
    assert CommandTarget("change").ensure(settings) is False
    assert (files.directory / "live/path").read_text() == "a'; rm -rf x\n"


def test_other_braces_stay(files: Files) -> None:
    settings = dict(files.settings("set", a=1))
    settings["server.check"] = "echo 7 1 | awk '{print $2}'"
    assert CommandTarget("change").ensure(settings) is False


def test_a_command_that_fails(files: Files) -> None:
    settings = dict(files.settings("", a=1))
    settings["server.check"] = "echo who; echo why >&2; exit 4"
    with pytest.raises(LabError, match="server.check: '.*' ended with status 4: why"):
        CommandTarget("change").ensure(settings)


def test_what_a_command_leaves_in_the_background_is_not_waited_for() -> None:
    status, output, _ = shell("sleep 30 & echo $!", {}, 10)
    assert status == 0
    shell("kill " + output, {})


def test_a_command_that_hangs() -> None:
    ended = shell("sleep 30", {}, 0.2)
    said = target.failure("x --password=sesame", ended)
    assert said == "'x --password=***' did not end within 0.2 s"
    ended = shell("exit 124", {})  # as timeout(1) of the user's does
    assert target.failure("x", ended) == "'x' ended with status 124"


@pytest.mark.parametrize(
    "found, wanted, equal",
    [
        ("ON", True, True),
        ("1", True, True),
        ("OFF", True, False),
        ("off", False, True),
        ("134217728", "128M", True),
        ("128MB", "128M", True),
        ("16384", "16k", True),
        ("1.50", 1.5, True),
        ("2", 2, True),
        ("20", 2, False),
        ("pool-of-threads", "pool-of-threads", True),
        ("READ-COMMITTED", "read-committed", True),
        ("", 0, False),
        ("", "", True),
        ("128M", "129M", False),
    ],
)
def test_same(found: str, wanted: Value, equal: bool) -> None:
    assert same(found, wanted) is equal


def test_a_command_that_does_not_listen_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (0.3, 3, 20):
        monkeypatch.setattr(target, "POLITE_S", limit)
        ended = shell("trap 'echo no' TERM; while :; do sleep 0.1; done", {}, limit)
        assert ended.status == -signal.SIGKILL
        if ended.output:  # else a signal came before the shell could listen or speak
            break
    said = target.failure("x", ended)
    assert "did not end within %g s: no" % limit in said
