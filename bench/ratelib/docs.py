# SPDX-License-Identifier: GPL-2.0-or-later
"""The generated part of a document: what stands between two markers of a script."""

from __future__ import annotations

import os

from .runner import LabError


def update(path: str, text: str, script: str) -> None:
    """Replaces what stands between the script's markers; everything else is left alone."""
    first, last = ("<!-- %s --update-docs: %s -->" % (script, what) for what in ("begin", "end"))
    with open(path) as f:
        before, begin, rest = f.read().partition(first + "\n")
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise LabError("%s has no lines '%s' and '%s'" % (path, first, last))
    with open(path + ".new", "w") as f:
        f.write(before + begin + "\n" + text.strip() + "\n\n" + end + after)
    os.rename(path + ".new", path)
