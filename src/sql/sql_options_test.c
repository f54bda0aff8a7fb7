/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options of databases to struct sql_options.
 */
#include "sql/sql_options.h"

#include "base/test.h"
#include "base/test_capture.h"
#include "opt/generation.h"

static struct opts *options(const char *const *arg)
{
    struct opts *o = opts_new();
    struct err e = {0};

    generation_options(o);
    sql_options_declare(o);
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    CHECK_INT(opts_check(o, &e), 0);
    return o;
}

#define OPTIONS(...) options((const char *const[]){__VA_ARGS__, NULL})

static void test_defaults(void)
{
    struct opts *o = OPTIONS(NULL);
    struct sql_options s;
    struct err e = {0};

    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK(s.ps_server && !s.ps_lazy && !s.debug && !s.check_library);
    CHECK_INT(s.mysql.nhosts, 1);
    CHECK_STR(s.mysql.hosts[0], "localhost");
    CHECK_STR(s.mysql.ports[0], "3306");
    CHECK_INT(s.mysql.nsockets, 0);
    CHECK_STR(s.mysql.user, "sbtest");
    CHECK_STR(s.mysql.password, "");
    CHECK_INT(s.mysql.ssl, SQL_SSL_DISABLED);
    CHECK_INT(s.mysql.nignore, 3);
    CHECK(!s.mysql.compression && !s.mysql.dry_run && !s.mysql.small_buffers);
    CHECK_STR(s.pgsql.port, "5432");
    CHECK(!s.pgsql.host_given && !s.pgsql.port_given && !s.pgsql.user_given);
    opts_free(o);
}

static const char *list(char **item, size_t n)
{
    static char text[256];
    size_t used = 0;

    *text = '\0';
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "", item[i]);
    return text;
}

/* Each option has its own member. */
static void test_given(void)
{
    struct opts *o = OPTIONS(
        "--mysql-host=a,b", "--mysql-port=1,2,3", "--mysql-socket=/s,/t", "--mysql-user=mu",
        "--mysql-password=sesame", "--mysql-db=md", "--mysql-ssl-key=k", "--mysql-ssl-cert=c",
        "--mysql-ssl-ca=ca", "--mysql-ssl-capath=cp", "--mysql-ssl-cipher=ci",
        "--mysql-tls-version=v", "--mysql-cleartext", "--mysql-local-infile=off",
        "--mysql-protocol=library", "--mysql-compression", "--mysql-compression-algorithms=zstd",
        "--mysql-debug", "--mysql-ignore-errors=1,2", "--mysql-dry-run", "--db-ps-mode=disable",
        "--pgsql-host=ph", "--pgsql-port=77", "--pgsql-user=me", "--pgsql-password=pp",
        "--pgsql-db=pd", "--pgsql-ignore-errors=connection", "--pgsql-sslmode=require",
        "--db-debug", "--idle-connections=5", "--reconnect-rate=6", "--connect-timeout=7.5",
        "--query-timeout=8.5", "--db-driver=mysql");
    struct sql_options s;
    struct err e = {0};

    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK(!s.ps_server && !s.ps_lazy && s.debug && s.driver_given && !s.alerts);
    CHECK_STR(s.driver, "mysql");
    CHECK_INT(s.watched, -1);
    CHECK_INT(s.idle_connections, 5);
    CHECK(s.reconnect_rate == 6 && s.connect_timeout == 7.5 && s.query_timeout == 8.5);
    CHECK_INT(s.nsources, 0);
    CHECK_STR(list(s.mysql.hosts, s.mysql.nhosts), "a,b");
    CHECK_STR(list(s.mysql.ports, s.mysql.nports), "1,2,3");
    CHECK_STR(list(s.mysql.sockets, s.mysql.nsockets), "/s,/t");
    CHECK_STR(s.mysql.user, "mu");
    CHECK_STR(s.mysql.password, "sesame");
    CHECK_STR(s.mysql.db, "md");
    CHECK_STR(s.mysql.tls[SQL_TLS_KEY], "k");
    CHECK_STR(s.mysql.tls[SQL_TLS_CERT], "c");
    CHECK_STR(s.mysql.tls[SQL_TLS_CA], "ca");
    CHECK_STR(s.mysql.tls[SQL_TLS_CAPATH], "cp");
    CHECK_STR(s.mysql.tls[SQL_TLS_CIPHER], "ci");
    CHECK_STR(s.mysql.tls[SQL_TLS_VERSION], "v");
    CHECK(s.mysql.cleartext && !s.mysql.local_infile && s.mysql.library);
    CHECK(s.mysql.compression && s.mysql.dry_run && s.mysql.debug);
    CHECK_STR(list(s.mysql.algorithms, s.mysql.nalgorithms), "zstd");
    CHECK_STR(list(s.mysql.ignore_errors, s.mysql.nignore), "1,2");
    CHECK(s.pgsql.user_given && s.pgsql.host_given && s.pgsql.port_given);
    CHECK_STR(s.pgsql.host, "ph");
    CHECK_STR(s.pgsql.port, "77");
    CHECK_STR(s.pgsql.user, "me");
    CHECK_STR(s.pgsql.password, "pp");
    CHECK_STR(s.pgsql.db, "pd");
    CHECK_STR(s.pgsql.sslmode, "require");
    CHECK_STR(list(s.pgsql.ignore_errors, s.pgsql.nignore), "connection");
    opts_free(o);
    o = OPTIONS("--pgsql-user=me");
    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK(s.pgsql.user_given && !s.pgsql.host_given && !s.pgsql.port_given && !s.driver_given);
    opts_free(o);
}

/* What can only be a mistake is refused before anything is done with it. */
static void test_hosts(void)
{
    static const struct {
        const char *driver, *host, *bad; /* bad: the item; NULL: all are good */
    } t[] = {
        {"mysql", "db1:3306", "db1:3306"},
        {"mysql", "db1,127.0.0.1:3306", "127.0.0.1:3306"},
        {"mysql", "[::1]:3306,db1", "[::1]:3306"},
        {"mysql", "[::1]", "[::1]"},
        {"mysql", "::1:::2", "::1:::2"},
        {"mysql", "::1,fe80::1%eth0, ::ffff:127.0.0.1 ,,db1,db1", NULL},
        {"pgsql", "db1:5432", "db1:5432"},
        {"pgsql", "db1, [::1]:5432", "[::1]:5432"},
        {"pgsql", "/run/a:b,@c:d,::1,, fe80::1%eth0", NULL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        for (int other = 0; other < 2; other++) { /* a driver that is not in use */
            const char *driver = !other ? t[i].driver : *t[i].driver == 'm' ? "pgsql" : "mysql";
            char host[100], db[40], want[300];
            struct sql_options s;
            struct err e = {0};
            struct opts *o;
            bool bad = t[i].bad && !other;
            snprintf(host, sizeof host, "--%s-host=%s", t[i].driver, t[i].host);
            snprintf(db, sizeof db, "--db-driver=%s", driver);
            snprintf(want, sizeof want,
                     "Invalid value for --%s-host: '%s' is neither a name nor an address (a "
                     "port is given with "
                     "--%s-port, and IPv6 without brackets)",
                     t[i].driver, bad ? t[i].bad : "", t[i].driver);
            o = OPTIONS(host, db);
            CHECK_INT(sql_options_read(&s, o, &e), bad ? -1 : 0);
            CHECK_STR(e.msg, bad ? want : "");
            opts_free(o);
        }
    }
}

/* Hosts that are not used are not looked at; blanks around the others are no part of them, and
   nothing but blanks is an empty item: dropped, as in stock. */
static void test_hosts_as_used(void)
{
    struct opts *socket = OPTIONS("--mysql-host=a:1", "--mysql-socket=/s");
    struct opts *dry = OPTIONS("--mysql-host=a:1", "--mysql-dry-run"), *spaces;
    struct sql_options s;
    struct err e = {0};

    CHECK_INT(sql_options_read(&s, socket, &e), 0);
    CHECK_INT(sql_options_read(&s, dry, &e), 0);
    opts_free(socket);
    opts_free(dry);
    spaces = OPTIONS("--mysql-host= a,\tb c , ,,::1");
    CHECK_INT(sql_options_read(&s, spaces, &e), 0);
    CHECK_STR(list(s.mysql.hosts, s.mysql.nhosts), "a,b c,::1");
    opts_free(spaces);
}

static void test_ssl(void)
{
    static const struct {
        const char *arg[2];
        enum sql_ssl_mode mode;
    } t[] = {
        {{"--mysql-ssl"}, SQL_SSL_ON},
        {{"--mysql-ssl=on"}, SQL_SSL_ON},
        {{"--mysql-ssl=off"}, SQL_SSL_DISABLED},
        {{"--mysql-ssl=disabled"}, SQL_SSL_DISABLED},
        {{"--mysql-ssl=preferred"}, SQL_SSL_PREFERRED},
        {{"--mysql-ssl=REQUIRED"}, SQL_SSL_REQUIRED},
        {{"--mysql-ssl=verify_ca"}, SQL_SSL_VERIFY_CA},
        {{"--mysql-ssl=Verify-Identity"}, SQL_SSL_VERIFY_IDENTITY},
        /* what needs TLS brings it, unless --mysql-ssl says otherwise */
        {{"--mysql-ssl-ca=x"}, SQL_SSL_VERIFY_CA},
        {{"--mysql-ssl-capath=x"}, SQL_SSL_VERIFY_CA},
        {{"--mysql-ssl-ca=x", "--mysql-ssl-cipher=x"}, SQL_SSL_VERIFY_CA},
        {{"--mysql-ssl-key=x"}, SQL_SSL_REQUIRED},
        {{"--mysql-ssl-cert=x"}, SQL_SSL_REQUIRED},
        {{"--mysql-ssl-cipher=x"}, SQL_SSL_REQUIRED},
        {{"--mysql-tls-version=x"}, SQL_SSL_REQUIRED},
        {{"--mysql-ssl-ca="}, SQL_SSL_DISABLED},
        {{"--mysql-ssl-ca=x", "--mysql-ssl=off"}, SQL_SSL_DISABLED},
        {{"--mysql-ssl-ca=x", "--mysql-ssl=preferred"}, SQL_SSL_PREFERRED},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = t[i].arg[1] ? OPTIONS(t[i].arg[0], t[i].arg[1]) : OPTIONS(t[i].arg[0]);
        struct sql_options s;
        struct err e = {0};
        CHECK_INT(sql_options_read(&s, o, &e), 0);
        CHECK_INT(s.mysql.ssl, t[i].mode);
        opts_free(o);
    }
}

/* The rows that say which values are secret. */
static void test_secrets(void)
{
    struct opts *o = OPTIONS(NULL);
    struct opt_view v;
    int passwords = 0;

    for (size_t i = 0; opts_at(o, i, &v); i++) {
        size_t n = strlen(v.shown);
        bool password = n > 9 && strcmp(v.shown + n - 9, "-password") == 0;
        passwords += password;
        CHECK_INT((v.flags & OPT_SECRET) != 0, password);
        CHECK_INT((v.flags & OPT_SECRET_WITHIN) != 0,
                  strcmp(v.shown, "pgsql-db") == 0 || strcmp(v.shown, "mysql-url") == 0);
    }
    CHECK_INT(passwords, 5); /* mysql, pgsql, drizzle, oracle, attachsql */
    opts_free(o);
}

/* The largest and smallest numbers, and what is refused with which words.  `said`: NULL: nothing,
 * "": by the option table, whose tests have its words. */
static void test_bounds(void)
{
    static const char seconds[] = " (0, or 0.001 to 86400 seconds)";
    static const struct {
        const char *arg[3];
        const char *said, *more;
    } t[] = {
        {.arg = {"--idle-connections=0"}},
        {.arg = {"--idle-connections=1000000"}},
        {.arg = {"--idle-connections=1000001"}, .said = ""},
        {.arg = {"--idle-connections=-1"}, .said = ""},
        {.arg = {"--reconnect-rate=0"}},
        {.arg = {"--reconnect-rate=1000000"}},
        {.arg = {"--reconnect-rate=1000001"}, .said = ""},
        {.arg = {"--connect-timeout=0"}},
        {.arg = {"--connect-timeout=0.001"}},
        {.arg = {"--connect-timeout=86400"}},
        {.arg = {"--connect-timeout=86400.5"}, .said = ""},
        {.arg = {"--connect-timeout=0.0009"},
         .said = "Invalid value for --connect-timeout: '0.0009'",
         .more = seconds},
        {.arg = {"--query-timeout=0.001"}},
        {.arg = {"--query-timeout=86400"}},
        {.arg = {"--query-timeout=86400.5"}, .said = ""},
        {.arg = {"--query-timeout=0.0009"},
         .said = "Invalid value for --query-timeout: '0.0009'",
         .more = seconds},
        {.arg = {"--pgsql-port=0"}, .said = ""},
        {.arg = {"--pgsql-port=1"}},
        {.arg = {"--pgsql-port=65535"}},
        {.arg = {"--pgsql-port=65536"}, .said = ""},
        {.arg = {"--pgsql-port=1,65535"}},
        {.arg = {"--pgsql-port=1,0"},
         .said = "Invalid value for --pgsql-port: '1,0' ('0' is no port from 1 to 65535)"},
        {.arg = {"--pgsql-port=1,65536"},
         .said = "Invalid value for --pgsql-port: '1,65536' ('65536' is no port from 1 to 65535)"},
        {.arg = {"--pgsql-port=1,2", "--pgsql-host=a,b"}},
        {.arg = {"--pgsql-port=1", "--pgsql-host=a,b"}},
        {.arg = {"--pgsql-port=1,2", "--pgsql-host=a,b,c"},
         .said = "--pgsql-port=1,2 has 2 ports and --pgsql-host=a,b,c has 3 hosts: one "
                 "port, or one for ",
         .more = "each host, is needed"},
        {.arg = {"--db-ps-prepare=lazy"}},
        {.arg = {"--db-ps-prepare=lazy", "--db-ps-mode=disable"},
         .said = "--db-ps-mode=prepare=lazy cannot be used with --db-ps-mode=disable, "
                 "which prepares no ",
         .more = "statement"},
        {.arg = {"--prepare-method=load", "--db-driver=mysql"}},
        {.arg = {"--prepare-method=copy", "--db-driver=pgsql"}},
        {.arg = {"--prepare-method=copy", "--db-driver=mysql"},
         .said =
             "Invalid value for --prepare-method: the driver mysql has no copy (allowed: auto, ",
         .more = "insert, load)"},
        {.arg = {"--prepare-method=load", "--db-driver=pgsql"},
         .said =
             "Invalid value for --prepare-method: the driver pgsql has no load (allowed: auto, ",
         .more = "insert, copy)"},
        {.arg = {"--on-error=deadlock:retry,"},
         .said = "Invalid value for --on-error: 'deadlock:retry,' (an item is empty)"},
        {.arg = {"--on-error=,deadlock:retry"},
         .said = "Invalid value for --on-error: ',deadlock:retry' (an item is empty)"},
        {.arg = {"--on-error=deadlock:retry,,overload:fail"},
         .said =
             "Invalid value for --on-error: 'deadlock:retry,,overload:fail' (an item is empty)"},
        {.arg = {"--on-error=,"}, .said = "Invalid value for --on-error: ',' (an item is empty)"},
        {.arg = {"--source-address=127.0.0.1,127.0.0.2", "--mysql-host=127.0.0.1"}},
        {.arg = {"--source-address=127.0.0.1,192.0.2.1", "--mysql-host=127.0.0.1"},
         .said = "Invalid value for --source-address: '192.0.2.1' is not an address of this host"},
        {.arg = {"--source-address=eth0", "--mysql-host=127.0.0.1"},
         .said = "Invalid value for --source-address: 'eth0' is not an IP address"},
        {.arg = {"--source-address=127.0.0.1", "--mysql-host=127.0.0.1,localhost"},
         .said = "--source-address=127.0.0.1 needs a TCP connection, and --mysql-host=localhost ",
         .more = "is none: did you mean --mysql-host=127.0.0.1?"},
        {.arg = {"--source-address=127.0.0.1", "--mysql-socket=/s"},
         .said =
             "--source-address=127.0.0.1 needs a TCP connection, and --mysql-socket=/s is none"},
        {.arg = {"--source-address=127.0.0.1", "--db-driver=pgsql"},
         .said = "--source-address cannot be used with PostgreSQL: its client library has no such ",
         .more = "option"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = opts_new();
        struct sql_options s;
        struct err e = {0};
        char want[300];
        int rc = 0;
        generation_options(o);
        sql_options_declare(o);
        for (size_t k = 0; rc == 0 && t[i].arg[k]; k++)
            rc = opts_set_arg(o, t[i].arg[k], &e);
        if (rc || opts_check(o, &e)) {
            TEST_REPORT(t[i].said && !*t[i].said, "%s: %s", t[i].arg[0], e.msg);
        } else {
            snprintf(want, sizeof want, "%s%s", t[i].said ? t[i].said : "",
                     t[i].more ? t[i].more : "");
            rc = sql_options_read(&s, o, &e);
            TEST_REPORT(rc == (t[i].said ? -1 : 0) && (!t[i].said || *t[i].said), "%s: %d",
                        t[i].arg[0], rc);
            CHECK_STR(e.msg, want);
        }
        opts_free(o);
    }
}

static void drizzle(struct opts *o, const char *note, const char *hosts, const char *port,
                    const char *socket)
{
    struct sql_options s;
    struct err e = {0};

    capture_errors();
    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK_STR(captured(), note);
    CHECK_STR(s.driver, "mysql");
    CHECK_STR(list(s.mysql.hosts, s.mysql.nhosts), hosts);
    CHECK_STR(list(s.mysql.ports, s.mysql.nports), port);
    CHECK_STR(list(s.mysql.sockets, s.mysql.nsockets), socket);
    opts_free(o);
}

/* --db-driver=drizzle is the MySQL driver with Drizzle's options and defaults. */
static void test_drizzle(void)
{
    struct opts *o = OPTIONS("--db-driver=drizzle", "--drizzle-mysql=on", "--drizzle-user=me",
                             "--drizzle-password=sesame", "--mysql-user=nobody");
    struct sql_options s;
    struct err e = {0};

    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK_STR(s.mysql.user, "me");
    CHECK_STR(s.mysql.password, "sesame");
    CHECK_STR(s.mysql.db, "sbtest");
    CHECK_STR(opt_str(o, "mysql-table-engine"), "innodb");
    opts_free(o);
    o = OPTIONS("--db-driver=drizzle", "--drizzle-mysql=on", "--drizzle-db=d",
                "--drizzle-table-engine=te", "--drizzle-engine-trx=yes", "--drizzle-max-rows=9",
                "--drizzle-create-options=co");
    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK_STR(s.mysql.user, "");
    CHECK_STR(s.mysql.db, "d");
    CHECK_STR(opt_str(o, "mysql-table-engine"), "te");
    CHECK_STR(opt_str(o, "mysql-engine-trx"), "yes");
    CHECK_INT(opt_int(o, "myisam-max-rows"), 9);
    CHECK_STR(opt_str(o, "mysql-create-options"), "co");
    opts_free(o);

    drizzle(OPTIONS("--db-driver=drizzle", "--drizzle-mysql"), "", "127.0.0.1", "4427", "");
    drizzle(OPTIONS("--db-driver=drizzle", "--drizzle-mysql", "--drizzle-host=a,localhost",
                    "--drizzle-port=3306"),
            "", "a,127.0.0.1", "3306", "");
    drizzle(OPTIONS("--db-driver=drizzle", "--drizzle-mysql", "--drizzle-socket=/s"), "",
            "localhost", "4427", "/s");
    drizzle(OPTIONS("--db-driver=drizzle"),
            "NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on\n",
            "127.0.0.1", "4427", "");
}

/* Without that driver, its options change nothing. */
static void test_no_drizzle(void)
{
    struct opts *o = OPTIONS("--drizzle-host=a", "--drizzle-user=me", "--oracle-user=you");
    struct sql_options s;
    struct err e = {0};

    CHECK_INT(sql_options_read(&s, o, &e), 0);
    CHECK_STR(s.mysql.hosts[0], "localhost");
    CHECK_STR(s.mysql.user, "sbtest");
    CHECK_STR(opt_str(o, "mysql-table-engine"), "innodb");
    opts_free(o);
}

TEST_MAIN(sql_options_test)
{
    test_bounds();
    test_defaults();
    test_given();
    test_hosts();
    test_hosts_as_used();
    test_ssl();
    test_secrets();
    test_drizzle();
    test_no_drizzle();
    return test_done("sql_options_test");
}
