# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: what each command prints, and the sentence for each mistake; no server."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

from sysbench_lab import main, paths, testing
from sysbench_lab.plan import plan
from sysbench_lab.testdata.runner_cases import needs_sysbench

LAUNCHER = os.path.join(paths.TREE, "scripts", "sysbench-lab")


def lab(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main.main(argv)
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize(("argv", "sentence"), testing.cases("mistakes_command_line"))
def test_mistake(
    capsys: pytest.CaptureFixture[str],
    argv: str,
    sentence: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lab(capsys, *shlex.split(argv)) == (1, "", "sysbench-lab: %s\n" % sentence)
    assert not os.listdir(tmp_path)


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    version = "sysbench-lab (sysbench-tx) %s\n" % paths.version()
    assert lab(capsys, "--version") == lab(capsys, "version") == (0, version, "")
    assert lab(capsys, "help")[1].startswith("usage: sysbench-lab")
    assert "--tx-rate" in lab(capsys, "help", "run")[1]
    status, out, _ = lab(capsys)
    assert status == 1 and out.startswith("usage: ")


@needs_sysbench
@pytest.mark.parametrize(
    ("flag", "sentence"),
    [
        ("--script=oltp_read_onyl", "Cannot find benchmark 'oltp_read_onyl'"),
        ("--set=load.threds=4", "invalid option: --threds=4; did you mean --threads"),
        ("--tx-rate=x", "Invalid value for the 'tx_rate' option: 'x'"),
        ("--set=load.threads.x=1", "load.threads takes a value, not a table (load.threads.x)"),
    ],
)
def test_plan_refuses_what_run_refuses(
    capsys: pytest.CaptureFixture[str], flag: str, sentence: str
) -> None:
    given = ["--script=oltp_read_only", flag, "--set=server.kind=given"]
    refused = lab(capsys, "plan", *given)
    assert refused[:2] == (1, "") and sentence in refused[2] and refused[2].count("\n") == 1
    assert lab(capsys, "run", *given) == refused


@needs_sysbench
def test_plan_takes_what_run_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same line with another word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SB_LAB_LOCK", str(tmp_path.parent / "lock"))
    parsers = main.parser().commands
    flags = {name: {f for a in p._actions for f in a.option_strings} for name, p in parsers.items()}
    assert flags["plan"] == flags["run"] == flags["find"] | {"--find-max-rate"}
    argv = ["plan", "constant-rate", "--results=r", "--plain"]
    assert lab(capsys, *argv) == lab(capsys, "plan", "constant-rate")
    given = "highest-rate", "--find-max-rate", "--time=60"
    status, out, err = lab(capsys, "plan", *given)
    why = "server.program: there is no /opt/mariadb/bin/mariadbd; name the program to measure\n"
    assert (status, err) == (1, "sysbench-lab: " + why)
    assert lab(capsys, "run", *given, "--results=r") == (1, "", err)
    assert (
        "each run looks for the highest rate that holds p99<20ms, in about 16 steps of 15 s" in out
    )
    assert "2 cells x 1 repeat = 2 runs" in out
    assert os.listdir(tmp_path) == []


@needs_sysbench
@pytest.mark.parametrize("name", paths.example_names())
def test_each_example_has_a_plan(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Also one whose server or library is not here, which run refuses."""
    status, out, err = lab(capsys, "plan", name)
    assert "estimated duration" in out and status == (err != "")
    assert not err or re.match("sysbench-lab: server[.](program|preload|engine)", err)


def test_the_first_example_takes_less_than_half_an_hour() -> None:
    from sysbench_lab.plan import experiment

    tree = experiment.read_tree(os.path.join(paths.examples(), "constant-rate.toml"))
    exp = experiment.from_dict(tree, "constant-rate")
    made = plan.make(exp)
    assert len(made.runs) == 50 and made.estimate_s < 1800


def test_the_figure_of_plot_can_be_left_out(
    capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    directory = testing.make_results(str(tmp_path / "r"), xs=(1, 16), repeats=1)
    drawn = lab(capsys, "show", directory, "--plot")
    assert drawn[0] == 0 and drawn[1].startswith("Server CPU/tx, µs\n")
    assert lab(capsys, "show", "--plot", directory) == drawn
    assert lab(capsys, "show", "--plot", "tps", directory)[1].startswith("Throughput, tx/s\n")
    assert lab(capsys, "show")[::2] == (
        1, "sysbench-lab: show needs DIR, a results directory (see sysbench-lab show --help)\n"
    )  # fmt: skip


def test_examples(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    status, out, _ = lab(capsys, "examples")
    assert [line.split()[0] for line in out.splitlines()] == paths.example_names()
    assert len(paths.example_names()) >= 6
    assert lab(capsys, "examples", "off-cpu")[1].startswith("# SPDX")
    assert "there is no example 'x'; there are allocators" in lab(capsys, "examples", "x")[2]
    directory = str(tmp_path / "mine")
    assert lab(capsys, "examples", "--copy=" + directory)[0] == 0
    assert len(os.listdir(directory)) == len(paths.example_names())
    status, _, err = lab(capsys, "examples", "off-cpu", "--copy=" + directory)
    assert (status, err) == (1, "sysbench-lab: %s/off-cpu.toml is there already\n" % directory)


@needs_sysbench
def test_a_file_goes_before_an_example(
    capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "off-cpu").write_text('title = "Mine"\nload.script = "cpu"\n')
    assert lab(capsys, "plan", "off-cpu")[1].startswith("Mine\n")


@needs_sysbench
def test_launcher(tmp_path: pathlib.Path) -> None:
    """From any directory, through a link, without leaving files."""
    link = tmp_path / "link"
    link.symlink_to(LAUNCHER)
    done = subprocess.run(
        [sys.executable, str(link), "plan", "--script=cpu"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert "1 cell x 5 repeats = 5 runs" in done.stdout
    assert os.listdir(tmp_path) == ["link"]


def test_ctrl_c_at_the_start(tmp_path: pathlib.Path) -> None:
    """While the launcher imports the package: no traceback."""
    text = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    text += "signal.raise_signal(signal.SIGINT)\n"  # a background job's tests ignore it
    (tmp_path / "argparse.py").write_text(text)
    env = dict(os.environ, PYTHONPATH=str(tmp_path))
    done = subprocess.run([sys.executable, LAUNCHER, "--version"], env=env, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_closed_pipe_is_no_failure() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" "$1" examples constant-rate | head -1', sys.executable, LAUNCHER],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("# SPDX") and done.stderr == ""


def test_program(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    from sysbench_lab import LabError

    python = os.path.abspath(sys.executable)
    monkeypatch.setenv("SB_SYSBENCH", python)
    assert paths.program() == python
    monkeypatch.setenv("SB_SYSBENCH", str(tmp_path))
    with pytest.raises(LabError, match="SB_SYSBENCH: cannot run"):
        paths.program()


def test_the_program_beside_an_installed_launcher(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.delenv("SB_SYSBENCH", raising=False)
    monkeypatch.setattr(paths, "in_tree", lambda: False)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "sysbench-lab")])
    program = tmp_path / "sysbench"
    program.write_text("")
    program.chmod(0o755)
    assert paths.program() == str(program)
