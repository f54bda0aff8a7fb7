# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench's own search as a setting: one run of the real program, its answer in
the results."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from sysbench_lab import commands, main
from sysbench_lab.book import Book
from sysbench_lab.testdata.runner_cases import sysbench

SCRIPT = """
ffi.cdef("int usleep(unsigned)")
function event() ffi.C.usleep(20000) end
"""
EXPERIMENT = """
client.program = "%s"
server.kind = "given"

[measure]
time = 30
warmup = 0
repeats = 1
repeat-disturbed = 0

[load]
script = "%s"
prepare = false
threads = 2
tx-rate = 20
tx-find = "p99<10s"
tx-find-step = 0.5
tx-find-precision = 50
tx-find-confirm = 1
"""


@pytest.mark.skipif(not sysbench(), reason="no sysbench built")
def test_the_answer_is_in_the_results(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clients whose transactions take 20 ms do less than 100 a second."""
    monkeypatch.setattr(commands, "draw", lambda results: [])
    (tmp_path / "serial.lua").write_text(SCRIPT)
    (tmp_path / "find.toml").write_text(EXPERIMENT % (sysbench(), tmp_path / "serial.lua"))
    folder = tmp_path / "results"
    assert main.main(["run", str(tmp_path / "find.toml"), "--results=%s" % folder, "--plain"]) == 0
    book = Book.open(str(folder))
    (row,) = book.rows()
    with open(os.path.join(book.run_folder(book.plan.runs[0]), "report.json")) as f:
        found = json.load(f)["summary"]["find"]
    assert (row["status"], row["target_tps"]) == ("done", None)
    assert row["held_tps"] == found["held_per_s"]
    if not found["confirmed"]:
        pytest.skip("no rate held: the machine stood still")
    assert 0 < row["held_tps"] < 100
    assert row["sustained"] == "yes"
    with open(folder / "summary.json", encoding="utf-8") as f:
        assert "held_tps" in f.read()
