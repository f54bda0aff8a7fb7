# SPDX-License-Identifier: GPL-2.0-or-later
"""Flags of the command line as changes to the tree of an experiment.

    --set measure.repeats=9          any key; replaces what the file says
    --threads=1,16,128               short for --set load.threads=1,16,128
    --vary server.option.x=a,b       varies a key, whether the file does or not

A key that varies takes a list from --set, too: its levels are replaced.  SHORT is the only list of
short flags; help, completion and the manual page are compared with it.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from .. import LabError
from . import experiment, found_rate, hosts, keys, labels, toml
from . import values as v
from .model import ORDERS, Measure

Tree = dict[str, Any]


class Short(NamedTuple):
    """A short flag: the key it stands for, the word for its value, and what it does."""

    key: str
    word: str
    text: str


def usual(name: str) -> str:
    return " [%s]" % getattr(Measure, name)


SHORT: dict[str, Short] = {
    "--script": Short("load.script", "TEST", "the test: a bundled script, a path, a built-in test"),
    "--threads": Short("load.threads", "N[,N...]", "numbers of connections [1]"),
    "--tx-rate": Short("load.tx-rate", "N[,N...]", "transactions per second; 0: no limit [0]"),
    "--tables": Short("load.tables", "N", "number of tables [the test's: 1]"),
    "--table-size": Short("load.table-size", "N", "rows of each table [the test's: 10000]"),
    "--engine": Short("server.engine", "NAME", "private server: mysql, postgresql [mariadb]"),
    "--hosts": Short("client.hosts", "HOST,...", "load hosts, the leader first: 'local,ssh load2'"),
    "--load-hosts": Short("client.load_hosts", "N[,N...]", "numbers of load hosts to use [all]"),
    "--time": Short("measure.time", "S", "time of each run" + usual("time_s")),
    "--warmup": Short("measure.warmup", "S", "warm-up before each run" + usual("warmup_s")),
    "--repeats": Short("measure.repeats", "N", "number of runs of each cell" + usual("repeats")),
    "--until": Short("measure.until", "PCT", "end when differences are known to '5 %%'"),
    "--budget": Short("measure.budget", "TIME", "begin no round that would not end within 20m"),
    "--order": Short("measure.order", "ORDER", labels.joined(ORDERS, "or") + usual("order")),
    "--seed": Short("measure.seed", "N", "seed of the order and of the bootstrap" + usual("seed")),
    "--slo": Short("measure.objective", "BOUNDS", "objective of a search: 'p99<20ms'"),
    "--name": Short("name", "NAME", "name of experiment and results directory [the test]"),
}

# Keys for which a comma means several levels even where the file has one value.  Elsewhere it is
# part of the value: percentile=50,95 or sql_mode=A,B.
LISTS = {"load.script", "load.threads", hosts.NUMBER, *keys.ASKED}
TEXTS = {"measure.baseline", "measure.objective", "measure.order", "load.script"} | set(keys.TOP)


def given(args: argparse.Namespace) -> dict[str, str]:
    """The short flags of a command line, and their values."""
    found = {flag: getattr(args, flag[2:].replace("-", "_")) for flag in SHORT}
    return {flag: text for flag, text in found.items() if text is not None}


def tree_of(file: Tree | None, args: argparse.Namespace) -> Tree:
    """The tree of a file, if there is one, with the flags applied."""
    tree: Tree = {} if file is None else file
    for flag, text in given(args).items():
        set_key(tree, SHORT[flag].key, text, flag)
    for pair in args.set:
        name, text = split(pair, "--set", "VALUE")
        set_key(tree, name, text, "--set")
    # the first --vary of a key replaces the file's levels, further ones add to them
    begun = set()
    for pair in args.vary:
        name, text = split(pair, "--vary", "A,B,...")
        words = [word.strip() for word in text.split(",")]
        if "" in words and not quoted(text):
            raise LabError("--vary %s: a level is empty; if it is meant, write ''" % pair)
        levels = quoted(text) or [parsed(word) for word in words]
        name = keys.canonical(name)
        if not name.startswith(("load.", "server.", "client.", "measure.")):
            raise LabError("--vary: %s" % keys.unknown(name))
        before = free(tree, name, "--vary") or []
        table_of(tree, "vary")[name] = before + levels if name in begun else levels
        begun.add(name)
    if file is None and "name" not in tree:
        tree["name"] = str(table_of(tree, "load").get("script", "experiment"))
    return tree


def split(pair: str, flag: str, word: str) -> tuple[str, str]:
    name, equals, text = pair.partition("=")
    if not equals or not name.strip():
        raise LabError("%s takes KEY=%s, not '%s'" % (flag, word, pair))
    name, text = name.strip(), text.strip()
    hook = name.startswith("hooks.")  # a comma is the shell's: lists are those of a file
    if text[:1] == "[" and not hook and (values := in_file(text)):
        plain = ",".join(map(str, values))
        raise LabError("%s %s: a list has no brackets here: %s=%s" % (flag, name, name, plain))
    return name, text


def quoted(text: str) -> list[str] | None:
    """The values of "a, b", "c", quoted as in a file; None if the text is anything else."""
    found = in_file("[%s]" % text) if text[:1] in ("'", '"') else None
    return found if found and all(isinstance(value, str) for value in found) else None


def in_file(text: str) -> Any:
    """What a file means by this value; None if nothing."""
    try:
        return toml.loads("x = " + text)["x"]
    except (ValueError, RecursionError):
        return None


def parsed(text: str) -> Any:
    """A number or a truth where the text is one."""
    if text in ("true", "false"):
        return text == "true"
    if experiment.is_numeral(text):
        return float(text) if set(text) & set(".e") else int(text)
    return text


def set_key(tree: Tree, name: str, text: str, flag: str) -> None:
    """One key; a list of levels where the key varies."""
    known = quoted(text)
    plain = known[0] if known and len(known) == 1 else text
    if name in keys.TOP:
        tree[name] = plain
        return
    name = keys.lengthened(name)
    head = name.partition(".")[0]
    if head in ("measure", "hooks"):
        key, inside = name[len(head) + 1 :], table_of(tree, head)
        moment, _, part = key.replace("_", "-").partition(".")
        if head == "hooks" and moment == "mid-run" and part in ("at", "command"):
            mid_run = replaced(inside, moment)
            inside[moment] = {**mid_run} if isinstance(mid_run, dict) else {}
            inside[moment][part] = parsed(plain) if part == "at" else plain
            return
        replaced(inside, key)
        value = plain if head == "hooks" or name in TEXTS else parsed(plain)
        written = in_file(text) if head == "hooks" and text[:1] in ("[", "{") else None
        inside[key] = value if written is None else written
        return
    if head not in ("load", "server", "client"):
        raise LabError("%s: %s" % (flag, keys.unknown(name)))
    name = keys.canonical(name)
    varied = free(tree, name, flag) is not None
    if name == hosts.LIST:
        table_of(tree, head)["hosts"] = known or [w.strip() for w in text.split(",")]
        return
    several = varied or (name in LISTS and not found_rate.SHARE.fullmatch(text))
    levels: list[Any] = known or []
    if not known or len(known) > 1 and not several:
        plain_text = name in TEXTS or keys.family_of(name).endswith("env.")
        words = map(str.strip, text.split(",") if several else [text])
        levels = [word if plain_text else parsed(word) for word in words]
    if varied or len(levels) > 1:
        table_of(tree, "vary")[name] = levels
    else:
        table_of(tree, head)[name[len(head) + 1 :]] = levels[0]


def replaced(inside: Tree, key: str) -> Any:
    """Take a key out, whichever way its dashes are written; None if it is not there."""
    found = [k for k in inside if k.replace("_", "-") == key.replace("_", "-")]
    return [None, *map(inside.pop, found)][-1]


def table_of(tree: Tree, name: str) -> Tree:
    """A table of the tree, made when it is missing."""
    experiment.table(tree, name)
    found: Tree = tree.setdefault(name, {})
    return found


def take(tree: Tree, name: str, prefix: str = "") -> Any:
    """Removes a setting, however it is spelt and nested; returns what it was, or None."""
    for key in list(tree):
        full = prefix + key
        if isinstance(tree[key], dict) and "value" not in tree[key]:
            if (inner := take(tree[key], name, full + ".")) is not None:
                return inner
        elif keys.canonical(full) == name:
            return tree.pop(key)
    return None


def free(tree: Tree, name: str, flag: str) -> Any:
    """Removes a setting wherever the file has it, for a flag; returns its levels, or None."""
    # an arm's setting would win over the flag's
    arms = tree.get("arm", [])
    for arm in arms if isinstance(arms, list) else []:
        inside = {k: x for k, x in arm.items() if k != "name"} if isinstance(arm, dict) else {}
        if name in {keys.canonical(k) for k, _ in experiment.leaves(inside)}:
            what = flag, name, v.shown(arm.get("name", ""))
            raise LabError("%s: %s is set by the arm %s" % what)
    # a key that stands above all tables, whichever way it is written
    for key in [k for k in tree if keys.lengthened(k) != k and keys.canonical(k) == name]:
        del tree[key]
    head = name.partition(".")[0]
    levels = take(table_of(tree, "vary"), name)
    take(table_of(tree, head), name, head + ".")
    return levels
