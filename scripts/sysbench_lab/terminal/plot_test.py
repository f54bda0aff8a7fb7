# SPDX-License-Identifier: GPL-2.0-or-later
"""The curve in a terminal, to the character."""

from __future__ import annotations

import dataclasses

import pytest

from .. import LabError, testing
from . import text_tables
from .text_tables_test import experiment, sample, spread, summary


def test_two_arms() -> None:
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


@pytest.mark.parametrize(
    ("low", "high", "log", "values"),
    [
        (0, 400, False, [0, 100, 200, 300, 400]),
        (0, 1, False, [0, 0.5, 1]),
        (1, 100, True, [1, 2, 5, 10, 20, 50, 100]),
        (0.5, 50000, True, [1, 10, 100, 1000, 10000]),
    ],
)
def test_round_values(low: float, high: float, log: bool, values: list[float]) -> None:
    assert text_tables.round_values(text_tables.Axis(low, high, log), 4) == values
