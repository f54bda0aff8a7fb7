# SPDX-License-Identifier: GPL-2.0-or-later
"""What is compared with what, and how it is called."""

from __future__ import annotations

from sysbench_lab.plan import contrasts, experiment, plan
from sysbench_lab.statistics import stats

TREE = {
    "load": {"script": "oltp_read_only"},
    "vary": {
        "server.option.flush": [1, 2],
        "client.prefix": [{"name": "near", "value": ""}, {"name": "far away", "value": "far"}],
        "load.table-size": [10, 20],
        "load.threads": [1, 16, 64],
    },
}
EXP = experiment.from_dict(TREE, "test")


def test_each_factor_is_compared_within_each_level_of_the_others() -> None:
    """Size and connections are other work."""
    summaries = stats.summarise(EXP, plan.make(EXP), [])
    found = contrasts.contrasts(EXP, summaries)
    assert [one.name for one in found] == ["flush 2 against 1", "far away against near"]
    assert [len(one.pairs) for one in found] == [2 * 2 * 3] * 2
    for one in found:
        for base, other in one.pairs:
            both = base.cell.levels.items() ^ other.cell.levels.items()
            assert {k for k, _ in both} == {one.factor}
    assert contrasts.compared(EXP, summaries) == [one.name for one in found]
    assert contrasts.place(EXP, summaries[-1].cell) == ("20", "64")


def test_the_baseline_is_named_as_it_is_written_or_shown() -> None:
    cells = plan.make(EXP).cells
    for name in ("2", "flush 2", "2, near", "flush 2, near"):
        exp = EXP.with_measure(baseline=name)
        assert contrasts.baseline(exp, cells) == {
            "server.option.flush": "2",
            "client.prefix": "near",
        }
