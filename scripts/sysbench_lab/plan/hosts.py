# SPDX-License-Identifier: GPL-2.0-or-later
"""Load hosts: where the ranks of a run are, as an experiment names them.

    hosts = ["local", "ssh load2", "name=c address=10.0.0.3 program=/opt/sysbench ssh root@load3"]

Each text is a command that runs another one on the host, with up to three words before it: the name
in tables, the address at which the others find the host, and its sysbench.  `local` is no command.
A table of these names says the same; it becomes such a text, so a setting holds one kind of value.

The first host leads: it draws the schedule, drives its share and writes the reports.  client.
load_hosts takes the first of the list only, so the number of hosts can vary.  Nothing here runs
anything; ranks.py does.
"""

import re
import shlex
from typing import Any, Mapping, NamedTuple, Sequence

from .. import LabError
from .model import Settings, Tree, Value

LIST, NUMBER, LAUNCHER = "client.hosts", "client.load_hosts", "client.launcher"
HERE = "local"
WORDS = ("name", "address", "program")


class Host(NamedTuple):
    name: str
    via: tuple[str, ...] = ()  # what runs a command there; () is this machine
    address: str = ""
    program: str = ""


# ---- from text and table -----------------------------------------------------


def parse(text: str) -> Host:
    given, via = split(text)
    rest = given.get("address", ""), given.get("program", "")
    return Host(given.get("name") or name_of(via), via, *rest)


def split(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The words before the command, and it; ValueError, with the middle of a sentence, for what is
    no host."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise ValueError("takes commands whose quotes are closed") from None
    found: dict[str, str] = {}
    while words and words[0].partition("=")[0] in WORDS and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        found[name] = value
    via = tuple(words if words != [HERE] else ())
    if via and (via[0] == HERE or via[0].startswith(HERE + ",")):
        raise ValueError("takes a list of hosts, and local has no words after it")
    if via and re.match(r"\w+=", via[0]):
        raise ValueError("takes name=, address= and program= before a command")
    if not words or not all(found.values()):
        raise ValueError("takes hosts such as local or 'ssh load2'")
    return found, via


def name_of(via: Sequence[str]) -> str:
    """The last word of the command: the host of ssh, the namespace of ip netns exec."""
    if not via:
        return HERE
    last = [w for w in via if not w.startswith("-")][-1:] or [via[0]]
    return last[0].rpartition("@")[2].rpartition("/")[2] or via[0]


def text_of(table: Tree) -> str:
    """A table as a text: { via = "ssh load2", address = "10.0.0.2" }."""
    if set(table) - {*WORDS, "via"} or not all(isinstance(v, str) for v in table.values()):
        raise ValueError("takes tables of name, via, address and program")
    words = ["%s=%s" % (k, shlex.quote(table[k])) for k in WORDS if table.get(k)]
    return " ".join([*words, table.get("via", HERE)])


def check(value: Any) -> tuple[str, ...]:
    """The value of client.hosts: a list of texts and tables, or one text."""
    given = [value] if isinstance(value, str) else value
    several = given if isinstance(given, (list, tuple)) else ()
    texts = [text_of(g) if isinstance(g, Mapping) else g for g in several]
    if not texts or not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise ValueError("takes a list of hosts such as local or 'ssh load2'")
    # others are named after their commands
    names = [given["name"] for given, _ in map(split, texts) if "name" in given]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError("takes hosts of different names: '%s' is there twice" % twice)
    return tuple(texts)


# ---- of a cell -----------------------------------------------------------------


def of(settings: Settings) -> list[Host]:
    """The hosts that a cell uses, the leader first; [] without client.hosts.  Names are unique."""
    found = settings.get(LIST, ())
    texts = found if isinstance(found, tuple) else (str(found),)
    named: list[Host] = []
    for host in map(parse, texts):
        name, n = host.name, 1
        while any(h.name == name for h in named):  # a second `local` is local-2
            n += 1
            name = "%s-%d" % (host.name, n)
        named.append(host._replace(name=name))
    return named[: int(str(settings.get(NUMBER, len(named))))]


def level_name(number: Value) -> str:
    """Of a factor: words, for its levels are arms, side by side along the other axis."""
    return "%s load host%s" % (number, "" if number == 1 else "s")


def check_settings(settings: Settings) -> None:
    """LabError for settings that do not go together."""
    for name in (LIST, LAUNCHER):
        if name in settings and settings.get("client.prefix"):
            raise LabError("client.prefix and %s are both given; the hosts have the command" % name)
    if LIST in settings and settings.get(LAUNCHER):
        raise LabError("client.hosts and client.launcher are both given; one of them is enough")
    wanted, known = settings.get(NUMBER), settings.get(LIST, ())
    if wanted is not None and not known:
        raise LabError("client.load_hosts is %s, but there are no client.hosts" % wanted)
    if wanted is not None and isinstance(known, tuple) and int(str(wanted)) > len(known):
        raise LabError("client.load_hosts is %s, but client.hosts names %d" % (wanted, len(known)))
    number = len(of(settings))
    if number < 2:
        return
    # what several hosts cannot share
    threads = str(settings.get("load.threads", 1))
    if re.fullmatch(r"\d+", threads) and int(threads) < number:
        raise LabError("load.threads is %s, but %d load hosts share it" % (threads, number))
    if settings.get("load.tx-find"):
        raise LabError("load.tx-find works on one load host, not on %d" % number)
    if settings.get("load.script") == "fileio":
        raise LabError("fileio runs on one load host, not on %d" % number)


def prefix(settings: Settings) -> list[str]:
    """What stands before the leader's sysbench, and before that of prepare."""
    found = of(settings)
    return list(found[0].via) if found else shlex.split(str(settings.get("client.prefix", "")))
