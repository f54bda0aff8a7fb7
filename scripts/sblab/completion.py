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


def bash() -> str:
    """readline cuts words at '=': the flag may be two words back."""
    lines = [HEAD % "bash completion for sysbench-lab" + "_sysbench_lab() {"]
    lines += ["    local cur=${COMP_WORDS[COMP_CWORD]} flag= words= flags="]
    lines += ["    COMPREPLY=()"]
    lines += ['    if [ "$cur" = = ]; then flag=${COMP_WORDS[COMP_CWORD-1]}; cur=']
    lines += [
        '    elif [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then flag=${COMP_WORDS[COMP_CWORD-2]}; fi'
    ]
    lines += ["    case $flag in"]
    for name, words in WORDS.items():
        lines += [
            "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;"
            % (name, " ".join(words))
        ]
    lines += ['    --results|--copy) COMPREPLY=($(compgen -d -- "$cur")); return ;;']
    lines += ["    -*) return ;;", "    esac"]
    lines += ['    if [ "$COMP_CWORD" = 1 ]; then']
    names = " ".join(c.name for c in commands())
    lines += ["        COMPREPLY=($(compgen -W '%s --version --help' -- \"$cur\")); return" % names]
    lines += ["    fi", "    case ${COMP_WORDS[1]} in"]
    for c in commands():
        flags = " ".join(f.name + "=" * f.takes for f in c.flags)
        lines += ["    %s) flags='%s' words='%s' ;;" % (c.name, flags, offered(c.name))]
    lines += ["    esac", "    case $cur in"]
    lines += ['    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur"))']
    lines += [
        "        case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac; return ;;"
    ]
    lines += ["    esac", '    COMPREPLY=($(compgen -W "$words" -- "$cur"))']
    lines += ["    case ${COMP_WORDS[1]} in"]
    lines += ['    %s) COMPREPLY+=($(compgen -d -- "$cur")) ;;' % "|".join(DIRECTORYS)]
    lines += ['    %s) COMPREPLY+=($(compgen -f -- "$cur")) ;;' % "|".join(FILES)]
    lines += ["    esac", "}", "complete -F _sysbench_lab sysbench-lab"]
    return "\n".join(lines) + "\n"


# ---- zsh -------------------------------------------------------------------------


def zsh_text(text: str) -> str:
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_flag(flag: Flag) -> str:
    name = "*" + flag.name if flag.name in ("--set", "--vary", "--fail-if") else flag.name
    if not flag.takes:
        return "'%s[%s]'" % (name, zsh_text(flag.text))
    after = "_files -/" if flag.name in ("--results", "--copy") else ""
    after = "(%s)" % " ".join(WORDS[flag.name]) if flag.name in WORDS else after
    return "'%s=[%s]:value:%s'" % (name, zsh_text(flag.text), after)


def zsh() -> str:
    lines = ["#compdef sysbench-lab\n" + HEAD.rstrip("\n") % "zsh completion for sysbench-lab"]
    lines += ["local -a commands", "commands=("]
    lines += ["    '%s:%s'" % (c.name, zsh_text(c.text)) for c in commands()]
    lines += [")", "if (( CURRENT == 2 )); then"]
    lines += ["    _describe command commands", "    return", "fi"]
    lines += ["local command=$words[2]", "shift words", "(( CURRENT-- ))", "case $command in"]
    for c in commands():
        rest = zsh_rest(c.name)
        lines += ["%s)" % c.name, "    _arguments \\"]
        lines += ["        %s \\" % zsh_flag(f) for f in c.flags]
        lines += ["        '%s'" % rest, "    ;;"]
    return "\n".join(lines + ["esac"]) + "\n"


def zsh_rest(command: str) -> str:
    """What stands where no flag stands."""
    if command in DIRECTORYS:
        return "1:directory:_files -/"
    if command == "compare":
        return "*:result:_files"
    words = offered(command)
    if command in FILES:
        return '1:experiment:{ _files -g "*.toml"; compadd -- %s }' % words
    return "1:name:(%s)" % words


# ---- fish ------------------------------------------------------------------------


def fish_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish() -> str:
    names = " ".join(c.name for c in commands())
    lines = [HEAD.rstrip("\n") % "fish completion for sysbench-lab"]
    lines += ["complete -c sysbench-lab -f"]
    first = "not __fish_seen_subcommand_from %s" % names
    for c in commands():
        lines += [
            "complete -c sysbench-lab -n '%s' -a %s -d '%s'" % (first, c.name, fish_text(c.text))
        ]
    for c in commands():
        at = "complete -c sysbench-lab -n '__fish_seen_subcommand_from %s'" % c.name
        if c.name in FILES:
            lines += [at + " -F"]
        if c.name in DIRECTORYS:
            lines += [at + " -a '(__fish_complete_directories)'"]
        if offered(c.name):
            lines += ["%s -a '%s'" % (at, offered(c.name))]
        lines += [fish_flag(at, f) for f in c.flags]
    return "\n".join(lines) + "\n"


def fish_flag(at: str, flag: Flag) -> str:
    line = "%s -l %s -d '%s'" % (at, flag.name[2:], fish_text(flag.text))
    if not flag.takes:
        return line
    return line + " -r" + (" -a '%s'" % " ".join(WORDS[flag.name]) if flag.name in WORDS else "")


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
