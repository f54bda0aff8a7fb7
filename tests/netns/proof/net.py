# SPDX-License-Identifier: GPL-2.0-or-later
"""Load hosts and a database host in one machine: network namespaces joined by a bridge.

    sbPID-load1  10.77.0.1        sbPID-load2  10.77.0.2
    sbPID-db     10.77.0.9        sbPID-net    the bridge

Each load host has a name of its own (UTS namespace) and an /etc/hosts of its own (mount namespace).
The CLOCK_MONOTONIC of load2 is SECONDS_AHEAD ahead (time namespace), so that the ranks there must
find out how the clocks differ.  Nothing of it is reachable from the machine's own network.

Delay is made by netem where the kernel has it, else by delay.c, a switch of ours between TAP
devices.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
from typing import NamedTuple

from lib import harness
from sblab import LabError

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
LOAD1, LOAD2, DB = "load1", "load2", "db"
HOSTS = (LOAD1, LOAD2, DB)
LOADS = (LOAD1, LOAD2)
ADDRESS = {LOAD1: "10.77.0.1", LOAD2: "10.77.0.2", DB: "10.77.0.9"}
SUBNET = "10.77.0.0/24"
SECONDS_AHEAD = {LOAD1: 0, LOAD2: 100000}
DEVICE = "eth0"
QUEUE = 10000  # frames that a device may hold: thousands of clients connect at once
NETEM_LIMIT = 100000


class Delay(NamedTuple):
    """How long each host's link holds a frame on its way out and in, in microseconds."""

    name: str
    held: dict[str, tuple[int, int]]  # by host

    def one_way_s(self, source: str, target: str) -> float:
        return (self.held.get(source, (0, 0))[0] + self.held.get(target, (0, 0))[1]) / 1e6


def each_way(ms: float) -> Delay:
    """So long from any host to any other."""
    half = int(ms * 500)
    return Delay("%g ms" % ms, {host: (half, half) for host in HOSTS})


def lopsided(out_ms: float, in_ms: float) -> Delay:
    """From load2 to all others, and back."""
    us = (int(out_ms * 1000), int(in_ms * 1000))
    return Delay("%g ms and %g ms back" % (out_ms, in_ms), {LOAD2: us})


DIRECT = Delay("direct", {})


def run(*words: str) -> str:
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise LabError("%s: %s" % (shlex.join(words), done.stdout.strip()))
    return done.stdout


def why_not() -> str | None:
    """The reason why no namespaces can be made here, or None."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    for program in ("ip", "nsenter", "unshare", "mount"):
        if shutil.which(program) is None:
            return "there is no program %s" % program
    words = ["unshare", "--net", "--uts", "--mount", "--time", "--monotonic", "1", "--fork"]
    links = "ip link add name v1 type veth peer name v2 && ip link add name b1 type bridge"
    done = subprocess.run(
        words + ["sh", "-c", links], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        return "no namespaces can be made: %s" % done.stdout.strip()
    return None


class Network:
    """The hosts, from start() to end(); the links between them, from link() to unlink()."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.prefix = "sb%d-" % os.getpid()
        self.made: list[str] = []
        self.keepers: dict[str, subprocess.Popen[bytes]] = {}
        self.switch: subprocess.Popen[str] | None = None
        self.by = ""  # what makes the delay

    def name(self, host: str) -> str:
        return self.prefix + host

    def start(self) -> None:
        for host in (*HOSTS, "net"):
            run("ip", "netns", "add", self.name(host))
            self.made.append(self.name(host))
            run("ip", "-n", self.name(host), "link", "set", "lo", "up")
        with open(os.path.join(self.directory, "hosts"), "w") as f:
            f.write("127.0.0.1 localhost\n")
            f.writelines("%s %s\n" % (ADDRESS[host], host) for host in HOSTS)
        for host in LOADS:
            self.keepers[host] = self.keep(host)

    def keep(self, host: str) -> subprocess.Popen[bytes]:
        """The process that holds a load host's namespaces; its child is the one to enter."""
        names = shlex.quote(os.path.join(self.directory, "hosts"))
        inside = "hostname %s && mount --bind %s /etc/hosts" % (host, names)
        inside += " && echo up && exec sleep infinity"
        keeper = subprocess.Popen(
            ["ip", "netns", "exec", self.name(host), "unshare", "--uts", "--mount"]
            + ["--time", "--monotonic", str(SECONDS_AHEAD[host])]
            + ["--fork", "--kill-child", "sh", "-c", inside],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.keepers[host] = keeper
        assert keeper.stdout
        if keeper.stdout.readline() != b"up\n":
            raise LabError("the namespaces of %s cannot be made" % host)
        return keeper

    def keeper(self, host: str) -> int:
        pid = self.keepers[host].pid
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return int(f.read().split()[0])

    def enter(self, host: str) -> list[str]:
        """The words before a command that run it there; the process id stays its own."""
        if host not in LOADS:
            return ["ip", "netns", "exec", self.name(host)]
        words = ["nsenter", "--target=%d" % self.keeper(host), "--no-fork"]
        return [*words, "--net", "--uts", "--mount", "--time"]

    def rsh(self) -> str:
        """A program like ssh: `rsh [OPTION...] ADDRESS COMMAND...` runs it on a load host."""
        path = os.path.join(self.directory, "rsh")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nwhile :; do case $1 in -*) shift ;; *) break ;; esac; done\n")
            f.write("at=$1; shift\ncase $at in\n")
            for host in LOADS:
                words = shlex.join(self.enter(host))
                f.write('%s|%s) exec %s sh -c "$*" ;;\n' % (ADDRESS[host], host, words))
            f.write('*) echo "rsh: no host $at" >&2; exit 255 ;;\nesac\n')
        os.chmod(path, 0o755)
        return path

    # ---- links

    def link(self, delay: Delay = DIRECT, netem: bool | None = None) -> None:
        """Joins the hosts; `netem` says what makes the delay, None: netem if there is one."""
        self.unlink()
        held = bool(delay.held)
        if held and netem is None:
            netem = self.has_netem()
        if held and not netem:
            self.by = "delay.c"
            self.join_by_switch(delay)
        else:
            self.by = "netem" if held else ""
            self.join_by_bridge(delay)

    def has_netem(self) -> bool:
        done = subprocess.run(
            ["ip", "netns", "exec", self.name("net"), "tc", "qdisc", "add", "dev", "lo"]
            + ["root", "netem", "delay", "1ms"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if done.returncode == 0:
            run("ip", "netns", "exec", self.name("net"), "tc", "qdisc", "del", "dev", "lo", "root")
        return done.returncode == 0

    def join_by_bridge(self, delay: Delay) -> None:
        net = self.name("net")
        run("ip", "-n", net, "link", "add", "name", "bridge", "type", "bridge")
        run("ip", "-n", net, "link", "set", "bridge", "up")
        for host in HOSTS:
            run("ip", "-n", net, "link", "add", "name", host, "type", "veth")
            peer = re.search(r"\b(veth\d+)@%s\b" % host, run("ip", "-n", net, "link", "show"))
            if not peer:
                raise LabError("no veth pair for %s" % host)
            there = ["netns", self.name(host), "name", DEVICE]
            run("ip", "-n", net, "link", "set", peer.group(1), *there)
            run("ip", "-n", net, "link", "set", host, "master", "bridge", "up")
            self.up(host)
        for host, (out_us, in_us) in delay.held.items():
            self.netem(host, DEVICE, out_us)
            self.netem("net", host, in_us)

    def netem(self, host: str, device: str, us: int) -> None:
        if us:
            words = ["tc", "qdisc", "add", "dev", device, "root", "netem", "delay", "%dus" % us]
            limit = ["limit", str(NETEM_LIMIT)]
            run("ip", "netns", "exec", self.name(host), *words, *limit)

    def join_by_switch(self, delay: Delay) -> None:
        program = harness.compiled(os.path.join(HERE, "delay.c"), self.directory, "-D_GNU_SOURCE")
        words = []
        for host in HOSTS:
            out_us, in_us = delay.held.get(host, (0, 0))
            words.append("/run/netns/%s:%s:%d:%d" % (self.name(host), DEVICE, out_us, in_us))
        self.switch = subprocess.Popen(
            [program, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.switch.stdout
        if self.switch.stdout.readline() != "ready\n":
            raise LabError("the switch of tests/netns/delay.c does not start")
        for host in HOSTS:
            self.up(host)

    def up(self, host: str) -> None:
        there = ["ip", "-n", self.name(host)]
        run(*there, "link", "set", DEVICE, "txqueuelen", str(QUEUE))
        run(*there, "address", "add", ADDRESS[host] + "/24", "dev", DEVICE)
        run(*there, "link", "set", DEVICE, "up")

    def cut(self, host: str) -> None:
        """Takes the host off the network, as a pulled cable does."""
        run("ip", "-n", self.name(host), "link", "set", DEVICE, "down")

    def unlink(self) -> dict[str, float]:
        """Takes the links away; what the switch says of its frames, if there was one."""
        figures: dict[str, float] = {}
        if self.switch is not None:
            out, _ = self.switch.communicate()
            words = out.split()
            figures = {k: float(v) for k, v in zip(words[::2], words[1::2])}
            self.switch = None
        elif self.made:
            net = self.name("net")
            for host in (*HOSTS, "bridge"):
                with contextlib.suppress(LabError):  # not there before the first link()
                    run("ip", "-n", net, "link", "delete", host)
        self.by = ""
        return figures

    def end(self) -> None:
        with contextlib.suppress(LabError):
            self.unlink()
        for keeper in self.keepers.values():
            keeper.kill()  # its child dies with it
            keeper.wait()
        self.keepers.clear()
        for name in self.made:
            with contextlib.suppress(LabError):
                run("ip", "netns", "delete", name)
        self.made.clear()
