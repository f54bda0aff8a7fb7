# SPDX-License-Identifier: GPL-2.0-or-later
"""Places that are several programs: poolers and proxies before a server, clusters, a standby."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from sysbench_lab.servers.process import free_port, identity, wait_gone
from versions import SOURCE
from versions.place import members
from versions.servers import Server
from versions.service import Service

CONF = os.path.join(SOURCE, "tests", "matrix", "proxies")


class Proxy(Service):
    """A server, and the program that clients reach instead; the fault is a restart of the server,
    and two seconds later one of the proxy, which is killed."""

    engine = "postgresql"  # of the server, from the suite behind
    behind: str | None = None
    behind_packages: list[str] = []
    word, mode, more, user = "", "", "", "postgres"
    ask = "--version"
    kill: signal.Signals = signal.SIGKILL
    command = ""  # its first word names the configuration in proxies/

    def start(self) -> None:
        self.back = self.server(self.engine, suite=self.behind, packages=self.behind_packages)
        self.port, self.path = free_port(), os.path.join(self.folder, "proxy")
        self.root(self.suite, self.packages)
        os.mkdir(self.path)
        os.chmod(self.path, 0o777)
        values = {"to": self.back.env["port"], "port": self.port, "path": self.path}
        ours = os.path.join(CONF, self.command.split()[0] + ".conf")
        with open(self.path + "/conf", "w") as f, open(ours) as conf:
            f.write(conf.read() % values + self.more + "\n")
        self.argv = (self.command % values).split()
        self.serve()
        self.direct = self.back.env["args"].split()
        what = self.kind, self.kind, self.kind, self.port, self.kind
        reach = "--db-driver=%s --%s-host=127.0.0.1 --%s-port=%d --%s-user=sbtest" % what
        self.options = reach.split()
        version = self.version(["sh", "-c", self.argv[0] + " %s 2>&1" % self.ask], self.suite)
        title = ["%s %s" % (self.word, version), self.mode, self.back.version]
        self.title = ", ".join(filter(None, title))

    def serve(self) -> None:
        self.end = self.spawn("proxy", self.argv, self.suite, self.user, self.port)

    def kill_proxy(self) -> None:
        with contextlib.suppress(FileNotFoundError), open(self.folder + "/proxy.namespace") as f:
            for pid in members(f.read().strip()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, self.kill)

    def stop(self) -> None:
        self.kill_proxy()
        super().stop()

    def fault(self) -> str | None:
        self.back.restart()
        time.sleep(2)
        self.kill_proxy()
        self.end()
        self.serve()
        return "server restarted, then proxy"


class Pgbouncer118Session(Proxy):
    name, process, kind = "pgbouncer-1.18-session", "pgbouncer", "pgsql"
    word, suite, packages = "PgBouncer", "bookworm", ["pgbouncer"]
    mode, more = "session mode", "pool_mode = session"
    command = "pgbouncer %(path)s/conf"


class Pgbouncer118Transaction(Pgbouncer118Session):
    name = "pgbouncer-1.18-transaction"
    mode, more = "transaction mode", "pool_mode = transaction"
    # where a client meets the first statement that the server has not, a transaction is run again
    expects, counted = ["26000"], ["--db-ps-mode=disable"]
    lacks = {"ps": "no prepared statements"}


class PgbouncerSession(Pgbouncer118Session):
    name, suite = "pgbouncer-session", "unstable"


class PgbouncerTransaction(Pgbouncer118Transaction):
    name, suite = "pgbouncer-transaction", "unstable"
    mode = "transaction mode, max_prepared_statements=0"
    more = "pool_mode = transaction\nmax_prepared_statements = 0"


class PgbouncerPrepared(PgbouncerTransaction):
    name = "pgbouncer-prepared"
    expects, counted, lacks = [], [], {}
    mode = "transaction mode, max_prepared_statements=200"
    more = "pool_mode = transaction\nmax_prepared_statements = 200"


class Pgpool(Proxy):
    name, process, kind, word = "pgpool", "pgpool", "pgsql", "pgpool"
    mode, suite, packages = "trust", "bookworm", ["pgpool2"]
    kill = signal.SIGINT  # else its shared memory stays

    command = "pgpool -n -f %(path)s/conf -F /dev/null -a /dev/null"


class Haproxy(Proxy):
    name, process, word, engine, user = "haproxy", "haproxy", "HAProxy", "mariadb", ""
    suite, packages, ask = "bookworm", ["haproxy"], "-v"

    command = "haproxy -db -f %(path)s/conf"


class Router(Proxy):
    name, process, word, engine, user = "mysql-router", "mysqlrouter", "MySQL Router", "mysql", ""
    mode = "passthrough"
    suite, packages = "unstable", ["mysql-router"]
    behind, behind_packages = "unstable", ["mysql-server-core", "openssl"]
    load_s = 40  # MySQL takes its time to stop

    command = "mysqlrouter --config=%(path)s/conf"


class RouterSharing(Router):
    name, mode = "mysql-router-sharing", "connection_sharing=1"
    more = """client_ssl_mode=DISABLED
server_ssl_mode=DISABLED
connection_sharing=1
connection_sharing_delay=0"""


class Galera2(Service):
    """Clients on all nodes; the fault is that the last one is killed and comes back."""

    name, process, suite, nodes = "galera-2", "mariadbd", "trixie", 2
    on_error, load_s = "galera", 40
    lacks = {"prepare": "auto_increment_increment > 1"}
    packages = ["mariadb-server", "galera-4", "rsync", "lsof", "iproute2", "procps"]

    def start(self) -> None:
        self.node: list[Server] = []
        group = ["127.0.0.1:%d" % free_port() for _ in range(self.nodes)]
        for i, at in enumerate(group):
            options = {
                "wsrep-on": "ON",
                "wsrep-provider": "/usr/lib/galera/libgalera_smm.so",
                "wsrep-cluster-address": "gcomm://" + (",".join(group) if i else ""),
                "wsrep-node-address": at,
                "wsrep-node-name": "node%d" % i,
                "wsrep-provider-options": "gmcast.listen_addr=tcp://%s;ist.recv_addr=127.0.0.1:%d"
                % (at, free_port()),
                "wsrep-sst-method": "rsync",
                "wsrep-sst-receive-address": "127.0.0.1:%d" % free_port(),
                "binlog-format": "ROW",
                "innodb-autoinc-lock-mode": "2",
            }
            given = ["--%s=%s" % pair for pair in options.items()]
            self.node.append(self.server("mariadb", given, self.suite, self.packages, "node%d" % i))
        ports = ",".join(n.env["port"] for n in self.node)
        self.options = ["--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + ports]
        self.options.append("--mysql-user=sbtest")
        self.direct = self.options
        self.title = "Galera, %d nodes, %s" % (self.nodes, self.node[0].version)

    def fault(self) -> str | None:
        pid = int(self.node[-1].env["pid"])
        ident = identity(pid)
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid, ident, 60)
        self.node[-1].tell("start")
        return "node killed, rejoined"


class Galera3(Galera2):
    name, nodes = "galera-3", 3


class Standby(Service):
    """A primary and its streaming standby; the fault is that the primary ends at once, and the
    standby is promoted."""

    name, process, kind = "postgresql-standby", "postgres", "pgsql"
    lacks = {"stock": "stock takes one port"}
    suite, packages = "trixie", ["postgresql"]

    def start(self) -> None:
        self.primary = self.server("postgresql", (), self.suite, self.packages, "primary")
        env, place = self.primary.env, self.root(self.suite)
        with open(env["dir"] + "/data/pg_hba.conf", "a") as f:
            f.write("local replication %s peer map=owner\n" % env["admin"])
        os.kill(int(env["pid"]), signal.SIGHUP)
        self.data, port = self.folder + "/standby", free_port()
        as_owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        programs = os.path.dirname(
            place.output(True, ["sh", "-c", "ls /usr/lib/postgresql/*/bin/postgres"])
        )
        os.chmod(self.folder, 0o777)
        copy = [programs + "/pg_basebackup", "-R", "-c", "fast", "-D", self.data]
        copy += ["-h", os.path.dirname(env["socket"]), "-p", env["port"], "-U", env["admin"]]
        place.must("pg_basebackup", True, as_owner + copy, self.log)
        settings = "port=%d listen_addresses=127.0.0.1 unix_socket_directories= max_connections=600"
        argv = [programs + "/postgres", "-D", self.data]
        argv += [word for s in (settings % port).split() for word in ("-c", s)]
        self.spawn("postgres", argv, self.suite, "postgres", port)
        self.title = "%s, primary and standby" % self.primary.version
        self.options = ["--db-driver=pgsql", "--pgsql-host=127.0.0.1", "--pgsql-user=sbtest"]
        self.options.append("--pgsql-port=%s,%d" % (env["port"], port))
        self.options.append("--pgsql-db=dbname=sbtest target_session_attrs=read-write")
        self.direct = self.options

    def fault(self) -> str | None:
        # at once, as a crash does; SIGKILL would leave its shared memory behind
        os.kill(int(self.primary.env["pid"]), signal.SIGQUIT)
        with open(self.data + "/postmaster.pid") as f:
            standby = int(f.readline())
        with open(self.data + "/promote", "w"):
            os.kill(standby, signal.SIGUSR1)
        return "primary ended, standby promoted"
