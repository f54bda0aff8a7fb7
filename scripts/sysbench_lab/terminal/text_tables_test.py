# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and curves in a terminal, to the byte."""

from __future__ import annotations

import dataclasses
from typing import Mapping, Sequence

import pytest

from .. import LabError, testing
from ..page import parts
from ..plan import labels
from ..plan.model import Cell, CellSummary, Experiment, Factor, Level, Measure, Spread
from . import text_tables

ARMS = ("one-thread", "pool")


def experiment(levels: Sequence[str] = ("1", "16", "128"), x: str = "load.threads") -> Experiment:
    handling = "server.option.thread_handling"
    return Experiment(
        name="sample",
        title="A sample",
        question="",
        stays={"server.engine": "mariadb", "load.tx-rate": 1200},
        factors=(
            Factor("arm", tuple(Level(a, {handling: a}) for a in ARMS), False),
            Factor("load.threads", tuple(Level(n, {"load.threads": n}) for n in levels), True),
        ),
        measure=Measure(),
        x=x,
    )


def spread(*values: float) -> Spread:
    order = sorted(values)
    low, high = order[0], order[-1]
    return Spread(len(order), order[len(order) // 2], low, high, low, high, tuple(values))


def summary(
    exp: Experiment,
    arm: str,
    threads: str,
    figures: Mapping[str, Spread],
    held: bool = True,
    flag: str = "",
) -> CellSummary:
    cell = Cell(0, {"arm": arm, "load.threads": threads}, dict(exp.stays))
    n = max((s.n for s in figures.values()), default=0)
    kept, missed = (n, 0) if held else (0, n)
    return CellSummary(cell, labels.levels_text(cell, exp.x), n, n, kept, missed, flag, figures)


def sample(exp: Experiment) -> list[CellSummary]:
    """Two arms; the first does not hold the rate at 128 connections."""
    found = []
    for number, arm in enumerate(ARMS):
        for place, level in enumerate(("1", "16", "128")):
            held = number > 0 or level != "128"
            cost = 240.0 + 30 * number + (60 - 40 * number) * place
            values = {
                "tps": (1200.0, 1199.6, 1200.0) if held else (949.0, 944.0, 951.0),
                "server_usr_pct": (cost / 40, cost / 40 + 0.1, cost / 40 - 0.2),
                "server_sys_pct": (cost / 80, cost / 80 + 0.1, cost / 80 - 0.1),
                "server_cpu_pct": (cost * 3 / 80, cost * 3 / 80 + 0.2, cost * 3 / 80 - 0.3),
                "server_cpu_us_per_tx": (cost, cost + 2, cost - 3),
                "response_mean_ms": (0.46, 0.44, 0.47) if held else (272.0, 270.0, 275.0),
                "response_p95_ms": (0.97, 0.9, 1.0) if held else (577.0, 570.0, 580.0),
            }
            figures = {name: spread(*v) for name, v in values.items()}
            flag = "" if held else "none of 3 sustained"
            found.append(summary(exp, arm, level, figures, held, flag))
    return found


def scenes() -> dict[str, list[CellSummary]]:
    exp, alone = experiment(), experiment(x="")
    first, *others = sample(exp)
    wide = {"server_usr_pct": 12.3, "server_sys_pct": 45.6, "server_cpu_pct": 57.9}

    def pool(level: str = "1", **figures: Spread) -> list[CellSummary]:
        return [summary(exp, "pool", level, figures)]

    def as_wide(tps: float, ms: float) -> list[CellSummary]:
        values = {**wide, "tps": tps, "response_mean_ms": ms, "response_p95_ms": ms}
        ends = {k: v + 9.9 if k != "tps" or v > 1200 else v for k, v in values.items()}
        return pool("128", **{k: spread(v, v, ends[k]) for k, v in values.items()})

    usr, sys, cpu = spread(1.0, 1.4, 1.5), spread(0.9, 0.5, 0.1), spread(1.6, 1.9, 1.6)
    few = pool(response_p95_ms=spread(0.9, 0.97, 1.0), done=spread(19, 30, 30))
    failed = dataclasses.replace(first, counted=0, figures={}, flag="all failed", sustained=0)
    busy = "the only client was busy"
    return {
        "two arms": sample(exp),
        "without an axis": [
            summary(alone, "one-thread", "1", {"tps": spread(10.0)}),
            summary(alone, "pool", "1", {"tps": spread(9.0)}, False, "failed"),
        ],
        "skewed": pool(response_p95_ms=spread(44.0, 5.3, 284.0)),  # 44±241 ms would be negative
        "busy": [dataclasses.replace(s, why=busy * bool(s.flag)) for s in sample(exp)],
        "all fits": as_wide(1200.0, 1.0),  # no space after the bars; no ranges
        "little room": as_wide(1234.0, 1234.0),
        "no room": as_wide(123456789012.0, 123456789012.0),
        "medians apart": pool(server_usr_pct=usr, server_sys_pct=sys, server_cpu_pct=cpu),
        "few transactions": [*few, *pool("16")],
        "not run": [dataclasses.replace(first, runs=0)],
        "failed": [failed],  # "median of 0 to 3 runs" would not say it
        "one failed": [failed, *others],
    }


def test_tables() -> None:
    """And the note on the page; within 80 columns."""

    def said(name: str) -> str:
        cells = scenes()[name]
        text = text_tables.table(experiment(x="" if "without" in name else "load.threads"), cells)
        assert all(len(line) <= 80 for line in text.splitlines())
        lines = (line.rstrip() for line in text.splitlines() if line.strip())
        return "\n".join([*lines, "page: " + parts.spread_note(cells)])

    assert testing.retold("tables", said) == testing.cases("tables")
    whole = text_tables.table(experiment(), sample(experiment()))
    assert whole == testing.data("table_two_arms.txt")
    few = scenes()["few transactions"][0].figures
    assert parts.figure("response_p95_ms", few)[0] == "0.970*"


# ---- curves ------------------------------------------------------------------------


def test_curves() -> None:
    """To the character."""
    exp = experiment()
    slow = [
        summary(exp, "pool", n, {"response_p95_ms": spread(ms, ms, ms)})
        for n, ms in (("1", 0.5), ("16", 5), ("128", 500))
    ]
    arms = (("one-thread", 50.0, False), ("pool", 100.0, True), ("third", 0.0, True))
    bars = [summary(exp, arm, "1", {"tps": spread(v)}, held) for arm, v, held in arms]
    for name, found in (
        ("two_arms", text_tables.plot(exp, sample(exp), width=60, height=9)),
        ("logarithmic", text_tables.plot(exp, slow, "response_p95_ms", 40, 8)),
        ("bars", text_tables.plot(experiment(x=""), bars, "tps", 60)),
    ):
        assert found == testing.data("plot_%s.txt" % name)
    one = text_tables.plot(
        experiment(("16",)), [summary(exp, "pool", "16", bars[1].figures)], "tps"
    )
    assert "█" in one and "┤" not in one
    few = [summary(exp, "pool", n, {"tps": spread(5.0, 6.0)}) for n in ("1", "16", "128")]
    text = text_tables.plot(exp, few, "tps", 40, 8)
    assert text.count("●") == 4 and not any("\u2800" < c < "\u2900" for c in text)
    assert text.endswith("● pool  not joined: fewer than 3 runs\n")


@pytest.mark.parametrize(
    ("rated", "figures", "main"),
    [
        (True, ("tps", "response_p95_ms", "server_cpu_us_per_tx"), "server_cpu_us_per_tx"),
        (True, ("tps", "response_p95_ms"), "response_p95_ms"),
        (True, ("tps",), "tps"),
        (False, ("tps", "server_cpu_us_per_tx"), "tps"),
    ],
)
def test_main_figure(rated: bool, figures: tuple[str, ...], main: str) -> None:
    exp = experiment()
    if not rated:
        exp = dataclasses.replace(exp, stays={})
    cell = summary(exp, "pool", "1", {name: spread(1.0) for name in figures})
    assert text_tables.main_figure(exp, [cell]) == main


def test_what_cannot_be_drawn() -> None:
    cells = sample(experiment())
    none = [dataclasses.replace(s, runs=0, figures={}) for s in cells]
    for some, figure, why in (
        (cells, "tpps", "there is no figure 'tpps': give the name of a column"),
        (cells, "ipc", "no run has the figure ipc"),
        (none, "", "nothing has been measured: there is nothing to plot"),
    ):
        with pytest.raises(LabError, match=why):
            text_tables.plot(experiment(), some, figure)
