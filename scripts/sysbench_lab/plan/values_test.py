# SPDX-License-Identifier: GPL-2.0-or-later
"""What each kind of value takes."""

from __future__ import annotations

import pytest

from sysbench_lab.plan import values

BOUNDS = (
    ("p99<20ms", True),
    ("p99.9 <= 1.5s", True),
    ("p95<5ms and errors<1%", True),
    ("mean<300us, max<1s", True),
    ("service p99<20ms", True),
    ("lag_p99<20ms and server cpu<50%", True),
    ("client-cpu<=50%", True),
    ("p99", False),
    ("p99>20ms", False),
    ("p99<20", False),
    ("p100<20ms", False),
    ("p0<20ms", False),
    ("p0.0<20ms", False),
    ("p0.5<20ms", True),
    ("errors<1", False),
    ("tps<5%", False),
    ("p99<20ms and", False),
    ("p99<20ms or p95<5ms", False),
    (" ", False),
)


def taken(text: str) -> bool:
    try:
        values.objective(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("text", "good"), BOUNDS)
def test_objective(text: str, good: bool) -> None:
    assert taken(text) == good


@pytest.mark.parametrize("value", [None, 20, ["p99<20ms"]])
def test_no_objective(value: object) -> None:
    with pytest.raises(ValueError, match="takes bounds such as"):
        values.objective(value)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(5, 5.0), (2.5, 2.5), ("500ms", 0.5), ("2m", 120.0), ("2 min", 120.0), ("1h", 3600.0)],
)
def test_seconds(given: object, wanted: float) -> None:
    assert values.seconds(given) == wanted


@pytest.mark.parametrize("given", ["", "x", "5 x", "-1", -1, True, None, 1e10, [5], float("nan")])
def test_no_seconds(given: object) -> None:
    with pytest.raises(ValueError, match="takes a number of seconds"):
        values.seconds(given)


@pytest.mark.parametrize(
    ("given", "wanted"), [("0", "0"), (3, "3"), ("0-3, 8", "0-3,8"), ("0-6:2", "0-6:2")]
)
def test_cpus(given: object, wanted: str) -> None:
    assert values.cpus(given) == wanted


@pytest.mark.parametrize("given", ["", "a", "-1", "0-", "0,,1", "3-0", "0-6:0", True, 1.5, None])
def test_no_cpus(given: object) -> None:
    with pytest.raises(ValueError, match="takes "):
        values.cpus(given)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "1"),
        (2.50, "2.5"),
        (1e-7, "1e-07"),
        (True, "on"),
        (False, "off"),
        ("", "none"),
        ("a b", "a b"),
        (("a", "b"), "a b"),
    ],
)
def test_level_names(value: values.Value, name: str) -> None:
    assert values.level_name(value) == name
