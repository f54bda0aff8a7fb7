# SPDX-License-Identifier: GPL-2.0-or-later
"""Shell commands on a load host, through whatever leads there: ssh, ip netns exec, docker exec -i.

    status, said = ask(host, "uname -n")          a short script, to its end
    p = start(host, script, output)               a long one; p.stdin stays open as its leash
    p = start(host, script, output, file)         the same; a file of its goes to one of ours
    facts = look(host, program)                   what kind of machine is there

The command gets one argument more, `sh`, and the script on its standard input.  So a script needs
no quoting for the shells in between, whose number only the command knows, and what it holds (the
secret of a run) is on no command line.

A script that brings a file home keeps it in a folder of its own until the program has ended; then
the file is the script's standard output, and what the program prints is its standard error.

A process that was started by ssh outlives the connection.  A long script therefore watches its
standard input: when the laboratory closes it, is killed, or the connection breaks, the script
ends what it has started.
"""

import contextlib
import os
import re
import shlex
import subprocess
from typing import Mapping, NamedTuple, Sequence

from .. import LabError
from ..plan.hosts import Host

ASK_S = 30
LOST = 74  # exit status: a file did not come home (EX_IOERR)
GRACE_S = 20  # between SIGTERM and SIGKILL over there
PID = re.compile(r"^sysbench-lab: process (\d+) (\d+)$", re.M)


def ask(host: Host, script: str, limit_s: float = ASK_S) -> tuple[int, str]:
    """Exit status and output of a script; LabError if the command does not work at all."""
    try:
        p = subprocess.run(
            [*host.via, "sh"],
            input=script.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise LabError("%s: no answer within %g s" % (whose(host), limit_s)) from None
    except OSError as e:
        raise LabError("%s: cannot run %s: %s" % (whose(host), host.via[0], e.strerror)) from None
    return p.returncode, p.stdout.decode("utf-8", "replace")


def whose(host: Host) -> str:
    """A host as complaints name it: with the command that leads there."""
    return "load host %s" % host.name + (" (%s)" % shlex.join(host.via) if host.via else "")


# ---- a process over there --------------------------------------------------------

# It says itself who it is: a shell that looked for it may find that it has ended.
SAY = 'echo "sysbench-lab: process $$ $(cut -d" " -f22 /proc/$$/stat)"; exec "$@"'


def script(
    argv: Sequence[str], environment: Mapping[str, str], cpus: str = "", home: str = ""
) -> str:
    """Runs a program, says its process id, and ends it when standard input ends.

    One compound command: a shell that reads it has read all of it before it runs anything.  SIGTERM
    because a shell's background commands ignore SIGINT.

    `home` is a file that the program writes, to be brought home: it is alone in its folder, which
    is made before and goes afterwards.  Then the exit status is LOST if not all of it came.
    """
    command = shlex.join(["sh", "-c", SAY, "sh", *(["taskset", "-c", cpus] if cpus else []), *argv])
    exports = ["export %s=%s" % (k, shlex.quote(v)) for k, v in environment.items()]
    make, bring = carried(home) if home else ([], [])
    lines = [
        "{",
        *make,
        "cd %s 2>/dev/null" % shlex.quote(os.getcwd()),
        *exports,
        'ulimit -n "$(ulimit -H -n)" 2>/dev/null',
        "exec 3<&0",
        command + " </dev/null 3<&- 4>&- & p=$!",
        "{ read -r x; kill -TERM $p; sleep %d; kill -KILL $p; } <&3 >/dev/null 2>&1 4>&- &"
        % GRACE_S,
        "w=$!",
        "wait $p; s=$?",
        "kill $w 2>/dev/null",
        *bring,
        "exit $s",
        "}",
    ]
    return "\n".join(lines) + "\n"


def carried(path: str) -> tuple[list[str], list[str]]:
    """What a script does before and after the program to bring a file home, and leave nothing."""
    file, folder = shlex.quote(path), shlex.quote(os.path.dirname(path))
    make = [
        "mkdir -m 700 %s || exit %d" % (folder, LOST),
        "exec 4>&1 >&2",
        "trap 'rm -rf %s' EXIT" % folder,
    ]
    bring = [
        "trap '' PIPE",
        "[ ! -e %(file)s ] || cat %(file)s >&4 ||"
        " { echo 'FATAL: cannot send %(file)s'; [ $s != 0 ] || s=%(lost)d; }"
        % {"file": file, "lost": LOST},
    ]
    return make, bring


def start(host: Host, text: str, output: str, file: str = "") -> subprocess.Popen[bytes]:
    """Begin a script() over there; what it prints goes to a file here, and what it brings home to
    another one."""
    try:
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(open(output, "wb"))
            p = subprocess.Popen(
                [*host.via, "sh"],
                stdin=subprocess.PIPE,
                stdout=stack.enter_context(open(file, "wb")) if file else out,
                stderr=out,
                start_new_session=True,
            )
    except OSError as e:
        raise LabError("%s: %s: %s" % (whose(host), e.filename or output, e.strerror)) from e
    assert p.stdin is not None
    try:
        p.stdin.write(text.encode())
        p.stdin.flush()
    except BrokenPipeError:
        pass  # it has ended; its status and its output say why
    return p


def process_of(output: str) -> tuple[int, str] | None:
    """Process id and start time that a script() has told; None before."""
    try:
        with open(output, encoding="utf-8", errors="replace") as f:
            found = PID.search(f.read())
    except OSError:
        return None
    return (int(found.group(1)), found.group(2)) if found else None


def stop(host: Host, pid: int, ident: str) -> bool:
    """End a process that was left there; False if it was gone, or its number is another's."""
    text = (
        '{ f() { cut -d" " -f$1 /proc/%(pid)d/stat 2>/dev/null; }\n'
        't() { [ "$(f 22)" = %(ident)s ] && [ "$(f 3)" != Z ]; }\n'
        "t || exit 4\nkill -TERM %(pid)d\nn=0\n"
        "while t && [ $n -lt %(grace)d ]; do sleep 1; n=$((n + 1)); done\n"
        "! t || kill -KILL %(pid)d\n}\n"
    ) % {"pid": pid, "ident": shlex.quote(ident), "grace": GRACE_S}
    return ask(host, text, GRACE_S + ASK_S)[0] == 0


# ---- what is there -----------------------------------------------------------------


class Facts(NamedTuple):
    """Of a load host.  `boot` and `net` tell whether two of them are one machine, one network."""

    node: str
    kernel: str
    cpus: str
    version: str  # of its sysbench
    boot: str
    net: str
    sees_us_at: str  # our address, as ssh says
    sees: bool  # the file that it was asked for
    model: str  # of its CPUs


LOOK = """{
f() { printf 'sysbench-lab:%%s=%%s\\n' "$1" "$2"; }
f node "$(uname -n)"; f kernel "$(uname -s) $(uname -r) $(uname -m)"
f cpus "$(getconf _NPROCESSORS_ONLN)"
f boot "$(cat /proc/sys/kernel/random/boot_id)"; f net "$(readlink /proc/self/ns/net)"
f sees_us_at "${SSH_CONNECTION%%%% *}"
f model "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
f sees "$(test -e %(path)s && echo yes)"
cd %(folder)s 2>/dev/null
f version "$(%(program)s --version </dev/null 2>&1 | head -n 1)"
exit 0
} 2>/dev/null
"""


def look(host: Host, program: str, path: str) -> Facts:
    """Ask a host what it is, which sysbench it has, and whether it sees a file of ours."""
    values = {
        "program": shlex.quote(host.program or program),
        "path": shlex.quote(os.path.abspath(path)),
        "folder": shlex.quote(os.getcwd()),
    }
    status, said = ask(host, LOOK % values)
    found = dict(re.findall(r"^sysbench-lab:(\w+)=(.*)$", said, re.M))
    if status or "version" not in found:
        last = [line.strip() for line in said.splitlines() if line.strip()][-1:]
        raise LabError("%s: no answer: %s" % (whose(host), "".join(last) or "status %d" % status))
    return Facts(**{**found, "sees": found["sees"] == "yes"})
