# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of CommandTarget with a server made of files: what is set, and what is in effect.

`conf` is what the server would read at its start, `live` what is in effect, `log` what was done.
"""

from __future__ import annotations

import json
import pathlib
import re
import signal
from typing import Any

import pytest

from sysbench_lab import LabError
from sysbench_lab.plan.model import Cell, Settings, Value
from sysbench_lab.target import target
from sysbench_lab.target.target import CommandTarget, shell


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
    status, _, output, *_ = shell("sleep 30 & echo $!", {}, 10)
    assert status == 0
    shell("kill " + output, {})


def test_a_command_that_hangs() -> None:
    ended = shell("sleep 30", {}, 0.2)
    said = target.failure("x --password=sesame", ended)
    assert said == "'x --password=***' did not end within 0.2 s"
    ended = shell("exit 124", {})  # as timeout(1) of the user's does
    assert target.failure("x", ended) == "'x' ended with status 124"


def test_a_command_that_does_not_listen_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (0.3, 3, 20):
        monkeypatch.setattr(target, "POLITE_S", limit)
        ended = shell("trap 'echo no' TERM; while :; do sleep 0.1; done", {}, limit)
        assert ended.status == -signal.SIGKILL
        if ended.output:  # else a signal came before the shell could listen or speak
            break
    said = target.failure("x", ended)
    assert "did not end within %g s: no" % limit in said


# ---- what it was before --------------------------------------------------------------------


def restored(target: CommandTarget) -> list[str]:
    said: list[str] = []
    target.note = said.append
    target.stop()
    return said


@pytest.mark.parametrize("what", ["set", "file start", "set start"])
def test_what_it_was_is_put_back(files: Files, what: str) -> None:
    """Several options, also one that only the first cell names, which the second has as before."""
    for at in ("live", "conf"):
        for name, value in (("pool", "128M"), ("flush", "2"), ("same", "on")):
            (files.directory / at / name).write_text(value + "\n")
    target = CommandTarget("change")
    changes: list[tuple[dict[str, Any], list[str]]] = []
    target.changing = lambda change: changes.append((dict(change), files.log()))
    target.ensure(files.settings(what, pool="256M", same=True))
    assert changes[0][0]["before"] == {"pool": "128M"}
    assert changes[0][1] == []  # noted before anything was done
    target.ensure(files.settings(what, flush=1))
    live = {f.name: f.read_text().strip() for f in (files.directory / "live").iterdir()}
    assert live == {"pool": "128M", "flush": "1", "same": "on"}
    assert restored(target) == ["pool was 128M, is 128M again", "flush was 2, is 2 again"]
    live = {f.name: f.read_text().strip() for f in (files.directory / "live").iterdir()}
    assert live == {"pool": "128M", "flush": "2", "same": "on"}
    assert changes[-1][0] == {} and restored(target) == []


@pytest.mark.parametrize("was", ["%t ", "%t"])
def test_a_blank_at_the_end_is_put_back(files: Files, was: str) -> None:
    live = files.directory / "live/prefix"
    live.write_text(was + "\n")
    other = {"%t ": "%t", "%t": "%t "}[was]
    settings = files.settings("", prefix=other)
    set_it = 'cd %s; echo "$LAB_VALUE" >live/{option}' % files.directory
    target = CommandTarget("change")
    target.ensure({**settings, "server.set": set_it})
    assert live.read_text() == other + "\n"
    target.stop()
    assert live.read_text() == was + "\n"


def test_a_laboratory_that_was_killed_is_made_good_by_the_next(files: Files) -> None:
    (files.directory / "live/pool").write_text("1\n")
    killed = CommandTarget("change")
    changes: list[Any] = []
    killed.changing = changes.append
    killed.ensure(files.settings("set", pool=7))
    target = CommandTarget("change")
    target.recall(json.loads(json.dumps(changes[-1])))
    target.ensure(files.settings("set", pool=8))
    assert restored(target) == ["pool was 1, is 1 again"]


def test_it_may_be_left_as_the_last_cell_has_it(files: Files) -> None:
    (files.directory / "live/pool").write_text("it's\n")  # nobody has to put that back
    target = CommandTarget("change")
    target.ensure({**files.settings("set", pool=7), "server.restore": False})
    assert restored(target) == ["pool was it's, is left at 7"]
    assert (files.directory / "live/pool").read_text() == "7\n"


def test_what_could_not_be_put_back_is_not_changed(files: Files) -> None:
    (files.directory / "live/path").write_text('"$user", public\n')
    with pytest.raises(LabError, match="option.path could not be put back: server.set: {value} is"):
        CommandTarget("change").ensure(files.settings("set", path="x"))
    assert files.log() == []


def test_what_cannot_be_put_back_is_found_before_the_first_run(files: Files) -> None:
    """By setting what it is, once."""
    for name in ("a", "b", "same"):
        (files.directory / "live" / name).write_text("1\n")
    cells = [
        Cell(n, {}, files.settings("set", same=1, **{name: 5 + n}))
        for n, name in enumerate(("a", "a", "b"))
    ]
    target = CommandTarget("change")
    target.rehearse(cells)
    assert files.log() == ["set a", "set b"] and target.before == {"a": "1", "b": "1"}
    target = CommandTarget("change")
    plain = str(cells[2].settings["server.set"])
    refuses = {"server.set": "case {option}{value} in b1) echo no; exit 3;; esac; " + plain}
    why = "^server.option.b could not be put back: it is '1', which cannot be set: .* 3: no$"
    with pytest.raises(LabError, match=why):
        target.rehearse([*cells[:2], Cell(2, {}, {**cells[2].settings, **refuses})])
    restored(target)
    assert (files.directory / "live/b").read_text() == "1\n"


def test_what_cannot_be_put_back_is_said(files: Files) -> None:
    (files.directory / "live/a").write_text("1\n")
    (files.directory / "live/b").write_text("2\n")
    settings = dict(files.settings("set", a=5, b=6))
    plain = str(settings["server.set"])
    settings["server.set"] = "case {value} in 2) echo no; exit 3;; esac; " + plain
    target = CommandTarget("change")
    changes: list[Any] = []
    target.changing = changes.append
    target.ensure(settings)
    with pytest.raises(LabError) as said:
        restored(target)
    found = re.fullmatch(
        r"the server is not as it was: b was 2, is 6 \(server.set: .* ended with status 3: no\). "
        r"By hand: (.*)", str(said.value),
    )  # fmt: skip
    assert found and found[1] == "set b = 2 in another way than by what failed"
    assert changes[-1]["before"] == {"a": "1", "b": "2"}  # for another try
    (files.directory / "down").touch()
    with pytest.raises(
        LabError, match="a was 1, is not known, b was 2, is not known .server.check"
    ):
        restored(target)


def test_a_server_that_did_not_run_has_no_value_before(files: Files) -> None:
    (files.directory / "conf/pool").write_text("1\n")
    (files.directory / "down").touch()
    target = CommandTarget("change")
    target.ensure(files.settings("set start", pool=5))
    assert restored(target) == ["pool was 1, is 1 again"]  # as it is after a start
    settings = dict(files.settings("start", a=5))
    start = "cd %s; rm -f down; echo {options} | cut -d= -f2 >live/a" % files.directory
    settings["server.start"] = start
    (files.directory / "down").touch()
    target = CommandTarget("change")
    target.ensure(settings)
    said = "a is left as it is: the server did not run, so what it was is not known"
    assert restored(target) == [said]
    assert target.ensure({**settings, "server.option.a": 6}) is True
    (files.directory / "down").touch()  # it broke down meanwhile
    assert restored(target) == ["a was 5, is 5 again"]
