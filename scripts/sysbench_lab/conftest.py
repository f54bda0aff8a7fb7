# SPDX-License-Identifier: GPL-2.0-or-later
"""For all tests of this directory: a lock of their own, and no look at what else the machine does.

The laboratories that tests start must not meet one that measures on this machine, nor each other.
"""

from __future__ import annotations

import pathlib
import signal
import sys
from typing import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

# What started the tests may ignore them (nohup), and the laboratories would, too.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def own_lock(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SB_LAB_LOCK", str(tmp_path / "sysbench-lab.lock"))
    monkeypatch.setattr("sysbench_lab.run.disturbance.busy_pct", lambda *_: None)  # others' load
    yield
