# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of owned.py, and that every command that takes something over asks it."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import socket
import stat
import subprocess
from typing import Any, Callable, Iterator

import pytest

from sysbench_lab import LabError, commands, main, owned
from sysbench_lab.plan.model import Hook
from sysbench_lab.run import lock
from sysbench_lab.servers import process, programs
from sysbench_lab.servers.instance import STATE
from sysbench_lab.testdata.runner_cases import experiment, fake, new_book, script

OTHER = 65534  # nobody, if there is a name for it
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
root_only = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a file to another user"
)


def give(path: pathlib.Path) -> None:
    """All of it to another user."""
    for at, names, files in os.walk(path):
        for name in [".", *names, *files]:
            os.lchown(os.path.join(at, name), OTHER, OTHER)
    os.lchown(path, OTHER, OTHER)


Refused = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """A command is: the one sentence on stderr; nothing is printed on stdout."""

    def said(*argv: str) -> str:
        status, said = main.main(list(argv)), capsys.readouterr()
        assert (status, said.out, said.err.count("\n")) == (1, "", 1)
        return said.err

    return said


@contextlib.contextmanager
def sleeper(**more: Any) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(["sleep", "60"], **more)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


# ---- the rule --------------------------------------------------------------------


def loose(path: pathlib.Path) -> None:
    path.chmod(0o777)


def sticky(path: pathlib.Path) -> None:
    path.chmod(0o1777)


def shared(path: pathlib.Path) -> None:
    os.chown(path, -1, OTHER)
    path.chmod(0o775)


@pytest.mark.parametrize(
    "where, change, wrong",
    [
        ("", lambda p: None, ""),
        ("up/mine", loose, "may be changed by others (mode 0777) and is not used: chmod go-w"),
        ("up/mine", sticky, "may be changed by others (mode 1777) and is not used: chmod go-w"),
        ("up", loose, "may be changed by others (mode 0777) and is not used: chmod go-w"),
        ("up", sticky, ""),
        pytest.param("up", shared, "changed by others (mode 0775)", marks=root_only),
        pytest.param("up/mine", shared, "changed by others (mode 0775)", marks=root_only),
        pytest.param("up", give, "and is not used: run this as", marks=root_only),
        pytest.param("up/mine", give, "and is not used: run this as", marks=root_only),
    ],
)
@pytest.mark.parametrize("by_link", [False, True])
def test_what_is_ours(
    tmp_path: pathlib.Path, where: str, change: Callable[..., None], wrong: str, by_link: bool
) -> None:
    mine = tmp_path / "up" / "mine"
    mine.mkdir(parents=True)
    (tmp_path / "link").symlink_to("up/../up/mine")
    change(tmp_path / where)
    path = str(tmp_path / "link" if by_link else mine)
    if not wrong:
        owned.check(path)
        owned.make(path + "/new/below")
        return
    with pytest.raises(LabError) as caught:
        owned.check(path)
    owner = owned.name_of(os.lstat(tmp_path / where).st_uid)
    assert wrong in str(caught.value) and owner in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / where))
    if change is not sticky:  # what is made there nobody can exchange
        with pytest.raises(LabError):
            owned.make(path + "/new/below")
        assert list(mine.iterdir()) == []


@root_only
def test_a_link_of_another_in_a_directory_of_all(tmp_path: pathlib.Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to("mine")
    owned.check(str(tmp_path / "link"))
    os.lchown(tmp_path / "link", OTHER, OTHER)
    with pytest.raises(LabError, match="link belongs to "):
        owned.check(str(tmp_path / "link"))


def test_a_circle_and_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").symlink_to("a")
    for name, why in (("a", "Too many levels"), ("b", "No such file")):
        with pytest.raises(LabError, match="cannot use %s: %s" % (tmp_path / name, why)):
            owned.check(str(tmp_path / name))


@root_only
def test_what_is_of_nobody_known_is_of_another(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a user namespace all who are not in it have one number, and so has /."""
    lstat = os.lstat
    outside: set[str] = set()

    def mapped(path: str) -> os.stat_result:
        found = list(lstat(path))
        found[stat.ST_UID] = OTHER if path in outside else os.geteuid()
        return os.stat_result(found)

    found = []
    with monkeypatch.context() as m:  # pytest itself asks os, too
        m.setattr(os, "lstat", mapped)
        m.setattr(os, "stat", mapped)
        for more in ("/", str(tmp_path.parent)):
            outside.add(more)
            found.append((owned.trusted(str(tmp_path)), owned.why_not(str(tmp_path), {0})))
    assert found[0] == (True, "")
    assert not found[1][0] and "belongs to %s" % owned.name_of(OTHER) in found[1][1]


@root_only
def test_root_by_way_of_sudo_is_root(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(tmp_path)
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    with pytest.raises(LabError, match="not to root"):
        owned.check(str(tmp_path))


# ---- what is removed -------------------------------------------------------------


def test_only_what_has_a_mark_is_removed(tmp_path: pathlib.Path) -> None:
    made, other = tmp_path / "made", tmp_path / "other"
    owned.fresh(str(made))
    (made / "old").write_text("")
    assert os.listdir(owned.fresh(str(made))) == [owned.MARK]
    other.mkdir()
    (other / "precious").write_text("")
    removers: list[Callable[[str], Any]] = [owned.remove, owned.fresh]
    for remove in removers:
        with pytest.raises(LabError, match="other, of .*, was not made by this program"):
            remove(str(other))
    owned.remove(str(other), anyway=True)
    assert (other / "precious").exists()
    (tmp_path / "link").symlink_to("made")
    with pytest.raises(LabError, match="cannot remove"):
        owned.remove(str(tmp_path / "link"))
    owned.remove(str(made))
    owned.remove(str(made))
    assert not made.exists()


@root_only
@pytest.mark.parametrize("name", [".", owned.MARK])
def test_a_mark_of_another_counts_for_nothing(tmp_path: pathlib.Path, name: str) -> None:
    made = owned.fresh(str(tmp_path / "made"))
    os.chown(os.path.join(made, name), OTHER, OTHER)
    with pytest.raises(LabError, match="not to root"):
        owned.fresh(made)
    assert os.listdir(made) == [owned.MARK]


# ---- files -----------------------------------------------------------------------


def special(path: pathlib.Path, kind: str) -> None:
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(path))
    elif kind == "a directory":
        path.mkdir()
    else:
        (path.parent / "precious").write_text("data")
        if kind == "a link":
            path.symlink_to("precious")
        else:
            os.link(path.parent / "precious", path)


@pytest.mark.parametrize("kind", ["a FIFO", "a socket", "a directory", "a link", "by a hard link"])
def test_a_lock_is_a_file(tmp_path: pathlib.Path, kind: str) -> None:
    special(pathlib.Path(lock.path()), kind)
    with pytest.raises(LabError) as caught, lock.held(str(tmp_path)):
        pass
    assert kind in str(caught.value) and lock.path() in str(caught.value)
    if "link" in kind:
        assert (tmp_path / "precious").read_text() == "data"


def test_a_device_as_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SB_LAB_LOCK", "/dev/null")
    with pytest.raises(LabError, match="/dev/null, of .*, is a device, not a file"):
        lock.check()


def test_a_new_file_replaces_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "precious").write_text("data")
    (tmp_path / "link").symlink_to("precious")
    owned.write(str(tmp_path / "link"), "new")
    assert (tmp_path / "precious").read_text() == "data"
    assert (tmp_path / "link").read_text() == "new"


# ---- servers ---------------------------------------------------------------------


def state_of(directory: pathlib.Path, **more: Any) -> None:
    """A server whose program shows that it ran."""
    program = script(directory / "prog.sh", "touch %s/ran\n" % directory)
    state = {
        "engine": "mariadb", "program": program, "options": [], "environment": {},
        "cpus": "", "prefix": [], "databases": ["sbtest"], "user": "sbtest", "password": "",
        "port": 0, "auto_port": False, "socket": str(directory / "s" / "run" / "m.sock"),
        "os_user_name": "root", "initialised": True, "pid": None, "ident": None, "version": None,
    }  # fmt: skip
    (directory / STATE).write_text(json.dumps({**state, **more}))


@root_only
@pytest.mark.parametrize("whose", ["directory", "file", "above"])
@pytest.mark.parametrize("command", ["start", "stop", "restart", "status", "env", "logs"])
def test_a_server_of_another(
    tmp_path: pathlib.Path, command: str, whose: str, refused: Refused
) -> None:
    directory = tmp_path / "up" / "server"
    directory.mkdir(parents=True)
    with sleeper() as child:
        running = command != "start"
        ident = process.identity(child.pid) if running else None
        state_of(directory, pid=child.pid if running else None, ident=ident)
        if whose == "above":
            os.chown(directory.parent, OTHER, OTHER)
        else:
            give(directory) if whose == "directory" else os.chown(directory / STATE, OTHER, OTHER)
        before = sorted(os.listdir(directory))
        said = refused("server", command, "--dir=%s" % directory)
        assert "belongs to %s, not to root" % owned.name_of(OTHER) in said
        assert "/up" in said and child.poll() is None
        assert set(os.listdir(directory)) <= {*before, "lock"}


@root_only
def test_a_process_of_another_is_not_ended(tmp_path: pathlib.Path) -> None:
    """Not even if our own state file names it, with its start time."""
    with sleeper(preexec_fn=lambda: os.setuid(OTHER)) as child:
        ident = process.identity(child.pid)
        with pytest.raises(LabError, match="belongs to another user and is not stopped"):
            process.stop(child.pid, ident, (), 1)
        assert child.pid not in lock.users_of("/nonexistent")
        assert process.stop(child.pid, ident, (), 1, OTHER) == "SIGKILL"


def test_a_damaged_state_is_a_sentence(tmp_path: pathlib.Path, refused: Refused) -> None:
    wrongs: list[tuple[str, Any]] = [("engine", "oracle"), ("options", "x"), ("pid", [])]
    for name, value in [*wrongs, ("socket", None)]:
        state_of(tmp_path, **{name: value})
        assert "cannot read %s" % (tmp_path / STATE) in refused(
            "server", "status", "--dir=%s" % tmp_path
        )


def test_a_fifo_as_lock_or_state_of_a_server(tmp_path: pathlib.Path, refused: Refused) -> None:
    for name in ("lock", STATE):
        state_of(tmp_path)
        (tmp_path / name).unlink(missing_ok=True)
        os.mkfifo(tmp_path / name)
        assert "%s, of" % (tmp_path / name) in refused("server", "stop", "--dir=%s" % tmp_path)
        (tmp_path / name).unlink()


def test_what_a_server_logged_is_visible(
    tmp_path: pathlib.Path, refused: Refused, capsys: pytest.CaptureFixture[str]
) -> None:
    state_of(tmp_path)
    (tmp_path / "server.log").write_bytes(b"\xef\xbb\xbfa\x1b]0;pwned\x07\tb\n\xff\xc2\x9b31m\n")
    assert main.main(["server", "logs", "--dir=%s" % tmp_path]) == 0
    assert capsys.readouterr().out == "a\\x1b]0;pwned\\x07     b\n\ufffd\\x9b31m\n"
    os.remove(tmp_path / "server.log")
    assert "cannot read %s/server.log: No such file" % tmp_path in refused(
        "server", "logs", "--dir=%s" % tmp_path
    )
    assert r"/no/\x1b[31m" in refused("server", "stop", "--dir=/no/\x1b[31m")


# ---- results ---------------------------------------------------------------------


@pytest.fixture
def interrupted(tmp_path: pathlib.Path) -> pathlib.Path:
    """Results of which everything is missing, with a hook that shows that it ran."""
    hook = Hook("before", "touch '%s'" % (tmp_path / "hook-ran"))
    directory = tmp_path / "results"
    new_book(directory, experiment(fake(tmp_path), hooks=(hook,)))
    return directory


@root_only
@pytest.mark.parametrize("whose", ["", "all", "lab.json", "runs", "runs.csv", "running.json"])
def test_results_of_another_are_read_and_not_resumed(
    interrupted: pathlib.Path, monkeypatch: pytest.MonkeyPatch, refused: Refused, whose: str
) -> None:
    monkeypatch.setattr(commands, "finish", lambda _: 0)
    ran = interrupted.parent / "hook-ran"
    (interrupted / "running.json").write_text('{"servers": [], "prepared": {}, "client": null}')
    if whose:
        give(interrupted if whose == "all" else interrupted / whose)
    if not whose:
        assert main.main(["resume", str(interrupted), "--plain"]) == 0 and ran.exists()
        return
    said = refused("resume", str(interrupted), "--plain")
    assert "belongs to %s, not to root" % owned.name_of(OTHER) in said
    refused("page", str(interrupted))
    assert main.main(["show", str(interrupted)]) == 0
    assert main.main(["compare", str(interrupted), str(interrupted)]) == 0
    assert not ran.exists()


@root_only
@pytest.mark.parametrize("name", ["lab.json", "runs"])
def test_a_link_is_what_it_leads_to(interrupted: pathlib.Path, refused: Refused, name: str) -> None:
    """Root's link to what another user can write."""
    theirs = interrupted.parent / "theirs"
    theirs.mkdir()
    (interrupted / name).rename(theirs / name)
    (interrupted / name).symlink_to("../theirs/" + name)
    owned.check_folder(str(interrupted))
    for path in (theirs / name, theirs):
        os.chown(path, OTHER, OTHER)
        assert "%s belongs to" % path in refused("resume", str(interrupted))
        os.chown(path, 0, 0)
    assert not (interrupted.parent / "hook-ran").exists()


@pytest.mark.parametrize("name", ["", "off-cpu"])
def test_examples_are_copied_to_a_place_of_ours(
    tmp_path: pathlib.Path, refused: Refused, name: str
) -> None:
    """What they say is executed."""
    (tmp_path / "all").mkdir()
    loose(tmp_path / "all")
    for to in (tmp_path / "all", tmp_path / "all" / "new"):
        assert "may be changed by others" in refused("examples", *name.split(), "--copy=%s" % to)
    assert os.listdir(tmp_path / "all") == []


def test_results_that_others_may_change(interrupted: pathlib.Path, refused: Refused) -> None:
    interrupted.chmod(0o755)
    (interrupted / "lab.json").chmod(0o666)
    assert "lab.json, of" in refused("resume", str(interrupted))
    assert not (interrupted.parent / "hook-ran").exists()


@root_only
def test_what_a_killed_laboratory_left_is_ours(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    text = "1\n%s\n" % tmp_path
    assert lock.directory_in(text) == str(tmp_path)
    give(tmp_path / "file")
    assert lock.directory_in(text) == ""


# ---- programs --------------------------------------------------------------------


def a_tool(cache: pathlib.Path) -> pathlib.Path:
    tool = cache / "sysbench-tx" / "venv" / "bin" / "sb-tool"
    tool.parent.mkdir(parents=True)
    script(tool, "")
    return tool


@root_only
@pytest.mark.parametrize("whose", ["sysbench-tx", "sysbench-tx/venv", "sysbench-tx/venv/bin"])
def test_programs_of_another(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tool = a_tool(tmp_path)
    assert programs.find("sb-tool") == str(tool)
    os.chown(tmp_path / whose, OTHER, OTHER)
    assert programs.find("sb-tool") is None


def test_no_home_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert programs.cache() == ""
    assert "/var/tmp" not in programs.path()


@root_only
def test_the_shell_script_asks_the_same(tmp_path: pathlib.Path) -> None:
    """install-deps looks into the cache: of another, or without a home, it does not."""
    deps = str(SCRIPTS.parent / "third_party" / "install-deps")
    tool = a_tool(tmp_path)
    version = (SCRIPTS.parent / ".ruff.toml").read_text().partition('"==')[2].partition('"')[0]
    ruff = tool.with_name("ruff")
    script(ruff, 'touch "$0.ran"\necho ruff %s\n' % version)
    env = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path)}
    ran = tool.with_name("ruff.ran")
    subprocess.run([deps, "--check", "--lint"], env=env, capture_output=True)
    assert ran.exists()
    ran.unlink()
    give(tmp_path / "sysbench-tx")
    done = subprocess.run([deps, "--check", "--lint"], env=env, capture_output=True, text=True)
    assert not ran.exists() and "belongs to" in done.stderr and str(tmp_path) in done.stderr
    env = {"PATH": env["PATH"]}
    done = subprocess.run(["sh", "-x", deps, "--check", "--lint"], env=env, stderr=-1, text=True)
    assert "probe" in done.stderr and "/var/tmp" not in done.stderr
