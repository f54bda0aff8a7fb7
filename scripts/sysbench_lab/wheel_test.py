# SPDX-License-Identifier: GPL-2.0-or-later
"""packaging/python/backend.py: the wheel is built without a network, and what it installs runs."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys
import venv
import zipfile

import pytest

from . import paths, python

BACKEND = os.path.join(paths.TREE, "packaging", "python", "backend.py")

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("pip") or not os.path.exists(BACKEND), reason="no pip, or no tree"
)


def pip(*argv: str, **env: str) -> None:
    words = [sys.executable, "-B", "-m", "pip", *argv]
    done = subprocess.run(
        words, env=dict(os.environ, PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", **env),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def built(directory: pathlib.Path, **env: str) -> pathlib.Path:
    pip("wheel", "--no-deps", "--wheel-dir", str(directory), paths.TREE, **env)
    (wheel,) = directory.iterdir()
    return wheel


def test_the_wheel_runs_in_a_fresh_environment(tmp_path: pathlib.Path) -> None:
    """It knows its version and examples, and needs nothing of the tree."""
    wheel = built(tmp_path / "one")
    assert wheel.name == "sysbench_lab-%s-py3-none-any.whl" % paths.version()
    venv.create(tmp_path / "venv", symlinks=True)
    own = str(tmp_path / "venv" / "bin" / "python3")
    pip("--python", own, "install", "--no-deps", str(wheel))

    def lab(*argv: str) -> str:
        program = str(tmp_path / "venv" / "bin" / "sysbench-lab")
        env = {"PATH": os.defpath, "HOME": str(tmp_path)}
        return subprocess.check_output([program, *argv], text=True, env=env, cwd=tmp_path)

    assert lab("--version").split()[-1] == paths.version()
    assert [line.split()[0] for line in lab("examples").splitlines()] == paths.example_names()
    if "tomli" not in python.own():
        assert "2 cells" in lab(
            "plan", "--script=cpu", "--threads=1,2", "--set=client.program=/bin/true"
        )
    assert (tmp_path / "venv" / "share" / "man" / "man1" / "sysbench-lab.1").exists()


def test_the_wheel_is_the_same_whenever_it_is_built(tmp_path: pathlib.Path) -> None:
    first, second = (
        built(tmp_path / zone, SOURCE_DATE_EPOCH="1700000000", TZ=zone) for zone in ("UTC", "CET")
    )
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
        about = wheel.read(next(n for n in names if n.endswith("/METADATA"))).decode()
        record = wheel.read(next(n for n in names if n.endswith("/RECORD"))).decode().splitlines()
        assert len(record) == len(names)
    assert (
        "sysbench_lab/page/page.html.j2" in names
        and "sysbench_lab/examples/workloads.toml" in names
        and "sysbench_lab/results/figures.txt" in names
        and "sysbench_lab/schema/report-1.json" in names
    )
    assert not [n for n in names if "_test" in n or "testdata" in n or "conftest" in n]
    for name, least in python.PACKAGES.items():
        assert "Requires-Dist: %s>=%s; " % (name, least) in about
    assert {"pictures", "page", "progress", "all"} == {
        line.split()[1] for line in about.splitlines() if line.startswith("Provides-Extra")
    }
