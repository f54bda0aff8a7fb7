# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py: every figure of a row goes back to one of the report; n/a stays n/a."""

from __future__ import annotations

import json
import os
import random
import re
import textwrap
from typing import Any

import pytest

from .. import testing
from ..plan.model import Row
from . import figures


def report(**summary: Any) -> dict[str, Any]:
    exp = testing.make_experiment(1, (16,), 1, 1)
    plan = testing.make_plan(exp)
    found = testing.make_report(exp, plan.cells[0], plan.runs[0], random.Random(1))
    found["summary"].update(summary)
    return found


def test_rows() -> None:
    """Of a report with these changes, in its summary if not said otherwise: all that differs.  With
    several load hosts, the client of the report is the leader alone."""
    plain = figures.row_of(report())

    def said(text: str) -> str:
        given, more = report(), json.loads(text)
        for name, value in more.items():
            of, _, rest = name.partition(".")
            if rest:
                given["summary"][of][rest] = value
            else:
                (given if name in given else given["summary"])[name] = value
        row = figures.row_of(given)
        shown = {k: "%.9g" % v if isinstance(v, float) else repr(v) for k, v in row.items()}
        names = [k for k in row if not more or k not in plain or row[k] != plain[k]]
        none = [k for k in names if row[k] is None] if more else []
        lines = ["%s %s" % (k, shown[k]) for k in names if k not in none]
        return "\n".join(lines + textwrap.wrap("None: " + " ".join(none), 100) * bool(none))

    assert testing.retold("figures", said) == testing.cases("figures")
    assert plain["server_cpu_pct"] == plain["server_usr_pct"] + plain["server_sys_pct"]
    assert plain["tx_per_mcycle"] * plain["cycles_per_tx"] == pytest.approx(1e6)


def test_every_figure_is_in_the_table_and_the_table_is_read() -> None:
    row = figures.row_of(report())
    figures_of_row = {k for k in row if k not in ("started_unix_s", "status", "sustained", "why")}
    assert figures_of_row == set(figures.COLUMNS) - set(figures.FROM_RUNNER)


def test_names_end_in_their_unit() -> None:
    ends = {"ms": "_ms", "%": "_pct", "s": "s", "MiB": "_mib", "us": "us_per_tx", "MHz": "_mhz",
            "W": "_w", "1/kinstr": "_per_kinstr"}  # fmt: skip
    for name, column in figures.COLUMNS.items():
        assert name.endswith(ends.get(column.unit, "")), name
        assert column.title and column.meaning and not column.meaning.endswith(".")


def test_unknown_figure() -> None:
    with pytest.raises(KeyError):
        figures.column("speed")


def test_every_column_is_documented() -> None:
    """docs/lab-results.md has each figure once, with its unit and, in a row of its own, meaning."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/lab-results.md")
    with open(path, encoding="utf-8") as f:
        rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \| (.*) \|$", f.read(), re.M)
    named = [(re.findall(r"`(\w+)`", names), unit, meaning) for names, unit, meaning in rows]
    assert sorted(n for names, _, _ in named for n in names) == sorted(figures.COLUMNS)
    for names, unit, meaning in named:
        assert {figures.COLUMNS[n].unit for n in names} == {unit.strip()}, names
        if len(names) == 1:
            assert meaning == figures.COLUMNS[names[0]].meaning


@pytest.mark.parametrize("own, less", [([700, 100], [700, 100]), ([700, None], [0, 0])])
def test_no_difference_is_one_of_watching(own: list[float | None], less: list[float]) -> None:
    """With a pool of threads nobody knows it.  One run failed."""
    rows: list[Row] = [{figures.COST: 1000, figures.OWN: n} for n in own] + [{figures.COST: None}]
    twice = figures.unwatched(figures.unwatched(rows))
    assert [r[figures.COST] for r in twice] == [*(1000 - n for n in less), None]
