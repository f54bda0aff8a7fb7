# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench-lab: an experiment with sysbench, from a file to the answer.

Each package says in its __init__.py what is in it, and imports only from those above it:

    owned.py       belongs to us, or is refused: what is taken over, executed, locked, removed
    python.py      which Python runs all this, and what it lacks
    paths.py       where the sysbench to run, the examples and the version are
    documents.py   files that a program wrote, checked against docs/schema
    servers/       private servers; scripts/dbserver and the tests use them too
    plan/          a TOML file or flags become an Experiment, and that an order of runs
    target/        the server under test
    results/       the directory of an experiment, and the figures of a run
    statistics/    what follows from the runs: medians, effects, sentences
    run/           does the runs
    terminal/      tables, a curve in text, progress
    readers/       other results: labs, reports, stock's text, pgbench
    compare/       results side by side, with a verdict
    charts/        what is in each chart, as plain data
    pictures/      PNG and SVG
    page/          one HTML page that needs no network
    commands.py    run, plan, resume, show, find, compare, examples
    quickstart.py  the first command: a run that changes in the middle, a short experiment
    main.py        the command line

servers/, owned.py, readers/own_text.py and this file need the standard library of Python 3.8 only
(this file and python.py compile with 3.6: they say what is too old);
the rest needs Python 3.9, before 3.11 the package tomli, and says which package is missing when one
is.
"""

import contextlib
import errno
import functools
import os
import re
import select
import stat
import tempfile
import time
from typing import Any, Iterator, TextIO, Type

WAIT_S = 10.0  # for all that the writer of a FIFO writes
MOST = 1 << 24  # bytes of it
LARGEST = 1e25  # a count of 64 bits, and what a few of them can be multiplied to
# What a reader stumbles over where a file is not what it expects.
WRONG = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class LabError(Exception):
    """A failure that its message explains in one sentence; no traceback wanted."""


@contextlib.contextmanager
def failing(what: str, *kinds: Type[Exception]) -> Iterator[None]:
    """An error within becomes a sentence: what failed, and why.  Of the system, or of `kinds`."""
    caught = kinds or (OSError,)
    try:
        yield
    except caught as e:
        raise LabError("%s: %s" % (what, getattr(e, "strerror", None) or e)) from e


# Control characters of both sets, what turns the direction of text, and other ends of lines.
HIDDEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")


def visible(text: str, lines: bool = False) -> str:
    """What a server or a file said, for a terminal, which would obey it: \\x1b for the character.
    Several lines only if `lines`."""

    def escaped(found: "re.Match[str]") -> str:
        code = ord(found[0])
        if lines and found[0] == "\n":
            return "\n"
        return "\\x%02x" % code if code < 256 else "\\u%04x" % code

    return HIDDEN.sub(escaped, text)


# ---- files that a program wrote, perhaps another one than ours


@contextlib.contextmanager
def reading(path: str) -> Iterator[None]:
    """Whatever a reader raises within: the file that cannot be read, or is damaged, and why."""
    with failing("cannot read " + path), failing(path + " is damaged", *WRONG):
        yield


@contextlib.contextmanager
def opened(path: str, errors: str = "replace") -> Iterator[TextIO]:
    """A regular file of text in UTF-8, whose byte order mark is left out.  `errors`: "strict" where
    nothing may be made up."""
    with reading(path), open(path, encoding="utf-8-sig", errors=errors, opener=regular) as f:
        yield f


def text_of(path: str, errors: str = "replace") -> str:
    with opened(path, errors) as f:
        return f.read()


def content(path: str) -> str:
    """A file as text; "" if it cannot be read."""
    with contextlib.suppress(LabError):
        return text_of(path)
    return ""


def number(text: str) -> float:
    """A numeral, whole or not; ValueError if it is none, or is larger than any figure is."""
    if re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", text) and abs(float(text)) <= LARGEST:
        return float(text) if set(text) & {".", "e"} else int(text)
    raise ValueError("%s is no number, or one that is too large" % shown(text))


def shown(value: Any) -> str:
    """A value in a sentence."""
    text = repr(value) if not isinstance(value, (dict, list)) else type(value).__name__
    return text if len(text) < 40 else text[:37] + "..."


def regular(path: str, flags: int, fifo: bool = False) -> int:
    """open()'s opener for files that a program wrote: a FIFO in the place of one would block."""
    fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = os.fstat(fd).st_mode
    if fifo and stat.S_ISFIFO(kind):
        with open(fd, "rb", buffering=0) as pipe:
            return drained(pipe, path)
    if not stat.S_ISREG(kind):
        os.close(fd)
        number = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
        raise OSError(number, os.strerror(number) if stat.S_ISDIR(kind) else "it is no file", path)
    return fd


# The same for files that a user wrote: of a FIFO, a copy of what somebody writes to it.
patient = functools.partial(regular, fifo=True)


def drained(pipe: Any, path: str) -> int:
    """What its writer writes, as a file; OSError if that does not end."""
    until, found, more = time.monotonic() + WAIT_S, b"", None
    while select.select([pipe], [], [], max(0, until - time.monotonic()))[0] and len(found) <= MOST:
        more = pipe.read(MOST)
        while more and len(found) <= MOST:
            found, more = found + more, pipe.read(MOST)  # None: nothing yet
        if more == b"":
            with tempfile.TemporaryFile() as copy:
                copy.write(found)
                copy.seek(0)
                return os.dup(copy.fileno())
    text = "a FIFO whose writer did not end within %g s and %d MiB" % (WAIT_S, MOST >> 20)
    raise OSError(errno.ETIMEDOUT, text, path)
