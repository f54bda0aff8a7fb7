# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of scripts/dbserver and of the modules behind it, against real servers where one is meant.

SB_NO_SERVER in the environment skips those that start a server.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from typing import Any

from sysbench_lab import LabError, owned
from sysbench_lab.servers import process, programs
from sysbench_lab.servers.instance import ENGINES, Instance, temporary_directory

mariadb, mysql, postgresql = (ENGINES[k] for k in ("mariadb", "mysql", "postgresql"))
SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DBSERVER = os.path.join(SCRIPTS, "dbserver")
NO_SERVER = os.environ.get("SB_NO_SERVER")
CLIENT = programs.find("mariadb", "mysql")


def dbserver(*args: str, **kwargs: Any) -> tuple[int, str, str]:
    """Runs the command; returns (exit status, stdout, stderr)."""
    env = {k: v for k, v in os.environ.items() if k != "DBSERVER_DIR"}
    p = subprocess.run(
        [sys.executable, DBSERVER] + list(args),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=dict(env, **kwargs),
    )
    return p.returncode, p.stdout, p.stderr


def described(text: str) -> dict[str, str]:
    """The description as a dict, read the way a shell reads it."""
    keys = [line.partition("=")[0] for line in text.splitlines()]
    script = text + '\nfor v in %s; do eval "printf \'%%s\\n\' \\"\\$$v\\""; done' % " ".join(keys)
    out = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    return dict(zip(keys, out.stdout.splitlines()))


class Parts(unittest.TestCase):
    def test_own_options_are_refused(self) -> None:
        for bad in (
            "--socket=/x",
            "--Bind_Address=0.0.0.0",
            "--defaults-file=/etc/my.cnf",
            "-P3306",
            "--loose-port=1",
        ):
            with self.assertRaises(LabError, msg=bad):
                mariadb.check_options([bad])
        for bad in ("--socket=/x", "--mysqlx=ON", "--secure_file_priv=/"):
            with self.assertRaises(LabError, msg=bad):
                mysql.check_options([bad])
        mysql.check_options(["--max-connections=5"])
        for bad in ("--port=1", "-c listen_addresses=*", "max_connections"):
            with self.assertRaises(LabError, msg=bad):
                postgresql.check_options([bad])
        mariadb.check_options(["--max-connections=5", "--skip-innodb-doublewrite"])
        mariadb.check_options(["--max-connections", "5"])
        postgresql.check_options(["--max_connections=5", "-c shared_buffers=1MB"])

    def test_pid_of_another_process_is_not_ours(self) -> None:
        child = subprocess.Popen(["sleep", "60"])
        ident = process.identity(child.pid) or ""
        self.assertTrue(process.is_alive(child.pid, ident))
        self.assertFalse(process.is_alive(child.pid, ident + "1"))
        self.assertIsNone(process.stop(child.pid, ident + "1", [signal.SIGTERM], 5))
        self.assertIsNone(child.poll())
        self.assertEqual(process.stop(child.pid, ident, [signal.SIGTERM], 5), "SIGTERM")
        child.wait()

    def test_stop_goes_on_to_kill(self) -> None:
        child = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import signal, time; "
                "signal.signal(signal.SIGTERM, signal.SIG_IGN); "
                "print(1, flush=True); time.sleep(60)",
            ],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        child.stdout.readline()
        ident = process.identity(child.pid)
        self.assertEqual(process.stop(child.pid, ident, [signal.SIGTERM], 0.2), "SIGKILL")
        child.wait()
        child.stdout.close()


class Refusals(unittest.TestCase):
    """A wrong command line: one sentence, status 1, nothing left behind."""

    def test_sentences(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        directory = made.name
        with open(os.path.join(directory, "precious"), "w"):
            pass
        cases = (
            (["start", "--bar"], "unrecognized arguments: --bar"),
            (["frobnicate"], "invalid choice: 'frobnicate'"),
            (["stop"], "which server?"),
            (["stop", "--dir=/nonexistent"], "no private server in /nonexistent"),
            (["status", "--dir=" + directory], "no private server in " + directory),
            (["start", "--dir=" + directory], "is not empty and holds no private server"),
            (["start", "--engine=oracle"], "invalid choice: 'oracle'"),
            (["start", "--engine=postgres", "--server=/none"], "cannot run /none"),
            (["start", "--port=99999"], "--port takes a number, auto or none, not '99999'"),
            (["start", "--db=a b"], "'a b' is no usable"),
            (["start", "--server=/nonexistent"], "cannot run /nonexistent"),
            (["start", "--server=/bin/true"], "is not a MariaDB server"),
            (["start", "--", "--datadir=/var/lib/mysql"], "--datadir is set by dbserver itself"),
            (["status", "--dir=x", "--", "--a=b"], "'status' takes no server options"),
        )
        temporary = tempfile.mkdtemp()
        for args, sentence in cases:
            status, out, err = dbserver(*args, TMPDIR=temporary)
            self.assertIn(sentence, err, args)
            self.assertEqual((status, out, err.count("\n")), (1, "", 1), args)
        self.assertEqual(os.listdir(directory), ["precious"])
        self.assertEqual(os.listdir(temporary), [])
        os.rmdir(temporary)


class Programs(unittest.TestCase):
    def test_where_they_are(self) -> None:
        """Those that install-deps brought; PostgreSQL's newest version, before PATH."""
        with tempfile.TemporaryDirectory() as directory:
            there = {
                "sbx": "cache/sysbench-tx/postgresql/usr/lib/postgresql/15/bin",
                "sby": "path",
                "sbz": "cache/sysbench-tx/pooler/usr/sbin",
                "sbv": "cache/sysbench-tx/venv/bin",
            }
            older = "cache/sysbench-tx/postgresql/usr/lib/postgresql/9/bin"
            for name, at in [*there.items(), ("sbx", older), ("sbx", "path"), ("sbv", "path")]:
                os.makedirs(os.path.join(directory, at), exist_ok=True)
                with open(os.path.join(directory, at, name), "w") as f:
                    os.chmod(f.fileno(), 0o755)
            env = {
                "XDG_CACHE_HOME": os.path.join(directory, "cache"),
                "PATH": os.path.join(directory, "path"),
            }
            with unittest.mock.patch.dict(os.environ, env):
                for name, at in there.items():
                    self.assertEqual(
                        programs.find("sb-none", name), os.path.join(directory, at, name)
                    )
                self.assertIsNone(programs.find("sb-none"))
                self.assertEqual(
                    shutil.which("sbx", path=programs.path()),
                    os.path.join(directory, there["sbx"], "sbx"),
                )
                self.assertNotIn("venv", programs.path())


@unittest.skipIf(NO_SERVER, "SB_NO_SERVER is set")
class Mariadb(unittest.TestCase):
    directory: str
    env: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = os.path.join(temporary_directory(), "server")
        status, out, err = dbserver(
            "start", "--dir=" + cls.directory, "--db=sbtest,other_db", "--", "--max-connections=77"
        )
        if status != 0:
            raise AssertionError(err)
        cls.env = described(out)

    @classmethod
    def tearDownClass(cls) -> None:
        dbserver("stop", "--dir=" + cls.directory, "--remove")
        owned.remove(os.path.dirname(cls.directory))

    def sql(self, text: str, *args: str, user: str = "sbtest") -> str:
        p = subprocess.run(
            [CLIENT or "mariadb", "--no-defaults", "-N", "-B", "--user=" + user]
            + (list(args) or ["--socket=" + self.env["socket"]])
            + ["-e", text],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        # newer clients warn that they do not verify the server of a login without a password
        lines = p.stdout.strip().splitlines()
        return "\n".join(line for line in lines if not line.startswith("WARNING: "))

    def test_1_description(self) -> None:
        env = self.env
        self.assertEqual(
            (env["engine"], env["user"], env["db"], env["dir"], env["host"]),
            ("mariadb", "sbtest", "sbtest", self.directory, "127.0.0.1"),
        )
        self.assertIn("MariaDB", env["version"])
        with open(os.path.join(self.directory, "server.pid")) as f:
            self.assertEqual(f.read().strip(), env["pid"])
        self.assertIn("--mysql-socket=" + env["socket"], env["args"])
        status, out, _ = dbserver("status", DBSERVER_DIR=self.directory)
        self.assertEqual((status, described(out)["status"]), (0, "running"))

    def test_2_account(self) -> None:
        tcp = ["--host=127.0.0.1", "--port=" + self.env["port"]]
        nowhere: list[str] = []
        for where in (nowhere, tcp):
            self.assertEqual(self.sql("SELECT @@max_connections", *where), "77")
            self.assertEqual(
                self.sql("CREATE TABLE other_db.t (a INT); DROP TABLE other_db.t", *where), ""
            )
        self.assertIn("Access denied", self.sql("SELECT 1", user="nobody_known"))
        self.assertIn("denied", self.sql("SELECT * FROM mysql.user"))
        self.assertIn("denied", self.sql("CREATE TABLE otherXdb.t (a INT)"))
        self.assertEqual(
            self.sql("SELECT COUNT(*) > 0 FROM mysql.user", user=self.env["admin"]), "1"
        )

    def test_3_loopback_only(self) -> None:
        addresses = []
        for name in ("/proc/net/tcp", "/proc/net/tcp6"):
            if os.path.exists(name):
                with open(name) as f:
                    addresses += [
                        line.split()[1] for line in f.readlines()[1:] if line.split()[3] == "0A"
                    ]
        port = "%04X" % int(self.env["port"])
        self.assertEqual([a for a in addresses if a.endswith(":" + port)], ["0100007F:" + port])

    def test_4_restart_keeps_data_and_port(self) -> None:
        self.sql("CREATE TABLE sbtest.kept (a INT); INSERT INTO sbtest.kept VALUES (42)")
        status, out, err = dbserver(
            "restart", "--dir=" + self.directory, "--", "--thread-handling=pool-of-threads"
        )
        self.assertEqual((status, err), (0, ""))
        env = described(out)
        self.assertEqual(env["port"], self.env["port"])
        self.assertNotEqual(env["pid"], self.env["pid"])
        self.assertEqual(
            self.sql("SELECT a, @@thread_handling, @@max_connections FROM sbtest.kept"),
            "42\tpool-of-threads\t151",
        )
        status, _, _ = dbserver("restart", "--dir=" + self.directory)
        self.assertEqual((status, self.sql("SELECT @@thread_handling")), (0, "pool-of-threads"))

    def test_5_killed_and_started_again(self) -> None:
        pid = Instance.load(self.directory).running_pid()
        os.kill(pid, signal.SIGKILL)
        while dbserver("status", "--dir=" + self.directory)[0] == 0:
            time.sleep(0.05)
        self.assertEqual(dbserver("status", "--dir=" + self.directory)[0], 3)
        self.assertEqual(dbserver("env", "--dir=" + self.directory)[0], 1)
        self.assertEqual(dbserver("start", "--dir=" + self.directory)[0], 0)
        status, _, err = dbserver("start", "--dir=" + self.directory)
        self.assertIn("is already running", err)
        self.assertEqual(status, 1)
        self.assertEqual(self.sql("SELECT a FROM sbtest.kept"), "42")

    def test_6_a_stopped_server_is_killed(self) -> None:
        pid = Instance.load(self.directory).running_pid()
        os.kill(pid, signal.SIGSTOP)
        status, _, err = dbserver("stop", "--dir=" + self.directory, "--timeout=0.5")
        self.assertEqual(status, 0)
        self.assertIn("took SIGKILL", err)
        self.assertEqual(dbserver("stop", "--dir=" + self.directory)[0], 0)

    def test_7_wrong_server_option(self) -> None:
        status, out, err = dbserver("start", "--", "--no-such-thing=1")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("unknown variable 'no-such-thing=1'", err)
        log = err.rpartition("(log: ")[2].rstrip(")\n")
        self.assertTrue(os.path.exists(log))
        self.assertEqual(sorted(os.listdir(os.path.dirname(log))), ["install.log", "server.log"])
        for name in os.listdir(os.path.dirname(log)):
            os.unlink(os.path.join(os.path.dirname(log), name))
        os.rmdir(os.path.dirname(log))

    def test_9_what_a_shell_would_split(self) -> None:
        """$args stays what it is, also without quotes; a server of which it is used in that way."""
        password = "it's a * $x"
        for engine in ("mariadb",) if no_postgresql() else ("mariadb", "postgresql"):
            directory = os.path.join(temporary_directory(), "x y*", "z")
            status, out, err = dbserver(
                "start", "--engine=" + engine, "--dir=" + directory, "--password=" + password
            )
            self.assertEqual((status, err), (0, ""))
            try:
                self.assertEqual(described(out)["dir"], directory)
                script = 'eval "$1"; cd / && printf "%s\\n" $args'
                done = subprocess.run(
                    ["sh", "-c", script, "sh", out], stdout=subprocess.PIPE, text=True
                )
                words = done.stdout.splitlines()
                found = dict(word.split("=", 1) for word in words)
                self.assertEqual(len(found), len(words))
                (file,) = (v for k, v in found.items() if k.endswith("-password-file"))
                with open(file) as f:
                    self.assertEqual(f.read(), password + "\n")
                self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
                if engine == "mariadb":
                    where = ["--socket=" + found["--mysql-socket"], "--password=" + password]
                    self.assertEqual(self.sql("SELECT 1", *where), "1")
                else:
                    self.assertTrue(os.path.isdir(found["--pgsql-host"]))
                self.assertEqual(dbserver("restart", "--dir=" + directory)[0], 0)
            finally:
                self.assertEqual(dbserver("stop", "--dir=" + directory, "--remove")[0], 0)
            self.assertFalse(os.path.exists(os.path.dirname(file)))
            owned.remove(os.path.dirname(os.path.dirname(directory)))
        status, _, err = dbserver("start", "--password=a\nb")
        self.assertEqual((status, err.count("\n")), (1, 1))
        status, _, err = dbserver("status", "--dir=" + self.directory, "--prefix=x y")
        self.assertIn("--prefix takes the beginning of a name, not 'x y'", err)

    def test_8_long_path_password_no_port(self) -> None:
        directory = os.path.join(temporary_directory(), "x" * 100)
        status, out, err = dbserver("start", "--dir=" + directory, "--port=none", "--password=it's")
        self.assertEqual((status, err), (0, ""))
        try:
            env = described(out)
            where = ["--socket=" + env["socket"], "--password=it's"]
            self.assertEqual(self.sql("SELECT @@skip_networking", *where), "1")
            self.assertIn("Access denied", self.sql("SELECT 1", "--socket=" + env["socket"]))
            self.assertEqual((env["port"], env["password"]), ("", "it's"))
        finally:
            self.assertEqual(dbserver("stop", "--dir=" + directory, "--remove")[0], 0)
        self.assertFalse(os.path.exists(os.path.dirname(env["socket"])))
        owned.remove(os.path.dirname(directory))


def no_postgresql() -> str | None:
    try:
        postgresql.program(None)
    except LabError as e:
        return str(e)
    return NO_SERVER


@unittest.skipIf(no_postgresql(), "no PostgreSQL programs")
class Postgresql(unittest.TestCase):
    def test_life(self) -> None:
        directory = os.path.join(temporary_directory(), "server")
        status, out, err = dbserver(
            "start", "--engine=postgresql", "--dir=" + directory, "--", "--max_connections=33"
        )
        self.assertEqual((status, err), (0, ""))
        try:
            env = described(out)
            self.assertEqual((env["engine"], env["user"]), ("postgresql", "sbtest"))
            with socket.create_connection(("127.0.0.1", int(env["port"])), 5):
                pass
            status, out, err = dbserver(
                "restart", "--dir=" + directory, "--", "--max_connections=34"
            )
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(described(out)["port"], env["port"])
            inst = Instance.load(directory)
            self.assertEqual(postgresql.probe(inst), described(out)["version"])
            inst.user = "stranger"
            self.assertIsNone(postgresql.probe(inst))
            self.assertEqual(dbserver("stop", "--dir=" + directory)[0], 0)
            status, out, err = dbserver("start", "--dir=" + directory, "--port=none")
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(os.path.basename(described(out)["socket"]), ".s.PGSQL.5432")
        finally:
            self.assertEqual(dbserver("stop", "--dir=" + directory, "--remove")[0], 0)
        owned.remove(os.path.dirname(directory))


def no_mysql() -> str | None:
    try:
        mysql.program(None)
    except LabError as e:
        return str(e)
    return NO_SERVER


class Mysql(unittest.TestCase):
    def test_mariadb_is_not_taken_for_it(self) -> None:
        path = programs.find("mariadbd")
        if path:
            with self.assertRaises(LabError) as caught:
                mysql.program(path)
            self.assertIn("is not a MySQL server", str(caught.exception))

    def test_complaint(self) -> None:
        log = (
            "2026-11-21T11:01:40Z 0 [System] [MY-015015] [Server] MySQL Server - start.\n"
            "2026-11-21T11:01:40Z 0 [ERROR] [MY-010095] [Server] Failed to access directory\n"
            "2026-11-21T11:01:40Z 0 [ERROR] [MY-010119] [Server] Aborting\n"
        )
        self.assertEqual(mysql.complaint(log), "Failed to access directory")
        self.assertIsNone(mysql.complaint("all is well\n"))

    def test_complaints_of_the_others(self) -> None:
        log = "1 [ERROR] /usr/sbin/mariadbd: unknown variable 'a=1'\n1 [ERROR] Aborting\n"
        self.assertEqual(mariadb.complaint(log), "unknown variable 'a=1'")
        self.assertEqual(mariadb.complaint("2 [ERROR] Aborting\n"), "Aborting")
        log = "1 FATAL:  the database system is starting up\n2 [7] PANIC:  no space left\n3 LOG:  x"
        self.assertEqual(postgresql.complaint(log), "no space left")

    @unittest.skipIf(no_mysql(), "no MySQL server")
    def test_life(self) -> None:
        directory = os.path.join(temporary_directory(), "server")
        status, out, err = dbserver(
            "start", "--engine=mysql", "--dir=" + directory, "--password=it's"
        )
        self.assertEqual((status, err), (0, ""))
        try:
            env = described(out)
            self.assertEqual((env["engine"], env["user"]), ("mysql", "sbtest"))
            inst = Instance.load(directory)
            self.assertEqual(mysql.probe(inst), env["version"])
            process.stop(inst.pid, inst.ident, (), 0)  # killed: its lock stays behind
            status, out, err = dbserver("start", "--dir=" + directory)
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(described(out)["port"], env["port"])
        finally:
            self.assertEqual(dbserver("stop", "--dir=" + directory, "--remove")[0], 0)
        owned.remove(os.path.dirname(directory))


if __name__ == "__main__":
    unittest.main()
