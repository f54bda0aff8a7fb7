# SPDX-License-Identifier: GPL-2.0-or-later
"""One report of a run: when it was read, what it can have counted, and what its figures are
called."""

from typing import Any, Callable, Dict

from .record import Cut, Record, Transaction

LATE = 1_000_000  # ns of lag from which a start is late
Figures = Dict[str, Any]
SERIES: Dict[str, Callable[[Transaction], int]] = {
    "response": lambda t: t.response,
    "service": lambda t: t.service,
    "lag": lambda t: t.lag,
}


def ns(seconds: float) -> int:
    return round(seconds * 1e9)


def samples_of(figures: Figures, series: str) -> int:
    """How many transactions are in the percentiles of a report's series."""
    return (
        figures["latency"]["samples"]
        if series == "latency"
        else figures["rate"][series + "_samples"]
    )


def part(rate: Figures, series: str) -> Figures:
    """The figures of a series under their own names."""
    return {k[len(series) + 1 :]: v for k, v in rate.items() if k.startswith(series + "_")}


class Reading:
    """One report: when it was read, and what it can have counted."""

    def __init__(self, record: Record, figures: Figures, due: int, final: bool) -> None:
        self.record, self.figures, self.final = record, figures, final
        self.due = record.began + due
        self.at = record.began + ns(figures["elapsed_s"])
        self.samples: Dict[str, int] = {}  # in the histograms, since measuring began

    def counted(self, outcome: str) -> Cut:
        if self.final:
            return self.record.everything(outcome)
        return self.record.cut(self.due, self.at, outcome)

    def exact(self) -> Cut:
        """What it has counted as done, knowing how many it says that is."""
        return self.counted("done").narrowed(self.figures["total"]["transactions"])

    def recorded(self, series: str) -> Cut:
        """What a histogram held; all are read after the counts, one after the other."""
        if self.final:
            return self.record.everything("done")
        return self.record.cut(self.due, None, "done").narrowed(self.samples[series])
