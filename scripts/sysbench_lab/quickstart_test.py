# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/quickstart: what it passes on to the laboratory, when, and with which Python."""

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

SCRIPT = os.path.join(paths.TREE, "scripts", "quickstart")


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


# ---- which Python --------------------------------------------------------------------


def script_in(
    directory: pathlib.Path, able: dict[str, tuple[int, int]]
) -> subprocess.CompletedProcess[str]:
    """scripts/quickstart where PATH has these Pythons: name -> what its version check exits with
    without and with packages."""
    for name in ("scripts", "third_party", "bin"):
        (directory / name).mkdir()
    text = pathlib.Path(SCRIPT).read_text().replace("/usr/bin/python3", "nothing")
    programs = {"scripts/quickstart": text, "third_party/install-deps": "#!/bin/sh\n"}
    for name, (plain, packages) in able.items():
        programs["bin/" + name] = (
            "#!/bin/sh\ncase $1,$# in -c,2) exit %d ;; -c,*) exit %d ;;\n"
            '--version,*) echo Python 3.8.1 ;; *) echo %s "$2" ;; esac\n' % (plain, packages, name)
        )
    for path, content in programs.items():
        (directory / path).write_text(content)
        (directory / path).chmod(0o755)
    for tool in ("dirname", "sed"):
        os.symlink(shutil.which(tool) or "", directory / "bin" / tool)
    return subprocess.run(
        ["/bin/sh", str(directory / "scripts" / "quickstart"), "--keep"],
        env={"PATH": str(directory / "bin")},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("able", "taken"),
    [
        ({"python3": (0, 0)}, "python3"),
        ({"python3": (0, 1), "python3.12": (0, 0)}, "python3.12"),
        ({"python3": (0, 1), "python3.12": (0, 1)}, "python3"),
        ({"python3": (1, 1), "python3.11": (0, 1)}, "python3.11"),
    ],
)
def test_python_with_the_packages(
    tmp_path: pathlib.Path, able: dict[str, tuple[int, int]], taken: str
) -> None:
    done = script_in(tmp_path, able)
    assert (done.returncode, done.stdout, done.stderr) == (0, taken + " --keep\n", "")


def test_python_that_is_too_old(tmp_path: pathlib.Path) -> None:
    done = script_in(tmp_path, {"python3": (1, 1)})
    assert (done.returncode, done.stdout) == (1, "")
    needed = "Python 3.11, or 3.9 with tomli (python3-tomli)"
    assert done.stderr == "quickstart: needs %s, not 3.8.1\n" % needed


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
