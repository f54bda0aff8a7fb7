# SPDX-License-Identifier: GPL-2.0-or-later
"""A run over several load hosts: a rank on each of them, one of which leads.

    ended = run(settings, argv, around, output, limit, tick)

argv is the command line of a run on one host, with the leader's prefix.  With one host it is run as
it is.  With more, the leader and the members get the same line and are told where to meet:

    leader    sysbench ... --cluster=10.0.0.1:7531 --cluster-rank=0 --cluster-size=2 run
    member    sysbench ... --cluster=10.0.0.1:7531 --cluster-rank=1 --cluster-size=2 run

The secret of the run goes through the environment, and to members on the standard input of a shell.
Files are the leader's: members are given no --report-file, and so on.  What a member prints is
rank1.txt beside the leader's output.  With --raw-log each rank writes a file of its own.  A member
that does not see the directory of the run writes it in a directory that is made for it, and it is
brought home when the member has ended.

The leader ends the members.  Members that are left when it has ended get END_S, or FAILED_S if it
failed; then their leash is closed, which ends them wherever they are.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import re
import secrets
import shlex
import subprocess
import sys
import time
from typing import Callable, Mapping, NamedTuple, Sequence

from .. import LabError, content, failing
from ..plan import hosts
from ..plan.hosts import Host
from ..plan.model import Settings
from ..servers import process
from . import client
from .client import Ended, Surroundings

END_S = 20  # for members after the leader, and while nothing more comes home
FAILED_S = 3  # for members whose leader failed: they may wait for one that never came
GRACE_S = 20  # between SIGTERM and SIGKILL over there
LEASH_S = GRACE_S + 10
PORT = "client.cluster_port"
LOOPBACK = "127.0.0.1"
SECRET = "SYSBENCH_CLUSTER_SECRET"
# The leader writes files and serves pages for all.
LEADERS = re.compile(r"--(report-file|metrics-.*)=")
PROFILE = re.compile(r"(--server-profile=.*?),file=.*", re.DOTALL)  # file= is its last part
RAW = "--raw-log="
OWN_NAME = re.compile(r"^rank \d+(?: \([^)]*\))?: ")  # members begin their messages with it

Joined = Callable[[Sequence["Member"]], None]


class Member(NamedTuple):
    """A rank on a host, as it is remembered for the case that we are killed."""

    rank: int
    name: str  # of its host
    via: tuple[str, ...]
    pid: int
    ident: str  # its start time


def run(
    settings: Settings,
    argv: Sequence[str],
    around: Surroundings,
    output: str,
    limit: float | None = None,
    tick: Callable[[], bool] = lambda: False,
    impatient: bool = False,
) -> Ended:
    """As client.run(), with the members of a run over several hosts.  If `impatient`, a member that
    fails ends it."""
    if len(hosts.of(settings)) < 2:
        return client.run(argv, around, output, limit, tick)
    crew = Crew(settings, list(argv), output, around.joined)

    def begun(pid: int | None) -> None:
        around.started(pid)
        if pid is not None:
            crew.start()

    def either() -> bool:
        return crew.tick() or tick() or impatient and crew.failed()

    try:
        environment = {**around.environment, SECRET: crew.key}
        own = dataclasses.replace(around, environment=environment, started=begun)
        ended = client.run(crew.leader_line(), own, output, limit, either)
        crew.after(ended)
    finally:
        crew.end()
    return ended._replace(ranks=crew.complaint(ended))


class Crew:
    """The members of one run."""

    def __init__(self, settings: Settings, argv: list[str], output: str, joined: Joined) -> None:
        self.used, self.settings = hosts.of(settings), settings
        self.argv, self.joined = argv, joined
        self.directory = output.rpartition("/")[0] or "."
        self.key = secrets.token_hex(16)
        # Of the leader, if it is in the directory of the run; "" for none, or for one elsewhere.
        given = [a[len(RAW) :] for a in argv if a.startswith(RAW)][-1:]
        self.raw_log = "".join(g for g in given if g.startswith(self.directory + "/"))
        # on hosts that see no results
        name = os.path.basename(self.raw_log)
        self.away = "/tmp/sysbench-lab-%s/%s" % (secrets.token_hex(8), name)
        self.coming: list[str] = []  # files that are brought home
        self.port = port(settings, self.used[0])
        self.processes: list[subprocess.Popen[bytes]] = []
        self.stopped: list[subprocess.Popen[bytes]] = []  # did not end by themselves
        self.members: list[Member] = []

    # ---- command lines -------------------------------------------------------------

    def leader_line(self) -> list[str]:
        return self.line(self.argv, 0, address(self.used[0], self.used[0], self.settings))

    def line(self, argv: Sequence[str], rank: int, where: str) -> list[str]:
        meet = ["--cluster=%s" % at(where, self.port), "--cluster-rank=%d" % rank]
        return [*argv[:-1], *meet, "--cluster-size=%d" % len(self.used), argv[-1]]

    def member_line(self, rank: int) -> list[str]:
        host = self.used[rank]
        own = [a for a in self.argv[len(self.used[0].via) :] if not LEADERS.match(a)]
        own = [PROFILE.sub(r"\1", a) for a in own]
        own[0] = host.program or own[0]
        if self.keeps_raw_log(rank):
            own = [RAW + self.away if a.startswith(RAW) else a for a in own]
        return self.line(own, rank, address(self.used[0], host, self.settings))

    # ---- the raw logs --------------------------------------------------------------

    def keeps_raw_log(self, rank: int) -> bool:
        """Is its raw log to be brought home?"""
        return bool(self.raw_log) and not facts(self.used[rank], self.settings)["sees"]

    # ---- from the beginning to the end ---------------------------------------------

    def start(self) -> None:
        own = Surroundings.of(self.settings)
        environment = {**own.environment, SECRET: self.key}
        for rank, host in list(enumerate(self.used))[1:]:
            there = home = ""
            if self.keeps_raw_log(rank):
                there = "%s.rank%d" % (self.away, rank)
                home = "%s.rank%d" % (self.raw_log, rank)
                self.coming.append(home)
            text = script(self.member_line(rank), environment, own.cpus, there)
            self.processes.append(start(host, text, self.output_of(rank), home))

    def output_of(self, rank: int) -> str:
        return "%s/rank%d.txt" % (self.directory, rank)

    def tick(self) -> bool:
        """Note who has begun; False, for the run is to go on."""
        ranks = range(len(self.members) + 1, len(self.processes) + 1)
        found = [(rank, process_of(self.output_of(rank))) for rank in ranks]
        if found and all(known for _, known in found):
            self.members += [Member(n, *self.used[n][:2], *known) for n, known in found if known]
            self.joined(self.members)
        return False

    def failed(self) -> bool:
        """Has a member given up?"""
        return any(p.poll() not in (None, 0) for p in self.processes)

    def end(self) -> None:
        try:
            self.wait(END_S)
        finally:
            self.stop()
            self.wait(LEASH_S)
            for p in self.processes:
                p.kill()
                p.wait()
            self.joined([])

    def after(self, ended: Ended) -> None:
        """The leader has ended by itself: what its members may still need."""
        if client.failure(ended):
            self.wait(FAILED_S)
        # Until all members have ended, or nothing has come home for END_S.
        before = -1
        while self.coming and any(p.poll() is None for p in self.processes):
            self.wait(END_S)
            come = sum(os.path.getsize(f) for f in self.coming)
            if come == before:
                break
            before = come
        if client.failure(ended):
            self.stop()

    def stop(self) -> None:
        for p in self.processes:
            if p.poll() is None:
                self.stopped.append(p)
            let_go(p)

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for p in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(max(0, deadline - time.monotonic()))

    def complaint(self, ended: Ended) -> str:
        """The first member that ended badly; "" if none did, or if it only follows the leader."""
        for rank, p in enumerate(self.processes, 1):
            who = "rank %d (%s): " % (rank, self.used[rank].name)
            if p in self.stopped and not client.failure(ended):
                return who + "did not end within %d s of the leader and was stopped" % END_S
            if p in self.stopped or p.returncode in (0, client.NOT_SUSTAINED):
                continue
            said = client.complaint(PID.sub("", content(self.output_of(rank))))
            return who + (OWN_NAME.sub("", said) or client.how(p.returncode))
        return ""


def let_go(p: subprocess.Popen[bytes]) -> None:
    if p.stdin is not None:
        with contextlib.suppress(OSError):
            p.stdin.close()


# ---- where they meet ---------------------------------------------------------------


known_facts: dict[Host, dict[str, str]] = {}  # of the hosts of this experiment, asked once each


def facts(host: Host, settings: Settings, path: str = "/") -> dict[str, str]:
    """What a host is, which sysbench it has, and whether it sees a file of ours."""
    if host not in known_facts:
        values = {
            "program": shlex.quote(host.program or client.program(settings)),
            "path": shlex.quote(os.path.abspath(path)),
            "directory": shlex.quote(os.getcwd()),
        }
        status, said = ask(host, LOOK % values)
        found = dict(re.findall(r"^sysbench-lab:(\w+)=(.*)$", said, re.M))
        if status or "version" not in found:
            last = [line.strip() for line in said.splitlines() if line.strip()][-1:]
            why = "".join(last) or "status %d" % status
            raise LabError("%s: no answer: %s" % (whose(host), why))
        known_facts[host] = found
    return known_facts[host]


def address(leader: Host, member: Host, settings: Settings) -> str:
    """The address at which a member finds the leader, who listens on all that it has."""
    if leader.address or member is leader:
        return leader.address or LOOPBACK
    here, there = facts(leader, settings), facts(member, settings)
    if all(here[name] == there[name] for name in ("boot", "net")):
        return LOOPBACK
    if there["sees_us_at"] and not leader.via:
        return there["sees_us_at"]
    text = "load host %s: at which address do the others find it? Write address=ADDRESS before it"
    raise LabError(text % leader.name)


def at(where: str, number: int) -> str:
    return "[%s]:%d" % (where, number) if ":" in where else "%s:%d" % (where, number)


FREE = "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])"


def port(settings: Settings, leader: Host) -> int:
    """Of the leader: the one that the firewall lets through, or one that is free there."""
    if PORT in settings:
        return int(str(settings[PORT]))
    if not leader.via:
        return process.free_port()
    status, said = ask(leader, shlex.join([sys.executable, "-c", FREE]) + "\n")
    found = re.fullmatch(r"\s*(\d+)\s*", said)
    return int(found.group(1)) if found and not status else random.randint(20000, 32000)


# ---- Shell commands on a load host, through what leads there: ssh, ip netns exec, docker exec -i

#     status, said = ask(host, "uname -n")          a short script, to its end
#     p = start(host, script, output)               a long one; p.stdin stays open as its leash
#     p = start(host, script, output, file)         the same; a file of its goes to one of ours
#     facts(host, settings)                         what kind of machine is there
#
# The command gets one argument more, `sh`, and the script on its standard input.  So a script needs
# no quoting for the shells in between, whose number only the command knows, and what it holds (the
# secret of a run) is on no command line.
#
# A script that brings a file home keeps it in a directory of its own until the program has ended;
# then the file is the script's standard output, and what the program prints is its standard error.
#
# A process that was started by ssh outlives the connection.  A long script therefore watches its
# standard input: when the laboratory closes it, is killed, or the connection breaks, the script
# ends what it has started.


ASK_S = 30
LOST = 74  # exit status: a file did not come home (EX_IOERR)
PID = re.compile(r"^sysbench-lab: process (\d+) (\d+)$", re.M)


def ask(host: Host, script: str, limit_s: float = ASK_S) -> tuple[int, str]:
    """Exit status and output of a script; LabError if the command does not work at all."""
    argv = [*host.via, "sh"]
    try:
        with failing("%s: cannot run %s" % (whose(host), argv[0])):
            return process.run_tool(argv, script, limit_s=limit_s)
    except subprocess.TimeoutExpired:
        raise LabError("%s: no answer within %g s" % (whose(host), limit_s)) from None


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

    `home` is a file that the program writes, to be brought home: it is alone in its directory,
    which is made before and goes afterwards.  Then the exit status is LOST if not all of it came.
    """
    argv, text = client.concealed(argv)
    command = shlex.join(["sh", "-c", SAY, "sh", *(["taskset", "-c", cpus] if cpus else []), *argv])
    given = "<<'%s'" % client.HERE if text else "</dev/null"
    exports = ["export %s=%s" % (k, shlex.quote(v)) for k, v in environment.items()]
    file, directory = shlex.quote(home), shlex.quote(os.path.dirname(home))
    make = [
        "mkdir -m 700 %s || exit %d" % (directory, LOST),
        "exec 4>&1 >&2",
        "trap 'rm -rf %s' EXIT" % directory,
    ]
    bring = [
        "trap '' PIPE",
        "[ ! -e %(file)s ] || cat %(file)s >&4 ||"
        " { echo 'FATAL: cannot send %(file)s'; [ $s != 0 ] || s=%(lost)d; }"
        % {"file": file, "lost": LOST},
    ]
    lines = [
        "{",
        *(make if home else ()),
        "cd %s 2>/dev/null" % shlex.quote(os.getcwd()),
        *exports,
        'ulimit -n "$(ulimit -H -n)" 2>/dev/null',
        "exec 3<&0",
        "%s %s 3<&- 4>&- & p=$!" % (command, given),
        *([text + client.HERE] if text else ()),
        "{ read -r x; kill -TERM $p; sleep %d; kill -KILL $p; } <&3 >/dev/null 2>&1 4>&- &"
        % GRACE_S,
        "w=$!",
        "wait $p; s=$?",
        "kill $w 2>/dev/null",
        *(bring if home else ()),
        "exit $s",
        "}",
    ]
    return "\n".join(lines) + "\n"


def start(host: Host, text: str, output: str, file: str = "") -> subprocess.Popen[bytes]:
    """Begin a script() over there; what it prints goes to a file here, and what it brings home to
    another one."""
    argv, pipe = [*host.via, "sh"], subprocess.PIPE
    try:
        with open(output, "wb") as out, open(file or os.devnull, "wb") as brought:
            home = brought if file else out
            p = subprocess.Popen(argv, stdin=pipe, stdout=home, stderr=out, start_new_session=True)
    except OSError as e:
        raise LabError("%s: %s: %s" % (whose(host), e.filename or output, e.strerror)) from e
    assert p.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended; status and output say why
        p.stdin.write(text.encode())
        p.stdin.flush()
    return p


def process_of(output: str) -> tuple[int, str] | None:
    """Process id and start time that a script() has told; None before."""
    found = PID.search(content(output))
    return (int(found.group(1)), found.group(2)) if found else None


def stop(host: Host, pid: int, ident: str) -> bool:
    """End a process that was left there; False if it was gone, or its number is another's."""
    text = (
        '{ f() { cut -d" " -f$1 /proc/%(pid)d/stat 2>/dev/null; }\n'
        't() { [ -O /proc/%(pid)d ] && [ "$(f 22)" = %(ident)s ] && [ "$(f 3)" != Z ]; }\n'
        "t || exit 4\nkill -TERM %(pid)d\nn=0\n"
        "while t && [ $n -lt %(grace)d ]; do sleep 1; n=$((n + 1)); done\n"
        "! t || kill -KILL %(pid)d\n}\n"
    ) % {"pid": pid, "ident": shlex.quote(ident), "grace": GRACE_S}
    return ask(host, text, GRACE_S + ASK_S)[0] == 0


# ---- what is there -----------------------------------------------------------------


# The facts of a load host.  `boot` and `net` tell whether two of them are one machine, one network;
# `sees_us_at` is our address, as ssh says; `model` is that of its CPUs; `sees` is yes if the file
# that it was asked for is there; `version` is its sysbench's.
LOOK = """{
f() { printf 'sysbench-lab:%%s=%%s\\n' "$1" "$2"; }
f node "$(uname -n)"; f kernel "$(uname -s) $(uname -r) $(uname -m)"
f cpus "$(getconf _NPROCESSORS_ONLN)"
f boot "$(cat /proc/sys/kernel/random/boot_id)"; f net "$(readlink /proc/self/ns/net)"
f sees_us_at "${SSH_CONNECTION%%%% *}"
f model "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
f sees "$(test -e %(path)s && echo yes)"
cd %(directory)s 2>/dev/null
f version "$({ %(program)s --version | head -n 1; %(program)s --version --verbose |
  sed -n 's/^package: //p'; } </dev/null 2>&1 | tail -n 1)"
exit 0
} 2>/dev/null
"""
