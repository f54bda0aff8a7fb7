/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options of databases to struct sql_options: for command lines, the members that differ
 * from the defaults, or the refusal, in a golden file.
 */
#include "sql/sql_options.h"

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"
#include "opt/generation.h"

static void add_list(struct str *out, const char *name, char **item, size_t n)
{
    str_printf(out, "%s", name);
    for (size_t i = 0; i < n; i++)
        str_printf(out, "%s%s", i ? "," : " ", item[i]);
    str_adds(out, "\n");
}

/* All members, one a line. */
static void describe(struct str *out, const struct sql_options *s, const struct opts *o)
{
    static const char *const modes[] = {"disabled", "on",        "preferred",
                                        "required", "verify-ca", "verify-identity"};
    static const char *const tables[] = {"mysql-table-engine", "mysql-engine-trx",
                                         "myisam-max-rows", "mysql-create-options"};
    const struct sql_login_mysql *m = &s->mysql;
    const struct sql_login_pgsql *p = &s->pgsql;

#define TEXT(of, member) str_printf(out, #of "." #member " %s\n", (of)->member)
#define FLAG(of, member) str_printf(out, #of "." #member " %d\n", (of)->member)
    TEXT(s, driver);
    FLAG(s, driver_given);
    FLAG(s, other_driver);
    FLAG(s, ps_server);
    FLAG(s, ps_lazy);
    FLAG(s, debug);
    FLAG(s, alerts);
    FLAG(s, check_library != NULL);
    str_printf(out, "idle %zu, timeouts %g %g, result %lld, reconnects %g, watched %d\n",
               s->idle_connections, s->connect_timeout, s->query_timeout,
               (long long)s->max_result_size, s->reconnect_rate, (int)s->watched);
    add_list(out, "sources", s->sources, s->nsources);
    add_list(out, "hosts", m->hosts, m->nhosts);
    add_list(out, "ports", m->ports, m->nports);
    add_list(out, "sockets", m->sockets, m->nsockets);
    FLAG(m, port_given);
    FLAG(m, password_given);
    TEXT(m, user);
    TEXT(m, password);
    TEXT(m, db);
    str_printf(out, "ssl %s\n", modes[m->ssl]);
    for (int i = 0; i < SQL_TLS_TEXTS; i++)
        str_printf(out, "%s %s\n", sql_tls_options[i], m->tls[i] ? m->tls[i] : "");
    FLAG(m, cleartext);
    FLAG(m, local_infile);
    FLAG(m, compression);
    FLAG(m, debug);
    FLAG(m, dry_run);
    FLAG(m, small_buffers);
    FLAG(m, library);
    add_list(out, "algorithms", m->algorithms, m->nalgorithms);
    add_list(out, "ignored", m->ignore_errors, m->nignore);
    TEXT(p, host);
    TEXT(p, port);
    TEXT(p, user);
    TEXT(p, password);
    TEXT(p, sslmode);
    TEXT(p, db);
    FLAG(p, host_given);
    FLAG(p, port_given);
    FLAG(p, user_given);
    add_list(out, "ignored by pgsql", p->ignore_errors, p->nignore);
    for (size_t i = 0; i < COUNT(tables); i++)
        str_printf(out, "%s %s\n", tables[i], opt_str(o, tables[i]));
}

static struct str defaults, story;

/* Arguments with ';' between them.  The words of the option table's own refusals are its tests'. */
static void show(const char *line)
{
    struct opts *o = opts_new();
    char *args = mem_strdup(line), *rest = NULL;
    struct str all = STR_INIT;
    struct sql_options s;
    struct err e = {0};
    int rc = 0;

    generation_options(o);
    sql_options_declare(o);
    str_printf(&story, "%s\n", line);
    for (char *a = strtok_r(args, ";", &rest); a && rc == 0; a = strtok_r(NULL, ";", &rest))
        rc = opts_set_arg(o, a, &e);
    capture_errors();
    if (rc || opts_check(o, &e)) {
        str_adds(&story, "    no value\n");
    } else if (sql_options_read(&s, o, &e)) {
        CHECK_INT(e.kind, ERR_USAGE);
        str_printf(&story, "    %s\n", e.msg);
    } else {
        describe(&all, &s, o);
        if (!defaults.len)
            str_adds(&defaults, str_cstr(&all));
    }
    str_adds(&story, captured());
    const char *d = str_cstr(&defaults);
    for (const char *l = str_cstr(&all); *l; l += strcspn(l, "\n") + 1) {
        size_t n = strcspn(l, "\n") + 1;
        if (n != strcspn(d, "\n") + 1 || strncmp(l, d, n) != 0 || !*line)
            str_printf(&story, "    %.*s", (int)n, l);
        d += strcspn(d, "\n") + 1;
    }
    str_free(&all);
    free(args);
    opts_free(o);
}

static void show_all(const char *title, const char *const *line)
{
    for (; *line; line++)
        show(*line);
    golden(&story, "%s", title);
}

static const char *const given[] = {
    "", /* the defaults */
    "--mysql-host=a,b;--mysql-port=1,2,3;--mysql-socket=/s,/t;--mysql-user=mu;--mysql-password=x;"
    "--mysql-db=md;--mysql-ssl-key=k;--mysql-ssl-cert=c;--mysql-ssl-ca=ca;--mysql-ssl-capath=cp;"
    "--mysql-ssl-cipher=ci;--mysql-tls-version=v;--mysql-cleartext;--mysql-local-infile=off;"
    "--mysql-protocol=library;--mysql-compression;--mysql-compression-algorithms=zstd;"
    "--mysql-debug;--mysql-ignore-errors=1,2;--mysql-dry-run;--db-ps-mode=disable;--pgsql-host=ph;"
    "--pgsql-port=77;--pgsql-user=me;--pgsql-password=pp;--pgsql-db=pd;--pgsql-sslmode=require;"
    "--pgsql-ignore-errors=connection;--db-debug;--idle-connections=5;--reconnect-rate=6;"
    "--connect-timeout=7.5;--query-timeout=8.5;--max-result-size=9;--db-driver=mysql",
    "--pgsql-user=me", /* PostgreSQL was probably meant */
    "--pgsql-user=me;--mysql-user=me", NULL};

/* What can only be a mistake is refused before anything is done with it, but hosts that are not
 * used are not looked at; blanks around them are no part of them, and nothing but blanks is an
 * empty item: dropped, as in stock. */
static const char *const hosts[] = {"--mysql-host=db1:3306",
                                    "--mysql-host=db1,127.0.0.1:3306",
                                    "--mysql-host=[::1]:3306,db1",
                                    "--mysql-host=[::1]",
                                    "--mysql-host=::1:::2",
                                    "--mysql-host=::1,fe80::1%eth0, ::ffff:127.0.0.1 ,,db1,db1",
                                    "--mysql-host=db1:3306;--db-driver=pgsql",
                                    "--db-driver=pgsql;--pgsql-host=db1:5432",
                                    "--db-driver=pgsql;--pgsql-host=db1, [::1]:5432",
                                    "--db-driver=pgsql;--pgsql-host=/a:b,@c:d,::1,, fe80::1%eth0",
                                    "--db-driver=mysql;--pgsql-host=db1:5432",
                                    "--mysql-host=a:1;--mysql-socket=/s",
                                    "--mysql-host=a:1;--mysql-dry-run",
                                    "--mysql-host= a,\tb c , ,,::1",
                                    NULL};

/* What needs TLS brings it, unless --mysql-ssl says otherwise. */
static const char *const ssl[] = {"--mysql-ssl",
                                  "--mysql-ssl=on",
                                  "--mysql-ssl=off",
                                  "--mysql-ssl=disabled",
                                  "--mysql-ssl=preferred",
                                  "--mysql-ssl=REQUIRED",
                                  "--mysql-ssl=verify_ca",
                                  "--mysql-ssl=Verify-Identity",
                                  "--mysql-ssl-ca=x",
                                  "--mysql-ssl-capath=x",
                                  "--mysql-ssl-ca=x;--mysql-ssl-cipher=x",
                                  "--mysql-ssl-key=x",
                                  "--mysql-ssl-cert=x",
                                  "--mysql-ssl-cipher=x",
                                  "--mysql-tls-version=x",
                                  "--mysql-ssl-ca=",
                                  "--mysql-ssl-ca=x;--mysql-ssl=off",
                                  "--mysql-ssl-ca=x;--mysql-ssl=preferred",
                                  NULL};

/* The largest and smallest numbers, and what is refused. */
static const char *const bounds[] = {"--idle-connections=0",
                                     "--idle-connections=1000000",
                                     "--idle-connections=1000001",
                                     "--idle-connections=-1",
                                     "--reconnect-rate=0",
                                     "--reconnect-rate=1000000",
                                     "--reconnect-rate=1000001",
                                     "--connect-timeout=0",
                                     "--connect-timeout=0.001",
                                     "--connect-timeout=86400",
                                     "--connect-timeout=86400.5",
                                     "--connect-timeout=0.0009",
                                     "--query-timeout=0.001",
                                     "--query-timeout=86400",
                                     "--query-timeout=86400.5",
                                     "--query-timeout=0.0009",
                                     "--pgsql-port=0",
                                     "--pgsql-port=1",
                                     "--pgsql-port=65535",
                                     "--pgsql-port=65536",
                                     "--pgsql-port=1,65535",
                                     "--pgsql-port=1,0",
                                     "--pgsql-port=1,65536",
                                     "--pgsql-port=1,2;--pgsql-host=a,b",
                                     "--pgsql-port=1;--pgsql-host=a,b",
                                     "--pgsql-port=1,2;--pgsql-host=a,b,c",
                                     "--db-ps-prepare=lazy",
                                     "--db-ps-prepare=lazy;--db-ps-mode=disable",
                                     "--prepare-method=load;--db-driver=mysql",
                                     "--prepare-method=copy;--db-driver=pgsql",
                                     "--prepare-method=copy;--db-driver=mysql",
                                     "--prepare-method=load;--db-driver=pgsql",
                                     "--on-error=deadlock:retry,",
                                     "--on-error=,deadlock:retry",
                                     "--on-error=deadlock:retry,,overload:fail",
                                     "--on-error=,",
                                     "--source-address=127.0.0.1,127.0.0.2;--mysql-host=127.0.0.1",
                                     "--source-address=127.0.0.1,192.0.2.1;--mysql-host=127.0.0.1",
                                     "--source-address=eth0;--mysql-host=127.0.0.1",
                                     "--source-address=127.0.0.1;--mysql-host=127.0.0.1,localhost",
                                     "--source-address=127.0.0.1;--mysql-socket=/s",
                                     "--source-address=127.0.0.1;--db-driver=pgsql",
                                     NULL};

/* --db-driver=drizzle is the MySQL driver with Drizzle's options and defaults; without that driver
 * they change nothing. */
static const char *const drizzle[] = {
    "--db-driver=drizzle;--drizzle-mysql=on;--drizzle-user=me;--drizzle-password=x;--mysql-user=no",
    "--db-driver=drizzle;--drizzle-mysql=on;--drizzle-db=d;--drizzle-table-engine=te;"
    "--drizzle-engine-trx=yes;--drizzle-max-rows=9;--drizzle-create-options=co",
    "--db-driver=drizzle;--drizzle-mysql",
    "--db-driver=drizzle;--drizzle-mysql;--drizzle-host=a,localhost;--drizzle-port=3306",
    "--db-driver=drizzle;--drizzle-mysql;--drizzle-socket=/s",
    "--db-driver=drizzle",
    "--drizzle-host=a;--drizzle-user=me;--oracle-user=you",
    NULL};

/* The rows that say which values are secret. */
static void test_secrets(void)
{
    struct opts *o = opts_new();
    struct opt_view v;

    sql_options_declare(o);
    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.flags & (OPT_SECRET | OPT_SECRET_WITHIN))
            str_printf(&story, "%s%s\n", v.shown, v.flags & OPT_SECRET ? "" : ": within");
    golden(&story, "secrets");
    opts_free(o);
}

TEST_MAIN(sql_options_test)
{
    if (!sql_class_at(0) || strcmp(sql_class_at(0)->names.sname, "mysql") != 0) {
        printf("sql_options_test: skipped: the default of --db-driver is not mysql\n");
        return 77;
    }
    show_all("each option has its own member", given);
    show_all("hosts", hosts);
    show_all("TLS", ssl);
    show_all("bounds", bounds);
    show_all("Drizzle", drizzle);
    test_secrets();
    str_free(&defaults);
    golden_done("sql_options_test");
    return test_done("sql_options_test");
}
