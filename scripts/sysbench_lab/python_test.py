# SPDX-License-Identifier: GPL-2.0-or-later
"""Which Python the laboratory runs with.  All who start it or install for it choose the same one.

The Pythons are real: virtual environments of this one, with packages that are empty.
"""

from __future__ import annotations

import ast
import glob
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv
import zipfile

import pytest

from . import paths, python
from .run import check

ALL = tuple(python.packages())
VERSIONS = {**python.PACKAGES, "pytest": "7"}
TOOLS = "sh env dirname sed tr cat mktemp rm mkdir id ls cut"
SHOWS = "import sys\n\n\ndef launch(version):\n    print(sys.executable)\n    return 0\n"
FILES = (
    "scripts/sysbench-lab", "scripts/quickstart", "scripts/sysbench_lab/__init__.py",
    "scripts/sysbench_lab/owned.py", "scripts/sysbench_lab/python.py",
    "scripts/sysbench_lab/servers/__init__.py", "scripts/sysbench_lab/servers/process.py",
    "third_party/install-deps",
)  # fmt: skip


class Machine:
    """A copy of the scripts, with a system's Python of its own; PATH has the rest of this one."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.top = directory
        self.tree, self.home, self.bin = directory / "tree", directory / "home", directory / "bin"
        for name in FILES:
            to = self.tree / name
            to.parent.mkdir(parents=True, exist_ok=True)
            text = (
                pathlib.Path(paths.TREE, name).read_text().replace("/usr/bin/python3", self.system)
            )
            to.write_text(text)
            to.chmod(0o755)
        (self.tree / "scripts/sysbench_lab/main.py").write_text(SHOWS)
        (self.tree / "scripts/sblab").mkdir()
        (self.tree / "scripts/sblab/quickstart.py").write_text("import sys; print(sys.executable)")
        self.home.mkdir(mode=0o755)
        self.bin.mkdir()
        for tool in TOOLS.split():
            os.symlink(shutil.which(tool) or "", self.bin / tool)

    @property
    def system(self) -> str:
        return str(self.top / "system" / "bin" / "python3")

    @property
    def own(self) -> str:
        return str(self.home / ".cache" / "sysbench-tx" / "venv" / "bin" / "python3")

    @property
    def first(self) -> str:
        return str(self.top / "first" / "bin" / "python3")

    def install(self, program: str, *names: str, **versions: str) -> None:
        """A Python there, with these packages."""
        top = pathlib.Path(program).parent.parent
        if not top.exists():
            venv.create(top, symlinks=True)
        (site,) = top.glob("lib/python3*/site-packages")
        for name in names:
            version = versions.get(name, VERSIONS[name])
            about = site / ("%s-%s.dist-info" % (name, version))
            for directory in (about, site / name):
                directory.mkdir()
            (site / name / "__init__.py").touch()
            (about / "METADATA").write_text("Name: %s\nVersion: %s\n" % (name, version))

    def run(
        self,
        program: str,
        *argv: str,
        statuses: tuple[int, ...] = (0,),
        stderr: bool = False,
        **env: str,
    ) -> str:
        """What it prints."""
        path = "%s:%s" % (os.path.dirname(self.first), self.bin)
        done = subprocess.run(
            [str(self.tree / program), *argv],
            env={"PATH": path, "HOME": str(self.home), **env},
            capture_output=True,
            text=True,
        )
        assert done.returncode in statuses, done
        return (done.stderr if stderr else done.stdout).strip()

    def taken(self) -> str:
        """What the launcher, the quickstart and the choice itself take: the same."""
        install = self.tree / "third_party" / "install-deps"
        said = {self.run("scripts/sysbench-lab")}
        deps = install.read_text()
        install.write_text("#!/bin/sh\n")
        said.add(self.run("scripts/quickstart"))
        install.write_text(deps)
        (one,) = said
        return one

    def missing(self, *sets: str) -> list[str]:
        """What install-deps would install for the laboratory."""
        argv = "third_party/install-deps", "--check", *(sets or ("--lab",))
        listed = self.run(*argv, statuses=(0, 1))  # there are no compilers
        return re.findall(r"^optional +lab (\S+)", listed, re.M)


@pytest.fixture
def machine(tmp_path: pathlib.Path) -> Machine:
    return Machine(tmp_path)


def test_the_systems_packages_are_no_others(machine: Machine) -> None:
    """The first Python has jinja2; what it lacks is installed for the system's, which then runs."""
    machine.install(machine.first, "jinja2")
    machine.install(machine.system)
    assert machine.taken() == machine.first  # it can do more
    assert machine.missing() == list(ALL)
    machine.install(machine.system, *ALL[:-1])
    assert machine.missing() == list(ALL[-1:])
    assert machine.taken() == machine.system
    machine.install(machine.system, ALL[-1])
    assert machine.missing() == []
    assert machine.taken() == machine.system


def test_the_first_of_path_is_taken_if_it_has_everything(machine: Machine) -> None:
    machine.install(machine.first, *ALL)
    machine.install(machine.system)
    assert machine.taken() == machine.first and machine.missing() == []
    assert machine.missing("--test").count("pytest") == 1
    machine.install(machine.system, *ALL, "pytest")
    assert machine.taken() == machine.first and "pytest" not in machine.missing("--test")


def test_packages_that_are_too_old_are_missing(machine: Machine) -> None:
    machine.install(machine.first)
    machine.install(machine.system, *ALL, matplotlib="3.5.1")
    assert machine.missing() == ["matplotlib"] and machine.taken() == machine.system


def test_the_environment_that_was_made_for_it(machine: Machine) -> None:
    """It counts, unless others can write there."""
    machine.install(machine.first)
    machine.install(machine.system, "numpy")
    machine.install(machine.own, *ALL)
    assert machine.taken() == machine.own and machine.missing() == []
    top = pathlib.Path(machine.own).parent.parent
    (site,) = top.glob("lib/python3*/site-packages")
    for place in (top / "bin", site, machine.home / ".cache"):
        mode = place.stat().st_mode
        place.chmod(0o777)
        assert machine.taken() == machine.system, place
        place.chmod(mode)
    assert machine.taken() == machine.own
    (machine.home / ".cache").chmod(0o777)
    assert machine.missing() == list(ALL[1:])


def test_the_interpreter_of_the_environment_is_ours_too(machine: Machine) -> None:
    machine.install(machine.first)
    machine.install(machine.system, "numpy")
    machine.install(machine.own, *ALL)
    between = machine.top / "between"
    between.mkdir()
    (between / "python3").symlink_to(os.path.realpath(machine.own))
    os.remove(machine.own)
    os.symlink(between / "python3", machine.own)
    assert machine.taken() == machine.own
    between.chmod(0o777)
    assert machine.taken() == machine.system


def test_a_python_that_does_not_run_is_passed_over(machine: Machine) -> None:
    """As pyenv's is where no version was chosen."""
    machine.install(machine.system, *ALL)
    pathlib.Path(machine.first).parent.mkdir(parents=True)
    pathlib.Path(machine.first).write_text("#!/bin/sh\nexit 127\n")
    pathlib.Path(machine.first).chmod(0o755)
    (machine.tree / "third_party/install-deps").write_text("#!/bin/sh\n")
    assert machine.run("scripts/quickstart") == machine.system
    os.remove(machine.system)
    said = machine.run("scripts/quickstart", statuses=(1,), stderr=True)
    assert said == "quickstart: there is no python3 that runs"


def test_a_python_that_is_too_old_starts_another(machine: Machine) -> None:
    """Python 3.9 is the oldest; the file that says so runs with any."""
    known = pathlib.Path("~/.pyenv/versions").expanduser().glob("3.[678].*/bin/python3")
    old = [*map(str, known), *glob.glob("/usr/bin/python3.[678]")]
    lab = pathlib.Path(python.__file__).parent
    for name in ("__init__.py", "python.py", "../sysbench-lab"):
        ast.parse((lab / name).read_text(), feature_version=(3, 6))
    if not old:
        pytest.skip("no Python before 3.9 here")
    machine.install(machine.system, *ALL)
    pathlib.Path(machine.first).parent.mkdir(parents=True)
    for program in old:
        if os.path.lexists(machine.first):
            os.remove(machine.first)
        os.symlink(program, machine.first)
        assert machine.taken() == machine.system and machine.missing() == []


def wheels(directory: pathlib.Path) -> str:
    """Those of the packages, empty."""
    directory.mkdir()
    for name, version in python.PACKAGES.items():
        about = "%s-%s.dist-info/" % (name, version)
        with zipfile.ZipFile(directory / ("%s-%s-py3-none-any.whl" % (name, version)), "w") as z:
            z.writestr(name + "/__init__.py", "")
            z.writestr(about + "METADATA", "Name: %s\nVersion: %s\n" % (name, version))
            z.writestr(
                about + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            z.writestr(about + "RECORD", "")
    return str(directory)


@pytest.mark.skipif(not importlib.util.find_spec("ensurepip"), reason="no ensurepip")
def test_where_no_package_of_the_system_serves_pip_makes_an_environment(machine: Machine) -> None:
    """There is no package manager; the Pythons themselves are left as they are."""
    machine.install(machine.first)
    machine.install(machine.system, "rich")
    said = machine.run("third_party/install-deps", "--lab", PIP_NO_INDEX="1", stderr=True)
    assert "sysbench-lab goes on without " + " ".join(n for n in ALL if n != "rich") in said
    assert machine.taken() == machine.system
    links = wheels(machine.top / "wheels")
    machine.run("third_party/install-deps", "--lab", PIP_NO_INDEX="1", PIP_FIND_LINKS=links)
    assert machine.taken() == machine.own and machine.missing() == []
    assert not list(machine.top.glob("first/lib/python3*/site-packages/numpy"))


def test_the_remedy_is_for_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "own", lambda *_: ("nosuchmodule",))
    assert python.remedy(True) == "third_party/install-deps --lab"
    monkeypatch.setattr(sys, "executable", python.SYSTEM)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/" + name)
    assert python.remedy(False) == "apt-get install python3-nosuchmodule"
    monkeypatch.setattr(sys, "executable", "/opt/conda/bin/python3")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    made = "/opt/conda/bin/python3 -m venv /cache/sysbench-tx/venv && "
    assert python.remedy(False).startswith(made + "/cache/sysbench-tx/venv/bin/pip install numpy")
    monkeypatch.setattr(sys, "prefix", "/opt/other")
    assert python.remedy(False) == "/opt/conda/bin/python3 -m pip install nosuchmodule"


def test_check_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "own", lambda *_: ("numpy", "matplotlib", "jinja2"))
    line = check.laboratory()
    assert line.what.endswith(sys.executable) and line.fix == "third_party/install-deps --lab"
    assert line.means == "without numpy, matplotlib, jinja2: no pictures and no page"
    monkeypatch.setattr(python, "own", lambda *_: ())
    assert check.laboratory().word == "ok"
