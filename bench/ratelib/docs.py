# SPDX-License-Identifier: GPL-2.0-or-later
"""The generated part of docs/benchmarks.md: what stands between two markers."""

from __future__ import annotations

import os

from .runner import LabError

BEGIN = "<!-- bench/rate.py --update-docs: begin -->"
END = "<!-- bench/rate.py --update-docs: end -->"


def update(path: str, text: str) -> None:
    """Replaces what stands between the markers; everything else is left alone."""
    with open(path) as f:
        before, begin, rest = f.read().partition(BEGIN + "\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LabError("%s has no lines '%s' and '%s'" % (path, BEGIN, END))
    with open(path + ".new", "w") as f:
        f.write(before + begin + "\n" + text.strip() + "\n\n" + end + after)
    os.rename(path + ".new", path)
