# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the types that the modules hand to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from .lab import Lab

Figures = Dict[str, Any]  # figures of a run by name; None where a program does not show one
Record = Dict[str, Any]  # a line of runs.jsonl: section, case, program, figures, noise, ...
Records = List[Record]
Case = Dict[str, Any]  # what distinguishes the runs of a section: {"threads": 4}
Key = Tuple[str, Any]  # a section and one of its servers; None: the section has no servers
StallPlan = Tuple[str, float, Optional[float]]  # who is stopped, when, for how long; None: for good
Argv = Callable[["Lab"], List[str]]  # a command line, once the laboratory is open
