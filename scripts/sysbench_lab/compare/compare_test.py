# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py and sheets.py: what stands beside what, and the exit status."""

from __future__ import annotations

import dataclasses
import html
import json
import pathlib
import random
import re
import xml.etree.ElementTree
from typing import Any, Callable, Sequence

import pytest

from .. import LabError, testing
from ..plan.model import Cell, CellSummary
from ..readers import Source, SourceCell
from ..readers.testdata.outputs import LOG, PGBENCH, V05, V10
from ..results import sheets
from ..statistics import stats
from . import compare, conditions, gate


def summary(**figures: Sequence[float]) -> CellSummary:
    spreads = {name: stats.spread(values, 1) for name, values in figures.items()}
    return CellSummary(Cell(0, {}, {}), "", 3, 3, 0, 0, "", spreads)


def judge(
    text: str, base: CellSummary, other: CellSummary, control: CellSummary | None = None
) -> sheets.Verdict:
    case = conditions.Case(conditions.parse(text), base, other, ("a", "b"), control)
    (found,) = conditions.judged([case], 1)
    return found


# ---- conditions ----------------------------------------------------------------


@pytest.mark.parametrize(
    "text, figure, above, change, per_cent, amount",
    [
        ("p99>+5%", "response_p99_ms", True, True, True, 5),
        ("tps<-3%", "tps", False, True, True, -3),
        ("p99>20ms", "response_p99_ms", True, False, False, 20),
        ("p99.9 > 1.5 s", "response_p99_9_ms", True, False, False, 1500),
        ("p99.90>1ms", "response_p99_9_ms", True, False, False, 1),
        ("lag_max_ms>+500us", "lag_max_ms", True, True, False, 0.5),
        ("cpu>+2%", "server_cpu_us_per_tx", True, True, True, 2),
        ("cpu>300us", "server_cpu_us_per_tx", True, False, False, 300),
        ("server_cpu_pct>50%", "server_cpu_pct", True, False, False, 50),
        ("server_cpu_pct>+5%", "server_cpu_pct", True, True, True, 5),
        ("errors>0", "errors", True, False, False, 0),
        ("mean>+1", "response_mean_ms", True, True, False, 1),
        ("tps<1000", "tps", False, False, False, 1000),
        ("tps<1000tx/s", "tps", False, False, False, 1000),
    ],
)
def test_grammar(
    text: str, figure: str, above: bool, change: bool, per_cent: bool, amount: float
) -> None:
    expected = conditions.Rule(text, figure, above, change, per_cent, amount)
    assert conditions.parse(text) == expected


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("p99", "write FIGURE>"),
        ("p99=5%", "write FIGURE>"),
        ("p99>+5%%", "write FIGURE>"),
        ("p99>five", "write FIGURE>"),
        ("p99>5%", r"say whether it is to rise or fall: p99>\+5%"),
        ("p99>20MiB", "response_p99_ms is in ms, not in MiB"),
        ("tps<5ms", "tps is in tx/s, not in ms"),
        ("errors>1ms", "errors is in numbers, not in ms"),
        ("tsp<-3%", "there is no figure 'tsp'; did you mean tps?"),
        ("speed<-3%", "there is no figure 'speed'"),
    ],
)
def test_grammar_complaints(text: str, sentence: str) -> None:
    with pytest.raises(LabError, match="--fail-if '.*': .*%s" % sentence):
        conditions.parse(text)


FEW = "; inconclusive: three runs of each are needed"
OVER = "fails in b: 101 -> 111 ms, "


@pytest.mark.parametrize(
    "text, base, other, holds, said",
    [
        ("p99>+5%", [100], [106], True, "fails in b: 100 -> 106 ms, +6.0 %" + FEW),
        ("p99>+5%", [100], [105], False, "passes in b: 100 -> 105 ms, +5.0 %"),
        ("p99>+5%", [100] * 3, [90] * 3, False, "passes in b: 100 -> 90.0 ms, -10 % (-10 to -10)"),
        (
            "p99>+5%",
            [100, 100, 100],
            [103, 106, 109],
            True,
            "fails in b: 100 -> 106 ms, +6.0 % (+3.0 to +9.0);"
            " inconclusive: the interval includes +5%",
        ),
        ("p99>+5%", [100] * 3, [105] * 3, False,
         "passes in b: 100 -> 105 ms, +5.0 % (+5.0 to +5.0)"),
        ("p99>+0%", [100] * 3, [99, 101, 102], True,
         "fails in b: 100 -> 101 ms, +1.0 % (-1.0 to +2.0); inconclusive: the interval includes no"
         " change"),
        ("p99>+2ms", [10], [12.5], True, "fails in b: 10.0 -> 12.5 ms, +2.500 ms" + FEW),
        ("p99>+2ms", [10], [11], False, "passes in b: 10.0 -> 11.0 ms, +1.000 ms"),
        ("p99<-2ms", [10], [7], True, "fails in b: 10.0 -> 7.00 ms, -3.000 ms" + FEW),
        ("p99>20ms", [500], [20.5], True, "fails in b: 20.500 ms"),
        ("p99>20ms", [500], [19, 19.5, 21], False,
         "passes in b: 19.500 ms; inconclusive: the interval includes 20ms"),
        ("p99>+5%", [0], [1], True, "fails in b: 0 -> 1.00 ms" + FEW),
        ("p99>+5%", [100, 101, 102], [110, 111, 112], True, OVER + "+10 % (+8 to +12)"),
        ("p99>+2ms", [100, 101, 102], [110, 111, 112], True, OVER + "+10.000 ms"),
        ("errors>0", [0], [1], True, "fails in b: 1"),
        ("p99>+5%", [0], [0], False, "passes in b: 0 -> 0 ms, 0.0 %"),
    ],
)  # fmt: skip
def test_verdicts(text: str, base: list[float], other: list[float], holds: bool, said: str) -> None:
    a, b = (summary(response_p99_ms=v, errors=v) for v in (base, other))
    word = ("inconclusive" if "inconclusive" in said else "fails") if holds else "passes"
    assert judge(text, a, b) == ("%s in b" % text, word, "%s: %s" % (text, said))


def test_a_condition_on_a_missing_figure_is_an_error() -> None:
    p99, tps = summary(response_p99_ms=[1]), summary(tps=[1])
    for a, b, name in ((p99, tps, "b"), (tps, p99, "a")):
        found = judge("p99>+5%", a, b)
        assert found.word == "n/a"
        with pytest.raises(LabError, match="--fail-if 'p99>.5%%': p99 is n/a in %s$" % name):
            gate.status([found, found._replace(sentence="the second one")])
    assert judge("p99>5ms", tps, p99).word == "passes"  # the base does not matter


def test_a_condition_on_disturbed_runs_is_not_certain() -> None:
    calm, slow = summary(response_p99_ms=[5, 6, 7]), summary(response_p99_ms=[50, 60, 70])
    busy = dataclasses.replace(slow, disturbed=("others",) * 3)
    for text in ("p99>+5%", "p99>20ms"):
        assert judge(text, calm, slow).word == "fails"
        assert judge(text, calm, busy).word == "inconclusive"


def test_a_condition_that_chance_crosses_is_not_certain() -> None:
    """Twenty cells of two equal results, and a condition that half of them hold: a run of 50
    comparisons has a certain one in hardly any (5 %; 8 of 50 are more than luck)."""
    dice, wrong = random.Random(5), 0
    rule = conditions.parse("p99>+0%")
    for _ in range(50):
        cells = [summary(response_p99_ms=[dice.gauss(9, 1) for _ in range(5)]) for _ in range(40)]
        cases = [conditions.Case(rule, a, b, ("a", "b")) for a, b in zip(cells, cells[20:])]
        found = conditions.judged(cases, 1)
        assert any(v.word == "inconclusive" for v in found)
        wrong += any(v.word == "fails" for v in found)
    assert wrong < 8


CONTROL = "(-12 to -8); the control (101 -> %s tx/s) puts the limit at %s"
WITHIN = "; inconclusive: the interval includes "
BEYOND = "; inconclusive: it is not beyond this"


def test_a_change_must_exceed_that_of_the_control() -> None:
    """Three runs that differ by 10 % for certain; the control by nothing, by 4 %, by 9 %, by 20 %,
    and in the other direction."""
    a, b = summary(tps=[100, 101, 102]), summary(tps=[90, 91, 92])
    for control, word, said in (
        ([100, 101, 102], "fails", "(-12 to -8)"),
        ([98, 99, 100], "fails", CONTROL % (99.0, "-6.9 %")),
        ([96, 97, 98], "inconclusive", CONTROL % (97.0, "-8.8 %" + WITHIN + "-8.8 %")),
        ([120, 121, 122], "inconclusive", CONTROL % (121, "-20.7 %") + BEYOND),
        ([80, 81, 82], "inconclusive", CONTROL % (81.0, "-23.8 %") + BEYOND),
        ([0, 0, 0], "inconclusive", CONTROL % (0, "-100.0 %") + BEYOND),
    ):  # fmt: skip
        found = judge("tps<-5%", a, b, summary(tps=control))
        assert found.word == word and found.sentence.endswith(said), found
    for control in ([98, 99, 100], [102, 103, 104]):  # however the control differs
        found = judge("tps<-5", a, b, summary(tps=control))
        assert "puts the limit at -7.000 tx/s" in found.sentence
    assert judge("tps<-5%", a, b, summary(qps=[1])).word == "n/a"


@pytest.mark.parametrize(
    ("kinds", "word", "said"),
    [
        (["yes"] * 3, "passes", "3 of 3 sustained the rate"),
        (["no"] * 3, "fails", "0 of 3 sustained the rate: the server was the limit"),
        (["yes", "no", "yes"], "inconclusive", "2 of 3 sustained the rate; inc"
         "onclusive: its runs disagree"),
        ([""] * 3, "n/a", "sustained is n/a in b: its runs had no rate to hold"),
    ],
)  # fmt: skip
def test_sustained(kinds: list[str], word: str, said: str) -> None:
    rows = [{"status": "done", "sustained": k, "tps": 1.0} for k in kinds]
    for row in rows:
        row["why"] = "the server was the limit" if row["sustained"] == "no" else ""
    cell = stats.summary_of(Cell(0, {}, {}), "", rows, 1)
    found = judge("sustained=no", cell, cell)
    assert found.word == word and found.sentence.endswith(": " + said)


# ---- which cells stand side by side --------------------------------------------


def source(name: str, *labels: dict[str, str]) -> Source:
    rows = [{"status": "done", "sustained": "", "tps": float(i)} for i in range(len(labels))]
    return Source(name, "made", [SourceCell(k, [r]) for k, r in zip(labels, rows)])


def test_single_cells_are_compared_whatever_their_levels() -> None:
    found = compare.match([source("a", {"load.threads": "1"}), source("b", {})])
    assert len(found) == 1 and found[0].title == ""


def test_single_cells_of_other_levels_say_so() -> None:
    sources = [source("a", {"load.threads": "1"}), source("b", {"load.threads": "512"})]
    (table,) = compare.load_table(sources)
    assert table.rows == [["threads", "1", "512"]]
    assert compare.load_table([sources[0], source("c", {})]) == []
    found = compare.sheets_of(sources, compare.match(sources), [])
    assert [t.title for t in found.tables] == ["Sources", "The loads differ", "Figures"]


def test_cells_of_the_same_levels() -> None:
    a = source("a", {"load.threads": "1", "arm": "x"}, {"load.threads": "16", "arm": "x"})
    b = source("b", {"load.threads": "16"}, {"load.threads": "2"})
    (found,) = compare.match([a, b])
    assert found.title == "16 connections"
    assert [c.figures["tps"].median for c in found.cells if c] == [1, 0]
    assert compare.sheets_of([a, b], [found], []).notes == [
        "a: 1 of its 2 cells are in no other source",
        "b: 1 of its 2 cells are in no other source",
        "fewer than three runs in a and b: a difference may be chance",
    ]


def test_a_third_source_may_lack_a_cell() -> None:
    levels = [{"load.threads": str(n)} for n in (1, 16)]
    found = compare.match([source("a", *levels), source("b", *levels), source("c", levels[1])])
    assert [[c is None for c in m.cells] for m in found] == [[False, False, True], [False] * 3]


def test_cells_that_cannot_be_told_apart() -> None:
    a = source("a", {"load.threads": "1", "arm": "x"}, {"load.threads": "1", "arm": "y"})
    with pytest.raises(LabError, match="a has several cells that differ in arm"):
        compare.match([a, source("b", {"load.threads": "1"})])
    with pytest.raises(LabError, match="no cell of b is in c"):
        compare.match([source("b", {"x": "1"}, {"x": "2"}), source("c", {"x": "3"})])


# ---- the whole -----------------------------------------------------------------


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def files(tmp_path: pathlib.Path) -> None:
    """Results of every kind, by a short name."""
    exp = testing.make_experiment(1, (2,), 1, 1)
    plan = testing.make_plan(exp)
    report = testing.make_report(exp, plan.cells[0], plan.runs[0], random.Random(1))
    texts = {"r.json": json.dumps(report), "stock.txt": V10, "old.txt": V05, "pg.txt": PGBENCH}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for seed in (1, 2):
        testing.make_results(str(tmp_path / ("lab%d" % seed)), xs=(1, 16), seed=seed)


@pytest.fixture
def run(files: None, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Compares what has these names, or paths: the status, and what was printed."""

    def compared(names: Sequence[str], *args: Any, **kwargs: Any) -> tuple[int, str]:
        status = compare.compare([str(tmp_path / name) for name in names], *args, **kwargs)
        return status, capsys.readouterr().out

    return compared


def line(text: str, title: str) -> list[str]:
    """The fields of a figure's line after its title."""
    (found,) = [x for x in text.splitlines() if x.strip().startswith(title + "  ")]
    return found.strip()[len(title) :].split()


def test_percentiles_are_compared_with_the_same_percentile_only(run: Run) -> None:
    status, text = run(["stock.txt", "old.txt", "pg.txt"], [])
    assert status == 0
    p95 = line(text, "Response time, 95th percentile (ms)")
    assert p95 == ["4.180", "n/a", "n/a", "n/a", "n/a"]
    p99 = line(text, "Response time, 99th percentile (ms)")
    assert p99 == ["n/a", "1.310", "n/a", "n/a", "n/a"]
    assert "stock.txt: its percentile is of a histogram with steps of 1.8 %" in text
    assert "old.txt: it counts COMMITs as transactions" in text


def test_a_report_and_stock(run: Run) -> None:
    status, text = run(["r.json", "stock.txt"], ["tps<-3%"])
    assert status == 0
    assert "tps<-3%: passes in stock.txt: 1,200 -> 2,204 tx/s, +84 %" in text
    assert "Errors" in text and "Server CPU/tx" not in text  # which one of them has
    status, text = run(["stock.txt", "r.json"], ["tps<-3%", "max>1ms"])
    assert status == 3  # by the second one, which is not a change
    assert (
        "tps<-3%: fails in r.json: 2,204 -> 1,200 tx/s, -46 %;"
        " inconclusive: three runs of each are needed" in text
    )
    status, _ = run(["stock.txt", "r.json"], ["tps<-3%"])
    assert status == 4


def test_few_samples_and_sessions_of_others_are_told(run: Run, tmp_path: pathlib.Path) -> None:
    report = json.loads((tmp_path / "r.json").read_text())
    report["summary"]["transactions"] = 99
    report["summary"]["server_status"] = {"other_sessions": 3, "other_sessions_active": 1.25}
    (tmp_path / "few.json").write_text(json.dumps(report))
    paths, few = ["r.json", "few.json"], "than this percentile needs"
    status, text = run(paths, ["p99>0.1ms"])
    assert line(text, "Response time, 99th percentile (ms)")[1].endswith("*")
    assert "*" not in "".join(line(text, "Response time, 95th percentile (ms)"))
    assert "\n  * of fewer samples %s: the slowest of them\n" % few in text
    assert "\n  few.json: beside active sessions of others\n" in text
    assert status == 4 and text.endswith("inconclusive: of fewer samples %s\n" % few)
    assert "* ms; inc" in text
    assert run(paths, ["p95>0.1ms"])[0] == 3
    status, text = run([paths[0], paths[0]], ["p99>0.1ms"])
    assert status == 3 and "*" not in text and "beside active" not in text


def test_conditions_of_one_run(
    run: Run, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not known passes nothing, and is in the files, too."""
    junit, markdown = tmp_path / "j.xml", tmp_path / "m.md"
    wanted = gate.Files(str(junit), str(markdown))
    given = ["p99>1s", "tps<1000", "sustained=no"]
    assert run(["r.json"], given, files=wanted)[0] == 0
    status, text = run(["r.json"], ["p99>1us", "tps<1000"], files=wanted)
    assert status == 3 and text.startswith("r.json\n\nSources\n") and "change" not in text
    assert "p99>1us: fails in r.json: " in text and "tps<1000: passes in r.json: 1200.0" in text
    suite = xml.etree.ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert [(c.get("name"), [e.tag for e in c]) for c in suite] == [
        ("p99>1us in r.json", ["failure"]), ("tps<1000 in r.json", ["system-out"])
    ]  # fmt: skip
    assert markdown.read_text().startswith("# r.json\n\n## Conditions\n\n- p99&gt;1us: fails")
    report = json.loads((tmp_path / "r.json").read_text())
    report["summary"].update(server=None, transactions=99)
    report["summary"]["missing"]["server"] = "no process of the server is known"
    (tmp_path / "n.json").write_text(json.dumps(report))
    with pytest.raises(LabError, match="cpu is n/a in n.json: no process of the server is known$"):
        run(["n.json"], ["p99>1s", "cpu>1us"], files=wanted)
    text = capsys.readouterr().out
    assert "* ms; of fewer samples than this percentile needs\n" in text  # though it passes
    assert '<error message="--fail-if' in junit.read_text()
    report["end"]["status"] = "interrupted"
    (tmp_path / "n.json").write_text(json.dumps(report))
    with pytest.raises(LabError, match="a run that did not complete: interrupted$"):
        run(["n.json"], ["p99>1s"])
    with pytest.raises(LabError, match="--fail-if 'p99>.5%': it is a change: give a result to"):
        run(["r.json"], ["p99>+5%"])
    with pytest.raises(LabError, match="--control=x: it is for changes"):
        run(["r.json"], ["p99>1s"], control=["x"])
    with pytest.raises(LabError, match="--junit: cannot write /no/x: No such file or directory"):
        run(["r.json"], ["p99>1s"], files=gate.Files("/no/x"))


def test_json_files_as_repeats_of_a_side(run: Run, tmp_path: pathlib.Path) -> None:
    """Beside a control, disturbed runs count; without one, only the others."""
    report = json.loads((tmp_path / "r.json").read_text())
    paths: dict[str, list[str]] = {}
    for name, tps in (("old", 1000), ("again", 990), ("new", 800)):
        for i in range(4):
            report["summary"]["transactions_per_s"] = report["verdict"]["achieved_per_s"] = tps + i
            busy = {"cpu_user_pct": 99.0 if i else 1.0, "cpu_system_pct": 0.0}
            report["summary"]["host"] = busy
            path = tmp_path / ("%s-%d.json" % (name, i))
            path.write_text(json.dumps(report))
            paths.setdefault(name, []).append(str(path))
    history = tmp_path / "h.csv"
    sides = paths["new"], ["tps<-5%"], "text", paths["old"]
    status, text = run(*sides)
    assert status == 4 and "old-*.json: 3 of 4 disturbed (other processes used " in text
    busy_ones = [paths[name][1:] for name in ("new", "old")]
    status, text = run(busy_ones[0], ["tps<-5%"], "text", busy_ones[1])
    assert status == 4 and "runs were disturbed" in text
    wanted = gate.Files(history=str(history), markdown="-")
    status, text = run(*sides, control=paths["again"], files=wanted)
    assert status == 3 and text.startswith("# new-\\*.json, again-\\*.json compared with old")
    assert "tps&lt;-5%: fails in new-\\*.json: 1,002 -&gt; 802 tx/s, -20 %" in text
    assert "disturbed runs count: so do those of the control" in text
    head = "time,test,tps,response_mean_ms,"
    (first, line) = history.read_text().splitlines()
    assert first.startswith(head) and line.startswith(
        "2026-09-21 14:13:20 +0000,oltp_point_select,801.5,"
    )
    history.write_text("test,tps,time\n")
    run(*sides, files=wanted)
    assert history.read_text().splitlines()[1].startswith("oltp_point_select,80")
    history.write_text("time,test,tsp\n")
    with pytest.raises(LabError, match="h.csv: no figure is called 'tsp'; did you mean tps?"):
        run(*sides, files=wanted)
    for text in ("", "test,tps\n", "time,test,tps\n1,2,3"):
        history.write_text(text or "time")
        with pytest.raises(LabError, match="h.csv: its first line names no time, or its last has"):
            run(*sides, files=wanted)
    history.unlink()
    with pytest.raises(LabError, match="stock.txt does not say when it ran"):
        run(["stock.txt"], files=wanted)
    report["run"]["options"]["effective"]["threads"] = 5
    (tmp_path / "new-5.json").write_text(json.dumps(report))
    with pytest.raises(LabError, match="new-.*: 1 of its 2 cells are in no other source"):
        run([*paths["new"], str(tmp_path / "new-5.json")], *sides[1:])
    report["run"]["options"]["effective"].update(threads=2, time=77)
    pathlib.Path(paths["new"][0]).write_text(json.dumps(report))
    assert "the runs of new-*.json differ in time: they are no repeats" in run(*sides)[1]


def test_with_and_without_a_rate(run: Run) -> None:
    text = run(["stock.txt", "pg.txt"], [])[1]
    assert "pg.txt ran at a rate (open loop), stock.txt without one (closed loop): only" in text


def test_the_logs_of_a_runs_threads_are_one_result(run: Run, tmp_path: pathlib.Path) -> None:
    paths = [str(tmp_path / name) for name in ("l.7", "l.7.1", "l.8")]
    for path in paths:
        pathlib.Path(path).write_text(LOG)
    text = run(paths, [])[1]
    assert "l.8 compared with l.7\n" in text and line(text, "Done (tx)")[:2] == ["6", "3"]
    with pytest.raises(LabError, match="the logs of one run's threads"):
        compare.compare(paths[:2], [])


def test_few_runs_and_other_lengths_are_noted(run: Run, tmp_path: pathlib.Path) -> None:
    short = V10.replace("0.0443s", "0.0222s").replace("events:              100", "events:   50")
    (tmp_path / "short.txt").write_text(short)
    status, text = run(["stock.txt", "short.txt"], ["done<-3%"])
    assert status == 4 and text.endswith("inconclusive: three runs of each are needed\n")
    assert line(text, "Throughput (tx/s)")[-2:] == ["0.0", "%"]
    for total in ("Time (s)", "Done (tx)", "Errors"):
        assert line(text, total)[-2:] == ["not", "compared"]
    assert "fewer than three runs in stock.txt and short.txt: a difference may be chance\n" in text
    assert "the runs differ in length (stock.txt 0.044 s, short.txt 0.022 s): rates and" in text
    assert "closed loop" not in text
    a, b = (summary(errors=[n] * 3, seconds=[n] * 3) for n in (10, 20))
    found = judge("errors>+5%", a, b)
    assert found.word == "inconclusive"
    assert found.sentence.endswith("inconclusive: the runs differ in length")


def test_labs(run: Run) -> None:
    status, text = run(["lab1", "lab2"], ["cpu>+50%"])
    assert status == 0
    assert "pool-of-threads, 16 connections\n" in text
    assert "lab1 at one-thread-per-connection, 16 connections: 1 of 3 disturbed" in text
    assert text.count("cpu>+50%: passes in lab2 at ") == 4
    glance = text[text.index("Changes from lab1\n") :].split("\n\n")[0].splitlines()
    assert len(glance) == 6 and "server CPU/tx" in glance[1]
    assert "What differs" not in text  # the same environments


def test_the_environments_difference(run: Run, tmp_path: pathlib.Path) -> None:
    report = json.loads((tmp_path / "r.json").read_text())
    report["environment"]["server.variable.innodb_flush_method"] = "O_DIRECT"
    (tmp_path / "s.json").write_text(json.dumps(report))
    _, text = run(["r.json", "s.json"], [])
    assert "Environment: what differs\n" in text
    (found,) = [x.split() for x in text.splitlines() if "innodb_flush_method" in x]
    assert found == ["server.variable.innodb_flush_method", "n/a", "O_DIRECT"]


def test_loads_that_differ_stand_above_the_figures(run: Run, tmp_path: pathlib.Path) -> None:
    """Where sysbench connects to and what it writes is no load."""
    for name, more in (("a", {"tx-rate": 150, "time": 30}), ("b", {"tx-rate": 60, "time": 20})):
        directory = testing.make_results(str(tmp_path / name), xs=(1, 16), repeats=1)
        for path in (tmp_path / name).glob("runs/*/report.json"):
            report = json.loads(path.read_text())
            options = report["run"]["options"]["effective"]
            options.update(more, tables=4, label="run " + directory)
            options.update({"mysql-socket": [directory], "report-file": [directory]})
            path.write_text(json.dumps(report))
    _, text = run(["a", "b"], [])
    table = text[text.index("The loads differ\n") :].split("\n\n")[0].splitlines()
    assert [line.split() for line in table[1:]] == [
        ["setting", "a", "b"], ["tx-rate", "150", "60"], ["time", "30", "20"]
    ]  # fmt: skip
    assert text.index("The loads differ") < text.index("Changes from a")


def test_sources_of_one_name_are_told_apart(run: Run, tmp_path: pathlib.Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "r.json").write_text((tmp_path / "r.json").read_text())
    _, text = run(["r.json", "new/r.json"], [])
    assert text.startswith("%s/new/r.json compared with %s/r.json\n" % (tmp_path, tmp_path))
    _, text = run(["r.json", "r.json"], [])
    assert "/r.json (2) compared with " in text


def test_bad_input(run: Run) -> None:
    with pytest.raises(LabError, match="--style: 'xml' is none of text, markdown, html, junit"):
        run(["r.json"] * 2, [], "xml")
    with pytest.raises(LabError, match="give two results or more"):
        run(["r.json"], [])
    with pytest.raises(
        LabError, match="p99 is n/a in stock.txt; both sides have only p95: --fail-if=.p95>.5%.$"
    ):
        run(["r.json", "stock.txt"], ["p99>+5%"])


# ---- styles --------------------------------------------------------------------

TABLE = sheets.Table("T", ["figure", "a", "b"], [["x|y", "1", "22"], ["<b>", "10", "n/a"]])
DOCUMENT = sheets.Document(
    "b & a", [TABLE], ["note <script>"], [sheets.Verdict("p99 in b", "fails", "p99: fails")]
)


def test_text() -> None:
    assert sheets.render(DOCUMENT, "text") == (
        "b & a\n\nT\n  figure   a    b\n  x|y      1   22\n  <b>     10  n/a\n"
        "\nNotes\n  note <script>\n\nConditions\n  p99: fails\n"
    )


def test_markdown() -> None:
    assert sheets.render(DOCUMENT, "markdown") == (
        "# b &amp; a\n\n## Conditions\n\n- p99: fails\n\n## Notes\n\n- note &lt;script&gt;\n"
        "\n## T\n\n| figure | a | b |\n| --- | ---: | ---: |\n"
        "| x\\|y | 1 | 22 |\n| &lt;b&gt; | 10 | n/a |\n"
    )


def test_junit_is_xml_whatever_the_names_are() -> None:
    name = "a<&\"']]>\x00\x1b\ufffe\uffff\udcff\n"
    words = ("passes", "fails", "inconclusive", "n/a")
    document = sheets.Document(name, [], [], [sheets.Verdict(name, w, name) for w in words])
    text = sheets.render(document, "junit").encode("utf-8", "backslashreplace")
    found = [[e.tag for e in case] for case in xml.etree.ElementTree.fromstring(text)]
    assert found == [["system-out"], ["failure"], ["skipped"], ["error"]]


def test_html_needs_nothing_else_and_is_escaped() -> None:
    page = sheets.render(DOCUMENT, "html")
    tags, words = re.findall(r"<(\w+)", page), re.split(r"<[^>]*>", page)
    assert not {"script", "b", "link", "img"} & set(tags)
    assert not re.search(r"\b(src|href|onclick)\b", page)
    assert {"note <script>", "x|y", "<b>", "p99: fails"} <= {html.unescape(w) for w in words}
    assert tags.count("td") == 4 and tags.count("th") == 5
