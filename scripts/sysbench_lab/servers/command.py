# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts, stops, restarts and describes a private database server.

  %(prog)s start   [--dir=PATH] [options] [-- SERVER OPTIONS]
  %(prog)s restart --dir=PATH [-- SERVER OPTIONS]     same data; without --, same options
  %(prog)s stop    --dir=PATH [--remove]
  %(prog)s status  --dir=PATH                         exit status 3 if it is not running
  %(prog)s env     --dir=PATH                         print its description only
  %(prog)s logs    --dir=PATH [--lines=N]

  eval "$(%(prog)s start -- --max-connections=600)"
  sysbench oltp_point_select $args prepare
  %(prog)s restart --dir="$dir" -- --thread-handling=pool-of-threads
  %(prog)s stop --dir="$dir" --remove

The server has its own directory, socket and loopback port.  It reads no configuration
file and does not touch the system's server.  start, restart, status and env print its
description as NAME=VALUE lines for a shell.

DBSERVER_DIR and DBSERVER_ENGINE in the environment are the defaults of --dir and
--engine.  For details see docs/dbserver.md.
"""

from __future__ import annotations

import argparse
import os
import pwd
import re
import shlex
import signal
import sys
from typing import Any, Callable, NoReturn, Sequence

from .. import LabError, opened, owned, visible
from .engines import ENGINES, OTHER_NAMES
from .instance import STATE, Instance

NOT_RUNNING = 3
# Flags that a server keeps for all its life; they have these names in Instance, too.
MADE_WITH = ("engine", "user", "password", "databases", "os_user_name", "program")


def show(inst: Instance, prefix: str) -> None:
    for key, value in inst.describe():
        print("%s%s=%s" % (prefix, key, shlex.quote(value)))
    sys.stdout.flush()


def engine(name: str) -> str:
    return OTHER_NAMES.get(name, name)


def directory_of(args: argparse.Namespace) -> str:
    if not args.dir:
        raise LabError("which server? give --dir=PATH or set DBSERVER_DIR")
    return str(args.dir)


def open_existing(args: argparse.Namespace) -> Instance | None:
    """The server that is in the directory already, with the options that may change; or None."""
    if not os.path.lexists(os.path.join(args.dir, STATE)):
        return None
    inst = Instance.load(args.dir)
    for key in MADE_WITH:
        if getattr(args, key) not in (None, getattr(inst, key)):
            text = "the server in %s was made with another %s; take a new directory"
            raise LabError(text % (inst.directory, key.replace("_", " ")))
    inst.must_not_run()
    if args.server_options is not None:
        inst.module.check_options(args.server_options)
        inst.options = args.server_options
    if args.port is not None:
        inst.set_port(args.port)
    return inst


def wanted(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says about a server that is to be made."""
    usual = {"engine": engine(os.environ.get("DBSERVER_ENGINE") or "mariadb")}
    given = {key: getattr(args, key) for key in (*MADE_WITH, "port")}
    given["options"] = args.server_options
    return {**usual, **{key: value for key, value in given.items() if value}}


def keep_logs_only(directory: str, user: pwd.struct_passwd | None) -> None:
    """After a failed start in a directory that nobody asked for: logs are worth keeping, data
    not."""
    kept = 0
    for entry in sorted(os.scandir(directory), key=lambda e: e.name == owned.MARK):
        if entry.is_dir(follow_symlinks=False):
            owned.remove(entry.path, "../" + owned.MARK, anyway=True, user=user)
        elif not entry.name.endswith(".log") or entry.stat().st_size == 0:
            os.unlink(entry.path)
        else:
            kept += 1
    if kept == 0:
        os.rmdir(directory)


def do_start(args: argparse.Namespace) -> None:
    if args.dir:
        Instance(args.dir).claim_directory()
        with Instance(args.dir).locked(args.timeout):
            inst = open_existing(args) or Instance.create(args.dir, **wanted(args))
            inst.start(args.timeout)
    else:
        inst = Instance.create_temporary(**wanted(args))
        try:
            inst.start(args.timeout)
        except BaseException:
            keep_logs_only(inst.directory, inst.os_user)
            raise
    show(inst, args.prefix)


def do_restart(args: argparse.Namespace) -> None:
    with Instance(directory_of(args)).locked(args.timeout):
        inst = Instance.load(directory_of(args))
        inst.restart(args.server_options, args.timeout)
    show(inst, args.prefix)


def do_stop(args: argparse.Namespace) -> None:
    if not os.path.isdir(directory_of(args)):
        raise LabError("no private server in %s (there is no such directory)" % directory_of(args))
    Instance.load(directory_of(args))
    with Instance(directory_of(args)).locked(args.timeout):
        inst = Instance.load(directory_of(args))
        how = inst.stop(args.timeout)
        if how in ("SIGQUIT", "SIGKILL"):
            late = args.timeout, how
            sys.stderr.write("dbserver: it did not stop within %g s and took %s\n" % late)
        if args.remove:
            inst.remove()


def do_status(args: argparse.Namespace) -> int:
    inst = Instance.load(directory_of(args))
    print("%sstatus=%s" % (args.prefix, "running" if inst.is_running() else "stopped"))
    show(inst, args.prefix)
    return 0 if inst.is_running() else NOT_RUNNING


def do_env(args: argparse.Namespace) -> None:
    inst = Instance.load(directory_of(args))
    if not inst.is_running():
        raise LabError("the server in %s is not running" % inst.directory)
    show(inst, args.prefix)


def do_logs(args: argparse.Namespace) -> None:
    inst = Instance.load(directory_of(args))
    with opened(inst.log) as f:
        lines = f.readlines()
    for line in lines[-args.lines :] if args.lines else lines:
        sys.stdout.write(visible(line.expandtabs(), lines=True))


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong command line is one sentence and exit status 1."""

    def error(self, message: str) -> NoReturn:
        raise LabError("%s (see %s --help)" % (message, self.prog))


def parse(prog: str, argv: Sequence[str]) -> argparse.Namespace:
    server_options = None
    if "--" in argv:
        cut = argv.index("--")
        argv, server_options = argv[:cut], argv[cut + 1 :]
    top = Parser(prog=prog, description=__doc__, allow_abbrev=False)
    top.formatter_class = argparse.RawDescriptionHelpFormatter
    sub = top.add_subparsers(dest="command", metavar="COMMAND")
    sub.required = True

    def command(name: str, function: Callable[..., int | None], text: str) -> Any:
        p = sub.add_parser(name, help=text, description=text, allow_abbrev=False)
        p.set_defaults(function=function, takes_options=name in ("start", "restart"))
        where = os.environ.get("DBSERVER_DIR")
        p.add_argument("--dir", default=where, metavar="PATH", help="the server's directory")
        p.add_argument("--prefix", default="", help="text to print before every name")
        wait = "seconds to wait for the server (default %(default)s)"
        p.add_argument("--timeout", type=float, default=60, metavar="S", help=wait)
        return p

    p = command("start", do_start, "start a new server, or the stopped one in --dir")
    p.add_argument(
        "--engine", type=engine, choices=sorted(ENGINES), help="default $DBSERVER_ENGINE or mariadb"
    )
    p.add_argument("--port", help="a number, auto (default: a free one) or none")
    p.add_argument("--server", dest="program", metavar="PATH", help="server program to run")
    who = "OS user to run the server as (root only)"
    p.add_argument("--user", dest="os_user_name", metavar="NAME", help=who)
    who = "database account (default sbtest)"
    p.add_argument("--db-user", dest="user", metavar="NAME", help=who)
    p.add_argument("--password", help="password of the account (default: none)")
    p.add_argument(
        "--db", dest="databases", type=lambda s: s.split(","), metavar="NAME[,NAME...]",
        help="databases to create (default sbtest)",
    )  # fmt: skip
    command("restart", do_restart, "stop the server and start it again with the same data")
    p = command("stop", do_stop, "stop the server")
    p.add_argument("--remove", action="store_true", help="also delete its directory")
    command("status", do_status, "print whether the server runs, and its description")
    command("env", do_env, "print the description of a running server")
    p = command("logs", do_logs, "print the server's log")
    p.add_argument("--lines", type=int, default=0, metavar="N", help="print only the last N lines")

    args = top.parse_args(argv)
    if server_options is not None and not args.takes_options:
        raise LabError("'%s' takes no server options" % args.command)
    if not re.fullmatch(r"([A-Za-z_]\w*)?", args.prefix, re.ASCII):
        raise LabError("--prefix takes the beginning of a name, not '%s'" % args.prefix)
    args.server_options = server_options
    return args


def main(prog: str, argv: Sequence[str]) -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: sys.exit(128 + n))

    def run() -> int:
        args = parse(prog, argv)
        return args.function(args) or 0

    return status_of(prog, run)


def status_of(prog: str, run: Callable[[], int]) -> int:
    """The exit status of a program whose failures are one sentence; sysbench-lab's, too."""
    try:
        return run()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `dbserver status | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except LabError as e:
        why = str(e)
    except OSError as e:  # a disk that is full, a directory that was removed
        what = (e.filename, e.strerror) if e.strerror else (e,)
        why = ": ".join(map(str, filter(None, what)))
    sys.stderr.write("%s: %s\n" % (prog, visible(why)))
    return 1
