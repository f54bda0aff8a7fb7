# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/github-action: its inputs reach the script, which measures a real server and judges."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import xml.etree.ElementTree
from typing import Any

import pytest

from sysbench_lab import paths
from sysbench_lab.servers import programs

ACTION = pathlib.Path(paths.TREE, "contrib/github-action")


@pytest.fixture(scope="module")
def action() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ACTION / "action.yml").read_text())


def environment(action: Any, **given: str) -> dict[str, str]:
    """As GitHub makes it: expressions in the step's env are replaced by the inputs."""
    inputs = {name: about["default"] for name, about in action["inputs"].items()}
    inputs.update({name.replace("_", "-"): value for name, value in given.items()})
    (step,) = action["runs"]["steps"]
    assert step["run"] == '"$GITHUB_ACTION_PATH/gate"' and step["shell"] == "bash"
    found = {k: re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", v) for k, v in step["env"].items()}
    names = {k: m[1] for k, m in found.items() if m}
    assert sorted(names.values()) == sorted(inputs) and len(names) == len(step["env"])
    return {k: inputs[name] for k, name in names.items()}


def run(tmp_path: pathlib.Path, env: dict[str, str]) -> tuple[int, str]:
    scripts = os.path.join(paths.TREE, "scripts")
    path = os.pathsep.join([os.path.dirname(paths.program()), scripts, os.environ["PATH"]])
    files = {n: str(tmp_path / n) for n in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    result = subprocess.run(
        [str(ACTION / "gate")], cwd=tmp_path, env={**os.environ, **env, **files, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return result.returncode, result.stdout


def test_a_server_is_measured_and_judged(tmp_path: pathlib.Path, action: Any) -> None:
    """The change reads a hundred times as many rows, which costs CPU whatever the machine does
    besides.  The same as the base it is no more than inconclusive."""
    if not programs.find("mariadbd"):
        pytest.skip("no MariaDB")
    helper, data = os.path.join(paths.TREE, "scripts/dbserver"), tmp_path / "server"
    subprocess.run([helper, "start", "--dir=%s" % data], check=True, stdout=subprocess.DEVNULL)
    try:
        socket = "--mysql-socket=%s/run/mariadb.sock --mysql-user=sbtest --mysql-db=sbtest" % data
        words = [paths.program(), "oltp_read_only", *socket.split(), "--table-size=20000"]
        subprocess.run([*words, "prepare"], check=True, stdout=subprocess.DEVNULL)
        options = {
            "options": "--table-size=20000 --time=0 " + socket,
            "rounds": "3",
            "base": "--events=100",
        }
        rules = "cpu>+300%\np99>1us"
        change = "--range-size=10000 --events=10"
        slow = environment(action, **options, change=change, history="h.csv", fail_if=rules)
        slow["GATE_BEFORE_CHANGE"] = "echo %s >>before" % shlex.quote("a b")
        status, said = run(tmp_path, slow)
        assert status == 3, said
        assert "cpu>+300%: fails in change-*.json: " in said
        results = tmp_path / "sysbench-gate"
        summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
        assert summary == (results / "summary.md").read_text() and "## Conditions" in summary
        assert (tmp_path / "GITHUB_OUTPUT").read_text() == "status=3\n"
        suite = xml.etree.ElementTree.parse(results / "junit.xml").getroot()
        assert (suite.get("tests"), suite.get("errors")) == ("2", "0")
        assert suite.get("failures") != "0"
        assert len((tmp_path / "h.csv").read_text().splitlines()) == 2
        assert (tmp_path / "before").read_text() == "a b\n" * 3
        more = {"change": "--events=100", "results": "same", "fail_if": "cpu>+900%"}
        same = environment(action, **options, **more)
        assert run(tmp_path, same)[0] == 0
    finally:
        subprocess.run([helper, "stop", "--dir=%s" % data, "--remove"], check=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rounds": "2"}, "gate: rounds: '2' is no number of 3 or more\n"),
        ({"results": "."}, "gate: results: . is there already\n"),
        ({"fail_if": "\n"}, "gate: fail-if: there is no condition\n"),
        ({"before_base": "false"}, "gate: before-base: the command failed\n"),
        ({"fail_if": "tps"}, "sysbench-lab: --fail-if 'tps': write FIGURE>+N%"),
        ({"fail_if": "ipc<1"}, "sysbench-lab: --fail-if 'ipc<1': ipc is n/a in change-1.json: not"),
    ],
)  # fmt: skip
def test_what_is_wrong_ends_it_in_the_first_round(
    tmp_path: pathlib.Path, action: Any, given: dict[str, str], said: str
) -> None:
    env = environment(action, test="cpu", options="--events=10", **given)
    status, text = run(tmp_path, env)
    assert status == 1 and said in text and "round 2" not in text
