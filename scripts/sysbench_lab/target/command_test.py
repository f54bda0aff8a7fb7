# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of CommandTarget with a server made of files: what is set, and what is in effect.

`conf` is what the server would read at its start, `live` what is in effect, `log` what was done.
"""

from __future__ import annotations

import json
import pathlib
import re
import signal
import sys
from typing import Any

import pytest

from sysbench_lab import LabError, testing
from sysbench_lab.plan import plan
from sysbench_lab.plan.model import Cell, Settings, Value
from sysbench_lab.target import target
from sysbench_lab.target.target import CommandTarget, shell
from sysbench_lab.testdata.runner_cases import experiment, factor


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


def restored(target: CommandTarget) -> list[str]:
    said: list[str] = []
    target.note = said.append
    target.stop()
    return said


def ensured(
    files: Files,
    what: str,
    *steps: dict[str, Value] | str,
    restart: str = "change",
    live: dict[str, str] | None = None,
    conf: dict[str, str] | None = None,
    down: bool = False,
    **commands: Any,
) -> str:
    """What is done for these options, one after the other, of a server that had these values, and
    what is in effect; what is noted before, and what is said when it is put back.  Steps may also
    be "stop", of the laboratory, and "down", of the server."""

    def values() -> str:
        known = sorted((files.directory / "live").glob("*"))
        return str({f.name: f.read_text().rstrip("\n") for f in known})

    for at, known in (("live", live), ("conf", conf)):
        for name, value in (known or {}).items():
            (files.directory / at / name).write_text(value + "\n")
    if down:
        (files.directory / "down").touch()
    target, found, changes = CommandTarget(restart), list[str](), list[dict[str, Any]]()
    log = files.directory / "log"
    target.changing = lambda change: changes.append({**change, "first": not log.exists()})
    at = "cd %s; " % files.directory
    own = {"server." + k: at + v if isinstance(v, str) else v for k, v in commands.items()}
    try:
        for step in steps:
            if step == "down":
                (files.directory / "down").touch()
            elif isinstance(step, str):
                found += restored(target)
            else:
                did = target.ensure({**files.settings(what, **step), **own})
                found.append("%s %s %s" % (did, files.log(), values()))
        found += restored(target)
    except LabError as e:
        found += [str(e).replace(str(files.directory), "DIR"), str(files.log())]
    if changes:
        when = "before anything" if changes[0]["first"] else "after the start"
        found.append("noted %s: %s" % (when, changes[0].get("before")))
    return "; ".join([*found, values()])


def made(settings: Settings, name: str = "", *values: Any) -> str:
    """The target of an experiment, of which this varies, and the most connections that it bears."""
    exp = experiment(settings, *([factor("a", name, *values)] if name else []))
    found = target.make(exp)
    return "%s %s" % (found.kind, getattr(found, "connections", ""))


def test_calls(tmp_path: pathlib.Path) -> None:
    """What can be set needs no restart, what only a start reads takes one; what does not take
    effect is not measured; what it was is put back, also of a second cell."""
    number = iter(range(99))

    def fresh(*given: Any, **more: Any) -> str:
        directory = tmp_path / str(next(number))
        directory.mkdir()
        return ensured(Files(directory), *given, **more)

    found = testing.retold("calls_commands", testing.called(ensured=fresh, made=made))
    assert found == testing.cases("calls_commands")


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


# ---- kinds of targets, and what is refused at once -------------------------------


def test_a_tmpdir_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/no/such/disk")
    exp = experiment({"load.script": "x"})
    with pytest.raises(LabError, match="^TMPDIR: /no/such/disk is no directory in which files can"):
        target.make(exp).check(plan.make(exp).cells)


def test_programs_that_are_no_server() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.program", "/bin/true"))
    with pytest.raises(LabError, match="^server.program: /bin/true is not a MariaDB server"):
        target.make(exp).check(plan.make(exp).cells)


def test_cpus_that_the_machine_does_not_have() -> None:
    with pytest.raises(LabError, match="client.cpus: there is no CPU 4000 to run on"):
        target.make(experiment({"load.script": "cpu", "client.cpus": "0,4000"}))


# ---- libraries that cannot be loaded; see target_test.py, too ----------------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")


@linux
def test_a_library_that_is_not_installed() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.preload", "", "libnothing.so.7"))
    with pytest.raises(LabError, match="^server.preload: libnothing.so.7 cannot be loaded: "):
        target.make(exp)


@linux
def test_a_file_that_is_no_library(tmp_path: pathlib.Path) -> None:
    (tmp_path / "libx.so").write_text("no library")
    with pytest.raises(LabError, match="libx.so cannot be loaded: "):
        target.check_can_load({"server.preload": str(tmp_path / "libx.so")}, {})


@linux
def test_libraries_that_are_there() -> None:
    target.check_can_load({"server.preload": "libc.so.6:libm.so.6"}, {})
    target.check_can_load({}, {})
