# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that a program wrote, perhaps another one than ours: JSON as docs/schema says, or no JSON.

    read("run.json", "report-1")                   a report
    read("results/lab.json", "lab-1")
    read("results/hosts.json", "lab-1", "hosts")   a definition of that schema

What is not as the schema says is a LabError that names the file and the place in it.  Who gets a
document needs to check nothing more: numbers are finite, text can be written, what the schema does
not know is gone, and what may be null is there, as null, also if an earlier release did not write
it.  In a report an earlier release may have left out what the schema requires; but what stands in a
list is whole.

Of JSON Schema this is what our schemas use.  Each is compiled to nested functions once, and a
document is looked at once.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import re
from typing import Any, Callable, NamedTuple

from . import LARGEST, failing, paths, reading, shown, text_of

REQUIRED: Any = object()  # nothing stands for it
NUMBERS = (int, float)
WHOLE = ("lab-1",)  # every release wrote all that is required
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "number": (int, float),
    "integer": (int, float), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


class Check(NamedTuple):
    """`run` takes a value, and whether nothing may be missing in it; gives the value, or raises
    Wrong."""

    run: Callable[[Any, bool], Any]
    empty: Any = REQUIRED  # what stands for one that is not there

    def __call__(self, value: Any, whole: bool) -> Any:
        return self.run(value, whole)


ANY = Check(lambda value, whole: value)


class Wrong(Exception):
    """What is wrong, and where: its names from the innermost out."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.place: list[str] = []

    def __str__(self) -> str:
        where = "".join(reversed(self.place)).lstrip(".")
        return "%s %s" % (where or "the whole", self.args[0])


def read(path: str, schema: str, part: str = "") -> Any:
    with reading(path):
        tree = tree_of(text_of(path, "strict"))
    return checked(path, tree, schema, part)


def checked(path: str, tree: Any, schema: str, part: str = "") -> Any:
    """The document that was read from a path."""
    with failing(path + " is damaged", Wrong):
        return checker(schema, part)(tree, schema in WHOLE)


def tree_of(text: str) -> Any:
    """Any JSON; ValueError if it is none, or holds text that cannot be written."""
    try:
        tree = json.loads(text, parse_constant=no_number)
        if "\\u" in text:  # NUL is in no file name, and half a surrogate pair in no UTF-8
            json.dumps(tree, ensure_ascii=False).encode()
            if re.search(r"(?<!\\)(\\\\)*\\u0000", text):
                raise ValueError("it holds a NUL character")
    except UnicodeEncodeError:
        raise ValueError("it holds half a surrogate pair") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return tree


def no_number(name: str) -> None:
    raise ValueError("%s is no number of JSON" % name)


@functools.lru_cache(maxsize=None)
def checker(schema: str, part: str = "") -> Check:
    with open(os.path.join(paths.schemas(), schema + ".json"), encoding="utf-8") as f:
        whole = json.load(f)
    made: dict[str, Check] = {}

    def of(name: str) -> Check:
        if name not in made:  # they do not refer to themselves
            made[name] = compiled(whole["$defs"][name], of)
        return made[name]

    return of(part) if part else compiled(whole, of)


# ---- a schema as functions -------------------------------------------------------


def compiled(schema: dict[str, Any], of: Callable[[str], Check]) -> Check:
    """`of` gives the check of a definition."""
    if "$ref" in schema:
        return of(schema["$ref"].rpartition("/")[2])
    if "oneOf" in schema:  # of something and null
        check = compiled(schema["oneOf"][0], of)
        return Check(lambda value, whole: None if value is None else check(value, whole), None)
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum") or [schema["const"]]

        def one_of(value: Any, whole: bool) -> Any:
            if not any(value is a or type(value) is type(a) and value == a for a in allowed):
                raise Wrong("is %s, none of %s" % (shown(value), ", ".join(map(str, allowed))))
            return value

        return Check(one_of)
    names = schema.get("type", list(TYPES))
    names = [names] if isinstance(names, str) else names
    types = frozenset(t for name in names for t in TYPES[name])
    digits = "integer" in names and "number" not in names
    least = schema.get("minimum", -LARGEST)
    item = compiled(schema["items"], of) if "items" in schema else ANY
    sizes = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
    members = object_of(schema, of) if "object" in names else None

    def check_value(value: Any, whole: bool) -> Any:
        kind = type(value)
        if kind not in types:
            raise Wrong("is %s, no %s" % (shown(value), " or ".join(names)))
        if kind is dict and members:
            members(value, whole)
        elif kind is list:
            if not sizes[0] <= len(value) <= sizes[1]:
                raise Wrong("has %d items" % len(value))
            for i, one in enumerate(value):
                value[i] = within("[%d]" % i, item, one, True)
        elif kind in NUMBERS and (not least <= value <= LARGEST or digits and value != int(value)):
            raise Wrong("is %s, out of its range" % shown(value))
        return value

    free: dict[str, Any] = {"null": None, "array": [], "object": {}}
    empty = next((free[n] for n in ("null", "array", "object") if n in names), REQUIRED)
    if empty == {} and schema.get("required") or empty == [] and sizes[0]:
        empty = REQUIRED
    return Check(check_value, empty)


def object_of(schema: dict[str, Any], of: Callable[[str], Check]) -> Callable[[Any, bool], None]:
    """Checks the members of an object; those that the schema does not know it removes."""
    known = {name: compiled(s, of) for name, s in schema.get("properties", {}).items()}
    more = schema.get("additionalProperties", True)
    rest = compiled(more, of) if isinstance(more, dict) else None
    patterns = [(re.compile(k), compiled(s, of))
                for k, s in schema.get("patternProperties", {}).items()]  # fmt: skip
    required = frozenset(schema.get("required", ()))

    def check(value: Any, whole: bool) -> None:
        for name, one in list(value.items()):
            c = known.get(name) or next((c for p, c in patterns if p.search(name)), rest)
            if c is not None:
                value[name] = within("." + name, c, one, whole)
            elif more is False:
                del value[name]
        for name in sorted(required - value.keys()):
            empty = known[name].empty if name in known else REQUIRED
            if empty is not REQUIRED:
                value[name] = copy.copy(empty)
            elif whole:
                raise Wrong("has no %s" % name)

    return check


def within(place: str, check: Check, value: Any, whole: bool) -> Any:
    try:
        return check(value, whole)
    except Wrong as e:
        e.place.append(place)
        raise
