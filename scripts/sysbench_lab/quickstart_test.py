# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/quickstart and sysbench-lab quickstart: each step ends with a page and a sentence, also
where nothing can be known; wrong flags are refused first, and the README shows what was measured.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import pytest

from sblab import quickstart
from sysbench_lab import LabError, commands, documents, main, paths
from sysbench_lab import quickstart as story
from sysbench_lab.statistics import stats
from sysbench_lab.statistics.results import Results
from sysbench_lab.testdata.runner_cases import fake_program, needs, needs_sysbench, sysbench

IMAGE = os.path.join(paths.TREE, "docs", "images", "create-index")
ALONE = ["--threads=2", "--time=1", "--warmup=0", "--table-size=100"]


def flags(*words: str) -> argparse.Namespace:
    return main.parser().parsed(["quickstart", *words])


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of other tests stays: the command sets it.  Pictures would take seconds."""
    monkeypatch.setenv("SB_SYSBENCH", os.path.abspath(sysbench()))
    monkeypatch.setattr("sysbench_lab.pictures.draw_all", lambda *_: [])


def test_it_can_conclude_within_its_time() -> None:
    args = flags()
    story.asked(args)
    exp, made, _ = commands.asked(args)
    assert exp.measure.repeats >= stats.LEAST
    assert made.estimate_s + story.SECONDS < 220  # of four minutes; then it draws


def test_the_whole_of_it() -> None:
    args = flags("--full")
    story.asked(args)
    exp = commands.asked(args)[0]
    assert [level.name for level in exp.factors[-1].levels][-1] == "2048"


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
        raise LabError("make failed")

    monkeypatch.setattr(quickstart, "build", fails)
    assert quickstart.quickstart(["--results=%s" % (tmp_path / "results")]) == 1
    assert not (tmp_path / "results").exists()


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


def test_the_readme_shows_what_was_measured(tmp_path: pathlib.Path) -> None:
    """Its sentence and its picture are those of the report that is kept."""
    report = documents.read(IMAGE + ".json", "report-1")
    readme = pathlib.Path(paths.TREE, "README.md").read_text(encoding="utf-8")
    said = story.sentence_of(report)
    assert said in " ".join(readme.split())
    report["summary"]["client"]["machine_others_pct"] = 91.2
    assert story.sentence_of(report) == said + "; other processes used 91 % of the CPUs"
    for new in map(pathlib.Path, story.draw(report, str(tmp_path / "create-index"))):
        assert new.read_text() == pathlib.Path(os.path.dirname(IMAGE), new.name).read_text()
        assert ElementTree.parse(new).getroot().get("width") == "800"


# ---- all of it -----------------------------------------------------------------------


def ending(said: str) -> list[tuple[str, str]]:
    """The sentences with which it ends, and the page of each."""
    return re.findall(r"^(.+)\n  (\S+)$", said.partition("\nOn your own server")[0], re.M)[-2:]


@needs("mariadb")
@needs_sysbench
def test_a_short_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.setattr(quickstart, "build", lambda *_: None)
    monkeypatch.setattr(story, "AT", 2)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "sysbench").symlink_to(os.environ["SB_SYSBENCH"])
    directory = tmp_path / "results"
    argv = ["--build=%s" % tmp_path, "--results=%s" % directory, "--tx-rate=50", "--repeats=1"]
    assert quickstart.quickstart([*argv, *ALONE]) == 0, capsys.readouterr()
    said = capsys.readouterr().out
    (index, page), (answer, other) = ending(said)
    assert os.path.getsize(page) > 1000 and os.path.getsize(other) > 1000
    assert answer.startswith("No conclusion: too few runs that count: each setting needs 3")
    assert (directory / "create-index" / "create-index.svg").exists()
    before, after = re.findall(r"per transaction (\S+) -> (\S+) us, p99 .* ms; 100/s ", index)[0]
    assert float(before.replace(",", "")) > 2 * float(after.replace(",", ""))
    assert re.search(r"^ +1 +\d+\.\d+ ", said, re.M) and "SQL statistics" not in said
    results = Results(str(directory / "connections"))
    found = [(row["status"], row["target_tps"]) for row in results.rows]
    assert found == [("done", 50), ("done", 50)]
    assert not list(directory.glob("*/running.json"))


@needs("mariadb")
@needs_sysbench
def test_a_busy_machine_gets_an_answer(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every run is disturbed, and the first one tells nothing."""
    pytest.importorskip("jinja2")
    fake = {
        "program": fake_program(tmp_path),
        "env.FAKE_LOG": tmp_path / "fake.log",
        "env.FAKE_OTHERS": 80,
    }
    given = ["--set=client.%s='%s'" % pair for pair in fake.items()]
    directory = tmp_path / "results"
    assert main.main(["quickstart", "--results=%s" % directory, *given, *ALONE]) == 1
    said = capsys.readouterr().out
    (index, place), (answer, page) = ending(said)
    assert index.startswith("CREATE INDEX was ") and place == str(directory / "create-index")
    assert "no picture: the report has no intervals\n" in said
    assert (
        "6 of 6 runs were disturbed (the last: other processes used " in answer
        and os.path.getsize(page) > 1000
    )
