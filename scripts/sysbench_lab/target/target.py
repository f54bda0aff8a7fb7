# SPDX-License-Identifier: GPL-2.0-or-later
"""The server under test, as the runner sees it: brought into the state that a cell asks for.

    target = make(exp)
    with each cell:  restarted = target.ensure(cell.settings)
                     sysbench ... target.arguments() ... --server=target.pid()
    at the end:      target.stop()

Four kinds stand behind it:

    PrivateTarget   a server of our own, of servers/
    CommandTarget   the user's server, changed by the user's commands
    Target          the user's server that is only used (server.kind = "given"): this file
    Target          no server at all: cpu, memory and the other built-in tests

ensure() returns when the settings have taken effect, and raises LabError when they have not: a
result under a setting that the server ignored is worse than none.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Callable, Iterable, Mapping, NamedTuple, Optional, Sequence

from .. import LabError, failing, owned
from ..plan import hosts, mask
from ..plan.keys import part
from ..plan.model import BUILT_IN, Cell, Experiment, Log, Note, Settings, Tree, Value, by
from ..plan.plan import keeps_tables, rows_of, server_part
from ..servers import process
from ..servers.instance import ENGINES, Instance, temporary_directory

OPTION = "server.option."


# Has what data() names the tables that are wanted?  None: it has none yet.
Fits = Callable[[str], Optional[bool]]


def whatever(data: str) -> bool:
    """All tables fit."""
    return True


class Target:
    """A server that is used as it is, or none."""

    def __init__(self, kind: str = "given") -> None:
        self.kind = kind
        # The runner sets these: what was run, and which directories must go should we be killed.
        self.log: Log = lambda command, status, seconds: None
        self.begun: Note = lambda directory: None
        self.ended: Note = lambda directory: None
        self.note: Note = lambda text: None
        # And what of the user's own server is about to change, should we be killed; {}: nothing.
        self.changing: Callable[[Tree], None] = lambda change: None
        self.waits_for = ""  # the user's command that runs now

    def check(self, cells: Sequence[Cell]) -> None:
        """LabError for what this machine lacks; before anything is on disk."""

    def rehearse(self, cells: Sequence[Cell]) -> None:
        """LabError for what could not be put back at the end; before the first run."""

    def ensure(self, settings: Settings, fresh: bool = False, fits: Fits = whatever) -> bool:
        """Bring it into this state; started again if that is to be `fresh`, and we may; with the
        tables that fit, if there can be several servers.  True if it was started again, and its
        caches are cold."""
        return False

    def recall(self, change: Tree) -> None:
        """What `changing` was told by a laboratory that did not come to its end."""

    def stop(self) -> None:
        """Leave the machine as it was before make()."""

    def arguments(self) -> list[str]:
        """The options with which sysbench reaches it."""
        return []

    def pid(self) -> int | None:
        """Its process, None if we do not know."""
        return None

    def data(self) -> str:
        """What tells the data of this server from those of another."""
        return self.kind

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind}


def make(exp: Experiment) -> Target:
    """The target of an experiment; starts nothing."""
    # The settings of each level of each factor: the combinations are not needed.
    levels = [level for factor in exp.factors for level in factor.levels]
    cells = [exp.stays, *({**exp.stays, **level.changes} for level in levels)]
    kinds = {kind_of(settings) for settings in cells}
    if len(kinds) > 1:
        raise LabError("server.kind cannot vary; this experiment has %s" % ", ".join(sorted(kinds)))
    kind = kinds.pop()
    for settings in cells:
        check_machine(settings)
    if kind in ("commands", "given") and any("server.cpus" in s for s in cells):
        raise LabError("server.cpus is for a private server, but server.kind is %s" % kind)
    if kind == "private":
        # the most connections that any cell opens
        names = ("load.threads", "load.idle-connections")
        most = max(sum(int(str(s.get(name, 0))) for name in names) for s in cells)
        return PrivateTarget(exp.measure.restart, most, keeps_tables(exp, exp.stays))
    if kind == "commands":
        return CommandTarget(exp.measure.restart)
    return Target(kind)


def check_machine(settings: Settings) -> None:
    """What is not there is better missed before the first run than before the last."""
    for name in ("server.cpus", "client.cpus"):
        if settings.get(name):
            with failing(name, LabError):
                process.usable_cpus(str(settings[name]))
    for name in ("server.program", "client.program"):
        path = str(settings.get(name, ""))
        if "/" in path and not os.path.exists(path):
            raise LabError("%s: there is no %s; name the program to measure" % (name, path))
        if "/" in path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
            raise LabError("%s: cannot run %s" % (name, path))
    launcher = shlex.split(str(settings.get(hosts.LAUNCHER, "")))[:1]
    if launcher and not shutil.which(launcher[0]):
        raise LabError("%s: there is no %s" % (hosts.LAUNCHER, launcher[0]))
    check_can_load(settings, texts(settings, "server.env."))


def kind_of(settings: Settings) -> str:
    if settings.get("load.script") in BUILT_IN:
        return "none"
    return str(settings.get("server.kind", "private"))


# ---- settings ------------------------------------------------------------------


def option_text(value: Value) -> str:
    """A value as a server's option takes it."""
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return ",".join(value) if isinstance(value, tuple) else "%s" % value


def texts(settings: Settings, family: str) -> dict[str, str]:
    """The settings of a family, as a server or an environment takes them."""
    return {k: option_text(v) for k, v in part(settings, family).items()}


def options_of(settings: Settings) -> list[str]:
    """The options of a server, as on its command line, in the order of their names."""
    found = []
    for name, value in sorted(part(settings, OPTION).items()):
        name = name.replace("_", "-") if name.startswith("skip") else name
        alone = value is True and name.startswith("skip-")
        found.append("--" + name + ("" if alone else "=" + option_text(value)))
    return found


def changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[str]:
    """Names of what two sets of settings differ in."""
    both = sorted(set(before) | set(after))
    return [name for name in both if before.get(name) != after.get(name)]


# ---- server.preload: can the libraries be loaded, and has the server loaded them?


# What a library is packaged in: by the longest beginning of its name.
PACKAGES = {
    "libjemalloc.": "libjemalloc2 (Fedora: jemalloc)",
    "libtcmalloc_minimal.": "libtcmalloc-minimal4 (Fedora: gperftools-libs)",
    "libtcmalloc.": "libgoogle-perftools4 (Fedora: gperftools-libs)",
    "libmimalloc.": "libmimalloc2.0 (Fedora: mimalloc)",
}


def libraries(settings: Settings) -> list[str]:
    return str(settings.get("server.preload", "")).replace(":", " ").split()


def check_can_load(settings: Settings, environment: Mapping[str, str]) -> None:
    """LabError that names the package, if a library cannot be loaded on this machine."""
    program = shutil.which("true")
    for library in libraries(settings):
        if "/" in library and not os.path.exists(library):
            raise LabError("server.preload: there is no %s" % library)
        if program:
            env = {**os.environ, **environment, "LD_PRELOAD": library, "LC_ALL": "C"}
            p = subprocess.run([program], stderr=subprocess.PIPE, env=env, check=False)
            if said := p.stderr.decode("utf-8", "replace").strip():
                raise LabError(complaint(library, said))


def complaint(library: str, said: str) -> str:
    """What the linker wrote, in its parentheses if it has any, and the package to install."""
    found = re.search(r"cannot be preloaded \((.*?)\)", said)
    why = found.group(1) if found else said.splitlines()[0]
    name = os.path.basename(library)
    package = next((p for start, p in PACKAGES.items() if name.startswith(start)), "")
    hint = "; install Debian's %s" % package if package else ""
    return "server.preload: %s cannot be loaded: %s%s" % (library, why, hint)


def check_loaded(pid: int, library: str, log: str) -> None:
    """The process must have mapped the library, under this name or the file behind it."""
    path, text = "/proc/%d/maps" % pid, "server.preload: cannot see whether %s was loaded: %s"
    with failing(text % (library, path)), open(path, encoding="utf-8", errors="replace") as f:
        mapped = {line.split(None, 5)[5].strip() for line in f if line.count("/")}
    wanted = os.path.realpath(library) if "/" in library else os.path.basename(library)
    names = mapped if "/" in library else {os.path.basename(p) for p in mapped}
    if not any(n == wanted or n.startswith(wanted + ".") for n in names):
        raise LabError("server.preload: the server did not load %s (log: %s)" % (library, log))


# ---- The user's own server, changed by the user's commands and by nothing else

#     server.set   = "mariadb -e 'SET GLOBAL {option} = {value}'"
#     server.check = "mariadb -N -e 'SELECT @@{option}'"
#     server.start, server.stop = "systemctl start mariadb", "systemctl stop mariadb"
#
# For each option of a cell, server.check prints the value that is in effect.  Where it is not the
# wanted one, server.set runs, and the check again.  If the option still has another value, or
# cannot be set while the server runs, and there are commands to start and stop, the server is
# restarted once: server.set may have changed a file that is read at the start only, or
# server.start gets the options itself, as {options}.  If the check still disagrees, that is an
# error: the cell is not measured.
#
# The server is restarted for no other reason, unless measure.restart says so, or options get to it
# by server.start alone: then each run has a start of its own.  A server that does not run, which
# the check shows, is started, and left running at the end.
#
# What the check printed before an option is changed for the first time is kept.  A cell that does
# not name the option has that value, and at the end the server gets it back in the same way as any
# other, unless server.restore is false.  Before the first run each option that will change is set
# to the value that it has: what cannot be put back is not changed.  ALTER SYSTEM SET writes a file
# that outlives all, so there ALTER SYSTEM RESET comes first: only where it brings another value was
# the option set there.
#
# {option} and {value} become part of a shell command.  A value with characters that a shell or SQL
# could take for something else is refused; $LAB_OPTION and $LAB_VALUE hold any value.


# The command is the shell's by its environment, which others cannot read.
COMMAND = "SYSBENCH_LAB_COMMAND"
EVAL = 'eval "unset %s\n$%s"' % (COMMAND, COMMAND)
LIMIT_S = 600  # of a command: a server may take minutes to start with much data
SETTLE_S = 1  # how long a value that was set, and a reload, may take until the check shows it
POLITE_S = 5  # between SIGTERM and SIGKILL
READY_S = 60  # how long after a start the check may still fail
PLAIN = re.compile(r"[\w.,:/+=@% -]*")
TRUE, FALSE = ("on", "yes", "true", "1"), ("off", "no", "false", "0")
SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class NotRestored(LabError):
    """The user's server is not as it was."""


# ALTER SYSTEM SET {option} = '{value}', with whatever quotes a shell needs around it.
ALTER_SYSTEM = re.compile(
    r"(ALTER\s+SYSTEM\s+)SET(\s+\S*?(?:\{option\}|LAB_OPTION\b)\S*?)\s*(?:=|\bTO\b)\s*"
    r"(\S*?)(?:\{value\}|\$LAB_VALUE\b|\$\{LAB_VALUE\})\3", re.I,
)  # fmt: skip


class CommandTarget(Target):
    """A server behind four commands."""

    def __init__(self, restart: str) -> None:
        super().__init__("commands")
        self.restart = restart  # of model.RESTARTS
        self.settings: Settings | None = None  # in effect; None before the first cell
        # By option, what it was before its first change; None where that is not known.
        self.before: dict[str, str | None] = {}
        self.commands: Settings = {}  # with which that was found
        self.failed: set[str] = set()  # commands that did, in the end

    def rehearse(self, cells: Sequence[Cell]) -> None:
        """A server that does not run yet, or an option that only a restart sets, has no trial."""
        present: dict[str, str] = {}
        tried = set(self.before)
        for settings in (cell.settings for cell in cells):
            if not settings.get("server.restore", True) or "server.set" not in settings:
                continue
            for name, value in part(settings, OPTION).items():
                if name not in present:
                    try:
                        present[name] = self.found(settings, name, value)
                    except LabError:
                        return
                text = present[name]
                if name in tried or same(text, value):
                    continue
                tried.add(name)
                self.keep(settings, {name: text})
                try:
                    self.run(settings, "server.set", placeholders(name, text))
                except LabError as e:
                    why = "server.option.%s could not be put back: it is '%s', which cannot be set:"
                    if not self.may_restart(settings):
                        raise LabError((why + " %s") % (name, text, e)) from e

    def ensure(self, settings: Settings, fresh: bool = False, fits: Fits = whatever) -> bool:
        settings = {**self.as_before(), **settings}
        before, restarted = self.settings, False
        if before is None or changed(server_part(before), server_part(settings)):
            self.settings = None  # until all have taken effect
            restarted = self.apply(settings)
            self.settings = settings
        if fresh and before is not None and not restarted and self.may_restart(settings):
            self.start(settings)
            return True
        return restarted

    def apply(self, settings: Settings) -> bool:
        """Set what differs; True if that took a restart."""
        try:
            wrong = self.not_in_effect(settings)
        except LabError:
            if not self.may_restart(settings):
                raise
            if "{options}" in str(settings["server.start"]):
                self.keep(settings, dict.fromkeys(part(settings, OPTION)))
            self.start(settings)
            return True
        said, wrong = self.set_wrong(settings, wrong)
        if not wrong:
            return False
        if not self.may_restart(settings):
            raise LabError(said or self.complaint(settings, wrong))
        self.run(settings, "server.stop", {})
        self.start(settings)
        return True

    def may_restart(self, settings: Settings) -> bool:
        return self.restart != "never" and "server.start" in settings and "server.stop" in settings

    def start(self, settings: Settings) -> None:
        """server.start, and a server.set that does not outlive a restart; then the check."""
        if self.settings is not None:
            self.run(self.settings, "server.stop", {})
            self.settings = None
        options = " ".join(options_of(settings))
        self.run(settings, "server.start", {"{options}": options})
        for last in process.tries(READY_S, 0.2):
            try:
                wrong = self.not_in_effect(settings)
                break
            except LabError:
                if last:
                    raise
        said, wrong = self.set_wrong(settings, wrong)
        if wrong:
            raise LabError(said or self.complaint(settings, wrong))
        self.settings = settings

    # ---- one option ------------------------------------------------------------------

    def not_in_effect(self, settings: Settings) -> dict[str, str]:
        """Options for which the check prints another value, and what it prints."""
        wanted = part(settings, OPTION)
        found = {n: self.found(settings, n, v) for n, v in wanted.items()}
        return {n: text for n, text in found.items() if not same(text, wanted[n])}

    def found(self, settings: Settings, name: str, value: Value) -> str:
        """The value that is in effect: the last field of the last line that the check prints.  What
        is blank at its end belongs to it."""
        lines = self.run(settings, "server.check", placeholders(name, value)).split("\n")
        last = [line for line in lines if line.strip()][-1:]
        return last[0].split("\t")[-1].lstrip().rstrip("\r") if last else ""

    def set_wrong(self, settings: Settings, wrong: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Set them; what the first server.set that failed said, and what is not in effect then.

        A failure is no error yet: an option that cannot be set while the server runs may be one for
        its start.  The check decides.
        """
        if not wrong:
            return "", {}
        self.keep(settings, wrong)
        said = self.set_all(settings, wrong)
        for _ in process.tries(0 if said or "server.set" not in settings else SETTLE_S, 0.1):
            if not (left := self.not_in_effect(settings)):
                break
        return said, left

    def set_all(self, settings: Settings, names: Iterable[str]) -> str:
        """server.set for each; what the first one that failed said."""
        said = ""
        for name in names if "server.set" in settings else ():
            try:
                self.run(settings, "server.set", placeholders(name, settings[OPTION + name]))
            except LabError as e:
                said = said or str(e)
        return said

    def complaint(self, settings: Settings, wrong: Mapping[str, str]) -> str:
        name = sorted(wrong)[0]
        found = name, option_text(settings[OPTION + name]), wrong[name]
        return "server.option.%s = %s did not take effect: server.check prints '%s'" % found

    # ---- what it was before ----------------------------------------------------------

    def keep(self, settings: Settings, found: Mapping[str, str | None]) -> None:
        """Note what options are before their first change.  LabError for a value that could not be
        put back."""
        if not (new := {n: text for n, text in found.items() if n not in self.before}):
            return
        if settings.get("server.restore", True):
            for name, text in new.items():
                with failing("server.option.%s could not be put back" % name, LabError):
                    by_hand(settings, {name: text or ""})
        self.before.update(new)
        self.commands = {k: x for k, x in server_part(settings).items() if not k.startswith(OPTION)}
        change = {"before": self.before, "commands": self.commands, "restart": self.restart}
        self.changing(change)

    def recall(self, change: Tree) -> None:
        vars(self).update(change)

    def as_before(self) -> dict[str, Value]:
        return {OPTION + n: text for n, text in self.before.items() if text is not None}

    def stop(self) -> None:
        """Put back what was changed, and say it of each option; NotRestored with what to do by
        hand."""
        settings = {**self.commands, **self.as_before()}
        wanted = texts(settings, OPTION)
        unknown = [n for n, text in self.before.items() if text is None]
        why = "%s is left as it is: the server did not run, so what it was is not known"
        said = [why % n for n in unknown]
        if not settings.get("server.restore", True):
            now = {**wanted, **self.seen(settings)}
            said += ["%s was %s, is left at %s" % (n, v, now[n]) for n, v in wanted.items()]
        elif wanted:
            self.put_back(settings)
            said += ["%s was %s, is %s again" % (n, v, v) for n, v in wanted.items()]
        self.before = {}
        self.changing({})
        for text in said:
            self.note(text)

    def put_back(self, settings: Settings) -> None:
        text = str(settings.get("server.set", ""))
        reset: dict[str, Value] = {**settings}
        reset["server.set"] = ALTER_SYSTEM.sub(r"\1RESET\2", text)
        self.failed.clear()
        try:
            self.settings = None  # a server that runs is not stopped before it is asked
            if reset["server.set"] != text:
                self.set_all(reset, part(settings, OPTION))
                with contextlib.suppress(LabError):
                    self.apply(reset)
            self.apply(settings)
        except LabError as e:
            if now := self.seen(settings):
                wanted = texts(settings, OPTION)
                found = ", ".join("%s was %s, is %s" % (n, wanted[n], now[n]) for n in now)
                hand = self.remedy(settings, {n: wanted[n] for n in now})
                text = "the server is not as it was: %s (%s). By hand: %s"
                raise NotRestored(text % (found, e, hand)) from e
        except KeyboardInterrupt:
            names = ", ".join("%s was %s" % pair for pair in texts(settings, OPTION).items())
            hand = self.remedy(settings, part(settings, OPTION))
            self.note("the server may not be as it was: %s. By hand: %s" % (names, hand))
            raise

    def remedy(self, settings: Settings, options: Settings) -> str:
        """Commands for the user, but none that has just failed."""
        commands = [c for c in by_hand(settings, options) if c not in self.failed]
        if len(commands) < len(by_hand(settings, options)):
            values = ", ".join("%s = %s" % pair for pair in options.items())
            commands.append("set %s in another way than by what failed" % values)
        return mask.text("; ".join(commands))

    def seen(self, settings: Settings) -> dict[str, str]:
        """Options that have another value, and which."""
        try:
            return self.not_in_effect(settings)
        except LabError:
            return dict.fromkeys(part(settings, OPTION), "not known")

    # ---- commands ----------------------------------------------------------------------

    def run(self, settings: Settings, setting: str, words: Mapping[str, str]) -> str:
        """Run one of the four; what it printed, or LabError."""
        if setting not in settings:
            raise LabError("%s is missing" % setting)
        command = filled(setting, str(settings[setting]), words)
        more = texts(settings, "server.env.")
        more.update({variable(mark): text for mark, text in words.items()})
        self.waits_for = "%s: '%s'" % (setting, command)
        ended = shell(command, more)
        self.waits_for = ""
        self.log(mask.command(command), ended.status, ended.seconds)
        if why := failure(command, ended):
            self.failed.add(command)
            raise LabError("%s: %s" % (setting, why))
        return ended.output

    def describe(self) -> dict[str, str]:
        settings = self.settings or {}
        return {"kind": self.kind, **texts(settings, OPTION)}


def by_hand(settings: Settings, options: Settings) -> list[str]:
    """The commands that set these options, as one could type them."""
    if "server.set" in settings:
        words = [("server.set", placeholders(n, v)) for n, v in options.items()]
    else:
        text = " ".join(options_of({OPTION + n: v for n, v in options.items()}))
        words = [(k, {"{options}": text}) for k in ("server.stop", "server.start")]
    return [filled(k, str(settings[k]), w) for k, w in words]


def placeholders(name: str, value: Value) -> dict[str, str]:
    return {"{option}": name, "{value}": option_text(value)}


def filled(setting: str, command: str, words: Mapping[str, str]) -> str:
    """The command with its placeholders replaced; other braces stay."""
    for mark, text in words.items():
        if mark in command and not PLAIN.fullmatch(text):
            why = "which a shell could take for more than a value; write $" + variable(mark)
            raise LabError("%s: %s is '%s', %s" % (setting, mark, text, why))
        command = command.replace(mark, text)
    return command


def variable(mark: str) -> str:
    """{value} -> LAB_VALUE."""
    return "LAB_" + mark.strip("{}").upper()


class Ended(NamedTuple):
    """How a command ended; `late_s` is how long we waited for one that we had to end."""

    status: int
    seconds: float
    output: str
    late_s: float = 0
    ranks: str = ""  # what a member of a run over several hosts complained of; see ranks.py


def shell(command: str, more: Mapping[str, str], limit_s: float = LIMIT_S) -> Ended:
    """Run a shell command.

    What it leaves in the background (the server) keeps its output open, so that goes into a file,
    not a pipe; and it gets a session of its own, so that a Ctrl-C does not reach it.
    """
    began, late_s = time.monotonic(), 0.0
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(
            ["/bin/sh", "-c", EVAL], stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, env={**os.environ, **more, COMMAND: command},
            start_new_session=True, preexec_fn=ended_by_sigterm,
        )  # fmt: skip
        try:
            p.wait(limit_s)
        except subprocess.TimeoutExpired:
            late_s = limit_s
        finally:
            if p.poll() is None:
                process.end(p, signal.SIGTERM, POLITE_S, POLITE_S)
        out.seek(0)
        status = -signal.SIGKILL if p.returncode is None else p.returncode  # not even by that
        said = out.read(1 << 20).decode("utf-8", "replace")
        return Ended(status, time.monotonic() - began, said, late_s)


def ended_by_sigterm() -> None:
    """Also if we ignore it: nohup, trap ''."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def failure(command: str, ended: Ended) -> str:
    """A sentence about a command that failed; "" if it did not."""
    if not ended.status and not ended.late_s:
        return ""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    said = mask.text(": " + lines[-1]) if lines else ""
    late = "did not end within %g s" % ended.late_s if ended.late_s else ""
    how = late or "ended with status %d" % ended.status
    return "'%s' %s%s" % (mask.text(command), how, said)


# ---- is it the same value? --------------------------------------------------------------


def same(found: str, wanted: Value) -> bool:
    """Do a server's word and ours mean the same?  ON is 1, 128M is 134217728, 1.50 is 1.5.  A blank
    at the end is a part of a text, such as a prefix of lines."""
    ours = option_text(wanted).lstrip()
    if found.casefold() == ours.casefold():
        return True
    found, ours = found.strip(), ours.strip()
    if any(found.casefold() in words and ours.casefold() in words for words in (TRUE, FALSE)):
        return True
    numbers = number(found), number(ours)
    return None not in numbers and numbers[0] == numbers[1]


def number(text: str) -> float | None:
    """12, 1.5, 128M, 16kB; None if it is none."""
    m = re.fullmatch(r"([+-]?\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?)?", text.strip().lower())
    return float(m.group(1)) * SIZES.get(m.group(2), 1) if m else None


# ---- A private server under test: started with a cell's settings, again when they change

# A server keeps its data over a restart.  Another engine or program, and each variant of the
# tables, has a server and data of its own; only one of them runs at a time.  Each lies in a
# temporary directory ($TMPDIR), which is told to the runner (begun) before anything is in it, and
# removed by stop().
#
# We add only what a number of connections needs to be served at all: max_connections, and
# MariaDB's and MySQL's limit of prepared statements.  They are those of the largest cell in every
# cell, so they are the same in all, and the experiment's own values go before.
#
# After each start /proc/PID/maps must show the library of server.preload, and the CPUs of the
# process must be those of server.cpus: a preload is ignored silently when it cannot be loaded.


SPARE = 50  # connections besides those of the load: telemetry, the user's own look
STATEMENTS = 1048576  # the most that the server takes
DEFAULT_CONNECTIONS = 100  # PostgreSQL's; MariaDB's and MySQL's is 151
ROW_BYTES = 300  # of an OLTP table on the disk, with its index
STOP_S = 120  # a large buffer pool takes its time


def key_of(settings: Settings) -> tuple[str, str]:
    """Engine and program: servers that differ in it cannot share their data."""
    engine, program = settings.get("server.engine", "mariadb"), settings.get("server.program", "")
    return str(engine), str(program)


def has_room(servers: Sequence[Instance], settings: Settings) -> bool:
    """For another server with tables beside these."""
    used = max(size_of(server.directory) for server in servers)
    free = shutil.disk_usage(os.path.dirname(servers[0].directory)).free
    return free > 2 * (used + ROW_BYTES * rows_of(settings))


def size_of(directory: str) -> int:
    """Bytes on the disk, as far as they can be seen."""
    total = 0
    for where, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(where, name)).st_blocks * 512
    return total


class PrivateTarget(Target):
    """Private servers, of which one runs: one for each key and for each variant of the tables."""

    def __init__(self, restart: str, connections: int, keeps: bool = True) -> None:
        super().__init__("private")
        self.restart = restart  # of model.RESTARTS
        self.keeps = keeps  # the tables of each variant, on a server of its own
        self.connections = connections
        self.servers: dict[tuple[str, str], list[Instance]] = {}
        self.settings: Settings = {}  # that it was started with
        self.current: Instance | None = None

    # ---- the state that a cell asks for ------------------------------------------

    def ensure(self, settings: Settings, fresh: bool = False, fits: Fits = whatever) -> bool:
        differing = changed(server_part(self.settings), server_part(settings))
        running = self.current is not None and self.current.is_running()
        chosen = self.choose(settings, fits)
        if running and chosen is self.current and not differing and not fresh:
            return False
        if self.current is not None and differing and self.restart == "never":
            raise LabError("%s varies, but measure.restart is never" % differing[0])
        self.start(settings, chosen)
        return True

    def choose(self, settings: Settings, fits: Fits) -> Instance | None:
        """The server with these tables, or with none yet; None: one is to be made.  Where there may
        be no other, or no room for it, one whose tables are to be made anew."""
        same = self.servers.get(key_of(settings), [])
        for wanted in (True, None):
            for server in same:
                if fits(server.directory) is wanted:
                    return server
        if not same or (self.keeps and has_room(same, settings)):
            return None
        return self.current if self.current in same else same[-1]

    def start(self, settings: Settings, server: Instance | None) -> None:
        self.halt()
        if server is None:
            key = key_of(settings)
            directory = os.path.join(temporary_directory(), "server")
            self.begun(directory)
            try:
                server = Instance.create(directory, engine=key[0], program=key[1], sees=True)
            except BaseException:
                self.discard(directory)
                raise
            self.servers.setdefault(key, []).append(server)
        self.current, self.settings = server, settings
        with server.locked():
            # Ours first: the last one counts.
            most = self.connections + SPARE
            server.options = ["--max_connections=%d" % most] * (most > DEFAULT_CONNECTIONS)
            if server.engine != "postgresql":
                server.options.append("--max_prepared_stmt_count=%d" % STATEMENTS)
            server.options += options_of(settings)
            server.module.check_options(server.options)
            server.environment = texts(settings, "server.env.")
            if settings.get("server.preload"):
                server.environment["LD_PRELOAD"] = str(settings["server.preload"])
            server.cpus = str(settings.get("server.cpus", ""))
            server.prefix = shlex.split(str(settings.get("server.prefix", "")))
            began, status = time.monotonic(), 1
            try:
                server.start()
                status = 0
            finally:
                self.log(command_line(server), status, time.monotonic() - began)
            try:
                # LabError if the process is not what the settings ask for.
                pid = server.running_pid()
                for library in libraries(settings):
                    check_loaded(pid, library, server.log)
                if server.cpus and os.sched_getaffinity(pid) != process.cpu_set(server.cpus):
                    both = sorted(os.sched_getaffinity(pid)), server.cpus
                    raise LabError("server.cpus: the server runs on CPUs %s, not on %s" % both)
            except BaseException:
                server.stop(STOP_S)
                raise

    def halt(self) -> None:
        """Stop the server that runs; it keeps its data."""
        if self.current is not None:
            with self.current.locked():
                self.current.stop(STOP_S)

    def check(self, cells: Sequence[Cell]) -> None:
        """Python's tempfile takes /tmp instead of a TMPDIR that is not there: the wrong disk."""
        given = os.environ.get("TMPDIR", "")
        if given and not (os.path.isdir(given) and os.access(given, os.W_OK | os.X_OK)):
            raise LabError("TMPDIR: %s is no directory in which files can be made" % given)
        for (engine, program), same in by(cells, lambda cell: key_of(cell.settings)).items():
            with failing("server.program" if program else "server.engine = " + engine, LabError):
                path = ENGINES[engine].program(program)
            options = dict.fromkeys(o for cell in same for o in options_of(cell.settings))
            ENGINES[engine].try_options(path, list(options))

    def stop(self) -> None:
        """Each of the servers goes, also when another one makes trouble (a disk that is full)."""
        try:
            self.halt()
        finally:
            self.current = None
            servers = [server for same in self.servers.values() for server in same]
            self.servers.clear()
            for server in servers:
                # a process that nothing could end keeps its files, and its name in running.json
                if not server.is_running():
                    with contextlib.suppress(LabError):
                        server.remove()
                    self.discard(server.directory)

    def discard(self, directory: str) -> None:
        """The directory and the temporary one around it, whatever is in them."""
        owned.remove(os.path.dirname(directory), anyway=True)
        self.ended(directory)

    # ---- what others need to know --------------------------------------------------

    def arguments(self) -> list[str]:
        if self.current is None:
            raise LabError("the private server does not run")
        tcp = self.settings.get("server.via") == "tcp"
        return self.current.module.arguments(self.current, tcp)

    def pid(self) -> int | None:
        return self.current.pid if self.current is not None else None

    def data(self) -> str:
        return self.current.directory if self.current is not None else ""

    def describe(self) -> dict[str, str]:
        if self.current is None:
            return {"kind": self.kind}
        found = dict(self.current.describe())
        found.update(kind=self.kind, program=self.current.program)
        return {k: v for k, v in found.items() if v and k not in ("password", "args")}


def command_line(server: Instance) -> str:
    """For commands.log: as one could type it."""
    pairs = sorted(server.environment.items())
    words = ["env", *("%s=%s" % (k, mask.value(k, v)) for k, v in pairs)] if pairs else []
    if server.cpus:
        words += ["taskset", "-c", server.cpus]
    return mask.words(words + server.prefix + server.module.command(server))
