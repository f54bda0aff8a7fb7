# SPDX-License-Identifier: GPL-2.0-or-later
"""What each command of sysbench-lab does: calls the parts in order and says where the results are.

    run, find   flags.tree_of -> experiment -> plan -> Book.create -> runner -> finish
    resume      Book.open -> runner -> finish
    show, page  book.Results -> terminal, pictures, page
    verdict     book.Results -> regression

Pictures and page are imported where they are drawn: a package that is missing costs what it draws,
no measurement.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
import time
from typing import Any

from . import LabError, owned, paths, python, text_of, visible
from .compare import conditions, gate, regression
from .compare.compare import compare as compared
from .plan import contrasts, experiment, flags, found_rate, keys, labels, mask, plan, rounds
from .plan import values as v
from .plan.model import Experiment, Plan
from .results import sheets
from .results.figures import COLUMNS, PERCENTILE, better
from .results.results_dir import GIVEN, Book, write_file
from .run import check as checks
from .run import lock, rehearsal, runner, setup, signals
from .statistics import rank_rows
from .statistics.results import Results, write
from .target import target
from .terminal.progress import PlainProgress, Progress, step
from .terminal.text_tables import main_figure, plot, table

NOTE = "%s stores passwords until the experiment finishes; use load.mysql-password-file instead\n"
PACKAGES = "%s installs what it needs; then: sysbench-lab page DIR"


def say(text: str) -> None:
    print(visible(text, lines=True), flush=True)


# ---- which experiment ------------------------------------------------------------


def path_of(name: str | None) -> str | None:
    """A file as it is named, or the example of that name."""
    if name is None or os.path.isfile(name) or name not in paths.example_names():
        return name
    return os.path.join(paths.examples(), name + ".toml")


def asked(args: argparse.Namespace) -> tuple[Experiment, Plan, str]:
    """The experiment of file and flags, its plan, and its source text."""
    path = path_of(args.file)
    text = experiment.read_text(path) if path else ""
    tree = flags.tree_of(experiment.read_tree(path, text) if path else None, args)
    if path is None and not tree.get("load"):
        raise LabError("name an experiment (FILE), or a test: --script=oltp_read_only")
    exp = experiment.from_dict(tree, path or "command line")
    if args.find_max_rate:
        exp = found_rate.searching(exp)
    return exp, plan.make(exp), source_text(text, args)


def source_text(text: str, args: argparse.Namespace) -> str:
    """The file as it was given, and the flags as a comment above it."""
    given = ["--set=" + mask.argument("--" + pair)[2:] for pair in args.set]
    given += ["--vary=" + mask.argument("--" + pair)[2:] for pair in args.vary]
    given += map("=".join, flags.given(args).items())
    return "".join("# flag: %s\n" % " ".join(g.splitlines()) for g in given) + text


# ---- measuring -------------------------------------------------------------------


def show_plan(args: argparse.Namespace) -> int:
    exp, made, _ = asked(args)
    say(outline(exp, made))
    target.make(exp).check(made.cells)  # the plan may be for another machine: it is shown
    return 0


def outline(exp: Experiment, made: Plan) -> str:
    """The plan; refuses what sysbench would refuse."""
    rehearsal.check(found_rate.rehearsed(exp, made.cells))
    return "\n".join([plan.table(exp, made), *rehearsal.untold(made.cells)])


def run(args: argparse.Namespace) -> int:
    """A new results directory, and all runs of the plan."""
    exp, made, text = asked(args)
    lock.check()
    target.make(exp).check(made.cells)  # what this machine lacks, before anything is on disk
    about = outline(exp, made)
    directory = args.results or os.path.join("results", exp.name + time.strftime("-%Y%m%d-%H%M%S"))
    met = rehearsal.check_hosts(made.cells, directory, say)
    book = Book.create(directory, exp, made, text)
    book.note_hosts(met)
    book.note_setup(setup.of(made.cells, met), {})
    say(about)
    say("results: %s\n" % directory)
    if book.keeps_passwords:
        say(NOTE % os.path.join(directory, GIVEN))
    return go(book, args.plain)


def resume(args: argparse.Namespace) -> int:
    lock.check()  # another laboratory may be writing into this very directory
    book = Book.open(args.directory)
    again = set(book.failed() if args.failed else ())
    again.update(book.disturbed() if args.disturbed else ())
    if args.repeats is not None or args.until is not None:
        extend(book, args)
    missing = len(book.missing()) + len(again)
    if not missing and book.state == "done":
        say("nothing is missing in %s" % args.directory)
        return finish(args.directory)
    check_passwords(book)
    met = rehearsal.check_hosts(book.plan.cells, args.directory, say)
    now = setup.of(book.plan.cells, met)
    differs = setup.differences(book.setup, now) if len(book.rows()) > len(again) else {}
    if differs and not args.anyway:
        setup.refuse(differs)
    if again:
        book.forget(again)
    book.anyway = args.anyway
    book.note_hosts(met)
    book.note_setup(now, differs)
    todo = "%s of %d to do" % (plan.counted(missing, "run"), len(book.plan.runs))
    say("%s in %s" % (todo if missing else "going on", args.directory))
    return go(book, args.plain)


def extend(book: Any, args: argparse.Namespace) -> None:
    """More rounds, or rounds until more is known; those that were planned stay as they are."""
    given = {"repeats": args.repeats, "until": args.until}
    known = [(k, flags.parsed(text)) for k, text in given.items() if text is not None]
    found = dict(keys.check_measure(k, value) for k, value in known)
    check_passwords(book)
    begun = max((row["round"] for row in book.rows()), default=0)
    exp = rounds.more(book.experiment, begun, not book.missing(), **found)
    rounds.check(exp, book.plan.cells)
    book.replan(exp, plan.resized(exp, book.plan))


def check_passwords(book: Any) -> None:
    if book.lacks_passwords:
        raise LabError("%s has no %s: its passwords are gone" % (book.directory, GIVEN))


def go(book: Any, plain: bool) -> int:
    """Measures what is missing; what was measured is shown whatever happens."""
    progress = make_progress(plain)
    try:
        runner.run_all(book.experiment, book.plan, book, progress)
        book.set_state("done")
    except BaseException as e:
        progress.stop()
        if not isinstance(e, lock.Busy):
            if isinstance(e, LabError) and any(r["status"] == "done" for r in book.rows()):
                # the first complaint is the one
                with signals.interrupting(), contextlib.suppress(LabError, OSError):
                    finish(book.directory)
            ended_early(book, e)
        if isinstance(e, KeyboardInterrupt):
            return 130
        raise
    progress.stop()
    try:
        with signals.interrupting():
            return finish(book.directory)
    except KeyboardInterrupt:
        say("not drawn; to draw: sysbench-lab page %s" % shlex.quote(book.directory))
        return 130


def ended_early(book: Any, why: BaseException) -> None:
    """Says how to go on."""
    with contextlib.suppress(LabError):  # a disk that is full; the first complaint is the one
        book.set_state("interrupted")
    if isinstance(why, LabError) and not book.rows():
        say("No run has ended.")  # what failed the first one would fail it again
        return
    kept = plan.counted(len(book.rows()), "run") + " kept" if book.rows() else "No run has ended"
    also = []
    for option, runs in ("failed", book.failed()), ("disturbed", book.disturbed()):
        if runs:
            kept += ", %d of them %s" % (len(runs), option)
            also.append("--%s: the %s ones, too" % (option, option))
    where = shlex.quote(book.directory)
    again = " (%s)" % "; ".join(also) if also else ""
    say("%s. To continue: sysbench-lab resume %s%s" % (kept, where, again))


def make_progress(plain: bool) -> Any:
    """A bar on a terminal where rich is installed, else lines."""
    if not plain and sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            return Progress()
    return PlainProgress()


def check(args: argparse.Namespace) -> int:
    """A line for each thing that was found; 1 if a run as asked would fail."""
    lines = checks.check(args.words)
    say("\n".join(line.text() for line in lines))
    return int(any(line.word == "fails" for line in lines))


# ---- reading ---------------------------------------------------------------------


def finish(directory: str) -> int:
    """Files, pictures and page of a directory, then the answer and the table."""
    results = Results(directory)
    write_summary(results)
    for complaint in draw(results):
        say(complaint)
    # The page where there is one, else the directory.
    page_path = os.path.join(directory, "index.html")
    say(report(results) + "\n\nresults: " + (page_path if os.path.exists(page_path) else directory))
    return 0


def write_summary(results: Results) -> None:
    """The files of a directory that are made of its rows."""
    write(results)
    text = visible(tables(results), lines=True)
    write_file(os.path.join(results.directory, "table.txt"), text + "\n" * bool(text))


def draw(results: Results) -> list[str]:
    """Pictures and the page; what could not be drawn, a sentence each."""
    pictures: list[str] = []
    complaints = []
    for what in ("pictures", "page"):
        try:
            if what == "pictures":
                from .pictures import draw_all

                pictures += draw_all(results, os.path.join(results.directory, what), step)
            else:
                from .page import write as write_page

                step(len(pictures) + 1, len(pictures) + 1, "the page")
                write_page(results, os.path.join(results.directory, "index.html"), pictures)
        except ImportError as e:
            complaints.append("no %s: Python's %s is not installed" % (what, e.name))
        except LabError as e:
            complaints.append("no %s: %s" % (what, e))
    step(0, 0, "")
    return complaints + [PACKAGES % python.remedy(paths.in_tree())] * bool(complaints)


def report(results: Results) -> str:
    """The answer, then the tables."""
    text = "".join(sentence + "\n" for sentence in results.sentences)
    below = tables(results)
    return text + ("\n" if text and below else "") + below


def tables(results: Results) -> str:
    """That of the cells, and below it those of load hosts, marks, waits."""
    found = [table(results.exp, results.summaries), rank_rows.text(results)]
    found += map(sheets.block, results.sheets())
    return "\n\n".join(filter(None, (text.rstrip("\n") for text in found)))


def show(args: argparse.Namespace) -> int:
    if args.directory is None and args.plot:  # show --plot DIR
        args.directory, args.plot = args.plot, ""
    if args.directory is None:
        raise LabError("show needs DIR, a results directory (see sysbench-lab show --help)")
    results = Results(args.directory)
    if args.plot is not None:
        figure = args.plot or main_figure(results.exp, results.summaries)
        say(plot(results.exp, results.summaries, figure).rstrip("\n"))
        return 0
    say(report(results))
    return 0


def page(args: argparse.Namespace) -> int:
    results = Results(args.directory)
    owned.check_folder(args.directory)
    write_summary(results)
    if complaints := draw(results):
        raise LabError("; ".join(complaints[:-1]))
    say(os.path.join(args.directory, "index.html"))
    return 0


def compare(args: argparse.Namespace) -> int:
    given = args.fail_if, args.style, args.against, args.control
    return int(compared(args.paths, *given, gate.Files(args.junit, args.markdown, args.history)))


def verdict(args: argparse.Namespace) -> int:
    """Each arm against the baseline; the exit status is for continuous integration."""
    wanted = args.figures.split(",") if args.figures else regression.FIGURES
    for name in wanted:
        if name not in COLUMNS and not PERCENTILE.match(name):
            raise LabError("--figures: there is no figure '%s'%s" % (name, v.near(name, COLUMNS)))
        if not better(name):
            raise LabError("--figures: more of %s is neither better nor worse" % name)
    rules = [conditions.parse(text) for text in args.fail_if]
    results = Results(args.directory)
    if not contrasts.pairs(results.exp, results.summaries):
        why = "the settings that vary do different work or are the axis (x)"
        why = "only one setting was measured" if len(results.plan.cells) == 1 else why
        raise LabError("%s: nothing to compare: %s" % (args.directory, why))
    measured = results.exp, results.plan, results.rows
    control = args.control or ""
    found = regression.check(*measured, wanted, margin(args.margin), control)
    exp = results.exp.with_measure(exclude_disturbed="all")  # a bound on other runs is not certain
    pairs, itself = regression.sides(exp, *measured[1:], control)
    cases = []
    for rule in rules:
        for a, b in pairs:
            said = labels.pair_text(a.cell, b.cell) if rule.change else labels.cell_text(b.cell)
            names = labels.cell_text(a.cell), said
            cases.append(conditions.Case(rule, a, b, names, itself.get(a.cell.number)))
    verdicts = regression.told(found, wanted) + conditions.judged(cases, results.exp.measure.seed)
    document = sheets.Document("Verdict on " + args.directory, [], [], verdicts)
    rows = []
    for n, b in {b.cell.number: b for _, b in pairs}.items():
        began = gate.started(r for r in results.rows if r["cell"] == n)
        rows.append(gate.Row(labels.cell_text(b.cell), began, b))
    files = gate.Files(args.junit, args.markdown, args.history)
    return gate.deliver(document, files, rows, "".join(s + "\n" for s in document.sentences))


def margin(text: str) -> float:
    """5 or 5% as 0.05."""
    number = text.strip().removesuffix("%").strip()
    if not experiment.is_numeral(number) or float(number) < 0:
        raise LabError("--margin takes a percentage such as 5%%, not '%s'" % text)
    return float(number) / 100


# ---- the rest --------------------------------------------------------------------


def examples(args: argparse.Namespace) -> int:
    """Lists the examples with their titles, prints one, or copies them."""
    known = paths.example_names()
    if args.name is not None and args.name not in known:
        raise LabError("there is no example '%s'; there are %s" % (args.name, ", ".join(known)))
    if args.copy:
        # Into a directory; a file that is there is not overwritten.
        names = [args.name] if args.name else known
        targets = [os.path.join(args.copy, n + ".toml") for n in names]
        for path in targets:
            if os.path.lexists(path):
                raise LabError("%s is there already" % path)
        owned.make(args.copy)  # what an example says is executed
        for name, target in zip(names, targets):
            owned.write(target, text_of(os.path.join(paths.examples(), name + ".toml")))
            say(target)
    elif args.name:
        sys.stdout.write(text_of(os.path.join(paths.examples(), args.name + ".toml")))
    else:
        titles = [(n, experiment.read_tree(path_of(n) or n).get("title", "")) for n in known]
        width = max((len(n) for n in known), default=0)
        say("\n".join("%-*s  %s" % (width, n, title) for n, title in titles))
    return 0


def version(args: argparse.Namespace) -> int:
    say("sysbench-lab (sysbench-tx) " + paths.version())
    return 0
