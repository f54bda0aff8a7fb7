# SPDX-License-Identifier: GPL-2.0-or-later
"""What is kept and what is said when an experiment ends, in each way; the runs are played."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
from typing import Any, Callable, cast

import pytest

from sysbench_lab import LabError, commands, main, paths, testing
from sysbench_lab.results.results_dir import Book
from sysbench_lab.run import lock, rehearsal
from sysbench_lab.run import runner as real
from sysbench_lab.statistics import facts, stats
from sysbench_lab.statistics.results import Results
from sysbench_lab.target.target import PrivateTarget
from sysbench_lab.terminal import progress
from sysbench_lab.testdata.runner_cases import script

ARGV = ["run", "--script=oltp_insert", "--threads=1,2", "--repeats=1", "--plain"]
Runner = Callable[..., None]


def row(tps: float) -> dict[str, Any]:
    found = {"status": "done", "started_unix_s": 1.8e9, "sustained": "yes", "why": "", "tps": tps}
    return {**found, "response_p95_ms": 1000 / tps, "server_cpu_us_per_tx": 10.0}


def measured(runs: int, end: BaseException | None = None, **more: Any) -> Runner:
    """A runner that measures as many runs, with these figures instead; then it ends so, or is
    interrupted if some are missing."""

    def run_all(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        for run in book.missing()[:runs]:
            book.log("sysbench", int(more.get("status") == "failed"), 1)
            book.add(run, more or row(100.0 + run.number))
        if end or book.missing():
            raise end or KeyboardInterrupt

    return run_all


class Lab:
    """An experiment, and what is said of it: the status, standard output and error."""

    def __init__(self, directory: str, patch: Any, capfd: Any) -> None:
        self.directory, self.patch, self.capfd = directory, patch, capfd

    def command(self, *argv: str) -> tuple[int, str, str]:
        self.capfd.readouterr()
        status = main.main(argv)
        said = self.capfd.readouterr()
        return status, said.out, said.err

    def run(self, runner: Runner, *more: str) -> tuple[int, str, str]:
        self.patch.setattr(real, "run_all", runner)
        return self.command(*ARGV, "--results=" + self.directory, *more)

    def resume(self, runner: Runner, *more: str) -> tuple[int, str, str]:
        self.patch.setattr(real, "run_all", runner)
        return self.command("resume", self.directory, "--plain", *more)

    @property
    def state(self) -> str:
        return Book.open(self.directory).state

    def files(self) -> dict[str, bytes]:
        paths = (p for p in pathlib.Path(self.directory).iterdir() if p.is_file())
        return {p.name: p.read_bytes() for p in paths}


@pytest.fixture
def undrawn(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Lab:
    monkeypatch.setattr(rehearsal, "check", lambda cells: None)
    monkeypatch.setattr(PrivateTarget, "check", lambda self, cells: None)
    return Lab(str(tmp_path / "results"), monkeypatch, capfd)


@pytest.fixture
def lab(undrawn: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setattr(commands, "draw", lambda results: [])
    return undrawn


def test_done(lab: Lab) -> None:
    status, out, _ = lab.run(measured(2))
    assert (status, lab.state) == (0, "done")
    assert {"runs.csv", "table.csv", "summary.json"} <= lab.files().keys()
    assert out.endswith("\nresults: %s\n" % lab.directory)
    assert lab.files()["table.txt"].decode() in out


def test_interrupted_and_resumed(lab: Lab) -> None:
    status, out, _ = lab.run(measured(1))
    assert (status, lab.state) == (130, "interrupted")
    assert out.endswith("1 run kept. To continue: sysbench-lab resume %s\n" % lab.directory)
    status, out, _ = lab.resume(measured(1))
    assert (status, lab.state) == (0, "done") and "1 run of 2 to do in " + lab.directory in out
    status, out, _ = lab.resume(measured(1))
    assert status == 0 and out.startswith("nothing is missing in " + lab.directory)


def test_resume_adds_rounds(lab: Lab) -> None:
    assert lab.run(measured(2))[0] == 0
    status, out, _ = lab.resume(measured(9), "--repeats=3")
    assert status == 0 and "4 runs of 6 to do in " + lab.directory in out
    found = Results(lab.directory)
    assert (found.exp.measure.repeats, found.exp.measure.looked) == (3, (1,))
    assert [row["round"] for row in found.rows] == [1, 1, 2, 2, 3, 3]
    for flag, why in (
        ("--repeats=2", "measure.repeats is 2, but 3 rounds were begun"),
        ("--repeats=x", "measure.repeats takes a whole number from 1 on, not 'x'"),
        ("--until=5%", "measure.until is '5 %', but nothing varies that is compared"),
    ):
        assert lab.resume(measured(9), flag)[::2] == (1, "sysbench-lab: %s\n" % why)
    assert lab.state == "done" and Results(lab.directory).exp == found.exp


@pytest.mark.parametrize("end", [KeyboardInterrupt(), LabError("no server")])
def test_a_directory_that_was_named_stays(lab: Lab, end: BaseException) -> None:
    """Also when nothing has been run."""
    status, out, _ = lab.run(measured(0, end))
    assert status == (1 if isinstance(end, LabError) else 130)
    assert "\nresults: %s\n" % lab.directory in out
    again = " To continue: sysbench-lab resume %s" % lab.directory
    assert out.endswith("No run has ended.%s\n" % (again * isinstance(end, KeyboardInterrupt)))
    assert (lab.resume(measured(2))[0], lab.state) == (0, "done")


def test_an_interruption_between_two_runs_of_a_search(lab: Lab) -> None:
    """No run of the plan is missing, as it grows by each."""
    assert lab.run(measured(2, KeyboardInterrupt()))[0] == 130
    status, out, _ = lab.resume(measured(0))
    assert status == 0 and "going on in %s\n" % lab.directory in out and lab.state == "done"


def test_resume_makes_failed_runs_again_when_asked(lab: Lab) -> None:
    why = "the disk was full"
    failed: dict[str, Any] = {"status": "failed", "why": why}
    status, out, _ = lab.run(measured(1, LabError(why), **failed))
    again = "1 run kept, 1 of them failed. To continue: sysbench-lab resume %s" % lab.directory
    assert status == 1 and again + " (--failed: the failed ones, too)\n" in out
    assert lab.resume(measured(9))[0] == 0
    before = Book.open(lab.directory).rows()
    assert [r["status"] for r in before] == ["failed", "done"]
    assert lab.resume(measured(9), "--failed")[0] == 0
    after = Book.open(lab.directory).rows()
    assert [r["status"] for r in after] == ["done", "done"] and after[1] == before[1]
    assert lab.files()["runs.csv"].count(b"\n") == 3


def test_disturbed_runs_are_made_again_when_asked(lab: Lab) -> None:
    busy: dict[str, Any] = {"status": "done", "disturbed": "others", "sustained": ""}
    status, out, _ = lab.run(measured(1, **busy))
    assert status == 130
    assert "resume %s (--disturbed: the disturbed ones, too)" % lab.directory in out
    assert lab.resume(measured(9), "--disturbed")[0] == 0
    assert [r["disturbed"] for r in Book.open(lab.directory).rows()] == ["", ""]


def test_resume_elsewhere_stops_or_says_so(lab: Lab) -> None:
    """On another machine, with another sysbench; --failed makes nothing of the old runs go."""
    program = pathlib.Path(lab.directory).with_name("my-sysbench")
    script(program, "echo sysbench 1.0.20\n")
    assert lab.run(measured(1), "--set=client.program=%s" % program)[0] == 130
    files, here = lab.files(), platform.uname()
    lab.patch.setattr(platform, "uname", lambda: here._replace(node="far", release="9.9"))
    lab.patch.setattr(os, "cpu_count", lambda: 640)
    program.write_text(program.read_text() + "# built again\n")
    status, _, said = lab.resume(measured(1))
    cpus = json.loads(files["lab.json"])["machine"]["cpus"]
    for part in (
        "host was %s, is far; " % here.node,
        "kernel was %s %s %s, is %s 9.9 " % (here.system, here.release, here.machine, here.system),
        "CPUs was %s, is 640; " % cpus,
        "sysbench %s was sysbench 1.0.20 (sha256 " % program,
        "resume --anyway goes on",
    ):
        assert part in said
    assert status == 1 and files == lab.files()
    status, out, _ = lab.resume(measured(1), "--anyway")
    told = "After 1 of 2 runs something else was measured (resume --anyway): host %s, then far; "
    assert status == 0 and told % here.node in out
    assert "%s CPUs, 640 CPUs" % cpus in ", ".join(facts.measured(Results(lab.directory)))
    status, out, _ = lab.resume(measured(1))  # the same place again is none elsewhere
    assert status == 0 and out.count("something else was measured") == 1


def test_a_resume_beside_a_laboratory_touches_nothing(lab: Lab) -> None:
    """It may be the one that writes into this directory: also a line that is half written stays."""
    assert lab.run(measured(1))[0] == 130
    with open(os.path.join(lab.directory, "runs.csv"), "a", encoding="utf-8") as f:
        f.write("2,half")
    files = lab.files()
    with lock.held("/elsewhere"):
        status, out, err = lab.command("resume", lab.directory)
        assert (status, out) == (1, "") and "another sysbench-lab is already running (pid" in err
        other = lab.directory + "-other"
        assert lab.command(*ARGV, "--results=" + other)[0] == 1 and not os.path.exists(other)
    assert files == lab.files()


def test_an_interruption_while_pictures_are_drawn(lab: Lab) -> None:
    lab.patch.setattr(commands, "draw", lambda results: signal.raise_signal(signal.SIGINT))
    status, out, err = lab.run(measured(2))
    assert (status, err, lab.state) == (130, "stopping now\n", "done")
    assert out.endswith("not drawn; to draw: sysbench-lab page %s\n" % lab.directory)


def test_a_disk_that_is_full_is_one_sentence(lab: Lab) -> None:
    status, _, err = lab.run(measured(0, OSError(errno.ENOSPC, "No space left on device", "/x/y")))
    assert (status, err) == (1, "sysbench-lab: /x/y: No space left on device\n")


def test_a_failure_keeps_what_was_measured(lab: Lab) -> None:
    assert lab.run(measured(1, LabError("three in a row failed")))[0] == 1
    assert lab.state == "interrupted" and len(Book.open(lab.directory).rows()) == 1


def test_what_cannot_be_drawn_costs_no_result(undrawn: Lab) -> None:
    pictures = pytest.importorskip("sysbench_lab.pictures")
    page = pytest.importorskip("sysbench_lab.page")

    def fails(error: Exception) -> Callable[..., None]:
        def drawn(*_: Any) -> None:
            raise error

        return drawn

    missing = ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")
    undrawn.patch.setattr(pictures, "draw_all", fails(missing))
    undrawn.patch.setattr(page, "write", fails(LabError("the page needs jinja2")))
    status, out, _ = undrawn.run(measured(2))
    assert status == 0 and "no pictures: Python's matplotlib is not installed\n" in out
    assert "no page: the page needs jinja2\n" in out
    status, _, err = undrawn.command("page", undrawn.directory)
    assert status == 1 and "matplotlib" in err


def test_source_text(tmp_path: pathlib.Path) -> None:
    """The directory has the file as it was given, and the flags."""
    path = tmp_path / "x.toml"
    path.write_text('load.script = "cpu"\n')
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = subprocess.Popen(["sh", "-c", "cat $0 >$1", path, fifo])
    for file in (path, fifo):
        args = main.parser().parse_args(["plan", str(file), "--repeats=2", "--set=question=a\nb"])
        text = commands.asked(args)[2]
        assert text == '# flag: --set=question=a b\n# flag: --repeats=2\nload.script = "cpu"\n'
    assert writer.wait() == 0


def test_verdict(lab: Lab, tmp_path: pathlib.Path) -> None:
    directory = testing.make_results(str(tmp_path / "two"), xs=(16, 128))
    status, out, _ = lab.command("verdict", directory, "--figures=tps")
    assert status in (0, 3, 4) and out.count("\n") == out.count("pool-of-threads against ") == 2
    files = ["--junit=%s" % (tmp_path / "j.xml"), "--history=%s" % (tmp_path / "h.csv")]
    more = ["--figures=tps", "--fail-if=p99>1us", "--markdown=-", *files]
    status, text, _ = lab.command("verdict", directory, *more)
    assert status == 3 and text.startswith("# Verdict on ")
    assert text.count("- p99&gt;1us: fails in pool-of-") == 2
    assert (tmp_path / "j.xml").read_text().count("<failure ") >= 2
    assert len((tmp_path / "h.csv").read_text().splitlines()) == 3
    alone = [testing.make_results(str(tmp_path / str(len(xs))), arms=1, xs=xs)
             for xs in ((16,), (16, 128))]  # fmt: skip
    for argv, said in (
        ([directory, "--control=pool"], "--control=pool: there is no such arm beside the baseline;"
         " there are pool-of-threads"),
        ([directory, "--figures=tps,server_rss_mib"],
         "--figures: more of server_rss_mib is neither better nor worse"),
        ([directory, "--figures=tpss"], "--figures: there is no figure 'tpss'; did you mean tps?"),
        (alone[:1], "/1: nothing to compare: only one setting was measured"),
        (alone[1:], "/2: nothing to compare: the settings that vary do different work or are the"
         " axis (x)"),
    ):  # fmt: skip
        status, _, err = lab.command("verdict", *argv)
        assert status == 1 and err.endswith(said + "\n")
    lab.patch.setattr(stats, "counting", lambda *_: ([], ""))
    status, out, _ = lab.command("verdict", directory)
    assert status == 4 and out.count(": inconclusive (no run counts)\n") == out.count("\n") == 2


def test_progress_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = cast("dict[str, Any]", sys.modules)
    monkeypatch.setitem(modules, "rich", None)
    monkeypatch.setitem(modules, "rich.console", None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert isinstance(commands.make_progress(plain=False), progress.PlainProgress)


def test_a_directory_does_not_hide_an_example(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = os.path.join(paths.examples(), "workloads.toml")
    os.mkdir("workloads")  # results of it
    assert commands.path_of("workloads") == example
    pathlib.Path("off-cpu").write_text("")
    assert commands.path_of("off-cpu") == "off-cpu"
