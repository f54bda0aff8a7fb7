# SPDX-License-Identifier: GPL-2.0-or-later
"""readers/: outputs of every generation of sysbench, and of pgbench, figure by figure.

The texts are in testdata.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import subprocess
import time

import pytest

from .. import LabError, readers, testing
from ..results import figures
from . import own_text, pgbench, sysbench_text
from .testdata.outputs import LOG, OLD_PGBENCH, PGBENCH, SUMS, V04, V05, V10, V11

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/data")


PROGRAMS = [os.environ.get("SB_SYSBENCH", ""), os.path.join(DATA, "../../build/src/sysbench")]


def read_text(tmp_path: pathlib.Path, text: str, name: str = "x.txt") -> readers.Source:
    (tmp_path / name).write_text(text)
    return readers.read(str(tmp_path / name))


OURS = pathlib.Path(DATA, "report-rate.txt").read_text()
HEAD, TAIL = V10.split("SQL statistics:")
EARLY = TAIL.replace("2203.69", "1.00").replace(" 5.10", " 9.99")
PAUSE = "progress: 1.0 s, 0.0 tps, lat NaN ms stddev NaN\nprogress: 3.0 s, 30.0 tps, lat 2 ms\n"
RETRIES = "".join("0 %d 1000 0 1795374013 %d %d\n" % (i, i, i % 3) for i in range(9))
TEXTS = {
    "0.4": V04,
    "0.4 without an event": V04.replace("events:              10001", "events:              0"),
    "0.4 of a handful of events": V04.replace("28.72ms", "10000000.00ms"),
    "0.5": V05,
    "1.0": V10,
    "1.0 with a checkpoint": "%s[ 5s ] Checkpoint report:\nSQL statistics:%sSQL statistics:%s"
    % (HEAD, EARLY, TAIL),
    "1.1": V11,
    # its more exact block, not the transactions until the last one ended
    "ours": OURS.replace("2500   (499.96", "2500   (498.00"),
    "pgbench": PGBENCH,
    "pgbench without its end": PGBENCH.split("transaction type")[0],
    "pgbench with a pause": PAUSE,
    "an old pgbench": OLD_PGBENCH,
    "a log of pgbench": LOG,
    "a log with retries": RETRIES,  # a seventh field may be those
    "a log with retries and lag": RETRIES.replace("\n", " 0\n"),
    "an aggregated log": SUMS,
}


def test_figures(tmp_path: pathlib.Path) -> None:
    """All that is read of each, or what differs from the text of which it is a variant: of
    percentiles only the one that is there, n/a where a figure would be nonsense."""

    def read(name: str) -> str:
        source = read_text(tmp_path, TEXTS[name])
        ((cell, (row,)),) = [(c, c.rows) for c in source.cells]
        figures = {k: "%.9g" % v if isinstance(v, float) else repr(v) for k, v in row.items()}
        lines = ["%s: %s" % (source.name, source.kind), "%s" % cell.labels, *source.notes]
        return "\n".join([*lines, *("%s %s" % item for item in figures.items())])

    def said(name: str) -> str:
        plain = max((n for n in TEXTS if name.startswith(n + " ")), key=len, default="")
        return testing.changed(read(plain), read(name)) if plain else read(name)

    assert testing.retold("readers", said) == testing.cases("readers")


def test_own_text() -> None:
    """The numbers of a text report, whose empty lines have a point here."""

    def said(text: str) -> str:
        found = own_text.parse(re.sub(r"(?m)^[.]$", "", text) + "\n\n")
        return "\n".join("%s %r" % item for item in found.items() if item[1] is not None)

    assert testing.retold("own-text", said) == testing.cases("own-text")


@pytest.mark.parametrize("banner", [V04, V05, V10])
def test_the_generation_is_known_without_the_banner(tmp_path: pathlib.Path, banner: str) -> None:
    kind = read_text(tmp_path, banner.split("\n", 1)[1]).kind
    assert kind.split(",")[0] in banner


def test_an_interrupted_run_is_noted(tmp_path: pathlib.Path) -> None:
    when = "(SIGINT after 2.9 s of 600 s)"
    text = OURS.replace("SQL statistics:", "Interrupted %s\n\nSQL statistics:" % when)
    held = re.compile(r"(sustained: +yes)(.*)")
    text = held.sub(r"\1 until it was interrupted %s\2" % when, text)
    source = read_text(tmp_path, text)
    assert source.notes == ["x.txt: the run was interrupted: " + when.strip("()")]
    assert source.cells[0].rows[0]["sustained"] == "yes"


def test_several_runs_in_one_file_are_cells_and_repeats(tmp_path: pathlib.Path) -> None:
    other = V10.replace("threads: 2", "threads: 16")
    source = read_text(tmp_path, V10 + V10.replace("2203.69", "2000.00") + other)
    found = [(c.labels["load.threads"], [r["tps"] for r in c.rows]) for c in source.cells]
    assert found == [("2", [2203.69, 2000.0]), ("16", [2203.69])]


# ---- pgbench's logs ------------------------------------------------------------


def test_logs_of_threads_are_one_run_and_processes_are_repeats(tmp_path: pathlib.Path) -> None:
    half = LOG.splitlines(keepends=True)
    files = {"l.7": half[0], "l.7.1": half[1], "l.7.2": "".join(half[2:]), "l.8": LOG, "notes": "?"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    source = readers.read(str(tmp_path))
    assert len(source.cells) == 1 and source.cells[0].rows[0] == source.cells[0].rows[1]
    whole = readers.read(str(tmp_path / "l.7"))
    assert whole.cells[0].rows == [source.cells[0].rows[1]] and not whole.notes
    given = [str(tmp_path / name) for name in ("l.7", "l.7.1", "l.7.2", "l.8")]
    assert readers.runs(given) == [given[0], given[3]]
    assert readers.runs(given[1:]) == given[1:]
    (note,) = readers.read(given[1]).notes
    assert note.startswith("l.7.1: by its name the log of one thread") and "l.7 for all" in note


def test_an_aggregated_log_has_its_throughput_from_the_inner_intervals(
    tmp_path: pathlib.Path,
) -> None:
    """Of two threads, the second of which did not log the last interval."""
    line = "%d %d 1000 9 1 9 0 0 0 0 0\n"
    counts = {"": (10, 50, 40, 50), ".1": (5, 60, 60)}
    for name, numbers in counts.items():
        text = "".join(line % (1795374020 + i, n) for i, n in enumerate(numbers))
        (tmp_path / ("l.7" + name)).write_text(text)
    source = readers.read(str(tmp_path / "l.7"))
    (row,) = source.cells[0].rows
    assert (row["tps"], row["done"], row["seconds"]) == (105, 210, 2)
    assert row["response_mean_ms"] == pytest.approx(7000 / 275 / 1e3)
    assert "the first and the last are incomplete" in source.notes[0]


@pytest.mark.parametrize("cut", range(1, len("1 4 7000 0 1795374014 200000 900\n")))
def test_a_torn_last_line_does_not_count(tmp_path: pathlib.Path, cut: int) -> None:
    torn = "1 4 7000 0 1795374014 200000 900\n"[:-cut]
    (row,) = read_text(tmp_path, LOG + torn, "pgbench_log.7").cells[0].rows
    assert row["done"] == 3 and row["lag_max_ms"] == 2.5


# ---- what stands in front of lines, and long texts -------------------------------


@pytest.mark.parametrize(
    "stamp",
    [
        "Nov  8 09:00:01 ",  # ts
        "[2026-11-28 12:00:00] ",
        "2026-11-28 12:00:00.123 ",
        "2026-11-28T12:00:00.123456789Z ",  # docker, kubectl
        "2026-11-28T12:00:00,1+01:00 stdout F ",
        "1795374013.12 ",
        "00:01:12\t",
        "Nov 28 12:00:00 db-1 sysbench[4711]: ",
    ],
)
@pytest.mark.parametrize("text", [V04, V05, V10, V11, PGBENCH, OURS])
def test_a_time_in_front_of_each_line_is_left_out(
    tmp_path: pathlib.Path, text: str, stamp: str
) -> None:
    stamped = "".join((stamp + line).rstrip() + "\n" for line in text.splitlines())
    assert read_text(tmp_path, stamped) == read_text(tmp_path, text)


@pytest.mark.parametrize(
    "unit",
    [
        "\n", " \n", "\t\n", "    transactions:\n", "Rate:\n", "Number of threads: 1\n",
        "    sustained:    yes until it was interrupted (\n", "    sustained:  yes: a", " ", ")",
        "Interrupted (", "sysbench 1.0.20 ", "schedule lag: avg 1", "progress: 1 s, 1 tps, lat 1 ",
        "[1764372344] ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", [V10, OURS, PGBENCH])
def test_the_time_grows_as_the_text_does(text: str, unit: str) -> None:
    """Not with its square: eight times the text, much less than 64 times the time."""
    head, _, tail = text.partition("\n    ")

    def seconds(n: int) -> float:
        long, found = head + "\n    sustained:  yes: x" + unit * n + "\n    " + tail, []
        for _ in range(3):
            began = time.process_time()
            for said in (long, readers.STAMP.sub("", long)):
                pgbench.read("x", said) or sysbench_text.read("x", said)
            found.append(time.process_time() - began)
        return min(found)

    assert seconds(4000) < 24 * seconds(500) + 0.01


# ---- labs, reports, and what is none of these ----------------------------------


def test_lab(tmp_path: pathlib.Path) -> None:
    directory = testing.make_results(str(tmp_path / "lab"), xs=(1, 16), repeats=2)
    source = readers.read(directory + "/")
    assert (source.name, source.kind, len(source.cells)) == ("lab", "lab", 4)
    assert source.cells[3].labels == {"arm": "pool-of-threads", "load.threads": "16"}
    assert [r["run"] for r in source.cells[3].rows] == [4, 5]
    assert list(source.environments) == ["one-thread-per-connection", "pool-of-threads"]
    assert not source.notes


def test_a_factor_of_one_level_is_no_label_and_an_unfinished_lab_says_so(
    tmp_path: pathlib.Path,
) -> None:
    directory = testing.make_results(str(tmp_path / "lab"), arms=1, xs=(1, 16), repeats=1)
    tree = json.loads((tmp_path / "lab/lab.json").read_text())
    (tmp_path / "lab/lab.json").write_text(json.dumps(dict(tree, state="interrupted")))
    source = readers.read(directory)
    assert source.cells[0].labels == {"load.threads": "1"}
    assert source.notes == ["lab is not finished: 2 of 2 runs"]


def test_report(tmp_path: pathlib.Path) -> None:
    exp = testing.make_experiment(1, (16,), 1, 1)
    plan = testing.make_plan(exp)
    report = testing.make_report(exp, plan.cells[0], plan.runs[0], random.Random(1))
    source = read_text(tmp_path, json.dumps(report), "r.json")
    assert source.kind == "json report" and source.cells[0].labels == {"load.threads": "16"}
    assert source.cells[0].rows[0]["tps"] == 1200 and not source.notes
    report["end"]["status"] = "interrupted"
    source = read_text(tmp_path, json.dumps(report), "r.json")
    assert source.notes == ["r.json is the report of a run that did not complete: interrupted"]


def test_what_is_no_result(tmp_path: pathlib.Path) -> None:
    says = testing.called(read=lambda text: read_text(tmp_path, text))
    found = testing.retold("no-results", lambda text: says(text).replace(str(tmp_path), "DIR"))
    assert found == testing.cases("no-results")


def test_what_is_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(LabError, match="cannot read .*/none: No such file"):
        readers.read(str(tmp_path / "none"))
    with pytest.raises(LabError, match="no lab.json and no log of pgbench"):
        readers.read(str(tmp_path))


def test_text_and_json_of_one_run_agree(tmp_path: pathlib.Path) -> None:
    """The program itself writes both: every figure that the text has is the json's, rounded."""
    program = next(filter(os.path.exists, PROGRAMS), None)
    if program is None:
        pytest.skip("no sysbench is built")
    files = [str(tmp_path / n) for n in ("r.json", "r.txt")]
    options = ["--tx-rate=200", "--time=1", "--percentile=95,99.9", "--verbosity=0"]
    options += ["--cpu-max-prime=100", "--report-file=" + ",".join(files)]
    subprocess.run([program, "cpu", *options, "run"], check=True, timeout=50)
    (exact,), (shown,) = (readers.read(f).cells[0].rows for f in files)
    common = [k for k, v in shown.items() if isinstance(v, float) and exact.get(k) is not None]
    assert len(common) >= 25 and "response_p99_9_ms" in common
    for name in common:
        decimals = figures.column(name).decimals
        step = {"response_max_ms": 3, "seconds": 4}.get(name, min(decimals, 3))
        assert shown[name] == pytest.approx(exact[name], abs=0.51 * 10**-step, rel=1e-3), name
