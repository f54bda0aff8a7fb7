# SPDX-License-Identifier: GPL-2.0-or-later
"""What stock was seen to send and store, as data in golden/.

    = CASE
    @ STEP STREAM
    line...

One file for each section; only the streams `sql` and `tables` of cases tagged [golden].
Machines without stock compare ours with it.
"""

from __future__ import annotations

import os
from typing import Iterable

from . import PairError, Steps
from .cases import Case

STREAMS = ("sql", "tables")


def path(directory: str, section: str) -> str:
    return os.path.join(directory, section + ".txt")


def write(directory: str, section: str, runs: Iterable[tuple[Case, Steps]]) -> None:
    """`runs`: pairs of a case and the steps that stock ran."""
    with open(path(directory, section), "w", encoding="utf-8") as f:
        f.write("# What sysbench 1.0.20 sent and stored; written by `run --record`.\n")
        for case, steps in runs:
            f.write("= %s\n" % case.text)
            for number, step in enumerate(steps, 1):
                for stream in STREAMS:
                    if stream in step:
                        f.write("@ %d %s\n" % (number, stream))
                        f.writelines("|%s\n" % line for line in step[stream])


def read(directory: str, section: str) -> dict[str, Steps]:
    """Steps by the text of the case."""
    runs: dict[str, Steps] = {}
    steps: Steps = []
    lines: list[str] = []
    try:
        with open(path(directory, section), encoding="utf-8") as f:
            text = f.read()
    except FileNotFoundError:
        raise PairError("there is no %s; --record writes it" % path(directory, section)) from None
    for line in text.split("\n"):
        if line.startswith("= "):
            steps = runs[line[2:]] = []
        elif line.startswith("@ "):
            number, stream = line[2:].split()
            while len(steps) < int(number):
                steps.append({})
            lines = steps[int(number) - 1][stream] = []
        elif line.startswith("|"):
            lines.append(line[1:])
    return runs
