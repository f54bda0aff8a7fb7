# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of sysbench-lab.

    sysbench-lab plan FILE      cells, order, estimated duration; runs nothing
    sysbench-lab run FILE       all runs, then table, pictures and page
    sysbench-lab resume DIR     the runs that are missing; with --repeats or --until, more
    sysbench-lab check [OPTION...]  what would disturb; is the server there
    sysbench-lab find FILE      the highest rate of each cell under an objective
    sysbench-lab show DIR       the table again
    sysbench-lab page DIR       pictures and page again
    sysbench-lab compare A B    results side by side
    sysbench-lab verdict DIR    is an arm worse than the baseline?
    sysbench-lab quickstart     a first run and a first experiment, in four minutes
    sysbench-lab server ...     private servers
    sysbench-lab examples       the installed experiments

main() parses; commands.py does what was asked.  A failure that one sentence explains is a LabError:
the sentence goes to stderr and the exit status is 1.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import signal
import sys
from typing import Any, Callable, Mapping, Sequence

from . import LabError, commands, paths, quickstart
from .plan import flags
from .plan import values as v
from .run import signals
from .servers import command, process

ABOUT = "Experiments with sysbench: from a file to the answer."
END = """\
examples:
  sysbench-lab run --script=oltp_read_only --tx-rate=300 --threads=1,16,128
  sysbench-lab examples constant-rate > my.toml
  sysbench-lab plan my.toml
  sysbench-lab run my.toml --repeats=9
See sysbench-lab(1) and docs/lab.md.
"""
OTHER_NAMES = {  # sysbench's for what is ours
    "warmup-time": "warmup", "dir": "results", "test": "script", "rate": "tx-rate",
    "tx-find": "slo",
    # and those of pgbench, wrk, fio and others
    "client": "threads", "clients": "threads", "concurrency": "threads", "connections": "threads",
    "numjobs": "threads", "users": "threads", "duration": "time", "runtime": "time",
    "rps": "tx-rate",
}  # fmt: skip


class Parser(command.Parser):
    """A wrong command line is one sentence and exit status 1."""

    commands: Mapping[str, argparse.ArgumentParser]  # by name

    def parsed(self, argv: Sequence[str]) -> argparse.Namespace:
        """As parse_args(); an option that is not known is answered by the one that was meant."""
        args, unknown = self.parse_known_args(argv)
        if not unknown:
            return args
        flag, said = unknown[0].partition("=")[0], self.commands.get(args.command, self)
        known = {o.lstrip("-") for action in said._actions for o in action.option_strings}
        name = flag.lstrip("-")
        hint = v.near(OTHER_NAMES.get(name, name), known).replace("mean ", "mean --")
        if "set" in known and (not hint or name.startswith(("mysql", "pgsql"))) and name != flag:
            hint = "; an option of sysbench is --set=load.%s=VALUE" % name
        said.error("unknown argument %s%s" % (unknown[0], hint))


def takes(name: str, text: str, word: str | None = None, **more: Any) -> tuple[str, dict[str, Any]]:
    """An argument of a command."""
    more.update({"metavar": word} if word else {"action": "store_true"})
    return name, {"help": text, **more}


FILE = takes("file", "experiment in TOML, or the name of an example", "FILE", nargs="?")
FLAGS = (
    takes("--set", "set any key of the file", "KEY=VALUE", action="append", default=[]),
    takes("--vary", "vary a setting", "KEY=A,B,...", action="append", default=[]),
    *(takes(flag, short.text, short.word) for flag, short in flags.SHORT.items()),
)
NEW = takes("--results", "new directory for the results [results/NAME-DATE]", "DIR")
GATE = (
    takes("--fail-if", "exit with status 3 if it holds, 4 if by chance: 'p99>+5%%'", "BOUND",
        action="append", default=[]),
    takes("--junit", "write the conditions as JUnit's XML", "FILE"),
    takes("--markdown", "write it as Markdown; - is standard output", "FILE"),
    takes("--history", "add a line for each cell to a CSV file", "FILE"),
)  # fmt: skip
PLAIN = takes("--plain", "progress as lines, no bar")
FIND = takes("--find-max-rate", "the same as the command find")
DIR = takes("directory", "results directory", "DIR")

# fmt: off
COMMANDS: dict[str, tuple[Callable[..., int], str, Sequence[tuple[str, dict[str, Any]]]]] = {
    "run": (commands.run, "measure an experiment; then print its table, draw pictures and page",
        (FILE, *FLAGS, NEW, PLAIN, FIND)),
    "plan": (commands.show_plan, "print cells, order and estimated duration; run nothing",
        (FILE, *FLAGS, NEW, PLAIN, FIND)),  # what run takes: the word alone changes
    "find": (commands.run, "find the highest rate of each cell under an objective (--slo)",
        (FILE, *FLAGS, NEW, PLAIN)),
    "resume": (commands.resume, "measure what an interrupted experiment lacks",
        (takes("directory", "its results directory", "DIR"),
         takes("--failed", "also measure again the runs that failed"),
         takes("--disturbed", "also measure again the runs that were disturbed"),
         takes("--repeats", "measure N rounds in all", "N"),
         takes("--until", "measure until differences are known to '5 %%'", "PCT"),
         takes("--anyway", "go on with another machine, kernel, server or sysbench"), PLAIN)),
    "check": (commands.check, "say what this machine and the server allow and what would disturb",
        (takes("words", "test and options of sysbench: --threads=512", "OPTION", nargs="*"),)),
    "show": (commands.show, "print the answer and the table of results",
        (takes("directory", "results directory", "DIR", nargs="?"),
         takes("--plot", "draw a figure in the terminal", "FIGURE", nargs="?", const=""))),
    "page": (commands.page, "draw the pictures and write the page of results again", (DIR,)),
    "compare": (commands.compare, "show results side by side",
        (takes("paths", "directory, json report, or text output", "RESULT", nargs="+"),
         takes("--against", "the base; the other results are repeats of one side", "RESULT",
            nargs="+", default=[]),
         takes("--control", "the base measured again: changes must exceed its own", "RESULT",
            nargs="+", default=[]),
         takes("--style", "text, markdown, html or junit", "STYLE", default="text"), *GATE)),
    "verdict": (commands.verdict, "say whether an arm is worse than the baseline",
        (DIR, takes("--figures", "columns of runs.csv to compare", "NAME,..."),
         takes("--margin", "change that does not matter", "PCT", default="5%"),
         takes("--control", "arm that is the baseline again: changes must exceed its own", "ARM"),
         *GATE)),
    "quickstart": (quickstart.run, "create an index in the middle of a run; compare two schedulers",
        (takes("--full", "instead of a short comparison the one of 1 to 2,048 connections, in half"
            " an hour"), *FLAGS, NEW, PLAIN)),
    # see dispatch()
    "server": (commands.run, "start, stop, restart and describe a private server",
        (takes("words", "see sysbench-lab server --help", "COMMAND", nargs="*"),)),
    "examples": (commands.examples, "list the examples, or print one",
        (takes("name", "example to print", "NAME", nargs="?"),
         takes("--copy", "copy the examples, or the named one, into DIR", "DIR"))),
    "version": (commands.version, "print the version", ()),
    "help": (commands.version, "print help, of a command if one is named",  # see dispatch()
        (takes("topic", "command to explain", "COMMAND", nargs="?"),)),
}
# fmt: on


def parser() -> Parser:
    """All commands with their flags; completion and a test of the manual page walk it, too."""
    top = Parser(prog="sysbench-lab", description=ABOUT, epilog=END, allow_abbrev=False)
    top.formatter_class = argparse.RawDescriptionHelpFormatter
    top.add_argument("--version", action="store_true", help="print the version and exit")
    sub = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    top.commands = sub.choices
    for name, (function, text, arguments) in COMMANDS.items():
        about = text[0].upper() + text[1:] + "."
        p = sub.add_parser(name, help=text, description=about, allow_abbrev=False)
        p.set_defaults(function=function, find_max_rate=name == "find")
        for argument, given in arguments:
            p.add_argument(argument, **given)
    return top


def check_command(word: str) -> None:
    """argparse would list all commands; a near name is more use."""
    if word.endswith(".toml"):
        raise LabError("there is no command '%s'; did you mean run %s?" % (word, word))
    if word not in COMMANDS:
        raise LabError("there is no command '%s'%s" % (word, v.near(word, COMMANDS)))


def dispatch(argv: Sequence[str]) -> int:
    top = parser()
    if argv and not argv[0].startswith("-"):
        check_command(argv[0])
    if argv[:1] == ["server"]:  # a program of its own
        return command.main("sysbench-lab server", argv[1:])
    words = argv[1:] if argv[:1] == ["check"] and not {"-h", "--help"} & set(argv) else []
    args = top.parsed(argv[: len(argv) - len(words)])
    if words:  # options of another program
        args.words = words
    if args.version:
        return commands.version(args)
    if args.command is None:
        top.print_help()
        return 1
    if args.command == "help":
        check_command(args.topic or "help")
        (top.commands[args.topic] if args.topic else top).print_help()
        return 0
    return int(args.function(args))


def main(argv: Sequence[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # braille on a terminal of another encoding
        sys.stdout.reconfigure(errors="replace")
    for sig in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sig) != signal.SIG_IGN:  # nohup
            signal.signal(sig, signals.interrupt)  # as Ctrl-C: what was measured is kept
    return command.status_of("sysbench-lab", lambda: dispatch(argv))


def launch(version: str = "") -> int:
    """What the launcher calls; an installed one knows its version."""
    process.hide_passwords()  # pip's entry point has no launcher
    paths.installed_version = version
    if sys.argv[1:2] == ["quickstart"] and paths.in_tree():  # there it builds first
        script = os.path.join(paths.ABOVE, "quickstart")
        os.environ["SB_QUICKSTART"] = shlex.join(sys.argv[2:])
        os.execv(script, [script])
    return main(sys.argv[1:])
