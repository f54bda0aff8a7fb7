# SPDX-License-Identifier: GPL-2.0-or-later
"""What the harnesses below tests/ share: options, the program under test, a server, signals, where
the files of cases that went wrong go.  Importing it lets a harness import what lies in scripts/ and
tests/include.

    args = options("audit/run", __doc__, "only", "seed", "sysbench", "keep").parse_args()
    with kept(args.keep, "audit") as directory: ...
    if __name__ == "__main__":
        run("audit", main)
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from typing import Any, Callable, Iterator, NoReturn, Sequence

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path += [os.path.join(SOURCE, "scripts"), os.path.join(SOURCE, "tests", "include")]
from sysbench_lab import LabError, owned  # noqa: E402
from sysbench_lab.servers import programs  # noqa: E402
from sysbench_lab.servers.instance import Instance  # noqa: E402

CANNOT = 80  # exit status of a harness that cannot run here, as tests/nightly understands it


class Cannot(Exception):
    """This harness cannot run here; the message says why."""


def say(text: str) -> None:
    print(text, flush=True)


def read(path: str) -> str:
    """What is there already."""
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as e:
        raise argparse.ArgumentTypeError("%r is no regular expression: %s" % (text, e)) from e


def positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("%r is no whole number above 0" % text)
    return int(text)


OPTIONS: dict[str, dict[str, Any]] = {
    "list": {"action": "store_true", "help": "name what there is and end"},
    "only": {
        "type": pattern,
        "default": "",
        "metavar": "REGEX",
        "help": "those whose name matches",
    },
    "seed": {"type": int, "metavar": "S", "help": "what is drawn (default: the time)"},
    "json": {"metavar": "PATH", "help": "all results, for programs"},
    "keep": {"metavar": "DIR", "help": "where the files of what went wrong go"},
    "sysbench": {
        "metavar": "PATH",
        "default": os.path.join(SOURCE, "build", "src", "sysbench"),
        "help": "the program (default: that of build/)",
    },
    "self-test": {"action": "store_true", "help": "test the harness itself"},
}


def options(name: str, doc: str, *shared: str) -> argparse.ArgumentParser:
    """A parser with these of OPTIONS; a harness adds its own."""
    form = argparse.RawDescriptionHelpFormatter
    p = argparse.ArgumentParser("tests/" + name, description=doc, formatter_class=form)
    p.allow_abbrev = False
    for option in shared:
        p.add_argument("--" + option, **OPTIONS[option])
    return p


def program(args: argparse.Namespace) -> str:
    """Of --sysbench."""
    if not os.access(args.sysbench, os.X_OK):
        raise LabError("--sysbench=%s: no such program; build it first" % args.sysbench)
    return os.path.abspath(args.sysbench)


def seed(args: argparse.Namespace) -> int:
    return int(time.time()) if args.seed is None else args.seed


@contextlib.contextmanager
def kept(directory: str | None, name: str) -> Iterator[str]:
    """Where files are kept: what was named, or a new directory that goes when it is empty."""
    made = os.path.abspath(directory) if directory else owned.temporary("sb-%s-" % name)
    os.makedirs(made, exist_ok=True)
    os.chmod(made, 0o755)  # servers may run as another user
    try:
        yield made
    finally:
        if not directory and os.path.isdir(made) and os.listdir(made) == [owned.MARK]:
            owned.remove(made)


@contextlib.contextmanager
def server(engine: str, options: Sequence[str] = (), **more: Any) -> Iterator[Instance]:
    """A private one that runs meanwhile."""
    instance = started(Instance.create_temporary(engine=engine, options=list(options), **more))
    try:
        yield instance
    finally:
        ended(instance)


def started(one: Instance, prepare: Sequence[str] = (), prefix: Sequence[str] = ()) -> Instance:
    """It runs, with the tables that these words of a program make; nothing is left of one that
    does not."""
    try:
        one.start()
        if prepare:
            words = [*prefix, *prepare, *one.module.arguments(one), "prepare"]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=120)
    except BaseException:
        ended(one)
        raise
    return one


def ended(one: Instance) -> None:
    if one.is_running():
        one.stop(30)
    one.remove()


def client(one: Instance, user: str = "", database: str = "") -> list[str]:
    """The server's own client, by default as its administrator: rows, one a line, with tabs."""
    user, database = user or one.module.admin(one), database or one.databases[0]
    mysql = one.engine != "postgresql"
    names = ("mariadb", "mysql") if mysql else ("psql",)
    program = programs.find(*names)
    if program is None:
        raise LabError("no client program %s" % " or ".join(names))
    if mysql:
        words = ["--no-defaults", "--socket=" + one.socket, "--user=" + user, "--batch"]
        return [program, *words, "--skip-column-names", database]
    words = ["--no-psqlrc", "-qAt", "--field-separator=\t", "-v", "ON_ERROR_STOP=1"]
    words += ["--host=" + os.path.dirname(one.socket), "--port=%d" % one.socket_port()]
    return [program, *words, "--username=" + user, "--dbname=" + database]


def sql(one: Instance, statement: str) -> str:
    """What its administrator is answered."""
    words = [*client(one), "-c" if one.engine == "postgresql" else "-e", statement]
    pipe = subprocess.PIPE
    done = subprocess.run(words, stdout=pipe, stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode != 0:
        raise LabError("%s: %s" % (statement, done.stdout.strip()))
    return done.stdout.strip()


def compiled(source: str, directory: str, *flags: str, suffix: str = "") -> str:
    """A small C program, or with suffix=".so" a library that is preloaded."""
    name = os.path.splitext(os.path.basename(source))[0]
    path = os.path.join(directory, name + suffix)
    argv = [*os.environ.get("CC", "cc").split()[-1:], "-O1", "-g", "-Wall", "-Wextra"]
    argv += ["-fPIC", "-shared"] if suffix else []
    done = subprocess.run(
        [*argv, *flags, "-o", path, source, "-ldl", "-pthread"], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise LabError("cannot build %s:\n%s" % (source, done.stderr))
    return path


def self_test(directory: str, package: str) -> int:
    """The harness's own tests: *_test.py of a package there."""
    suite = unittest.defaultTestLoader.discover(
        os.path.join(directory, package), "*_test.py", directory
    )
    result = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun else 1


def totals(what: str, counts: dict[str, int]) -> str:
    """ "7 drills: 6 passed, 1 failed"."""
    parts = ", ".join("%d %s" % (n, word) for word, n in counts.items())
    return "%d %s: %s" % (sum(counts.values()), what, parts)


def run(name: str, main: Callable[[], int]) -> NoReturn:
    """Ends with the status of main(): 1 after LabError, 80 after Cannot, 128 + n after a signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job's is ignored
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    try:
        sys.exit(main())
    except (LabError, Cannot) as e:
        print("%s: %s" % (name, e), file=sys.stderr)
        sys.exit(CANNOT if isinstance(e, Cannot) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
