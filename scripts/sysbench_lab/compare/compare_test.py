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

# ---- conditions ----------------------------------------------------------------


def summary(**figures: Sequence[float]) -> CellSummary:
    spreads = {name: stats.spread(values, 1) for name, values in figures.items()}
    return CellSummary(Cell(0, {}, {}), "", 3, 3, 0, 0, "", spreads)


def side(figure: str, text: str) -> CellSummary:
    """The values of its runs; `-`: the figure is not known; `!`: all were disturbed; of
    `sustained`, what each run said; `for 10`: all runs had that length."""
    text, _, seconds = text.partition(" for ")
    if figure == conditions.SUSTAINED:
        rows: list[Any] = [{"status": "done", "sustained": k, "tps": 1.0} for k in text.split(",")]
        for row in rows:
            row["why"] = "the server was the limit" if row["sustained"] == "no" else ""
        return stats.summary_of(Cell(0, {}, {}), "", rows, 1)
    if text == "-":
        return summary(qps=[1])
    found = {figure: [float(v) for v in text.strip("!").split()]}
    cell = summary(**found, **({"seconds": [float(seconds)] * 3} if seconds else {}))
    return dataclasses.replace(cell, disturbed=("others",) * 3) if "!" in text else cell


def judged(text: str) -> str:
    """`RULE`: what is read of it; `RULE | base | other | control`: the verdict."""
    rule, *sides = text.split(" | ")
    try:
        found = conditions.parse(rule)
        if not sides:
            return " ".join(map(str, found[1:]))
        base, other, control, *_ = *(side(found.figure, s) for s in sides), None
        case = conditions.Case(found, base, other, ("a", "b"), control)
        ((title, word, sentence),) = conditions.judged([case], 1)
        assert title == "%s in b" % rule
        return "%s; %s" % (word, sentence)
    except LabError as e:
        return str(e)


def test_conditions() -> None:
    """The grammar, and verdicts: of runs that are few, disturbed or of another length; a change
    must exceed that of the control, however that differs."""
    assert testing.retold("conditions", judged) == testing.cases("conditions")


def test_a_condition_on_a_missing_figure_is_an_error() -> None:
    rule = conditions.parse("p99>+5%")
    case = conditions.Case(rule, summary(response_p99_ms=[1]), summary(tps=[1]), ("a", "b"))
    found = conditions.judged([case], 1)
    with pytest.raises(LabError, match="--fail-if 'p99>.5%': p99 is n/a in b$"):
        gate.status([*found, found[0]._replace(sentence="the second one")])


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


# ---- which cells stand side by side --------------------------------------------


def source(name: str, *labels: dict[str, str]) -> Source:
    rows = [{"status": "done", "sustained": "", "tps": float(i)} for i in range(len(labels))]
    return Source(name, "made", [SourceCell(k, [r]) for k, r in zip(labels, rows)])


def test_single_cells_are_compared_whatever_their_levels() -> None:
    sources = [source("a", {"load.threads": "1"}), source("b", {"load.threads": "512"})]
    (table,) = compare.load_table(sources)
    assert table.rows == [["threads", "1", "512"]]
    assert compare.load_table([sources[0], source("c", {})]) == []
    (match,) = compare.match(sources)
    found = compare.sheets_of(sources, [match], [])
    assert match.title == "" and [t.title for t in found.tables] == [
        "Sources", "The loads differ", "Figures"
    ]  # fmt: skip


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
    levels = [{"load.threads": str(n)} for n in (1, 16)]
    some = compare.match([source("a", *levels), source("b", *levels), source("c", levels[1])])
    assert [[c is None for c in m.cells] for m in some] == [[False, False, True], [False] * 3]


def test_cells_that_cannot_be_told_apart() -> None:
    a = source("a", {"load.threads": "1", "arm": "x"}, {"load.threads": "1", "arm": "y"})
    with pytest.raises(LabError, match="a has several cells that differ in arm"):
        compare.match([a, source("b", {"load.threads": "1"})])
    with pytest.raises(LabError, match="no cell of b is in c"):
        compare.match([source("b", {"x": "1"}, {"x": "2"}), source("c", {"x": "3"})])


# ---- the whole -----------------------------------------------------------------

Run = Callable[..., tuple[int, str]]
# Of the figures that both have, those that are of interest; all else is shown.
BESIDE = ("The loads differ", "Environment: what differs", "Notes", "Conditions")
KEPT = re.compile(r"  (Throughput|Response time, 9|Done|Time|Errors|Server CPU/tx|figure|cell )")


def reports(directory: pathlib.Path) -> None:
    """JSON: as it was written, of few transactions, with another environment, without the server,
    interrupted."""
    exp = testing.make_experiment(1, (2,), 1, 1)
    plan = testing.make_plan(exp)
    made = testing.make_report(exp, plan.cells[0], plan.runs[0], random.Random(1))
    (directory / "new").mkdir()
    for name in ("r", "new/r"):
        (directory / (name + ".json")).write_text(json.dumps(made))
    made["environment"]["server.variable.innodb_flush_method"] = "O_DIRECT"
    (directory / "s.json").write_text(json.dumps(made))
    del made["environment"]["server.variable.innodb_flush_method"]
    status = {"other_sessions": 3, "other_sessions_active": 1.25}
    made["summary"].update(transactions=99, server_status=status)
    (directory / "few.json").write_text(json.dumps(made))
    made["summary"].update(server=None, server_status=None)
    made["summary"]["missing"]["server"] = "no process of the server is known"
    (directory / "n.json").write_text(json.dumps(made))
    made["end"]["status"] = "interrupted"
    (directory / "i.json").write_text(json.dumps(made))


def loads(directory: pathlib.Path) -> None:
    """Where sysbench connects to and what it writes is no load."""
    for name, more in (("a", {"tx-rate": 150, "time": 30}), ("b", {"tx-rate": 60, "time": 20})):
        testing.make_results(str(directory / name), xs=(1, 16), repeats=1)
        for path in (directory / name).glob("runs/*/report.json"):
            report = json.loads(path.read_text())
            options = report["run"]["options"]["effective"]
            options.update(more, tables=4, label="run " + name)
            options.update({"mysql-socket": [name], "report-file": [name]})
            path.write_text(json.dumps(report))


@pytest.fixture
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of every kind, by a short name."""
    short = V10.replace("0.0443s", "0.0222s").replace("events:              100", "events:   50")
    texts = {"stock.txt": V10, "short.txt": short, "old.txt": V05, "pg.txt": PGBENCH}
    for name, text in {**texts, **dict.fromkeys(("l.7", "l.7.1", "l.8"), LOG)}.items():
        (tmp_path / name).write_text(text)
    reports(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(files: None, capsys: pytest.CaptureFixture[str]) -> Run:
    """The status, and what was printed."""

    def compared(*args: Any, **kwargs: Any) -> tuple[int, str]:
        return compare.compare(*args, **kwargs), capsys.readouterr().out

    return compared


def test_what_is_said(
    files: None, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status, and what is printed: of `whole`, with sources and changes, and some figures, of
    others without.  Percentiles stand beside the same percentile only, few samples are marked,
    loads that differ stand above the figures."""
    for seed in (1, 2):
        testing.make_results(str(tmp_path / ("lab%d" % seed)), arms=1, xs=(1, 16), seed=seed)
    loads(tmp_path)

    def said(given: str) -> str:
        names, _, rules = given.replace("whole ", "").partition(" if ")
        try:
            end = "status %d" % compare.compare(names.split(), rules.split())
        except LabError as e:
            end = str(e)
        title, *parts = capsys.readouterr().out.split("\n\n")
        kept = [title]
        for head, *lines in (part.rstrip().split("\n") for part in parts):
            if lines and lines[0].startswith("  figure "):
                lines = [line for line in lines if KEPT.match(line)]
            kept += [head, *lines] if head in BESIDE or given.startswith("whole") else []
        return "\n".join([*filter(None, kept), end])

    assert testing.retold("compared", said) == testing.cases("compared")


def test_files_of_a_gate(
    run: Run, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not known passes nothing, and is in the files, too."""
    junit, markdown = tmp_path / "j.xml", tmp_path / "m.md"
    wanted = gate.Files(str(junit), str(markdown))
    assert run(["r.json"], ["p99>1us", "tps<1000"], files=wanted)[0] == 3
    suite = xml.etree.ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert [(c.get("name"), [e.tag for e in c]) for c in suite] == [
        ("p99>1us in r.json", ["failure"]), ("tps<1000 in r.json", ["system-out"])
    ]  # fmt: skip
    assert markdown.read_text().startswith("# r.json\n\n## Conditions\n\n- p99&gt;1us: fails")
    with pytest.raises(LabError, match="cpu is n/a in n.json: no process of the server is known$"):
        run(["n.json"], ["p99>1s", "cpu>1us"], files=wanted)
    assert '<error message="--fail-if' in junit.read_text()
    wrongs: list[tuple[str, dict[str, Any]]] = [
        ("--control=x: it is for changes", {"control": ["x"]}),
        ("--junit: cannot write /no/x: No such file or directory", {"files": gate.Files("/no/x")}),
        ("--style: 'xml' is none of text, markdown, html, junit", {"style": "xml"}),
    ]
    for words, more in wrongs:
        with pytest.raises(LabError, match=words):
            run(["r.json"], ["p99>1s"], **more)


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
