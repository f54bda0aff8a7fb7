# SPDX-License-Identifier: GPL-2.0-or-later
"""Libraries that cannot be loaded are missed before a server starts; see target_test.py, too."""

from __future__ import annotations

import pathlib
import sys

import pytest

from sysbench_lab import LabError
from sysbench_lab.target import target
from sysbench_lab.testdata.runner_cases import experiment, factor

linux = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")


@linux
def test_a_library_that_is_not_installed() -> None:
    exp = experiment({"load.script": "x"}, factor("a", "server.preload", "", "libnothing.so.7"))
    with pytest.raises(LabError, match="^server.preload: libnothing.so.7 cannot be loaded: "):
        target.make(exp)


@linux
def test_a_file_that_is_no_library(tmp_path: pathlib.Path) -> None:
    (tmp_path / "libx.so").write_text("no library")
    with pytest.raises(LabError, match="libx.so cannot be loaded: "):
        target.check_can_load({"server.preload": str(tmp_path / "libx.so")}, {})


@linux
def test_libraries_that_are_there() -> None:
    target.check_can_load({"server.preload": "libc.so.6:libm.so.6"}, {})
    target.check_can_load({}, {})


@pytest.mark.parametrize(
    ("library", "said", "sentence"),
    [
        (
            "libjemalloc.so.2",
            "ERROR: ld.so: object 'libjemalloc.so.2' from LD_PRELOAD cannot be preloaded "
            "(cannot open shared object file): ignored.",
            "server.preload: libjemalloc.so.2 cannot be loaded: cannot open shared object file; "
            "install Debian's libjemalloc2 (Fedora: jemalloc)",
        ),
        (
            "/opt/libtcmalloc_minimal.so.4",
            "Error loading shared library: No such file\nmore",
            "server.preload: /opt/libtcmalloc_minimal.so.4 cannot be loaded: Error loading shared "
            "library: No such file; install Debian's libtcmalloc-minimal4 "
            "(Fedora: gperftools-libs)",
        ),
        ("libx.so", "no", "server.preload: libx.so cannot be loaded: no"),
    ],
)
def test_sentence(library: str, said: str, sentence: str) -> None:
    assert target.complaint(library, said) == sentence
