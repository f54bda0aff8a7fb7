# SPDX-License-Identifier: GPL-2.0-or-later
"""Passwords: recognized as sysbench does, and in no file of a results directory but given.json."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import stat
import subprocess

import pytest

from sysbench_lab import commands, main, testing
from sysbench_lab.page import parts
from sysbench_lab.plan import mask
from sysbench_lab.results.results_dir import Book
from sysbench_lab.run import rehearsal
from sysbench_lab.statistics.results import Results
from sysbench_lab.testdata.runner_cases import fake_program, needs_sysbench, sysbench

TEXTS = ["", *(text for (text,) in testing.cases("passwords"))]
NAMES = ["vault_password", "password_file", "own_Passwords", "x_mysql_pwd", "passport"]


@needs_sysbench
def test_as_sysbench_does(tmp_path: pathlib.Path) -> None:
    """Its report has its arguments, masked."""
    own = ["t%d" % n for n in range(len(TEXTS))] + NAMES
    rows = ", ".join('%s = {"", ""}' % name for name in own)
    script = tmp_path / "own.lua"
    script.write_text("sysbench.cmdline.options = {%s}\nfunction event() end\n" % rows)
    argv = [str(script), "--events=1", "--report-file=json:%s/report" % tmp_path]
    argv += ["--t%d=%s" % pair for pair in enumerate(TEXTS)]
    argv += ["--%s=sesame" % name for name in NAMES]
    argv += ["--mysql-password=sesame", "--drizzle-password=sesame"]
    subprocess.run([sysbench(), *argv, "run"], check=True, stdout=subprocess.DEVNULL)
    shown = json.loads((tmp_path / "report").read_text())["run"]["command_line"]
    assert shown[1:-1] == [mask.argument(word) for word in argv]
    assert sum("***" in word for word in shown) > len(TEXTS) / 2


FILE = testing.data("passwords.toml")
SHOWN = testing.data("passwords_masked.toml")


def test_the_experiment_as_it_was_given() -> None:
    assert mask.toml(FILE) == SHOWN
    assert mask.toml(SHOWN) == SHOWN
    assert mask.toml("x = [1\n") == "x = [1\n"


EVERYWHERE = """\
x = "server.option.x"
[load]
script = "oltp_read_only"
mysql-password = "SESAME"
pgsql-db = "postgresql://me:SESAME@h/d"
prepare.pgsql-password = "SESAME"
[client.env]
MYSQL_PWD = "SESAME"
FAKE_LOG = "%(directory)s/log"
[server]
kind = "commands"
set = "MYSQL_PWD=SESAME; echo {value} >%(directory)s/state"
check = "true --password=SESAME; cat %(directory)s/state"
[hooks]
before = "true PGPASSWORD=SESAME"
after-run = "false --password=SESAME; mariadb -uroot -pSESAME -e 'x"
mid-run = { at = 0, command = "true; mariadb -pSESAME" }
[vary]
"server.option.x" = [1, 2]
"load.vault-password" = [{ name = "old", value = "SESAME" }, { name = "new", value = "SESAME2" }]
"load.own-db" = ["postgresql://a:SESAME@h", "postgresql://b:SESAME@h"]
"""


def holding(directory: str) -> set[str]:
    """Files that have the password."""
    files = [p for p in pathlib.Path(directory).rglob("*") if p.is_file()]
    return {p.name for p in files if b"SESAME" in p.read_bytes()}


def test_no_file_has_a_password_but_one(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even that one when all is done; and resume has them all."""
    monkeypatch.setattr(rehearsal, "check", lambda cells: None)
    file, directory = tmp_path / "x.toml", str(tmp_path / "results")
    file.write_text(EVERYWHERE % {"directory": tmp_path})
    (tmp_path / "state").write_text("0")
    argv = ["run", str(file), "--results=" + directory, "--repeats=1", "--warmup=0", "--time=1"]
    argv += ["--set=client.program=" + fake_program(tmp_path), "--plain"]
    argv += ["--set=load.my-password=two SESAME words", "--set=client.env.FAKE_FAIL=no"]
    argv += ["--set=client.env.FAKE_FAIL_RUNS=4"]
    assert main.main(argv) == 0
    said = capfd.readouterr()
    assert "SESAME" not in said.out + said.err
    note = "%s/given.json stores passwords until the experiment finishes; " % directory
    assert said.out.count(note + "use load.mysql-password-file instead\n") == 1
    assert holding(directory) == {"given.json"}
    modes = [stat.S_IMODE(os.stat(p).st_mode) for p in (directory, directory + "/given.json")]
    assert modes == [0o700, 0o600]
    assert Book.open(directory).experiment == commands.asked(main.parser().parse_args(argv))[0]
    shutil.copytree(directory, tmp_path / "copy")
    assert main.main(["resume", directory, "--failed", "--plain"]) == 0
    assert holding(directory) == set()
    last = (tmp_path / "log").read_text().splitlines()[-2]  # then cleanup
    assert last.endswith(" run") and "my-password='two SESAME words'" in last

    os.unlink(tmp_path / "copy" / "given.json")
    assert main.main(["resume", str(tmp_path / "copy"), "--failed", "--plain"]) == 1
    assert capfd.readouterr().err.endswith("copy has no given.json: its passwords are gone\n")
    assert Book.open(str(tmp_path / "copy")).failed()  # nothing was touched


def test_a_directory_of_an_earlier_release(tmp_path: pathlib.Path) -> None:
    """It has the passwords, and is read without them."""
    directory = testing.make_results(str(tmp_path / "old"))
    lab, toml = tmp_path / "old" / "lab.json", tmp_path / "old" / "experiment.toml"
    more = '"stays": {"load.mysql-password": "SESAME",'
    lab.write_text(lab.read_text().replace('"stays": {', more))
    toml.write_text('load.mysql-password = "SESAME"\n')
    results = Results(directory)
    assert results.exp.stays["load.mysql-password"] == "***"
    assert "SESAME" not in repr(parts.page(results))
    assert Book.open(directory).experiment.stays["load.mysql-password"] == "SESAME"
    book = Book.open(directory)
    book.set_state("running")
    assert holding(directory) == {"given.json", "experiment.toml"}
