# SPDX-License-Identifier: GPL-2.0-or-later
"""Building this source tree out of tree, again only as far as needed.

autogen.sh runs when configure is missing or older than configure.ac, configure
when the directory has not been configured with the same options, make always.
Their output goes to build.log in the build directory and is shown when a step fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import Sequence

from . import LabError

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def say(text: str) -> None:
    print(text, flush=True)


def jobs() -> str:
    return "-j%d" % len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else "-j2"


def step(name: str, argv: Sequence[str], cwd: str, log_path: str) -> None:
    """Runs one command; a failure shows the end of what it printed."""
    began = time.monotonic()
    with open(log_path, "a") as log:
        log.write("== %s: %s\n" % (name, " ".join(argv)))
        log.flush()
        start = log.tell()
        code = subprocess.call(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    if code != 0:
        with open(log_path, errors="replace") as log:
            log.seek(start)
            sys.stdout.writelines(log.readlines()[-60:])
        raise LabError("%s failed (exit %d), see %s" % (name, code, log_path))
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
