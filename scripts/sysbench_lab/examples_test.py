# SPDX-License-Identifier: GPL-2.0-or-later
"""Each example runs: as it is planned, in a small way, against private servers.  Command lines of
contrib/ are those of a sysbench of today.

What is made small is time, repeats, connections and rows; all else is the example's own, but for
what this machine need not have.  Nothing is drawn.
"""

from __future__ import annotations

import pathlib
import re

import pytest

from sysbench_lab import LabError, commands, main, paths
from sysbench_lab.results.results_dir import ResultsDir
from sysbench_lab.run import rehearsal
from sysbench_lab.run.client import Surroundings
from sysbench_lab.servers import programs
from sysbench_lab.target import target
from sysbench_lab.testdata.runner_cases import needs, needs_sysbench, sysbench

SHORT = ["--time=1", "--warmup=0", "--repeats=1", "--threads=2", "--plain",
         "--set=measure.disturbed_pct=100"]  # fmt: skip
BRIEF = [*SHORT, "--set=load.events=20"]
FEW = "--table-size=0.1k"
FEW_ROWS = [*BRIEF, FEW]
# By example: its flags, and how many runs they leave.
RUNS = {
    "allocators": (FEW_ROWS, 2),
    "change-at-mid-run": ([*SHORT, FEW, "--set=hooks.mid-run.at=0.3"], 2),
    "constant-rate": (FEW_ROWS, 2),
    "constant-rate-far": ([*FEW_ROWS, '--set=hooks.before="true"'], 4),
    "flat-out": (FEW_ROWS, 2),
    "highest-rate": (
        [*SHORT, FEW, "--time=6", "--set=load.tx-find='p99<20ms,step=0.5,steps=8,confirm=1'"], 2),
    "off-cpu": (FEW_ROWS, 2),
    "two-load-hosts": (FEW_ROWS, 4),
    "until-known": (FEW_ROWS, 2),
    "workloads": ([*BRIEF, "--set=load.oltp-table-size=0.1k"], 10),
}  # fmt: skip


def test_all_of_them() -> None:
    assert sorted(RUNS) == paths.example_names()


@needs_sysbench
def test_command_lines_of_contrib() -> None:
    """Of the job of Kubernetes and the unit of systemd: sysbench knows their options."""
    contrib = pathlib.Path(paths.TREE, "contrib")
    job = (contrib / "kubernetes/sysbench.yaml").read_text(encoding="utf-8")
    unit = (contrib / "systemd/sysbench@.service").read_text(encoding="utf-8")
    conf = (contrib / "systemd/README.md").read_text(encoding="utf-8")
    start = re.findall(r"^ExecStart=(.*)", unit, re.M)[0].replace("${INTERVAL}", "5")
    for name, quotes in re.findall(r'^    (TEST|OPTIONS)=("?.*"?)$', conf, re.M):
        start = start.replace("$" + name, quotes.strip('"'))
    given = re.findall(r"^ +command:\n((?: {12}- .*\n)+)", job, re.M)
    for words in (re.findall(r"- (\S+)", given[0]), start.split()):
        # without what is begun before the driver is met
        kept = [w for w in words[1:-1] if not re.match("--(cluster|threads|metrics)", w)]
        assert kept[0] == "oltp_read_only" and len(kept) > 5 and words[-1] == "run"
        argv = [sysbench(), *kept, "--db-driver=" + rehearsal.DRIVER, "run"]
        rehearsal.refuse(argv, Surroundings.of({}))


@needs("mariadb")
@needs_sysbench
@pytest.mark.parametrize("name", RUNS)
def test_it_runs(
    name: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags, runs = RUNS[name]
    monkeypatch.setattr(commands, "draw", lambda results: [])
    monkeypatch.setenv("SB_SYSBENCH", sysbench())
    path, asked = pathlib.Path(paths.examples(), name + ".toml"), name
    text = path.read_text(encoding="utf-8")
    mine = text.replace("/opt/mariadb/bin/mariadbd", programs.find("mariadbd") or "")
    try:
        target.check_can_load({"server.preload": "libjemalloc.so.2"}, {})
    except LabError:
        mine = mine.replace("libjemalloc.so.2", "libm.so.6")
    if mine != text:
        asked = str(tmp_path / path.name)
        pathlib.Path(asked).write_text(mine, encoding="utf-8")
    assert main.main(["plan", asked]) == 0, capsys.readouterr()  # with its own values
    directory = str(tmp_path / "results")
    done = main.main(["run", asked, *flags, "--results=" + directory])
    said = capsys.readouterr()
    assert done == 0, said
    rows = ResultsDir(directory).rows
    assert [row["status"] for row in rows] == ["done"] * runs, [row["why"] for row in rows]
    assert all(row["done"] or row["events"] for row in rows)
