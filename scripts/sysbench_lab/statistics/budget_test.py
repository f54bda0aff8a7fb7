# SPDX-License-Identifier: GPL-2.0-or-later
"""What the time of a transaction went to: by arm, and n/a with its reason."""

from __future__ import annotations

from pathlib import Path

from .. import testing
from ..testdata import event_reports
from .breakdown_test import shown
from .results import Results


def test_budgets(tmp_path: Path) -> None:
    """Of so many repeats: fewer than three compare nothing."""

    def said(repeats: str) -> str:
        made = event_reports.make(str(tmp_path / repeats), "waits", 2, repeats=int(repeats))
        return shown(Results(made.directory))

    assert testing.retold("budgets", said) == testing.cases("budgets")
