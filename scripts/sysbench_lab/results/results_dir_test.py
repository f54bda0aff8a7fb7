# SPDX-License-Identifier: GPL-2.0-or-later
"""results_dir.py and the summary: what is written is read back, whatever happened in between."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import resource
import subprocess
from typing import Any, Iterator

import pytest

from .. import LabError, testing
from ..plan import mask, model
from ..statistics.results import Results, write
from . import figures, results_dir

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/schema/lab-1.json")


@pytest.fixture
def directory(tmp_path: pathlib.Path) -> str:
    return testing.make_results(str(tmp_path / "results"), xs=(1, 16), repeats=2)


def small(tmp_path: pathlib.Path, **settings: Any) -> results_dir.Book:
    """A directory with a plan of two runs, none made yet."""
    exp = testing.make_experiment(1, (1, 16), 1, 1)
    plan = testing.make_plan(exp)
    cells = [model.Cell(c.number, c.levels, {**c.settings, **settings}) for c in plan.cells]
    plan = model.Plan(tuple(cells), plan.runs, 1)
    return results_dir.Book.create(str(tmp_path / "r"), exp, plan, "name = 'x'\n")


def rows(made: results_dir.Book) -> list[Any]:
    """As another process reads them."""
    return results_dir.Book.open(made.directory).rows()


def done(tps: float, **more: Any) -> dict[str, Any]:
    return {"status": "done", "tps": tps, **more}


def file(made: results_dir.Book, name: str = "runs.csv") -> pathlib.Path:
    return pathlib.Path(made.directory, name)


def test_a_directory_is_read_as_it_was_written(directory: str) -> None:
    exp = testing.make_experiment(2, (1, 16), 2, 1)
    found = results_dir.Book.open(directory)
    assert found.experiment == exp
    assert found.plan == testing.make_plan(exp)
    assert found.state == "done" and found.missing() == []
    assert [row["run"] for row in found.rows()] == list(range(1, 9))
    assert found.rows()[1]["disturbed"] == "other processes used 23.4 % of the CPUs"
    environments = results_dir.read_environment(found.directory)
    assert sorted(environments) == ["one-thread-per-connection", "pool-of-threads"]
    assert file(found, "experiment.toml").read_text() == "# written by testing.py\n"


def test_figures_keep_every_digit(directory: str) -> None:
    results = Results(directory)
    for row in results.rows:
        report = results.report(row)
        assert report is not None
        expected = figures.row_of(report)
        for name in figures.COLUMNS:
            if name not in figures.FROM_RUNNER:
                assert row[name] == expected[name], name


def test_runs_csv_has_one_line_a_run_and_plain_columns(directory: str) -> None:
    with open(os.path.join(directory, "runs.csv"), newline="", encoding="utf-8") as f:
        lines = list(csv.reader(f))
    head, body = lines[0], lines[1:]
    assert head[:5] == ["run", "round", "cell", "arm", "load.threads"]
    assert len(set(head)) == len(head) and len(body) == 8
    assert {len(line) for line in body} == {len(head)}
    for line in body:
        for name in ("tps", "server_cpu_us_per_tx", "started_unix_s"):
            float(line[head.index(name)])
        assert line[head.index("host_usr_pct")] == ""  # n/a


def test_runs_csv_as_pandas_and_r_read_it(tmp_path: pathlib.Path) -> None:
    """By the rules of the csv module: whole lines, numbers or nothing, texts as they were."""
    exp = testing.make_experiment(2, (1, 16), 1, 1)
    made = testing.make_plan(exp)
    made_book = results_dir.Book.create(str(tmp_path / "r"), exp, made, "")
    nasty = 'said "no",\nthen ended; été'
    made_book.add(made.runs[0], {"status": "failed", "why": nasty, "disturbed": ""})
    made_book.add(made.runs[1], done(1e-7, sustained="yes", done=12, ipc=None))
    raw = (tmp_path / "r" / "runs.csv").read_bytes()
    assert b"\r" not in raw and raw.count(b"\n") == 3
    head, *lines = csv.reader(io.StringIO(raw.decode(), newline=""), strict=True)
    assert len(set(head)) == len(head) and all(len(line) == len(head) for line in lines)
    failed, good = (dict(zip(head, line)) for line in lines)
    assert failed["why"] == " ".join(nasty.split())
    texts = {"arm", "load.threads", "status", "disturbed", "sustained", "why"}
    for line in (failed, good):
        assert all(float(v) == float(v) for k, v in line.items() if v and k not in texts)
    assert (good["tps"], good["done"], good["ipc"], failed["tps"]) == ("1e-07", "12", "", "")


@pytest.mark.parametrize(
    "text", ['say "why"', "a,b;c", "two\nlines\r\nand more", "'", "naïve – 中", "=1+1", ""]
)
def test_quoting(tmp_path: pathlib.Path, text: str) -> None:
    made = small(tmp_path)
    made.add(made.plan.runs[0], {"status": "failed", "why": text})
    line = next(csv.DictReader(io.StringIO(file(made).read_text())))
    assert line["why"] == " ".join(text.split())  # one line a run
    assert rows(made)[0]["why"] == line["why"]


def test_resume_goes_on_with_the_missing_run(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    assert made.missing() == list(made.plan.runs)
    made.add(made.plan.runs[1], done(5.0))
    again = results_dir.Book.open(made.directory)
    assert again.state == "running"
    assert again.missing() == [made.plan.runs[0]]
    again.add(made.plan.runs[0], done(4))
    assert [r["tps"] for r in rows(made)] == [4, 5.0]


def test_a_crash_at_any_byte_of_a_line(tmp_path: pathlib.Path) -> None:
    """The whole lines stay, the fragment goes, and its run is made again."""
    made = small(tmp_path)
    made.add(made.plan.runs[0], {"status": "done", "tps": 5.0, "why": 'a "b", c'})
    path = file(made)
    before = path.read_bytes()
    made.add(made.plan.runs[1], {"status": "failed", "why": 'a "b", c'})
    whole = path.read_bytes()
    for size in range(len(before) + 1, len(whole)):
        path.write_bytes(whole[:size])
        # a reader skips it and changes nothing
        found = results_dir.read_rows(str(path), made.experiment)
        assert [r["run"] for r in found] == [1] and os.path.getsize(path) == size
        again = results_dir.Book.open(made.directory)
        assert again.missing() == [made.plan.runs[1]] and os.path.getsize(path) == len(before)
    again.add(made.plan.runs[1], done(6.0))
    assert [r["tps"] for r in rows(made)] == [5.0, 6.0]


def test_a_run_that_is_entered_twice_counts_once(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    for tps in (5.0, 6.0):
        made.add(made.plan.runs[0], {"status": "done", "tps": tps})
    assert [r["tps"] for r in made.rows()] == [6.0]
    assert [r["tps"] for r in rows(made)] == [6.0]
    assert [r["tps"] for r in Results(made.directory).rows] == [6.0]


def test_lines_are_added_in_the_order_of_an_earlier_releases_columns(
    tmp_path: pathlib.Path,
) -> None:
    made = small(tmp_path)
    file(made).write_text("run,round,cell,arm,load.threads,status,qps,tps\n")
    again = results_dir.Book.open(made.directory)
    again.add(again.plan.runs[0], {"status": "done", "tps": 5.0, "qps": 7.0, "ipc": 1.0})
    row = rows(made)[0]
    assert (row["tps"], row["qps"], row.get("ipc")) == (5.0, 7.0, None)


@pytest.mark.parametrize("lacks", ["", "not_held_tps"])
def test_a_plan_that_grows(tmp_path: pathlib.Path, lacks: str) -> None:
    """Also in a book of an earlier release: figures that it lacks do not hinder it."""
    made = small(tmp_path)
    known = [c for c in results_dir.columns(made.experiment, made.plan) if c != lacks]
    file(made).write_text(",".join(known) + "\n")
    book = results_dir.Book.open(made.directory)
    exp = testing.make_experiment(2, (1, 16), 1, 1)
    more = testing.make_plan(exp)
    book.add(book.plan.runs[0], done(5.0))
    book.replan(exp, more)
    assert len(book.missing()) == 3
    book.add(more.runs[3], done(6.0, not_held_tps=7.0))
    again = results_dir.Book.open(made.directory)
    assert (again.experiment, again.plan) == (exp, more)
    assert [(r["arm"], r["tps"]) for r in again.rows()] == [
        ("one-thread-per-connection", 5.0), ("pool-of-threads", 6.0)
    ]  # fmt: skip


def test_new_columns_need_a_book_without_rows(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    rates = model.Factor("tx-rate", (model.Level("50", {"load.tx-rate": 50}),), True)
    factors = (*made.experiment.factors, rates)
    exp = dataclasses.replace(made.experiment, factors=factors)
    levels = {**made.plan.cells[0].levels, "tx-rate": "50"}
    plan = model.Plan((model.Cell(0, levels, {}),), made.plan.runs[:1], 1)
    made.replan(exp, plan)
    made.add(plan.runs[0], done(5.0))
    assert rows(made)[0]["tx-rate"] == "50"
    with pytest.raises(LabError, match="has other columns than the plan"):
        made.replan(testing.make_experiment(1, (1,), 1, 1), plan)


def test_lines_that_others_broke(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    made.add(made.plan.runs[0], done(5.0))
    text = file(made).read_text()
    for line, sentence in ((",,,", "a line has no run or no cell"), ("x,1,1", "'x' is no number")):
        file(made).write_text(text + line + "\n")
        with pytest.raises(LabError, match=sentence):
            Results(made.directory)


def test_other_percentiles_get_columns(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path, **{"load.percentile": "95,99.9"})
    made.add(made.plan.runs[0], {"status": "done", "response_p99_9_ms": 12.5})
    assert rows(made)[0]["response_p99_9_ms"] == 12.5


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: pathlib.Path) -> None:
    """An empty one may be used."""
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "mine").write_text("x")
    with pytest.raises(LabError, match="is there already"):
        small(tmp_path)
    assert os.listdir(tmp_path / "r") == ["mine"]
    (tmp_path / "r" / "mine").unlink()
    assert small(tmp_path).rows() == []


def test_directories_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    """Neither to resume nor to show."""

    def opened(lab: str) -> None:
        (tmp_path / "lab.json").write_text(lab)
        with pytest.raises(LabError) as caught:
            Results(str(tmp_path))
        with pytest.raises(LabError, match=re.escape(str(caught.value))):
            results_dir.Book.open(str(tmp_path))
        raise caught.value

    with pytest.raises(LabError, match="is no directory of results: it has no lab.json"):
        results_dir.Book.open(str(tmp_path))
    says = testing.called(opened=opened)
    found = testing.retold("labs", lambda text: says(text).replace(str(tmp_path), "DIR"))
    assert found == testing.cases("labs")


@contextlib.contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file may grow beyond `room` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    made.add(made.plan.runs[0], done(5.0))
    size = os.path.getsize(made.directory + "/runs.csv")
    with full_disk(size + 10), pytest.raises(LabError, match="cannot write .*runs.csv: File too"):
        made.add(made.plan.runs[1], done(6.0))
    assert os.path.getsize(made.directory + "/runs.csv") == size
    with full_disk(100), pytest.raises(LabError, match="cannot write .*lab.json: File too"):
        made.set_state("done")
    again = results_dir.Book.open(made.directory)
    assert again.state == "running" and again.missing() == [made.plan.runs[1]]
    assert not [n for n in os.listdir(made.directory) if n.endswith(".new")]


def test_run_directories_have_plain_names(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    cell = model.Cell(0, {"arm": "../a b/ü", "x": "16"}, {})
    plan = model.Plan((cell,), made.plan.runs[:1], 1)
    assert results_dir.directory_name(plan.runs[0], plan) == "001-a-b-16"
    path = made.run_directory(made.plan.runs[0])
    assert os.path.isdir(path) and path.endswith("runs/001-one-thread-per-connection-1")


def test_commands_log(tmp_path: pathlib.Path) -> None:
    made = small(tmp_path)
    made.log(mask.words(["printf", "%s|", "it's", "--pgsql-password=it's", "a\n\\b"]), 0, 1.25)
    commands = 'printf \'%s|\' "\\\\it\'s"\necho "PGPASSWORD=x"\n', "echo 'password='x\\''"
    for command in (*commands, 'sh -c "echo MYSQL_PWD=x"'):
        made.log(mask.command(command), 1, 0)
    lines = [line.split("\t") for line in file(made, "commands.log").read_text().splitlines()]
    assert [line[1:3] for line in lines] == [["0", "1.250"], *3 * [["1", "0.000"]]]
    said = [
        subprocess.run(["sh", "-c", line[3]], stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in lines
    ]
    shown = ["it's|--pgsql-password=***|a\n\\b|", "\\it's|PGPASSWORD=*\n", "", "MYSQL_PWD=*\n"]
    assert said == shown


def test_schema(directory: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(pathlib.Path(SCHEMA).read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    book = results_dir.Book.open(directory)
    tree = json.loads(file(book, "lab.json").read_text())
    validator.validate(tree)
    validator.validate({**tree, "masked": True})
    book.note_setup({"sysbench": "1 (sha256 0)"}, {"CPUs": ["4", "64"]})
    book.add(book.plan.runs[0], book.rows()[0])
    validator.validate(json.loads(file(book, "lab.json").read_text()))
    wrongs: list[dict[str, Any]] = [{"format": 0}, {"state": "lost"}, {"plan": {}}, {"extra": 1}]
    for wrong in wrongs:
        assert not validator.is_valid({**tree, **wrong}), wrong


def test_summary_files(directory: str) -> None:
    results = Results(directory)
    write(results)
    book = results_dir.Book.open(directory)
    tree = json.loads(file(book, "summary.json").read_text())
    assert tree["sentences"] == results.sentences
    first = tree["cells"][0]
    values = [r["tps"] for r in results.rows if r["cell"] == 0]
    assert first["figures"]["tps"]["values"] == values
    assert [cell["held"] for cell in tree["cells"]] == [True, False, True, True]
    assert tree["environment_differences"]["server.variable.thread_handling"] == {
        "one-thread-per-connection": "one-thread-per-connection",
        "pool-of-threads": "pool-of-threads",
    }
    lines = list(csv.DictReader(io.StringIO(file(book, "table.csv").read_text())))
    tps = [li for li in lines if li["figure"] == "tps"]
    assert [(li["load.threads"], li["n"]) for li in tps][:2] == [("1", "2"), ("16", "2")]
    assert float(tps[0]["median"]) == first["figures"]["tps"]["median"]
    text = file(book, "environment-difference.txt").read_text()
    assert text.startswith("server.library.libjemalloc.so.2\n    one-thread")
