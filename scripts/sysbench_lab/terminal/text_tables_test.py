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


def test_table_of_two_arms() -> None:
    exp = experiment()
    assert text_tables.table(exp, sample(exp)) == (testing.data("table_two_arms.txt"))


def test_table_without_axis_names_each_cell_on_its_own_line() -> None:
    exp = experiment(x="")
    cells = [
        summary(exp, "one-thread", "1", {"tps": spread(10.0)}),
        summary(exp, "pool", "1", {"tps": spread(9.0)}, False, "failed"),
    ]
    assert text_tables.table(exp, cells) == (testing.data("table_without_axis.txt"))


def test_skewed_runs_have_their_range_and_no_distance_on_both_sides() -> None:
    """44±241 ms would read as negative times."""
    exp = experiment(("1",))
    cells = [summary(exp, "pool", "1", {"response_p95_ms": spread(44.0, 5.3, 284.0)})]
    medians, ranges = text_tables.table(exp, cells).splitlines()[5:7]
    assert medians.endswith(" |     44.0") and ranges.endswith(" | 5.30-284")


def test_why_the_rate_was_not_held_is_below_the_table() -> None:
    exp = experiment()
    cells = [
        dataclasses.replace(s, why="the only client was busy" if s.flag else "")
        for s in sample(exp)
    ]
    lines = text_tables.table(exp, cells).splitlines()
    assert "! 128 connections: none of 3 sustained: the only client was busy" in lines


WIDE = {"server_usr_pct": 12.3, "server_sys_pct": 45.6, "server_cpu_pct": 57.9}


@pytest.mark.parametrize(
    ("tps", "ms", "line", "below"),
    [
        # all fits; no space after the bars; no ranges
        (
            1200.0,
            1.0,
            "        128 | 1200 |      12.3 |      45.6 |      57.9 |      1.00 |      1.00",
            "            |      | 12.3-22.2 | 45.6-55.5 | 57.9-67.8 | 1.00-10.9 | 1.00-10.9",
        ),
        (
            1234.0,
            1234.0,
            "        128 |     1234 |     12.3 |     45.6 |     57.9 |     1234 |     1234",
            "            |1234-1244 |12.3-22.2 |45.6-55.5 |57.9-67.8 |1234-1244 |1234-1244",
        ),
        (
            123456789012.0,
            123456789012.0,
            "        128 |123456789012 |    12.3 |45.6 |57.9 |123456789012 |123456789012",
            "median of 3 runs; no room for their range: see table.csv",
        ),
    ],
)
def test_table_fits_80_columns(tps: float, ms: float, line: str, below: str) -> None:
    exp = experiment()
    values = {**WIDE, "tps": tps, "response_mean_ms": ms, "response_p95_ms": ms}
    figures = {k: spread(v, v, v + 9.9 if k != "tps" or v > 1200 else v) for k, v in values.items()}
    text = text_tables.table(exp, [summary(exp, "pool", "128", figures)])
    assert text.splitlines()[5:7] == [line, below]
    assert all(len(t) <= 80 for t in text.splitlines())


def test_medians_that_do_not_add_up_are_explained() -> None:
    exp = experiment()
    figures = {
        "server_usr_pct": spread(1.0, 1.4, 1.5),
        "server_sys_pct": spread(0.9, 0.5, 0.1),
        "server_cpu_pct": spread(1.6, 1.9, 1.6),
    }
    cells = [summary(exp, "pool", "1", figures)]
    text = text_tables.table(exp, cells)
    assert "each column has its own median: %usr and %sys need not add up to %cpu" in text
    assert "Each column has its own median: user and system" in parts.spread_note(cells)
    assert "own median" not in parts.spread_note(sample(exp))


def test_a_percentile_of_few_transactions_is_marked() -> None:
    exp = experiment()
    figures = {"response_p95_ms": spread(0.9, 0.97, 1.0), "done": spread(19, 30, 30)}
    cells = [summary(exp, "pool", "1", figures), summary(exp, "pool", "16", {})]
    text = text_tables.table(exp, cells)
    assert "  0.97*\n" in text
    assert "\n* of fewer samples than this percentile needs: the slowest of them\n" in text
    assert parts.figure("response_p95_ms", figures)[0] == "0.970*"
    assert "*: of fewer samples than this percentile needs" in parts.spread_note(cells)
    assert "*" not in text_tables.table(exp, sample(exp)) + parts.spread_note(sample(exp))


def test_cells_that_were_not_run_are_left_out() -> None:
    exp = experiment()
    assert text_tables.table(exp, [dataclasses.replace(sample(exp)[0], runs=0)]) == ""


def test_cells_without_a_run_that_counts_have_no_median() -> None:
    """Their flags say so; "median of 0 to 3 runs" would not."""
    exp = experiment()
    failed = dataclasses.replace(
        sample(exp)[0], counted=0, figures={}, flag="all failed", sustained=0
    )
    assert "run" not in text_tables.table(exp, [failed]).partition("all failed")[2]
    text = text_tables.table(exp, [failed, *sample(exp)[1:]])
    assert "median of 3 runs" in text and "0 to" not in text


# ---- curves ------------------------------------------------------------------------


def test_a_curve_of_two_arms() -> None:
    exp = experiment()
    assert text_tables.plot(exp, sample(exp), width=60, height=9) == (
        testing.data("plot_two_arms.txt")
    )


def test_logarithmic_figure() -> None:
    exp = experiment()
    cells = [
        summary(exp, "pool", n, {"response_p95_ms": spread(ms, ms, ms)})
        for n, ms in (("1", 0.5), ("16", 5), ("128", 500))
    ]
    assert text_tables.plot(exp, cells, "response_p95_ms", 40, 8) == (
        testing.data("plot_logarithmic.txt")
    )


def test_points_of_few_runs_are_not_joined() -> None:
    exp = experiment()
    cells = [summary(exp, "pool", n, {"tps": spread(5.0, 6.0)}) for n in ("1", "16", "128")]
    text = text_tables.plot(exp, cells, "tps", 40, 8)
    assert text.count("●") == 4 and not any("\u2800" < c < "\u2900" for c in text)
    assert text.endswith("● pool  not joined: fewer than 3 runs\n")


def test_bars_without_an_axis() -> None:
    exp = experiment(x="")
    cells = [
        summary(exp, "one-thread", "1", {"tps": spread(50.0)}, False),
        summary(exp, "pool", "1", {"tps": spread(100.0)}),
        summary(exp, "third", "1", {"tps": spread(0.0)}),
    ]
    assert text_tables.plot(exp, cells, "tps", 60) == (testing.data("plot_bars.txt"))


def test_one_level_is_no_curve() -> None:
    exp = experiment(("16",))
    text = text_tables.plot(exp, [summary(exp, "pool", "16", {"tps": spread(100.0)})], "tps")
    assert "█" in text and "┤" not in text


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


def test_unknown_figure() -> None:
    exp = experiment()
    with pytest.raises(LabError, match="there is no figure 'tpps': give the name of a column"):
        text_tables.plot(exp, sample(exp), "tpps")


def test_figure_that_was_not_measured() -> None:
    exp = experiment()
    with pytest.raises(LabError, match="no run has the figure ipc"):
        text_tables.plot(exp, sample(exp), "ipc")


def test_nothing_measured() -> None:
    exp = experiment()
    with pytest.raises(LabError, match="nothing has been measured: there is nothing to plot"):
        text_tables.plot(exp, [dataclasses.replace(s, runs=0, figures={}) for s in sample(exp)])
