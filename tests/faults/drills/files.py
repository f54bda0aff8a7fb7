# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that a run reads and writes: odd, missing, hostile."""

from __future__ import annotations

import json
import os
import resource
import stat
import time

from .load import limit, read
from .table import FIRST, NOTHING, Drill, drill


@drill("config-without-equals", engines=NOTHING, ways=FIRST, quick=True)
def config_without_equals(d: Drill) -> None:
    """A configuration file with an option but no `=`: refused with the line's number."""
    refused(d, d.write("bad.conf", "threads=2\n\ntime 3\n"), r"bad\.conf.*\b3\b")


@drill("config-with-nul", engines=NOTHING, ways=FIRST)
def config_with_nul(d: Drill) -> None:
    """A configuration file with NUL bytes: refused with the line's number."""
    refused(d, d.write("nul.conf", "threads=2\nti\0me=1\n"), r"nul\.conf.*\b2\b")


@drill("config-without-end", engines=NOTHING, ways=FIRST, quick=True)
def config_without_end(d: Drill) -> None:
    """A device as a configuration file: refused, not read without end."""
    for path in ("/dev/zero", "/dev/urandom", "/dev/full"):
        refused(d, path, path)


@drill("config-is-a-directory", engines=NOTHING, ways=FIRST)
def config_is_a_directory(d: Drill) -> None:
    """A directory as a configuration file: refused."""
    refused(d, d.directory, "(?i)directory|directory")


def refused(d: Drill, path: str, pattern: str) -> None:
    # what reads without end must not take the machine with it
    little = limit(resource.RLIMIT_AS, 512 << 20)
    load = d.plain("cpu", "--config-file=" + path, "--time=1", "run", prepare=little)
    load.refused(pattern, bound=8, messages=3, lines=10)


@drill("one-path-twice", engines=NOTHING, ways=FIRST, quick=True)
def one_path_twice(d: Drill) -> None:
    """One path for two outputs: refused, and the file that was there is untouched."""
    path = d.write("both.json", "precious\n")
    load = d.plain("cpu", "--time=1", "--report-file=%s,jsonl:%s" % (path, path), "run")
    load.refused(bound=8, messages=3)
    d.book.same("the file", read(path), "precious\n")


@drill("result-behind-a-link", engines=NOTHING, ways=FIRST)
def result_behind_a_link(d: Drill) -> None:
    """Another user's link in a sticky directory is not followed."""
    shared, target = d.path("shared"), d.path("target")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    link = os.path.join(shared, "run.json")
    os.symlink(target, link)
    os.lchown(link, 65534, 65534)
    d.plain("cpu", "--time=1", "--report-file=" + link, "run").refused(bound=8, messages=3)
    d.book.true(not os.path.exists(target), "it wrote through the link")


@drill("modes-of-files", engines=NOTHING, ways=FIRST)
def modes_of_files(d: Drill) -> None:
    """Result files are for their owner and group: mode 0640 and less by umask."""
    load = d.run(d.sleeper(), "--time=1", prepare=lambda: os.umask(0))
    load.ended(0)
    for suffix in ("json", "jsonl", "csv"):
        mode = stat.S_IMODE(os.stat(load.stem + "." + suffix).st_mode)
        d.book.same("mode of the %s file" % suffix, oct(mode), "0o640")


@drill("marks-no-utf8", engines=NOTHING, ways=FIRST, quick=True)
def marks_no_utf8(d: Drill) -> None:
    """Marks that are no UTF-8, and a FIFO that became a file: all files stay readable."""
    fifo = d.path("mark")
    load = d.run(d.sleeper(), "--time=3", "--mark-on=" + fifo)
    load.started() and load.wait_for("the FIFO", lambda: os.path.exists(fifo))
    with open(fifo, "wb") as f:
        f.write(b"bad \xff\xfe\x01 text \xc3\x28\nsecond\n")
    time.sleep(0.5)
    os.unlink(fifo)
    d.write("mark", "somebody else's\n")
    document = load.ended(0)
    if document:
        d.book.same("marks", len(document["marks"]), 2)
    d.book.same("the file that replaced the FIFO", read(fifo), "somebody else's\n")
    with open(load.stem + ".json", "rb") as raw:
        raw.read().decode("utf-8")


@drill("no-such-directory", engines=NOTHING, ways=FIRST)
def no_such_directory(d: Drill) -> None:
    """A result file in a directory that does not exist: refused before the run."""
    load = d.plain("cpu", "--time=30", "--report-file=/no/such/directory/x.json", "run")
    load.refused("/no/such/directory", bound=8, messages=3)


@drill("file-exists", engines=NOTHING, ways=FIRST)
def file_exists(d: Drill) -> None:
    """A result file of an earlier run is replaced as a whole."""
    d.write("run1.json", "x" * 1000000)
    load = d.run(d.sleeper(), "--time=1")
    load.ended(0)
    json.loads(read(load.stem + ".json"))


@drill("password-in-no-file", engines=NOTHING, ways=FIRST)
def password_in_no_file(d: Drill) -> None:
    """A password is in no report, on no command line, in no core."""
    secret = "sEcReT-%d" % os.getpid()
    load = d.begun(d.sleeper(), "--mysql-password=" + secret, done=10)
    with open("/proc/%d/cmdline" % load.process.pid, "rb") as f:
        d.book.true(secret.encode() not in f.read(), "ps shows the password")
    load.interrupted()
    for suffix in ("json", "jsonl", "csv", "out", "err"):
        d.book.true(secret not in read(load.stem + "." + suffix), "in the %s file" % suffix)
