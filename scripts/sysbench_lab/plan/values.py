# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of an experiment's keys: checked, and in the one form that the rest works with.

Each function takes what TOML or a flag gave and returns the value, or raises ValueError with the
middle of a sentence: "takes a positive number of seconds".  Whoever knows the key's name makes the
sentence whole.
"""

import contextlib
import difflib
import functools
import math
import re
import shlex
from typing import Any, Callable, Iterable, Mapping, NamedTuple

from .. import LabError
from ..servers import process
from .model import Value

UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
Check = Callable[[Any], Any]


def near(word: str, words: Iterable[str]) -> str:
    """'; did you mean X?', or nothing."""
    found = difflib.get_close_matches(word, list(words), 1, 0.6)
    return "; did you mean %s?" % found[0] if found else ""


def shown(value: Any) -> str:
    """A value as an error names it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'%s'" % value if value.isprintable() else repr(value)
    return str(value)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def line(value: Any) -> str:
    """Text on one line."""
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError("takes one line of text")
    return value.strip()


def command(value: Any) -> str:
    """One line that a shell could read."""
    text = line(value)
    try:
        shlex.split(text)
    except ValueError:
        raise ValueError("takes a command whose quotes are closed") from None
    return text


def flag(value: Any) -> bool:
    words = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
    if str(value).lower() not in words:
        raise ValueError("takes true or false")
    return words[str(value).lower()]


def seconds(value: Any, least: float = 0, whole: bool = False) -> float:
    """A number of seconds, or text such as "500ms" or "2m"."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", value)
        if found and found.group(2) in UNITS_S:
            value = float(found.group(1)) * UNITS_S[found.group(2)]
    if not is_number(value) or not least <= value < 1e9:
        raise ValueError("takes a number of seconds" + (", at least %g" % least if least else ""))
    if whole and value != int(value):
        raise ValueError("takes whole seconds")
    return float(value)


def settle(value: Any) -> Any:
    """A flag, or seconds."""
    try:
        return flag(value)
    except ValueError:
        pass
    try:
        return seconds(value)
    except ValueError:
        raise ValueError("takes true, false or a number of seconds") from None


def whole_seconds(least: int) -> Check:
    """As sysbench's own options of time take them."""
    return functools.partial(seconds, least=least, whole=True)


def integer(least: int, most: int = 10**9) -> Check:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            few = isinstance(value, int) and value > most
            end = "to %d" % most if few else "on"
            raise ValueError("takes a whole number from %d %s" % (least, end))
        return value

    return check


def percent(value: Any) -> float:
    if not is_number(value) or not 0 <= value <= 100:
        raise ValueError("takes a percentage from 0 to 100")
    return float(value)


def precision(value: Any) -> str:
    """How well differences are to be known, and of what: 5, "5 %", "p95 5 %"."""
    words = " ".join(str(value).split())
    found = re.fullmatch(r"((?:cpu|throughput|p95) )?(\d+(?:\.\d+)?) ?%?", words)
    if words and (isinstance(value, bool) or not found or not 0.1 <= float(found[2]) <= 100):
        raise ValueError("takes a share such as '5 %', of cpu, throughput or p95: 'p95 5 %'")
    return "%s%s %%" % (found[1] or "", found[2]) if found else ""


def choice(*words: str, other: Mapping[str, str] = {}) -> Check:
    """other: further names of some."""

    def check(value: Any) -> str:
        value = other.get(value, value) if isinstance(value, str) else value
        if value not in words:
            raise ValueError("takes %s or %s" % (", ".join(words[:-1]), words[-1]))
        return str(value)

    return check


def cpus(value: Any) -> str:
    """CPUs as taskset spells them: "0-3,8", "0-6:2"."""
    text = str(value) if isinstance(value, (str, int)) else ""
    try:
        process.cpu_set(text)
    except LabError:
        raise ValueError('takes CPUs as taskset does, such as "0-3,8"') from None
    return ",".join(w.strip() for w in text.split(","))


def objective(value: Any) -> str:
    """Bounds that are to hold together: "p99<20ms and errors<1%"."""
    with contextlib.suppress(LabError, AttributeError):
        if value == "" or parse_objective(value):
            return str(value).strip()
    raise ValueError("takes bounds such as 'p99<20ms' or 'p95<5ms and errors<1%'")


def setting(value: Any) -> Value:
    """The value of an option: text, a number, true or false, or a list of texts (given each)."""
    if isinstance(value, str):
        return argument(value)
    if isinstance(value, bool):
        return value
    if is_number(value):
        return finite(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value):
        return tuple(map(argument, value))
    if isinstance(value, list):
        raise ValueError("takes one value; what varies belongs under [vary]")
    raise ValueError("takes text, a number, true or false")


def variable(value: Any) -> str:
    """The value of a variable of the environment."""
    if isinstance(value, str):
        return argument(value)
    if is_number(value):
        return str(finite(value))
    raise ValueError("takes text or a number")


def argument(value: Any) -> str:
    """Text that a command line, an environment and a file in UTF-8 can hold."""
    if not isinstance(value, str):
        raise ValueError("takes text")
    try:
        value.encode()  # not so what the shell gave in another encoding
    except UnicodeEncodeError:
        value = "\0"
    if "\0" in value:
        raise ValueError("takes text in UTF-8 without a NUL")
    return value


def finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("takes a finite number")
    return value


def level_name(value: Value) -> str:
    """How a value is called in tables, columns and names of directories."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return "%.15g" % value  # all digits: 1234567.5 and 1234568.5 are two levels
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value) or "none"


# ---- objectives: "p99<20ms and errors<1%", in the words of --tx-find --------------


MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
TIME = re.compile(
    r"(?:(response|service|lag)[ _-])?(p(?!0+(?:\.0+)?\s*<)\d{1,2}(?:\.\d+)?|avg|mean|max)"
    r"\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s)"
)
SHARE = re.compile(
    r"(errors|(?:(?:server|client)[ _-])?cpu(?=.*%))\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(?:%|/s)"
)


class Bound(NamedTuple):
    """`figure` is a column of runs.csv, errors_pct or errors_per_s."""

    figure: str
    below: bool  # <, not <=
    limit: float


def parse_objective(text: str) -> list[Bound]:
    """The bounds of an objective; none for ""."""
    terms = re.split(r"\s+and\s+|\s*,\s*", text.strip()) if text.strip() else []
    return [parse_term(t, text) for t in terms]


def parse_term(term: str, whole: str) -> Bound:
    if m := TIME.fullmatch(re.sub(r"^lag(?=\s*<)", "lag p99", term)):
        figure = "%s_%s_ms" % (m.group(1) or "response", point(m.group(2)))
        return Bound(figure, m.group(3) == "<", float(m.group(4)) * MS[m.group(5)])
    if m := SHARE.fullmatch(term):
        name = "server_cpu" if m.group(1) == "cpu" else m.group(1)
        figure = re.sub("[ -]", "_", name) + ("_per_s" if term.endswith("/s") else "_pct")
        return Bound(figure, m.group(2) == "<", float(m.group(3)))
    text = "the objective '%s' takes bounds such as 'p99<20ms' or 'p95<5ms and errors<1%%'"
    raise LabError(text % whole)


def point(name: str) -> str:
    """The part of a figure's name: p99.90 is p99_9, as a report has it."""
    if not re.match(r"p\d", name):
        return "mean" if name == "avg" else name
    return "p" + ("%.12g" % float(name[1:])).replace(".", "_")
