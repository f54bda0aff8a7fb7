# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cram files of one run share (tests/cram): a directory, the machine's pulse, one MariaDB
(or what DBSERVER_ENGINE names) for the files named *_mysql.t, one PostgreSQL for *_pgsql.t.

All belong to a process, SB_OWNER: that make, or that tests/test_run.sh.  Who comes first makes
them; the pulse notices when the owner has ended, and calls this file, which stops the servers and
removes the directory.

Each file has an empty database in its server.  SB_MYSQL_SERVER and SB_PGSQL_SERVER name files that
describe servers which run already (dbserver --prefix=mysql_, --prefix=pgsql_), with one in them."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
from typing import Iterator

TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DBSERVER = os.path.join(TESTS, "..", "scripts", "dbserver")
sys.path[:0] = [TESTS, os.path.join(TESTS, "..", "scripts")]
from lib.pulse import Pulse  # noqa: E402
from sysbench_lab import owned  # noqa: E402

EACH = "_each.t"
# fast rather than durable
OPTIONS = {
    "mysql": [
        "--max-connections=600", "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=2",
    ],
    "pgsql": ["--max_connections=600", "--fsync=off"],
}  # fmt: skip


def kind_of(path: str) -> str | None:
    """mysql, pgsql, or None for a file that needs no server."""
    match = re.search(r"_(mysql|pgsql)\.t$", path)
    return match.group(1) if match else None


def each_kind(path: str) -> list[str]:
    """A file that runs once for each kind of server is two: find_each.t is find_mysql.t, with its
    text, and find_pgsql.t."""
    return [path.replace(EACH, "_%s.t" % k) for k in OPTIONS] if path.endswith(EACH) else [path]


def source_of(path: str) -> str:
    """The file that has the text."""
    return path if os.path.exists(path) else re.sub(r"_(mysql|pgsql)\.t$", EACH, path)


def database(path: str) -> str:
    """A file's own database: its name, reduced to what a database may be called."""
    return "sbt_" + re.sub(r"[^A-Za-z0-9]", "_", os.path.basename(path)[:-2])


def databases(kind: str) -> list[str]:
    """Of all files that may come."""
    names = os.environ.get("SB_FILES", "").split() or glob.glob(os.path.join(TESTS, "t", "*.t"))
    files = [one for name in names for one in each_kind(name)]
    return sorted(database(file) for file in files if kind_of(file) == kind)


# ---- what all share ----------------------------------------------------------------


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    with open(name + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.lru_cache
def directory() -> str:
    owner = int(os.environ.get("SB_OWNER") or os.getppid())
    path = os.path.join(tempfile.gettempdir(), "sb-cram-%d" % owner)
    owned.make(path)
    with locked(os.path.join(path, "made")):
        if not os.path.exists(os.path.join(path, owned.MARK)):
            os.chmod(path, 0o711)  # servers may run as another user
            owned.write(os.path.join(path, owned.MARK), "")
            Pulse(os.path.join(path, "stalls"), owner, [os.path.realpath(__file__), path]).start()
    return path


def pulse() -> str:
    return os.path.join(directory(), "stalls")


def templates() -> str:
    """What dbserver keeps of the first server is the next one's beginning."""
    path = os.environ.setdefault("DBSERVER_TEMPLATES", os.path.join(directory(), "templates"))
    os.makedirs(path, exist_ok=True)
    return path


# ---- servers -----------------------------------------------------------------------


def parse(kind: str, path: str) -> dict[str, str]:
    with open(path) as f:
        found = re.findall(r"^%s_(\w+)=(.*)$" % kind, f.read(), re.M)
    return {name: "".join(shlex.split(value)) for name, value in found}


def started(kind: str, name: str, names: list[str]) -> dict[str, str]:
    """Starts a server in that directory; its description, empty when it does not start."""
    templates()
    place = os.path.join(directory(), name)
    engine = (os.environ.get("DBSERVER_ENGINE") or "mariadb") if kind == "mysql" else "postgresql"
    argv = [DBSERVER, "start", "--engine=" + engine, "--dir=" + place, "--prefix=%s_" % kind]
    argv += ["--db=" + ",".join(names), "--", *OPTIONS[kind]]
    with open(place + ".env", "w") as out, open(place + ".err", "w") as err:
        os.mkdir(place, 0o711)
        subprocess.call(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    return parse(kind, place + ".env")


def stop(place: str) -> None:
    if os.path.exists(os.path.join(place, "dbserver.json")):
        subprocess.call([DBSERVER, "stop", "--dir=" + place, "--remove"])


def emptied(kind: str, name: str, found: dict[str, str]) -> None:
    """Makes the database anew, since the file ran before."""
    if kind == "mysql":
        argv = ["mariadb", "--no-defaults", "--socket=" + found["socket"]]
        argv += ["--user=" + found["admin"], "--execute"]
        statements = ["DROP DATABASE IF EXISTS %s; CREATE DATABASE %s" % (name, name)]
    else:
        argv = ["psql", "-X", "-q", "-h", os.path.dirname(found["socket"]), "-p", found["port"]]
        argv += ["-U", found["admin"], "postgres"]
        statements = ["-c", "DROP DATABASE IF EXISTS %s WITH (FORCE)" % name]
        statements += ["-c", "CREATE DATABASE %s OWNER %s" % (name, found["user"])]
    subprocess.check_call(argv + statements)


@contextlib.contextmanager
def server(kind: str, path: str, own: bool) -> Iterator[dict[str, str]]:
    """The description of a server of that kind for the file; empty when there is none.  Where
    servers are given, none has its own."""
    given = os.environ.get("SB_%s_SERVER" % kind.upper())
    name = database(path)
    place = os.path.join(directory(), kind)
    if os.environ.get("SB_NO_SERVER"):
        yield {}
    elif given:
        yield parse(kind, given)
    elif own:
        try:
            yield started(kind, name, [name])
        finally:
            stop(os.path.join(directory(), name))
    else:
        with locked(place):
            was = os.path.exists(place + ".env")
            found = parse(kind, place + ".env") if was else started(kind, kind, databases(kind))
        homes = os.path.join(directory(), "home", os.path.basename(path)[:-1] + "*")
        if found and glob.glob(homes):
            emptied(kind, name, found)
        yield found


def environment(kind: str, name: str, found: dict[str, str]) -> dict[str, str]:
    """What a file with this database learns about its server."""
    upper, user, port = kind.upper(), found["user"], found["port"]
    args = "--db-driver=%s" % kind
    more = "--%s-user=%s --%s-db=%s" % (kind, user, kind, name)
    tcp = "%s --%s-host=127.0.0.1 --%s-port=%s %s" % (args, kind, kind, port, more)
    if kind == "mysql":
        args += " --mysql-socket=%s %s" % (found["socket"], more)
        place = {"SB_MYSQL_SOCKET": found["socket"]}
    else:
        host = os.path.dirname(found["socket"])
        args += " --pgsql-host=%s --pgsql-port=%s %s" % (host, port, more)
        place = {"SB_PGSQL_HOST": host}
    own = dict(ARGS=args, TCP_ARGS=tcp, PORT=port, USER=user, DB=name, PID=found["pid"])
    own["ADMIN"] = found["admin"]
    env = {"SB_%s_%s" % (upper, key): value for key, value in own.items()}
    return dict(place, DB=kind, SB_ARGS=args, SB_TCP_ARGS=tcp, **env)


if __name__ == "__main__":  # of the pulse: the owner has ended
    for started_there in glob.glob(os.path.join(sys.argv[1], "*", "dbserver.json")):
        stop(os.path.dirname(started_there))
    owned.remove(sys.argv[1], anyway=True)
