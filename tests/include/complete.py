#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types command lines into a real shell on a pseudo-terminal, presses Tab behind each, and prints
# the words that then stand on the line.
#
# usage: complete.py bash|zsh|fish DIRECTORY LINE...     (DIRECTORY: where the build put the
# completions)
#
# How the line is read back: Ctrl-A and "printf ..." before it make a command of it that prints
# its words.  What is typed ahead waits in the terminal until the shell has completed, so nothing
# here depends on how fast that is.

from __future__ import annotations

import os
import pty
import re
import select
import sys
import time
from typing import Sequence

LIMIT = 120  # seconds: a shell that does not answer at all


def start(shell: str, directory: str) -> tuple[list[str], str]:
    """The shell's arguments, and what is typed into it first."""
    if shell == "bash":
        return ["bash", "--norc", "--noprofile", "-i"], "source '%s/sysbench'" % directory
    if shell == "zsh":
        return ["zsh", "-f", "-i"], (
            "fpath=('%s' $fpath); autoload -Uz compinit; compinit -u -D; "
            "setopt no_beep no_auto_list" % directory
        )
    return ["fish", "--no-config", "-i"], "source '%s/sysbench.fish'" % directory


class Shell:
    def __init__(self, args: Sequence[str]) -> None:
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", PS1="", COLUMNS="200", LINES="50")
            os.execvp(args[0], list(args))

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def read_until(self, mark: bytes) -> bytes:
        """What was printed before the mark."""
        end = time.monotonic() + LIMIT
        while mark not in self.seen:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                sys.exit("no answer; so far: %r" % self.seen)
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                sys.exit("the shell ended; it had printed: %r" % self.seen)
        text, self.seen = self.seen.split(mark, 1)
        return text

    def mark(self) -> bytes:
        """Prints a mark that is not in its own echo."""
        self.type("printf 'do%sne\\n' -\n")
        return self.read_until(b"do-ne\r\n")

    def words_of(self, line: str) -> str:
        self.type(line + "\t" + "\x01printf '<%s>' \n")
        text = self.mark()
        begin = text.rindex(b"<%s>" % line.split()[0].encode())
        words = re.compile(rb"(<[^<>]*>)+").match(text, begin)  # what follows is the prompt
        assert words
        return words.group().decode()


def main() -> None:
    args, first = start(sys.argv[1], sys.argv[2])
    shell = Shell(args)
    shell.type(first + "\n")
    shell.mark()
    for line in sys.argv[3:]:
        print(shell.words_of(line))
    shell.type("\x15exit\n")
    os.waitpid(shell.pid, 0)


main()
