# SPDX-License-Identifier: GPL-2.0-or-later
"""Passwords, shown as *** wherever something is written that people hand on, or print.

Which options hold one, and how one is recognized in other text, is decided by sysbench: these are
the rules of src/opt/mask.c, and a test runs the two side by side.  The quotes of a shell command
stay closed, so that one can still run it.
"""

import json
import re
import shlex
from typing import Any, Sequence

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
    r"""((?:postgres|postgresql|mysql|mariadb)://)((?:[^@/ \t\n"]*(?=@))?[^? \t\n"]*)(?=@)
    |(://)([^@/? \t\n]*)(?=@)""",
    re.X,
)
# the names of programs tell which of their options hold a password: "mariadb -uroot -psecret"
CLIENT = re.compile(r"(?<![\w-])(?:(mysql|mariadb)[\w.-]*|(sshpass)|(curl))", re.A)
OPTIONS = (
    re.compile(r"-[ABCEGHILNTXbfgijnoqrstvwx]*p"),
    re.compile(r"-[ehvV]*p[ \t]*"),
    re.compile(
        r"(?:-[#0123456BGIJLMNOQRSVZafgijklnpqsv]*[uU]|--(?:proxy-)?user(?:=|(?=[ \t])|\Z))[ \t]*"
    ),
)
SSHPASS, CURL = 2, 3  # a command follows the options of the one, "user:" precedes that of the other
ENDS_WORD = " \t\n;|&()`"
# of a cell: the names of its levels, by factor; what was measured with, by path and host
KEYS_ARE_NO_SETTINGS = (".levels", ".setup", ".differs")


def is_secret(name: str) -> bool:
    """Does an option or a variable of this name hold a password?  Options of servers only rule
    about them: password_encryption."""
    held = WORD.search(name) and not name.rstrip(".").endswith("file")
    return bool(held) and "server.option." not in name


def text(given: str) -> str:
    """Any text."""
    return VALUE.sub(after_word, of_clients(URI.sub(in_uri, given)))


def after_word(m: re.Match[str]) -> str:
    """A value that is not quoted ends in front of the quote that closes around all of it."""
    last = re.search(r"(?<!\\)['\"]\Z", m[3])
    bare = last and m[3][0] not in "'\""
    kept = last[0] if last and bare and open_quote(m.string[: m.start(3)]) == last[0] else ""
    return m[1] + SHOWN[: len(m[3]) - len(kept)] + kept


def open_quote(before: str) -> str:
    """The shell's quote that is open behind this text."""
    quote, at = "", 0
    while at < len(before):
        c = before[at]
        if c == "\\" and quote != "'":
            at += 1
        elif c == quote:
            quote = ""
        elif not quote and c in "'\"":
            quote = c
        at += 1
    return quote


def shell_word(given: str, at: int, around: str, opens: bool) -> int:
    """Where the shell's word ends that begins there, within a pair of quotes `around` it or none;
    where `opens`, a quote at its very beginning opens another pair."""
    begin, size = at, len(given)
    while at < size and given[at] not in ENDS_WORD:
        c = given[at]
        at += 1
        first = opens and at == begin + 1 and at < size and given[at] not in ENDS_WORD
        if c == around and not first:
            return at - 1
        if c == "\\":
            at = min(at + 1, size)
        elif c in "'\"":
            while at < size and given[at] != c:
                at += 2 if c == '"' and given[at] == "\\" and at + 1 < size else 1
            at = min(at + 1, size)
    return at


def of_clients(given: str) -> str:
    """Behind the names of programs: "mariadb -psecret", "curl -u user:secret"."""
    at = 0
    while m := CLIENT.search(given, at):
        at = m.end()
        given = of_client(given, at, open_quote(given[: m.start()]), m.lastindex or 1)
    return given


def of_client(given: str, at: int, around: str, client: int) -> str:
    value = False  # of the option before
    while blanks := re.compile(r"[ \t]+").match(given, at):
        word = blanks.end()
        option = None if value else OPTIONS[client - 1].match(given, word)
        begin = option.end() if option else word
        end = shell_word(given, begin, around, bool(option))
        if end == word:
            break
        shown = given[begin:end]
        if option:
            shown = user_password(shown) if client == CURL else SHOWN[: len(shown)]
        given, at = given[:begin] + shown + given[end:], begin + len(shown)
        if client == SSHPASS:
            if option or not (value or given[word] == "-"):
                break
            value = not value and given[word:at] in ("-f", "-d", "-P")
    return given


def user_password(word: str) -> str:
    """A quote that is open at the colon stays closed."""
    user, colon, password = word.partition(":")
    quote = open_quote(user + colon) if colon else ""
    close = quote if quote and quote in password else ""
    return user + colon + SHOWN[: len(password) - len(close)] + close


def in_uri(m: re.Match[str]) -> str:
    user, colon, password = (m[2] or m[4] or "").partition(":")
    return (m[1] or m[3]) + user + colon + SHOWN[: len(password)]


def value(name: str, given: Any) -> Any:
    """A setting by its dotted name; or a tree of them, as TOML and lab.json have it."""
    if isinstance(given, dict):
        if name.endswith(KEYS_ARE_NO_SETTINGS):
            return {key: value("", x) for key, x in given.items()}
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


def words(argv: Sequence[str]) -> str:
    """A command line as one could type it, on one line."""
    return " ".join(on_one_line(w) if "\n" in w else shlex.quote(w) for w in map(argument, argv))


def command(given: str) -> str:
    """A shell command as one could type it, on one line."""
    given, shown = given.strip(), text(given.strip())
    if shown != given:
        try:
            shlex.split(shown)
        except ValueError:  # a password between quotes that only its author understood
            shown = ": " + shlex.quote(shown)
    return "eval " + on_one_line(shown) if "\n" in shown else shown


def on_one_line(given: str) -> str:
    escaped = given.replace("\\", "\\\\").replace("'", "\\0047").replace("\n", "\\n")
    return "\"$(printf %%b '%s')\"" % escaped


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
