# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/quickstart: what it passes on to the laboratory, and when."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Any

import pytest

from sblab import quickstart
from sysbench_lab import commands, main, paths
from sysbench_lab.plan import experiment, plan
from sysbench_lab.servers import programs
from sysbench_lab.statistics import stats
from sysbench_lab.statistics.results import Results
from sysbench_lab.testdata.runner_cases import sysbench


def test_its_experiment_can_conclude_within_three_minutes() -> None:
    exp = experiment.from_dict(experiment.read_tree(quickstart.EXAMPLE), "x")
    assert exp.measure.repeats >= stats.LEAST
    assert plan.make(exp).estimate_s < 180


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("--tx-rate=-1", "load.tx-rate takes a rate from 0 on, not -1"),
        ("--time=1.5", "measure.time takes whole seconds, not 1.5"),
        ("--no-such=1", "unknown argument --no-such=1"),
    ],
)
def test_a_bad_flag_is_refused_before_the_build(
    flag: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(quickstart, "build", lambda *_: pytest.fail("built"))
    assert quickstart.quickstart([flag]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("quickstart: ") and complaint.count("\n") == 1
    assert words in complaint


def test_a_build_that_fails_leaves_no_results(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise quickstart.LabError("make failed")

    monkeypatch.setattr(quickstart, "build", fails)
    assert quickstart.quickstart(["--results=%s" % (tmp_path / "results")]) == 1
    assert not (tmp_path / "results").exists()


def test_help_of_an_installed_one_is_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "in_tree", lambda: False)
    with pytest.raises(SystemExit):
        main.main(["quickstart", "--help"])
    assert capsys.readouterr().out.startswith("usage: sysbench-lab quickstart [-h] [OPTION ...]")


def test_no_password_is_on_a_command_line(tmp_path: pathlib.Path) -> None:
    """Not while the dependencies are installed, which takes minutes, nor afterwards."""
    scripts = tmp_path / "scripts"
    look = "tr '\\0' ' ' </proc/$PPID/cmdline >>%s; env >>%s\n" % (2 * (tmp_path / "seen",))
    files = {
        "third_party/install-deps": "#!/bin/sh\n" + look,
        "scripts/sysbench_lab/python.py": "import sys; print(sys.executable)",
        "scripts/sblab/quickstart.py": (
            "import os, shlex, sys\nassert len(sys.argv) == 1\n"
            "print(shlex.split(os.environ['SB_QUICKSTART']))"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    shutil.copy(os.path.join(os.path.dirname(paths.ABOVE), "scripts", "quickstart"), scripts)
    words = ["--set=load.mysql-password=it's \\sesame\n", "", "a b\n\n"]
    said = subprocess.run(
        [scripts / "quickstart", *words], stdout=subprocess.PIPE, text=True, check=True
    )
    assert said.stdout == "%s\n" % words
    seen = (tmp_path / "seen").read_text()
    assert "quickstart" in seen and "sesame" not in seen


# ---- all of it -----------------------------------------------------------------------


@pytest.mark.skipif(
    "SB_NO_SERVER" in os.environ or not programs.find("mariadbd") or not sysbench(),
    reason="no MariaDB, or no sysbench is built",
)
def test_a_short_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a rate that is given, and without drawing."""
    monkeypatch.setattr(quickstart, "build", lambda *_: None)
    monkeypatch.setattr(commands, "draw", lambda results: [])
    directory = tmp_path / "results"
    build = os.path.dirname(os.path.dirname(sysbench()))
    small = ["--threads=2", "--time=1", "--warmup=0", "--repeats=1", "--table-size=100"]
    argv = ["--build=" + build, "--results=%s" % directory, "--tx-rate=50", *small]
    assert quickstart.quickstart(argv) == 0
    results = Results(str(directory))
    found = [(row["status"], row["target_tps"]) for row in results.rows]
    assert found == [("done", 50), ("done", 50)]
    said = capsys.readouterr().out
    assert "pool-of-threads" in said and "\nNext:\n" in said
