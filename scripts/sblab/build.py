# SPDX-License-Identifier: GPL-2.0-or-later
"""Building this source tree out of tree, again only as far as needed.

autogen.sh runs when configure is missing or older than configure.ac, configure
when the directory has not been configured with the same options, make always.
Their output goes to build.log in the build directory and is shown when a step fails.
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
from typing import Sequence

from . import LabError

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def say(text: str) -> None:
    print(text, flush=True)


def parser(prog: str, text: str) -> argparse.ArgumentParser:
    """Options of a program whose help begins with this text."""
    form = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog, description=text, formatter_class=form, allow_abbrev=False)


def jobs() -> str:
    return "-j%d" % len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else "-j2"


def logged(
    path: str,
    argv: Sequence[str],
    cwd: str | None = None,
    env: dict[str, str] | None = None,
    most: float | None = None,
) -> tuple[int, str]:
    """Runs a command whose words and output go to the end of a file: its status, 124 if it does not
    end within so many seconds, and its output.  What it has started ends with it, and with us."""
    with open(path, "a") as log:
        log.write("$ %s\n" % " ".join(argv))
        log.flush()
        start, null = log.tell(), subprocess.DEVNULL
        try:
            child = subprocess.Popen(
                argv, cwd=cwd, env=env, stdin=null, stdout=log, stderr=log, start_new_session=True
            )
        except OSError as e:
            raise LabError("cannot run %s: %s" % (argv[0], e.strerror)) from e
        try:
            status = child.wait(most)
        except subprocess.TimeoutExpired:
            status = 124
        except BaseException:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(5)
            raise
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    with open(path, errors="replace") as log:
        log.seek(start)
        return status, log.read()


def step(name: str, argv: Sequence[str], cwd: str, log: str) -> None:
    """Runs one command; a failure shows the end of what it printed."""
    began = time.monotonic()
    status, text = logged(log, argv, cwd)
    if status != 0:
        sys.stdout.writelines(text.splitlines(True)[-60:])
        raise LabError("%s failed (exit %d), see %s" % (name, status, log))
    say("%-10s %6.1f s" % (name, time.monotonic() - began))


def is_older(path: str, than: str) -> bool:
    return not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(than)


def contents(path: str) -> str:
    with open(path) as f:
        return f.read()


def output(*argv: str) -> str:
    """Of a program that may not be there, without blanks at the ends."""
    try:
        env = dict(os.environ, LC_ALL="C")
        done = subprocess.run(argv, capture_output=True, text=True, env=env)
    except OSError:
        return ""
    return done.stdout.strip()


def os_release(name: str) -> str:
    """What /etc/os-release says; "" of a system without it."""
    try:
        found = re.search(r'^%s="?([^"\n]*)' % name, contents("/etc/os-release"), re.M)
    except OSError:
        found = None
    return found.group(1) if found else ""


def build(directory: str, options: Sequence[str], targets: Sequence[str] = ("all",)) -> None:
    """Builds `targets` in `directory` with these configure options; LabError when a step fails."""
    directory = os.path.abspath(directory)
    os.makedirs(directory, exist_ok=True)
    log = os.path.join(directory, "build.log")
    with open(log, "w"):
        pass
    configure = os.path.join(SOURCE, "configure")
    if is_older(configure, os.path.join(SOURCE, "configure.ac")):
        step("autogen", ["./autogen.sh"], SOURCE, log)
    # a tree configured in place makes every out-of-tree configure refuse
    if os.path.exists(os.path.join(SOURCE, "config.status")):
        raise LabError("the source tree is configured in place; run 'make distclean' in it first")
    stamp = os.path.join(directory, "configured-with")
    wanted = "\n".join([SOURCE] + list(options)) + "\n"
    if is_older(stamp, configure) or contents(stamp) != wanted:
        step("configure", [configure] + list(options), directory, log)
        with open(stamp, "w") as f:
            f.write(wanted)
    step("make", ["make", jobs()] + list(targets), directory, log)
