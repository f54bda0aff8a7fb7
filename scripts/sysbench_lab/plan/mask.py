# SPDX-License-Identifier: GPL-2.0-or-later
"""Passwords, shown as *** wherever something is written that people hand on, or print.

Which options hold one, and how one is recognized in other text, is decided by sysbench: these are
the rules of src/opt/mask.c, and a test runs the two side by side.  A password that only its place
tells (mariadb -psecret) is recognized by neither.
"""

import json
import re
from typing import Any

from . import toml as reader

SHOWN = "***"
WORD = re.compile("password|mysql_pwd", re.I)
# "password = 'a value'", "--password=secret", "MYSQL_PWD=secret", "?password=secret&key=value"
VALUE = re.compile(
    r"""((?P<uri>[?&][\w-]*)?(?:password|mysql_pwd)[ \t]*=[ \t]*)
    ('(?:\\.|[^'])*'?|"(?:\\.|[^"])*"?|(?:\\.|(?(uri)[^& \t\n]|[^ \t\n]))*)""",
    re.I | re.S | re.X | re.A,
)
# "postgresql://user:password@host": the last @ counts, as people forget to encode it
URI = re.compile(
    r"""((?:postgres|postgresql)://)((?:[^@/ \t\n"]*(?=@))?[^? \t\n"]*)(?=@)
    |(://)([^@/? \t\n]*)(?=@)""",
    re.X,
)


def is_secret(name: str) -> bool:
    """Does an option or a variable of this name hold a password?  Options of servers only rule
    about them: password_encryption."""
    held = WORD.search(name) and not name.rstrip(".").endswith("file")
    return bool(held) and "server.option." not in name


def text(given: str) -> str:
    """Any text."""
    return VALUE.sub(lambda m: m[1] + SHOWN[: len(m[3])], URI.sub(in_uri, given))


def in_uri(m: re.Match[str]) -> str:
    user, colon, password = (m[2] or m[4] or "").partition(":")
    return (m[1] or m[3]) + user + colon + SHOWN[: len(password)]


def value(name: str, given: Any) -> Any:
    """A setting by its dotted name; or a tree of them, as TOML and lab.json have it."""
    if isinstance(given, dict):
        if name.endswith(".levels"):  # of a cell: their names, by factor
            return {factor: text(level) for factor, level in given.items()}
        return {k: value("%s.%s" % (name, k), x) for k, x in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)(value(name + ".", x) for x in given)
    if is_secret(name) and given not in ("", None):
        return SHOWN
    return text(given) if isinstance(given, str) else given


def argument(word: str) -> str:
    """A word of a command line."""
    name, equals, given = word.partition("=")
    if equals and word.startswith("-"):
        return name + equals + str(value(name.lstrip("-"), given))
    return text(word)


def toml(source: str) -> str:
    """An experiment as it was given, statement by statement; a comment is text."""
    shown = block = inside = ""
    for line in source.splitlines(keepends=True):
        block += line
        try:
            tree = reader.loads(block)
        except ValueError:
            continue  # it goes on
        masked = value(inside, tree)
        if block.lstrip().startswith("["):
            inside = block.partition("]")[0].strip("[ \t")
        if masked == tree:
            shown += text(block) if "#" in block else block
        else:
            while isinstance(masked, dict) and len(masked) == 1:
                (masked,) = masked.values()
            right = json.dumps(masked if isinstance(masked, str) else SHOWN, ensure_ascii=False)
            shown += "%s= %s\n" % (block.partition("=")[0], right)
        block = ""
    return shown + text(block)
