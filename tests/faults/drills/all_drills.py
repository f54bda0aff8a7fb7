# SPDX-License-Identifier: GPL-2.0-or-later
"""Imports the modules of drills, in the order in which they run."""

from . import connect, ending, errors, limits, outage, scripts, surroundings, verdicts, waits

__all__ = [
    "connect",
    "ending",
    "errors",
    "limits",
    "outage",
    "scripts",
    "surroundings",
    "verdicts",
    "waits",
]
