# SPDX-License-Identifier: GPL-2.0-or-later
"""Flags over a file: what replaces what, and the sentence for each mistake."""

from __future__ import annotations

import pathlib
import shlex

import pytest

from sysbench_lab import LabError, main, testing
from sysbench_lab.plan import experiment, flags, keys

from .experiment_test import described

FILE = testing.data("study.toml")
FILES = {
    "study": FILE,
    "hooked": FILE + '[hooks.mid_run]\nat = 20\ncommand = "old"\n',
    "hosts": 'hosts = ["local", "ssh b"]\nload-hosts = 1\n[load]\nscript="cpu"\nthreads=9\n',
}


def test_flags(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over one of these files, and what that changes, or without one."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def said(line: str) -> str:
        args = main.parser().parse_args(["plan", *shlex.split(line)])
        try:
            tree = experiment.read_tree(args.file) if args.file else None
            known = described(experiment.from_dict(tree, "x")) if tree and line != args.file else ""
            new = experiment.from_dict(flags.tree_of(tree, args), "x")
            return testing.changed(known, described(new))
        except LabError as e:
            return str(e).rpartition("x: ")[2]

    assert testing.retold("flags", said) == testing.cases("flags")


def test_every_short_flag_names_a_key() -> None:
    for short in flags.SHORT.values():
        head, _, rest = short.key.partition(".")
        if head == "measure":
            assert rest in keys.MEASURE
        elif rest:
            named = keys.canonical(short.key) == short.key and keys.family_of(short.key)
            assert named or short.key in keys.FIXED
        else:
            assert head in keys.TOP
