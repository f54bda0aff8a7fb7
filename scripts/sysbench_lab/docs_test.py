# SPDX-License-Identifier: GPL-2.0-or-later
"""Documents, manual page and completion have every command, flag and key, and no others.
Command lines that documents and examples print are accepted.
"""

from __future__ import annotations

import ast
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

import sysbench_lab
from sblab import completion
from sysbench_lab import main, paths, testing
from sysbench_lab.plan import experiment, keys, model, plan, toml

DOCS = os.path.join(paths.TREE, "docs")


def text_of(name: str) -> str:
    with open(os.path.join(DOCS, name), encoding="utf-8") as f:
        return f.read()


def flags_of_help() -> set[str]:
    parsers = main.parser().commands.values()
    return {f.name for p in parsers for f in completion.flags_of(p)}


def test_keys_of_the_guide() -> None:
    rows = re.findall(r"^\| (`[^|]*) \|", text_of("lab.md"), re.M)
    named = {name for row in rows for name in re.findall(r"`([a-z._A-Z-]+)`", row)}
    families = {f + "NAME" for f in keys.FAMILIES}
    wanted = {"measure." + k for k in keys.MEASURE} | set(keys.FIXED) | set(keys.TOP) | families
    assert wanted <= named
    dotted = {
        n for n in named if n.split(".")[0] in ("load", "server", "client", "measure") and "." in n
    }
    assert dotted <= wanted


def test_defaults_of_the_guide() -> None:
    """The column of defaults is that of model.Measure."""
    defaults = model.Measure()
    found = re.findall(r"^\| `measure\.(\w+)` \|([^|]*)\|", text_of("lab.md"), re.M)
    assert {key for key, _ in found} == set(keys.MEASURE)
    for key, default in found:
        value = getattr(defaults, keys.field_of(key))
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        assert default.strip() == ("the first arm" if key == "baseline" else shown)


def test_the_experiment_of_the_guide() -> None:
    """The file and its plan are what the program makes of them."""
    guide = text_of("lab.md")
    files = re.findall(r"^```toml\n(.*?)^```", guide, re.M | re.S)
    exp = experiment.from_dict(toml.loads(files[0]), "lab.md")
    shown = re.search(r"^`plan` prints:\n\n```\n(.*?)\n```", guide, re.M | re.S)
    assert shown and shown.group(1) == plan.table(exp, plan.make(exp))
    assert len(files) > 1
    for text in files[1:]:
        experiment.from_dict(toml.loads(text), "lab.md")


def runs_in(text: str) -> list[list[str]]:
    """The words after `sysbench-lab run` of each command line of a document or a comment."""
    joined = re.sub(r"\\\n[# ]*", "", text)
    lines = re.findall(r"^#? {3,}sysbench-lab run (.*)$", joined, re.M)
    return [shlex.split(line, comments=True) for line in lines]


def test_commands_of_load_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of the guide to several load hosts, and of the comments of all examples."""
    guide = text_of("lab-hosts.md")
    named = re.findall(r"^```toml\n(.*?)^```", guide, re.M | re.S)
    comments = [
        re.sub(r"(?m)^[^#].*$", "", path.read_text(encoding="utf-8"))
        for path in sorted(Path(paths.examples()).glob("*.toml"))
    ]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two-hosts.toml").write_text(named[0], encoding="utf-8")
    words = [w for text in [guide, *comments] for w in runs_in(text)]
    assert ["two-hosts.toml"] in words and len(words) > 10
    for line in words:
        main.main(["plan", *line])  # 1 if this machine lacks a server or a library of it
        assert "estimated duration" in capsys.readouterr().out, line


def test_manual_page() -> None:
    page = text_of("sysbench-lab.1").replace("\\-", "-")
    body = page[page.index(".SH COMMANDS") : page.index(".SH EXIT")]
    assert flags_of_help() | {"--version"} == set(re.findall(r"--[a-z][a-z-]*", body))
    for name in main.parser().commands:
        assert re.search(r"^\.BR? .*\b%s\b" % name, page, re.M), name


@pytest.mark.parametrize("name", sorted(completion.SHELLS))
def test_completion_is_up_to_date(name: str) -> None:
    with open(os.path.join(paths.TREE, "scripts", "completion", name), encoding="utf-8") as f:
        found = f.read()
    assert found == completion.SHELLS[name](), "run: python3 -m sblab.completion"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash() -> None:
    script = (
        'source "$1"; shift; COMP_WORDS=(sysbench-lab "$@"); COMP_CWORD=$#\n'
        '_sysbench_lab; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = os.path.join(paths.TREE, "scripts", "completion", "sysbench-lab")

    def offered(words: str) -> str:
        argv = ["bash", "--norc", "-c", script, "bash", path, *words.split()]
        return " ".join(subprocess.check_output(argv, text=True, cwd="/").split())

    assert testing.retold("completion", offered) == testing.cases("completion")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_syntax(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip("no " + shell)
    names = {"bash": "sysbench-lab", "zsh": "_sysbench-lab", "fish": "sysbench-lab.fish"}
    path = os.path.join(paths.TREE, "scripts", "completion", names[shell])
    subprocess.run([program, "-n", path], check=True)


# ---- packages --------------------------------------------------------------------


HERE = pathlib.Path(__file__).resolve().parent
ORDER = re.findall(r"^    (\w+)(?:\.py|/) ", sysbench_lab.__doc__ or "", re.M)


def imported(path: pathlib.Path) -> Iterator[str]:
    """The packages that a file of this package imports, also within functions."""
    inside = path.relative_to(HERE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = [*inside[: len(inside) - node.level + 1], *filter(None, [node.module])]
            yield from [parts[0].partition(".")[0]] if parts else [a.name for a in node.names]


def test_packages_import_only_what_stands_above_them() -> None:
    wrong, files = [], 0
    for path in HERE.rglob("*.py"):
        name = path.relative_to(HERE).parts[0].removesuffix(".py")
        if name not in ORDER or re.search(r"_test\.py|conftest\.py|testdata", str(path)):
            continue
        files += 1
        for other in imported(path):
            if other in ORDER and ORDER.index(other) > ORDER.index(name):
                wrong.append("%s imports %s" % (path.relative_to(HERE), other))
    assert files > 50 and not wrong


def test_the_list_has_every_package() -> None:
    there = {p.parent.name for p in HERE.glob("*/__init__.py")} - {"testdata"}
    assert there <= set(ORDER)
