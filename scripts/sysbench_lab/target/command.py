# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's own server, changed by the user's commands and by nothing else.

    server.set   = "mariadb -e 'SET GLOBAL {option} = {value}'"
    server.check = "mariadb -N -e 'SELECT @@{option}'"
    server.start, server.stop = "systemctl start mariadb", "systemctl stop mariadb"

For each option of a cell, server.check prints the value that is in effect.  Where it is not the
wanted one, server.set runs, and the check again.  If the option still has another value, or cannot
be set while the server runs, and there are commands to start and stop, the server is restarted
once: server.set may have changed a file that is read at the start only, or server.start gets the
options itself, as {options}.  If the check still disagrees, that is an error: the cell is not
measured.

The server is restarted for no other reason, unless measure.restart is "cell".  A server that does
not run, which the check shows, is started.  At the end it is left running, with the options of the
last cell.

{option} and {value} become part of a shell command.  A value with characters that a shell or SQL
could take for something else is refused; $LAB_OPTION and $LAB_VALUE hold any value.
"""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from typing import Mapping, NamedTuple

from .. import LabError
from ..plan import mask
from ..plan.keys import part
from ..plan.model import Settings, Value
from ..plan.plan import server_part
from .target import OPTION, Target, changed, option_text, options_of

LIMIT_S = 600  # of a command: a server may take minutes to start with much data
POLITE_S = 5  # between SIGTERM and SIGKILL
READY_S = 60  # how long after a start the check may still fail
PLAIN = re.compile(r"[\w.,:/+=@% -]*")
TRUE, FALSE = ("on", "yes", "true", "1"), ("off", "no", "false", "0")
SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class CommandTarget(Target):
    """A server behind four commands."""

    def __init__(self, restart: str) -> None:
        super().__init__("commands")
        self.restart = restart  # of model.RESTARTS
        self.settings: Settings | None = None  # in effect; None before the first cell

    def ensure(self, settings: Settings) -> bool:
        before = self.settings
        if before is not None and not changed(server_part(before), server_part(settings)):
            return False
        self.settings = None  # until all have taken effect
        restarted = self.apply(settings)
        self.settings = settings
        return restarted

    def apply(self, settings: Settings) -> bool:
        """Set what differs; True if that took a restart."""
        try:
            wrong = self.not_in_effect(settings)
        except LabError:
            if not self.may_restart(settings):
                raise
            self.start(settings)
            return True
        said = self.set_all(settings, wrong)
        wrong = self.not_in_effect(settings) if wrong else {}
        if not wrong:
            return False
        if not self.may_restart(settings):
            raise LabError(said or self.complaint(settings, wrong))
        self.run(settings, "server.stop", {})
        self.start(settings)
        return True

    def may_restart(self, settings: Settings) -> bool:
        return self.restart != "never" and "server.start" in settings and "server.stop" in settings

    def can_restart(self) -> bool:
        return self.settings is not None and self.may_restart(self.settings)

    def start(self, settings: Settings) -> None:
        """server.start, and a server.set that does not outlive a restart; then the check."""
        if self.settings is not None:
            self.run(self.settings, "server.stop", {})
            self.settings = None
        options = " ".join(options_of(settings))
        self.run(settings, "server.start", {"{options}": options})
        wrong = self.wait_ready(settings)
        if wrong:
            said = self.set_all(settings, wrong)
            wrong = self.not_in_effect(settings)
        if wrong:
            raise LabError(said or self.complaint(settings, wrong))
        self.settings = settings

    def wait_ready(self, settings: Settings) -> dict[str, Value]:
        """What is not in effect as soon as the check gets answers."""
        deadline = time.monotonic() + READY_S
        while True:
            try:
                return self.not_in_effect(settings)
            except LabError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.2)

    # ---- one option ------------------------------------------------------------------

    def not_in_effect(self, settings: Settings) -> dict[str, Value]:
        """Options for which the check prints another value."""
        wanted = part(settings, OPTION)
        return {n: v for n, v in wanted.items() if not same(self.found(settings, n, v), v)}

    def found(self, settings: Settings, name: str, value: Value) -> str:
        """The value that is in effect: the last word of the last line that the check prints."""
        lines = self.run(settings, "server.check", placeholders(name, value)).split("\n")
        last = [line for line in lines if line.strip()][-1:]
        return last[0].split("\t")[-1].strip() if last else ""

    def set_all(self, settings: Settings, options: Mapping[str, Value]) -> str:
        """server.set for each; what the first one that failed said.

        That is no error yet: an option that cannot be set while the server runs may be one for its
        start.  The check decides.
        """
        said = ""
        for name in options if "server.set" in settings else ():
            try:
                self.run(settings, "server.set", placeholders(name, options[name]))
            except LabError as e:
                said = said or str(e)
        return said

    def complaint(self, settings: Settings, wrong: Mapping[str, Value]) -> str:
        name = sorted(wrong)[0]
        found = name, option_text(wrong[name]), self.found(settings, name, wrong[name])
        return "server.option.%s = %s did not take effect: server.check prints '%s'" % found

    # ---- commands ----------------------------------------------------------------------

    def run(self, settings: Settings, setting: str, words: Mapping[str, str]) -> str:
        """Run one of the four; what it printed, or LabError."""
        if setting not in settings:
            raise LabError("%s is missing" % setting)
        command = filled(setting, str(settings[setting]), words)
        began = time.monotonic()
        more = {k: option_text(v) for k, v in part(settings, "server.env.").items()}
        ended = shell(command, {**more, **{variable(mark): text for mark, text in words.items()}})
        self.log(command, ended.status, time.monotonic() - began)
        if ended.failed():
            raise LabError("%s: %s" % (setting, failure(command, ended)))
        return ended.output

    def describe(self) -> dict[str, str]:
        settings = self.settings or {}
        options = {n: option_text(v) for n, v in part(settings, OPTION).items()}
        return {"kind": self.kind, **options}


def placeholders(name: str, value: Value) -> dict[str, str]:
    return {"{option}": name, "{value}": option_text(value)}


def filled(setting: str, command: str, words: Mapping[str, str]) -> str:
    """The command with its placeholders replaced; other braces stay."""
    for mark, text in words.items():
        if mark in command and not PLAIN.fullmatch(text):
            raise LabError(
                "%s: %s is '%s', which a shell could take for more than a value; write $%s"
                % (setting, mark, text, variable(mark))
            )
        command = command.replace(mark, text)
    return command


def variable(mark: str) -> str:
    """{value} -> LAB_VALUE."""
    return "LAB_" + mark.strip("{}").upper()


class Ended(NamedTuple):
    """How a shell command ended; `late_s` is the limit by which it had not ended, 0 if it had."""

    status: int
    output: str
    late_s: float

    def failed(self) -> bool:
        return bool(self.status or self.late_s)


def shell(command: str, more: Mapping[str, str], limit_s: float = LIMIT_S) -> Ended:
    """Run a shell command.

    What it leaves in the background (the server) keeps its output open, so that goes into a file,
    not a pipe; and it gets a session of its own, so that a Ctrl-C does not reach it.
    """
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **more},
            start_new_session=True,
        )
        late_s = 0.0
        try:
            p.wait(limit_s)
        except subprocess.TimeoutExpired:
            end(p)
            late_s = limit_s
        except BaseException:
            end(p)
            raise
        out.seek(0)
        status = -signal.SIGKILL if p.returncode is None else p.returncode  # not even by that
        return Ended(status, out.read(1 << 20).decode("utf-8", "replace"), late_s)


def end(p: subprocess.Popen[bytes]) -> None:
    """The command and what it started, first politely."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(p.pid, sig)
        with contextlib.suppress(subprocess.TimeoutExpired):
            p.wait(POLITE_S)
            return


def failure(command: str, ended: Ended) -> str:
    """A sentence about a command that failed."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    said = mask.text(": " + lines[-1]) if lines else ""
    how = "ended with status %d" % ended.status
    if ended.late_s:
        how = "did not end within %g s" % ended.late_s
    return "'%s' %s%s" % (mask.text(command), how, said)


# ---- is it the same value? --------------------------------------------------------------


def same(found: str, wanted: Value) -> bool:
    """Do a server's word and ours mean the same?  ON is 1, 128M is 134217728, 1.50 is 1.5."""
    ours = option_text(wanted).strip()
    if found.casefold() == ours.casefold():
        return True
    if any(found.casefold() in words and ours.casefold() in words for words in (TRUE, FALSE)):
        return True
    numbers = number(found), number(ours)
    return None not in numbers and numbers[0] == numbers[1]


def number(text: str) -> float | None:
    """12, 1.5, 128M, 16kB; None if it is none."""
    m = re.fullmatch(r"([+-]?\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?)?", text.strip().lower())
    return float(m.group(1)) * SIZES.get(m.group(2), 1) if m else None
