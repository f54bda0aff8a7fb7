# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of sysbench-lab.

    sysbench-lab plan FILE      cells, order and time to come; runs nothing
    sysbench-lab run FILE       all runs, then table, pictures and page
    sysbench-lab resume DIR     the runs that are missing
    sysbench-lab find FILE      the highest rate of each cell under an objective
    sysbench-lab show DIR       the table again
    sysbench-lab page DIR       pictures and page again
    sysbench-lab compare A B    results side by side
    sysbench-lab verdict DIR    is an arm worse than the baseline?
    sysbench-lab examples       the installed experiments

main() parses; commands.py does what was asked.  A failure that one sentence explains is a LabError:
the sentence goes to stderr and the exit status is 1.
"""

import argparse
import io
import os
import signal
import sys
from typing import Any, Callable, NoReturn, Sequence

from . import LabError, commands, paths
from .plan import flags
from .plan import values as v
from .run import signals

ABOUT = "Experiments with sysbench: from a file to the answer."
END = """\
examples:
  sysbench-lab run --script=oltp_read_only --tx-rate=300 --threads=1,16,128
  sysbench-lab examples constant-rate > my.toml
  sysbench-lab plan my.toml
  sysbench-lab run my.toml --repeats=9
See sysbench-lab(1) and docs/lab.md.
"""
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong command line is one sentence and exit status 1."""

    def error(self, message: str) -> NoReturn:
        raise LabError("%s (see %s --help)" % (message, self.prog))


def parser() -> argparse.ArgumentParser:
    """All commands with their flags; completion and a test of the manual page walk it, too."""
    top = Parser(
        prog="sysbench-lab",
        description=ABOUT,
        epilog=END,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    sub = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    # Commands that take an experiment or go on with one.
    again = "measure an experiment; then print its table, draw pictures and page"
    slo = "find the highest rate of each cell under an objective (--slo)"
    for name, function, text in (
        ("run", commands.run, again),
        ("plan", commands.show_plan, "print cells, order and time to come; run nothing"),
        ("find", commands.find, slo),
    ):
        p = add(sub, name, function, text)
        about = "experiment in TOML, or the name of an example"
        p.add_argument("file", nargs="?", metavar="FILE", help=about)
        flags.add_to(p)
        p.add_argument("--results", metavar="DIR", help="new directory for the results")
        switch(p, "--plain", "progress as lines, no bar")
        if name != "find":  # plan takes what run takes: the word alone changes
            switch(p, "--find-max-rate", "the same as the command find")
    p = add(sub, "resume", commands.resume, "measure what an interrupted experiment lacks")
    p.add_argument("directory", metavar="DIR", help="its results directory")
    switch(p, "--failed", "also measure again the runs that failed")
    switch(p, "--disturbed", "also measure again the runs that were disturbed")
    switch(p, "--plain", "progress as lines, no bar")
    add_reading(sub)
    return top


def switch(p: argparse.ArgumentParser, name: str, text: str) -> None:
    p.add_argument(name, action="store_true", help=text)


def add(sub: Any, name: str, function: Callable[..., int], text: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = sub.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    made.set_defaults(function=function)
    return made


def add_reading(sub: Any) -> None:
    """Commands that read what was measured."""
    p = add(sub, "show", commands.show, "print the answer and the table of results")
    p.add_argument("directory", nargs="?", metavar="DIR", help="results directory")
    about = "draw a figure in the terminal"
    p.add_argument("--plot", nargs="?", const="", metavar="FIGURE", help=about)
    p = add(sub, "page", commands.page, "draw the pictures and write the page of results again")
    p.add_argument("directory", metavar="DIR", help="results directory")
    p = add(sub, "compare", commands.compare, "show results side by side")
    p.add_argument(
        "paths", nargs="+", metavar="RESULT", help="directory, json report, or text output"
    )
    about = "exit with status 3 if it holds, 4 if by chance: 'p99>+5%%'"
    p.add_argument("--fail-if", action="append", default=[], metavar="BOUND", help=about)
    p.add_argument("--style", default="text", metavar="STYLE", help="text, markdown or html")
    p = add(sub, "verdict", commands.verdict, "say whether an arm is worse than the baseline")
    p.add_argument("directory", metavar="DIR", help="results directory")
    p.add_argument("--figures", metavar="NAME,...", help="columns of runs.csv to compare")
    p.add_argument("--margin", default="5%", metavar="PCT", help="change that does not matter")
    p = add(sub, "examples", commands.examples, "list the examples, or print one")
    p.add_argument("name", nargs="?", metavar="NAME", help="example to print")
    p.add_argument("--copy", metavar="DIR", help="copy the examples, or the named one, into DIR")
    add(sub, "version", commands.version, "print the version")
    p = add(sub, "help", commands.help_text, "print help, of a command if one is named")
    p.add_argument("topic", nargs="?", metavar="COMMAND", help="command to explain")


def names(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands by name."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def check_command(top: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """argparse would list all commands; a near name is more use."""
    first = next((a for a in argv if not a.startswith("-")), None)
    known = names(top)
    if first is not None and argv[0] == first and first not in known:
        if first.endswith(".toml"):
            raise LabError("there is no command '%s'; did you mean run %s?" % (first, first))
        raise LabError("there is no command '%s'%s" % (first, v.near(first, known)))


def dispatch(argv: Sequence[str]) -> int:
    top = parser()
    check_command(top, argv)
    args = top.parse_args(argv)
    if args.version:
        return commands.version(args)
    if args.command is None:
        top.print_help()
        return 1
    if args.command == "help":
        known = names(top)
        if args.topic and args.topic not in known:
            raise LabError("there is no command '%s'%s" % (args.topic, v.near(args.topic, known)))
        (known[args.topic] if args.topic else top).print_help()
        return 0
    return int(args.function(args))


def main(argv: Sequence[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # braille on a terminal of another encoding
        sys.stdout.reconfigure(errors="replace")
    for sig in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sig) != signal.SIG_IGN:  # nohup
            signal.signal(sig, signals.interrupt)  # as Ctrl-C: what was measured is kept
    try:
        return dispatch(argv)
    except LabError as e:
        sys.stderr.write("sysbench-lab: %s\n" % e)
        return e.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # sysbench-lab show DIR | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as e:  # a disk that is full, a directory that was removed
        sys.stderr.write("sysbench-lab: %s\n" % ": ".join(map(str, filter(None, what(e)))))
        return 1


def what(e: OSError) -> tuple[Any, ...]:
    return (e.filename, e.strerror) if e.strerror else (str(e),)


def launch(version: str = "") -> int:
    """What the launcher calls; an installed one knows its version."""
    paths.installed_version = version
    return main(sys.argv[1:])
