# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/nightly: its table, its exit status, a part that hangs, and that its parts exist."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import pytest

from .build import SOURCE


@pytest.fixture
def nightly(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_loader(
        "nightly", SourceFileLoader("nightly", os.path.join(SOURCE, "tests", "nightly"))
    )
    assert spec and spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "nightly", module)  # NamedTuple looks its module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "commands, options, status, said",
    [
        (["echo 7 passed", "true"], "", 0, r"one +passed +\d+\.\d min  7 passed\ntwo +passed"),
        (["true", "true"], "", 0, "2 parts: 2 passed, 0 failed$"),
        (["echo 1 failed; exit 1", "true"], "", 1, r"one +failed .* 1 failed\ntwo +passed"),
        (["exit 1", "true"], "", 1, "2 parts: 1 passed, 1 failed$"),
        (["echo only root may; exit 80", "true"], "", 0, "one +skipped .* only root may$"),
        (["exit 80", "true"], "", 0, "2 parts: 1 passed, 0 failed, 1 skipped$"),
        (["exec sleep 1000"], "--hours=0.00001", 1, "one +failed .* no end within 1e-05 hours$"),
        (["exit 1", "true", "exit 1"], "--only=two", 0, "two"),
        (["exit 1", "true", "exit 1"], "--skip=one,three", 0, "two"),
    ],
)
def test_parts(
    nightly: Any,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
    commands: list[str],
    options: str,
    status: int,
    said: str,
) -> None:
    nightly.PARTS[:] = [
        nightly.Part(name, name, "/bin/sh -c " + shlex.quote(command))
        for name, command in zip(("one", "two", "three"), commands)
    ]
    assert nightly.main([*options.split(), "--dir=%s" % tmp_path]) == status
    out = capsys.readouterr().out
    assert re.search("^" + said, out, re.M), out


def test_its_parts(nightly: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        nightly.main(["--only=drils"])
    assert "no part 'drils'" in capsys.readouterr().err
    for part in nightly.PARTS:
        words = part.command(nightly.parse([]))
        assert os.access(words[0], os.X_OK), shlex.join(words)
