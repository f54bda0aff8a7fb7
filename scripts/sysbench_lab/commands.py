# SPDX-License-Identifier: GPL-2.0-or-later
"""What each command of sysbench-lab does: calls the parts in order and says where the results are.

    run, find   flags.tree_of -> experiment -> plan -> Book.create -> runner or search -> finish
    resume      Book.open -> runner -> finish
    show, page  book.Results -> terminal, pictures, page

Parts are imported where they are used: a package that is missing costs what it draws, no
measurement, and `plan` needs none.
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import sys
import time
from typing import Any, Callable

from . import LabError, experiment, flags, place, plan
from .model import Experiment, Plan

PICTURES = "third_party/install-deps --lab installs the packages"


def say(text: str) -> None:
    print(text, flush=True)


# ---- which experiment ------------------------------------------------------------


def path_of(name: str | None) -> str | None:
    """A file as it is named, or the example of that name."""
    if name is None or os.path.exists(name) or name not in place.example_names():
        return name
    return os.path.join(place.examples(), name + ".toml")


def asked(args: argparse.Namespace) -> tuple[Experiment, Plan, str]:
    """The experiment of file and flags, its plan, and its source text."""
    path = path_of(args.file)
    tree = flags.tree_of(path, args)
    if path is None and not tree.get("load"):
        raise LabError("name an experiment (FILE), or a test: --script=oltp_read_only")
    exp = experiment.from_dict(tree, path or "command line")
    return exp, plan.make(exp), source_text(path, args)


def source_text(path: str | None, args: argparse.Namespace) -> str:
    """The file as it was given, and the flags as a comment above it."""
    text = ""
    if path:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    given = ["--set=" + pair for pair in args.set] + ["--vary=" + pair for pair in args.vary]
    for flag in flags.SHORT:
        value = getattr(args, flag[2:].replace("-", "_"))
        given += [flag + "=" + value] if value is not None else []
    return "".join("# flag: %s\n" % " ".join(g.splitlines()) for g in given) + text


# ---- measuring -------------------------------------------------------------------


def show_plan(args: argparse.Namespace) -> int:
    exp, made, _ = asked(args)
    say(plan.table(exp, made))
    return 0


def run(args: argparse.Namespace) -> int:
    if args.find_max_rate:
        return find(args)
    from .runner import run_all

    return measure(args, run_all)


def find(args: argparse.Namespace) -> int:
    from .search import run_all

    return measure(args, run_all)


def measure(args: argparse.Namespace, run_all: Callable[..., None]) -> int:
    """A new results folder, and all runs of the plan."""
    from .book import Book

    exp, made, text = asked(args)
    folder = args.results or default_folder(exp)
    book = Book.create(folder, exp, made, text)
    say(plan.table(exp, made) + "\nresults: %s\n" % folder)
    return go(book, run_all, args.plain)


def default_folder(exp: Experiment) -> str:
    return os.path.join("results", exp.name + time.strftime("-%Y%m%d-%H%M%S"))


def resume(args: argparse.Namespace) -> int:
    from .book import Book
    from .runner import run_all

    book = Book.open(args.folder)
    missing = len(book.missing())
    if not missing:
        say("nothing is missing in %s" % args.folder)
        return finish(args.folder)
    say("%s of %d to do in %s" % (plan.counted(missing, "run"), len(book.plan.runs), args.folder))
    return go(book, run_all, args.plain)


def go(book: Any, run_all: Callable[..., None], plain: bool) -> int:
    """Measures what is missing; what was measured is shown whatever happens."""
    progress = make_progress(plain)
    book.set_state("running")
    try:
        run_all(book.experiment, book.plan, book, progress)
        book.set_state("done")
    except KeyboardInterrupt:
        book.set_state("interrupted")
        progress.stop()
        say("interrupted; to go on: sysbench-lab resume %s" % book.folder)
        return 130
    except LabError:
        book.set_state("interrupted")
        progress.stop()
        if book.rows():
            say("to go on: sysbench-lab resume %s" % book.folder)
        raise
    progress.stop()
    return finish(book.folder)


def make_progress(plain: bool) -> Any:
    """A bar on a terminal where rich is installed, else lines."""
    from .terminal import PlainProgress, Progress

    if not plain and sys.stdout.isatty():
        try:
            return Progress()
        except ImportError:
            pass
    return PlainProgress()


# ---- reading ---------------------------------------------------------------------


def finish(folder: str) -> int:
    """Files, pictures and page of a folder, then the answer and the table."""
    from .book import Results

    results = Results(folder)
    write_summary(results)
    draw(results)
    say(report(results))
    say("results: %s" % folder)
    return 0


def write_summary(results: Any) -> None:
    """The files of a folder that are made of its rows."""
    from .book import write_file
    from .summary import write
    from .terminal import table

    write(results)
    text = table(results.exp, results.summaries)
    write_file(os.path.join(results.folder, "table.txt"), text)


def draw(results: Any) -> None:
    """Pictures and the page; a package that is missing costs them only."""
    from .page import write
    from .pictures import draw_all

    drawing: dict[str, Callable[[], Any]] = {
        "pictures": functools.partial(draw_all, results, os.path.join(results.folder, "pictures")),
        "page": functools.partial(write, results, os.path.join(results.folder, "index.html")),
    }
    for what, function in drawing.items():
        try:
            function()
        except ImportError as e:
            say("no %s: Python's %s is not installed (%s)" % (what, e.name, PICTURES))


def report(results: Any) -> str:
    """The answer, then the table."""
    from .terminal import table

    text = "".join(sentence + "\n" for sentence in results.sentences)
    rows: str = table(results.exp, results.summaries).rstrip("\n")
    return text + ("\n" if text and rows else "") + rows


def show(args: argparse.Namespace) -> int:
    from .book import Results
    from .terminal import main_figure, plot

    results = Results(args.folder)
    if args.plot is not None:
        figure = args.plot or main_figure(results.summaries)
        say(plot(results.exp, results.summaries, figure).rstrip("\n"))
        return 0
    say(report(results))
    return 0


def page(args: argparse.Namespace) -> int:
    from .book import Results

    results = Results(args.folder)
    write_summary(results)
    draw(results)
    say(os.path.join(args.folder, "index.html"))
    return 0


def compare(args: argparse.Namespace) -> int:
    from .compare import compare as compared

    return int(compared(args.paths, args.fail_if, args.style))


# ---- the rest --------------------------------------------------------------------


def examples(args: argparse.Namespace) -> int:
    """Lists the examples with their titles, prints one, or copies them."""
    known = place.example_names()
    if args.name is not None and args.name not in known:
        raise LabError("there is no example '%s'; there are %s" % (args.name, ", ".join(known)))
    if args.copy:
        copy_examples([args.name] if args.name else known, args.copy)
    elif args.name:
        with open(os.path.join(place.examples(), args.name + ".toml"), encoding="utf-8") as f:
            sys.stdout.write(f.read())
    else:
        titles = [(n, experiment.read_tree(path_of(n) or n).get("title", "")) for n in known]
        width = max((len(n) for n in known), default=0)
        say("\n".join("%-*s  %s" % (width, n, title) for n, title in titles))
    return 0


def copy_examples(names: list[str], folder: str) -> None:
    """Into a folder; a file that is there is not overwritten."""
    targets = [os.path.join(folder, n + ".toml") for n in names]
    for target in targets:
        if os.path.lexists(target):
            raise LabError("%s is there already" % target)
    try:
        os.makedirs(folder, exist_ok=True)
        for name, target in zip(names, targets):
            shutil.copyfile(os.path.join(place.examples(), name + ".toml"), target)
            say(target)
    except OSError as e:
        raise LabError("cannot copy to %s: %s" % (folder, e.strerror)) from None


def version(args: argparse.Namespace) -> int:
    say("sysbench-lab (sysbench-tx) " + place.version())
    return 0


def help_text(args: argparse.Namespace) -> int:
    """main.dispatch prints it: it has the parsers."""
    return 0
