# SPDX-License-Identifier: GPL-2.0-or-later
"""sysbench as the runner uses it: its command line from settings, its process, its failures.

    argv = run_line(settings, target, directory, 30, 5, [])
    ended = run(argv, Surroundings.of(settings), output, limit_s)
    if ended.status: failure(ended)

The user's options come last and win over ours.  sysbench gets a session of its own: a Ctrl-C in the
terminal reaches the laboratory alone, which ends the run with SIGINT and waits for it.

A run may take as long as it makes sense: SLACK_S longer than warm-up and measured time, and without
limit when the experiment bounds events instead of time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import os
import re
import shlex
import signal
import subprocess
import time
from typing import Any, Callable, Mapping, Sequence

from .. import LabError, content, failing, owned
from ..plan import data, hosts, mask
from ..plan.keys import part
from ..plan.model import Settings, Started, Value
from ..servers import process
from ..target.target import Ended, Target, texts
from . import signals

SLACK_S = 300  # connecting, draining, reports; a good run needs a few seconds of it
SLACK_PER_CLIENT_S = 0.1
END_S = 20  # between SIGINT and SIGKILL
TICK_S = 0.25
HELP_S = 30
SETTLE_S = 60
NOT_SUSTAINED = 3  # exit status with --tx-strict

# What mpirun puts between lines of dashes, to a blank line.
FRAMED = re.compile(r"^-{40,}\n(.+?)\n(?:[ \t]*\n|-{40,}$)", re.M | re.S)

# Options that name files which a run writes.
FILES = ("report-file", "raw-log")


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What is around sysbench besides its arguments, and who is told of it."""

    environment: Mapping[str, str]  # added to ours
    cpus: str = ""
    before: int = 0  # words of the command line that are not sysbench's: what leads to it
    launched: bool = False  # by mpirun: only one of several has our standard input
    elsewhere: bool = False  # they lead to a load host, where a shell takes the command
    started: Started = lambda pid: None  # gets its process id, and None when it has ended
    joined: Callable[[Sequence[Any]], None] = lambda members: None  # see ranks.py

    @classmethod
    def of(cls, settings: Settings, more: Mapping[str, str] = {}, *told: Any) -> Surroundings:
        own = texts(settings, "client.env.")
        launcher = shlex.split(str(settings.get(hosts.LAUNCHER, "")))
        before = len(launcher) + len(hosts.prefix(settings))
        cpus = str(settings.get("client.cpus", ""))
        elsewhere = any(host.via for host in hosts.of(settings)[:1])
        return cls({**own, **more}, cpus, before, bool(launcher), elsewhere, *told)


# ---- the command line ------------------------------------------------------------


def run_line(
    settings: Settings, target: Target, where: str, time_s: float, warmup_s: float, own: list[str]
) -> list[str]:
    """The command of a run whose reports go into the directory `where`; `own` options win."""
    ours = [
        "--time=%d" % math.ceil(time_s),
        "--warmup-time=%d" % math.ceil(warmup_s),
        "--report-interval=1",
        "--host-stats=on",
        "--report-file=json:" + os.path.join(where, "report.json"),
        "--report-file=text:" + os.path.join(where, "report.txt"),
        "--report-file=hlog:" + os.path.join(where, "report.hlog"),  # for the heat map
    ]
    if target.kind != "none":
        ours.append("--server=%s" % (target.pid() or "auto"))
        ours.append("--server-status=on")  # for sessions of others
        if "load.settle" not in settings and settings.get("load.prepare", True):
            ours += ["--settle=%d" % SETTLE_S] * tells(settings, "--settle", "server")
    # The user's options; files that a run writes go into its directory unless their paths are
    # absolute, or each run would overwrite those of the run before.
    options, script = part(settings, "load."), str(settings["load.script"])
    if options.get("server-profile", "off") not in ("off", False):
        parts = re.split(r",(?=(?:off)?cpu\b|file=|window=|hz=)", str(options["server-profile"]))
        files = [p[len("file=") :] for p in parts if p.startswith("file=")]
        file = options.pop("server-profile-file", (files or [os.path.basename(script)])[-1])
        parts = [p for p in parts if not p.startswith("file=")]
        options["server-profile"] = ",".join([*parts, "file=" + os.path.join(where, str(file))])
    kept = {k: v for k, v in options.items() if not re.fullmatch(r"script|prepare(\..*)?", k)}
    for name in set(kept) & set(FILES):
        value = kept[name]
        values = value if isinstance(value, tuple) else (value,)
        kept[name] = tuple(
            form + colon + os.path.join(where, file)  # "csv:x" -> "csv:DIRECTORY/x"
            for form, colon, file in (str(v).rpartition(":") for v in values)
        )
    given = arguments(kept)
    names = {option.partition("=")[0] for option in given} - {"--report-file"}
    ours = [option for option in ours if option.partition("=")[0] not in names]
    launcher = shlex.split(str(settings.get(hosts.LAUNCHER, "")))
    start = [*launcher, *start_of_line(settings, script), *target.arguments()]
    return start + ours + given + own + ["run"]


def prepare_line(settings: Settings, target: Target, command: str, reads: str = "") -> list[str]:
    """The command of `prepare` or `cleanup`: the options of a run that concern the data.  `reads`:
    the file for the names of the options that it looks at."""
    given = {k: v for k, v in part(settings, "load.").items() if not data.RUN_ONLY.fullmatch(k)}
    # a thread for each table, as many as there are CPUs
    tables = str(settings.get("load.tables", 1))
    threads = max(1, min(int(tables) if tables.isdigit() else 1, os.cpu_count() or 1))
    given.setdefault("threads", threads)
    own = part(settings, "load.prepare.") if command == "prepare" else {}
    options = arguments({**given, **own})
    if reads:
        options.append("--options-read=" + reads)
    start = start_of_line(settings, str(settings["load.script"]), *target.arguments())
    return start + options + [command]


def tells(settings: Settings, option: str, group: str) -> bool:
    """Does this sysbench have that option?  Older ones may not."""
    env = process.environment(Surroundings.of(settings).environment)
    return option in help_of(tuple(start_of_line(settings, "--help=" + group)), tuple(env.items()))


@functools.lru_cache(maxsize=None)
def help_of(argv: tuple[str, ...], env: tuple[tuple[str, str], ...]) -> str:
    """What it prints; "" if it cannot be run."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return process.run_tool(argv, env=dict(env), limit_s=HELP_S)[1]
    return ""


def start_of_line(settings: Settings, *more: str) -> list[str]:
    return [*hosts.prefix(settings), program(settings), *more]


def program(settings: Settings) -> str:
    """The sysbench to run."""
    leader = hosts.of(settings)[:1]
    given = "".join(h.program for h in leader) or str(settings.get("client.program", ""))
    if not given:
        from ..paths import program as installed

        return installed()
    if "/" in given and not os.access(given, os.X_OK):
        raise LabError("client.program: cannot run %s" % given)
    return given


def arguments(options: Mapping[str, Value]) -> list[str]:
    """Options of sysbench; a list is an option that is given several times."""
    found = []
    for name, value in options.items():
        values = value if isinstance(value, tuple) else (value,)
        for v in values:
            text = "%.10g" % v if isinstance(v, float) else str(v)
            found.append("--%s=%s" % (name, ("off", "on")[v] if isinstance(v, bool) else text))
    return found


def shown(argv: Sequence[str], around: Surroundings | None = None) -> str:
    """A command line for files: as one could type it, without passwords."""
    if around is None or not around.elsewhere:
        return mask.words(argv)
    way, there = argv[: around.before], mask.words(argv[around.before :])
    return "echo %s | %s sh" % (shlex.quote(there), mask.words(way))


def limit_s(settings: Settings, time_s: float, warmup_s: float) -> float | None:
    """Seconds after which a run has surely gone wrong; None for one without a limit of time."""
    if "load.events" in settings or "load.forced-shutdown" in settings:
        return None
    clients = int(str(settings.get("load.threads", 1)))
    settle = settings.get("load.settle", 0)
    settle_s = settle if isinstance(settle, float) else SETTLE_S
    return warmup_s + settle_s + time_s + SLACK_S + SLACK_PER_CLIENT_S * clients


def concealed(argv: Sequence[str]) -> tuple[list[str], str]:
    """A command line of sysbench without its commands and its options that hold a password, and
    what to write to its standard input instead.  Everybody can read a command line."""
    names = {a.partition("=")[0] for a in argv if a.startswith("--") and mask.argument(a) != a}
    if not (moved := [a for a in argv if a.partition("=")[0] in names | {"--do"}]):
        return list(argv), ""
    text = ""
    for option in moved:
        name, _, value = option[2:].partition("=")
        # quotes protect all but their own kind, and a newline
        text += "%s='%s'\n" % (name, value.replace("'", "'\"'\"'").replace("\n", "\\\n"))
    kept = [a for a in argv if a not in moved]
    return [*kept[:-1], "--config-file=-", kept[-1]], text


HERE = "SYSBENCH_LAB_OPTIONS"  # ends what is its standard input


def remote(argv: Sequence[str], environment: Mapping[str, str], text: str) -> str:
    """For a shell that reads it: the command with `text` as its standard input.  What leads to that
    shell may take words apart (ssh), or not (ip netns exec)."""
    exports = ["export %s=%s" % (k, shlex.quote(v)) for k, v in environment.items()]
    given = "<<'%s'\n%s%s" % (HERE, text, HERE) if text else "</dev/null"
    cd = "cd %s 2>/dev/null" % shlex.quote(os.getcwd())
    return "\n".join([cd, *exports, "exec %s %s" % (shlex.join(argv), given)]) + "\n"


# ---- the process -----------------------------------------------------------------


def run(
    argv: Sequence[str],
    around: Surroundings,
    output: str,
    limit: float | None = None,
    tick: Callable[[], bool] = lambda: False,
) -> Ended:
    """Run it to its end; standard output and error go to the file `output`.  `tick` is called a few
    times a second; it ends the run by returning True."""
    began = time.monotonic()
    p, file = None, output + ".options"
    shown, text = concealed(argv[around.before :])
    try:
        with failing("cannot write " + output):
            open(output, "wb").close()
            if text and around.launched:
                with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
                    f.write(text)
                shown[-2:-1], text = ["--config-file=" + file], ""
        if around.elsewhere:
            shown, text = ["sh"], remote(shown, around.environment, text)
        argv = [*argv[: around.before], *shown]
        with signals.deferred():  # no sysbench that nobody knows of
            with failing("cannot run " + argv[0]):
                p = process.spawn(argv, output, None, None, around.environment, around.cpus, text)
            around.started(p.pid)
        late_s = 0.0
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(TICK_S)
                break
            wanted, taken = tick(), time.monotonic() - began
            if wanted or limit is not None and taken > limit:
                late_s = 0 if wanted else taken
                break
    finally:
        if p is not None:
            process.end(p, signal.SIGINT, END_S)
        around.started(None)
        owned.unlink(file)
    return Ended(p.returncode, time.monotonic() - began, content(output), late_s)


# ---- what went wrong -------------------------------------------------------------


def failure(ended: Ended) -> str:
    """A sentence about a sysbench that failed; "" if it did not."""
    if ended.late_s:
        return "sysbench did not end within %.0f s and was stopped" % ended.late_s
    if ended.status in (0, NOT_SUSTAINED):
        return ended.ranks
    why = complaint(ended.output) or "no output"
    said = "sysbench ended with %s: %s" % (how(ended.status), why)
    if ended.status - 128 in set(signal.Signals) and not fatal(ended.output):
        said = "sysbench was ended by %s" % signal_name(ended.status - 128)
    return "; ".join(filter(None, (said, ended.ranks)))


def how(status: int) -> str:
    return "status %d" % status if status >= 0 else signal_name(-status)


def signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return "signal %d" % number


def complaint(output: str) -> str:
    """What happened; else what a launcher put in a frame of dashes; else the last line."""
    framed = FRAMED.search(output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = " ".join(framed.group(1).split()) if framed else "".join(lines[-1:])
    return fatal(output) or last


# of the script: what the driver said stands before it
ECHO = re.compile(
    "`\\w+' function failed: .*(connection creation failed|SQL API error|SQL error, errno)"
)


def fatal(output: str) -> str:
    """The first FATAL or ALERT lines, which say what happened first."""
    lines = [line.strip() for line in output.splitlines()]
    for level in ("FATAL", "ALERT"):
        found = [re.match(r"(rank \d+(?: \([^)]*\))?: )?%s: *(.*)" % level, t) for t in lines]
        if said := [(m.group(1) or "") + m.group(2) for m in found if m]:
            return "; ".join(dict.fromkeys(said[:1] + [t for t in said[1:2] if not ECHO.search(t)]))
    return ""


def has_no(command: str, output: str) -> bool:
    """Did it fail only because the test has no such command?"""
    return "does not implement the '%s' command" % command in output
