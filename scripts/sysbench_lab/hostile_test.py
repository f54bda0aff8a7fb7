# SPDX-License-Identifier: GPL-2.0-or-later
"""Results that somebody else wrote, or that are damaged: the answer, or one sentence that names the
file.  No traceback, no wait, no control character; the mutations of a seed are always the same."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
from typing import Any, Callable, Iterator

import pytest

from sysbench_lab import HIDDEN, LabError, commands, documents, main, owned, readers, testing
from sysbench_lab.readers.testdata.outputs import (
    LOG,
    OLD_PGBENCH,
    PGBENCH,
    SUMS,
    V04,
    V05,
    V10,
    V11,
)
from sysbench_lab.results import series
from sysbench_lab.testdata.runner_cases import TREE, sysbench

LIMIT_S = 120  # of one command; a wait would be endless
ROUNDS = 20
DEEP = "[" * 100000
VALUES: list[Any] = [
    None, [], [[]], {}, "x", "", -1, 0, 1.5, 1e300, 1e24, True, [{}], {"x": []}, "NaN", "\0",
    "\x1b]0;pwned\x07\n\u202e", "\x9b31m", "y" * 20000, [1, [2]], 10**21, "\ud800",
]  # fmt: skip
WORDS = ["1" + "0" * 400, "NaN", "-Infinity", "1e999", DEEP, '"\\ud800"', "[1,", "0x1", '"\\u0000"']
CELLS = [
    "nan", "inf", "1e999", "1" * 400, "x", "", "-1", "99999", '"', "\x1b[31m", "1.5", "²", "\0",
]  # fmt: skip

FIGURES = [
    "9" * 20, "9" * 5000, "9" * 400 + ".5", "1e999", "nan", "1.2.3", "-1", "", "²", "٣", "\x1b[31m",
    "x", "-", "1_0", "0", "n/a",
]  # fmt: skip

Mutate = Callable[[random.Random, pathlib.Path], None]


def parts_of(tree: Any) -> Iterator[tuple[Any, Any]]:
    """All places: a container, and a key of it."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from parts_of(tree[key])


def in_tree(rng: random.Random, path: pathlib.Path) -> None:
    """A value of a JSON document is another one, or is gone."""
    tree = json.loads(path.read_text())
    kinds: dict[str, list[tuple[Any, Any]]] = {}
    for of, key in parts_of(tree):
        kinds.setdefault(re.sub(r"\d+", "", str(key)), []).append((of, key))
    of, key = rng.choice(kinds[rng.choice(sorted(kinds))])
    how = rng.randrange(6)
    if how == 0:
        del of[key]
    elif how == 1:
        of[key] = [copy.deepcopy(of[key])] * 3
    elif how == 2:
        of[key] = "@@"
        path.write_text(json.dumps(tree).replace('"@@"', rng.choice(WORDS)))
        return
    else:
        of[key] = rng.choice(VALUES)
    path.write_text(json.dumps(tree))


def in_cell(rng: random.Random, path: pathlib.Path) -> None:
    """A cell of runs.csv is another one, or is gone."""
    lines = [line.split(",") for line in path.read_text().splitlines()]
    line = rng.choice(lines)
    at = rng.randrange(len(line))
    line[at : at + 1] = [] if rng.randrange(4) == 0 else [rng.choice(CELLS)]
    path.write_text("".join(",".join(line) + "\n" for line in lines))


def in_bytes(rng: random.Random, path: pathlib.Path) -> None:
    text = path.read_bytes()
    at = rng.randrange(len(text))
    more = rng.choice([b"\xff\xfe", b"\0", b"\x1b[2J", b"{", b'"', b"9" * 5000])
    path.write_bytes(rng.choice([text[:at], text[:at] + more + text[at:], b"", more]))


def in_figure(rng: random.Random, path: pathlib.Path) -> None:
    """A number of a text is another one, or none."""
    text = path.read_text()
    found = rng.choice(list(re.finditer(r"[0-9]+(\.[0-9]+)?", text)))
    path.write_text(text[: found.start()] + rng.choice(FIGURES) + text[found.end() :])


def as_a_file(rng: random.Random, path: pathlib.Path) -> None:
    path.unlink()
    how = rng.randrange(3)
    if how == 0:
        path.mkdir()
    elif how == 1:
        os.mkfifo(path)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is damaged may ask for runs; nothing is measured, and pictures take seconds."""

    def none(*_: Any) -> None:
        raise LabError("it would measure")

    monkeypatch.setattr(commands.runner, "run_all", none)
    monkeypatch.setattr(commands.lock, "check", lambda: None)
    monkeypatch.setattr(commands, "draw", lambda results: [])


def tried(argv: list[str], capfd: pytest.CaptureFixture[str], what: str, named: str = "") -> int:
    def late(*_: Any) -> None:
        raise AssertionError("%s: %s takes longer than %d s" % (what, argv, LIMIT_S))

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT_S)
    try:
        status = main.main(argv)
    except Exception as e:
        raise AssertionError("%s: %s: %r" % (what, argv, e)) from e
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    said = capfd.readouterr()
    assert status in (0, 1, 3, 4), (what, argv, said.err)
    assert (status == 1) == bool(said.err), (what, argv, said)
    assert status != 1 or named in said.err, (what, argv, said)
    assert said.err.count("\n") == (status == 1) and len(said.err) < 1000, (what, argv, said.err)
    assert not HIDDEN.search((said.out + said.err).replace("\n", "")), (what, argv)
    return status


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("hostile") / "results"
    testing.make_results(str(made), xs=(1, 16), repeats=2)
    return made


@pytest.mark.parametrize("mutate", [in_tree, in_bytes, as_a_file], ids=lambda m: str(m.__name__))
def test_reports(
    tmp_path: pathlib.Path, folder: pathlib.Path, capfd: pytest.CaptureFixture[str], mutate: Mutate
) -> None:
    """One of the synthetic folder, and one that sysbench wrote."""
    whole = sorted(folder.glob("runs/*/report.json"))[:1]
    if program := sysbench():
        whole.append(tmp_path / "real.json")
        argv = [program, "cpu", "--tx-rate=20:0.2,40:0.2", "--time=0", "--report-interval=0.1"]
        argv += ["--at=0.1", "--do=true", "--host-stats", "--report-environment"]
        argv += ["--report-file=json:%s" % whole[-1], "run"]
        subprocess.run(argv, check=False, capture_output=True)
    rng, refused = random.Random(1), 0
    for n in range(ROUNDS):
        good, path = whole[n % len(whole)], tmp_path / ("%d.json" % n)
        shutil.copy(good, path)
        mutate(rng, path)
        refused += tried(["compare", str(good), str(path)], capfd, "%s %d" % (good, n)) == 1
    assert refused > ROUNDS / 4  # most were wrong, and were found to be


@pytest.mark.parametrize("mutate", [in_figure, in_bytes], ids=lambda m: str(m.__name__))
def test_texts(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], mutate: Mutate) -> None:
    """Reports of every generation, and logs of pgbench."""
    ours = pathlib.Path(TREE, "tests", "data", "report-rate.txt").read_text()
    texts = [V04, V05, V10, V11, PGBENCH, OLD_PGBENCH, LOG, SUMS, ours]
    rng, refused = random.Random(4), 0
    for n in range(5 * ROUNDS):
        good, path = tmp_path / "good", tmp_path / ("%d.txt" % n)
        for to in (good, path):
            to.write_text(texts[n % len(texts)])
        mutate(rng, path)
        refused += tried(["compare", str(good), str(path)], capfd, path.name, path.name) == 1
    assert refused > ROUNDS / 2


@pytest.mark.parametrize(
    "text, why",
    [
        (
            V10.replace("threads: 2", "threads: " + "9" * 40),
            "is no number, or one that is too large",
        ),
        (LOG + "0 9 %s 0 1795374014 1\n" % ("9" * 20), "line 6 is not as those before: '0 9 9"),
        (LOG + "0 9 %s 0 1795374014 1 1\n" % ("9" * 5000), "line 6 is not as those before: '0 9"),
        (SUMS + "x\n", "is not as those before: 'x"),
        (b'{"schema": "\xff"}', "b.txt is no json report"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], text: str | bytes, why: str
) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main.main(["compare", str(path), str(path)]) == 1
    said = capfd.readouterr().err
    assert "b.txt" in said and why in said and said.count("\n") == 1


def test_a_byte_order_mark_is_no_damage(tmp_path: pathlib.Path, folder: pathlib.Path) -> None:
    marked = tmp_path / "results"
    shutil.copytree(folder, marked)
    for path in marked.glob("**/*"):
        if path.suffix in (".json", ".csv"):
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert readers.read(str(marked)) == readers.read(str(folder))
    report = sorted(marked.glob("runs/*/report.json"))[0]
    assert readers.read(str(report)).kind == "json report"


@pytest.mark.parametrize("wrong", [b"\xff", b"\x1b[31m", b"9" * 5000, b"nan", b"-"])
def test_a_damaged_log_of_histograms_is_said(tmp_path: pathlib.Path, wrong: bytes) -> None:
    path = tmp_path / "x.hlog"
    path.write_bytes(b"#" + wrong + b"\nTag=response," + wrong + b",1.0,4.5,AAAA\n")
    with pytest.raises(LabError, match="x.hlog"):
        series.read(str(path))


@pytest.mark.parametrize("name", ["lab.json", "environment.json", "report.json", "runs.csv"])
def test_folders(
    tmp_path: pathlib.Path, folder: pathlib.Path, capfd: pytest.CaptureFixture[str], quick: None,
    name: str,
) -> None:  # fmt: skip
    mutations = [in_cell if name.endswith("csv") else in_tree, in_bytes, as_a_file]
    rng, copied, refused = random.Random(2), tmp_path / "one" / "results", 0
    for n in range(ROUNDS):
        owned.fresh(str(copied.parent))
        shutil.copytree(folder, copied)
        path = next(iter(sorted(copied.glob("**/" + name))))
        rng.choice(mutations if n % 2 else mutations[:1])(rng, path)
        argv = (["show"], ["verdict"], ["compare", str(folder)], ["page"], ["resume"])[n % 5]
        refused += tried([*argv, str(copied)], capfd, "%s %d" % (name, n)) == 1
    assert refused > ROUNDS / 4


def test_experiments(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysbench_lab.WAIT_S", 0.1)
    rng = random.Random(3)
    for n in range(ROUNDS):
        path = tmp_path / ("%d.toml" % n)
        shutil.copy(os.path.join(TREE, "examples", "constant-rate.toml"), path)
        (in_bytes if n % 8 else as_a_file)(rng, path)
        if path.exists():
            tried(["show", "--plot", str(path)], capfd, "toml %d" % n)
            tried(["plan", str(path)], capfd, "toml %d" % n)


def test_what_a_server_said_is_linear_and_visible(
    tmp_path: pathlib.Path, folder: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A terminal obeys an escape sequence, and a value of 200,000 characters ended never."""
    report = sorted(folder.glob("runs/*/report.json"))[0]
    tree = json.loads(report.read_text())
    tree["environment"]["server.variable.x"] = "\x1b]0;pwned\x07\n\u202e\x9bm" + "é" * 200000
    tree["environment"]["server.variable.y"] = "/sysbench-db-" * 20000
    (tmp_path / "b.json").write_text(json.dumps(tree))
    assert main.main(["compare", str(report), str(tmp_path / "b.json")]) == 0
    out = capfd.readouterr().out
    assert not HIDDEN.search(out.replace("\n", "")) and "éé" in out
    assert r"\x1b]0;pwned\x07\x0a\u202e\x9bm" in out


def test_a_place_is_named(tmp_path: pathlib.Path, folder: pathlib.Path) -> None:
    report = sorted(folder.glob("runs/*/report.json"))[0]
    tree = json.loads(report.read_text())
    tree["intervals"][3]["server"]["cpu_user_pct"] = "x"
    (tmp_path / "b.json").write_text(json.dumps(tree))
    why = r"b\.json is damaged: intervals\[3\]\.server\.cpu_user_pct is 'x', no number or null$"
    with pytest.raises(LabError, match=why):
        documents.read(str(tmp_path / "b.json"), "report-1")
