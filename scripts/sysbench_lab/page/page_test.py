# SPDX-License-Identifier: GPL-2.0-or-later
"""The page says what runs.csv says, keeps its visitors' browsers to itself, and is whole HTML.

Most tests read the page back with the parser of the standard library and compare it with the files
beside it, not with the code that wrote it.  How the page looks and sounds is tests/page/run's part.
"""

from __future__ import annotations

import base64
import csv
import dataclasses
import functools
import hashlib
import html.parser
import json
import os
import re
import resource
import statistics
from pathlib import Path
from typing import Any, Iterator, Sequence

import pytest

pytest.importorskip("jinja2")

from .. import LabError, owned, page, testing
from ..readers import pgbench
from ..results import figures, results_dir
from ..statistics import facts, stats
from ..statistics.results import Results
from ..terminal import progress, text_tables
from . import data, parts

VOID = {"meta", "link", "br", "img", "input", "hr", "col"}
FAKE = "/*! Chart.js v3.9.1 */\nwindow.Chart = '</SCRIPT>';\n"


class Tree(html.parser.HTMLParser):
    """Elements as (name, attributes, text within), and what was not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], list[str]]] = []
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element: tuple[str, dict[str, str], list[str]] = (tag, {k: v or "" for k, v in attrs}, [])
        self.found.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1][0] == tag, "%s closes %s" % (tag, self.open[-1:])
        self.open.pop()
        if tag in ("td", "th", "dt"):
            self.handle_data(" ")

    def handle_data(self, text: str) -> None:
        for element in self.open:
            element[2].append(text)

    def all(self, name: str, **attributes: str) -> Iterator[tuple[dict[str, str], str]]:
        for tag, attrs, texts in self.found:
            if tag == name and all(attrs.get(k) == v for k, v in attributes.items()):
                yield attrs, " ".join("".join(texts).split())

    def one(self, name: str, **attributes: str) -> str:
        return next(text for _, text in self.all(name, **attributes))

    def raw(self, name: str, **attributes: str) -> list[str]:
        return [
            "".join(texts)
            for tag, attrs, texts in self.found
            if tag == name and all(attrs.get(k) == v for k, v in attributes.items())
        ]


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Chart.js of a few bytes: the pages of most tests need not be 200 kB."""
    path = tmp_path / "chart.min.js"
    path.write_text(FAKE)
    monkeypatch.setenv(page.VARIABLE, str(path))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> str:
    return testing.make_results(str(tmp_path_factory.mktemp("lab") / "results"))


@functools.lru_cache(maxsize=None)
def written(directory: str) -> str:
    path = os.path.join(directory, "index.html")
    page.write(Results(directory), path)
    return Path(path).read_text(encoding="utf-8")


def embedded(tree: Tree) -> Any:
    return json.loads(tree.raw("script", id="data")[0])


def lines(directory: str) -> list[dict[str, str]]:
    with open(os.path.join(directory, "runs.csv"), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def rows_of(text: str, table: str) -> list[list[str]]:
    """Cells of the body of a table, as text; tags become blanks."""
    body = re.search(r"<table%s>(.*?)</table>" % table, text, re.S)
    assert body
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body.group(1), re.S)
    return [
        [" ".join(re.sub("<[^>]*>", " ", c).split()) for c in re.findall(CELL, row, re.S)]
        for row in rows
    ]


CELL = r"<t[hd][^>]*>(.*?)</t[hd]>"


# ---- figures -------------------------------------------------------------------


def test_data_are_those_of_runs_csv_to_the_last_digit(directory: str) -> None:
    inside = embedded(Tree(written(directory)))
    panels = [
        p for s in inside["sections"] if "names" in s for c in s["charts"] for p in c["panels"]
    ]
    found = {p["figure"]: [q for s in p["series"] if s.get("faint") for q in s["points"]]
             for p in panels if p["figure"] != "cpu"}  # fmt: skip
    want = sorted(lines(directory), key=lambda r: (int(r["cell"]), int(r["run"])))
    names = [n for n in want[0] if n in figures.COLUMNS and any(r[n] for r in want)]
    assert len(names) > 40 and {*names} == {*found}
    for name, points in found.items():
        assert [q["y"] for q in points] == [float(r[name]) for r in want if r[name]]


def paired(a: Sequence[Any], b: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """zip() of as many as many."""
    assert len(a) == len(b)
    return zip(a, b)


def test_table_of_runs_is_runs_csv_by_cell(directory: str) -> None:
    text = written(directory)
    heads = [a["data-figure"] for a, _ in Tree(text).all("th") if "data-figure" in a]
    assert heads == ["tps", "server_usr_pct", "server_sys_pct", "server_cpu_pct",
                     "response_mean_ms", "response_p95_ms"]  # fmt: skip
    shown = [r for r in rows_of(text, ' id="every-run"')[1:] if len(r) > 1]
    by_cell = sorted(lines(directory), key=lambda r: (int(r["cell"]), int(r["run"])))
    for cells, line in paired(shown, by_cell):
        mark = "! " if line["sustained"] == "no" or line["disturbed"] else ""
        assert cells[:2] == [line["load.threads"], mark + line["round"]]
        want = ["%.*f" % (figures.COLUMNS[n].decimals, float(line[n])) for n in heads]
        assert [c.replace(",", "") for c in cells[2:8]] == want
        missed = "not held" if line["sustained"] == "no" else ""
        assert cells[8:] == [line["run"], "disturbed" if line["disturbed"] else missed]


# ---- the top -------------------------------------------------------------------


def test_the_heading_says_what_was_compared(directory: str, tmp_path: Path) -> None:
    tree = Tree(written(directory))
    arms = "pool-of-threads against one-thread-per-connection"
    assert tree.one("h1") == tree.one("title") == arms + ", oltp_point_select"
    assert tree.one("p", **{"class": "about"}) == "Thread schedulers at a constant rate"
    one = testing.make_results(str(tmp_path / "one"), arms=1, xs=(1, 2048), repeats=1)
    alone = "oltp_point_select at 1 to 2,048 connections, one-thread-per-connection"
    assert facts.compared(Results(one)) == alone


def test_a_line_says_what_was_measured(directory: str) -> None:
    results = Results(directory)
    results.tree["machine"] = {"host": "bench", "cpus": 4}
    results.tree["started_unix_s"] = testing.STARTED
    for known in results.environment.values():
        known.update({"host.cpu.model": "Epyc", "host.memory_bytes": "17179869184"})
    options = {"tables": 4, "table_size": 50_000}
    report = {**(results.report(results.rows[0]) or {}), "run": {"options": {"effective": options}}}
    results.report = lambda row: report  # type: ignore[method-assign, assignment]
    assert " · ".join(facts.measured(results)) == (
        "MariaDB 10.11.6 · 4 tables of 50,000 rows (about 45.8 MiB), buffer pool 128 MiB"
        " · 1,200 tx/s · Epyc, 4 CPUs · 16 GiB RAM · 3 runs of 10 s in each cell"
        " · 2026-09-21"
    )


def test_words_are_explained_where_they_stand_and_in_a_list(directory: str) -> None:
    tree = Tree(written(directory))
    listed = tree.one("details", id="words")
    said = {a["title"] for a, _ in tree.all("abbr")}
    assert len(said) >= 7 and all(text[1:-1] in listed for text in said)


def counting(directory: str) -> list[list[dict[str, str]]]:
    """The runs that count, by cell."""
    by_cell: dict[str, list[dict[str, str]]] = {}
    for line in lines(directory):
        by_cell.setdefault(line["cell"], []).append(line)
    return [by_cell[str(i)] for i in range(10)]


def values_of(runs: Sequence[dict[str, str]], name: str) -> list[float]:
    """What a transaction costs is that of disturbed runs, too, and all is if too few are calm."""
    few = sum(not r["disturbed"] for r in runs) < stats.LEAST or stats.COSTS.search(name)
    return [float(r[name]) for r in runs if few or not r["disturbed"]]


IN_THE_TABLE = (
    "tps", "server_usr_pct", "server_sys_pct", "server_cpu_pct", "server_cpu_us_per_tx",
    "response_mean_ms", "response_p95_ms", "response_p99_ms",
)  # fmt: skip


def test_table_of_cells_has_medians_of_the_runs_that_count(directory: str) -> None:
    shown = [r for r in rows_of(written(directory), ' class="cells"') if len(r) == 10][1:]
    for cells, runs in paired(shown, counting(directory)):
        for name, cell in paired(IN_THE_TABLE, cells[1:9]):
            values = values_of(runs, name)
            figure = "{:,.%df}" % figures.COLUMNS[name].decimals
            ends = [figure.format(v) for v in (min(values), max(values))]
            want = [figure.format(statistics.median(values))]
            assert cell.split() == want + (["–".join(ends)] if ends[0] != ends[1] else [])
        assert cells[9] == "%d of 3" % len(runs)


def test_what_is_wrong_with_cells_and_runs_is_said(directory: str) -> None:
    text = written(directory)
    tree = Tree(text)
    assert "none of 3 sustained" in text and "1 of 3 disturbed" in text
    trouble = tree.one("ul", **{"class": "trouble"})
    assert "Run 2, one-thread-per-connection, 16 connections: Disturbed: other processes" in trouble
    assert "Measured 2 times; the last one is shown." in trouble
    assert trouble.count("Rate not held: ") == 3


def test_remarks_are_counted_where_no_run_went_wrong(directory: str) -> None:
    results = Results(directory)
    results.rows = [
        {k: v for k, v in row.items() if k not in ("why", "disturbed", "tries")}
        for row in results.rows if row["sustained"] == "yes"
    ]  # fmt: skip
    good = "No run failed, missed the rate or was disturbed"
    assert good + ".<" in page.render(results)
    results.rows[0]["why"] = "after a backlog"
    remarked = good + "; sysbench remarked on 1 of %d:" % len(results.rows)
    assert remarked in page.render(results)


def test_page_opens_with_the_answer_then_the_table(directory: str) -> None:
    text = written(directory)
    answer = Results(directory).sentences[0]
    assert Tree(text).one("p", **{"class": "answer"}) == answer
    places = [text.index(i) for i in ('class="answer"', 'id="table"', 'id="cpu"', 'id="method"')]
    assert places == sorted(places)


def test_environment_difference_plan_and_commands_are_there(directory: str) -> None:
    tree = Tree(written(directory))
    method = tree.one("details", id="method")
    for words in (
        "30: 10 cells, 3 rounds",
        "forth and back",
        "server.option.thread_handling=pool-of-threads",
        "server.variable.thread_handling one-thread-per-connection pool-of-threads",
        "Environment, the same in all arms: 8 values",
        "30 commands",
        "sysbench oltp_point_select --threads=2048",
        "# written by testing.py",
    ):
        assert words in method


# ---- an HTML page that is safe and whole ---------------------------------------

EVIL = "</script><b>'\"&\u2028<!--"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory in which every text that comes from a user is hostile."""
    directory = testing.make_results(str(tmp_path_factory.mktemp("evil") / "results"), xs=(1, 2))
    lab = os.path.join(directory, "lab.json")
    tree = json.loads(Path(lab).read_text())
    tree["experiment"].update(title=EVIL, question=EVIL)
    tree["machine"]["host"] = tree["version"] = EVIL
    text = json.dumps(tree).replace('"pool-of-threads"', json.dumps("p " + EVIL))
    Path(lab).write_text(text)
    for name in ("runs.csv", "commands.log", "environment.json", "experiment.toml"):
        replace(os.path.join(directory, name), "pool-of-threads")
    replace(os.path.join(directory, "runs.csv"), "other processes used")
    replace(os.path.join(directory, "environment.json"), "host.name")
    with open(os.path.join(directory, "commands.log"), "a", encoding="utf-8") as f:
        f.write("2026-01-01 00:00:00\t0\t1.000\techo %s\n" % EVIL)
    rename_runs(directory)
    return directory


def replace(path: str, old: str) -> None:
    new = "p " + EVIL
    if path.endswith(".csv"):
        new = '"%s"' % new.replace('"', '""')
    if path.endswith(".json"):
        new = json.dumps(new)[1:-1]
    text = Path(path).read_text(encoding="utf-8")
    if "used" in old:
        text = re.sub(r"other processes used [^,]*", lambda _: new, text)
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def rename_runs(directory: str) -> None:
    """Each run's directory to the name that it has with the new levels."""
    results = Results(directory)
    for row in results.rows:
        old = next(Path(directory, "runs").glob("%03d-*" % int(row["run"])))
        old.rename(os.path.join(directory, results.run_path(row)))


def test_texts_of_users_are_no_html(evil: str) -> None:
    text = written(evil)
    tree = Tree(text)
    assert not tree.open and not list(tree.all("b")) and "<!--" not in text
    assert tree.one("p", **{"class": "about"}) == " ".join(EVIL.split())
    assert ("p " + " ".join(EVIL.split()) + " against ") in tree.one("h1")
    assert tree.one("p", **{"class": "question"}) == " ".join(EVIL.split())
    inside = embedded(tree)
    texts = str(inside["sections"])
    assert repr("p " + EVIL)[1:-1] in texts
    scripts = len(list(tree.all("script")))
    assert scripts == 2 + len(page.SCRIPTS)
    assert text.lower().count("</script") == scripts


def test_the_page_is_one_file(evil: str) -> None:
    tree = Tree(written(evil))
    for tag, attrs, _ in tree.found:
        assert "src" not in attrs and "srcset" not in attrs, (tag, attrs)
        assert not any(name.startswith("on") for name in attrs)
    ids = {attrs.get("id") for _, attrs, _ in tree.found}
    links = [a["href"] for a, _ in tree.all("a")]
    assert len(links) > 5 and all(link[0] == "#" and link[1:] in ids for link in links)
    assert os.path.abspath(evil) in tree.one("footer")
    style = tree.raw("style")[0]
    assert "url(" not in style and "@import" not in style


def test_policy_allows_these_scripts_and_nothing_else(directory: str) -> None:
    tree = Tree(written(directory))
    policy = next(a["content"] for a, _ in tree.all("meta") if "http-equiv" in a)
    assert "default-src 'none'" in policy
    sums = {
        "'sha256-%s'" % base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()
        for s in tree.raw("script")
        if not s.startswith("{")
    }
    rule = next(p.split() for p in policy.split("; ") if p.startswith("script-src"))
    assert set(rule[1:]) == sums and len(sums) == 1 + len(page.SCRIPTS)


def test_elements_are_whole_and_names_are_once(directory: str) -> None:
    tree = Tree(written(directory))
    assert not tree.open
    ids = [attrs["id"] for _, attrs, _ in tree.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    named = [attrs["aria-labelledby"] for _, attrs, _ in tree.found if "aria-labelledby" in attrs]
    assert named and set(named) <= set(ids)
    levels = [int(tag[1]) for tag, _, _ in tree.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:]))


def test_a_page_that_cannot_be_written_is_one_sentence(directory: str, tmp_path: Path) -> None:
    path = str(tmp_path / "absent" / "index.html")
    with pytest.raises(LabError, match="cannot write .*absent/index.html: No such file"):
        page.write(Results(directory), path)
    full = str(tmp_path / "index.html")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
    try:
        with pytest.raises(LabError, match="cannot write .*/index.html: File too large"):
            page.write(Results(directory), full)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("index")]


# ---- with other results --------------------------------------------------------


def test_without_any_run_it_says_so(tmp_path: Path) -> None:
    exp = testing.make_experiment(2, (1, 16), 3, 1)
    new = results_dir.Book.create(str(tmp_path / "new"), exp, testing.make_plan(exp), "")
    new.set_state("interrupted")
    tree = Tree(written(str(tmp_path / "new")))
    assert "The experiment was interrupted: 0 of 12 runs are done." in tree.one("main")
    assert "No environment was recorded." in tree.one("main")
    assert embedded(tree) == {"sections": [], "xs": []}


def test_a_failed_run_is_told_with_its_reason(tmp_path: Path) -> None:
    exp = testing.make_experiment(1, (1,), 1, 1)
    plan = testing.make_plan(exp)
    new = results_dir.Book.create(str(tmp_path / "new"), exp, plan, "")
    new.add(plan.runs[0], {"status": "failed", "why": "cannot connect", "started_unix_s": 1.0})
    text = Tree(written(str(tmp_path / "new"))).one("section", id="runs")
    assert "Run 1, one-thread-per-connection, 1 connection: Failed: cannot connect." in text


def test_each_comparison_has_its_answer_above_the_fold(tmp_path: Path) -> None:
    exp = testing.make_experiment(3, (16,), 3, 1)
    plan = testing.make_plan(exp)
    new = results_dir.Book.create(str(tmp_path / "new"), exp, plan, "")
    for run in plan.runs:
        new.add(run, {"status": "done", "tps": 100.0 + run.number})
    text = written(str(tmp_path / "new"))
    first = Results(str(tmp_path / "new")).sentences[:2]
    assert re.findall('<p class="answer">(.*)</p>', text) == first
    assert text.count("<li>%s" % first[1]) == 0


def test_an_experiment_without_axis_has_its_arms_on_it(tmp_path: Path) -> None:
    exp = dataclasses.replace(testing.make_experiment(2, (16,), 3, 1), x="")
    plan = testing.make_plan(exp)
    new = results_dir.Book.create(str(tmp_path / "new"), exp, plan, "")
    for run in plan.runs:
        new.add(run, {"status": "done", "tps": 100.0 + run.number})
    inside = embedded(Tree(written(str(tmp_path / "new"))))
    _, section = inside["sections"]  # the first is that of changes
    arms = ["one-thread-per-connection, 16 connections", "pool-of-threads, 16 connections"]
    (spec,) = section["charts"][0]["panels"]
    assert section["id"] == "throughput" and spec["x"]["values"] == arms


def test_levels_stand_in_the_order_of_the_axis(tmp_path: Path) -> None:
    text = written(testing.make_results(str(tmp_path / "r"), arms=1, xs=(16, 1, 4), repeats=1))
    names = [r[0].split()[0] for r in rows_of(text, ' class="cells"') if len(r) == 10][1:]
    assert names == ["1", "4", "16"]
    assert "rowgroup" not in text  # one arm needs no head


def test_a_run_that_lost_its_reports_has_no_timeline(tmp_path: Path) -> None:
    directory = testing.make_results(str(tmp_path / "r"), xs=(1, 2), repeats=1)
    results = Results(directory)
    owned.remove(os.path.join(directory, results.run_path(results.rows[0])), "../../lab.json")
    tree = Tree(written(directory))
    inside = embedded(tree)
    charts = next(s for s in inside["sections"] if s["id"] == "timeline")["charts"]
    names = [s["name"][:5] for c in charts for s in c["panels"][0]["series"][:-1]]
    assert sorted(names) == ["Run 2", "Run 3", "Run 4"]


def test_calls() -> None:
    """Of pages and of the terminal."""

    def lucky(*kinds: str) -> set[int]:
        rows = enumerate(kinds, 1)
        done = {"status": "done", "target_tps": 9.0}
        return parts.lucky_runs([{"run": run, "sustained": kind, **done} for run, kind in rows])

    says = testing.called(data, page, parts, pgbench, progress, text_tables, lucky=lucky)
    assert testing.retold("calls_drawn", says) == testing.cases("calls_drawn")
