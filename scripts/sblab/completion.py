# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion of sysbench-lab for three shells, made from its parser.

    PYTHONPATH=scripts python3 -m sblab.completion    # rewrites scripts/completion/

The files are kept in the source tree, because the build needs no Python; a test finds them out of
date.  The first word is a command, the words after it are its flags, experiments or directories,
and flags with a fixed set of values offer those.
"""

from __future__ import annotations

import argparse
import os
import re
from typing import Callable, NamedTuple

from sysbench_lab import main, paths
from sysbench_lab.plan import model

WORDS = {
    "--order": model.ORDERS,
    "--engine": ("mariadb", "mysql", "postgresql"),
    "--style": ("text", "markdown", "html"),
}
# What a command takes besides flags.
DIRECTORYS = ("resume", "show", "page", "verdict")
FILES = ("run", "plan", "find", "compare")
HEAD = "# SPDX-License-Identifier: GPL-2.0-or-later\n# %s; made by sblab/completion.py\n"


class Flag(NamedTuple):
    name: str
    takes: bool  # a value
    text: str


class Command(NamedTuple):
    name: str
    text: str
    flags: list[Flag]


def commands() -> list[Command]:
    """Every command with its flags, in the order of the help."""
    top = main.parser()
    texts = {}
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts = {a.dest: a.help or "" for a in action._choices_actions}
    return [Command(n, texts[n], flags_of(p)) for n, p in top.commands.items()]


def flags_of(parser: argparse.ArgumentParser) -> list[Flag]:
    found = []
    for action in parser._actions:
        for name in action.option_strings:
            if name.startswith("--"):
                text = (action.help or "").replace("%%", "%")
                found.append(Flag(name, action.nargs is None, text))
    return found


def offered(command: str) -> str:
    """The words of a command that are no flags: commands, for help; examples."""
    if command == "help":
        return " ".join(c.name for c in commands() if c.name != "help")
    return " ".join(paths.example_names()) if command in ("run", "plan", "find", "examples") else ""


# ---- bash ------------------------------------------------------------------------

# readline cuts words at '=': the flag may be two words back
BASH = """_sysbench_lab() {
    local cur=${COMP_WORDS[COMP_CWORD]} flag= words= flags=
    COMPREPLY=()
    if [ "$cur" = = ]; then flag=${COMP_WORDS[COMP_CWORD-1]}; cur=
    elif [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then flag=${COMP_WORDS[COMP_CWORD-2]}; fi
    case $flag in
VALUES
    --results|--copy) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    -*) return ;;
    esac
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W 'NAMES --version --help' -- "$cur")); return
    fi
    case ${COMP_WORDS[1]} in
COMMANDS
    esac
    case $cur in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur"))
        case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac; return ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case ${COMP_WORDS[1]} in
    DIRECTORYS) COMPREPLY+=($(compgen -d -- "$cur")) ;;
    FILES) COMPREPLY+=($(compgen -f -- "$cur")) ;;
    esac
}
complete -F _sysbench_lab sysbench-lab
"""
VALUE = "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;"


def bash() -> str:
    found = {
        "VALUES": "\n".join(VALUE % (name, " ".join(words)) for name, words in WORDS.items()),
        "NAMES": " ".join(c.name for c in commands()),
        "COMMANDS": "\n".join(
            "    %s) flags='%s' words='%s' ;;"
            % (c.name, " ".join(f.name + "=" * f.takes for f in c.flags), offered(c.name))
            for c in commands()
        ),
        "DIRECTORYS": "|".join(DIRECTORYS),
        "FILES": "|".join(FILES),
    }
    text = re.sub("|".join(found), lambda m: found[m[0]], BASH)
    return HEAD % "bash completion for sysbench-lab" + text


# ---- zsh -------------------------------------------------------------------------

ZSH = """local -a commands
commands=(
%s
)
if (( CURRENT == 2 )); then
    _describe command commands
    return
fi
local command=$words[2]
shift words
(( CURRENT-- ))
case $command in
%s
esac
"""


def zsh_text(text: str) -> str:
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_flag(flag: Flag) -> str:
    name = "*" + flag.name if flag.name in ("--set", "--vary", "--fail-if") else flag.name
    if not flag.takes:
        return "'%s[%s]'" % (name, zsh_text(flag.text))
    after = "_files -/" if flag.name in ("--results", "--copy") else ""
    after = "(%s)" % " ".join(WORDS[flag.name]) if flag.name in WORDS else after
    return "'%s=[%s]:value:%s'" % (name, zsh_text(flag.text), after)


def zsh_rest(command: str) -> str:
    """What stands where no flag stands."""
    if command in DIRECTORYS:
        return "1:directory:_files -/"
    if command == "compare":
        return "*:result:_files"
    form = (
        '1:experiment:{ _files -g "*.toml"; compadd -- %s }' if command in FILES else "1:name:(%s)"
    )
    return form % offered(command)


def zsh() -> str:
    names = ["    '%s:%s'" % (c.name, zsh_text(c.text)) for c in commands()]
    cases = [
        "\n        ".join(
            ["%s)\n    _arguments \\" % c.name, *(zsh_flag(f) + " \\" for f in c.flags)]
            + ["'%s'\n    ;;" % zsh_rest(c.name)]
        )
        for c in commands()
    ]
    head = "#compdef sysbench-lab\n" + HEAD % "zsh completion for sysbench-lab"
    return head + ZSH % ("\n".join(names), "\n".join(cases))


# ---- fish ------------------------------------------------------------------------


def fish_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish() -> str:
    start, names = "complete -c sysbench-lab", " ".join(c.name for c in commands())
    lines = [HEAD.rstrip("\n") % "fish completion for sysbench-lab", start + " -f"]
    for c in commands():
        said = start + " -n 'not __fish_seen_subcommand_from %s' -a %s -d '%s'"
        lines.append(said % (names, c.name, fish_text(c.text)))
    for c in commands():
        at = start + " -n '__fish_seen_subcommand_from %s'" % c.name
        lines += [at + " -F"] * (c.name in FILES)
        lines += [at + " -a '(__fish_complete_directories)'"] * (c.name in DIRECTORYS)
        lines += ["%s -a '%s'" % (at, offered(c.name))] * bool(offered(c.name))
        for flag in c.flags:
            words = " -a '%s'" % " ".join(WORDS[flag.name]) if flag.name in WORDS else ""
            line = "%s -l %s -d '%s'" % (at, flag.name[2:], fish_text(flag.text))
            lines.append(line + (" -r" + words) * flag.takes)
    return "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[], str]] = {
    "sysbench-lab": bash,
    "_sysbench-lab": zsh,
    "sysbench-lab.fish": fish,
}


def write() -> None:
    """Rewrites the files of the source tree."""
    for name, make in SHELLS.items():
        with open(os.path.join(paths.TREE, "scripts", "completion", name), "w") as f:
            f.write(make())


if __name__ == "__main__":
    write()
