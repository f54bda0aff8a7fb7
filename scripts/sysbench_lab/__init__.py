# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab: an experiment with sysbench, from a file to the answer.

Each package says in its __init__.py what is in it, and imports only from those above it:

    paths.py       where the sysbench to run, the examples and the version are
    servers/       private servers; scripts/dbserver and the tests use them too
    plan/          a TOML file or flags become an Experiment, and that an order of runs
    target/        the server under test
    results/       the directory of an experiment, and the figures of a run
    statistics/    what follows from the runs: medians, effects, sentences
    run/           does the runs
    terminal/      tables, a curve in text, progress
    readers/       other results: labs, reports, stock's text, pgbench
    compare/       results side by side, with a verdict
    pictures/      PNG and SVG
    page/          one HTML page that needs no network
    commands.py    run, plan, resume, show, find, compare, examples
    main.py        the command line

servers/, readers/own_text.py and this file need the standard library of Python 3.8 only; the rest
needs Python 3.9, before 3.11 the package tomli, and says which package is missing when one is.
"""

import contextlib
from typing import Iterator, Type


class LabError(Exception):
    """A failure that its message explains in one sentence; no traceback wanted."""

    status = 1  # of the program


class Disturbed(LabError):
    """The machine is too busy to measure anything."""

    status = 4


@contextlib.contextmanager
def failing(what: str, *kinds: Type[Exception]) -> Iterator[None]:
    """An error within becomes a sentence: what failed, and why.  Of the system, or of `kinds`."""
    caught = kinds or (OSError,)
    try:
        yield
    except caught as e:
        raise LabError("%s: %s" % (what, getattr(e, "strerror", None) or e)) from e


def content(path: str) -> str:
    """A file as text; "" if it cannot be read."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as f:
        return f.read()
    return ""
