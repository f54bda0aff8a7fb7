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
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

pytest.importorskip("jinja2")

from .. import LabError, owned, page, paths, testing
from ..plan.model import Experiment, PlannedRun, Row
from ..readers import pgbench
from ..results import figures, results_dir
from ..statistics.rank_rows_test import with_ranks
from ..statistics.results import Results
from ..terminal import progress, text_tables
from ..testdata import event_reports
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
    made = str(tmp_path_factory.mktemp("lab") / "results")
    return testing.make_results(made, xs=(1, 16, 128, 2048))


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


# ---- what is to be read --------------------------------------------------------

READ = ("h1", "h2", "h3", "h4", "p", "li", "summary", "tr", "dt", "dd", "pre")


def played(directory: str, exp: Experiment, rows: Callable[[PlannedRun], Row]) -> str:
    """A directory with these rows, and no reports; of `interrupted`, none."""
    plan = testing.make_plan(exp)
    new = results_dir.Book.create(directory, exp, plan, "")
    for run in plan.runs:
        if row := rows(run):
            new.add(run, row)
    new.set_state("done" if new.rows() else "interrupted")
    return directory


def scene(name: str, directory: str) -> Results:
    """The first has texts and figures of the machine that others lack."""
    make, one = testing.make_results, testing.make_experiment(2, (16,), 3, 1)
    if name in ("stages", "search", "change"):
        if name == "change":  # in each of two arms, which are compared
            return event_reports.make(directory, name, arms=2, xs=(16,), repeats=3)
        return event_reports.make(directory, name)
    if name == "everything":
        found = Results(make(directory, xs=(1, 128, 2048)))
        for known in found.environment.values():
            known.update({"host.cpu.model": "Epyc", "host.memory_bytes": "17179869184"})
        options = {"tables": 4, "table_size": 50_000}
        report = {**(found.report(found.rows[0]) or {}), "run": {"options": {"effective": options}}}
        found.report = lambda row: report  # type: ignore[method-assign, assignment]
        return found
    if name == "ranks":
        return with_ranks(make(directory, arms=1, xs=(1, 16), seed=3))
    done: dict[str, Any] = {"status": "done"}
    if name == "no axis":
        exp = dataclasses.replace(one, x="")
        played(directory, exp, lambda run: {**done, "tps": 100.0 + run.number})
    elif name == "three arms":
        exp = testing.make_experiment(3, (16,), 3, 1)
        played(directory, exp, lambda run: {**done, "tps": 100.0 + run.number})
    elif name == "failed":
        failed = {"status": "failed", "why": "cannot connect", "started_unix_s": 1.0}
        played(directory, testing.make_experiment(1, (1,), 1, 1), lambda run: failed)
    elif name == "nothing":
        played(directory, one, lambda run: {})
    else:  # one arm
        make(directory, arms=1, xs=(16, 1, 4), repeats=1)
    return Results(directory)


def test_pages(tmp_path: Path) -> None:
    """All text of the first, in its order; of others, what the first has not."""
    first = list[str]()

    def said(name: str) -> str:
        results = scene(name, str(tmp_path / name))
        results.tree["machine"] = {"host": "bench", "cpus": 4}
        results.tree["started_unix_s"] = testing.STARTED
        tree = Tree(page.render(results, ""))
        assert not tree.open
        text = "\n".join(
            "%s: %s" % (tag, " ".join("".join(texts).split()).replace(results.directory, "DIR"))
            for tag, _, texts in tree.found if tag in READ and "".join(texts).strip()
        )  # fmt: skip
        text = text.replace("\ndd: ", " = ")
        text = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", text)
        lines = text.replace("lab " + paths.version(), "lab VERSION").split("\n")
        known, first[:] = set(first), first or lines
        return "\n".join(line for line in lines if line not in known)

    assert testing.retold("pages", said) == testing.cases("pages")


def test_words_are_explained_where_they_stand_and_in_a_list(directory: str) -> None:
    tree = Tree(written(directory))
    listed = tree.one("details", id="words")
    said = {a["title"] for a, _ in tree.all("abbr")}
    assert len(said) >= 7 and all(text[1:-1] in listed for text in said)


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


# ---- Chart.js and pictures -----------------------------------------------------


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    directory = testing.make_results(str(tmp_path / "r"), xs=(1, 2), repeats=1)
    os.mkdir(os.path.join(directory, "pictures"))
    svg = "<svg xmlns='http://www.w3.org/2000/svg'>%s</svg>"
    words = "<title>Tps &amp; more</title><desc>Up.</desc>"
    Path(directory, "pictures", "tps.svg").write_text(svg % words)
    Path(directory, "pictures", "tps.png").write_bytes(b"")
    return directory


def test_without_chart_js_the_pictures_are_in_the_page(
    drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(page.VARIABLE, "no")
    tree = Tree(written(drawn))
    (image, _), *more = tree.all("img")
    assert not more and image["alt"] == "Up."
    kind, _, text = image["src"].partition(",")
    assert kind == "data:image/svg+xml;base64" and b"<desc>Up." in base64.b64decode(text)
    pictures = tree.one("section", id="pictures")
    assert "pictures in place of charts: Chart.js was not wanted" in pictures
    assert "Tps & more" in pictures


def test_with_chart_js_there_are_no_pictures(drawn: str) -> None:
    text = written(drawn)
    assert not list(Tree(text).all("img")) and "tps.svg" not in text


def test_pictures_do_not_depend_on_the_current_directory(
    drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(page.VARIABLE, "no")
    monkeypatch.chdir(os.path.dirname(drawn))
    results = Results(os.path.basename(drawn))
    for given in ((), ("r/pictures/tps.svg",)):
        page.write(results, "r/index.html", given)
        tree = Tree(Path(drawn, "index.html").read_text())
        assert [a["alt"] for a, _ in tree.all("img")] == ["Up."]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("/*! Chart.js v4.4.0 */", "chart.js is Chart.js v4.4.0; the page needs Chart.js 3."),
        ("alert(1)", "chart.js is a file of another library; the page needs Chart.js 3."),
    ],
)
def test_another_chart_js_is_not_used(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chart.js"
    path.write_text(text)
    monkeypatch.setenv(page.VARIABLE, str(path))
    found = page.load()
    assert found.text == "" and found.reason.endswith(reason)


def test_a_chart_js_that_is_not_there_is_a_complaint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(page.VARIABLE, "/nowhere/chart.js")
    with pytest.raises(LabError, match="SYSBENCH_LAB_CHART_JS=/nowhere/chart.js: there is no such"):
        page.load()


def test_flame_graphs_are_named_with_their_places(drawn: str) -> None:
    results = Results(drawn)
    place = results.run_path(results.rows[0])
    Path(drawn, place, "off cpu.svg").write_text("<svg/>")
    tree = Tree(written(drawn))
    (text,) = (t for _, t in tree.all("li") if "cpu.svg" in t)
    assert text.startswith("Run 1, one-thread-per-connection, ")
    assert text.endswith(place + "/off cpu.svg")


# ---- what the scripts make of it -----------------------------------------------

NODE = testing.data("points.js")


def test_chart_js_gets_all_points(directory: str) -> None:
    """No line leads to a median without an interval."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    inside = page.embedded(data.tree(Results(directory)))
    script = os.path.join(page.HERE, "chart_config.js")
    done = subprocess.run(
        [node, "-e", NODE, "-", script], input=inside, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["joined"] == [False, False, True]
    both = zip(found["kinds"], found["drawn"], found["wanted"])
    assert all(drawn == wanted for kind, drawn, wanted in both if kind != "stack")
    (star, x, _), *more = found["starred"]
    assert (star, x, more) == ("*", 6, [])  # beside the first point of the first arm
    marked, plain = found["headings"]
    assert marked == "%s (%s)" % (plain, figures.FEW)
