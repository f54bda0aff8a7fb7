# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/quickstart as a user of the laboratory: its experiment, its rate, what it refuses."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import subprocess
from typing import Any, Iterator

import pytest
import tomllib

from sblab import quickstart
from sysbench_lab import place, runner
from sysbench_lab.book import Book, Results
from sysbench_lab.servers import programs
from sysbench_lab.servers.instance import Instance
from sysbench_lab.testdata.runner_cases import Notes, sysbench

SCRIPT = os.path.join(place.TREE, "scripts", "quickstart")


def experiment(*argv: str, rate: float = 480) -> tuple[Any, Any, str]:
    return quickstart.asked(quickstart.parse(list(argv)), rate)


# ---- what is measured ----------------------------------------------------------------


def test_experiment() -> None:
    exp, made, _ = experiment("--connections=1,16", "--build=b")
    assert exp.x == "load.threads"
    levels = [tuple(cell.levels.values()) for cell in made.cells]
    one, pool = "one-thread-per-connection", "pool-of-threads"
    assert levels == [(one, "1"), (one, "16"), (pool, "1"), (pool, "16")]
    assert [run.cell for run in made.runs] == [0, 1, 2, 3, 3, 2, 1, 0]
    settings = made.cells[0].settings
    assert (settings["load.tx-rate"], settings["load.workers"]) == (480, 0)
    assert settings["client.program"] == os.path.abspath("b/src/sysbench")
    assert (exp.measure.time_s, exp.measure.repeat_disturbed) == (5, 0)


def test_it_takes_under_three_minutes_after_the_build() -> None:
    assert experiment()[1].estimate_s + quickstart.CALIBRATION_S + quickstart.WARMUP_S < 180


def test_options() -> None:
    argv = (
        "--time=7",
        "--rounds=3",
        "--tables=2",
        "--table-size=1000000",
        "--workload=oltp_insert",
    )
    exp, made, text = experiment(*argv, rate=12.5)
    settings = made.cells[-1].settings
    names = ("script", "tables", "table-size", "tx-rate")
    assert [settings["load." + n] for n in names] == ["oltp_insert", 2, 1000000, 12.5]
    assert (exp.measure.time_s, exp.measure.repeats) == (7, 3)
    assert settings["server.option.innodb_buffer_pool_size"] == "967M"
    assert "# flag: --tx-rate=12.5\n" in text
    tomllib.loads(text)


@pytest.mark.parametrize(("rate", "want"), [(1234.5, 1200), (99.9, 99), (5.4, 5), (87654, 87000)])
def test_rate_has_two_digits(rate: float, want: float) -> None:
    assert quickstart.round_down(rate) == want


# ---- the rate ------------------------------------------------------------------------


class Sitting:
    """A runner.Session that measures nothing."""

    def __init__(self, exp: Any, book: Any, progress: Any, flat_out: float) -> None:
        self.exp, self.book, self.progress, self.flat_out = exp, book, progress, flat_out
        self.target: Any = None
        self.measured: list[dict[str, Any]] = []
        self.ran: list[Any] = []

    def measure(self, run: Any, cell: Any, *rest: Any) -> dict[str, Any]:
        self.measured.append(dict(cell.settings))
        return {"status": "done", "why": "", "tps": self.flat_out}

    def run_missing(self, made: Any) -> None:
        self.ran = [cell.settings["load.tx-rate"] for cell in made.cells]


def sit(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, flat_out: float, *argv: str
) -> tuple[Sitting, Any]:
    args = quickstart.parse(["--connections=1,4", *argv])
    exp, made, text = quickstart.asked(args, args.rate)
    book = Book.create(str(tmp_path / "results"), exp, made, text)
    sitting = Sitting(exp, book, Notes(), flat_out)

    @contextlib.contextmanager
    def session(*_: Any) -> Iterator[Sitting]:
        yield sitting

    monkeypatch.setattr(runner, "session", session)
    quickstart.run_all(args, exp, made, book, sitting.progress)
    return sitting, Book.open(book.folder)


def test_half_of_the_maximum(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting, book = sit(tmp_path, monkeypatch, 973.0)
    (settings,) = sitting.measured
    assert "load.tx-rate" not in settings
    assert settings["load.threads"] == quickstart.CALIBRATION_CONNECTIONS
    assert sitting.ran == [480] * 4
    assert [cell.settings["load.tx-rate"] for cell in book.plan.cells] == [480] * 4
    source = pathlib.Path(book.folder, "experiment.toml").read_text()
    assert "# flag: --tx-rate=480\n" in source
    assert "973 transactions/s at most" in sitting.progress.lines[0]


def test_a_maximum_that_leaves_no_rate(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rate of 0 would mean: without a rate."""
    with pytest.raises(quickstart.LabError, match="^1.40 transactions/s at most; give a rate"):
        sit(tmp_path, monkeypatch, 1.4)


def test_a_rate_that_was_asked_for(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting, _ = sit(tmp_path, monkeypatch, 0, "--rate=70")
    assert (sitting.measured, sitting.ran) == ([], [70] * 4)


def test_a_disturbed_measurement_is_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    quickstart.warn([{"disturbed": ""}, {"disturbed": ""}])
    assert capsys.readouterr().out == ""
    quickstart.warn([{"disturbed": ""}, {"disturbed": "other processes used 40.0 % of the CPUs"}])
    words = "1 of 2 runs were disturbed (the first: other processes used 40.0 % of the CPUs)"
    assert words in capsys.readouterr().out


# ---- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("--rate=-1", "--rate: '-1' is not"),
        ("--rate=0", "--rate: '0' is not"),
        ("--rate=nan", "--rate: 'nan' is not"),
        ("--rate=many", "--rate: 'many' is not"),
        ("--rounds=0", "--rounds: '0' is not"),
        ("--time=1.5", "--time: '1.5' is not"),
        ("--connections=1,,2", "--connections: '' is not"),
        ("--workload=cpu", "--workload: 'cpu' is not"),
        ("--no-such=1", "--no-such=1"),
    ],
)
def test_bad_values(argument: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert quickstart.quickstart([argument]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("quickstart: ") and complaint.count("\n") == 1
    assert words in complaint


def test_results_that_are_there(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Known before the build, and left as they are."""
    monkeypatch.setattr(quickstart, "build", lambda *_: pytest.fail("built"))
    (tmp_path / "mine").write_text("mine")
    assert quickstart.quickstart(["--results=%s" % tmp_path]) == 1
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_build_that_fails_leaves_no_results(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise quickstart.LabError("make failed")

    monkeypatch.setattr(quickstart, "build", fails)
    assert quickstart.quickstart(["--results=%s" % (tmp_path / "results")]) == 1
    assert not (tmp_path / "results").exists()


# ---- which Python --------------------------------------------------------------------


def script_in(
    folder: pathlib.Path, able: dict[str, tuple[int, int]]
) -> subprocess.CompletedProcess[str]:
    """scripts/quickstart where PATH has these Pythons: name -> what its version check exits with
    without and with packages."""
    for name in ("scripts", "third_party", "bin"):
        (folder / name).mkdir()
    text = pathlib.Path(SCRIPT).read_text().replace("/usr/bin/python3", "nothing")
    programs = {"scripts/quickstart": text, "third_party/install-deps": "#!/bin/sh\n"}
    for name, (plain, packages) in able.items():
        programs["bin/" + name] = (
            "#!/bin/sh\ncase $1,$# in -c,2) exit %d ;; -c,*) exit %d ;;\n"
            '--version,*) echo Python 3.8.1 ;; *) echo %s "$2" ;; esac\n' % (plain, packages, name)
        )
    for path, content in programs.items():
        (folder / path).write_text(content)
        (folder / path).chmod(0o755)
    for tool in ("dirname", "sed"):
        os.symlink(shutil.which(tool) or "", folder / "bin" / tool)
    return subprocess.run(
        ["/bin/sh", str(folder / "scripts" / "quickstart"), "--keep"],
        env={"PATH": str(folder / "bin")},
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
    assert done.stderr == "quickstart: needs Python 3.11 or later, not 3.8.1\n"


# ---- all of it -----------------------------------------------------------------------


@pytest.mark.skipif(
    "SB_NO_SERVER" in os.environ or not programs.find("mariadbd") or not sysbench(),
    reason="no MariaDB, or no sysbench is built",
)
def test_a_short_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a server that is kept, and without drawing."""
    monkeypatch.setattr(quickstart, "build", lambda *_: None)
    monkeypatch.setattr(quickstart.commands, "draw", lambda results: [])
    monkeypatch.setattr(quickstart, "CALIBRATION_S", 1)
    monkeypatch.setattr(quickstart, "WARMUP_S", 0)
    kept: list[Instance] = []
    monkeypatch.setattr(quickstart, "keep", lambda target: kept.append(target.release()))
    folder = tmp_path / "results"
    build = os.path.dirname(os.path.dirname(sysbench()))
    small = ["--connections=2", "--time=1", "--rounds=1", "--tables=1", "--table-size=100"]
    argv = ["--build=" + build, "--results=%s" % folder, "--keep", *small]
    try:
        assert quickstart.quickstart(argv) == 0
        assert [server.is_running() for server in kept] == [True]
    finally:
        for server in kept:
            server.stop()
            shutil.rmtree(os.path.dirname(server.folder))
    results = Results(str(folder))
    rates = {row["target_tps"] for row in results.rows}
    assert [row["status"] for row in results.rows] == ["done", "done"]
    assert len(rates) == 1 and rates != {200}
    assert "pool-of-threads" in capsys.readouterr().out
    assert (folder / "calibration" / "report.json").exists()
