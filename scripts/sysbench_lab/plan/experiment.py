# SPDX-License-Identifier: GPL-2.0-or-later
"""From a TOML file, or the same tree made of flags, to a model.Experiment.

    read_tree ─┐
    flags.py ──┴─ a tree of tables ── from_dict ── Experiment ── to_dict ── lab.json ── from_saved

from_dict refuses whatever could only fail later: unknown keys (with the name that was probably
meant), values out of range, a factor that two sources vary, settings that nothing can apply.  It
complains in one sentence that names the file and the key, and reads nothing but the tree: whether
programs and files exist is the runner's business.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import re
from typing import Any, Container, Iterator, Mapping, Sequence

from .. import LabError, failing, patient
from . import contrasts, found_rate, hosts, keys, labels, mask, plan, rounds, toml
from . import values as v
from .model import BUILT_IN, Experiment, Factor, Hook, Level, Measure, Settings, Tree, Value

SETTINGS = ("load", "server", "client")
TABLES = (*SETTINGS, "measure", "hooks", "vary", "arm")


def read_text(path: str) -> str:
    """A file, once: it may be a pipe."""
    wrong = failing(path + " is not TOML", ValueError)
    with failing("cannot read " + path), wrong, open(path, encoding="utf-8", opener=patient) as f:
        return f.read()


def read_tree(path: str, text: str | None = None) -> dict[str, Any]:
    """The tables of a TOML file, whose text may be known; its name is the default of the
    experiment's."""
    text = read_text(path) if text is None else text
    # ValueError: TOMLDecodeError, a number of too many digits
    with failing(path + " is not TOML", ValueError):
        try:
            tree = toml.loads(text)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
    tree.setdefault("name", os.path.splitext(os.path.basename(path))[0])
    return tree


def from_dict(tree: Tree, source: str) -> Experiment:
    """The experiment that a tree describes; `source` is named in complaints."""
    with failing(source, LabError):
        return build(tree)


def build(tree: Tree) -> Experiment:
    # The keys of keys.TOP; anything else is a table.
    top: dict[str, Any] = {}
    for name, value in tree.items():
        if name in TABLES or keys.lengthened(name) != name:
            continue
        if name not in keys.TOP:
            hint = v.near(name, [*keys.TOP, *keys.SHORTER, *TABLES])
            hint = "; did you mean measure.%s?" % name if name in keys.MEASURE else hint
            raise LabError("there is no key '%s'%s" % (name, hint))
        top[name] = keys.checked(name, keys.TOP[name].check, value, value)
    shorter = {keys.canonical(k): x for k, x in tree.items() if keys.lengthened(k) != k}
    whole = {**{k: tree[k] for k in SETTINGS if k in tree}, **shorter}
    stays = settings_of(whole)
    # which server it is, so that nobody downstream has to guess
    alone = stays.get("load.script") in BUILT_IN
    stays.setdefault("server.kind", "given" if alone else "private")
    if stays["server.kind"] == "private":
        stays.setdefault("server.engine", "mariadb")
    factors = make_factors(tree)
    if x := spelt(top.get("x", ""), stays):  # does not vary: an axis with one point
        factors = (*factors, make_factor(x, [make_level(x, stays.pop(x))]))
    given = dict(keys.check_measure(k, x) for k, x in table(tree, "measure").items())
    given.setdefault("repeats", rounds.LOOKS[-1] if given.get("until") else Measure.repeats)
    measure = Measure(**given)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", top.get("name", "")).strip(".-") or "experiment"
    title, question = top.get("title") or top.get("name") or name, top.get("question", "").strip()
    hooks, x = make(table(tree, "hooks"), measure), choose_x(factors, top.get("x", ""))
    exp = Experiment(name, title, question, stays, factors, measure, hooks, x)
    cells = plan.cells(exp)
    for cell in cells:
        if "load.script" not in cell.settings:
            raise LabError("load.script is missing; name a test, such as oltp_read_only")
        check_server(exp, cell.settings)
        hosts.check_settings(cell.settings)
    found_rate.check(exp, cells)
    rounds.check(exp, cells)
    arms = list(dict.fromkeys(labels.levels_text(cell, exp.x) for cell in cells))
    compared = [f.name for f in contrasts.variants(exp)]
    names = {name for cell in cells for name in labels.names_of(exp, cell, compared)}
    if exp.measure.baseline and arms == [""]:
        raise LabError("measure.baseline is '%s', but there are no arms" % exp.measure.baseline)
    if exp.measure.baseline and exp.measure.baseline not in names:
        known = exp.measure.baseline, ", ".join(map(repr, arms))
        raise LabError("measure.baseline: there is no arm '%s'; there are %s" % known)
    stuck = exp.measure.restart == "never" and "server.set" not in exp.stays
    servers = {repr(sorted(plan.server_part(c.settings).items())) for c in cells}
    if stuck and len(servers) > 1:
        raise LabError("measure.restart is never, but settings of the server vary")
    return exp


# ---- the parts of a tree -------------------------------------------------------


def table(tree: Tree, name: str) -> Tree:
    found = tree.get(name, {})
    if not isinstance(found, Mapping):
        raise LabError("%s is a table: write [%s], not %s = %s" % ((name,) * 3 + (v.shown(found),)))
    return found


def leaves(tree: Tree, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values of nested tables."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, prefix + name + ".")
        else:
            yield prefix + name, value


def settings_of(tree: Tree) -> dict[str, Value]:
    """Settings by dotted name; the same name twice, in two spellings, is refused."""
    for name in tree:
        if "." not in name:
            table(tree, name)
    settings: dict[str, Value] = {}
    for name, value in leaves(tree):
        known, checked = keys.check_setting(name, value)
        if known in settings:
            raise LabError("%s is given twice" % known)
        settings[known] = checked
    return settings


# ---- factors -------------------------------------------------------------------


def make_factors(tree: Tree) -> tuple[Factor, ...]:
    """Arms first, then [vary] as written; those that restart the server before the others."""
    factors = make_arms(tree.get("arm", []))
    for given, value in leaves(table(tree, "vary")):
        name = keys.canonical(given)
        if name.startswith("measure."):
            raise LabError("vary.%s: what varies is a setting of load, server or client" % name)
        if not isinstance(value, list):
            raise LabError("vary.%s takes a list, not %s" % (name, v.shown(value)))
        factors.append(make_factor(name, [make_level(name, x) for x in value]))
    # a setting that two factors change would have two values in a cell
    for one, other in itertools.combinations(factors, 2):
        if both := one.changed & other.changed:
            twice = min(both), one.name, other.name
            raise LabError("%s varies twice: in %s and in %s" % twice)
    return tuple(sorted(factors, key=lambda f: not any(k.startswith("server.") for k in f.changed)))


def make_level(name: str, given: Any) -> Level:
    """A level: a value, or { name = "...", value = ... }."""
    called = None
    if isinstance(given, Mapping):
        if set(given) != {"name", "value"} or not isinstance(given["name"], str):
            raise LabError('vary.%s: a named level is { name = "...", value = ... }' % name)
        called, given = given["name"], given["value"]
    known, value = keys.check_setting(name, given)
    shown = mask.value(known, value)
    called = called or (hosts.level_name(value) if known == hosts.NUMBER else v.level_name(shown))
    return Level(check_level_name("vary." + name, called), {known: value})


def check_level_name(where: str, name: Any) -> str:
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise LabError("%s: a name is one line of text, not %s" % (where, v.shown(name)))
    return str(mask.text(name.strip()))


def make_arms(arms: Any) -> list[Factor]:
    if not isinstance(arms, list) or not all(isinstance(a, Mapping) for a in arms):
        raise LabError("arms are written [[arm]], each with a name")
    levels = []
    for arm in arms:
        if "name" not in arm:
            raise LabError("an [[arm]] has no name")
        name = check_level_name("arm", arm["name"])
        for key in arm:
            if key != "name" and keys.canonical(key).split(".")[0] not in SETTINGS:
                why = "an arm changes settings of load, server and client, not"
                raise LabError("arm '%s': %s '%s'" % (name, why, key))
        with failing("arm '%s'" % name, LabError):
            given = settings_of({keys.lengthened(k): x for k, x in arm.items() if k != "name"})
        levels.append(Level(name, given))
    return [make_factor("arm", levels)] if levels else []


def make_factor(name: str, levels: Sequence[Level]) -> Factor:
    if not levels:
        raise LabError("%s has no levels" % name)
    names = [level.name for level in levels]
    for called in names:
        if names.count(called) > 1:
            why = "; passwords need names: { name = ..., value = ... }" * (mask.SHOWN in called)
            raise LabError("%s has the level '%s' twice%s" % (name, called, why))
    return Factor(name, tuple(levels), name != "arm" and all(map(is_numeral, names)))


def is_numeral(text: str) -> bool:
    numeral = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", text)
    return numeral is not None and math.isfinite(float(text))


def spelt(wanted: str, names: Container[str]) -> str:
    """The one of these names that x means; "" if none."""
    return next((n for n in (wanted, keys.canonical(wanted), "load." + wanted) if n in names), "")


def choose_x(factors: Sequence[Factor], wanted: str) -> str:
    """The factor on the horizontal axis: the one that was named, else the first amount of load."""
    if not wanted:
        axes = (f.name for f in factors if len(f.levels) > 1 and contrasts.is_amount(f))
        return next(axes, "")
    names = {f.name: f for f in factors}
    if not (name := spelt(wanted, names)):
        one = "only %s does" % "".join(names) if names else "nothing does"
        known = one if len(names) < 2 else ", ".join(names) + " do"
        raise LabError("x: '%s' does not vary; %s" % (wanted, known))
    if not names[name].numeric:
        raise LabError("x: the levels of '%s' are not all numbers" % wanted)
    return name


# ---- what only the whole shows ---------------------------------------------------


def check_server(exp: Experiment, settings: Settings) -> None:
    """Settings that this kind of server cannot be given."""
    kind = settings.get("server.kind", "private")
    known = ("start", "stop", "set", "check", "restore")
    commands = [k for k in known if "server." + k in settings]
    options = [k for k in settings if k.startswith(("server.option.", "server.env."))]
    private = ("engine", "program", "preload", "prefix", "via")
    ours = [k for k in settings if k.startswith("server.") and k[len("server.") :] in private]
    if kind != "commands" and commands:
        raise LabError('server.%s needs server.kind = "commands"' % commands[0])
    if kind == "given" and options:
        why = "server.kind is given, and nothing of it is changed"
        raise LabError("%s cannot be set: %s" % (options[0], why))
    if kind != "private" and ours:
        raise LabError("%s is for a private server, but server.kind is %s" % (ours[0], kind))
    if kind == "commands":
        if ("server.start" in settings) != ("server.stop" in settings):
            raise LabError("server.start and server.stop belong together; one is missing")
        if options and "server.set" not in settings and "server.start" not in settings:
            raise LabError("%s cannot be set without server.set or server.start" % options[0])
        if options and "server.check" not in settings:
            raise LabError("%s needs server.check, which shows that it took effect" % options[0])


# ---- to lab.json and back --------------------------------------------------------


def from_saved(tree: Tree) -> Experiment:
    """The experiment of a results directory, of which the schema has nothing to complain.
    ValueError for what it cannot say."""
    factors = []
    for f in tree["factors"]:
        levels = (Level(x["name"], restored(x["changes"])) for x in f["levels"])
        factors.append(Factor(f["name"], tuple(levels), f["numeric"]))
    if len({f.name for f in factors}) < len(factors):
        raise ValueError("two factors have the same name")
    parts = {k: tree[k] for k in ("name", "title", "question", "x")}
    parts["found"] = tree.get("found", {})  # not in directories of earlier releases
    known = {f.name for f in dataclasses.fields(Measure)}
    given: dict[str, Any] = {k: x for k, x in tree["measure"].items() if k in known}
    given["looked"] = tuple(given.get("looked", ()))
    measure = Measure(**given)
    hooks = tuple(Hook(**hook) for hook in tree["hooks"])
    stays = restored(tree["stays"])
    return Experiment(factors=tuple(factors), hooks=hooks, stays=stays, measure=measure, **parts)


def restored(settings: Tree) -> dict[str, Value]:
    """JSON has no tuples."""
    return {k: tuple(x) if isinstance(x, list) else x for k, x in settings.items()}


# ---- the table [hooks] -----------------------------------------------------------


def make(tree: Tree, measure: Measure) -> tuple[Hook, ...]:
    """The hooks of a table, those of a moment in the order in which they are written."""
    found = []
    for name, value in tree.items():
        moment = name.replace("_", "-")
        if moment not in keys.MOMENTS:
            raise LabError("there is no key 'hooks.%s'%s" % (name, v.near(moment, keys.MOMENTS)))
        for one in value if isinstance(value, list) else [value]:
            at_s: float = 0
            if moment == "mid-run":
                if not isinstance(one, Mapping) or set(one) != {"at", "command"}:
                    what = 'hooks.mid-run takes { at = SECONDS, command = "..." }, not %s'
                    raise LabError(what % v.shown(one))
                at_s = keys.checked("hooks.mid-run: at", v.seconds, one["at"], one["at"])
                one = one["command"]
            if not isinstance(one, str) or not one.strip():
                raise LabError("hooks.%s takes a command, not %s" % (moment, v.shown(one)))
            if at_s >= measure.time_s:
                late = "hooks.mid-run: at is %g s, but a run ends at %g s (measure.time)"
                raise LabError(late % (at_s, measure.time_s))
            found.append(Hook(moment, one.strip(), at_s))
    return tuple(found)
