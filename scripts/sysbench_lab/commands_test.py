# SPDX-License-Identifier: GPL-2.0-or-later
"""What is kept and what is said when an experiment ends, in each way; the runs are played."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
from typing import Any, Callable, Iterator, cast

import pytest

from sysbench_lab import LabError, commands, main
from sysbench_lab.run import rehearsal
from sysbench_lab.statistics import facts
from sysbench_lab.statistics.results import Results
from sysbench_lab.target.target import PrivateTarget

pytest.importorskip("sysbench_lab.results.results_dir")
terminal = pytest.importorskip("sysbench_lab.terminal.progress")

ARGV = ["run", "--script=oltp_insert", "--threads=1,2", "--repeats=1", "--plain"]


def row(tps: float) -> dict[str, Any]:
    return {
        "status": "done",
        "started_unix_s": 1.8e9,
        "sustained": "yes",
        "why": "",
        "tps": tps,
        "response_p95_ms": 1000 / tps,
        "server_cpu_us_per_tx": 10.0,
    }


def measured(runs: int) -> Callable[..., None]:
    """A runner that measures as many runs, then is interrupted if some are missing."""

    def run_all(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        for run in book.missing()[:runs]:
            book.log("sysbench", 0, 1)
            book.add(run, row(100.0 + run.number))
        if book.missing():
            raise KeyboardInterrupt

    return run_all


@pytest.fixture
def results(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(commands, "draw", lambda results: [])
    monkeypatch.setattr(rehearsal, "check", lambda cells: None)
    monkeypatch.setattr(PrivateTarget, "check", lambda self, cells: None)
    yield str(tmp_path / "results")


def run(monkeypatch: pytest.MonkeyPatch, directory: str, runner: Callable[..., None]) -> int:
    from sysbench_lab.run import runner as real

    monkeypatch.setattr(real, "run_all", runner)
    return main.main([*ARGV, "--results=" + directory])


def state(directory: str) -> str:
    with open(os.path.join(directory, "lab.json"), encoding="utf-8") as f:
        return str(json.load(f)["state"])


pytest.importorskip("sysbench_lab.run.runner")


def test_done(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, results, measured(2)) == 0
    assert state(results) == "done"
    assert {"runs.csv", "table.txt", "table.csv", "summary.json"} <= set(os.listdir(results))
    out = capsys.readouterr().out
    assert out.endswith("\nresults: %s\n" % results)
    with open(os.path.join(results, "table.txt"), encoding="utf-8") as f:
        assert f.read() in out


def test_interrupted_and_resumed(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, results, measured(1)) == 130
    assert state(results) == "interrupted"
    said = "1 run kept. To continue: sysbench-lab resume %s\n" % results
    assert capsys.readouterr().out.endswith(said)
    from sysbench_lab.run import runner

    monkeypatch.setattr(runner, "run_all", measured(1))
    assert main.main(["resume", results, "--plain"]) == 0
    assert "1 run of 2 to do in " + results in capsys.readouterr().out
    assert state(results) == "done"
    assert main.main(["resume", results]) == 0
    assert capsys.readouterr().out.startswith("nothing is missing in " + results)


def test_resume_adds_rounds(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sysbench_lab.run import runner

    assert run(monkeypatch, results, measured(2)) == 0
    monkeypatch.setattr(runner, "run_all", measured(9))
    assert main.main(["resume", results, "--repeats=3", "--plain"]) == 0
    assert "4 runs of 6 to do in " + results in capsys.readouterr().out
    found = Results(results)
    assert (found.exp.measure.repeats, found.exp.measure.looked) == (3, (1,))
    assert [row["round"] for row in found.rows] == [1, 1, 2, 2, 3, 3]
    for flag, why in (
        ("--repeats=2", "measure.repeats is 2, but 3 rounds were begun"),
        ("--repeats=x", "measure.repeats takes a whole number from 1 on, not 'x'"),
        ("--until=5%", "measure.until is '5 %', but nothing varies that is compared"),
    ):
        assert main.main(["resume", results, flag]) == 1
        assert capsys.readouterr().err == "sysbench-lab: %s\n" % why
    assert state(results) == "done" and Results(results).exp == found.exp


@pytest.mark.parametrize("end", [KeyboardInterrupt(), LabError("no server")])
def test_a_directory_that_was_named_stays(
    results: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: BaseException,
) -> None:
    """Also when nothing has been run."""
    from sysbench_lab.run import runner

    def ends(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        raise end

    assert run(monkeypatch, results, ends) == (1 if isinstance(end, LabError) else 130)
    out = capsys.readouterr().out
    assert "\nresults: %s\n" % results in out
    again = " To continue: sysbench-lab resume %s" % results
    assert out.endswith("No run has ended.%s\n" % (again * isinstance(end, KeyboardInterrupt)))
    monkeypatch.setattr(runner, "run_all", measured(2))
    assert main.main(["resume", results, "--plain"]) == 0
    assert state(results) == "done"


def test_an_interruption_between_two_runs_of_a_search(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run of the plan is missing, as it grows by each."""
    from sysbench_lab.run import runner

    def between(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        measured(2)(exp, plan, book, progress)
        raise KeyboardInterrupt

    assert run(monkeypatch, results, between) == 130
    monkeypatch.setattr(runner, "run_all", measured(0))
    assert main.main(["resume", results, "--plain"]) == 0
    assert "going on in %s\n" % results in capsys.readouterr().out
    assert state(results) == "done"


def test_resume_makes_failed_runs_again_when_asked(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sysbench_lab.results.results_dir import Book
    from sysbench_lab.run import runner

    def fails(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        book.log("sysbench", 1, 1)
        book.add(book.missing()[0], {"status": "failed", "why": "the disk was full"})
        raise LabError("the disk was full")

    assert run(monkeypatch, results, fails) == 1
    said = (
        "1 run kept, 1 of them failed. To continue: sysbench-lab resume %s (--failed: the"
        " failed ones, too)\n" % results
    )
    assert said in capsys.readouterr().out
    monkeypatch.setattr(runner, "run_all", measured(9))
    assert main.main(["resume", results, "--plain"]) == 0
    assert [r["status"] for r in Book.open(results).rows()] == ["failed", "done"]
    before = Book.open(results).rows()[1]
    assert main.main(["resume", results, "--failed", "--plain"]) == 0
    after = Book.open(results).rows()
    assert [r["status"] for r in after] == ["done", "done"] and after[1] == before
    with open(os.path.join(results, "runs.csv"), encoding="utf-8") as f:
        assert len(f.readlines()) == 3


def test_disturbed_runs_are_made_again_when_asked(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sysbench_lab.results.results_dir import Book
    from sysbench_lab.run import runner

    def disturbed(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        book.log("sysbench", 0, 1)
        book.add(book.missing()[0], {"status": "done", "disturbed": "others", "sustained": ""})
        raise KeyboardInterrupt

    assert run(monkeypatch, results, disturbed) == 130
    again = "resume %s (--disturbed: the disturbed ones, too)" % results
    assert again in capsys.readouterr().out
    monkeypatch.setattr(runner, "run_all", measured(9))
    assert main.main(["resume", results, "--disturbed", "--plain"]) == 0
    assert [r["disturbed"] for r in Book.open(results).rows()] == ["", ""]


def test_resume_elsewhere_stops_or_says_so(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On another machine, with another sysbench; --failed makes nothing of the old runs go."""
    program = pathlib.Path(os.path.dirname(results), "my-sysbench")
    program.write_text("#!/bin/sh\necho sysbench 1.0.20\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys.modules[__name__], "ARGV", [*ARGV, "--set=client.program=%s" % program])
    assert run(monkeypatch, results, measured(1)) == 130
    files = {p: p.read_bytes() for p in pathlib.Path(results).iterdir() if p.is_file()}
    here = platform.uname()
    monkeypatch.setattr(platform, "uname", lambda: here._replace(node="far", release="9.9"))
    monkeypatch.setattr(os, "cpu_count", lambda: 640)
    program.write_text(program.read_text() + "# built again\n")
    capsys.readouterr()
    assert main.main(["resume", results, "--plain"]) == 1
    said = capsys.readouterr().err
    cpus = json.loads(files[pathlib.Path(results, "lab.json")])["machine"]["cpus"]
    for part in (
        "host was %s, is far; " % here.node,
        "kernel was %s %s %s, is %s 9.9 " % (here.system, here.release, here.machine, here.system),
        "CPUs was %s, is 640; " % cpus,
        "sysbench %s was sysbench 1.0.20 (sha256 " % program,
        "resume --anyway goes on",
    ):
        assert part in said
    assert files == {p: p.read_bytes() for p in pathlib.Path(results).iterdir() if p.is_file()}
    monkeypatch.setattr(sys.modules["sysbench_lab.run.runner"], "run_all", measured(1))
    assert main.main(["resume", results, "--plain", "--anyway"]) == 0
    told = (
        "After 1 of 2 runs something else was measured (resume --anyway): host %s, then far; "
        % here.node
    )
    assert told in capsys.readouterr().out
    assert "%s CPUs, 640 CPUs" % cpus in ", ".join(facts.measured(Results(results)))
    # the same place again is none elsewhere
    assert main.main(["resume", results, "--plain"]) == 0
    assert capsys.readouterr().out.count("something else was measured") == 1


def test_a_resume_beside_a_laboratory_touches_nothing(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be the one that writes into this directory: also a line that is half written stays."""
    from sysbench_lab.run import lock

    assert run(monkeypatch, results, measured(1)) == 130
    with open(os.path.join(results, "runs.csv"), "a", encoding="utf-8") as f:
        f.write("2,half")
    files = {p: p.read_bytes() for p in pathlib.Path(results).iterdir() if p.is_file()}
    with lock.held("/elsewhere"):
        capsys.readouterr()
        assert main.main(["resume", results]) == 1
        said = capsys.readouterr()
        assert said.out == "" and "another sysbench-lab is already running (pid" in said.err
        other = os.path.join(os.path.dirname(results), "other")
        assert main.main([*ARGV, "--results=" + other]) == 1
        assert not os.path.exists(other)
    assert files == {p: p.read_bytes() for p in pathlib.Path(results).iterdir() if p.is_file()}


def test_an_interruption_while_pictures_are_drawn(
    results: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(results: object) -> list[str]:
        signal.raise_signal(signal.SIGINT)
        return []

    monkeypatch.setattr(commands, "draw", interrupted)
    assert run(monkeypatch, results, measured(2)) == 130
    said = capfd.readouterr()
    assert said.out.endswith("not drawn; to draw: sysbench-lab page %s\n" % results)
    assert said.err == "stopping now\n"
    assert state(results) == "done"


def test_a_disk_that_is_full_is_one_sentence(
    results: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import errno

    def full(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        book.log("sysbench", 0, 1)
        raise OSError(errno.ENOSPC, "No space left on device", "/x/y")

    assert run(monkeypatch, results, full) == 1
    assert capsys.readouterr().err == "sysbench-lab: /x/y: No space left on device\n"


def test_a_failure_keeps_what_was_measured(results: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(exp: Any, plan: Any, book: Any, progress: Any) -> None:
        book.log("sysbench", 0, 1)
        book.add(book.missing()[0], row(100.0))
        raise LabError("three in a row failed")

    assert run(monkeypatch, results, fails) == 1
    assert state(results) == "interrupted"


def test_what_cannot_be_drawn_costs_no_result(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = pytest.importorskip("sysbench_lab.pictures")
    page = pytest.importorskip("sysbench_lab.page")

    def no_matplotlib(results: object, directory: str, step: object) -> None:
        raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")

    def no_jinja(results: object, path: str, pictures: object) -> None:
        raise LabError("the page needs jinja2")

    monkeypatch.setattr(pictures, "draw_all", no_matplotlib)
    monkeypatch.setattr(page, "write", no_jinja)
    monkeypatch.setattr(rehearsal, "check", lambda cells: None)
    monkeypatch.setattr(PrivateTarget, "check", lambda self, cells: None)
    directory = str(tmp_path / "results")
    assert run(monkeypatch, directory, measured(2)) == 0
    out = capsys.readouterr().out
    assert "no pictures: Python's matplotlib is not installed\n" in out
    assert "no page: the page needs jinja2\n" in out
    assert main.main(["page", directory]) == 1
    assert "matplotlib" in capsys.readouterr().err


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


def test_verdict(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    testing = pytest.importorskip("sysbench_lab.testing")
    stats = pytest.importorskip("sysbench_lab.statistics.stats")
    directory = testing.make_results(str(tmp_path / "two"), xs=(16, 128))
    status = main.main(["verdict", directory, "--figures=tps"])
    lines = capsys.readouterr().out.splitlines()
    assert (
        status in (0, 3, 4)
        and len(lines) == 2
        and all("pool-of-threads against " in x for x in lines)
    )
    files = ["--junit=%s" % (tmp_path / "j.xml"), "--history=%s" % (tmp_path / "h.csv")]
    argv = ["verdict", directory, "--figures=tps", "--fail-if=p99>1us", "--markdown=-", *files]
    assert main.main(argv) == 3
    text = capsys.readouterr().out
    assert text.startswith("# Verdict on ") and text.count("- p99&gt;1us: fails in pool-of-") == 2
    assert (tmp_path / "j.xml").read_text().count("<failure ") >= 2
    assert len((tmp_path / "h.csv").read_text().splitlines()) == 3
    assert main.main(["verdict", directory, "--control=pool"]) == 1
    wanted = "--control=pool: there is no such arm beside the baseline; there are pool-of-threads\n"
    assert capsys.readouterr().err.endswith(wanted)
    monkeypatch.setattr(stats, "counting", lambda *_: ([], ""))
    assert main.main(["verdict", directory]) == 4
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and all(line.endswith(": inconclusive (no run counts)") for line in said)
    assert main.main(["verdict", directory, "--figures=tps,server_rss_mib"]) == 1
    wanted = "sysbench-lab: --figures: more of server_rss_mib is neither better nor worse\n"
    assert capsys.readouterr().err == wanted
    assert main.main(["verdict", directory, "--figures=tpss"]) == 1
    wanted = "sysbench-lab: --figures: there is no figure 'tpss'; did you mean tps?\n"
    assert capsys.readouterr().err == wanted
    for xs, why in (
        ((16,), "only one setting was measured"),
        ((16, 128), "the settings that vary do different work or are the axis (x)"),
    ):
        alone = testing.make_results(str(tmp_path / str(len(xs))), arms=1, xs=xs)
        assert main.main(["verdict", alone]) == 1
        assert capsys.readouterr().err.endswith("/%d: nothing to compare: %s\n" % (len(xs), why))


def test_progress_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = cast("dict[str, Any]", sys.modules)
    monkeypatch.setitem(modules, "rich", None)
    monkeypatch.setitem(modules, "rich.console", None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert isinstance(commands.make_progress(plain=False), terminal.PlainProgress)


def test_a_directory_does_not_hide_an_example(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sysbench_lab import paths

    monkeypatch.chdir(tmp_path)
    example = os.path.join(paths.examples(), "workloads.toml")
    os.mkdir("workloads")  # results of it
    assert commands.path_of("workloads") == example
    pathlib.Path("off-cpu").write_text("")
    assert commands.path_of("off-cpu") == "off-cpu"
